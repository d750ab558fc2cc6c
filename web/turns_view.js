/** The view of all turns that the server and this tab remember: points, figures, list, one in lanes. */
import { byId, el, save } from './dom.js';
import { DetailView } from './detail_view.js';
import { showDrift } from './drift.js';
import { chromeTrace, jsonl } from './exports.js';
import { keyForm } from './key_form.js';
import { PROMISE_MS, labelOf, ms } from './ledger.js';
import { rowsOf } from './percentiles.js';
import { ReplayView } from './replay_view.js';
import { ScatterView } from './scatter_view.js';
import { authorization } from './server.js';
import { EXAMPLES, filtered, parse, withRange } from './turn_filter.js';
import { axisOf, layout } from './waterfall.js';
import { stacked, ticks } from './waterfall_view.js';

const LIMIT = Object.freeze({ first: 300, again: 20, all: 1000 });
/** The server has other things to do while calls run: only new turns are asked for again. */
const LISTED = 200;
const DEADLINE_MS = 8000;
const AGAIN_MS = 5000;

/** @typedef {import('./turns_panel.js').Entry} Entry */

export class TurnsView {
  /**
   * @param {object} on
   * @param {() => Entry[]} on.own turns of this tab, with words and letters
   * @param {() => string} on.key
   * @param {(key: string) => void} on.enter another one
   * @param {(shown: Partial<import('./address.js').Shown>) => void} on.changed
   * @param {(values: Map<string, number|string>) => void} on.tryOut
   */
  constructor(on) {
    this._on = on;
    /** @type {Entry[]} */
    this._entries = [];
    /** @type {Map<string, any>} what the server has told, oldest first */
    this._records = new Map();
    this._shown = { q: '', turn: '', with: '' };
    this._filter = byId('turns-filter');
    this._scatter = new ScatterView(byId('scatter'), {
      brushed: (ranges) => this._brush(ranges),
      chosen: (id) => this._choose({ turn: id }),
    });
    this._replay = new ReplayView(byId('replay'), {
      key: on.key,
      turns: () => ({ seen: this._seen(), turn: this._looked() }),
      changed: on.changed,
      tryOut: on.tryOut,
    });
    this._detail = new DetailView(byId('detail'), () => this._replay.focusOn());
    byId('filter-examples').append(...EXAMPLES.map((value) => el('option', { value })));
    byId('turns-filter-form').addEventListener('submit', (event) => event.preventDefault());
    this._filter.addEventListener('input', () => this._choose({ q: this._filter.value }));
    byId('turns-reload').addEventListener('click', () => this._load(LIMIT.all));
    byId('turns-save').addEventListener('click', () =>
      save('turns.jsonl', 'application/jsonl', jsonl(this._seen())),
    );
    byId('turns-trace').addEventListener('click', () =>
      save('turns.trace.json', 'application/json', JSON.stringify(chromeTrace(this._seen()))),
    );
    document.addEventListener('keydown', (event) => this._onKey(event));
  }

  /** @param {boolean} visible @param {import('./address.js').Shown} shown by the address */
  setVisible(visible, shown) {
    this._visible = visible;
    clearInterval(this._timer);
    if (!visible) return;
    this._shown = { q: shown.q, turn: shown.turn, with: shown.with };
    if (this._filter.value !== shown.q) this._filter.value = shown.q;
    this._replay.show(shown);
    this._load(LIMIT.first);
    showDrift(byId('drift'), this._on.key());
    this._timer = setInterval(() => this._again(), AGAIN_MS);
  }

  /** What is new; after a time in which nothing was told there may be much of it. */
  _again() {
    if (document.hidden) this._behind = true;
    else if (!this._refused) this._load(this._behind ? LIMIT.first : LIMIT.again);
  }

  /** What the server remembers, and what this tab knows besides. */
  async _load(limit) {
    const { records, refused } = await fetchTurns(this._on.key(), limit);
    this._behind = records === null;
    if (refused !== this._refused) this._askForKey(refused);
    this._records = remembered(this._records, records ?? [], LIMIT.all);
    const own = this._on.own();
    const known = new Map(own.map((entry) => [entry.turn.turn_id, entry]));
    const told = [...this._records.values()].map((turn) => ({
      turn: withOwn(turn, known.get(turn.turn_id)),
      letter: known.get(turn.turn_id)?.letter ?? '',
      words: known.get(turn.turn_id)?.words ?? '',
      number: 0,
      at: known.get(turn.turn_id)?.at ?? 0,
      sound: known.get(turn.turn_id)?.sound ?? null,
    }));
    const ids = new Set(told.map(({ turn }) => turn.turn_id));
    const older = own.filter(({ turn }) => !ids.has(turn.turn_id) && !turn.provisional);
    this._entries = [...older, ...told].map((entry, i) => ({ ...entry, number: i + 1 }));
    this._problem = records === null ? 'The server told nothing: these are the turns of this tab. ' : '';
    if (this._visible) this._draw();
  }

