/** Shows captions: new words are added, heard ones lose their grey; nothing is drawn twice. */
import { KEPT, words } from './captions.js';
import { el } from './dom.js';

const NEAR_END_PX = 80;
/** Someone who has scrolled back to read is left there. */

export class CaptionsView {
  /**
   * @param {HTMLElement} list
   * @param {(response: string) => void} chosen the chip of an answer was pressed
   * @param {{user: string}} names who reads is the user, or listens in on one
   */
  constructor(list, chosen, { user } = { user: 'You' }) {
    this._user = user;
    this._list = list;
    this._chosen = chosen;
    /** @type {Map<string, {entry: HTMLElement, text: HTMLElement, chips: HTMLElement}>} */
    this._shown = new Map();
    this._following = true;
    list.addEventListener('scroll', () => (this._following = this._atEnd()), { passive: true });
    // What takes room from the conversation must not hide its newest words.
    new ResizeObserver(() => this._following && this._follow()).observe(list);
  }

  /**
   * A screen reader would speak the agent's words over the agent, into the microphone.
   * @param {boolean} aloud
   */
  setRead(aloud) {
    this._list.setAttribute('aria-live', aloud ? 'polite' : 'off');
  }

  /** @param {import('./captions.js').Caption} caption */
  show(caption) {
    if (caption.state === 'dropped') {
      this._shown.get(caption.id)?.entry.remove();
      this._shown.delete(caption.id);
      return;
    }
    const { entry, text } = this._shown.get(caption.id) ?? this._add(caption);
    entry.dataset.state = caption.state;
    if (caption.role === 'agent') this._showAgent(text, caption);
    else this._showUser(text, caption);
    if (this._following) this._follow();
  }

  /** A line between two calls. @param {string} id @param {string} text */
  divide(id, text) {
    if (this._shown.has(id)) return;
    const entry = el('p', { class: 'divider', role: 'separator', 'aria-label': text }, text);
    this._list.append(entry);
    this._shown.set(id, { entry, text: entry, chips: entry });
    if (this._following) this._follow();
  }

  /**
   * How long the user waited for an answer, beside it.
   * @param {string} id of the answer's item
   * @param {{text: string, title: string, late: boolean, sure: boolean, response: string}} chip
   */
  chip(id, { text, title, late, sure, response }) {
    const { chips } = this._shown.get(id) ?? {};
    if (!chips) return;
    let button = chips.querySelector('.latency');
    if (!button) {
      button = el('button', { type: 'button', 'data-testid': 'latency-chip' });
      button.addEventListener('click', () => this._chosen(button.dataset.response));
      chips.prepend(button);
    }
    button.className = `chip latency${late ? ' late' : ''}${sure ? '' : ' guess'}`;
    button.textContent = text;
    button.title = title;
    button.dataset.response = response;
  }

  /** Something that happened in this answer: a function call, an interruption. @param {string} id @param {string} text */
  note(id, text, kind = 'note') {
    const { chips } = this._shown.get(id) ?? {};
    if (!chips || [...chips.children].some((one) => one.textContent === text)) return;
    chips.append(el('span', { class: `chip ${kind}` }, text));
  }

  /** The one whose turn is looked at. @param {string} response */
  highlight(response) {
    for (const { entry } of this._shown.values()) {
      entry.classList.toggle('looked-at', Boolean(response) && entry.dataset.response === response);
    }
  }

  clear() {
    this._list.replaceChildren();
    this._list.removeAttribute('tabindex');
    this._shown.clear();
  }

  _add(caption) {
    this._list.tabIndex = 0; // only what holds something is a stop on the way
    const who = el('span', { class: 'who' }, caption.role === 'user' ? this._user : 'Agent');
    const text = el('p', {});
    const chips = el('div', { class: 'chips' });
    const attributes = {
      class: `caption ${caption.role}`,
      'data-testid': `caption-${caption.role}`,
      'data-item-id': caption.id,
      'data-response': caption.response ?? null,
    };
    const entry = el('div', attributes, who, el('div', {}, text, chips));
    this._list.append(entry);
    const shown = { entry, text, chips };
    this._shown.set(caption.id, shown);
    this._dropOld();
    return shown;
  }

  /** What is no longer kept; a line between two calls goes with what stood above it. */
  _dropOld() {
    const isCaption = ({ entry, chips }) => chips !== entry;
    let beyond = [...this._shown.values()].filter(isCaption).length - KEPT;
    for (const [id, one] of this._shown) {
      if (beyond <= 0) return;
      if (isCaption(one)) beyond -= 1;
      one.entry.remove();
      this._shown.delete(id);
    }
  }

  _showUser(text, caption) {
    const unknown = caption.state === 'done' ? '(not understood)' : '…';
    const more = caption.state === 'open' ? ' …' : ''; // they are still speaking
    const shown = caption.text ? sentence(caption.text) + more : unknown;
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
    text.title = never ? 'What is struck out was not heard.' : '';
  }

  _atEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this._list;
    return scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  }

  _follow() {
    this._list.scrollTop = this._list.scrollHeight;
  }
}

/** Recognizers write without capitals; beside the agent's sentences that looks broken. */
export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
