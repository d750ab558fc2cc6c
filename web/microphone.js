/** The microphone: asking for it, choosing one, muting, and hearing how loud it is. */
import { Problem, microphoneProblem } from './words.js';

/** @type {Readonly<import('./types.js').Processing>} */
export const PROCESSING = Object.freeze({
  echo: true, // else the agent hears itself and stops
  // The server's detector and recognizer bear noise; what suppression takes out of the words they
  // miss: of five phrases the built-in model understood two with it, all five without.
  noise: false,
  gain: true,
});

/**
 * Open a microphone. Raises Problem.
 * @param {string} deviceId '' is the system's default
 * @param {import('./types.js').Processing} processing
 * @returns {Promise<MediaStream>}
 */
export async function openMicrophone(deviceId, processing = PROCESSING) {
  if (!navigator.mediaDevices?.getUserMedia) {
    throw new Problem(window.isSecureContext ? 'no_audio' : 'insecure');
  }
  try {
    return await capture(deviceId, processing);
  } catch (error) {
    if (deviceId && error.name === 'OverconstrainedError') {
      return capture('', processing).catch((reason) => Promise.reject(microphoneProblem(reason)));
    }
    throw microphoneProblem(error);
  }
}

function capture(deviceId, { echo, noise, gain }) {
  const device = deviceId ? { deviceId: { exact: deviceId } } : {};
  const wanted = { echoCancellation: echo, noiseSuppression: noise, autoGainControl: gain };
  return navigator.mediaDevices.getUserMedia({ audio: { ...wanted, channelCount: 1, ...device } });
}

/**
 * Microphones and speakers by name. Before the user has allowed a microphone, browsers tell no names.
 * @returns {Promise<{microphones: Device[], speakers: Device[]}>} without the system's defaults
 *
 * @typedef {{id: string, label: string}} Device
 */
export async function listDevices() {
  const devices = (await navigator.mediaDevices?.enumerateDevices?.()) ?? [];
  const named = (wanted, word) =>
    devices
      .filter(({ kind, deviceId }) => kind === wanted && deviceId && deviceId !== 'default')
      .map(({ deviceId, label }, i) => ({ id: deviceId, label: label || `${word} ${i + 1}` }));
  return {
    microphones: named('audioinput', 'Microphone'),
    speakers: named('audiooutput', 'Speaker'),
  };
}

/**
 * Let a stream be heard or not.
 * @param {MediaStream|null} stream
 * @param {boolean} open
 */
export function setOpen(stream, open) {
  for (const track of stream?.getAudioTracks() ?? []) track.enabled = open;
}

/** @param {MediaStream|null} stream */
export function stop(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
