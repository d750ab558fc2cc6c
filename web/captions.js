/**
 * The conversation as text, and which of the agent's words have been heard. Pure: the caller says
 * how far the audio is.
 *
 * A clause's text comes just before its audio, so the audio position at which the text arrives is
 * where the clause begins; it ends where the next one begins, or with a reply that was completed.
 * One that was cut off tells nothing of how long its last clause would have been.
 *
 * @typedef {object} Clause
 * @property {string} text
 * @property {number} startMs position in the item's audio
 * @property {number|null} endMs null while its audio is still coming
 *
 * @typedef {object} Caption
 * @property {string} id the conversation item's
 * @property {'user'|'agent'} role
 * @property {string} text the user's words, or an answer that is only written
 * @property {Clause[]} clauses what the agent says
 * @property {number} playedMs
 * @property {number|null} cutMs where the agent was cut off
 * @property {'pending'|'open'|'done'|'dropped'} state pending: the words are not known yet; open:
 *   more may come; dropped: the server was told to forget it
 * @property {boolean} [committed] the user's turn is over
 * @property {string} [response] that an answer belongs to
 *
 * @typedef {object} Word
 * @property {string} text with the space that follows it
 * @property {'heard'|'unheard'|'never'} state
 */

const MS_PER_CHARACTER = 65;
/** A guess at the pace of speech, for a clause whose end is not known: 15 characters a second. */

export const KEPT = 200;
/** Captions beyond this many are dropped, the oldest first. */

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

export class Captions {
  constructor() {
    /** @type {Caption[]} */
    this.entries = [];
    /** @type {string|null} a response beside the conversation: the agent's "uh-huh" */
    this._aside = null;
  }

