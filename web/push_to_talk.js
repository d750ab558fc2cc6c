/** Push to talk: the button makes the turns. */
import { COMMIT, FORGET, RESPOND } from './client_events.js';

const TAIL_MS = 150;
/** People let the button go while the last word still sounds. */
const TAP_MS = 250;
/** A press this short is no turn: nobody says anything in it. */

export class PushToTalk {
  /**
   * @param {object} on
   * @param {(event: any) => void} on.send
   * @param {(held: boolean) => void} on.held
   * @param {() => void} on.ears whether the server is to hear (`open`) may have changed
   * @param {() => void} on.tooShort
   */
  constructor(on) {
    this._on = on;
    this._held = false;
    this._tail = 0;
    this._since = 0;
    this._answerNext = false;
  }

  /** The server is to hear the user. */
  get open() {
    return this._held || this._tail !== 0;
  }

  press() {
    if (this._held) return;
    this._held = true;
    if (this._tail) {
      clearTimeout(this._tail); // let go and pressed again: still the same turn
      this._tail = 0;
    } else {
      this._since = performance.now();
      this._on.send(FORGET); // what came before the press
    }
    this._on.ears();
    this._on.held(true);
  }

  release() {
    if (!this._held) return;
    this._held = false;
    this._on.held(false);
    if (performance.now() - this._since < TAP_MS) {
      this._on.ears();
      this._on.tooShort();
    } else {
      this._tail = setTimeout(() => this._commit(), TAIL_MS);
    }
  }

  /** The server has the turn; only now is there something to answer. */
  committed() {
    if (this._answerNext) this._on.send(RESPOND);
    this._answerNext = false;
  }

  /** Between two presses silence flows over WebRTC: the server need not keep minutes of it. */
  forget() {
    if (!this.open) this._on.send(FORGET);
  }

  /** The call ends, or its mode changes. */
  reset() {
    clearTimeout(this._tail);
    this._tail = 0;
    this._held = false;
    this._answerNext = false;
  }

  _commit() {
    this._tail = 0;
    this._on.ears();
    this._answerNext = true;
    this._on.send(COMMIT);
  }
}
