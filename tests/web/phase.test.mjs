import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AT_REST, next, phaseOf } from '../../web/phase.js';

/** The phases that a series of events goes through; a name alone is an event without fields. */
function phases(...events) {
  let state = AT_REST;
  return events.map((event) => {
    state = next(state, typeof event === 'string' ? { type: event } : event);
    return phaseOf(state);
  });
}

const STARTED = 'input_audio_buffer.speech_started';
const STOPPED = 'input_audio_buffer.speech_stopped';

test('a spoken turn', () => {
  assert.deepEqual(
    phases(
      'call.connecting',
      'call.open',
      STARTED,
      STOPPED,
      'input_audio_buffer.committed',
      'response.created',
      'playback.started',
      'response.done',
      'playback.ended',
    ),
    [
      'connecting',
      'listening',
      'hearing',
      'thinking',
      'thinking',
      'thinking',
      'speaking',
      'speaking',
      'listening',
    ],
  );
});

test('the user comes first: barge-in shows before the agent has stopped', () => {
  assert.deepEqual(
    phases(
      'call.open',
      'response.created',
      'playback.started',
      STARTED,
      'playback.ended',
      'response.done',
      STOPPED,
    ).slice(2),
    ['speaking', 'hearing', 'hearing', 'hearing', 'thinking'],
  );
});

test('a turn in which nothing was understood is not waited for', () => {
  const nothing = { type: 'voicepipe.turn', turn: { end: 'no_speech' } };
  assert.deepEqual(phases('call.open', STARTED, STOPPED, nothing).at(-1), 'listening');
});

test('the ledger of an answered turn changes nothing', () => {
  const answered = { type: 'voicepipe.turn', turn: { end: 'completed' } };
  assert.equal(phases('call.open', 'response.created', answered).at(-1), 'thinking');
});

test('push to talk', () => {
  assert.deepEqual(
    phases('call.open', 'talk.held', 'talk.released', 'input_audio_buffer.committed'),
    ['listening', 'hearing', 'listening', 'thinking'],
  );
});

test('a lost or ended call forgets what it was doing', () => {
  assert.deepEqual(
    phases(
      'call.open',
      'playback.started',
      'call.lost',
      'call.connecting',
      'call.open',
      'call.ended',
    ).slice(2),
    ['lost', 'connecting', 'listening', 'idle'],
  );
});

test('events that mean nothing here leave the state itself', () => {
  const state = next(AT_REST, { type: 'call.open' });
  assert.equal(next(state, { type: 'rate_limits.updated' }), state);
});

test('an "uh-huh" that ends behind the question is not its answer', () => {
  const response = { id: 'r', conversation_id: null };
  const [created, done] = ['response.created', 'response.done'].map((type) => ({ type, response }));
  const before = phases('call.connecting', 'call.open', STARTED, created, STOPPED).at(-1);
  const after = phases('call.connecting', 'call.open', STARTED, created, STOPPED, done).at(-1);
  assert.equal(after, before);
});
