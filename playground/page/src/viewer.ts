// The report page in a frame: the same one that the program writes, with new data put in as they come.
interface ReportWindow extends Window {
  lithe?: {show: (report: unknown, same: boolean) => void; setTheme: (theme: string) => void};
}

export class Viewer {
  readonly frame = document.createElement('iframe');
  report = ''; // data of what is shown
  cost = 0; // ms, of showing the last one
  private what = '';
  private loading: Promise<void> | null = null;

  constructor(host: HTMLElement, private readonly template: string) {
    this.frame.title = 'Report';
    host.append(this.frame);
  }

  page(): string {
    return this.template.replace('@LITHE_DATA@', () => this.report);
  }

  // `what`: the kind of question that it answers.
  async show(report: string, what: string): Promise<void> {
    const same = what === this.what;
    this.what = what;
    this.report = report;
    await this.loading;
    const window = this.frame.contentWindow as ReportWindow | null, begin = performance.now();
    if (window?.lithe) {
      window.lithe.show(JSON.parse(report), same);
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
