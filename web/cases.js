/**
 * The question set made of real calls: what callers said, and what a right answer has. It is kept in
 * this browser (IndexedDB) until somebody removes it; nothing of it is sent to the server.
 *
 * @typedef {object} Case
 * @property {string} name of its file, without the ending: one of a kind
 * @property {any} line of the manifest, see caseOf in logged_call.js
 * @property {ArrayBuffer} wav
 */
import { zip } from './zip.js';

const DATABASE = 'voicepipe';
const STORE = 'cases';
const VERSION = 1;
export const MOST = 200;
/** About 100 MB of words at 16 kHz. */

export class Cases {
  constructor() {
    /** @type {Promise<IDBDatabase>|null} */
    this._opening = null;
  }

  /** @returns {Promise<Case[]>} by name; none where the browser keeps nothing */
  async all() {
    try {
      return await this._do('readonly', (store) => store.getAll());
    } catch {
      return [];
    }
  }

  /**
   * In the place of the one that was made of the same turn.
   * @param {Case} made
   * @returns {Promise<Case>} under a name that nothing else has. Throws where it cannot be kept
   */
  async put(made) {
    const known = await this._do('readonly', (store) => store.getAll());
    const kept = named(made, known);
    const before = known.filter(({ line }) => line.source === made.line.source);
    if (before.length === 0 && known.length >= MOST) throw new Error(`The question set is full (${MOST} cases): save it, and remove some.`);
    await this._do('readwrite', (store) => store.put(kept));
    for (const { name } of before) if (name !== kept.name) await this.remove(name);
    return kept;
  }

  /** @param {string} name */
  async remove(name) {
    await this._do('readwrite', (store) => store.delete(name));
  }

  async _do(mode, ask) {
    this._opening ??= opened();
    this._opening.catch(() => (this._opening = null)); // another time it may
    const store = (await this._opening).transaction(STORE, mode).objectStore(STORE);
    return done(ask(store));
  }
}

/** @param {Case} made @param {Case[]} known */
export function named(made, known) {
  const taken = (name) => known.some((one) => one.name === name && one.line.source !== made.line.source);
  let name = made.name;
  for (let n = 2; taken(name); n += 1) name = `${made.name}_${n}`;
  return { ...made, name, line: { ...made.line, file: `${name}.wav` } };
}

/** The folder that `voicepipe bench turns --questions` reads. @param {Case[]} cases @returns {Uint8Array} */
export function packed(cases) {
  const lines = cases.map(({ line }) => `${JSON.stringify(line)}\n`).join('');
  const sounds = cases.map(({ line, wav }) => ({ name: line.file, bytes: new Uint8Array(wav) }));
  return zip([...sounds, { name: 'manifest.jsonl', bytes: new TextEncoder().encode(lines) }]);
}

function opened() {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'name' });
  return done(request);
}

/** @param {IDBRequest} request @returns {Promise<any>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
