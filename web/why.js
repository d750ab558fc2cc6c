/**
 * Why a turn took as long as it did, in a sentence, and what would help. Pure. Nothing is said that
 * the record does not bear out; a gain is named only as what it can be at most.
 *
 * @typedef {object} Why
 * @property {string} text
 * @property {{name: string, value: number|string|null, label: string}|null} lever a setting to try;
 *   value null: there are several, and the user chooses
 */
import { afterToolMs, culprit, heardMs, labelOf, ms, readyAheadMs } from './ledger.js';

const STEP_MS = 20;
/** Endpoint waits are tuned in steps of a frame. */
const KEPT_READY_MS = 40;
/** What stays between a prepared answer and the endpoint, for turns that take a little longer. */
const LEAST_ENDPOINT_MS = 200;
/** A shorter wait cuts people off between two words. */
const LEAST_FUSED_MS = 160;
/** `fused` never waits less, whatever a cut-off costs. */
const COST_STEP_MS = 500;
const LESS = 0.2;
/** Of a wait that hides nothing: so much less is worth a try. */
const SOONER_MS = 40;
const LEAST_EAGER_MS = 80;
/** A sooner eager end falls into the pauses between words. */
const NOTABLE_SHARE = 0.1;
/** Of a stage: what gains less is not worth saying. */
const IDLE_MS = 200;
/** A stage that waited so much longer than it worked was kept from its work. */

/** Endpoint waits by what is known of the text. */
const WAITS = Object.freeze({
  complete: 'endpoint_complete_ms',
  unknown: 'endpoint_unknown_ms',
  incomplete: 'endpoint_incomplete_ms',
});

/**
 * @param {any} turn the `turn` of a `voicepipe.turn` event
 * @param {Map<string, number|string>} settings in effect, by the tunable's name
 * @param {readonly string[]} models others that the call may choose
 * @returns {Why|null} null: nothing to explain
 */
export function why(turn, settings, models = []) {
  const most = culprit(turn);
  if (!most || turn.origin === 'text') return null;
  const beyond = most.over ? `, ${ms(most.ms - most.budgetMs)} beyond its budget` : '';
  const share = `${labelOf(most.name)} took ${ms(most.ms)} of ${ms(heardMs(turn))} ms${beyond}.`;
  const explain = isKeptWaiting(turn, most) ? keptWaiting : (REASONS[most.name] ?? nothing);
  const { text, lever = null } = explain(turn, settings, models);
  return { text: `${share} ${text}`.trim(), lever };
}

const REASONS = Object.freeze({
  endpoint: ofEndpoint,
  asr: hidden('The recognizer was still at work: a smaller model or more cores help.'),
  llm: ofModel,
  tool: () => ({ text: 'The answer waited for a function to return.' }),
  clause: hidden('The model is slow between its first token and its first clause: fewer words before the first comma, or a faster model.'),
  tts: hidden('The voice was slow to begin: a smaller voice, or a shorter first clause.'),
  output: () => ({ text: 'The server itself was slow to hand over ready audio: is it overloaded?' }),
  network: () => ({ text: 'That is the way, and the buffer of this browser: a nearer server helps, WebRTC instead of WebSocket, or less work on this machine.' }),
});

/** The endpoint is a wait by itself, and output and network are nobody's work. */
function isKeptWaiting({ work_ms: work }, { name, ms: waited }) {
  return ['asr', 'llm', 'clause', 'tts'].includes(name) && waited - (work?.[name] ?? waited) > IDLE_MS;
}

function keptWaiting(turn) {
  const worked = ms(turn.work_ms[culprit(turn).name]);
  return { text: `It worked ${worked} ms of them: the rest it was kept waiting, by a busy machine or a queue. Fewer calls at once, or more cores.` };
}

function nothing() {
  return { text: '' };
}

function ofEndpoint(turn, settings) {
  if (settings.get('preemptive_generation') === 'off') return unprepared();
  const ahead = readyAheadMs(turn);
  if (ahead > KEPT_READY_MS) {
    const text = `The answer lay ready ${ms(ahead)} ms before it: the wait itself is the latency.`;
    return { text, lever: lessWait(turn, settings, ahead - KEPT_READY_MS) };
  }
  if (isPrepared(turn)) {
    const when = ahead < 0 ? `the first sound was made ${ms(-ahead)} ms after it` : 'the answer was ready just then';
    const lever = sooner(settings);
    const help = lever ? 'It wants to be begun sooner.' : 'The stages behind it are what to shorten.';
    return { text: `Waiting less gains nothing by itself: ${when}. ${help}`, lever };
  }
  const text = 'The rest of the answer lay behind it, so this silence is waited for in full.';
  return { text, lever: lessWait(turn, settings, LESS * turn.critical_ms.endpoint) };
}

