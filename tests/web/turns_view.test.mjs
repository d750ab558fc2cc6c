/** What the view of the turns is made of: filter, points, lanes, exports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromeTrace, jsonl } from '../../web/exports.js';
import { heardMs } from '../../web/ledger.js';
import { lanesOf, sumOf } from '../../web/lanes.js';
import { brushed, placed, plot, promiseAt } from '../../web/scatter.js';
import { filtered, parse, withRange } from '../../web/turn_filter.js';
import { remembered, withOwn } from '../../web/turns_view.js';
import { turn } from './turns.mjs';

const TRACE = {
  start_ms: 2080,
  runs_ms: [
    [600, 200],
    [440, 2820],
  ],
  partials: [
    [800, 'incomplete', 1, 4],
    [1040, 'complete', 2, 1],
  ],
  finals: [[1240, 1360, 5, 'complete', 2]],
  attempts: [
    { start_ms: 700, after_ms: 600, end: 'discarded', ran_ms: 60, stages_ms: {}, guess: 1 },
    { start_ms: 1360, after_ms: 1240, end: 'committed', ran_ms: 66, stages_ms: {}, guess: null },
  ],
  ended: [1240, 1541, 'silence'],
};

function entry(number, changes = {}, about = {}) {
  const own = { turn_id: `turn_${number}`, session_id: 'sess_1', response_id: `resp_${number}` };
  return { turn: turn({ ...own, ...changes }), number, letter: 'A', words: '', at: 0, ...about };
}

const ENTRIES = [
  entry(1, {}, { words: 'what time is it' }),
  entry(2, { critical_ms: { llm: 400 }, over_budget: ['llm'], preemption: 'miss' }),
  entry(3, { end: 'interrupted', tools: [{ name: 'get_time', start_us: 0, end_us: 900 }] }),
  entry(4, { origin: 'text' }, { letter: 'B', words: 'set a timer' }),
  entry(5, { critical_ms: null, voice_to_voice_ms: null, end: 'no_speech' }),
];
ENTRIES[4].turn.critical_ms = null;
ENTRIES[4].turn.voice_to_voice_ms = null;

const found = (text) => filtered(ENTRIES, text).map(({ number }) => number);

test('a filter looks at figures, names and words, and all of its parts must fit', () => {
  assert.deepEqual(found(''), [1, 2, 3, 4, 5]);
  assert.deepEqual(found('heard>500'), [2]);
  assert.deepEqual(found('llm>=400 over:llm prepared:miss'), [2]);
  assert.deepEqual(found('heard:300..310'), [1, 3, 4]);
  assert.deepEqual(found('nr:2..3 -over:llm'), [3]);
  assert.deepEqual(found('tool:get_time'), [3]);
  assert.deepEqual(found('end:no_speech'), [5]);
  assert.deepEqual(found('run:b'), [4]);
  assert.deepEqual(found('"time is"'), [1]);
  assert.deepEqual(found('timer origin:text'), [4]);
  assert.deepEqual(found('turn_2'), [2]);
});

test('what looks like a filter and is none is told, and hides nothing', () => {
  const { test: fits, unknown } = parse('colour:red speed>3 heard>500');
  assert.deepEqual(unknown, ['colour:red', 'speed>3']);
  assert.deepEqual(ENTRIES.filter(fits).map(({ number }) => number), [2]);
});

test('brushing a picture writes ranges into the line, in the place of the last ones', () => {
  const once = withRange('timer', 'heard', [300.4, 510.2]);
  assert.equal(once, 'timer heard:300..511');
  assert.equal(withRange(once, 'heard', [10, 20]), 'timer heard:10..20');
  assert.equal(withRange(once, 'heard', null), 'timer');
});

test('points: the longest stage is the colour, and one slow turn does not squeeze the rest', () => {
  const { points, toMs } = plot(ENTRIES);
  assert.equal(points.length, 4); // one has no figure
  assert.deepEqual([points[0].stage, points[1].stage], ['endpoint', 'llm']);
  assert.equal(points[1].prepared, 'miss');
  assert.ok(points.every(({ x, y }) => x >= 0 && x <= 1 && y >= 0 && y <= 1));
  const many = Array.from({ length: 200 }, (_, i) => entry(i + 1));
  many.push(entry(201, { critical_ms: { llm: 60_000 } }));
  assert.equal(plot(many).toMs, 400);
  assert.equal(promiseAt(plot(many)), null);
  assert.ok(toMs >= 707);
});

test('a rectangle over the points is a range of turns and of ms', () => {
  const of = { points: [], fromNumber: 1, toNumber: 101, toMs: 1000 };
  const box = { x: [0.095, 0.205].map((x) => placed('x', x)), y: [0.2, 0.4].map((y) => placed('y', y)) };
  const { nr, heard } = brushed(of, box);
  assert.deepEqual(nr, [11, 21]);
  assert.deepEqual(heard.map(Math.round), [200, 400]);
  assert.equal(brushed(of, { x: [0, 1], y: [0, 0.02] }).heard[1], 0, 'below the axis lies nothing');
  assert.ok(brushed(of, { x: [0, 1], y: [0.5, 1] }).heard[1] > 100_000); // and all beyond
});

test('lanes: each round of the model, each part of the way, and the sound where it was heard', () => {
  const tools = [{ name: 'get_time', start_us: 210_000, end_us: 214_000 }];
  const called = turn({ tools, network_ms: { up: 1, down: 2, playout: 40 }, marks_ms: { asr_final: 135, llm_request: 215 } });
  const { lanes } = lanesOf(called, { user: '0f0', agent: '00f' });
  const of = (name) => lanes.find((lane) => lane.name === name);
  assert.match(of('llm').spans[0].text, /asked for get_time, 75 ms/);
  assert.equal(of('llm').spans[0].toMs, 210);
  assert.equal(of('llm').spans.length, 2);
  const ways = of('network').spans;
  assert.deepEqual(ways.map(({ fromMs, toMs }) => Math.round(toMs - fromMs)), [1, 2, 40]);
  assert.match(ways[2].text, /playout buffer/);
  assert.deepEqual(of('caller').levels, [0, 1, 0]);
  assert.equal(lanesOf(called).lanes[0].levels, undefined);
});

test('lanes: the critical path joins, and adds up to what was heard', () => {
  const whole = turn({ trace: TRACE, network_ms: { up: 1, down: 1, playout: 40 }, audio_ms: 900 });
  const { path, lanes, marks } = lanesOf(whole);
  let at = 0;
  for (const { fromMs, toMs, lane } of path) {
    assert.ok(Math.abs(fromMs - at) < 1e-6);
    assert.ok(lane >= 0);
    at = toMs;
  }
  assert.ok(Math.abs(at - heardMs(whole)) < 1e-6);
  assert.match(sumOf(whole), /Endpointing 301 \+ Output 6.0 \+ Network, playout 42 = 349 ms heard/);
  assert.ok(marks.some(({ text }) => text === 'endpoint'));
  const lane = (name) => lanes.find((one) => one.name === name);
  assert.deepEqual(
    lane('caller').spans.map(({ fromMs, toMs }) => [fromMs, toMs]),
    [
      [-1240, -640],
      [-440, 0],
    ],
  );
  assert.deepEqual(lane('attempts').spans.map(({ kind }) => kind), ['discarded', 'work']);
  assert.equal(lane('asr').ticks.length, 3);
});

test('an answer that was cut off shows what was never heard', () => {
  const { lanes } = lanesOf(turn({ audio_ms: 2000, heard_ms: 700 }));
  assert.deepEqual(lanes.at(-1).spans.map(({ kind }) => kind), ['sound', 'unheard']);
});

test('a turn without figures has lanes all the same', () => {
  const { path, lanes } = lanesOf(ENTRIES[4].turn);
  assert.deepEqual(path, []);
  assert.ok(lanes.length >= 2);
});

test('a Chrome trace: whole microseconds, a process a turn, nothing of no length', () => {
  const { traceEvents } = chromeTrace(ENTRIES);
  const spans = traceEvents.filter(({ ph }) => ph === 'X');
  assert.ok(spans.length > 5);
  assert.ok(spans.every(({ ts, dur }) => Number.isInteger(ts) && ts >= 0 && dur >= 1));
  assert.deepEqual(
    new Set(traceEvents.map(({ pid }) => pid)),
    new Set(ENTRIES.map(({ number }) => number)),
  );
  const path = spans.filter(({ tid, pid }) => tid === 0 && pid === 2);
  const us = path.reduce((sum, { dur }) => sum + dur, 0);
  assert.ok(Math.abs(us - 707_000) < 10);
});

test('lines for a replay are the records as they came', () => {
  const lines = jsonl(ENTRIES).trim().split('\n');
  assert.deepEqual(lines.map((line) => JSON.parse(line).turn_id), ENTRIES.map(({ turn: one }) => one.turn_id));
});

test('what is not understood hides nothing, also turned round or half written', () => {
  const entries = [entry(1), entry(2)];
  for (const text of ['-end>5', '-nosuch:1', '-"', '-', '-nosuch:1..2']) assert.equal(filtered(entries, text).length, 2, text);
  assert.deepEqual(parse('-nosuch:1').unknown, ['nosuch:1']);
});

test('older turns that are asked for later stand before those that are known, and go first', () => {
  const records = (...numbers) => numbers.map((number) => entry(number).turn);
  const ids = (known) => [...known.keys()];
  let known = remembered(new Map(), records(3, 4), 4);
  known = remembered(known, records(4, 5), 4); // what is new
  known = remembered(known, records(1, 2, 3, 4, 5), 4); // all of them
  assert.deepEqual(ids(known), ['turn_2', 'turn_3', 'turn_4', 'turn_5']);
  assert.deepEqual(ids(remembered(known, records(6), 4)), ['turn_3', 'turn_4', 'turn_5', 'turn_6']);
});

test('a turn is heard as long here as beside its answer: what the page knows of the way stays', () => {
  const own = entry(1, { network_ms: { up: 10, down: 10, playout: 40 }, network_by: 'page' });
  const told = entry(1, { network_ms: {} }).turn;
  assert.equal(heardMs(withOwn(told, own)), heardMs(own.turn));
  assert.equal(heardMs(withOwn(entry(1, { network_ms: { up: 5 } }).turn, own)), own.turn.voice_to_voice_ms + 5);
  assert.equal(heardMs(withOwn(told, undefined)), told.voice_to_voice_ms);
  assert.deepEqual(JSON.parse(jsonl([{ ...own, turn: withOwn(told, own) }])).network_ms, {}); // for others
});
