/** Draws turns as points; a rectangle drawn over them selects. */
import { el, svg } from './dom.js';
import { labelOf, ms } from './ledger.js';
import { brushed, placed, plot, promiseAt } from './scatter.js';

const LEAST_DRAG = 8;
/** px: less is a click. */

/** Shapes by what became of the prepared reply: filled, hollow where there was none, a cross on a miss. */
const SHAPES = Object.freeze({
  hit: () => svg('circle', { r: 5 }),
  none: () => svg('circle', { r: 5, class: 'hollow' }),
  miss: () => svg('path', { d: 'M-5 -5L5 5M5 -5L-5 5', class: 'cross' }),
});

export class ScatterView {
  /**
   * @param {HTMLElement} box
   * @param {object} on
   * @param {(ranges: {nr: [number, number], heard: [number, number]}|null) => void} on.brushed null: all
   * @param {(id: string) => void} on.chosen
   */
  constructor(box, on) {
    this._box = box;
    this._on = on;
    box.addEventListener('pointerdown', (event) => this._begin(event));
    box.addEventListener('dblclick', () => on.brushed(null));
  }

  /**
   * @param {import('./turns_panel.js').Entry[]} entries all of them
   * @param {Set<string>} seen ids of those that the filter leaves
   * @param {string} chosen
   */
  show(entries, seen, chosen) {
    this._plot = plot(entries);
    const { points, toMs } = this._plot;
    const x = (share) => `${100 * placed('x', share)}%`;
    const y = (share) => `${100 * (1 - placed('y', share))}%`;
    const dots = points.map((point) => {
      const shape = (SHAPES[point.prepared] ?? SHAPES.none)();
      const title = `turn ${point.number}: ${ms(point.ms)} ms, most of it ${labelOf(point.stage)}`;
      const kind = `dot stage-${point.stage}${seen.has(point.id) ? '' : ' unseen'}`;
      const own = point.id === chosen ? ' chosen' : '';
      const at = { x: x(point.x), y: y(point.y), overflow: 'visible' };
      return svg('svg', { ...at, class: kind + own, 'data-id': point.id }, svg('title', {}, title), shape);
    });
    const promise = promiseAt(this._plot);
    const lines = promise === null ? [] : [level(y(promise), 'promise')];
    const view = svg(
      'svg',
      {
        class: 'points',
        role: 'img',
        'aria-label': `${points.length} turns; the list below has them all`,
      },
      ...[0, 0.5, 1].map((share) => level(y(share), 'grid')),
      ...lines,
      ...dots,
    );
    const scale = el(
      'span',
      { class: 'scatter-scale', 'aria-hidden': 'true' },
      el('span', {}, String(toMs)),
      el('span', {}, String(toMs / 2)),
      el('span', {}, '0'),
    );
    this._box.replaceChildren(scale, view);
  }

  _begin(event) {
    const view = this._box.querySelector('.points');
    if (!view || event.button !== 0) return;
    const bounds = view.getBoundingClientRect();
    const from = { x: event.clientX, y: event.clientY };
    const rectangle = el('span', { class: 'brush' });
    this._box.append(rectangle);
    const move = (to) => this._size(rectangle, from, to);
    const end = (to) => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      rectangle.remove();
      this._finish(bounds, from, to, event.target);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    event.preventDefault();
  }

  _size(rectangle, from, { clientX, clientY }) {
    const bounds = this._box.getBoundingClientRect();
    Object.assign(rectangle.style, {
      left: `${Math.min(from.x, clientX) - bounds.left}px`,
      top: `${Math.min(from.y, clientY) - bounds.top}px`,
      width: `${Math.abs(clientX - from.x)}px`,
      height: `${Math.abs(clientY - from.y)}px`,
    });
  }

  _finish(bounds, from, { clientX, clientY }, target) {
    const moved = Math.max(Math.abs(clientX - from.x), Math.abs(clientY - from.y));
    if (moved < LEAST_DRAG) {
      const dot = target.closest?.('.dot');
      if (dot) this._on.chosen(dot.dataset.id);
      return;
    }
    const share = (at, low, size) => Math.max(0, Math.min(1, (at - low) / size));
    const pair = (a, b) => /** @type {[number, number]} */ ([Math.min(a, b), Math.max(a, b)]);
    const x = pair(
      share(from.x, bounds.left, bounds.width),
      share(clientX, bounds.left, bounds.width),
    );
    const y = pair(
      1 - share(from.y, bounds.top, bounds.height),
      1 - share(clientY, bounds.top, bounds.height),
    );
    this._on.brushed(brushed(this._plot, { x, y }));
  }
}

function level(y, kind) {
  return svg('line', { class: kind, x1: 0, x2: '100%', y1: y, y2: y });
}
