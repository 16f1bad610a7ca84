// Pages of robots with motors: axes in degrees, and whose path is traced.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, lithe, open, workFolder} from './browser.mjs';

const work = workFolder();
let browser;

before(async () => {
  browser = await launch();
  writeFileSync(join(work.folder, 'robot.toml'), `lithe = 1
[[links]]
name = "arm"
type = "rigid"
mass = 2
inertia = [0.01, 0.05, 0.05]
centre = [0.2, 0, 0]
nodes = {root = [0, 0, 0], tip = [0.4, 0, 0]}
[[links]]
name = "hand"
type = "rigid"
mass = 1
inertia = [0.01, 0.01, 0.01]
nodes = {root = [0, 0, 0], tool = [0.2, 0, 0]}
[[joints]]
name = "shoulder"
child = "arm"
child_node = "root"
axis = [0, 1, 0]
[[joints]]
name = "wrist"
parent = "arm"
parent_node = "tip"
child = "hand"
child_node = "root"
axis = [0, 1, 0]
stiffness = 100
[[motors]]
joint = "shoulder"
rotor_inertia = 1e-4
ratio = 50
stiffness = 4000
[[moves]]
joints = ["shoulder"]
waypoints = [{joints = ["60 deg"]}]
duration = 0.3
`);
  lithe(work.folder, 'simulate', 'robot.toml', '--end', '0.3', '-o', 'motion');
  lithe(work.folder, 'sweep', 'robot.toml', '--analysis', 'modes', '--count', '1', '--axis', 'joint.shoulder = -90 deg : 90 deg : 7',
      '--axis', 'joint.wrist = 0 deg : 140 deg : 8', '-o', 'map');
});
after(async () => {
  await browser.close();
  work.remove();
});

test('the path of the tool is drawn, not that of a rotor', async () => {
  const {page, context} = await open(browser, join(work.folder, 'motion', 'motion.html'));
  const links = await page.evaluate(() => window.lithe.page.own.scene.links.map(link => link.name));
  assert.ok(links[links.length - 1].includes('rotor'), links.join(', '));
  const traced = await page.evaluate(() => {
    const {stage, own} = window.lithe.page, [link, node] = stage.traced;
    return `${own.scene.links[link].name}:${own.scene.links[link].nodeNames[node]}`;
  });
  assert.equal(traced, 'hand:tool');
  await context.close();
});

test('axes in degrees have round numbers of degrees', async () => {
  const {page, context} = await open(browser, join(work.folder, 'map', 'sweep.html'));
  const texts = await page.evaluate(async () => {
    const written = [], plain = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function(text, ...place) {
      written.push(text);
      plain.call(this, text, ...place);
    };
    window.lithe.setTheme('dark'); // draws anew
    await new Promise(done => setTimeout(done, 300));
    return written;
  });
  const ticks = texts.map(text => Number(text.replace('\u2212', '-'))).filter(value => !Number.isNaN(value));
  assert.ok(ticks.length >= 6, texts.join(' '));
  for (const tick of ticks) assert.ok(tick % 5 === 0, texts.join(' '));
  await context.close();
});