  /**
   * Take in a server event.
   * @param {{type: string, [key: string]: any}} event
   * @param {(id: string) => number} audioMs how much audio of an item has come so far
   * @returns {Caption|null} what changed
   */
  apply(event, audioMs = () => 0) {
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        return this._entry(event.item_id, 'user', 'pending');
      case 'input_audio_buffer.committed':
        return Object.assign(this._entry(event.item_id, 'user', 'pending'), { committed: true });
      case 'input_audio_buffer.cleared':
        return this._drop();
      case `${TRANSCRIPTION}.delta`:
        return this._hear(event.item_id, (caption) => caption.text + event.delta, 'open');
      case `${TRANSCRIPTION}.completed`:
        return this._hear(event.item_id, () => event.transcript.trim(), 'done');
      case `${TRANSCRIPTION}.failed`:
        return this._hear(event.item_id, () => '', 'done');
      case 'conversation.item.added':
        return this._typed(event.item);
      case 'response.created':
        if (event.response.conversation_id === null) this._aside = event.response.id;
        return null;
      case 'response.output_text.delta': {
        const caption = this._answer(event);
        caption.text += event.delta;
        return caption;
      }
      case 'response.output_audio_transcript.delta':
        return this._say(event, audioMs(event.item_id));
      case 'response.done':
        return this._end(event.response, audioMs);
      case 'conversation.item.truncated':
        return this.cut(event.item_id, event.audio_end_ms);
      default:
        return null;
    }
  }

  /**
   * The item's audio has been played so far. Never goes back.
   * @param {string} id
   * @param {number} playedMs
   * @returns {Caption|null} the caption, if it is one
   */
  played(id, playedMs) {
    const caption = this._find(id);
    if (!caption) return null;
    caption.playedMs = Math.max(caption.playedMs, playedMs);
    return caption;
  }

  /**
   * Nothing after `atMs` of the item's audio will be heard.
   * @param {string} id
   * @param {number} atMs
   * @returns {Caption|null}
   */
  cut(id, atMs) {
    const caption = this._find(id);
    if (!caption) return null;
    caption.cutMs = atMs;
    caption.state = 'done';
    return caption;
  }

  /** Nothing more of the item will be heard. @param {string} id @returns {Caption|null} */
  cutNow(id) {
    return this.cut(id, this._find(id)?.playedMs ?? 0);
  }

  /** The call is over: nothing more of it is said, or heard. @returns {Caption[]} what changed */
  end() {
    const changed = this.entries.filter((one) => one.state !== 'done' || isUnheard(one));
    for (const caption of changed) {
      const silent = caption.role === 'user' && !caption.text && !caption.committed;
      if (silent) this.entries.splice(this.entries.indexOf(caption), 1);
      caption.state = silent ? 'dropped' : 'done';
      if (isUnheard(caption)) caption.cutMs = caption.playedMs;
    }
    return changed;
  }

  /** The first piece of an answer, or null. @param {string} response @returns {Caption|null} */
  answer(response) {
    return this.entries.find((caption) => response && caption.response === response) ?? null;
  }

  /** What the user had said before it. @param {string} response @returns {string} '' if nothing is known */
  question(response) {
    const at = this.entries.findIndex((caption) => response && caption.response === response);
    const asked = this.entries.slice(0, Math.max(0, at)).findLast(({ role }) => role === 'user');
    return asked?.text ?? '';
  }

  /** @param {string} id */
  _find(id) {
    return this.entries.find((caption) => caption.id === id) ?? null;
  }

  /**
   * The caption of an item, new if need be.
   * @param {string} id
   * @param {'user'|'agent'} role
   * @param {Caption['state']} state of a new one
   * @returns {Caption}
   */
  _entry(id, role, state = 'open') {
    const known = this._find(id);
    if (known) return known;
    /** @type {Caption} */
    const caption = { id, role, text: '', clauses: [], playedMs: 0, cutMs: null, state };
    this.entries.push(caption);
    if (this.entries.length > KEPT) this.entries.shift();
    return caption;
  }

  _hear(id, words, state) {
    const caption = this._entry(id, 'user');
    caption.text = words(caption);
    caption.state = state;
    return caption;
  }

  /** What the user was saying is forgotten before it became a turn. */
  _drop() {
    const at = this.entries.findLastIndex(
      ({ role, state, committed }) => role === 'user' && state !== 'done' && !committed,
    );
    if (at < 0) return null;
    const [caption] = this.entries.splice(at, 1);
    return Object.assign(caption, { state: 'dropped' });
  }

  /** A message that the user typed; spoken ones have their own events. */
  _typed(item) {
    const part = item?.role === 'user' ? item.content?.[0] : null;
    if (part?.type !== 'input_text') return null;
    return this._hear(item.id, () => part.text, 'done');
  }

  /** The caption of a piece of an answer. */
  _answer({ item_id: id, response_id: response }) {
    const known = this._find(id);
    return known ?? Object.assign(this._entry(id, 'agent'), { response });
  }

  _say(event, audioMs) {
    const caption = this._answer(event);
    if (event.response_id && event.response_id === this._aside) {
      caption.text += event.delta; // where the server plays it, nobody is told how far it is
      return caption;
    }
    this._closeClause(caption, audioMs);
    caption.clauses.push({ text: event.delta, startMs: audioMs, endMs: null });
    return caption;
  }

  /** All messages of the reply; only the last one can have changed to the eye. */
  _end({ status, output }, audioMs) {
    const captions = output.map(({ id }) => this._find(id)).filter(Boolean);
    for (const caption of captions) {
      if (status === 'completed') this._closeClause(caption, audioMs(caption.id));
      caption.state = 'done';
    }
    return captions.at(-1) ?? null;
  }

  _closeClause(caption, audioMs) {
    const last = caption.clauses.at(-1);
    if (last && last.endMs === null) last.endMs = Math.max(audioMs, last.startMs);
  }
}

/**
 * The words of a caption. A word counts as heard once half of it was played, as in the server's
 * history.
 * @param {Caption} caption
 * @returns {Word[]}
 */
export function words(caption) {
  if (caption.clauses.length === 0) {
    return split(caption.text).map(({ text }) => ({ text, state: 'heard' }));
  }
  const until = Math.min(caption.playedMs, caption.cutMs ?? Infinity);
  return caption.clauses.flatMap((clause) =>
    split(clause.text).map(({ text, middle }) => {
      const at = clause.startMs + middle * durationMs(clause);
      if (until > 0 && until >= at) return { text, state: 'heard' };
      return { text, state: caption.cutMs === null ? 'unheard' : 'never' };
    }),
  );
}

/** Some of it is still to be heard. @param {Caption} caption */
function isUnheard(caption) {
  return words(caption).some(({ state }) => state === 'unheard');
}

/** @param {Clause} clause */
function durationMs(clause) {
  if (clause.endMs !== null) return clause.endMs - clause.startMs;
  return clause.text.length * MS_PER_CHARACTER;
}

/**
 * Words with the space after them (the first one's before it too), and where their middles lie in the text (0..1).
 * @param {string} text
 * @returns {{text: string, middle: number}[]}
 */
function split(text) {
  return [...text.matchAll(/^\s*\S+\s*|\S+\s*/g)].map((match) => {
    const word = match[0].trim();
    const start = match.index + match[0].indexOf(word);
    return { text: match[0], middle: (start + word.length / 2) / text.length };
  });
}