/** All of the answer was begun before the endpoint, and used. */
function isPrepared(turn) {
  return turn.preemption === 'hit' && afterToolMs(turn) === 0;
}

/** The setting by which the policy waits less. @param {number} spareMs at most */
function lessWait(turn, settings, spareMs) {
  const policy = settings.get('endpointing') ?? 'text';
  if (policy === 'fused') return lessCost(settings, turn.critical_ms.endpoint, spareMs);
  const name = policy === 'fixed' ? WAITS.unknown : WAITS[verdictOf(turn)];
  const wait = settings.get(name);
  const value = Math.max(LEAST_ENDPOINT_MS, wait - Math.floor(spareMs / STEP_MS) * STEP_MS);
  return value < wait ? { name, value, label: `${value} ms` } : null;
}

/** `fused` weighs waiting against cutting off, whose cost goes with the cube of the wait, roughly. */
function lessCost(settings, waitedMs, spareMs) {
  const name = 'cut_off_cost_ms';
  const cost = settings.get(name);
  const share = Math.max(LEAST_FUSED_MS, waitedMs - spareMs) / waitedMs;
  const steps = Math.max(1, Math.round((cost * share ** 3) / COST_STEP_MS));
  const value = steps * COST_STEP_MS;
  return waitedMs - LEAST_FUSED_MS >= STEP_MS && value < cost ? { name, value, label: `${value} ms` } : null;
}

/** What is prepared at the eager end is prepared sooner by an earlier one. */
function sooner(settings) {
  const name = 'eager_end_ms';
  const eager = settings.get(name);
  if (settings.get('preemptive_generation') !== 'eager_end' || !(eager > LEAST_EAGER_MS)) return null;
  const value = Math.max(LEAST_EAGER_MS, eager - SOONER_MS);
  return { name, value, label: `${value} ms` };
}

/** @param {string} text of a stage that began at the eager end, if the turn was prepared there */
function hidden(text) {
  return (turn, settings) => {
    const lever = isPrepared(turn) ? sooner(settings) : null;
    const gainMs = lever ? settings.get(lever.name) - lever.value : 0;
    if (gainMs < NOTABLE_SHARE * turn.critical_ms[culprit(turn).name]) return { text };
    return lever ? { text: `${text} Begun sooner it hides up to ${gainMs} ms more.`, lever } : { text };
  };
}

function ofModel(turn, settings, models) {
  const slow = 'a smaller model, a shorter prompt or a warm prefix cache helps';
  if (afterToolMs(turn) > 0) {
    return { text: 'The model called a function, so part of its work lay behind the endpoint.' };
  }
  if (settings.get('preemptive_generation') === 'off') return unprepared();
  const cached = cachedShare(turn);
  const prompt = Number.isNaN(cached) ? '' : ` Of its prompt ${Math.round(cached * 100)} % was cached.`;
  const waited = turn.marks_ms.endpoint - turn.marks_ms.llm_request;
  const lever = another(settings, models);
  const better = (text) => (lever ? { text, lever } : hidden(text)(turn, settings));
  if (waited > 0) {
    return better(`It was asked ${ms(waited)} ms before the endpoint and still came late: ${slow}.${prompt}`);
  }
  if (turn.preemption === 'miss')
    return { text: `What had been prepared was for other words, so it was asked again.${prompt}` };
  return better(`${slow[0].toUpperCase()}${slow.slice(1)}.${prompt}`);
}

/** Which model is quicker nobody knows before it was tried. */
function another(settings, models) {
  const others = models.filter((name) => name !== settings.get('model'));
  if (others.length === 0) return null;
  if (models.length > 1 || !others[0]) return { name: 'model', value: null, label: 'choose another' };
  return { name: 'model', value: others[0], label: others[0] };
}

function unprepared() {
  const lever = { name: 'preemptive_generation', value: 'eager_end', label: 'at the eager end' };
  return { text: 'Nothing is prepared before the endpoint.', lever };
}

function cachedShare({ tokens }) {
  return tokens?.prompt ? (tokens.cached ?? 0) / tokens.prompt : NaN;
}

/** What the server thought of the words when it chose its wait. */
function verdictOf(turn) {
  return turn.trace?.finals?.at(-1)?.[3] ?? 'complete';
}
