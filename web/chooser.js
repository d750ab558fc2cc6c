/** The settings: how to talk, with which devices and voice, over what. */
import { byId, el } from './dom.js';
import { listDevices } from './microphone.js';
import { chosen } from './regions.js';

const FIELDS = Object.freeze({
  mode: 'mode',
  microphone: 'mic',
  speaker: 'speaker',
  voice: 'voice',
  transport: 'transport',
  region: 'region',
  volume: 'volume',
  echo: 'echo',
  noise: 'noise',
  gain: 'gain',
  theme: 'theme',
  readCaptions: 'read-captions',
});

/** Settings that a running call cannot change. */
const FIXED_IN_CALL = Object.freeze(['voice', 'transport', 'region']);

export class Chooser {
  /**
   * @param {import('./settings.js').Settings} settings
   * @param {(changed: Partial<import('./settings.js').Settings>) => void} changed
   */
  constructor(settings, changed) {
    this._settings = settings;
    this._changed = changed;
    const fields = Object.entries(FIELDS).map(([name, id]) => [name, byId(id)]);
    this._fields = Object.fromEntries(fields);
    for (const [name, field] of fields) {
      show(field, settings[name]);
      const when = field.type === 'range' ? 'input' : 'change';
      field.addEventListener(when, () => changed({ [name]: valueOf(field) }));
    }
    this._panel = byId('settings');
    this._toggle = byId('settings-toggle');
    this._toggle.addEventListener('click', () => this.setOpen(this._panel.hidden));
    navigator.mediaDevices?.addEventListener?.('devicechange', () => this.refreshDevices());
    this.refreshDevices();
  }

  get open() {
    return !this._panel.hidden;
  }

  /** @param {boolean} open */
  setOpen(open) {
    this._panel.hidden = !open;
    this._toggle.setAttribute('aria-expanded', String(open));
  }

  /** By a key: the focus goes where it came from. */
  close() {
    this.setOpen(false);
    this._toggle.focus();
  }

  /** Whether a key is pressed for the settings rather than for the call. @param {Element} target */
  concerns(target) {
    return this._panel.contains(target) || target === this._toggle;
  }

  /** Choose for the user. @param {string} name @param {string} value */
  choose(name, value) {
    show(this._fields[name], value);
    this._changed({ [name]: value });
  }

  /** Chosen elsewhere. @param {string} name @param {string} value */
  follow(name, value) {
    if (this._settings[name] !== value) this.choose(name, value);
  }

  /** @param {boolean} inCall */
  lock(inCall) {
    for (const name of FIXED_IN_CALL) this._fields[name].disabled = inCall;
    byId('settings-note').hidden = !inCall;
  }

  /** @param {{voices: string[], voice: string|null, language: string|null}} server */
  showVoices({ voices, voice, language }) {
    const standard = voice ? `Server default (${voice})` : 'Server default';
    const groups = byLanguage(voices, language);
    this._fill('voice', standard, groups);
    // Another profile's voice would be refused.
    if (this._settings.voice !== this._fields.voice.value) this._changed({ voice: '' });
  }

  /** @param {import('./regions.js').Region[]} regions measured */
  showRegions(regions) {
    byId('region-field').hidden = regions.length === 0;
    const way = ({ id, ms }) => (ms === null ? `${id} (no answer)` : `${id} (${ms.toFixed(0)} ms)`);
    const nearest = chosen(regions, '');
    const options = regions.map((region) => ({ id: region.id, label: way(region) }));
    this._fill('region', nearest ? `Nearest: ${way(nearest)}` : 'Nearest', [{ label: '', options }]);
  }

  async refreshDevices() {
    const { microphones, speakers } = await listDevices();
    this._fill('microphone', 'System default', [{ label: '', options: microphones }]);
    this._fill('speaker', 'System default', [{ label: '', options: speakers }]);
    const choosable = 'setSinkId' in HTMLMediaElement.prototype;
    byId('speaker-field').hidden = !choosable || speakers.length === 0;
  }

  /** Standard first, then groups with a name each; those without one stand by themselves. */
  _fill(name, standard, groups) {
    const field = this._fields[name];
    const item = ({ id, label }) => el('option', { value: id }, label);
    const shown = groups.flatMap(({ label, options }) =>
      label ? [el('optgroup', { label }, ...options.map(item))] : options.map(item),
    );
    field.replaceChildren(item({ id: '', label: standard }), ...shown);
    const wanted = this._settings[name];
    const known = groups.some(({ options }) => options.some(({ id }) => id === wanted));
    field.value = known ? wanted : '';
  }
}

function show(field, value) {
  if (field.type === 'checkbox') field.checked = value;
  else field.value = value;
}

function valueOf(field) {
  if (field.type === 'checkbox') return field.checked;
  return field.type === 'range' ? Number(field.value) : field.value;
}

/**
 * Voices in groups by language, the agent's own first. They are named by it: `en-us+Alex`,
 * `en_GB-alba`. Pure.
 * @param {string[]} voices
 * @param {string|null} language
 * @returns {{label: string, options: {id: string, label: string}[]}[]}
 */
export function byLanguage(voices, language) {
  const groups = new Map();
  for (const id of voices) {
    const code = languageOf(id);
    if (!groups.has(code)) groups.set(code, []);
    groups.get(code).push({ id, label: id });
  }
  if (groups.size < 2) return [...groups.values()].map((options) => ({ label: '', options }));
  const own = language?.toLowerCase();
  const order = [...groups.keys()].sort((a, b) => (b === own) - (a === own) || a.localeCompare(b));
  return order.map((code) => ({ label: nameOf(code), options: groups.get(code) }));
}

function languageOf(voice) {
  return voice.toLowerCase().split(/[^a-z]/)[0];
}

function nameOf(code) {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code;
  } catch {
    return code; // a voice that is not named by its language
  }
}
