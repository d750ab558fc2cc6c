/** Is the chosen microphone heard at all? Shown before a call, without the server. */
import { byId } from './dom.js';
import { LevelMeter } from './level.js';
import { openMicrophone, stop } from './microphone.js';

const LONGEST_MS = 20_000;

export class MicrophoneTest {
  /**
   * @param {() => {microphone: string, echo: boolean, noise: boolean, gain: boolean}} settings
   * @param {(problem: any) => void} failed
   */
  constructor(settings, failed) {
    this._settings = settings;
    this._failed = failed;
    this._button = byId('mic-test');
    this._button.addEventListener('click', () => (this._asked ? this.end() : this._begin()));
  }

  /** The microphone is let go. */
  end() {
    cancelAnimationFrame(this._frame);
    clearTimeout(this._timer);
    stop(this._stream);
    this._context?.close();
    this._stream = this._context = this._asked = null;
    this._show(false, 0);
  }

  /** From the beginning. */
  again() {
    this.end();
    this._begin();
  }

  async _begin() {
    const { microphone, ...processing } = this._settings();
    const asked = (this._asked = {}); // while the browser asks the user, too
    let stream;
    try {
      stream = await openMicrophone(microphone, processing);
    } catch (problem) {
      if (asked !== this._asked) return;
      this._asked = null;
      this._failed(problem);
      return;
    }
    if (asked !== this._asked) {
      stop(stream);
      return;
    }
    this._stream = stream;
    this._context = new AudioContext();
    const meter = new LevelMeter(this._context);
    this._context.createMediaStreamSource(this._stream).connect(meter.node);
    this._timer = setTimeout(() => this.end(), LONGEST_MS);
    const draw = () => {
      this._show(true, meter.read());
      this._frame = requestAnimationFrame(draw);
    };
    draw();
  }

  _show(on, level) {
    this._button.setAttribute('aria-pressed', String(on));
    byId('mic-test-level').style.setProperty('--level', level.toFixed(3));
  }
}
