import type {Lithe} from './lithe.js';

export {Lithe, ModelError} from './lithe.js';
export type {Checked, Column, LinearModel, Modes, Motion, Options, Problem, Signal, SweepMap} from './lithe.js';

export interface LoadOptions {
  /** The engine, where it does not lie beside this module: bytes of lithe.wasm, or what they were compiled to. */
  wasm?: BufferSource | WebAssembly.Module;
}

/** Starts an engine with memory of its own. */
export function load(options?: LoadOptions): Promise<Lithe>;
