import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Captions, words } from '../../web/captions.js';

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';
const say = (captions, delta, audioMs, item_id = 'a') =>
  captions.apply({ type: 'response.output_audio_transcript.delta', item_id, delta }, () => audioMs);
const finish = (captions, audioMs, status = 'completed', id = 'a') =>
  captions.apply(
    { type: 'response.done', response: { status, output: [{ type: 'message', id }] } },
    () => audioMs,
  );
const states = (caption) => words(caption).map(({ state }) => state);
const text = (caption, state) =>
  words(caption)
    .filter((word) => !state || word.state === state)
    .map((word) => word.text)
    .join('');

/** "one two three four": a second of it, then "five six": another. */
function spoken() {
  const captions = new Captions();
  say(captions, 'one two three four', 0);
  say(captions, ' five six', 1000);
  finish(captions, 2000);
  return captions;
}

test('words lose their grey as the audio passes their middle, clause by clause', () => {
  const captions = spoken();
  const [caption] = captions.entries;
  assert.deepEqual(new Set(states(caption)), new Set(['unheard']));
  captions.played('a', 100); // "one" is 3 of 18 characters: its middle is at 83 ms
  assert.equal(text(caption, 'heard'), 'one ');
  captions.played('a', 1000);
  assert.equal(text(caption, 'heard'), 'one two three four');
  captions.played('a', 2000);
  assert.equal(text(caption, 'unheard'), '');
  assert.equal(text(caption), 'one two three four five six');
});

test('nothing is heard before the first sample', () => {
  const captions = spoken();
  captions.played('a', 0);
  assert.equal(text(captions.entries[0], 'heard'), '');
});

test('what was heard stays heard', () => {
  const captions = spoken();
  captions.played('a', 1000);
  captions.played('a', 200);
  assert.equal(text(captions.entries[0], 'heard'), 'one two three four');
});

test('a cut: words after it are never heard, though reports come late', () => {
  const captions = spoken();
  captions.played('a', 1000);
  captions.apply({
    type: 'conversation.item.truncated',
    item_id: 'a',
    content_index: 0,
    audio_end_ms: 500,
  });
  captions.played('a', 1900);
  const [caption] = captions.entries;
  assert.equal(text(caption, 'heard'), 'one two ');
  assert.equal(text(caption, 'never'), 'three four five six');
});

test('cut where it is now; an item without a caption is no matter', () => {
  const captions = spoken();
  captions.played('a', 1000);
  captions.cutNow('a');
  assert.equal(text(captions.entries[0], 'never'), ' five six');
  assert.equal(captions.cutNow('elsewhere'), null);
  assert.equal(captions.played('elsewhere', 10), null);
});

test('a clause whose end is not known goes at the pace of speech', () => {
  const captions = new Captions();
  say(captions, 'abcde abcde', 0); // 11 characters: 715 ms
  captions.played('a', 400);
  assert.equal(text(captions.entries[0], 'heard'), 'abcde ');
});

test('a reply cut off in its clause: what was said of it is no measure of the rest', () => {
  const captions = new Captions();
  say(captions, 'one two three four', 0); // at 65 ms a character 1170 ms
  captions.played('a', 300);
  finish(captions, 300, 'cancelled');
  captions.cut('a', 300);
  assert.equal(text(captions.entries[0], 'heard'), 'one ');
  assert.equal(text(captions.entries[0], 'never'), 'two three four');
});

test('a reply that only calls a function ends no caption', () => {
  const response = { status: 'completed', output: [{ type: 'function_call', id: 'f' }] };
  assert.equal(new Captions().apply({ type: 'response.done', response }), null);
});

test('the user: a place at once, words when they come, and what was not understood', () => {
  const captions = new Captions();
  captions.apply({ type: 'input_audio_buffer.speech_started', item_id: 'u' });
  assert.equal(captions.entries[0].state, 'pending');
  say(captions, 'Hello.', 0); // the answer may begin before the transcript comes
  captions.apply({ type: `${TRANSCRIPTION}.delta`, item_id: 'u', delta: 'what' });
  captions.apply({ type: `${TRANSCRIPTION}.delta`, item_id: 'u', delta: ' time' });
  assert.equal(captions.entries[0].text, 'what time');
  captions.apply({
    type: `${TRANSCRIPTION}.completed`,
    item_id: 'u',
    transcript: ' what time is it ',
  });
  assert.deepEqual(
    captions.entries.map(({ role, text: said }) => [role, said]),
    [
      ['user', 'what time is it'],
      ['agent', ''],
    ],
  );
  captions.apply({ type: 'input_audio_buffer.committed', item_id: 'v' });
  captions.apply({ type: `${TRANSCRIPTION}.failed`, item_id: 'v' });
  assert.deepEqual([captions.entries[2].text, captions.entries[2].state], ['', 'done']);
});

