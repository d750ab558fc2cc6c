/** One call: its sound tied to its words and to where each answer's time went. */
import { button, el, save } from './dom.js';
import { PROMISE_MS, heardMs, ms, noteOf, toolsOf } from './ledger.js';
import { began, caseOf, clock, exportLine, figuresOf, gapOf, momentOf, turnAt } from './logged_call.js';
import { transportName, whoOf } from './calls_list.js';
import { RecordingPlayer } from './recording_player.js';
import { cutWav } from './recording.js';
import { layout, axisOf } from './waterfall.js';
import { waterfall } from './waterfall_view.js';
import { sentence } from './captions_view.js';
import { why } from './why.js';

export class LoggedCallView {
  /**
   * @param {HTMLElement} box
   * @param {import('./calls_api.js').CallsApi} api
   * @param {object} on
   * @param {(shown: {call?: string, at?: string}) => void} on.changed
   * @param {(id: string) => void} on.deleted
   * @param {(made: import('./cases.js').Case) => Promise<string>} on.newCase
   * @param {() => string} on.speaker where it is heard
   */
  constructor(box, api, on) {
    this._box = box;
    this._api = api;
    this._on = on;
    /** @type {string|null} '' shows that none is chosen */
    this._id = null;
    /** @type {any} */
    this._call = null;
    this._player = new RecordingPlayer(api, {
      moved: (at) => this._follow(at),
      ready: (overlaps) => this._showOverlaps(overlaps),
      speaker: on.speaker,
    });
  }

  /** @param {string} id '' for none @param {string} at number of the turn that is open */
  async show(id, at) {
    if (id === this._id) {
      if (this._call && at !== this._at) this._open(at);
      return;
    }
    this.leave();
    this._id = id;
    this._at = at;
    if (!id) {
      this._box.replaceChildren(el('p', { class: 'empty' }, 'Choose a call to hear it and to see where its time went.'));
      return;
    }
    this._box.replaceChildren(el('p', { class: 'aside' }, 'Asking the server …'));
    await this._load(id);
  }

  /** Nobody looks any more. */
  leave() {
    this._player.close();
    this._id = null;
    this._call = null;
  }

  /** @param {string} key @param {KeyboardEvent} event @returns {boolean} whether it was ours */
  onKey(key, event) {
    if (!this._call) return false;
    if (key === 'j' || key === 'k') return this._step(key === 'k' ? 1 : -1);
    if (key === 'g') return this._gap(this._index());
    if (key === ' ' && event.target.closest('button, a, summary')) return false;
    return this._player.onKey(key);
  }

  async _load(id) {
    let call;
    try {
      call = await this._api.call(id);
    } catch (error) {
      if (id !== this._id) return;
      this._box.replaceChildren(el('p', { class: 'late', role: 'alert' }, error.message));
      return;
    }
    if (id !== this._id) return;
    this._call = call;
    this._moments = call.turns.map((turn) => momentOf(turn, call.recording));
    this._draw();
    if (call.recording) this._player.load(call.recording, this._moments);
  }

  _draw() {
    const call = this._call;
    const parts = [this._head(), this._facts()];
    if (call.recording) parts.push(this._player.element);
    else parts.push(el('p', { class: 'aside' }, unheard(call)));
    this._axis = axisOf(call.turns.map(({ ledger }) => layout(ledger)));
    this._rows = call.turns.map((turn, i) => this._row(turn, i));
    const list = el('ol', { class: 'transcript', 'aria-label': 'Turns', 'data-testid': 'transcript' }, ...this._rows);
    parts.push(call.turns.length ? list : el('p', { class: 'empty' }, 'Nothing was said in this call.'), this._foot());
    this._box.replaceChildren(...parts);
    this._open(this._at, false);
  }

  _head() {
    const { started_at: at, ended_at: ended, end_reason: reason, lasted_s: lasted } = this._call;
    const length = ended ? `${clock(lasted)}, ${reason}` : 'still under way';
    return el('div', { class: 'call-head' }, el('h2', {}, began(at, new Date(), 'medium')), el('p', { class: 'aside' }, length));
  }

  _facts() {
    const call = this._call;
    const { n, p50, slowest, interrupted, cutOff, missed } = figuresOf(call);
    const fact = (name, value, more = {}) =>
      el('div', more, el('dt', {}, name), el('dd', {}, value));
    const facts = [
      fact('Over', [transportName(call.transport), whoOf(call)].filter(Boolean).join(' · ')),
      call.called ? fact('Called', call.called) : null,
      fact('Answers', String(n)),
      fact('p50', Number.isNaN(p50) ? '–' : `${ms(p50)} ms`),
      fact('Slowest', Number.isNaN(slowest) ? '–' : `${ms(slowest)} ms`, { class: slowest > PROMISE_MS ? 'late' : null }),
      fact('Caller interrupted', String(interrupted)),
      fact('Caller cut off', String(cutOff)),
      missed ? fact('Not understood', String(missed)) : null,
      call.recording ? fact('Agent spoke over caller', '…', { id: 'agent-over-caller' }) : null,
      call.lost.turns ? fact('Lost', `${call.lost.turns} turns could not be written`, { class: 'late' }) : null,
      call.lost.sound_s ? fact('Lost', `${call.lost.sound_s.toFixed(1)} s of sound`, { class: 'late' }) : null,
    ];
    return el('dl', { class: 'figures call-facts', 'data-testid': 'call-facts' }, ...facts.filter(Boolean));
  }

