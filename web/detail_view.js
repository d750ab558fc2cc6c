/** One turn in lanes on an axis that can be zoomed, with its critical path; another may lie over it. */
import { button, el, svg } from './dom.js';
import { heardMs, labelOf, ms, segmentsOf } from './ledger.js';
import { lanesOf, sumOf } from './lanes.js';
import { FROM_MS, STEP_MS } from './turn_sound.js';
import { ticksOf } from './waterfall.js';

const ZOOM = 1.4;
const STEP = 0.15;
const LEAST_SPAN_MS = 5;
const MOST_SPAN_MS = 120_000;

export class DetailView {
  /** @param {HTMLElement} box @param {() => void} replay what is looked at, under other settings */
  constructor(box, replay) {
    this._box = box;
    this._replay = replay;
    this._entry = null;
    this._other = null;
    this._axis = null;
    box.addEventListener('wheel', (event) => this._onWheel(event), { passive: false });
  }

  /**
   * @param {import('./turns_panel.js').Entry|null} entry
   * @param {import('./turns_panel.js').Entry|null} other laid over it
   */
  show(entry, other = null) {
    const told = JSON.stringify([entry, other]);
    if (told === this._told && this._axis) return; // somebody may be reading it
    this._told = told;
    if (entry?.turn.turn_id !== this._entry?.turn.turn_id || !this._axis) {
      const { fromMs, toMs } = entry ? lanesOf(entry.turn) : { fromMs: 0, toMs: 400 };
      this._axis = { fromMs, toMs };
    }
    this._entry = entry;
    this._other = other;
    this._draw();
  }

  /** Closer, or further away, around the middle or a point. @param {number} factor @param {number} at 0 to 1 */
  zoom(factor, at = 0.5) {
    const { fromMs, toMs } = this._axis;
    const middle = fromMs + at * (toMs - fromMs);
    const span = Math.max(LEAST_SPAN_MS, Math.min(MOST_SPAN_MS, (toMs - fromMs) * factor));
    this._axis = { fromMs: middle - at * span, toMs: middle + (1 - at) * span };
    this._draw();
  }

  /** @param {number} share of what is seen */
  move(share) {
    const by = share * (this._axis.toMs - this._axis.fromMs);
    this._axis = { fromMs: this._axis.fromMs + by, toMs: this._axis.toMs + by };
    this._draw();
  }

  /** @param {string} key @returns {boolean} whether it was ours */
  onKey(key) {
    if (!this._entry) return false;
    const act = {
      w: () => this.zoom(1 / ZOOM),
      s: () => this.zoom(ZOOM),
      a: () => this.move(-STEP),
      d: () => this.move(STEP),
    }[key];
    act?.();
    return Boolean(act);
  }

