/**
 * A turn as bars on one time axis. Pure: lays out, draws nothing. Times in ms after the end of the
 * user's speech.
 *
 * @typedef {object} Bar
 * @property {string} name the stage
 * @property {[number, number]} critical what the user waited for; these add up to the total
 * @property {[number, number]} work when the stage worked, also before the endpoint
 * @property {number} workMs how long it worked
 * @property {number} budgetMs NaN where there is none
 * @property {boolean} over
 *
 * @typedef {object} Layout
 * @property {string} turnId
 * @property {number|null} totalMs null: no figures
 * @property {string} note why there are none, or what is remarkable
 * @property {number} fromMs the axis begins here; before 0 where work began before speech ended
 * @property {number} toMs
 * @property {number|null} endpointMs the decision that the user's turn was over
 * @property {Bar[]} bars
 */
import { PROMISE_MS, STAGES } from './percentiles.js';

/** The marks between which a stage worked. */
const MARKS = Object.freeze({
  endpoint: ['speech_end', 'endpoint'],
  asr: ['eager_end', 'asr_final'],
  llm: ['llm_request', 'llm_first_token'],
  clause: ['llm_first_token', 'first_clause'],
  tts: ['first_clause', 'tts_first_audio'],
  output: ['tts_first_audio', 'audio_out'],
});

const ENDS = Object.freeze({
  completed: 'answered',
  interrupted: 'interrupted by the user',
  cancelled: 'cancelled',
  failed: 'failed',
  no_speech: 'nothing was understood',
  reopened: 'the user went on, so it became part of the next turn',
});

/**
 * @param {any} turn the `turn` of a `voicepipe.turn` event
 * @returns {Layout}
 */
export function layout(turn) {
  const head = { turnId: turn.turn_id, note: noteOf(turn) };
  if (turn.critical_ms === null) {
    return { ...head, totalMs: null, fromMs: 0, toMs: 0, endpointMs: null, bars: [] };
  }
  let done = 0;
  const bars = STAGES.map((name) => {
    const bar = barOf(turn, name, done);
    done = bar.critical[1];
    return bar;
  });
  const ends = bars.flatMap((bar) => [bar.work[1], bar.critical[0] + (bar.budgetMs || 0)]);
  const spoken = turn.origin !== 'text'; // typed turns are short: nobody has to stop speaking
  return {
    ...head,
    totalMs: turn.voice_to_voice_ms,
    fromMs: Math.min(0, ...bars.map((bar) => bar.work[0])),
    toMs: Math.max(spoken ? PROMISE_MS : 1, turn.voice_to_voice_ms, ...ends),
    endpointMs: spoken ? turn.critical_ms.endpoint : null,
    bars,
  };
}

/** @returns {Bar} */
function barOf(turn, name, startMs) {
  const [beginMark, endMark] = MARKS[name];
  const { marks_ms: marks, critical_ms: critical, budget_ms: budget } = turn;
  let begin = marks[beginMark] ?? startMs;
  const end = marks[endMark] ?? startMs;
  // Behind the gate nothing works, it waits.
  if (name === 'output' || !(beginMark in marks)) begin = Math.max(begin, marks.endpoint ?? 0);
  const workMs = turn.work_ms[name] ?? Math.max(0, end - begin);
  begin = Math.max(begin, end - workMs); // it may have been asked long before it began
  return {
    name,
    critical: [startMs, startMs + critical[name]],
    work: [Math.min(begin, end), end],
    workMs,
    budgetMs: budget[name] ?? NaN,
    over: turn.over_budget.includes(name),
  };
}

function noteOf(turn) {
  if (turn.critical_ms === null) return turn.note ?? ENDS[turn.end] ?? turn.end;
  const notes = [turn.origin === 'text' ? 'typed' : '', ENDS[turn.end] ?? turn.end];
  if (turn.preemption === 'hit') notes.push('prepared before the endpoint');
  if (turn.preemption === 'miss') notes.push('prepared, but for other words');
  if (turn.discards) notes.push(`${turn.discards} prepared and discarded`);
  return notes.filter(Boolean).join(' · ');
}
