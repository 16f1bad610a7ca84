// The engine in its worker. The page never waits: a question gives a promise, and a long computation can be ended.

export interface Problem {
  line: number;
  column: number;
  message: string;
}
export interface Answer {
  errors?: Problem[];
  warnings?: string[];
  notes?: string[];
  report?: string; // data of the report page
  frequencies?: (number | null)[];
  dampingRatios?: (number | null)[];
  rigid?: number;
  eigenvalues?: [number | null, number | null][];
  columns?: {name: string; unit: string; final?: number | null; least?: number | null; most?: number | null; values?: (number | null)[]}[];
  schema?: string;
  name?: string;
  links?: number;
  joints?: number;
  freedoms?: number;
  elasticModes?: number;
  steps?: number;
  points?: number;
  computed?: number;
  inputs?: number;
  outputs?: number;
  coordinates?: number;
  seconds: number; // that the engine took
  memory: number; // bytes that it holds
}
export interface Request {
  what: 'schema' | 'check' | 'modes' | 'motion' | 'linear' | 'map';
  text?: string;
  file?: string;
  report?: boolean;
  settings?: unknown; // over those of the file
}

export class Stopped extends Error {}

export class Engine {
  private worker: Worker | null = null;
  private readonly source: string;
  private readonly waiting = new Map<number, [(answer: Answer) => void, (reason: Error) => void]>();
  private next = 0;
  starts = 0; // how often a worker was made

  constructor(script: string, private readonly module: WebAssembly.Module) {
    this.source = URL.createObjectURL(new Blob([script], {type: 'text/javascript'}));
  }

  ask(request: Request): Promise<Answer> {
    const worker = this.worker ?? this.start(), id = this.next++;
    worker.postMessage({id, request: JSON.stringify(request)});
    return new Promise((done, failed) => this.waiting.set(id, [done, failed]));
  }
  get busy(): boolean { return this.waiting.size > 0; }

  private start(): Worker {
    const worker = new Worker(this.source);
    ++this.starts;
    worker.postMessage({module: this.module});
    worker.onmessage = (event: MessageEvent<{id: number; answer?: string; trouble?: string; seconds: number; memory: number}>) => {
      const {id, answer, trouble, seconds, memory} = event.data, waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (trouble !== undefined) {
        // Nobody knows what state it is in.
        this.restart();
        waiting?.[0]({errors: [{line: 0, column: 0, message: `the computation broke off: ${trouble}`}], seconds, memory});
      } else waiting?.[0]({...(JSON.parse(answer as string) as Answer), seconds, memory});
    };
    this.worker = worker;
    return worker;
  }
  private restart(): void {
    this.worker?.terminate();
    this.worker = null;
  }

  // Ends whatever is being computed.
  stop(): void {
    this.restart();
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const [, failed] of all) failed(new Stopped('stopped'));
  }
}
