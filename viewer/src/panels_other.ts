// Modes, comparison, linear models, data.
import {curveColour} from './colour';
import {DifferenceData, EigenvaluesData, ReportData, TableData, unpack} from './data';
import {el} from './dom';
import {modeFrequency, number, quantity} from './format';
import {PlotHost} from './panels_motion';
import {Stage} from './stage';
import {factsCard, tableCard} from './tables';
import {Upright} from './upright';
import {XyCurve, XyPlot} from './xyplot';

export function modesPanel(report: ReportData, stage: Stage | null): HTMLElement {
  const panel = el('div', {class: 'panel-body'});
  const buttons: {set: number; mode: number; button: HTMLButtonElement}[] = [];
  report.modes.forEach((set, s) => {
    const list = el('ul', {class: 'modes', 'aria-label': `Modes of ${set.name}`});
    const most = Math.log(1 + Math.max(...set.frequencies.map(Math.abs), 1));
    set.frequencies.forEach((frequency, k) => {
      const bar = el('span', {class: 'mode-bar', 'aria-hidden': 'true'});
      bar.style.width = `${(100 * Math.log(1 + Math.abs(frequency))) / most}%`;
      const damping = set.dampingRatios[k] ? el('span', {class: 'damping'}, `${number(100 * set.dampingRatios[k], 3)} %`) : null;
      const button = el('button', {type: 'button', 'aria-pressed': 'false', click: () => stage?.showMode(s, k)},
          el('span', {class: 'mode-number'}, String(set.numbers[k])), el('span', {class: 'mode-frequency'}, modeFrequency(frequency)), damping, bar);
      buttons.push({set: s, mode: k, button});
      list.append(el('li', {}, button));
    });
    panel.append(el('section', {class: 'card'}, el('h3', {}, `Modes of ${set.name}`), el('p', {class: 'remark'}, 'Select a mode to animate it. Damping in % of critical.'), list));
    panel.append(tableCard({
      title: `natural frequencies of ${set.name}`, columns: [{name: 'mode', unit: ''}, {name: 'frequency', unit: 'Hz'}, {name: 'damping ratio', unit: ''}],
      rows: set.frequencies.map((f, k) => [set.numbers[k], f, set.dampingRatios[k] ?? null]),
    }, 6));
  });
  if (stage) {
    const previous = stage.onSource;
    stage.onSource = () => {
      previous();
      const source = stage.source;
      for (const {set, mode, button} of buttons) button.setAttribute('aria-pressed', String(source.kind === 'mode' && source.set === set && source.mode === mode));
    };
  }
  return panel;
}

export function comparisonPanel(report: ReportData, host: PlotHost): HTMLElement {
  const panel = el('div', {class: 'panel-body'});
  const timed = report.runs.filter(run => run.computingTime !== null);
  for (const comparison of report.comparisons) {
    panel.append(el('h2', {}, comparison.name));
    for (const table of comparison.agreement) panel.append(tableCard(table, 4));
    if (timed.length > 1 && comparison === report.comparisons[0]) panel.append(timesCard(timed.map(run => [run.name, run.computingTime as number])));
    // Components of a vector share a plot: "tip.x", "tip.y", "tip.z".
    const whole = (sensor: string): string => sensor.replace(/\.[xyz]$/, '');
    const groups = new Map<string, DifferenceData[]>();
    for (const d of comparison.differences) {
      const key = `${whole(d.sensor)}|${d.unit}`;
      groups.set(key, [...(groups.get(key) ?? []), d]);
    }
    for (const all of groups.values()) {
      const several = new Set(all.map(d => d.run)).size > 1;
      const curves = all.map((d, i) => {
        const part = d.sensor.slice(whole(d.sensor).length + 1), runs = `${d.run} \u2212 ${d.reference}`;
        return {label: several || !part ? `${runs} ${part}`.trim() : part, x: unpack(d.times), y: unpack(d.values), colour: curveColour(i)};
      });
      panel.append(host.timePlot({title: `difference of ${whole(all[0].sensor)}`, sensor: whole(all[0].sensor), unit: all[0].unit, curves}).root);
    }
  }
  return panel;
}

function timesCard(times: [string, number][]): HTMLElement {
  const most = Math.max(...times.map(t => t[1])), list = el('dl', {class: 'bars'});
  for (const [name, seconds] of times) {
    const bar = el('span', {class: 'bar'});
    bar.style.width = `${(100 * seconds) / most}%`;
    list.append(el('dt', {}, name), el('dd', {}, el('span', {class: 'bar-track'}, bar), quantity(seconds, 's', 3)));
  }
  return el('section', {class: 'card'}, el('h3', {}, 'computing time'), list);
}

export function linearPanel(report: ReportData): HTMLElement {
  const panel = el('div', {class: 'panel-body'});
  for (const sweep of report.eigenvalues) {
    const lists = sweep.eigenvalues.map(unpack), parameter = unpack(sweep.parameterValues);
    panel.append(el('h2', {}, sweep.name));
    if (parameter.length > 1) panel.append(campbellCard(sweep, lists, parameter));
    panel.append(locusCard(sweep, lists, parameter));
  }
  return panel;
}

