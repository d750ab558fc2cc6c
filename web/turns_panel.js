/** The turns of this tab's calls: the newest figure, why, and a bar for each on one axis. */
import { button, byId, el } from './dom.js';
import { PROMISE_MS, heardMs, labelOf, ms, networkMs, stagesOf } from './ledger.js';
import { axisOf, layout } from './waterfall.js';
import { stacked, ticks, waterfall } from './waterfall_view.js';
import { both } from './turn_sound.js';
import { shown, tunable } from './tuning.js';
import { why } from './why.js';

const SHOWN = 30;
const KEPT = 500;
const SPARK = 50;

/**
 * @typedef {object} Entry one turn as the page knows it
 * @property {any} turn the record
 * @property {number} number since the tab was opened
 * @property {string} letter of its run
 * @property {string} words what the user had said
 * @property {number} at when it came, ms since 1970
 * @property {import('./turn_sound.js').TurnSound|null} [sound] as this page heard it
 */

export class TurnsPanel {
  /**
   * @param {object} on
   * @param {(name: string, value: number|string) => void} on.tryOut
   * @param {(name: string) => void} on.choose one of several values of a setting
   * @param {(response: string) => void} on.chosen
   * @param {() => void} on.ask a recording speaks, where nobody wants to
   * @param {() => void} on.more
   * @param {() => void} on.forget
   * @param {{settings: Map<string, number|string>, models: readonly string[]}} tried settings in
   *   effect, and models beside the server's own
   */
  constructor(on, tried) {
    this._on = on;
    this._tried = tried;
    /** @type {Entry[]} */
    this.entries = [];
    this._open = ''; // turn id; '': the newest
    this._list = byId('waterfalls');
    byId('turns-more').addEventListener('click', () => on.more());
    byId('turns-forget').addEventListener('click', () => on.forget());
    this.draw();
  }

  /**
   * A record; it takes the place of the provisional one of the same turn.
   * @param {any} turn
   * @param {{letter: string, words: string, sound?: import('./turn_sound.js').TurnSound|null}} about
   * @returns {Entry}
   */
  add(turn, { letter, words, sound = null }) {
    const known = this.entries.find((entry) => entry.turn.turn_id === turn.turn_id);
    if (known) {
      Object.assign(known, { turn, words: words || known.words, sound: both(known.sound, sound) });
    } else {
      const number = (this.entries.at(-1)?.number ?? 0) + 1;
      this.entries.push({ turn, number, letter, words, sound, at: Date.now() });
      if (this.entries.length > KEPT) this.entries.shift();
      this._open = '';
    }
    this.draw();
    return known ?? this.entries.at(-1);
  }

  /** From before a reload. @param {Entry[]} entries */
  restore(entries) {
    this.entries = entries;
    this.draw();
  }

  forget() {
    this.entries = [];
    this.draw();
  }

  /** Open the turn of an answer. @param {string} response */
  openResponse(response) {
    const entry = this.entries.findLast(({ turn }) => turn.response_id === response);
    if (!entry) return;
    this._open = entry.turn.turn_id;
    this.draw();
    this._list.querySelector('.turn.open')?.scrollIntoView({ block: 'nearest' });
  }

  draw() {
    const asked = this.entries.find(({ turn }) => turn.turn_id === this._open);
    const newest = this.entries.slice(-SHOWN);
    const entries = [...(asked && !newest.includes(asked) ? [asked] : []), ...newest].reverse();
    const drawn = entries.map((entry) => ({ entry, plan: layout(entry.turn) }));
    const axis = axisOf(drawn.map(({ plan }) => plan));
    const open = this._open || entries[0]?.turn.turn_id;
    byId('shared-axis').hidden = entries.length === 0;
    byId('shared-axis').replaceChildren(...(entries.length ? ticks(axis) : []));
    this._list.replaceChildren(...drawn.map((one) => this._row(one, axis, open)));
    byId('turns-more').hidden = byId('turns-forget').hidden = entries.length === 0;
    this._drawLegend();
    this._drawHeadline();
    this._drawWhy(entries.find(({ turn }) => turn.turn_id === open));
  }

