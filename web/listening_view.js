/** Listening in on a call that is up: both sides are heard and read, nothing goes in. */
import { Captions } from './captions.js';
import { CaptionsView } from './captions_view.js';
import { byId } from './dom.js';
import { floats } from './pcm.js';
import { subprotocols } from './server.js';

const RATE = 16_000;
/** Hz of what the server gives to listeners. */
const SIDES = Object.freeze(['caller', 'agent']);
const PAN = 0.4;
/** The caller a little to the left, the agent to the right, as in a recording. */

export class ListeningView {
  /** @param {() => string} key @param {() => void} changed @param {() => string} speaker */
  constructor(key, changed, speaker) {
    this._speaker = speaker;
    this._key = key;
    this._changed = changed;
    /** Of the call that is listened to; '' for none. */
    this.id = '';
    byId('listening-stop').addEventListener('click', () => this.stop());
  }

  /** Its words are seen, perhaps of a call that has ended. */
  get shown() {
    return !byId('listening').hidden;
  }

  /** @param {any} live of the list of calls */
  toggle(live) {
    const same = this.id === live.id;
    this.stop();
    if (!same) this._begin(live);
  }

  stop() {
    if (!this.shown) return;
    this.id = '';
    if (this._socket) this._socket.onclose = this._socket.onmessage = null; // some is on its way
    this._socket?.close();
    this._socket = null;
    if (this._context.state !== 'closed') this._context.close();
    byId('listening').hidden = true;
    this._changed();
  }

  async _begin({ id, listen_url: url }) {
    this.id = id;
    byId('listening').hidden = false;
    byId('listening-words').replaceChildren();
    this._captions = new Captions();
    this._view = new CaptionsView(byId('listening-words'), () => {}, { user: 'Caller' });
    this._say('Joining …');
    this._changed();
    const context = new AudioContext({ sampleRate: RATE });
    this._context = context;
    context.setSinkId?.(this._speaker()).catch(() => {}); // it is gone: the system's own is used
    const loaded = await context.audioWorklet.addModule(new URL('./worklets/player.js', import.meta.url).href).then(() => true, () => false);
    if (this._context !== context || this.id !== id) return; // stopped meanwhile
    if (!loaded) {
      this._ended('The server does not answer: listen in again.');
      return;
    }
    this._players = SIDES.map((_, i) => player(context, i ? PAN : -PAN));
    this._open(url);
  }

  _open(url) {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(`${scheme}//${location.host}${url}`, subprotocols(this._key()));
    socket.binaryType = 'arraybuffer';
    let joined = false;
    socket.onopen = () => {
      joined = true;
      this._say('You hear both. Nobody hears you.');
    };
    socket.onmessage = ({ data }) => this._take(data);
    socket.onclose = (end) => this._ended(joined ? endWords(end) : 'This call cannot be listened to now.');
    this._socket = socket;
  }

  _take(data) {
    if (typeof data !== 'string') {
      const [side] = new Uint8Array(data, 0, 1);
      const add = floats(new Int16Array(data.slice(1)));
      this._players[side]?.port.postMessage({ item: SIDES[side], add }, [add.buffer]);
      return;
    }
    const event = JSON.parse(data);
    if (event.type === 'voicepipe.flushed') this._players[1].port.postMessage({ cut: true });
    const caption = this._captions.apply(event);
    if (!caption) return;
    this._captions.played(caption.id, Infinity); // what is not heard is taken back
    this._view.show(caption);
  }

  /** @param {string} text why */
  _ended(text) {
    this.id = '';
    this._context.close();
    this._say(text);
    this._changed();
  }

  _say(text) {
    byId('listening-said').textContent = text;
  }
}

/** Why a socket that was open has closed. @param {{code: number, reason: string}} end */
function endWords({ code, reason }) {
  if (reason === 'reads too slowly') return 'This page was too slow: listen in again.';
  return code === 1000 ? 'The call has ended.' : 'The connection was lost: listen in again.';
}

function player(context, pan) {
  const node = new AudioWorkletNode(context, 'player', { numberOfInputs: 0, outputChannelCount: [1] });
  node.connect(new StereoPannerNode(context, { pan })).connect(context.destination);
  return node;
}
