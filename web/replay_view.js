/** "Replay under ...": what other settings would have made of turns that have happened. */
import { button, el } from './dom.js';
import { jsonl } from './exports.js';
import { CHANGES, assignments, changeOf, firstKey, idleNote, lessThan, notesOf, read, rowsOf, triable } from './replay.js';
import { authorization } from './server.js';
import { toml } from './take_away.js';

const DEADLINE_MS = 40_000;
/** The server gives up after 30 s. */
const MOST_TURNS = 500;
/** The newest of them are replayed. */
const MOST_CHANGES = 6;
const WHAT = 'What they would have waited, without anybody speaking again.';

/** @typedef {import('./turns_panel.js').Entry} Entry */

export class ReplayView {
  /**
   * @param {HTMLElement} box
   * @param {object} on
   * @param {() => string} on.key
   * @param {() => {seen: Entry[], turn: Entry|null}} on.turns
   * @param {(shown: {replay: string, of: string}) => void} on.changed
   * @param {(values: Map<string, number|string>) => void} on.tryOut
   */
  constructor(box, on) {
    this._on = on;
    /** @type {string|null} what the address said last */
    this._told = null;
    this._of = el('select', { 'data-testid': 'replay-of' }, el('option', { value: '' }), el('option', { value: 'turn' }));
    this._changes = el('div', { class: 'replay-changes' });
    this._more = button('and …', () => this._add(), { 'data-testid': 'replay-more' });
    this._go = el('button', { type: 'submit', class: 'small', 'data-testid': 'replay-go' }, 'Replay');
    const form = el('form', { class: 'replay-form' }, el('label', {}, 'Replay ', this._of), el('span', {}, 'under'), this._changes, this._more, this._go);
    form.addEventListener('input', () => (this._untouched = false));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this._replay();
    });
    this._said = el('p', { class: 'aside', role: 'status', 'data-testid': 'replay-said' }, WHAT);
    this._found = el('div', { class: 'replay-found', 'data-testid': 'replay-found' });
    box.append(form, this._said, this._found);
  }

  /** @param {{replay: string, of: string}} shown by the address */
  show({ replay, of }) {
    if (this._told === `${of} ${replay}`) return;
    this._told = `${of} ${replay}`;
    this._of.value = of;
    this._forget();
    this._changes.replaceChildren();
    const known = read(replay);
    for (const [key, value] of known) this._add(key, value);
    this._untouched = known.length === 0;
    if (this._untouched) this._add();
    else this._replay();
  }

  /** What was asked before is not what is seen. */
  _forget() {
    this._round = null;
    this._waits = false;
    this._found.replaceChildren();
    this._said.textContent = WHAT;
    this._said.classList.remove('late');
  }

  /** The turns have changed: say which would be replayed. */
  refresh() {
    const { seen, turn } = this._on.turns();
    const [all, one] = this._of.options;
    const say = (option, text) => option.textContent === text || (option.textContent = text);
    say(all, seen.length === 1 ? 'the turn that is seen' : `the ${seen.length} turns that are seen`);
    say(one, turn ? `turn ${turn.number} alone` : 'one turn');
    if (this._untouched && turn) this._begin();
    if (this._waits) this._replay();
  }

  /** Once the turns are there, with what their policy asks for. */
  _begin() {
    this._untouched = false;
    this._changes.replaceChildren();
    this._add();
  }

  /** Of one turn. */
  focusOn() {
    this._of.value = 'turn';
    this._changes.querySelector('select').focus();
  }

  _add(key = firstKey(this._had().endpointing), value = '') {
    const names = el('select', { 'aria-label': 'What is changed', 'data-testid': 'replay-key' }, ...groups());
    names.value = key;
    const row = el('span', { class: 'replay-change' }, names);
    const draw = (given) => row.querySelector('.replay-value')?.remove() ?? names.after(field(names.value, given || this._standard(names.value)));
    names.addEventListener('change', () => {
      row.querySelector('.replay-value').remove();
      names.after(field(names.value, this._standard(names.value)));
    });
    draw(value);
    if (this._changes.childElementCount)
      row.append(button('×', () => this._remove(row), { 'aria-label': 'Without this one' }));
    this._changes.append(row);
    this._more.hidden = this._changes.childElementCount >= MOST_CHANGES;
  }

  _remove(row) {
    row.remove();
    this._more.hidden = false;
    this._go.focus();
  }

  /** A value to begin with. */
  _standard(key) {
    return lessThan(key, this._had()[key.slice('turns.'.length)]);
  }

  /** The options that the newest turn had. */
  _had() {
    const { seen, turn } = this._on.turns();
    return (turn ?? seen.at(-1))?.turn.trace?.options ?? {};
  }

  _asked() {
    const rows = [...this._changes.children];
    return assignments(rows.map((row) => [row.querySelector('select').value, row.querySelector('.replay-value').value.trim()]));
  }

  async _replay() {
    const { seen, turn } = this._on.turns();
    const entries = (this._of.value ? [turn] : seen).filter(Boolean).slice(-MOST_TURNS);
    this._waits = entries.length === 0; // a reload: they are still on their way
    const set = this._asked();
    if (this._waits) return;
    if (set.length === 0) {
      this._said.textContent = 'A whole number of ms is wanted; of an engine as +40 or -20.';
      return;
    }
    this._told = `${this._of.value} ${set.join(',')}`;
    this._on.changed({ replay: set.join(','), of: this._of.value });
    this._said.textContent = 'The server replays …';
    const round = (this._round = {}); // an answer that comes after the next question is none
    try {
      const found = await ask(this._on.key(), set, entries);
      if (round === this._round) this._draw(found, set);
    } catch (error) {
      if (round !== this._round) return;
      this._found.replaceChildren();
      this._said.textContent = error.name === 'TimeoutError' ? 'The server did not answer in time.' : error.message;
    }
  }

  _draw(found, set) {
    const { given } = found.trust;
    this._said.textContent = given ? '' : notesOf(found)[0];
    this._said.classList.toggle('late', !given);
    const heads = ['', 'Recorded', 'Unchanged', ...(given ? ['Predicted', 'Change'] : [])];
    const head = el('tr', {}, ...heads.map((name) => el('th', { scope: 'col' }, name)));
    const rows = rowsOf(found).map(({ label, cells, change }) => {
      const figures = [...cells, ...(given ? [change] : [])].map((text) => el('td', { class: 'number' }, text));
      return el('tr', { 'data-label': label }, el('th', { scope: 'row' }, label), ...figures);
    });
    const said = [idleNote(set, this._had().endpointing), ...notesOf(found).slice(given ? 0 : 1)].filter(Boolean);
    const notes = said.map((text) => el('p', { class: 'aside' }, text));
    const table = el('table', { 'data-testid': 'replay-table' }, el('thead', {}, head), el('tbody', {}, ...rows));
    this._found.replaceChildren(el('div', { class: 'scroll' }, table), ...notes, ...(given ? [this._takeAway(set)] : []));
  }

  /** What was predicted can be tried on a call, and taken away. */
  _takeAway(set) {
    const values = triable(set);
    if (values.size === 0) return '';
    const text = el('pre', { class: 'taken', tabindex: 0, 'data-testid': 'replay-toml', hidden: true }, toml(values));
    const copy = button('Copy as TOML', () => {
      text.hidden = false;
      navigator.clipboard?.writeText(text.textContent).catch(() => {}); // it stands there, too
    }, { 'data-testid': 'replay-copy' });
    const attempt = button('Try it on a call', () => this._on.tryOut(values), { 'data-testid': 'replay-try' });
    return el('div', {}, el('div', { class: 'take' }, attempt, copy), text);
  }
}

/** @param {string} key @param {string[]} set @param {Entry[]} entries @returns {Promise<any>} */
async function ask(key, set, entries) {
  const turns = jsonl(entries).trim().split('\n').join(',');
  const answer = await fetch('/v1/whatif', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization(key) },
    body: `{"set":${JSON.stringify(set)},"turns":[${turns}]}`,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error?.message ?? `The server refuses (${answer.status}).`);
  return told;
}

function groups() {
  const names = [...new Set(CHANGES.map(({ group }) => group))];
  return names.map((name) => {
    const own = CHANGES.filter(({ group }) => group === name);
    return el('optgroup', { label: name }, ...own.map(({ key, label }) => el('option', { value: key }, label)));
  });
}

function field(key, value) {
  const { choices, label, relative } = changeOf(key);
  const named = { class: 'replay-value', 'aria-label': `${label}, ${relative ? 'ms more or less' : 'ms'}`, 'data-testid': 'replay-value' };
  if (!choices) return el('input', { ...named, type: 'text', inputmode: 'text', size: 6, maxlength: 6, value });
  const made = el('select', named, ...choices.map(([one, words]) => el('option', { value: one }, words)));
  made.value = value;
  return made;
}
