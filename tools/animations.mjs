// The two moving pictures of the README, drawn by the report page in Chromium and joined by img2webp (package webp):
//   LITHE_PROGRAM=build/lithe node tools/animations.mjs    writes docs/images/swing.webp and docs/images/mode.webp
import {execFileSync} from 'node:child_process';
import {statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {launch, lithe, open, root, workFolder} from '../tests/browser/browser.mjs';

const work = workFolder(), size = {width: 560, height: 360};

// `count` pictures of what moves, from its beginning to its end, `ms` each.
async function film(page, name, count, ms) {
  const frames = [];
  for (let k = 0; k < count; ++k) {
    const data = await page.evaluate(part => {
      const {stage} = window.lithe.page;
      stage.showPart(part);
      stage.view.touch();
      stage.view.draw(Infinity);
      stage.view.touch();
      stage.view.draw(Infinity);
      return stage.view.canvas.toDataURL('image/png');
    }, k / count);
    const file = join(work.folder, `${name}_${String(k).padStart(3, '0')}.png`);
    writeFileSync(file, Buffer.from(data.split(',')[1], 'base64'));
    frames.push(file);
  }
  const target = join(root, 'docs', 'images', `${name}.webp`);
  execFileSync('img2webp', ['-loop', '0', '-lossy', '-q', '62', '-d', String(ms), ...frames, '-o', target]);
  console.log(`${target}: ${(statSync(target).size / 1000).toFixed(0)} kB`);
}

async function stageOf(browser, file) {
  const {page, context} = await open(browser, file, {viewport: {width: 1100, height: 900}, colorScheme: 'light'});
  await page.addStyleTag({content: `.stage { position: fixed; left: 0; top: 0; width: ${size.width}px; height: ${size.height}px; z-index: 99; } .controls { display: none !important; }`});
  await page.waitForTimeout(300);
  await page.evaluate(() => window.lithe.page.stage.view.look('iso'));
  return {page, context};
}

const browser = await launch();
lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '--end', '1.2', '-o', 'swing');
lithe(work.folder, 'modes', join(root, 'models', 'industrial_6r.toml'), '-o', 'arm');
let shown = await stageOf(browser, join(work.folder, 'swing', 'motion.html'));
await shown.page.evaluate(() => {
  const {stage} = window.lithe.page;
  stage.setColour('stress');
  stage.setScale(3);
});
await film(shown.page, 'swing', 60, 60);
await shown.context.close();
shown = await stageOf(browser, join(work.folder, 'arm', 'modes.html'));
await shown.page.evaluate(() => window.lithe.page.stage.setColour('displacement'));
await film(shown.page, 'mode', 30, 60);
await shown.context.close();
await browser.close();
work.remove();
