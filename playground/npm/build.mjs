// Puts the npm package together in a folder.
//   node build.mjs ENGINE.js ENGINE.wasm VERSION FOLDER
import {execFileSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, '..', '..');
const [glue, wasm, version, folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: node build.mjs ENGINE.js ENGINE.wasm VERSION FOLDER');

rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
const tsc = join(here, '..', 'page', 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '--strict', '--noUnusedLocals', '--noUnusedParameters', '--target', 'es2022', '--module', 'es2022', '--moduleResolution', 'bundler',
  '--lib', 'es2022,dom', '--declaration', '--outDir', folder, join(here, 'src', 'lithe.ts')], {stdio: 'inherit'});
for (const name of ['node.js', 'browser.js', 'index.d.ts']) copyFileSync(join(here, 'src', name), join(folder, name));
const script = readFileSync(glue, 'utf8');
writeFileSync(join(folder, 'engine.cjs'), script);
writeFileSync(join(folder, 'engine.mjs'), `${script}\nexport default lithe_module;\n`);
copyFileSync(wasm, join(folder, 'lithe.wasm'));
copyFileSync(join(root, 'viewer', 'dist', 'page.html'), join(folder, 'page.html'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
writeFileSync(join(folder, 'package.json'), readFileSync(join(here, 'package.json'), 'utf8').replace('@VERSION@', version));
// The compiled engine holds these.
writeFileSync(join(folder, 'LICENSES'), ['Lithe: BSD-3-Clause, see LICENSE.', 'Eigen: MPL-2.0, https://eigen.tuxfamily.org', 'Spectra: MPL-2.0, https://spectralib.org',
  'toml++: MIT, Mark Gillard', 'JSON for Modern C++: MIT, Niels Lohmann', 'emscripten, musl, libc++: MIT, Apache-2.0 with LLVM exceptions', 'page.html names those of its own at its end.'].join('\n') + '\n');
