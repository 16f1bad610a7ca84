// The model file: colours, completion and help from the schema, errors of the engine at their line and column.
import {autocompletion, Completion, CompletionContext, CompletionResult, completionKeymap} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap, indentWithTab} from '@codemirror/commands';
import {HighlightStyle, StreamLanguage, syntaxHighlighting} from '@codemirror/language';
import {toml} from '@codemirror/legacy-modes/mode/toml';
import {Diagnostic, lintGutter, lintKeymap, setDiagnostics} from '@codemirror/lint';
import {EditorState, Transaction} from '@codemirror/state';
import {drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers} from '@codemirror/view';
import {tags} from '@lezer/highlight';
import {Problem} from './engine';
import {Schema} from './schema';
import {scan, Scan, Step} from './toml';

const colours = HighlightStyle.define([
  {tag: tags.propertyName, color: 'var(--key)'},
  {tag: tags.string, color: 'var(--text)'},
  {tag: [tags.number, tags.atom, tags.bool], color: 'var(--number)'},
  {tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic'},
]);

// Names that the file itself gives: of links, nodes, materials.
const referring: Record<string, string[]> = {
  material: ['materials'], section: ['sections'], link: ['links'], child: ['links'], parent: ['links'], joint: ['joints', 'dh'],
  sensor: ['sensors'], node: ['nodes'], child_node: ['nodes'], parent_node: ['nodes'], path: ['nodes'], drive: ['drives'], load: ['loads'],
  inputs: ['drives', 'loads', 'joints'], held: ['joints'], spin: ['joints'],
};

function namesOf(found: Scan, what: string): string[] {
  const names: string[] = [];
  if (what === 'nodes') {
    for (const token of found.tokens) if (token.kind === 'key' && token.table[token.table.length - 1] === 'nodes') names.push(token.key);
  } else if (what === 'materials' || what === 'sections') {
    for (const id of found.values.keys()) {
      const path = JSON.parse(id) as Step[];
      if (path[0] === what && typeof path[1] === 'string') names.push(path[1]);
    }
  } else {
    for (const [id, values] of found.values) {
      const path = JSON.parse(id) as Step[], name = values.get('name');
      if (path[0] === what && path.length === 2 && name) names.push(name.replace(/^["']|["']$/g, ''));
    }
    if (what === 'links') names.push('ground');
  }
  return [...new Set(names)];
}

export class Editor {
  readonly view: EditorView;
  onChange: (byHand: boolean) => void = () => undefined;
  onCursor: (at: number) => void = () => undefined;
  schema: Schema | null = null;
  problems: Problem[] = [];

  constructor(host: HTMLElement, private readonly label: string) {
    this.view = new EditorView({parent: host, state: this.state('')});
  }

  private state(text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), lintGutter(),
        StreamLanguage.define(toml), syntaxHighlighting(colours),
        autocompletion({override: [context => this.complete(context)], icons: false}),
        hoverTooltip((_, at) => this.help(at)),
        keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.contentAttributes.of({'aria-label': this.label, spellcheck: 'false', autocapitalize: 'off'}),
        EditorView.updateListener.of(update => {
          if (update.docChanged) this.onChange(update.transactions.some(t => t.annotation(Transaction.userEvent) !== undefined));
          if (update.selectionSet || update.docChanged) this.onCursor(update.state.selection.main.head);
        }),
      ],
    });
  }

  get text(): string { return this.view.state.doc.toString(); }
  // A new file: nothing of the old one can be undone into it.
  open(text: string): void {
    this.view.setState(this.state(text));
    this.onChange(true);
  }
  replace(from: number, to: number, text: string): void {
    this.view.dispatch({changes: {from, to, insert: text}});
  }

  show(problems: Problem[]): void {
    this.problems = problems;
    const {doc} = this.view.state;
    const marks = problems.filter(p => p.line > 0).map((problem): Diagnostic => {
      const line = doc.line(Math.min(doc.lines, problem.line)), from = Math.min(line.to, line.from + columnToOffset(line.text, problem.column));
      const rest = line.text.slice(from - line.from), word = /^(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|\[+[^\]]*\]*|[^\s,\]}=#]+)/.exec(rest)?.[0].length ?? 1;
      return {from, to: Math.max(from, Math.min(line.to, from + word)), severity: 'error', message: problem.message};
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }
  goTo(problem: Problem): void {
    const {doc} = this.view.state, line = doc.line(Math.min(doc.lines, Math.max(1, problem.line)));
    this.view.dispatch({selection: {anchor: Math.min(line.to, line.from + columnToOffset(line.text, problem.column))}, scrollIntoView: true});
    this.view.focus();
  }

  private complete(context: CompletionContext): CompletionResult | null {
    const {schema} = this, all = this.text, found = scan(all), {end} = scan(all.slice(0, context.pos));
    if (!schema || end.expects === 'nothing') return null;
    // Paths of the half and of the whole text are the same: what comes later changes no number before.
    let options: Completion[] = [], {from} = end;
    const open = all.slice(from, context.pos);
    if (end.expects === 'key') {
      const used = found.values.get(JSON.stringify(end.table));
      options = schema.keys(found, end.table).filter(([key]) => !used?.has(key) || open === key)
          .map(([key, node]) => ({label: key, info: node.description, apply: `${key} = `}));
      if (end.table.length === 0 && all.slice(all.lastIndexOf('\n', from - 1) + 1, from).trim() === '')
        options.push(...schema.headers().map(([key, list, info]) => ({label: list ? `[[${key}]]` : `[${key}]`, info, apply: list ? `[[${key}]]\n` : `[${key}.`})));
    } else if (end.expects === 'header') {
      options = schema.keys(found, end.table).map(([key, node]) => ({label: key, info: node.description}));
    } else {
      if (end.quoted) from = end.from + 1;
      const names = (referring[end.key] ?? []).flatMap(what => namesOf(found, what));
      const words = [...schema.choices(found, end.table, end.key), ...names];
      options = words.map(word => ({label: String(word), apply: typeof word === 'string' && !end.quoted ? `"${word}"` : String(word)}));
      if (end.quoted) options = options.filter(option => typeof words.find(word => String(word) === option.label) === 'string');
    }
    if (options.length === 0 || (!context.explicit && context.pos === from && end.expects !== 'value')) return null;
    return {from, options, validFor: /^[\w-]*$/};
  }

  private help(at: number): {pos: number; end: number; create: () => {dom: HTMLElement}} | null {
    const found = scan(this.text), token = found.tokens.find(t => t.from <= at && at <= t.to && t.kind !== 'value');
    if (!token || !this.schema) return null;
    const text = token.kind === 'key' ? this.schema.describe(found, token.table, token.key) : this.schema.describeTable(found, token.table.slice(0, 1));
    if (!text) return null;
    return {
      pos: token.from, end: token.to, create: () => {
        const dom = document.createElement('div');
        dom.className = 'help';
        const name = document.createElement('strong');
        name.textContent = token.kind === 'key' ? token.key : String(token.table[0]);
        dom.append(name, ` ${text}`);
        return {dom};
      },
    };
  }
}

// Columns of the engine count characters from 1, offsets of the editor UTF-16 from 0.
function columnToOffset(line: string, column: number): number {
  let offset = 0, count = 1;
  for (const letter of line) {
    if (count++ >= column) break;
    offset += letter.length;
  }
  return offset;
}
