/** Plays a call's recording: from anywhere, faster, without silences, or one wait again and again. */
import { el, save } from './dom.js';
import { clock } from './logged_call.js';
import { envelopeOf, lengthOf, overlapsOf, readWav, silencesOf } from './recording.js';
import { SoundView } from './sound_view.js';

const SPEEDS = Object.freeze([1, 1.25, 1.5, 2]);
const STEP_S = 5;
const LEAST_SILENCE_S = 1.0;
const KEPT_SILENCE_S = 0.25;
const AROUND_S = 2;
/** What is seen beside a wait that is looped. */

export class RecordingPlayer {
  /**
   * @param {import('./calls_api.js').CallsApi} api
   * @param {{moved: (at: number) => void, ready: (overlaps: import('./recording.js').Overlap[]) => void, speaker: () => string}} on
   */
  constructor(api, on) {
    this._api = api;
    this._on = on;
    /** @type {import('./recording.js').Sound|null} */
    this.sound = null;
    this._audio = new Audio();
    this._audio.addEventListener('play', () => this._playingChanged());
    this._audio.addEventListener('pause', () => this._playingChanged());
    this._audio.addEventListener('seeked', () => this._tell());
    this._view = new SoundView((at) => this._seek(at));
    this._loop = null;
    this._silences = [];
    this._buildControls();
    this.element = el('section', { class: 'player', 'aria-label': 'Recording', 'data-testid': 'player' }, this._view.element, this._controls, this._status);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this._view.recolour());
  }

  get playing() {
    return !this._audio.paused;
  }

  /** @param {any} recording of `/v1/calls/{id}` @param {(import('./logged_call.js').Moment|null)[]} moments */
  async load(recording, moments) {
    this._leaving?.abort();
    this._leaving = new AbortController();
    const { signal } = this._leaving;
    this._status.textContent = 'The sound comes …';
    let bytes;
    try {
      bytes = await this._api.recording(recording, signal, (share) => {
        this._status.textContent = share < 1 ? `The sound comes: ${Math.round(share * 100)} %` : '';
      });
      this.sound = readWav(bytes);
    } catch (error) {
      if (!signal.aborted) this._status.textContent = error.message;
      return;
    }
    if (signal.aborted) return;
    const envelope = envelopeOf(this.sound);
    this._silences = silencesOf(envelope, LEAST_SILENCE_S);
    const overlaps = overlapsOf(envelope);
    this._blob = new Blob([bytes], { type: 'audio/wav' });
    this._audio.src = URL.createObjectURL(this._blob);
    this._seconds = lengthOf(this.sound);
    this._view.show({ envelope, seconds: this._seconds, moments, overlaps });
    this._enable(true);
    this._tell();
    this._on.ready(overlaps);
  }

  /** Silence, and nothing is held. */
  close() {
    this._leaving?.abort();
    this._audio.pause();
    if (this._audio.src) URL.revokeObjectURL(this._audio.src);
    this._audio.removeAttribute('src');
    this.sound = this._blob = null;
    this._endLoop();
    this._time.textContent = '0:00';
    this._view.show(null);
    this._view.choose(-1);
    this._enable(false);
  }

  /** @param {number} at seconds */
  playFrom(at) {
    this._seek(at);
    this._play();
  }

  /** @param {{from: number, to: number}} stretch */
  loop(stretch) {
    this._loop = stretch;
    this._view.look(stretch.from - AROUND_S, stretch.to + AROUND_S);
    this._audio.currentTime = stretch.from;
    this._loopSaid.hidden = false;
    this._play();
  }

  /** @param {number} index of the turn that is looked at */
  choose(index) {
    this._view.choose(index);
  }

  /** @param {string} name */
  download(name) {
    if (this._blob) save(name, 'audio/wav', this._blob);
  }

  /** @param {string} key @returns {boolean} whether it was ours */
  onKey(key) {
    if (!this.sound) return false;
    const act = {
      ' ': () => this._toggle(),
      arrowleft: () => this._seek(this._audio.currentTime - STEP_S),
      arrowright: () => this._seek(this._audio.currentTime + STEP_S),
      '+': () => this._view.zoom(0.6),
      '-': () => this._view.zoom(1 / 0.6),
      0: () => this._view.look(0, this._seconds),
    }[key];
    act?.();
    return Boolean(act);
  }

  _buildControls() {
    const button = (text, label, act, more = {}) => {
      const made = el('button', { type: 'button', class: 'small', 'aria-label': label, ...more }, text);
      made.addEventListener('click', act);
      return made;
    };
    this._button = button('▶', 'Play', () => this._toggle(), { class: 'play', 'data-testid': 'play' });
    this._time = el('span', { class: 'play-time', 'data-testid': 'play-time' }, '0:00');
    const speed = el('select', { 'aria-label': 'Speed', class: 'speed' }, ...SPEEDS.map((one) => el('option', { value: one }, `${one} ×`)));
    speed.addEventListener('change', () => {
      const rate = Number(speed.value);
      Object.assign(this._audio, { defaultPlaybackRate: rate, playbackRate: rate }); // the next call's, too
    });
    this._skip = el('input', { type: 'checkbox' });
    this._loopSaid = button('Stop the loop', 'Stop the loop', () => this._endLoop(), { hidden: true, class: 'small on' });
    this._controls = el(
      'div',
      { class: 'player-controls' },
      this._button,
      button('−5 s', '−5 s, back', () => this._seek(this._audio.currentTime - STEP_S)),
      button('+5 s', '+5 s, ahead', () => this._seek(this._audio.currentTime + STEP_S)),
      this._time,
      speed,
      el('label', { class: 'skip-silence' }, this._skip, ' Skip silence'),
      this._loopSaid,
      el('span', { class: 'player-zoom' }, button('+', 'Zoom in', () => this._view.zoom(0.6)), button('−', 'Zoom out', () => this._view.zoom(1 / 0.6)), button('All', 'All of it', () => this._view.look(0, this._seconds))),
    );
    this._status = el('p', { class: 'aside', role: 'status' });
    this._enable(false);
  }

  _enable(on) {
    for (const control of this._controls.querySelectorAll('button, select, input')) control.disabled = !on;
  }

  _seek(at) {
    if (!this.sound) return;
    this._endLoop();
    this._audio.currentTime = Math.max(0, Math.min(this._seconds, at));
    this._tell();
  }

  _toggle() {
    if (this.playing) this._audio.pause();
    else this._play();
  }

  async _play() {
    this._audio.setSinkId?.(this._on.speaker()).catch(() => {}); // it is gone: the system's own is used
    try {
      await this._audio.play();
    } catch {
      if (this.sound) this._status.textContent = 'This browser does not play it.';
    }
  }

  _endLoop() {
    this._loop = null;
    this._loopSaid.hidden = true;
  }

  _playingChanged() {
    this._button.textContent = this.playing ? '❚❚' : '▶';
    this._button.setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
    if (this.playing) this._watch();
  }

  /** While it plays: the head moves, loops return, silences are jumped over. */
  _watch() {
    const at = this._audio.currentTime;
    if (this._loop && at >= this._loop.to) this._audio.currentTime = this._loop.from;
    else if (this._skip.checked && !this._loop) this._jump(at);
    this._tell();
    if (this.playing) requestAnimationFrame(() => this._watch());
  }

  _jump(at) {
    const silence = this._silences.find(({ from, to }) => at >= from + KEPT_SILENCE_S && at < to - KEPT_SILENCE_S);
    if (silence) this._audio.currentTime = silence.to - KEPT_SILENCE_S;
  }

  _tell() {
    const at = this._audio.currentTime;
    const text = `${clock(at)} / ${clock(this._seconds ?? 0)}`;
    if (this._time.textContent !== text) this._time.textContent = text;
    this._view.moved(at);
    this._on.moved(at);
  }
}
