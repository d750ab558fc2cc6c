/** Settings to try on the running call, how they compare, and how to take them away. */
import { byLanguage } from './chooser.js';
import { byId, el } from './dom.js';
import { Runs } from './runs.js';
import { runsTable } from './runs_view.js';
import { FORMS, placesOf } from './take_away.js';
import { GROUPS, TUNABLES, acting, changed, confirmedBy, shown, tunable } from './tuning.js';
import { field, fill, valueOf } from './tuning_field.js';

const TUNE_AFTER_MS = 150;
/** A slider being dragged sends its value when it rests so long. */
const STANDS = 'acts on this call and the next';

/** @typedef {Map<string, number|string>} Values by the tunable's name */

export class TryPanel {
  /**
   * @param {object} on
   * @param {(values: Values) => void} on.tune
   * @param {(values: Values) => void} on.changed what differs from the server now
   */
  constructor(on) {
    this._on = on;
    /** What the server begins with. @type {Values} */
    this._standard = new Map([['voice', '']]);
    /** What it has confirmed. @type {Values} */
    this._confirmed = new Map([['voice', '']]);
    /** What the user has set. @type {Values} */
    this.tuned = new Map();
    /** What the server has told of choices. @type {Record<string, import('./tuning.js').Choice[]>} */
    this._choices = {};
    /** Settings that stand elsewhere in voicepipe.toml. @type {Record<string, Map<string, string[]>>} */
    this._places = {};
    this.runs = new Runs();
    this._moving = undefined;
    byId('tuning-reset').addEventListener('click', () => this._set(new Map(this._standard)));
    for (const button of document.querySelectorAll('[data-form]')) {
      button.addEventListener('click', () => this._take(button));
    }
    this._draw();
    this._drawRuns();
  }

  /** In effect, as far as it is known. @returns {Values} */
  get settings() {
    return new Map([...this._standard, ...this._confirmed, ...this.tuned]);
  }

  /** What the user has changed. @returns {Values} */
  get changes() {
    return changed(this.tuned, this._standard);
  }

  /** Models that the call may choose beside the server's own. @returns {string[]} */
  get models() {
    return (this._choices.model ?? []).map(([value]) => value).slice(1);
  }

  /** Runs from before a reload. @param {import('./runs.js').Run[]} runs */
  restore(runs) {
    this.runs.restore(runs);
    this._drawRuns();
  }

  /** What the server begins a call with, and what else there is. @param {any} server */
  showStandard(server) {
    const { agent = {}, voicepipe } = server;
    const { instructions, speed } = agent;
    this._offer(server);
    const session = { voicepipe, instructions, audio: { output: { speed } } };
    this._standard = new Map([...confirmedBy(session), ['voice', '']]);
    this.showConfirmed(session);
    byId('row-voice').hidden = !server.voices?.length;
    for (const [name, value] of this.tuned) this._show(name, value);
    this._settle();
  }

  /** A call begins with what is set. */
  called() {
    this._confirmed.set('voice', this.settings.get('voice'));
    this._label('voice');
    this._settle();
  }

  /** @param {any} session as the server confirms it */
  showConfirmed(session) {
    for (const [name, value] of confirmedBy(session)) {
      this._confirmed.set(name, value);
      const control = byId(`tune-${name}`);
      control.dataset.confirmed = value;
      byId(`row-${name}`).hidden = false;
      if (!this._moving?.has(name) && !this._isDraft(name)) control.value = value;
      this._label(name);
    }
    this._hideIdle();
  }

  /** @param {string} message */
  refused(message) {
    byId('tuning-note').textContent = `refused: ${message}`;
  }

