/** Draws a turn: one row per stage with its bar, what was waited for, and the budget. */
import { el, svg } from './dom.js';
import { PROMISE_MS } from './percentiles.js';
import { layout } from './waterfall.js';

/** @type {Readonly<Record<string, string>>} */
export const STAGE_LABELS = Object.freeze({
  voice_to_voice: 'Voice to voice',
  endpoint: 'Endpoint',
  asr: 'Recognition',
  llm: 'First token',
  clause: 'First clause',
  tts: 'Speech',
  output: 'Output',
});

const WIDTH = 1000; // of the drawing's own units; it stretches to what room there is
const HEIGHT = 20;

/**
 * @param {any} turn the `turn` of a `voicepipe.turn` event
 * @param {number} number of the turn in this call
 * @returns {HTMLElement}
 */
export function waterfall(turn, number) {
  const { turnId, totalMs, note, bars, ...axis } = layout(turn);
  const attributes = {
    class: 'waterfall',
    'data-testid': 'waterfall',
    'data-turn-id': turnId,
    'data-total-ms': totalMs,
  };
  const title = el('b', {}, `Turn ${number}`);
  if (totalMs === null) {
    return el('figure', attributes, el('figcaption', {}, title, ` no figures: ${note}`));
  }
  const late = totalMs > PROMISE_MS;
  const total = el('span', { class: late ? 'total late' : 'total' }, `${ms(totalMs)} ms`);
  const caption = el('figcaption', {}, title, total, el('span', { class: 'aside' }, note));
  const head = el(
    'tr',
    {},
    column('Stage'),
    column(scale(axis)),
    column('Waited'),
    column('Budget'),
  );
  const rows = bars.map((bar) => row(bar, axis));
  return el(
    'figure',
    attributes,
    caption,
    el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows)),
  );
}

function column(content) {
  return el('th', { scope: 'col' }, content);
}

/** The ends of the axis; 0 is the end of the user's speech. */
function scale({ fromMs, toMs }) {
  const text = [el('span', {}, ms(fromMs)), el('span', {}, `${ms(toMs)} ms`)];
  return el('span', { class: 'axis' }, ...text);
}

function row(bar, axis) {
  const { name, critical, workMs, budgetMs, over } = bar;
  const waitedMs = critical[1] - critical[0];
  const attributes = {
    'data-testid': 'segment',
    'data-name': name,
    'data-critical-ms': waitedMs.toFixed(3),
    'data-work-ms': workMs.toFixed(3),
    'data-budget-ms': Number.isNaN(budgetMs) ? null : budgetMs,
    class: over ? 'over' : null,
  };
  const waited = over ? `${ms(waitedMs)} ▲` : ms(waitedMs);
  return el(
    'tr',
    attributes,
    el('th', { scope: 'row' }, STAGE_LABELS[name]),
    el('td', { class: 'bar-cell' }, drawing(bar, axis)),
    el('td', { class: 'number', title: over ? 'over budget' : null }, waited),
    el('td', { class: 'number' }, Number.isNaN(budgetMs) ? '–' : ms(budgetMs)),
  );
}

function drawing({ name, critical, work, workMs, budgetMs, over }, { fromMs, toMs, endpointMs }) {
  const x = (atMs) => ((atMs - fromMs) / (toMs - fromMs)) * WIDTH;
  const bar = (kind, [begin, end], top, height) =>
    svg('rect', {
      class: kind,
      x: x(begin),
      y: top,
      width: Math.max(0.01, x(end) - x(begin)),
      height,
    });
  const budgetEnd = critical[0] + budgetMs;
  const shapes = [];
  if (budgetMs > 0) shapes.push(bar('budget', [critical[0], budgetEnd], 3, 14));
  shapes.push(bar('worked', work, 7, 6));
  shapes.push(bar(over ? 'waited over' : 'waited', critical, 3, 14));
  if (over) shapes.push(bar('waited', [critical[0], Math.min(budgetEnd, critical[1])], 3, 14));
  if (endpointMs !== null) {
    const at = x(endpointMs);
    shapes.push(svg('line', { class: 'endpoint', x1: at, x2: at, y1: 0, y2: HEIGHT }));
  }
  const label = `${STAGE_LABELS[name]} worked ${ms(workMs)} ms from ${ms(work[0])} ms on`;
  const view = {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
  };
  return svg('svg', view, svg('title', {}, label), ...shapes);
}

/** @param {number} value */
export function ms(value) {
  if (Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  return Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0);
}
