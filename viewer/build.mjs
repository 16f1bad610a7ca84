// Bundles src/ into dist/page.html: one file with script and styles inside, and a place for the data.
//   node build.mjs            writes dist/page.html
//   node build.mjs --check    fails when dist/page.html is not what the sources give
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync, mkdirSync, existsSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import * as esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, 'dist', 'page.html');

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, 'src', entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2022', 'chrome100', 'firefox100', 'safari16'],
    charset: 'ascii',
    legalComments: 'eof',
  });
  return result.outputFiles[0].text.trim();
}

// The page may run this one script, and may ask nobody for anything.
function policy(script) {
  const hash = createHash('sha256').update(script).digest('base64');
  return `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
      `base-uri 'none'; form-action 'none'`;
}

// The libraries inside ask for their licences to go with them.
function licences() {
  return ['three', 'uplot'].map(name => `${name}\n\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()}`)
      .join('\n\n').replaceAll('\r', '').replaceAll('--', '\u2013');
}

const script = (await bundle('main.ts')).replaceAll('</script', '<\\/script');
const styles = await bundle('page.css');
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
    .replace('@POLICY@', () => policy(script))
    .replace('@LICENCES@', licences)
    .replace('@STYLES@', () => styles)
    .replace('@SCRIPT@', () => script);

if (process.argv.includes('--check')) {
  if (!existsSync(output) || readFileSync(output, 'utf8') !== page) {
    console.error('viewer/dist/page.html is not what viewer/src gives: run `npm ci && npm run build` in viewer/');
    process.exit(1);
  }
  console.log('viewer/dist/page.html is up to date');
} else {
  mkdirSync(dirname(output), {recursive: true});
  writeFileSync(output, page);
  console.log(`viewer/dist/page.html: ${(page.length / 1e6).toFixed(2)} MB`);
}
