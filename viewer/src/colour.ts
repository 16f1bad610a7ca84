// Colours: one scale for values (dark blue over green to yellow, even in lightness) and one for curves.

const stops = [
  [0.16, 0.10, 0.38], [0.17, 0.28, 0.58], [0.10, 0.45, 0.62], [0.10, 0.60, 0.55], [0.36, 0.74, 0.38], [0.72, 0.83, 0.22], [0.99, 0.91, 0.20],
];

// Red, green, blue in 0..1 (sRGB) of a share 0..1.
export function valueColour(share: number, out: number[] | Float32Array, at = 0): void {
  const x = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x));
  const w = x - i;
  for (let k = 0; k < 3; ++k) out[at + k] = stops[i][k] * (1 - w) + stops[i + 1][k] * w;
}

export function valueCss(share: number): string {
  const c = [0, 0, 0];
  valueColour(share, c);
  return `rgb(${c.map(v => Math.round(255 * v)).join(' ')})`;
}

export const gradientCss = `linear-gradient(to right, ${stops.map((_, i) => valueCss(i / (stops.length - 1))).join(', ')})`;

// Chosen so that any two stay apart for readers who miss one of the three colours of the eye, too, and from the page (at
// least 3 : 1): they differ in lightness as well as in hue.
const light = ['#2d5fb1', '#e36e14', '#3ea58e', '#44034d', '#8c3705', '#ae71f9', '#3784a2', '#6a3171'];
const dark = ['#58a5ff', '#fb8812', '#bafff1', '#bf3664', '#efef38', '#625fd1', '#77d2fa', '#aba799'];

export function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}
export function curveColour(index: number): string {
  const palette = isDark() ? dark : light;
  return palette[index % palette.length];
}

// Of links: metals, told apart by hue but calm.
const links = [[0.40, 0.58, 0.78], [0.83, 0.60, 0.38], [0.45, 0.69, 0.56], [0.66, 0.52, 0.73], [0.76, 0.70, 0.38], [0.42, 0.66, 0.73], [0.77, 0.50, 0.50], [0.58, 0.62, 0.68]];
export function linkColour(index: number): number[] {
  return links[index % links.length];
}
// Of what has no value on a scale: rigid links beside stresses.
export const neutralColour = [0.62, 0.64, 0.67];
