// The playground from disk, without a network: compute, edit, errors, sliders, links, export, memory, a phone.
import assert from 'node:assert/strict';
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {deflateRawSync, gzipSync} from 'node:zlib';
import {launch, open as openReport, root, workFolder} from '../browser/browser.mjs';
import {ask, file, open, programFails, shown, text} from './page.mjs';

const work = workFolder();
let browser;

before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  work.remove();
});

const settled = page => page.waitForFunction(() => !window.playground.engine.busy && !document.body.classList.contains('busy'));

test('the page is one file of less than 5 MB compressed', () => {
  assert.ok(gzipSync(readFileSync(file)).length < 5e6, `${statSync(file).size} bytes`);
});

test('every button computes and the report shows it, without a word on the console and without any network', async () => {
  const {page, context, trouble} = await open(browser);
  for (const [what, tab] of [['modes', 'Modes'], ['motion', 'Motion'], ['linear', 'Linear'], ['map', 'Maps']]) {
    await page.click(`#${what}`);
    await shown(page, what);
    const frame = page.frame({url: 'about:srcdoc'});
    assert.ok(await frame.locator(`[role=tab]:has-text("${tab}")`).count() > 0, what);
    assert.match(await page.textContent('#status'), /\d ms|\d s/);
  }
  assert.deepEqual(trouble, []);
  await context.close();
});

test('every example opens, and says what its errors are if it has any', async () => {
  const {page, context} = await open(browser);
  for (const name of await page.$$eval('#example option', options => options.map(option => option.value))) {
    const answer = await ask(page, {what: 'check', text: readFileSync(join(root, 'models', `${name}.toml`), 'utf8')});
    assert.deepEqual(answer.errors ?? [], [], name);
  }
  await context.close();
});

test('another number in the text gives other frequencies', async () => {
  const {page, context} = await open(browser);
  await page.selectOption('#example', 'planar_2r');
  await settled(page);
  const first = () => page.$eval('#frequencies li', item => parseFloat(item.textContent));
  const before = await first(), original = await text(page);
  await page.evaluate(changed => window.playground.open('own', changed), original.replace(/young_modulus = "?[^",}\n]+"?/, 'young_modulus = "280 GPa"'));
  await settled(page);
  assert.notEqual(await first(), before);
  await context.close();
});

test('errors stand where the program has them, with its words, underlined at their column', async () => {
  const {page, context} = await open(browser);
  const bad = join(root, 'tests', 'bad_input', 'many_errors_at_once.toml');
  const {errors} = JSON.parse(programFails('check', bad, '--json').stdout);
  await page.evaluate(wrong => window.playground.open('many', wrong), readFileSync(bad, 'utf8'));
  await settled(page);
  const here = await page.evaluate(() => window.playground.editor.problems);
  assert.deepEqual(here.map(({line, column, message}) => [line, column, message]), errors.map(({line, column, message}) => [line, column, message]));
  assert.equal(await page.locator('#problems .error').count(), errors.length);
  const marked = await page.$$eval('.cm-lintRange-error', marks => marks.map(mark => mark.textContent));
  assert.ok(marked.includes('"tipp"'), marked.join(' | '));
  await page.click('#problems .error >> nth=4');
  const place = await page.evaluate(() => {
    const {state} = window.playground.editor.view, line = state.doc.lineAt(state.selection.main.head);
    return [line.number, state.selection.main.head - line.from + 1];
  });
  assert.deepEqual(place, [errors[4].line, errors[4].column]);
  await context.close();
});

