/** Draws turns: one stacked bar each on a shared axis, and the waterfall of the one that is open. */
import { el } from './dom.js';
import { labelOf, ms } from './ledger.js';
import { PROMISE_MS } from './ledger.js';
import { showsPromise, ticksOf } from './waterfall.js';

export { ms } from './ledger.js';

/** @typedef {import('./waterfall.js').Layout} Layout @typedef {import('./waterfall.js').Axis} Axis */

/**
 * What was waited for, as one bar.
 * @param {Layout} layout
 * @param {Axis} axis
 * @returns {HTMLElement}
 */
export function stacked({ bars, heardMs }, axis) {
  const told = bars
    .filter(({ critical }) => critical[1] > critical[0])
    .map(({ name, label, critical, over }) => {
      const part = el('span', { class: `part stage-${stageOf(name)}${over ? ' over' : ''}` });
      place(part, critical, axis);
      part.title = `${label} ${ms(critical[1] - critical[0])} ms${over ? ', over budget' : ''}`;
      return part;
    });
  const words = bars
    .filter(({ critical }) => critical[1] - critical[0] >= 0.5)
    .map(({ label, critical }) => `${label} ${ms(critical[1] - critical[0])}`)
    .join(', ');
  const attributes = { class: 'track', role: 'img', 'aria-label': `${words}: ${ms(heardMs)} ms` };
  const track = el('span', attributes, ...promise(axis), ...told);
  if (heardMs > axis.toMs) track.classList.add('runs-off');
  return track;
}

/** The round instants over all bars. @param {Axis} axis @returns {HTMLElement[]} */
export function ticks(axis) {
  return ticksOf(axis).map((at) => {
    const tick = el('span', { class: 'tick' }, String(at));
    tick.style.left = `${share(at, axis)}%`;
    return tick;
  });
}

/**
 * One row per stage: its bar, what was waited for, how long it worked, and the budget.
 * @param {Layout} layout
 * @param {Axis} axis
 * @returns {HTMLElement}
 */
export function waterfall(layout, axis) {
  const { turnId, totalMs, heardMs, note, bars } = layout;
  const attributes = {
    class: 'waterfall',
    'data-testid': 'waterfall',
    'data-turn-id': turnId,
    'data-total-ms': totalMs,
    'data-heard-ms': heardMs,
  };
  if (totalMs === null)
    return el('figure', attributes, el('figcaption', { class: 'aside' }, `No figures: ${note}`));
  const names = ['Stage', '', 'Waited', 'Worked', 'Budget'];
  const head = el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)));
  const rows = bars.map((bar) => row(bar, layout, axis));
  const table = el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows, sum(layout)));
  return el('figure', attributes, table, el('figcaption', { class: 'aside' }, note));
}

/** What the rows add up to. */
function sum({ totalMs, heardMs, networkMs }) {
  const parts =
    networkMs === null
      ? 'network and playout not measured'
      : `${ms(totalMs)} server + ${ms(networkMs)} network and playout`;
  return el(
    'tr',
    { class: 'sum' },
    el('th', { scope: 'row' }, labelOf('heard')),
    el('td', { class: 'aside' }, parts),
    el('td', { class: 'number' }, ms(heardMs)),
    el('td', {}),
    el('td', {}),
  );
}

function row(bar, layout, axis) {
  const { name, label, critical, workMs, budgetMs, over } = bar;
  const waitedMs = critical[1] - critical[0];
  const isTool = name.startsWith('tool:');
  const attributes = {
    'data-testid': isTool ? 'tool-segment' : 'segment',
    'data-name': name,
    'data-critical-ms': waitedMs.toFixed(3),
    'data-work-ms': workMs.toFixed(3),
    'data-budget-ms': Number.isNaN(budgetMs) ? null : budgetMs,
    class: over ? 'over' : null,
  };
  const waited = isTool ? '–' : over ? `${ms(waitedMs)} ▲` : ms(waitedMs);
  return el(
    'tr',
    attributes,
    el('th', { scope: 'row' }, label),
    el('td', { class: 'bar-cell' }, drawing(bar, layout, axis)),
    el('td', { class: 'number', title: over ? 'over budget' : null }, waited),
    el('td', { class: 'number' }, ms(workMs)),
    el('td', { class: 'number' }, Number.isNaN(budgetMs) ? '–' : ms(budgetMs)),
  );
}

function drawing({ label, critical, work, workMs, budgetMs, over }, { endpointMs, eagerMs }, axis) {
  const parts = [...promise(axis)];
  const bar = (kind, span) => {
    const part = el('span', { class: kind });
    place(part, span, axis);
    parts.push(part);
  };
  if (budgetMs > 0) bar('budget', [critical[0], critical[0] + budgetMs]);
  if (workMs > 0) bar('worked', work);
  bar(over ? 'waited over' : 'waited', critical);
  if (eagerMs !== null) line('eager', eagerMs);
  if (endpointMs !== null) line('endpoint', endpointMs);
  function line(kind, at) {
    const part = el('span', { class: `line ${kind}` });
    part.style.left = `${share(at, axis)}%`;
    parts.push(part);
  }
  const words = `${label} worked ${ms(workMs)} ms from ${ms(work[0])} ms on`;
  return el('span', { class: 'track', role: 'img', 'aria-label': words, title: words }, ...parts);
}

function promise(axis) {
  if (!showsPromise(axis)) return [];
  const line = el('span', { class: 'line promise', title: `${PROMISE_MS} ms` });
  line.style.left = `${share(PROMISE_MS, axis)}%`;
  return [line];
}

function place(part, [from, to], axis) {
  const [left, right] = [share(from, axis), share(to, axis)];
  part.style.left = `${left}%`;
  part.style.width = `${right - left}%`;
}

/** Where an instant lies, in percent of the axis and never beyond it. */
function share(at, { fromMs, toMs }) {
  return Math.max(0, Math.min(100, ((at - fromMs) / (toMs - fromMs)) * 100));
}

function stageOf(name) {
  return name.replace(/[^a-z_]/g, '');
}
