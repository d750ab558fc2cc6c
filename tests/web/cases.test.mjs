import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, packed } from '../../web/cases.js';

const made = (name, source) => ({
  name,
  line: { file: `${name}.wav`, text: name, source },
  wav: new Uint8Array([1, 2, 3]).buffer,
});

test('the same turn again takes its own place, the same words of another call a name of their own', () => {
  const first = named(made('hello', 'call_a turn 1'), []);
  assert.equal(named(made('hello', 'call_a turn 1'), [first]).name, 'hello');
  const second = named(made('hello', 'call_b turn 4'), [first]);
  assert.deepEqual([second.name, second.line.file], ['hello_2', 'hello_2.wav']);
  assert.equal(named(made('hello', 'call_b turn 4'), [first, second]).name, 'hello_2');
});

test('a set is its sounds and a manifest with a line for each', () => {
  const text = new TextDecoder('latin1').decode(packed([made('a', 'x'), made('b', 'y')]));
  for (const part of ['a.wav', 'b.wav', 'manifest.jsonl', '"source":"y"']) assert.ok(text.includes(part), part);
});
