/**
 * What a turn's record (`voicepipe.turn`, a line of `/v1/turns`) says, in the words of the page.
 * Pure. Times in ms, after the end of the user's speech where they are instants.
 *
 * @typedef {object} Segment a stretch that the user waited for; a turn's add up to `heardMs`
 * @property {string} name
 * @property {number} ms
 * @property {number} budgetMs NaN where there is none
 * @property {boolean} over
 *
 * @typedef {{name: string, startMs: number, endMs: number, failed: boolean}} ToolRun
 */

/** The stages in the order of a turn's path; their critical parts add up to voice to voice. */
export const STAGES = Object.freeze(['endpoint', 'asr', 'llm', 'tool', 'clause', 'tts', 'output']);

/** What the product promises: an answer within this time. */
export const PROMISE_MS = 800;

const NOTABLE_SHARE = 0.1;
/** Of what was heard: a stage that is less than this beyond its budget is not what to mend first. */

/** The field's words for them, and the setting's name where that is another. */
export const LABELS = Object.freeze({
  heard: 'Heard',
  voice_to_voice: 'Server',
  endpoint: 'Endpointing',
  asr: 'Recognition',
  llm: 'LLM first token',
  tool: 'Tool call',
  clause: 'First clause',
  tts: 'TTS first audio',
  output: 'Output',
  network: 'Network, playout',
});

/** @param {string} name @returns {string} a stage that the page does not know keeps its own name */
export function labelOf(name) {
  return LABELS[name] ?? name;
}

/** The stages that a record has, in the order of the path. @param {any} turn @returns {string[]} */
export function stagesOf(turn) {
  const told = Object.keys(turn.critical_ms ?? {});
  const known = STAGES.filter((name) => told.includes(name));
  return [...known, ...told.filter((name) => !STAGES.includes(name))];
}

/** Of a stage of this turn: the way has the name of the region it led to. @param {string} name @param {any} turn */
export function labelIn(name, { region }) {
  return name === 'network' && region ? `${labelOf(name)} (${region})` : labelOf(name);
}

/** What the way to the server and back, and the buffer here, add; null: nobody has measured it. */
export function networkMs({ network_ms: parts }) {
  const known = Object.values(parts ?? {});
  return known.length ? known.reduce((sum, ms) => sum + ms, 0) : null;
}

/** From the user's last word to the agent's first in the user's ear, as far as it is known. */
export function heardMs(turn) {
  const { voice_to_voice_ms: server } = turn;
  return server === null || server === undefined ? null : server + (networkMs(turn) ?? 0);
}

/** @param {any} turn @returns {Segment[]} they add up to `heardMs`; [] where there are no figures */
export function segmentsOf(turn) {
  if (!turn.critical_ms) return [];
  const segment = (name, ms) => ({
    name,
    ms,
    budgetMs: turn.budget_ms?.[name] ?? NaN,
    over: ms > (turn.budget_ms?.[name] ?? Infinity),
  });
  const stages = stagesOf(turn).map((name) => segment(name, turn.critical_ms[name]));
  const network = networkMs(turn);
  return network === null ? stages : [...stages, segment('network', network)];
}

/** The stretch that the user waited longest for, or null. @param {any} turn */
export function longest(turn) {
  return segmentsOf(turn).reduce((most, one) => (one.ms > (most?.ms ?? 0) ? one : most), null);
}

/** What is worth an explanation: the stretch furthest beyond its budget, else the longest. @param {any} turn */
export function culprit(turn) {
  const all = segmentsOf(turn);
  const excess = ({ ms: took, budgetMs }) => took - budgetMs;
  const least = NOTABLE_SHARE * (heardMs(turn) ?? 0);
  const over = all.filter((one) => one.over && excess(one) > least);
  return over.sort((a, b) => excess(b) - excess(a))[0] ?? longest(turn);
}

/** Functions that the model called in this turn. @param {any} turn @returns {ToolRun[]} */
export function toolsOf(turn) {
  return (turn.tools ?? []).map(({ name, start_us: from, end_us: to, failed = false }) => ({
    name,
    startMs: from / 1000,
    endMs: to / 1000,
    failed,
  }));
}

/** Work that lay behind a function call, and hence behind the endpoint; 0 without one. */
export function afterToolMs({ shares_ms: shares }) {
  return shares?.after_tool ?? 0;
}

/** How long before the endpoint the first sound lay ready; negative: it came after it. */
export function readyAheadMs({ marks_ms: marks }) {
  const { endpoint, tts_first_audio: ready } = marks ?? {};
  return endpoint === undefined || ready === undefined ? NaN : endpoint - ready;
}

const ENDS = Object.freeze({
  completed: 'answered',
  interrupted: 'interrupted by the user',
  cancelled: 'cancelled',
  failed: 'failed',
  no_speech: 'nothing was understood',
  reopened: 'the user went on, so it became part of the next turn',
});

/** What is remarkable of a turn, each part of which its marks bear out. @param {any} turn */
export function noteOf(turn) {
  const end = ENDS[turn.end] ?? turn.end;
  if (!turn.critical_ms) return turn.note ?? end;
  const parts = [turn.origin === 'text' ? 'typed' : '', end, toolNote(turn), preparedNote(turn)];
  if (turn.discards) parts.push(`${turn.discards} prepared and discarded`);
  return parts.filter(Boolean).join(' · ');
}

function toolNote(turn) {
  const names = toolsOf(turn).map(({ name }) => name);
  const waited = afterToolMs(turn) > 0 || turn.critical_ms.tool > 0;
  if (names.length) return `${waited ? 'waited for' : 'called'} ${names.join(', ')}`;
  return waited ? 'waited for a tool call' : '';
}

/** When the answer was begun, and when it was ready, beside the endpoint. */
function preparedNote(turn) {
  if (turn.origin === 'text' || turn.preemption === 'none') return '';
  if (turn.preemption === 'miss') return 'prepared, but for other words';
  const ahead = readyAheadMs(turn);
  if (Number.isNaN(ahead)) return '';
  if (ahead >= 0) return `ready ${ms(ahead)} ms before the endpoint`;
  const { endpoint, llm_request: asked } = turn.marks_ms;
  const behind = `first sound ${ms(-ahead)} ms after it`;
  const begun = endpoint - asked;
  if (begun > 0) return `begun ${ms(begun)} ms before the endpoint, ${behind}`;
  return toolNote(turn) ? '' : `begun at the endpoint, ${behind}`;
}

/** @param {number} value ms, as it is shown */
export function ms(value) {
  if (Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  return Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0);
}
