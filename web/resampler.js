/**
 * Streaming conversion of the sample rate: windowed sinc, 16 zero crossings wide. Runs in the
 * recorder's worklet where the browser will not capture at 24 kHz itself. Pure.
 */

const CROSSINGS = 8;
/** To each side; delay 8 samples of the slower rate: 0.3 ms at 24 kHz. */

const PHASES = 512;
/** Kernels kept for positions between two samples; the rounding is 59 dB down at 8 kHz. */

export class Resampler {
  /**
   * @param {number} from Hz
   * @param {number} to Hz
   */
  constructor(from, to) {
    this._step = from / to; // input samples per output sample
    this._cutoff = Math.min(1, to / from) * 0.95; // of the input's Nyquist frequency
    this._reach = Math.ceil(CROSSINGS / this._cutoff);
    this._buffer = new Float32Array(this._reach); // silence before the first sample
    this._position = this._reach; // of the next output, in the buffer's samples
    this._passes = from === to;
    /** @type {Map<number, Float32Array>} by phase, made when first needed */
    this._kernels = new Map();
  }

  /**
   * @param {Float32Array} input
   * @returns {Float32Array} what can be computed by now
   */
  push(input) {
    if (this._passes) return input.slice();
    const buffer = new Float32Array(this._buffer.length + input.length);
    buffer.set(this._buffer);
    buffer.set(input, this._buffer.length);
    const count = Math.max(
      0,
      Math.ceil((buffer.length - this._reach - 1 - this._position) / this._step),
    );
    const output = new Float32Array(count);
    for (let i = 0; i < count; i += 1) {
      output[i] = this._at(buffer, this._position);
      this._position += this._step;
    }
    const used = Math.max(0, Math.floor(this._position) - this._reach);
    this._buffer = buffer.slice(used);
    this._position -= used;
    return output;
  }

  _at(buffer, position) {
    const phase = Math.round((position % 1) * PHASES);
    const kernel = this._kernel(phase);
    const first = Math.floor(position) - this._reach;
    let sum = 0;
    for (let i = Math.max(0, -first); i < kernel.length && first + i < buffer.length; i += 1) {
      sum += buffer[first + i] * kernel[i];
    }
    return sum;
  }

  /** Weights of the samples from `_reach` before to `_reach` after a position. */
  _kernel(phase) {
    const known = this._kernels.get(phase);
    if (known) return known;
    const kernel = new Float32Array(2 * this._reach + 2).map((_, i) =>
      this._weight(i - this._reach - phase / PHASES),
    );
    this._kernels.set(phase, kernel);
    return kernel;
  }

  _weight(distance) {
    if (Math.abs(distance) >= this._reach) return 0;
    const x = Math.PI * distance * this._cutoff;
    const sinc = x === 0 ? 1 : Math.sin(x) / x;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / this._reach);
    return this._cutoff * sinc * window;
  }
}
