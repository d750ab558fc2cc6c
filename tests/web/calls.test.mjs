/** What the screen of the calls is made of: recordings, moments, cases, ZIPs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, format } from '../../web/address.js';
import { began, caseOf, clock, exportLine, figuresOf, gapOf, momentOf, turnAt } from '../../web/logged_call.js';
import { cutWav, envelopeOf, lengthOf, overlapsOf, readWav, silencesOf, speechOf } from '../../web/recording.js';
import { crc32, zip } from '../../web/zip.js';
import { turn } from './turns.mjs';

const RATE = 8000;

/** A stereo recording in which each side is loud between these seconds. */
function recorded(seconds, caller, agent) {
  const samples = new Int16Array(seconds * RATE * 2);
  [caller, agent].forEach((spans, side) => {
    for (const [from, to] of spans)
      for (let i = from * RATE; i < to * RATE; i += 1) samples[2 * Math.round(i) + side] = 9000 * (i % 2 ? 1 : -1);
  });
  return { rate: RATE, samples };
}

/** The bytes that voicepipe writes of it. */
function stereoFile({ rate, samples }) {
  const mono = cutWav({ rate, samples }, 0, 0);
  const bytes = new Uint8Array(44 + samples.byteLength);
  bytes.set(new Uint8Array(mono).subarray(0, 44));
  bytes.set(new Uint8Array(samples.buffer), 44);
  new DataView(bytes.buffer).setUint16(22, 2, true);
  return bytes.buffer;
}

test('a recording is read as it was written, and nothing else is', () => {
  const sound = recorded(2, [[0.5, 1]], []);
  const read = readWav(stereoFile(sound));
  assert.equal(read.rate, RATE);
  assert.deepEqual(read.samples, sound.samples);
  assert.equal(lengthOf(read), 2);
  assert.throws(() => readWav(new ArrayBuffer(100)), RangeError);
  assert.throws(() => readWav(cutWav(sound, 0, 1)), RangeError, 'one channel');
});

test('speech goes over short pauses, and is known on either side', () => {
  const { caller, agent } = envelopeOf(recorded(4, [[0.5, 1], [1.2, 1.5]], [[2, 3]]));
  const round = (spans) => spans.map(({ from, to }) => [from.toFixed(1), to.toFixed(1)]);
  assert.deepEqual(round(speechOf(caller)), [['0.5', '1.5']]);
  assert.deepEqual(round(speechOf(agent)), [['2.0', '3.0']]);
  assert.deepEqual(round(silencesOf({ caller, agent }, 0.6)), [['3.0', '4.0']]);
});

test('who speaks over whom is who began later', () => {
  const over = (caller, agent) =>
    overlapsOf(envelopeOf(recorded(5, caller, agent))).map(({ who, from }) => `${who} ${from.toFixed(1)}`);
  assert.deepEqual(over([[1, 3]], [[2, 4]]), ['agent over caller 2.0']);
  assert.deepEqual(over([[2, 3]], [[1, 4]]), ['caller over agent 2.0']);
  assert.deepEqual(over([[1, 2]], [[1.9, 4]]), [], 'the end of a word');
});

test('a noise that never stops is nobody who speaks', () => {
  const sound = recorded(20, [[1, 3], [12, 13]], [[9, 11]]);
  for (let i = 8 * RATE; i < 20 * RATE; i += 1) // 0.03, under it all from 8 s on
    sound.samples[2 * i] += (i % 3 ? 1 : -1) * 1000;
  const envelope = envelopeOf(sound);
  assert.deepEqual(overlapsOf(envelope), []);
  assert.deepEqual(speechOf(envelope.caller).map(({ from, to }) => [Math.round(from), Math.round(to)]), [[1, 3], [12, 13]]);
});

test('a piece of one side is a file of its own', () => {
  const sound = recorded(3, [[1, 2]], [[0, 3]]);
  const view = new DataView(cutWav(sound, 0.5, 1.5));
  assert.equal(view.getUint16(22, true), 1);
  assert.equal(view.getUint32(24, true), RATE);
  assert.equal(view.getUint32(40, true), RATE * 2);
  assert.equal(view.byteLength, 44 + RATE * 2);
  assert.equal(view.getInt16(44, true), 0, 'the caller is silent at 0.5 s');
  assert.notEqual(view.getInt16(44 + RATE, true), 0, 'and speaks at 1 s');
});

const RECORDING = { started_at: '2026-11-22T10:00:00.000+00:00', seconds: 30 };

function spoken(number, secondsIn, changes = {}) {
  const speech_end_at = new Date(Date.parse(RECORDING.started_at) + secondsIn * 1000).toISOString();
  const { end = 'completed', ...rest } = changes;
  const ledger = turn({ speech_end_at, user_audio_ms: 1500, heard_ms: 2000, network_ms: { playout: 43 }, end, ...rest });
  return { number, end, user_text: 'what time is it', agent_text: 'Half past seven.', ledger };
}

