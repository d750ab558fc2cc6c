/** The screen of the calls, with a server that answers late or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallsView } from '../../web/calls_view.js';
import { later, openPage, settled } from './page.mjs';

const NOTHING = Object.freeze({ call: '', at: '', since: '', transport: '', agent: '', key: '', text: '', slow: '' });

const logged = (id, more = {}) => ({
  ...{ id, turns: [], transport: 'webrtc', started_at: `2026-01-01T00:00:0${id.length}Z`, lasted_s: 3 },
  ...{ ended_at: '2026-01-01T00:01:00Z', end_reason: 'hung up', slowest_ms: null, lost: {}, recording: null },
  ...{ profile: 'builtin', version: '1', ...more },
});

/** The view, and what it asked for: each waits for its answer. */
function opened(t) {
  const page = openPage();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const asked = [];
  fetch = (url, { method = 'GET' } = {}) => {
    const one = { ...later(), url: String(url), method };
    one.answers = (body) => one.resolve(Response.json(body));
    asked.push(one);
    return one.promise;
  };
  const view = new CallsView({ key: () => '', enter: () => {}, changed: () => {}, href: () => '#', newCase: async () => '' });
  const ids = () => page.byId('calls-list').querySelectorAll('[data-testid="call"]').map(({ dataset }) => dataset.callId);
  const show = (more = {}) => view.setVisible(true, { ...NOTHING, ...more });
  const answer = async (body, one = asked.at(-1)) => {
    one.answers(body);
    await settled();
  };
  t.after(() => view.setVisible(false, NOTHING));
  return { ...page, view, ids, show, asked, answer, tick: () => t.mock.timers.tick(4000) };
}

const listed = (ids, next_cursor = null) => ({ kept: true, live: [], data: ids.map((id) => logged(id)), next_cursor });

test('the next page comes, also where the server takes longer than the list is looked at again', async (t) => {
  const { show, answer, ids, asked, tick, byId } = opened(t);
  show();
  await answer(listed(['call'], 'C'));
  byId('calls-more').click();
  const more = asked.at(-1);
  assert.match(more.url, /cursor=C/);
  tick();
  await answer(listed(['older']), more);
  assert.deepEqual(ids().sort(), ['call', 'older']);
});

test('a changed filter leaves nothing of the list before, whatever is asked meanwhile', async (t) => {
  const { show, answer, ids, asked, tick } = opened(t);
  show();
  await answer(listed(['call'], 'C'));
  show({ text: 'refund' });
  const fresh = asked.at(-1);
  tick();
  await answer(listed(['other'], 'D'), fresh);
  if (asked.at(-1) !== fresh) await answer(listed(['other'], 'D'));
  assert.deepEqual(ids(), ['other']);
});

test('a changed filter whose answer never came leaves nothing of the list before', async (t) => {
  const { show, answer, ids, asked, tick } = opened(t);
  show();
  await answer(listed(['call'], 'C'));
  show({ text: 'refund' });
  asked.at(-1).reject(new TypeError('no network'));
  await settled();
  tick();
  await answer(listed(['other'], 'D'));
  assert.deepEqual(ids(), ['other']);
});

test('a call that is deleted while another is looked at goes, and the other stays', async (t) => {
  const { view, show, answer, ids, asked, byId } = opened(t);
  show({ call: 'aa' });
  await answer(listed(['aa', 'b']), asked[0]);
  await answer(logged('aa'), asked[1]);
  const press = (handle) => byId('call-detail').querySelector(`[data-testid="${handle}"]`).click();
  press('delete-call');
  press('delete-yes');
  const deleting = asked.at(-1);
  assert.equal(deleting.method, 'DELETE');
  show({ call: 'b' });
  await answer(logged('b'));
  deleting.resolve(new Response(null, { status: 204 }));
  await settled();
  assert.deepEqual(ids(), ['b']);
  assert.equal(view._shown.call, 'b');
  assert.ok(byId('call-detail').querySelector('[data-testid="delete-call"]'));
  press('delete-call'); // of the one that is looked at
});

/** Somebody listens in, and the socket ends like this. */
async function listened(t, end, loads = true) {
  const one = opened(t);
  if (!loads) AudioContext = class extends AudioContext { audioWorklet = { addModule: () => Promise.reject(new Error('gone')) }; };
  one.show();
  const live = { id: 'live', transport: 'webrtc', since: '2026-01-01T00:00:00Z', listen_url: '/listen' };
  await one.answer({ ...listed([]), live: [live] });
  one.byId('live-list').querySelector('[data-testid="listen"]').click();
  await settled();
  end(one.sockets.at(-1));
  return one.byId('listening-said').textContent;
}

test('a call has ended only where the server says so', async (t) => {
  const ended = await listened(t, (socket) => {
    socket.opens();
    socket.goes(1000, 'the call has ended');
  });
  assert.equal(ended, 'The call has ended.');
  t.mock.timers.reset();
  const refused = await listened(t, (socket) => socket.goes(1006));
  assert.match(refused, /cannot be listened to/);
  t.mock.timers.reset();
  const lost = await listened(t, (socket) => {
    socket.opens();
    socket.goes(1006);
  });
  assert.match(lost, /connection was lost/);
  t.mock.timers.reset();
  const silent = await listened(t, () => {}, false);
  assert.match(silent, /does not answer/);
});

test('a filter that is typed just before the view is left loads nothing behind it', async (t) => {
  const { view, show, answer, asked, byId } = opened(t);
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  show({ call: 'aa' });
  await answer(listed(['aa']), asked[0]);
  await answer(logged('aa'), asked[1]);
  byId('calls-text').value = 'refund';
  byId('calls-text').dispatchEvent(new Event('input'));
  view.setVisible(false, NOTHING);
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(asked.length, 2);
});
