// What stands where in a model file, also in one that is half written: keys, values and the tables around them.

export type Step = string | number; // a key, or a place in an array
export interface Token {
  kind: 'key' | 'value' | 'header';
  from: number;
  to: number;
  table: Step[]; // the table that a key or value stands in; of a header: the table itself
  key: string; // of a value: its key
  at: Step[]; // of a value inside arrays: places below the key
}
// Where the text ends: what could be typed there.
export interface End {
  expects: 'key' | 'value' | 'header' | 'nothing';
  from: number; // where the word under the cursor begins
  table: Step[];
  key: string;
  quoted: boolean; // inside a text
  listed: boolean; // an item of an array
}
export interface Scan {
  tokens: Token[];
  end: End;
  values: Map<string, Map<string, string>>; // per table (its path as JSON): keys and their values as written
}

interface Frame {
  kind: 'table' | 'array';
  table: Step[]; // of an inline table: its path
  key: string;
  item: number;
  at: Step[];
}

const bare = /[A-Za-z0-9_-]/;

export function scan(text: string): Scan {
  const tokens: Token[] = [], values: Scan['values'] = new Map(), counts = new Map<string, number>();
  let at = 0, header: Step[] = [], lineKey = '', keyTable: Step[] = [];
  const stack: Frame[] = [];
  let expects: End['expects'] = 'key', wordFrom = 0, quoted = false;

  const tableOf = (): Step[] => {
    for (let i = stack.length - 1; i >= 0; --i) if (stack[i].kind === 'table') return stack[i].table;
    return header;
  };
  const itemPath = (): Step[] => {
    const path: Step[] = [];
    for (let i = stack.length - 1; i >= 0 && stack[i].kind === 'array'; --i) path.unshift(stack[i].item);
    return path;
  };
  // The present item of an array of tables stands for [table] below [[table]].
  const inItems = (keys: string[]): Step[] => {
    const path: Step[] = [];
    for (const key of keys) {
      path.push(key);
      const count = counts.get(JSON.stringify(path));
      if (count !== undefined) path.push(count);
    }
    return path;
  };
  const text_end = (from: number): number => {
    const quote = text[from], triple = text.startsWith(quote.repeat(3), from);
    let i = from + (triple ? 3 : 1);
    while (i < text.length) {
      if (text[i] === '\n' && !triple) return i;
      if (text[i] === '\\' && quote === '"') i += 2;
      else if (triple ? text.startsWith(quote.repeat(3), i) : text[i] === quote) return i + (triple ? 3 : 1);
      else ++i;
    }
    quoted = true;
    return text.length;
  };
  const note = (token: Token): void => {
    tokens.push(token);
    if (token.kind !== 'value' || token.at.length) return;
    const id = JSON.stringify(token.table), there = values.get(id) ?? new Map<string, string>();
    there.set(token.key, text.slice(token.from, token.to));
    values.set(id, there);
  };
  const readKeys = (stop: string): string[] => {
    const keys: string[] = [];
    while (at < text.length) {
      while (text[at] === ' ' || text[at] === '\t') ++at;
      wordFrom = at;
      if (text[at] === '"' || text[at] === '\'') {
        const from = at;
        at = text_end(at);
        keys.push(text.slice(from + 1, Math.max(from + 1, at - 1)));
      } else {
        while (at < text.length && bare.test(text[at])) ++at;
        keys.push(text.slice(wordFrom, at));
      }
      while (text[at] === ' ' || text[at] === '\t') ++at;
      if (text[at] !== '.' || stop === '') break;
      ++at;
    }
    return keys;
  };
  const readHeader = (): void => {
    const from = at, double = text[at + 1] === '[';
    at += double ? 2 : 1;
    expects = 'header';
    const keys = readKeys(']');
    if (at >= text.length) {
      header = inItems(keys.slice(0, -1));
      return;
    }
    let path: Step[];
    if (double) {
      const outer = [...inItems(keys.slice(0, -1)), keys[keys.length - 1]], id = JSON.stringify(outer);
      counts.set(id, (counts.get(id) ?? -1) + 1);
      for (const other of [...counts.keys()]) if (other !== id && other.startsWith(id.slice(0, -1) + ',')) counts.delete(other);
      path = [...outer, counts.get(id) as number];
    } else path = inItems(keys);
    header = path;
    while (at < text.length && text[at] === ']') ++at;
    tokens.push({kind: 'header', from, to: at, table: path, key: '', at: []});
    expects = 'nothing';
    wordFrom = at;
  };

  while (at < text.length) {
    const c = text[at];
    if (c === '#') {
      while (at < text.length && text[at] !== '\n') ++at;
      if (at >= text.length) expects = 'nothing';
    } else if (c === '\n') {
      ++at;
      wordFrom = at;
      if (stack.length === 0) expects = 'key';
    } else if (/\s/.test(c)) {
      ++at;
      wordFrom = at;
    } else if (expects === 'key' && stack.length === 0 && c === '[') {
      readHeader();
    } else if (expects === 'key' && (bare.test(c) || c === '"' || c === '\'')) {
      const from = at, keys = readKeys('.'), to = at;
      keyTable = [...tableOf(), ...keys.slice(0, -1)];
      lineKey = keys[keys.length - 1];
      if (at >= text.length) continue;
      note({kind: 'key', from, to, table: keyTable, key: lineKey, at: []});
      expects = text[at] === '=' ? 'value' : 'nothing';
      if (text[at] === '=') ++at;
      wordFrom = at;
    } else if (expects === 'value' && c === '{') {
      stack.push({kind: 'table', table: [...keyTable, lineKey, ...itemPath()], key: lineKey, item: 0, at: keyTable});
      ++at;
      expects = 'key';
      wordFrom = at;
    } else if (expects === 'value' && c === '[') {
      stack.push({kind: 'array', table: keyTable, key: lineKey, item: 0, at: []});
      ++at;
      wordFrom = at;
    } else if ((c === '}' || c === ']') && stack.length) {
      const closed = stack.pop() as Frame;
      if (closed.kind === 'table') [keyTable, lineKey] = [closed.at, closed.key];
      ++at;
      expects = stack.length ? 'value' : 'nothing';
      wordFrom = at;
    } else if (c === ',' && stack.length) {
      const top = stack[stack.length - 1];
      if (top.kind === 'array') {
        ++top.item;
        expects = 'value';
      } else expects = 'key';
      ++at;
      wordFrom = at;
    } else if (expects === 'value') {
      const from = at;
      if (c === '"' || c === '\'') at = text_end(at);
      else while (at < text.length && !/[\s,\]}#]/.test(text[at])) ++at;
      wordFrom = from;
      if (at >= text.length && !/["']$/.test(text.slice(from + 1))) continue;
      note({kind: 'value', from, to: at, table: keyTable, key: lineKey, at: itemPath()});
      expects = stack.length ? 'value' : 'nothing';
    } else {
      ++at;
    }
  }
  const listed = stack.length > 0 && stack[stack.length - 1].kind === 'array';
  const last = expects as End['expects'];
  return {tokens, values, end: {expects: last, from: wordFrom, table: last === 'value' ? keyTable : last === 'header' ? header : tableOf(), key: lineKey, quoted, listed}};
}

// "sections.tube.diameter", "links.arm.masses[0].mass": items by their name where they have one.
export function pathText(found: Scan, table: Step[], key: string, at: Step[]): string {
  let text = '';
  table.forEach((step, i) => {
    if (typeof step === 'string') {
      text += (text ? '.' : '') + step;
      return;
    }
    const name = found.values.get(JSON.stringify(table.slice(0, i + 1)))?.get('name');
    text += name ? `.${name.replace(/^["']|["']$/g, '')}` : `[${step}]`;
  });
  return `${text}${text ? '.' : ''}${key}${at.map(step => `[${step}]`).join('')}`;
}

// A number with its unit, as a model file writes it.
export interface Written {
  from: number; // of the digits
  to: number;
  value: number;
  unit: string;
  path: string;
}
const quantity = /^(["']?)\s*([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^"']*)(["']?)$/;

export function numbersIn(text: string): Written[] {
  const found = scan(text), result: Written[] = [];
  for (const token of found.tokens) {
    if (token.kind !== 'value') continue;
    const written = text.slice(token.from, token.to), match = quantity.exec(written);
    if (!match || (match[1] === '' && match[3] !== '') || /^\d{4}-/.test(written)) continue;
    if (match[1] !== '' && match[3] !== '' && !/^[A-Za-z\u00b0%1]/.test(match[3])) continue;
    const from = token.from + written.indexOf(match[2], match[1].length);
    const value = Number(match[2].replaceAll('_', ''));
    if (Number.isFinite(value)) result.push({from, to: from + match[2].length, value, unit: match[3].trim(), path: pathText(found, token.table, token.key, token.at)});
  }
  return result;
}
