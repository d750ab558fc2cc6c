/** What the page says to the server, and push to talk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { message, modeChange, opening, truncation, tuning } from '../../web/client_events.js';
import { PacedPlayback } from '../../web/paced_playback.js';
import { PushToTalk } from '../../web/push_to_talk.js';

test('the opening asks for captions and the ledger', () => {
  const plain = opening('hands-free');
  assert.equal(plain.type, 'session.update');
  assert.deepEqual(plain.session, {
    type: 'realtime',
    audio: { input: { transcription: {}, turn_detection: { type: 'server_vad' } } },
    voicepipe: { turn_events: true, provisional_turns: true },
  });
  assert.equal(opening('push-to-talk').session.audio.input.turn_detection, null);
});

test('mode, tuning, typed words and truncation', () => {
  assert.equal(modeChange('push-to-talk').session.audio.input.turn_detection, null);
  const tuned = tuning(new Map([['eager_end_ms', 80], ['voice', 'alba']]));
  assert.equal(tuned.event_id, 'tune_eager_end_ms_voice');
  assert.deepEqual(tuned.session.voicepipe, { turns: { eager_end_ms: 80 } });
  assert.equal(tuned.session.audio.output.voice, 'alba');
  assert.equal(message('hello').item.content[0].text, 'hello');
  const { item_id, content_index, audio_end_ms } = truncation('item_1', 99.9);
  assert.deepEqual([item_id, content_index, audio_end_ms], ['item_1', 0, 99]);
});

/** A button, and what it did: events by type, and words for the rest. */
function button() {
  const did = [];
  const talk = new PushToTalk({
    send: ({ type }) => did.push(type),
    held: (held) => did.push(held ? 'held' : 'released'),
    ears: () => did.push(talk.open ? 'open' : 'shut'),
    tooShort: () => did.push('too short'),
  });
  return { talk, did };
}

const FORGET = 'input_audio_buffer.clear';
const COMMIT = 'input_audio_buffer.commit';

test('push to talk: a press, the tail of the last word, the commit, then the question', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const now = t.mock.method(performance, 'now', () => 0);
  const { talk, did } = button();
  talk.press();
  talk.press(); // keys repeat
  now.mock.mockImplementation(() => 1000);
  talk.release();
  assert.deepEqual(did, [FORGET, 'open', 'held', 'released']);
  assert.ok(talk.open); // the last word still sounds
  t.mock.timers.tick(150);
  assert.deepEqual(did.slice(4), ['shut', COMMIT]);
  talk.committed();
  talk.committed(); // a commit that is not ours asks nothing
  assert.deepEqual(did.slice(6), ['response.create']);
});

test('let go and pressed again at once is one turn', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const now = t.mock.method(performance, 'now', () => 0);
  const { talk, did } = button();
  talk.press();
  now.mock.mockImplementation(() => 800);
  talk.release();
  t.mock.timers.tick(100);
  talk.press();
  t.mock.timers.tick(1000);
  assert.ok(!did.includes(COMMIT));
  talk.release();
  t.mock.timers.tick(150);
  assert.equal(did.filter((type) => type === FORGET).length, 1);
  assert.equal(did.at(-1), COMMIT);
});

test('a tap is no turn, and silence between presses is forgotten', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => 0);
  const { talk, did } = button();
  talk.press();
  talk.forget(); // not while somebody speaks
  talk.release();
  t.mock.timers.tick(1000);
  assert.deepEqual(did, [FORGET, 'open', 'held', 'released', 'shut', 'too short']);
  talk.forget();
  assert.equal(did.at(-1), FORGET);
});

test('a call that ends in mid-press commits nothing', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const now = t.mock.method(performance, 'now', () => 0);
  const { talk, did } = button();
  talk.press();
  now.mock.mockImplementation(() => 1000);
  talk.release();
  talk.reset();
  t.mock.timers.tick(1000);
  talk.release();
  assert.ok(!did.includes(COMMIT));
  assert.ok(!talk.open);
});

test('where the server plays: time tells how far an item is, and pauses do not count', () => {
  let now = 0;
  const playback = new PacedPlayback(() => now);
  const apply = (at, type, more = {}) => {
    now = at;
    playback.apply({ type, response_id: 'r1', ...more });
  };
  apply(0, 'response.output_item.added', { item: { type: 'message', id: 'a' } });
  apply(5, 'response.output_item.added', { item: { type: 'function_call', id: 'f' } });
  assert.deepEqual([playback.item, playback.audioMs('a')], [null, 0]); // not audible yet
  apply(100, 'output_audio_buffer.started');
  now = 300;
  assert.deepEqual([playback.item, playback.audioMs('a'), playback.audioMs('b')], ['a', 200, 0]);
  apply(400, 'voicepipe.output_paused');
  now = 900;
  assert.equal(playback.audioMs('a'), 300);
  apply(1000, 'voicepipe.output_resumed');
  now = 1100;
  assert.equal(playback.audioMs('a'), 400);
  apply(1200, 'output_audio_buffer.cleared');
  assert.deepEqual([playback.item, playback.response], [null, 'r1']);
  apply(1300, 'voicepipe.output_resumed'); // late: nothing plays
  assert.equal(playback.audioMs('a'), 0);
});
