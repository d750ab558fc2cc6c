/** The call over a WebSocket: audio as base64 in JSON, playback by the page itself. */
import { truncation } from './client_events.js';
import { LevelMeter } from './level.js';
import { RATE, decode, encode } from './pcm.js';
import { Player } from './player.js';
import { askServer } from './server.js';
import { Problem, closeProblem, refusalProblem } from './words.js';

const OPEN_DEADLINE_MS = 10_000;

/** @typedef {import('./types.js').Transport} Transport */

/** @implements {Transport} */
export class WebSocketTransport {
  /**
   * @param {{key: string}} options
   * @param {import('./types.js').TransportEvents} on
   */
  constructor({ key }, on) {
    this.kind = 'websocket';
    this._key = key;
    this._on = on;
    this._talking = false;
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
    return this._player.takenMs(item);
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
    for (const { item, playedMs } of this._player.cut()) this.send(truncation(item, playedMs));
  }

  /** @returns {Promise<import('./types.js').Stats>} a WebSocket tells nothing */
  async stats() {
    return { rttMs: null, playoutMs: null };
  }

  /** @returns {import('./types.js').Levels} */
  levels() {
    return { user: this._ear.read(), agent: this._mouth.read() };
  }

  /** Any number of times. */
  close() {
    this._closing = true;
    this._player?.close();
    this._socket?.close(1000);
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
      this._capture.audioWorklet.addModule('/web/worklets/recorder.js'),
      this._playback.audioWorklet.addModule('/web/worklets/player.js'),
    ]).catch(() => Promise.reject(new Problem('unreachable'))); // the server gives these too
    this._recorder = new AudioWorkletNode(this._capture, 'recorder', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    this._recorder.port.onmessage = ({ data }) => this._append(data);
    this._player = new Player(this._playback, {
      played: ({ item, playedMs }) => this._on.played(item, playedMs),
      playing: (playing) => this._on.playing(playing),
    });
    this._ear = new LevelMeter(this._capture);
    this._mouth = new LevelMeter(this._playback);
    this._player.output.connect(this._mouth.node).connect(this._playback.destination);
    for (const context of [this._capture, this._playback]) context.resume();
  }

  /** Until the socket is open. Raises Problem. @returns {Promise<void>} */
  _connect() {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const names = this._key ? ['realtime', `openai-insecure-api-key.${this._key}`] : ['realtime'];
    let socket;
    try {
      socket = new WebSocket(`${scheme}//${location.host}/v1/realtime?model=voicepipe`, names);
    } catch {
      throw new Problem('key_wrong'); // it has characters that no header may have
    }
    this._socket = socket; // also while it opens: who hangs up closes it
    return new Promise((resolve, reject) => {
      const refuse = async () => {
        clearTimeout(deadline);
        socket.close();
        reject(refusalProblem(await askServer(this._key)));
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
    this.send({ type: 'input_audio_buffer.append', audio: encode(samples) });
  }

  _receive(data) {
    const event = JSON.parse(data);
    if (event.type === 'response.output_audio.delta') {
      this._player.add(event.item_id, decode(event.delta));
    }
    this._on.event(event);
    this._follow(event);
  }
}
