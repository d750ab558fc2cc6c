/**
 * Whether the other side is still there, by the signs of life that come from it. Pure: the caller
 * tells the time.
 *
 * @typedef {'well'|'unstable'|'lost'} Health
 */

const UNSTABLE_MS = 1500;
const LOST_MS = 4000;
const STOOD_STILL_MS = 2000;
/** A page that has not looked for so long (a laptop that slept) knows nothing of that time. */

export class Liveness {
  /** @param {number} now ms, like all times here */
  constructor(now) {
    this._seen = now;
    this._looked = now;
  }

  /** How long nothing has come. @param {number} now */
  silentMs(now) {
    return now - this._seen;
  }

  /** Something came. @param {number} at when */
  sign(at) {
    this._seen = Math.max(this._seen, at);
  }

  /** How long until the next look would find it worse, if nothing comes. @param {number} now */
  edgeMs(now) {
    const edge = [UNSTABLE_MS, LOST_MS].find((ms) => ms > this.silentMs(now));
    return edge === undefined ? 0 : edge - this.silentMs(now);
  }

  /** @param {number} now @returns {Health} to be asked several times a second */
  look(now) {
    if (now - this._looked > STOOD_STILL_MS) this._seen = now;
    this._looked = now;
    const silent = this.silentMs(now);
    if (silent >= LOST_MS) return 'lost';
    return silent >= UNSTABLE_MS ? 'unstable' : 'well';
  }
}