  /** Values from elsewhere: the address, a lever, the settings. @param {Values} values */
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
    const now = new Map([...values].filter(([name]) => !tunable(name).nextCall));
    if (now.size > 0) this._on.tune(now);
    this._settle();
  }

  /** What follows from other values. */
  _settle() {
    const { changes } = this;
    this.tuned = new Map(changes);
    byId('tuning-reset').disabled = changes.size === 0;
    byId('tuning-note').textContent = STANDS;
    byId('taken').hidden = true;
    this.runs.change(this._inEffect(acting(changes)));
    this._drawRuns();
    this._hideIdle();
    this._on.changed(changes);
  }

  /** Without what waits for the next call. */
  _inEffect(values) {
    const here = ([name, value]) => !tunable(name).nextCall || this._confirmed.get(name) === value;
    return new Map([...values].filter(here));
  }

  /** A text that is being written is nobody else's. */
  _isDraft(name) {
    return tunable(name).free && !byId(`apply-${name}`).disabled;
  }

  /** Waits that the policy does not ask for. */
  _hideIdle() {
    const policy = this.settings.get('endpointing');
    for (const { name, under } of TUNABLES) {
      if (under && this._standard.has(name)) byId(`row-${name}`).hidden = !under.includes(policy);
    }
  }

  /** Models, voices and policies that this server has. */
  _offer({ choices = {}, models = {}, voicepipe, voices = [], voice, language }) {
    const own = voicepipe?.model ?? '';
    const offered = (choices.model ?? []).filter(({ value }) => value !== own);
    this._places.model = new Map(offered.map(({ value, setting }) => [value, placesOf(setting, own)]));
    const name = (value) => value || (models.llm ?? '');
    const others = offered.map(({ value }) => [value, name(value)]);
    this._fill('model', [{ label: '', options: [[own, `${name(own)} (the server’s)`], ...others] }]);
    byId('tune-model').hidden = offered.length === 0;
    byId('only-model').hidden = offered.length > 0;
    byId('only-model').textContent = `${models.llm ?? 'One'} is the only one here. Settings name more in [llm.others.NAME]; a server of yours that lists several offers them all.`;
    const standard = ['', voice ? `${voice} (the server’s)` : 'the server’s'];
    const spoken = byLanguage(voices, language ?? null).map(({ label, options }) => ({
      label,
      options: options.map(({ id, label: words }) => [id, words]),
    }));
    this._fill('voice', [{ label: '', options: [standard] }, ...spoken]);
    const known = new Set((choices.endpointing ?? []).map(({ value }) => value));
    const policies = tunable('endpointing').choices.filter(([value]) => known.has(value));
    if (policies.length > 0) this._fill('endpointing', [{ label: '', options: policies }]);
  }

  _fill(name, groups) {
    this._choices[name] = groups.flatMap(({ options }) => options);
    fill(byId(`tune-${name}`), groups);
    const wanted = this.tuned.get(name);
    const has = (value) => this._choices[name].some(([one]) => one === value);
    if (wanted !== undefined && !has(wanted)) this.tuned.delete(name); // another server's
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
    byId('row-model').append(el('p', { class: 'aside wide', id: 'only-model', hidden: true }));
  }

  _row(one) {
    const { name, label, help, free } = one;
    const id = `tune-${name}`;
    const control = field(one, id);
    if (!free) control.addEventListener('input', () => this._move(name, valueOf(control)));
    const value = el('output', { for: id, id: `${id}-value`, 'data-testid': `confirmed-${name}` }, '–');
    value.hidden = control.tagName !== 'INPUT'; // the control says it itself
    const named = { 'aria-label': `Reset ${label}`, 'data-testid': `reset-${name}` };
    const attributes = { type: 'button', class: 'reset', id: `${id}-reset`, ...named, hidden: true };
    const reset = el('button', attributes, '↺');
    reset.addEventListener('click', () => this._set(new Map([[name, this._standard.get(name)]])));
    const words = [el('label', { for: id }, label)];
    if (help) words.push(el('span', { class: 'help', id: `${id}-help` }, help));
    const row = el('div', { class: 'slider', id: `row-${name}`, hidden: true });
    row.append(el('div', { class: 'slider-words' }, ...words), value, reset, control);
    if (free) row.append(this._apply(name, control));
    return row;
  }

  /** A text is sent when it is done. */
  _apply(name, control) {
    const attributes = { type: 'button', class: 'small', disabled: true, 'data-testid': `apply-${name}` };
    const button = el('button', { ...attributes, id: `apply-${name}` }, 'Apply');
    const done = () => this._set(new Map([[name, valueOf(control) || this._standard.get(name)]]));
    control.addEventListener('input', () => this._label(name));
    control.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) done();
    });
    button.addEventListener('click', done);
    return el('p', { class: 'wide' }, button);
  }

  _show(name, value) {
    byId(`tune-${name}`).value = value;
    this._label(name);
  }

  /** The value in the middle of a drag, with what the server has. */
  _label(name) {
    const value = valueOf(byId(`tune-${name}`));
    const one = { ...tunable(name), choices: this._choices[name] ?? tunable(name).choices };
    const standard = this._standard.get(name);
    const differs = standard !== undefined && value !== standard;
    const words = byId(`tune-${name}-value`);
    words.classList.toggle('unconfirmed', this._confirmed.get(name) !== value);
    words.textContent = shown(one, value);
    words.title = this._confirmed.get(name) === value ? 'in effect' : 'for the next call; not in effect yet';
    byId(`row-${name}`).classList.toggle('differs', differs);
    const reset = byId(`tune-${name}-reset`);
    reset.hidden = !differs;
    reset.title = differs ? `the server has ${shown(one, standard)}` : '';
    if (!one.free) return;
    const applied = this.tuned.get(name) ?? standard ?? value; // a server that has told nothing yet
    byId(`apply-${name}`).disabled = value === applied;
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
    const empty = rows.length < 2 && rows[0].n === 0;
    byId('runs').replaceChildren(...(empty ? [] : [runsTable(rows, this.runs.letter, this._choices)]));
  }

  async _take(button) {
    const { changes } = this;
    const places = {};
    for (const [name, of] of Object.entries(this._places)) places[name] = of.get(changes.get(name));
    const text = changes.size ? FORMS[button.dataset.form](changes, places) : '';
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
