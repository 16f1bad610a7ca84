// For node: the engine lies beside this file.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {start} from './lithe.js';

export {Lithe, ModelError} from './lithe.js';

const factory = createRequire(import.meta.url)('./engine.cjs');
let compiled;

export async function load({wasm} = {}) {
  if (wasm instanceof WebAssembly.Module) return start(factory, wasm);
  if (wasm) return start(factory, await WebAssembly.compile(wasm));
  compiled ??= WebAssembly.compile(readFileSync(new URL('./lithe.wasm', import.meta.url)));
  return start(factory, await compiled);
}
