/** Listening in on one call after another, with a server that the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListeningView } from '../../web/listening_view.js';
import { openPage, settled } from './page.mjs';

const said = (text) => ({
  type: 'conversation.item.input_audio_transcription.completed',
  ...{ item_id: text, transcript: text },
});

test('what of a call is still on its way when another is listened to does not show as its words', async () => {
  const { byId, sockets } = openPage();
  const view = new ListeningView(() => '', () => {}, () => '');
  const listen = async (id) => {
    view.toggle({ id, listen_url: `/v1/calls/${id}/listen` });
    await settled();
    sockets.at(-1).opens();
    return sockets.at(-1);
  };
  const first = await listen('one');
  first.tells(said('my card number'));
  const second = await listen('two');
  first.tells(said('is four two')); // sent before the server heard of the end
  second.tells(said('good morning'));
  const words = byId('listening-words').textContent;
  assert.match(words, /Good morning/);
  assert.doesNotMatch(words, /four/);
  view.stop();
});