  _showOverlaps(overlaps) {
    const over = overlaps.filter(({ who }) => who === 'agent over caller');
    const shown = this._box.querySelector('#agent-over-caller dd');
    if (shown) shown.textContent = over.length ? `${over.length} × (${over.map(({ from }) => clock(from)).join(', ')})` : '0';
  }

  _row(turn, i) {
    const { ledger } = turn;
    const moment = this._moments[i];
    const time = moment ? clock(moment.begins) : new Date(turn.recorded_at).toLocaleTimeString([], { timeStyle: 'short' });
    const seek = el('button', { type: 'button', class: 'turn-time', disabled: !moment, 'aria-label': `Turn ${turn.number}, at ${time}${moment ? ': play from here' : ''}` }, time);
    seek.addEventListener('click', () => this._player.playFrom(moment.begins));
    const said = turn.user_text === null ? 'words are not kept' : sentence(turn.user_text) || '(not understood)';
    const words = [
      el('p', { class: `said${turn.user_text ? '' : ' dim'}` }, said),
      turn.agent_text ? el('p', { class: 'answered' }, turn.agent_text) : '',
    ];
    const row = el(
      'li',
      { class: 'spoken', 'data-testid': 'spoken-turn', 'data-number': turn.number },
      seek,
      el('div', { class: 'spoken-words' }, ...words, el('div', { class: 'chips' }, ...this._chips(turn, i, ledger))),
      el('div', { class: 'spoken-more', hidden: true }),
    );
    return row;
  }

  _chips(turn, i, ledger) {
    const heard = heardMs(ledger);
    const late = heard > PROMISE_MS;
    const text = heard === null ? 'no figures' : `${ms(heard)} ms heard${late ? ' ▲' : ''}`;
    const open = el('button', { type: 'button', class: `chip${late ? ' late' : ''}`, 'aria-expanded': 'false', 'data-testid': 'turn-chip' }, text);
    open.addEventListener('click', () => this._choose(this._at === String(turn.number) ? '' : String(turn.number)));
    const chips = [open];
    if (heard !== null && this._moments[i]) {
      const gap = el('button', { type: 'button', class: 'chip', 'data-testid': 'play-gap', 'aria-label': `Play the gap of turn ${turn.number}` }, '▶ the gap');
      gap.addEventListener('click', () => this._gap(i));
      chips.push(gap);
    }
    for (const { name, startMs, endMs, failed } of toolsOf(ledger))
      chips.push(el('span', { class: 'chip tool' }, `${name}() ${ms(endMs - startMs)} ms${failed ? ', failed' : ''}`));
    const mark = { interrupted: 'caller interrupted', reopened: 'cut off: the caller went on', failed: 'failed', cancelled: 'cancelled' }[turn.end];
    if (mark) chips.push(el('span', { class: 'chip mark' }, mark));
    return chips;
  }

  /** The turn whose stages are seen. */
  _open(at, scroll = true) {
    this._at = at;
    this._call.turns.forEach((turn, i) => {
      const isOpen = String(turn.number) === at;
      const [row, more] = [this._rows[i], this._rows[i].querySelector('.spoken-more')];
      row.classList.toggle('open', isOpen);
      row.querySelector('[data-testid="turn-chip"]').setAttribute('aria-expanded', String(isOpen));
      more.hidden = !isOpen;
      more.replaceChildren(...(isOpen ? this._stages(turn, i) : []));
      if (isOpen && scroll) row.scrollIntoView({ block: 'nearest' });
    });
    this._player.choose(this._index());
  }

  _stages(turn, i) {
    const { ledger } = turn;
    const plan = layout(ledger);
    const reason = why(ledger, new Map(Object.entries(ledger.trace?.options ?? {})));
    const parts = [];
    if (reason) parts.push(el('p', { class: 'why' }, reason.text));
    parts.push(waterfall(plan, this._axis));
    const moment = this._moments[i];
    if (moment && ledger.origin !== 'text') parts.push(this._caseForm(turn, moment));
    else if (plan.heardMs === null) parts.push(el('p', { class: 'aside' }, noteOf(ledger)));
    return parts;
  }

