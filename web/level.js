/** How loud something is, for the eye. */

const FLOOR_DB = -55;
const CEILING_DB = -12;

/**
 * Loudness of samples on the eye's scale.
 * @param {Float32Array} samples from -1 to 1
 * @returns {number} 0 (-55 dBFS and less) to 1 (-12 dBFS)
 */
export function loudness(samples) {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const db = 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-12);
  return Math.max(0, Math.min(1, (db - FLOOR_DB) / (CEILING_DB - FLOOR_DB)));
}

export class LevelMeter {
  /** @param {AudioContext} context */
  constructor(context) {
    this.node = new AnalyserNode(context, { fftSize: 512 });
    this._samples = new Float32Array(this.node.fftSize);
  }

  /** @returns {number} 0 to 1, now */
  read() {
    this.node.getFloatTimeDomainData(this._samples);
    return loudness(this._samples);
  }
}
