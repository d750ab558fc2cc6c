/** The call over a WebSocket: audio as base64 in JSON, playback by the page itself. */
import { truncation } from './client_events.js';
import { LevelMeter } from './level.js';
import { RATE, decode, encode } from './pcm.js';
import { Player } from './player.js';
import { at, socketAt } from './regions.js';
import { askServer, subprotocols } from './server.js';
import { Problem, closeProblem, refusalProblem } from './words.js';

const OPEN_DEADLINE_MS = 10_000;
const ASK_AFTER_MS = 700;
const ASK_DEADLINE_MS = 1000;
/** What may wait to be sent before more sound is dropped: five seconds of it, in base64. */
const WAITING_BYTES = (5 * 2 * RATE * 4) / 3;

/** @typedef {import('./types.js').Transport} Transport */

/** @implements {Transport} */
export class WebSocketTransport {
  /**
   * @param {{key: string, base: string, resume: import('./resume.js').Resume}} options
   * @param {import('./types.js').TransportEvents} on
   */
  constructor({ key, base, resume }, on) {
    this.kind = 'websocket';
    this._key = key;
    this._base = base;
    this._resume = resume;
    this._on = on;
    this._talking = false;
    this._heardAt = performance.now();
    this._asking = false;
    this._rttMs = null;
    /** @type {Map<string, string>} item to its response */
    this._responses = new Map();
    /** @type {Map<string, number>} by response */
    this._playoutMs = new Map();
    /** @type {MediaStreamAudioSourceNode|null} */
    this._source = null;
  }

  /**
   * Connect; the stream is what the server hears once `talk` lets it. Raises Problem.
   * @param {MediaStream|null} stream
   */
  async open(stream) {
    await this._openAudio();
    await this.hear(stream);
    if (this._closing) throw new Problem('lost'); // the user has hung up already
    await this._connect();
  }

  /**
   * Audio of an item that has come so far.
   * @param {string} item
   */
  audioMs(item) {
    return this._resume.baseMs(item) + this._player.takenMs(item);
  }

  /** @param {any} event a client event */
  send(event) {
    if (this._socket?.readyState !== WebSocket.OPEN) return;
    this._socket.send(JSON.stringify(event));
    this._on.sent(event);
  }

  /**
   * What the server hears from now on.
   * @param {MediaStream|null} stream
   */
  async hear(stream) {
    this._source?.disconnect();
    this._source = stream && this._capture.createMediaStreamSource(stream);
    this._source?.connect(this._recorder);
    this._source?.connect(this._ear.node);
  }

  /**
   * Push to talk: nothing is sent while the button is up.
   * @param {boolean} talking
   */
  talk(talking) {
    this._talking = talking;
  }

  /** Stop the agent's voice, and tell the server what was heard of it. */
  silence() {
    for (const { item, playedMs } of this._player.cut())
      this.send(truncation(item, this._resume.baseMs(item) + playedMs));
    this._resume.cut();
  }

  /** A WebSocket tells nothing of its packets: without messages, ask the server how it is. */
  async heardAt(silentMs) {
    if (silentMs > ASK_AFTER_MS && !this._asking) this._ask();
    return this._heardAt;
  }

  /** How long an answer's first sound waited here, by this page's own clock. */
  networkMs(response) {
    const playout = this._playoutMs.get(response);
    const way = this._rttMs === null ? {} : { up: this._rttMs / 2, down: this._rttMs / 2 };
    return playout === undefined ? {} : { ...way, playout };
  }

  /** @param {import('./types.js').Output} output */
  play({ speaker, volume }) {
    this._volume.gain.value = volume;
    const { _playback: context } = this;
    if ('setSinkId' in context) context.setSinkId(speaker).catch(() => {}); // it is gone
  }

  /** @returns {Promise<import('./types.js').Stats>} by this page's clock */
  async stats() {
    const playoutMs = [...this._playoutMs.values()].at(-1) ?? null;
    return { rttMs: this._rttMs, playoutMs, gaps: this._player.gaps };
  }

  /** One small request: a sign of life, and how long the way is. */
  async _ask() {
    this._asking = true;
    const began = performance.now();
    const signal = AbortSignal.timeout(ASK_DEADLINE_MS);
    try {
      await fetch(at(this._base, '/healthz'), { method: 'HEAD', cache: 'no-store', signal });
      const took = performance.now() - began;
      this._rttMs = Math.min(took, this._rttMs ?? Infinity); // the least has the least of the server
      this._heardAt = performance.now();
    } catch {
      // no sign
    } finally {
      this._asking = false;
    }
  }

