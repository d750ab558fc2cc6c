/**
 * Settings compared by use: each set of values that is tried is a run with a letter, and every turn
 * belongs to the run it was spoken under. Pure.
 *
 * @typedef {Map<string, number|string>} Values by the setting's name; only what differs from the start
 *
 * @typedef {object} Run
 * @property {string} letter
 * @property {Values} values
 * @property {number[]} heardMs of its turns
 *
 * @typedef {object} Compared
 * @property {string} letter
 * @property {Values} values
 * @property {number} n
 * @property {number} p50 NaN without turns
 * @property {number} p95 NaN with fewer than 20
 * @property {number} changeMs of the median against the first run; NaN for that one
 * @property {[number, number]|null} intervalMs of the change, 95 %; null with too few turns
 */
import { summary } from './percentiles.js';

const MOST = 26;
const BEYOND = '–';
/** Where the letters are used up: what is heard then is compared with nothing. */
const ENOUGH = 5;
/** Turns a run needs before the difference of two medians says anything. */
const RESAMPLES = 1000;

export class Runs {
  constructor() {
    /** @type {Run[]} */
    this.runs = [];
    this._current = this._add(new Map());
    /** @type {Run|null} of the answer that is under way: its values stay as they are */
    this._answering = null;
  }

  /** @returns {string} */
  get letter() {
    return this._current.letter;
  }

  /** From before a reload; the last one goes on. @param {Run[]} runs [] begins anew */
  restore(runs) {
    const { values } = this._current;
    this.runs = runs;
    this._current = runs.at(-1) ?? this._add(values);
  }

  /** An answer begins. @returns {string} the letter of its run, whatever is set before its figure comes */
  answer() {
    this._answering = this._current;
    return this.letter;
  }

  /** From now on these values are in effect; known ones go on with their run. @param {Values} values */
  change(values) {
    const known = this.runs.find((run) => same(run.values, values));
    if (known) this._current = known;
    else if (this._current.heardMs.length === 0 && this._current !== this._answering)
      this._current.values = new Map(values);
    else if (this.runs.length < MOST) this._current = this._add(values);
    else this._current = { letter: BEYOND, values: new Map(values), heardMs: [] };
  }

  /** A turn was heard, or null. @param {number|null} ms @param {string} letter of the run it was answered under */
  heard(ms, letter = this.letter) {
    const known = this.runs.find((one) => one.letter === letter);
    const run = known ?? (letter === BEYOND ? null : this._current);
    if (ms !== null) run?.heardMs.push(ms);
    if (run === this._answering) this._answering = null;
  }

  /** @returns {Compared[]} in the order of their letters */
  compare() {
    const [first] = this.runs;
    return this.runs.map((run) => {
      const { n, p50, p95 } = summary(run.heardMs);
      const changeMs = run === first ? NaN : p50 - summary(first.heardMs).p50;
      const intervalMs = run === first ? null : interval(first.heardMs, run.heardMs);
      return { letter: run.letter, values: run.values, n, p50, p95, changeMs, intervalMs };
    });
  }

  _add(values) {
    const letter = String.fromCharCode(65 + this.runs.length);
    const run = { letter, values: new Map(values), heardMs: [] };
    this.runs.push(run);
    return run;
  }
}

function same(a, b) {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}

/**
 * Where the change of the median lies, 95 times of 100: by drawing again from what was measured.
 * @param {number[]} before
 * @param {number[]} after
 * @returns {[number, number]|null} ms; null with too few of either
 */
export function interval(before, after) {
  if (before.length < ENOUGH || after.length < ENOUGH) return null;
  const random = seeded(before.length * 1000 + after.length);
  const changes = [];
  for (let i = 0; i < RESAMPLES; i += 1) {
    changes.push(median(drawn(after, random)) - median(drawn(before, random)));
  }
  changes.sort((a, b) => a - b);
  return [changes[Math.floor(RESAMPLES * 0.025)], changes[Math.ceil(RESAMPLES * 0.975) - 1]];
}

function drawn(values, random) {
  return values.map(() => values[Math.floor(random() * values.length)]);
}

function median(values) {
  return summary(values).p50;
}

/** The same figures give the same interval: a small generator with a seed (mulberry32). */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
