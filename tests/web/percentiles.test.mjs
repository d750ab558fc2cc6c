import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Figures, STAGES, percentile } from '../../web/percentiles.js';
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

test('rows: voice to voice first, then the stages in order, with budget and overruns', () => {
  const figures = new Figures();
  figures.add(turn({ critical_ms: { llm: 40 } }));
  figures.add(turn({ critical_ms: { llm: 140 }, over_budget: ['llm'] }));
  const rows = figures.rows();
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['voice_to_voice', ...STAGES],
  );
  const llm = rows.find(({ name }) => name === 'llm');
  assert.deepEqual([llm.p50, llm.p99, llm.budgetMs, llm.over], [40, 140, 100, 1]);
  assert.deepEqual([rows[0].budgetMs, rows[0].over], [800, 0]);
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
