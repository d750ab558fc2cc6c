/**
 * What the page says to the server, as events of the OpenAI Realtime protocol. Pure.
 *
 * An `event_id` of `tune_...` or `cut_...` comes back in the server's error, so that words.js knows
 * what was refused.
 */
import { patchOf } from './tuning.js';

/** The server finds the ends of turns, or the button does. @param {import('./types.js').Mode} mode */
function detection(mode) {
  return mode === 'push-to-talk' ? null : { type: 'server_vad' };
}

function update(session, more = {}) {
  return { type: 'session.update', ...more, session: { type: 'realtime', ...session } };
}

/**
 * The first event of a call. Tuned values come in one of their own: a server refuses an update as a
 * whole. @param {import('./types.js').Mode} mode
 */
export function opening(mode) {
  const input = { transcription: {}, turn_detection: detection(mode) };
  return update({ audio: { input }, voicepipe: { turn_events: true, provisional_turns: true } });
}

/** @param {import('./types.js').Mode} mode */
export function modeChange(mode) {
  return update({ audio: { input: { turn_detection: detection(mode) } } });
}

/** @param {Map<string, number|string>} values by the tunable's name */
export function tuning(values) {
  const event_id = `tune_${[...values.keys()].join('_')}`.slice(0, 64);
  return update(patchOf(values), { event_id });
}

/** A typed message; it wants a `response.create` after it. @param {string} text */
export function message(text) {
  const content = [{ type: 'input_text', text }];
  return { type: 'conversation.item.create', item: { type: 'message', role: 'user', content } };
}

/**
 * The user heard only so much of an item.
 * @param {string} item
 * @param {number} playedMs
 */
export function truncation(item, playedMs) {
  return {
    type: 'conversation.item.truncate',
    event_id: `cut_${item}`.slice(0, 64),
    item_id: item,
    content_index: 0,
    audio_end_ms: Math.floor(playedMs),
  };
}

/**
 * How long after its arrival a reply's audio is heard here: the server cannot know.
 * @param {string} response
 * @param {number} delayMs
 */
export function heard(response, delayMs) {
  return { type: 'voicepipe.heard', response_id: response, delay_ms: Math.round(delayMs) };
}

export const CANCEL = Object.freeze({ type: 'response.cancel' });
export const RESPOND = Object.freeze({ type: 'response.create' });
export const COMMIT = Object.freeze({ type: 'input_audio_buffer.commit' });
export const FORGET = Object.freeze({ type: 'input_audio_buffer.clear' });
export const SILENCE = Object.freeze({ type: 'output_audio_buffer.clear', event_id: 'cut_output' });
