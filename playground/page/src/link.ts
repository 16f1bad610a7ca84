// Texts as bytes and back: what the page carries in itself, and a model in the address of a link.

// Fails where more than so many bytes come out: an address of a few lines may hold gigabytes.
async function through(stream: CompressionStream | DecompressionStream, data: BufferSource, most = Infinity): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  void writer.write(data).catch(() => undefined);
  void writer.close().catch(() => undefined);
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > most) controller.error(new Error('too long'));
      else controller.enqueue(chunk);
    },
  });
  return new Uint8Array(await new Response(stream.readable.pipeThrough(counted)).arrayBuffer());
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// A part of the page: base64 of gzip.
export async function part(id: string): Promise<Uint8Array> {
  const text = document.getElementById(id)?.textContent ?? '';
  return through(new DecompressionStream('gzip'), fromBase64(text.trim()));
}

const begin = '#model=';
const longest = 64 * 2 ** 20; // bytes of a model file, as for the program

export async function linkOf(name: string, text: string): Promise<string> {
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(`${name}\n${text}`));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  return begin + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// Name and text; null where the address has no model, or a damaged one.
export async function modelOf(hash: string): Promise<[string, string] | null> {
  if (!hash.startsWith(begin)) return null;
  try {
    const all = new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), fromBase64(hash.slice(begin.length).replaceAll('-', '+').replaceAll('_', '/')), longest));
    const line = all.indexOf('\n');
    return line < 0 ? null : [all.slice(0, line), all.slice(line + 1)];
  } catch {
    return null;
  }
}
