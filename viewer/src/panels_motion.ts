// Panels with curves over time and frequency.
import {curveColour} from './colour';
import {EnergyData, ReportData, SpectrumData, unpack} from './data';
import {el, select} from './dom';
import {quantity} from './format';
import {findColumn, Group, groups, Run} from './runs';
import {Stage} from './stage';
import {tableCard} from './tables';
import {Curve, PlotOptions, TimePlot} from './timeplot';
import {XyPlot} from './xyplot';

// What the panels need of the page: plots that follow the shown instant.
export interface PlotHost {
  timePlot(options: PlotOptions): TimePlot;
  drop(plot: TimePlot): void;
}

function displayRemark(run: Run): string | undefined {
  return run.samples > run.times.length ? `Drawn from ${run.samples} samples: min and max of each of ${run.times.length / 2} intervals.` : undefined;
}

const dashes: (number[] | undefined)[] = [undefined, [6, 4], [2, 3]];

// One run: a colour per component. Several runs: a colour per run, a dash per component; the first is the thickest, so that it is seen
// below others that agree with it.
export function groupCurves(runs: Run[], group: Group): Curve[] {
  const curves: Curve[] = [];
  const several = runs.filter(run => group.columns.some(part => findColumn(run, part.name))).length > 1;
  runs.forEach((run, r) => group.columns.forEach((part, c) => {
    const column = findColumn(run, part.name);
    if (!column) return;
    const label = several ? (part.part ? `${run.name} ${part.part}` : run.name) : part.part || group.name;
    curves.push({label, run: several ? run.name : undefined, part: part.part || undefined, x: run.times, y: column.values, colour: curveColour(several ? r : c), dash: several ? dashes[c % 3] : undefined, width: several ? 1.5 + (2 * (runs.length - 1 - r)) / (runs.length - 1) : undefined});
  }));
  return curves;
}

export function motionPanel(runs: Run[], host: PlotHost, stage: Stage | null): HTMLElement {
  const panel = el('div', {class: 'panel-body'});
  const all = groups(runs).filter(g => !g.energy);
  const plots = new Map<string, TimePlot>();
  const place = el('div', {class: 'plots'});
  const show = (group: Group, on: boolean): void => {
    const key = `${group.name}|${group.unit}`, old = plots.get(key);
    if (old) {
      host.drop(old);
      plots.delete(key);
    }
    if (!on) return;
    const plot = host.timePlot({title: group.name, sensor: group.name, unit: group.unit, curves: groupCurves(runs, group), remark: displayRemark(runs[0])});
    plots.set(key, plot);
    place.append(plot.root);
  };
  const list = el('div', {class: 'checks', role: 'group', 'aria-label': 'Sensors to plot'});
  all.forEach((group, i) => {
    const box = el('input', {type: 'checkbox', checked: i < 3, change: () => show(group, box.checked)});
    list.append(el('label', {class: 'check'}, box, group.name));
  });
  panel.append(list, place);
  all.slice(0, 3).forEach(group => show(group, true));
  if (stage?.motion) {
    const nodePlots: TimePlot[] = [];
    stage.onPlotNode = (link, node) => {
      nodePlots.splice(0).forEach(plot => host.drop(plot));
      for (const options of withTwin(nodeCurves(stage, link, node), stage.twin?.motion && stage.twin.hasNode(link, node) ? nodeCurves(stage.twin, link, node) : [], runs)) {
        const plot = host.timePlot(options);
        nodePlots.push(plot);
        place.prepend(plot.root);
      }
      place.scrollIntoView({block: 'nearest'});
    };
  }
  panel.append(phaseCard(runs));
  return panel;
}

// The same of the result beside this one: dashed, in the same plots.
function withTwin(own: PlotOptions[], others: PlotOptions[], runs: Run[]): PlotOptions[] {
  if (!others.length) return own;
  return own.map(options => {
    const other = others.find(one => one.title === options.title);
    const named = (curves: Curve[], run: number): Curve[] => curves.map(curve => ({...curve, label: `${runs[run]?.name ?? 'AB'[run]} ${curve.label}`, dash: run ? dashes[1] : undefined, width: run ? undefined : 2.5}));
    return {...options, curves: [...named(options.curves, 0), ...named(other?.curves ?? [], 1)]};
  });
}

