/** Settings to try on the running call, how they compare, and how to take them away. */
import { byId, el } from './dom.js';
import { ms } from './ledger.js';
import { Runs } from './runs.js';
import { FORMS } from './take_away.js';
import { GROUPS, TUNABLES, acting, changed, confirmedBy, shown, tunable } from './tuning.js';

const TUNE_AFTER_MS = 150;
/** A slider being dragged sends its value when it rests so long. */
const STANDS = 'applies to the running call, and to the next';

export class TryPanel {
  /**
   * @param {object} on
   * @param {(values: Map<string, number|string>) => void} on.tune
   * @param {(values: Map<string, number|string>) => void} on.changed what differs from the server now
   */
  constructor(on) {
    this._on = on;
    /** What the server begins with. @type {Map<string, number|string>} */
    this._standard = new Map();
    /** What it has confirmed. @type {Map<string, number|string>} */
    this._confirmed = new Map();
    /** What the user has set. @type {Map<string, number|string>} */
    this.tuned = new Map();
    this.runs = new Runs();
    this._moving = undefined;
    byId('tuning-reset').addEventListener('click', () => this._set(new Map(this._standard)));
    for (const button of document.querySelectorAll('[data-form]')) {
      button.addEventListener('click', () => this._take(button));
    }
    this._draw();
    this._drawRuns();
  }

  /** In effect, as far as it is known. @returns {Map<string, number|string>} */
  get settings() {
    return new Map([...this._standard, ...this._confirmed, ...this.tuned]);
  }

  /** What the user has changed. @returns {Map<string, number|string>} */
  get changes() {
    return changed(this.tuned, this._standard);
  }

  /** What the server begins a call with. @param {any} server */
  showStandard(server) {
    this._standard = confirmedBy(server);
    this.showConfirmed(server);
    for (const [name, value] of this.tuned) this._show(name, value);
    this._settle();
  }

  /** @param {any} session as the server confirms it */
  showConfirmed(session) {
    for (const [name, value] of confirmedBy(session)) {
      this._confirmed.set(name, value);
      const field = byId(`tune-${name}`);
      field.dataset.confirmed = value;
      byId(`row-${name}`).hidden = false;
      if (!this._moving?.has(name)) field.value = value;
      this._label(name);
    }
  }

  /** @param {string} message */
  refused(message) {
    byId('tuning-note').textContent = `refused: ${message}`;
  }

  /** Values from elsewhere: the address, a lever. @param {Map<string, number|string>} values */
  put(values) {
    for (const [name, value] of values) this._show(name, value);
    this._set(values);
  }

  /** A turn was heard. @param {number|null} heard @param {string} letter of its run */
  heard(heard, letter) {
    this.runs.heard(heard, letter);
    this._drawRuns();
  }

  _set(values) {
    for (const [name, value] of values) {
      this._show(name, value);
      this.tuned.set(name, value);
    }
    this._on.tune(values);
    this._settle();
  }

  /** What follows from other values. */
  _settle() {
    const { changes } = this;
    this.tuned = new Map(changes);
    byId('tuning-reset').disabled = changes.size === 0;
    byId('tuning-note').textContent = STANDS;
    byId('taken').hidden = true;
    this.runs.change(acting(changes));
    this._drawRuns();
    this._on.changed(changes);
  }

  _draw() {
    for (const [group, title] of Object.entries(GROUPS)) {
      const own = TUNABLES.filter((one) => one.group === group);
      const fields = own.map((one) => this._row(one));
      const head = el(group === 'targets' ? 'summary' : 'legend', {}, title);
      const box = el(group === 'targets' ? 'details' : 'fieldset', { class: 'group' }, head);
      if (group === 'targets')
        box.append(el('p', { class: 'aside' }, 'They act on nothing: a stage beyond its own is marked.'));
      box.append(...fields);
      byId('tuning').append(box);
    }
  }