test('completion offers the keys of the schema that are not there yet, and names of the file', async () => {
  const {page, context} = await open(browser);
  await page.evaluate(() => window.playground.open('own', 'lithe = 1\n[materials.steel]\ndensity = 7800\n\n[[links]]\nname = "arm"\n'));
  await settled(page);
  const offered = async typed => {
    await page.click('.cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(typed);
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.cm-tooltip-autocomplete');
    const words = await page.$$eval('.cm-completionLabel', labels => labels.map(label => label.textContent));
    await page.keyboard.press('Escape');
    return words;
  };
  const keys = await offered('mat');
  assert.ok(keys.includes('material'), keys.join(' '));
  assert.deepEqual(await offered('erial = "'), ['steel']);
  await context.close();
});

test('hovering over a key shows its sentence of the reference', async () => {
  const {page, context} = await open(browser);
  await page.hover('.cm-line:has-text("gravity") >> nth=0', {position: {x: 20, y: 8}});
  await page.waitForSelector('.cm-tooltip .help');
  assert.match(await page.textContent('.cm-tooltip .help'), /Acceleration of gravity in world axes/);
  await context.close();
});

test('dragging a slider writes the number, and the frequencies follow', async () => {
  const {page, context} = await open(browser);
  const slider = page.locator('.slider input').first(), path = await page.locator('.slider').first().getAttribute('data-path');
  const before = await text(page), first = () => page.$eval('#frequencies li', item => item.textContent);
  const frequency = await first(), box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let k = 0; k < 20; ++k) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.015 * k), box.y + box.height / 2);
    await page.waitForTimeout(30);
  }
  await page.mouse.up();
  await settled(page);
  assert.notEqual(await text(page), before, path);
  assert.notEqual(await first(), frequency);
  const times = (await page.evaluate(() => window.playground.latency)).sort((a, b) => a - b);
  assert.ok(times.length >= 5, `${times.length} updates`);
  assert.ok(times[times.length >> 1] < 100, `median ${times[times.length >> 1]} ms`);
  console.log(`from a dragged number to its frequencies: median ${times[times.length >> 1].toFixed(0)} ms, slowest ${times[times.length - 1].toFixed(0)} ms of ${times.length}`);
  await context.close();
});

test('a number under the cursor gets a slider of its own', async () => {
  const {page, context} = await open(browser);
  await page.evaluate(() => {
    const {editor} = window.playground, at = editor.text.indexOf('2700');
    editor.view.dispatch({selection: {anchor: at + 1}});
  });
  await page.click('#slide');
  assert.ok(await page.locator('.slider[data-path="materials.aluminium.density"]').count() === 1);
  await context.close();
});

test('a link carries the model to another page', async () => {
  const {page, context} = await open(browser);
  const changed = (await text(page)).replace('2700', '2701');
  await page.evaluate(own => window.playground.open('mine', own), changed);
  await settled(page);
  await page.click('#link');
  await page.waitForFunction(() => window.location.hash.startsWith('#model='));
  const hash = await page.evaluate(() => window.location.hash);
  await context.close();
  const other = await open(browser, {hash});
  assert.equal(await text(other.page), changed);
  await other.context.close();
});

test('a damaged link opens an example', async () => {
  const {page, context, trouble} = await open(browser, {hash: '#model=7VdNb9swDP0rgc41b'});
  assert.ok((await text(page)).includes('lithe = 1'));
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a short link that unpacks to far more than a model opens an example', async () => {
  const packed = deflateRawSync(Buffer.alloc(2 ** 29, 10)).toString('base64url');
  const {page, context, trouble} = await open(browser, {hash: `#model=${packed}`});
  assert.ok((await text(page)).includes('lithe = 1'));
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the exported report is a page of its own', async () => {
  const {page, context} = await open(browser);
  await page.click('#motion');
  await shown(page, 'motion');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
  const saved = join(work.folder, 'exported.html');
  writeFileSync(saved, readFileSync(await download.path()));
  await context.close();
  const report = await openReport(browser, saved);
  assert.ok(await report.page.locator('[role=tab]:has-text("Motion")').count() === 1);
  assert.deepEqual(report.trouble, []);
  await report.context.close();
});

test('a long computation can be stopped, and the page answers meanwhile', async () => {
  const {page, context} = await open(browser);
  const long = (await text(page)).replace('end_time = "2 s"', 'end_time = "2000 s"');
  await page.evaluate(own => window.playground.open('long', own), long);
  await settled(page);
  await page.click('#motion');
  await page.waitForTimeout(500);
  await page.click('#stop');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'stopped');
  await page.click('#modes');
  await shown(page, 'modes');
  await context.close();
});

