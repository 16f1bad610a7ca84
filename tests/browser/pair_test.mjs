// Two results beside each other: the same instant, side and colours in both; differences; modes paired by shape.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, lithe, open, parseCsv, root, workFolder} from './browser.mjs';

const work = workFolder(), l_shape = join(root, 'models', 'l_shape.toml'), path = (...names) => join(work.folder, ...names);
let browser;

before(async () => {
  browser = await launch();
  const text = readFileSync(l_shape, 'utf8');
  writeFileSync(path('wide.toml'), text.replace('width = "8 mm"', 'width = "9 mm"'));
  lithe(work.folder, 'simulate', l_shape, '--end', '0.3', '-o', 'plain');
  lithe(work.folder, 'simulate', 'wide.toml', '--end', '0.4', '-o', 'wide');
  lithe(work.folder, 'modes', l_shape, '--link', 'arm', '-o', 'plain_modes');
  lithe(work.folder, 'modes', 'wide.toml', '--link', 'arm', '-o', 'wide_modes');
  lithe(work.folder, 'view', 'plain', 'wide', '--print', '-o', 'both.html');
  lithe(work.folder, 'view', 'plain_modes', 'wide_modes', '--print', '-o', 'modes.html');
});
after(async () => {
  await browser.close();
  work.remove();
});

const stages = (page, look) => page.evaluate(`(() => { const {stage} = window.lithe.page; return [stage, stage.twin].map(${look}); })()`);
const csv = folder => parseCsv(readFileSync(path(folder, 'motion.csv'), 'utf8'));

