// What a page looks like with data that users have: sliders, rigid links, many runs, stiff poles, wide tables.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, open, root, workFolder} from './browser.mjs';

const work = workFolder(), template = readFileSync(join(root, 'viewer', 'dist', 'page.html'), 'utf8').split('@LITHE_DATA@');
let browser;
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  work.remove();
});

// A page of made-up data, without the program.
function write(name, data) {
  const file = join(work.folder, `${name}.html`);
  const empty = {title: name, subtitle: '', facts: [], files: [], events: [], runs: [], spectra: [], modes: [], comparisons: [], maps: [], eigenvalues: [], tables: []};
  writeFileSync(file, template[0] + JSON.stringify({...empty, ...data}) + template[1]);
  return file;
}
const f64 = values => ({f64: Buffer.from(Float64Array.from(values).buffer).toString('base64')});
const f32 = (values, rows) => ({f32: Buffer.from(Float32Array.from(values).buffer).toString('base64'), rows});
const range = (count, value) => Array.from({length: count}, (_, i) => value(i));
const still = [0, 0, 0, 0, 0, 0, 1];

// A beam on a bearing about y, a rigid arm at its end, and a slider on a rail along x of the ground.
const section = {name: 's', shape: 'circle', dimensions: [0.01], area: 3.14e-4, iy: 7.9e-9, iz: 7.9e-9, j: 1.57e-8, fibres: {y: 0.01, z: 0.01, torsion: 0.01, round: true}};
const beam = (name, rigid) => ({name, rigid, nodes: f32([0, 0, 0, 0.5, 0, 0]), nodeNames: ['root', 'tip'], masses: [],
  pieces: [{from: 0, to: 1, section: 0, y: [0, 1, 0], z: [0, 0, 1], e: rigid ? 0 : 70e9, g: rigid ? 0 : 26e9}]});
const aboutY = [0, 0, 0, -Math.SQRT1_2, 0, 0, Math.SQRT1_2], alongX = [0, 0, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2];
const joint = (name, type, parent, child, parentNode, parentFrame, childFrame = parentFrame) =>
  ({name, type, parent, child, parentNode, childNode: 0, parentFrame, childFrame, driven: false});
const scene = {
  name: 'm', gravity: [0, 0, -9.81], sections: [section],
  links: [beam('beam', false), beam('arm', true), {name: 'slider', rigid: true, nodes: f32([0, 0, 0]), nodeNames: ['pin'], pieces: [], masses: []}],
  joints: [joint('bearing', 'revolute', -1, 0, -1, aboutY), joint('elbow', 'revolute', 0, 1, 1, aboutY), joint('guide', 'prismatic', -1, 2, -1, [1, 0, 0, ...alongX.slice(3)], alongX)],
  loads: [{name: 'force', link: 0, node: 1, torque: false, follows: false, direction: [0, 0, 1]}],
};
// The slider goes from x = 0.9 to 1.4 m; the beam carries a moment.
function motion() {
  const times = range(21, i => i / 20), shapes = new Array(18).fill(0), rigid = f32([], 12);
  shapes[12 + 2] = shapes[12 + 4] = 10;
  return {
    times: f64(times), loads: [f32(times.map(() => 5))],
    links: [
      {frames: f32(times.flatMap(() => still)), shapes: f32(shapes, 18), coefficients: f32(times.map(() => 1), 1), strained: true},
      {frames: f32(times.flatMap(() => [0.5, 0, 0, 0, 0, 0, 1])), shapes: rigid, coefficients: f32([], 0), strained: false},
      {frames: f32(times.flatMap(t => [0.9 + 0.5 * t, 0, 0, 0, 0, 0, 1])), shapes: f32([], 6), coefficients: f32([], 0), strained: false},
    ],
  };
}
const copies = (view, kind) => view.evaluate(name => {
  const {mesh} = window.lithe.page.stage.view.symbols.kinds.get(name) ?? {};
  if (!mesh) return null;
  const box = {count: mesh.count, visible: mesh.visible, places: []};
  for (let i = 0; i < mesh.count; ++i) box.places.push(Array.from(mesh.instanceMatrix.array.slice(16 * i, 16 * i + 16)));
  return box;
}, kind);

