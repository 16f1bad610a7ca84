// Shapes of links: drawn in their colours, on their links, and switched off.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, lithe, open, root, workFolder} from './browser.mjs';

const work = workFolder();
let browser, report;

// A tetrahedron.
const stl = ['0 0 0,0.3 0 0,0 0.3 0', '0 0 0,0 0.3 0,0 0 0.3', '0 0 0,0 0 0.3,0.3 0 0', '0.3 0 0,0 0 0.3,0 0.3 0']
    .map(face => `facet normal 0 0 0\nouter loop\n${face.split(',').map(p => `vertex ${p}`).join('\n')}\nendloop\nendfacet`).join('\n');

before(async () => {
  browser = await launch();
  const inertial = '<inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>';
  writeFileSync(join(work.folder, 'part.stl'), `solid part\n${stl}\nendsolid part\n`);
  writeFileSync(join(work.folder, 'robot.urdf'), `<robot name="r"><link name="base"/>
    <link name="red">${inertial}<visual><geometry><box size="0.3 0.3 0.3"/></geometry><material name="r"><color rgba="1 0 0 1"/></material></visual></link>
    <link name="green">${inertial}<visual><geometry><mesh filename="part.stl"/></geometry><material name="g"><color rgba="0 1 0 1"/></material></visual>
      <visual><geometry><mesh filename="missing.stl"/></geometry></visual></link>
    <joint name="a" type="continuous"><parent link="base"/><child link="red"/><axis xyz="0 1 0"/></joint>
    <joint name="b" type="continuous"><origin xyz="0 0 0.5"/><parent link="red"/><child link="green"/><axis xyz="0 1 0"/></joint></robot>`);
  writeFileSync(join(work.folder, 'robot.toml'), 'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "robot.urdf"\n[joints.a]\nvalue = 0.7\n');
  lithe(work.folder, 'simulate', 'robot.toml', '--end', '0.3', '-o', 'motion');
  report = join(work.folder, 'motion', 'motion.html');
});
after(async () => {
  await browser.close();
  work.remove();
});

// Pixels that are clearly of one colour: red, green.
const counts = page => page.evaluate(() => {
  const {view} = window.lithe.page.stage;
  view.touch();
  view.draw();
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [320, 240];
  const context = copy.getContext('2d');
  context.drawImage(view.canvas, 0, 0, 320, 240);
  const p = context.getImageData(0, 0, 320, 240).data, found = [0, 0];
  for (let i = 0; i < p.length; i += 4) for (const k of [0, 1]) if (p[i + k] > 60 && p[i + k] > 2.5 * p[i + 1 - k] && p[i + k] > 2.5 * p[i + 2]) ++found[k];
  return found;
});

test('shapes of a description are drawn in their colours and can be switched off', async () => {
  const {page, context, trouble} = await open(browser, report);
  const [red, green] = await counts(page);
  assert.ok(red > 300, `${red} red pixels`);
  assert.ok(green > 100, `${green} green pixels`);
  await page.click('.layers summary');
  await page.uncheck('[data-layer=shapes]');
  const [noRed, noGreen] = await counts(page);
  assert.ok(noRed < 0.1 * red && noGreen < 0.1 * green, `${noRed} and ${noGreen} pixels are left`);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('shapes ride on their links', async () => {
  const {page, context} = await open(browser, report);
  const place = time => page.evaluate(t => {
    const {stage} = window.lithe.page, found = [];
    stage.setTime(t);
    stage.view.draw();
    stage.view.world.traverse(object => { if (object.material?.flatShading && object.material.color?.g > 0.9) found.push(object); });
    found[0].updateWorldMatrix(true, false);
    const e = found[0].matrixWorld.elements;
    return {shape: [e[12], e[13], e[14]], turn: e[0], node: stage.view.nodeAt(2, 0).toArray()};
  }, time);
  const apart = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
  const first = await place(0), last = await place(0.3);
  for (const {shape, node} of [first, last]) assert.ok(apart(shape, node) < 1e-5, `${shape} is not at ${node}`); // its origin is at the joint
  assert.ok(apart(first.shape, last.shape) > 0.05, 'the link falls');
  assert.ok(Math.abs(first.turn - last.turn) > 0.01, 'and turns');
  await context.close();
});

test('a mesh that is missing is named on the page', () => {
  assert.match(readFileSync(report, 'utf8'), /the mesh 'missing\.stl' is not drawn: cannot read the file/);
});

// The bracket's two bearings: lines from the node that holds to nodes of the surface, which move with both.
test('spiders of a mesh are lines between nodes that move', async () => {
  lithe(work.folder, 'simulate', join(root, 'models', 'solids', 'bracket.toml'), '--end', '0.02', '-o', 'bracket');
  const {page, context, trouble} = await open(browser, join(work.folder, 'bracket', 'motion.html'));
  const legs = await page.evaluate(() => {
    const {legs, parts} = window.lithe.page.stage.view.sweep.surface;
    const index = Array.from(legs.geometry.getIndex().array), p = legs.geometry.getAttribute('position').array;
    return {visible: legs.visible, index, count: parts[0].count, from: [...new Set(index.filter((_, i) => i % 2 === 0))],
            lengths: index.filter((_, i) => i % 2 === 0).map((a, i) => Math.hypot(...[0, 1, 2].map(k => p[3 * a + k] - p[3 * index[2 * i + 1] + k])))};
  });
  assert.ok(legs.visible);
  assert.deepEqual(legs.from, [0, 1]); // the named nodes
  assert.ok(legs.index.length >= 2 * 60 && legs.index.length <= 4 * 64 && Math.max(...legs.index) < legs.count, `${legs.index.length}`);
  for (const length of legs.lengths) assert.ok(length > 0.0079 && length < 0.014, `${length} m`); // bores of 8 mm, 20 mm deep
  assert.deepEqual(trouble, []);
  await context.close();
});