function campbellCard(sweep: EigenvaluesData, lists: Float64Array[], parameter: Float64Array): HTMLElement {
  const curves: XyCurve[] = [], count = Math.max(...lists.map(l => l.length / 2));
  const tops: number[] = []; // of the curves
  for (let k = 0; k < count; ++k) {
    const f = lists.map(list => (2 * k + 1 < list.length && list[2 * k + 1] > 0 ? list[2 * k + 1] / (2 * Math.PI) : NaN));
    if (f.every(v => !(v > 0))) continue;
    tops.push(Math.max(...f.filter(v => v > 0)));
    curves.push({x: parameter, y: f, colour: curveColour(curves.length)});
  }
  for (const order of sweep.excitationOrders)
    curves.push({x: parameter, y: parameter.map(p => order * p * sweep.hertzPerUnit), colour: 'gray', dash: [5, 4], label: `${number(order, 3)}\u00d7`});
  const place = el('div', {}), near = nearExcitation(tops, sweep, parameter), far = Math.max(...tops, 0);
  let plot: XyPlot | null = null;
  const show = (most: number): void => {
    plot?.destroy();
    plot = new XyPlot({
      label: `Campbell diagram of ${sweep.name}, up to ${quantity(most, 'Hz', 3)}`, xName: sweep.parameter, xUnit: sweep.unit, yName: 'frequency', yUnit: 'Hz', curves, height: 320,
      range: [parameter[0], parameter[parameter.length - 1], 0, 1.06 * most || 1],
    });
    place.replaceChildren(plot.root);
  };
  show(near);
  const all = el('input', {type: 'checkbox', change: () => show(all.checked ? far : near)});
  return el('section', {class: 'card'}, el('div', {class: 'plot-title'}, el('h3', {}, 'Campbell diagram'), el('span', {class: 'space'}),
      near < far ? el('label', {class: 'field'}, all, el('span', {}, 'all frequencies')) : null), place);
}

// Frequencies that the excitation comes near to, and a few at least: high modes would press them to the bottom.
function nearExcitation(tops: number[], sweep: EigenvaluesData, parameter: Float64Array): number {
  const reach = Math.max(0, ...sweep.excitationOrders.map(Math.abs)) * sweep.hertzPerUnit * parameter.reduce((most, p) => Math.max(most, Math.abs(p)), 0);
  const sorted = [...tops].sort((a, b) => a - b), few = Math.min(4, sorted.length);
  return reach > 0 ? sorted.filter((f, i) => i < few || f < 1.5 * reach).at(-1) ?? 0 : sorted.at(-1) ?? 0;
}

// The slow eigenvalues are what a plot of them is looked at for; stiff modes and fast observers would press them together.
// Those below a wide gap, or so many; all where the others do not take much more room.
const slowest = 12, fewest = 4, gap = 8;
function slowCount(sizes: number[]): number {
  for (let i = fewest; i < Math.min(slowest, sizes.length); ++i) if (sizes[i] > gap * sizes[i - 1]) return i;
  return Math.min(slowest, sizes.length);
}

interface PoleView {
  range?: [number, number, number, number];
  linear?: number; // real parts beyond this by decades
}

function poleView(lists: Float64Array[]): PoleView {
  const most = (list: Float64Array, bound: number, part: 0 | 1): [number, number] => {
    let [from, to] = [0, 0];
    for (let k = 0; k < list.length; k += 2) if (Math.hypot(list[k], list[k + 1]) <= bound) [from, to] = [Math.min(from, list[k + part]), Math.max(to, list[k + part])];
    return [from, to];
  };
  const reach = (bound: number, part: 0 | 1): [number, number] =>
    lists.map(list => most(list, bound, part)).reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)], [0, 0]);
  // Of every list, how far from the origin its slow ones are.
  const near = Math.max(0, ...lists.map(list => {
    const sizes = Array.from({length: list.length / 2}, (_, k) => Math.hypot(list[2 * k], list[2 * k + 1])).sort((a, b) => a - b);
    return sizes[slowCount(sizes) - 1] ?? 0;
  }));
  const width = ([from, to]: [number, number]): number => to - from, all = [reach(Infinity, 0), reach(Infinity, 1)], few = [reach(near * 1.0001, 0), reach(near * 1.0001, 1)];
  const zoomed = [0, 1].some(part => width(all[part]) > 4 * width(few[part]) && width(few[part]) > 0), shown = zoomed ? few : all;
  // Real parts of several decades: those near zero decide on stability.
  const bound = zoomed ? near * 1.0001 : Infinity, parts: number[] = [];
  for (const list of lists) for (let k = 0; k < list.length; k += 2) if (Math.hypot(list[k], list[k + 1]) <= bound && list[k] !== 0) parts.push(Math.abs(list[k]));
  parts.sort((a, b) => a - b);
  const middle = parts[Math.floor(parts.length / 2)] ?? 0, least = parts[Math.floor(0.1 * parts.length)] ?? 0, largest = parts.at(-1) ?? 0;
  const pad = ([from, to]: [number, number]): [number, number] => [from - 0.06 * (to - from || 1), to + 0.06 * (to - from || 1)];
  const [x, y] = [pad(shown[0]), pad(shown[1])];
  return {
    range: zoomed ? [x[0], x[1], y[0] / (2 * Math.PI), y[1] / (2 * Math.PI)] : undefined,
    linear: largest > 30 * middle && middle > 0 ? Math.max(least, 1e-4 * largest) : undefined,
  };
}

