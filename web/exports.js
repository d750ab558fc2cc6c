/**
 * Turns to take elsewhere. Pure.
 *
 * `jsonl` is what `/v1/turns` gives: `voicepipe whatif` reads it. `chromeTrace` is the format of
 * chrome://tracing, which ui.perfetto.dev opens: one process a turn, one thread a lane.
 */
import { heardMs, ms } from './ledger.js';
import { lanesOf } from './lanes.js';

/** @typedef {import('./turns_panel.js').Entry} Entry */

/** @param {Entry[]} entries @returns {string} */
export function jsonl(entries) {
  return entries.map(({ turn }) => `${JSON.stringify(recorded(turn))}\n`).join('');
}

/** Without what only this page has added. */
function recorded({ provisional: _provisional, network_by: by, ...record }) {
  return by === 'page' ? { ...record, network_ms: {} } : record;
}

const GAP_US = 1_000_000;
/** Between two turns: when they were is not known to the microsecond. */

/** @param {Entry[]} entries @returns {{traceEvents: object[], displayTimeUnit: string}} */
export function chromeTrace(entries) {
  let begin = 0;
  const traceEvents = entries.flatMap((entry) => {
    const lanes = lanesOf(entry.turn);
    const spans = lanes.lanes.flatMap((lane) => lane.spans);
    const least = Math.min(0, ...spans.map(({ fromMs }) => fromMs));
    const most = Math.max(0, ...spans.map(({ toMs }) => toMs));
    const origin = begin - least * 1000;
    begin += (most - least) * 1000 + GAP_US;
    return eventsOf(entry, lanes, origin);
  });
  return { traceEvents, displayTimeUnit: 'ms' };
}

function eventsOf({ turn, number, words }, { lanes, path, marks }, origin) {
  const pid = number;
  const us = (atMs) => Math.round(origin + atMs * 1000);
  const name = (kind, tid, text) => ({ ph: 'M', name: kind, pid, tid, args: { name: text } });
  const span = (tid, text, fromMs, toMs, args = {}) => ({
    ...{ ph: 'X', cat: 'voicepipe', name: text, pid, tid, ts: us(fromMs) },
    dur: Math.max(1, Math.round((toMs - fromMs) * 1000)),
    args,
  });
  const heard = heardMs(turn);
  const title = `turn ${number}${heard === null ? '' : `, ${ms(heard)} ms heard`}`;
  return [
    name('process_name', 0, words ? `${title}: ${words}` : title),
    name('thread_name', 0, 'critical path'),
    ...lanes.map(({ label }, i) => name('thread_name', i + 1, label)),
    ...path.map((step) => span(0, step.name, step.fromMs, step.toMs, { turn: turn.turn_id })),
    ...lanes.flatMap((lane, i) =>
      lane.spans.map(({ fromMs, toMs, text }) => span(i + 1, text, fromMs, toMs)),
    ),
    ...marks.map(({ atMs, text }) => ({
      ...{ ph: 'i', s: 'p', cat: 'voicepipe', name: text, pid, tid: 0, ts: us(atMs) },
    })),
  ];
}
