/** The question set beside the calls that it was made of: what is in it, take it away, remove. */
import { Cases, packed } from './cases.js';
import { button, byId, el, save } from './dom.js';

export class CasesView {
  /** @param {(cases: import('./cases.js').Case[]) => void} changed to be played */
  constructor(changed) {
    this._changed = changed;
    this._cases = new Cases();
    byId('cases-save').addEventListener('click', () => this._save());
    this.draw();
  }

  /** @param {import('./cases.js').Case} made @returns {Promise<string>} what came of it, in words */
  async add(made) {
    try {
      const { name } = await this._cases.put(made);
      const count = await this.draw();
      return `“${name}” is in the question set (${count} ${count === 1 ? 'case' : 'cases'}), and can be played under Talk, Developer, Try.`;
    } catch (error) {
      return `It could not be kept: ${error.message}`;
    }
  }

  /** @returns {Promise<number>} how many there are */
  async draw() {
    const cases = await this._cases.all();
    byId('cases').hidden = cases.length === 0;
    byId('cases-count').textContent = String(cases.length);
    byId('cases-list').replaceChildren(...cases.map((one) => this._row(one)));
    this._changed(cases);
    return cases.length;
  }

  _row({ name, line }) {
    const wants = line.answer ? `the answer has “${line.answer}”` : 'any answer will do';
    return el(
      'li',
      { class: 'case-line', 'data-testid': 'case-line' },
      el('span', {}, el('b', {}, line.text || name), el('span', { class: 'aside' }, ` ${wants}`)),
      button('Remove', () => this._remove(name), { 'aria-label': `Remove ${name}`, 'data-testid': 'case-remove' }),
    );
  }

  async _remove(name) {
    await this._cases.remove(name);
    await this.draw();
    byId('cases').querySelector('summary').focus();
  }

  async _save() {
    save('questions.zip', 'application/zip', packed(await this._cases.all()));
  }
}
