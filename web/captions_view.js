/** Shows captions: new words are added, heard ones lose their grey; nothing is drawn twice. */
import { words } from './captions.js';
import { el } from './dom.js';

const NEAR_END_PX = 80;
/** Someone who has scrolled back to read is left there. */

export class CaptionsView {
  /** @param {HTMLElement} list */
  constructor(list) {
    this._list = list;
    /** @type {Map<string, {entry: HTMLElement, text: HTMLElement}>} */
    this._shown = new Map();
  }

  /** @param {import('./captions.js').Caption} caption */
  show(caption) {
    const follow = this._atEnd();
    const { entry, text } = this._shown.get(caption.id) ?? this._add(caption);
    entry.dataset.state = caption.state;
    if (caption.role === 'user') this._showUser(text, caption);
    else this._showAgent(text, caption);
    if (follow) this._list.scrollTop = this._list.scrollHeight;
  }

  _add(caption) {
    const who = el('span', { class: 'who' }, caption.role === 'user' ? 'You' : 'Agent');
    const text = el('p', {});
    const attributes = {
      class: `caption ${caption.role}`,
      'data-testid': `caption-${caption.role}`,
      'data-item-id': caption.id,
    };
    const entry = el('div', attributes, who, text);
    this._list.append(entry);
    const shown = { entry, text };
    this._shown.set(caption.id, shown);
    return shown;
  }

  _showUser(text, caption) {
    const unknown = caption.state === 'done' ? '(not understood)' : '…';
    const shown = caption.text || unknown;
    text.classList.toggle('dim', !caption.text);
    if (text.textContent !== shown) text.textContent = shown;
  }

  _showAgent(text, caption) {
    const all = words(caption);
    while (text.childElementCount < all.length) {
      text.append(el('span', {}, all[text.childElementCount].text));
    }
    all.forEach(({ text: word, state }, i) => {
      const span = text.children[i];
      if (span.textContent !== word) span.textContent = word; // a written answer grows by pieces
      span.classList.toggle('unheard', state !== 'heard');
      span.classList.toggle('never', state === 'never');
    });
    const never = all.some(({ state }) => state === 'never');
    text.title = never ? 'You interrupted: what is struck out was not heard.' : '';
  }

  _atEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this._list;
    return scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  }
}
