/** Cuts the microphone into messages of 20 ms of 24 kHz 16-bit PCM. Out: Int16Array. */
import { Resampler } from '../resampler.js';
import { RATE } from '../pcm.js';

const MESSAGE_SAMPLES = RATE / 50;

class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this._resampler = new Resampler(sampleRate, RATE);
    this._message = new Int16Array(MESSAGE_SAMPLES);
    this._filled = 0;
  }

  process([[input]]) {
    if (!input) return true; // no microphone at the moment
    for (const sample of this._resampler.push(input)) {
      const clipped = Math.max(-1, Math.min(1, sample));
      this._message[this._filled] = Math.round(clipped * 32767);
      this._filled += 1;
      if (this._filled === MESSAGE_SAMPLES) {
        this.port.postMessage(this._message, [this._message.buffer]);
        this._message = new Int16Array(MESSAGE_SAMPLES);
        this._filled = 0;
      }
    }
    return true;
  }
}

registerProcessor('recorder', Recorder);
