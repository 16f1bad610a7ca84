// Numbers with units and sensible digits.

const prefixes: [number, string][] = [
  [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, '\u00b5'], [1e-9, 'n'],
];
const prefixed = new Set(['m', 'm/s', 'm/s^2', 'N', 'N m', 'Pa', 'J', 'J/m', 's', 'W', 'V', 'A', 'N/m', 'N m/rad', 'rad', 'rad/s', 'rad/s^2']);

export interface DisplayUnit {
  factor: number; // shown value = SI value * factor
  unit: string;
}

// Units that the model file writes: by SI unit, and by sensor.
let writtenUnits: Record<string, DisplayUnit> = {}, sensorUnits: Record<string, DisplayUnit> = {};
export function useUnits(units: Record<string, DisplayUnit> = {}, ofSensors: Record<string, DisplayUnit> = {}): void {
  [writtenUnits, sensorUnits] = [units, ofSensors];
}

// The unit of a sensor, or of the model file, for the values of an SI unit; none: whatever reads well.
export function chosenUnit(unit: string, sensor = ''): DisplayUnit | undefined {
  const own = (list: Record<string, DisplayUnit>, key: string): DisplayUnit | undefined => (Object.hasOwn(list, key) ? list[key] : undefined);
  const chosen = own(sensorUnits, sensor) ?? own(sensorUnits, sensor.replace(/\.[xyz]$/, '')) ?? own(writtenUnits, unit);
  return chosen && {factor: chosen.factor, unit: pretty(chosen.unit)};
}

// The unit in which values up to `largest` read well: "mm" for 0.004 m. Angles have no prefix unless they are small.
export function displayUnit(largest: number, unit: string, sensor = ''): DisplayUnit {
  const chosen = chosenUnit(unit, sensor);
  if (chosen) return chosen;
  if (!prefixed.has(unit) || !(largest > 0) || !Number.isFinite(largest)) return {factor: 1, unit: pretty(unit)};
  const angular = unit.startsWith('rad');
  if (angular && largest >= 0.01) return {factor: 1, unit: pretty(unit)};
  for (const [size, prefix] of prefixes) if (largest >= size * 0.9995) return {factor: 1 / size, unit: prefix + pretty(unit)};
  // Rounding, not a size anybody has a prefix in mind for.
  return largest >= 1e-11 ? {factor: 1e9, unit: 'n' + pretty(unit)} : {factor: 1, unit: pretty(unit)};
}

export function pretty(unit: string): string {
  return unit.replace(/\^2/g, '\u00b2').replace(/\^3/g, '\u00b3').replace(/\^-1/g, '\u207b\u00b9');
}

// So many significant digits, without needless zeros or exponents.
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return value > 0 ? '\u221e' : '\u2212\u221e';
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e6 || size < 1e-4) {
    text = value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  } else if (size >= 10 ** digits) {
    text = String(Math.round(value));
  } else {
    text = value.toPrecision(digits);
    if (text.includes('.')) text = text.replace(/\.?0+$/, '');
  }
  return text.replaceAll('-', '\u2212');
}

// "12.3 mm"
export function quantity(value: number, unit: string, digits = 4): string {
  const shown = displayUnit(Math.abs(value), unit);
  return `${number(value * shown.factor, digits)}${shown.unit ? '\u00a0' + shown.unit : ''}`;
}

// Fixed decimals so that a running clock does not jump about.
export function clock(time: number, end: number): string {
  const decimals = end >= 100 ? 2 : end >= 1 || end <= 0 ? 3 : end >= 0.01 ? 5 : 7;
  return `${time.toFixed(decimals)}\u00a0s`;
}

// Of a CSV file: the shortest text that reads back to the same single-precision number.
export function plain(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(8))) : '';
}

export function modeFrequency(frequency: number): string {
  if (frequency === 0) return 'free motion';
  return frequency < 0 ? `unstable, grows at ${number(-frequency, 4)}\u00a0Hz` : `${number(frequency, 5)}\u00a0Hz`;
}