  /** @returns {import('./types.js').Levels} */
  levels() {
    return { user: this._ear.read(), agent: this._mouth.read() };
  }

  /** Any number of times. @param {boolean} keep the server is to keep the call */
  close(keep = false) {
    this._closing = true;
    this._player?.close();
    const socket = this._socket;
    if (keep && socket) {
      socket.onmessage = null; // to close it would be to hang up
      this._resume.leave = () => socket.close(1000);
    } else socket?.close(1000);
    for (const context of [this._capture, this._playback])
      if (context && context.state !== 'closed') context.close();
  }

  /** The microphone keeps the device's rate (not all browsers convert it); playback has ours. */
  async _openAudio() {
    if (!window.AudioWorkletNode)
      throw new Problem(window.isSecureContext ? 'no_audio' : 'insecure');
    this._capture = new AudioContext({ latencyHint: 'interactive' });
    this._playback = new AudioContext({ latencyHint: 'interactive', sampleRate: RATE });
    await Promise.all([
      this._capture.audioWorklet.addModule(new URL('./worklets/recorder.js', import.meta.url).href),
      this._playback.audioWorklet.addModule(new URL('./worklets/player.js', import.meta.url).href),
    ]).catch(() => Promise.reject(new Problem('unreachable'))); // the server gives these too
    this._recorder = new AudioWorkletNode(this._capture, 'recorder', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    this._recorder.port.onmessage = ({ data }) => this._append(data);
    this._player = new Player(this._playback, {
      played: ({ item, playedMs }) => this._played(item, playedMs),
      playing: (playing) => this._on.playing(playing),
      began: (item, delayMs) => this._playoutMs.set(this._responses.get(item) ?? '', delayMs),
    });
    this._volume = new GainNode(this._playback);
    this._ear = new LevelMeter(this._capture);
    this._mouth = new LevelMeter(this._playback);
    this._player.output.connect(this._mouth.node).connect(this._volume);
    this._volume.connect(this._playback.destination);
    for (const context of [this._capture, this._playback]) context.resume();
  }

  /** Until the socket is open. Raises Problem. @returns {Promise<void>} */
  _connect() {
    const names = subprotocols(this._key);
    let socket;
    try {
      const path = `/v1/realtime?model=voicepipe&${this._resume.query}`;
      socket = new WebSocket(socketAt(this._base, path), names);
    } catch {
      throw new Problem('key_wrong'); // it has characters that no header may have
    }
    this._socket = socket; // also while it opens: who hangs up closes it
    return new Promise((resolve, reject) => {
      const refuse = async () => {
        clearTimeout(deadline);
        socket.close();
        reject(refusalProblem(await askServer(this._key, this._base)));
      };
      const deadline = setTimeout(refuse, OPEN_DEADLINE_MS);
      socket.onclose = refuse;
      socket.onmessage = ({ data }) => this._receive(data);
      socket.onopen = () => {
        clearTimeout(deadline);
        socket.onclose = ({ code }) => {
          if (!this._closing) this._on.closed(closeProblem(code));
        };
        resolve();
      };
    });
  }

  /** What the server's decisions mean for playback. */
  _follow({ type }) {
    if (type === 'voicepipe.output_paused') this._player.hold(true);
    if (type === 'voicepipe.output_resumed') this._player.hold(false);
    if (type === 'input_audio_buffer.speech_started') this.silence();
  }

  _append(samples) {
    if (!this._talking || !this._source) return;
    if (this._socket && this._socket.bufferedAmount > WAITING_BYTES) return; // the way is stalled
    this.send({ type: 'input_audio_buffer.append', audio: encode(samples) });
  }

  _played(item, playedMs) {
    const heardMs = this._resume.baseMs(item) + playedMs;
    this._resume.played(item, heardMs);
    this._on.played(item, heardMs);
  }

  /** What of a piece was heard over the connection before is not played again. */
  _play(item, samples) {
    const heardMs = this._resume.audio(item, (samples.length * 1000) / RATE);
    this._player.add(item, samples.subarray(Math.round((heardMs * RATE) / 1000)));
  }

  _receive(data) {
    const event = JSON.parse(data);
    this._heardAt = performance.now();
    if (!this._resume.take(event)) return;
    if (event.type === 'response.output_audio.delta') {
      this._responses.set(event.item_id, event.response_id);
      this._play(event.item_id, decode(event.delta));
    }
    this._on.event(event);
    this._follow(event);
  }
}
