// The report of a simulation: what is drawn is what was computed, and every control does its work.
import assert from 'node:assert/strict';
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {canvasColours, launch, lithe, open, parseCsv, root, workFolder} from './browser.mjs';

const work = workFolder();
let browser;

before(async () => {
  browser = await launch();
  lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '--end', '0.5', '-o', 'motion');
  lithe(work.folder, 'simulate', join(root, 'models', 'industrial_6r.toml'), '--end', '0.3', '-o', 'arm');
  lithe(work.folder, 'run', join(root, 'models', 'l_shape.toml'), '-o', 'all');
});
after(async () => {
  await browser.close();
  work.remove();
});

// Every command has its own page: the one of the folder.
const report = (...path) => {
  const folder = join(work.folder, ...path);
  return join(folder, readdirSync(folder).find(name => name.endsWith('.html')));
};

test('opens from disk without a word on the console and asks nobody for anything', async () => {
  for (const folder of ['motion', 'arm', 'all']) {
    const {page, context, trouble} = await open(browser, report(folder));
    for (const tab of await page.$$('[role=tab]')) {
      await tab.click();
      await page.waitForTimeout(80);
    }
    assert.deepEqual(trouble, [], folder);
    await context.close();
  }
});

test('the canvas shows the mechanism', async () => {
  const {page, context} = await open(browser, report('motion'));
  assert.ok(await canvasColours(page) > 50);
  await context.close();
});

// Drawn places come from single-precision vertices, results from a text file with all digits.
async function comparePlaces(folder, sensor, link, node, instants, tolerance) {
  const {page, context} = await open(browser, report(folder));
  const {header, rows} = parseCsv(readFileSync(join(work.folder, folder, 'motion.csv'), 'utf8'));
  const columns = ['x', 'y', 'z'].map(axis => header.findIndex(name => name.startsWith(`${sensor}.${axis}`)));
  const times = await page.evaluate(() => window.lithe.times());
  for (const share of instants) {
    const row = rows.reduce((best, r) => (Math.abs(r[0] - times[Math.round(share * (times.length - 1))]) < Math.abs(best[0] - times[Math.round(share * (times.length - 1))]) ? r : best));
    const drawn = await page.evaluate(([time, l, n]) => {
      window.lithe.setTime(time);
      return window.lithe.drawnNode(l, n);
    }, [row[0], link, node]);
    columns.forEach((column, k) => assert.ok(Math.abs(drawn[k] - row[column]) < tolerance, `${folder} at ${row[0]} s, axis ${k}: ${drawn[k]} drawn, ${row[column]} computed`));
  }
  await context.close();
}

test('the tip is drawn where the result file has it', async () => {
  // Float rounding of 1 m is 6e-8 m, of a sum of several such numbers less than ten times that.
  await comparePlaces('motion', 'tip position', 0, 2, [0, 0.37, 1], 1e-6);
  await comparePlaces('motion', 'elbow position', 0, 1, [0.2, 0.5, 0.9], 1e-6);
  await comparePlaces('arm', 'tip position', 5, 1, [0, 0.61, 1], 2e-6);
});

test('the time slider moves the clock and the plots', async () => {
  const {page, context} = await open(browser, report('motion'));
  await page.focus('input.time');
  for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
  const times = await page.evaluate(() => window.lithe.times());
  assert.ok(Math.abs(await page.evaluate(() => window.lithe.time()) - times[5]) < 1e-6);
  const clock = await page.textContent('.clock');
  assert.equal(clock, `${times[5].toFixed(5)}\u00a0s`);
  assert.notEqual(await page.evaluate(() => document.querySelector('.playhead').style.transform), '');
  await context.close();
});

test('playing moves on and loops, pausing stops', async () => {
  const {page, context} = await open(browser, report('motion'));
  await page.click('button[aria-label=Play]');
  await page.waitForFunction(() => window.lithe.time() > 0.05);
  await page.click('button[aria-label=Pause]');
  const time = await page.evaluate(() => window.lithe.time());
  await page.waitForTimeout(150);
  assert.equal(await page.evaluate(() => window.lithe.time()), time);
  await context.close();
});