  _row(one) {
    const { name, label, help } = one;
    const id = `tune-${name}`;
    const field = one.choices ? select(id, one) : slider(id, one);
    field.addEventListener('input', () => this._move(name, valueOf(field)));
    const value = el('output', { for: id, id: `${id}-value`, 'data-testid': `confirmed-${name}` }, '–');
    const reset = el(
      'button',
      { type: 'button', class: 'reset', id: `${id}-reset`, 'aria-label': `Reset ${label}`, hidden: true },
      '↺',
    );
    reset.addEventListener('click', () => this._set(new Map([[name, this._standard.get(name)]])));
    const words = [el('label', { for: id }, label)];
    if (help) words.push(el('span', { class: 'help', id: `${id}-help` }, help));
    const row = el('div', { class: 'slider', id: `row-${name}`, hidden: true });
    row.append(el('div', { class: 'slider-words' }, ...words), value, reset, field);
    return row;
  }

  _show(name, value) {
    byId(`tune-${name}`).value = value;
    this._label(name);
  }

  /** The value in the middle of a drag, with what the server has. */
  _label(name) {
    const field = byId(`tune-${name}`);
    const value = valueOf(field);
    const same = this._confirmed.get(name) === value;
    const words = byId(`tune-${name}-value`);
    const standard = this._standard.get(name);
    const differs = standard !== undefined && value !== standard;
    words.classList.toggle('unconfirmed', !same);
    words.textContent = shown(tunable(name), value);
    words.title = same ? 'in effect' : 'for the next call; not in effect yet';
    byId(`row-${name}`).classList.toggle('differs', differs);
    byId(`tune-${name}-reset`).hidden = !differs;
    byId(`tune-${name}-reset`).title = differs ? `the server has ${shown(tunable(name), standard)}` : '';
  }

  _move(name, value) {
    this._moving ??= new Map();
    this._moving.set(name, value);
    this._label(name);
    clearTimeout(this._rest);
    this._rest = setTimeout(() => {
      const moved = this._moving;
      this._moving = undefined;
      this._set(moved);
    }, TUNE_AFTER_MS);
  }

  _drawRuns() {
    const rows = this.runs.compare();
    const box = byId('runs');
    if (rows.length < 2 && rows[0].n === 0) {
      box.replaceChildren();
      return;
    }
    const names = ['Run', 'Changed', 'n', 'p50', 'p95', `Against ${rows[0].letter}`];
    const head = el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)));
    const body = rows.map((row) => this._runRow(row));
    box.replaceChildren(el('table', {}, el('thead', {}, head), el('tbody', {}, ...body)));
  }

  _runRow({ letter, values, n, p50, p95, changeMs, intervalMs }) {
    const what = [...values].map(([name, value]) => `${tunable(name)?.label ?? name} ${value}`);
    const cell = (text, title = null) => el('td', { class: 'number', title }, text);
    const now = letter === this.runs.letter;
    return el(
      'tr',
      { 'data-letter': letter, 'data-n': n, class: now ? 'now' : null },
      el('th', { scope: 'row' }, el('span', { class: `letter letter-${letter}` }, letter)),
      el('td', { class: 'changed' }, what.join(', ') || 'nothing'),
      cell(String(n)),
      cell(ms(p50)),
      cell(Number.isNaN(p95) ? '·' : ms(p95), Number.isNaN(p95) ? 'from 20 turns on' : null),
      cell(against(changeMs, intervalMs), intervalMs ? '95 % interval of the median’s change' : null),
    );
  }

  async _take(button) {
    const { changes } = this;
    const text = changes.size ? FORMS[button.dataset.form](changes) : '';
    const box = byId('taken');
    box.hidden = false;
    box.textContent = text || 'Nothing differs from the server’s own settings.';
    if (!text) return;
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    byId('take-said').textContent = copied ? 'Copied.' : 'The browser did not allow copying.';
  }
}

function against(changeMs, intervalMs) {
  if (Number.isNaN(changeMs)) return '–';
  const sign = (value) => `${value > 0 ? '+' : ''}${value.toFixed(0)}`;
  return intervalMs ? `${sign(changeMs)} (${intervalMs.map(sign).join('…')})` : sign(changeMs);
}

function slider(id, { name, min = 0, max, step, help }) {
  return el('input', {
    id,
    type: 'range',
    min,
    max,
    step,
    'aria-describedby': help ? `${id}-help` : null,
    'data-testid': `slider-${name}`,
  });
}

function select(id, { name, choices }) {
  const options = choices.map(([value, label]) => el('option', { value }, label));
  return el('select', { id, 'data-testid': `choice-${name}` }, ...options);
}

function valueOf(field) {
  return field.type === 'range' ? Number(field.value) : field.value;
}
