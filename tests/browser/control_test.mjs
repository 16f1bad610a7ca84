// Pages of controllers compared and of linear models, at the sizes of a screen and of half a screen.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {canvasColours, launch, lithe, open, parseCsv, root, workFolder} from './browser.mjs';

const work = workFolder();
const model = name => join(root, 'models', `${name}.toml`);
const sizes = [{width: 1440, height: 900}, {width: 760, height: 1000}];
let browser;

before(async () => {
  browser = await launch();
  lithe(work.folder, 'control', model('control_arm'), '--controllers', 'pid,lqg,predictive', '--end', '0.6', '-o', 'control');
  lithe(work.folder, 'linearise', model('control_five_bar'), '-o', 'linear');
  const text = readFileSync(model('control_arm'), 'utf8') + '\n[[analyses]]\nkind = "control"\ncontrollers = ["pid", "lqg"]\npayloads = false\nend_time = 0.2\n';
  writeFileSync(join(work.folder, 'arm.toml'), text);
  lithe(work.folder, 'run', 'arm.toml', '-o', 'all');
});
after(async () => {
  await browser.close();
  work.remove();
});

const wide = page => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

test('controllers lie over each other in every plot, at both sizes', async () => {
  for (const viewport of sizes) {
    const {page, context, trouble} = await open(browser, join(work.folder, 'control', 'control.html'), {viewport});
    assert.ok(await canvasColours(page) > 20);
    const keys = await page.$$eval('#panel-motion .plot:first-child .key', list => list.map(e => e.textContent));
    assert.equal(keys.length, 3, keys.join(' | '));
    ['pid', 'lqg', 'predictive'].forEach(name => assert.ok(keys.some(key => key.startsWith(name)), name));
    const choices = await page.textContent('#panel-motion');
    assert.match(choices, /torque, shoulder/);
    for (const tab of await page.$$('[role=tab]')) {
      await tab.click();
      await page.waitForTimeout(80);
      assert.ok(await wide(page) <= 0, `wider than a window of ${viewport.width}`);
    }
    assert.deepEqual(trouble, []);
    await context.close();
  }
});

test('the tables name every controller and payload, and the slowest poles', async () => {
  const {page, context} = await open(browser, join(work.folder, 'control', 'control.html'));
  await page.click('#tab-data');
  const text = await page.textContent('#panel-data');
  assert.match(text, /the move with each controller/);
  assert.match(text, /slowest pole of the sampled linear loop/);
  const rows = await page.$$eval('#panel-data table', tables => tables.map(t => [...t.querySelectorAll('tr')].map(r => [...r.children].map(c => c.textContent))));
  const moves = rows.find(table => table[0].some(cell => cell.startsWith('payload')));
  assert.equal(moves.length, 1 + 9);  // three controllers, three payloads
  const column = moves[0].findIndex(cell => cell.startsWith('payload'));
  assert.deepEqual(moves.slice(1, 4).map(row => row[column]), ['100', '80', '120']);
  await context.close();
});

test('what the page draws is what the file has', async () => {
  const {page, context} = await open(browser, join(work.folder, 'control', 'control.html'));
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'control', 'control.csv'), 'utf8'));
  const column = header.findIndex(name => name.startsWith('pid tip y'));
  const last = rows[rows.length - 1];
  const drawn = await page.evaluate(time => { window.lithe.setTime(time); return window.lithe.drawnNode(0, 1); }, last[0]);
  assert.ok(Math.abs(drawn[1] - last[column]) < 1e-5, `${drawn[1]} ${last[column]}`);
  await context.close();
});

test('a linear model shows its poles and matrices, at both sizes', async () => {
  for (const viewport of sizes) {
    const {page, context, trouble} = await open(browser, join(work.folder, 'linear', 'linear.html'), {viewport});
    const tabs = await page.$$eval('[role=tab]', list => list.map(e => e.textContent));
    assert.ok(tabs.length >= 2, tabs.join(' '));
    for (const tab of await page.$$('[role=tab]')) {
      await tab.click();
      await page.waitForTimeout(80);
      assert.ok(await wide(page) <= 0, `wider than a window of ${viewport.width}`);
    }
    assert.deepEqual(trouble, []);
    await context.close();
  }
});

test('a run of all analyses has the table of controllers on its page', async () => {
  const {page, context, trouble} = await open(browser, join(work.folder, 'all', 'report.html'));
  await page.click('#tab-data');
  assert.match(await page.textContent('#panel-data'), /the move with each controller/);
  assert.deepEqual(trouble, []);
  await context.close();
});