  /** The caller's words of this turn as a case that can be played and benched again. */
  _caseForm(turn, moment) {
    const text = el('input', { type: 'text', maxlength: 300, value: turn.user_text ?? '', 'data-testid': 'case-text' });
    const answer = el('input', { type: 'text', maxlength: 300, value: '', placeholder: 'a word or two, or nothing', 'data-testid': 'case-answer' });
    const made = el('p', { class: 'aside', role: 'status', 'data-testid': 'case-said' });
    const form = el(
      'form',
      { class: 'case-form' },
      el('label', {}, 'What the caller says', text),
      el('label', {}, 'The answer must contain', answer),
      el('button', { type: 'submit', class: 'small', 'data-testid': 'case-save' }, 'Add to the question set'),
      made,
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      made.textContent = await this._makeCase(turn, moment, { text: text.value, answer: answer.value });
    });
    return el('details', { class: 'case', 'data-testid': 'case' }, el('summary', {}, 'Make it a test'), form);
  }

  async _makeCase(turn, moment, words) {
    const { sound } = this._player;
    if (!sound) return 'The recording has not come yet.';
    const { name, from, to, line } = caseOf(this._call, turn, moment, words);
    return this._on.newCase({ name, line, wav: cutWav(sound, from, to) });
  }

  _foot() {
    const call = this._call;
    const buttons = [
      button('Save for replay', () => save(`${call.id}.jsonl`, 'application/jsonl', exportLine(call)), { 'data-testid': 'save-call' }),
      call.recording ? button('Save the sound', () => this._player.download(`${call.id}.wav`), { 'data-testid': 'save-sound' }) : null,
      call.ended_at ? button('Delete …', () => this._ask(), { class: 'small danger', 'data-testid': 'delete-call' }) : null,
    ];
    this._question = el('div', { class: 'delete-question', role: 'alertdialog', 'aria-labelledby': 'delete-title', hidden: true, 'data-testid': 'delete-question' });
    return el(
      'div',
      { class: 'call-foot' },
      el('div', { class: 'take' }, ...buttons.filter(Boolean)),
      this._question,
      el('p', { class: 'aside' }, `${call.id} · ${call.profile}, voicepipe ${call.version}`),
    );
  }

  /** Delete it? With what that means. */
  _ask() {
    const { turns, recording } = this._call;
    const what = `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}${recording ? ' and its recording' : ''}`;
    const keep = button('Keep it', () => this._answered());
    const go = button('Delete for good', () => this._delete(go), { class: 'small danger', 'data-testid': 'delete-yes' });
    this._question.onkeydown = (event) => event.key === 'Escape' && this._answered();
    this._question.replaceChildren(
      el('p', { id: 'delete-title' }, el('b', {}, `Delete this call with its ${what}?`)),
      el('p', {}, 'It cannot be brought back. The rows are overwritten in SQLite, and the recording’s file is removed; backups, and PostgreSQL until its next vacuum, may still hold them. Tests that were made of it stay in the question set of the browser that made them.'),
      el('div', { class: 'take' }, keep, go),
    );
    this._question.hidden = false;
    keep.focus();
    this._question.scrollIntoView({ block: 'nearest' });
  }

  _answered() {
    this._question.hidden = true;
    this._box.querySelector('[data-testid="delete-call"]')?.focus();
  }

  async _delete(button) {
    const { _question: question, _id: id } = this; // another may be looked at when it is done
    button.disabled = true;
    try {
      await this._api.delete(id);
    } catch (error) {
      button.disabled = false;
      question.append(el('p', { class: 'late', role: 'alert' }, error.message));
      return;
    }
    if (id === this._id) this.leave();
    this._on.deleted(id);
  }

  _index() {
    return this._call.turns.findIndex(({ number }) => String(number) === this._at);
  }

  /** @param {string} at */
  _choose(at) {
    this._open(at);
    this._on.changed({ at });
  }

  _step(by) {
    const { turns } = this._call;
    const index = this._index();
    const next = turns[index < 0 ? (by > 0 ? 0 : turns.length - 1) : Math.max(0, Math.min(turns.length - 1, index + by))];
    if (next) this._choose(String(next.number));
    return true;
  }

  /** The wait of a turn, again and again. */
  _gap(i) {
    const index = i >= 0 ? i : this._slowestIndex();
    const gap = this._moments[index] ? gapOf(this._moments[index]) : null;
    if (!gap) return true;
    const number = String(this._call.turns[index].number);
    if (this._at !== number) this._choose(number);
    this._player.loop(gap);
    return true;
  }

  _slowestIndex() {
    const waits = this._call.turns.map(({ ledger }, i) => (this._moments[i] ? (heardMs(ledger) ?? -1) : -1));
    return waits.indexOf(Math.max(...waits));
  }

  /** The words that sound are marked. */
  _follow(at) {
    const now = turnAt(this._moments, at);
    if (now === this._now) return;
    this._now = now;
    this._rows?.forEach((row, i) => row.classList.toggle('now', i === now));
    if (this._player.playing) this._rows?.[now]?.scrollIntoView({ block: 'nearest' });
  }
}

function unheard({ ended_at: ended, transport }) {
  if (!ended) return 'Its sound can be heard here when it has ended.';
  if (transport === 'realtime') return 'No sound: a WebSocket’s client plays by itself, so what it heard is not known.';
  return 'No sound of this call is kept here.';
}
