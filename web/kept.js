/**
 * What this tab keeps over a reload: the words and the turns of its calls, and what was tried, until
 * it is closed.
 *
 * @typedef {object} Kept
 * @property {import('./captions.js').Caption[]} captions
 * @property {object[]} turns as the page shows them, see turns_panel.js
 * @property {string} instructions that are tried; '' for the server's
 * @property {import('./runs.js').Run[]} runs settings that were compared
 */

const STORE = 'voicepipe.calls';
const MOST = Object.freeze({ captions: 200, turns: 100 });
const REST_MS = 400;

export class Keeper {
  /** @param {() => Kept} what */
  constructor(what) {
    this._what = what;
    this._timer = 0;
    window.addEventListener('pagehide', () => this._write());
  }

  /** Something is worth keeping; written when it rests. */
  touch() {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._write(), REST_MS);
  }

  /** @returns {Kept} */
  load() {
    try {
      return parse(sessionStorage.getItem(STORE));
    } catch {
      return parse(null); // storage may be switched off
    }
  }

  clear() {
    clearTimeout(this._timer);
    try {
      sessionStorage.removeItem(STORE);
    } catch {
      // see above
    }
  }

  _write() {
    clearTimeout(this._timer);
    const { captions, turns, instructions, runs } = this._what();
    const text = JSON.stringify({
      captions: captions.slice(-MOST.captions),
      turns: turns.slice(-MOST.turns),
      instructions,
      runs: runs.map((run) => ({ ...run, values: [...run.values] })),
    });
    try {
      sessionStorage.setItem(STORE, text);
    } catch {
      // it is full or switched off: what is seen stays until the page goes
    }
  }
}

/** What makes sense of it. Pure. @param {string|null} text @returns {Kept} */
export function parse(text) {
  let kept;
  try {
    kept = JSON.parse(text ?? '{}');
  } catch {
    kept = {};
  }
  const captions = Array.isArray(kept?.captions) ? kept.captions : [];
  const turns = Array.isArray(kept?.turns) ? kept.turns : [];
  return {
    runs: Array.isArray(kept?.runs) ? kept.runs.flatMap(madeRun) : [],
    instructions: typeof kept?.instructions === 'string' ? kept.instructions : '',
    captions: captions
      .filter(isCaption)
      .map((one) => ({ ...one, playedMs: one.playedMs ?? Infinity })), // which JSON has no word for
    turns: turns.filter((one) => typeof one?.turn?.turn_id === 'string'),
  };
}

function isCaption(one) {
  const named = typeof one?.id === 'string' && typeof one.text === 'string';
  return named && Array.isArray(one.clauses) && one.clauses.every(isClause);
}

function isClause(one) {
  const whole = typeof one?.text === 'string' && Number.isFinite(one.startMs);
  return whole && (one.endMs === null || Number.isFinite(one.endMs));
}

function madeRun({ letter, values, heardMs } = {}) {
  const sane = typeof letter === 'string' && Array.isArray(values) && Array.isArray(heardMs);
  return sane ? [{ letter, values: new Map(values), heardMs }] : [];
}
