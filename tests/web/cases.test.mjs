import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cases, named, packed } from '../../web/cases.js';

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

test('a case whose words were mended takes the place of the one that the same turn had before', async () => {
  openStore();
  const cases = new Cases();
  await cases.put(made('hallo', 'call_a turn 1'));
  await cases.put(made('hello', 'call_b turn 1'));
  assert.equal((await cases.put(made('hello', 'call_a turn 1'))).name, 'hello_2');
  assert.deepEqual((await cases.all()).map(({ name }) => name), ['hello', 'hello_2']);
});

test('a browser that could not open its store once is asked again', async () => {
  const { refuse } = openStore();
  refuse(true);
  const cases = new Cases();
  await assert.rejects(cases.put(made('hello', 'call_a turn 1')));
  refuse(false);
  await cases.put(made('hello', 'call_a turn 1'));
  assert.equal((await cases.all()).length, 1);
});

/** The browser's store, in memory. */
function openStore() {
  const kept = new Map();
  let refused = false;
  const answer = (result, error = null) => {
    const request = { result, error };
    queueMicrotask(() => (error ? request.onerror() : request.onsuccess()));
    return request;
  };
  const store = {
    getAll: () => answer([...kept.keys()].sort().map((name) => kept.get(name))),
    put: (one) => answer(kept.set(one.name, one) && one.name),
    delete: (name) => answer(kept.delete(name) && undefined),
  };
  const database = { transaction: () => ({ objectStore: () => store }) };
  globalThis.indexedDB = { open: () => answer(database, refused ? new Error('not now') : null) };
  return { refuse: (how) => (refused = how) };
}
