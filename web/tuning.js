/**
 * What can be tuned in a running call, the message that does it, and the values that the server
 * confirms. Pure.
 *
 * @typedef {number|string} Value
 *
 * @typedef {object} Tunable
 * @property {'turns'|'budget'} section of the server's settings
 * @property {string} name of the setting there; a number of ms unless it has choices or a unit
 * @property {string} group where it stands on the page
 * @property {string} label
 * @property {string} help
 * @property {number} [max] the slider begins at `min`, or 0
 * @property {number} [min]
 * @property {number} [step]
 * @property {string} [unit] ms, unless it is something else
 * @property {readonly [string, string][]} [choices] value and words
 */

/** The groups, in order: the first three act on the call, targets only colour the figures. */
export const GROUPS = Object.freeze({
  endpointing: 'Endpointing',
  preemptive: 'Preemptive generation',
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
  wait('endpointing', 'endpoint_complete_ms', 'Complete', 'silence that ends a finished sentence', 2000),
  wait('endpointing', 'endpoint_unknown_ms', 'Unknown', 'where nothing is known of the text', 2000),
  wait('endpointing', 'endpoint_incomplete_ms', 'Incomplete', 'after “to the …”', 3000),
  wait('endpointing', 'cut_off_cost_ms', 'A cut-off', 'is as bad as so much waiting (sound, words and pauses)', 15000, 500),
  wait('endpointing', 'reopen_ms', 'Reopen', 'going on this soon joins both parts', 2000),
  choice('preemptive', 'preemptive_generation', 'Prepare the reply', [
    ['off', 'at the endpoint'],
    ['eager_end', 'at the eager end'],
    ['stable_text', 'on stable words'],
  ]),
  wait('preemptive', 'eager_end_ms', 'Eager end', 'silence after which it is prepared', 600, 10),
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
  return { section: 'turns', group, name, label, help, max, step };
}

function target(name, label, max, step = 10) {
  return { section: 'budget', group: 'targets', name, label, help: '', max, step };
}

function choice(group, name, label, choices) {
  return { section: 'turns', group, name, label, help: '', choices };
}

/** @param {string} name @returns {Tunable|undefined} */
export function tunable(name) {
  return TUNABLES.find((one) => one.name === name);
}

/** The value in the words of the page. @param {Tunable} one @param {Value} value */
export function shown({ choices, unit = 'ms' }, value) {
  return choices?.find(([known]) => known === value)?.[1] ?? `${value} ${unit}`;
}

/**
 * The `voicepipe` part of a `session.update` that sets these values.
 * @param {Map<string, Value>} values by the tunable's name
 * @returns {{turns?: Record<string, Value>, budget?: Record<string, Value>}}
 */
export function patchOf(values) {
  /** @type {Record<string, Record<string, Value>>} */
  const patch = {};
  for (const { section, name } of TUNABLES) {
    const value = values.get(name);
    if (value !== undefined) (patch[section] ??= {})[name] = value;
  }
  return patch;
}

/**
 * The values that a session object shows.
 * @param {any} session of `session.created` or `session.updated`
 * @returns {Map<string, Value>} only those that the server told
 */
export function confirmedBy(session) {
  const shown = session?.voicepipe ?? {};
  const confirmed = new Map();
  for (const { section, name } of TUNABLES) {
    const value = shown[section]?.[name];
    if (['number', 'string'].includes(typeof value)) confirmed.set(name, value);
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
  return new Map([...values].filter(([name]) => tunable(name)?.section === 'turns'));
}

/**
 * Values as they stand in the page's address: `name:value,name:value`.
 * @param {Map<string, Value>} values
 */
export function written(values) {
  return [...values].map(([name, value]) => `${name}:${value}`).join(',');
}

/** The other way round; what makes no sense is left out. @param {string} text */
export function read(text) {
  const pairs = text.split(',').map((pair) => pair.split(':'));
  return new Map(
    pairs.flatMap(([name, value]) => {
      const known = tunable(name);
      if (!known || value === undefined) return [];
      if (known.choices) return known.choices.some(([one]) => one === value) ? [[name, value]] : [];
      const number = Number(value);
      const sane = value !== '' && Number.isInteger(number) && number >= (known.min ?? 0);
      return sane && number <= known.max ? [[name, number]] : [];
    }),
  );
}
