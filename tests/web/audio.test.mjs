/** What runs in or beside the audio threads: PCM, resampling, playback, loudness. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loudness } from '../../web/level.js';
import { decode, encode } from '../../web/pcm.js';
import { PlaybackQueue } from '../../web/playback_queue.js';
import { Resampler } from '../../web/resampler.js';

const tone = (hz, rate, count) =>
  Float32Array.from({ length: count }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / rate));
const rms = (samples) => Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);

test('PCM survives base64, little-endian and signed', () => {
  const samples = Int16Array.from([0, 1, -1, 256, 32767, -32768]);
  assert.equal(encode(Int16Array.from([1, -2])), btoa('\x01\x00\xfe\xff'));
  const back = decode(encode(samples));
  assert.deepEqual(
    [...back].map((x) => Math.round(x * 32768)),
    [...samples],
  );
  assert.equal(decode(encode(new Int16Array(24000))).length, 24000); // more than one call can spread
});

for (const from of [44100, 48000, 16000, 24000]) {
  test(`resampling from ${from} Hz keeps a tone, in blocks of 128 as in one piece`, () => {
    const input = tone(1000, from, from);
    const resampler = new Resampler(from, 24000);
    const blocks = [];
    for (let i = 0; i < input.length; i += 128)
      blocks.push(...resampler.push(input.slice(i, i + 128)));
    const whole = new Resampler(from, 24000).push(input);
    assert.ok(Math.abs(blocks.length - 24000) < 30, `${blocks.length} samples`);
    assert.ok(blocks.every((x, i) => Math.abs(x - whole[i]) < 1e-6));
    const wanted = tone(1000, 24000, 24000);
    const steady = blocks.slice(1000, 20000);
    const error = rms(steady.map((x, i) => x - wanted[i + 1000]));
    assert.ok(error < 0.005, `error ${error}`);
  });
}

test('what 24 kHz cannot hold is filtered out, not normalize_text back', () => {
  const resampler = new Resampler(48000, 24000);
  const out = resampler.push(tone(15000, 48000, 48000));
  assert.ok(rms(out.slice(100, -100)) < 0.01);
});

const fill = (queue, count) => {
  const output = new Float32Array(count).fill(9);
  queue.fill(output);
  return [...output];
};

test('items play one after the other, each counted for itself; then silence', () => {
  const queue = new PlaybackQueue(1000); // a fade of 5 samples
  queue.add('a', Float32Array.from([0.1, 0.2, 0.3]));
  queue.add('b', Float32Array.from([0.4, 0.5]));
  assert.deepEqual(
    fill(queue, 2).map((x) => x.toFixed(1)),
    ['0.1', '0.2'],
  );
  assert.deepEqual([queue.item, queue.played], ['a', 2]);
  assert.deepEqual(
    fill(queue, 4).map((x) => x.toFixed(1)),
    ['0.3', '0.4', '0.5', '0.0'],
  );
  assert.deepEqual([queue.item, queue.played, queue.empty], ['b', 2, true]);
});

test('a cut fades within 5 ms and drops all, also what came for later', () => {
  const queue = new PlaybackQueue(1000);
  queue.add('a', new Float32Array(100).fill(1));
  queue.add('b', new Float32Array(100).fill(1));
  fill(queue, 10);
  queue.cut();
  const faded = fill(queue, 10);
  assert.ok(faded[0] < 1 && faded[0] > faded[2] && faded[2] > 0);
  assert.deepEqual(faded.slice(5), [0, 0, 0, 0, 0]);
  assert.ok(queue.empty);
  queue.add('c', new Float32Array(3).fill(1));
  assert.deepEqual(fill(queue, 3), [1, 1, 1]); // a new reply is not faded
});

test('a reply that comes during the fade of a cut is not mixed with the old one', () => {
  const queue = new PlaybackQueue(1000);
  queue.add('a', new Float32Array(100).fill(1));
  queue.cut();
  fill(queue, 2);
  queue.add('b', new Float32Array(4).fill(0.5));
  assert.deepEqual(fill(queue, 5), [0.5, 0.5, 0.5, 0.5, 0]);
});

test('held: silence, and then on at the sample where it stopped', () => {
  const queue = new PlaybackQueue(1000);
  queue.add(
    'a',
    Float32Array.from({ length: 100 }, (_, i) => i),
  );
  fill(queue, 10);
  queue.hold(true);
  fill(queue, 20);
  const { played } = queue;
  assert.ok(played <= 15);
  assert.deepEqual(fill(queue, 3), [0, 0, 0]);
  assert.equal(queue.played, played);
  queue.hold(false);
  assert.equal(fill(queue, 10).at(-1), played + 9);
});

test('a held reply can be cut', () => {
  const queue = new PlaybackQueue(1000);
  queue.add('a', new Float32Array(100).fill(1));
  queue.hold(true);
  fill(queue, 20);
  queue.cut();
  fill(queue, 1);
  assert.ok(queue.empty);
  queue.add('b', new Float32Array(2).fill(1));
  assert.deepEqual(fill(queue, 2), [1, 1]);
});

test('loudness: silence is 0, a loud voice 1', () => {
  assert.equal(loudness(new Float32Array(512)), 0);
  assert.equal(loudness(tone(200, 24000, 512)), 1);
  const soft = loudness(tone(200, 24000, 512).map((x) => x / 30));
  assert.ok(soft > 0.1 && soft < 0.9, `${soft}`);
});
