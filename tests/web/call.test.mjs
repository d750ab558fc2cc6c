/** A call from the button to the end, with a server and microphones that the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Call } from '../../web/call.js';
import { Captions, words } from '../../web/captions.js';
import { FakeStream, later, openPage, settled } from './page.mjs';

const OPTIONS = Object.freeze({
  ...{ transport: 'websocket', mode: 'hands-free', microphone: '', key: '', base: '' },
  ...{ processing: { echo: true, noise: false, gain: true }, output: { speaker: '', volume: 1 } },
});

const created = (resume = { token: 'T' }) => ({
  type: 'session.created',
  event_id: `created_${Math.random()}`,
  session: { voicepipe: { resume } },
});

/** A call that nobody has begun, on a page of its own; it ends with the test. */
function quiet(t) {
  const page = openPage();
  const told = { problems: [], phases: [], shown: [], stats: [] };
  const on = { phase: (phase) => told.phases.push(phase), problem: ({ code }) => told.problems.push(code) };
  for (const name of ['event', 'session', 'turn', 'tuneRefused']) on[name] = () => {};
  on.stats = (stats) => told.stats.push(stats);
  on.caption = (caption) => told.shown.push(caption);
  const captions = new Captions();
  const call = new Call(captions, on);
  t.after(() => call.hangUp());
  const begin = (more = {}, again = false) => call.start({ ...OPTIONS, tuned: new Map(), ...more }, again);
  return { ...page, call, captions, begin, ...told };
}

/** What the microphone that was asked for last gives. */
async function allow({ asked }, name = 'microphone') {
  const stream = new FakeStream(name);
  asked.at(-1).resolve(stream);
  await settled();
  return stream;
}

async function accept({ sockets }, resume) {
  const socket = sockets.at(-1);
  socket.opens();
  await settled();
  socket.tells(created(resume));
  await settled();
  return socket;
}

/** A call that stands. */
async function standing(t, more = {}) {
  const one = quiet(t);
  one.begin(more);
  const stream = await allow(one);
  const socket = await accept(one);
  return { ...one, stream, socket };
}

test('who was muted stays so when a lost call goes on by itself, and is heard in the next one', async (t) => {
  const one = await standing(t);
  one.call.mute(true);
  assert.equal(one.stream.track.enabled, false);
  one.socket.goes();
  assert.deepEqual(one.problems, ['lost']);
  one.begin({}, true);
  const again = await allow(one);
  assert.equal(again.track.enabled, false); // nor before the server answers
  await accept(one, { token: 'T', resumed: true });
  assert.deepEqual([one.call.muted, again.track.enabled], [true, false]);
  one.call.hangUp();
  one.begin();
  const next = await allow(one);
  await accept(one);
  assert.deepEqual([one.call.muted, next.track.enabled], [false, true]);
});

test('who was muted stays so where the lost call was not kept', async (t) => {
  const one = await standing(t);
  one.call.mute(true);
  one.socket.goes();
  one.begin({}, true);
  await allow(one);
  fetch = async () => Response.json({ ready: true, origin_allowed: true });
  one.sockets.at(-1).goes();
  await settled();
  const anew = await allow(one);
  await accept(one);
  assert.deepEqual([one.call.muted, anew.track.enabled], [true, false]);
});

test('what is chosen while the call connects holds in it', async (t) => {
  const one = quiet(t);
  one.begin({ tuned: new Map([['llm_ms', 90]]) });
  one.call.setMode('push-to-talk');
  one.call.tune(new Map([['eager_end_ms', 80]]));
  await allow(one);
  const { sent } = await accept(one);
  assert.equal(sent.length, 2);
  assert.equal(sent[0].session.audio.input.turn_detection, null); // also where a value is refused
  assert.equal(sent[1].event_id, 'tune_llm_ms_eager_end_ms');
  assert.deepEqual(sent[1].session.voicepipe, { budget: { llm_ms: 90 }, turns: { eager_end_ms: 80 } });
});

