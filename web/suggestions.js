/** Things to ask before anything was said. */
import { byId, el } from './dom.js';

/** Questions that the built-in models know. */
const QUESTIONS = Object.freeze([
  'What time is it?',
  'Set a timer for five minutes',
  'Book a table for two at seven',
  'Turn on the lights in the kitchen',
]);

/** @param {(text: string) => void} say @param {boolean} hidden something was said already */
export function suggest(say, hidden) {
  const buttons = QUESTIONS.map((text) => {
    const button = el('button', { type: 'button', class: 'suggestion' }, text);
    button.addEventListener('click', () => say(text));
    return button;
  });
  byId('suggestions').replaceChildren(...buttons);
  byId('suggestions').hidden = hidden;
}
