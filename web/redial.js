/** Calls again by itself where that may help, with a countdown, and not for ever. */

const WAITS_S = Object.freeze([2, 3, 5, 8, 10, 15, 20, 30]);

/** What another try may mend. */
const MENDED_BY_TIME = new Set(['lost', 'busy']);
/** The same, once we are trying: the server may be on its way up. */
const MENDED_MEANWHILE = new Set([...MENDED_BY_TIME, 'unreachable', 'not_ready', 'refused']);

export class Redial {
  /**
   * @param {object} on
   * @param {() => void} on.dial
   * @param {(seconds: number) => void} on.tick once a second until then
   */
  constructor(on) {
    this._on = on;
    this._tries = 0;
    this._timer = 0;
  }

  /** Another try is on its way, or under way. */
  get active() {
    return this._tries > 0;
  }

  /** A call has failed. @param {string} code of the problem @returns {boolean} whether it tries again */
  failed(code) {
    const hopeful = this.active ? MENDED_MEANWHILE : MENDED_BY_TIME;
    if (!hopeful.has(code) || this._tries === WAITS_S.length) {
      this.stop();
      return false;
    }
    clearTimeout(this._timer);
    const seconds = WAITS_S[this._tries];
    this._tries += 1;
    this._count(seconds);
    return true;
  }

  /** The call stands, or the user has other plans. */
  stop() {
    clearTimeout(this._timer);
    this._tries = 0;
  }

  _count(seconds) {
    if (seconds === 0) {
      this._on.dial();
      return;
    }
    this._on.tick(seconds);
    this._timer = setTimeout(() => this._count(seconds - 1), 1000);
  }
}
