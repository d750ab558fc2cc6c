/** The view of the turns as it is looked at for a while. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DetailView } from '../../web/detail_view.js';
import { openPage } from './page.mjs';
import { turn } from './turns.mjs';

const entry = (number, more = {}) => ({ turn: turn({ turn_id: `turn_${number}`, ...more }), number, letter: 'A', words: '', at: 0 });

test('the record that is read stays open while the turns are looked for again', () => {
  const { byId } = openPage();
  const view = new DetailView(byId('detail'), () => {});
  const record = () => byId('detail').querySelector('details');
  view.show(entry(1), entry(2));
  const read = record();
  view.show(entry(1), entry(2));
  assert.equal(record(), read);
  view.show(entry(1, { end: 'interrupted' }), entry(2)); // it is another now
  assert.notEqual(record(), read);
  view.show(null);
  assert.equal(record(), null);
});

test('a button that zooms keeps the focus', () => {
  const { byId, document } = openPage();
  const view = new DetailView(byId('detail'), () => {});
  view.show(entry(1));
  const closer = byId('detail').querySelectorAll('button').find((one) => one.getAttribute('aria-label') === 'Zoom in');
  closer.focus();
  closer.click();
  assert.equal(document.activeElement.getAttribute('aria-label'), 'Zoom in');
  assert.ok(byId('detail').contains(document.activeElement));
});
