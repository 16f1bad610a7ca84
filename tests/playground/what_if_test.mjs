// Pages of --what-if: a result that was sent, sliders, and the program's numbers from the engine inside.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, root, workFolder} from '../browser/browser.mjs';
import {ask, open, program, programFails, shown, text} from './page.mjs';

const work = workFolder(), model = join(work.folder, 'arm.toml');
const commented = `# </script> stands in a comment\n${readFileSync(join(root, 'models', 'l_shape.toml'), 'utf8')}`;
let browser;

before(async () => {
  writeFileSync(model, commented);
  browser = await launch();
});
after(async () => {
  await browser.close();
  work.remove();
});

const folder = name => join(work.folder, name);
const send = (name, command, ...words) => JSON.parse(program(command, model, '--what-if', '--json', '-o', folder(name), ...words));
const openSent = (name, stem, what, options = {}) => open(browser, {page: join(folder(name), `${stem}_what_if.html`), what, ...options});
const start = page => page.evaluate(() => JSON.parse(document.getElementById('part-start').textContent));
const settled = page => page.waitForFunction(() => !window.playground.engine.busy && !document.body.classList.contains('busy'));
async function move(page, path, part) {
  const slider = page.locator(`.slider[data-path="${path}"] input`);
  await slider.fill(String(part));
  await slider.dispatchEvent('change');
  await settled(page);
}

test('the page shows the motion as it was sent, without a network and without a word on the console', async () => {
  send('motion', 'simulate', '--end', '0.2', '--tolerance', '1e-7', '--slider', 'sections.rod.width');
  const {page, context, trouble} = await openSent('motion', 'motion', 'motion');
  await settled(page);
  assert.equal(await text(page), commented);
  assert.deepEqual(await page.$$eval('.slider', rows => rows.map(row => row.dataset.path)), ['sections.rod.width']);
  assert.equal(await page.locator('#editor').isVisible(), false);
  assert.match(await page.title(), /^What if: /);
  const sent = JSON.parse((await start(page)).report);
  assert.equal(await page.evaluate(() => window.playground.viewer.report), (await start(page)).report);
  assert.equal(sent.runs.length, 1);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the commands of docs/playground.md write a page with their sliders', async () => {
  const block = /^```bash\n(lithe example[\s\S]*?)^```$/m.exec(readFileSync(join(root, 'docs', 'playground.md'), 'utf8'))[1];
  const lithe = process.env.LITHE_PROGRAM ?? join(root, 'build', 'lithe'), place = mkdtempSync(join(work.folder, 'page '));
  execFileSync('sh', ['-e', '-c', `lithe() { "${lithe}" "$@"; }\n${block}`], {cwd: place, stdio: 'pipe'});
  const {page, context} = await open(browser, {page: join(place, 'results', readdirSync(join(place, 'results'))[0], 'motion_what_if.html'), what: 'motion'});
  const wanted = [...block.matchAll(/--slider (\S+)/g)].map(([, path]) => path);
  assert.deepEqual(await page.$$eval('.slider', rows => rows.map(row => row.dataset.path)), wanted);
  await context.close();
});

test('the engine in the page repeats the motion with the settings of the command line', async () => {
  const told = send('fixed', 'simulate', '--end', '0.05', '--step', '1e-4', '--output-step', '0.01', '--integrator', 'generalised_alpha', '--spectral-radius', '0.8');
  const {page, context} = await openSent('fixed', 'motion', 'motion');
  const answer = await ask(page, {what: 'motion', text: commented, settings: (await start(page)).settings, values: true});
  assert.equal(answer.errors, undefined);
  assert.equal(answer.steps, told.steps);
  assert.equal(answer.times.length, 6);
  for (const sensor of told.sensors) {
    const here = answer.columns.find(column => column.name === sensor.name), size = Math.max(...here.values.map(Math.abs), 1e-12);
    assert.ok(Math.abs(here.final - sensor.last) <= 1e-12 * size, `${sensor.name}: ${here.final} and ${sensor.last}`);
  }
  await context.close();
});

