// The package for npm, installed from its file: in node and in Chromium, beside the program; its types.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {extname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {launch, open as openReport, parseCsv, root, workFolder} from '../browser/browser.mjs';
import {program} from './page.mjs';

const work = workFolder(), textOf = name => readFileSync(join(root, 'models', `${name}.toml`), 'utf8');
let lithe, library, folder;

before(async () => {
  const version = /^project\(lithe VERSION ([\d.]+)/m.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'))[1];
  const file = process.env.LITHE_NPM ?? join(root, 'build', `lithe-wasm-${version}.tgz`);
  writeFileSync(join(work.folder, 'package.json'), '{"private": true, "type": "module"}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', file], {cwd: work.folder});
  folder = join(work.folder, 'node_modules', 'lithe-wasm');
  library = await import(pathToFileURL(join(folder, 'node.js')));
  lithe = await library.load();
});
after(() => work.remove());

const close = (here, there, bound, what) => assert.ok(Math.abs(here - there) <= bound, `${what}: ${here} here, ${there} in the program, at most ${bound} apart`);

// As in numbers_test.mjs: squares of frequencies are known to rounding of the largest one.
test('natural frequencies are those of the program', () => {
  for (const name of ['l_shape', 'planar_2r', 'four_bar']) {
    const file = join(work.folder, `${name}.toml`);
    writeFileSync(file, textOf(name));
    const {modes} = JSON.parse(program('modes', file, '--json', '-o', join(work.folder, name))), {frequencies} = lithe.modes(textOf(name));
    assert.equal(frequencies.length, modes.length);
    const largest = Math.max(...modes.map(mode => mode.frequency_hz ** 2));
    modes.forEach((mode, k) => close(frequencies[k] * Math.abs(frequencies[k]), mode.frequency_hz * Math.abs(mode.frequency_hz), 1e-12 * largest, `${name}, mode ${k + 1}`));
  }
});

test('a motion with a fixed step is that of the program at every instant, to 1e-12 of its size', () => {
  const text = textOf('l_shape').replace(/(kind = "simulate"\n)/, '$1integrator = "generalised_alpha"\nstep = "1 ms"\n').replace(/end_time = "2 s"/, 'end_time = "0.1 s"');
  const file = join(work.folder, 'fixed.toml');
  writeFileSync(file, text);
  program('simulate', file, '-o', join(work.folder, 'fixed'));
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'fixed', 'motion.csv'), 'utf8')), motion = lithe.motion(text);
  assert.equal(motion.finished, true);
  assert.equal(motion.times.length, rows.length);
  let compared = 0;
  for (const column of motion.columns) {
    if (column.unit === 'J') continue; // differences of large numbers
    const at = header.findIndex(name => name.startsWith(`${column.name} [`)), size = Math.max(...rows.map(row => Math.abs(row[at])));
    assert.ok(at > 0, column.name);
    rows.forEach((row, k) => close(column.values[k], row[at], 1e-12 * size, `${column.name} at ${row[0]} s`));
    compared += rows.length;
  }
  assert.ok(compared > 700, `${compared} numbers`);
});

test('the matrices of a linear model belong together', () => {
  const {a, b, c, d, states, inputs, outputs, eigenvalues} = lithe.linear(textOf('planar_2r'));
  assert.deepEqual([a.length, a[0].length, b.length, b[0].length, c.length, c[0].length, d.length, d[0].length],
      [states.length, states.length, states.length, inputs.length, outputs.length, states.length, outputs.length, inputs.length]);
  // The upper half is the derivative of the coordinates: [0 1]. The trace is the sum of the eigenvalues, to rounding of the
  // largest of them, times their number.
  const n = states.length / 2;
  for (let i = 0; i < n; ++i) a[i].forEach((value, j) => assert.equal(value, j === n + i ? 1 : 0));
  const trace = a.reduce((sum, row, i) => sum + row[i], 0), sum = eigenvalues.reduce((total, [re]) => total + re, 0) * (eigenvalues.length === states.length ? 1 : 2);
  const largest = Math.max(...eigenvalues.map(([re, im]) => Math.hypot(re, im)));
  assert.ok(Math.abs(trace - sum) <= 2.2e-16 * states.length * largest * largest, `${trace} ${sum}`);
});

