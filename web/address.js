/**
 * What is shown, as it stands in the page's address: `#/turns?q=...`. So it can be shared, and a
 * reload loses nothing.
 *
 * @typedef {'talk'|'turns'|'calls'} View
 *
 * @typedef {object} Shown
 * @property {View} view
 * @property {string} panel of the developer's drawer; '' while it is closed
 * @property {string} set tuned values, see tuning.js
 * @property {string} q filter of the turns
 * @property {string} turn that is looked at
 * @property {string} with another one, laid over it
 * @property {string} replay settings under which turns were replayed, see replay.js
 * @property {string} of `turn`: that one alone was
 * @property {string} call that is looked at
 * @property {string} at number of its turn that is open
 * @property {string} since how far back calls are listed: 24h, 7d ...; the next ones filter them too
 * @property {string} transport
 * @property {string} agent
 * @property {string} key name of it
 * @property {string} text that was said in them
 * @property {string} slow one turn took at least so many ms
 */

export const VIEWS = Object.freeze(['talk', 'turns', 'calls']);

/** @type {Readonly<Shown>} */
export const NOTHING = Object.freeze({
  ...{ view: 'talk', panel: '', set: '', q: '', turn: '', with: '' },
  ...{ replay: '', of: '' },
  ...{ call: '', at: '', since: '', transport: '', agent: '', key: '', text: '', slow: '' },
});

const LONGEST = 2000;
/** An address is no place for more. */

/** @param {string} hash @returns {Shown} */
export function parse(hash) {
  const [path, query = ''] = hash.slice(0, LONGEST).replace(/^#\/?/, '').split('?');
  const given = new URLSearchParams(query);
  const shown = { ...NOTHING };
  if (VIEWS.includes(path)) shown.view = path;
  for (const name of Object.keys(NOTHING)) {
    if (name !== 'view' && given.has(name)) shown[name] = given.get(name);
  }
  return shown;
}

/** @param {Shown} shown @returns {string} */
export function format({ view, ...rest }) {
  const told = Object.entries(rest).filter(([, value]) => value !== '');
  const query = told.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `#/${view}${query ? `?${query}` : ''}`;
}

export class Address {
  /** @param {(shown: Shown) => void} changed by the user: a link, or the way back */
  constructor(changed) {
    this.shown = parse(location.hash);
    window.addEventListener('hashchange', () => {
      // A link names the view alone: what else is shown stays.
      const asked = parse(location.hash);
      this.shown = /[?]/.test(location.hash) ? asked : { ...this.shown, view: asked.view };
      history.replaceState(null, '', format(this.shown));
      changed(this.shown);
    });
  }

  /** The page shows something else; another view is a step to come back from. @param {Partial<Shown>} what */
  change(what) {
    const before = this.shown;
    this.shown = { ...before, ...what };
    const hash = format(this.shown);
    if (hash === location.hash) return;
    if (this.shown.view === before.view) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
  }
}
