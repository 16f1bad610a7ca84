// Maps over one or two parameters; the 3-D view shows the configuration at a point.
import {curveColour, gradientCss} from './colour';
import {MapData, ReportData, unpack} from './data';
import {el, select} from './dom';
import {quantity} from './format';
import {Stage} from './stage';
import {XyPlot} from './xyplot';

function nearest(values: ArrayLike<number>, x: number): number {
  let best = 0;
  for (let i = 1; i < values.length; ++i) if (Math.abs(values[i] - x) < Math.abs(values[best] - x)) best = i;
  return best;
}

export function mapsPanel(report: ReportData, stage: Stage | null): HTMLElement {
  const panel = el('div', {class: 'panel-body'});
  report.maps.forEach((map, i) => panel.append(mapCard(map, map.ofTwin ? stage?.twin ?? null : stage, i === 0)));
  return panel;
}

function mapCard(map: MapData, stage: Stage | null, first: boolean): HTMLElement {
  const x = unpack(map.x.values), y = unpack(map.y.values), place = el('div', {}), values = map.quantities.map(q => unpack(q.values)), overs = map.quantities.map(q => (q.over ?? []).map(one => unpack(one.values)));
  const readout = el('p', {class: 'readout', role: 'status', 'aria-live': 'polite'}, 'Point at the map, or move over it with the arrow keys.');
  const scale = el('div', {class: 'map-scale'});
  let shown = 0, plot: XyPlot | null = null;
  const line = y.length < 2; // over one axis alone
  const point = (px: number, py: number): void => {
    const i = nearest(x, px), j = line ? 0 : nearest(y, py), at = j * x.length + i, q = map.quantities[shown];
    const value = values[shown][at];
    const where = `${map.x.name} ${quantity(x[i], map.x.unit)}` + (line ? '' : `, ${map.y.name} ${quantity(y[j], map.y.unit)}`);
    const known = q.over ? q.over.map(({name}, k) => `${name} ${quantity(overs[shown][k][at], q.unit)}`).join(', ') : quantity(value, q.unit);
    readout.textContent = `${where}: ${Number.isNaN(value) ? 'unreachable, or invalid model' : `${q.name} ${known}`}`;
    plot?.setPoint(x[i], line ? value : y[j]);
    const posture = map.postures[at];
    if (posture && stage) stage.showPosture(unpack(posture), where);
    const other = map.twinPostures?.[at];
    if (other && stage?.twin) stage.twin.showPosture(unpack(other), where);
  };
  const redraw = (): void => {
    plot?.destroy();
    const q = map.quantities[shown], v = values[shown], of = (value: number): number => (q.logarithmic ? Math.log(value) : value);
    let least = Infinity, most = -Infinity;
    for (const value of [v, ...overs[shown]].flatMap(list => Array.from(list))) if (Number.isFinite(of(value))) [least, most] = [Math.min(least, value), Math.max(most, value)];
    if (least > most) {
      scale.hidden = readout.hidden = true;
      place.replaceChildren(el('p', {class: 'remark'}, `No point has a value of ${q.name}. What is known about it is under Data.`));
      return;
    }
    readout.hidden = false;
    plot = new XyPlot({
      label: `Map of ${q.name} over ${map.x.name}${line ? '' : ` and ${map.y.name}`}, from ${quantity(least, q.unit)} to ${quantity(most, q.unit)}`,
      xName: map.x.name, yName: line ? q.name : map.y.name, xUnit: map.x.unit, yUnit: line ? q.unit : map.y.unit, height: 380,
      curves: !line ? [] : q.over ? q.over.map(({name}, k) => ({x, y: overs[shown][k], colour: curveColour(k), label: name})) : [{x, y: v, colour: curveColour(0)}],
      equal: !line && map.x.unit === map.y.unit && map.x.unit === 'm',
      image: line ? undefined : {x, y, share: (i, j) => {
        const value = v[j * x.length + i];
        return Number.isFinite(of(value)) ? (of(value) - of(least)) / (of(most) - of(least) || 1) : NaN;
      }},
      hover: point,
    });
    place.replaceChildren(plot.root);
    const ramp = el('div', {class: 'ramp'});
    ramp.style.background = gradientCss;
    scale.hidden = line;
    scale.replaceChildren(el('span', {}, quantity(least, q.unit, 3)), ramp, el('span', {}, quantity(most, q.unit, 3)), q.logarithmic ? el('span', {class: 'unit'}, 'logarithmic') : '');
  };
  for (const [shower, postures] of [[stage, map.postures], [stage?.twin, map.twinPostures]] as const) shower?.setPostures((postures ?? []).flatMap(p => (p ? [unpack(p)] : [])));
  const which = select(`Quantity of the map ${map.name}`, map.quantities.map((q, i) => [String(i), q.name]), value => ((shown = Number(value)), redraw()));
  redraw();
  // The first configuration is the one that the 3-D view opens with.
  const start = values.length ? map.postures.findIndex(posture => posture !== null) : -1;
  if (first && stage && !stage.motion && stage.source.kind === 'motion' && stage.modes.length === 0 && start >= 0 && plot) point(x[start % x.length], line ? 0 : y[Math.floor(start / x.length)]);
  return el('section', {class: 'card map'}, el('div', {class: 'plot-title wrap'}, el('h3', {}, map.name), el('span', {class: 'space'}), which), scale, place, readout);
}
