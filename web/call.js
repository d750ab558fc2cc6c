/** One call at a time: microphone, transport and what the user does with them. */
import { CANCEL, RESPOND, message, modeChange, opening, tuning } from './client_events.js';
import { Liveness } from './liveness.js';
import { openMicrophone, setOpen, stop } from './microphone.js';
import * as phases from './phase.js';
import { PushToTalk } from './push_to_talk.js';
import { Resume } from './resume.js';
import { WebRtcTransport } from './webrtc.js';
import { WebSocketTransport } from './websocket.js';
import { Problem, serverProblem } from './words.js';

const TRANSPORTS = Object.freeze({ webrtc: WebRtcTransport, websocket: WebSocketTransport });
const CREATED_DEADLINE_MS = 8000;
const STATS_MS = 1000;
const FORGET_MS = 20_000;
const LOOK_MS = 250;
/** How often it is asked what has come; sooner where the silence would then mean something. */
const LAST_WORDS = new Set(['session_expired', 'ended', 'taken', 'too_slow']);
/** What the server says before it ends a call on purpose: nobody calls again by itself. */

export class Call {
  /**
   * @param {import('./captions.js').Captions} captions
   * @param {import('./types.js').CallEvents} on
   */
  constructor(captions, on) {
    this._captions = captions;
    this._on = on;
    this._state = phases.AT_REST;
    this._attempt = 0;
    this._resume = new Resume();
    this._muted = false; // also while a lost call is called again, like the next
    this._responding = false;
    this._button = new PushToTalk({
      send: (event) => this._send(event),
      held: (held) => this._apply({ type: held ? 'talk.held' : 'talk.released' }),
      ears: () => this._openEars(),
      tooShort: () => this._on.problem(new Problem('too_short')),
    });
    this._clear();
  }

  get phase() {
    return phases.phaseOf(this._state);
  }

  get active() {
    return this._open || this._state.link === 'connecting';
  }

  /** The server hears someone. */
  get hasMicrophone() {
    return this._stream !== null;
  }

  get muted() {
    return this._muted;
  }

  /** Of this call or the last. @returns {import('./types.js').CallOptions['transport']|undefined} */
  get transport() {
    return this._options?.transport;
  }

  /** @returns {import('./types.js').Levels} */
  levels() {
    return this._open ? this._transport.levels() : { user: 0, agent: 0 };
  }

  /**
   * @param {import('./types.js').CallOptions} options
   * @param {boolean} again a call was lost, and is to go on if the server has kept it
   */
  async start(options, again = false) {
    this._end();
    if (!again) this._muted = false;
    const goesOn = again && this._resume.possible;
    if (!goesOn) this._forget();
    const { transport: kept } = this; // a call that goes on does so by the transport that it had
    this._options = { ...options, transport: goesOn ? kept : options.transport };
    this._apply({ type: 'call.connecting' });
    const attempt = this._attempt;
    const stale = () => attempt !== this._attempt;
    let transport = null;
    try {
      const stream = await this._openMicrophone(options.microphone);
      if (stale()) return stop(stream);
      this._take(stream);
      const { _resume: resume } = this;
      const events = this._transportEvents(stale);
      transport = new TRANSPORTS[this.transport]({ ...options, resume }, events);
      this._transport = transport;
      this._openEars();
      const created = new Promise((resolve) => (this._created = resolve));
      await transport.open(stream);
      await within(created, CREATED_DEADLINE_MS);
      if (!stale()) transport.play(this._options.output);
    } catch (error) {
      if (stale()) return;
      if (goesOn && error.code === 'refused') {
        this._forget(); // it was not kept
        await this.start(options, true);
      } else this._fail(error, 'call.ended', goesOn);
    } finally {
      if (stale()) transport?.close(); // again: what came about since the user hung up
    }
  }

  hangUp() {
    this._end();
    this._forget();
    this._apply({ type: 'call.ended' });
  }

  /** @param {boolean} muted */
  mute(muted) {
    this._muted = muted;
    this._openEars();
  }

