import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANGES, assignments, firstKey, idleNote, isSane, lessThan, notesOf, read, rowsOf, triable } from '../../web/replay.js';

const side = (p50, more = {}) => ({
  answered_turns: 24,
  v2v_ms: { n: 24, p50, p95: p50 + 100, p99: p50 + 200 },
  over_promise_share: 0.25,
  false_cut_offs: 2,
  discards: 3,
  ...more,
});
const FOUND = Object.freeze({
  recorded: side(400),
  replayed: side(402),
  predicted: side(342, { false_cut_offs: 5, over_promise_share: 0 }),
  trust: { given: true, errors: { p50: 0.005 }, invented_cut_offs: 0 },
  left_out: { 'answered after a tool call': 2 },
  p50_change_ms: [-80, -41],
});

test('a change is the prediction less the unchanged replay, and a percentile waits for its turns', () => {
  const rows = Object.fromEntries(rowsOf(FOUND).map(({ label, ...row }) => [label, row]));
  assert.deepEqual(rows['Voice to voice p50'], { cells: ['400', '402', '342'], change: '−60' });
  assert.deepEqual(rows['Voice to voice p99'], { cells: ['·', '·', '·'], change: '' });
  assert.deepEqual(rows['Callers cut off'], { cells: ['2', '2', '5'], change: '+3' });
  assert.deepEqual(rows['Over 800 ms'], { cells: ['25 %', '25 %', '0 %'], change: '−25 %' });
  assert.equal(rows['Replies thrown away'].change, '0');
});

test('what was not reproduced is not predicted, and it says by how much', () => {
  const off = { given: false, errors: { p50: -0.0386 }, invented_cut_offs: 3 };
  const found = { ...FOUND, predicted: null, p50_change_ms: null, trust: off };
  assert.deepEqual(rowsOf(found)[1].cells, ['400', '402']);
  assert.match(notesOf(found)[0], /No prediction.*p50 −3.9 %, cut-offs \+3/);
});

test('an interval that holds 0 says that nothing is shown', () => {
  assert.match(notesOf(FOUND)[0], /between −80 and −41 ms, 95 times of 100\.$/);
  assert.match(notesOf({ ...FOUND, p50_change_ms: [-80, 12] })[0], /holds 0/);
  assert.match(notesOf({ ...FOUND, p50_change_ms: null })[0], /it wants 5/);
  assert.match(notesOf(FOUND).at(-1), /Left out: 2 answered after a tool call/);
});

test('the address holds changes, and what makes no sense is left out', () => {
  const set = assignments([
    ['turns.endpoint_complete_ms', '240'],
    ['llm.first_token_ms', '+40'],
    ['llm.first_token_ms', 'soon'],
    ['turns.preemptive_generation', 'off'],
    ['turns.interrupt_words', '3'],
    ['turns.endpointing', 'smart_turn'],
  ]);
  assert.deepEqual(set, ['turns.endpoint_complete_ms=240', 'llm.first_token_ms=+40', 'turns.preemptive_generation=off']);
  assert.deepEqual(read(set.join(',')).map(([key]) => key), set.map((one) => one.split('=')[0]));
  assert.deepEqual(read('nonsense,turns.nothing=1'), []);
  assert.deepEqual([...triable(set)], [['endpoint_complete_ms', 240], ['preemptive_generation', 'off']]);
});

test('a value that fits is known from one that does not', () => {
  for (const { key, choices, relative } of CHANGES) {
    assert.ok(isSane(key, choices ? choices[0][0] : relative ? '-20' : '20'), key);
    assert.ok(!isSane(key, ''), key);
  }
});

test('it begins with a wait that the policy of the turns asks for, and names one that it does not', () => {
  for (const policy of ['text', 'fixed', 'learned', 'fused']) {
    const key = firstKey(policy);
    assert.ok(isSane(key, lessThan(key, 4500)), key);
    assert.equal(idleNote([`${key}=200`], policy), '');
  }
  assert.match(idleNote(['turns.endpoint_complete_ms=240'], 'fused'), /complete”.*sound, words and pauses.*does not ask/);
  assert.equal(idleNote(['turns.endpoint_complete_ms=240', 'turns.endpointing=text'], 'fused'), '');
  assert.equal(idleNote(['llm.first_token_ms=+40'], 'fused'), '');
});
