/** The WebAssembly modules as parts of the program, if it imports `lanthorn/inline`. */

/** A module of WebAssembly: the core of a device, the readers of files, of models of ONNX, their writer, programs, or tokenizers. */
export type WasmName = 'webgpu' | 'cpu' | 'cpuThreads' | 'io' | 'onnx' | 'onnx_writer' | 'program' | 'tokenizer';

/** Imports the text of a module: compressed by gzip, in base64. */
export type Texts = { readonly [name in WasmName]?: () => Promise<{ default: string }> };

let texts: Texts = {};

/** Makes modules parts of the program, before the first of them is loaded. */
export function inline(provided: Texts): void {
  texts = { ...texts, ...provided };
}

/** The bytes of a module that is part of the program. */
export async function inlined(name: WasmName): Promise<BufferSource | undefined> {
  const text = (await texts[name]?.())?.default;
  if (text === undefined) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/** Whether modules are parts of the program, and this one is not. */
export function isInlinedWithout(name: WasmName): boolean {
  return Object.keys(texts).length > 0 && !(name in texts);
}