test('the deformation scale moves the tip away from its rigid place in proportion', async () => {
  const {page, context} = await open(browser, report('motion'));
  const place = scale => page.evaluate(s => {
    window.lithe.setTime(0.2);
    window.lithe.setScale(s);
    return window.lithe.drawnNode(0, 2);
  }, scale);
  const [one, two, three] = [await place(1), await place(2), await place(3)];
  const off = (a, b) => Math.hypot(...a.map((v, k) => v - b[k]));
  assert.ok(off(two, one) > 1e-5);
  assert.ok(Math.abs(off(three, two) - off(two, one)) < 1e-6);
  await page.focus('#scale');
  await page.keyboard.press('End');
  assert.match(await page.textContent('.scale-text'), /500/);
  await context.close();
});

test('every way of colouring paints the mechanism and names its unit', async () => {
  const {page, context, trouble} = await open(browser, report('motion'));
  await page.evaluate(() => window.lithe.setTime(0.3));
  for (const [way, unit] of [['displacement', /m$/], ['stress', /Pa$/], ['bending', /Pa$/], ['energy', /J\/m$/]]) {
    await page.selectOption('#colour', way);
    assert.match(await page.textContent('.bar-end'), unit);
    assert.ok(await canvasColours(page) > 50, way);
  }
  // A mode's shape has no stress: its colours are displacements, and say so.
  await page.selectOption('#colour', 'stress');
  await page.click('#tab-modes');
  await page.click('.modes li:nth-child(2) button');
  assert.equal(await page.textContent('.bar-name'), 'displacement');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('picking a mode shows it swinging', async () => {
  const {page, context} = await open(browser, report('motion'));
  await page.click('#tab-modes');
  const before = await page.evaluate(() => window.lithe.drawnNode(0, 2));
  await page.click('.modes li:nth-child(2) button');
  assert.equal(await page.evaluate(() => window.lithe.source()), 'mode');
  assert.equal(await page.getAttribute('.modes li:nth-child(2) button', 'aria-pressed'), 'true');
  await page.waitForTimeout(400);
  const [first, second] = [await page.evaluate(() => window.lithe.drawnNode(0, 2)), (await page.waitForTimeout(250), await page.evaluate(() => window.lithe.drawnNode(0, 2)))];
  assert.notDeepEqual(first, second);
  assert.notDeepEqual(first, before);
  await page.click('button[aria-label="Back to the motion"]');
  assert.equal(await page.evaluate(() => window.lithe.source()), 'motion');
  await context.close();
});

test('pointing at a plot shows that instant everywhere', async () => {
  const {page, context} = await open(browser, report('motion'));
  const plot = page.locator('.u-over').first();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.5 * box.height);
  const time = await page.evaluate(() => window.lithe.time());
  assert.ok(Math.abs(time - 0.3) < 0.01, String(time));
  const heads = await page.$$eval('.playhead', list => list.map(e => e.style.transform));
  assert.ok(heads.length >= 3);
  await context.close();
});

test('sensors can be added and taken away', async () => {
  const {page, context} = await open(browser, report('motion'));
  const count = () => page.locator('#panel-motion .plot').count();
  const shown = await count();
  await page.locator('.check input').last().check();
  assert.equal(await count(), shown + 1);
  await page.locator('.check input').first().uncheck();
  assert.equal(await count(), shown);
  await context.close();
});

test('downloads hold the numbers of the result file', async () => {
  const {page, context} = await open(browser, report('motion'));
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('button[aria-label^="Download shoulder angle"]')]);
  const saved = parseCsv(readFileSync(await download.path(), 'utf8'));
  const full = parseCsv(readFileSync(join(work.folder, 'motion', 'motion.csv'), 'utf8'));
  assert.equal(saved.rows.length, full.rows.length);
  const column = full.header.findIndex(name => name.startsWith('shoulder angle'));
  saved.rows.forEach((row, i) => assert.ok(Math.abs(row[1] - full.rows[i][column]) < 1e-6 * Math.max(1, Math.abs(row[1]))));
  const [picture] = await Promise.all([page.waitForEvent('download'), page.click('button[aria-label="Save a picture"]')]);
  assert.equal(readFileSync(await picture.path()).subarray(1, 4).toString(), 'PNG');
  await page.click('#tab-modes');
  const [table] = await Promise.all([page.waitForEvent('download'), page.locator('button[aria-label^="Download table natural"]').first().click()]);
  assert.match(readFileSync(await table.path(), 'utf8'), /^mode,frequency \[Hz\],damping ratio\n1,/);
  await context.close();
});

