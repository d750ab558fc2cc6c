/** The list of calls: a line each, with a strip of what its turns took. */
import { button, el } from './dom.js';
import { PROMISE_MS, labelOf, ms } from './ledger.js';
import { began, clock } from './logged_call.js';

const STAGES_SHOWN = Object.freeze(['endpoint', 'asr', 'llm', 'tool', 'clause', 'tts', 'output', 'network']);
const STRIP_TURNS = 60;
/** More than fit into a line; the newest are shown. */
const FULL_MS = 1200;
/** A bar of full height; the promise lies at two thirds of it. */

const TRANSPORTS = Object.freeze({
  realtime: 'WebSocket',
  webrtc: 'WebRTC',
  signalwire: 'SignalWire',
  audiosocket: 'AudioSocket',
  pcm: 'PCM',
});

/** @param {string} name @returns {string} as people call it */
export function transportName(name) {
  return TRANSPORTS[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

/** Who is in it: agent, and what is known of the caller. @param {any} call */
export function whoOf(call) {
  return [call.agent, call.caller, call.key && `key ${call.key}`].filter(Boolean).join(' · ');
}

/**
 * One call that was written down.
 * @param {any} call of the list
 * @param {{href: string, current: boolean}} at
 */
export function row(call, { href, current }) {
  const { turns, lasted_s: lasted, end_reason: reason, recorded } = call;
  const count = `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`;
  const about = [transportName(call.transport), whoOf(call)].filter(Boolean).join(' · ');
  const end = [call.ended_at ? reason : 'under way elsewhere', recorded ? 'recorded' : ''];
  const link = el(
    'a',
    { class: 'call-line', href, 'aria-current': current ? 'true' : null },
    el('span', { class: 'call-when' }, el('b', {}, began(call.started_at))),
    el('span', { class: 'call-figure' }, ...figures(call)),
    el('span', { class: 'call-about' }, about),
    el('span', { class: 'call-length' }, `${clock(lasted)} · ${count}`),
    strip(call),
    el('span', { class: 'call-end' }, end.filter(Boolean).join(' · ')),
  );
  return el('li', { class: 'call', 'data-testid': 'call', 'data-call-id': call.id }, link);
}

/** What was waited for in each turn, as bars side by side. */
function strip({ turns }) {
  const shown = turns.slice(-STRIP_TURNS);
  const bars = shown.map(({ number, waited_ms: waited, longest, end }) => {
    const late = waited > PROMISE_MS;
    const bar = el('span', { class: `column stage-${longest}${late ? ' late' : ''}${waited === null ? ' none' : ''}` });
    bar.style.height = waited === null ? '' : `${Math.max(8, Math.min(100, (waited / FULL_MS) * 100))}%`;
    bar.title = waited === null ? `turn ${number}: ${end}` : `turn ${number}: ${ms(waited)} ms, mostly ${labelOf(longest)}`;
    return bar;
  });
  const told = shown.map(({ waited_ms: waited }) => (waited === null ? 'none' : ms(waited)));
  const words = shown.length ? `Waits by turn, ms: ${told.join(', ')}` : 'No turns';
  return el('span', { class: 'strip', role: 'img', 'aria-label': words }, ...bars);
}

/** What the strips' colours mean. */
export function stripLegend() {
  const keys = STAGES_SHOWN.map((name) => el('span', { class: `key stage-${name}` }, labelOf(name)));
  return [el('span', {}, `A bar is a turn’s wait, in the colour of its longest stage; the dashed line is ${PROMISE_MS} ms.`), ...keys];
}

function figures({ p50_ms: p50, slowest_ms: slowest, interrupted }) {
  if (slowest === null) return [el('span', { class: 'aside' }, 'no answers')];
  const late = slowest > PROMISE_MS;
  const parts = [
    el('span', {}, el('span', { class: 'aside' }, 'p50 '), el('b', {}, ms(p50))),
    el('span', { class: late ? 'late' : '' }, el('span', { class: 'aside' }, 'slowest '), el('b', {}, `${ms(slowest)}${late ? ' ▲' : ''}`)),
  ];
  if (interrupted)
    parts.push(el('span', { class: 'aside', title: 'answers that the caller interrupted' }, `${interrupted} interrupted`));
  return parts;
}

/**
 * One call that is up here.
 * @param {any} live
 * @param {{listening: boolean, listen: () => void, hangUp: () => void}} on
 */
export function liveRow(live, { listening, listen, hangUp }) {
  const about = [transportName(live.transport), whoOf(live)].filter(Boolean).join(' · ');
  const since = el('span', { class: 'live-since', 'data-since': live.since }, sinceText(live.since));
  return el(
    'li',
    { class: `live${listening ? ' on' : ''}`, 'data-testid': 'live-call', 'data-call-id': live.id },
    el('span', { class: 'live-dot', 'aria-hidden': 'true' }),
    el('span', { class: 'live-about' }, about || 'a call'),
    since,
    button(listening ? 'Stop listening' : 'Listen in', listen, {
      'aria-label': `${listening ? 'Stop listening to' : 'Listen in on'} the ${about} call`,
      'data-testid': 'listen',
    }),
    button('Hang up', hangUp, {
      'aria-label': `Hang up the ${about} call`,
      class: 'small danger',
      'data-testid': 'hang-up',
    }),
  );
}

/** @param {string} iso */
export function sinceText(iso) {
  return clock((Date.now() - Date.parse(iso)) / 1000);
}
