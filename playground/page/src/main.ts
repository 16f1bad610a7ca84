// The playground: the model file, what comes of it, and sliders between them.
import {Editor} from './editor';
import {Answer, Engine, Problem, Request, Stopped} from './engine';
import {linkOf, modelOf, part} from './link';
import {Node, Schema} from './schema';
import {Sliders} from './sliders';
import {Start, startOf} from './start';
import {Viewer} from './viewer';

type What = 'modes' | 'motion' | 'linear' | 'map';
interface Example {
  name: string;
  title: string;
  text: string;
}

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const read = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

class Playground {
  readonly editor = new Editor(element('editor'), 'Model file');
  readonly sliders = new Sliders(element('sliders'), this.editor);
  private name = 'model';
  private what: What = 'modes';
  private reference: number[] = []; // frequencies before somebody dragged
  private asked = 0; // the newest question
  private live = false; // a number is being dragged
  private pending = false; // ... and was again, while the engine computed
  private timer = 0;
  latency: number[] = []; // ms from a dragged number to its frequencies on the page
  shown = ''; // what was computed last
  private sent: Start | null = null; // the result that the page began with

  constructor(readonly engine: Engine, readonly viewer: Viewer, private readonly examples: Example[]) {
    const choice = element<HTMLSelectElement>('example');
    for (const example of examples) choice.append(new Option(example.title, example.name));
    choice.addEventListener('change', () => this.openExample(choice.value));
    for (const what of ['modes', 'motion', 'linear', 'map'] as const) element(what).addEventListener('click', () => void this.compute(what));
    element('stop').addEventListener('click', () => this.engine.stop());
    element('link').addEventListener('click', () => void this.copyLink());
    element('export').addEventListener('click', () => this.download(`${this.name}.html`, this.viewer.page(), 'text/html'));
    element('save').addEventListener('click', () => this.download(`${this.name}.toml`, this.editor.text, 'text/plain'));
    element('keep').addEventListener('click', () => void this.keep(element('keep').getAttribute('aria-pressed') !== 'true'));
    element('theme').addEventListener('click', () => this.theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
    element('slide').addEventListener('click', () => this.addSlider());
    const number = element<HTMLSelectElement>('number');
    number.addEventListener('change', () => {
      this.sliders.addPath(number.value);
      this.listNumbers();
    });
    this.sliders.onRemove = () => this.listNumbers();
    element('model').addEventListener('click', () => this.showModel(element('model').getAttribute('aria-pressed') !== 'true'));
    for (const pane of ['text', 'result']) element(`pane-${pane}`).addEventListener('click', () => this.showPane(pane));
    element<HTMLInputElement>('open').addEventListener('change', event => void this.openFile(event.target as HTMLInputElement));
    this.editor.onChange = () => this.changed();
    this.editor.onCursor = at => this.offerSlider(at);
    this.sliders.onDrag = () => void this.drag();
    this.sliders.onRest = () => void this.compute(this.what);
    window.addEventListener('hashchange', () => void this.openLink());
    document.addEventListener('keydown', event => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void this.compute(this.what);
    }, {capture: true});
  }

  async start(): Promise<void> {
    const schema = await this.engine.ask({what: 'schema'});
    this.editor.schema = new Schema(JSON.parse(schema.schema as string) as Node);
    if (await this.openLink()) return;
    const start = startOf(document);
    if (start) await this.openResult(start);
    else this.openExample(this.examples[0].name);
  }

  // A result that was sent: it stays as it is, until somebody moves a slider, and then stands beside what comes of that.
  private async openResult(start: Start): Promise<void> {
    this.put(start.name, start.text);
    this.sent = start;
    this.what = this.shown = start.what;
    this.viewer.names = ['as sent', 'now'];
    document.title = `What if: ${start.title}`;
    document.body.classList.add('what-if');
    document.querySelector('h1')?.replaceChildren(`What if: ${start.title}`);
    element(start.what).setAttribute('aria-pressed', 'true');
    if (start.sliders.length) this.sliders.choose(start.sliders);
    else this.sliders.suggest();
    this.listNumbers();
    await this.viewer.show(start.report, `${this.name} ${start.what}`);
    await this.keep(true);
    const answer = await this.engine.ask(this.request('modes', false));
    if (answer.errors) this.showProblems(answer);
    else this.showFrequencies(answer);
    if (!answer.errors) this.say('the result as it was sent; move a slider, and compare');
  }
  private put(name: string, text: string): void {
    this.name = name.replace(/[^\w.-]+/g, '_').replace(/\.toml$/, '') || 'model';
    window.clearTimeout(this.timer);
    this.editor.open(text);
    window.clearTimeout(this.timer);
    this.reference = [];
    this.sent = null;
    this.viewer.names = ['before', 'now'];
  }
  private showModel(on: boolean): void {
    element('model').setAttribute('aria-pressed', String(on));
    document.body.classList.toggle('with-model', on);
  }