test("typed messages are captions, the agent's items and spoken ones are not yet", () => {
  const captions = new Captions();
  const added = (item) => captions.apply({ type: 'conversation.item.added', item });
  assert.equal(added({ id: 'x', role: 'assistant', content: [] }), null);
  assert.equal(added({ id: 'y', role: 'user', content: [{ type: 'input_audio' }] }), null);
  assert.equal(added({ id: 'z', type: 'function_call' }), null);
  added({ id: 't', role: 'user', content: [{ type: 'input_text', text: 'hello' }] });
  assert.deepEqual(
    captions.entries.map(({ id, text: said }) => [id, said]),
    [['t', 'hello']],
  );
});

test('a written answer has no sound to wait for', () => {
  const captions = new Captions();
  for (const delta of ['Half', ' past'])
    captions.apply({ type: 'response.output_text.delta', item_id: 'w', delta });
  assert.deepEqual(words(captions.entries[0]), [
    { text: 'Half ', state: 'heard' },
    { text: 'past', state: 'heard' },
  ]);
});

test('words keep every space, so that the text is the transcript', () => {
  const captions = new Captions();
  say(captions, '  It is  half past\nseven. ', 0);
  assert.equal(text(captions.entries[0]), '  It is  half past\nseven. ');
});

test('the oldest captions go first', () => {
  const captions = new Captions();
  for (let i = 0; i < 250; i += 1)
    captions.apply({ type: 'input_audio_buffer.speech_started', item_id: `u${i}` });
  assert.equal(captions.entries.length, 200);
  assert.equal(captions.entries[0].id, 'u50');
});

test('the user is read along with while they speak, and the last word is the transcript', () => {
  const captions = new Captions();
  const hear = (delta) => captions.apply({ type: `${TRANSCRIPTION}.delta`, item_id: 'u', delta });
  captions.apply({ type: 'input_audio_buffer.speech_started', item_id: 'u' });
  assert.equal(captions.entries[0].state, 'pending');
  hear('turn on');
  assert.equal(hear(' the light').text, 'turn on the light');
  assert.equal(captions.entries[0].state, 'open');
  captions.apply({ type: 'input_audio_buffer.committed', item_id: 'u' });
  assert.equal(captions.entries[0].text, 'turn on the light');
  captions.apply({
    type: `${TRANSCRIPTION}.completed`,
    item_id: 'u',
    transcript: 'Turn on the lights.',
  });
  assert.equal(captions.entries.length, 1);
  assert.equal(captions.entries[0].text, 'Turn on the lights.');
});

test('words that the server was told to forget go away; a turn that is over does not', () => {
  const captions = new Captions();
  captions.apply({ type: 'input_audio_buffer.committed', item_id: 'over' });
  captions.apply({ type: `${TRANSCRIPTION}.delta`, item_id: 'u', delta: 'hm' });
  assert.equal(captions.apply({ type: 'input_audio_buffer.cleared' }).state, 'dropped');
  assert.deepEqual(captions.entries.map(({ id }) => id), ['over']);
  assert.equal(captions.apply({ type: 'input_audio_buffer.cleared' }), null);
});

test('what the agent says beside the conversation is not greyed: nobody tells how far it is', () => {
  const captions = new Captions();
  captions.apply({ type: 'response.created', response: { id: 'r', conversation_id: null } });
  const delta = { item_id: 'u', response_id: 'r', delta: 'Uh-huh.' };
  captions.apply({ type: 'response.output_audio_transcript.delta', ...delta });
  assert.deepEqual(states(captions.entries[0]), ['heard']);
  finish(captions, 0, 'cancelled', 'u');
  assert.deepEqual(states(captions.entries[0]), ['heard']);
  captions.apply({ type: 'response.created', response: { id: 's', conversation_id: 'conv' } });
  say(captions, 'One.', 0, 'b');
  assert.deepEqual(states(captions.entries[1]), ['unheard']);
});
