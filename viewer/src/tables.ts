// Tables that can be copied and downloaded.
import {TableData} from './data';
import {download, el, fileName} from './dom';
import {chosenUnit, DisplayUnit, number, pretty} from './format';

function csv(table: TableData, separator: string): string {
  const cell = (value: string | number | null): string => {
    const text = value === null ? '' : String(value);
    return text.includes(separator) || /["\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  const head = table.columns.map(c => cell(c.unit ? `${c.name} [${c.unit}]` : c.name)).join(separator);
  return [head, ...table.rows.map(row => row.map(cell).join(separator))].join('\n') + '\n';
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages opened from disk may lack the clipboard interface.
    const area = el('textarea', {'aria-hidden': 'true'});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

// Rows of a sensor's component that hold nothing but rounding errors beside its other components are shown as zeros.
function isNoise(table: TableData, row: TableData['rows'][number]): boolean {
  if (table.columns[0].name !== 'sensor' || typeof row[0] !== 'string') return false;
  const whole = (name: unknown): string => String(name).replace(/\.[xyz]$/, '');
  const size = (r: TableData['rows'][number]): number => r.reduce<number>((most, cell, i) => (typeof cell === 'number' && !['s', '%'].includes(table.columns[i].unit) ? Math.max(most, Math.abs(cell)) : most), 0);
  const largest = Math.max(...table.rows.filter(other => whole(other[0]) === whole(row[0])).map(size));
  return size(row) < 1e-12 * largest;
}

// A row about a sensor whose unit stands in a column: values in the unit that the model file asks for. What is copied stays in SI units.
function unitOfRow(table: TableData, row: TableData['rows'][number]): DisplayUnit | undefined {
  const unit = table.columns.findIndex(column => column.name === 'unit');
  return table.columns[0].name === 'sensor' && unit >= 0 ? chosenUnit(String(row[unit]), String(row[0])) : undefined;
}

export function tableCard(table: TableData, digits = 5): HTMLElement {
  const copyButton = el('button', {type: 'button', class: 'quiet', 'aria-label': `Copy table ${table.title}`}, 'Copy');
  copyButton.addEventListener('click', () => void copy(csv(table, '\t'), copyButton));
  const save = el('button', {type: 'button', class: 'quiet', 'aria-label': `Download table ${table.title} as CSV`, click: () => download(`${fileName(table.title)}.csv`, csv(table, ','))}, 'CSV');
  const columnUnits = table.columns.map(column => (column.unit === 'Pa' ? {factor: 1e-6, unit: 'MPa'} : chosenUnit(column.unit) ?? {factor: 1, unit: pretty(column.unit)}));
  const head = el('tr', {});
  table.columns.forEach((column, i) => head.append(el('th', {scope: 'col', class: table.rows.some(row => typeof row[i] === 'string') ? 'words' : ''}, column.name, column.unit ? el('span', {class: 'unit'}, ` ${columnUnits[i].unit}`) : null)));
  const body = el('tbody', {});
  for (const row of table.rows) {
    const line = el('tr', {}), noise = isNoise(table, row);
    const chosen = unitOfRow(table, row);
    row.forEach((cell, i) => {
      const unit = table.columns[i]?.name === 'unit', own = table.columns[i]?.unit === '', nothing = noise && !['s', '%'].includes(table.columns[i]?.unit);
      if (typeof cell === 'string') line.append(el('td', {class: unit ? 'one-line' : ''}, unit ? chosen?.unit ?? pretty(cell) : cell));
      else line.append(el('td', {class: 'number'}, number(cell === null ? cell : nothing ? 0 : (own && chosen ? chosen.factor : columnUnits[i].factor) * cell, digits)));
    });
    body.append(line);
  }
  const scroller = el('div', {class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': table.title}, el('table', {}, el('thead', {}, head), body));
  fitWidth(scroller);
  return el('section', {class: 'card'},
      el('div', {class: 'plot-title'}, el('h3', {}, table.title), el('span', {class: 'space'}), copyButton, save), scroller);
}

// A table that is too wide is set in smaller letters; where that does not do, its first column stays while the others scroll.
function fitWidth(scroller: HTMLElement): void {
  let shown = 0;
  new ResizeObserver(() => {
    if (scroller.clientWidth === shown) return;
    shown = scroller.clientWidth;
    scroller.classList.remove('compact', 'tight', 'wide');
    for (const step of shown > 450 ? ['compact', 'tight', 'wide'] : ['compact', 'wide']) if (scroller.scrollWidth > scroller.clientWidth) scroller.classList.add(step);
  }).observe(scroller);
}

export function factsCard(title: string, facts: [string, string][]): HTMLElement {
  const list = el('dl', {class: 'facts'});
  for (const [what, value] of facts) list.append(el('dt', {}, what), el('dd', {}, value));
  return el('section', {class: 'card'}, el('h3', {}, title), list);
}
