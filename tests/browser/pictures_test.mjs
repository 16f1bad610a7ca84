// The README's pictures: `LITHE_PICTURES=docs/images node --test tests/browser/pictures_test.mjs` makes them anew.
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {canvasColours, launch, lithe, open, root, workFolder} from './browser.mjs';

const work = workFolder();
const target = process.env.LITHE_PICTURES ?? work.folder;
let browser;

before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  work.remove();
});

async function picture(file, name, colorScheme, prepare) {
  const {page, context, trouble} = await open(browser, file, {viewport: {width: 1280, height: 800}, colorScheme});
  await prepare(page);
  assert.ok(await canvasColours(page) > 50);
  await page.waitForTimeout(2000); // until it stands still and is drawn sharp
  const path = join(target, `${name}.png`);
  await page.screenshot({path});
  assert.ok(statSync(path).size > 20000);
  assert.deepEqual(trouble, []);
  await context.close();
}

test('the L-shape in motion', async () => {
  lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '-o', 'l_shape');
  const file = join(work.folder, 'l_shape', 'motion.html');
  await picture(file, 'report_motion', 'light', async page => {
    await page.selectOption('#colour', 'stress');
    await page.evaluate(() => {
      window.lithe.setTime(0.3);
      window.lithe.setScale(20);
    });
  });
  await picture(file, 'report_mode', 'light', async page => {
    await page.click('#tab-modes');
    await page.click('.modes li:nth-child(6) button');
    await page.click('button[aria-label=Pause]');
    await page.selectOption('#colour', 'displacement');
    await page.locator('input.time').fill('0.25');
  });
});

test('an industrial arm in the dark', async () => {
  lithe(work.folder, 'simulate', join(root, 'models', 'industrial_6r.toml'), '-o', 'arm');
  await picture(join(work.folder, 'arm', 'motion.html'), 'report_arm', 'dark', page => page.evaluate(() => window.lithe.setTime(0.6)));
});

test('a map of a parallel robot', async () => {
  lithe(work.folder, 'sweep', join(root, 'models', 'planar_3rrr.toml'), '--tool', 'platform:centre', '--axis', 'tool.x = -0.15 : 0.15 : 31',
      '--axis', 'tool.y = -0.15 : 0.15 : 31', '-o', 'map');
  await picture(join(work.folder, 'map', 'sweep.html'), 'report_map', 'light', async page => {
    await page.focus('.map canvas');
    for (let i = 0; i < 20; ++i) for (const key of ['ArrowUp', 'ArrowRight']) await page.keyboard.press(key);
  });
});