test('both tips are where their result files have them, at one instant', async () => {
  const {page, context, trouble} = await open(browser, path('both.html'));
  assert.deepEqual(await page.$$eval('.pane figcaption', list => list.map(e => e.textContent)), ['plain', 'wide']);
  const files = ['plain', 'wide'].map(csv);
  for (const time of [0, 0.25]) {
    await page.evaluate(t => window.lithe.setTime(t), time);
    const drawn = await stages(page, 's => s.view.sweep.drawnNode(0, 2)');
    files.forEach(({header, rows}, k) => {
      const row = rows.reduce((best, r) => (Math.abs(r[0] - time) < Math.abs(best[0] - time) ? r : best));
      assert.ok(Math.abs(row[0] - time) < 1e-9, `${row[0]} s`);
      ['x', 'y', 'z'].forEach((axis, i) => assert.ok(Math.abs(drawn[k][i] - row[header.findIndex(name => name.startsWith(`tip position.${axis}`))]) < 1e-6));
    });
  }
  // The clock goes to the end of the longer one; the shorter one stays at its own end.
  await page.evaluate(() => window.lithe.setTime(9));
  assert.match(await page.textContent('.clock'), /^0\.4/);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('both are seen from the same side, in the same colours, whichever one is turned', async () => {
  const {page, context} = await open(browser, path('both.html'));
  for (const turned of [0, 1]) {
    await stages(page, `(s, k) => k === ${turned} && s.view.orbit(0.4, 0.1)`);
    const [a, b] = await stages(page, 's => [...s.view.place().position.toArray(), ...s.view.place().target.toArray()]');
    a.forEach((value, k) => assert.ok(Math.abs(value - b[k]) < 1e-9, `${value} ${b[k]}`));
  }
  await page.selectOption('#colour', 'stress');
  const bars = await page.$$eval('.bar-end', list => list.map(e => e.textContent)), own = await stages(page, `s => s.largestEver('stress')`);
  assert.equal(bars.length, 2);
  assert.equal(bars[0], bars[1]);
  assert.ok(own[0] > own[1] * 1.02, `the thinner one is stressed more: ${own}`);
  assert.ok(Math.abs(parseFloat(bars[0]) - own[0] / 1e6) < 0.006 * own[0] / 1e6, `${bars} of ${own}`);
  await context.close();
});

test('differences are those of the result files, and curves lie over each other', async () => {
  const {page, context, trouble} = await open(browser, path('both.html'));
  const rows = await page.$$eval('#panel-compare tbody tr', list => list.map(r => [...r.children].map(c => c.textContent.replaceAll('\u2212', '-'))));
  const [a, b] = ['plain', 'wide'].map(csv);
  for (const sensor of ['tip position.x', 'tip position.z', 'shoulder angle']) {
    const [i, j] = [a, b].map(({header}) => header.findIndex(name => name.startsWith(`${sensor} [`))), factor = sensor.startsWith('tip') ? 1000 : 180 / Math.PI;
    const gaps = a.rows.map((row, k) => (assert.ok(Math.abs(row[0] - b.rows[k][0]) < 1e-12), factor * (b.rows[k][j] - row[i])));
    const largest = Math.max(...gaps.map(Math.abs)), rms = Math.sqrt(gaps.reduce((sum, g) => sum + g * g, 0) / gaps.length);
    const row = rows.find(r => r[0] === sensor), at = gaps.findIndex(g => Math.abs(g) === largest);
    // Four digits are shown; the page's values are rounded to 6e-8 of the position, 500 mm or 135 degrees.
    const bound = value => 5e-4 * value + 2 * 6e-8 * (sensor.startsWith('tip') ? 500 : 135);
    assert.ok(Math.abs(parseFloat(row[2]) - largest) < bound(largest), `${sensor}: ${row} ${largest}`);
    assert.ok(Math.abs(parseFloat(row[3]) - a.rows[at][0]) < 1e-3, `${sensor}: ${row}, at ${a.rows[at][0]}`);
    assert.ok(Math.abs(parseFloat(row[4]) - rms) < bound(rms), `${sensor}: ${row} ${rms}`);
  }
  await page.click('#tab-motion');
  assert.deepEqual(await page.$$eval('#panel-motion .plot:first-child .key', list => list.map(e => e.firstChild.nextSibling.textContent)), ['plain', 'wide']);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('modes are paired by shape, and both swing', async () => {
  const {page, context, trouble} = await open(browser, path('modes.html'));
  const files = ['plain_modes', 'wide_modes'].map(folder => parseCsv(readFileSync(path(folder, 'modes_arm.csv'), 'utf8')).rows);
  const table = await page.$$eval('#panel-modes tbody tr', list => list.map(r => [...r.children].map(c => parseFloat(c.textContent.replaceAll('\u2212', '-')))));
  const moved = table.findIndex(row => row[0] !== row[2]);
  assert.ok(moved >= 0, 'in-plane and other modes have changed places, since only one side of the section has grown');
  for (const [number, f, partner, g, change, agreement] of table) {
    const [first, second] = [number, partner].map((mode, k) => files[k].find(row => row[0] === mode)[1]);
    assert.ok(Math.abs(f - first) < 1e-4 * first && Math.abs(g - second) < 1e-4 * second, `${f} ${first}, ${g} ${second}`);
    assert.ok(Math.abs(change - 100 * (second / first - 1)) < 1e-3 * Math.abs(change) + 2e-3, `${change}`);
    assert.ok(agreement > 0.8 && agreement <= 1.00001, `${agreement}`);
  }
  await page.locator('.modes button').nth(moved).click();
  const shown = await stages(page, 's => [s.source.kind, s.modes[0].data.numbers[s.source.mode]]');
  assert.deepEqual(shown, [['mode', table[moved][0]], ['mode', table[moved][2]]]);
  assert.equal(await page.locator('.chip:not([hidden])').count(), 2);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('another page is opened beside this one, and put away again', async () => {
  const {page, context, trouble} = await open(browser, path('plain', 'motion.html'));
  const choose = async file => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('text="Compare"')]);
    await chooser.setFiles(file);
  };
  await choose(path('plain', 'motion.csv'));
  await page.waitForSelector('.notice');
  assert.match(await page.textContent('.notice'), /^motion\.csv cannot be shown/);
  await page.click('.notice button');
  await choose(path('wide', 'motion.html'));
  await page.waitForSelector('.pane.follows');
  assert.equal(await page.locator('.canvas-host > canvas[role=img]').count(), 2);
  assert.equal(await page.getAttribute('[role=tab][data-tab=compare]', 'aria-selected'), 'true');
  await page.click('text="Compare"');
  await page.waitForSelector('.pane.follows', {state: 'detached'});
  assert.equal(await page.locator('.canvas-host > canvas[role=img]').count(), 1);
  assert.equal(await page.locator('#tab-compare').count(), 0);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a page that is dropped is shown beside this one', async () => {
  const {page, context, trouble} = await open(browser, path('plain', 'motion.html'));
  await page.evaluate(text => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'wide.html', {type: 'text/html'}));
    for (const type of ['dragover', 'drop']) document.body.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
  }, readFileSync(path('wide', 'motion.html'), 'utf8'));
  await page.waitForSelector('.pane.follows');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the distance of two nodes is told for both, and a picture has both', async () => {
  const {page, context} = await open(browser, path('both.html'));
  await page.evaluate(() => window.lithe.setTime(0.25));
  await page.click('[data-tool=measure]');
  await page.evaluate(() => [0, 2].forEach(node => window.lithe.page.stage.view.onPick(0, node)));
  const told = await page.$$eval('.tool-panel', list => list.map(e => parseFloat(e.querySelector('dd').textContent)));
  const places = await stages(page, 's => s.view.nodeAt(0, 0).distanceTo(s.view.nodeAt(0, 2))');
  told.forEach((value, k) => assert.ok(Math.abs(value - 1000 * places[k]) < 1e-3, `${value} mm, ${places[k]} m`));
  assert.ok(Math.abs(places[0] - places[1]) > 1e-6, 'they bend differently');
  const [sheet, view] = await page.evaluate(() => {
    const {stage} = window.lithe.page, sheet = stage.drawn(), all = [stage, stage.twin].map(s => s.view.canvas);
    return [[sheet.width, sheet.height], [Math.max(...all.map(c => c.width)), Math.max(...all.map(c => c.height))]];
  });
  assert.equal(sheet[0], 2 * view[0] + 2);
  assert.ok(sheet[1] > view[1]);
  await page.pdf();
  assert.ok(await page.$eval('.print-picture', picture => picture.src.length) > 5000);
  await context.close();
});

