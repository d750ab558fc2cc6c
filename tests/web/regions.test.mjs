import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, chosen, socketAt } from '../../web/regions.js';

const region = (id, ms) => ({ id, base: `https://${id}.example.com`, ms });

test('the nearest is called', () => {
  assert.equal(chosen([region('a', 80), region('b', 12), region('c', 30)], '').id, 'b');
});

test('the wanted one is called, unless it does not answer', () => {
  assert.equal(chosen([region('a', 80), region('b', 12)], 'a').id, 'a');
  assert.equal(chosen([region('a', null), region('b', 12)], 'a').id, 'b');
  assert.equal(chosen([region('b', 12)], 'closed since').id, 'b');
});

test('where nobody answers, or there is one only, there is no choice', () => {
  assert.equal(chosen([region('a', null), region('b', null)], ''), null);
  assert.equal(chosen([], ''), null);
});

test('addresses lead to the region, and to its sockets by the same security', () => {
  assert.equal(at('https://a.example.com', '/readyz'), 'https://a.example.com/readyz');
  assert.equal(socketAt('https://a.example.com:8443', '/v1/x?y=1'), 'wss://a.example.com:8443/v1/x?y=1');
  assert.equal(socketAt('http://127.0.0.1:9', '/v1/x'), 'ws://127.0.0.1:9/v1/x');
  assert.equal(at('https://a.example.com', 'https://b.example.com/z'), 'https://b.example.com/z');
});
