// The page in the repository is the one that its sources give, and these type-check.
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {root} from './browser.mjs';

const viewer = join(root, 'viewer');
function run(...words) {
  const result = spawnSync(process.execPath, words, {cwd: viewer, encoding: 'utf8'});
  return {code: result.status, text: result.stdout + result.stderr};
}

test('the sources type-check', () => {
  const {code, text} = run(join(viewer, 'node_modules', 'typescript', 'bin', 'tsc'), '--noEmit');
  assert.equal(code, 0, text);
});

test('the bundle is up to date', () => {
  const {code, text} = run('build.mjs', '--check');
  assert.equal(code, 0, text);
});
