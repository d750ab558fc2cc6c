/**
 * The last seconds of a call as two lanes: how loud caller and agent were, what happened when, and
 * the wait between them. Pure. Times in ms of one clock; levels 0 to 1 on the eye's scale.
 *
 * Live instants are those at which the page learned of something. When a turn's record comes, its
 * marks take their place, counted back from the first sound.
 *
 * @typedef {'speech_end'|'eager_end'|'endpoint'|'first_sound'|'hold'|'resume'|'interrupt'|'tool'} MarkKind
 * @typedef {{kind: MarkKind, atMs: number, response?: string}} Mark
 * @typedef {{fromMs: number, toMs: number|null, text: string}} Speech of the caller, by the server's
 *   detector, and its words as far as they are known
 *
 * @typedef {object} Wait
 * @property {number} fromMs the caller's last sound
 * @property {number|null} toMs the agent's first; null while it is waited for
 * @property {number|null} ms as the record says; null: by the page's own ear
 * @property {string} response
 */

export const SPAN_MS = 12_000;
const STEP_MS = 20;
const LOUD = 0.3;
/** About -42 dBFS: a voice, and not the room. */
const QUIET_MS = 100;
/** A silence this long may be the end of a turn: from here on the wait is shown. */
const KEPT = 200;

export class Scope {
  constructor() {
    this._columns = Math.ceil(SPAN_MS / STEP_MS) + 2;
    this._user = new Float32Array(this._columns);
    this._agent = new Float32Array(this._columns);
    this._last = -1; // the newest column, counted since time 0
    /** @type {Mark[]} */
    this.marks = [];
    /** @type {Speech[]} */
    this.speech = [];
    /** @type {Wait[]} */
    this.waits = [];
    this._userLoudMs = -Infinity;
    this._agentLoudMs = -Infinity;
  }

  /** How loud both are now. @param {number} atMs @param {{user: number, agent: number}} levels */
  level(atMs, { user, agent }) {
    const column = Math.floor(atMs / STEP_MS);
    for (let i = Math.max(this._last + 1, column - this._columns + 1); i <= column; i += 1) {
      this._user[i % this._columns] = 0;
      this._agent[i % this._columns] = 0;
    }
    this._last = Math.max(this._last, column);
    const at = column % this._columns;
    this._user[at] = Math.max(this._user[at], user);
    this._agent[at] = Math.max(this._agent[at], agent);
    if (user > LOUD) this._userLoudMs = atMs;
    if (agent > LOUD) this._hearAgent(atMs);
  }

  /** Levels of the shown span, oldest first. @param {number} nowMs */
  *columns(nowMs) {
    const newest = Math.floor(nowMs / STEP_MS);
    for (let i = newest - Math.floor(SPAN_MS / STEP_MS); i <= newest; i += 1) {
      const known = i > this._last - this._columns && i <= this._last && i >= 0;
      const at = ((i % this._columns) + this._columns) % this._columns;
      yield {
        atMs: i * STEP_MS,
        user: known ? this._user[at] : 0,
        agent: known ? this._agent[at] : 0,
      };
    }
  }

  /** Take in a server event. @param {{type: string, [key: string]: any}} event @param {number} nowMs */
  apply(event, nowMs) {
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        this._open = keep(this.speech, { fromMs: nowMs, toMs: null, text: '' });
        break;
      case 'input_audio_buffer.speech_stopped':
        this._endSpeech(nowMs);
        break;
      case 'conversation.item.input_audio_transcription.delta':
        if (this._open) this._open.text += event.delta;
        break;
      case 'response.created':
        if (this._waiting) this._waiting.response = event.response.id;
        break;
      case 'voicepipe.output_paused':
        this.mark('hold', nowMs);
        break;
      case 'voicepipe.output_resumed':
        this.mark('resume', nowMs);
        break;
      case 'output_audio_buffer.cleared':
      case 'conversation.item.truncated':
        this.mark('interrupt', nowMs);
        break;
      case 'response.done':
        if (event.response?.status === 'cancelled') this._waiting = null;
        break;
      case 'voicepipe.turn':
        this._correct(event.turn);
        break;
    }
  }

  /** @param {MarkKind} kind @param {number} atMs */
  mark(kind, atMs, response = '') {
    keep(this.marks, { kind, atMs, response });
  }

  /**
   * The wait that grows now: the caller has fallen silent, or the turn is over and nothing is heard.
   * @param {number} nowMs
   * @returns {{fromMs: number, sure: boolean}|null} sure: the server has ended the turn
   */
  growing(nowMs) {
    if (this._waiting) return { fromMs: this._waiting.fromMs, sure: true };
    const speaking = this._open && this._open.toMs === null;
    if (!speaking || nowMs - this._userLoudMs < QUIET_MS) return null;
    return { fromMs: this._userLoudMs, sure: false };
  }

  /** The newest wait that is over. @returns {Wait|null} */
  get lastWait() {
    return this.waits.findLast(({ toMs }) => toMs !== null) ?? null;
  }

  /** A call begins or ends: nothing is waited for. */
  reset() {
    this._waiting = null;
    this._open = null;
  }

  _endSpeech(nowMs) {
    const last = this._open;
    if (!last || last.toMs !== null) return;
    last.toMs = nowMs;
    const heardLately = nowMs - this._userLoudMs < 5000;
    const fromMs = heardLately ? Math.min(this._userLoudMs, nowMs) : nowMs;
    this._waiting = keep(this.waits, { fromMs, toMs: null, ms: null, response: '' });
    this.mark('endpoint', nowMs);
  }

  _hearAgent(atMs) {
    const fresh = atMs - this._agentLoudMs > 150;
    this._agentLoudMs = atMs;
    const wait = this._waiting;
    if (!wait || (!fresh && wait.fromMs > atMs - 300)) return;
    wait.toMs = atMs;
    this.mark('first_sound', atMs, wait.response);
    this._waiting = null;
  }

  /** The record knows better when it was that the caller fell silent and the server decided. */
  _correct(turn) {
    const wait = this.waits.findLast(({ response }) => response && response === turn.response_id);
    if (!wait?.toMs || !turn.critical_ms) return;
    const parts = Object.values(turn.network_ms ?? {});
    wait.ms = turn.voice_to_voice_ms + parts.reduce((sum, ms) => sum + ms, 0);
    wait.fromMs = wait.toMs - wait.ms;
    const { eager_end: eager, endpoint } = turn.marks_ms;
    this.marks = this.marks.filter(
      ({ kind, atMs, response }) =>
        !(response === turn.response_id && kind !== 'first_sound') &&
        !(kind === 'endpoint' && atMs > wait.fromMs && atMs < wait.toMs),
    );
    this.mark('speech_end', wait.fromMs, turn.response_id);
    if (eager !== undefined) this.mark('eager_end', wait.fromMs + eager, turn.response_id);
    if (endpoint !== undefined) this.mark('endpoint', wait.fromMs + endpoint, turn.response_id);
    for (const { start_us: began } of turn.tools ?? []) {
      this.mark('tool', wait.fromMs + began / 1000, turn.response_id);
    }
  }
}

/** The newest few; returns the one that was added. */
function keep(list, one) {
  list.push(one);
  if (list.length > KEPT) list.shift();
  return one;
}