test('of two microphones the one chosen last is heard, however late the first one opens', async (t) => {
  const one = await standing(t);
  one.call.setMicrophone('slow');
  one.call.setMicrophone('quick');
  const [, slow, quick] = one.asked;
  const streams = { slow: new FakeStream('slow'), quick: new FakeStream('quick') };
  quick.resolve(streams.quick);
  await settled();
  slow.resolve(streams.slow);
  await settled();
  assert.deepEqual([streams.quick.track.stopped, streams.slow.track.stopped], [false, true]);
});

test('a recording that is to be heard is not replaced by a microphone that was asked for before it', async (t) => {
  const one = await standing(t);
  one.call.setMicrophone('slow');
  const recording = new FakeStream('recording');
  await one.call.hear(recording);
  const microphone = await allow(one);
  assert.deepEqual([recording.track.stopped, microphone.track.stopped], [false, true]);
});

test('a microphone that fails to open after the call has ended is nothing to tell', async (t) => {
  const one = await standing(t);
  one.call.setMicrophone('slow');
  one.call.hangUp();
  one.asked.at(-1).reject(new DOMException('', 'NotReadableError'));
  await settled();
  assert.deepEqual(one.problems, []);
});

test('the last words of a server hold, too, where nothing tells that the connection is gone', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const one = await standing(t);
  one.socket.tells({ type: 'error', event_id: 'e', error: { code: 'session_expired', message: '' } });
  for (let i = 0; i < 30; i += 1) {
    now += 250;
    t.mock.timers.tick(250);
    await settled();
  }
  assert.deepEqual(one.problems, ['session_expired']);
});

test('what was said when the call ends stands as it was heard, and the next call forgets none of it', async (t) => {
  const one = await standing(t);
  const said = [
    { type: 'conversation.item.input_audio_transcription.delta', item_id: 'u1', delta: 'turn on' },
    { type: 'input_audio_buffer.speech_started', item_id: 'u2' },
    { type: 'response.output_audio_transcript.delta', item_id: 'a1', response_id: 'r1', delta: 'Which of them?' },
  ];
  said.forEach((event, i) => one.socket.tells({ ...event, event_id: `e${i}` }));
  one.call.hangUp();
  const { entries } = one.captions;
  assert.deepEqual(entries.map(({ id, state }) => [id, state]), [['u1', 'done'], ['a1', 'done']]);
  assert.deepEqual(new Set(words(entries[1]).map(({ state }) => state)), new Set(['never']));
  one.begin();
  await allow(one);
  const socket = await accept(one);
  socket.tells({ type: 'input_audio_buffer.cleared', event_id: 'e9' });
  assert.equal(entries[0].text, 'turn on');
});

test('a lost call that may go on keeps its words as they are', async (t) => {
  const one = await standing(t);
  one.socket.tells({ type: 'input_audio_buffer.speech_started', item_id: 'u1', event_id: 'e1' });
  one.socket.goes();
  assert.equal(one.captions.entries[0].state, 'pending');
});

test('an answer that was under way when the call was lost can be stopped when it goes on', async (t) => {
  const one = await standing(t);
  one.socket.tells({ type: 'response.created', event_id: 'e1', response: { id: 'r1' } });
  one.socket.goes();
  one.begin({}, true);
  await allow(one);
  const socket = await accept(one, { token: 'T', resumed: true });
  assert.equal(one.call.phase, 'thinking');
  one.call.say('no, wait');
  const types = () => socket.sent.map(({ type }) => type).slice(1);
  assert.deepEqual(types(), ['response.cancel', 'conversation.item.create', 'response.create']);
  socket.tells({ type: 'response.done', event_id: 'e2', response: { id: 'r1', status: 'cancelled', output: [] } });
  one.call.stop();
  assert.equal(types().length, 3);
});

