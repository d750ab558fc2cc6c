/** The page as a whole, with a server that the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeStream, later, openPage, settled } from './page.mjs';

const SERVER = Object.freeze({
  ...{ ready: true, key: 'none', origin_allowed: true, full: false, profile: 'own', voices: ['en-a'], voice: 'en-a' },
  ...{ language: 'en', models: {}, agent: { instructions: 'Be kind.' }, voicepipe: {}, choices: {} },
});

let pages = 0;

/** The page, loaded; by WebSocket, so that the test has the other end. */
async function loaded(settings = {}, kept = {}) {
  const page = openPage();
  sessionStorage.setItem('voicepipe.calls', JSON.stringify(kept));
  localStorage.setItem('voicepipe.settings', JSON.stringify({ transport: 'websocket', ...settings }));
  const server = { answers: () => Response.json(SERVER) };
  fetch = async (url) => (String(url).includes('/web/server') ? server.answers() : new Response('', { status: 404 }));
  await import(`../../web/app.js?page=${(pages += 1)}`);
  await settled();
  const accept = async (resume = { token: 'T' }) => {
    const socket = page.sockets.at(-1);
    socket.opens();
    await settled();
    socket.tells({ type: 'session.created', event_id: `created_${page.sockets.length}`, session: { voicepipe: { resume } } });
    await settled();
    return socket;
  };
  const submit = (form) => page.byId(form).dispatchEvent(new Event('submit', { cancelable: true }));
  return { ...page, server, accept, submit };
}

/** Somebody talks, and the call stands. */
async function called(t) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const page = await loaded();
  page.byId('talk').click();
  await settled();
  page.asked.at(-1).resolve(new FakeStream('microphone'));
  await settled();
  await page.accept();
  t.after(() => page.byId('state').textContent === 'Ready' || page.byId('talk').click());
  return page;
}

/** A recording is chosen, and played into the call. */
async function playQuestion(byId) {
  AudioBufferSourceNode = class extends AudioNode {
    start = () => setTimeout(() => this.onended(), 300); // longer than a tap
  };
  AudioContext = class extends AudioContext {
    decodeAudioData = async () => ({});
  };
  const before = fetch;
  fetch = async (url) => (String(url).includes('question') ? new Response(new Uint8Array(4)) : before(url));
  byId('question').value = '/web/questions/time.wav';
  byId('question-play').click();
  await settled();
}

test('that it calls again is not said any longer when it does not', async (t) => {
  const { byId, asked, sockets } = await called(t);
  sockets.at(-1).goes();
  assert.match(byId('problem-count').textContent, /again in 2 s/);
  for (let i = 0; i < 2; i += 1) t.mock.timers.tick(1000);
  await settled();
  asked.at(-1).reject(new DOMException('', 'NotAllowedError'));
  await settled();
  assert.equal(byId('problem').dataset.code, 'permission_refused');
  assert.equal(byId('problem-count').textContent, '');
});

test('what was typed and could not be sent stays in its field', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { byId, submit, sockets, server } = await loaded();
  byId('text-input').value = 'book a table for two';
  submit('composer');
  await settled();
  server.answers = () => Promise.reject(new TypeError('gone'));
  sockets.at(-1).goes();
  await settled();
  assert.equal(byId('problem').dataset.code, 'unreachable');
  assert.equal(byId('text-input').value, 'book a table for two');
});

test('what was typed is sent once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { byId, submit, accept } = await loaded();
  byId('text-input').value = 'hello';
  submit('composer');
  await settled();
  const { sent } = await accept();
  assert.equal(byId('text-input').value, '');
  assert.deepEqual(sent.map(({ type }) => type).slice(1), ['conversation.item.create', 'response.create']);
  byId('talk').click();
});

