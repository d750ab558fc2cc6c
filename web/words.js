/**
 * What the page says when something is wrong: what it is, and what to do. Everything that a user
 * may read about a fault is here. Pure.
 *
 * @typedef {'retry'|'reconnect'|'key'|'websocket'|'reload'} Action what the button does
 * @typedef {object} Words
 * @property {string} title
 * @property {string} text
 * @property {Action|null} action
 * @property {string} [button] its label
 */

/** @type {Readonly<Record<string, Words>>} */
const WORDS = Object.freeze({
  insecure: {
    title: 'The microphone needs a secure page',
    text: 'Browsers give the microphone only to https:// addresses and to localhost. Open this page that way, or type below.',
    action: null,
  },
  no_microphone: {
    title: 'No microphone found',
    text: 'Plug one in or choose another in Settings, then try again. You can also type below.',
    action: 'retry',
  },
  permission_refused: {
    title: 'The microphone is blocked',
    text: 'Allow it with the icon beside the address, then try again. You can also type below.',
    action: 'retry',
  },
  microphone_busy: {
    title: 'The microphone cannot be opened',
    text: 'Another program may be using it. Close that one or choose another microphone in Settings.',
    action: 'retry',
  },
  microphone_gone: {
    title: 'The microphone is gone',
    text: 'It was unplugged or switched off. Choose another in Settings; the call goes on.',
    action: null,
  },
  no_audio: {
    title: 'This browser cannot play or record here',
    text: 'It lacks AudioWorklet or WebRTC. A current Chrome, Edge, Firefox or Safari has both.',
    action: null,
  },
  key_missing: {
    title: 'This server asks for a key',
    text: 'Enter it to talk. It is kept until you close this tab.',
    action: 'key',
    button: 'Use this key',
  },
  key_wrong: {
    title: 'The key is not right',
    text: 'The server refused it. Check it and enter it again.',
    action: 'key',
    button: 'Use this key',
  },
  busy: {
    title: 'The server is busy',
    text: 'It holds as many calls as it can. Try again in a moment.',
    action: 'retry',
  },
  not_ready: {
    title: 'The server is still starting',
    text: 'Its speech and language engines are being loaded. Try again in a few seconds.',
    action: 'retry',
  },
  engines_failed: {
    title: 'The server could not start its engines',
    text: 'Its terminal says what is missing.',
    action: null,
  },
  origin_refused: {
    title: 'This page may not connect',
    text: 'The server lists the addresses that may (server.allowed_origins), and this one is not among them.',
    action: null,
  },
  unreachable: {
    title: 'The server does not answer',
    text: 'Check that it runs and that you are online.',
    action: 'retry',
  },
  refused: {
    title: 'The call was refused',
    text: 'The server may be too busy, or something in between does not let calls through. Try again in a moment.',
    action: 'retry',
  },
  rejected: {
    title: 'The call was not answered',
    text: 'A program beside the server decides who is, and has not let this call in.',
    action: 'retry',
  },
  no_webrtc_door: {
    title: 'This server does not offer WebRTC',
    text: 'WebSocket works as well, with a little more delay.',
    action: 'websocket',
    button: 'Use WebSocket',
  },
  media_blocked: {
    title: 'Audio does not get through',
    text: 'A firewall may block WebRTC between you and the server. WebSocket passes almost everywhere.',
    action: 'websocket',
    button: 'Use WebSocket',
  },
  lost: {
    title: 'The connection was lost',
    text: 'What was said stays on this page. The server keeps the call for a while, so that it can go on.',
    action: 'reconnect',
  },
  taken: {
    title: 'The call goes on elsewhere',
    text: 'Another connection has taken it over.',
    action: 'reconnect',
  },
  too_slow: {
    title: 'The connection was too slow',
    text: 'Your side could not take the audio in time, so the server ended the call.',
    action: 'reconnect',
  },
  ended: {
    title: 'The call was ended',
    text: 'Who runs this server has hung up.',
    action: 'reconnect',
    button: 'Call again',
  },
  session_expired: {
    title: 'The call has reached its time limit',
    text: 'Connect again to go on.',
    action: 'reconnect',
  },
  reply_failed: {
    title: 'The agent could not answer',
    text: 'Something failed on the server. Just ask again.',
    action: null,
  },
  too_short: {
    title: 'That was too short',
    text: 'Hold the button as long as you speak.',
    action: null,
  },
  voice_fixed: {
    title: 'The voice stays for this call',
    text: 'The agent has been heard already. The new voice comes with your next call.',
    action: null,
  },
  unexpected: {
    title: 'Something went wrong',
    text: 'Try again; the events in the developer drawer say more.',
    action: 'retry',
  },
});

