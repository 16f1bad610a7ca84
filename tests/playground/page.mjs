// Opens the playground from disk in Chromium, cut off from every network.
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {root} from '../browser/browser.mjs';

export const file = process.env.LITHE_PLAYGROUND ?? join(root, 'build', 'playground', 'playground.html');
if (!existsSync(file)) throw new Error(`${file} is missing: make playground`);

// Of another file, and the result that it begins with.
export async function open(browser, {hash = '', page: path = file, what = 'modes', ...options} = {}) {
  const context = await browser.newContext({viewport: {width: 1440, height: 900}, reducedMotion: 'reduce', acceptDownloads: true, ...options});
  await context.setOffline(true);
  const page = await context.newPage(), trouble = [], address = pathToFileURL(path).href;
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver Message|WebGL.*CONTEXT_LOST|willReadFrequently/.test(message.text())) trouble.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => trouble.push(`exception: ${error.message}`));
  page.on('request', request => {
    if (!request.url().startsWith(address) && !/^(data:|blob:|about:srcdoc)/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(address + hash);
  await page.waitForSelector('html[data-ready]', {timeout: 60000});
  await shown(page, what);
  return {page, context, trouble};
}

// Until the page shows the result of this kind.
export async function shown(page, what) {
  await page.waitForFunction(kind => window.playground.shown === kind && !window.playground.engine.busy, what, {timeout: 120000});
}

// A question to the engine itself, as the page asks it.
export function ask(page, request) {
  return page.evaluate(question => window.playground.engine.ask({report: false, file: 'model.toml', ...question}), request);
}

export function program(...words) {
  return execFileSync(process.env.LITHE_PROGRAM ?? join(root, 'build', 'lithe'), words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28});
}
export function programFails(...words) {
  return spawnSync(process.env.LITHE_PROGRAM ?? join(root, 'build', 'lithe'), words, {encoding: 'utf8'});
}

// Characters from `from` to `to` of the text in the editor.
export function text(page) {
  return page.evaluate(() => window.playground.editor.text);
}