test('an "uh-huh" that ends beside an answer does not keep the answer from being stopped', async (t) => {
  const one = await standing(t);
  const tell = (type, response) => one.socket.tells({ type, event_id: `${type}_${response.id}`, response });
  const aside = { id: 'a1', conversation_id: null, status: 'completed', output: [] };
  tell('response.created', aside);
  tell('response.created', { id: 'r1', conversation_id: 'c1' });
  tell('response.done', aside);
  one.call.stop();
  assert.equal(one.socket.sent.at(-1).type, 'response.cancel');
});

test('a new call has nothing of the answer that was lost with the one before', async (t) => {
  const one = await standing(t);
  one.socket.tells({ type: 'response.created', event_id: 'e1', response: { id: 'r1' } });
  one.socket.goes();
  one.begin();
  await allow(one);
  const socket = await accept(one);
  one.call.stop();
  assert.deepEqual([one.call.phase, socket.sent.length], ['listening', 1]);
});

test('a lost call goes on by the transport that it had, whatever is chosen meanwhile; a new one does not', async (t) => {
  const one = await standing(t);
  const peers = openPeers();
  fetch = async () => Response.json({ ready: true, origin_allowed: true });
  one.socket.goes();
  one.begin({ transport: 'webrtc' }, true);
  await allow(one);
  assert.match(one.sockets.at(-1).url, /resume=T/);
  assert.deepEqual([one.call.transport, peers.length], ['websocket', 0]);
  one.sockets.at(-1).goes(); // it was not kept
  await settled();
  await allow(one);
  assert.deepEqual([one.call.transport, one.sockets.length, peers.length], ['webrtc', 2, 1]);
});

/** A peer whose other end is the test. */
function openPeers() {
  const peers = [];
  globalThis.Audio = class {
    play = async () => {};
  };
  globalThis.MediaStream = class {};
  globalThis.RTCPeerConnection = class {
    constructor() {
      peers.push(this);
    }

    connectionState = 'connected';
    localDescription = { sdp: 'offer' };
    addTrack = () => ({ replaceTrack: async () => {} });
    createDataChannel = () => (this.channel = { readyState: 'open', sent: [], send: (text) => this.channel.sent.push(JSON.parse(text)) });
    setLocalDescription = async () => {};
    setRemoteDescription = async () => {};
    getStats = async () => new Map();
    close = () => {};
    tells = (event) => this.channel.onmessage?.({ data: JSON.stringify(event) });
  };
  return peers;
}

const answered = async (url) =>
  String(url).includes('ice_servers')
    ? Response.json({ iceServers: [] })
    : new Response('answer', { status: 201, headers: { Location: '/v1/realtime/calls/c' } });

test('WebRTC: a call that goes on in the middle of an answer is seen to speak', async (t) => {
  const one = quiet(t);
  const peers = openPeers();
  fetch = answered;
  one.begin({ transport: 'webrtc' });
  await allow(one);
  const [first] = peers;
  first.channel.onopen();
  first.tells(created());
  await settled();
  first.tells({ type: 'output_audio_buffer.started', response_id: 'r1', event_id: 'e1' });
  assert.equal(one.call.phase, 'speaking');
  first.channel.onclose();
  one.begin({ transport: 'webrtc' }, true);
  await allow(one);
  peers[1].channel.onopen();
  peers[1].tells(created({ token: 'T', resumed: true }));
  await settled();
  assert.equal(one.call.phase, 'speaking');
});

test('WebRTC: a server that never tells its ICE servers does not keep the call from connecting', async (t) => {
  const one = quiet(t);
  const peers = openPeers();
  let timeLimit = null;
  t.mock.method(AbortSignal, 'timeout', () => (timeLimit = new AbortController()).signal);
  fetch = (url, { signal } = {}) =>
    String(url).includes('ice_servers')
      ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      : answered(url);
  one.begin({ transport: 'webrtc' });
  await allow(one);
  timeLimit?.abort(); // it is over
  await settled();
  assert.equal(peers.length, 1);
  assert.ok(peers[0].channel);
});

