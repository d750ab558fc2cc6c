import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../web/kept.js';
import { Runs, interval } from '../../web/runs.js';

const values = (...pairs) => new Map(pairs);

test('each set of values is a run, and one that comes back goes on with its own', () => {
  const runs = new Runs();
  runs.heard(310);
  runs.change(values(['endpoint_complete_ms', 240]));
  assert.equal(runs.letter, 'B');
  runs.heard(250);
  runs.change(values());
  assert.equal(runs.letter, 'A');
  runs.heard(330);
  const [a, b] = runs.compare();
  assert.deepEqual([a.n, a.p50, b.n, b.p50, b.changeMs], [2, 310, 1, 250, -60]);
  assert.ok(Number.isNaN(a.changeMs));
});

test('values on the way to others, under which nobody spoke, leave no run behind', () => {
  const runs = new Runs();
  runs.heard(310);
  for (const ms of [280, 260, 240]) runs.change(values(['endpoint_complete_ms', ms]));
  assert.deepEqual(
    runs.compare().map(({ letter }) => letter),
    ['A', 'B'],
  );
  assert.equal(runs.compare()[1].values.get('endpoint_complete_ms'), 240);
});

test('a difference of few turns has no interval, one of enough holds its median', () => {
  const before = [300, 310, 320, 305, 315, 312];
  const after = before.map((ms) => ms - 60);
  assert.equal(interval(before.slice(0, 4), after), null);
  const [low, high] = interval(before, after);
  assert.ok(low <= -60 && high >= -60 && high < 0);
  assert.deepEqual(interval(before, after), [low, high]); // the same figures, the same answer
});

test('p95 waits for twenty turns', () => {
  const runs = new Runs();
  for (let i = 0; i < 19; i += 1) runs.heard(300 + i);
  assert.ok(Number.isNaN(runs.compare()[0].p95));
  runs.heard(400);
  assert.equal(runs.compare()[0].p95, 318);
});

test('a turn belongs to the run it was answered under, whatever has been set since', () => {
  const runs = new Runs();
  runs.heard(300);
  runs.change(values(['endpoint_complete_ms', 240]));
  runs.heard(310, 'A');
  assert.deepEqual(
    runs.compare().map(({ letter, n }) => [letter, n]),
    [
      ['A', 2],
      ['B', 0],
    ],
  );
});

test('what was compared outlives a reload', () => {
  const runs = new Runs();
  runs.heard(310);
  runs.change(values(['model', 'quick']));
  runs.heard(250);
  const kept = parse(JSON.stringify({ runs: runs.runs.map((run) => ({ ...run, values: [...run.values] })) }));
  const again = new Runs();
  again.restore(kept.runs);
  again.change(values(['model', 'quick']));
  assert.equal(again.letter, 'B');
  assert.deepEqual(again.compare().map(({ n }) => n), [1, 1]);
  assert.deepEqual(parse('{"runs": [7, {"letter": "A"}]}').runs, []);
});

test('an answer that is under way keeps the run it was begun under as it was', () => {
  const runs = new Runs();
  const letter = runs.answer();
  runs.change(values(['eager_end_ms', 80])); // before the figure has come
  runs.heard(310, letter);
  runs.heard(250);
  const [a, b] = runs.compare();
  assert.deepEqual([a.letter, a.values.size, a.p50], ['A', 0, 310]);
  assert.deepEqual([b.letter, b.values.get('eager_end_ms'), b.p50], ['B', 80, 250]);
});

test('settings beyond the last letter are nobody else’s run', () => {
  const runs = new Runs();
  for (let ms = 0; ms < 30; ms += 1) {
    runs.change(values(['eager_end_ms', ms]));
    runs.heard(ms);
  }
  assert.deepEqual(new Set(runs.compare().map(({ n }) => n)), new Set([1]));
  runs.change(values(['eager_end_ms', 3]));
  runs.heard(5);
  assert.equal(runs.compare().find(({ letter }) => letter === runs.letter).n, 2);
});
