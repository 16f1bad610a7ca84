// Recorded runs, unpacked, with sensors grouped: "tip position.x", ".y" and ".z" belong together.
import {ReportData, unpack} from './data';

export interface Column {
  name: string;
  unit: string;
  values: Float64Array;
}
export interface Run {
  name: string;
  times: Float64Array;
  samples: number;
  columns: Column[];
}
export interface Group {
  name: string;
  unit: string;
  columns: {name: string; part: string}[]; // part: "x", or "" for a scalar
  energy: boolean;
}

export function unpackRuns(report: ReportData): Run[] {
  return report.runs.map(run => ({
    name: run.name,
    times: unpack(run.times),
    samples: run.samples,
    columns: run.columns.map(c => ({name: c.name, unit: c.unit, values: unpack(c.values)})),
  }));
}

export function groups(runs: Run[]): Group[] {
  const result: Group[] = [];
  const energies = new Set(['kinetic_energy', 'gravity_energy', 'elastic_energy', 'total_energy']);
  for (const run of runs)
    for (const column of run.columns) {
      const match = /^(.*)\.([xyz])$/.exec(column.name);
      const name = match ? match[1] : column.name;
      let group = result.find(g => g.name === name && g.unit === column.unit);
      if (!group) result.push((group = {name, unit: column.unit, columns: [], energy: energies.has(name)}));
      if (!group.columns.some(c => c.name === column.name)) group.columns.push({name: column.name, part: match ? match[2] : ''});
    }
  return result;
}

export function findColumn(run: Run, name: string): Column | undefined {
  return run.columns.find(c => c.name === name);
}
