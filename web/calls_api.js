/** What the server tells of calls: `/v1/calls`, by key. Every method throws `CallsError`. */
import { authorization } from './server.js';

const DEADLINE_MS = 15_000;
const PIECE = 1 << 20;
/** Bytes of a recording asked for at a time: so it can be drawn as it comes, and left half-way. */
export const MOST_BYTES = 256 << 20;
/** A longer recording (more than two hours) is not held in a page. */

/** `code`: the server's, or `unreachable`. */
export class CallsError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class CallsApi {
  /** @param {() => string} key */
  constructor(key) {
    this._key = key;
  }

  /** @param {Record<string, string>} query @returns {Promise<any>} a page of the list */
  async list(query) {
    const told = Object.entries(query).filter(([, value]) => value);
    return (await this._ask(`/v1/calls?${new URLSearchParams(told)}`)).json();
  }

  /** @param {string} id @returns {Promise<any>} */
  async call(id) {
    return (await this._ask(path(id))).json();
  }

  /** For good. @param {string} id */
  async delete(id) {
    await this._ask(path(id), { method: 'DELETE' });
  }

  /** @param {string} url of a live call's end */
  async hangUp(url) {
    await this._ask(url, { method: 'POST' });
  }

  /**
   * A recording, piece by piece.
   * @param {{url: string, bytes: number}} recording
   * @param {AbortSignal} signal
   * @param {(share: number) => void} came of the whole
   * @returns {Promise<ArrayBuffer>}
   */
  async recording({ url, bytes }, signal, came) {
    if (bytes > MOST_BYTES)
      throw new CallsError('too_long', 'The recording is too long to be shown here: download it.');
    const whole = new Uint8Array(bytes);
    for (let at = 0; at < bytes; at += PIECE) {
      const last = Math.min(bytes, at + PIECE) - 1;
      const answer = await this._ask(url, { headers: { Range: `bytes=${at}-${last}` }, signal });
      const piece = new Uint8Array(await answer.arrayBuffer());
      if (piece.length !== last + 1 - at)
        throw new CallsError('changed', 'The recording has changed meanwhile: reload.');
      whole.set(piece, at);
      came((last + 1) / bytes);
    }
    return whole.buffer;
  }

  async _ask(url, { headers = {}, signal, ...options } = {}) {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    let answer;
    try {
      answer = await fetch(url, {
        ...options,
        headers: { ...authorization(this._key()), ...headers },
        cache: 'no-store',
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new CallsError('unreachable', 'The server does not answer.');
    }
    if (!answer.ok) throw await refusal(answer);
    return answer;
  }
}

function path(id) {
  return `/v1/calls/${encodeURIComponent(id)}`;
}

async function refusal(answer) {
  const body = await answer.json().catch(() => ({}));
  const { code = `http_${answer.status}`, message = `The server refuses (${answer.status}).` } =
    body.error ?? {};
  return new CallsError(code, message);
}
