/**
 * The call over WebRTC: audio as media, events on the data channel `oai-events`. The server paces
 * the agent's voice, stops it and keeps the history; the page reports its playout delay.
 */
import { SILENCE, heard } from './client_events.js';
import { LevelMeter } from './level.js';
import { setOpen } from './microphone.js';
import { PacedPlayback } from './paced_playback.js';
import { at } from './regions.js';
import { resumed } from './resume.js';
import { authorization } from './server.js';
import { Problem, httpProblem } from './words.js';

const CALLS = '/v1/realtime/calls';
const ICE_DEADLINE_MS = 5_000;
const ANSWER_DEADLINE_MS = 10_000;
const MEDIA_DEADLINE_MS = 12_000;
const HANG_UP_DEADLINE_MS = 2_000;
const PROGRESS_MS = 40;
/** How often captions learn where playback is. */

/** @typedef {import('./types.js').Transport} Transport */

/** @implements {Transport} */
export class WebRtcTransport {
  /**
   * @param {{key: string, base: string, resume: import('./resume.js').Resume}} options
   * @param {import('./types.js').TransportEvents} on
   */
  constructor({ key, base, resume }, on) {
    this.kind = 'webrtc';
    this._key = key;
    this._base = base;
    this._resume = resume;
    this._on = on;
    this._audio = new Audio();
    this._audio.autoplay = true;
    this._playout = { delayS: 0, emitted: 0, ms: null };
    this._messageAt = performance.now();
    this._playback = resume.playback ?? new PacedPlayback(() => performance.now());
    resume.playback = this._playback; // which goes on with the call
  }

  /**
   * Connect; the stream is what the server hears. Raises Problem.
   * @param {MediaStream|null} stream
   */
  async open(stream) {
    if (!window.RTCPeerConnection) throw new Problem('no_audio');
    this._context = new AudioContext({ latencyHint: 'interactive' });
    this._context.resume();
    this._ear = new LevelMeter(this._context);
    this._mouth = new LevelMeter(this._context);
    const iceServers = await this._iceServers();
    if (this._closing) throw new Problem('lost'); // the user has hung up already
    this._peer = new RTCPeerConnection({ iceServers });
    this._peer.ontrack = ({ track }) => this._listen(new MediaStream([track]));
    await this._addMicrophone(stream);
    this._channel = this._peer.createDataChannel('oai-events');
    this._channel.onmessage = ({ data }) => this._receive(JSON.parse(data));
    await this._peer.setLocalDescription();
    const answer = await this._call(this._peer.localDescription.sdp);
    await this._peer.setRemoteDescription({ type: 'answer', sdp: answer });
    await this._opened();
    this._watch();
  }

  /**
   * Audio of an item that has come so far.
   * @param {string} item
   */
  audioMs(item) {
    return this._playback.audioMs(item);
  }

  /** @param {any} event a client event */
  send(event) {
    if (this._channel?.readyState !== 'open') return;
    this._channel.send(JSON.stringify(event));
    this._on.sent(event);
  }

  /**
   * What the server hears from now on; null: silence.
   * @param {MediaStream|null} stream
   */
  async hear(stream) {
    const track = stream?.getAudioTracks()[0] ?? this._silentTrack();
    await this._sender.replaceTrack(track);
    this._stream = stream;
    this._source?.disconnect();
    this._source = stream && this._context.createMediaStreamSource(stream);
    this._source?.connect(this._ear.node);
  }

  /**
   * Push to talk: silence is sent while the button is up.
   * @param {boolean} talking
   */
  talk(talking) {
    if (!talking) setOpen(this._stream, false);
  }

  /** Stop the agent's voice; the server knows what was heard. */
  silence() {
    if (this._playback.playing) this.send(SILENCE);
  }

  /** @returns {import('./types.js').Levels} */
  levels() {
    return { user: this._ear.read(), agent: this._mouth.read() };
  }

  /** The server sends silence too, so packets that stop coming are a certain sign. */
  async heardAt() {
    let at = this._messageAt;
    for (const report of await this._reports()) {
      const { type, timestamp, lastPacketReceivedTimestamp: last } = report;
      if (type === 'inbound-rtp' && last) at = Math.max(at, performance.now() - (timestamp - last));
    }
    return at;
  }

  /** The server is told all there is to know. */
  networkMs() {
    return {};
  }

  /** @param {import('./types.js').Output} output */
  play({ speaker, volume }) {
    this._audio.volume = volume;
    this._audio.setSinkId?.(speaker).catch(() => {}); // it is gone: the system's own is used
  }

  /** @returns {Promise<import('./types.js').Stats>} */
  async stats() {
    let rttMs = null;
    let gaps = null;
    for (const report of await this._reports()) {
      if (
        report.type === 'candidate-pair' &&
        report.nominated &&
        report.currentRoundTripTime >= 0
      ) {
        rttMs = report.currentRoundTripTime * 1000;
      }
      if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
      this._measurePlayout(report);
      gaps = report.concealmentEvents ?? null;
    }
    this._report();
    return { rttMs, playoutMs: this._playout.ms, gaps };
  }

  /** None where the browser refuses to tell, as of a peer that is closed. */
  async _reports() {
    const stats = await this._peer.getStats().catch(() => new Map());
    return stats.values();
  }

  /** The server cannot know how long audio waits here before it is heard. */
  _report() {
    const { response } = this._playback;
    if (this._playout.ms !== null && response) this.send(heard(response, this._playout.ms));
  }

