/** A call's sound on the page: what of one call must not be left in the next. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListeningView } from '../../web/listening_view.js';
import { RecordingPlayer } from '../../web/recording_player.js';
import { later, openPage, settled } from './page.mjs';

/** A recording of silence. @param {number} seconds */
function wav(seconds) {
  const bytes = new ArrayBuffer(44 + seconds * 8000 * 4);
  const view = new DataView(bytes);
  const put = (at, text) => [...text].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  put(0, 'RIFF');
  view.setUint16(22, 2, true);
  view.setUint32(24, 8000, true);
  view.setUint16(34, 16, true);
  put(36, 'data');
  return bytes;
}

/** A player, and the recordings that it asked for. */
function opened() {
  const page = openPage();
  const asked = [];
  const api = {
    recording: ({ url }, signal) => {
      const one = { ...later(), url };
      signal.addEventListener('abort', () => one.reject(signal.reason));
      asked.push(one);
      return one.promise;
    },
  };
  const player = new RecordingPlayer(api, { moved: () => {}, ready: () => {}, speaker: () => 'headphones' });
  const load = async (url, seconds = 2) => {
    player.load({ url }, []);
    asked.at(-1).resolve(wav(seconds));
    await settled();
  };
  const find = (selector) => player.element.querySelector(selector);
  return { ...page, player, asked, load, find };
}

test('the speed that is chosen holds for the next call, too', async () => {
  const { player, load, find } = opened();
  await load('a');
  const speed = find('.speed');
  speed.value = '2';
  speed.dispatchEvent(new Event('change'));
  player.close();
  await load('b');
  assert.equal(player._audio.playbackRate, 2);
});

test('a loop ends with its call', async () => {
  const { player, load } = opened();
  await load('a');
  player.loop({ from: 0, to: 1 });
  player.close();
  await load('b');
  const stop = player.element.querySelectorAll('button').find(({ textContent }) => textContent === 'Stop the loop');
  assert.equal(stop.hidden, true);
});

test('the picture and the time of a call go with it', async () => {
  const { player, load, find } = opened();
  const wave = find('.wave');
  Object.assign(wave, { clientWidth: 100, clientHeight: 40 });
  globalThis.getComputedStyle = () => ({ color: 'black' });
  wave.parentElement ??= wave;
  await load('a');
  const canvas = find('canvas');
  assert.ok(canvas.width > 0);
  player.close();
  assert.equal(canvas.width, 0);
  assert.equal(find('.sound-ticks').childElementCount, 0);
  assert.equal(find('.play-time').textContent, '0:00');
});

test('a recording that is still on its way when another is loaded is never heard', async () => {
  const { player, asked } = opened();
  player.load({ url: 'a' }, []);
  player.load({ url: 'b' }, []);
  asked[1].resolve(wav(3));
  await settled();
  asked[0].resolve(wav(1));
  await settled();
  assert.equal(player.sound.samples.length, 3 * 8000 * 2);
});

test('a recording plays on the speaker that is chosen', async () => {
  const { player, load } = opened();
  await load('a');
  const sinks = [];
  player._audio.setSinkId = async (id) => sinks.push(id);
  player.playFrom(0);
  await settled();
  assert.deepEqual(sinks, ['headphones']);
});

test('a call that is listened to is heard on the speaker that is chosen', () => {
  openPage();
  const sinks = [];
  AudioContext = class extends AudioContext {
    setSinkId = async (id) => sinks.push(id);
  };
  const view = new ListeningView(() => '', () => {}, () => 'headphones');
  view.toggle({ id: 'call', listen_url: '/listen' });
  view.stop();
  assert.deepEqual(sinks, ['headphones']);
});
