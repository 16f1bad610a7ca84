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
  assert.match(await view.locator('.readout').first().textContent(), /unreachable, or invalid model/);
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
  // Excitation reaches 95 Hz, modes 73 Hz; one is at 14 kHz.
  assert.match(await canvases[0].getAttribute('aria-label'), /Campbell.* up to 73\.2\u00a0Hz/);
  await view.check('label:has-text("all frequencies") input');
  assert.match(await view.getAttribute('#panel-linear canvas', 'aria-label'), /Campbell.* up to 143\d\d\u00a0Hz/);
  await isDrawn(view, '#panel-linear canvas', 10);
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
    view.pace.drawn = view.pace.rested = () => false; // both pictures of one size
    window.lithe.setTime(2);
    window.lithe.setScale(4);
    view.draw();
    const coarse = pixels(), rings = view.sweep.body.rings.length;
    view.refine = () => undefined;
    view.sweep.draw(view.sweep.details.map(({swell}) => ({level: 4, sides: 40, swell})));
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

// Weak graphics draw fewer pixels while the mechanism moves, and all of them when it stands still. Made-up times between frames:
// nothing here depends on the machine.
test('the picture loses sharpness rather than pace', async () => {
  const {page: view, context} = await open(browser, page('large'));
  const seen = await view.evaluate(() => {
    const Pace = window.lithe.page.stage.view.pace.constructor;
    // `interval(scale, frame)`: ms between frames of that many pixels.
    const play = (interval, {sharp, moving, frames = 600} = {}) => {
      const pace = new Pace(sharp, moving), scales = [];
      let now = 0, changes = 0, slow = 0;
      for (let i = 0; i < frames; ++i) {
        const wait = interval(pace.scale, i);
        if (i > frames / 2 && wait > 17.3) ++slow;
        if (pace.drawn(now += wait)) ++changes;
        scales.push(pace.scale);
      }
      const last = pace.scale;
      return {last, least: Math.min(...scales), changes, slow, soon: pace.rested(now + 100), later: pace.rested(now + 500), still: pace.scale};
    };
    const screen = ms => Math.max(1000 / 60, ms); // a screen shows no more than 60 frames a second
    // A picture that changes now and then is not a slow one.
    const rare = new Pace();
    for (let now = 0, i = 0; i < 200; ++i) {
      for (let k = 0; k < 20; ++k) rare.rested(now += 1000 / 60);
      rare.drawn(now += 1000 / 60);
    }
    return {
      fast: play(() => 1000 / 60),
      weak: play(scale => screen(30 * scale * scale), {frames: 3000}),
      hopeless: play(scale => 100 * scale * scale),
      stubborn: play(() => 1000 / 20),
      hiccups: play((_, i) => (i % 40 === 0 ? 200 : 1000 / 60)),
      recovered: play((scale, i) => screen(i < 100 ? 40 * scale * scale : 5), {frames: 1500}),
      smooth: play(() => 1000 / 60, {sharp: 2}),
      fine: play(() => 1000 / 60, {sharp: 2, moving: 0.5, frames: 1500}),
      rare: rare.scale,
    };
  });
  const text = JSON.stringify(seen);
  for (const same of [seen.fast, seen.hiccups]) assert.deepEqual([same.last, same.changes, same.later, same.still], [1, 0, false, 1], text);
  // 30 ms for all pixels, 17.3 ms for those of a scale of 0.76: found, and left ever more rarely to see whether there is time for more.
  assert.ok(seen.weak.least > 0.6 && seen.weak.least < 0.77 && seen.weak.changes < 16 && seen.weak.slow < 75, text);
  assert.deepEqual([seen.weak.soon, seen.weak.later, seen.weak.still], [false, true, 1], text);
  assert.ok(Math.abs(seen.hopeless.last - 0.5) < 1e-12 && seen.hopeless.least > 0.4999, text); // never less
  assert.equal(seen.stubborn.last, 1, text); // fewer pixels would not help
  assert.ok(seen.stubborn.changes <= 4, text);
  assert.ok(seen.recovered.least < 0.8 && seen.recovered.last === 1, text);
  assert.deepEqual([seen.smooth.last, seen.smooth.soon, seen.smooth.later, seen.smooth.still], [1, false, true, 2], text);
  assert.deepEqual([seen.fine.last, seen.fine.still], [1, 2], text);
  assert.equal(seen.rare, 1, text);
  await context.close();
});

