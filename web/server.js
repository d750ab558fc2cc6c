/** What the server says of itself before a call. */
import { at } from './regions.js';

const DEADLINE_MS = 5000;

/**
 * @param {string} key '' for none
 * @param {string} base of another region's gateway; '' is this one
 * @returns {Promise<any|null>} see `server` in voicepipe/server/web.py; null: it does not answer
 */
export async function askServer(key, base = '') {
  try {
    const response = await fetch(at(base, '/web/server'), {
      headers: authorization(key),
      cache: 'no-store',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @returns {Record<string, string>}
 */
export function authorization(key) {
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/** What can be a key: it travels in a header. @param {string} text */
export function isKey(text) {
  return /^[\x21-\x7e]+$/.test(text);
}

/** A browser sets no headers on a WebSocket. @param {string} key @returns {string[]} */
export function subprotocols(key) {
  return key ? ['realtime', `openai-insecure-api-key.${key}`] : ['realtime'];
}
