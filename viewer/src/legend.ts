// Names of curves with their values; each switches its curve off and on. Many curves share names, or scroll.
import {el} from './dom';
import type {Curve} from './timeplot';

const few = 8;

export class Legend {
  readonly root = el('div', {class: 'legend'});
  readonly values: (HTMLElement | null)[]; // one per curve; none where a name stands for several
  private readonly off = new Set<string>();

  constructor(private readonly curves: Curve[], title: string, private readonly show: (curve: number, on: boolean) => void) {
    this.values = curves.map(() => null);
    const runs = [...new Set(curves.map(c => c.run))], parts = [...new Set(curves.map(c => c.part))];
    if (curves.length > few && runs.length > 1 && parts.length > 1 && curves.every(c => c.run && c.part)) {
      this.addGroup(runs as string[], 'run', name => [curves.find(c => c.run === name)!.colour, undefined]);
      this.addGroup(parts as string[], 'part', name => ['var(--muted)', curves.find(c => c.part === name)!.dash]);
      return;
    }
    const list = curves.length > few ? el('div', {class: 'legend long', tabindex: '0', role: 'group', 'aria-label': `Curves of ${title}`}) : this.root;
    if (list !== this.root) {
      const all = el('button', {type: 'button', class: 'quiet', click: () => this.setAll()}, `all or none of ${curves.length}`);
      this.root.classList.add('stacked');
      this.root.append(all, list);
    }
    curves.forEach((curve, k) => {
      const value = (this.values[k] = el('output', {class: 'value', 'aria-live': 'off'})); // nobody can listen to them while things move
      list.append(this.key(`curve ${k}`, curve.label === title ? '' : curve.label, curve.label, swatch(curve.colour, curve.dash), value));
    });
  }

  private addGroup(names: string[], kind: 'run' | 'part', look: (name: string) => [string, number[] | undefined]): void {
    this.root.classList.add('stacked');
    const row = el('div', {class: 'legend', role: 'group', 'aria-label': kind === 'run' ? 'Runs' : 'Components'});
    for (const name of names) row.append(this.key(`${kind} ${name}`, name, name, swatch(...look(name)), null));
    this.root.append(row);
  }

  private key(id: string, text: string, name: string, sample: HTMLElement, value: HTMLElement | null): HTMLElement {
    const button = el('button', {type: 'button', class: 'key', 'aria-pressed': 'true', title: `Show or hide ${name}`, 'data-key': id, click: () => {
      if (this.off.has(id)) this.off.delete(id); else this.off.add(id);
      this.apply();
    }}, sample, text || null, value);
    return button;
  }

  private isOn(k: number): boolean {
    const {run, part} = this.curves[k];
    return ![`curve ${k}`, `run ${run}`, `part ${part}`].some(id => this.off.has(id));
  }
  private setAll(): void {
    const none = this.off.size === 0;
    this.off.clear();
    if (none) this.curves.forEach((_, k) => this.off.add(`curve ${k}`));
    this.apply();
  }
  private apply(): void {
    this.curves.forEach((_, k) => this.show(k, this.isOn(k)));
    for (const key of this.root.querySelectorAll<HTMLElement>('.key')) key.setAttribute('aria-pressed', String(!this.off.has(key.dataset.key ?? '')));
  }
}

function swatch(colour: string, dash?: number[]): HTMLElement {
  const sample = el('span', {class: 'swatch'});
  const [on, gap] = dash ?? [0, 0];
  sample.style.background = dash ? `repeating-linear-gradient(to right, ${colour} 0 ${on}px, transparent ${on}px ${on + gap}px)` : colour;
  return sample;
}