test('a turn lies on the recording where the server was, and its wait is heard with what is around it', () => {
  const moment = momentOf(spoken(1, 10), RECORDING);
  assert.deepEqual(moment, { begins: 8.5, said: 10, answered: 10.307, ends: 12.307, late: false });
  const slow = spoken(1, 10, { network_ms: { playout: 600 } });
  assert.ok(momentOf(slow, RECORDING).late, 'what the caller heard counts');
  assert.equal(gapOf(moment).from, 9);
  assert.equal(gapOf(moment).to.toFixed(3), '11.107');
  assert.equal(momentOf(spoken(1, 31), RECORDING), null, 'it is not in the recording');
  assert.equal(momentOf(spoken(1, 10), null), null);
  assert.equal(momentOf({ ledger: turn() }, RECORDING), null, 'an older record knows no time of day');
  const unanswered = momentOf(spoken(1, 10, { critical_ms: null, voice_to_voice_ms: null }), RECORDING);
  assert.equal(unanswered.answered, null);
  assert.equal(gapOf(unanswered), null);
});

test('the turn that sounds is the last that has begun', () => {
  const moments = [momentOf(spoken(1, 5), RECORDING), null, momentOf(spoken(3, 15), RECORDING)];
  assert.deepEqual([0, 3.6, 12, 14].map((at) => turnAt(moments, at)), [-1, 0, 0, 2]);
});

test('a call is summed up by what its callers heard', () => {
  const turns = [spoken(1, 5), spoken(2, 9, { end: 'interrupted' }), spoken(3, 15, { end: 'reopened' })];
  const { n, p50, slowest, interrupted, cutOff } = figuresOf({ turns });
  assert.deepEqual({ n, p50, slowest, interrupted, cutOff }, { n: 3, p50: 350, slowest: 350, interrupted: 1, cutOff: 1 });
  assert.equal(figuresOf({ turns: [] }).n, 0);
  assert.equal(JSON.parse(exportLine({ object: 'call', id: 'call_1', turns })).call.id, 'call_1');
});

test('a case holds the words, a little around them, and where they end', () => {
  const moment = momentOf(spoken(2, 10), RECORDING);
  const words = { text: 'What time is it?', answer: ' half past ' };
  const { name, from, to, line } = caseOf({ id: 'call_1' }, { number: 2 }, moment, words);
  assert.equal(name, 'what_time_is_it');
  assert.deepEqual([from, to], [8.2, 10.5]);
  assert.deepEqual(line, {
    ...{ file: 'what_time_is_it.wav', text: 'what time is it?', answer: 'half past' },
    ...{ speech_start_s: 0.3, speech_end_s: 1.8, source: 'call_1 turn 2' },
  });
  const nameless = caseOf({ id: 'call_1' }, { number: 2 }, moment, { text: '../..', answer: '' });
  assert.equal(nameless.name, 'call_1_2');
  assert.ok(!('answer' in nameless.line));
});

test('a ZIP has its files, their sums and their places', () => {
  assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
  const bytes = zip([
    { name: 'a.txt', bytes: new Uint8Array([1, 2, 3]) },
    { name: 'b.txt', bytes: new Uint8Array([4]) },
  ]);
  const view = new DataView(bytes.buffer);
  const end = bytes.length - 22;
  assert.equal(view.getUint32(end, true), 0x06054b50);
  assert.equal(view.getUint16(end + 10, true), 2);
  const directory = view.getUint32(end + 16, true);
  assert.equal(view.getUint32(directory, true), 0x02014b50);
});

test('times are said as people say them', () => {
  assert.deepEqual([0, 59.9, 61, 3723].map(clock), ['0:00', '0:59', '1:01', '1:02:03']);
  const now = new Date(2026, 10, 22, 9, 0);
  assert.match(began(new Date(2026, 10, 22, 8, 5).toISOString(), now), /^Today, .*8:05/);
  assert.match(began(new Date(2026, 10, 21, 23, 59).toISOString(), now), /^Yesterday, /);
  assert.doesNotMatch(began(new Date(2026, 10, 3).toISOString(), now), /2026/);
  assert.match(began(new Date(2025, 10, 3).toISOString(), now), /2025/);
});

test('the screen stands in the address', () => {
  const shown = parse('#/calls?call=call_1&at=2&since=7d&slow=800&text=two%20words');
  assert.deepEqual([shown.view, shown.call, shown.at, shown.text], ['calls', 'call_1', '2', 'two words']);
  assert.equal(format(shown), '#/calls?call=call_1&at=2&since=7d&text=two%20words&slow=800');
});