test('a click selects a node, shows its values and plots them', async () => {
  const {page, context} = await open(browser, report('motion'));
  const box = await page.locator('.canvas-host > canvas').first().boundingBox();
  // Somewhere on a grid over the canvas there is a node.
  for (let i = 2; i < 14 && !(await page.isVisible('.info')); ++i)
    for (let j = 2; j < 14 && !(await page.isVisible('.info')); ++j) await page.mouse.click(box.x + (i * box.width) / 16, box.y + (j * box.height) / 16);
  assert.ok(await page.isVisible('.info'));
  assert.match(await page.textContent('.info'), /position.*displacement.*stress/s);
  const before = await page.locator('#panel-motion .plot').count();
  await page.click('.info >> text=Plot');
  assert.equal(await page.locator('#panel-motion .plot').count(), before + 4);
  await page.click('.info >> text=Trace');
  await context.close();
});

// The engine's own elastic energy is the oracle for what the page computes from section loads. The arm is an
// Euler-Bernoulli beam, so that nothing is lost by leaving out shear.
test('strain energy from section loads is the elastic energy of the run', async () => {
  const {page, context} = await open(browser, report('motion'));
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'motion', 'motion.csv'), 'utf8'));
  const column = header.findIndex(name => name.startsWith('elastic_energy')), largest = Math.max(...rows.map(row => row[column]));
  for (const row of [rows[50], rows[200], rows[450]]) {
    const energy = await page.evaluate(time => {
      const stage = window.lithe.page.stage;
      stage.setTime(time);
      return stage.view.sweep.linkLoad(stage.currentStates(), 0).energy;
    }, row[0]);
    assert.ok(Math.abs(energy - row[column]) < 1e-4 * largest, `${energy} against ${row[column]} at ${row[0]} s`);
  }
  await context.close();
});

test('a browser without WebGL still shows the curves', async () => {
  const context = await browser.newContext({viewport: {width: 1200, height: 800}});
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', error => errors.push(error.message));
  await page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return /webgl/.test(kind) ? null : original.call(this, kind, ...rest); };
  });
  await page.goto(pathToFileURL(report('motion')).href);
  await page.waitForSelector('html[data-ready]');
  assert.match(await page.textContent('[role=alert]'), /WebGL/);
  assert.equal(await page.locator('#panel-motion .plot').count(), 3);
  assert.deepEqual(errors, []);
  await context.close();
});

