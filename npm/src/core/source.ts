/** Sources of WebAssembly, and modules of Node that read them. */

/** A source of WebAssembly: a URL, a compiled module, or its bytes. */
export type WasmSource = string | URL | WebAssembly.Module | BufferSource;

/** A source of WebAssembly that can be loaded: Node cannot fetch a file: URL. */
export async function readable(source: WasmSource) {
  const isFile = source instanceof URL ? source.protocol === 'file:' : typeof source === 'string' && source.startsWith('file:');
  if (!isFile) return source;
  const { readFile } = await nodeModule<{ readFile(path: URL): Promise<BufferSource> }>('node:fs/promises');
  return readFile(new URL(source as string | URL));
}

/** A module of Node. Its name is in a variable, so that bundlers for the page do not resolve it. */
export async function nodeModule<T>(name: string): Promise<T> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<T>;
}
