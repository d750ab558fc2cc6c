/** Stages that have become slower than in their own last week, as `/readyz` tells them. */
import { el } from './dom.js';
import { labelOf, ms } from './ledger.js';
import { authorization } from './server.js';

const DEADLINE_MS = 8000;

/** @typedef {{stage: string, quantile: number, before_ms: number, now_ms: number, cause: string}} Drift */

/** @param {Drift} drift @returns {string} */
export function driftWords({ stage, quantile, before_ms, now_ms, cause }) {
  const which = quantile === 0.5 ? 'the median' : `p${Math.round(quantile * 100)}`;
  const slower = `${labelOf(stage)} is slower than last week: ${which} is ${ms(now_ms)} ms, was ${ms(before_ms)} ms`;
  return cause ? `${slower}. Likely: ${cause}.` : `${slower}.`;
}

/**
 * @param {HTMLElement} place @param {string} key
 * @returns {Promise<void>} when it says what the server says; nothing where it says nothing
 */
export async function showDrift(place, key) {
  const found = (await fetchDrift(key)).map((drift) => el('p', {}, driftWords(drift)));
  place.replaceChildren(...found);
  place.hidden = found.length === 0;
}

/** @param {string} key @returns {Promise<Drift[]>} */
async function fetchDrift(key) {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const response = await fetch('/readyz', { headers: authorization(key), signal });
    return (await response.json()).drift ?? []; // without the key it tells less
  } catch {
    return [];
  }
}
