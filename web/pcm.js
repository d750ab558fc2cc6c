/** 16-bit PCM in base64, as it travels on the WebSocket. */

/** Samples per second, in both directions. */
export const RATE = 24000;

/**
 * @param {Int16Array} samples
 * @returns {string} base64 of their little-endian bytes
 */
export function encode(samples) {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  samples.forEach((sample, i) => view.setInt16(2 * i, sample, true));
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return btoa(text);
}

/**
 * @param {string} base64
 * @returns {Float32Array} samples from -1 to 1
 */
export function decode(base64) {
  const text = atob(base64);
  const samples = new Float32Array(text.length >> 1);
  for (let i = 0; i < samples.length; i += 1) {
    const word = text.charCodeAt(2 * i) | (text.charCodeAt(2 * i + 1) << 8);
    samples[i] = (word >= 32768 ? word - 65536 : word) / 32768;
  }
  return samples;
}

/** @param {Int16Array} samples @returns {Float32Array} from -1 to 1 */
export function floats(samples) {
  return Float32Array.from(samples, (sample) => sample / 32768);
}
