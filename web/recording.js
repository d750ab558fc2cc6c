/**
 * A call's recording: a stereo WAV, left the caller, right the agent. Pure. Times in seconds from its
 * beginning.
 *
 * @typedef {object} Sound
 * @property {number} rate Hz
 * @property {Int16Array} samples of both sides by turns
 *
 * @typedef {object} Envelope how loud both sides are, `STEP_S` a value, 0 to 1
 * @property {Float32Array} caller
 * @property {Float32Array} agent
 *
 * @typedef {'agent over caller'|'caller over agent'} Who
 * @typedef {{from: number, to: number, who: Who}} Overlap
 */

export const STEP_S = 0.02;

const HEADER = 44;
const LOUD = 0.012;
/** -38 dBFS: above a telephone line's noise, below quiet speech. */
const BLOCK_STEPS = 25;
const BLOCKS = 8;
/** 4 s, in which every speaker is quiet once: what never is, is noise. */
const ABOVE_NOISE = 3;
const CLOSED_S = 0.3;
/** A stretch of speech goes over pauses as short as between two words. */
const LEAST_OVERLAP_S = 0.3;
/** Shorter is the end of a word under the beginning of another. */

/** @param {ArrayBuffer} bytes @returns {Sound} as voicepipe writes it; throws RangeError for anything else */
export function readWav(bytes) {
  const view = new DataView(bytes);
  const text = (at) => String.fromCharCode(...new Uint8Array(bytes, at, 4));
  const ours = bytes.byteLength >= HEADER && text(0) === 'RIFF' && text(36) === 'data';
  if (!ours || view.getUint16(22, true) !== 2 || view.getUint16(34, true) !== 16)
    throw new RangeError('this is no recording of a call');
  const count = Math.floor((bytes.byteLength - HEADER) / 4) * 2;
  return { rate: view.getUint32(24, true), samples: new Int16Array(bytes, HEADER, count) };
}

/** @param {Sound} sound @returns {number} seconds */
export function lengthOf({ rate, samples }) {
  return samples.length / 2 / rate;
}

/** The loudest sample of each step. @param {Sound} sound @returns {Envelope} */
export function envelopeOf({ rate, samples }) {
  const step = Math.round(rate * STEP_S);
  const count = Math.ceil(samples.length / 2 / step);
  const sides = [new Float32Array(count), new Float32Array(count)];
  for (let i = 0; i < samples.length; i += 1) {
    const at = Math.floor(i / 2 / step);
    const size = Math.abs(samples[i]) / 32768;
    if (size > sides[i % 2][at]) sides[i % 2][at] = size;
  }
  return { caller: sides[0], agent: sides[1] };
}

/** What is heard without a break for some seconds, a value for each block. @param {Float32Array} levels */
function noiseOf(levels) {
  const count = Math.ceil(levels.length / BLOCK_STEPS);
  const least = Array.from({ length: count }, (_, b) => Math.min(...levels.subarray(b * BLOCK_STEPS, (b + 1) * BLOCK_STEPS)));
  const steady = (from, to) => (from < 0 || to > count ? 0 : Math.min(...least.slice(from, to)));
  return least.map((_, b) => Math.max(steady(b - BLOCKS + 1, b + 1), steady(b, b + BLOCKS)));
}

/** Where one side speaks. @param {Float32Array} levels @returns {{from: number, to: number}[]} */
export function speechOf(levels) {
  const found = [];
  const noise = noiseOf(levels);
  levels.forEach((level, i) => {
    if (level < Math.max(LOUD, ABOVE_NOISE * noise[Math.floor(i / BLOCK_STEPS)])) return;
    const last = found.at(-1);
    if (last && i * STEP_S - last.to <= CLOSED_S) last.to = (i + 1) * STEP_S;
    else found.push({ from: i * STEP_S, to: (i + 1) * STEP_S });
  });
  return found;
}

/** Where both speak at once, and who spoke over whom. @param {Envelope} envelope @returns {Overlap[]} */
export function overlapsOf({ caller, agent }) {
  const found = [];
  const theirs = speechOf(agent);
  for (const own of speechOf(caller)) {
    for (const other of theirs) {
      const from = Math.max(own.from, other.from);
      const to = Math.min(own.to, other.to);
      const who = other.from > own.from ? 'agent over caller' : 'caller over agent';
      if (to - from >= LEAST_OVERLAP_S) found.push({ from, to, who });
    }
  }
  return found;
}

/** Stretches of at least so long in which nobody speaks. @param {Envelope} envelope @param {number} least */
export function silencesOf({ caller, agent }, least) {
  const both = speechOf(caller.map((level, i) => Math.max(level, agent[i])));
  const ends = [0, ...both.map(({ to }) => to)];
  const begins = [...both.map(({ from }) => from), caller.length * STEP_S];
  return ends
    .map((from, i) => ({ from, to: begins[i] }))
    .filter(({ from, to }) => to - from >= least);
}

/** One side between two instants, as a WAV of its own. @param {Sound} sound @param {number} from @param {number} to @param {0|1} side */
export function cutWav({ rate, samples }, from, to, side = 0) {
  const first = Math.max(0, Math.round(from * rate));
  const last = Math.min(samples.length / 2, Math.round(to * rate));
  const size = Math.max(0, last - first) * 2;
  const view = new DataView(new ArrayBuffer(HEADER + size));
  const put = (at, text) => [...text].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  put(0, 'RIFF');
  view.setUint32(4, HEADER - 8 + size, true);
  put(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  [1, 1].forEach((value, i) => view.setUint16(20 + 2 * i, value, true));
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  [2, 16].forEach((value, i) => view.setUint16(32 + 2 * i, value, true));
  put(36, 'data');
  view.setUint32(40, size, true);
  for (let i = first; i < last; i += 1)
    view.setInt16(HEADER + (i - first) * 2, samples[2 * i + side], true);
  return view.buffer;
}
