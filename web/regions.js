/**
 * Where the gateways stand, and which of them is nearest from here. The way is measured by a few
 * small requests to each; the least of them has the least of everything else in it.
 *
 * @typedef {object} Region
 * @property {string} id
 * @property {string} base origin of its gateway; '' is the one that gave this page
 * @property {number|null} ms there and back; null: it does not answer, or takes no calls
 */

const LIST_DEADLINE_MS = 2000;
const DEADLINE_MS = 1500;
const TRIES = 4;
/** The first of them opens the connection. */

/** @returns {Promise<Region[]>} those that the server lists, measured; [] where there is no choice */
export async function measured() {
  const listed = await list();
  if (listed.length < 2) return [];
  return Promise.all(
    listed.map(async ({ id, url, here }) => {
      const base = here || url === null ? '' : url;
      return { id, base, ms: await roundTrip(base) };
    }),
  );
}

/**
 * Which one to call: the wanted one if it answers, else the nearest. Pure.
 * @param {Region[]} regions
 * @param {string} wanted id; '' is the nearest
 * @returns {Region|null} null: there is no choice
 */
export function chosen(regions, wanted) {
  const up = regions.filter(({ ms }) => ms !== null).sort((a, b) => a.ms - b.ms);
  return up.find(({ id }) => id === wanted) ?? up[0] ?? null;
}

/** Where a path lies on a region's gateway, for fetch. @param {string} base @param {string} path */
export function at(base, path) {
  return new URL(path, base || location.href).href;
}

/** The same for a WebSocket. @param {string} base @param {string} path */
export function socketAt(base, path) {
  return at(base, path).replace(/^http/, 'ws');
}

async function list() {
  try {
    const signal = AbortSignal.timeout(LIST_DEADLINE_MS);
    const response = await fetch('/v1/regions', { cache: 'no-store', signal });
    return response.ok ? (await response.json()).data : [];
  } catch {
    return [];
  }
}

/** @param {string} base @returns {Promise<number|null>} */
async function roundTrip(base) {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  let least = null;
  try {
    for (let n = 0; n < TRIES; n += 1) {
      const began = performance.now();
      const response = await fetch(at(base, '/readyz'), { cache: 'no-store', signal });
      if (!response.ok) return null;
      least = Math.min(performance.now() - began, least ?? Infinity);
    }
  } catch {
    // far away or gone: what was measured counts
  }
  return least;
}
