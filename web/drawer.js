/** The developer's drawer: figures of this call, its turns, and tuning while it runs. */
import { byId, el } from './dom.js';
import { LogView } from './log_view.js';
import { Figures } from './percentiles.js';
import { TUNABLES, confirmedBy } from './tuning.js';
import { STAGE_LABELS, ms, waterfall } from './waterfall_view.js';

const TURNS_SHOWN = 8;
const SECTIONS = Object.freeze({ turns: 'When a turn ends', budget: 'Budget of a turn' });
const TUNE_AFTER_MS = 150;
/** A slider being dragged sends its value when it rests so long. */

export class Drawer {
  /** @param {{tune: (values: Map<string, number>) => void, toggled: (open: boolean) => void}} on */
  constructor(on) {
    this._on = on;
    this._element = byId('drawer');
    this._toggle = byId('drawer-toggle');
    this._toggle.addEventListener('click', () => this.setOpen(this._element.hidden));
    byId('drawer-close').addEventListener('click', () => {
      this.setOpen(false);
      this._toggle.focus();
    });
    this._covers = matchMedia('(max-width: 55.99rem)'); // as in drawer.css
    this._covers.addEventListener('change', () => this._guardFocus());
    this.log = new LogView();
    this._figures = new Figures();
    this._turns = 0;
    /** @type {Map<string, number>} what the user has set, by name */
    this.tuned = new Map();
    this._drawTuning();
    this._drawPercentiles();
  }

  /** @param {boolean} open */
  setOpen(open) {
    this._element.hidden = !open;
    this._toggle.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('with-drawer', open);
    this.log.setOpen(open);
    this._guardFocus();
    this._on.toggled(open);
  }

  /** As the user left it, unless it would cover the page. @param {boolean} open */
  restore(open) {
    if (open && !this._covers.matches) this.setOpen(true);
  }

  /** Where the drawer covers the page, the page cannot be reached by Tab either. */
  _guardFocus() {
    const covered = !this._element.hidden && this._covers.matches;
    for (const id of ['bar', 'page']) byId(id).inert = covered;
    if (covered) byId('drawer-close').focus();
  }

  /** A new call: its own figures. */
  reset() {
    this._figures = new Figures();
    this._turns = 0;
    byId('waterfalls').replaceChildren(
      el('p', { class: 'empty' }, 'The turns of this call appear here.'),
    );
    this._drawPercentiles();
    this._drawSpeculation();
    this.showStats({ rttMs: null, playoutMs: null }, '');
  }

  /** @param {any} turn the `turn` of a `voicepipe.turn` event */
  addTurn(turn) {
    this._turns += 1;
    this._figures.add(turn);
    const box = byId('waterfalls');
    if (this._turns === 1) box.replaceChildren();
    box.prepend(waterfall(turn, this._turns));
    while (box.childElementCount > TURNS_SHOWN) box.lastElementChild.remove();
    this._drawPercentiles();
    this._drawSpeculation();
  }

  /**
   * @param {{rttMs: number|null, playoutMs: number|null}} stats
   * @param {string} kind of transport
   */
  showStats({ rttMs, playoutMs }, kind) {
    const unknown = kind === 'websocket' ? 'WebRTC only' : '–';
    const rtt = byId('rtt');
    rtt.textContent = rttMs === null ? unknown : `${ms(rttMs)} ms`;
    if (rttMs === null) delete rtt.dataset.ms;
    else rtt.dataset.ms = rttMs.toFixed(1);
    byId('playout').textContent = playoutMs === null ? unknown : `${ms(playoutMs)} ms`;
  }

  /** @param {any} session as the server confirms it */
  showConfirmed(session) {
    for (const [name, value] of confirmedBy(session)) {
      const slider = byId(`tune-${name}`);
      slider.dataset.confirmed = value;
      if (!this._moving?.has(name)) slider.value = value;
      this._label(name);
    }
  }

  /** @param {string} message */
  showTuneRefused(message) {
    byId('tuning-note').textContent = `refused: ${message}`;
  }

  _drawSpeculation() {
    const { hits, misses, discards } = this._figures;
    const box = byId('preemption');
    Object.assign(box.dataset, { hits, misses, discards });
    box.textContent = `${hits} used · ${misses} missed · ${discards} discarded`;
  }

  _drawPercentiles() {
    const rows = this._figures.rows();
    const cell = (value) => el('td', { class: 'number' }, value);
    const body = rows.map(({ name, p50, p95, p99, budgetMs, over }) =>
      el(
        'tr',
        { 'data-name': name, class: over ? 'over' : null },
        el('th', { scope: 'row' }, STAGE_LABELS[name]),
        ...[p50, p95, p99].map((value) => cell(ms(value))),
        cell(budgetMs === null ? '–' : ms(budgetMs)),
        cell(String(over)),
      ),
    );
    const empty = el('tr', {}, el('td', { colspan: 6, class: 'empty' }, 'No spoken turn yet.'));
    const names = ['Stage', 'p50', 'p95', 'p99', 'Budget', 'Over'];
    const head = el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)));
    const table = el(
      'table',
      { 'data-testid': 'percentiles' },
      el('thead', {}, head),
      el('tbody', {}, ...(rows.length ? body : [empty])),
    );
    byId('percentiles-box').replaceChildren(table);
  }

  _drawTuning() {
    for (const [section, title] of Object.entries(SECTIONS)) {
      const sliders = TUNABLES.filter((tunable) => tunable.section === section);
      const legend = el('legend', {}, title);
      byId('tuning').append(el('fieldset', {}, legend, ...sliders.map((one) => this._slider(one))));
    }
  }

  _slider({ name, label, help, max, step }) {
    const id = `tune-${name}`;
    const slider = el('input', {
      id,
      type: 'range',
      min: 0,
      max,
      step,
      'aria-describedby': help ? `${id}-help` : null,
      'data-testid': `slider-${name}`,
    });
    const value = el(
      'output',
      { for: id, id: `${id}-value`, 'data-testid': `confirmed-${name}` },
      '–',
    );
    slider.addEventListener('input', () => {
      this._label(name);
      this._move(name, Number(slider.value));
    });
    const words = [el('label', { for: id }, label)];
    if (help) words.push(el('span', { class: 'help', id: `${id}-help` }, help));
    return el('div', { class: 'slider' }, el('div', {}, ...words), slider, value);
  }

  /** The value in the middle of a drag, with what the server has. */
  _label(name) {
    const slider = byId(`tune-${name}`);
    const { confirmed } = slider.dataset;
    const same = confirmed !== undefined && Number(confirmed) === Number(slider.value);
    const value = byId(`tune-${name}-value`);
    value.classList.toggle('unconfirmed', !same);
    if (same) value.textContent = `${confirmed} ms`;
    else value.textContent = `${slider.value} ms …`;
  }

  _move(name, value) {
    this._moving ??= new Map();
    this._moving.set(name, value);
    clearTimeout(this._rest);
    this._rest = setTimeout(() => {
      for (const [moved, to] of this._moving) this.tuned.set(moved, to);
      byId('tuning-note').textContent = 'applies to the running call';
      this._on.tune(this._moving);
      this._moving = undefined;
    }, TUNE_AFTER_MS);
  }
}
