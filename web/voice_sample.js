/** The chosen voice says a sentence, before there is a call. */
import { byId } from './dom.js';
import { authorization } from './server.js';

const DEADLINE_MS = 12_000;

export class VoiceSample {
  /** @param {() => {voice: string, volume: number, speaker: string, key: string}} settings */
  constructor(settings) {
    this._settings = settings;
    this._button = byId('voice-sample');
    this._button.addEventListener('click', () => this._play());
  }

  async _play() {
    const { voice, volume, speaker, key } = this._settings();
    this._button.disabled = true;
    const context = new AudioContext();
    try {
      const request = { headers: authorization(key), signal: AbortSignal.timeout(DEADLINE_MS) };
      const response = await fetch(`/web/sample?voice=${encodeURIComponent(voice)}`, request);
      if (!response.ok) throw new Error(String(response.status));
      await context.setSinkId?.(speaker).catch(() => {}); // it is gone: the system's own is used
      const audio = await context.decodeAudioData(await response.arrayBuffer());
      await say(context, audio, volume);
      this._tell('Hear it');
    } catch {
      this._tell('It cannot be heard now');
    } finally {
      this._button.disabled = false;
      context.close();
    }
  }

  _tell(text) {
    this._button.textContent = text;
  }
}

/** Until it has been said. */
function say(context, audio, volume) {
  const source = new AudioBufferSourceNode(context, { buffer: audio });
  source.connect(new GainNode(context, { gain: volume })).connect(context.destination);
  return new Promise((resolve) => {
    source.onended = resolve;
    source.start();
  });
}
