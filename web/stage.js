/** The talk button, the state in words, and the buttons and keys of a running call. */
import { byId } from './dom.js';

const NAMES = Object.freeze({
  starting: 'Starting',
  idle: 'Ready',
  connecting: 'Connecting',
  listening: 'Listening',
  hearing: 'Hearing you',
  thinking: 'Thinking',
  speaking: 'Speaking',
  lost: 'Connection lost',
});

const HINTS = Object.freeze({
  idle: 'Press the button and talk.',
  connecting: 'Your browser may ask for the microphone.',
  listening: 'Say something. You can interrupt at any time.',
  hearing: 'Go on; a short silence ends your turn.',
  thinking: '',
  speaking: 'Just speak to interrupt.',
  lost: '',
});

const BY_HAND_HINTS = Object.freeze({
  listening: 'Hold the button or Space while you speak.',
  hearing: 'Let go when you have finished.',
  speaking: 'Hold the button to interrupt.',
});

/**
 * What a screen reader says of the call itself. Not of each turn: it would talk into the
 * conversation.
 */
const ANNOUNCED = Object.freeze({
  starting: 'The server is starting.',
  idle: 'Not in a call.',
  connecting: 'Connecting.',
  lost: 'The connection was lost.',
});

const ENGINES = Object.freeze({ asr: 'speech recognition', llm: 'language model', tts: 'speech' });

export class Stage {
  /**
   * @param {import('./call.js').Call} call
   * @param {{talk: () => void, mute: () => void}} on
   */
  constructor(call, on) {
    this._call = call;
    this._starting = true;
    this._talk = byId('talk');
    this._hold = byId('hold');
    this._talk.addEventListener('click', on.talk);
    byId('mute').addEventListener('click', on.mute);
    byId('stop').addEventListener('click', () => call.stop());
    this._listenToHold();
    document.addEventListener('keydown', (event) => this._onKey(event, true));
    document.addEventListener('keyup', (event) => this._onKey(event, false));
    window.addEventListener('blur', () => this._release());
    this._level = 0;
  }

  /** The server is not ready. @param {Record<string, boolean>} engines which are */
  wait(engines) {
    this._starting = true;
    this.show(this._mode);
    const missing = Object.keys(engines).filter((kind) => !engines[kind]);
    const names = missing.map((kind) => ENGINES[kind] ?? kind).join(', ');
    byId('hint').textContent = names ? `Loading ${names}.` : 'Waiting for the server.';
  }

  ready() {
    this._starting = false;
    this._talk.disabled = false;
    this.show(this._mode);
  }

  /** Show the call as it is. @param {'hands-free'|'push-to-talk'} mode */
  show(mode) {
    this._mode = mode;
    const call = this._call;
    const phase = this._starting && !call.active ? 'starting' : call.phase;
    const byHand = mode === 'push-to-talk';
    const open = !['starting', 'idle', 'connecting', 'lost'].includes(phase);
    document.body.dataset.phase = phase;
    this._say(phase, byHand, open);
    byId('talk-label').textContent = call.active ? 'Hang up' : 'Talk';
    this._talk.setAttribute('aria-label', call.active ? 'Hang up' : 'Talk: start the call');
    byId('controls').hidden = !open;
    this._hold.hidden = !(byHand && call.hasMicrophone);
    this._showMute(byHand);
    byId('stop').disabled = !['speaking', 'thinking'].includes(phase);
    if (open) this._animate();
  }

  _say(phase, byHand, open) {
    const state = byId('state');
    if (state.dataset.state !== phase || state.textContent !== NAMES[phase]) {
      state.dataset.state = phase;
      state.textContent = NAMES[phase];
    }
    const announced = ANNOUNCED[phase] ?? 'You are in a call.';
    const announcement = byId('announcement');
    if (announcement.textContent !== announced) announcement.textContent = announced;
    const silent = open && !this._call.hasMicrophone ? 'Your microphone is off: type below.' : '';
    const muted = this._call.muted ? 'You are muted.' : '';
    const hint = (byHand && BY_HAND_HINTS[phase]) || HINTS[phase];
    if (phase !== 'starting') byId('hint').textContent = silent || muted || hint;
  }

  _showMute(byHand) {
    const mute = byId('mute');
    const { hasMicrophone, muted } = this._call;
    mute.hidden = byHand && hasMicrophone;
    mute.textContent = hasMicrophone ? 'Mute' : 'Turn on microphone';
    if (hasMicrophone) mute.setAttribute('aria-pressed', String(muted));
    else mute.removeAttribute('aria-pressed'); // then it is no switch
  }

  _listenToHold() {
    this._hold.addEventListener('pointerdown', ({ button }) => button === 0 && this._press());
    for (const end of ['pointerup', 'pointercancel']) {
      window.addEventListener(end, () => this._release()); // the finger may have slid away
    }
    this._hold.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /** Space talks and Escape stops, except where these keys have a meaning already. */
  _onKey(event, down) {
    const { target, key } = event;
    if (event.isComposing) return;
    if (key === 'Escape' && down) {
      this._call.stop();
      return;
    }
    const typing = target.closest(
      'input, select, textarea, summary, a, button:not(#hold), [role="log"], .log',
    );
    if (key !== ' ' || typing || this._hold.hidden || byId('controls').hidden) return;
    event.preventDefault();
    if (!down) this._release();
    else if (!event.repeat) this._press();
  }

  _press() {
    this._hold.setAttribute('aria-pressed', 'true');
    this._call.hold();
  }

  _release() {
    this._hold.setAttribute('aria-pressed', 'false');
    this._call.release();
  }

  /** The button breathes with the voice that is heard; rises at once, falls slowly. */
  _animate() {
    if (this._frame) return;
    const draw = () => {
      const { user, agent } = this._call.levels();
      const level = this._call.phase === 'speaking' ? agent : user;
      this._level = Math.max(level, this._level * 0.88);
      this._talk.style.setProperty('--level', this._level.toFixed(3));
      this._frame = this._call.active ? requestAnimationFrame(draw) : 0;
      if (!this._frame) this._talk.style.setProperty('--level', '0');
    };
    this._frame = requestAnimationFrame(draw);
  }
}
