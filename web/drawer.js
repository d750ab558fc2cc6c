/** The developer's drawer: panels beside the page, of which the turns always stand where there is room. */
import { byId } from './dom.js';

/** @typedef {'turns'|'try'|'agent'|'figures'|'events'} Panel */

/** @type {readonly Panel[]} */
export const PANELS = Object.freeze(['turns', 'try', 'agent', 'figures', 'events']);

export class Drawer {
  /** @param {(open: boolean, panel: Panel) => void} changed */
  constructor(changed) {
    this._changed = changed;
    this._element = byId('drawer');
    this._toggle = byId('drawer-toggle');
    this._toggle.addEventListener('click', () => this.setOpen(this._element.hidden));
    byId('drawer-close').addEventListener('click', () => this.close());
    this._covers = matchMedia('(max-width: 55.99rem)'); // as in drawer.css
    this._wide = matchMedia('(min-width: 88rem)');
    for (const query of [this._covers, this._wide])
      query.addEventListener('change', () => this._show());
    /** @type {Panel} */
    this.panel = 'turns';
    for (const name of PANELS) this._listen(name);
    this._show();
  }

  get open() {
    return !this._element.hidden;
  }

  /** It lies over the page, so that Escape means it. */
  get covering() {
    return this.open && this._covers.matches;
  }

  /** @param {boolean} open */
  setOpen(open) {
    this._element.hidden = !open;
    this._toggle.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('with-drawer', open);
    this._show();
    this._guardFocus();
    this._changed(open, this.panel);
  }

  /** By the user: the focus goes where it came from. */
  close() {
    this.setOpen(false);
    this._toggle.focus();
  }

  /** @param {Panel} panel */
  choose(panel) {
    this.panel = PANELS.includes(panel) ? panel : 'turns';
    this._show();
    this._changed(this.open, this.panel);
  }

  /** As the user left it, unless it would cover the page. @param {boolean} open @param {Panel} panel */
  restore(open, panel) {
    this.panel = PANELS.includes(panel) ? panel : 'turns';
    if (open && !this._covers.matches) this.setOpen(true);
    else this._show();
  }

  /** What is seen: where there is room, the turns and one more. */
  _show() {
    const wide = this._wide.matches;
    const beside = wide && this.panel === 'turns' ? 'try' : this.panel;
    for (const name of PANELS) {
      const chosen = name === beside;
      const tab = byId(`tab-${name}`);
      tab.hidden = wide && name === 'turns';
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      byId(`panel-${name}`).hidden = !chosen && !(wide && name === 'turns');
    }
  }

  _listen(name) {
    const tab = byId(`tab-${name}`);
    tab.addEventListener('click', () => this.choose(name));
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const tabs = PANELS.filter((one) => !byId(`tab-${one}`).hidden);
      const next = tabs[(tabs.indexOf(name) + step + tabs.length) % tabs.length];
      this.choose(next);
      byId(`tab-${next}`).focus();
    });
  }

  /** Where the drawer covers the page, the page cannot be reached by Tab either. */
  _guardFocus() {
    for (const id of ['bar', 'page']) byId(id).inert = this.covering;
    if (this.covering) byId('drawer-close').focus();
  }
}
