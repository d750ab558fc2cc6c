/** Draws the scope: caller above, agent below, and the wait between them as a bracket. */
import { coloursOf, byId } from './dom.js';
import { ms } from './ledger.js';
import { SPAN_MS, Scope } from './scope.js';

const TICK_MS = 1000;
const CLOCK_MS = 100;
/** How often the wait is told in words; the picture moves at the screen's pace. */

const MARK_NAMES = Object.freeze({
  speech_end: 'speech end',
  eager_end: 'eager end',
  endpoint: 'endpoint',
  first_sound: 'first sound',
  hold: 'hold',
  resume: 'resume',
  interrupt: 'interrupted',
  tool: 'tool',
});

const COLOURS = ['ink', 'soft', 'line', 'user', 'agent', 'alert', 'surface', 'veil'];

export class ScopeView {
  /**
   * @param {() => import('./types.js').Levels} levels how loud both are now
   * @param {(wait: import('./scope.js').Wait) => void} heard an answer's first sound, by the page's ear
   */
  constructor(levels, heard) {
    this._levels = levels;
    this._heard = heard;
    /** @type {import('./scope.js').Wait|null} */
    this._lastWait = null;
    this._canvas = byId('scope');
    this._clock = byId('wait');
    this.scope = new Scope();
    this._frame = 0;
    this._told = 0;
    this._last = performance.now();
    new ResizeObserver(() => this._draw()).observe(this._canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolour());
  }

  /** It moves while a call runs. @param {boolean} running */
  run(running) {
    byId('scope-box').dataset.running = String(running);
    if (running === (this._frame !== 0)) return;
    if (running) {
      this.scope.reset();
      this._colours = null;
      this._frame = requestAnimationFrame(() => this._step());
      return;
    }
    cancelAnimationFrame(this._frame);
    this._frame = 0;
    this.scope.reset();
    this._tell();
  }

  /** @param {any} event from the server */
  apply(event) {
    this.scope.apply(event, performance.now());
  }

  _step() {
    this.scope.level(performance.now(), this._levels());
    const { lastWait } = this.scope;
    if (lastWait !== this._lastWait) this._heard(lastWait);
    this._lastWait = lastWait;
    this._draw();
    this._tell();
    this._frame = requestAnimationFrame(() => this._step());
  }

  /** The wait in words, ten times a second: what the picture shows for those who do not see it. */
  _tell() {
    const now = performance.now();
    if (this._frame && now - this._told < CLOCK_MS) return;
    this._told = now;
    const grows = this._frame ? this.scope.growing(now) : null;
    const text = grows ? `${((now - grows.fromMs) / 1000).toFixed(1)} s` : '';
    if (this._clock.textContent !== text) this._clock.textContent = text;
    this._clock.dataset.sure = String(Boolean(grows?.sure));
  }

  /** The theme has changed. */
  recolour() {
    this._colours = null;
    this._draw();
  }

