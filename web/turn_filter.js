/**
 * The filter line of the turns, and what of a turn it looks at. Pure.
 *
 * Words must all fit: `heard>500`, `llm>=100`, `heard:300..500`, `nr:10..20`, `over:llm`,
 * `tool:get_time`, `end:interrupted`, `prepared:miss`, `origin:text`, `run:B`, `session:sess_1`; any
 * other word, or "several words", is looked for in what was said and in the ids. A leading `-` turns
 * one round.
 *
 * @typedef {import('./turns_panel.js').Entry} Entry
 * @typedef {(entry: Entry) => boolean} Test
 */
import { STAGES, afterToolMs, heardMs, networkMs, toolsOf } from './ledger.js';

const FIGURES = Object.freeze({
  heard: ({ turn }) => heardMs(turn),
  server: ({ turn }) => turn.voice_to_voice_ms,
  network: ({ turn }) => networkMs(turn),
  nr: ({ number }) => number,
  discards: ({ turn }) => turn.discards ?? 0,
  prompt: ({ turn }) => turn.tokens?.prompt ?? null,
  ...Object.fromEntries(STAGES.map((name) => [name, ({ turn }) => turn.critical_ms?.[name] ?? null])),
});

const NAMES = Object.freeze({
  over: ({ turn }, name) => (turn.over_budget ?? []).includes(name),
  tool: ({ turn }, name) =>
    toolsOf(turn).some((tool) => tool.name === name) || (name === 'any' && afterToolMs(turn) > 0),
  end: ({ turn }, name) => turn.end === name,
  prepared: ({ turn }, name) => turn.preemption === name,
  origin: ({ turn }, name) => turn.origin === name,
  session: ({ turn }, name) => turn.session_id === name,
  run: ({ letter }, name) => letter === name.toUpperCase(),
});

const COMPARE = Object.freeze({
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
});

/** What can be written, for the help. */
export const EXAMPLES = Object.freeze([
  'heard>500',
  'llm>100',
  'over:endpoint',
  'tool:any',
  'prepared:miss',
  'end:interrupted',
  'origin:text',
  'run:B',
]);

/**
 * @param {string} text
 * @returns {{test: Test, unknown: string[]}} unknown: words that look like a filter and are none
 */
export function parse(text) {
  const unknown = [];
  const tests = tokens(text).map((token) => testOf(token, unknown));
  return { test: (entry) => tests.every((test) => test(entry)), unknown };
}

/** @param {Entry[]} entries @param {string} text */
export function filtered(entries, text) {
  return entries.filter(parse(text).test);
}

/**
 * The same line with another range: what brushing a picture writes.
 * @param {string} text
 * @param {string} name
 * @param {[number, number]|null} range null: without it
 */
export function withRange(text, name, range) {
  const others = tokens(text).filter((token) => !token.startsWith(`${name}:`) || !isRange(token));
  const own = range ? [`${name}:${Math.floor(range[0])}..${Math.ceil(range[1])}`] : [];
  return [...others, ...own].join(' ');
}

function tokens(text) {
  return text.match(/-?"[^"]*"?|\S+/g) ?? [];
}

function isRange(token) {
  return /^\w+:-?[\d.]+\.\.[\d.]+$/.test(token);
}

/** @returns {Test} */
function testOf(token, unknown) {
  if (token.startsWith('-')) {
    const test = testOf(token.slice(1), unknown);
    return test === all ? all : (entry) => !test(entry);
  }
  const compared = token.match(/^(\w+)(>=|<=|>|<)(\d+(?:\.\d+)?)$/);
  if (compared) return figureTest(compared[1], COMPARE[compared[2]], Number(compared[3]), token, unknown);
  const range = token.match(/^(\w+):(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)$/);
  if (range) {
    const [low, high] = [Number(range[2]), Number(range[3])];
    const within = (value) => value >= low && value <= high;
    return figureTest(range[1], within, NaN, token, unknown);
  }
  const named = token.match(/^(\w+):(.+)$/);
  if (named && NAMES[named[1]]) return (entry) => NAMES[named[1]](entry, named[2]);
  if (named) return unfit(token, unknown);
  return wordTest(token.replaceAll('"', '').toLowerCase());
}

function figureTest(name, compare, limit, token, unknown) {
  const figure = FIGURES[name];
  if (!figure) return unfit(token, unknown);
  return (entry) => {
    const value = figure(entry);
    return value !== null && value !== undefined && compare(value, limit);
  };
}

function unfit(token, unknown) {
  unknown.push(token);
  return all;
}

/** What says nothing, as far as it is written yet or understood, hides nothing. @type {Test} */
function all() {
  return true;
}

function wordTest(word) {
  if (!word) return all;
  return ({ turn, words }) =>
    [words, turn.turn_id, turn.session_id, turn.response_id].some((text) =>
      text?.toLowerCase().includes(word),
    );
}