for (const [name, viewport] of Object.entries({phone: {width: 390, height: 844}, tablet: {width: 820, height: 1180}, wide: {width: 1440, height: 900}, large: {width: 3840, height: 2160}}))
  test(`two results fit a ${name} screen, light and dark`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const {page, context, trouble} = await open(browser, path('both.html'), {viewport, colorScheme});
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
      const boxes = await page.$$eval('.canvas-host > canvas[role=img]', list => list.map(e => { const {width, height} = e.getBoundingClientRect(); return [width, height]; }));
      assert.equal(boxes.length, 2);
      boxes[0].forEach((value, k) => assert.ok(Math.abs(value - boxes[1][k]) < 2 && value > 150, String(boxes)));
      assert.deepEqual(trouble, []);
      await context.close();
    }
  });

test('both views take another theme', async () => {
  const {page, context} = await open(browser, path('both.html'), {colorScheme: 'light'});
  for (const theme of ['dark', 'light']) {
    await page.evaluate(name => window.lithe.setTheme(name), theme);
    const [a, b] = await stages(page, 's => s.view.world.background.getHexString()');
    assert.equal(a, b);
    assert.equal(parseInt(a.slice(0, 2), 16) < 0x60, theme === 'dark', a);
  }
  await context.close();
});

test('maps over the same points show both, and the change', async () => {
  const f64 = values => ({f64: Buffer.from(Float64Array.from(values).buffer).toString('base64')});
  const map = values => ({name: 'map', x: {name: 'x', unit: 'm', values: f64([0, 1])}, y: {name: 'y', unit: 'm', values: f64([0, 1])}, quantities: [{name: 'f', unit: 'Hz', values: f64(values), logarithmic: false}], postures: [null, null, null, null], home: null});
  const report = values => ({title: 'robot', subtitle: '', facts: [], files: [], events: [], runs: [], spectra: [], modes: [], comparisons: [], maps: [map(values)], eigenvalues: [], tables: []});
  const template = readFileSync(join(root, 'viewer', 'dist', 'page.html'), 'utf8').split('@LITHE_DATA@'), file = path('map.html');
  writeFileSync(file, template[0] + JSON.stringify(report([10, 20, 30, 40])) + template[1]);
  const {page, context, trouble} = await open(browser, file);
  await page.evaluate(other => window.lithe.showBeside(other, ['thin', 'thick']), report([11, 20, 33, 50]));
  const read = async quantity => {
    await page.selectOption('.map select', {label: quantity});
    await page.focus('.map canvas, .map [tabindex="0"]');
    const box = await page.locator('.map canvas').boundingBox();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 0.15 * box.height);
    return page.textContent('.readout');
  };
  assert.match(await read('f, thin'), /x 1\u00a0m, y 1\u00a0m: f, thin 40\u00a0Hz/);
  assert.match(await read('f, thick'), /f, thick 50\u00a0Hz/);
  assert.match(await read('change of f'), /change of f 25\u00a0%/);
  assert.deepEqual(trouble, []);
  await context.close();
});

// Machado, Oliveira and Fernandes (2009), severity 1; distances in the space of Ottosson's OKLab, where black and white
// are 100 apart and 2 are just seen.
test('curves stay apart for colour-blind readers, and from the page', async () => {
  const sights = {
    all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 'no red': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    'no green': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]], 'no blue': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
  };
  const dot = (rows, v) => rows.map(row => row.reduce((sum, x, k) => sum + x * v[k], 0)), linear = c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const rgb = hex => [1, 3, 5].map(k => linear(parseInt(hex.slice(k, k + 2), 16) / 255));
  const lab = v => dot([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]],
      dot([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], v).map(Math.cbrt));
  const luminance = hex => rgb(hex).reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
  const {page, context} = await open(browser, path('plain', 'motion.html'));
  for (const theme of ['light', 'dark']) {
    const [colours, panel] = await page.evaluate(name => {
      window.lithe.setTheme(name);
      return [Array.from({length: 8}, (_, k) => window.lithe.curveColour(k)), getComputedStyle(document.documentElement).getPropertyValue('--panel').trim()];
    }, theme);
    for (const colour of colours) {
      const [low, high] = [luminance(colour), luminance(panel)].sort((a, b) => a - b);
      assert.ok((high + 0.05) / (low + 0.05) >= 3, `${colour} on ${panel}`);
    }
    for (const [sight, matrix] of Object.entries(sights)) {
      const seen = colours.map(colour => lab(dot(matrix, rgb(colour)).map(v => Math.min(1, Math.max(0, v)))));
      seen.forEach((a, i) => seen.slice(0, i).forEach((b, j) => assert.ok(100 * Math.hypot(...a.map((x, k) => x - b[k])) > 7, `${theme}, ${sight}: ${colours[i]} and ${colours[j]}`)));
    }
  }
  await context.close();
});
