/**
 * The events of the call, bounded, without the audio itself. Pure.
 *
 * @typedef {object} Row
 * @property {number} id grows by one
 * @property {number} atMs since the call began
 * @property {'in'|'out'} direction
 * @property {string} type
 * @property {number} count messages that this row stands for
 * @property {any} event
 */

const KEPT = 500;
const SHOWN_BASE64 = 16;

/** Events with audio in them, and where. */
const AUDIO = Object.freeze({
  'input_audio_buffer.append': 'audio',
  'response.output_audio.delta': 'delta',
});

const FREQUENT = new Set([...Object.keys(AUDIO), 'voicepipe.heard']);

export class EventLog {
  constructor() {
    /** @type {Row[]} */
    this.rows = [];
    this._next = 1;
    /** @type {Map<string, Row>} rows that may still grow, by type */
    this._growing = new Map();
  }

  /**
   * Audio comes fifty times a second, reports every second: those of one type share a row until
   * something else happens.
   * @param {'in'|'out'} direction
   * @param {any} event
   * @param {number} atMs
   * @returns {Row} new, or the one that grew
   */
  add(direction, event, atMs) {
    const frequent = FREQUENT.has(event.type);
    if (!frequent) this._growing.clear();
    const growing = this._growing.get(event.type);
    if (growing) {
      growing.count += 1;
      growing.event = withoutAudio(event);
      return growing;
    }
    const shown = withoutAudio(event);
    const row = { id: this._next++, atMs, direction, type: event.type, count: 1, event: shown };
    this.rows.push(row);
    if (this.rows.length > KEPT) this.rows.shift();
    if (frequent) this._growing.set(event.type, row);
    return row;
  }

  clear() {
    this.rows.length = 0;
    this._growing.clear();
  }

  /** @param {string} filter @returns {string} JSON lines */
  text(filter) {
    return this.rows
      .filter((row) => matches(row, filter))
      .map(({ atMs, direction, count, event }) =>
        JSON.stringify({ at_ms: Math.round(atMs), direction, count, event }),
      )
      .join('\n');
  }
}

/**
 * All words of the filter are in the row, in any order and case.
 * @param {Row} row
 * @param {string} filter
 */
export function matches(row, filter) {
  const wanted = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return true;
  const text = `${row.type} ${row.direction} ${JSON.stringify(row.event)}`.toLowerCase();
  return wanted.every((word) => text.includes(word));
}

/** The event, its audio shortened. */
function withoutAudio(event) {
  const field = AUDIO[event.type];
  if (!field) return event;
  const base64 = event[field];
  return { ...event, [field]: `${base64.slice(0, SHOWN_BASE64)}… (${base64.length} characters)` };
}
