/** Asks for the server's key, where a view has nothing to show without it. */
import { el } from './dom.js';
import { isKey } from './server.js';

/**
 * @param {string} had the key that was refused; '' for none
 * @param {(key: string) => void} enter
 * @returns {HTMLFormElement}
 */
export function keyForm(had, enter) {
  const words = had
    ? 'This key does not open it: calls and turns are for the server’s own (server.api_key).'
    : 'The server’s own key (server.api_key) opens this. It is kept until this tab is closed.';
  const field = el('input', { type: 'password', autocomplete: 'off', spellcheck: 'false', 'data-testid': 'view-key' });
  const open = el('button', { type: 'submit', 'data-testid': 'view-key-open' }, 'Open');
  const form = el('form', { class: 'key-form' }, el('p', {}, words), el('label', {}, 'Server key', field), open);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (isKey(key)) enter(key);
    else field.focus();
  });
  return form;
}
