/** A WebSocket that takes nothing more: what is spoken meanwhile must not pile up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Resume } from '../../web/resume.js';
import { WebSocketTransport } from '../../web/websocket.js';
import { FakeStream, openPage, settled } from './page.mjs';

test('sound that waits for a stalled socket is bounded', async () => {
  const { sockets } = openPage();
  const nothing = () => {};
  const on = { sent: nothing, closed: nothing, event: nothing, played: nothing, playing: nothing };
  const call = new WebSocketTransport({ key: '', base: '', resume: new Resume() }, on);
  const opened = call.open(new FakeStream());
  await settled();
  const socket = sockets.at(-1);
  socket.opens();
  await opened;
  call.talk(true);
  const speak = () => call._recorder.port.onmessage({ data: new Int16Array(480) });
  socket.bufferedAmount = 300_000; // under five seconds
  speak();
  assert.equal(socket.sent.length, 1);
  socket.bufferedAmount = 330_000;
  speak();
  assert.equal(socket.sent.length, 1);
  socket.bufferedAmount = 0;
  speak();
  assert.equal(socket.sent.length, 2);
});
