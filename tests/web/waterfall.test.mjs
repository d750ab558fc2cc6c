import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROMISE_MS } from '../../web/percentiles.js';
import { layout } from '../../web/waterfall.js';
import { turn } from './turns.mjs';

const near = (a, b) => Math.abs(a - b) < 1e-6;
const named = ({ bars }, name) => bars.find((bar) => bar.name === name);

test('critical bars join without gaps and add up to voice to voice', () => {
  const plan = layout(turn({ critical_ms: { asr: 41.5, llm: 97.25, tts: 62 } }));
  let end = 0;
  for (const { critical } of plan.bars) {
    assert.ok(near(critical[0], end));
    end = critical[1];
  }
  assert.ok(near(end, plan.totalMs));
});

test('speculative work lies before the endpoint and cost nothing', () => {
  const plan = layout(turn());
  const llm = named(plan, 'llm');
  assert.deepEqual(llm.work, [135, 155]);
  assert.ok(llm.work[1] < plan.endpointMs);
  assert.ok(near(llm.critical[1] - llm.critical[0], 0));
});

test('a stage is drawn as long as it worked, however long ago it was asked', () => {
  const { work, workMs } = named(layout(turn()), 'asr');
  assert.equal(workMs, 12);
  assert.deepEqual(work, [123, 135]); // asked at 120
});

test('behind the gate the output waits, it does not work', () => {
  assert.deepEqual(named(layout(turn()), 'output').work, [301, 307]);
});

test('the axis holds all: work before the end of speech, budgets, the promise', () => {
  const early = turn({ marks_ms: { llm_request: -80, llm_first_token: -60 } });
  const plan = layout(early);
  assert.equal(plan.fromMs, -80);
  assert.equal(plan.toMs, PROMISE_MS);
  const late = layout(turn({ critical_ms: { llm: 900 } }));
  assert.ok(late.toMs >= late.totalMs);
  for (const { critical, budgetMs } of late.bars) assert.ok(critical[0] + budgetMs <= late.toMs);
});

test('a typed turn has no endpoint, and an axis of its own length', () => {
  const plan = layout(
    turn({ origin: 'text', critical_ms: { endpoint: 0, llm: 12 }, marks_ms: { endpoint: 0 } }),
  );
  assert.equal(plan.endpointMs, null);
  assert.ok(plan.toMs < PROMISE_MS);
  assert.match(plan.note, /typed/);
});

test('without figures it says why', () => {
  const nothing = { critical_ms: null, voice_to_voice_ms: null };
  const said = layout({ ...turn(), ...nothing, note: 'asr_final is 4 us before speech_end' });
  assert.equal(said.totalMs, null);
  assert.deepEqual(said.bars, []);
  assert.match(said.note, /asr_final/);
  assert.match(
    layout({ ...turn({ end: 'no_speech' }), ...nothing }).note,
    /nothing was understood/,
  );
});

test('overruns and stages without a budget are told', () => {
  const plan = layout(turn({ over_budget: ['output'], budget_ms: { endpoint: 320 } }));
  assert.equal(named(plan, 'output').over, true);
  assert.ok(Number.isNaN(named(plan, 'output').budgetMs));
  assert.ok(Number.isFinite(plan.toMs));
});
