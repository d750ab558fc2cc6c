/** Tuned settings to take away: as TOML, as options of the command, as a client event. Pure. */
import { TUNABLES, patchOf } from './tuning.js';

/**
 * @typedef {Map<string, number|string>} Values by the tunable's name
 * @typedef {Record<string, string[]|undefined>} Places settings that stand elsewhere by the tunable's
 *   name: `section.name`, and after it those that must be empty for it
 */

/** @type {Readonly<Record<string, (values: Values, places?: Places) => string>>} */
export const FORMS = Object.freeze({ toml, options, update });

/** For voicepipe.toml. @param {Values} values @param {Places} places */
export function toml(values, places = {}) {
  const sections = new Map();
  for (const [setting, value] of settings(values, places)) {
    const [section, name] = setting.split('.');
    sections.set(section, [...(sections.get(section) ?? []), `${name} = ${quoted(value)}`]);
  }
  return [...sections].map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`).join('\n');
}

/** For `voicepipe serve` and the benches. @param {Values} values @param {Places} places */
export function options(values, places = {}) {
  return settings(values, places)
    .map(([setting, value]) => `--set ${inShell(`${setting}=${value}`)}`)
    .join(' ');
}

/** For a client of the protocol. @param {Values} values */
export function update(values) {
  const session = { type: 'realtime', ...patchOf(values) };
  return JSON.stringify({ type: 'session.update', session }, null, 2);
}

/** @returns {[string, number|string][]} setting and value */
function settings(values, places) {
  const tuned = TUNABLES.filter(({ name }) => values.has(name));
  return tuned.flatMap(({ section, name }) => {
    const [place, ...empty] = places[name] ?? [`${section}.${name}`];
    return [[place, values.get(name)], ...empty.map((one) => [one, ''])];
  });
}

/**
 * Where a model is set that answers instead of the server's own. Pure.
 * @param {string} setting of the model @param {string} own the server's own; '' where it has no name
 */
export function placesOf(setting, own) {
  return setting === 'llm.model' && own ? [setting, 'llm.use'] : [setting];
}

function quoted(value) {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function inShell(text) {
  return /^[\w.=:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
