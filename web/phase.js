/**
 * What the call is doing, from what happened. Pure.
 *
 * @typedef {'idle'|'connecting'|'open'|'lost'} Link
 * @typedef {'idle'|'connecting'|'listening'|'hearing'|'thinking'|'speaking'|'unstable'|'lost'} Phase
 * @typedef {object} State
 * @property {Link} link
 * @property {boolean} hearing the user speaks, or holds the button
 * @property {boolean} awaiting an answer is due
 * @property {boolean} playing the agent is audible
 * @property {boolean} unstable nothing has come from the server for a while
 */

/** @type {Readonly<State>} */
export const AT_REST = Object.freeze({
  link: 'idle',
  hearing: false,
  awaiting: false,
  playing: false,
  unstable: false,
});

const UNANSWERED = new Set(['no_speech', 'failed', 'cancelled']);

/**
 * The next state. `event` is a server event, or one of ours: `call.connecting`, `call.open`,
 * `call.lost`, `call.ended`, `call.unstable`, `call.well`, `talk.held`, `talk.released`, `playback.started`, `playback.ended`.
 * @param {State} state
 * @param {{type: string, [key: string]: any}} event
 * @returns {State}
 */
export function next(state, event) {
  switch (event.type) {
    case 'call.connecting':
      return { ...AT_REST, link: 'connecting' };
    case 'call.open':
      return { ...AT_REST, link: 'open' };
    case 'call.lost':
      return { ...AT_REST, link: 'lost' };
    case 'call.ended':
      return { ...AT_REST };
    case 'call.unstable':
      return { ...state, unstable: true };
    case 'call.well':
      return { ...state, unstable: false };
    case 'talk.held':
    case 'input_audio_buffer.speech_started':
      return { ...state, hearing: true, awaiting: false };
    case 'talk.released':
      return { ...state, hearing: false };
    case 'input_audio_buffer.speech_stopped':
    case 'input_audio_buffer.committed':
      return { ...state, hearing: false, awaiting: true };
    case 'response.created':
      return isAside(event) ? state : { ...state, awaiting: true };
    case 'response.done':
      return isAside(event) ? state : { ...state, awaiting: false };
    case 'voicepipe.turn':
      return UNANSWERED.has(event.turn?.end) ? { ...state, awaiting: false } : state;
    case 'playback.started':
      return { ...state, playing: true };
    case 'playback.ended':
      return { ...state, playing: false };
    default:
      return state;
  }
}

/** Out of band: no answer to what was said, such as an "uh-huh" while the user pauses. @param {any} event */
export function isAside(event) {
  return event.response?.conversation_id === null;
}

/**
 * What to show for a state. The user comes first: a barge-in shows before the agent has stopped.
 * @param {State} state
 * @returns {Phase}
 */
export function phaseOf(state) {
  if (state.link !== 'open') return state.link;
  if (state.unstable) return 'unstable';
  if (state.hearing) return 'hearing';
  if (state.playing) return 'speaking';
  return state.awaiting ? 'thinking' : 'listening';
}
