// For browsers: the engine is fetched from beside this file, unless somebody gives it.
import factory from './engine.mjs';
import {start} from './lithe.js';

export {Lithe, ModelError} from './lithe.js';

let compiled;

export async function load({wasm} = {}) {
  if (wasm instanceof WebAssembly.Module) return start(factory, wasm);
  if (wasm) return start(factory, await WebAssembly.compile(wasm));
  compiled ??= fetch(new URL('./lithe.wasm', import.meta.url)).then(async response => {
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
    return WebAssembly.compile(await response.arrayBuffer());
  });
  return start(factory, await compiled);
}
