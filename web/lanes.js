/**
 * One turn in lanes on one axis: who spoke, what the recognizer knew, what each stage did, which
 * replies were thrown away, and the critical path through it all. Pure. Times in ms after the end of
 * the user's speech.
 *
 * @typedef {object} Span
 * @property {number} fromMs
 * @property {number} toMs
 * @property {string} text
 * @property {'speech'|'work'|'playout'|'discarded'|'sound'|'unheard'} kind
 *
 * @typedef {{atMs: number, text: string}} Tick
 *
 * @typedef {object} Lane
 * @property {string} name
 * @property {string} label
 * @property {Span[]} spans
 * @property {Tick[]} ticks
 * @property {number[]} [levels] how loud it was, each `STEP_MS` from `FROM_MS` on
 *
 * @typedef {{lane: number, name: string, fromMs: number, toMs: number}} Step of the critical path
 *
 * @typedef {object} Lanes
 * @property {Lane[]} lanes
 * @property {Step[]} path its steps join, and add up to what was heard
 * @property {Tick[]} marks
 * @property {number} fromMs
 * @property {number} toMs
 */
import { heardMs, labelOf, ms, networkMs, toolsOf } from './ledger.js';
import { levelsOf } from './turn_sound.js';
import { layout } from './waterfall.js';

const VERDICTS = Object.freeze({
  complete: 'looks complete',
  incomplete: 'looks unfinished',
  unknown: 'tells nothing',
});

/** @param {any} turn @param {import('./turn_sound.js').TurnSound|null} [sound] @returns {Lanes} */
export function lanesOf(turn, sound = null) {
  const { bars } = layout(turn);
  const stages = bars.map((bar) => ({ name: bar.name, label: bar.label, spans: spansOf(bar, turn), ticks: [] }));
  const asr = stages.find(({ name }) => name === 'asr');
  if (asr) asr.ticks = partialsOf(turn);
  const heard = (lane, digits) => (digits ? { ...lane, levels: levelsOf(digits) } : lane);
  const lanes = [heard(caller(turn), sound?.user), ...attempts(turn), ...stages, heard(agent(turn), sound?.agent)];
  const at = (name) => lanes.findIndex((lane) => lane.name === name);
  const path = bars
    .filter(({ critical }) => critical[1] > critical[0])
    .map(({ name, critical }) => ({ lane: at(name), name, fromMs: critical[0], toMs: critical[1] }));
  return { lanes, path, marks: marksOf(turn), ...extent(lanes, path) };
}

function span(fromMs, toMs, text, kind) {
  return { fromMs, toMs, text, kind };
}

function spansOf(bar, turn) {
  const { name, workMs, work } = bar;
  const own = workMs > 0 ? [span(work[0], work[1], workText(bar), 'work')] : [];
  if (name === 'llm') return [...rounds(turn), ...own];
  return name === 'network' && own.length ? ways(turn, work[0]) : own;
}

/** The model's answers that asked for a function: each ends where the function begins. */
function rounds(turn) {
  let from = turn.marks_ms?.asr_final;
  return toolsOf(turn).flatMap(({ name, startMs, endMs }) => {
    const asked = from !== undefined && startMs > from;
    const round = asked ? [span(from, startMs, `asked for ${name}, ${ms(startMs - from)} ms after it could`, 'work')] : [];
    from = Math.max(from ?? endMs, endMs);
    return round;
  });
}

const WAYS = Object.freeze({ up: 'the way to the server', down: 'the way back', playout: 'the playout buffer' });

/** What the network's part is made of, one behind the other. */
function ways({ network_ms: parts }, begin) {
  let from = begin;
  return Object.entries(parts).map(([name, took]) => {
    from += took;
    return span(from - took, from, `${WAYS[name] ?? name}, ${ms(took)} ms`, name === 'playout' ? 'playout' : 'work');
  });
}

function workText({ label, workMs }) {
  return `${label}: worked ${ms(workMs)} ms`;
}

