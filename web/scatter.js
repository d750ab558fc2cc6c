/**
 * Turns as points: one after the other to the right, what was heard upwards. Pure: places, draws
 * nothing.
 *
 * @typedef {object} Point
 * @property {string} id the turn's
 * @property {number} number
 * @property {number} ms
 * @property {string} stage that took longest: the colour
 * @property {'hit'|'miss'|'none'} prepared the shape
 * @property {number} x 0 to 1, like `y`; beyond the axis at its edge
 * @property {number} y
 *
 * @typedef {{points: Point[], fromNumber: number, toNumber: number, toMs: number}} Plot
 */
import { PROMISE_MS, heardMs, longest } from './ledger.js';

const LEAST_MS = 400;

const MARGIN = Object.freeze({ x: 0.03, y: 0.05 });
/** Of the picture, on either side: room for a whole point. */

/** Where a share of an axis lies in the picture, 0 to 1; upwards too. @param {'x'|'y'} axis @param {number} share */
export function placed(axis, share) {
  return MARGIN[axis] + share * (1 - 2 * MARGIN[axis]);
}

/** The other way round; beyond the axis is its end. @param {'x'|'y'} axis @param {number} place */
function shareAt(axis, place) {
  return Math.max(0, Math.min(1, (place - MARGIN[axis]) / (1 - 2 * MARGIN[axis])));
}

/** @param {import('./turns_panel.js').Entry[]} entries @returns {Plot} */
export function plot(entries) {
  const drawn = entries.filter(({ turn }) => heardMs(turn) !== null);
  const values = drawn.map(({ turn }) => heardMs(turn)).sort((a, b) => a - b);
  const most = values[Math.ceil(values.length * 0.98) - 1] ?? 0;
  const toMs = Math.max(LEAST_MS, Math.ceil((most * 1.15) / 100) * 100);
  const fromNumber = drawn[0]?.number ?? 1;
  const toNumber = Math.max(drawn.at(-1)?.number ?? 1, fromNumber + 1);
  const points = drawn.map(({ turn, number }) => ({
    id: turn.turn_id,
    number,
    ms: heardMs(turn),
    stage: longest(turn)?.name ?? 'output',
    prepared: turn.preemption ?? 'none',
    x: (number - fromNumber) / (toNumber - fromNumber),
    y: Math.min(1, heardMs(turn) / toMs),
  }));
  return { points, fromNumber, toNumber, toMs };
}

/**
 * What lies in a rectangle that was drawn over the picture, as ranges of number and ms.
 * @param {Plot} of
 * @param {{x: [number, number], y: [number, number]}} box 0 to 1 of the picture, y upwards
 */
export function brushed({ fromNumber, toNumber, toMs }, { x, y }) {
  const number = (place) => fromNumber + shareAt('x', place) * (toNumber - fromNumber);
  const [low, high] = y.map((place) => shareAt('y', place));
  const top = high === 1 ? 600_000 : high * toMs; // at the edge lies all that is beyond
  return {
    nr: /** @type {[number, number]} */ ([Math.ceil(number(x[0])), Math.floor(number(x[1]))]),
    heard: /** @type {[number, number]} */ ([low * toMs, top]),
  };
}

/** Where the promised time lies, 0 to 1; null: beyond the picture. @param {Plot} of */
export function promiseAt({ toMs }) {
  return toMs >= PROMISE_MS ? PROMISE_MS / toMs : null;
}
