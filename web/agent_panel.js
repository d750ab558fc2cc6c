/** Who the agent is: its models, its voice, what it is told and what it can call. */
import { byId, el } from './dom.js';

const STAGES = Object.freeze({ asr: 'Recognition', llm: 'Language model', tts: 'Speech' });

export class AgentPanel {
  constructor() {
    /** @type {any} */
    this._server = {};
  }

  /** @param {any} server what it says of itself */
  showServer(server) {
    this._server = server;
    const { voicepipe, agent = {} } = server;
    this._show({ voicepipe, instructions: agent.instructions, tools: agent.tools });
    this._showLimits(server);
    this._showTools(agent.tools ?? []);
  }

  /** @param {any} session as the server confirms it */
  confirmed(session) {
    this._show(session);
    if (session.tools?.length) this._showTools(session.tools);
  }

  _show({ voicepipe, instructions, audio }) {
    const { models = {}, language, voice } = this._server;
    const facts = {
      [STAGES.asr]: models.asr,
      Language: language,
      [STAGES.llm]: voicepipe?.model || models.llm,
      [STAGES.tts]: models.tts,
      Voice: audio?.output?.voice ?? voice ?? 'default',
    };
    const told = Object.entries(facts).filter(([, value]) => value);
    byId('agent-facts').replaceChildren(
      ...told.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
    );
    byId('agent-told').textContent = instructions || 'Nothing.';
  }

  _showLimits({ limits = {}, better_models: better }) {
    byId('agent-limits').replaceChildren(
      ...Object.entries(limits).map(([stage, text]) =>
        el('p', { class: 'aside' }, `${STAGES[stage]}: ${text}.`),
      ),
      ...(better ? [el('p', { class: 'aside' }, 'Better models: ', el('code', {}, better))] : []),
    );
  }

  _showTools(tools) {
    const items = tools.map(({ name, description }) =>
      el('li', {}, el('code', {}, name), ` ${description ?? ''}`),
    );
    const none = el('li', { class: 'empty' }, 'None.');
    byId('agent-tools').replaceChildren(...(items.length ? items : [none]));
  }
}
