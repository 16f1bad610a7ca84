// Curves over time (or over frequency) with uPlot. All time plots share one cursor; a line marks the instant that is shown.
import uPlot from 'uplot';
import {css, download, el, fileName, plotHeight} from './dom';
import {displayUnit, number, plain, pretty} from './format';
import {Legend} from './legend';

export interface Curve {
  label: string;
  x: Float64Array;
  y: Float64Array;
  colour: string;
  dash?: number[];
  width?: number;
  run?: string; // of several runs with several components: a long legend names both once
  part?: string;
}

export interface PlotOptions {
  title: string;
  unit: string;
  sensor?: string; // whose unit is asked for in the model file
  curves: Curve[];
  xName?: string;
  xUnit?: string;
  logarithmic?: boolean;
  peaks?: [number, number][];
  xEnd?: number; // shown at first; double-click for the full range
  height?: number;
  remark?: string;
  events?: {name: string; time: number}[]; // marked by dashed lines
  // Told when the user points at (hover) or clicks on (choose) an x.
  hover?: (x: number) => void;
  choose?: (x: number) => void;
  step?: (direction: number) => void;
}

// Spans over which a curve has no number are gaps; runs may have different instants.
function aligned(curves: Curve[], shown: (value: number) => number): uPlot.AlignedData {
  const scaled = (y: Float64Array): (number | null)[] => Array.from(y, v => (Number.isFinite(shown(v)) ? shown(v) : null));
  const first = curves[0];
  if (curves.every(c => c.x === first.x)) return [Array.from(first.x), ...curves.map(c => scaled(c.y))] as uPlot.AlignedData;
  return uPlot.join(curves.map(c => [Array.from(c.x), scaled(c.y)] as uPlot.AlignedData), curves.map(c => [2, 2].slice(0, c ? 2 : 1)));
}

// Whole powers of ten, eight at most; within one decade, steps of a tenth of it.
function decades(least: number, most: number): number[] {
  const result: number[] = [], step = Math.max(1, Math.ceil((most - least) / 8));
  for (let k = Math.ceil(least / step) * step; k <= most; k += step) result.push(k);
  if (result.length > 1) return result;
  return Array.from({length: 5}, (_, i) => least + ((i + 0.5) * (most - least)) / 5);
}

export class TimePlot {
  readonly root: HTMLElement;
  readonly plot: uPlot;
  private readonly values: (HTMLElement | null)[] = [];
  private readonly playhead = el('div', {class: 'playhead'});
  private readonly factor: number;
  private readonly unit: string;
  private readonly decimals: number; // of numbers in the legend
  private readonly observer: ResizeObserver;

  constructor(private readonly options: PlotOptions) {
    let largest = 0;
    for (const curve of options.curves) for (const v of curve.y) if (Math.abs(v) > largest) largest = Math.abs(v);
    const shown = displayUnit(largest, options.unit, options.sensor ?? '');
    this.factor = shown.factor;
    this.unit = shown.unit;
    this.decimals = largest > 0 ? Math.min(100, Math.max(0, 9 - Math.floor(Math.log10(largest * this.factor)))) : 100;
    const host = el('div', {class: 'plot-host', tabindex: '0', role: 'img', 'aria-label': this.describe()});
    this.root = el('section', {class: 'card plot'}, this.header(), host);
    if (options.remark) this.root.append(el('p', {class: 'remark'}, options.remark));
    this.plot = new uPlot(this.settings(), aligned(options.curves, v => this.shown(v)), host);
    this.plot.over.append(this.playhead);
    if (options.xEnd) this.plot.setScale('x', {min: this.plot.data[0][0], max: options.xEnd});
    this.listen(host);
    this.observer = new ResizeObserver(() => this.fit(host));
    this.observer.observe(host);
    host.addEventListener('refit', () => this.fit(host));
    this.watcher.observe(host);
  }

  // As it stands on the vertical axis: a logarithm is drawn over even decades, which holds for numbers of any size.
  private shown(value: number): number {
    return this.options.logarithmic ? Math.log10(value * this.factor) : value * this.factor;
  }

  // A curve of rounding errors beside a large one is 0, not 1.234e-13.
  private rounded(value: number): number {
    return this.options.logarithmic ? value : Number(value.toFixed(this.decimals));
  }

  destroy(): void {
    this.observer.disconnect();
    this.watcher.disconnect();
    this.plot.destroy();
    this.root.remove();
  }

