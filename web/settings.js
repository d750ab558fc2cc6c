/** What the user chose, kept in this browser; the key only until the tab is closed. */
import { PROCESSING } from './microphone.js';

const STORE = 'voicepipe.settings';
const KEY_STORE = 'voicepipe.key';

/**
 * @typedef {object} Settings
 * @property {'webrtc'|'websocket'} transport
 * @property {string} region '' is the nearest
 * @property {'hands-free'|'push-to-talk'} mode
 * @property {string} microphone device id; '' is the system's default
 * @property {string} speaker the same
 * @property {string} voice '' is the server's default
 * @property {number} volume 0 to 1
 * @property {boolean} echo echo cancellation, by the browser; the next two as well
 * @property {boolean} noise
 * @property {boolean} gain
 * @property {'system'|'light'|'dark'} theme
 * @property {boolean} readCaptions screen readers speak the conversation
 * @property {boolean} drawer open
 * @property {string} panel of the drawer that was open last
 */

/** @type {Readonly<Settings>} */
export const DEFAULTS = Object.freeze({
  transport: 'webrtc',
  region: '',
  mode: 'hands-free',
  microphone: '',
  speaker: '',
  voice: '',
  volume: 1,
  ...PROCESSING,
  theme: 'system',
  readCaptions: false,
  drawer: false,
  panel: 'turns',
});

const CHOICES = Object.freeze({
  transport: ['webrtc', 'websocket'],
  mode: ['hands-free', 'push-to-talk'],
  theme: ['system', 'light', 'dark'],
  panel: ['turns', 'try', 'agent', 'figures', 'events'],
});

const inRange = Object.freeze({ volume: (value) => value >= 0 && value <= 1 });

/**
 * What was kept, as far as it still makes sense. Pure.
 * @param {string|null} text
 * @returns {Settings}
 */
export function parse(text) {
  let kept;
  try {
    kept = JSON.parse(text ?? '{}');
  } catch {
    kept = {};
  }
  const settings = { ...DEFAULTS };
  for (const [name, standard] of Object.entries(DEFAULTS)) {
    const value = kept?.[name];
    const known = CHOICES[name]?.includes(value) ?? inRange[name]?.(value) ?? true;
    if (typeof value === typeof standard && known) settings[name] = value;
  }
  return settings;
}

/** @param {Settings} settings @returns {import('./types.js').Processing} */
export function processingOf({ echo, noise, gain }) {
  return { echo, noise, gain };
}

/** @param {Settings} settings @returns {import('./types.js').Output} */
export function outputOf({ speaker, volume }) {
  return { speaker, volume };
}

/** @returns {Settings} */
export function load() {
  return parse(read(() => localStorage, STORE));
}

/** @param {Settings} settings */
export function save(settings) {
  write(() => localStorage, STORE, JSON.stringify(settings));
}

/** @returns {string} '' for none */
export function loadKey() {
  return read(() => sessionStorage, KEY_STORE) ?? '';
}

/** @param {string} key */
export function saveKey(key) {
  write(() => sessionStorage, KEY_STORE, key);
}

// Storage may be switched off; then choices last as long as the page.
function read(store, name) {
  try {
    return store().getItem(name);
  } catch {
    return null;
  }
}

function write(store, name, value) {
  try {
    store().setItem(name, value);
  } catch {
    // see above
  }
}