// Position and displacement of a node at the drawn instants.
function nodeCurves(stage: Stage, link: number, node: number): PlotOptions[] {
  const motion = stage.motion!;
  const name = stage.nodeName(link, node);
  const path = stage.nodePath([link, node], 1), rigid = stage.nodePath([link, node], 0);
  const curve = (label: string, colour: number, value: (i: number) => number): Curve =>
    ({label, x: motion.times, y: Float64Array.from(path, (_, i) => value(i)), colour: curveColour(colour)});
  const axes = ['x', 'y', 'z'];
  const linkPlots: PlotOptions[] = [];
  if (motion.strained) {
    const loads = stage.linkLoads(link), label = stage.linkName(link);
    linkPlots.push({title: `${label}: largest stress`, unit: 'Pa', curves: [{label: 'von Mises', x: motion.times, y: loads.stress, colour: curveColour(3)}]});
    linkPlots.push({title: `${label}: strain energy`, unit: 'J', curves: [{label: 'strain energy', x: motion.times, y: loads.energy, colour: curveColour(2)}]});
  }
  return [
    ...linkPlots,
    {title: `${name}: displacement`, unit: 'm', curves: axes.map((axis, k) => curve(axis, k, i => path[i][k] - rigid[i][k]))},
    {title: `${name}: position`, unit: 'm', curves: axes.map((axis, k) => curve(axis, k, i => path[i][k]))},
  ];
}

// One recorded value over another.
function phaseCard(runs: Run[]): HTMLElement {
  const card = el('section', {class: 'card'}), place = el('div', {});
  const names = runs[0].columns.map(c => c.name), choices = names.map(name => [name, name] as [string, string]);
  let [x, y] = phaseStart(runs[0]);
  let plot: XyPlot | null = null;
  const redraw = (): void => {
    plot?.destroy();
    const cx = findColumn(runs[0], x)!, cy = findColumn(runs[0], y)!;
    const curves = runs.flatMap((run, r) => {
      const a = findColumn(run, x), b = findColumn(run, y);
      return a && b ? [{x: a.values, y: b.values, colour: curveColour(r)}] : [];
    });
    plot = new XyPlot({label: `Phase plot: ${y} over ${x}`, xName: x, yName: y, xUnit: cx.unit, yUnit: cy.unit, xSensor: x, ySensor: y, curves});
    place.replaceChildren(plot.root);
  };
  const xs = select('Phase plot, horizontal', choices, value => ((x = value), redraw())), ys = select('Phase plot, vertical', choices, value => ((y = value), redraw()));
  xs.value = x;
  ys.value = y;
  card.append(el('div', {class: 'plot-title wrap'}, el('h3', {}, 'phase plot'), el('span', {class: 'space'}), ys, el('span', {class: 'field'}, el('span', {class: 'unit'}, 'over'), xs)), place);
  if (names.length > 1) redraw(); else card.hidden = true;
  return card;
}

// The two components of the first vector that move most, or the first two values.
function phaseStart(run: Run): [string, string] {
  const names = run.columns.map(c => c.name), vector = names.find(name => name.endsWith('.x'))?.slice(0, -2);
  const extent = (name: string): number => {
    let least = Infinity, most = -Infinity;
    for (const v of findColumn(run, name)?.values ?? []) [least, most] = [Math.min(least, v), Math.max(most, v)];
    return most - least;
  };
  const parts = names.filter(name => vector && ['x', 'y', 'z'].some(axis => name === `${vector}.${axis}`));
  if (parts.length < 2) return [names[0], names[Math.min(1, names.length - 1)]];
  const byExtent = [...parts].sort((a, b) => extent(b) - extent(a)), [most, next] = byExtent;
  // One component alone moves: something else that does.
  if (!(extent(next) > 1e-9 * extent(most))) return [most, names.find(name => !parts.includes(name) && extent(name) > 0) ?? next];
  return parts.filter(name => name === most || name === next) as [string, string];
}

export function hasEnergy(runs: Run[]): boolean {
  return groups(runs).some(g => g.energy);
}