test('a slider computes the motion again and shows it beside the one that was sent', async () => {
  const {page, context, trouble} = await openSent('motion', 'motion', 'motion');
  await settled(page);
  const sent = await page.evaluate(() => window.playground.viewer.report), frequencies = await page.textContent('#frequencies');
  await move(page, 'sections.rod.width', 0.7);
  await shown(page, 'motion');
  const now = await page.evaluate(() => window.playground.viewer.report);
  assert.notEqual(now, sent);
  assert.equal(JSON.parse(now).facts.find(([name]) => name === 'formulation')[1], JSON.parse(sent).facts.find(([name]) => name === 'formulation')[1]);
  assert.notEqual(await page.textContent('#frequencies'), frequencies);
  assert.match(await page.textContent('#frequencies'), /\+\d/);
  const frame = page.frame({url: 'about:srcdoc'});
  await frame.waitForSelector('.pane.follows');
  assert.deepEqual(await frame.locator('.pane figcaption').allTextContents(), ['as sent', 'now']);
  assert.equal(await frame.locator('[role=tab]:has-text("Comparison")').count(), 1);
  assert.match(await text(page), /width = /);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('any number of the model gets a slider, and the model file can be looked at', async () => {
  const {page, context} = await openSent('motion', 'motion', 'motion');
  await settled(page);
  await page.selectOption('#number', 'materials.aluminium.density');
  assert.equal(await page.locator('.slider[data-path="materials.aluminium.density"]').count(), 1);
  await page.click('#model');
  assert.ok(await page.locator('#editor').isVisible());
  await page.click('#model');
  assert.equal(await page.locator('#editor').isVisible(), false);
  await context.close();
});

for (const [name, command, stem, what, words] of [
  ['modes', 'modes', 'modes', 'modes', ['--count', '5', '--formulation', 'floating-frame']],
  ['linear', 'linearise', 'linear', 'linear', ['--count', '4', '--about', 'initial']],
  ['map', 'sweep', 'sweep', 'map', ['--analysis', 'modes', '--axis', 'sections.rod.width = 6 mm, 8 mm', '--count', '2']],
])
  test(`${name}: the page computes what the program did`, async () => {
    const told = send(name, command, ...words);
    const {page, context, trouble} = await openSent(name, stem, what);
    await settled(page);
    await page.click(`#${what}`);
    await shown(page, what);
    await settled(page);
    const answer = await ask(page, {what, text: commented, settings: (await start(page)).settings});
    assert.equal(answer.errors, undefined);
    if (what === 'modes') {
      assert.equal(answer.frequencies.length, told.modes.length);
      const largest = Math.max(...told.modes.map(mode => mode.frequency_hz ** 2));
      told.modes.forEach((mode, k) => assert.ok(Math.abs(answer.frequencies[k] ** 2 - mode.frequency_hz ** 2) <= 1e-12 * largest));
    } else if (what === 'map') assert.equal(answer.columns.length, 2);
    assert.deepEqual(trouble, []);
    await context.close();
  });

test('what the page could not compute again is refused in a sentence', () => {
  const robot = join(work.folder, 'robot.toml');
  writeFileSync(join(work.folder, 'description.urdf'), readFileSync(join(root, 'tests', 'robots', 'arm.urdf')));
  writeFileSync(robot, 'lithe = 1\n[robot]\nfile = "description.urdf"\n');
  const others = programFails('modes', robot, '--what-if', '-o', folder('refused'));
  assert.equal(others.status, 2);
  assert.match(others.stderr, /could not compute this model again, which reads other files: .*description\.urdf/);
  const unknown = programFails('modes', model, '--what-if', '--slider', 'sections.rod.widht', '--slider', 'links.nobody.mass', '-o', folder('refused'));
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /widht[^]*nobody/);
});

test('on a phone the sliders stand above the result', async () => {
  const {page, context} = await openSent('motion', 'motion', 'motion', {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
  await settled(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  const [slider, frame] = [await page.locator('.slider input').first().boundingBox(), await page.locator('iframe').boundingBox()];
  assert.ok(slider.y + slider.height < frame.y && slider.width > 60 && frame.height > 400, JSON.stringify([slider, frame]));
  await context.close();
});