  /** Change or switch on the microphone in mid-call. @param {string} id */
  async setMicrophone(id) {
    const attempt = this._attempt;
    const choice = (this._choice = {});
    const stale = () => attempt !== this._attempt || choice !== this._choice;
    try {
      const stream = await this._openMicrophone(id);
      if (stale()) return stop(stream);
      await this.hear(stream);
    } catch (error) {
      if (!stale()) this._on.problem(asProblem(error));
    }
  }

  /** The server hears this stream from now on; the one before is stopped. @param {MediaStream|null} stream */
  async hear(stream) {
    if (!this._open) return stop(stream);
    this._choice = {}; // a microphone that opens only now was chosen before
    stop(this._stream);
    this._take(stream);
    this._openEars(); // also before it is heard: a muted user stays muted
    await this._transport.hear(stream);
    this._openEars();
  }

  /** Where and how loud the agent speaks. @param {import('./types.js').Output} output */
  play(output) {
    this._options = { ...this._options, output };
    if (this._open) this._transport.play(output);
  }

  /** @param {import('./types.js').Processing} processing for the next microphone */
  setProcessing(processing) {
    this._options = { ...this._options, processing };
  }

  /** @param {import('./types.js').Mode} mode */
  setMode(mode) {
    if (mode === this._options?.mode) return;
    this._options = { ...this._options, mode };
    if (!this._open) return;
    this._send(modeChange(mode));
    this._button.reset();
    this._apply({ type: 'talk.released' });
    this._openEars();
  }

  /** Push to talk: the button goes down. */
  hold() {
    if (!this._open || !this.hasMicrophone) return;
    if (!this._button.open) this.stop();
    this._button.press();
  }

  /** The button comes up: that was the turn. */
  release() {
    this._button.release();
  }

  /** The user types. @param {string} text */
  say(text) {
    this.stop();
    this._send(message(text));
    this._send(RESPOND);
  }

  /** The agent falls silent. */
  stop() {
    if (!this._open) return;
    if (this._responding) this._send(CANCEL);
    this._transport.silence();
  }

  /** @param {Map<string, number|string>} values by the tunable's name */
  tune(values) {
    this._options = { ...this._options, tuned: new Map([...this._options.tuned, ...values]) };
    this._send(tuning(values));
  }

  // -- inside ----------------------------------------------------------------------------------

  get _open() {
    return this._state.link === 'open';
  }

  get _byHand() {
    return this._options.mode === 'push-to-talk';
  }

  _clear() {
    this._attempt += 1;
    this._transport = null;
    this._stream = null;
    this._timers = [];
    this._lastWords = null; // why the server ends the call
  }

  _end(keep = false) {
    this._button.reset();
    this._timers.forEach(clearInterval);
    this._transport?.close(keep);
    stop(this._stream);
    this._clear();
  }

  /** No call is to be gone on with. */
  _forget() {
    this._resume.leave();
    this._resume.abandon();
    this._resume = new Resume();
    this._responding = false;
    this._captions.end().forEach((caption) => this._show(caption));
  }

  _fail(error, event, keep = false) {
    this._end(keep);
    this._apply({ type: event });
    this._on.problem(asProblem(error));
  }

  _apply(event) {
    const before = this.phase;
    this._state = phases.next(this._state, event);
    if (this.phase !== before) this._on.phase(this.phase);
  }

  _send(event) {
    this._transport?.send(event);
  }

  async _openMicrophone(id) {
    return id === null ? null : openMicrophone(id, this._options?.processing);
  }

  _take(stream) {
    this._stream = stream;
    stream?.getAudioTracks()[0]?.addEventListener('ended', () => {
      if (this._stream === stream) this._on.problem(new Problem('microphone_gone'));
    });
  }

  /** What the server hears: all, or what is said while the button is down. */
  _openEars() {
    if (!this._transport) return;
    setOpen(this._stream, this._byHand || !this._muted); // who was muted may press the button
    this._transport.talk(!this._byHand || this._button.open);
  }

