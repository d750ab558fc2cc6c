/** What an answer cost, beside its words. */
import { PROMISE_MS, heardMs, ms, toolsOf } from './ledger.js';
import { partsOf } from './turns_panel.js';

export class Chips {
  /**
   * @param {import('./captions.js').Captions} captions
   * @param {import('./captions_view.js').CaptionsView} view
   */
  constructor(captions, view) {
    this._captions = captions;
    this._view = view;
  }

  /**
   * Before the server tells, the page's own ear has heard how long it took.
   * @param {import('./scope.js').Wait} wait
   * @param {import('./turns_panel.js').Entry[]} entries of which the server has told
   */
  guess({ response, fromMs, toMs }, entries) {
    const caption = this._captions.answer(response);
    const known = entries.some(({ turn }) => turn.response_id === response);
    if (!caption || known) return;
    const heard = toMs - fromMs;
    const title = 'Heard by this page; the server’s record follows at the end of the answer.';
    const look = { title, late: heard > PROMISE_MS, sure: false, response };
    this._view.chip(caption.id, { text: `≈ ${ms(heard)} ms heard`, ...look });
  }

  /** @param {any} turn the record */
  show(turn) {
    const caption = this._captions.answer(turn.response_id);
    const heard = heardMs(turn);
    if (!caption || heard === null) return;
    const { response_id: response } = turn;
    const look = { title: partsOf(turn), late: heard > PROMISE_MS, sure: !turn.provisional, response };
    this._view.chip(caption.id, { text: `${ms(heard)} ms heard`, ...look });
    for (const { name, startMs, endMs, failed } of toolsOf(turn)) {
      const how = failed ? ', failed' : '';
      this._view.note(caption.id, `${name}() ${ms(endMs - startMs)} ms${how}`, 'tool');
    }
    if (turn.end === 'interrupted') this._view.note(caption.id, 'you interrupted');
  }
}
