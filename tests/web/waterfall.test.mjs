import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, layout, showsPromise, ticksOf } from '../../web/waterfall.js';
import { turn } from './turns.mjs';

const near = (a, b) => Math.abs(a - b) < 1e-6;
const named = ({ bars }, name) => bars.find((bar) => bar.name === name);

test('critical bars join without gaps and add up to what was heard', () => {
  const network_ms = { up: 1, down: 1, playout: 40 };
  const plan = layout(turn({ critical_ms: { asr: 41.5, llm: 97.25, tts: 62 }, network_ms }));
  let end = 0;
  for (const { critical } of plan.bars) {
    assert.ok(near(critical[0], end));
    end = critical[1];
  }
  assert.ok(near(end, plan.heardMs));
  assert.ok(near(plan.heardMs - plan.totalMs, 42));
  assert.equal(plan.bars.at(-1).name, 'network');
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

test('a function call has a row of its own: what was waited for, and when it ran', () => {
  const tools = [{ name: 'get_time', start_us: 310_000, end_us: 311_200, failed: false }];
  const plan = layout(turn({ critical_ms: { llm: 60, tool: 1.1 }, tools }));
  const bar = named(plan, 'tool');
  assert.ok(near(bar.critical[1] - bar.critical[0], 1.1));
  assert.ok(near(bar.work[0], 310) && near(bar.work[1], 311.2));
  assert.match(bar.label, /get_time/);
  assert.equal(plan.bars[plan.bars.indexOf(bar) - 1].name, 'llm');
});

test('several function calls have a row each beneath what was waited for', () => {
  const tools = [
    { name: 'get_time', start_us: 310_000, end_us: 311_000, failed: false },
    { name: 'set_timer', start_us: 312_000, end_us: 314_000, failed: true },
  ];
  const plan = layout(turn({ critical_ms: { tool: 3 }, tools }));
  assert.ok(near(named(plan, 'tool').workMs, 3));
  assert.match(named(plan, 'tool:set_timer').label, /failed/);
  const waited = plan.bars.reduce((sum, { critical }) => sum + critical[1] - critical[0], 0);
  assert.ok(near(waited, plan.heardMs)); // booked once
});

test('the axis of a turn holds work before the end of speech', () => {
  const early = layout(turn({ marks_ms: { llm_request: -80, llm_first_token: -60 } }));
  assert.equal(early.fromMs, -80);
});

test('all turns share an axis, and a single long one does not squeeze the others', () => {
  const plans = [300, 320, 310, 9000].map((endpoint) => layout(turn({ critical_ms: { endpoint } })));
  const axis = axisOf(plans);
  assert.ok(axis.toMs >= 400 && axis.toMs < 1200);
  assert.equal(showsPromise(axis), axis.toMs >= 800);
  assert.ok(ticksOf(axis).includes(0));
  assert.ok(ticksOf(axis).length <= 8);
  assert.deepEqual(axisOf([]), { fromMs: 0, toMs: 400 });
});

test('a typed turn has no endpoint', () => {
  const plan = layout(
    turn({ origin: 'text', critical_ms: { endpoint: 0, llm: 12 }, marks_ms: { endpoint: 0 } }),
  );
  assert.equal(plan.endpointMs, null);
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
  const plan = layout(turn({ critical_ms: { endpoint: 400 }, budget_ms: { endpoint: 320 } }));
  assert.equal(named(plan, 'endpoint').over, true);
  assert.ok(Number.isNaN(named(plan, 'output').budgetMs));
  assert.equal(named(plan, 'output').over, false);
});