  _row({ entry, plan }, axis, open) {
    const { turn, number, letter, words } = entry;
    const isOpen = turn.turn_id === open;
    const figure = plan.heardMs === null ? '–' : ms(plan.heardMs);
    const late = plan.heardMs > PROMISE_MS;
    const line = el(
      'button',
      { type: 'button', class: 'turn-line', 'aria-expanded': String(isOpen) },
      el('span', { class: 'turn-number' }, `${number}`),
      el('span', { class: `letter letter-${letter}`, title: `run ${letter}` }, letter),
      plan.heardMs === null
        ? el('span', { class: 'track none' }, plan.note)
        : stacked(plan, axis),
      el('b', { class: late ? 'figure late' : 'figure' }, late ? `${figure} ▲` : figure),
    );
    line.addEventListener('click', () => {
      this._open = isOpen && this._open ? '' : turn.turn_id;
      this._on.chosen(turn.response_id);
      this.draw();
      this._list.querySelector(`[data-turn-id="${turn.turn_id}"] .turn-line`)?.focus();
    });
    const attributes = {
      class: `turn${isOpen ? ' open' : ''}${turn.provisional ? ' provisional' : ''}`,
      'data-turn-id': turn.turn_id,
      'data-letter': letter,
      'data-testid': 'turn',
    };
    const said = words ? [el('p', { class: 'turn-words' }, `“${words}”`)] : [];
    return el('li', attributes, line, ...(isOpen ? [...said, waterfall(plan, axis)] : []));
  }

  _drawLegend() {
    const stages = [...new Set(this.entries.slice(-SHOWN).flatMap(({ turn }) => stagesOf(turn)))];
    const named = this.entries.some(({ turn }) => networkMs(turn) !== null) ? ['network'] : [];
    const keys = [...stages, ...named].map((name) =>
      el('span', { class: `key stage-${name}` }, labelOf(name)),
    );
    byId('legend').hidden = keys.length === 0;
    byId('legend').replaceChildren(
      ...keys,
      el('span', { class: 'key over-key' }, 'over budget ▲'),
      el('span', { class: 'key worked-key' }, 'worked meanwhile'),
    );
  }

  /** The newest turn that has a figure, and the ones before it as a line. */
  _drawHeadline() {
    const box = byId('headline');
    const measured = this.entries.filter(({ turn }) => heardMs(turn) !== null);
    if (measured.length === 0) {
      const ask = button('Let a recording ask', () => this._on.ask(), { 'data-testid': 'ask-first' });
      const steps = WALK.map((step) => el('li', {}, step));
      const walk = el('ol', { class: 'walk' }, ...steps);
      box.replaceChildren(el('div', { class: 'empty' }, walk, el('p', {}, 'Without a voice: ', ask)));
      delete box.dataset.heardMs;
      return;
    }
    const { turn } = measured.at(-1);
    const heard = heardMs(turn);
    box.dataset.heardMs = heard.toFixed(3);
    const late = heard > PROMISE_MS ? ' late' : '';
    box.replaceChildren(
      el('p', { class: `big${late}` }, el('b', {}, ms(heard)), ' ms heard'),
      el('p', { class: 'aside' }, partsOf(turn)),
      spark(measured.slice(-SPARK).map((entry) => heardMs(entry.turn))),
    );
  }

  _drawWhy(entry) {
    const box = byId('why');
    const found = entry && why(entry.turn, this._tried.settings, this._tried.models);
    box.hidden = !found;
    if (!found) return;
    box.replaceChildren(found.text);
    if (!found.lever) return;
    const { name, value, label } = found.lever;
    const button = el(
      'button',
      { type: 'button', class: 'small', 'data-testid': 'try-lever' },
      `Try ${tunable(name)?.label ?? name}: ${label}`,
    );
    if (value !== null) button.title = `${name} = ${shown(tunable(name) ?? {}, value)}`;
    button.addEventListener('click', () =>
      value === null ? this._on.choose(name) : this._on.tryOut(name, value),
    );
    box.append(' ', button);
  }
}

/** What is done here, for those who see it for the first time. */
const WALK = Object.freeze([
  'Press Talk and ask something. Each answer becomes a bar here: every millisecond between your last word and its first sound, stage by stage.',
  'The longest stage is named above the bars, with what would help.',
  'Change a setting under Try, ask again, and compare: A is before, B is after.',
  'Copy what was better as TOML.',
]);

/** What the headline is made of. @param {any} turn */
export function partsOf(turn) {
  const network = networkMs(turn);
  const server = `${ms(turn.voice_to_voice_ms)} server`;
  if (network === null) return `${server}; network and playout not measured`;
  const by = turn.network_by === 'page' ? ', by this page’s clock' : '';
  return `${server} + ${ms(network)} network and playout${by}`;
}

/** The latest figures as small columns, the newest at the right. @param {number[]} values */
function spark(values) {
  const top = Math.max(...values, 1);
  const columns = values.map((value) => {
    const column = el('span', { class: value > PROMISE_MS ? 'late' : null });
    column.style.height = `${Math.max(6, (value / top) * 100)}%`;
    return column;
  });
  const words = `The latest ${values.length} turns, from ${ms(Math.min(...values))} to ${ms(top)} ms`;
  return el('div', { class: 'spark', role: 'img', 'aria-label': words, title: words }, ...columns);
}
