/** What a tab keeps over a reload, as a damaged store gives it back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { words } from '../../web/captions.js';
import { parse } from '../../web/kept.js';

const CLAUSE = Object.freeze({ text: 'Half past seven.', startMs: 0, endMs: 900 });
const CAPTION = Object.freeze({ id: 'a', role: 'agent', text: '', clauses: [CLAUSE], playedMs: 900, cutMs: null });

const kept = (...captions) => parse(JSON.stringify({ captions })).captions;

test('captions come back as they were', () => {
  const [one] = kept({ ...CAPTION, playedMs: null }); // Infinity, which JSON has no word for
  assert.deepEqual(one, { ...CAPTION, playedMs: Infinity });
});

test('a caption that is damaged is left out, and the others stay', () => {
  const damaged = [
    ...[null, 'words', {}, { ...CAPTION, id: 1 }, { ...CAPTION, text: 7 }, { ...CAPTION, text: undefined }],
    ...[{ ...CAPTION, clauses: 'none' }, { ...CAPTION, clauses: [null] }, { ...CAPTION, clauses: [CLAUSE, {}] }],
    ...[{ ...CLAUSE, text: 7 }, { ...CLAUSE, startMs: 'soon' }, { ...CLAUSE, endMs: 'late' }].map((one) => ({ ...CAPTION, clauses: [one] })),
  ];
  const left = kept(...damaged, CAPTION);
  assert.deepEqual(left, [CAPTION]);
  assert.ok(words(left[0]).every(({ state }) => state === 'heard'));
});
