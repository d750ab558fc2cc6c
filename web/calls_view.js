/** The screen of the calls: those that are up, those that were written down, and one of them. */
import { CallsApi } from './calls_api.js';
import { liveRow, row, sinceText, stripLegend } from './calls_list.js';
import { byId, el } from './dom.js';
import { keyForm } from './key_form.js';
import { LoggedCallView } from './logged_call_view.js';
import { ListeningView } from './listening_view.js';

const AGAIN_MS = 4000;
const TYPED_MS = 250;

/** The fields of the filter, by their name in the address and in `/v1/calls`. */
const FIELDS = Object.freeze({
  since: 'since',
  transport: 'transport',
  agent: 'agent',
  key: 'key',
  text: 'text',
  slow: 'slowest_ms',
});

/** To try it, and what it means. */
const HOW_TO = '[calls]\nenabled = true\nrecord_audio = true\nconsent = "This call is recorded."\n';

export class CallsView {
  /**
   * @param {object} on
   * @param {() => string} on.key
   * @param {(key: string) => void} on.enter another one
   * @param {(shown: Partial<import('./address.js').Shown>) => void} on.changed
   * @param {(shown: Partial<import('./address.js').Shown>) => string} on.href
   * @param {(made: import('./cases.js').Case) => Promise<string>} on.newCase
   * @param {() => string} on.speaker where it is heard
   */
  constructor(on) {
    this._on = on;
    this._api = new CallsApi(on.key);
    this._shown = {};
    /** @type {any[]} calls that were written down, newest first */
    this._calls = [];
    this._next = '';
    this._live = [];
    this._visible = false;
    /** @type {Map<string, string>} */
    this._drawn = new Map();
    this._asked = 0;
    this._waits = false;
    this._stale = false;
    this._listening = new ListeningView(on.key, () => this._drawLive(), on.speaker);
    this._detail = new LoggedCallView(byId('call-detail'), this._api, {
      changed: (shown) => this._change(shown),
      deleted: (id) => this._deleted(id),
      newCase: on.newCase,
      speaker: on.speaker,
    });
    for (const name of Object.keys(FIELDS))
      byId(`calls-${name}`).addEventListener('input', () => this._typed());
    byId('calls-legend').append(...stripLegend());
    byId('calls-filter').addEventListener('submit', (event) => event.preventDefault());
    byId('calls-reset').addEventListener('click', () => this._reset());
    byId('calls-more').addEventListener('click', () => this._load({ more: true }));
    byId('call-back').addEventListener('click', () => this._change({ call: '', at: '' }));
    document.addEventListener('keydown', (event) => this._onKey(event));
  }

  /** @param {boolean} visible @param {import('./address.js').Shown} shown by the address */
  setVisible(visible, shown) {
    const before = this._shown;
    const came = visible && !this._visible;
    this._visible = visible;
    clearInterval(this._timer);
    clearInterval(this._tick);
    if (!visible) {
      clearTimeout(this._typing);
      this._detail.leave();
      this._listening.stop();
      return;
    }
    this._shown = shown;
    this._fill();
    this._timer = setInterval(() => document.hidden || this._refused || this._load({}), AGAIN_MS);
    this._tick = setInterval(() => this._tickSince(), 1000);
    if (came || Object.keys(FIELDS).some((name) => before[name] !== shown[name])) this._load({ fresh: true });
    else this._draw();
    this._detail.show(shown.call, shown.at);
  }

  _fill() {
    for (const name of Object.keys(FIELDS)) {
      const field = byId(`calls-${name}`);
      if (field === document.activeElement) continue;
      const known = field.tagName !== 'SELECT' || [...field.options].some(({ value }) => value === this._shown[name]);
      if (!known) field.append(el('option', { value: this._shown[name] }, this._shown[name]));
      field.value = this._shown[name];
    }
  }