/** From the user's audio to the end of the user's speech. */
function originOf(turn) {
  return turn.trace?.ended?.[0] ?? null;
}

function caller(turn) {
  const spans = [];
  const origin = originOf(turn);
  let at = 0;
  for (const [speech, silence] of origin === null ? [] : (turn.trace.runs_ms ?? [])) {
    spans.push(span(at - origin, at + speech - origin, `spoke ${ms(speech)} ms`, 'speech'));
    at += speech + silence;
  }
  if (spans.length === 0 && turn.user_audio_ms)
    spans.push(span(-turn.user_audio_ms, 0, `spoke ${ms(turn.user_audio_ms)} ms`, 'speech'));
  return { name: 'caller', label: 'Caller', spans, ticks: [] };
}

/** What the recognizer made of the speech so far. No words: those are not kept. */
function partialsOf(turn) {
  const origin = originOf(turn);
  if (origin === null) return [];
  const partials = (turn.trace.partials ?? []).map(([atMs, verdict]) => ({
    atMs: atMs - origin,
    text: `a partial transcript that ${VERDICTS[verdict] ?? verdict}`,
  }));
  const finals = (turn.trace.finals ?? []).map(([, atMs, , verdict]) => ({
    atMs: atMs - origin,
    text: `the transcript of a silence; it ${VERDICTS[verdict] ?? verdict}`,
  }));
  return [...partials, ...finals];
}

/** Replies that were begun; a lane only where there was more than the one that was heard. */
function attempts(turn) {
  const origin = originOf(turn);
  const begun = origin === null ? [] : (turn.trace.attempts ?? []);
  if (begun.length < 2) return [];
  const spans = begun.map(({ start_ms: start, ran_ms: ran, end }) => {
    const kind = end === 'discarded' ? 'discarded' : 'work';
    const text = `${end === 'discarded' ? 'discarded' : 'heard'} after ${ms(ran)} ms of work`;
    return span(start - origin, start - origin + ran, text, kind);
  });
  return [{ name: 'attempts', label: 'Replies begun', spans, ticks: [] }];
}

function agent(turn) {
  const out = turn.marks_ms?.audio_out;
  const spans = [];
  if (out !== undefined && turn.audio_ms) {
    const from = out + (networkMs(turn) ?? 0);
    const heard = Math.min(turn.audio_ms, turn.heard_ms ?? turn.audio_ms);
    spans.push(span(from, from + heard, `heard ${ms(heard)} ms`, 'sound'));
    if (turn.audio_ms - heard > 20)
      spans.push(span(from + heard, from + turn.audio_ms, 'never heard', 'unheard'));
  }
  return { name: 'agent', label: 'Agent', spans, ticks: [] };
}

const MARKS = Object.freeze({
  eager_end: 'eager end',
  endpoint: 'endpoint',
  audio_out: 'handed over',
});

function marksOf({ marks_ms: marks = {} }) {
  return Object.entries(MARKS)
    .filter(([name]) => marks[name] !== undefined)
    .map(([name, text]) => ({ atMs: marks[name], text }));
}

/** What is seen at first: the wait, with some of what lies before and after it. */
function extent(lanes, path) {
  const heard = path.at(-1)?.toMs ?? 0;
  const spans = lanes.flatMap((lane) => lane.spans);
  const least = Math.min(0, ...spans.map(({ fromMs }) => fromMs));
  const room = Math.max(200, heard * 0.6);
  return { fromMs: Math.max(least, -room), toMs: Math.max(400, heard + room * 0.5) };
}

/** What a turn's segments add up to, piece by piece. @param {any} turn @returns {string} */
export function sumOf(turn) {
  const { path } = lanesOf(turn);
  const pieces = path.map(({ name, fromMs, toMs }) => `${labelOf(name)} ${ms(toMs - fromMs)}`);
  return `${pieces.join(' + ')} = ${ms(heardMs(turn) ?? NaN)} ms heard`;
}
