/** Percentiles of the latest turns, by stage. Pure, and the same nearest rank as the server's. */
import { PROMISE_MS, heardMs, networkMs, stagesOf } from './ledger.js';

const WINDOW = 500;
/** Turns that are kept; the oldest go first. */

/** A share of fewer turns than this is only their slowest one, so it is not shown. */
export const NEEDED = Object.freeze({ p50: 1, p95: 20, p99: 100 });
const SHARES = Object.freeze({ p50: 0.5, p95: 0.95, p99: 0.99 });

/**
 * Nearest-rank percentile: a value that really occurred.
 * @param {number[]} values
 * @param {number} share 0..1
 * @returns {number} NaN for no values
 */
export function percentile(values, share) {
  if (values.length === 0) return NaN;
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.max(0, Math.ceil(share * ordered.length - 1e-9) - 1)];
}

/**
 * @typedef {object} Row
 * @property {string} name a stage, `heard`, `voice_to_voice` or `network`
 * @property {number} n turns that have this figure
 * @property {number} p50 ms, like the next two; NaN with too few turns
 * @property {number} p95
 * @property {number} p99
 * @property {number|null} budgetMs null where there is none
 * @property {number} over how many turns were over it
 */

/** @param {number[]} values @returns {{n: number, p50: number, p95: number, p99: number}} */
export function summary(values) {
  const n = values.length;
  const found = Object.entries(SHARES).map(([name, share]) => [
    name,
    n >= NEEDED[name] ? percentile(values, share) : NaN,
  ]);
  return { n, ...Object.fromEntries(found) };
}

/** A turn that somebody spoke and waited for. @param {any} turn */
export function isMeasured(turn) {
  return Boolean(turn.critical_ms) && turn.origin !== 'text'; // typed: nobody waited to speak
}

/** The figures of these turns, the totals first. @param {any[]} turns @returns {Row[]} */
export function rowsOf(turns) {
  const measured = turns.filter(isMeasured);
  if (measured.length === 0) return [];
  const budget = measured.at(-1).budget_ms ?? {};
  const stages = [...new Set(measured.flatMap(stagesOf))];
  const row = (name, valueOf, budgetMs, isOver) => {
    const values = measured.map(valueOf).filter((ms) => ms !== null && ms !== undefined);
    return { name, ...summary(values), budgetMs, over: measured.filter(isOver).length };
  };
  const late = (valueOf) => (turn) => valueOf(turn) > PROMISE_MS;
  const server = (turn) => turn.voice_to_voice_ms;
  const isOver = (name) => (turn) => turn.over_budget.includes(name); // by the budget of its time
  return [
    row('heard', heardMs, PROMISE_MS, late(heardMs)),
    row('voice_to_voice', server, null, () => false),
    ...stages.map((name) =>
      row(name, (turn) => turn.critical_ms[name], budget[name] ?? null, isOver(name)),
    ),
    row('network', networkMs, budget.network ?? null, isOver('network')),
  ];
}

export class Figures {
  constructor() {
    /** @type {object[]} the spoken turns that have figures, in the form of `voicepipe.turn` */
    this.turns = [];
    this.hits = 0;
    this.misses = 0;
    this.discards = 0;
  }

  /** @param {any} turn the `turn` of a `voicepipe.turn` event */
  add(turn) {
    if (turn.preemption === 'hit') this.hits += 1;
    if (turn.preemption === 'miss') this.misses += 1;
    this.discards += turn.discards ?? 0;
    if (!isMeasured(turn)) return;
    this.turns.push(turn);
    if (this.turns.length > WINDOW) this.turns.shift();
  }

  /** @returns {Row[]} the totals first; empty while there are no turns */
  rows() {
    return rowsOf(this.turns);
  }
}
