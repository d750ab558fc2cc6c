/** The control of one setting that can be tried: a slider, a choice or a text. */
import { el } from './dom.js';

/** @typedef {import('./tuning.js').Tunable} Tunable */

/** @param {Tunable} one @param {string} id */
export function field(one, id) {
  if (one.free) return text(id, one);
  return one.choices ? select(id, one) : slider(id, one);
}

/** @param {HTMLInputElement|HTMLSelectElement|HTMLTextAreaElement} control */
export function valueOf(control) {
  return control.type === 'range' ? Number(control.value) : control.value.trim();
}

/**
 * Options of a choice, in groups where they have a name.
 * @param {HTMLSelectElement} control
 * @param {{label: string, options: readonly import('./tuning.js').Choice[]}[]} groups
 */
export function fill(control, groups) {
  const before = control.value;
  const shown = groups.flatMap(({ label, options }) => {
    const items = options.map(([value, words]) => el('option', { value }, words));
    return label ? [el('optgroup', { label }, ...items)] : items;
  });
  control.replaceChildren(...shown);
  control.value = before;
}

function slider(id, { name, min = 0, max, step, help }) {
  const described = help ? `${id}-help` : null;
  const range = { type: 'range', min, max, step };
  return el('input', { id, ...range, 'aria-describedby': described, 'data-testid': `slider-${name}` });
}

function select(id, { name, choices }) {
  const control = el('select', { id, 'data-testid': `choice-${name}` });
  fill(control, [{ label: '', options: choices }]);
  return control;
}

function text(id, { name }) {
  return el('textarea', { id, rows: 4, maxlength: 20_000, 'data-testid': name });
}