  private header(): HTMLElement {
    const {curves, title} = this.options;
    const legend = new Legend(curves, title, (curve, on) => this.plot.setSeries(curve + 1, {show: on}));
    this.values.push(...legend.values);
    const save = el('button', {type: 'button', class: 'quiet', 'aria-label': `Download ${this.options.title} as CSV`, click: () => this.save()}, 'CSV');
    return el('header', {}, el('div', {class: 'plot-title'}, el('h3', {}, this.options.title), el('span', {class: 'unit'}, this.unit), save), legend.root);
  }

  private describe(): string {
    const parts = this.options.curves.slice(0, 6).map(curve => {
      let least = Infinity, most = -Infinity;
      for (const v of curve.y) {
        if (v < least) least = v;
        if (v > most) most = v;
      }
      return `${curve.label} from ${number(this.rounded(least * this.factor), 3)} to ${number(this.rounded(most * this.factor), 3)} ${this.unit}`;
    });
    return `Plot of ${this.options.title}: ${parts.join('; ')}`;
  }

  private settings(): uPlot.Options {
    // Whole pixels: uPlot multiplies by the pixels of the screen what stands before "px" up to a dot.
    const line = css('--line'), ink = css('--muted'), size = Math.round(0.72 * parseFloat(getComputedStyle(document.documentElement).fontSize)), font = `${size}px system-ui, sans-serif`;
    const axis: uPlot.Axis = {stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1, size: 4}, font, labelFont: font};
    const small = (values: number[]): string[] => values.map(v => (v === null ? '' : number(v, 5)));
    const upright: uPlot.Axis = this.options.logarithmic ? {...axis, splits: (_u, _axis, least, most) => decades(least, most), values: (_, v) => v.map(k => number(10 ** k, 3))}
                                                         : {...axis, values: (_, v) => small(v)};
    return {
      width: 400,
      height: this.options.height ?? 190,
      legend: {show: false},
      padding: [8, 12, 0, 0],
      cursor: {
        y: false,
        points: {size: 6},
        drag: {x: true, y: false, setScale: true},
        sync: this.options.xName ? undefined : {key: 'time', setSeries: false},
      },
      scales: {x: {time: false}},
      axes: [
        {...axis, size: 2.6 * size, label: `${this.options.xName ?? 'time'} [${pretty(this.options.xUnit ?? 's')}]`, labelSize: 1.5 * size, labelGap: 0, values: (_, v) => small(v)},
        {...upright, size: (_, values) => 1.4 * size + 0.62 * size * Math.max(3, ...(values ?? []).map(v => String(v).length))},
      ],
      series: [{}, ...this.options.curves.map(c => ({label: c.label, stroke: c.colour, width: c.width ?? 1.6, dash: c.dash, spanGaps: true, points: {show: false}}))],
      hooks: {
        draw: [u => this.drawPeaks(u), u => this.drawEvents(u)],
        setCursor: [u => this.showValues(u)],
        setScale: [() => this.movePlayhead()],
      },
    };
  }

  private drawPeaks(u: uPlot): void {
    const peaks = this.options.peaks;
    if (!peaks?.length) return;
    const context = u.ctx, ratio = devicePixelRatio, taken: [number, number][] = [];
    context.save();
    context.fillStyle = css('--ink');
    context.font = `${0.72 * parseFloat(getComputedStyle(document.documentElement).fontSize) * ratio}px system-ui, sans-serif`;
    context.textAlign = 'center';
    // The highest first; a label that would cover another is left out.
    for (const [x, y] of [...peaks].sort((a, b) => b[1] - a[1])) {
      const px = u.valToPos(x, 'x', true), py = u.valToPos(this.shown(y), 'y', true);
      const text = number(x, 4), half = context.measureText(text).width / 2 + 2 * ratio;
      if (px < u.bbox.left || px > u.bbox.left + u.bbox.width || taken.some(([other, room]) => Math.abs(other - px) < half + room)) continue;
      taken.push([px, half]);
      context.fillText(text, Math.min(Math.max(px, u.bbox.left + half), u.bbox.left + u.bbox.width - half), Math.max(u.bbox.top + 10 * ratio, py - 7 * ratio));
      context.beginPath();
      context.arc(px, py, 2.5 * ratio, 0, 2 * Math.PI);
      context.fill();
    }
    context.restore();
  }

  private drawEvents(u: uPlot): void {
    const context = u.ctx, ratio = devicePixelRatio, {left, top, width, height} = u.bbox;
    context.save();
    context.strokeStyle = context.fillStyle = css('--muted');
    context.font = `${0.66 * parseFloat(getComputedStyle(document.documentElement).fontSize) * ratio}px system-ui, sans-serif`;
    context.setLineDash([4 * ratio, 3 * ratio]);
    for (const event of this.options.events ?? []) {
      const x = u.valToPos(event.time, 'x', true);
      if (x < left || x > left + width) continue;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + height);
      context.stroke();
      context.textAlign = x > left + 0.7 * width ? 'right' : 'left';
      context.fillText(event.name, x + (x > left + 0.7 * width ? -4 : 4) * ratio, top + 10 * ratio);
    }
    context.restore();
  }

  private showValues(u: uPlot): void {
    const i = u.cursor.idx;
    if ((i === null || i === undefined) && !Number.isNaN(this.shownTime)) this.setTime(this.shownTime); else this.write(i);
  }
  private write(i: number | null | undefined): void {
    this.values.forEach((value, k) => {
      if (!value) return;
      const y = i === null || i === undefined ? null : this.plot.data[k + 1][i];
      value.textContent = y === null || y === undefined ? '' : number(this.options.logarithmic ? 10 ** y : this.rounded(y), 4);
    });
  }

  private shownTime = NaN;
  private inSight = true;
  private readonly watcher = new IntersectionObserver(entries => {
    this.inSight = entries[entries.length - 1].isIntersecting;
    if (this.inSight && !Number.isNaN(this.shownTime)) this.setTime(this.shownTime);
  });

  // The instant that the 3-D view shows. Texts may wait while it runs: nobody reads sixty numbers a second.
  setTime(time: number, texts = true): void {
    this.shownTime = time;
    if (!this.inSight && !texts) return;
    this.movePlayhead();
    const u = this.plot;
    if (!texts || (u.cursor.left !== undefined && u.cursor.left >= 0)) return; // the user points somewhere: keep those values
    this.write(u.valToIdx(time));
  }

  // Reads nothing from the layout, so that it does not have to be made between two frames.
  private movePlayhead(): void {
    if (!this.plot || Number.isNaN(this.shownTime)) return;
    const x = this.plot.valToPos(this.shownTime, 'x');
    const display = x >= 0 && x <= this.plot.bbox.width / devicePixelRatio ? 'block' : 'none';
    if (this.playhead.style.display !== display) this.playhead.style.display = display;
    this.playhead.style.transform = `translateX(${x.toFixed(2)}px)`;
  }

  private listen(host: HTMLElement): void {
    const over = this.plot.over;
    over.addEventListener('mousemove', event => {
      if (event.buttons === 0) this.options.hover?.(this.plot.posToVal(this.plot.cursor.left ?? 0, 'x'));
    });
    let down = 0;
    over.addEventListener('mousedown', event => (down = event.clientX));
    over.addEventListener('mouseup', event => {
      if (Math.abs(event.clientX - down) < 3) this.options.choose?.(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
    });
    host.addEventListener('keydown', event => {
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
        this.options.step?.(event.key === 'ArrowLeft' ? -1 : 1);
        event.preventDefault();
      }
    });
  }

  private fit(host: HTMLElement): void {
    const width = host.clientWidth;
    if (width < 20) return;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.plot.setSize({width, height: Math.round(plotHeight(this.options.height ?? 190, rem))});
    this.movePlayhead();
  }

  private save(): void {
    const {curves, title, unit} = this.options;
    const xName = `${this.options.xName ?? 'time'} [${this.options.xUnit ?? 's'}]`;
    const lines: string[] = [];
    const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    if (curves.every(c => c.x === curves[0].x)) {
      lines.push([xName, ...curves.map(c => `${c.label}${unit ? ` [${unit}]` : ''}`)].map(quoted).join(','));
      curves[0].x.forEach((x, i) => lines.push([x, ...curves.map(c => c.y[i])].map(plain).join(',')));
    } else {
      lines.push(['curve', xName, unit ? `value [${unit}]` : 'value'].join(','));
      for (const c of curves) c.x.forEach((x, i) => lines.push(`${quoted(c.label)},${plain(x)},${plain(c.y[i])}`));
    }
    download(`${fileName(title)}.csv`, lines.join('\n') + '\n');
  }
}