  /**
   * Any number of times: a call that was being connected may come about after the first.
   * @param {boolean} keep the server is to keep the call
   */
  close(keep = false) {
    this._closing = true;
    if (keep) {
      const kept = this._location; // to hang up would end it
      this._location = null;
      if (kept) this._resume.abandon = () => this._hangUp(kept);
      this._playback.apply({ type: 'voicepipe.output_paused' });
    }
    clearInterval(this._progress);
    this._audio.srcObject = null;
    if (this._channel) this._channel.onmessage = null;
    if (this._context && this._context.state !== 'closed') this._context.close();
    const peer = this._peer;
    const location = this._location;
    this._location = null;
    this._hangUp(location).finally(() => peer?.close());
  }

  /** Told before the connection goes: a server that saw it go has no such call any more. */
  async _hangUp(location) {
    if (!location) return;
    const headers = authorization(this._key);
    const signal = AbortSignal.timeout(HANG_UP_DEADLINE_MS);
    const request = { method: 'POST', headers, keepalive: true, signal };
    await fetch(`${location}/hangup`, request).catch(() => {});
  }

  async _iceServers() {
    const request = { headers: authorization(this._key), signal: AbortSignal.timeout(ICE_DEADLINE_MS) };
    try {
      const response = await fetch(at(this._base, '/v1/realtime/ice_servers'), request);
      return response.ok ? ((await response.json()).iceServers ?? []) : [];
    } catch {
      return []; // where it matters the call tells what is wrong
    }
  }

  async _addMicrophone(stream) {
    const track = stream?.getAudioTracks()[0] ?? this._silentTrack();
    this._sender = this._peer.addTrack(track, new MediaStream([track]));
    await this.hear(stream);
  }

  /**
   * Someone without a microphone sends silence, so that the server's audio clock runs. It needs a
   * source: of a destination that nothing plays into no packet comes, and the server would think
   * that nobody listens any more.
   */
  _silentTrack() {
    const destination = this._context.createMediaStreamDestination();
    const source = new ConstantSourceNode(this._context, { offset: 0 });
    source.connect(destination);
    source.start();
    return destination.stream.getAudioTracks()[0];
  }

  /** The offer for the answer. Raises Problem. */
  async _call(offer) {
    const headers = { 'Content-Type': 'application/sdp', ...authorization(this._key) };
    const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS);
    const request = { method: 'POST', headers, body: offer, signal };
    const address = at(this._base, `${CALLS}?${this._resume.query}`);
    const response = await fetch(address, request).catch(() =>
      Promise.reject(new Problem('unreachable')),
    );
    if (response.status === 404 && this._resume.possible) throw new Problem('refused');
    if (!response.ok) {
      const body = await response.json().catch(() => null);
      throw httpProblem(response.status, this._key !== '', body?.error?.message, body?.error?.code);
    }
    this._location = at(this._base, response.headers.get('Location'));
    return response.text();
  }

  /** Until events and media can flow. Raises Problem. */
  _opened() {
    const { _channel: channel, _peer: peer } = this;
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Problem('media_blocked'));
      const deadline = setTimeout(fail, MEDIA_DEADLINE_MS);
      const settle = (outcome) => {
        clearTimeout(deadline);
        outcome();
      };
      peer.onconnectionstatechange = () => peer.connectionState === 'failed' && settle(fail);
      channel.onclose = () => settle(fail);
      channel.onopen = () => settle(resolve);
    });
  }

  /** From now on an end is a loss. */
  _watch() {
    const lost = () => {
      if (this._closing) return;
      this._closing = true;
      this._on.closed(new Problem('lost'));
    };
    this._channel.onclose = lost;
    this._peer.onconnectionstatechange = () => {
      if (['failed', 'closed'].includes(this._peer.connectionState)) lost();
    };
  }

  _listen(stream) {
    this._audio.srcObject = stream;
    this._audio.play().catch(() => {}); // a page that was never touched; the button was
    this._context.createMediaStreamSource(stream).connect(this._mouth.node);
  }

  _receive(event) {
    this._messageAt = performance.now();
    if (!this._resume.take(event)) return;
    const { item } = this._playback;
    this._playback.apply(event);
    if (event.type === 'output_audio_buffer.started') this._begin();
    if (event.type === 'output_audio_buffer.stopped')
      this._finish(() => this._on.played(item, Infinity));
    if (event.type === 'output_audio_buffer.cleared') this._finish(() => this._on.cut(item));
    this._on.event(event);
    if (event.type === 'session.created' && resumed(event)) this._goOn(); // the call stands now
  }

  /** The agent's voice, where it was when the connection before was lost. */
  _goOn() {
    this._playback.apply({ type: 'voicepipe.output_resumed' });
    if (this._playback.playing) this._begin();
  }

  _begin() {
    clearInterval(this._progress);
    this._on.playing(true);
    this._progress = setInterval(() => {
      const { item } = this._playback;
      const heardMs = this._playback.audioMs(item) - (this._playout.ms ?? 0);
      if (item) this._on.played(item, Math.max(0, heardMs));
    }, PROGRESS_MS);
  }

  _finish(tell) {
    clearInterval(this._progress);
    tell();
    this._on.playing(false);
  }

  /** Mean playout delay since the last look, ms. */
  _measurePlayout({ jitterBufferDelay: delayS, jitterBufferEmittedCount: emitted }) {
    const last = this._playout;
    const samples = emitted - last.emitted;
    const ms = samples > 0 ? ((delayS - last.delayS) / samples) * 1000 : last.ms;
    this._playout = { delayS, emitted, ms };
  }
}
