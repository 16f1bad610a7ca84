// What the program wrote into the page (src/lithe/view/report_json.cpp), with its numbers unpacked.

export interface Packed {
  f32?: string;
  f64?: string;
  rows?: number;
}
export type Facts = [string, string][];

export interface SectionData {
  name: string;
  shape: 'rectangle' | 'circle' | 'tube' | 'i_beam' | 'general';
  dimensions: number[];
  area: number;
  iy: number;
  iz: number;
  j: number;
  fibres: {y: number | null; z: number | null; torsion: number | null; round: boolean}; // where it is stressed most: model/sections/section_stress.h
}
export interface PieceData {
  from: number;
  to: number;
  section: number;
  y: number[];
  z: number[];
  e: number;
  g: number;
}
export interface LinkData {
  name: string;
  rigid: boolean;
  nodes: Packed;
  nodeNames: string[];
  pieces: PieceData[];
  masses: {node: number; mass: number}[];
  triangles?: Packed; // of a link of solid elements: three nodes each
  legs?: Packed; // of spiders: the node that holds, a node of the surface
}
export interface JointData {
  name: string;
  type: string;
  parent: number;
  child: number;
  parentNode: number;
  childNode: number;
  parentFrame: number[];
  childFrame: number[];
  driven: boolean;
}
export interface LoadData {
  name: string;
  link: number;
  node: number;
  torque: boolean;
  follows: boolean;
  direction: number[];
}
export interface ShapeData {
  link: number;
  kind: 'box' | 'cylinder' | 'sphere' | 'capsule' | 'mesh';
  size: number[]; // box: edges; radius and length; of a mesh its scale
  pose: number[]; // in the link frame
  collision: boolean;
  colour?: number[]; // red, green, blue, opacity: 0 to 1
  mesh?: number;
}
export interface SceneData {
  name: string;
  gravity: number[];
  sections: SectionData[];
  links: LinkData[];
  joints: JointData[];
  loads: LoadData[];
  shapes?: ShapeData[];
  meshes?: {corners: Packed; triangles: Packed}[];
  units?: Record<string, ShownUnit>; // by SI unit, as the model file writes them
  sensorUnits?: Record<string, ShownUnit>;
}
export interface ShownUnit {
  unit: string;
  factor: number; // shown value = SI value * factor
}
export interface LinkMotionData {
  frames: Packed;
  shapes: Packed;
  coefficients: Packed;
  strained: boolean;
}
export interface MotionData {
  times: Packed;
  links: LinkMotionData[];
  loads: Packed[];
}
export interface ColumnData {
  name: string;
  unit: string;
  values: Packed;
}
export interface RunData {
  name: string;
  times: Packed;
  samples: number;
  columns: ColumnData[];
  computingTime: number | null;
  facts: Facts;
}
export interface SpectrumData {
  sensor: string;
  unit: string;
  run: string;
  frequencies: Packed;
  values: Packed;
  spacing: number;
  peaks: [number, number][];
}
export interface ModeSetData {
  name: string;
  ofMechanism: boolean; // or of a link by itself, without joints and ground
  frequencies: number[];
  dampingRatios: number[];
  numbers: number[];
  links: ({frame: number[]; displacement: Packed; shapes: Packed} | null)[];
}
export interface TableData {
  title: string;
  columns: {name: string; unit: string}[];
  rows: (number | string | null)[][];
}
export interface DifferenceData {
  sensor: string;
  unit: string;
  run: string;
  reference: string;
  times: Packed;
  values: Packed;
}
export interface ComparisonData {
  name: string;
  differences: DifferenceData[];
  agreement: TableData[];
}
export interface AxisData {
  name: string;
  unit: string;
  values: Packed;
}
export interface MapData {
  name: string;
  x: AxisData;
  y: AxisData;
  quantities: QuantityData[];
  postures: (Packed | null)[];
  home: Packed | null;
  twinPostures?: (Packed | null)[]; // of a second result over the same points
  ofTwin?: boolean; // a map of the second result alone
}
export interface QuantityData {
  name: string;
  unit: string;
  values: Packed;
  logarithmic: boolean;
  over?: {name: string; values: Packed}[]; // curves of both results, where the map has one axis
}
export interface EigenvaluesData {
  name: string;
  parameter: string;
  unit: string;
  parameterValues: Packed;
  eigenvalues: Packed[];
  excitationOrders: number[];
  hertzPerUnit: number;
}
export type EnergyData = Record<'start' | 'end' | 'inputWork' | 'dissipated' | 'imbalance' | 'largestKinetic', number | null>;
export interface ReportData {
  title: string;
  subtitle: string;
  facts: Facts;
  files: string[];
  events: {name: string; time: number}[];
  scene?: SceneData;
  motion?: MotionData;
  energy?: EnergyData;
  runs: RunData[];
  spectra: SpectrumData[];
  modes: ModeSetData[];
  comparisons: ComparisonData[];
  maps: MapData[];
  eigenvalues: EigenvaluesData[];
  tables: TableData[];
}

function bytes(text: string): Uint8Array {
  const binary = atob(text);
  const result = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) result[i] = binary.charCodeAt(i);
  return result;
}

export function unpack(packed: Packed): Float64Array {
  if (packed.f64 !== undefined) return new Float64Array(bytes(packed.f64).buffer);
  return Float64Array.from(new Float32Array(bytes(packed.f32 ?? '').buffer));
}

export function readReport(from: Document = document): ReportData {
  const element = from.getElementById('lithe-data');
  return JSON.parse(element?.textContent ?? '{}') as ReportData;
}

// A result to be compared with the page's own, which `lithe view A B` puts beside it, and what both are called.
export function readOther(): {report: ReportData; names: [string, string]} | null {
  const element = document.getElementById('lithe-other'), text = element?.textContent;
  if (!element || !text) return null;
  return {report: JSON.parse(text) as ReportData, names: [element.dataset.first ?? 'A', element.dataset.second ?? 'B']};
}

// The data of another page, or of its JSON alone. Nothing of the page is run or shown.
export function reportOf(text: string): ReportData {
  const data: unknown = /^\s*\{/.test(text) ? JSON.parse(text) : readReport(new DOMParser().parseFromString(text, 'text/html'));
  const lists = ['runs', 'modes', 'maps', 'tables', 'spectra', 'eigenvalues', 'comparisons', 'facts', 'events', 'files'];
  if (typeof data !== 'object' || data === null || !lists.every(name => Array.isArray((data as Record<string, unknown>)[name]))) throw new Error('no report of Lithe is in it');
  return data as ReportData;
}