test('the block of docs/playground.md runs', () => {
  const block = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, 'docs', 'playground.md'), 'utf8'))[1];
  writeFileSync(join(work.folder, 'block.mjs'), `import {readFileSync} from 'node:fs';
const text = readFileSync(process.argv[2], 'utf8');
${block}`);
  execFileSync(process.execPath, ['block.mjs', join(root, 'models', 'planar_2r.toml')], {cwd: work.folder, stdio: 'pipe'});
});

test('errors have their places, and the engine goes on', () => {
  const broken = textOf('l_shape').replace('"8 mm"', '"8 parsec"'), line = broken.slice(0, broken.indexOf('parsec')).split('\n').length;
  const [problem] = lithe.problems(broken);
  assert.equal(problem.line, line);
  assert.throws(() => lithe.modes(broken), error => error instanceof library.ModelError && error.problems[0].line === line && error.message.startsWith(`line ${line}, column `));
  assert.deepEqual(lithe.problems(textOf('l_shape')), []);
  assert.equal(lithe.check(textOf('l_shape')).links, 1);
  assert.ok('properties' in lithe.schema());
});

test('its report page opens', async () => {
  const file = join(work.folder, 'report.html'), browser = await launch();
  writeFileSync(file, lithe.page('modes', textOf('l_shape'), readFileSync(join(folder, 'page.html'), 'utf8')));
  const {page, context, trouble} = await openReport(browser, file);
  assert.equal(await page.locator('.canvas-host canvas[role=img]').count(), 1);
  assert.deepEqual(trouble, []);
  await context.close();
  await browser.close();
});

test('the types hold in strict TypeScript', () => {
  writeFileSync(join(work.folder, 'user.ts'), `import {load, ModelError, type Motion, type Problem} from 'lithe-wasm';
const lithe = await load();
const motion: Motion = lithe.motion('text', {file: 'a.toml'});
const first: number | undefined = motion.columns[0]?.values[0];
const sizes: [number, number] = [lithe.linear('text').a.length, lithe.modes('text').frequencies.length];
try { lithe.check('text'); } catch (error) { if (error instanceof ModelError) { const all: Problem[] = error.problems; console.log(all, first, sizes); } }
// @ts-expect-error: there is no such question
lithe.guess('text');
export {};
`);
  const tsc = join(root, 'playground', 'page', 'node_modules', 'typescript', 'bin', 'tsc');
  for (const resolution of ['bundler', 'node16'])
    execFileSync(process.execPath, [tsc, '--noEmit', '--strict', '--target', 'es2022', '--module', resolution === 'node16' ? 'node16' : 'es2022', '--moduleResolution', resolution, '--lib', 'es2022,dom', 'user.ts'], {cwd: work.folder, stdio: 'pipe'});
});

test('a browser loads it from a server, with the same numbers', async () => {
  const kinds = {'.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html'}, files = readdirSync(folder);
  const server = createServer((request, response) => {
    const name = request.url.slice(1) || 'empty.html';
    if (name !== 'empty.html' && !files.includes(name)) return void response.writeHead(404).end();
    response.writeHead(200, {'content-type': kinds[extname(name)] ?? 'text/plain'});
    response.end(name === 'empty.html' ? '<!doctype html><link rel="icon" href="data:,">' : readFileSync(join(folder, name)));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const browser = await launch(), page = await browser.newPage(), trouble = [];
  page.on('pageerror', error => trouble.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const frequencies = await page.evaluate(async text => {
    const {load} = await import('/browser.js'), engine = await load();
    return Array.from(engine.modes(text).frequencies);
  }, textOf('planar_2r'));
  await browser.close();
  server.close();
  assert.deepEqual(trouble, []);
  assert.deepEqual(frequencies, Array.from(lithe.modes(textOf('planar_2r')).frequencies)); // the same instructions
});
