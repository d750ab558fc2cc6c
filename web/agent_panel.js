/** Who the agent is: its models, its voice, what it is told and what it can call. */
import { byId, el } from './dom.js';

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
      Recognition: models.asr,
      Language: language,
      'Language model': voicepipe?.model || models.llm,
      Speech: models.tts,
      Voice: audio?.output?.voice ?? voice ?? 'default',
    };
    const told = Object.entries(facts).filter(([, value]) => value);
    byId('agent-facts').replaceChildren(
      ...told.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
    );
    byId('agent-told').textContent = instructions || 'Nothing.';
  }

  _showTools(tools) {
    const items = tools.map(({ name, description }) =>
      el('li', {}, el('code', {}, name), ` ${description ?? ''}`),
    );
    const none = el('li', { class: 'empty' }, 'None.');
    byId('agent-tools').replaceChildren(...(items.length ? items : [none]));
  }
}
