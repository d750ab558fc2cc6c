/**
 * Turns under other settings: what may be changed, and what the server's replay says of it. Pure.
 *
 * @typedef {object} Change that a replay can answer for
 * @property {string} key of `voicepipe whatif --set`
 * @property {string} label
 * @property {string} group
 * @property {boolean} [relative] ms more or less than each turn had
 * @property {readonly [string, string][]} [choices] value and words
 * @property {readonly string[]} [under] endpointing policies that ask for it; unset: all
 */
import { ms } from './ledger.js';
import { NEEDED } from './percentiles.js';
import { GROUPS, TUNABLES } from './tuning.js';

/** What the record does not hold: the words, and the sound. */
const UNSEEN = Object.freeze(['interrupt_words', 'smart_turn']);

const ENGINES = Object.freeze([
  ['asr.work_ms', 'Recognition'],
  ['llm.first_token_ms', 'LLM first token'],
  ['llm.clause_ms', 'First clause'],
  ['tts.first_audio_ms', 'TTS first audio'],
  ['output_ms', 'Output'],
]);

/** @type {readonly Change[]} */
export const CHANGES = Object.freeze([
  ...TUNABLES.filter(({ section, name }) => section === 'turns' && !UNSEEN.includes(name)).map(
    ({ name, label, group, choices, under }) => ({
      key: `turns.${name}`,
      ...{ label: `${GROUPS[group]}: ${label.toLowerCase()}`, group: GROUPS[group], under },
      choices: choices?.filter(([value]) => !UNSEEN.includes(value)),
    }),
  ),
  ...ENGINES.map(([key, label]) => ({ key, label, group: 'Engines, ms more or less', relative: true })),
]);

/** @param {string} key @returns {Change|undefined} */
export function changeOf(key) {
  return CHANGES.find((one) => one.key === key);
}

const POLICY = 'turns.endpointing';

/** What to begin with: the wait of the policy that the turns had. @param {string} [policy] */
export function firstKey(policy = 'text') {
  return { fixed: 'turns.endpoint_unknown_ms', fused: 'turns.cut_off_cost_ms' }[policy] ?? 'turns.endpoint_complete_ms';
}

/** A value to begin with, less than the turns had. @param {string} key @param {any} had @returns {string} */
export function lessThan(key, had) {
  const { relative, choices } = changeOf(key);
  if (relative) return '-50';
  if (choices) return choices.find(([value]) => value !== had)[0];
  if (key === 'turns.cut_off_cost_ms') return String(Math.round((had ?? 4500) / 2));
  return String(Math.max(20, (had ?? 300) - 60));
}

/** What does nothing under the policy that holds. @param {string[]} set @param {string} policy of the turns */
export function idle(set, policy) {
  const values = new Map(read(set.join(',')));
  const holds = values.get(POLICY) ?? policy;
  return [...values.keys()].map(changeOf).filter(({ under }) => under && !under.includes(holds));
}

/** The same in words; '' where all of it acts. @param {string[]} set @param {string} policy of the turns */
export function idleNote(set, policy) {
  const names = idle(set, policy).map(({ label }) => `“${label}”`);
  if (names.length === 0) return '';
  const holds = new Map(read(set.join(','))).get(POLICY) ?? policy;
  const words = changeOf(POLICY).choices.find(([value]) => value === holds)?.[1] ?? holds;
  return `${names.join(' and ')}: the policy “${words}” does not ask for it.`;
}

/** Whether the replay understands it. @param {string} key @param {string} value */
export function isSane(key, value) {
  const change = changeOf(key);
  if (!change) return false;
  if (change.choices) return change.choices.some(([known]) => known === value);
  return change.relative ? /^[+-]\d{1,5}$/.test(value) : /^\d{1,5}$/.test(value);
}

/** @param {[string, string][]} changes @returns {string[]} for `POST /v1/whatif`, and the address */
export function assignments(changes) {
  return changes.filter(([key, value]) => isSane(key, value)).map(([key, value]) => `${key}=${value}`);
}

/** The other way round; what makes no sense is left out. @param {string} text */
export function read(text) {
  const pairs = text.split(',').map((one) => one.split('='));
  return pairs.filter(([key, value = '']) => isSane(key, value));
}

/** What can be tried on a call as well. @param {string[]} set @returns {Map<string, number|string>} */
export function triable(set) {
  const turns = read(set.join(',')).filter(([key]) => key.startsWith('turns.'));
  return new Map(
    turns.map(([key, value]) => [key.slice('turns.'.length), /^\d+$/.test(value) ? Number(value) : value]),
  );
}

/**
 * @param {any} found what the server answers
 * @returns {{label: string, cells: string[], change: string}[]} recorded, replayed unchanged and,
 *   where it can be believed, predicted; `change` is the last less the one before
 */
export function rowsOf(found) {
  const sides = [found.recorded, found.replayed, found.predicted].filter(Boolean);
  const row = (label, of, shown, by = shown) => {
    const values = sides.map(of);
    const known = sides.length > 2 && values.every((value) => Number.isFinite(value));
    const change = known ? signed(values[2] - values[1], by) : '';
    return { label, cells: values.map((value) => (Number.isFinite(value) ? shown(value) : '·')), change };
  };
  const share = (value) => `${(value * 100).toFixed(0)} %`;
  const percentiles = Object.entries(NEEDED).map(([name, needed]) =>
    row(`Voice to voice ${name}`, ({ v2v_ms: v2v }) => (v2v.n >= needed ? v2v[name] : NaN), ms),
  );
  return [
    row('Answered turns', ({ answered_turns: n }) => n, String),
    ...percentiles,
    row('Over 800 ms', (side) => side.over_promise_share ?? NaN, share),
    row('Callers cut off', (side) => side.false_cut_offs, String),
    row('Replies thrown away', (side) => side.discards, String),
  ];
}

/** How far it can be believed, and of what it was made. @param {any} found @returns {string[]} */
export function notesOf({ predicted, trust, left_out: leftOut, p50_change_ms: interval }) {
  const notes = [];
  if (!trust.given) notes.push(refusal(trust));
  if (interval) {
    const [low, high] = interval.map((value) => signed(value, ms));
    const holds = interval[0] <= 0 && interval[1] >= 0 ? ' It holds 0: nothing is shown by so few.' : '';
    notes.push(`The change of p50 lies between ${low} and ${high} ms, 95 times of 100.${holds}`);
  } else if (predicted) {
    notes.push('Too few turns for an interval: it wants 5.');
  }
  const left = Object.entries(leftOut).map(([why, n]) => `${n} ${why}`);
  if (left.length) notes.push(`Left out: ${left.join(', ')}.`);
  return notes;
}

function refusal({ errors, invented_cut_offs: invented }) {
  const off = Object.entries(errors).map(([name, share]) => `${name} ${signed(share * 100, (x) => x.toFixed(1))} %`);
  const cut = invented ? [`cut-offs ${signed(invented, String)}`] : [];
  return `No prediction: replayed unchanged these turns miss their own record (${[...off, ...cut].join(', ')}; 2 % are allowed). What a busy machine added is in no record: take more turns, or a quieter one.`;
}

function signed(value, shown) {
  const text = shown(Math.abs(value));
  return Number(text.replace(/\D/g, '')) === 0 ? '0' : `${value < 0 ? '−' : '+'}${text}`;
}