test('a microphone that could not be turned on in a call is tried again in that call', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { byId, submit, accept, asked, sockets } = await loaded();
  byId('text-input').value = 'hello';
  submit('composer');
  await settled();
  await accept();
  byId('mute').click();
  asked.at(-1).reject(new DOMException('', 'NotReadableError'));
  await settled();
  assert.equal(byId('problem').dataset.code, 'microphone_busy');
  byId('problem-action').click();
  await settled();
  assert.deepEqual([sockets.length, sockets[0].closed, asked.length], [1, null, 2]);
  asked[1].resolve(new FakeStream('microphone'));
  await settled();
  assert.equal(byId('problem').hidden, true);
  byId('talk').click();
});

test('an error that a running call survives does not end it when the user tries again', async (t) => {
  const { byId, sockets } = await called(t);
  sockets[0].tells({ type: 'error', event_id: 'e1', error: { code: 'odd', message: 'Odd.' } });
  assert.equal(byId('problem').dataset.code, 'unexpected');
  byId('problem-action').click();
  await settled();
  assert.deepEqual([sockets.length, sockets[0].closed, byId('problem').hidden], [1, null, true]);
});

test('a microphone test that failed is tried again, not a call', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { byId, asked, sockets } = await loaded();
  byId('mic-test').click();
  asked[0].reject(new DOMException('', 'NotReadableError'));
  await settled();
  assert.equal(byId('problem').dataset.code, 'microphone_busy');
  byId('problem-action').click();
  assert.equal(asked.length, 2);
  asked[1].resolve(new FakeStream('microphone'));
  await settled();
  assert.deepEqual([sockets.length, byId('problem').hidden], [0, true]);
  assert.equal(byId('mic-test').attributes['aria-pressed'], 'true');
  byId('mic-test').click();
});

test('a lost call that the user reconnects goes on', async (t) => {
  const { byId, asked, sockets, accept } = await called(t);
  sockets.at(-1).goes();
  byId('problem-action').click(); // sooner than by itself
  await settled();
  asked.at(-1).resolve(new FakeStream('microphone'));
  await settled();
  assert.match(sockets.at(-1).url, /resume=T/);
  await accept({ token: 'T', resumed: true });
  assert.equal(byId('problem').hidden, true);
  for (let i = 0; i < 3; i += 1) t.mock.timers.tick(1000);
  await settled();
  assert.equal(sockets.length, 2); // and nothing calls a third time
});

test('what is called again by itself has the microphone that was chosen meanwhile', async (t) => {
  const { byId, asked, sockets } = await called(t);
  sockets.at(-1).goes();
  byId('mic').value = 'other';
  byId('mic').dispatchEvent(new Event('change'));
  for (let i = 0; i < 2; i += 1) t.mock.timers.tick(1000);
  await settled();
  assert.equal(asked.at(-1).device, 'other');
});

test('a microphone that is chosen while the call connects is the one that is heard', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { byId, asked, accept } = await loaded();
  const streams = [];
  const allow = async () => {
    for (const one of asked.slice(streams.length)) one.resolve(streams[streams.push(new FakeStream(one.device)) - 1]);
    await settled();
  };
  byId('talk').click();
  await settled();
  await allow();
  byId('mic').value = 'other';
  byId('mic').dispatchEvent(new Event('change'));
  await settled();
  await allow();
  await accept();
  await allow();
  const heard = streams.filter(({ track }) => !track.stopped);
  assert.deepEqual(heard.map(({ name }) => name), ['other']);
  byId('talk').click();
});

test('push to talk: a recording makes a turn of its own', async () => {
  const { byId, accept, asked, sockets } = await loaded({ mode: 'push-to-talk' });
  await playQuestion(byId);
  const { sent } = await accept();
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.deepEqual(sent.map(({ type }) => type).slice(1), ['input_audio_buffer.clear', 'input_audio_buffer.commit']);
  assert.equal(asked.length, 0);
  byId('talk').click();
  assert.equal(sockets[0].closed, 1000);
});