  _typed() {
    clearTimeout(this._typing);
    this._typing = setTimeout(() => {
      const what = Object.keys(FIELDS).map((name) => [name, byId(`calls-${name}`).value.trim()]);
      this._change(Object.fromEntries(what));
      this._load({ fresh: true });
    }, TYPED_MS);
  }

  _reset() {
    this._change(Object.fromEntries(Object.keys(FIELDS).map((name) => [name, ''])));
    this._fill();
    this._load({ fresh: true });
  }

  /** @param {Partial<import('./address.js').Shown>} what */
  _change(what) {
    this._shown = { ...this._shown, ...what };
    this._on.changed(what);
    this._draw();
    this._detail.show(this._shown.call, this._shown.at);
  }

  /** @param {string} id of what is gone */
  _deleted(id) {
    this._calls = this._calls.filter((call) => call.id !== id);
    if (this._shown.call === id) {
      this._change({ call: '', at: '' });
      byId('calls-said').focus();
    }
    this._draw();
    this._load({});
  }

  /** `more`: the next page; `fresh`: the filter has changed; else: what is new, unless an answer is on its way. */
  async _load({ more = false, fresh = false }) {
    if (this._waits && !more && !fresh) return;
    this._waits = true;
    this._stale ||= fresh; // what is listed, until an answer has come
    const asked = ++this._asked;
    const query = Object.entries(FIELDS).map(([name, param]) => [param, this._shown[name] ?? '']);
    if (more && !this._stale) query.push(['cursor', this._next]);
    let page;
    try {
      page = await this._api.list(Object.fromEntries(query));
    } catch (error) {
      if (asked !== this._asked) return;
      this._waits = false;
      this._fail(error);
      return;
    }
    if (asked !== this._asked) return;
    this._waits = false;
    if (!this._visible) return;
    this._problem = '';
    this._refused = false;
    this._kept = page.kept;
    if (!more) this._live = page.live;
    if (this._stale) this._calls = [];
    this._merge(page, more || this._calls.length === 0);
    this._stale = false;
    this._draw();
  }

  _merge({ data, next_cursor: next }, takesCursor) {
    const known = new Map(this._calls.map((call) => [call.id, call]));
    for (const call of data) known.set(call.id, call);
    const up = new Set(this._live.map(({ record_id: id }) => id));
    this._calls = [...known.values()]
      .filter(({ id }) => !up.has(id))
      .sort((a, b) => b.started_at.localeCompare(a.started_at));
    if (takesCursor) this._next = next ?? '';
  }

  _fail(error) {
    this._refused = error.code === 'invalid_api_key';
    this._problem = this._refused ? 'The server asks for its key.' : error.message;
    this._draw();
  }

  _draw() {
    const current = this._shown.call;
    byId('calls-view').dataset.open = current ? 'call' : 'list';
    this._say();
    this._drawLive();
    if (this._isNew('list', [this._calls, this._shown])) this._drawList(current);
    byId('calls-more').hidden = !this._next;
    byId('calls-reset').hidden = !this._filtered;
    byId('calls-legend').hidden = this._calls.length === 0;
    if (this._isNew('empty', [this._problem, this._on.key(), this._kept, this._calls.length, this._filtered, this._live.length]))
      byId('calls-empty').replaceChildren(...this._emptiness());
  }

  _drawList(current) {
    const rows = this._calls.map((call) =>
      row(call, { href: this._on.href({ call: call.id, at: '' }), current: call.id === current }),
    );
    keepingFocus(byId('calls-list'), 'call', () => byId('calls-list').replaceChildren(...rows));
    this._offerAgents();
  }

  /** Nothing is drawn twice: what somebody is about to press stays where it is. */
  _isNew(what, shown) {
    const told = JSON.stringify(shown);
    if (this._drawn.get(what) === told) return false;
    this._drawn.set(what, told);
    return true;
  }

  get _filtered() {
    return Object.keys(FIELDS).some((name) => this._shown[name]);
  }

