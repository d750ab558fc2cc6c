/** Settings compared by use, as a table: each run with its letter, its n and its median. */
import { el } from './dom.js';
import { ms } from './ledger.js';
import { changeWords } from './tuning.js';

/**
 * @param {import('./runs.js').Compared[]} rows
 * @param {string} letter of the run that goes on
 * @param {Record<string, readonly import('./tuning.js').Choice[]>} choices that the server has told
 */
export function runsTable(rows, letter, choices) {
  const names = ['Run', 'Changed', 'n', 'p50', 'p95', `Against ${rows[0].letter}`];
  const head = el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)));
  const body = rows.map((row) => runRow(row, row.letter === letter, choices));
  return el('table', {}, el('thead', {}, head), el('tbody', {}, ...body));
}

function runRow({ letter, values, n, p50, p95, changeMs, intervalMs }, now, choices) {
  const cell = (text, title = null) => el('td', { class: 'number', title }, text);
  return el(
    'tr',
    { 'data-letter': letter, 'data-n': n, class: now ? 'now' : null },
    el('th', { scope: 'row' }, el('span', { class: `letter letter-${letter}` }, letter)),
    el('td', { class: 'changed' }, changeWords(values, choices) || 'nothing'),
    cell(String(n)),
    cell(ms(p50)),
    cell(Number.isNaN(p95) ? '·' : ms(p95), Number.isNaN(p95) ? 'from 20 turns on' : null),
    cell(against(changeMs, intervalMs), intervalMs ? '95 % interval of the median’s change' : null),
  );
}

function against(changeMs, intervalMs) {
  if (Number.isNaN(changeMs)) return '–';
  const sign = (value) => `${value > 0 ? '+' : ''}${value.toFixed(0)}`;
  return intervalMs ? `${sign(changeMs)} (${intervalMs.map(sign).join('…')})` : sign(changeMs);
}
