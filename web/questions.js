/** A recording that speaks into the call instead of a microphone: the same words, as often as wished. */
import { byId, el } from './dom.js';
import { QUESTIONS } from './questions/index.js';

const MURMUR = 1e-5;
/** -100 dBFS. */
const FOLDER = '/web/questions/';
const LEAD_MS = 400;
/** Silence before the words: the server's detector knows the room first. */
const BETWEEN_MS = 700;
/** ... and after the agent has fallen silent. */
const ANSWER_DEADLINE_MS = 45_000;

/**
 * The virtual microphone. Its stream is silence while nothing is played.
 */
export class Recording {
  constructor() {
    this._context = new AudioContext();
    this._out = this._context.createMediaStreamDestination();
    // Something always sounds, far below hearing: a graph without a source sends nothing.
    const murmur = new ConstantSourceNode(this._context, { offset: MURMUR });
    murmur.connect(this._out);
    murmur.start();
  }

  /** @returns {MediaStream} */
  get stream() {
    return this._out.stream;
  }

  /** Until it has been said. @param {AudioBuffer} audio @returns {Promise<void>} */
  say(audio) {
    const source = new AudioBufferSourceNode(this._context, { buffer: audio });
    source.connect(this._out);
    return new Promise((resolve) => {
      source.onended = () => resolve();
      source.start(this._context.currentTime + LEAD_MS / 1000);
    });
  }

  /** @param {ArrayBuffer} bytes of a file that the browser knows @returns {Promise<AudioBuffer>} */
  async decode(bytes) {
    return this._context.decodeAudioData(bytes);
  }

  close() {
    this._context.close();
  }
}

export class Questions {
  /**
   * @param {object} call
   * @param {(stream: MediaStream) => Promise<boolean>} call.connect the call stands, and hears this
   * @param {() => boolean} call.active
   * @param {() => Promise<void>} call.restore the microphone, where there was one
   * @param {() => void} call.hold the button goes down, where it makes the turns
   * @param {() => boolean} call.release it comes up; false where it does not make them
   */
  constructor(call) {
    this._call = call;
    /** @type {AbortController|null} of the round that runs */
    this._running = null;
    this._answered = () => {};
    /** @type {Map<string, Blob>} the user's own, by the option's value */
    this._files = new Map();
    this._button = byId('question-play');
    this._button.addEventListener('click', () => this._toggle());
    byId('question-file').addEventListener('change', () => this._offerFile());
    byId('question').append(
      ...QUESTIONS.map(({ file, text }) => el('option', { value: FOLDER + file }, text)),
    );
  }

  /** The call ends: so does the round. */
  stop() {
    this._running?.abort();
  }

  /** A turn is over and the agent silent. */
  answered() {
    this._answered();
  }

  _offerFile() {
    const [file] = byId('question-file').files;
    if (!file) return;
    byId('question').value = this._offer(file, file.name, file.name);
  }

  /** A recording that can be played from now on, until the page goes. @param {Blob} file @param {string} name @param {string} text */
  _offer(file, name, text) {
    const value = `file:${name}`;
    if (!this._files.has(value)) byId('question').append(el('option', { value }, text));
    this._files.set(value, file);
    return value;
  }

  /** The question set, as it is now. @param {import('./cases.js').Case[]} cases */
  offerSet(cases) {
    for (const option of byId('question').querySelectorAll('[data-case]')) {
      this._files.delete(option.value);
      option.remove();
    }
    for (const { name, line, wav } of cases) {
      const value = this._offer(new Blob([wav]), `case/${name}`, line.text || name);
      byId('question').lastElementChild.dataset.case = value;
    }
  }

  /** The one that is chosen. */
  play() {
    if (!this._running) this._run();
  }

  _toggle() {
    if (this._running) this.stop();
    else this._run();
  }

  async _run() {
    const times = Math.max(1, Math.min(50, Math.round(Number(byId('question-times').value)) || 1));
    this._running = new AbortController();
    const { signal } = this._running;
    this._show('Stop', 'Connecting.');
    const recording = new Recording();
    try {
      const audio = await recording.decode(await this._bytes(byId('question').value));
      if (!(await this._call.connect(recording.stream))) throw new Error('There is no call.');
      for (let i = 1; i <= times && !signal.aborted; i += 1) {
        this._show('Stop', times > 1 ? `Question ${i} of ${times}.` : 'The question is being said.');
        await this._ask(recording, audio, signal);
      }
      this._show('Play', signal.aborted ? 'Stopped.' : 'Done.');
    } catch (error) {
      this._show('Play', `It could not be played: ${error.message}`);
    } finally {
      this._running = null;
      if (this._call.active()) await this._call.restore();
      recording.close();
    }
  }

  async _bytes(address) {
    const own = this._files.get(address);
    if (own) return own.arrayBuffer();
    const response = await fetch(address);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return response.arrayBuffer();
  }

  /** Once, until it is answered. */
  async _ask(recording, audio, signal) {
    const next = () => new Promise((resolve) => (this._answered = resolve));
    let answered = next();
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    this._call.hold();
    await Promise.race([recording.say(audio), stopped]);
    if (this._call.release()) answered = next(); // until now there was no turn to answer
    if (signal.aborted) return;
    await Promise.race([answered, stopped, pause(ANSWER_DEADLINE_MS)]);
    await Promise.race([pause(BETWEEN_MS), stopped]);
  }

  _show(button, state) {
    this._button.textContent = button;
    byId('question-state').textContent = state;
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