test('what a call failed of stays there when the server is met again meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { byId, submit, sockets, server, asked } = await loaded();
  byId('text-input').value = 'hello';
  submit('composer');
  await settled();
  server.answers = () => Promise.reject(new TypeError('gone'));
  sockets.at(-1).goes();
  await settled();
  const late = later();
  server.answers = () => late.promise;
  t.mock.timers.tick(3000); // it is looked for again
  byId('talk').click();
  await settled();
  asked.at(-1).reject(new DOMException('', 'NotAllowedError'));
  await settled();
  late.resolve(Response.json(SERVER));
  await settled();
  assert.deepEqual([byId('problem').hidden, byId('problem').dataset.code], [false, 'permission_refused']);
  assert.equal(byId('state').textContent, 'Ready');
});

test('a page that was loaded again in the middle of a call says of its words what became of them', async () => {
  const half = { role: 'agent', text: '', playedMs: 100, cutMs: null, state: 'open', response: 'r1' };
  const clauses = [{ text: 'It is half past seven in the evening.', startMs: 0, endMs: null }];
  const silent = { id: 'u2', role: 'user', text: '', clauses: [], playedMs: 0, cutMs: null, state: 'pending' };
  const asked = { ...silent, id: 'u1', text: 'what time is it', committed: true, state: 'done' };
  const { byId } = await loaded({}, { captions: [asked, { ...half, id: 'a1', clauses }, silent] });
  const shown = byId('captions').children.map((one) => one.dataset.itemId);
  assert.deepEqual(shown, ['u1', 'a1']); // nothing was said yet in the last one
  const words = byId('captions').children[1].all().filter(({ textContent }) => textContent.trim() === 'evening.');
  assert.deepEqual(words.map(({ classList }) => classList.contains('never')), [true]); // it will not be heard any more
});

test('who typed is not asked for a microphone when the call is tried again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { byId, submit, sockets, asked, server, accept } = await loaded();
  byId('text-input').value = 'hello';
  submit('composer');
  await settled();
  server.answers = () => Promise.reject(new TypeError('gone'));
  sockets.at(-1).goes();
  await settled();
  assert.equal(byId('problem').dataset.code, 'unreachable');
  byId('problem-action').click();
  await settled();
  assert.deepEqual([asked.length, sockets.length], [0, 2]);
  await accept();
  byId('talk').click();
});

test('what is typed while a lost call waits to be called again is said in that call', async (t) => {
  const { byId, submit, asked, sockets, accept } = await called(t);
  sockets.at(-1).goes();
  byId('text-input').value = 'are you there';
  submit('composer');
  await settled();
  asked.at(-1).resolve(new FakeStream('microphone'));
  await settled();
  assert.match(sockets.at(-1).url, /resume=T/);
  const { sent } = await accept({ token: 'T', resumed: true });
  assert.deepEqual(sent.map(({ type }) => type).slice(1), ['conversation.item.create', 'response.create']);
  for (let i = 0; i < 3; i += 1) t.mock.timers.tick(1000);
  await settled();
  assert.deepEqual([asked.length, sockets.length, byId('problem').hidden], [2, 2, true]);
});

test('a recording that is played while a lost call waits to be called again is heard in that call', async (t) => {
  const { byId, asked, sockets, accept } = await called(t);
  sockets.at(-1).goes();
  await playQuestion(byId);
  const microphone = new FakeStream('microphone');
  asked.at(-1).resolve(microphone);
  await settled();
  assert.match(sockets.at(-1).url, /resume=T/);
  await accept({ token: 'T', resumed: true });
  assert.equal(microphone.track.stopped, true); // one of them is heard
  assert.equal(byId('question-state').textContent, 'The question is being said.');
  for (let i = 0; i < 3; i += 1) t.mock.timers.tick(1000);
  await settled();
  assert.deepEqual([asked.length, sockets.length, byId('problem').hidden], [2, 2, true]);
});
