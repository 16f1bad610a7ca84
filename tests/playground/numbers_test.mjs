// The engine in the browser gives the numbers of the program.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launch, parseCsv, root, workFolder} from '../browser/browser.mjs';
import {ask, open, program} from './page.mjs';

const work = workFolder();
let browser, page, context;

before(async () => {
  browser = await launch();
  ({page, context} = await open(browser));
});
after(async () => {
  await context.close();
  await browser.close();
  work.remove();
});

const model = name => join(root, 'models', `${name}.toml`);
const textOf = name => readFileSync(model(name), 'utf8');

// Both sides compute in doubles, but their compilers order and contract sums differently. What an eigenvalue solver gives
// is the square of an angular frequency, known to rounding of the largest one: 2e-16 times the number of coordinates.
function near(here, there, bound, what) {
  assert.ok(Math.abs(here - there) <= bound, `${what}: ${here} in the browser, ${there} in the program, at most ${bound} apart`);
}
const square = frequency => frequency * Math.abs(frequency); // negative: unstable

// Models whose reductions keep all of several equal modes, or none: which combination of equal ones stays, if not all do,
// is a matter of rounding (internal_modes = 2 of the slider-crank's rod, which has four equal ones).
const models = {
  l_shape: textOf('l_shape'), planar_2r: textOf('planar_2r'), four_bar: textOf('four_bar'), industrial_6r: textOf('industrial_6r'),
  two_beam_frame: textOf('two_beam_frame'), spatial_3r: textOf('spatial_3r'), scara_dh: textOf('scara_dh'),
  slider_crank: textOf('slider_crank').replace('internal_modes = 2', 'internal_modes = 4'),
};
for (const [name, text] of Object.entries(models))
  test(`squares of natural frequencies of ${name} are those of the program to 1e-12 of the largest`, async () => {
    const file = join(work.folder, `${name}.toml`);
    writeFileSync(file, text);
    const {modes} = JSON.parse(program('modes', file, '--json', '-o', join(work.folder, name)));
    const answer = await ask(page, {what: 'modes', text});
    assert.equal(answer.errors, undefined);
    assert.equal(answer.frequencies.length, modes.length);
    const largest = Math.max(...modes.map(mode => mode.frequency_hz ** 2));
    modes.forEach((mode, k) => near(square(answer.frequencies[k]), square(mode.frequency_hz), 1e-12 * largest, `mode ${k + 1}`));
  });

// The matrix of a state space has stiffness over mass as entries: eigenvalues are known to rounding of the largest of
// these, the square of the largest frequency, times the number of states. Pairs are listed by one of them; whether two
// zeros of a mechanism that moves freely are a pair of tiny frequency or two real numbers is rounding, too.
const whole = list => list.flatMap(([re, im]) => (im === 0 ? [[re, im]] : [[re, im], [re, -im]]));
for (const name of ['planar_2r', 'l_shape'])
  test(`eigenvalues of the linear model of ${name} are those of the program to rounding of its matrix`, async () => {
    const {models: [{eigenvalues}]} = JSON.parse(program('linearise', model(name), '--json', '-o', join(work.folder, name)));
    const answer = await ask(page, {what: 'linear', text: textOf(name)});
    const largest = Math.max(...answer.eigenvalues.map(([re, im]) => re * re + im * im)), bound = 2 * answer.coordinates * 2.2e-16 * largest;
    const [here, there] = [whole(answer.eigenvalues), whole(eigenvalues.map(value => [value.real, value.imaginary]))], count = Math.min(here.length, there.length);
    assert.ok(count >= 30, `${count} eigenvalues`);
    for (let k = 0; k < count; ++k) {
      near(here[k][0], there[k][0], bound, `real part ${k + 1}`);
      near(Math.abs(here[k][1]), Math.abs(there[k][1]), bound, `imaginary part ${k + 1}`);
    }
  });

// Steps chosen by an error estimate repeat only as well as the tolerance of the motion; a fixed step repeats to rounding
// that the motion carries on.
test('a motion with a fixed step is that of the program to 1e-12 of its size', async () => {
  const text = textOf('l_shape').replace(/(kind = "simulate"\n)/, '$1integrator = "generalised_alpha"\nstep = "1 ms"\n').replace(/end_time = "2 s"/, 'end_time = "0.2 s"');
  const file = join(work.folder, 'fixed.toml');
  writeFileSync(file, text);
  program('simulate', file, '-o', join(work.folder, 'fixed'));
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'fixed', 'motion.csv'), 'utf8'));
  const answer = await ask(page, {what: 'motion', text});
  assert.equal(answer.errors, undefined);
  for (const column of answer.columns) {
    if (column.unit === 'J') continue; // differences of large numbers
    const at = header.findIndex(name => name.startsWith(column.name)), values = rows.map(row => row[at]);
    const size = Math.max(...values.map(Math.abs));
    near(column.final, values[values.length - 1], 1e-12 * size, `${column.name} at the end`);
    near(column.most, Math.max(...values), 1e-12 * size, `largest ${column.name}`);
  }
});

// Stiffness at a tool is known to rounding times the condition number of what is solved (up to 1,000 here) times its rows.
test('a map is that of the program to 1e-11 of its largest value', async () => {
  const text = textOf('planar_3rrr').replaceAll(': 13"', ': 5"'), file = join(work.folder, 'map.toml');
  writeFileSync(file, text);
  program('sweep', file, '-o', join(work.folder, 'map'));
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'map', 'sweep.csv'), 'utf8'));
  const answer = await ask(page, {what: 'map', text});
  assert.equal(answer.errors, undefined);
  assert.equal(answer.points, 25);
  for (const column of answer.columns) {
    const at = header.findIndex(name => name.replace(/ \[.*\]$/, '') === column.name);
    assert.ok(at >= 0, column.name);
    const size = Math.max(...column.values.filter(Number.isFinite).map(Math.abs));
    rows.forEach((row, k) => { if (Number.isFinite(row[at])) near(column.values[k], row[at], 1e-11 * size, `${column.name} at point ${k + 1}`); });
  }
});
