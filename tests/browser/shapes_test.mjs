// Shapes of links: drawn in their colours, on their links, and switched off.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, lithe, open, root, workFolder} from './browser.mjs';

const work = workFolder();
let browser, report;

// A triangle per face of a unit cube would do; this tetrahedron is enough to see a mesh.
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
  writeFileSync(join(work.folder, 'robot.toml'), 'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "robot.urdf"\n');
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
  const place = () => page.evaluate(() => {
    const {view} = window.lithe.page.stage, found = [];
    view.world.traverse(object => { if (object.geometry?.type === 'BoxGeometry' && object.material.color.r > 0.9) found.push(object); });
    view.draw();
    found[0].updateWorldMatrix(true, false);
    return {shape: found[0].matrixWorld.elements.slice(0, 15), node: view.nodeAt(1, 0).toArray()};
  });
  await page.evaluate(() => window.lithe.page.stage.setTime(0));
  const first = await place();
  await page.evaluate(() => window.lithe.page.stage.setTime(0.3));
  const last = await place();
  assert.ok(Math.hypot(...[12, 13, 14].map((e, k) => last.shape[e] - last.node[k])) < 1e-6); // its centre is at the joint
  assert.equal(first.shape.length, last.shape.length);
  await context.close();
});

test('a mesh that is missing is named on the page', () => {
  assert.match(readFileSync(report, 'utf8'), /the mesh 'missing\.stl' is not drawn: cannot read the file/);
});
