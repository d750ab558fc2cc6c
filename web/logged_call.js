/**
 * A call that was written down, as `/v1/calls/{id}` tells it. Pure. Times in seconds from the
 * beginning of its recording.
 *
 * @typedef {object} Moment of a turn on the recording; null where it is not known
 * @property {number} begins the caller's first word
 * @property {number} said the caller's last word
 * @property {number|null} answered the agent's first sound as the server sent it, which is what a
 *   recording has: the caller heard it later by network and playout; null: no answer
 * @property {number} ends the agent's last word
 * @property {boolean} late the caller waited longer than is promised
 */
import { PROMISE_MS, heardMs } from './ledger.js';

const BEFORE_S = 1.0;
const AFTER_S = 0.8;
/** What is played around a gap, so that it is heard as one. */
const LEAD_S = 0.3;
const TAIL_S = 0.5;
/** What a test case has before and after the words. */

/** @param {any} turn with its `ledger` @param {any} recording of the call, or null @returns {Moment|null} */
export function momentOf({ ledger }, recording) {
  if (!recording || !ledger.speech_end_at) return null;
  const said = (Date.parse(ledger.speech_end_at) - Date.parse(recording.started_at)) / 1000;
  const spoke = ledger.origin === 'text' ? 0 : (ledger.trace?.ended?.[0] ?? ledger.user_audio_ms ?? 0);
  const { voice_to_voice_ms: waited } = ledger;
  const answered = waited === null ? null : said + waited / 1000;
  const ends = answered === null ? said : answered + (ledger.heard_ms ?? 0) / 1000;
  if (said < 0 || said > recording.seconds) return null;
  const late = heardMs(ledger) > PROMISE_MS;
  return { begins: Math.max(0, said - spoke / 1000), said, answered, ends, late };
}

/** The wait, with a little around it; null where nothing was answered. @param {Moment} moment */
export function gapOf({ said, answered }) {
  if (answered === null) return null;
  return { from: Math.max(0, said - BEFORE_S), to: answered + AFTER_S };
}

/** The turn that plays at an instant, or the one before it; -1 before the first. @param {(Moment|null)[]} moments @param {number} at */
export function turnAt(moments, at) {
  return moments.findLastIndex((moment) => moment !== null && moment.begins <= at);
}

/** Of the call, for its head. @param {any} call */
export function figuresOf(call) {
  const waits = call.turns.map(({ ledger }) => heardMs(ledger)).filter((ms) => ms !== null);
  const sorted = [...waits].sort((a, b) => a - b);
  const count = (end) => call.turns.filter((turn) => turn.end === end).length;
  return {
    n: waits.length,
    p50: sorted.length ? sorted[Math.ceil(sorted.length / 2) - 1] : NaN,
    slowest: sorted.at(-1) ?? NaN,
    interrupted: count('interrupted'),
    cutOff: count('reopened'),
    missed: count('no_speech'),
  };
}

/** Turns as an export has them: a line that `voicepipe whatif` reads. @param {any} call */
export function exportLine(call) {
  const { turns, object: _object, ...rest } = call;
  return `${JSON.stringify({ call: rest, turns })}\n`;
}

/**
 * A turn as a case of a question set: `voicepipe bench --recordings` reads the manifest.
 * @param {any} call @param {any} turn @param {Moment} moment @param {{text: string, answer: string}} words
 */
export function caseOf(call, turn, moment, { text, answer }) {
  const from = Math.max(0, moment.begins - LEAD_S);
  const name = nameOf(text) || `${call.id}_${turn.number}`;
  const line = {
    file: `${name}.wav`,
    text: text.trim().toLowerCase(),
    ...(answer.trim() && { answer: answer.trim() }),
    speech_start_s: round(moment.begins - from),
    speech_end_s: round(moment.said - from),
    source: `${call.id} turn ${turn.number}`,
  };
  return { name, from, to: moment.said + TAIL_S, line };
}

function nameOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 10).join('_').slice(0, 60);
}

function round(seconds) {
  return Math.round(seconds * 1000) / 1000;
}

/** @param {number} seconds @returns {string} 1:02:03, 2:03 */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n) => String(n).padStart(2, '0');
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/**
 * When it began, in the reader's words.
 * @param {string} iso @param {Date} now @param {'short'|'medium'} timeStyle to the minute, or the second
 */
export function began(iso, now = new Date(), timeStyle = 'short') {
  const at = new Date(iso);
  const time = at.toLocaleTimeString([], { timeStyle });
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days === 0) return `Today, ${time}`;
  if (days === 1) return `Yesterday, ${time}`;
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' };
  const date = at.toLocaleDateString([], { day: 'numeric', month: 'short', ...year });
  return `${date}, ${time}`;
}

function midnight(moment) {
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime();
}