  _transportEvents(stale) {
    const live =
      (handler) =>
      (...values) =>
        stale() || handler(...values);
    const playing = (on) => this._apply({ type: on ? 'playback.started' : 'playback.ended' });
    return {
      event: live((event) => this._receive(event)),
      sent: live((event) => this._on.event('out', event)),
      closed: live((problem) => this._lose(this._lastWords ?? problem)),
      played: live((item, playedMs) => this._show(this._captions.played(item, playedMs))),
      cut: live((item) => this._show(this._captions.cutNow(item))),
      playing: live(playing),
    };
  }

  /** The connection is gone; the server may keep the call for another. */
  _lose(problem) {
    const keep = problem.code === 'lost' && this._resume.possible;
    if (keep) this._resume.lost();
    else this._forget();
    this._fail(problem, 'call.lost', keep || problem.code === 'taken'); // which goes on elsewhere
  }

  _show(caption) {
    if (caption) this._on.caption(caption);
  }

  _receive(event) {
    this._on.event('in', event);
    this._react(event);
    this._show(this._captions.apply(event, (id) => this._transport.audioMs(id)));
    this._apply(event);
  }

  _react(event) {
    switch (event.type) {
      case 'session.created':
        this._resume.leave();
        this._begin();
        this._on.session(event.session);
        break;
      case 'session.updated':
        this._on.session(event.session);
        break;
      case 'input_audio_buffer.committed':
        this._button.committed();
        break;
      case 'response.created':
        this._responding ||= !phases.isAside(event);
        break;
      case 'response.done':
        this._responding &&= phases.isAside(event);
        if (event.response.status === 'failed') this._on.problem(new Problem('reply_failed'));
        break;
      case 'voicepipe.turn':
        this._on.turn(this._completed(event));
        break;
      case 'error':
        this._onError(event.error);
        break;
    }
  }

  /** A record, with what only this page knows where the server was told nothing of the way. */
  _completed({ turn, provisional = turn.provisional ?? false }) {
    const told = Object.keys(turn.network_ms ?? {}).length > 0;
    const own = told ? {} : this._transport.networkMs(turn.response_id);
    const network = told ? turn.network_ms : own;
    const by = !told && Object.keys(own).length > 0 ? 'page' : 'server';
    return { ...turn, provisional, network_ms: network, network_by: by };
  }

  _begin() {
    const { mode, tuned } = this._options;
    this._send(opening(mode));
    if (tuned.size > 0) this._send(tuning(tuned));
    this._apply({ type: 'call.open' });
    if (this._responding) this._apply({ type: 'response.created' }); // before the call was lost
    this._openEars();
    const attempt = this._attempt;
    const stats = async () => {
      const told = await this._transport.stats();
      if (attempt === this._attempt) this._on.stats(told);
    };
    const forget = () => this._byHand && this._button.forget();
    this._timers = [
      setInterval(stats, STATS_MS),
      setInterval(forget, FORGET_MS),
    ];
    this._watch();
    this._created();
  }

  /** Looks whether anything still comes from the server, until the call ends. */
  async _watch() {
    const attempt = this._attempt;
    const liveness = new Liveness(performance.now());
    while (attempt === this._attempt) {
      liveness.sign(await this._transport.heardAt(liveness.silentMs(performance.now())));
      if (attempt !== this._attempt) return;
      const health = liveness.look(performance.now());
      if (health === 'lost') this._lose(this._lastWords ?? new Problem('lost'));
      else this._apply({ type: health === 'well' ? 'call.well' : 'call.unstable' });
      const untilMs = Math.min(LOOK_MS, liveness.edgeMs(performance.now()));
      await new Promise((resolve) => setTimeout(resolve, untilMs));
    }
  }

  _onError(error) {
    if (error.event_id?.startsWith('tune_')) {
      this._on.tuneRefused(error.message);
      return;
    }
    const problem = serverProblem(error);
    if (LAST_WORDS.has(problem?.code)) this._lastWords = problem;
    else if (problem) this._on.problem(problem);
  }
}

function asProblem(error) {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem('unexpected', error?.message ?? '');
}

/** What the promise gives, unless it takes too long. Raises Problem. */
async function within(promise, ms) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Problem('refused')), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
