/** Percentiles of the latest turns, by stage. Pure, and the same nearest rank as the server's. */

/** The stages in the order of a turn's path; their critical parts add up to voice to voice. */
export const STAGES = Object.freeze(['endpoint', 'asr', 'llm', 'clause', 'tts', 'output']);

/** What the product promises: an answer within this time. */
export const PROMISE_MS = 800;

const WINDOW = 500;
/** Turns that are kept; the oldest go first. */

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
 * @property {string} name a stage, or `voice_to_voice`
 * @property {number} p50 ms, like the next three
 * @property {number} p95
 * @property {number} p99
 * @property {number|null} budgetMs null where there is none
 * @property {number} over how many turns were over it
 */

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
    if (turn.critical_ms === null || turn.origin === 'text') return; // typed: nobody waited to speak
    this.turns.push(turn);
    if (this.turns.length > WINDOW) this.turns.shift();
  }

  /** @returns {Row[]} the total first; empty while there are no turns */
  rows() {
    if (this.turns.length === 0) return [];
    const budget = this.turns.at(-1).budget_ms;
    const total = ({ voice_to_voice_ms: ms }) => ms;
    const late = (turn) => total(turn) > PROMISE_MS;
    const stages = STAGES.map((name) => {
      const over = (turn) => turn.over_budget.includes(name); // by the budget of its time
      return this._row(name, (turn) => turn.critical_ms[name], budget[name] ?? null, over);
    });
    return [this._row('voice_to_voice', total, PROMISE_MS, late), ...stages];
  }

  _row(name, valueOf, budgetMs, isOver) {
    const values = this.turns.map(valueOf);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(values, share));
    return { name, p50, p95, p99, budgetMs, over: this.turns.filter(isOver).length };
  }
}
