import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scope } from '../../web/scope.js';
import { FROM_MS, STEP_MS, both, levelsOf, soundOf } from '../../web/turn_sound.js';
import { turn } from './turns.mjs';

const near = (a, b) => Math.abs(a - b) < 21; // a column

/** A caller who speaks from 1 to 2 s, a server that decides at 2.3, an agent from 2.35 on. */
function talked() {
  const scope = new Scope();
  const tick = (from, to, levels) => {
    for (let at = from; at < to; at += 16) scope.level(at, levels);
  };
  tick(0, 1000, { user: 0, agent: 0 });
  scope.apply({ type: 'input_audio_buffer.speech_started' }, 1060);
  tick(1000, 2000, { user: 0.8, agent: 0 });
  tick(2000, 2300, { user: 0.05, agent: 0 });
  return { scope, tick };
}

function answered() {
  const { scope, tick } = talked();
  scope.apply({ type: 'input_audio_buffer.speech_stopped' }, 2300);
  scope.apply({ type: 'response.created', response: { id: 'resp_1' } }, 2301);
  tick(2300, 2350, { user: 0, agent: 0 });
  tick(2350, 2600, { user: 0, agent: 0.7 });
  return scope;
}

test('the wait grows from the last sound of the caller, before the server has decided', () => {
  const { scope } = talked();
  const grows = scope.growing(2200);
  assert.ok(near(grows.fromMs, 2000));
  assert.equal(grows.sure, false);
  scope.apply({ type: 'input_audio_buffer.speech_stopped' }, 2300);
  assert.equal(scope.growing(2310).sure, true);
});

test('a pause between two words is no wait any more once the caller goes on', () => {
  const { scope, tick } = talked();
  assert.ok(scope.growing(2250));
  tick(2300, 2400, { user: 0.8, agent: 0 });
  assert.equal(scope.growing(2400), null);
});

test('the agent ends the wait, as the page hears it', () => {
  const scope = answered();
  assert.equal(scope.growing(2400), null);
  const { fromMs, toMs, ms } = scope.lastWait;
  assert.ok(near(toMs - fromMs, 350));
  assert.equal(ms, null);
});

test('the record corrects what the ear had guessed', () => {
  const scope = answered();
  const record = turn({ response_id: 'resp_1', network_ms: { up: 1, down: 1, playout: 40 } });
  scope.apply({ type: 'voicepipe.turn', turn: record }, 4000);
  const { fromMs, toMs, ms } = scope.lastWait;
  assert.equal(ms, 349);
  assert.equal(toMs - fromMs, 349);
  const at = (kind) => scope.marks.filter((mark) => mark.kind === kind).map(({ atMs }) => atMs);
  assert.deepEqual(at('endpoint'), [fromMs + 301]);
  assert.deepEqual(at('eager_end'), [fromMs + 120]);
});

test('columns hold the loudest of their time, and silence where nothing was looked at', () => {
  const scope = new Scope();
  scope.level(1000, { user: 0.2, agent: 0 });
  scope.level(1010, { user: 0.6, agent: 0 });
  scope.level(1200, { user: 0.1, agent: 0 });
  const columns = [...scope.columns(1300)];
  const at = (ms) => columns.find(({ atMs }) => atMs === ms);
  assert.ok(Math.abs(at(1000).user - 0.6) < 1e-6);
  assert.equal(at(1100).user, 0);
  assert.equal(at(1300).user, 0);
});

test('nothing grows without end', () => {
  const scope = new Scope();
  for (let i = 0; i < 1000; i += 1) scope.apply({ type: 'voicepipe.output_paused' }, i);
  assert.ok(scope.marks.length <= 200);
});

test('what was heard of a turn is kept beside its record, on the record’s clock', () => {
  const scope = answered();
  const record = turn({ response_id: 'resp_1', network_ms: { playout: 42 } });
  assert.equal(soundOf(scope, record, 2600), null, 'nothing is known of its clock yet');
  scope.apply({ type: 'voicepipe.turn', turn: record }, 2600);
  const sound = soundOf(scope, record, 2600);
  const loud = (digits) => levelsOf(digits).flatMap((level, i) => (level > 0.3 ? [FROM_MS + i * STEP_MS] : []));
  const [user, agent] = [loud(sound.user), loud(sound.agent)];
  assert.ok(near(user[0], -1000) && near(user.at(-1), 0), `${user[0]} ${user.at(-1)}`);
  assert.ok(near(agent[0], 349), `${agent[0]}`);
  assert.equal(soundOf(scope, { ...record, response_id: 'resp_2' }, 2600), null);
});

test('the caller is known from the first sound, the agent from the end of the answer', () => {
  assert.deepEqual(both({ user: '09f', agent: '000' }, { user: '00a', agent: '0f1' }), { user: '09f', agent: '0f1' });
  assert.deepEqual(both({ user: '9', agent: '0' }, { user: '00', agent: '01' }), { user: '90', agent: '01' });
  assert.equal(both(null, null), null);
  assert.deepEqual(both({ user: '9', agent: '0' }, null), { user: '9', agent: '0' });
});