// Real parts of rounding errors say nothing about stability.
function withoutNoise(lists: Float64Array[]): Float64Array[] {
  const noise = 1e-10 * lists.reduce((most, list) => list.reduce((m, v) => Math.max(m, Math.abs(v)), most), 0);
  return lists.map(list => list.map((v, k) => (k % 2 === 0 && Math.abs(v) < noise ? 0 : v)));
}

function locusCard(sweep: EigenvaluesData, raw: Float64Array[], parameter: Float64Array): HTMLElement {
  const curves: XyCurve[] = [], lists = withoutNoise(raw), {range, linear} = poleView(lists);
  lists.forEach((list, i) => {
    const share = parameter.length > 1 ? i / (parameter.length - 1) : 0;
    const x = [], y = [];
    for (let k = 0; k < list.length; k += 2) {
      x.push(list[k]);
      y.push(list[k + 1] / (2 * Math.PI));
    }
    curves.push({x, y, colour: `color-mix(in srgb, ${curveColour(1)} ${Math.round(100 * share)}%, ${curveColour(0)})`, dots: true});
  });
  const plot = new XyPlot({label: `Eigenvalues of ${sweep.name} in the complex plane`, xName: 'real part', xUnit: '1/s', yName: 'imaginary part / 2\u03c0', yUnit: 'Hz', curves, height: 320, upright: true, range, logarithmicX: linear});
  const frozen = sweep.parameter === 'time';  // along a motion that is not steady
  const texts = [frozen ? 'Of the equations frozen in time: along a motion they do not decide stability.' : 'Left of the line at zero: stable.'];
  if (parameter.length > 1) texts.push(`From ${quantity(parameter[0], sweep.unit)} (blue) to ${quantity(parameter[parameter.length - 1], sweep.unit)} (orange).`);
  if (range) texts.push(`Zoomed to the slowest; double-click for the full range.`);
  if (linear) texts.push(`Real axis logarithmic beyond \u00b1${number(linear, 2)}\u00a01/s.`);
  return el('section', {class: 'card poles'}, el('h3', {}, parameter.length > 1 ? 'root locus' : 'poles'), plot.root, el('p', {class: 'remark'}, texts.join(' ')));
}

// A row per run, a column per fact.
function runTable({runs}: ReportData): TableData {
  const names = [...new Set(runs.flatMap(run => run.facts.map(([what]) => what)))];
  return {
    title: 'runs', columns: ['run', ...names].map(name => ({name, unit: ''})),
    rows: runs.map(run => [run.name, ...names.map(name => run.facts.find(([what]) => what === name)?.[1] ?? null)]),
  };
}

export function dataPanel(report: ReportData): HTMLElement {
  const panel = el('div', {class: 'panel-body'});
  // What a study of several runs is about comes first, then how they went.
  const several = report.runs.length > 1, summary = report.tables.filter(table => several && !table.title.startsWith('sensors'));
  for (const table of summary) panel.append(tableCard(table));
  if (several && report.runs.some(run => run.facts.length)) panel.append(tableCard(runTable(report)));
  else if (report.facts.length) panel.append(factsCard('run', report.facts));
  if (report.files.length) {
    const list = el('ul', {class: 'files'});
    for (const file of report.files) list.append(el('li', {}, el('code', {}, file)));
    panel.append(el('section', {class: 'card'}, el('h3', {}, 'full data beside this page'), list));
  }
  for (const table of report.tables) if (!summary.includes(table)) panel.append(tableCard(table));
  panel.append(keysCard(report));
  return panel;
}

export function keysCard(report: ReportData): HTMLElement {
  const upright = new Upright(report.scene?.gravity ?? [0, 0, 0]);
  return factsCard('keys', [
    ['space', 'play or pause'], [', and .', 'one instant back or on'], ['F', 'fit the view'], ['N, shift N, escape', 'values of the next or previous node; close them'], ['1, 2, 3, 4', `oblique view, ${(['x', 'y', 'z'] as const).map(axis => upright.viewName(axis).toLowerCase()).join(', ')}`],
    ['C, double-click on a node', 'go nearer and turn about it; double-click beside: all'], ['H, shift H', 'hide the link of the selected node; show all links'],
    ['M', 'measure: click on two nodes, on a third one for the angle; escape ends it'], ['?', 'these keys'],
    ['arrow keys', 'on the 3-D view: turn; on a plot: one instant on; on a map: next point'], ['+ and \u2212', 'on the 3-D view: zoom'],
    ['drag on a plot', 'zoom in; double-click for the full range'], ['drop a report page', 'show it beside this one'],
  ]);
}
