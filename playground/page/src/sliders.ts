// Sliders for numbers of the file: dragging one writes the number into the text, the only place where it stands.
import {Editor} from './editor';
import {numbersIn, Written} from './toml';

// What is worth a slider in a file that nobody has chosen any for.
const usual = [/\.diameter$/, /\.thickness$/, /\.(young_modulus)$/, /masses\[\d+\]\.mass$/, /\.mass$/, /\.(height|width)$/, /\.tip\[0\]$/];
const mostUsual = 4;

interface Slider {
  path: string;
  low: number;
  high: number;
  first: number; // when the slider was made
  row: HTMLElement;
  input: HTMLInputElement;
  shown: HTMLOutputElement;
}

export class Sliders {
  private readonly all: Slider[] = [];
  private dragging = false;
  onDrag: () => void = () => undefined;
  onRest: () => void = () => undefined;
  onRemove: () => void = () => undefined;

  constructor(private readonly host: HTMLElement, private readonly editor: Editor) {}

  get paths(): string[] { return this.all.map(slider => slider.path); }

  suggest(): void {
    this.clear();
    const numbers = numbersIn(this.editor.text).filter(n => n.value !== 0);
    for (const pattern of usual)
      for (const number of numbers) if (this.all.length < mostUsual && pattern.test(number.path)) this.add(number);
  }
  clear(): void {
    this.all.length = 0;
    this.host.replaceChildren();
  }

  // Sliders for these numbers alone.
  choose(paths: string[]): void {
    this.clear();
    for (const path of paths) this.addPath(path);
  }
  addPath(path: string): void {
    const number = numbersIn(this.editor.text).find(n => n.path === path);
    if (number) this.add(number);
  }
  // Numbers that have none yet.
  others(): Written[] {
    return numbersIn(this.editor.text).filter(n => n.path !== 'lithe' && !this.paths.includes(n.path));
  }

  // The number under the cursor, if there is one without a slider.
  at(position: number): Written | null {
    const found = numbersIn(this.editor.text).find(n => n.from <= position && position <= n.to);
    return found && !this.paths.includes(found.path) ? found : null;
  }

  add(number: Written): void {
    if (this.paths.includes(number.path)) return;
    const size = number.value === 0 ? 1 : Math.abs(number.value), positive = number.value > 0;
    const low = positive ? size / 3 : number.value - size, high = positive ? size * 3 : number.value + size;
    const name = document.createElement('label'), input = document.createElement('input'), shown = document.createElement('output'), away = document.createElement('button');
    const row = document.createElement('div');
    row.className = 'slider';
    row.dataset.path = number.path;
    input.type = 'range';
    input.min = '0';
    input.max = '1';
    input.step = '0.001';
    input.id = `slider-${number.path}`;
    name.htmlFor = input.id;
    name.textContent = number.path;
    name.title = number.path;
    away.type = 'button';
    away.textContent = '\u00d7';
    away.setAttribute('aria-label', `Remove the slider of ${number.path}`);
    const slider: Slider = {path: number.path, low, high, first: number.value, row, input, shown};
    away.addEventListener('click', () => {
      this.all.splice(this.all.indexOf(slider), 1);
      row.remove();
      this.onRemove();
    });
    input.addEventListener('input', () => this.write(slider));
    input.addEventListener('change', () => this.onRest());
    input.addEventListener('dblclick', () => {
      this.set(slider, slider.first);
      this.onRest();
    });
    row.append(name, input, shown, away);
    this.host.append(row);
    this.all.push(slider);
    this.display(slider, number);
  }

  private share(slider: Slider, value: number): number {
    const {low, high} = slider;
    return low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  }
  private write(slider: Slider): void {
    const share = Number(slider.input.value), {low, high} = slider;
    this.set(slider, low > 0 ? low * (high / low) ** share : low + share * (high - low));
  }
  private set(slider: Slider, value: number): void {
    const written = numbersIn(this.editor.text).find(n => n.path === slider.path);
    if (!written) return;
    const whole = /^[-+]?\d+$/.test(this.editor.text.slice(written.from, written.to)) && /count|elements|modes/.test(slider.path);
    const text = String(whole ? Math.round(value) : Number(value.toPrecision(4)));
    this.dragging = true;
    this.editor.replace(written.from, written.to, text);
    this.dragging = false;
    this.display(slider, {...written, value: Number(text)});
    this.onDrag();
  }
  private display(slider: Slider, number: Written): void {
    const percent = slider.first === 0 ? '' : ` (${number.value >= slider.first ? '+' : ''}${(100 * (number.value / slider.first - 1)).toFixed(0)} %)`;
    slider.shown.textContent = `${Number(number.value.toPrecision(4))}${number.unit ? `\u00a0${number.unit}` : ''}${number.value === slider.first ? '' : percent}`;
    if (!this.dragging) slider.input.value = String(Math.min(1, Math.max(0, this.share(slider, number.value))));
    slider.input.setAttribute('aria-valuetext', slider.shown.textContent);
  }

  // The text has changed: numbers may have gone, or have other values.
  follow(): void {
    if (this.dragging) return;
    const numbers = numbersIn(this.editor.text);
    for (const slider of this.all) {
      const number = numbers.find(n => n.path === slider.path);
      slider.row.classList.toggle('lost', !number);
      slider.input.disabled = !number;
      if (number) this.display(slider, number);
    }
  }
}
