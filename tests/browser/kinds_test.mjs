// Every kind of data that a report can hold, with made-up numbers: comparisons, maps, linear models, large scenes.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {canvasColours, launch, open, root, workFolder} from './browser.mjs';

const work = workFolder();
let browser;

before(async () => {
  browser = await launch();
  execFileSync(process.env.LITHE_PAGES ?? join(root, 'build', 'tests', 'browser_pages'), [work.folder]);
});
after(async () => {
  await browser.close();
  work.remove();
});

const page = name => join(work.folder, `${name}.html`);

// Colours that a plot's canvas shows, to tell a drawn one from an empty one.
const plotColours = (view, selector) => view.$eval(selector, canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
  return seen.size;
});

// Plots are drawn when the browser finds the time.
async function isDrawn(view, selector, colours) {
  for (let i = 0; i < 100 && await plotColours(view, selector) <= colours; ++i) await view.waitForTimeout(100);
  assert.ok(await plotColours(view, selector) > colours, selector);
}

test('a comparison shows differences, agreement and computing times, and overlays its runs', async () => {
  const {page: view, context, trouble} = await open(browser, page('comparison'));
  assert.equal(await view.getAttribute('[role=tab]:first-child', 'id'), 'tab-compare');
  const text = await view.textContent('#panel-compare');
  assert.match(text, /difference of tip position/);
  assert.match(text, /1\.9e\u22124|1\.900e\u22124|0\.00019/);
  assert.match(text, /125\u00a0ms/);
  await view.click('#tab-motion');
  const keys = await view.$$eval('#panel-motion .plot:first-child .key', list => list.map(e => e.textContent));
  assert.equal(keys.length, 4);
  assert.ok(keys.some(key => key.startsWith('floating')));
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a map names the value under the pointer and shows the posture there', async () => {
  const {page: view, context, trouble} = await open(browser, page('map'));
  await isDrawn(view, '.map canvas', 30);
  const box = await view.locator('.map canvas').first().boundingBox();
  await view.mouse.move(box.x + 0.6 * box.width, box.y + 0.4 * box.height);
  assert.match(await view.locator('.readout').first().textContent(), /stiffness [\d.]+\u00a0kN\/m/);
  assert.equal(await view.evaluate(() => window.lithe.source()), 'posture');
  const first = await view.evaluate(() => window.lithe.drawnNode(1, 1));
  await view.focus('.map canvas');
  for (let i = 0; i < 4; ++i) await view.keyboard.press('ArrowLeft');
  const second = await view.evaluate(() => window.lithe.drawnNode(1, 1));
  // Four steps of 55 mm to the left: the tip follows.
  assert.ok(Math.abs(second[0] - first[0] + 4 * 0.055) < 1e-5, `${first} ${second}`);
  await view.mouse.move(box.x + 75, box.y + box.height - 60);
  assert.match(await view.locator('.readout').first().textContent(), /out of reach/);
  await view.selectOption('.map select', '1');
  await isDrawn(view, '.map canvas', 30);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a sweep over one axis is a curve', async () => {
  const {page: view, context, trouble} = await open(browser, page('map'));
  const curve = view.locator('.map').nth(1);
  await curve.locator('canvas').focus();
  for (let i = 0; i < 25; ++i) await view.keyboard.press('ArrowRight');
  assert.match(await curve.locator('.readout').textContent(), /^x [\u2212\d.]+\u00a0mm: first frequency [\d.]+\u00a0Hz$/);
  assert.equal(await view.evaluate(() => window.lithe.source()), 'posture');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a linear model shows its Campbell diagram and root locus', async () => {
  const {page: view, context, trouble} = await open(browser, page('linear'));
  const canvases = await view.$$('#panel-linear canvas');
  assert.equal(canvases.length, 2);
  await isDrawn(view, '#panel-linear canvas', 10);
  assert.match(await canvases[0].getAttribute('aria-label'), /Campbell/);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('twenty links with 2,020 nodes are drawn and coloured', async () => {
  const {page: view, context, trouble} = await open(browser, page('large'));
  assert.ok(await canvasColours(view) > 50);
  await view.selectOption('#colour', 'stress');
  assert.ok(statSync(page('large')).size < 15e6);
  const drawn = await view.evaluate(() => (window.lithe.setTime(10), window.lithe.drawnNode(19, 1)));
  assert.ok(drawn.every(Number.isFinite));
  assert.deepEqual(trouble, []);
  await context.close();
});

// What a graphics processor built into a laptop draws in far less than the 16.7 ms of a frame; the script's share of a
// frame is measured by bench/report_page.mjs.
test('a frame of twenty links asks little of the graphics card', async () => {
  const {page: view, context} = await open(browser, page('large'));
  const load = await view.evaluate(() => (window.lithe.setTime(10), new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(window.lithe.frameLoad()))))));
  assert.ok(load.calls > 20 && load.calls < 200, `${load.calls} draw calls`);
  assert.ok(load.triangles > 2020 && load.triangles < 400e3, `${load.triangles} triangles`);
  await context.close();
});

// Weak graphics draw fewer pixels while the mechanism moves, and all of them when it stands still.
test('the picture loses sharpness rather than pace', async () => {
  const {page: view, context, trouble} = await open(browser, page('large'));
  const scales = await view.evaluate(() => {
    const Pace = window.lithe.page.stage.view.pace.constructor;
    const after = interval => {
      const pace = new Pace();
      for (let i = 0; i < 200; ++i) pace.drawn(interval * i);
      const moving = pace.scale;
      return {moving, soon: pace.rested(interval * 200 + 100), later: pace.rested(interval * 200 + 500), still: pace.scale};
    };
    return {fast: after(1000 / 60), slow: after(1000 / 20)};
  });
  assert.deepEqual(scales.fast, {moving: 1, soon: false, later: false, still: 1});
  assert.deepEqual(scales.slow, {moving: 0.5, soon: false, later: true, still: 1});
  const widths = await view.evaluate(async () => {
    const {view} = window.lithe.page.stage, frame = () => new Promise(done => requestAnimationFrame(done));
    const full = view.canvas.width;
    view.pace.scale = 0.5;
    view.paceChanged = true;
    view.touch();
    await frame();
    const coarse = view.canvas.width;
    for (let i = 0; i < 600 && view.canvas.width < full; ++i) await frame();
    return {full, coarse, again: view.canvas.width};
  });
  assert.ok(Math.abs(widths.coarse - widths.full / 2) <= 1, JSON.stringify(widths));
  assert.equal(widths.again, widths.full);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a long recording keeps its extremes and says that it is thinned out', async () => {
  const {page: view, context, trouble} = await open(browser, page('recording'));
  assert.ok(statSync(page('recording')).size < 5e6);
  assert.match(await view.textContent('#panel-motion'), /200001 samples/);
  const [download] = await Promise.all([view.waitForEvent('download'), view.locator('button[aria-label^="Download tip"]').first().click()]);
  const values = readFileSync(await download.path(), 'utf8').split('\n').slice(1, -1).map(line => Number(line.split(',')[1]));
  assert.ok(Math.max(...values) > 0.4999 && Math.min(...values) < -0.4999);
  assert.deepEqual(trouble, []);
  await context.close();
});
