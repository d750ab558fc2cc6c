/**
 * How far the agent's voice is where the server plays it: media carries no items, so time tells,
 * and the server's events when it began, paused and ended. Pure but for the clock it is given.
 */
export class PacedPlayback {
  /** @param {() => number} now ms */
  constructor(now) {
    this._now = now;
    /** The response that is or was audible last; '' before the first. */
    this.response = '';
    this.playing = false;
    this._beforeMs = 0; // played before `_since`
    this._since = null; // null: it stands still
    /** @type {Map<string, string>} response to its newest message */
    this._items = new Map();
  }

  /** The item that is audible, or null. */
  get item() {
    return (this.playing && this._items.get(this.response)) || null;
  }

  /** @param {{type: string, [key: string]: any}} event a server event */
  apply(event) {
    switch (event.type) {
      case 'response.output_item.added':
        if (event.item.type === 'message') this._items.set(event.response_id, event.item.id);
        break;
      case 'output_audio_buffer.started':
        this.response = event.response_id;
        this.playing = true;
        this._beforeMs = 0;
        this._since = this._now();
        break;
      case 'voicepipe.output_paused':
        this._beforeMs = this._playedMs();
        this._since = null;
        break;
      case 'voicepipe.output_resumed':
        if (this.playing) this._since = this._now();
        break;
      case 'output_audio_buffer.stopped':
      case 'output_audio_buffer.cleared':
        this.playing = false;
        break;
    }
  }

  /**
   * Audio of an item that has come so far, ms; 0 for one that is not audible.
   * @param {string} item
   */
  audioMs(item) {
    return item === this.item ? this._playedMs() : 0;
  }

  _playedMs() {
    return this._beforeMs + (this._since === null ? 0 : this._now() - this._since);
  }
}
