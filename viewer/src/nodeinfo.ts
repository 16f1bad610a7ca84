// What is said of a selected node.
import {chosenUnit, number, quantity} from './format';

// In the units of the model file.
export function placeRows(place: number[], displacement: Float64Array, rotation: Float64Array, size: number): [string, string][] {
  const rounded = (value: number, least: number): number => (Math.abs(value) < least ? 0 : value); // rounding errors are no news
  const length = chosenUnit('m') ?? {factor: 1, unit: 'm'};
  return [
    ['position', `${place.map(v => number(length.factor * rounded(v, 1e-9 * size), 5)).join(', ')}\u00a0${length.unit}`],
    ['displacement', quantity(rounded(Math.hypot(...displacement), 1e-11 * size), 'm')],
    ['rotation', quantity(rounded(Math.hypot(...rotation), 1e-11), 'rad')],
  ];
}