// `balances`: of one result, or of two by their names.
export function energyPanel(balances: [string, EnergyData][], runs: Run[], host: PlotHost): HTMLElement {
  const energies = groups(runs).filter(g => g.energy);
  const panel = el('div', {class: 'panel-body'});
  for (const run of runs) {
    const curves = energies.flatMap((group, i) => {
      const column = findColumn(run, group.columns[0].name);
      return column ? [{label: group.name.replace('_energy', ''), x: run.times, y: column.values, colour: curveColour(i)}] : [];
    });
    if (curves.length) panel.append(host.timePlot({title: runs.length > 1 ? `energy, ${run.name}` : 'energy', unit: 'J', curves, height: 260}).root);
  }
  const total = energies.find(g => g.name === 'total_energy');
  if (total)
    panel.append(host.timePlot({
      title: 'change of total energy', unit: 'J',
      curves: runs.flatMap((run, r) => {
        const column = findColumn(run, total.columns[0].name);
        return column ? [{label: run.name, x: run.times, y: column.values.map(v => v - column.values[0]), colour: curveColour(r)}] : [];
      }),
    }).root);
  if (balances.length) panel.append(balanceCard(balances));
  for (const [name, e] of balances)
    if (e.imbalance !== null && e.largestKinetic)
      panel.append(el('p', {class: 'remark'}, `The imbalance${name ? ` of ${name}` : ''} is ${quantity(Math.abs(e.imbalance), 'J', 3)}, ${((100 * Math.abs(e.imbalance)) / e.largestKinetic).toPrecision(2)} % of the largest kinetic energy: it measures the time integration.`));
  return panel;
}

function balanceCard(balances: [string, EnergyData][]): HTMLElement {
  const row = (what: string, value: (e: EnergyData) => number | null): (string | number | null)[] => [what, ...balances.map(([, e]) => value(e))];
  return tableCard({
    title: 'energy balance', columns: [{name: '', unit: ''}, ...balances.map(([name]) => ({name: name || 'energy', unit: 'J'}))],
    rows: [row('at the start', e => e.start), row('+ work of drives and loads', e => e.inputWork), row('\u2212 dissipated', e => e.dissipated), row('= at the end', e => e.end), row('imbalance', e => e.imbalance)],
  });
}

// The last place of a value above the floor.
function lastAbove(values: Float64Array, floor: number): number {
  let last = values.length - 1;
  while (last > 0 && !(values[last] > floor)) --last;
  return last;
}

export function spectrumPanel(report: ReportData, host: PlotHost): HTMLElement {
  const spectra = report.spectra;
  const panel = el('div', {class: 'panel-body'}), place = el('div', {class: 'stack'});
  // Where vibration shows best, but not the spectrum of rounding errors of a sensor that stands still.
  const height = (s: SpectrumData): number => Math.max(0, ...s.peaks.map(p => p[1]));
  const alive = (s: SpectrumData): boolean => height(s) > 1e-9 * Math.max(...spectra.map(o => (o.unit === s.unit ? height(o) : 0)));
  let shown = spectra.findIndex(s => alive(s) && /accel/.test(s.sensor)), logarithmic = true;
  if (shown < 0) shown = Math.max(0, spectra.findIndex(alive));
  let plot: TimePlot | null = null;
  const redraw = (): void => {
    if (plot) host.drop(plot);
    const s = spectra[shown], values = unpack(s.values);
    const floor = values.reduce((m, v) => Math.max(m, v), 0) * 1e-9, frequencies = unpack(s.frequencies), end = lastAbove(values, 10 * floor);
    plot = new TimePlot({
      title: s.run ? `${s.sensor}, ${s.run}` : s.sensor, sensor: s.sensor, unit: s.unit, xName: 'frequency', xUnit: 'Hz', logarithmic, peaks: s.peaks, height: 300,
      ...(end < 0.7 * values.length ? {xEnd: frequencies[Math.min(values.length - 1, Math.ceil(1.2 * end) + 4)], remark: 'Only numerical noise beyond; double-click for the full range.'} : {}),
      curves: [{label: 'amplitude', x: frequencies, y: logarithmic ? values.map(v => Math.max(v, floor)) : values, colour: curveColour(0)}],
    });
    place.replaceChildren(plot.root, tableCard({
      title: `peaks of ${s.sensor}`, columns: [{name: 'frequency', unit: 'Hz'}, {name: 'amplitude', unit: s.unit}], rows: s.peaks.map(p => [...p]),
    }));
  };
  const which = select('Spectrum of', spectra.map((s, i) => [String(i), s.run ? `${s.sensor}, ${s.run}` : s.sensor]), value => ((shown = Number(value)), redraw()));
  which.value = String(shown);
  const scale = el('input', {type: 'checkbox', checked: true, change: () => ((logarithmic = scale.checked), redraw())});
  panel.append(el('div', {class: 'row'}, el('label', {class: 'field'}, el('span', {}, 'sensor'), which), el('label', {class: 'field'}, scale, 'logarithmic')), place);
  redraw();
  return panel;
}