test('tables can be copied', async () => {
  const {page, context, trouble} = await open(browser, report('motion'));
  await page.click('#tab-data');
  const button = page.locator('button[aria-label="Copy table sensors"]');
  await button.click();
  await page.waitForFunction(() => document.querySelector('button[aria-label="Copy table sensors"]').textContent === 'Copied');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('spectrum and energy of a run are there', async () => {
  const {page, context} = await open(browser, report('all'));
  await page.click('#tab-spectrum');
  assert.ok(await page.locator('#panel-spectrum tbody tr').count() > 0);
  await page.click('#tab-energy');
  assert.match(await page.textContent('#panel-energy'), /imbalance/);
  await context.close();
});

test('keyboard alone reaches tabs, play and views', async () => {
  const {page, context} = await open(browser, report('motion'));
  await page.focus('#tab-motion');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getAttribute('#tab-energy', 'aria-selected'), 'true');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('.');
  assert.ok(await page.evaluate(() => window.lithe.time()) > 0);
  await page.focus('.canvas-host > canvas');
  const picture = () => page.evaluate(() => {
    const {view} = window.lithe.page.stage;
    view.touch();
    view.draw();
    return view.canvas.toDataURL().length;
  });
  const first = await picture();
  for (let i = 0; i < 6; ++i) await page.keyboard.press('ArrowRight');
  await page.waitForTimeout(100);
  assert.notEqual(await picture(), first);
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  assert.match(await page.textContent('.info'), /^arm: elbow/);
  await page.keyboard.press('Shift+N');
  assert.doesNotMatch(await page.textContent('.info'), /^arm: elbow/);
  await page.keyboard.press('Escape');
  assert.ok(!(await page.isVisible('.info')));
  await page.keyboard.press('Space');
  await page.waitForFunction(() => document.querySelector('button[aria-label=Pause]'));
  await page.focus('#tab-energy');
  await page.keyboard.press('End');
  assert.equal(await page.getAttribute('#tab-data', 'aria-selected'), 'true');
  await context.close();
});

test('every control has a name for screen readers', async () => {
  const {page, context} = await open(browser, report('all'));
  for (const tab of await page.$$('[role=tab]')) await tab.click();
  const nameless = await page.$$eval('button, input, select, canvas[tabindex], [role=img]', list => list
      .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.title || e.closest('label')?.textContent.trim() || e.labels?.length))
      .map(e => e.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
  await context.close();
});

test('what changes while the motion plays is not read aloud', async () => {
  const {page, context} = await open(browser, report('motion'));
  const spoken = await page.evaluate(async () => {
    const live = e => e.closest('[aria-live]')?.getAttribute('aria-live') ?? (e.closest('output, [role=status], [role=alert]') ? 'polite' : 'off');
    const seen = new Set(), watch = new MutationObserver(list => list.forEach(({target}) => {
      const e = target.nodeType === 1 ? target : target.parentElement;
      if (e && live(e) !== 'off') seen.add(e.outerHTML.slice(0, 80));
    }));
    window.lithe.page.stage.selectNode(0, 0);
    window.lithe.page.stage.play();
    watch.observe(document.body, {subtree: true, childList: true, characterData: true});
    const from = window.lithe.time();
    for (let i = 0; i < 600 && Math.abs(window.lithe.time() - from) < 0.3; ++i) await new Promise(done => requestAnimationFrame(done));
    return [...seen];
  });
  assert.deepEqual(spoken, []);
  await context.close();
});

test('fits phones and large screens, light and dark', async () => {
  for (const [width, height] of [[390, 844], [3840, 2160]])
    for (const colorScheme of ['light', 'dark']) {
      const {page, context, trouble} = await open(browser, report('motion'), {viewport: {width, height}, colorScheme});
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      const {scroll, inner} = await page.evaluate(() => ({scroll: document.scrollingElement.scrollWidth, inner: window.innerWidth}));
      assert.ok(scroll <= inner, `${width}: ${scroll} > ${inner}`);
      assert.ok(await canvasColours(page) > 40);
      assert.deepEqual(trouble, []);
      await context.close();
    }
});

test('the theme can be switched, and plots follow', async () => {
  const {page, context, trouble} = await open(browser, report('motion'));
  await page.click('button[aria-label="Light or dark"]');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.equal(await page.locator('#panel-motion .plot').count(), 3);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a sweep is a map whose postures put the tool on the point', async () => {
  lithe(work.folder, 'sweep', join(root, 'models', 'planar_3rrr.toml'), '--tool', 'platform:centre', '--axis', 'tool.x = -0.05 : 0.05 : 11',
      '--axis', 'tool.y = -0.04 : 0.04 : 9', '-o', 'sweep');
  const model = readFileSync(join(root, 'models', 'planar_3rrr.toml'), 'utf8');
  const {page, context, trouble} = await open(browser, report('sweep'));
  assert.match(model, /platform/);
  await page.focus('.map canvas');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowUp');
  // From the corner (-50, -40) mm three steps to the right and two up.
  assert.match(await page.textContent('.readout'), /tool\.x \u221220\u00a0mm, tool\.y \u221220\u00a0mm: frequency_1 [\d.]+\u00a0Hz/);
  assert.equal(await page.evaluate(() => window.lithe.source()), 'posture');
  const places = await page.evaluate(() => window.lithe.page.report.scene.links.flatMap((link, l) =>
    link.nodeNames.map((name, n) => [link.name, name, window.lithe.page.stage.view.sweep.nodes[l].slice(3 * n, 3 * n + 3)])));
  const [, , centre] = places.find(([link, node]) => link === 'platform' && node === 'centre');
  assert.ok(Math.hypot(centre[0] + 0.02, centre[1] + 0.02) < 1e-6, String([...Object.values(centre)]));
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a sweep over parameters shows the mechanism as it stands, and says why there are no values', async () => {
  const arm = join(root, 'models', 'planar_2r.toml'), axis = ['--axis', 'links.forearm.masses[0].mass = 0 : 1 : 3'];
  lithe(work.folder, 'sweep', arm, '--tool', 'forearm:hand', '--held', 'shoulder,elbow', ...axis, '-o', 'masses');
  const {page, context, trouble} = await open(browser, report('masses'));
  assert.equal(await page.textContent('.chip'), 'initial configuration');
  // The elbow is where both links have it.
  const [above, below] = await page.evaluate(() => [1, 0].map((node, link) => Array.from(window.lithe.page.stage.view.sweep.nodes[link].slice(3 * node, 3 * node + 3))));
  assert.ok(Math.abs(Math.hypot(...above) - 0.6) < 1e-6 && above.every((v, k) => Math.abs(v - below[k]) < 1e-6), `${above}; ${below}`);
  await context.close();
  // No point has an answer: exit code 1, and the page says why.
  assert.throws(() => lithe(work.folder, 'sweep', arm, '--independent', 'upper arm:elbow', ...axis, '-o', 'loose'), {status: 1});
  const {page: loose, context: other, trouble: more} = await open(browser, report('loose'));
  assert.match(await loose.textContent('#panel-maps'), /No point has a value of frequency_1/);
  await loose.click('#tab-data');
  assert.match(await loose.textContent('#panel-data'), /3 withoutno stiffness holds joint 'elbow'/);
  await other.close();
  assert.deepEqual([trouble, more], [[], []]);
});

test('up is against gravity', async () => {
  lithe(work.folder, 'simulate', join(root, 'models', 'four_bar.toml'), '--end', '0.05', '-o', 'upright');
  const {page, context, trouble} = await open(browser, report('upright'));
  const seen = await page.evaluate(() => {
    const {view} = window.lithe.page.stage, points = view.grid.thin.geometry.getAttribute('position').array;
    const heights = new Set(Array.from(points).filter((_, i) => i % 3 === 1));
    const lowest = Math.min(...view.sweep.nodes.flatMap(nodes => Array.from(nodes).filter((_, i) => i % 3 === 1)));
    return {up: view.camera.up.toArray(), heights: [...heights], lowest, above: view.camera.position.y - view.controls.target.y};
  });
  assert.deepEqual(seen.up, [0, 1, 0]);
  assert.ok(seen.heights.length === 1 && seen.heights[0] < seen.lowest && seen.above > 0, JSON.stringify(seen));
  await page.click('button[aria-label="From above view"]');
  assert.equal(await page.textContent('button[aria-label="From above view"]'), 'y');
  // Looking down, with x to the right.
  const [down, side] = await page.evaluate(() => {
    const {view} = window.lithe.page.stage;
    view.camera.updateMatrixWorld();
    const e = view.camera.matrixWorld.elements;
    return [Array.from(e.slice(8, 11)), Array.from(e.slice(0, 3))];
  });
  assert.ok(down[1] > 0.999 && side[0] > 0.999, `${down}; ${side}`);
  await page.keyboard.press('1');
  await page.focus('.canvas-host canvas');
  const height = () => page.evaluate(() => window.lithe.page.stage.view.camera.position.y);
  const before = await height();
  await page.keyboard.press('ArrowUp');
  assert.ok(await height() > before);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('lithe compare shows two formulations over each other and their difference', async () => {
  lithe(work.folder, 'compare', join(root, 'models', 'l_shape.toml'), '--end', '0.1', '-o', 'compared');
  const {page, context, trouble} = await open(browser, join(work.folder, 'compared', 'comparison.html'));
  assert.match(await page.textContent('#panel-compare'), /floating-frame against erls-cms.*computing time.*difference of tip position/s);
  await page.click('#tab-motion');
  assert.equal(await page.locator('#panel-motion .plot').first().locator('.key').count(), 2);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('names with markup are shown as text', async () => {
  const evil = '</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2> "\' & \u2028';
  const model = readFileSync(join(root, 'models', 'l_shape.toml'), 'utf8')
      .replace('name = "L-shape"', () => `name = ${JSON.stringify(evil)}`)
      .replaceAll('"tip position"', () => JSON.stringify(`tip ${evil}`))
      .replace('name = "arm"', () => `name = ${JSON.stringify(evil)}`).replaceAll('link = "arm"', () => `link = ${JSON.stringify(evil)}`)
      .replace('child = "arm"', () => `child = ${JSON.stringify(evil)}`);
  writeFileSync(join(work.folder, 'evil.toml'), model);
  lithe(work.folder, 'run', 'evil.toml', '-o', 'evil');
  const {page, context, trouble} = await open(browser, report('evil'));
  for (const tab of await page.$$('[role=tab]')) await tab.click();
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.textContent('h1'), evil);
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('ten seconds at 1 kHz make a page below 15 MB with its tip in place', async () => {
  lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '--end', '10', '-o', 'long');
  assert.ok(statSync(report('long')).size < 15e6, String(statSync(report('long')).size));
  await comparePlaces('long', 'tip position', 0, 2, [0.1, 0.5, 1], 1e-6);
});
