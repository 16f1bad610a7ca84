// Two results in one report: runs over each other, what differs between them, and the tables of both.
import {AxisData, ComparisonData, DifferenceData, MapData, ModeSetData, Packed, QuantityData, ReportData, RunData, TableData, unpack} from './data';

export interface Pair {
  first: ReportData;
  second: ReportData;
  names: [string, string];
  merged: ReportData;
  modePairs: ModePairs[]; // of each set of modes that both have
}

export function pairOf(first: ReportData, second: ReportData, wanted?: [string, string]): Pair {
  const names = wanted ?? namesOf(first, second);
  const both = [first, second] as const;
  const each = <T>(list: (report: ReportData) => T[], named: (item: T, name: string) => T): T[] =>
    both.flatMap((report, k) => list(report).map(item => named(item, names[k])));
  const merged: ReportData = {
    ...first,
    title: first.title === second.title ? first.title : `${first.title} and ${second.title}`,
    subtitle: `${names[0]} beside ${names[1]}`,
    facts: [],
    files: each(r => r.files, (file, name) => `${name}: ${file}`),
    events: eventsOf(first, second, names),
    energy: undefined,
    runs: both.flatMap((report, k) => report.runs.map(run => ({...run, name: report.runs.length > 1 ? `${names[k]} ${run.name}` : names[k]}))),
    spectra: each(r => r.spectra, (spectrum, name) => ({...spectrum, run: spectrum.run ? `${name} ${spectrum.run}` : name})),
    modes: [],
    comparisons: [...differencesOf(first, second, names), ...each(r => r.comparisons, (part, name) => ({...part, name: `${name}: ${part.name}`}))],
    maps: mapsOf(first, second, names),
    eigenvalues: each(r => r.eigenvalues, (part, name) => ({...part, name: `${name}: ${part.name}`})),
    tables: [...factsOf(first, second, names), ...each(r => r.tables, (table, name) => ({...table, title: `${table.title}, ${name}`}))],
  };
  const modePairs = first.modes.slice(0, second.modes.length).map((set, s) => pairModes(set, second.modes[s]));
  return {first, second, names, merged, modePairs};
}

// What tells them apart: their titles, else what was done to the model; else A and B alone.
function namesOf(first: ReportData, second: ReportData): [string, string] {
  if (first.title !== second.title) return [`A: ${first.title}`, `B: ${second.title}`];
  return first.subtitle !== second.subtitle ? [`A: ${first.subtitle}`, `B: ${second.subtitle}`] : ['A', 'B'];
}

// Marks that both have are one.
function eventsOf(first: ReportData, second: ReportData, names: [string, string]): ReportData['events'] {
  const same = (a: {name: string; time: number}, b: {name: string; time: number}): boolean => a.name === b.name && Math.abs(a.time - b.time) <= 1e-9 * Math.abs(a.time);
  const common = first.events.filter(a => second.events.some(b => same(a, b)));
  const own = (events: ReportData['events'], name: string): ReportData['events'] => events.filter(a => !common.some(b => same(a, b))).map(event => ({...event, name: `${name}: ${event.name}`}));
  return [...common, ...own(first.events, names[0]), ...own(second.events, names[1])];
}

// Facts beside each other. Those of runs have a table of their own.
function factsOf(first: ReportData, second: ReportData, names: [string, string]): TableData[] {
  const both = [first.facts, second.facts], all = [...new Set(both.flatMap(facts => facts.map(([what]) => what)))];
  if (!all.length) return [];
  const value = (facts: ReportData['facts'], what: string): string | null => facts.filter(fact => fact[0] === what).map(fact => fact[1]).join('; ') || null;
  return [{title: 'both results', columns: ['', ...names].map(name => ({name, unit: ''})), rows: all.map(what => [what, ...both.map(facts => value(facts, what))])}];
}

const packed = (values: Float64Array): Packed => {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  let binary = '';
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return {f64: btoa(binary)};
};

// Between two samples, straight on.
function at(times: Float64Array, values: Float64Array, time: number): number {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle; else high = middle;
  }
  const width = times[high] - times[low], share = width > 0 ? (time - times[low]) / width : 0;
  return (1 - share) * values[low] + share * values[high];
}

// The page has values of single precision: closer ones are the same.
function withoutRounding(b: number, a: number): number {
  return Math.abs(b - a) <= 1.2e-7 * Math.max(Math.abs(a), Math.abs(b)) ? 0 : b - a;
}

const wholeName = (column: string): string => column.replace(/\.[xyz]$/, '');

// The largest component of every sensor.
function vectorSizes(run: RunData): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const {name, values} of run.columns) {
    const largest = unpack(values).reduce((most, v) => (Math.abs(v) > most ? Math.abs(v) : most), 0);
    sizes.set(wholeName(name), Math.max(sizes.get(wholeName(name)) ?? 0, largest));
  }
  return sizes;
}

