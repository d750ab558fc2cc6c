/** Figures of the calls of this tab: the line, percentiles by stage, prepared replies. */
import { byId, el } from './dom.js';
import { labelOf, ms } from './ledger.js';
import { Figures, NEEDED } from './percentiles.js';

export class FiguresPanel {
  constructor() {
    this._figures = new Figures();
    this._draw();
  }

  /** @param {any} turn a final record */
  add(turn) {
    this._figures.add(turn);
    this._draw();
  }

  forget() {
    this._figures = new Figures();
    this._draw();
  }

  /**
   * @param {import('./types.js').Stats} stats
   * @param {string} kind of transport
   */
  showStats({ rttMs, playoutMs, gaps }, kind) {
    const unknown = kind === 'websocket' ? 'not measured yet' : '–';
    const about = kind === 'websocket' ? ' by this page' : '';
    const rtt = byId('rtt');
    rtt.textContent = rttMs === null ? unknown : `${ms(rttMs)} ms${about}`;
    if (rttMs === null) delete rtt.dataset.ms;
    else rtt.dataset.ms = rttMs.toFixed(1);
    byId('gaps').textContent = gaps === null ? '–' : String(gaps);
    byId('playout').textContent = playoutMs === null ? unknown : `${ms(playoutMs)} ms${about}`;
  }

  _draw() {
    const { hits, misses, discards } = this._figures;
    const box = byId('preemption');
    Object.assign(box.dataset, { hits, misses, discards });
    box.textContent = `${hits} used · ${misses} missed · ${discards} discarded`;
    byId('percentiles-box').replaceChildren(table(this._figures.rows()));
  }
}

/** Percentiles by stage. @param {import('./percentiles.js').Row[]} rows */
export function table(rows) {
  const cell = (value, title = null) => el('td', { class: 'number', title }, value);
  const share = (value, name) =>
    Number.isNaN(value) ? cell('·', `from ${NEEDED[name]} turns on`) : cell(ms(value));
  const body = rows.map(({ name, n, p50, p95, p99, budgetMs, over }) =>
    el(
      'tr',
      { 'data-name': name, 'data-n': n, class: over ? 'over' : null },
      el('th', { scope: 'row' }, labelOf(name)),
      cell(String(n)),
      share(p50, 'p50'),
      share(p95, 'p95'),
      share(p99, 'p99'),
      cell(budgetMs === null ? '–' : ms(budgetMs)),
      cell(budgetMs === null ? '–' : `${over}/${n}`),
    ),
  );
  const empty = el('tr', {}, el('td', { colspan: 7, class: 'empty' }, 'No spoken turn yet.'));
  const names = ['Stage', 'n', 'p50', 'p95', 'p99', 'Budget', 'Over'];
  const head = el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)));
  return el(
    'table',
    { 'data-testid': 'percentiles' },
    el('thead', {}, head),
    el('tbody', {}, ...(rows.length ? body : [empty])),
  );
}
