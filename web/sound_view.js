/** A recording as a picture: the caller above, the agent below, the waits between them, a playhead. */
import { coloursOf, el } from './dom.js';
import { STEP_S } from './recording.js';
import { clock } from './logged_call.js';

const COLOURS = Object.freeze(['user', 'agent', 'line', 'over', 'soft', 'ink', 'alert']);
const LEAST_SPAN_S = 1;
const LOUD_ENOUGH = 0.6;
/** A sample of this size fills its half. */

/**
 * @typedef {object} Picture
 * @property {import('./recording.js').Envelope} envelope
 * @property {number} seconds
 * @property {(import('./logged_call.js').Moment|null)[]} moments
 * @property {import('./recording.js').Overlap[]} overlaps
 */

export class SoundView {
  /** @param {(at: number) => void} sought the user wants to hear it from there */
  constructor(sought) {
    this._sought = sought;
    /** @type {Picture|null} */
    this._picture = null;
    this._axis = { from: 0, to: 1 };
    this._at = 0;
    this._chosen = -1;
    this._canvas = el('canvas', { 'aria-hidden': 'true' });
    this._head = el('span', { class: 'playhead', 'aria-hidden': 'true' });
    this._ticks = el('div', { class: 'sound-ticks', 'aria-hidden': 'true' });
    this._slider = el('input', { type: 'range', class: 'seek', min: 0, step: 0.01, 'aria-label': 'Place in the recording', 'data-testid': 'seek' });
    const names = el('div', { class: 'scope-names', 'aria-hidden': 'true' }, el('span', { class: 'user' }, 'Caller'), el('span', { class: 'agent' }, 'Agent'));
    this._wave = el('div', { class: 'wave', 'data-testid': 'wave' }, this._canvas, this._head, names);
    this.element = el('div', { class: 'sound' }, this._wave, this._ticks, this._slider);
    this._slider.addEventListener('input', () => sought(Number(this._slider.value)));
    this._wave.addEventListener('click', (event) => sought(this._instant(event)));
    this._wave.addEventListener('wheel', (event) => this._onWheel(event), { passive: false });
    new ResizeObserver(() => this._draw()).observe(this._wave);
  }

  /** @param {Picture|null} picture */
  show(picture) {
    this._picture = picture;
    this._slider.max = picture?.seconds ?? 0;
    this._axis = { from: 0, to: Math.max(LEAST_SPAN_S, picture?.seconds ?? 1) };
    if (!picture) this._clear();
    this._draw();
  }

  /** Nothing of the one before. */
  _clear() {
    this._canvas.width = 0;
    this._ticks.replaceChildren();
    this._head.style.left = '-1%';
  }

  /** The turn whose wait is looked at. @param {number} index */
  choose(index) {
    this._chosen = index;
    this._draw();
  }

  /** Colours have changed. */
  recolour() {
    this._draw();
  }

  /** @param {number} from @param {number} to */
  look(from, to) {
    this._axis = this._bounded(from, to);
    this._draw();
  }

  /** @param {number} factor below 1: closer @param {number} at 0 to 1 */
  zoom(factor, at = 0.5) {
    const { from, to } = this._axis;
    const middle = from + at * (to - from);
    const span = (to - from) * factor;
    this.look(middle - at * span, middle + (1 - at) * span);
  }

  /** Where it plays; what is seen follows. @param {number} at */
  moved(at) {
    this._at = at;
    const { from, to } = this._axis;
    if (at > to || at < from) this.look(at - 0.05 * (to - from), at + 0.95 * (to - from));
    this._placeHead();
    this._slider.value = at;
    this._slider.setAttribute('aria-valuetext', clock(at));
  }

  _bounded(from, to) {
    const whole = Math.max(LEAST_SPAN_S, this._picture?.seconds ?? 1);
    const span = Math.max(LEAST_SPAN_S, Math.min(whole, to - from));
    const first = Math.max(0, Math.min(whole - span, from));
    return { from: first, to: first + span };
  }

