// The scale of colours in a corner of the 3-D view.
import {gradientCss} from './colour';
import {el} from './dom';
import {quantity} from './format';

export class ColourBar {
  readonly root = el('div', {class: 'colour-bar', hidden: true});
  private shown = '';

  // `what`: name and unit, null where colours stand for no value; `largest`: null where its size means nothing.
  show(what: [string, string] | null, largest: number | null, remark: string): void {
    this.root.hidden = what === null;
    if (!what) return;
    const [name, unit] = what, text = largest === null ? 'max' : quantity(largest, unit, 3);
    if (this.shown === name + text) return;
    this.shown = name + text;
    const ramp = el('div', {class: 'ramp'});
    ramp.style.background = gradientCss;
    this.root.replaceChildren(el('span', {class: 'bar-name'}, name), ramp, el('span', {}, '0'), el('span', {class: 'bar-end'}, text));
    if (remark) this.root.append(el('span', {class: 'bar-name unit'}, remark));
  }
}
