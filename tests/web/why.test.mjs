import assert from 'node:assert/strict';
import { test } from 'node:test';
import { why } from '../../web/why.js';
import { turn } from './turns.mjs';

const SETTINGS = new Map([
  ['endpoint_complete_ms', 300],
  ['endpoint_unknown_ms', 600],
  ['preemptive_generation', 'eager_end'],
]);

test('a reply that lay ready makes the wait itself the latency, and says how much to spare', () => {
  const { text, lever } = why(turn(), SETTINGS);
  assert.match(text, /Endpointing took 301 of 307 ms/);
  assert.match(text, /ready 111 ms before/);
  assert.deepEqual([lever.name, lever.value], ['endpoint_complete_ms', 240]);
});

test('the wait that is named is the one that the words had', () => {
  const trace = { finals: [[1240, 1360, 5, 'unknown', 2]] };
  const long = turn({ critical_ms: { endpoint: 601 }, marks_ms: { endpoint: 601 }, trace });
  assert.equal(why(long, SETTINGS).lever.name, 'endpoint_unknown_ms');
});

test('nobody is told to wait less than people pause', () => {
  const short = new Map([...SETTINGS, ['endpoint_complete_ms', 200]]);
  assert.equal(why(turn(), short).lever, null);
});

test('a slow model is named, with what of its prompt was cached', () => {
  const slow = turn({
    critical_ms: { llm: 641 },
    work_ms: { llm: 807 },
    marks_ms: { llm_first_token: 942, tts_first_audio: 950 },
    tokens: { prompt: 100, cached: 38 },
  });
  const { text, lever } = why(slow, SETTINGS);
  assert.match(text, /LLM first token took 641/);
  assert.match(text, /asked 166 ms before the endpoint/);
  assert.match(text, /38 %/);
  assert.equal(lever, null);
});

test('the stage furthest beyond its budget is named, though another took longer', () => {
  const slow = turn({
    critical_ms: { llm: 260 },
    work_ms: { llm: 430 },
    marks_ms: { llm_first_token: 561, tts_first_audio: 570 },
  });
  const { text, lever } = why(slow, SETTINGS, ['quick']);
  assert.match(text, /^LLM first token took 260 of 567 ms, 160 beyond its budget/);
  assert.deepEqual([lever.name, lever.value], ['model', 'quick']);
  const tried = new Map([...SETTINGS, ['model', 'quick']]);
  assert.equal(why(slow, tried, ['quick']).lever, null);
  assert.equal(why(slow, tried, ['quick', 'other']).lever.value, null, 'nobody knows which is quicker');
});

test('each policy has a lever of its own, and nothing is named that it does not ask for', () => {
  const under = (policy, one = turn()) =>
    why(one, new Map([...SETTINGS, ['endpointing', policy], ['cut_off_cost_ms', 4500], ['eager_end_ms', 120]])).lever;
  assert.equal(under('learned').name, 'endpoint_complete_ms');
  assert.equal(under('fixed').name, 'endpoint_unknown_ms');
  const fused = under('fused');
  assert.equal(fused.name, 'cut_off_cost_ms');
  assert.ok(fused.value >= 500 && fused.value < 4500 && fused.value % 500 === 0, fused.value);
  const least = turn({ critical_ms: { endpoint: 165 }, marks_ms: { endpoint: 165, tts_first_audio: 100 } });
  assert.equal(under('fused', least), null, 'it never waits less');
});

test('an answer that was not ready sooner wants to be begun sooner', () => {
  const settings = new Map([...SETTINGS, ['endpointing', 'fused'], ['eager_end_ms', 120]]);
  const late = turn({ critical_ms: { endpoint: 236, llm: 60 }, marks_ms: { endpoint: 236, tts_first_audio: 290 } });
  const { text, lever } = why(late, settings);
  assert.match(text, /first sound was made 54 ms after it/);
  assert.deepEqual([lever.name, lever.value], ['eager_end_ms', 80]);
  assert.equal(why(late, new Map([...settings, ['eager_end_ms', 80]])).lever, null);
  assert.equal(why(late, new Map([...settings, ['preemptive_generation', 'stable_text']])).lever, null);
});

test('where the answer lay behind the endpoint, the wait counts in full', () => {
  const settings = new Map([...SETTINGS, ['endpointing', 'text'], ['eager_end_ms', 120]]);
  const called = turn({ shares_ms: { after_tool: 40 }, marks_ms: { tts_first_audio: 400 } });
  const { text, lever } = why(called, settings);
  assert.match(text, /waited for in full/);
  assert.deepEqual([lever.name, lever.value], ['endpoint_complete_ms', 240]);
});

test('what begins at the eager end is hidden by an earlier one, as far as it goes', () => {
  const settings = new Map([...SETTINGS, ['eager_end_ms', 120]]);
  const slow = turn({ critical_ms: { asr: 180 }, marks_ms: { tts_first_audio: 500 } });
  const { text, lever } = why(slow, settings);
  assert.match(text, /hides up to 40 ms more/);
  assert.deepEqual([lever.name, lever.value], ['eager_end_ms', 80]);
  for (const stage of ['llm', 'clause', 'tts'])
    assert.equal(why(turn({ critical_ms: { [stage]: 180 } }), settings).lever?.name, 'eager_end_ms', stage);
  const hopeless = turn({ critical_ms: { llm: 1500 }, work_ms: { llm: 1500 } });
  assert.equal(why(hopeless, settings).lever ?? null, null, '40 ms of 1500 are not worth saying');
});

test('with nothing prepared, preparing is what to try', () => {
  const off = new Map([...SETTINGS, ['preemptive_generation', 'off']]);
  const late = turn({
    critical_ms: { llm: 400 },
    work_ms: { llm: 400 },
    preemption: 'none',
    marks_ms: { llm_request: 302, llm_first_token: 702, tts_first_audio: 710 },
  });
  assert.deepEqual(why(late, off).lever.name, 'preemptive_generation');
});

test('nothing is explained where there are no figures, or where nobody spoke', () => {
  assert.equal(why({ ...turn(), critical_ms: null }, SETTINGS), null);
  assert.equal(why(turn({ origin: 'text' }), SETTINGS), null);
});

test('a stage that waited for the machine is not called slow', () => {
  const starved = turn({ critical_ms: { llm: 2890 }, work_ms: { llm: 25 } });
  assert.match(why(starved, SETTINGS).text, /worked 25 ms of them: the rest it was kept waiting/);
  const slow = turn({ critical_ms: { llm: 600 }, work_ms: { llm: 620 } });
  assert.doesNotMatch(why(slow, SETTINGS).text, /kept waiting/);
});
