/** The list of events in the drawer: filter, copy, unfold. */
import { byId, el } from './dom.js';
import { EventLog, matches } from './log.js';

export class LogView {
  constructor() {
    this._log = new EventLog();
    this._list = byId('log');
    this._filter = byId('log-filter');
    this._filter.addEventListener('input', () => this._redraw());
    byId('log-copy').addEventListener('click', () => this._copy());
    byId('log-clear').addEventListener('click', () => {
      this._log.clear();
      this._redraw();
    });
    /** @type {Map<number, HTMLElement>} */
    this._items = new Map();
    this._open = false;
  }

  /**
   * @param {'in'|'out'} direction
   * @param {any} event
   * @param {number} atMs since the call began
   */
  add(direction, event, atMs) {
    const row = this._log.add(direction, event, atMs);
    if (this._open) this._show(row);
  }

  /** Nothing is drawn while the drawer is closed. @param {boolean} open */
  setOpen(open) {
    this._open = open;
    if (open) this._redraw();
  }

  _show(row) {
    const shown = this._items.get(row.id);
    if (shown) {
      shown.querySelector('.count').textContent = countOf(row);
      return;
    }
    if (!matches(row, this._filter.value)) return;
    const { scrollTop, scrollHeight, clientHeight } = this._list;
    const follow = scrollHeight - scrollTop - clientHeight < 40;
    const item = itemOf(row);
    this._items.set(row.id, item);
    this._list.append(item);
    this._dropOld();
    if (follow) this._list.scrollTop = this._list.scrollHeight;
  }

  _redraw() {
    this._items.clear();
    this._list.replaceChildren();
    this._log.rows.forEach((row) => this._show(row));
    this._list.scrollTop = this._list.scrollHeight;
  }

  _dropOld() {
    const oldest = this._log.rows[0]?.id ?? 0;
    for (const [id, item] of this._items) {
      if (id >= oldest) return;
      item.remove();
      this._items.delete(id);
    }
  }

  async _copy() {
    const text = this._log.text(this._filter.value);
    const said = byId('log-said');
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = 'Events copied.';
      byId('log-copy').textContent = 'Copied';
    } catch {
      said.textContent = 'The browser did not allow copying.';
      byId('log-copy').textContent = 'Not allowed';
    }
    setTimeout(() => (byId('log-copy').textContent = 'Copy'), 2000);
  }
}

function itemOf(row) {
  const summary = el(
    'summary',
    {},
    el('span', { class: 'at' }, (row.atMs / 1000).toFixed(2)),
    el(
      'span',
      { class: 'arrow', title: row.direction === 'in' ? 'from the server' : 'to the server' },
      row.direction === 'in' ? '←' : '→',
    ),
    el('span', { class: 'type' }, row.type),
    el('span', { class: 'count' }, countOf(row)),
  );
  const details = el('details', {}, summary);
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1)
      details.append(el('pre', { tabindex: 0 }, JSON.stringify(row.event, null, 2)));
  });
  const attributes = { 'data-type': row.type, 'data-direction': row.direction };
  return el('li', attributes, details);
}

function countOf({ count }) {
  return count > 1 ? `× ${count}` : '';
}
