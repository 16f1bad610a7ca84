// A plot whose x need not grow along the curve: phase plots, root loci, Campbell diagrams, heat maps.
import {css, el, plotHeight} from './dom';
import {valueColour} from './colour';
import {displayUnit, number} from './format';

export interface XyCurve {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
  dots?: boolean;
  dash?: number[];
  label?: string; // at the curve's end
}

export interface XyImage {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  share: (i: number, j: number) => number; // 0..1 of the colour scale, NaN for nothing
}

export interface XyOptions {
  label: string; // for screen readers
  xName: string;
  yName: string;
  xUnit: string;
  yUnit: string;
  xSensor?: string;
  ySensor?: string;
  curves: XyCurve[];
  image?: XyImage;
  height?: number;
  equal?: boolean; // the same scale on both axes; as tall as that asks for, within the window
  range?: [number, number, number, number]; // x from, x to, y from, y to: shown at first; a double click shows all
  logarithmicX?: number; // real parts over decades: linear within this of zero
  upright?: boolean; // a line at x = 0: where stability ends
  hover?: (x: number, y: number) => void;
  leave?: () => void;
}

// A scale that is linear near zero and counts decades beyond, on both sides.
class Scale {
  constructor(private readonly linear: number) {}
  to(value: number): number { return this.linear > 0 ? Math.asinh(value / this.linear) : value; }
  from(place: number): number { return this.linear > 0 ? this.linear * Math.sinh(place) : place; }

  ticks(from: number, to: number, count: number, factor: number): number[] {
    if (!(this.linear > 0)) return ticks(from, to, count, factor);
    const largest = Math.max(Math.abs(from), Math.abs(to)), first = Math.ceil(Math.log10(this.linear)), last = Math.floor(Math.log10(largest));
    const sides = [from < 0 ? -1 : 0, to > 0 ? 1 : 0].filter(side => side !== 0), step = Math.max(1, Math.ceil(((last - first + 1) * sides.length) / Math.max(1, count)));
    const result = [0];
    for (const side of sides) for (let k = last; k >= first; k -= step) result.push(side * 10 ** k);
    return result.filter(v => v >= from && v <= to).sort((a, b) => a - b);
  }
}

// Round numbers in the unit that is shown, which is `factor` times the SI value.
function ticks(from: number, to: number, count: number, factor: number): number[] {
  const raw = ((to - from) * factor) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw)), lead = raw / power;
  const step = ((lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power) / factor;
  const result: number[] = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; ++k) result.push(k * step);
  return result;
}

// As many digits as tell ticks apart.
function tickTexts(values: number[], factor: number): string[] {
  const largest = Math.max(...values.map(Math.abs)), step = values.length > 1 ? Math.abs(values[1] - values[0]) : largest;
  const digits = Math.min(12, Math.max(4, 1 + Math.ceil(Math.log10(largest / step || 1))));
  return values.map(v => number(Math.abs(v) < 1e-9 * step ? 0 : v * factor, digits));
}

export class XyPlot {
  readonly root: HTMLElement;
  readonly canvas = el('canvas', {role: 'img', tabindex: '0'});
  private box = {left: 0, top: 0, width: 1, height: 1};
  private range: number[]; // that the box shows: x from, x to, y from, y to
  private whole: number[]; // that it must hold
  private point: [number, number] | null = null;
  private readonly observer: ResizeObserver;
  private readonly scaleX: Scale;

  constructor(private readonly options: XyOptions) {
    this.canvas.setAttribute('aria-label', options.label);
    this.root = el('div', {class: 'xy-host'}, this.canvas);
    this.scaleX = new Scale(options.logarithmicX ?? 0);
    this.range = this.whole = options.range ?? this.extent();
    this.canvas.addEventListener('dblclick', () => this.zoomOut());
    this.observer = new ResizeObserver(() => this.draw());
    this.root.addEventListener('refit', () => this.draw());
    this.observer.observe(this.root);
    this.canvas.addEventListener('mousemove', event => this.pointAt(event.offsetX, event.offsetY));
    this.canvas.addEventListener('mouseleave', () => options.leave?.());
    this.canvas.addEventListener('keydown', event => this.keys(event));
  }

