// How long report pages take to open and how much a frame costs: `node bench/report_page.mjs`, after a build with tests. With sizes of
// windows (`1280x800@1 1920x1080@2`), only the frames per second of those.
// Software rendering (no graphics card): placing and colouring the mechanism is the same work everywhere, drawing is slower here.
// Then frames per second of a motion that plays, beside its plots, at several sizes; and of a page that only clears a canvas.
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {launch, lithe, open, root, workFolder} from '../tests/browser/browser.mjs';

const work = workFolder();
const browser = await launch();
execFileSync(process.env.LITHE_PAGES ?? join(root, 'build', 'tests', 'browser_pages'), [work.folder]);

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

const asked = process.argv.slice(2);
if (asked.length === 0) lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '--end', '10', '-o', '.');
for (const [name, file] of asked.length ? [] : [['10 s at 1 kHz', 'report.html'], ['20 links, 2,020 nodes', 'large.html']]) {
  const path = join(work.folder, file), times = [];
  for (let i = 0; i < 5; ++i) {
    const {page, context} = await open(browser, path);
    times.push(Number(await page.getAttribute('html', 'data-ready')));
    await context.close();
  }
  const {page, context} = await open(browser, path);
  const place = await page.evaluate(() => {
    const stage = window.lithe.page.stage, costs = [];
    for (let i = 0; i < 300; ++i) {
      stage.setTime((10 * i) / 300);
      costs.push(stage.view.frameCost);
    }
    return costs;
  });
  await page.selectOption('#colour', 'stress');
  const colour = await page.evaluate(() => {
    const stage = window.lithe.page.stage, costs = [];
    for (let i = 0; i < 300; ++i) {
      stage.setTime((10 * i) / 300);
      costs.push(stage.view.frameCost);
    }
    return costs;
  });
  console.log(`${name}: ${(statSync(path).size / 1e6).toFixed(2)} MB, opens in ${median(times).toFixed(0)} ms; a frame is placed in ` +
      `${median(place).toFixed(2)} ms, with stress colours in ${median(colour).toFixed(2)} ms`);
  await context.close();
}

// Processor time of this program's children, ms.
function processorTime() {
  const parents = new Map(), used = new Map();
  for (const id of readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number))
    try {
      const text = readFileSync(`/proc/${id}/stat`, 'utf8'), words = text.slice(text.lastIndexOf(')') + 2).split(' ');
      parents.set(id, Number(words[1]));
      used.set(id, 10 * (Number(words[11]) + Number(words[12])));
    } catch { /* it has ended */ }
  const ours = id => id === process.pid || (id > 1 && ours(parents.get(id) ?? 0));
  return [...used].reduce((sum, [id, time]) => sum + (id !== process.pid && ours(id) ? time : 0), 0);
}

async function pace(name, page, seconds = 5) {
  await page.waitForTimeout(1500);
  const before = processorTime();
  const intervals = await page.evaluate(seconds => new Promise(done => {
    const begin = performance.now(), all = [];
    let last = begin;
    const next = () => {
      const now = performance.now();
      all.push(now - last);
      last = now;
      if (now - begin < 1000 * seconds) requestAnimationFrame(next); else done(all);
    };
    requestAnimationFrame(next);
  }), seconds);
  const total = intervals.reduce((sum, v) => sum + v, 0), used = (processorTime() - before) / intervals.length;
  const scale = await page.evaluate(() => window.lithe?.page.stage.view.pace.scale);
  console.log(`${name}: ${((1000 * intervals.length) / total).toFixed(1)} frames/s, median interval ${median(intervals).toFixed(1)} ms, ${used.toFixed(0)} ms of all processors per frame` +
      (scale ? `, resolution ${scale.toFixed(2)}` : ''));
}

const empty = `<!DOCTYPE html><body style="margin:0"><canvas id="c" width="799" height="770"></canvas><script>
  const gl = c.getContext('webgl2', {alpha: false, antialias: false});
  let n = 0;
  (function next() { gl.clearColor(n++ % 60 / 60, 0, 0, 1); gl.clear(16640); requestAnimationFrame(next); })();
</script>`;
if (asked.length === 0) {
  const file = join(work.folder, 'canvas.html'), context = await browser.newContext({viewport: {width: 1440, height: 900}}), page = await context.newPage();
  writeFileSync(file, empty);
  await page.goto(`file://${encodeURI(file)}`);
  await pace('nothing but a canvas', page);
  await context.close();
}
for (const size of asked.length ? asked : ['1280x800@1', '1920x1080@1', '1280x800@2', '1920x1080@2', '3840x2160@1']) {
  const [width, height, deviceScaleFactor] = size.split(/[x@]/).map(Number);
  const {page, context} = await open(browser, join(work.folder, 'large.html'), {viewport: {width, height}, deviceScaleFactor});
  await page.click('button[aria-label=Play]');
  await pace(`20 links, 2,020 nodes at ${size}`, page);
  await context.close();
}
await browser.close();
work.remove();