  /** @param {boolean} refused the server did not tell without its key */
  _askForKey(refused) {
    this._refused = refused;
    const form = refused
      ? [keyForm(this._on.key(), (key) => {
          this._on.enter(key);
          this._refused = undefined; // the same may be wrong again
          this._load(LIMIT.first);
          showDrift(byId('drift'), this._on.key());
        })]
      : [];
    byId('turns-key').replaceChildren(...form);
  }

  /** The one in lanes: the chosen one, else the newest. @returns {Entry|null} */
  _looked() {
    return this._find(this._shown.turn) ?? this._seen().at(-1) ?? null;
  }

  _find(id) {
    return this._entries.find(({ turn }) => turn.turn_id === id) ?? null;
  }

  _seen() {
    return filtered(this._entries, this._shown.q);
  }

  /** @param {{q?: string, turn?: string, with?: string}} what */
  _choose(what) {
    this._shown = { ...this._shown, ...what };
    if (this._filter.value !== this._shown.q) this._filter.value = this._shown.q;
    this._on.changed(this._shown);
    this._draw();
  }

  _brush(ranges) {
    let { q } = this._shown;
    for (const name of ['nr', 'heard']) q = withRange(q, name, ranges?.[name] ?? null);
    this._choose({ q });
  }

  _draw() {
    const seen = this._seen();
    const ids = new Set(seen.map(({ turn }) => turn.turn_id));
    this._say(seen.length);
    const none = this._entries.length === 0;
    for (const part of document.querySelectorAll('.turns-upper, .turns-lower, .turns-view .keys'))
      part.hidden = none;
    byId('turns-empty').hidden = !none || Boolean(this._refused);
    this._scatter.show(this._entries, ids, this._shown.turn);
    this._drawLegend();
    const rest = this._entries.filter(({ turn }) => !ids.has(turn.turn_id));
    byId('compare').replaceChildren(comparison(seen, rest));
    this._drawList(seen);
    this._detail.show(this._looked(), this._find(this._shown.with));
    this._replay.refresh();
  }

  _say(count) {
    const { unknown } = parse(this._shown.q);
    const odd = unknown.length ? ` Not understood: ${unknown.join(', ')}.` : '';
    const text = `${this._problem}${count} of ${this._entries.length} turns.${odd}`;
    if (byId('turns-said').textContent !== text) byId('turns-said').textContent = text;
  }

  _drawLegend() {
    const stages = ['endpoint', 'asr', 'llm', 'tool', 'clause', 'tts', 'output', 'network'];
    const keys = stages.map((name) => el('span', { class: `key stage-${name}` }, labelOf(name)));
    const words = 'Colour: the longest stage. Filled: the prepared reply was used; ×: it was for other words; hollow: none. Draw a rectangle to select, double-click for all.';
    byId('scatter-legend').replaceChildren(...keys, el('span', {}, words));
  }

  _drawList(seen) {
    const listed = seen.slice(-LISTED).reverse();
    const plans = listed.map(({ turn }) => layout(turn));
    const axis = axisOf(plans);
    byId('list-axis').replaceChildren(...(listed.length ? ticks(axis) : []));
    const chosen = this._shown.turn || listed[0]?.turn.turn_id;
    const rows = listed.map((entry, i) => this._row(entry, plans[i], axis, chosen));
    const focused = byId('turns-list').contains(document.activeElement);
    byId('turns-list').replaceChildren(...rows);
    if (focused) byId('turns-list').querySelector('[aria-current]')?.focus();
  }

  _row({ turn, number, letter, words }, plan, axis, chosen) {
    const own = turn.turn_id === chosen;
    const figure = plan.heardMs === null ? '–' : ms(plan.heardMs);
    const late = plan.heardMs > PROMISE_MS;
    const line = el(
      'button',
      { type: 'button', class: 'turn-line', 'aria-current': own ? 'true' : null, title: words || null },
      el('span', { class: 'turn-number' }, String(number)),
      el('span', { class: letter ? 'letter' : '' }, letter),
      plan.heardMs === null ? el('span', { class: 'track none' }, plan.note) : stacked(plan, axis),
      el('b', { class: late ? 'figure late' : 'figure' }, late ? `${figure} ▲` : figure),
    );
    line.addEventListener('click', ({ shiftKey }) =>
      this._choose(shiftKey ? { with: turn.turn_id } : { turn: turn.turn_id }),
    );
    return el('li', { class: own ? 'turn open' : 'turn', 'data-turn-id': turn.turn_id }, line);
  }

