// Opens pages in Debian's Chromium, and notes everything that a self-contained page must not do.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const {chromium} = createRequire(join(root, 'viewer', 'package.json'))('playwright-core');

// As on a computer without a graphics card: SwiftShader draws in 3-D, the browser itself puts the page together.
export function launch() {
  const args = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-gpu-compositing'];
  if (process.getuid() === 0) args.push('--no-sandbox');
  return chromium.launch({executablePath: process.env.LITHE_CHROMIUM ?? '/usr/bin/chromium', args});
}

// A folder of its own for results, removed at the end.
export function workFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'lithe browser '));
  return {folder, remove: () => rmSync(folder, {recursive: true, force: true})};
}

export function lithe(folder, ...words) {
  return execFileSync(process.env.LITHE_PROGRAM ?? join(root, 'build', 'lithe'), words, {cwd: folder, encoding: 'utf8'});
}

// The page, opened from disk. `trouble` gathers console errors and requests that leave it.
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({viewport: {width: 1440, height: 900}, reducedMotion: 'reduce', acceptDownloads: true, ...options});
  const page = await context.newPage();
  const trouble = [];
  const address = pathToFileURL(file).href;
  page.on('console', message => { if (['error', 'warning'].includes(message.type()) && !isDriverNote(message.text())) trouble.push(`${message.type()}: ${message.text()}`); });
  page.on('pageerror', error => trouble.push(`exception: ${error.message}`));
  page.on('request', request => { if (request.url() !== address && !/^(data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`); });
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  await page.waitForTimeout(100);
  return {page, context, trouble};
}

// Remarks of the software renderer on reading pixels back, which tests do.
function isDriverNote(text) {
  return /GPU stall due to ReadPixels|willReadFrequently|GL Driver Message/.test(text);
}

// How many different colours the canvas of the 3-D view shows. It can be read only right after it was drawn.
export function canvasColours(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector('.canvas-host canvas'), {view} = window.lithe.page.stage;
    view.touch();
    view.draw();
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [200, 150];
    const context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0, 200, 150);
    const pixels = context.getImageData(0, 0, 200, 150).data;
    const seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
    return seen.size;
  });
}

// A CSV file of results: remarks start with '#'.
export function parseCsv(text) {
  const lines = text.split('\n').filter(line => line && !line.startsWith('#'));
  return {header: lines[0].split(','), rows: lines.slice(1).map(line => line.split(',').map(Number))};
}
