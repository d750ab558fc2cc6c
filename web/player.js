/** Plays what arrives on a WebSocket, knows what was heard, and can fall silent at once. */
import { RATE } from './pcm.js';

/**
 * @typedef {object} Heard
 * @property {string} item
 * @property {number} playedMs
 */

export class Player {
  /**
   * @param {AudioContext} context at 24 kHz, with the `player` worklet loaded
   * @param {object} on
   * @param {(heard: Heard) => void} on.played some 25 times a second while playing
   * @param {(playing: boolean) => void} on.playing
   * @param {(item: string, delayMs: number) => void} on.began an item's first sound left the
   *   loudspeaker so long after it had come
   */
  constructor(context, on) {
    this._context = context;
    this._on = on;
    this._node = new AudioWorkletNode(context, 'player', {
      numberOfInputs: 0,
      outputChannelCount: [1],
    });
    this._node.port.onmessage = ({ data }) => this._report(data);
    /** @type {Map<string, number>} samples taken in, by item */
    this._taken = new Map();
    /** @type {Set<string>} items that were cut off: more of them is not played */
    this._cut = new Set();
    /** @type {Map<string, number>} when an item that is still to begin came, ms */
    this._cameAt = new Map();
    this._now = { item: '', played: 0, at: 0 };
    this.playing = false;
    /** How often an item broke off because the rest of it came too late. */
    this.gaps = 0;
  }

  /** @returns {AudioNode} what it plays */
  get output() {
    return this._node;
  }

  /**
   * @param {string} item
   * @param {Float32Array} samples
   */
  add(item, samples) {
    if (this._cut.has(item) || samples.length === 0) return;
    if (!this._taken.has(item)) this._cameAt.set(item, performance.now());
    else if (this._now.idle && this._now.item === item && !this.playing) this.gaps += 1;
    this._taken.set(item, this.takenSamples(item) + samples.length);
    this._node.port.postMessage({ add: samples, item }, [samples.buffer]);
    this._setPlaying(true);
  }

  /** @param {string} item */
  takenSamples(item) {
    return this._taken.get(item) ?? 0;
  }

  /** @param {string} item @returns {number} ms of audio that came for it */
  takenMs(item) {
    return (this.takenSamples(item) * 1000) / RATE;
  }

  /**
   * Fall silent, or go on where it stopped: the server judges whether the user means to interrupt.
   * @param {boolean} held
   */
  hold(held) {
    this._node.port.postMessage({ hold: held });
  }

  /**
   * Silence. Tells how much was heard of each item that had not been played out.
   * @returns {Heard[]}
   */
  cut() {
    this._node.port.postMessage({ cut: true }); // where nothing plays it ends a pause
    if (!this.playing) return [];
    const heard = [];
    for (const [item, samples] of this._taken) {
      const playedMs = this._playedMs(item, samples);
      if (!this._cut.has(item) && playedMs < this.takenMs(item)) heard.push({ item, playedMs });
      this._cut.add(item);
    }
    this._setPlaying(false);
    return heard;
  }

  close() {
    this._node.port.onmessage = null;
    this._node.disconnect();
  }

  /** What has left the loudspeaker, by the last report and the time since. */
  _playedMs(item, samples) {
    const order = [...this._taken.keys()];
    const current = order.indexOf(this._now.item);
    if (order.indexOf(item) < current) return (samples * 1000) / RATE;
    if (item !== this._now.item) return 0;
    const since = this._now.idle ? 0 : (this._context.currentTime - this._now.at) * RATE;
    const latency = outputLatencyS(this._context) * RATE;
    return Math.max(0, (Math.min(samples, this._now.played + since) - latency) * 1000) / RATE;
  }

  _report({ item, played, idle }) {
    this._now = { item, played, idle, at: this._context.currentTime };
    this._tellBegun(item, played);
    this._on.played({ item, playedMs: (played * 1000) / RATE });
    // A report from before the newest `add` may still say idle.
    if (idle && played >= this.takenSamples(item) && [...this._taken.keys()].at(-1) === item) {
      this._setPlaying(false);
    }
  }

  _tellBegun(item, played) {
    const cameAt = this._cameAt.get(item);
    if (cameAt === undefined || played === 0) return;
    this._cameAt.delete(item);
    const waited = performance.now() - cameAt - (played * 1000) / RATE;
    this._on.began(item, Math.max(0, waited) + 1000 * outputLatencyS(this._context));
  }

  _setPlaying(playing) {
    if (playing === this.playing) return;
    this.playing = playing;
    this._on.playing(playing);
  }
}

/**
 * How long a sample that was played takes to leave the loudspeaker. Firefox is not asked: while its
 * worklet runs, the question can wait for the audio callback, which waits for the page, which waits
 * for the answer; with PulseAudio two calls of five froze a busy machine's tab for good.
 * @param {AudioContext} context
 * @returns {number} s; 0 where the browser does not tell
 */
function outputLatencyS(context) {
  return navigator.userAgent.includes('Firefox/') ? 0 : (context.outputLatency ?? 0);
}