  /** Keys of this view, where nobody types. */
  _onKey(event) {
    if (!this._visible || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, select, textarea')) return;
    const key = event.key.toLowerCase();
    const steps = { j: -1, k: 1 };
    if (key === '/') this._filter.focus();
    else if (key in steps) this._step(steps[key]);
    else if (key === 'x') this._layOver();
    else if (key === 'r') this._replay.focusOn();
    else if (!this._detail.onKey(key)) return;
    event.preventDefault();
  }

  /** To the next one in the list, which begins with the newest. */
  _step(by) {
    const seen = this._seen();
    const at = seen.findIndex(({ turn }) => turn.turn_id === this._shown.turn);
    const next = seen[at < 0 ? seen.length - 1 : Math.max(0, Math.min(seen.length - 1, at + by))];
    if (next) this._choose({ turn: next.turn.turn_id });
    byId('turns-list').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  /** The turn before lies over this one, or no longer does. */
  _layOver() {
    const seen = this._seen();
    const at = seen.findIndex(({ turn }) => turn.turn_id === this._shown.turn);
    const before = seen[(at < 0 ? seen.length - 1 : at) - 1];
    this._choose({ with: this._shown.with ? '' : (before?.turn.turn_id ?? '') });
  }
}

/**
 * What is known with what was told now, oldest first.
 * @param {Map<string, any>} known records by the turn's id @param {any[]} records the server's newest
 * @param {number} most @returns {Map<string, any>}
 */
export function remembered(known, records, most) {
  const told = new Map(records.map((record) => [record.turn_id, record]));
  const older = [...known].filter(([id]) => !told.has(id));
  return new Map([...older, ...told].slice(-most));
}

/** The server's record with what only this page knows. @param {any} record @param {Entry|undefined} own @returns {any} */
export function withOwn(record, own) {
  const { network_ms: told = {} } = record;
  const mine = own?.turn.network_by === 'page' && Object.keys(told).length === 0;
  const network = mine ? { network_ms: own.turn.network_ms } : { network_by: 'server' };
  return { ...own?.turn, ...record, ...network };
}

/**
 * @param {string} key @param {number} limit
 * @returns {Promise<{records: any[]|null, refused: boolean}>} null: the server does not tell
 */
async function fetchTurns(key, limit) {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const headers = authorization(key);
    const response = await fetch(`/v1/turns?limit=${limit}`, { headers, signal, cache: 'no-store' });
    if (!response.ok) return { records: null, refused: response.status === 401 };
    const lines = (await response.text()).split('\n').filter(Boolean);
    return { records: lines.map((line) => JSON.parse(line)), refused: false };
  } catch {
    return { records: null, refused: false };
  }
}

/** What is different about those that are seen. */
function comparison(seen, rest) {
  const here = rowsOf(seen.map(({ turn }) => turn));
  const there = rowsOf(rest.map(({ turn }) => turn));
  if (here.length === 0) return el('p', { class: 'empty' }, 'No spoken turn with figures.');
  const rows = here.map(({ name, n, p50, p95, over, budgetMs }) => {
    const other = there.find((row) => row.name === name);
    const difference = other ? p50 - other.p50 : NaN;
    const cell = (text) => el('td', { class: 'number' }, text);
    return el(
      'tr',
      { 'data-name': name },
      el('th', { scope: 'row' }, labelOf(name)),
      cell(String(n)),
      cell(ms(p50)),
      cell(Number.isNaN(p95) ? '·' : ms(p95)),
      cell(budgetMs === null ? '–' : `${over}/${n}`),
      ...(there.length ? beside(other, difference).map(cell) : []),
    );
  });
  const further = there.length ? ['Rest n', 'Rest p50', 'Differs'] : [];
  const heads = ['Stage', 'n', 'p50', 'p95', 'Over', ...further];
  const head = el('tr', {}, ...heads.map((name) => el('th', { scope: 'col' }, name)));
  return el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows));
}

/** The same stage of the other turns. @param {import('./percentiles.js').Row|undefined} other @param {number} difference ms */
function beside(other, difference) {
  if (!other) return ['–', '–', '–'];
  return [String(other.n), ms(other.p50), `${difference > 0 ? '+' : ''}${ms(difference)}`];
}
