/**
 * What can be tuned in a running call, the message that does it, and the values that the server
 * confirms. Pure.
 *
 * @typedef {number|string} Value
 *
 * @typedef {object} Tunable
 * @property {'turns'|'budget'|'llm'|'tts'} section of the server's settings
 * @property {string} name of the setting there; a number of ms unless it has choices or a unit
 * @property {readonly string[]} at where it stands in the protocol's session object
 * @property {string} group where it stands on the page
 * @property {string} label
 * @property {string} help
 * @property {number} [max] the slider begins at `min`, or 0
 * @property {number} [min]
 * @property {number} [step]
 * @property {string} [unit] ms, unless it is something else
 * @property {readonly Choice[]} [choices] none yet: the server tells them
 * @property {boolean} [free] any text
 * @property {boolean} [nextCall] a running call keeps what it has
 * @property {readonly string[]} [under] endpointing policies that ask for it; unset: all
 *
 * @typedef {readonly [string, string]} Choice value and words
 */

const SHORT = 32;
/** Characters of a text that stands for it. */

/** The groups, in order: targets only colour the figures, the others act on the call. */
export const GROUPS = Object.freeze({
  endpointing: 'Endpointing',
  preemptive: 'Preemptive generation',
  agent: 'Model, voice and instructions',
  interruption: 'Interruption',
  targets: 'Targets',
});

/** @type {readonly Tunable[]} */
export const TUNABLES = Object.freeze([
  choice('endpointing', 'endpointing', 'Policy', [
    ['text', 'by the words'],
    ['fixed', 'silence only'],
    ['learned', 'words, and how this caller pauses'],
    ['fused', 'sound, words and pauses'],
    ['smart_turn', 'smart-turn, where it is installed'],
  ]),
  {
    ...wait('endpointing', 'endpoint_complete_ms', 'Complete', 'silence that ends a finished sentence', 2000),
    under: ['text', 'learned', 'smart_turn'],
  },
  {
    ...wait('endpointing', 'endpoint_unknown_ms', 'Unknown', 'text unknown; with sound: at most after a whole sentence', 2000),
    under: ['fixed', 'text', 'learned', 'fused', 'smart_turn'],
  },
  {
    ...wait('endpointing', 'endpoint_incomplete_ms', 'Incomplete', 'after “to the …”', 3000),
    under: ['text', 'learned', 'fused', 'smart_turn'],
  },
  {
    ...wait('endpointing', 'cut_off_cost_ms', 'Cost of a cut-off', 'as bad as so much waiting', 15000, 500),
    under: ['fused'],
  },
  wait('endpointing', 'reopen_ms', 'Reopen', 'going on this soon joins both parts', 2000),
  choice('preemptive', 'preemptive_generation', 'Prepare the reply', [
    ['off', 'at the endpoint'],
    ['eager_end', 'at the eager end'],
    ['stable_text', 'on stable words'],
  ]),
  wait('preemptive', 'eager_end_ms', 'Eager end', 'silence after which it is prepared', 600, 10),
  {
    ...{ section: 'llm', group: 'agent', name: 'model', label: 'Language model', help: '' },
    ...{ at: ['voicepipe', 'model'], choices: [] },
  },
  {
    ...{ section: 'tts', group: 'agent', name: 'voice', label: 'Voice', help: 'from the next call on' },
    ...{ at: ['audio', 'output', 'voice'], choices: [], nextCall: true },
  },
  {
    ...{ section: 'tts', group: 'agent', name: 'speed', label: 'Speed', help: 'of its speech' },
    ...{ at: ['audio', 'output', 'speed'], min: 0.5, max: 1.5, step: 0.05, unit: '×' },
  },
  {
    ...{ section: 'llm', group: 'agent', name: 'instructions', label: 'Instructions', help: '' },
    ...{ at: ['instructions'], free: true },
  },
  wait('interruption', 'interrupt_ms', 'Speech', 'over the agent, that stops it', 1500),
  {
    ...wait('interruption', 'interrupt_words', 'Words', 'over the agent, that stop it', 10, 1),
    min: 1,
    unit: 'words',
  },
  wait('interruption', 'resume_ms', 'Resume', 'silence after a “mhm”; the agent goes on', 1500),
  target('endpoint_ms', 'Endpointing', 1500),
  target('asr_ms', 'Recognition', 500),
  target('llm_ms', 'LLM first token', 1000),
  target('clause_ms', 'First clause', 500),
  target('tts_ms', 'TTS first audio', 500),
  target('output_ms', 'Output', 200, 5),
  target('network_ms', 'Network', 500),
].map(Object.freeze));

