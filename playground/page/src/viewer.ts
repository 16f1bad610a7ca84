// The report page in a frame: the same one that the program writes, with new data put in as they come.
interface ReportWindow extends Window {
  lithe?: {
    show: (report: unknown, same: boolean) => void;
    showPair: (first: unknown, second: unknown, names: [string, string], same: boolean) => void;
    setTheme: (theme: string) => void;
  };
}

export class Viewer {
  readonly frame = document.createElement('iframe');
  names: [string, string] = ['before', 'now']; // of what is kept, and of what is shown beside it
  report = ''; // data of what is shown
  cost = 0; // ms, of showing the last one
  private what = '';
  private kept: {what: string; report: string} | null = null; // to be compared with
  private loading: Promise<void> | null = null;

  constructor(host: HTMLElement, private readonly template: string) {
    this.frame.title = 'Report';
    host.append(this.frame);
  }

  page(): string {
    const {kept, names, report} = this;
    if (!this.beside()) return this.template.replace('@LITHE_DATA@', () => report);
    const other = `</script>\n<script type="application/json" id="lithe-other" data-first="${names[0]}" data-second="${names[1]}">`;
    return this.template.replace('@LITHE_DATA@', () => `${kept?.report}${other}${report}`);
  }

  // What is shown now stays, and what comes next of its kind is shown beside it.
  async keep(on: boolean): Promise<void> {
    this.kept = on && this.report ? {what: this.what, report: this.report} : null;
    if (this.report) await this.show(this.report, this.what);
  }
  private beside(): boolean { return this.kept?.what === this.what && this.kept.report !== this.report; }

  // `what`: the kind of question that it answers.
  async show(report: string, what: string): Promise<void> {
    const same = what === this.what;
    this.what = what;
    this.report = report;
    await this.loading;
    const window = this.frame.contentWindow as ReportWindow | null, begin = performance.now();
    if (window?.lithe) {
      if (this.beside() && this.kept) window.lithe.showPair(JSON.parse(this.kept.report), JSON.parse(report), this.names, same);
      else window.lithe.show(JSON.parse(report), same);
      this.cost = performance.now() - begin;
      return;
    }
    this.loading = new Promise(done => this.frame.addEventListener('load', () => done(), {once: true}));
    this.frame.srcdoc = this.page();
    await this.loading;
    this.loading = null;
    this.cost = performance.now() - begin;
    this.theme(document.documentElement.dataset.theme ?? 'light');
  }
  theme(theme: string): void {
    (this.frame.contentWindow as ReportWindow | null)?.lithe?.setTheme(theme);
  }
}
