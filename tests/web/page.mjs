/** As much of a browser as the modules ask for: elements by id, sound that nobody hears, sockets that a test answers. */

import { readFileSync } from 'node:fs';

const HTML = readFileSync(new URL('../../web/index.html', import.meta.url), 'utf-8');
const DASHED = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

// What the page waits for at most (45 s for an answer) is not what its tests wait for.
const { setTimeout: real } = globalThis;
globalThis.setTimeout = (then, ms, ...rest) => {
  const timer = real(then, ms, ...rest);
  return ms > 10_000 ? timer.unref() : timer;
};

class Style {
  setProperty(name, value) {
    this[name] = value;
  }
}

export class FakeElement extends EventTarget {
  constructor(tag = 'div') {
    super();
    Object.assign(this, { tagName: tag.toUpperCase(), children: [], attributes: {}, dataset: {} });
    Object.assign(this, { hidden: false, disabled: false, value: '', style: new Style(), text: '' });
    Object.assign(this, { clientWidth: 0, clientHeight: 0, scrollTop: 0, scrollHeight: 0 });
    const names = new Set();
    this.classList = {
      add: (name) => names.add(name),
      remove: (name) => names.delete(name),
      contains: (name) => names.has(name),
      toggle: (name, on = !names.has(name)) => names[on ? 'add' : 'delete'](name),
    };
  }

  get textContent() {
    return this.text + this.children.map((child) => child.textContent ?? child).join('');
  }

  set textContent(text) {
    this.children = [];
    this.text = String(text);
  }

  get options() {
    return this.children;
  }

  get childElementCount() {
    return this.children.length;
  }

  get lastElementChild() {
    return this.children.at(-1);
  }

  append(...children) {
    this.children.push(...children);
    for (const child of children) if (child instanceof FakeElement) child.parentElement = this;
  }