// Second minus first, of every sensor that both have, at the instants of the first that the second covers. Curves that
// were thinned out to min and max of intervals have no values to subtract.
function differencesOf(first: ReportData, second: ReportData, names: [string, string]): ComparisonData[] {
  const [a, b] = [first.runs[0], second.runs[0]];
  if (!a || !b) return [];
  const [ta, tb] = [unpack(a.times), unpack(b.times)];
  const thinned = (run: RunData, times: Float64Array): boolean => run.samples > times.length;
  if (thinned(a, ta) || thinned(b, tb) || ta.length < 2 || tb.length < 2) return [];
  const slack = 1e-12 * Math.abs(tb[tb.length - 1]), inside = Array.from(ta.keys()).filter(i => ta[i] >= tb[0] - slack && ta[i] <= tb[tb.length - 1] + slack);
  if (!inside.length) return [];
  const times = Float64Array.from(inside, i => ta[i]), packedTimes = packed(times);
  const differences: DifferenceData[] = [], rows: TableData['rows'] = [], sizes = vectorSizes(a);
  for (const column of a.columns) {
    const other = b.columns.find(c => c.name === column.name && c.unit === column.unit);
    if (!other) continue;
    const va = unpack(column.values), vb = unpack(other.values);
    const values = Float64Array.from(inside, i => withoutRounding(at(tb, vb, ta[i]), va[i]));
    let where = -1, squares = 0, known = 0;
    values.forEach((value, k) => {
      if (!Number.isFinite(value)) return;
      if (where < 0 || Math.abs(value) > Math.abs(values[where])) where = k;
      squares += value * value;
      ++known;
    });
    if (!known) continue;
    if (column.unit !== 'J') differences.push({sensor: column.name, unit: column.unit, run: names[1], reference: names[0], times: packedTimes, values: packed(values)});
    const largest = Math.abs(values[where]), size = sizes.get(wholeName(column.name)) ?? 0;
    rows.push([column.name, column.unit, largest, times[where], Math.sqrt(squares / known), size > 0 ? (100 * largest) / size : null]);
  }
  if (!rows.length) return [];
  const columns = [['sensor', ''], ['unit', ''], ['largest difference', ''], ['at', 's'], ['rms', ''], [`of the largest of ${names[0]}`, '%']].map(([name, unit]) => ({name, unit}));
  return [{name: `${names[1]} \u2212 ${names[0]}`, differences, agreement: [{title: 'differences', columns, rows}]}];
}

// Modes of both results that swing alike. Where the meshes are the same, that is told by the modal assurance criterion of
// displacements along the links' axes (0 to 1); elsewhere, and where nothing is alike, by their order.
export interface ModePairs {
  modes: (number | null)[]; // of the second result, for each of the first
  agreement: (number | null)[];
}

const near = 4; // places that modes may have moved
const alike = 0.8;

export function pairModes(a: ModeSetData, b: ModeSetData): ModePairs {
  const [u, v] = [shapesOf(a), shapesOf(b)], same = u.length === v.length && u.every((list, l) => list.rows === v[l].rows);
  const values = a.frequencies.map((_, i) => b.frequencies.map((__, j) => (same && Math.abs(i - j) <= near ? agreement(u, i, v, j) : 0)));
  const modes: (number | null)[] = a.frequencies.map(() => null), taken = new Set<number>();
  const candidates = values.flatMap((row, i) => row.map((value, j) => ({i, j, value}))).filter(c => c.value >= alike).sort((x, y) => y.value - x.value);
  for (const {i, j} of candidates) {
    if (modes[i] !== null || taken.has(j)) continue;
    modes[i] = j;
    taken.add(j);
  }
  const left = b.frequencies.map((_, j) => j).filter(j => !taken.has(j));
  modes.forEach((mode, i) => { if (mode === null) modes[i] = left.shift() ?? null; });
  return {modes, agreement: modes.map((j, i) => (same && j !== null ? agreement(u, i, v, j) : null))};
}

interface Shapes {
  rows: number;
  values: Float64Array;
}
const shapesOf = (set: ModeSetData): Shapes[] => set.links.map(link => ({rows: link?.shapes.rows ?? 0, values: link ? unpack(link.shapes) : new Float64Array()}));

function agreement(u: Shapes[], i: number, v: Shapes[], j: number): number {
  let [ab, aa, bb] = [0, 0, 0];
  u.forEach(({rows, values}, l) => {
    const other = v[l].values;
    for (let k = 0; k < rows / 2; ++k) {
      const [x, y] = [values[i * rows + k], other[j * rows + k]];
      ab += x * y;
      aa += x * x;
      bb += y * y;
    }
  });
  return aa > 0 && bb > 0 ? (ab * ab) / (aa * bb) : 0;
}

function sameAxis(a: AxisData, b: AxisData): boolean {
  const [u, v] = [unpack(a.values), unpack(b.values)], size = u.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return a.name === b.name && u.length === v.length && u.every((x, i) => Math.abs(x - v[i]) <= 1e-6 * size);
}

// Over the same points: the values of both, and the change from one to the other. Other maps stay by themselves.
function mapsOf(first: ReportData, second: ReportData, names: [string, string]): MapData[] {
  const used = new Set<MapData>();
  const own = first.maps.map(map => {
    const other = second.maps.find(m => !used.has(m) && sameAxis(m.x, map.x) && sameAxis(m.y, map.y) && m.quantities.some(q => map.quantities.some(p => p.name === q.name)));
    if (!other) return {...map, name: `${names[0]}: ${map.name}`};
    used.add(other);
    return {...map, quantities: quantitiesOf(map, other, names), twinPostures: other.postures};
  });
  return [...own, ...second.maps.filter(map => !used.has(map)).map(map => ({...map, name: `${names[1]}: ${map.name}`, ofTwin: true}))];
}

function quantitiesOf(first: MapData, second: MapData, names: [string, string]): QuantityData[] {
  const line = unpack(first.y.values).length < 2;
  return first.quantities.flatMap(q => {
    const other = second.quantities.find(o => o.name === q.name && o.unit === q.unit);
    if (!other) return [q];
    const a = unpack(q.values), b = unpack(other.values), change = {name: `change of ${q.name}`, unit: '%', logarithmic: false, values: packed(a.map((value, i) => 100 * (b[i] / value - 1)))};
    if (line) return [{...q, over: [{name: names[0], values: q.values}, {name: names[1], values: other.values}]}, change];
    return [{...q, name: `${q.name}, ${names[0]}`}, {...other, name: `${q.name}, ${names[1]}`}, change];
  });
}
