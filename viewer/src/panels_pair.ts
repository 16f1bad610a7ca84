// Modes of two results beside each other.
import {curveColour} from './colour';
import {ModeSetData} from './data';
import {el} from './dom';
import {modeFrequency, number} from './format';
import {Pair} from './pair';
import {Stage} from './stage';
import {tableCard} from './tables';

export function pairModesPanel(pair: Pair, stage: Stage | null): HTMLElement {
  const panel = el('div', {class: 'panel-body'}), buttons: {set: number; mode: number; button: HTMLButtonElement}[] = [];
  pair.first.modes.forEach((set, s) => {
    const other = pair.second.modes[s] as ModeSetData | undefined, partner = (k: number): number | null => pair.modePairs[s]?.modes[k] ?? null;
    const list = el('ul', {class: 'modes pairs', 'aria-label': `Modes of ${set.name}`});
    set.frequencies.forEach((_, k) => {
      const button = el('button', {type: 'button', 'aria-pressed': 'false', click: () => stage?.showMode(s, k)}, el('span', {class: 'mode-number'}, String(set.numbers[k])), frequencyOf(set, k, 0), frequencyOf(other, partner(k), 1), change(set, other, k, partner(k)));
      buttons.push({set: s, mode: k, button});
      list.append(el('li', {}, button));
    });
    const compared = pair.modePairs[s]?.agreement.some(value => value !== null);
    const remark = `Select a mode to animate it in both. ${pair.names[0]} is left, ${pair.names[1]} right; modes are paired by ${compared ? 'their shapes' : 'their order'}.`;
    panel.append(el('section', {class: 'card'}, el('h3', {}, `Modes of ${set.name}`), el('p', {class: 'remark'}, remark), list));
    if (other) panel.append(frequencyTable(pair, s));
  });
  if (stage) {
    const previous = stage.onSource;
    stage.onSource = () => {
      previous();
      const {source} = stage;
      for (const {set, mode, button} of buttons) button.setAttribute('aria-pressed', String(source.kind === 'mode' && source.set === set && source.mode === mode));
    };
  }
  return panel;
}

function frequencyOf(set: ModeSetData | undefined, k: number | null, colour: number): HTMLElement {
  const text = el('span', {class: 'mode-frequency'}, set && k !== null ? modeFrequency(set.frequencies[k]) : '\u2013');
  text.style.borderLeft = `3px solid ${curveColour(colour)}`;
  return text;
}

function percent(a: number, b: number | undefined): number | null {
  return b !== undefined && a > 0 && b > 0 ? 100 * (b / a - 1) : null;
}

function change(set: ModeSetData, other: ModeSetData | undefined, k: number, partner: number | null): HTMLElement {
  const value = partner === null ? null : percent(set.frequencies[k], other?.frequencies[partner]);
  return el('span', {class: 'damping'}, value === null ? '' : `${value > 0 ? '+' : ''}${number(Math.abs(value) < 1e-4 ? 0 : value, 3)} %`);
}

function frequencyTable(pair: Pair, s: number): HTMLElement {
  const set = pair.first.modes[s], other = pair.second.modes[s], {modes, agreement} = pair.modePairs[s];
  const rows = set.frequencies.map((f, k) => {
    const j = modes[k];
    return [set.numbers[k], f, j === null ? null : other.numbers[j], j === null ? null : other.frequencies[j], j === null ? null : percent(f, other.frequencies[j]),
      set.dampingRatios[k] ?? null, j === null ? null : other.dampingRatios[j] ?? null, agreement[k]];
  });
  const heads = [['mode', ''], [pair.names[0], 'Hz'], ['is mode', ''], [pair.names[1], 'Hz'], ['change', '%'], [`damping ratio, ${pair.names[0]}`, ''], [`damping ratio, ${pair.names[1]}`, ''], ['shape agreement (MAC)', '']];
  const useful = heads.map((_, i) => (i === 2 ? modes.some((j, k) => j !== null && other.numbers[j] !== set.numbers[k]) : i < 5 || rows.some(row => row[i] !== null && row[i] !== 0)));
  const card = tableCard({title: `natural frequencies of ${set.name}`, columns: heads.filter((_, i) => useful[i]).map(([name, unit]) => ({name, unit})), rows: rows.map(row => row.filter((_, i) => useful[i]))}, 5);
  if (useful[7]) card.append(el('p', {class: 'remark'}, 'Shape agreement is the modal assurance criterion: 1 where both swing alike.'));
  return card;
}
