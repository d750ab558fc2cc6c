/**
 * What this page heard around one turn, for its lanes: how loud both were, a hexadecimal digit for
 * each 20 ms, from 3 s before the end of the user's speech on. Pure. The sound itself is not kept.
 *
 * @typedef {{user: string, agent: string}} TurnSound
 */
export const STEP_MS = 20;
export const FROM_MS = -3000;
const AFTER_MS = 2500;
/** Of the answer. */
const FULL = 15;

/**
 * @param {import('./scope.js').Scope} scope
 * @param {any} turn whose record the scope has taken in
 * @param {number} nowMs of its clock
 * @returns {TurnSound|null} null: nothing was heard of it, as in a tab that nobody looked at
 */
export function soundOf(scope, turn, nowMs) {
  const wait = scope.waits.findLast(({ response, ms }) => ms !== null && response === turn.response_id);
  if (!wait) return null;
  const count = Math.ceil((wait.ms + AFTER_MS - FROM_MS) / STEP_MS);
  const sides = { user: new Uint8Array(count), agent: new Uint8Array(count) };
  for (const { atMs, user, agent } of scope.columns(nowMs)) {
    const at = Math.round((atMs - wait.fromMs - FROM_MS) / STEP_MS);
    if (at < 0 || at >= count) continue;
    sides.user[at] = Math.round(FULL * Math.min(1, user));
    sides.agent[at] = Math.round(FULL * Math.min(1, agent));
  }
  const { user, agent } = sides;
  return user.some(Boolean) || agent.some(Boolean) ? { user: written(user), agent: written(agent) } : null;
}

/** What was heard at the first sound and at the answer's end, together. @param {TurnSound|null} [before] @param {TurnSound|null} [now] */
export function both(before, now) {
  if (!before || !now) return now ?? before ?? null;
  const louder = (a, b) => [...b].map((digit, i) => (digit < (a[i] ?? '0') ? a[i] : digit)).join(''); // 9 is less than a
  return { user: louder(before.user, now.user), agent: louder(before.agent, now.agent) };
}

/** @param {string} digits @returns {number[]} 0 to 1 */
export function levelsOf(digits) {
  return [...digits].map((digit) => parseInt(digit, 16) / FULL);
}

function written(levels) {
  return Array.from(levels, (level) => Math.round(level).toString(16)).join('');
}