  destroy(): void {
    this.observer.disconnect();
    this.root.remove();
  }

  // Everything, or what was shown at first again.
  private zoomOut(): void {
    const {range} = this.options;
    if (!range) return;
    this.all = !this.all;
    this.range = this.whole = this.all ? this.extent() : range;
    this.draw();
  }
  private all = false;
  shownRange(): number[] { return [...this.range]; }

  setPoint(x: number, y: number): void {
    this.point = [x, y];
    this.draw();
  }

  private pointAt(px: number, py: number): void {
    const {left, top, width, height} = this.box, [x0, x1, y0, y1] = this.range;
    const from = this.scaleX.to(x0), x = this.scaleX.from(from + ((px - left) / width) * (this.scaleX.to(x1) - from)), y = y1 - ((py - top) / height) * (y1 - y0);
    if (x >= x0 && x <= x1 && y >= y0 && y <= y1) this.options.hover?.(x, y);
  }

  // Arrow keys move the point over the grid of an image.
  private keys(event: KeyboardEvent): void {
    const image = this.options.image ?? (this.options.hover && this.options.curves.length === 1 ? {x: this.options.curves[0].x, y: [0]} : undefined), steps: Record<string, [number, number]> = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    const step = steps[event.key];
    if (!image || !step) return;
    event.preventDefault();
    const near = (values: ArrayLike<number>, v: number): number => {
      let best = 0;
      for (let i = 1; i < values.length; ++i) if (Math.abs(values[i] - v) < Math.abs(values[best] - v)) best = i;
      return best;
    };
    const [x, y] = this.point ?? [image.x[0], image.y[0]];
    const i = Math.min(image.x.length - 1, Math.max(0, near(image.x, x) + step[0])), j = Math.min(image.y.length - 1, Math.max(0, near(image.y, y) + step[1]));
    this.options.hover?.(image.x[i], image.y[j]);
  }

