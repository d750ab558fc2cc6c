/** The settings: how to talk, with which microphone and voice, over what. */
import { byId, el } from './dom.js';
import { listMicrophones } from './microphone.js';

const FIELDS = Object.freeze(['mode', 'microphone', 'voice', 'transport']);
const IDS = Object.freeze({ microphone: 'mic' });

/** Settings that a running call cannot change. */
const FIXED_IN_CALL = Object.freeze(['voice', 'transport']);

export class Chooser {
  /**
   * @param {import('./settings.js').Settings} settings
   * @param {(changed: Partial<import('./settings.js').Settings>) => void} changed
   */
  constructor(settings, changed) {
    this._settings = settings;
    this._changed = changed;
    this._fields = Object.fromEntries(FIELDS.map((name) => [name, byId(IDS[name] ?? name)]));
    for (const [name, field] of Object.entries(this._fields)) {
      field.value = settings[name];
      field.addEventListener('change', () => changed({ [name]: field.value }));
    }
    const toggle = byId('settings-toggle');
    toggle.addEventListener('click', () => {
      const panel = byId('settings');
      panel.hidden = !panel.hidden;
      toggle.setAttribute('aria-expanded', String(!panel.hidden));
    });
    navigator.mediaDevices?.addEventListener?.('devicechange', () => this.refreshMicrophones());
    this.refreshMicrophones();
  }

  /** Choose for the user. @param {string} name @param {string} value */
  choose(name, value) {
    this._fields[name].value = value;
    this._changed({ [name]: value });
  }

  /** @param {boolean} inCall */
  lock(inCall) {
    for (const name of FIXED_IN_CALL) this._fields[name].disabled = inCall;
    byId('settings-note').hidden = !inCall;
  }

  /** @param {{voices: string[], voice: string|null, language: string|null}} server */
  showVoices({ voices, voice, language }) {
    const standard = voice ? `Server default (${voice})` : 'Server default';
    const options = voices.map((name) => ({ id: name, label: name }));
    const spoken = options.filter(({ id }) => language && speaks(id, language));
    const others = options.filter((option) => !spoken.includes(option));
    const grouped = spoken.length > 0 && others.length > 0;
    this._fill('voice', standard, grouped ? spoken : options, grouped ? others : []);
    // Another profile's voice would be refused.
    if (this._settings.voice !== this._fields.voice.value) this._changed({ voice: '' });
  }

  async refreshMicrophones() {
    this._fill('microphone', 'System default', await listMicrophones());
  }

  /** Standard first; `others` stand in a group of their own. */
  _fill(name, standard, options, others = []) {
    const field = this._fields[name];
    const item = ({ id, label }) => el('option', { value: id }, label);
    const groups = others.length
      ? [el('optgroup', { label: 'Other languages' }, ...others.map(item))]
      : [];
    field.replaceChildren(...[{ id: '', label: standard }, ...options].map(item), ...groups);
    const wanted = this._settings[name];
    field.value = [...options, ...others].some(({ id }) => id === wanted) ? wanted : '';
  }
}

/** Voices are named by their language, such as `en-us+Alex` or `en_GB-alba`. */
function speaks(voice, language) {
  return voice.toLowerCase().split(/[^a-z]/)[0] === language.toLowerCase();
}
