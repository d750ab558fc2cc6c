/** The view of the turns as it is looked at for a while. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DetailView } from '../../web/detail_view.js';
import { ReplayView } from '../../web/replay_view.js';
import { TurnsPanel } from '../../web/turns_panel.js';
import { TurnsView } from '../../web/turns_view.js';
import { later, openPage, settled } from './page.mjs';
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

/** The view of a server that remembers so many turns. */
function opened(t) {
  const page = openPage();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const server = { turns: 2, gone: false };
  fetch = async (url) => {
    if (server.gone) throw new TypeError('gone');
    const limit = Number(String(url).match(/limit=(\d+)/)?.[1] ?? 0);
    const all = Array.from({ length: server.turns }, (_, i) => entry(i + 1).turn);
    return new Response(all.slice(-limit).map((one) => `${JSON.stringify(one)}\n`).join(''));
  };
  const on = { own: () => [], key: () => '', enter: () => {}, changed: () => {}, tryOut: () => {} };
  const view = new TurnsView(on);
  const shown = { q: '', turn: '', with: '', replay: '', of: '' };
  view.setVisible(true, shown);
  t.after(() => view.setVisible(false, shown));
  const tick = async () => {
    t.mock.timers.tick(5000);
    await settled();
  };
  return { ...page, server, tick, said: () => page.byId('turns-said').textContent };
}

test('no turn is missing of a time in which nobody looked, or the server was away', async (t) => {
  const { server, tick, said, document } = opened(t);
  await settled();
  assert.match(said(), /2 of 2 turns/);
  document.hidden = true;
  server.turns = 60;
  await tick();
  document.hidden = false;
  server.turns = 61;
  await tick();
  assert.match(said(), /61 of 61 turns/);
  server.gone = true;
  await tick();
  Object.assign(server, { gone: false, turns: 120 });
  await tick();
  assert.match(said(), /120 of 120 turns/);
});

const FOUND = Object.freeze({
  ...{ trust: { given: true }, left_out: {}, p50_change_ms: null },
  ...Object.fromEntries(['recorded', 'replayed', 'predicted'].map((name) => [name, { v2v_ms: { n: 1, p50: 300 }, answered_turns: 1 }])),
});

test('what is found for other settings than those that are seen now is not shown', async () => {
  const { byId } = openPage();
  const answers = [];
  fetch = () => {
    const one = later();
    answers.push(one);
    return one.promise;
  };
  const on = { key: () => '', turns: () => ({ seen: [entry(1)], turn: entry(1) }), changed: () => {}, tryOut: () => {} };
  const view = new ReplayView(byId('replay'), on);
  const table = () => byId('replay').querySelector('[data-testid="replay-table"]');
  view.show({ replay: 'turns.reopen_ms=100', of: '' });
  view.show({ replay: '', of: '' }); // back
  answers[0].resolve(Response.json(FOUND));
  await settled();
  assert.equal(table(), null);
  view.show({ replay: 'turns.reopen_ms=200', of: '' });
  answers[1].resolve(Response.json(FOUND));
  await settled();
  assert.ok(table());
  view.show({ replay: '', of: '' });
  assert.equal(table(), null);
});

test('the turn of an answer opens, however many came after it', () => {
  const { byId } = openPage();
  const on = { tryOut: () => {}, choose: () => {}, chosen: () => {}, ask: () => {}, more: () => {}, forget: () => {} };
  const panel = new TurnsPanel(on, { settings: new Map(), models: [] });
  for (let i = 1; i <= 50; i += 1) panel.add(turn({ turn_id: `turn_${i}`, response_id: `r${i}` }), { letter: 'A', words: '' });
  panel.openResponse('r3');
  const rows = byId('waterfalls').children;
  assert.equal(byId('waterfalls').querySelector('.turn.open').dataset.turnId, 'turn_3');
  assert.deepEqual([rows[0].dataset.turnId, rows.at(-1).dataset.turnId], ['turn_50', 'turn_3']);
});

test('a key that is entered opens what has become slower, too', async (t) => {
  const { byId } = openPage();
  t.mock.timers.enable({ apis: ['setInterval'] });
  let key = '';
  const drift = [{ stage: 'llm', quantile: 0.5, before_ms: 100, now_ms: 200, cause: '' }];
  fetch = async (url, { headers }) => {
    if (!headers.Authorization) return new Response('{}', { status: 401 });
    return String(url).includes('/readyz') ? Response.json({ drift }) : new Response('');
  };
  const view = new TurnsView({ own: () => [], key: () => key, enter: (entered) => (key = entered), changed: () => {}, tryOut: () => {} });
  const shown = { q: '', turn: '', with: '', replay: '', of: '' };
  t.after(() => view.setVisible(false, shown));
  view.setVisible(true, shown);
  await settled();
  assert.equal(byId('drift').hidden, true);
  byId('turns-key').querySelector('[data-testid="view-key"]').value = 'secret';
  byId('turns-key').querySelector('form').dispatchEvent(new Event('submit'));
  await settled();
  assert.match(byId('drift').textContent, /slower than last week/);
});
