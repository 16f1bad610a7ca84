// Tables that can be copied and downloaded.
import {TableData} from './data';
import {download, el, fileName} from './dom';
import {number, pretty} from './format';

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

export function tableCard(table: TableData, digits = 5): HTMLElement {
  const copyButton = el('button', {type: 'button', class: 'quiet', 'aria-label': `Copy table ${table.title}`}, 'Copy');
  copyButton.addEventListener('click', () => void copy(csv(table, '\t'), copyButton));
  const save = el('button', {type: 'button', class: 'quiet', 'aria-label': `Download table ${table.title} as CSV`, click: () => download(`${fileName(table.title)}.csv`, csv(table, ','))}, 'CSV');
  const head = el('tr', {});
  table.columns.forEach((column, i) => head.append(el('th', {scope: 'col', class: table.rows.some(row => typeof row[i] === 'string') ? 'words' : ''}, column.name, column.unit ? el('span', {class: 'unit'}, ` ${pretty(column.unit)}`) : null)));
  const body = el('tbody', {});
  for (const row of table.rows) {
    const line = el('tr', {});
    row.forEach((cell, i) => line.append(typeof cell === 'string' ? el('td', {}, table.columns[i]?.name === 'unit' ? pretty(cell) : cell) : el('td', {class: 'number'}, number(cell, digits))));
    body.append(line);
  }
  return el('section', {class: 'card'},
      el('div', {class: 'plot-title'}, el('h3', {}, table.title), el('span', {class: 'space'}), copyButton, save),
      el('div', {class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': table.title}, el('table', {}, el('thead', {}, head), body)));
}

export function factsCard(title: string, facts: [string, string][]): HTMLElement {
  const list = el('dl', {class: 'facts'});
  for (const [what, value] of facts) list.append(el('dt', {}, what), el('dd', {}, value));
  return el('section', {class: 'card'}, el('h3', {}, title), list);
}
