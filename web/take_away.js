/** Tuned settings to take away: as TOML, as options of the command, as a client event. Pure. */
import { TUNABLES, patchOf } from './tuning.js';

/** @typedef {Map<string, number|string>} Values by the tunable's name */

/** @type {Readonly<Record<string, (values: Values) => string>>} */
export const FORMS = Object.freeze({ toml, options, update });

/** For voicepipe.toml. @param {Values} values */
export function toml(values) {
  const sections = Object.entries(patchOf(values)).map(([section, settings]) => {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoted(value)}`);
    return [`[${section}]`, ...lines].join('\n');
  });
  return sections.join('\n\n') + (sections.length ? '\n' : '');
}

/** For `voicepipe serve` and the benches. @param {Values} values */
export function options(values) {
  return TUNABLES.filter(({ name }) => values.has(name))
    .map(({ section, name }) => `--set ${section}.${name}=${values.get(name)}`)
    .join(' ');
}

/** For a client of the protocol. @param {Values} values */
export function update(values) {
  const session = { type: 'realtime', voicepipe: patchOf(values) };
  return JSON.stringify({ type: 'session.update', session }, null, 2);
}

function quoted(value) {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