  _onWheel(event) {
    if (!this._entry || !event.ctrlKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    const { left, width } = this._box.getBoundingClientRect();
    this.zoom(event.deltaY > 0 ? ZOOM : 1 / ZOOM, (event.clientX - left) / width);
  }

  _draw() {
    if (!this._entry) {
      this._box.replaceChildren(el('p', { class: 'empty' }, 'Choose a turn.'));
      return;
    }
    const { turn, number, words } = this._entry;
    const title = el('h2', {}, `Turn ${number}`, words ? ` “${words}”` : '');
    const parts = [title, this._buttons(), this._lanes(this._entry)];
    parts.push(el('p', { class: 'sum', 'data-testid': 'path-sum' }, sumOf(turn)));
    if (this._other) parts.push(...this._overlay(turn));
    parts.push(record(turn));
    const { activeElement: active } = document;
    const pressed = this._box.contains(active) ? active.getAttribute('aria-label') : null;
    this._box.replaceChildren(...parts);
    const same = [...this._box.querySelectorAll('button')].find((one) => one.getAttribute('aria-label') === pressed);
    if (pressed) same?.focus();
  }

  _buttons() {
    const zoom = (text, label, act) => button(text, act, { 'aria-label': label });
    return el(
      'div',
      { class: 'zoom' },
      zoom('+', 'Zoom in', () => this.zoom(1 / ZOOM)),
      zoom('−', 'Zoom out', () => this.zoom(ZOOM)),
      zoom('←', 'Earlier', () => this.move(-STEP)),
      zoom('→', 'Later', () => this.move(STEP)),
      zoom('Fit', 'Fit all of the wait', () => {
        this._axis = null;
        this.show(this._entry, this._other);
      }),
      button('Replay under …', this._replay, { 'data-testid': 'replay-this' }),
    );
  }

  _lanes({ turn, sound }) {
    const found = lanesOf(turn, sound);
    const axis = this._axis;
    const rows = found.lanes.map((lane) => laneRow(lane, axis));
    const marks = found.marks
      .filter(({ atMs }) => atMs >= axis.fromMs && atMs <= axis.toMs)
      .map((mark) => placed(el('span', { class: 'lane-mark' }, el('i', {}, mark.text)), mark.atMs, axis));
    const ticks = ticksOf(axis).map((at) =>
      placed(el('span', { class: 'tick' }, String(at)), at, axis),
    );
    return el(
      'div',
      { class: 'lanes', 'data-testid': 'lanes' },
      el('div', { class: 'lane-head', 'aria-hidden': 'true' }, el('div', { class: 'lane-axis' }, ...ticks)),
      ...rows,
      el('div', { class: 'lane-over', 'aria-hidden': 'true' }, ...marks, path(found, axis)),
    );
  }

  /** The same stretches of both, and what differs. */
  _overlay(turn) {
    const other = this._other.turn;
    const names = [...new Set([...segmentsOf(turn), ...segmentsOf(other)].map(({ name }) => name))];
    const of = (one, name) => segmentsOf(one).find((segment) => segment.name === name)?.ms ?? 0;
    const rows = [
      ...names.map((name) => [labelOf(name), of(turn, name), of(other, name)]),
      [labelOf('heard'), heardMs(turn) ?? NaN, heardMs(other) ?? NaN],
    ].map(([label, here, there]) =>
      el(
        'tr',
        {},
        el('th', { scope: 'row' }, label),
        ...[here, there].map((value) => el('td', { class: 'number' }, ms(value))),
        el('td', { class: 'number' }, signed(here - there)),
      ),
    );
    const heads = ['Stage', `Turn ${this._entry.number}`, `Turn ${this._other.number}`, 'Difference'];
    const head = el('tr', {}, ...heads.map((name) => el('th', { scope: 'col' }, name)));
    return [
      el('h3', {}, `Turn ${this._other.number}, on the same axis`),
      this._lanes(this._other),
      el(
        'table',
        { 'data-testid': 'overlay' },
        el('thead', {}, head),
        el('tbody', {}, ...rows),
      ),
    ];
  }
}

function laneRow({ name, label, spans, ticks, levels }, axis) {
  const bars = spans
    .filter(({ fromMs, toMs }) => toMs >= axis.fromMs && fromMs <= axis.toMs)
    .map(({ fromMs, toMs, text, kind }) => {
      const bar = el('span', { class: `lane-span ${kind}`, title: `${text}, from ${ms(fromMs)} ms on` });
      const left = share(fromMs, axis);
      bar.style.left = `${left}%`;
      bar.style.width = `${share(toMs, axis) - left}%`;
      return bar;
    });
  const seen = ticks.filter(({ atMs }) => atMs >= axis.fromMs && atMs <= axis.toMs);
  const marks = seen.map(({ atMs, text }) =>
    placed(el('span', { class: 'lane-tick', title: `${ms(atMs)} ms: ${text}` }), atMs, axis),
  );
  const words = spans.map(({ text, fromMs }) => `${text} from ${ms(fromMs)} ms`).join('; ');
  return el(
    'div',
    { class: 'lane' },
    el('span', { class: 'lane-label' }, label),
    el(
      'span',
      { class: levels ? 'lane-track heard' : 'lane-track', role: 'img', 'aria-label': words || 'nothing' },
      ...bars,
      ...(levels ? [wave(levels, axis, name)] : []),
      ...marks,
    ),
  );
}

/** How loud it was, as this page heard it. @param {number[]} levels */
function wave(levels, axis, who) {
  const lines = levels.map((level, i) => (level ? `M${i + 0.5} ${1 - level}V${1 + level}` : '')).join('');
  const drawn = svg('svg', { class: `lane-wave of-${who}`, viewBox: `0 0 ${levels.length} 2`, preserveAspectRatio: 'none' }, svg('path', { d: lines }));
  const left = exact(FROM_MS, axis);
  drawn.style.left = `${left}%`;
  drawn.style.width = `${exact(FROM_MS + levels.length * STEP_MS, axis) - left}%`;
  return drawn;
}

/** The critical path: along each lane that is waited for, down to the next. */
function path({ path: steps, lanes }, axis) {
  const rows = lanes.length;
  const at = (step) => ((step.lane + 0.5) / rows) * 100;
  const points = steps.flatMap((step) => [
    `${exact(step.fromMs, axis)},${at(step)}`,
    `${exact(step.toMs, axis)},${at(step)}`,
  ]);
  const line = svg('polyline', { class: 'critical-path', points: points.join(' ') });
  return svg('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none' }, line);
}

function placed(element, atMs, axis) {
  element.style.left = `${exact(atMs, axis)}%`;
  return element;
}

function exact(atMs, { fromMs, toMs }) {
  return ((atMs - fromMs) / (toMs - fromMs)) * 100;
}

function share(atMs, axis) {
  return Math.max(0, Math.min(100, exact(atMs, axis)));
}

function signed(value) {
  return Number.isNaN(value) ? '–' : `${value > 0 ? '+' : ''}${ms(value)}`;
}

function record(turn) {
  const details = el('details', {}, el('summary', {}, 'The record'));
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1)
      details.append(el('pre', { tabindex: 0, class: 'taken' }, JSON.stringify(turn, null, 2)));
  });
  return details;
}
