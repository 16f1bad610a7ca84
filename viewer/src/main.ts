// The page: header, stage with the 3-D view, panels in tabs.
import {curveColour} from './colour';
import {EnergyData, readOther, ReportData, readReport, reportOf, SceneData} from './data';
import {el, iconButton} from './dom';
import {askForFile, takeDrops} from './files';
import {useUnits} from './format';
import {graphicsHere} from './graphics';
import {Pair, pairOf} from './pair';
import {PlotHost, energyPanel, hasEnergy, motionPanel, spectrumPanel} from './panels_motion';
import {mapsPanel} from './panels_maps';
import {comparisonPanel, dataPanel, keysCard, linearPanel, modesPanel} from './panels_other';
import {pairModesPanel} from './panels_pair';
import {Run, unpackRuns} from './runs';
import {Stage, StageLook} from './stage';
import {factsCard, tableCard} from './tables';
import {PlotOptions, TimePlot} from './timeplot';

// What stays when the page gets another report: the tab, and how the stage looks at it.
interface Kept {
  tab: string;
  stage: StageLook | null;
}

class Page implements PlotHost {
  readonly stage: Stage | null;
  private readonly listening = new AbortController();
  readonly plots = new Set<TimePlot>();
  private readonly runs: Run[];
  private readonly tabs = el('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Results'});
  private readonly panels = el('div', {class: 'panels'});
  private chosen = '';

  private readonly report: ReportData; // what the panels show: of a pair, both

  constructor(readonly own: ReportData, kept?: Kept, readonly pair: Pair | null = null) {
    this.report = pair?.merged ?? own;
    const {report} = this, one = pair?.first ?? own;
    useUnits(one.scene?.units ?? pair?.second.scene?.units, {...pair?.second.scene?.sensorUnits, ...one.scene?.sensorUnits});
    this.runs = unpackRuns(report);
    const drawn = [one, pair?.second].filter((r): r is ReportData => r?.scene !== undefined && Stage.canShow(r));
    const stages = drawn.map(r => makeStage(r, r.scene as SceneData));
    this.stage = stages[0] ?? null;
    if (pair && stages[0] && stages[1]) {
      stages[1].modeLike = (set, mode) => pair.modePairs[set]?.modes[mode] ?? null;
      stages[0].lead(stages[1], pair.names);
    }
    const side = el('section', {class: 'side', 'aria-label': 'Results'}, this.tabs, this.panels);
    const main = el('main', {class: `${this.stage ? '' : 'no-stage'} ${this.stage?.twin ? 'both' : ''}`}, this.stage?.root, side);
    document.getElementById('app')?.append(this.header(), main);
    if (drawn.length && !this.stage) main.before(el('p', {class: 'notice', role: 'alert'}, 'This browser cannot draw in 3-D here (WebGL 2 is missing); everything else is below.'));
    document.title = `${report.title} \u2013 Lithe`;
    if (this.stage) this.stage.onTime = time => this.showTime(time);
    this.chosen = kept?.tab ?? '';
    this.fill();
    this.stage?.start();
    if (kept?.stage) this.stage?.lookAs(kept.stage);
    if (this.stage?.twin) this.stage.view.fit();
    document.addEventListener('keydown', event => this.keys(event), {signal: this.listening.signal});
    window.addEventListener('beforeprint', () => this.preparePrint(), {signal: this.listening.signal});
    window.addEventListener('afterprint', () => this.endPrint(), {signal: this.listening.signal});
    const still = kept?.stage ? !kept.stage.playing : window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (still) this.stage?.pause(); else this.stage?.play();
  }

  // Over the results, until it is closed.
  say(text: string): void {
    const notice = el('p', {class: 'notice', role: 'alert'}, el('span', {}, text), iconButton('close', 'Close', () => notice.remove()));
    document.querySelector('main')?.before(notice);
  }

  // Makes room for another page.
  close(): Kept {
    const kept = {tab: this.chosen, stage: this.stage?.look() ?? null};
    this.listening.abort();
    for (const plot of [...this.plots]) this.drop(plot);
    this.stage?.close();
    document.getElementById('app')?.replaceChildren();
    return kept;
  }

  private header(): HTMLElement {
    const theme = iconButton('sun', 'Light or dark', () => {
      this.changeTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    });
    const help = el('button', {type: 'button', class: 'icon', title: 'Keys (?)', 'aria-label': 'Keys', click: () => this.help()}, '?');
    const compare = el('button', {type: 'button', class: 'compare', 'aria-pressed': String(this.pair !== null), title: this.pair ? 'Back to the first result alone' : 'Open another report page beside this one; or drop it here', click: () => {
      if (this.pair) showAlone(); else askForFile(file => void openBeside(file));
    }}, 'Compare');
    const print = el('button', {type: 'button', class: 'print', title: 'Print the tab that is open, with a picture of the 3-D view', click: () => window.print()}, 'Print');
    return el('header', {class: 'top'},
        el('span', {class: 'brand', 'aria-hidden': 'true'}, 'lithe'),
        el('h1', {}, this.report.title), el('span', {class: 'subtitle'}, this.report.subtitle), el('span', {class: 'space'}), compare, print, help, theme);
  }

  private help(): void {
    const close = iconButton('close', 'Close', () => dialog.close());
    const dialog = el('dialog', {class: 'keys', 'aria-label': 'Keys', close: () => dialog.remove()}, close, keysCard(this.report));
    document.body.append(dialog);
    dialog.showModal();
  }

  // Paper is white, and has the facts of the run above the open tab. The canvas itself cannot be printed: it is empty by then.
  private preparePrint(): void {
    this.themeOnScreen ??= document.documentElement.dataset.theme ?? 'light';
    if (this.themeOnScreen === 'dark') this.changeTheme('light');
    this.panels.querySelectorAll('.plot-host, .xy-host').forEach(plot => plot.dispatchEvent(new Event('refit')));
    document.querySelectorAll('.print-picture, .print-facts').forEach(old => old.remove());
    const results: [string, string][] = this.report.runs.length > 1 ? [] : this.report.facts;
    if (results.length) this.tabs.before(el('div', {class: 'print-facts'}, factsCard('run', results)));
    if (this.stage) this.tabs.before(el('img', {class: 'print-picture', src: this.stage.drawn().toDataURL('image/png'), alt: `3-D view of ${this.report.title}`}));
  }

  private endPrint(): void {
    if (this.themeOnScreen === 'dark') this.changeTheme('dark');
    this.themeOnScreen = null;
  }
  private themeOnScreen: string | null = null; // while it prints
  private changeTheme(theme: string): void {
    setTheme(theme);
    this.retheme();
  }

  // Panels are made when they are first looked at: only then do plots know their width.
  private fill(): void {
    const r = this.report;
    if (this.stage) this.stage.onSource = () => undefined;
    this.tabs.replaceChildren();
    this.panels.replaceChildren();
    const spectrum = (): void => this.addTab('spectrum', 'Spectrum', () => spectrumPanel(r, this));
    const spectrumFirst = r.spectra.length > 0 && !r.scene && r.comparisons.length === 0;
    if (spectrumFirst) spectrum();
    if (r.comparisons.length) this.addTab('compare', 'Comparison', () => comparisonPanel(r, this));
    if (this.runs.some(run => run.columns.length)) {
      this.addTab('motion', 'Motion', () => motionPanel(this.runs, this, this.stage));
      if (hasEnergy(this.runs)) this.addTab('energy', 'Energy', () => energyPanel(this.balances(), this.runs, this));
    }
    if (r.maps.length) this.addTab('maps', 'Maps', () => mapsPanel(r, this.stage));
    this.fillModes();
    if (r.spectra.length && !spectrumFirst) spectrum();
    if (r.eigenvalues.length) this.addTab('linear', 'Linear', () => linearPanel(r));
    this.addTab('data', 'Data', () => dataPanel(r));
    const first = this.tabs.querySelector('button'), there = this.makers.has(this.chosen);
    this.choose((there && this.chosen) || first?.dataset.tab || 'data');
  }

  private fillModes(): void {
    const {pair, report, stage} = this;
    const [a, b] = pair ? [pair.first, pair.second] : [report, report];
    if (pair && a.modes.length && b.modes.length) this.addTab('modes', 'Modes', () => pairModesPanel(pair, stage));
    else if (a.modes.length) this.addTab('modes', 'Modes', () => modesPanel(a, stage));
    else if (b.modes.length) this.addTab('modes', 'Modes', () => modesPanel(b, null));
  }

  private balances(): [string, EnergyData][] {
    const {pair, report} = this, all: [string, EnergyData | undefined][] = pair ? [[pair.names[0], pair.first.energy], [pair.names[1], pair.second.energy]] : [['', report.energy]];
    return all.filter((one): one is [string, EnergyData] => one[1] !== undefined);
  }

  private addTab(id: string, title: string, make: () => HTMLElement): void {
    const panel = el('div', {class: 'panel', role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true, tabindex: '-1'});
    const button = el('button', {type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`, 'aria-selected': 'false', 'data-tab': id, click: () => this.choose(id)}, title);
    button.addEventListener('keydown', event => this.tabKeys(event));
    this.tabs.append(button);
    this.panels.append(panel);
    this.makers.set(id, make);
  }
  private readonly makers = new Map<string, () => HTMLElement>();

  choose(id: string): void {
    this.chosen = id;
    for (const button of this.tabs.querySelectorAll('button')) {
      const on = button.dataset.tab === id;
      button.setAttribute('aria-selected', String(on));
      button.tabIndex = on ? 0 : -1;
    }
    for (const panel of this.panels.children) (panel as HTMLElement).hidden = panel.id !== `panel-${id}`;
    const panel = document.getElementById(`panel-${id}`), make = this.makers.get(id);
    if (panel && make && panel.childElementCount === 0) panel.append(make());
    this.stage?.onSource();
    if (this.stage?.motion) this.showTime(this.stage.time);
  }

  private tabKeys(event: KeyboardEvent): void {
    const all = [...this.tabs.querySelectorAll('button')], at = all.indexOf(event.target as HTMLButtonElement);
    const places: Record<string, number> = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1};
    if (!(event.key in places)) return;
    const next = all[(places[event.key] + all.length) % all.length];
    this.choose(next.dataset.tab ?? '');
    next.focus();
    event.preventDefault();
  }

  timePlot(options: PlotOptions): TimePlot {
    const stage = this.stage;
    const plot = new TimePlot({
      events: this.report.events,
      ...options,
      // While nothing plays, pointing at a plot shows that instant in the 3-D view.
      hover: time => { if (stage?.motion && !stage.playing && stage.source.kind === 'motion') stage.setTime(time); },
      choose: time => stage?.setTime(time),
      step: direction => stage?.stepFrames(direction),
    });
    this.plots.add(plot);
    if (stage?.motion) plot.setTime(stage.time);
    return plot;
  }
  drop(plot: TimePlot): void {
    this.plots.delete(plot);
    plot.destroy();
  }
  private showTime(time: number): void {
    const texts = this.stage?.textsDue ?? true;
    for (const plot of this.plots) plot.setTime(time, texts);
  }

  retheme(): void {
    for (const plot of [...this.plots]) this.drop(plot);
    this.makers.clear();
    this.fill();
    this.stage?.view.retheme();
    this.stage?.twin?.view.retheme();
    this.stage?.render();
  }

  private keys(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!this.stage || event.ctrlKey || event.metaKey || event.altKey || target.closest('input, select, textarea')) return;
    const stage = this.stage;
    const actions: Record<string, () => void> = {
      ',': () => stage.stepFrames(-1), '.': () => stage.stepFrames(1), f: () => stage.view.fit(),
      n: () => stage.selectNext(event.shiftKey ? -1 : 1), Escape: () => { if (!stage.tools.escape()) stage.deselect(); },
      h: () => { if (event.shiftKey) stage.showAllLinks(); else stage.hideLink(); },
      c: () => { if (stage.selected) stage.view.approach(...stage.selected); },
      m: () => stage.tools.setMeasuring(true), '?': () => this.help(),
      1: () => stage.view.look('iso'), 2: () => stage.view.look('x'), 3: () => stage.view.look('y'), 4: () => stage.view.look('z'),
    };
    if (event.key === ' ' && !target.closest('button')) {
      stage.toggle();
      event.preventDefault();
    } else actions[event.key.length === 1 ? event.key.toLowerCase() : event.key]?.();
  }
}

// Without WebGL the rest of the page is still of use.
function makeStage(report: ReportData, scene: SceneData): Stage | null {
  const graphics = graphicsHere();
  return graphics && new Stage(report, scene, graphics);
}

function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
}

// Another report in place of this one. `kept`: how this one was looked at.
function show(report: ReportData, kept?: Kept): void {
  page = new Page(report, kept);
}

// A second result beside the first one of this page.
function showBeside(second: ReportData, names?: [string, string]): void {
  const first = page.pair?.first ?? page.own, kept = page.close();
  page = new Page(first, {...kept, tab: ''}, pairOf(first, second, names));
}
function showAlone(): void {
  const first = page.pair?.first ?? page.own, kept = page.close();
  show(first, {...kept, stage: null, tab: ''});
}

async function openBeside(file: File): Promise<void> {
  try {
    showBeside(reportOf(await file.text()));
  } catch (error) {
    if (!document.querySelector('main')) show(readReport()); // it broke off halfway
    page.say(`${file.name} cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
  }
}

// For tests, for the curious and for pages around this one: what is drawn, and the means to change it.
function expose(): void {
  Object.assign(window, {lithe: {
    get page() { return page; },
    // Another report in place of this one. `same`: about the same, so that it is seen from the same side, in the same tab.
    show: (report: ReportData, same = true) => {
      const kept = page.close();
      show(report, same ? kept : undefined);
    },
    // Two results at once, in place of this one.
    showPair: (first: ReportData, second: ReportData, names: [string, string], same = true) => {
      const kept = page.close();
      page = new Page(first, same ? kept : undefined, pairOf(first, second, names));
    },
    showBeside,
    showAlone,
    setTheme: (theme: string) => {
      setTheme(theme);
      page.retheme();
    },
    setTime: (time: number) => page.stage?.setTime(time),
    time: () => page.stage?.time,
    times: () => Array.from(page.stage?.motion?.times ?? []),
    setScale: (scale: number) => page.stage?.setScale(scale),
    // The middle of the drawn section at a node, read back from the mesh.
    drawnNode: (link: number, node: number) => page.stage?.view.sweep.drawnNode(link, node),
    source: () => page.stage?.source.kind,
    frameCosts: () => page.stage?.view.costs.slice(),
    frameLoad: () => page.stage?.view.load(),
    choose: (tab: string) => page.choose(tab),
    tableCard,
    curveColour,
  }});
}

setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
const other = readOther();
let page = new Page(readReport(), undefined, other && pairOf(readReport(), other.report, other.names));
expose();
takeDrops(file => void openBeside(file));
document.documentElement.dataset.ready = String(Math.round(performance.now())); // ms since the page was asked for;
