/**
 * What can be tuned in a running call, the message that does it, and the values that the server
 * confirms. Pure.
 *
 * @typedef {object} Tunable
 * @property {'turns'|'budget'} section of the server's settings
 * @property {string} name of the setting there, ms
 * @property {string} label
 * @property {string} help
 * @property {number} max the slider begins at 0
 * @property {number} step
 */

/** @type {readonly Tunable[]} */
export const TUNABLES = Object.freeze([
  tunable('turns', 'eager_end_ms', 'Eager end', 'silence after which a reply is prepared', 600, 10),
  tunable(
    'turns',
    'endpoint_complete_ms',
    'Endpoint, complete',
    'silence that ends a finished sentence',
    2000,
    20,
  ),
  tunable(
    'turns',
    'endpoint_unknown_ms',
    'Endpoint, unknown',
    'where nothing is known of the text',
    2000,
    20,
  ),
  tunable('turns', 'endpoint_incomplete_ms', 'Endpoint, incomplete', 'after “to the …”', 3000, 20),
  tunable('turns', 'reopen_ms', 'Reopen', 'going on this soon joins both parts', 2000, 20),
  tunable('turns', 'interrupt_ms', 'Interrupt', 'speech over the agent that stops it', 1500, 20),
  tunable('budget', 'endpoint_ms', 'Endpoint', '', 1500, 10),
  tunable('budget', 'asr_ms', 'Recognition', '', 500, 10),
  tunable('budget', 'llm_ms', 'First token', '', 1000, 10),
  tunable('budget', 'clause_ms', 'First clause', '', 500, 10),
  tunable('budget', 'tts_ms', 'Speech', '', 500, 10),
  tunable('budget', 'output_ms', 'Output', '', 200, 5),
  tunable('budget', 'network_ms', 'Network', '', 500, 10),
]);

function tunable(section, name, label, help, max, step) {
  return Object.freeze({ section, name, label, help, max, step });
}

/**
 * The `voicepipe` part of a `session.update` that sets these values.
 * @param {Map<string, number>} values by the tunable's name
 * @returns {{turns?: Record<string, number>, budget?: Record<string, number>}}
 */
export function patchOf(values) {
  /** @type {Record<string, Record<string, number>>} */
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
 * @returns {Map<string, number>} only those that the server told
 */
export function confirmedBy(session) {
  const shown = session?.voicepipe ?? {};
  const confirmed = new Map();
  for (const { section, name } of TUNABLES) {
    const value = shown[section]?.[name];
    if (typeof value === 'number') confirmed.set(name, value);
  }
  return confirmed;
}
