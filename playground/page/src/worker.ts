// Runs beside the page: the module of emscripten (its script stands before this one) and one question after the other.
interface Module {
  _lithe_ask(text: number): number;
  _malloc(bytes: number): number;
  _free(place: number): void;
  HEAPU8: Uint8Array;
}
interface Settings {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
  print(text: string): void;
  printErr(text: string): void;
}
declare function lithe_module(settings: Settings): Promise<Module>;

let engine: Promise<Module>;

function ask(module: Module, request: string): string {
  const bytes = new TextEncoder().encode(request), place = module._malloc(bytes.length + 1);
  module.HEAPU8.set(bytes, place);
  module.HEAPU8[place + bytes.length] = 0;
  const from = module._lithe_ask(place);
  module._free(place);
  return new TextDecoder().decode(module.HEAPU8.subarray(from, module.HEAPU8.indexOf(0, from)));
}

self.onmessage = async (event: MessageEvent<{module?: WebAssembly.Module; id: number; request: string}>) => {
  const {module, id, request} = event.data;
  if (module) {
    engine = lithe_module({
      instantiateWasm: (imports, done) => {
        void WebAssembly.instantiate(module, imports).then(done);
        return {};
      },
      print: () => undefined,
      printErr: () => undefined,
    });
    return;
  }
  let begin = performance.now(), memory = 0;
  try {
    const running = await engine;
    begin = performance.now();
    const answer = ask(running, request);
    memory = running.HEAPU8.length;
    self.postMessage({id, answer, seconds: (performance.now() - begin) / 1000, memory});
  } catch (error) {
    self.postMessage({id, trouble: String(error), seconds: (performance.now() - begin) / 1000, memory});
  }
};
