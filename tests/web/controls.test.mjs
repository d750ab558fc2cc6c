/** What the page's controls do when they are pressed twice, or while something is on its way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MicrophoneTest } from '../../web/mic_test.js';
import { FakeStream, openPage, settled } from './page.mjs';

/** The microphone's test, and what failed in it. */
function microphoneTest() {
  const page = openPage();
  const failed = [];
  const frames = new Map();
  let last = 0;
  globalThis.requestAnimationFrame = (draw) => frames.set((last += 1), draw) && last;
  globalThis.cancelAnimationFrame = (frame) => frames.delete(frame);
  const settings = () => ({ microphone: '', echo: true, noise: false, gain: true });
  const made = new MicrophoneTest(settings, (problem) => failed.push(problem.code));
  return { ...page, made, failed, frames, button: page.byId('mic-test') };
}

test('a microphone test that ends before the browser allowed it lets the microphone go', async () => {
  const { made, asked, button } = microphoneTest();
  button.click();
  made.end(); // a call begins
  const stream = new FakeStream('late');
  asked[0].resolve(stream);
  await settled();
  assert.equal(stream.track.stopped, true);
  assert.equal(button.attributes['aria-pressed'], 'false');
});

test('a microphone test that is pressed twice while the browser asks holds no second microphone', async () => {
  const { asked, button, frames } = microphoneTest();
  button.click();
  button.click();
  button.click();
  const streams = asked.map((one) => {
    const stream = new FakeStream('late');
    one.resolve(stream);
    return stream;
  });
  await settled();
  assert.deepEqual(streams.map(({ track }) => track.stopped), [true, false]);
  button.click();
  assert.deepEqual([streams[1].track.stopped, frames.size], [true, 0]);
});
