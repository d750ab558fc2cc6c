/** Small helpers for the document. Text is only ever set as text, so nothing needs escaping. */

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} id @returns {any} the element; a missing one is a fault of the page */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * A new element.
 * @param {string} tag
 * @param {Record<string, string|number|boolean|null>} attributes false and null leave one out
 * @param {...(Node|string)} children strings become text
 * @returns {any}
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** One to press. @param {string} text @param {() => void} act @param {Record<string, string|number|boolean|null>} more attributes */
export function button(text, act, more = {}) {
  const made = el('button', { type: 'button', class: 'small', ...more }, text);
  made.addEventListener('click', act);
  return made;
}

/** A new SVG element. @type {typeof el} */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * A canvas knows no custom properties: ask what an element would look like.
 * @param {HTMLElement} element @param {readonly string[]} names @returns {Record<string, string>}
 */
export function coloursOf(element, names) {
  const probe = el('span', { hidden: true });
  element.parentElement.append(probe);
  const found = {};
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

/** Hand a file over. @param {string} name @param {string} type @param {BlobPart} content */
export function save(name, type, content) {
  const link = el('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
