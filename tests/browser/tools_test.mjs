// Tools of the 3-D view: names under the pointer, distances, sections, films, keys, paper.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, lithe, open, parseCsv, root, workFolder} from './browser.mjs';

const work = workFolder();
let browser, report;

before(async () => {
  browser = await launch();
  lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '--end', '0.2', '-o', 'motion');
  report = join(work.folder, 'motion', 'motion.html');
});
after(async () => {
  await browser.close();
  work.remove();
});

// Where a node is on the screen.
const place = (page, node) => page.evaluate(n => {
  const {view} = window.lithe.page.stage, p = view.nodeAt(0, n).project(view.camera), box = view.canvas.getBoundingClientRect();
  return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
}, node);

// A picture of the view with fewer colours: how much of it differs from another one.
const pixels = page => page.evaluate(() => {
  const {view} = window.lithe.page.stage;
  view.touch();
  view.draw();
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [160, 120];
  const context = copy.getContext('2d');
  context.drawImage(view.canvas, 0, 0, 160, 120);
  return Array.from(context.getImageData(0, 0, 160, 120).data);
});

// Means over blocks of 8 by 8: the resolution of the view follows the time that a frame takes, and moves edges.
const blocks = picture => {
  const means = new Array(20 * 15 * 4).fill(0);
  picture.forEach((value, k) => {
    const x = Math.floor(((k >> 2) % 160) / 8), y = Math.floor((k >> 2) / 160 / 8);
    means[(y * 20 + x) * 4 + (k & 3)] += value / 64;
  });
  return means;
};

test('a node and its joints are named where the pointer rests', async () => {
  const {page, context} = await open(browser, report);
  await page.mouse.move(...await place(page, 0));
  await page.waitForSelector('.node-tip:not([hidden])');
  assert.equal(await page.textContent('.node-tip'), 'arm: root \u00b7 joint shoulder');
  await context.close();
});

test('the distance of two nodes is that of the result file, at every instant', async () => {
  const {page, context, trouble} = await open(browser, report);
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'motion', 'motion.csv'), 'utf8'));
  await page.click('[data-tool=measure]');
  for (const node of [1, 2]) await page.mouse.click(...await place(page, node));
  const column = (sensor, axis) => header.findIndex(name => name.startsWith(`${sensor} position.${axis}`));
  for (const share of [0, 1]) {
    const times = await page.evaluate(() => window.lithe.times()), time = times[Math.round(share * (times.length - 1))];
    await page.evaluate(at => window.lithe.setTime(at), time);
    const row = rows.reduce((best, r) => (Math.abs(r[0] - time) < Math.abs(best[0] - time) ? r : best));
    const expected = 1000 * Math.hypot(...['x', 'y', 'z'].map(axis => row[column('tip', axis)] - row[column('elbow', axis)]));
    const shown = parseFloat(await page.textContent('.tool-panel dd'));
    // Six digits are shown; vertices are floats.
    assert.ok(Math.abs(shown - expected) < 2e-3, `${shown} shown, ${expected} mm computed`);
  }
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.tool-panel').isVisible(), false);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the angle of three nodes is that of the result file', async () => {
  const {page, context} = await open(browser, report);
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'motion', 'motion.csv'), 'utf8'));
  await page.click('[data-tool=measure]');
  for (const node of [0, 1, 2]) await page.mouse.click(...await place(page, node));
  const time = await page.evaluate(() => window.lithe.time()), row = rows.reduce((best, r) => (Math.abs(r[0] - time) < Math.abs(best[0] - time) ? r : best));
  const at = sensor => ['x', 'y', 'z'].map(axis => row[header.findIndex(name => name.startsWith(`${sensor} position.${axis}`))]);
  const elbow = at('elbow'), tip = at('tip'), [u, v] = [elbow.map(x => -x), tip.map((x, k) => x - elbow[k])]; // the root is the origin
  const expected = (180 / Math.PI) * Math.acos(u.reduce((sum, x, k) => sum + x * v[k], 0) / (Math.hypot(...u) * Math.hypot(...v)));
  const shown = parseFloat(await page.textContent('.tool-panel dt:has-text("angle at arm: elbow") + dd'));
  assert.ok(Math.abs(shown - expected) < 1e-3, `${shown} shown, ${expected} computed`);
  await context.close();
});

