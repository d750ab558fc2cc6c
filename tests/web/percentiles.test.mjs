import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Figures, percentile, summary } from '../../web/percentiles.js';
import { turn } from './turns.mjs';

test('a percentile is a value that really occurred, by nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i); // 1..100, backwards
  assert.equal(percentile(values, 0.5), 50);
  assert.equal(percentile(values, 0.55), 55); // 0.55 * 100 is a little over 55 in floats
  assert.equal(percentile(values, 0.95), 95);
  assert.equal(percentile(values, 0.99), 99);
  assert.equal(percentile([7], 0.99), 7);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

const STAGES = ['endpoint', 'asr', 'llm', 'clause', 'tts', 'output'];

test('rows: what was heard first, the server, then the stages in order, and the network', () => {
  const figures = new Figures();
  figures.add(turn({ critical_ms: { llm: 40 }, network_ms: { up: 1, down: 1, playout: 38 } }));
  figures.add(turn({ critical_ms: { llm: 140 }, over_budget: ['llm'] }));
  const rows = figures.rows();
  const named = (name) => rows.find((row) => row.name === name);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['heard', 'voice_to_voice', ...STAGES, 'network'],
  );
  assert.deepEqual([named('llm').p50, named('llm').budgetMs, named('llm').over], [40, 100, 1]);
  assert.deepEqual([named('heard').budgetMs, named('heard').over, named('heard').n], [800, 0, 2]);
  assert.deepEqual([named('heard').p50, named('voice_to_voice').p50], [387, 347]);
  assert.deepEqual([named('network').p50, named('network').n], [40, 1]); // told by one of them
});

test('a share of few turns is only the slowest of them, so it is not said', () => {
  const few = summary(Array.from({ length: 19 }, (_, i) => i + 1));
  assert.deepEqual([few.n, few.p50], [19, 10]);
  assert.ok(Number.isNaN(few.p95) && Number.isNaN(few.p99));
  const enough = summary(Array.from({ length: 100 }, (_, i) => i + 1));
  assert.deepEqual([enough.p95, enough.p99], [95, 99]);
});

test('a turn over the promise counts, whatever its stages', () => {
  const figures = new Figures();
  figures.add(turn({ critical_ms: { endpoint: 1000 } }));
  assert.equal(figures.rows()[0].over, 1);
});

test('typed turns and turns without figures are counted, not measured', () => {
  const figures = new Figures();
  figures.add(turn({ origin: 'text', preemption: 'none' }));
  figures.add({
    ...turn({ preemption: 'miss', discards: 2 }),
    critical_ms: null,
    voice_to_voice_ms: null,
  });
  figures.add(turn({ preemption: 'hit', discards: 1 }));
  assert.equal(figures.turns.length, 1);
  assert.deepEqual([figures.hits, figures.misses, figures.discards], [1, 1, 3]);
});

test('only the latest turns are kept', () => {
  const figures = new Figures();
  for (let i = 0; i < 600; i += 1) figures.add(turn({ critical_ms: { llm: i } }));
  assert.equal(figures.turns.length, 500);
  assert.equal(figures.turns[0].critical_ms.llm, 100);
});

test('no turns, no rows', () => assert.deepEqual(new Figures().rows(), []));