test('with fewer pixels everything is where it was, and rest and saved pictures have all of them', async () => {
  const {page: view, context, trouble} = await open(browser, page('large'));
  const seen = await view.evaluate(async () => {
    const {stage} = window.lithe.page, {view} = stage, frame = () => new Promise(done => requestAnimationFrame(done));
    const size = () => [view.canvas.width, view.canvas.clientWidth, view.canvas.clientHeight];
    // Where the tip is, and whether the picture differs from its surroundings there.
    const tip = () => {
      const at = window.lithe.drawnNode(19, 1), copy = document.createElement('canvas'), place = view.camera.position.clone().set(...at).project(view.camera);
      view.showTrace(false);
      view.grid.group.visible = false;
      view.touch();
      view.draw();
      [copy.width, copy.height] = [view.canvas.width, view.canvas.height];
      const context = copy.getContext('2d'), x = Math.round((place.x + 1) / 2 * copy.width), y = Math.round((1 - place.y) / 2 * copy.height);
      context.drawImage(view.canvas, 0, 0);
      const pixels = context.getImageData(x - 3, y - 3, 7, 7).data, corner = context.getImageData(2, copy.height >> 1, 1, 1).data;
      let marked = 0;
      for (let i = 0; i < pixels.length; i += 4) if ([0, 1, 2].some(k => Math.abs(pixels[i + k] - corner[k]) > 30)) ++marked;
      return {at, marked};
    };
    window.lithe.setTime(2);
    for (let i = 0; i < 600 && view.pace.scale !== view.pace.sharp; ++i) await frame();
    const full = size(), sharp = tip();
    const drawn = view.pace.drawn;
    view.pace.drawn = () => false; // this machine's own times say nothing
    view.pace.rested = () => false;
    view.pace.scale = view.pace.moving = 0.5;
    view.paceChanged = true;
    const blurred = (view.touch(), view.draw(), tip()), coarse = size();
    delete view.pace.rested;
    const shot = await new Promise(done => window.lithe.page.stage.picture(blob => createImageBitmap(blob).then(image => done([image.width, image.height]))));
    view.pace.scale = 0.5;
    view.resize();
    view.pace.drawn = drawn;
    stage.play();
    await frame();
    stage.pause();
    for (let i = 0; i < 600 && view.canvas.width !== full[0]; ++i) await frame();
    return {full, coarse, again: size(), shot, sharp, blurred, ratio: view.pace.sharp};
  });
  const text = JSON.stringify(seen);
  assert.ok(Math.abs(seen.coarse[0] - seen.full[1] / 2) <= 1, text);
  assert.deepEqual(seen.coarse.slice(1), seen.full.slice(1), text); // the page's layout does not know
  assert.deepEqual(seen.again, seen.full, text);
  assert.equal(seen.shot[0], seen.full[0], text);
  assert.ok(seen.full[0] > 1.5 * seen.full[1], text); // in software edges are smoothed by more pixels
  seen.blurred.at.forEach((v, k) => assert.ok(Math.abs(v - seen.sharp.at[k]) < 4e-6, text)); // 18 m in single precision
  assert.ok(seen.sharp.marked >= 3 && seen.blurred.marked >= 3, text);
  assert.deepEqual(trouble, []);
  await context.close();
});

// Links of 20 mm, 20 m long, are thinner than a pixel of the coarsest picture.
test('thin links are lines, not loose dots', async () => {
  const {page: view, context} = await open(browser, page('large'));
  const gaps = await view.evaluate(() => {
    const {stage} = window.lithe.page, {view} = stage;
    view.pace.drawn = view.pace.rested = () => false;
    stage.setTime(2);
    const missing = scale => {
      view.pace.scale = scale;
      view.resize();
      view.showTrace(false);
      view.grid.group.visible = stage.ghost = false;
      stage.render();
      view.showTrace(false);
      view.draw();
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [view.canvas.width, view.canvas.height];
      const context = copy.getContext('2d'), place = view.camera.position.clone();
      context.drawImage(view.canvas, 0, 0);
      const all = context.getImageData(0, 0, copy.width, copy.height).data, o = 4 * (2 + copy.width * (copy.height >> 1));
      let checked = 0, empty = 0;
      for (const nodes of view.sweep.nodes) for (let i = 0; i < nodes.length; i += 3) {
        place.set(nodes[i], nodes[i + 1], nodes[i + 2]).project(view.camera);
        const x = Math.floor((place.x + 1) / 2 * copy.width), y = Math.floor((1 - place.y) / 2 * copy.height);
        if (x < 1 || y < 1 || x > copy.width - 2 || y > copy.height - 2) continue;
        ++checked;
        let found = false;
        for (let dx = -1; dx <= 1; ++dx) for (let dy = -1; dy <= 1; ++dy) {
          const p = 4 * (x + dx + copy.width * (y + dy));
          if ([0, 1, 2].some(k => Math.abs(all[p + k] - all[o + k]) > 20)) found = true;
        }
        if (!found) ++empty;
      }
      return {checked, empty};
    };
    return [missing(0.5), missing(1), missing(2)];
  });
  for (const {checked, empty} of gaps) assert.ok(checked > 1000 && empty <= 0.01 * checked, JSON.stringify(gaps));
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

test('numbers on axes are as large on fine screens as on coarse ones', async () => {
  const sizes = [];
  for (const deviceScaleFactor of [1, 2, 3]) {
    const {page: view, context} = await open(browser, page('comparison'), {deviceScaleFactor});
    sizes.push(...await view.evaluate(() => [...window.lithe.page.plots].flatMap(({plot}) => plot.axes.map(axis => parseFloat(axis.font[0]) / devicePixelRatio))));
    await context.close();
  }
  assert.ok(sizes.length >= 6 && sizes.every(size => size === sizes[0] && size >= 10), String(sizes));
});

// 1e-14 of a metre beside two metres is no news.
test('tables leave rounding errors out', async () => {
  const {page: view, context} = await open(browser, page('comparison'));
  const cells = await view.evaluate(() => {
    const table = {title: 't', columns: [{name: 'sensor', unit: ''}, {name: 'unit', unit: ''}, {name: 'at', unit: 's'}, {name: 'most', unit: ''}],
      rows: [['a.x', 'N m', 3, 2.5], ['a.y', 'N m', 1, -2e-14], ['b.y', 'N m', 1, -2e-14], ['a', 'N m', 1, 5]]};
    return [...window.lithe.tableCard(table).querySelectorAll('td.number:last-child')].map(cell => cell.textContent);
  });
  assert.deepEqual(cells, ['2.5', '0', '\u22122e\u221214', '5']);
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
