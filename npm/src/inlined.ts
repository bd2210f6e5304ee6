/** The WebAssembly modules as parts of the program, if it imports `lanthorn/inline`. */

/** A module of WebAssembly: the core of a device, the readers of files, of models of ONNX, their writer, or programs. */
export type WasmName = 'webgpu' | 'cpu' | 'io' | 'onnx' | 'onnx_writer' | 'program';

/** Imports the text of a module: compressed by gzip, in base64. */
export type Texts = { readonly [name in WasmName]: () => Promise<{ default: string }> };

let texts: Texts | undefined;

/** Makes modules parts of the program, before the first of them is loaded. */
export function inline(provided: Texts): void {
  texts = provided;
}

/** The bytes of a module that is part of the program. */
export async function inlined(name: WasmName): Promise<BufferSource | undefined> {
  if (!texts) return undefined;
  const { default: text } = await texts[name]();
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
