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

// What does not depend on the machine: how much a frame asks of the graphics card. The page is drawn in software here; docs/benchmarks.md
// has the frames per second.
const settled = view => view.evaluate(async () => {
  for (let i = 0; i < 3; ++i) await new Promise(done => requestAnimationFrame(done));
  return window.lithe.frameLoad();
});

test('a frame of twenty links asks little of the graphics card, and more when one looks closely', async () => {
  const {page: view, context, trouble} = await open(browser, page('large'));
  await view.evaluate(() => window.lithe.setTime(10));
  const far = await settled(view);
  assert.ok(far.calls >= 4 && far.calls <= 12, `${far.calls} draw calls`);
  assert.ok(far.triangles > 20 * 12 && far.triangles < 12e3, `${far.triangles} triangles`);
  assert.ok(far.bytes < 400e3, `${far.bytes} bytes a frame`);
  // A thousand times nearer to the tip.
  await view.evaluate(() => {
    const {view} = window.lithe.page.stage, tip = window.lithe.drawnNode(19, 1);
    view.controls.target.set(...tip);
    view.camera.position.set(tip[0] - 0.5, tip[1] - 0.5, tip[2] + 0.3);
    view.controls.update();
  });
  const near = await settled(view);
  assert.ok(near.triangles > 1.3 * far.triangles && near.triangles < 60e3, `${near.triangles} triangles`);
  assert.ok((await view.evaluate(() => window.lithe.drawnNode(19, 1))).every(Number.isFinite));
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the script of a frame leaves room for drawing', async () => {
  const {page: view, context} = await open(browser, page('large'));
  await view.selectOption('#colour', 'stress');
  const costs = await view.evaluate(() => {
    const {stage} = window.lithe.page, costs = [];
    for (let i = 0; i < 120; ++i) {
      const begin = performance.now();
      stage.setTime((10 * i) / 120);
      costs.push(performance.now() - begin);
    }
    return costs.sort((a, b) => a - b);
  });
  // Half of what 60 frames a second allow, for a machine several times slower than a laptop.
  assert.ok(costs[60] < 8, `${costs[60]} ms`);
  await context.close();
});

test('coarser detail far away cannot be told from all detail', async () => {
  const {page: view, context} = await open(browser, page('large'));
  const share = await view.evaluate(async () => {
    const {stage} = window.lithe.page, {view} = stage, pixels = () => {
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [view.canvas.width, view.canvas.height];
      const context = copy.getContext('2d');
      view.draw();
      context.drawImage(view.canvas, 0, 0);
      return context.getImageData(0, 0, copy.width, copy.height).data;
    };
    window.lithe.setTime(2);
    window.lithe.setScale(4);
    view.draw();
    const coarse = pixels(), rings = view.sweep.body.rings.length;
    view.refine = () => undefined;
    view.sweep.refine(() => 1e5);
    stage.render();
    const fine = pixels();
    let drawn = 0, different = 0;
    for (let i = 0; i < fine.length; i += 4) {
      const d = Math.abs(fine[i] - coarse[i]) + Math.abs(fine[i + 1] - coarse[i + 1]) + Math.abs(fine[i + 2] - coarse[i + 2]);
      const off = Math.abs(fine[i] - fine[0]) + Math.abs(fine[i + 1] - fine[1]) + Math.abs(fine[i + 2] - fine[2]);
      if (off > 60) ++drawn;
      if (d > 90) ++different;
    }
    return {drawn, different, rings, all: view.sweep.body.rings.length};
  });
  assert.ok(share.all > 10 * share.rings, JSON.stringify(share));
  assert.ok(share.drawn > 1000 && share.different < 0.05 * share.drawn, JSON.stringify(share));
  await context.close();
});

// Weak graphics draw fewer pixels while the mechanism moves, and all of them when it stands still.
test('the picture loses sharpness rather than pace', async () => {
  const {page: view, context, trouble} = await open(browser, page('large'));
  const scales = await view.evaluate(() => {
    const Pace = window.lithe.page.stage.view.pace.constructor;
    // `interval(scale)`: ms between frames of that many pixels.
    const after = (interval, sharp) => {
      const pace = new Pace(sharp);
      let now = 0;
      for (let i = 0; i < 200; ++i) pace.drawn(now += interval(pace.scale));
      const moving = pace.scale;
      return {moving, soon: pace.rested(now + 100), later: pace.rested(now + 500), still: pace.scale};
    };
    return {
      fast: after(() => 1000 / 60), slow: after(scale => 100 * scale * scale), stubborn: after(() => 1000 / 20), smooth: after(() => 1000 / 60, 2),
    };
  });
  assert.deepEqual(scales.fast, {moving: 1, soon: false, later: false, still: 1});
  assert.deepEqual(scales.slow, {moving: 0.5, soon: false, later: true, still: 1});
  assert.deepEqual(scales.stubborn, {moving: 1, soon: false, later: false, still: 1}); // fewer pixels would not help
  assert.deepEqual(scales.smooth, {moving: 1, soon: false, later: true, still: 2});
  const widths = await view.evaluate(async () => {
    const {view} = window.lithe.page.stage, frame = () => new Promise(done => requestAnimationFrame(done));
    const until = async width => { for (let i = 0; i < 600 && view.canvas.width !== width; ++i) await frame(); };
    const full = view.host.clientWidth;
    view.pace.scale = view.pace.moving = 0.5;
    view.paceChanged = true;
    view.touch();
    await frame();
    const coarse = view.canvas.width, still = Math.floor(full * view.pace.sharp);
    await until(still);
    return {full, coarse, still, again: view.canvas.width};
  });
  assert.ok(Math.abs(widths.coarse - widths.full / 2) <= 1, JSON.stringify(widths));
  assert.equal(widths.again, widths.still, JSON.stringify(widths));
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the spectrum of rounding errors is drawn over even decades', async () => {
  const {page: view, context, trouble} = await open(browser, page('comparison'));
  await view.click('#tab-spectrum');
  await isDrawn(view, '#panel-spectrum canvas', 2);
  // From the largest, 2.5e-17 m, to the smallest.
  assert.match(await view.getAttribute('#panel-spectrum .plot-host', 'aria-label'), /to 2\.5e\u221217 m/);
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
