/** What plays on the page, and where the server plays, with worklets and peers that the test answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Player } from '../../web/player.js';
import { PlaybackQueue } from '../../web/playback_queue.js';
import { openPage } from './page.mjs';

/** A player, and the queue that its worklet has. */
function player() {
  openPage();
  const queue = new PlaybackQueue(24000);
  const made = new Player(new AudioContext(), { played: () => {}, playing: () => {}, began: () => {} });
  const take = ({ add, item, cut, hold }) => {
    if (add) queue.add(item, add);
    else if (cut) queue.cut();
    else queue.hold(hold);
  };
  made._node.port.postMessage = take;
  return { player: made, queue };
}

test('a pause that came when nothing played holds no later answer back', () => {
  const { player: one, queue } = player();
  one.hold(true); // the server took a sound for speech just as the user pressed stop
  one.cut();
  one.add('a', new Float32Array(4800).fill(0.5));
  const out = new Float32Array(2400);
  queue.fill(out);
  assert.ok(out.at(-1) > 0.4);
});