  _draw() {
    const { _canvas: canvas } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0) return;
    const sharp = Math.min(2, devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
      canvas.width = Math.round(width * sharp);
      canvas.height = Math.round(height * sharp);
    }
    this._colours ??= coloursOf(canvas, COLOURS);
    const pen = canvas.getContext('2d');
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (this._frame) this._last = performance.now();
    const plan = this._plan(width, height, this._last);
    this._drawGrid(pen, plan);
    this._drawLanes(pen, plan);
    this._drawSpeech(pen, plan);
    this._drawMarks(pen, plan);
    this._drawWaits(pen, plan);
  }

  _plan(width, height, nowMs) {
    const x = (atMs) => width - ((nowMs - atMs) / SPAN_MS) * width;
    const lane = (height - 44) / 2; // 44 px between the lanes, for the bracket and the words
    return { width, height, nowMs, x, lane, top: lane, bottom: height - lane };
  }

  _drawGrid(pen, { width, height, nowMs, x }) {
    pen.fillStyle = this._colours.line;
    const first = Math.ceil((nowMs - SPAN_MS) / TICK_MS) * TICK_MS;
    for (let at = first; at <= nowMs; at += TICK_MS) pen.fillRect(Math.round(x(at)), 0, 1, height);
    pen.fillRect(0, 0, width, 1);
    pen.fillRect(0, height - 1, width, 1);
  }

  /** Both lanes grow towards the middle from their own edges' centre lines. */
  _drawLanes(pen, { x, lane, height, nowMs, width }) {
    const step = Math.max(1, (width / SPAN_MS) * 20);
    const half = lane / 2;
    const bars = (colour, middle, valueOf) => {
      pen.fillStyle = colour;
      for (const column of this.scope.columns(nowMs)) {
        const size = Math.max(0.5, valueOf(column) * half * 0.94);
        pen.fillRect(x(column.atMs), middle - size, step * 0.8, 2 * size);
      }
    };
    bars(this._colours.user, half, ({ user }) => user);
    bars(this._colours.agent, height - half, ({ agent }) => agent);
  }

  /** What the server's detector took for speech, as a line under the caller. */
  _drawSpeech(pen, { x, top, nowMs }) {
    pen.font = '11px system-ui, sans-serif';
    pen.textBaseline = 'top';
    this.scope.speech.forEach(({ fromMs, toMs, text }, i) => {
      pen.fillStyle = this._colours.user;
      pen.fillRect(x(fromMs), top - 2, Math.max(2, x(toMs ?? nowMs) - x(fromMs)), 2);
      pen.fillStyle = this._colours.soft;
      const room = x(this.scope.speech[i + 1]?.fromMs ?? nowMs) - x(fromMs) - 4;
      if (text && room > 20) pen.fillText(fitting(pen, text, room), x(fromMs), top + 2);
    });
  }

  _drawMarks(pen, { x, top, bottom }) {
    for (const { kind, atMs } of this.scope.marks) {
      if (x(atMs) < 0) continue;
      pen.strokeStyle = ['interrupt', 'hold'].includes(kind) ? this._colours.alert : this._colours.ink;
      pen.setLineDash(kind === 'eager_end' ? [2, 2] : []);
      pen.beginPath();
      pen.moveTo(x(atMs), top + 14);
      pen.lineTo(x(atMs), bottom + 6);
      pen.stroke();
      pen.setLineDash([]);
      if (['resume', 'interrupt', 'tool'].includes(kind)) {
        pen.fillStyle = pen.strokeStyle;
        pen.textBaseline = 'bottom';
        pen.fillText(MARK_NAMES[kind], x(atMs) + 3, bottom - 1);
      }
    }
  }

  _drawWaits(pen, plan) {
    const grows = this._frame ? this.scope.growing(plan.nowMs) : null;
    for (const { fromMs, toMs, ms: exact } of this.scope.waits) {
      if (toMs === null || plan.x(toMs) < 0) continue;
      const text = exact === null ? `≈ ${ms(toMs - fromMs)} ms` : `${ms(exact)} ms`;
      this._bracket(pen, plan, fromMs, toMs, text, this._colours.ink);
    }
    if (!grows) return;
    const colour = grows.sure ? this._colours.ink : this._colours.soft;
    const text = `${ms(plan.nowMs - grows.fromMs)} ms`;
    this._bracket(pen, plan, grows.fromMs, plan.nowMs, text, colour);
  }

  _bracket(pen, { x, top, bottom, width }, fromMs, toMs, text, colour) {
    const [left, right, middle] = [x(fromMs), x(toMs), (top + bottom) / 2 + 2]; // between the words and the marks’ names
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(left, middle - 7);
    pen.lineTo(left, middle + 7);
    pen.moveTo(left, middle);
    pen.lineTo(right, middle);
    pen.moveTo(right, middle - 7);
    pen.lineTo(right, middle + 7);
    pen.stroke();
    pen.lineWidth = 1;
    pen.font = '600 13px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    const wide = pen.measureText(text).width + 8;
    const at = right + 6 + wide > width ? left - wide - 2 : right + 6;
    pen.fillStyle = this._colours.surface;
    pen.fillRect(at, middle - 8, wide, 16);
    pen.fillStyle = colour;
    pen.fillText(text, at + 4, middle);
  }
}

/** As much of it as there is room for. */
function fitting(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  const share = room / pen.measureText(text).width;
  return `${text.slice(0, Math.max(1, Math.floor(text.length * share) - 1))}…`;
}
