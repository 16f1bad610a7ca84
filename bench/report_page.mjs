// How long report pages take to open and how much a frame costs: `node bench/report_page.mjs`, after a build with tests.
// Software rendering (no graphics card): placing and colouring the mechanism is the same work everywhere, drawing is slower here.
import {execFileSync} from 'node:child_process';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {launch, lithe, open, root, workFolder} from '../tests/browser/browser.mjs';

const work = workFolder();
const browser = await launch();
lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '--end', '10', '-o', '.');
execFileSync(process.env.LITHE_PAGES ?? join(root, 'build', 'tests', 'browser_pages'), [work.folder]);

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

for (const [name, file] of [['10 s at 1 kHz', 'report.html'], ['20 links, 2,020 nodes', 'large.html']]) {
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
await browser.close();
work.remove();