function wait(group, name, label, help, max, step = 20) {
  return { section: 'turns', group, name, at: ['voicepipe', 'turns', name], label, help, max, step };
}

function target(name, label, max, step = 10) {
  const at = ['voicepipe', 'budget', name];
  return { section: 'budget', group: 'targets', name, at, label, help: '', max, step };
}

function choice(group, name, label, choices) {
  return { section: 'turns', group, name, at: ['voicepipe', 'turns', name], label, help: '', choices };
}

/** @param {string} name @returns {Tunable|undefined} */
export function tunable(name) {
  return TUNABLES.find((one) => one.name === name);
}

/** The value in the words of the page. @param {Partial<Tunable>} one @param {Value} value */
export function shown({ choices, free, unit = 'ms' }, value) {
  const text = String(value);
  if (free) return text.length > SHORT ? `“${text.slice(0, SHORT).trim()} …”` : `“${text}”`;
  if (choices) return choices.find(([known]) => known === value)?.[1] ?? String(value);
  return `${unit === '×' ? Number(value).toFixed(2) : value} ${unit}`;
}

/**
 * The part of a session object that sets these values.
 * @param {Map<string, Value>} values by the tunable's name
 * @returns {any} of `session.update`
 */
export function patchOf(values) {
  const patch = {};
  for (const { name, at } of TUNABLES) {
    const value = values.get(name);
    if (value === undefined) continue;
    let part = patch;
    for (const step of at.slice(0, -1)) part = part[step] ??= {};
    part[at.at(-1)] = value;
  }
  return patch;
}

/**
 * The values that a session object shows.
 * @param {any} session of `session.created` or `session.updated`
 * @returns {Map<string, Value>} only those that the server told, and that a running call can change
 */
export function confirmedBy(session) {
  const confirmed = new Map();
  for (const { name, at, nextCall } of TUNABLES) {
    const value = at.reduce((part, step) => part?.[step], session);
    if (!nextCall && ['number', 'string'].includes(typeof value)) confirmed.set(name, value);
  }
  return confirmed;
}

/**
 * What of these values differs from the server's own.
 * @param {Map<string, Value>} values
 * @param {Map<string, Value>} standard
 */
export function changed(values, standard) {
  return new Map([...values].filter(([name, value]) => standard.get(name) !== value));
}

/**
 * What does something to the call: targets only colour it.
 * @param {Map<string, Value>} values
 */
export function acting(values) {
  return new Map([...values].filter(([name]) => tunable(name)?.section !== 'budget'));
}

/**
 * Values as they stand in the page's address: `name:value,name:value`. Instructions are too long.
 * @param {Map<string, Value>} values
 */
export function written(values) {
  const short = [...values].filter(([name]) => !tunable(name)?.free);
  return short.map(([name, value]) => `${name}:${encodeURIComponent(value)}`).join(',');
}

/** The other way round; what makes no sense is left out. @param {string} text */
export function read(text) {
  const pairs = text.split(',').map((pair) => pair.split(':'));
  return new Map(
    pairs.flatMap(([name, value]) => {
      const known = tunable(name);
      const sane = known && value !== undefined && sensible(known, decoded(value));
      return sane ? [[name, known.choices ? decoded(value) : Number(value)]] : [];
    }),
  );
}

/** @param {Tunable} one @param {string} text */
function sensible({ choices, free, min = 0, max, step }, text) {
  if (free) return false;
  if (choices) return choices.length === 0 || choices.some(([value]) => value === text);
  const number = Number(text);
  const whole = step < 1 || Number.isInteger(number);
  return text !== '' && whole && number >= min && number <= max;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}

/**
 * What was changed, in a line. @param {Map<string, Value>} values
 * @param {Record<string, readonly Choice[]>} choices that the server has told, by the tunable's name
 */
export function changeWords(values, choices = {}) {
  const words = [...values].map(([name, value]) => {
    const one = tunable(name);
    if (!one) return `${name} ${value}`;
    const known = choices[name] ?? one.choices;
    return `${one.label} ${shown({ ...one, choices: known }, value)}`;
  });
  return words.join(', ');
}