  _instant({ clientX }) {
    const { left, width } = this._wave.getBoundingClientRect();
    const { from, to } = this._axis;
    return from + Math.max(0, Math.min(1, (clientX - left) / width)) * (to - from);
  }

  _onWheel(event) {
    if (!event.ctrlKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    const { left, width } = this._wave.getBoundingClientRect();
    this.zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, (event.clientX - left) / width);
  }

  _placeHead() {
    const { from, to } = this._axis;
    this._head.style.left = `${Math.max(-1, Math.min(101, ((this._at - from) / (to - from)) * 100))}%`;
  }

  _draw() {
    const { clientWidth: width, clientHeight: height } = this._wave;
    if (!width || !this._picture) return;
    const scale = window.devicePixelRatio || 1;
    this._canvas.width = Math.round(width * scale);
    this._canvas.height = Math.round(height * scale);
    const context = this._canvas.getContext('2d');
    context.scale(scale, scale);
    const paint = { context, width, height, colours: coloursOf(this._wave, COLOURS) };
    this._drawWaits(paint);
    this._drawOverlaps(paint);
    this._drawSide(paint, this._picture.envelope.caller, -1, 'user');
    this._drawSide(paint, this._picture.envelope.agent, 1, 'agent');
    this._drawTicks();
    this._placeHead();
  }

  _x(at, width) {
    const { from, to } = this._axis;
    return ((at - from) / (to - from)) * width;
  }

  _drawSide({ context, width, height, colours }, levels, way, name) {
    context.fillStyle = colours[name];
    const { from, to } = this._axis;
    const middle = height / 2;
    const perPx = (to - from) / width / STEP_S;
    for (let x = 0; x < width; x += 1) {
      const first = Math.floor(from / STEP_S + x * perPx);
      const last = Math.max(first + 1, Math.floor(from / STEP_S + (x + 1) * perPx));
      let loudest = 0;
      for (let i = Math.max(0, first); i < Math.min(last, levels.length); i += 1)
        if (levels[i] > loudest) loudest = levels[i];
      const size = Math.min(1, Math.sqrt(loudest / LOUD_ENOUGH)) * (middle - 4);
      if (loudest > 0.002) context.fillRect(x, way < 0 ? middle - 1 - size : middle + 1, 1, Math.max(1, size));
    }
    context.fillStyle = colours.line;
    context.fillRect(0, middle - 0.5, width, 1);
  }

  /** From the caller's last word to the agent's first. */
  _drawWaits({ context, width, height, colours }) {
    this._picture.moments.forEach((moment, i) => {
      if (!moment || moment.answered === null) return;
      const x = this._x(moment.said, width);
      const wide = Math.max(2, this._x(moment.answered, width) - x);
      context.globalAlpha = i === this._chosen ? 0.55 : 0.25;
      context.fillStyle = moment.late ? colours.over : colours.soft;
      context.fillRect(x, 0, wide, height);
      context.globalAlpha = 1;
      if (i === this._chosen) {
        context.strokeStyle = colours.ink;
        context.strokeRect(x + 0.5, 0.5, wide, height - 1);
      }
    });
  }

  _drawOverlaps({ context, width, height, colours }) {
    for (const { from, to, who } of this._picture.overlaps) {
      const x = this._x(from, width);
      context.fillStyle = who === 'agent over caller' ? colours.alert : colours.user;
      context.fillRect(x, who === 'agent over caller' ? height - 4 : 0, Math.max(3, this._x(to, width) - x), 4);
    }
  }

  _drawTicks() {
    const { from, to } = this._axis;
    const step = [0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800].find((one) => (to - from) / one <= 8) ?? 3600;
    const ticks = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const tick = el('span', { class: 'tick' }, step < 1 ? at.toFixed(1) : clock(at));
      const left = this._x(at, 100);
      tick.style.left = `${left}%`;
      tick.style.transform = left < 1 ? 'none' : '';
      ticks.push(tick);
    }
    this._ticks.replaceChildren(...ticks);
  }
}