  private extent(): number[] {
    let r = [Infinity, -Infinity, Infinity, -Infinity];
    const add = (x: number, y: number): void => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      r = [Math.min(r[0], x), Math.max(r[1], x), Math.min(r[2], y), Math.max(r[3], y)];
    };
    for (const c of this.options.curves) for (let i = 0; i < c.x.length; ++i) add(c.x[i], c.y[i]);
    const image = this.options.image;
    if (image) {
      const edges = (v: ArrayLike<number>): number[] => cellEdges(v);
      const ex = edges(image.x), ey = edges(image.y);
      return [ex[0], ex[ex.length - 1], ey[0], ey[ey.length - 1]];
    }
    if (r[0] > r[1]) r = [0, 1, 0, 1];
    const pad = (a: number, b: number): [number, number] => {
      const flat = b - a < 1e-9 * Math.abs(a), d = (flat ? 0.05 * Math.abs(a) : 0.05 * (b - a)) || 1;
      return [a - d, b + d];
    };
    return [...pad(r[0], r[1]), ...pad(r[2], r[3])];
  }

  draw(): void {
    const width = this.root.clientWidth;
    if (width < 40) return;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16, height = Math.round(this.height(width, rem));
    const ratio = window.devicePixelRatio || 1, context = this.canvas.getContext('2d');
    if (!context) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.box = {left: 58 * rem, top: 10 * rem, width: width - 70 * rem, height: height - 54 * rem};
    if (this.options.equal) this.equalise(); else this.makeRoom(context, rem);
    this.drawAxes(context, rem);
    context.save();
    context.beginPath();
    context.rect(this.box.left, this.box.top, this.box.width, this.box.height);
    context.clip();
    if (this.options.image) this.drawImage(context, this.options.image);
    for (const curve of this.options.curves) this.drawCurve(context, curve, rem);
    if (this.point) this.drawPoint(context, rem);
    context.restore();
  }

  // Long numbers beside the upright axis push it to the right.
  private makeRoom(context: CanvasRenderingContext2D, rem: number): void {
    const [, , y0, y1] = this.range, shown = displayUnit(Math.max(Math.abs(y0), Math.abs(y1)), this.options.yUnit, this.options.ySensor);
    context.font = axisFont(rem);
    const texts = tickTexts(ticks(y0, y1, this.box.height / (36 * rem), shown.factor), shown.factor);
    const more = Math.max(0, 26 * rem + Math.max(0, ...texts.map(text => context.measureText(text).width)) - this.box.left);
    this.box.left += more;
    this.box.width -= more;
  }

  private height(width: number, rem: number): number {
    const plain = plotHeight(this.options.height ?? 260, rem);
    if (!this.options.equal) return plain;
    const [x0, x1, y0, y1] = this.whole;
    return Math.max(Math.min(plain, width), Math.min(54 * rem + ((width - 70 * rem) * (y1 - y0)) / (x1 - x0), 0.7 * window.innerHeight));
  }

  private equalise(): void {
    const [x0, x1, y0, y1] = this.whole, sx = (x1 - x0) / this.box.width, sy = (y1 - y0) / this.box.height, s = Math.max(sx, sy);
    const cx = (x0 + x1) / 2, cy = (y0 + y1) / 2;
    this.range = [cx - (s * this.box.width) / 2, cx + (s * this.box.width) / 2, cy - (s * this.box.height) / 2, cy + (s * this.box.height) / 2];
  }

  private place(x: number, y: number): [number, number] {
    const {left, top, width, height} = this.box, [x0, x1, y0, y1] = this.range;
    const from = this.scaleX.to(x0);
    return [left + ((this.scaleX.to(x) - from) / (this.scaleX.to(x1) - from)) * width, top + ((y1 - y) / (y1 - y0)) * height];
  }

  private drawAxes(context: CanvasRenderingContext2D, rem: number): void {
    const {left, top, width, height} = this.box, [x0, x1, y0, y1] = this.range;
    context.font = axisFont(rem);
    context.lineWidth = 1;
    context.strokeStyle = css('--line');
    context.fillStyle = css('--muted');
    const xShown = displayUnit(Math.max(Math.abs(x0), Math.abs(x1)), this.options.xUnit, this.options.xSensor), yShown = displayUnit(Math.max(Math.abs(y0), Math.abs(y1)), this.options.yUnit, this.options.ySensor);
    context.textAlign = 'center';
    const xs = this.scaleX.ticks(x0, x1, width / (72 * rem), xShown.factor), ys = ticks(y0, y1, height / (36 * rem), yShown.factor), yTexts = tickTexts(ys, yShown.factor);
    (this.options.logarithmicX ? xs.map(v => number(v * xShown.factor, 3)) : tickTexts(xs, xShown.factor)).forEach((text, i) => {
      const [px] = this.place(xs[i], y0);
      context.strokeRect(px, top, 0, height);
      context.fillText(text, px, top + height + 15 * rem);
    });
    context.textAlign = 'right';
    yTexts.forEach((text, i) => {
      const [, py] = this.place(x0, ys[i]);
      context.strokeRect(left, py, width, 0);
      context.fillText(text, left - 6 * rem, py + 4 * rem);
    });
    if (this.options.upright && x0 < 0 && x1 > 0) {
      context.strokeStyle = css('--muted');
      context.strokeRect(this.place(0, y0)[0], top, 0, height);
    }
    // Long names lose their middle rather than their unit.
    const title = (name: string, unit: string, room: number): string => {
      const most = Math.max(12, Math.floor(room / (6.2 * rem)) - unit.length), cut = name.length > most ? `${name.slice(0, most / 2)}\u2026${name.slice(name.length - most / 2 + 1)}` : name;
      return unit ? `${cut} [${unit}]` : cut;
    };
    context.textAlign = 'center';
    context.fillText(title(this.options.xName, xShown.unit, width), left + width / 2, top + height + 34 * rem);
    context.save();
    context.translate(12 * rem, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(title(this.options.yName, yShown.unit, height), 0, 0);
    context.restore();
  }

  private drawCurve(context: CanvasRenderingContext2D, curve: XyCurve, rem: number): void {
    context.strokeStyle = context.fillStyle = curve.colour;
    context.lineWidth = 1.6 * rem;
    context.setLineDash(curve.dash ?? []);
    context.beginPath();
    let drawing = false;
    for (let i = 0; i < curve.x.length; ++i) {
      if (!Number.isFinite(curve.x[i]) || !Number.isFinite(curve.y[i])) {
        drawing = false;
        continue;
      }
      const [px, py] = this.place(curve.x[i], curve.y[i]);
      if (curve.dots) {
        context.moveTo(px + 2 * rem, py);
        context.arc(px, py, 2 * rem, 0, 2 * Math.PI);
      } else if (drawing) context.lineTo(px, py); else context.moveTo(px, py);
      drawing = true;
    }
    if (curve.dots) context.fill(); else context.stroke();
    context.setLineDash([]);
    if (curve.label) this.labelCurve(context, curve, rem);
  }

  // At the last point in sight.
  private labelCurve(context: CanvasRenderingContext2D, curve: XyCurve, rem: number): void {
    const [x0, x1, y0, y1] = this.range;
    let last = -1;
    for (let i = 0; i < curve.x.length; ++i) if (curve.x[i] >= x0 && curve.x[i] <= x1 && curve.y[i] >= y0 && curve.y[i] <= y1) last = i;
    if (last < 0) return;
    const [px, py] = this.place(curve.x[last], curve.y[last]);
    const text = curve.label ?? '', at = [px - 8 * rem, Math.max(this.box.top + 12 * rem, py - 4 * rem)] as const;
    context.textAlign = 'right';
    context.lineWidth = 3 * rem;
    context.lineJoin = 'round';
    context.strokeStyle = css('--panel');
    context.strokeText(text, ...at);
    context.fillText(text, ...at);
  }

  private drawImage(context: CanvasRenderingContext2D, image: XyImage): void {
    const ex = cellEdges(image.x), ey = cellEdges(image.y), rgb = [0, 0, 0];
    for (let j = 0; j < image.y.length; ++j)
      for (let i = 0; i < image.x.length; ++i) {
        const share = image.share(i, j);
        if (Number.isNaN(share)) continue;
        valueColour(share, rgb);
        context.fillStyle = `rgb(${rgb.map(v => Math.round(255 * v)).join(' ')})`;
        const [ax, ay] = this.place(ex[i], ey[j + 1]), [bx, by] = this.place(ex[i + 1], ey[j]);
        context.fillRect(ax, ay, Math.ceil(bx - ax) + 0.5, Math.ceil(by - ay) + 0.5);
      }
  }

  private drawPoint(context: CanvasRenderingContext2D, rem: number): void {
    const [px, py] = this.place(...(this.point as [number, number]));
    context.beginPath();
    context.arc(px, py, 5 * rem, 0, 2 * Math.PI);
    context.fillStyle = css('--accent');
    context.fill();
    context.lineWidth = 2 * rem;
    context.strokeStyle = css('--panel');
    context.stroke();
  }
}

function axisFont(rem: number): string {
  return `${11.5 * rem}px system-ui, sans-serif`;
}

// Edges half-way between the values.
function cellEdges(values: ArrayLike<number>): number[] {
  const n = values.length, edges: number[] = [];
  if (n === 1) return [values[0] - 0.5, values[0] + 0.5];
  for (let i = 0; i <= n; ++i)
    edges.push(i === 0 ? 1.5 * values[0] - 0.5 * values[1] : i === n ? 1.5 * values[n - 1] - 0.5 * values[n - 2] : 0.5 * (values[i - 1] + values[i]));
  return edges;
}