test('a link can be hidden, and comes back', async () => {
  lithe(work.folder, 'modes', join(root, 'models', 'planar_2r.toml'), '-o', 'two links');
  const {page, context, trouble} = await open(browser, join(work.folder, 'two links', 'modes.html'));
  const forearm = () => page.evaluate(() => {
    const {sweep} = window.lithe.page.stage.view, ring = sweep.body.rings.findIndex(({piece}) => piece.link === 1);
    return sweep.body.middle(ring, sweep.spans.find(span => span.link === 1).outline(sweep.details[1].sides)).some(value => value !== 0);
  });
  assert.equal(await forearm(), true);
  await page.click('.layers > summary');
  await page.click('.link-list > summary');
  await page.click('[data-link="1"]');
  assert.equal(await forearm(), false);
  await page.keyboard.press('Shift+H');
  assert.equal(await page.isChecked('[data-link="1"]'), false); // keys in a field are the field's
  await page.click('.canvas-host canvas', {position: {x: 5, y: 300}});
  await page.keyboard.press('Shift+H');
  assert.equal(await page.isChecked('[data-link="1"]'), true);
  assert.equal(await forearm(), true);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a double click on a node goes nearer, one beside all of them shows everything', async () => {
  const {page, context} = await open(browser, report);
  const distance = () => page.evaluate(() => {
    const {view} = window.lithe.page.stage, {position, target} = view.place();
    return [position.distanceTo(target), target.distanceTo(view.nodeAt(0, 2))];
  });
  const [far] = await distance();
  await page.mouse.dblclick(...await place(page, 2));
  const [near, away] = await distance();
  assert.ok(Math.abs(near / far - 0.5) < 1e-3, `${near} of ${far}`);
  assert.ok(away < 1e-6, String(away));
  await page.mouse.dblclick(20, 400);
  assert.ok(Math.abs((await distance())[0] / far - 1) < 1e-3);
  await context.close();
});

test('a section leaves out what is beyond its plane, and ends where it is closed', async () => {
  const {page, context} = await open(browser, report);
  const whole = blocks(await pixels(page));
  const distance = async () => blocks(await pixels(page)).reduce((sum, value, k) => sum + Math.abs(value - whole[k]), 0);
  await page.click('[data-tool=section]');
  const cut = await distance();
  assert.ok(cut > 100, `a distance of ${cut}`);
  await page.keyboard.press('Escape');
  const left = await distance();
  assert.ok(left < 0.6 * cut, `a distance of ${left} after it was closed, ${cut} before`);
  await context.close();
});

test('a film of the motion is saved', async () => {
  const {page, context} = await open(browser, report);
  const [download] = await Promise.all([page.waitForEvent('download', {timeout: 120000}), page.click('text="film"')]);
  const film = readFileSync(await download.path());
  // WebM: the mark of EBML, its name, and more than one picture.
  assert.equal(film.readUInt32BE(0), 0x1a45dfa3);
  assert.ok(film.subarray(0, 64).includes('webm'));
  assert.ok(film.length > 20000, `${film.length} bytes`);
  await context.close();
});

test('the question mark shows the keys', async () => {
  const {page, context} = await open(browser, report);
  await page.keyboard.press('?');
  assert.match(await page.textContent('dialog.keys'), /play or pause/);
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog.keys', {state: 'detached'});
  await context.close();
});

test('paper has a picture of the view, the facts of the run and the open tab, dark on white', async () => {
  const {page, context, trouble} = await open(browser, report, {colorScheme: 'dark'});
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme), wide = await page.$eval('.plot-host canvas', e => e.clientWidth);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await theme(), 'light');
  assert.equal(await page.$eval('.plot-host canvas', e => e.clientWidth), wide);
  // The corner of the picture is background.
  const corner = await page.evaluate(async () => {
    const picture = document.querySelector('.print-picture'), copy = document.createElement('canvas');
    await picture.decode();
    [copy.width, copy.height] = [picture.naturalWidth, picture.naturalHeight];
    const context = copy.getContext('2d');
    context.drawImage(picture, 0, 0);
    return Array.from(context.getImageData(2, 2, 1, 1).data);
  });
  assert.ok(corner.slice(0, 3).every(value => value > 220), String(corner));
  await page.emulateMedia({media: 'print'});
  assert.match(await page.textContent('.print-facts'), /formulation.*erls-cms/);
  assert.ok(await page.locator('.print-facts').isVisible());
  assert.equal(await page.locator('.checks').isVisible(), false);
  await page.emulateMedia({media: 'screen'});
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await theme(), 'dark');
  await page.pdf();
  assert.equal(await theme(), 'dark');
  assert.ok(await page.$eval('.print-picture', picture => picture.src.length) > 5000);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('another report takes the place of this one, seen from the same side, again and again', async () => {
  const {page, context, trouble} = await open(browser, report);
  await page.click('[role=tab]:has-text("Modes")');
  const seen = await page.evaluate(() => {
    const data = document.getElementById('lithe-data').textContent, {view} = window.lithe.page.stage;
    view.orbit(0.3, 0.1);
    const before = view.place().position.toArray();
    for (let k = 0; k < 30; ++k) window.lithe.show(JSON.parse(data));
    return [before, window.lithe.page.stage.view.place().position.toArray()];
  });
  seen[0].forEach((value, k) => assert.ok(Math.abs(value - seen[1][k]) < 1e-6, `${value}, ${seen[1][k]}`));
  assert.equal(await page.getAttribute('[role=tab]:has-text("Modes")', 'aria-selected'), 'true');
  assert.equal(await page.locator('.canvas-host canvas').first().evaluate(canvas => canvas.getContext('webgl2').isContextLost()), false);
  assert.deepEqual(trouble, []);
  await context.close();
});
