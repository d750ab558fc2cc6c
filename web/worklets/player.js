/** Plays 24 kHz mono. In: {item, add: Float32Array}, {cut: true}, {hold: bool}. Out: {item, played, idle}. */
import { PlaybackQueue } from '../playback_queue.js';

const REPORT_S = 0.04;
/** How often the page is told where playback is: a word is some 300 ms long. */

class Player extends AudioWorkletProcessor {
  constructor() {
    super();
    this._queue = new PlaybackQueue(sampleRate);
    this._idle = true;
    this._sinceReport = 0;
    this.port.onmessage = ({ data }) => {
      if (data.add) this._queue.add(data.item, data.add);
      else if (data.cut) this._queue.cut();
      else this._queue.hold(data.hold);
    };
  }

  process(_inputs, [[output]]) {
    const wasIdle = this._idle;
    if (!(wasIdle && this._queue.empty)) this._queue.fill(output);
    this._idle = this._queue.empty;
    this._sinceReport += output.length;
    if (this._idle !== wasIdle || (!this._idle && this._sinceReport >= REPORT_S * sampleRate)) {
      this._sinceReport = 0;
      this.port.postMessage({
        item: this._queue.item,
        played: this._queue.played,
        idle: this._idle,
      });
    }
    return true;
  }
}

registerProcessor('player', Player);
