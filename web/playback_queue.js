/**
 * What the player's worklet has yet to play, and how far each item got. Pure.
 *
 * Items play one after the other. Silence comes and goes by a fade of a few milliseconds: `hold`
 * keeps the rest for later, `cut` drops it.
 */

const FADE_S = 0.005;
/** Short enough to feel like silence at once, long enough not to click. */

export class PlaybackQueue {
  /** @param {number} rate samples per second */
  constructor(rate) {
    this._step = 1 / (FADE_S * rate); // of the gain, per sample
    /** @type {{item: string, samples: Float32Array}[]} */
    this._chunks = [];
    this._offset = 0; // into the first chunk
    this._gain = 1;
    this._held = false;
    this._dropping = false;
    /** The item that plays or played last. */
    this.item = '';
    /** Samples of that item that were played. */
    this.played = 0;
  }

  get empty() {
    return this._chunks.length === 0;
  }

  /**
   * @param {string} item
   * @param {Float32Array} samples
   */
  add(item, samples) {
    if (this._dropping) this._drop(); // what follows a cut belongs to a new reply
    if (samples.length > 0) this._chunks.push({ item, samples });
  }

  /** Silence; `hold(false)` goes on where it stopped. @param {boolean} held */
  hold(held) {
    this._held = held;
  }

  /** Silence for good. */
  cut() {
    this._dropping = !this.empty;
    this._held = false;
  }

  /**
   * Fill the next block; silence where there is nothing to play.
   * @param {Float32Array} output
   */
  fill(output) {
    output.fill(0);
    for (let i = 0; i < output.length && !this.empty; i += 1) {
      this._moveGain();
      if (this._gain === 0) {
        if (this._dropping) this._drop();
        return; // held
      }
      output[i] = this._next() * this._gain;
    }
    if (this.empty) this._drop();
  }

  _moveGain() {
    const wanted = this._held || this._dropping ? 0 : 1;
    const change = Math.max(-this._step, Math.min(this._step, wanted - this._gain));
    this._gain = Math.max(0, Math.min(1, this._gain + change));
    if (this._gain < this._step / 2) this._gain = wanted && this._step; // no crumbs of rounding
  }

  _next() {
    const { item, samples } = this._chunks[0];
    if (item !== this.item) {
      this.item = item;
      this.played = 0;
    }
    const sample = samples[this._offset];
    this._offset += 1;
    this.played += 1;
    if (this._offset === samples.length) {
      this._chunks.shift();
      this._offset = 0;
    }
    return sample;
  }

  _drop() {
    this._chunks.length = 0;
    this._offset = 0;
    this._gain = 1;
    this._dropping = false;
  }
}
