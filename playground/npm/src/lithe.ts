// The engine as a library: the text of a model file in, numbers in SI units out. It reads no files and asks no network.

/** Where a model file is wrong. `line` 0: nowhere in particular. */
export interface Problem {
  line: number;
  column: number;
  message: string;
}

/** The model is wrong, or what was asked cannot be computed. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  constructor(readonly problems: Problem[]) {
    super(problems.map(p => (p.line > 0 ? `line ${p.line}, column ${p.column}: ${p.message}` : p.message)).join('\n'));
  }
}

/** What is in a model that has no errors. */
export interface Checked {
  name: string;
  links: number;
  joints: number;
  /** Rigid-body degrees of freedom. */
  freedoms: number;
  elasticModes: number;
  warnings: string[];
  notes: string[];
}

/** Natural modes about the initial configuration. */
export interface Modes {
  /** Hz, ascending; negative where the configuration is unstable. */
  frequencies: Float64Array;
  dampingRatios: Float64Array;
  /** How many of the first modes no stiffness holds. */
  rigid: number;
  notes: string[];
}

export interface Column {
  /** A sensor, or a component of it: "tip.x". */
  name: string;
  unit: string;
  /** One per instant of a motion or per point of a map; NaN: none. */
  values: Float64Array;
}

export interface Motion {
  /** s */
  times: Float64Array;
  columns: Column[];
  /** False: the motion ended early, as `end` says. */
  finished: boolean;
  end: string;
  steps: number;
  warnings: string[];
  notes: string[];
}

export interface Signal {
  name: string;
  unit: string;
}

/** dx/dt = a x + b u, y = c x + d u; matrices row by row. */
export interface LinearModel {
  a: Float64Array[];
  b: Float64Array[];
  c: Float64Array[];
  d: Float64Array[];
  states: Signal[];
  inputs: Signal[];
  outputs: Signal[];
  /** Real and imaginary part, 1/s. */
  eigenvalues: [number, number][];
  notes: string[];
}

export interface SweepMap {
  points: number;
  /** Points that have values. */
  computed: number;
  columns: Column[];
}

export interface Options {
  /** Name of the file, for messages. */
  file?: string;
}

/** What `load` starts: the module that emscripten makes. */
export interface EngineModule {
  _lithe_ask(text: number): number;
  _malloc(bytes: number): number;
  _free(place: number): void;
  HEAPU8: Uint8Array;
}
export interface EngineSettings {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
  print(text: string): void;
  printErr(text: string): void;
}
export type EngineFactory = (settings: EngineSettings) => Promise<EngineModule>;

type Question = 'schema' | 'check' | 'modes' | 'motion' | 'linear' | 'map';
interface Answer extends Record<string, unknown> {
  errors?: Problem[];
}
type RawColumn = {name: string; unit: string; values?: (number | null)[]};

const numbers = (list: unknown): Float64Array => Float64Array.from((list as (number | null)[] | undefined) ?? [], value => value ?? NaN);
const columns = (list: unknown): Column[] => (list as RawColumn[]).map(({name, unit, values}) => ({name, unit, values: numbers(values)}));
const matrix = (rows: unknown): Float64Array[] => (rows as (number | null)[][]).map(numbers);

/** One engine with its memory. Calls block until they are done: in a page, use it in a worker. */
export class Lithe {
  private broken = '';

  constructor(private readonly engine: EngineModule) {}

  /** Errors in the model, with their places; none: an empty list. */
  problems(text: string, options: Options = {}): Problem[] {
    return this.answer('check', text, options, {}).errors ?? [];
  }
  check(text: string, options: Options = {}): Checked {
    const {name, links, joints, freedoms, elasticModes, warnings, notes} = this.ask('check', text, options);
    return {name, links, joints, freedoms, elasticModes, warnings: warnings ?? [], notes: notes ?? []} as Checked;
  }
  modes(text: string, options: Options = {}): Modes {
    const found = this.ask('modes', text, options);
    return {frequencies: numbers(found.frequencies), dampingRatios: numbers(found.dampingRatios), rigid: found.rigid as number, notes: (found.notes as string[]) ?? []};
  }
  /** As the first analysis of kind "simulate" in the file says; without one, with the defaults of `lithe simulate`. */
  motion(text: string, options: Options = {}): Motion {
    const {times, columns: list, finished, end, steps, warnings, notes} = this.ask('motion', text, options, {values: true});
    return {times: numbers(times), columns: columns(list), finished, end, steps, warnings: warnings ?? [], notes: notes ?? []} as Motion;
  }
  linear(text: string, options: Options = {}): LinearModel {
    const found = this.ask('linear', text, options, {values: true}), system = found.system as Record<string, unknown>;
    return {
      a: matrix(system.a), b: matrix(system.b), c: matrix(system.c), d: matrix(system.d),
      states: system.states as Signal[], inputs: system.inputs as Signal[], outputs: system.outputs as Signal[],
      eigenvalues: (found.eigenvalues as [number | null, number | null][]).map(([re, im]) => [re ?? NaN, im ?? NaN]), notes: (found.notes as string[]) ?? [],
    };
  }
  /** Over the axes of the first analysis of kind "sweep" in the file; without one, frequencies over joint angles. */
  map(text: string, options: Options = {}): SweepMap {
    const found = this.ask('map', text, options);
    return {points: found.points as number, computed: found.computed as number, columns: columns(found.columns)};
  }
  /** The report page of a result: one HTML text. `template`: the text of the package's file page.html. */
  page(what: 'modes' | 'motion' | 'linear' | 'map', text: string, template: string, options: Options = {}): string {
    const {report} = this.ask(what, text, options, {report: true});
    return template.replace('@LITHE_DATA@', () => report as string);
  }
  /** JSON Schema of model files. */
  schema(): object {
    return JSON.parse(this.ask('schema', '', {}).schema as string) as object;
  }
  /** Bytes that the engine holds. */
  get memory(): number { return this.engine.HEAPU8.length; }

  private ask(what: Question, text: string, options: Options, more: object = {}): Answer {
    const answer = this.answer(what, text, options, more);
    if (answer.errors) throw new ModelError(answer.errors);
    return answer;
  }

  private answer(what: Question, text: string, {file = 'model.toml'}: Options, more: object): Answer {
    if (this.broken) throw new Error(`this engine broke off before (${this.broken}): load another one`);
    const {engine} = this, bytes = new TextEncoder().encode(JSON.stringify({what, text, file, report: false, ...more}));
    try {
      const place = engine._malloc(bytes.length + 1);
      engine.HEAPU8.set(bytes, place);
      engine.HEAPU8[place + bytes.length] = 0;
      const from = engine._lithe_ask(place);
      engine._free(place);
      return JSON.parse(new TextDecoder().decode(engine.HEAPU8.slice(from, engine.HEAPU8.indexOf(0, from)))) as Answer;
    } catch (error) {
      this.broken = String(error); // nobody knows what state it is in
      throw error;
    }
  }
}

/** Starts an engine of a compiled module. */
export async function start(factory: EngineFactory, module: WebAssembly.Module): Promise<Lithe> {
  return new Lithe(await factory({
    instantiateWasm: (imports, done) => {
      void WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
    print: () => undefined,
    printErr: () => undefined,
  }));
}