  // A new text, and at once what is in it.
  open(name: string, text: string): void {
    this.put(name, text);
    void this.keep(false);
    this.sliders.suggest();
    this.listNumbers();
    void this.compute('modes');
  }
  openExample(name: string): void {
    const example = this.examples.find(one => one.name === name);
    if (!example) return;
    element<HTMLSelectElement>('example').value = name;
    this.open(example.name, example.text);
  }
  // What if: results before and after a change, side by side.
  private async keep(on: boolean): Promise<void> {
    element('keep').setAttribute('aria-pressed', String(on));
    await this.viewer.keep(on);
  }
  private async openLink(): Promise<boolean> {
    const found = await modelOf(window.location.hash);
    if (!found) return false;
    element<HTMLSelectElement>('example').value = '';
    this.open(found[0], found[1]);
    return true;
  }
  private async openFile(input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (file) this.open(file.name, await file.text());
    input.value = '';
  }

  private changed(): void {
    this.sliders.follow();
    if (this.live) return;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.listNumbers();
      void this.check();
    }, 250);
  }

  private request(what: Request['what'], report = true): Request {
    const settings = what === this.sent?.what ? this.sent.settings : {};
    return {what, text: this.editor.text, file: `${this.name}.toml`, report, settings};
  }

  // While somebody types: errors where they are, without computing anything.
  async check(): Promise<void> {
    const mine = ++this.asked;
    try {
      const answer = await this.engine.ask(this.request('check'));
      if (mine !== this.asked) return;
      this.showProblems(answer);
      if (!answer.errors) this.say(`no errors: ${answer.links} links, ${answer.joints} joints, ${answer.freedoms} rigid-body degrees of freedom, ${answer.elasticModes} elastic modes`);
    } catch (error) {
      this.failed(error);
    }
  }

  async compute(what: What): Promise<void> {
    window.clearTimeout(this.timer);
    this.what = what;
    this.live = false;
    const mine = ++this.asked, names: Record<What, string> = {modes: 'modes', motion: 'motion', linear: 'linear model', map: 'map'};
    for (const each of Object.keys(names)) element(each).setAttribute('aria-pressed', String(each === what));
    this.say(`computing the ${names[what]} \u2026`);
    document.body.classList.add('busy');
    try {
      const answer = await this.engine.ask(this.request(what));
      if (mine !== this.asked) return;
      this.showProblems(answer);
      if (answer.errors) return;
      if (answer.report) await this.viewer.show(answer.report, `${this.name} ${what}`);
      if (what === 'modes') this.showFrequencies(answer);
      this.shown = what;
      this.say(`${names[what]}: ${summary(what, answer)} ${time(answer.seconds)}`);
      if (what !== 'modes' && !element('spectrum').hidden) await this.renewFrequencies(mine);
    } catch (error) {
      this.failed(error);
    } finally {
      if (!this.engine.busy) document.body.classList.remove('busy');
    }
  }

  // Numbers follow the slider: frequencies at once, the picture as fast as it can be drawn. One question at a time; what
  // came between is skipped.
  private async drag(): Promise<void> {
    this.pending = true;
    if (this.live) return;
    this.live = true;
    window.clearTimeout(this.timer);
    try {
      while (this.pending) {
        this.pending = false;
        const begin = performance.now(), mine = ++this.asked;
        const answer = await this.engine.ask(this.request('modes', this.what === 'modes' && this.viewer.cost < 60));
        if (mine !== this.asked) break;
        this.showProblems(answer);
        if (answer.errors) continue;
        this.showFrequencies(answer);
        this.latency.push(performance.now() - begin);
        this.say(`frequencies follow, ${time(answer.seconds)}`);
        if (answer.report) await this.viewer.show(answer.report, `${this.name} modes`);
      }
    } catch (error) {
      this.failed(error);
    }
    this.live = false;
  }

  // Beside a motion, a linear model or a map stand the frequencies of the same model.
  private async renewFrequencies(asked: number): Promise<void> {
    const answer = await this.engine.ask(this.request('modes', false));
    if (asked === this.asked && !answer.errors) this.showFrequencies(answer);
  }

  private showFrequencies(answer: Answer): void {
    const all = (answer.frequencies ?? []).slice(answer.rigid ?? 0).map(value => value ?? NaN);
    if (this.reference.length !== all.length) this.reference = all;
    element('frequencies').replaceChildren(...all.slice(0, 8).map((value, k) => {
      const item = document.createElement('li'), change = 100 * (value / this.reference[k] - 1);
      item.textContent = `${value.toPrecision(5)}\u00a0Hz`;
      if (Math.abs(change) >= 0.05) {
        const part = document.createElement('span');
        part.textContent = ` ${change > 0 ? '+' : ''}${change.toFixed(1)}\u00a0%`;
        item.append(part);
      }
      return item;
    }));
    element('spectrum').hidden = all.length === 0;
  }

  private showProblems(answer: Answer): void {
    const errors = answer.errors ?? [];
    this.editor.show(errors);
    const list = element('problems');
    const warnings = [...(answer.warnings ?? []), ...(answer.notes ?? [])];
    list.replaceChildren(...errors.map(error => this.problem(error)), ...warnings.map(text => {
      const item = document.createElement('li');
      item.className = 'warning';
      item.textContent = text;
      return item;
    }));
    if (errors.length) this.say(`${errors.length} ${errors.length === 1 ? 'error' : 'errors'}; the result is that of the last good model`);
    element('status').classList.toggle('bad', errors.length > 0);
  }
  private problem(error: Problem): HTMLElement {
    const item = document.createElement('li'), go = document.createElement('button');
    item.className = 'error';
    go.type = 'button';
    go.textContent = error.line > 0 ? `line ${error.line}, column ${error.column}: ${error.message}` : error.message;
    go.disabled = error.line === 0;
    go.addEventListener('click', () => {
      this.showPane('text');
      this.editor.goTo(error);
    });
    item.append(go);
    return item;
  }
  private failed(error: unknown): void {
    if (error instanceof Stopped) this.say('stopped');
    else this.say(String(error));
    document.body.classList.remove('busy');
  }
  private say(text: string): void { element('status').textContent = text; }

  private offerSlider(at: number): void {
    const number = this.sliders.at(at), button = element<HTMLButtonElement>('slide');
    button.disabled = number === null;
    button.textContent = number ? `Slider for ${number.path}` : 'Slider: put the cursor on a number';
  }
  private addSlider(): void {
    const at = this.editor.view.state.selection.main.head, number = this.sliders.at(at);
    if (number) this.sliders.add(number);
    this.listNumbers();
    this.offerSlider(at);
  }
  private listNumbers(): void {
    const rest = this.sliders.others().map(n => new Option(`${n.path} = ${n.value}${n.unit ? ` ${n.unit}` : ''}`, n.path));
    element('number').replaceChildren(new Option('Slider for \u2026', ''), ...rest);
  }

  private async copyLink(): Promise<void> {
    const hash = await linkOf(this.name, this.editor.text);
    history.replaceState(null, '', hash);
    const address = window.location.href;
    try {
      await navigator.clipboard.writeText(address);
      this.say(`the link is copied: ${address.length} characters, the model is in it`);
    } catch {
      this.say('the link is in the address bar: the model is in it');
    }
  }
  private download(name: string, text: string, type: string): void {
    const address = URL.createObjectURL(new Blob([text], {type})), link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(address), 10000);
  }
  theme(theme: string): void {
    document.documentElement.dataset.theme = theme;
    this.viewer.theme(theme);
  }
  // On a narrow screen: the text or the result.
  private showPane(pane: string): void {
    document.body.dataset.pane = pane;
    for (const each of ['text', 'result']) element(`pane-${each}`).setAttribute('aria-pressed', String(each === pane));
  }
}

