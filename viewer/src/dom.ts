// Small helpers to make elements. All text goes in as text, never as markup.

type Child = Node | string | null | undefined | false;
type Options = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K, options: Options = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (key === 'class') element.className = String(value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

// Icons are drawn from path data of our own.
const icons: Record<string, string> = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6 5h4v14H6zM14 5h4v14h-4z',
  loop: 'M7 7h9a4 4 0 0 1 4 4h-2a2 2 0 0 0-2-2H7v3L2.500 8 7 4zM17 17H8a4 4 0 0 1-4-4h2a2 2 0 0 0 2 2h9v-3l4.500 4-4.500 4z',
  fit: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  camera: 'M4 7h4l1.500-2h5L16 7h4v12H4zM12 9.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z',
  sun: 'M12 7.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM11 2h2v3h-2zM11 19h2v3h-2zM2 11h3v2H2zM19 11h3v2h-3zM4.200 5.600l1.400-1.400 2.100 2.100-1.400 1.400zM16.300 17.700l1.400-1.400 2.100 2.100-1.400 1.400zM4.200 18.400l2.100-2.100 1.400 1.400-2.100 2.100zM16.300 6.300l2.100-2.100 1.400 1.400-2.100 2.100z',
  close: 'M6.400 5 5 6.400 10.600 12 5 17.600 6.400 19 12 13.400 17.600 19 19 17.600 13.400 12 19 6.400 17.600 5 12 10.600z',
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

export function iconButton(name: string, label: string, click: () => void): HTMLButtonElement {
  return el('button', {type: 'button', class: 'icon', 'aria-label': label, title: label, click}, icon(name));
}

export function select(label: string, choices: [string, string][], change: (value: string) => void): HTMLSelectElement {
  const element = el('select', {'aria-label': label, change: () => change(element.value)});
  for (const [value, text] of choices) element.append(el('option', {value}, text));
  return element;
}

export function download(name: string, content: string | Blob, type = 'text/csv'): void {
  const blob = typeof content === 'string' ? new Blob([content], {type: `${type};charset=utf-8`}) : content;
  const url = URL.createObjectURL(blob);
  const link = el('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function fileName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[._]+/, '') || 'lithe';
}

export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Plots grow with tall windows. `rem`: the size of letters over the usual 16 pixels.
export function plotHeight(usual: number, rem: number): number {
  return usual * rem * Math.min(1.6, Math.max(1, window.innerHeight / (1000 * rem)));
}
