/** The talk button, the state in words, and the buttons and keys of a running call. */
import { byId } from './dom.js';

const NAMES = Object.freeze({
  starting: 'Starting',
  away: 'No server',
  waiting: 'Calling again',
  idle: 'Ready',
  connecting: 'Connecting',
  listening: 'Listening',
  hearing: 'Hearing you',
  thinking: 'Thinking',
  speaking: 'Speaking',
  unstable: 'Connection is unstable',
  lost: 'Connection lost',
});

const HINTS = Object.freeze({
  away: 'Waiting for the server.',
  waiting: 'Nothing to do; or call now.',
  idle: 'Press the button and talk.',
  connecting: 'Your browser may ask for the microphone.',
  listening: 'Say something. You can interrupt at any time.',
  hearing: 'Go on; a short silence ends your turn.',
  thinking: 'The answer is being made.',
  speaking: 'Just speak to interrupt.',
  unstable: 'Nothing comes from the server.',
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
  away: 'The server does not answer.',
  waiting: 'Calling again in a moment.',
  idle: 'Not in a call.',
  connecting: 'Connecting.',
  unstable: 'The connection is unstable.',
  lost: 'The connection was lost.',
});

const OUTSIDE = new Set(['starting', 'away', 'waiting', 'idle', 'connecting', 'lost']);
const ENGINES = Object.freeze({ asr: 'speech recognition', llm: 'language model', tts: 'speech' });

export class Stage {
  /**
   * @param {import('./call.js').Call} call
   * @param {{talk: () => void, mute: () => void}} on
   */
  constructor(call, on) {
    this._call = call;
    /** Outside a call: why there is none. @type {'starting'|'away'|'waiting'|''} */
    this._outside = 'starting';
    this._talk = byId('talk');
    this._hold = byId('hold');
    this._talk.addEventListener('click', on.talk);
    byId('mute').addEventListener('click', on.mute);
    byId('stop').addEventListener('click', () => call.stop());
    this._listenToHold();
    document.addEventListener('keydown', (event) => this._onSpace(event, true));
    document.addEventListener('keyup', (event) => this._onSpace(event, false));
    window.addEventListener('blur', () => this._release());
    this._level = 0;
  }

  /** The server is not ready. @param {Record<string, boolean>} engines which are */
  wait(engines) {
    this.outside('starting');
    const missing = Object.keys(engines).filter((kind) => !engines[kind]);
    const names = missing.map((kind) => ENGINES[kind] ?? kind).join(', ');
    byId('hint').textContent = names ? `Loading ${names}.` : 'Waiting for the server.';
  }

  ready() {
    this._talk.disabled = false;
    this.outside('');
  }

  /** Why there is no call, where it is not the user's wish. @param {'starting'|'away'|'waiting'|''} why */
  outside(why) {
    this._outside = why;
    this.show(this._mode);
  }

  /** Show the call as it is. @param {'hands-free'|'push-to-talk'} mode */
  show(mode) {
    this._mode = mode;
    const call = this._call;
    const phase = (!call.active && call.phase === 'idle' && this._outside) || call.phase;
    const byHand = mode === 'push-to-talk';
    const open = !OUTSIDE.has(phase);
    document.body.dataset.phase = phase;
    this._say(phase, byHand, open);
    byId('talk-label').textContent = call.active ? 'Hang up' : 'Talk';
    this._talk.setAttribute('aria-label', call.active ? 'Hang up' : 'Talk: start the call');
    this._talk.classList.toggle('hang-up', call.active);
    byId('controls').hidden = !open;
    this._hold.hidden = !(byHand && call.hasMicrophone);
    this._showMute(byHand);
    byId('stop').disabled = !['speaking', 'thinking'].includes(phase);
    // The click that began the call left the focus on the button that now ends it.
    if (open && !this._hold.hidden && document.activeElement === this._talk && !this._handed) {
      this._hold.focus();
    }
    this._handed = open && !this._hold.hidden;
    if (open) this._animate();
  }

  _say(phase, byHand, open) {
    const { hasMicrophone, muted } = this._call;
    const state = byId('state');
    const off = phase === 'listening' && (muted ? 'Muted' : !hasMicrophone && 'Waiting for text');
    const name = off || NAMES[phase];
    if (state.dataset.state !== phase || state.textContent !== name) {
      state.dataset.state = phase;
      state.textContent = name;
    }
    const announced = ANNOUNCED[phase] ?? 'You are in a call.';
    const announcement = byId('announcement');
    if (announcement.textContent !== announced) announcement.textContent = announced;
    const silent = open && !hasMicrophone ? 'Your microphone is off: type below.' : '';
    const unheard = open && muted ? 'The agent does not hear you.' : '';
    const hint = (byHand && BY_HAND_HINTS[phase]) || HINTS[phase];
    if (phase !== 'starting') byId('hint').textContent = silent || unheard || hint;
  }

  _showMute(byHand) {
    const mute = byId('mute');
    const { hasMicrophone, muted } = this._call;
    mute.hidden = byHand && hasMicrophone;
    if (!hasMicrophone) mute.textContent = 'Turn on microphone';
    else mute.textContent = muted ? 'Unmute' : 'Mute'; // what it does; the state stands beside it
    mute.classList.toggle('on', muted);
  }

  _listenToHold() {
    this._hold.addEventListener('pointerdown', ({ button }) => button === 0 && this._press());
    for (const end of ['pointerup', 'pointercancel']) {
      window.addEventListener(end, () => this._release()); // the finger may have slid away
    }
    this._hold.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /**
   * Space talks, except where it has a meaning already. On the button that hangs up it has none: who
   * holds it there means to talk.
   */
  _onSpace(event, down) {
    if (event.key !== ' ' || event.isComposing) return;
    if (!down && this._bySpace) {
      event.preventDefault();
      this._release(); // wherever the focus has gone meanwhile
      return;
    }
    const taken = event.target.closest(
      'input, select, textarea, summary, a, button:not(#hold, #talk), [role="log"], [role="tab"], .log',
    );
    if (taken || this._hold.hidden || byId('controls').hidden) return;
    event.preventDefault();
    if (!down || event.repeat) return;
    this._bySpace = true;
    this._press();
  }

  _press() {
    this._pressed = true;
    this._hold.setAttribute('aria-pressed', 'true');
    this._call.hold();
  }

  _release() {
    this._bySpace = false;
    if (!this._pressed) return; // it may be a recording that holds it
    this._pressed = false;
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
      byId('mic-level').style.setProperty('--level', user.toFixed(3));
      this._frame = this._call.active ? requestAnimationFrame(draw) : 0;
      if (this._frame) return;
      this._talk.style.setProperty('--level', '0');
      byId('mic-level').style.setProperty('--level', '0');
    };
    this._frame = requestAnimationFrame(draw);
  }
}
