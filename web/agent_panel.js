/** Who the agent is: its instructions, tools, models and speed; what can be changed is, in the call. */
import { byId, el } from './dom.js';

const STAGES = Object.freeze({ asr: 'Recognition', llm: 'Language model', tts: 'Speech' });

export class AgentPanel {
  /** @param {(agent: import('./types.js').Agent) => void} changed only what differs from the server's */
  constructor(changed) {
    this._changed = changed;
    this._instructions = byId('instructions');
    this._speed = byId('speed');
    this._standard = { instructions: '', speed: 1 };
    this._speed.addEventListener('input', () => this._label());
    byId('agent-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this._apply();
    });
    byId('agent-reset').addEventListener('click', () => this._reset());
    this._label();
  }

  /** What the user has changed. @returns {import('./types.js').Agent} */
  get agent() {
    const instructions = this._instructions.value.trim();
    const speed = Number(this._speed.value);
    return {
      ...(instructions && instructions !== this._standard.instructions && { instructions }),
      ...(speed !== this._standard.speed && { speed }),
    };
  }

  /** @param {any} server what it says of itself */
  showServer({ models = {}, limits = {}, better_models: better, language, voice, agent = {} }) {
    const facts = {
      [STAGES.asr]: models.asr,
      Language: language,
      [STAGES.llm]: models.llm,
      [STAGES.tts]: models.tts,
      Voice: voice ?? 'default',
    };
    byId('agent-facts').replaceChildren(
      ...Object.entries(facts)
        .filter(([, value]) => value)
        .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
    );
    byId('agent-limits').replaceChildren(
      ...Object.entries(limits).map(([stage, text]) =>
        el('p', { class: 'aside' }, `${STAGES[stage]}: ${text}.`),
      ),
      ...(better ? [el('p', { class: 'aside' }, 'Better models: ', el('code', {}, better))] : []),
    );
    this._standard = { instructions: agent.instructions ?? '', speed: agent.speed ?? 1 };
    if (!this._instructions.value) this._instructions.value = this._standard.instructions;
    this._showTools(agent.tools ?? []);
  }

  /** @param {any} session as the server confirms it */
  confirmed(session) {
    if (session.tools?.length) this._showTools(session.tools);
  }

  /** @param {string} message */
  refused(message) {
    byId('agent-note').textContent = `refused: ${message}`;
  }

  _showTools(tools) {
    const items = tools.map(({ name, description }) =>
      el('li', {}, el('code', {}, name), ` ${description ?? ''}`),
    );
    const none = el('li', { class: 'empty' }, 'None.');
    byId('agent-tools').replaceChildren(...(items.length ? items : [none]));
  }

  _apply() {
    const instructions = this._instructions.value.trim() || this._standard.instructions;
    this._instructions.value = instructions;
    this._changed({ instructions, speed: Number(this._speed.value) });
    byId('agent-note').textContent = 'Applies to the running call, and to the next.';
  }

  _reset() {
    this._instructions.value = this._standard.instructions;
    this._speed.value = this._standard.speed;
    this._label();
    this._apply();
  }

  _label() {
    byId('speed-value').textContent = `${Number(this._speed.value).toFixed(2)} ×`;
  }
}