  after(other) {
    const { parentElement: parent } = this;
    parent.children.splice(parent.children.indexOf(this) + 1, 0, other);
    other.parentElement = parent;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  replaceChildren(...children) {
    this.text = '';
    this.children = [];
    this.append(...children);
  }

  remove() {
    const { parentElement: parent } = this;
    if (parent) parent.children = parent.children.filter((child) => child !== this);
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
    if (name.startsWith('data-')) this.dataset[DASHED(name.slice(5))] = value;
    if (name in this && name !== 'style') this[name] = value === '' ? true : value;
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  /** By `[data-testid="..."]`, `.class`, `#id` or a tag; the last part of a longer one. */
  querySelectorAll(selector) {
    return this.all().filter((one) => selector.split(',').some((part) => fits(one, part.trim().split(' ').at(-1))));
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  all() {
    return this.children.flatMap((one) => (one instanceof FakeElement ? [one, ...one.all()] : []));
  }

  closest() {
    return null;
  }

  contains(other) {
    return this.all().includes(other);
  }

  click() {
    this.dispatchEvent(new Event('click'));
  }

  focus() {
    document.activeElement = this;
  }

  scrollIntoView() {}

  getBoundingClientRect() {
    return { left: 0, top: 0, width: 100, height: 100 };
  }

  getContext() {
    return new Proxy({}, { get: () => () => ({ width: 0 }), set: () => true });
  }
}

function fits({ attributes, dataset, tagName }, part) {
  const named = part.match(/^\[data-([\w-]+)(?:="(.*)")?\]$/);
  if (named) return named[2] === undefined ? DASHED(named[1]) in dataset : dataset[DASHED(named[1])] === named[2];
  if (part.startsWith('#')) return attributes.id === part.slice(1);
  if (part.startsWith('.')) return part.slice(1).split('.').every((name) => attributes.class?.split(' ').includes(name));
  return tagName === part.toUpperCase();
}

/** What plays or hears nothing. */
class FakeNode {
  constructor() {
    this.posted = [];
    this.port = { postMessage: (data) => this.posted.push(data), onmessage: null };
    this.gain = { value: 1 };
  }

  connect(other) {
    return other;
  }

  disconnect() {}

  start() {}

  getFloatTimeDomainData() {}
}

class FakeContext {
  constructor() {
    Object.assign(this, { state: 'running', currentTime: 0, destination: new FakeNode() });
    this.audioWorklet = { addModule: async () => {} };
  }

  createMediaStreamSource() {
    return new FakeNode();
  }

  createMediaStreamDestination() {
    return Object.assign(new FakeNode(), { stream: new FakeStream('silence') });
  }

  async resume() {}

  async close() {
    this.state = 'closed';
  }
}

/** A microphone's sound. */
export class FakeStream {
  constructor(name) {
    this.name = name;
    this.track = Object.assign(new EventTarget(), { enabled: true, stopped: false });
    this.track.stop = () => (this.track.stopped = true);
  }

  getTracks() {
    return [this.track];
  }

  getAudioTracks() {
    return [this.track];
  }
}

/** Plays in no time; a new sound begins at the speed that stands for all, as the standard has it. */
export class FakeAudio extends FakeElement {
  constructor() {
    super('audio');
    Object.assign(this, { paused: true, currentTime: 0, playbackRate: 1, defaultPlaybackRate: 1, address: '' });
  }

  get src() {
    return this.address;
  }

  set src(address) {
    this.address = address;
    this.playbackRate = this.defaultPlaybackRate;
  }

  removeAttribute(name) {
    if (name === 'src') this.address = '';
  }

  async play() {
    this.paused = false;
  }

  pause() {
    this.paused = true;
  }
}

/** The server's end of a call is the test. */
export class FakeSocket {
  static OPEN = 1;
  static all = [];

  constructor(url) {
    Object.assign(this, { url, readyState: 0, sent: [], closed: null });
    FakeSocket.all.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close(code) {
    this.readyState = 3;
    this.closed ??= code ?? 1005;
  }

  opens() {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  tells(event) {
    this.onmessage?.({ data: JSON.stringify(event) });
  }

  goes(code = 1006, reason = '') {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

function storage() {
  const kept = new Map();
  return { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text), removeItem: (name) => kept.delete(name) };
}

/** Until all that can go on without the test has gone on. */
export const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** A promise, and what settles it. */
export function later() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** The page of this test, in the place of a browser's. @returns elements by id, and the microphones that were asked for */
export function openPage() {
  const elements = new Map();
  const byId = (id) => {
    if (!elements.has(id)) elements.set(id, new FakeElement());
    return elements.get(id);
  };
  for (const [tag, name] of HTML.matchAll(/<(\w+)\s[^>]*>/g)) {
    const id = tag.match(/\sid="([\w-]+)"/)?.[1];
    if (id) elements.set(id, Object.assign(new FakeElement(name), { hidden: /\shidden\b/.test(tag), type: tag.match(/\stype="(\w+)"/)?.[1] }));
  }
  const asked = [];
  const getUserMedia = ({ audio }) => {
    const one = { ...later(), device: audio.deviceId?.exact ?? '' };
    asked.push(one);
    return one.promise;
  };
  FakeSocket.all.length = 0;
  const document = Object.assign(new FakeElement('document'), {
    ...{ body: new FakeElement('body'), documentElement: new FakeElement('html'), activeElement: null },
    ...{ getElementById: byId, createElement: (tag) => new FakeElement(tag), createElementNS: (_, tag) => new FakeElement(tag) },
  });
  const put = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  put('document', document);
  put('navigator', { userAgent: 'node', mediaDevices: { getUserMedia } });
  put('location', new URL('http://page.test/'));
  put('history', { replaceState: () => {}, pushState: () => {} });
  put('window', Object.assign(globalThis, { addEventListener: () => {} }));
  for (const name of ['sessionStorage', 'localStorage']) put(name, storage());
  put('getComputedStyle', () => ({ color: 'black' }));
  put('HTMLMediaElement', FakeAudio);
  put('requestAnimationFrame', () => 1);
  put('cancelAnimationFrame', () => {});
  put('isSecureContext', true);
  put('WebSocket', FakeSocket);
  put('AudioContext', FakeContext);
  for (const name of ['AudioNode', 'AudioWorkletNode', 'GainNode', 'AnalyserNode', 'ConstantSourceNode', 'StereoPannerNode', 'AudioBufferSourceNode'])
    put(name, FakeNode);
  put('ResizeObserver', class { observe() {} });
  put('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
  put('Audio', FakeAudio);
  put('fetch', async () => Promise.reject(new TypeError('no network')));
  return { byId, asked, sockets: FakeSocket.all, document };
}
