/** Shows one problem at a time, with the button that mends it. */
import { byId } from './dom.js';
import { isKey } from './server.js';
import { Problem, wordsFor } from './words.js';

const OLD_MS = 6000;
/** A problem that stands this long has been read: it goes when the call is well. */

export class ProblemView {
  /** @param {Record<string, (key: string) => void>} actions by name, see words.js */
  constructor(actions) {
    this._actions = actions;
    this._box = byId('problem');
    byId('problem-close').addEventListener('click', () => {
      this.clear();
      this._actions.dismissed('');
    });
    byId('problem-action').addEventListener('click', () => this._act());
    byId('key-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this._act();
    });
  }

  /** Of what is shown; undefined for nothing. @returns {string|undefined} */
  get code() {
    return this._box.dataset.code;
  }

  /** @param {Problem} problem @param {Record<string, () => void>} [own] actions in the place of the page's */
  show(problem, own = {}) {
    this._own = own;
    const { title, text, action, button } = wordsFor(problem);
    const same = !this._box.hidden && this._box.dataset.code === problem.code;
    this._action = action;
    this._shownAt = performance.now();
    this._box.dataset.code = problem.code;
    if (!same) byId('problem-title').textContent = title;
    byId('problem-text').textContent = text;
    byId('problem-action').textContent = button;
    byId('problem-action').hidden = action === null;
    byId('key-form').hidden = action !== 'key';
    this._box.hidden = false;
    if (action === 'key') byId('key').focus();
  }

  /** How long until the next try. @param {string} text */
  count(text) {
    byId('problem-count').textContent = text;
  }

  clear() {
    this.count('');
    this._box.hidden = true;
    delete this._box.dataset.code;
  }

  /** The call goes on: what was said a while ago need not stand there. */
  clearOld() {
    if (performance.now() - (this._shownAt ?? 0) > OLD_MS) this.clear();
  }

  _act() {
    const key = byId('key').value.trim();
    if (this._action !== 'key') ({ ...this._actions, ...this._own })[this._action]?.('');
    else if (!key) byId('key').focus();
    else if (isKey(key)) this._actions.key(key);
    else this.show(new Problem('key_wrong'));
  }
}
