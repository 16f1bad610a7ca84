// Puts the playground together: one page with the engine, the report page and the examples inside.
//   node build.mjs ENGINE.js ENGINE.wasm OUTPUT.html
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import * as esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, '..', '..');
const [glue, wasm, output] = process.argv.slice(2);
if (!output) throw new Error('usage: node build.mjs ENGINE.js ENGINE.wasm OUTPUT.html');

async function bundle(entry, format = 'iife') {
  const result = await esbuild.build({
    entryPoints: [join(here, 'src', entry)], absWorkingDir: here, bundle: true, minify: true, write: false, format,
    target: ['es2022', 'chrome100', 'firefox113', 'safari16.4'], charset: 'ascii', legalComments: 'none',
  });
  return result.outputFiles[0].text.trim();
}

// The first comment of a model says what it is.
function examples() {
  const folder = join(root, 'models');
  const first = ['l_shape', 'planar_2r', 'four_bar', 'slider_crank', 'planar_3rrr', 'industrial_6r'];
  const rank = name => (first.includes(name) ? first.indexOf(name) : first.length);
  return readdirSync(folder).filter(file => file.endsWith('.toml')).map(file => {
    const text = readFileSync(join(folder, file), 'utf8'), name = file.slice(0, -5);
    return {name, title: /^name = "(.*)"/m.exec(text)?.[1] ?? name.replaceAll('_', ' '), text};
  }).filter(({text}) => !/^\s*(file|matrices|command) = "/m.test(text)).sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
}

function licences() {
  const folders = ['@codemirror', '@lezer', '@marijn'].flatMap(scope => {
    const folder = join(here, 'node_modules', scope);
    return existsSync(folder) ? readdirSync(folder).map(name => join(scope, name)) : [];
  });
  const texts = new Map();
  for (const name of [...folders, 'style-mod', 'w3c-keyname', 'crelt']) {
    const file = join(here, 'node_modules', name, 'LICENSE');
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'utf8').trim();
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  const engine = ['Eigen (MPL-2.0, https://eigen.tuxfamily.org)', 'Spectra (MPL-2.0, https://spectralib.org)', 'toml++ (MIT, Mark Gillard)', 'JSON for Modern C++ (MIT, Niels Lohmann)', 'emscripten, musl and libc++ (MIT, Apache-2.0 with LLVM exceptions)'];
  return [`${engine.join('\n')}\n\nand those that the report page names.`, ...[...texts].map(([text, names]) => `${names.join(', ')}\n\n${text}`)].join('\n\n').replaceAll('\r', '').replaceAll('--', '\u2013');
}

const packed = data => gzipSync(data, {level: 9}).toString('base64');
const script = (await bundle('main.ts')).replaceAll('</script', '<\\/script');
const viewer = readFileSync(join(root, 'viewer', 'dist', 'page.html'), 'utf8');
// The report page in its frame obeys this policy and its own: both name its script.
const own = createHash('sha256').update(script).digest('base64'), framed = /script-src ('sha256-[^']+')/.exec(viewer)[1];
const policy = `default-src 'none'; script-src 'sha256-${own}' ${framed} blob: 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; ` +
    `img-src data: blob:; frame-src 'self'; base-uri 'none'; form-action 'none'`;
const parts = {
  POLICY: policy, STYLES: await bundle('page.css'), LICENCES: licences(), SCRIPT: script,
  ENGINE: packed(readFileSync(wasm)),
  WORKER: packed(`${readFileSync(glue, 'utf8')}\n${await bundle('worker.ts', 'esm')}`),
  VIEWER: packed(viewer), EXAMPLES: packed(JSON.stringify(examples())),
};
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8').replace(/@([A-Z]+)@/g, (whole, name) => parts[name] ?? whole);
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1e6).toFixed(2)} MB, ${(gzipSync(page).length / 1e6).toFixed(2)} MB compressed`);
