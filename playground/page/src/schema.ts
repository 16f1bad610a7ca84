// The schema of the model file, as the engine itself makes it from the tables of its reader.
import {Scan, Step} from './toml';

export interface Node {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Node>;
  additionalProperties?: boolean | Node;
  items?: Node;
  anyOf?: Node[];
  allOf?: (Node & {if?: {properties: {kind: {const: string}}}; then?: Node})[];
  enum?: (string | boolean | number)[];
  required?: string[];
  definitions?: Record<string, Node>;
}

export class Schema {
  constructor(private readonly root: Node) {}

  // What a node can be, references followed. `kind`: of an analysis, where it is known.
  private forms(node: Node | undefined, kind?: string): Node[] {
    if (!node) return [];
    if (node.$ref) return this.forms(this.root.definitions?.[node.$ref.replace('#/definitions/', '')], kind);
    const result = [node];
    for (const other of node.anyOf ?? []) result.push(...this.forms(other, kind));
    for (const other of node.allOf ?? []) {
      if (!other.then) result.push(...this.forms(other, kind));
      else if (kind !== undefined && other.if?.properties.kind.const === kind) result.push(...this.forms(other.then));
    }
    return result;
  }

  private within(scan: Scan, path: Step[]): Node[] {
    let nodes = this.forms(this.root);
    path.forEach((step, i) => {
      const kind = scan.values.get(JSON.stringify(path.slice(0, i + 1)))?.get('kind')?.replace(/["']/g, '');
      nodes = nodes.flatMap(node => {
        if (typeof step === 'number') return this.forms(node.items, kind);
        const own = node.properties?.[step];
        if (own) return this.forms(own, kind);
        return typeof node.additionalProperties === 'object' ? this.forms(node.additionalProperties, kind) : [];
      });
    });
    return nodes;
  }

  // The keys of a table, with what they are.
  keys(scan: Scan, table: Step[]): [string, Node][] {
    const found = new Map<string, Node>();
    for (const node of this.within(scan, table))
      for (const [key, value] of Object.entries(node.properties ?? {})) if (!found.get(key)?.description) found.set(key, value);
    return [...found];
  }

  describe(scan: Scan, table: Step[], key: string): string | undefined {
    return this.keys(scan, table).find(([name]) => name === key)?.[1].description ?? this.describeTable(scan, [...table, key]);
  }
  describeTable(scan: Scan, table: Step[]): string | undefined {
    return this.within(scan, table).map(node => node.description).find(text => text !== undefined);
  }

  // Words that may stand as the value.
  choices(scan: Scan, table: Step[], key: string): (string | boolean | number)[] {
    const nodes = this.within(scan, [...table, key]), own = nodes.flatMap(node => [node, ...this.forms(node.items)]);
    const words = own.flatMap(node => node.enum ?? []);
    if (own.some(node => node.type === 'boolean')) words.push(true, false);
    return [...new Set(words)];
  }
  takesText(scan: Scan, table: Step[], key: string): boolean {
    return this.within(scan, [...table, key]).some(node => [node.type].flat().includes('string'));
  }

  // Tables that may be headed: "[materials.", "[[links]]".
  headers(): [string, boolean, string][] {
    return Object.entries(this.root.properties ?? {}).flatMap(([key, node]): [string, boolean, string][] => {
      const forms = this.forms(node), list = forms.some(form => form.items && this.forms(form.items).some(item => item.properties)), table = forms.some(form => form.properties || typeof form.additionalProperties === 'object');
      return list || table ? [[key, list, node.description ?? '']] : [];
    });
  }
}
