/** The microphone: asking for it, choosing one, muting, and hearing how loud it is. */
import { Problem, microphoneProblem } from './words.js';

const PROCESSING = Object.freeze({
  echoCancellation: true, // else the agent hears itself and stops
  // The server's detector and recognizer bear noise; what suppression takes out of the words they
  // miss: of five phrases the built-in model understood two with it, all five without.
  noiseSuppression: false,
  autoGainControl: true,
  channelCount: 1,
});

/**
 * Open a microphone. Raises Problem.
 * @param {string} deviceId '' is the system's default
 * @returns {Promise<MediaStream>}
 */
export async function openMicrophone(deviceId) {
  if (!navigator.mediaDevices?.getUserMedia) {
    throw new Problem(window.isSecureContext ? 'no_audio' : 'insecure');
  }
  try {
    return await capture(deviceId);
  } catch (error) {
    if (deviceId && error.name === 'OverconstrainedError') {
      return capture('').catch((reason) => Promise.reject(microphoneProblem(reason)));
    }
    throw microphoneProblem(error);
  }
}

function capture(deviceId) {
  const device = deviceId ? { deviceId: { exact: deviceId } } : {};
  return navigator.mediaDevices.getUserMedia({ audio: { ...PROCESSING, ...device } });
}

/**
 * Microphones by name. Before the user has allowed one, browsers tell no names.
 * @returns {Promise<{id: string, label: string}[]>} without the system's default
 */
export async function listMicrophones() {
  const devices = (await navigator.mediaDevices?.enumerateDevices?.()) ?? [];
  return devices
    .filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId && deviceId !== 'default')
    .map(({ deviceId, label }, i) => ({ id: deviceId, label: label || `Microphone ${i + 1}` }));
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
