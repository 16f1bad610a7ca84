// Pictures of all example models for the gallery, drawn by the report page in Chromium:
//   LITHE_PROGRAM=build/lithe node tools/gallery_pictures.mjs [NAME ...]    writes docs/images/gallery/NAME.jpg
import {mkdirSync, readdirSync} from 'node:fs';
import {basename, join} from 'node:path';
import {launch, lithe, open, root, workFolder} from '../tests/browser/browser.mjs';

const target = join(root, 'docs', 'images', 'gallery');
const models = join(root, 'models');
const wanted = process.argv.slice(2);
const names = ['', 'solids', 'shells'].flatMap(folder =>
  readdirSync(join(models, folder)).filter(name => name.endsWith('.toml')).map(name => join(folder, name.slice(0, -5))));
mkdirSync(target, {recursive: true});

// The page of the lowest modes, or of a short motion where nothing vibrates.
function pageOf(folder, name) {
  const model = join(models, `${name}.toml`);
  try {
    lithe(folder, 'modes', model, '--count', '6', '-o', basename(name));
    return 'modes.html';
  } catch {
    lithe(folder, 'simulate', model, '--end', '0.05', '-o', basename(name));
    return 'motion.html';
  }
}

async function draw(browser, folder, name) {
  const file = join(folder, basename(name), pageOf(folder, name));
  const {page, context} = await open(browser, file, {viewport: {width: 1100, height: 700}, colorScheme: 'light'});
  if (await page.locator('.modes li').count() > 0) {
    // The first one that vibrates, if any does.
    const texts = await page.locator('.modes li button').allTextContents(), wanted = texts.findIndex(text => !/free motion|unstable/.test(text));
    await page.locator('.modes li button').nth(Math.max(0, wanted)).click();
    if (await page.locator('button[aria-label=Pause]').count() > 0) await page.click('button[aria-label=Pause]');
    if (await page.locator('#colour option[value=displacement]').count() > 0) await page.selectOption('#colour', 'displacement');
    if (await page.locator('input.time').count() > 0) await page.locator('input.time').fill('0.25');
  }
  await page.evaluate(() => {
    document.querySelector('.toolbar').style.display = 'none';
    document.querySelector('.chip').style.top = '0.6rem';
  });
  await page.waitForTimeout(1500); // until it stands still and is drawn sharp
  await page.locator('.canvas-host').screenshot({path: join(target, `${basename(name)}.jpg`), type: 'jpeg', quality: 82});
  await context.close();
}

const work = workFolder();
const browser = await launch();
for (const name of names.filter(one => wanted.length === 0 || wanted.includes(basename(one)))) {
  try {
    await draw(browser, work.folder, name);
    console.log(name);
  } catch (error) {
    console.log(`${name}: ${error.message.split('\n')[0]}`);
    process.exitCode = 1;
  }
}
await browser.close();
work.remove();