test('a map opens with its first configuration in sight, while motion is welcome', async () => {
  const poses = x => f32([x, 0, 0, 0, 0, 0, 1, x + 0.5, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1]);
  const map = {name: 'map', x: {name: 'x', unit: 'm', values: f64([0, 1])}, y: {name: 'y', unit: 'm', values: f64([0, 1])},
    quantities: [{name: 'f', unit: 'Hz', values: f32([NaN, 2, 3, 4]), logarithmic: false}], postures: [null, poses(0.25), poses(0.5), poses(0.75)], home: null};
  const {page, context, trouble} = await open(browser, write('map', {scene, maps: [map]}), {reducedMotion: 'no-preference'});
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.lithe.source()), 'posture');
  // Where the second point of the map, the first one within reach, has the tip of the arm.
  const tip = await page.evaluate(() => window.lithe.drawnNode(1, 1));
  assert.ok(Math.abs(tip[0] - 1.25) < 1e-5, String(tip));
  assert.match(await page.textContent('.readout'), /^x 1\u00a0m, y 0.*: f 2\u00a0Hz$/);
  assert.match(await page.textContent('.chip'), /^x 1\u00a0m/);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('sliders run on rails as long as their way, and feet stand on the floor', async () => {
  const {page, context, trouble} = await open(browser, write('slider', {scene, motion: motion()}));
  const rail = await copies(page, 'rail'), slider = await copies(page, 'joint prismatic');
  assert.equal(rail.count, 1);
  const m = rail.places[0], along = [m[8], m[9], m[10]], length = Math.hypot(...along), middle = m[12];
  assert.ok(Math.abs(along[0]) > 0.999 * length, String(along));
  assert.ok(middle - length / 2 < 0.9 && middle + length / 2 > 1.4 && length < 0.5 + 0.4, `${middle} ${length}`);
  assert.ok(Math.abs(slider.places[0][12] - 0.9) < 1e-6);
  // Three feet, their discs on the grid: 4.9 radii below their tops.
  const feet = await copies(page, 'ground'), floor = await page.evaluate(() => window.lithe.page.stage.view.grid.thin.geometry.getAttribute('position').array[2]);
  assert.equal(feet.count, 3);
  for (const foot of feet.places) assert.ok(Math.abs(foot[14] - 4.9 * Math.hypot(foot[8], foot[9], foot[10]) - floor) < 1e-5, `${foot[14]} ${floor}`);
  await page.evaluate(() => window.lithe.setTime(1));
  assert.ok(Math.abs((await copies(page, 'joint prismatic')).places[0][12] - 1.4) < 1e-6);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('rigid links have no colour of stress', async () => {
  const {page, context} = await open(browser, write('rigid', {scene, motion: motion()}));
  await page.selectOption('#colour', 'stress');
  const colours = await page.evaluate(() => {
    const {body} = window.lithe.page.stage.view.sweep, array = body.mesh.geometry.getAttribute('color').array;
    const of = link => {
      const ring = body.rings.findIndex(r => r.piece.link === link), vertex = body.ringOf.indexOf(ring);
      return Array.from(array.slice(3 * vertex, 3 * vertex + 3));
    };
    return [of(0), of(1)];
  });
  const spread = c => Math.max(...c) - Math.min(...c);
  assert.ok(spread(colours[0]) > 0.5 && spread(colours[1]) < 0.08, JSON.stringify(colours));
  assert.match(await page.textContent('.colour-bar'), /grey: rigid/);
  await context.close();
});

test('layers are switched off and on', async () => {
  const {page, context, trouble} = await open(browser, write('layers', {scene, motion: motion()}));
  await page.click('.layers summary');
  for (const [layer, kind] of [['joints', 'joint revolute'], ['joints', 'rail'], ['ground', 'ground'], ['loads', 'load 1'], ['nodes', 'node']]) {
    const box = page.locator(`[data-layer=${layer}]`);
    await box.check();
    assert.ok((await copies(page, kind)).visible, kind);
    await box.uncheck();
    assert.equal((await copies(page, kind)).visible, false, kind);
  }
  await page.check('[data-layer=labels]');
  await page.waitForTimeout(150);
  const names = await page.$$eval('.labels span:not([hidden])', list => list.map(e => e.textContent));
  assert.ok(names.includes('bearing') && names.includes('beam'), names.join());
  await page.uncheck('[data-layer=labels]');
  assert.equal(await page.isVisible('.labels'), false);
  await page.uncheck('[data-layer=grid]');
  assert.equal(await page.evaluate(() => window.lithe.page.stage.view.grid.group.visible), false);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('seven runs with three components have a legend of ten names that switch curves', async () => {
  const times = f64(range(50, i => i)), column = (name, k) => ({name, unit: 'm', values: f32(range(50, i => k + i))});
  const runs = range(7, r => ({name: `run ${r}`, times, samples: 50, computingTime: null, facts: [], columns: ['x', 'y', 'z'].map((axis, k) => column(`tip.${axis}`, r + k))}));
  const {page, context, trouble} = await open(browser, write('legend', {runs}));
  const keys = page.locator('#panel-motion .plot:first-child .key');
  assert.equal(await keys.count(), 10);
  const shown = () => page.evaluate(() => [...window.lithe.page.plots][0].plot.series.slice(1).filter(s => s.show).length);
  assert.equal(await shown(), 21);
  await keys.filter({hasText: 'run 3'}).click();
  assert.equal(await shown(), 18);
  await keys.filter({hasText: /^y$/}).click();
  assert.equal(await shown(), 12);
  await keys.filter({hasText: 'run 3'}).click();
  assert.equal(await shown(), 14);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('poles near the origin have the room, and a double click shows all', async () => {
  // Eight lightly damped modes, a real pole at -400 and stiff modes up to 1 MHz.
  const poles = [...range(8, k => [-0.02 * (k + 1), 10 * (k + 1)]), [-400, 0], ...range(12, k => [-1e5 * (k + 1), 6e5 * (k + 1)])];
  const values = {name: 'eigenvalues', parameter: '', unit: '', parameterValues: f64([0]), eigenvalues: [f64(poles.flat())], excitationOrders: [], hertzPerUnit: 1};
  const {page, context, trouble} = await open(browser, write('poles', {eigenvalues: [values]}));
  assert.match(await page.textContent('.poles'), /double-click for the full range.*Real axis logarithmic/);
  // How far apart the slowest and the eighth pole are drawn, over the width of the plot.
  const spread = () => page.evaluate(async () => {
    const seen = [], {prototype} = CanvasRenderingContext2D, arc = prototype.arc;
    prototype.arc = function (x, y, ...more) { seen.push([x, y]); return arc.call(this, x, y, ...more); };
    const canvas = document.querySelector('.poles canvas');
    canvas.parentElement.style.width = `${canvas.clientWidth - 1}px`;
    await new Promise(done => setTimeout(done, 200));
    prototype.arc = arc;
    return [Math.abs(seen[7][0] - seen[0][0]) / canvas.clientWidth, Math.abs(seen[7][1] - seen[0][1]) / canvas.clientHeight];
  });
  const near = await spread();
  assert.ok(near[0] > 0.05 && near[1] > 0.4, String(near));
  await page.dblclick('.poles canvas');
  const far = await spread();
  assert.ok(far[0] < 0.8 * near[0] && far[1] < 1e-3, `${near} ${far}`);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a table of long names and ten columns is not cut off', async () => {
  const columns = [{name: 'run', unit: ''}, ...['formulation', 'integrator', 'end', 'coordinates', 'recorded instants', 'steps', 'evaluations', 'computing time'].map(name => ({name, unit: ''}))];
  const rows = range(6, r => [`output feedback ${r}`, 'floating-frame', 'generalised_alpha', 'reached 2 s', '19', '2001', '1780, 0 rejected', '7121', '0.0815 s']);
  const file = write('table', {scene, motion: motion(), tables: [{title: 'runs', columns, rows}]});
  for (const width of [1440, 1280]) {
    const {page, context} = await open(browser, file, {viewport: {width, height: 900}});
    await page.click('#tab-data');
    await page.waitForTimeout(100);
    const [inner, outer] = await page.$eval('.table-scroll', e => [e.scrollWidth, e.clientWidth]);
    assert.ok(inner <= outer, `${inner} in ${outer} at ${width}`);
    await context.close();
  }
});

test('values are in the units that the model file writes, files in SI units', async () => {
  const units = {m: {unit: 'mm', factor: 1000}, rad: {unit: 'deg', factor: 180 / Math.PI}}, sensorUnits = {'root stress': {unit: 'MPa', factor: 1e-6}};
  const times = f64(range(50, i => i)), column = (name, unit, value) => ({name, unit, values: f32(range(50, () => value))});
  const runs = [{name: 'run', times, samples: 50, computingTime: null, facts: [], columns: [column('tip.x', 'm', 1.25), column('angle', 'rad', Math.PI / 4), column('root stress', 'Pa', 2.5e4)]}];
  const tables = [{title: 'sensors', columns: [{name: 'sensor', unit: ''}, {name: 'unit', unit: ''}, {name: 'max', unit: ''}], rows: [['tip.x', 'm', 1.25], ['angle', 'rad', Math.PI / 4], ['root stress', 'Pa', 2.5e4]]}];
  const {page, context, trouble} = await open(browser, write('units', {scene: {...scene, units, sensorUnits}, motion: motion(), runs, tables}));
  const shown = await page.$$eval('#panel-motion .plot', list => list.map(e => [e.querySelector('.unit').textContent, e.querySelector('.plot-host').getAttribute('aria-label')]));
  assert.deepEqual(shown.map(([unit]) => unit), ['mm', 'deg', 'MPa']);
  assert.match(shown[0][1], /from 1250 to 1250 mm/);
  assert.match(shown[1][1], /from 45 to 45 deg/);
  assert.match(shown[2][1], /from 0\.025 to 0\.025 MPa/);
  await page.click('#tab-data');
  const cells = await page.$$eval('#panel-data tbody tr', rows => rows.map(r => [...r.children].map(c => c.textContent)));
  assert.deepEqual(cells, [['tip.x', 'mm', '1250'], ['angle', 'deg', '45'], ['root stress', 'MPa', '0.025']]);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('button[aria-label="Download table sensors as CSV"]')]);
  assert.match(readFileSync(await download.path(), 'utf8'), /tip\.x,m,1\.25\n/);
  assert.deepEqual(trouble, []);
  await context.close();
});
