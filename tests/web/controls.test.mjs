/** What the page's controls do when they are pressed twice, or while something is on its way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Captions } from '../../web/captions.js';
import { CaptionsView } from '../../web/captions_view.js';
import { MicrophoneTest } from '../../web/mic_test.js';
import { Questions } from '../../web/questions.js';
import { Stage } from '../../web/stage.js';
import { VoiceSample } from '../../web/voice_sample.js';
import { FakeStream, later, openPage, settled } from './page.mjs';

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

/** Recordings that ask, in a call whose turns are made by hand. */
function asking({ byHand }) {
  const page = openPage();
  const did = [];
  AudioBufferSourceNode = class extends AudioNode {
    start = () => queueMicrotask(() => did.push('said') && this.onended());
  };
  AudioContext = class extends AudioContext {
    decodeAudioData = async () => ({});
  };
  fetch = async () => new Response(new Uint8Array(4));
  const restored = later();
  const made = new Questions({
    connect: async () => did.push('connected'),
    active: () => true,
    restore: () => restored.promise,
    hold: () => byHand && did.push('held'),
    release: () => byHand && did.push('released') && made.answered() === undefined, // it listens, until the turn is committed
  });
  return { ...page, made, did, restored, state: () => page.byId('question-state').textContent };
}

test('push to talk: a recording holds the button while it speaks, and waits for the answer', async () => {
  const { made, did, state } = asking({ byHand: true });
  made.play();
  await settled();
  assert.deepEqual(did, ['connected', 'held', 'said', 'released']);
  assert.equal(state(), 'The question is being said.');
  made.answered();
  await new Promise((resolve) => setTimeout(resolve, 800)); // the pause between two
  assert.equal(state(), 'Done.');
});

test('hands-free: a recording speaks, and no button is touched', async () => {
  const { made, did } = asking({ byHand: false });
  made.play();
  await settled();
  assert.deepEqual(did, ['connected', 'said']);
  made.stop();
});

test('a recording that is stopped lets the button go', async () => {
  const { made, did } = asking({ byHand: true });
  AudioBufferSourceNode = class extends AudioNode {}; // which speaks for ever
  made.play();
  await settled();
  made.stop();
  await settled();
  assert.deepEqual(did, ['connected', 'held', 'released']);
});

test('Space that was pressed to talk lets go wherever the focus is when it comes up', () => {
  const { byId, document } = openPage();
  const did = [];
  const call = { active: true, phase: 'listening', hasMicrophone: true, muted: false, levels: () => ({ user: 0, agent: 0 }) };
  const stage = new Stage(Object.assign(call, { hold: () => did.push('hold'), release: () => did.push('release') }), { talk: () => {}, mute: () => {} });
  stage.show('push-to-talk');
  const key = (type, target) => {
    const event = Object.assign(new Event(type, { cancelable: true }), { key: ' ' });
    Object.defineProperty(event, 'target', { value: target });
    document.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const link = { closest: () => link };
  key('keydown', document.body);
  assert.equal(key('keyup', link), true); // nor is the link pressed
  assert.deepEqual(did, ['hold', 'release']);
  assert.deepEqual([key('keydown', link), key('keyup', link)], [false, false]);
  assert.deepEqual([did.length, byId('hold').attributes['aria-pressed']], [2, 'false']);
});

test('words that are too old to be kept are not seen for ever either', () => {
  const { byId } = openPage();
  const captions = new Captions();
  const view = new CaptionsView(byId('captions'), () => {});
  for (let i = 0; i < 500; i += 1)
    view.show(captions.apply({ type: 'conversation.item.input_audio_transcription.completed', item_id: `u${i}`, transcript: `word ${i}` }));
  const shown = byId('captions').children.map(({ dataset }) => dataset.itemId);
  assert.deepEqual(shown, captions.entries.map(({ id }) => id));
});

test('a voice is tried on the speaker that is chosen', async () => {
  const { byId } = openPage();
  const sinks = [];
  AudioContext = class extends AudioContext {
    setSinkId = async (id) => sinks.push(id);
    decodeAudioData = async () => ({});
  };
  AudioBufferSourceNode = class extends AudioNode {
    start = () => queueMicrotask(() => this.onended());
  };
  fetch = async () => new Response(new Uint8Array(4));
  new VoiceSample(() => ({ voice: '', volume: 1, key: '', speaker: 'headset' }));
  byId('voice-sample').click();
  await settled();
  assert.deepEqual([sinks, byId('voice-sample').textContent], [['headset'], 'Hear it']);
});

test('what nobody heard is not said to be the user’s doing: the call may just have ended', () => {
  const { byId } = openPage();
  const captions = new Captions();
  const view = new CaptionsView(byId('captions'), () => {});
  captions.apply({ type: 'response.output_audio_transcript.delta', item_id: 'a', response_id: 'r', delta: 'One moment.' });
  captions.end().forEach((caption) => view.show(caption));
  const [text] = byId('captions').querySelectorAll('p');
  assert.equal(text.title, 'What is struck out was not heard.');
});

test('words that are not heard yet are not struck out', () => {
  const { byId } = openPage();
  const captions = new Captions();
  const view = new CaptionsView(byId('captions'), () => {});
  view.show(captions.apply({ type: 'response.output_audio_transcript.delta', item_id: 'a', response_id: 'r', delta: 'One moment.' }));
  assert.equal(byId('captions').querySelectorAll('p')[0].title, '');
});