test('a model that names files or programs reaches neither', async () => {
  const {page, context} = await open(browser);
  const own = (await text(page)) + '\n[[controllers]]\nname = "c"\ntype = "external"\ncommand = ["/bin/sh"]\njoint = "shoulder"\n';
  const answer = await ask(page, {what: 'motion', text: own});
  assert.ok(answer.errors.length > 0);
  const table = (await text(page)) + '\n[[drives]]\njoint = "shoulder"\ntorque = {table = {file = "/etc/passwd", value = 2}}\n';
  assert.ok((await ask(page, {what: 'check', text: table})).errors.length > 0);
  await context.close();
});

test('a kept result stays beside the ones that follow, in the exported page, too', async () => {
  const {page, context, trouble} = await open(browser);
  await page.click('#keep');
  await page.evaluate(() => {
    const {editor} = window.playground, at = editor.text.indexOf('8 mm');
    editor.view.dispatch({changes: {from: at, to: at + 1, insert: '12'}});
  });
  await page.click('#modes');
  await settled(page);
  const frame = page.frame({url: 'about:srcdoc'});
  await frame.waitForSelector('.pane.follows');
  assert.deepEqual(await frame.$$eval('.pane figcaption', list => list.map(e => e.textContent)), ['before', 'now']);
  const [row] = await frame.$$eval('.modes.pairs button', list => list.map(e => e.textContent));
  assert.match(row, /Hz.*Hz\+\d/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
  const saved = join(work.folder, 'pair.html');
  await download.saveAs(saved);
  const report = await openReport(browser, saved);
  assert.equal(await report.page.locator('.pane').count(), 2);
  assert.deepEqual(report.trouble, []);
  await report.context.close();
  await page.click('#keep');
  await frame.waitForSelector('.pane.follows', {state: 'detached'});
  assert.deepEqual(trouble, []);
  await context.close();
});

test('200 runs leave the engine no larger than 20 did, and the page about as large', async () => {
  const {page, context} = await open(browser);
  const client = await context.newCDPSession(page);
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage');
    return (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  const run = count => page.evaluate(async times => {
    const {engine, editor} = window.playground;
    let memory = 0;
    for (let k = 0; k < times; ++k) {
      const what = ['modes', 'linear', 'check', 'modes'][k % 4];
      ({memory} = await engine.ask({what, text: editor.text.replace('2700', String(2000 + k)), file: 'm.toml', report: true}));
    }
    return memory;
  }, count);
  const early = await run(20), heapEarly = await heap(), late = await run(180), heapLate = await heap();
  console.log(`engine ${(late / 1e6).toFixed(1)} MB, page ${(heapEarly / 1e6).toFixed(1)} and ${(heapLate / 1e6).toFixed(1)} MB`);
  assert.equal(late, early);
  assert.ok(heapLate < heapEarly + 5e6, `${heapEarly} and ${heapLate} bytes`);
  await context.close();
});

test('the picture is shown anew 40 times without a lost drawing context or growing memory', async () => {
  const {page, context, trouble} = await open(browser);
  for (let k = 0; k < 40; ++k)
    await page.evaluate(async () => { await window.playground.viewer.show(window.playground.viewer.report, 'again'); });
  const frame = page.frame({url: 'about:srcdoc'});
  assert.equal(await frame.locator('.canvas-host canvas').first().evaluate(canvas => canvas.getContext('webgl2').isContextLost()), false);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('on a phone the model and the result are two panes without sideways scrolling', async () => {
  const {page, context} = await open(browser, {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(await width() <= 390);
  await page.click('#pane-result');
  assert.ok(await page.locator('iframe').isVisible());
  assert.equal(await page.locator('#editor').isVisible(), false);
  assert.ok(await width() <= 390);
  await context.close();
});