function time(seconds: number): string {
  return seconds < 1 ? `(${Math.max(1, Math.round(1000 * seconds))} ms)` : `(${seconds.toPrecision(3)} s)`;
}
function summary(what: What, answer: Answer): string {
  if (what === 'modes') return `${(answer.frequencies ?? []).length} modes, the first at ${((answer.frequencies ?? [])[answer.rigid ?? 0] ?? NaN).toPrecision(6)} Hz`;
  if (what === 'motion') return `${answer.steps} steps`;
  if (what === 'linear') return `${answer.coordinates} coordinates, ${answer.inputs} inputs, ${answer.outputs} outputs`;
  return `${answer.computed} of ${answer.points} points`;
}

async function begin(): Promise<void> {
  document.documentElement.dataset.theme = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const status = element('status');
  try {
    const [wasm, worker, template, examples] = await Promise.all(['part-engine', 'part-worker', 'part-viewer', 'part-examples'].map(part));
    const engine = new Engine(read(worker), await WebAssembly.compile(wasm as BufferSource));
    const playground = new Playground(engine, new Viewer(element('result'), read(template)), JSON.parse(read(examples)) as Example[]);
    Object.assign(window, {playground});
    await playground.start();
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  } catch (error) {
    status.textContent = `This browser cannot run the engine: ${String(error)}. Chrome 95, Firefox 113 and Safari 16.4 or later can.`;
    status.classList.add('bad');
  }
}

void begin();