const BUTTONS = Object.freeze({ retry: 'Try again', reconnect: 'Reconnect', reload: 'Reload' });

/** A fault with words for it. `detail` is the server's own explanation, shown beside ours. */
export class Problem extends Error {
  /**
   * @param {string} code a key of the table above
   * @param {string} [detail]
   */
  constructor(code, detail = '') {
    super(`${code}${detail && `: ${detail}`}`);
    this.name = 'Problem';
    this.code = code in WORDS ? code : 'unexpected';
    this.detail = detail;
  }
}

/**
 * @param {Problem} problem
 * @returns {Required<Words>}
 */
export function wordsFor({ code, detail }) {
  const words = WORDS[code];
  const button = words.button ?? BUTTONS[words.action] ?? '';
  return { ...words, button, text: detail ? `${words.text} (${detail})` : words.text };
}

const MICROPHONE_FAULTS = Object.freeze({
  NotAllowedError: 'permission_refused',
  SecurityError: 'permission_refused',
  NotFoundError: 'no_microphone',
  OverconstrainedError: 'no_microphone',
  NotReadableError: 'microphone_busy',
  AbortError: 'microphone_busy',
});

/**
 * What `getUserMedia` threw, as a problem.
 * @param {{name?: string}} error
 * @returns {Problem}
 */
export function microphoneProblem(error) {
  return new Problem(MICROPHONE_FAULTS[error?.name ?? ''] ?? 'unexpected', '');
}

/** Whether a microphone is what failed. @param {string|undefined} code */
export function isOfMicrophone(code) {
  return Object.values(MICROPHONE_FAULTS).includes(code);
}

const STATUSES = Object.freeze({
  401: 'key_wrong',
  403: 'origin_refused',
  404: 'no_webrtc_door',
  405: 'no_webrtc_door',
  429: 'busy',
  503: 'not_ready',
});

/** Of the server's own codes, those that mean something else than their status mostly does. */
const REFUSALS = Object.freeze({ call_rejected: 'rejected', answer_timeout: 'refused' });

/**
 * The HTTP answer that refused a WebRTC call.
 * @param {number} status
 * @param {boolean} keyGiven
 * @param {string} [message] the server's
 * @param {string} [reason] the server's code for it
 * @returns {Problem}
 */
export function httpProblem(status, keyGiven, message = '', reason = '') {
  if (status === 401 && !keyGiven) return new Problem('key_missing');
  const code = REFUSALS[reason] ?? STATUSES[status] ?? 'refused';
  return new Problem(code, ['refused', 'rejected'].includes(code) ? message : '');
}

/**
 * Why a WebSocket was refused, by what the server says of itself (`/web/server`): the browser keeps
 * the refusal's own answer to itself.
 * @param {any|null} server null: it did not answer
 * @returns {Problem}
 */
export function refusalProblem(server) {
  if (server === null) return new Problem('unreachable');
  if (server.key === 'missing') return new Problem('key_missing');
  if (server.key === 'wrong') return new Problem('key_wrong');
  if (server.problem) return new Problem('engines_failed', server.problem);
  if (!server.ready) return new Problem('not_ready');
  if (!server.origin_allowed) return new Problem('origin_refused');
  return new Problem(server.full ? 'busy' : 'refused');
}

/**
 * A WebSocket that closed in mid-call.
 * @param {number} code
 * @returns {Problem}
 */
export function closeProblem(code) {
  if (code === 1000) return new Problem('ended'); // on purpose: nobody calls again by itself
  if (code === 1008) return new Problem('too_slow');
  if (code === 4001) return new Problem('taken');
  return new Problem(code === 1013 ? 'busy' : 'lost');
}

/** Races that harm nobody: the thing asked for had happened already. */
const HARMLESS = new Set([
  'response_cancel_not_active',
  'conversation_already_has_active_response',
  'item_retrieve_invalid_item_id',
]);

const SERVER_CODES = Object.freeze({
  input_audio_buffer_commit_empty: 'too_short',
  cannot_update_voice: 'voice_fixed',
  session_expired: 'session_expired',
  session_resumed: 'taken',
  call_ended: 'ended',
  client_too_slow: 'too_slow',
});

/**
 * What to say about an `error` event; null: nothing.
 * @param {{code?: string, message?: string, event_id?: string|null, param?: string}} error
 * @returns {Problem|null}
 */
export function serverProblem(error) {
  if (HARMLESS.has(error.code ?? '') || isOurs(error.event_id)) return null;
  const code = SERVER_CODES[error.code ?? ''];
  return code ? new Problem(code) : new Problem('unexpected', error.message ?? '');
}

/** Events of ours whose refusal is shown elsewhere or does not matter. */
function isOurs(eventId) {
  return /^(tune|cut)_/.test(eventId ?? '');
}