  _say() {
    const { length } = this._calls;
    const more = this._next ? ' and more' : '';
    const count = `${length}${more} ${length === 1 && !more ? 'call' : 'calls'}`;
    const ended = this._live.length ? `${this._live.length} on now, ${count} before` : count;
    const text = this._problem || (this._kept === undefined ? 'Asking the server …' : ended);
    const line = byId('calls-said');
    line.classList.toggle('late', Boolean(this._problem));
    if (line.textContent !== text) line.textContent = text;
  }

  _drawLive() {
    byId('live-section').hidden = this._live.length === 0 && !this._listening.shown;
    if (!this._isNew('live', [this._live, this._listening.id])) return;
    const rows = this._live.map((live) =>
      liveRow(live, {
        listening: this._listening.id === live.id,
        listen: () => this._listening.toggle(live),
        hangUp: () => this._hangUp(live),
      }),
    );
    keepingFocus(byId('live-list'), 'live', () => byId('live-list').replaceChildren(...rows));
  }

  _tickSince() {
    for (const since of byId('live-list').querySelectorAll('[data-since]'))
      since.textContent = sinceText(since.dataset.since);
  }

  async _hangUp(live) {
    try {
      await this._api.hangUp(live.hangup_url);
      this._load({});
    } catch (error) {
      this._fail(error);
    }
  }

  /** The agents that are seen, to choose from. */
  _offerAgents() {
    const names = new Set(this._calls.map(({ agent }) => agent).filter(Boolean));
    const known = [...byId('calls-agents').options].map(({ value }) => value);
    const missing = [...names].filter((name) => !known.includes(name));
    byId('calls-agents').append(...missing.map((value) => el('option', { value })));
  }

  _emptiness() {
    if (this._refused) return [keyForm(this._on.key(), (key) => this._enter(key))];
    if (this._problem || this._kept === undefined || this._calls.length) return [];
    if (!this._kept)
      return [
        el('p', {}, el('b', {}, 'Calls are not written down here.')),
        el('p', {}, 'Put this into voicepipe.toml and start again. Whether you may record, and what you must say first, your country’s law decides.'),
        el('pre', { class: 'taken', tabindex: 0 }, HOW_TO),
      ];
    if (this._filtered) return [el('p', {}, 'No call is like that.')];
    const none = this._live.length ? 'This is the first call. It stays here when it has ended.' : 'No calls yet. The first one appears here as soon as it begins.';
    return [el('p', {}, none)];
  }

  _enter(key) {
    this._on.enter(key);
    const { call, at } = this._shown;
    this._detail.leave(); // it was refused, too
    this._detail.show(call, at);
    this._load({ fresh: true });
  }

  /** Keys of this view, where nobody types. */
  _onKey(event) {
    if (!this._visible || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, select, textarea, pre')) return;
    const key = event.key.toLowerCase();
    if (key === '/') byId('calls-text').focus();
    else if (key === 'n' || key === 'p') this._step(key === 'n' ? 1 : -1);
    else if (!this._detail.onKey(key, event)) return;
    event.preventDefault();
  }

  /** To the call below, or above. */
  _step(by) {
    const at = this._calls.findIndex(({ id }) => id === this._shown.call);
    const next = this._calls[at < 0 ? 0 : Math.max(0, Math.min(this._calls.length - 1, at + by))];
    if (!next) return;
    this._change({ call: next.id, at: '' });
    byId('calls-list').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }
}

/** The same button of the same call has the focus afterwards. @param {HTMLElement} list @param {string} kind @param {() => void} draw */
function keepingFocus(list, kind, draw) {
  const { activeElement: active } = document;
  const id = list.contains(active) ? active.closest(`.${kind}`)?.dataset.callId : undefined;
  const which = active?.dataset.testid;
  draw();
  if (id === undefined) return;
  const row = list.querySelector(`[data-call-id="${id}"]`);
  (row?.querySelector(which ? `[data-testid="${which}"]` : 'a') ?? row?.querySelector('a'))?.focus();
}
