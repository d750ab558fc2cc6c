/**
 * How a call goes on at another connection: the server keeps it for a while, and tells a token. What
 * has come is known by the ids of its events, so nothing is shown twice; and of the agent's speech
 * that plays here, what was not heard is asked for again. Pure.
 *
 * @typedef {object} Piece of the agent's audio that came
 * @property {string} id of its event
 * @property {string} before id of the event before it
 * @property {string} item
 * @property {number} startMs in the item's audio
 * @property {number} endMs
 */

const REMEMBERED = 4000;
/** Ids of events; the server sends no more than its own bound again. */

export class Resume {
  constructor() {
    this._token = '';
    this._last = '';
    /** @type {Set<string>} */
    this._seen = new Set();
    /** @type {Piece[]} not heard to their end, in order */
    this._pieces = [];
    /** @type {Map<string, number>} audio that came, by item */
    this._takenMs = new Map();
    /** @type {Set<string>} items of which no more is wanted */
    this._cut = new Set();
    /** What was heard over earlier connections, ms by item. @type {Map<string, number>} */
    this._bases = new Map();
    /** Ends the connection before, once another stands. */
    this.leave = () => {};
    /** Ends the call that is kept, where nobody goes on with it. */
    this.abandon = () => {};
    /** @type {import('./paced_playback.js').PacedPlayback|null} where the server plays */
    this.playback = null;
  }

  /** There is a call to go on with. */
  get possible() {
    return this._token !== '';
  }

  /** For the address of the next connection. */
  get query() {
    if (!this.possible) return 'resume=on';
    const after = this._pieces[0]?.before || this._last;
    return `resume=${this._token}&after=${after}`;
  }

  /**
   * Take in an event; false: it has come before.
   * @param {{type: string, event_id?: string, [key: string]: any}} event
   */
  take(event) {
    if (event.type === 'session.created') {
      this._token = event.session.voicepipe?.resume?.token ?? '';
      this._pieces = []; // those that `query` has asked for come again
      this.abandon = () => {};
      this._last = event.event_id ?? this._last; // by which the server knows where they begin
      return true;
    }
    const { event_id: id } = event;
    if (!id) return true;
    if (this._seen.has(id)) return false;
    this._seen.add(id);
    if (this._seen.size > REMEMBERED) this._seen.delete(this._seen.values().next().value);
    this._before = this._last;
    this._last = id;
    return true;
  }

  /**
   * The event that was taken in last brought so much audio.
   * @param {string} item
   * @param {number} ms
   * @returns {number} ms at its beginning that are not to be heard: they were, or nobody wants them
   */
  audio(item, ms) {
    const startMs = this._takenMs.get(item) ?? 0;
    const endMs = startMs + ms;
    this._takenMs.set(item, endMs);
    if (this._cut.has(item)) return ms;
    this._pieces.push({ id: this._last, before: this._before, item, startMs, endMs });
    return Math.min(ms, Math.max(0, this.baseMs(item) - startMs));
  }

  /** What of an item was heard over earlier connections. @param {string} item */
  baseMs(item) {
    return this._bases.get(item) ?? 0;
  }

  /** An item's audio has been heard so far. @param {string} item @param {number} playedMs */
  played(item, playedMs) {
    const at = this._pieces.findIndex((piece) => piece.item === item && piece.endMs > playedMs);
    const done = at < 0 ? this._pieces.findLastIndex((piece) => piece.item === item) + 1 : at;
    this._pieces.splice(0, done);
    if (this._pieces[0]?.item === item) this._heard = { item, ms: playedMs };
  }

  /** What has come of the agent's voice is not wanted any more. */
  cut() {
    this._pieces = [];
    for (const item of this._takenMs.keys()) this._cut.add(item);
  }

  /** The connection is gone: what was not heard is to come again. */
  lost() {
    const [first] = this._pieces;
    for (const { id, item } of this._pieces) {
      this._seen.delete(id);
      this._takenMs.delete(item);
    }
    if (first) this._takenMs.set(first.item, first.startMs);
    const partlyMs = (item) => (item === first?.item && this._heard?.item === item ? this._heard.ms : 0);
    const heard = [...this._takenMs].map(([item, ms]) => [item, Math.max(ms, this.baseMs(item), partlyMs(item))]);
    this._bases = new Map(heard);
  }
}

/** Whether a `session.created` goes on with a call. @param {{session: any}} event */
export function resumed(event) {
  return event.session.voicepipe?.resume?.resumed === true;
}
