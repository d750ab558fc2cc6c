/**
 * A turn as bars on a time axis. Pure: lays out, draws nothing. Times in ms after the end of the
 * user's speech.
 *
 * @typedef {object} Bar
 * @property {string} name the stage, or `tool:` and the function's name
 * @property {string} label
 * @property {[number, number]} critical what the user waited for; these add up to `heardMs`
 * @property {[number, number]} work when the stage worked, also before the endpoint
 * @property {number} workMs how long it worked
 * @property {number} budgetMs NaN where there is none
 * @property {boolean} over
 *
 * @typedef {object} Layout
 * @property {string} turnId
 * @property {number|null} totalMs the server's part; null: no figures
 * @property {number|null} heardMs with network and playout, as far as they are known
 * @property {number|null} networkMs null: not measured
 * @property {string} note why there are no figures, or what is remarkable
 * @property {number} fromMs the turn's own axis; before 0 where work began before speech ended
 * @property {number} toMs
 * @property {number|null} endpointMs the decision that the user's turn was over
 * @property {number|null} eagerMs the silence at which the reply was prepared
 * @property {Bar[]} bars
 *
 * @typedef {{fromMs: number, toMs: number}} Axis
 */
import { PROMISE_MS, heardMs, labelIn, networkMs, noteOf, segmentsOf, toolsOf } from './ledger.js';

/** The marks between which a stage worked. */
const MARKS = Object.freeze({
  endpoint: ['speech_end', 'endpoint'],
  asr: ['eager_end', 'asr_final'],
  llm: ['llm_request', 'llm_first_token'],
  clause: ['llm_first_token', 'first_clause'],
  tts: ['first_clause', 'tts_first_audio'],
  output: ['tts_first_audio', 'audio_out'],
});

/**
 * @param {any} turn the `turn` of a `voicepipe.turn` event
 * @returns {Layout}
 */
export function layout(turn) {
  const head = { turnId: turn.turn_id, note: noteOf(turn) };
  if (!turn.critical_ms) {
    const none = { totalMs: null, heardMs: null, networkMs: null, endpointMs: null, eagerMs: null };
    return { ...head, ...none, fromMs: 0, toMs: 0, bars: [] };
  }
  const bars = barsOf(turn);
  const spoken = turn.origin !== 'text'; // typed turns are short: nobody has to stop speaking
  return {
    ...head,
    totalMs: turn.voice_to_voice_ms,
    heardMs: heardMs(turn),
    networkMs: networkMs(turn),
    fromMs: Math.min(0, ...bars.map((bar) => bar.work[0])),
    toMs: Math.max(1, heardMs(turn), ...bars.map((bar) => bar.work[1])),
    endpointMs: spoken ? turn.critical_ms.endpoint : null,
    eagerMs: spoken ? (eagerEnd(turn) ?? null) : null,
    bars,
  };
}

const LEAST_AXIS_MS = 400;
const OUTLIER = 2.5;
/** A turn so many times longer than the middle one does not squeeze all the others. */

/**
 * One axis for all turns that are seen together, so that their bars can be compared. A single turn
 * far longer than the others runs off its end.
 * @param {Layout[]} layouts
 * @returns {Axis}
 */
export function axisOf(layouts) {
  const drawn = layouts.filter(({ heardMs }) => heardMs !== null);
  if (drawn.length === 0) return { fromMs: 0, toMs: LEAST_AXIS_MS };
  const ends = drawn.map(({ toMs }) => toMs).sort((a, b) => a - b);
  const middle = ends[Math.floor((ends.length - 1) / 2)];
  const furthest = Math.min(ends.at(-1), OUTLIER * middle);
  const toMs = Math.max(LEAST_AXIS_MS, Math.ceil(furthest / 100) * 100);
  return { fromMs: Math.max(-toMs, Math.min(...drawn.map(({ fromMs }) => fromMs))), toMs };
}

/** Round instants to mark on an axis, 0 among them. @param {Axis} axis @returns {number[]} */
export function ticksOf({ fromMs, toMs }) {
  const step = [50, 100, 200, 500, 1000, 2000, 5000].find((one) => (toMs - fromMs) / one <= 6);
  const size = step ?? 10_000;
  const found = [];
  for (let at = Math.ceil(fromMs / size) * size; at <= toMs; at += size) found.push(at);
  return found;
}

/** Whether the promised time lies on this axis. @param {Axis} axis */
export function showsPromise({ toMs }) {
  return toMs >= PROMISE_MS;
}

/** @returns {Bar[]} */
function barsOf(turn) {
  let done = 0;
  return segmentsOf(turn).flatMap((segment) => {
    const bar = barOf(turn, segment, done);
    done = bar.critical[1];
    return segment.name === 'tool' ? [overTools(bar, turn), ...toolBars(turn, done)] : [bar];
  });
}

/** @returns {Bar} */
function barOf(turn, { name, ms, budgetMs, over }, startMs) {
  const critical = /** @type {[number, number]} */ ([startMs, startMs + ms]);
  const bar = { name, label: labelIn(name, turn), critical, budgetMs, over };
  if (!(name in MARKS)) return { ...bar, work: critical, workMs: ms };
  const [beginMark, endMark] = MARKS[name];
  const marks = { eager_end: eagerEnd(turn), ...turn.marks_ms };
  let begin = marks[beginMark] ?? startMs;
  const end = marks[endMark] ?? startMs;
  // Behind the gate nothing works, it waits.
  if (name === 'output' || marks[beginMark] === undefined)
    begin = Math.max(begin, marks.endpoint ?? 0);
  const workMs = turn.work_ms[name] ?? Math.max(0, end - begin);
  begin = Math.max(begin, end - workMs); // it may have been asked long before it began
  return { ...bar, work: [Math.min(begin, end), end], workMs };
}

/** The wait for functions, with when they ran; where there was one its name says it all. */
function overTools(bar, turn) {
  const runs = toolsOf(turn);
  if (runs.length === 0) return bar;
  const from = Math.min(...runs.map(({ startMs }) => startMs));
  const to = Math.max(...runs.map(({ endMs }) => endMs));
  const workMs = runs.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const label = runs.length === 1 ? `${bar.label} ${runs[0].name}` : bar.label;
  return { ...bar, label, work: /** @type {[number, number]} */ ([from, to]), workMs };
}

/** Of several functions, each where it ran; what was waited for is booked on the row above. */
function toolBars(turn, atMs) {
  const runs = toolsOf(turn);
  if (runs.length < 2) return [];
  return runs.map(({ name, startMs, endMs, failed }) => ({
    name: `tool:${name}`,
    label: `${name}${failed ? ', failed' : ''}`,
    critical: /** @type {[number, number]} */ ([atMs, atMs]),
    work: /** @type {[number, number]} */ ([startMs, endMs]),
    workMs: endMs - startMs,
    budgetMs: NaN,
    over: false,
  }));
}

function eagerEnd({ marks_ms: marks }) {
  return marks?.eager_end;
}
