// glTF files, read by another program's loader: the animated tip goes where the result file has it.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {lithe, parseCsv, root, workFolder} from './browser.mjs';

globalThis.self = globalThis; // the loader expects a browser's global object
const three = join(root, 'viewer', 'node_modules', 'three');
const THREE = await import(pathToFileURL(join(three, 'build', 'three.module.js')).href);
const {GLTFLoader} = await import(pathToFileURL(join(three, 'examples', 'jsm', 'loaders', 'GLTFLoader.js')).href);

const work = workFolder();
after(() => work.remove());

function load(path) {
  const bytes = readFileSync(path);
  return new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
}

// The middle of the vertices that lie within `radius` of a place of the link at rest, as they are drawn.
function drawnPlace(mesh, rest, radius) {
  const position = mesh.geometry.getAttribute('position'), sum = new THREE.Vector3(), v = new THREE.Vector3();
  let count = 0;
  for (let i = 0; i < position.count; ++i) {
    v.fromBufferAttribute(position, i);
    if (v.distanceTo(rest) > radius) continue;
    mesh.getVertexPosition(i, v);
    sum.add(mesh.localToWorld(v));
    ++count;
  }
  return sum.divideScalar(count);
}

test('a motion puts the tip where the result file has it', async () => {
  lithe(work.folder, 'simulate', join(root, 'models', 'l_shape.toml'), '--end', '0.5', '--gltf', '-o', 'motion');
  const model = await load(join(work.folder, 'motion', 'motion.glb'));
  const {header, rows} = parseCsv(readFileSync(join(work.folder, 'motion', 'motion.csv'), 'utf8'));
  const columns = ['x', 'y', 'z'].map(axis => header.findIndex(name => name.startsWith(`tip position.${axis}`)));
  const mixer = new THREE.AnimationMixer(model.scene), mesh = model.scene.getObjectByProperty('isMesh', true);
  mixer.clipAction(model.animations[0]).play();
  for (const row of [rows[0], rows[217], rows[400]]) {
    mixer.setTime(row[0]);
    model.scene.updateMatrixWorld(true);
    const {x, y, z} = drawnPlace(mesh, new THREE.Vector3(0.5, 0.5, 0), 0.006);
    // y is upwards there; shapes are kept to 1e-5 of the size of 1 m
    const place = [x, -z, y];
    columns.forEach((column, k) => assert.ok(Math.abs(place[k] - row[column]) < 2e-5, `${row[0]} s: ${place} against ${columns.map(c => row[c])}`));
  }
});

test('a mode swings by a tenth of the size and comes back', async () => {
  lithe(work.folder, 'modes', join(root, 'models', 'l_shape.toml'), '--gltf', '3', '-o', 'modes');
  const model = await load(join(work.folder, 'modes', 'mode_3.glb'));
  const mixer = new THREE.AnimationMixer(model.scene), mesh = model.scene.getObjectByProperty('isMesh', true);
  mixer.clipAction(model.animations[0]).play();
  const rest = new THREE.Vector3(), moved = new THREE.Vector3(), back = new THREE.Vector3();
  const largest = [0, 0];
  for (let i = 0; i < mesh.geometry.getAttribute('position').count; ++i) {
    for (const [time, out] of [[0, rest], [0.25, moved], [0.5, back]]) {
      mixer.setTime(time);
      mesh.getVertexPosition(i, out);
    }
    largest[0] = Math.max(largest[0], moved.distanceTo(rest));
    largest[1] = Math.max(largest[1], back.distanceTo(rest));
  }
  assert.ok(largest[0] > 0.09 && largest[0] < 0.12, String(largest[0]));
  assert.ok(largest[1] < 1e-6, String(largest[1]));
});