/** A WebRTC call that stands. */
async function talking(t) {
  const one = quiet(t);
  const peers = openPeers();
  fetch = answered;
  one.begin({ transport: 'webrtc' });
  await allow(one);
  peers[0].channel.onopen();
  peers[0].tells(created());
  await settled();
  return { ...one, peer: peers[0] };
}

test('WebRTC: a peer that tells no figures does not end the watch over the call', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const unseen = [];
  const see = (error) => unseen.push(error.name);
  process.on('unhandledRejection', see);
  t.after(() => process.off('unhandledRejection', see));
  const one = await talking(t);
  one.peer.getStats = async () => Promise.reject(new DOMException('', 'InvalidStateError'));
  for (let i = 0; i < 30; i += 1) {
    now += 250;
    t.mock.timers.tick(250);
    await settled();
  }
  assert.deepEqual([unseen, one.problems], [[], ['lost']]);
});

test('WebRTC: figures that come after the call has ended are not shown', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const one = await talking(t);
  const late = later();
  one.peer.getStats = () => late.promise;
  t.mock.timers.tick(1000);
  one.call.hangUp();
  late.resolve(new Map());
  await settled();
  assert.deepEqual(one.stats, []);
});

test('WebRTC: a call that a program does not let in is said to be rejected', async (t) => {
  const one = quiet(t);
  openPeers();
  const error = { code: 'call_rejected', message: 'The call is not answered: closed.' };
  fetch = async (url) =>
    String(url).includes('ice_servers') ? answered(url) : Response.json({ error }, { status: 403 });
  one.begin({ transport: 'webrtc' });
  await allow(one);
  await settled();
  assert.deepEqual(one.problems, ['rejected']);
});

test('WebRTC: a lost call that is not gone on with is hung up, so that the server need not keep it', async (t) => {
  const one = await talking(t);
  const hungUp = [];
  fetch = async (url, options) => {
    if (!String(url).endsWith('/hangup')) return answered(url);
    hungUp.push([new URL(url).pathname, options.method]);
    return new Response('');
  };
  one.peer.channel.onclose();
  await settled();
  assert.deepEqual([one.problems, hungUp], [['lost'], []]);
  one.begin({ transport: 'webrtc' });
  await settled();
  assert.deepEqual(hungUp, [['/v1/realtime/calls/c/hangup', 'POST']]);
});

test('WebRTC: a lost call that went on is hung up once, at its end', async (t) => {
  const one = quiet(t);
  const peers = openPeers();
  const hungUp = [];
  fetch = async (url) => (String(url).endsWith('/hangup') ? hungUp.push(url) && new Response('') : answered(url));
  for (const [i, more] of [{}, { resumed: true }].entries()) {
    one.begin({ transport: 'webrtc' }, i > 0);
    await allow(one);
    peers[i].channel.onopen();
    peers[i].tells(created({ token: 'T', ...more }));
    await settled();
    if (i === 0) peers[i].channel.onclose();
  }
  assert.deepEqual([one.call.active, hungUp.length], [true, 0]);
  one.call.hangUp();
  await settled();
  assert.equal(hungUp.length, 1);
});

test('WebRTC: a call that another connection has taken over goes on there', async (t) => {
  const one = await talking(t);
  const hungUp = [];
  fetch = async (url) => hungUp.push(String(url)) && new Response('');
  one.peer.tells({ type: 'error', event_id: 'e1', error: { code: 'session_resumed', message: '' } });
  one.peer.channel.onclose();
  await settled();
  one.call.hangUp(); // and nobody is left to hang up
  await settled();
  assert.deepEqual([one.problems, hungUp], [['taken'], []]);
});

test('WebRTC: a call that was too slow for the server ends, and says so', async (t) => {
  const one = await talking(t);
  one.peer.tells({ type: 'error', event_id: 'e1', error: { code: 'client_too_slow', message: '' } });
  one.peer.channel.onclose();
  await settled();
  assert.deepEqual([one.problems, one.call.active], [['too_slow'], false]);
});
