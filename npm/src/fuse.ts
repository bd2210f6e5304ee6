/** Products with fused multiply-add, where the engine supports it. */

/** The module of the micro-kernels, and their position in the core's table of functions. */
export interface Fused {
  module: WebAssembly.Module;
  position: number;
}

/**
 * Installs micro-kernels with fused multiply-add. They are a separate module in base64 that imports
 * the core's memory, compiled with relaxed SIMD; an engine without it refuses the module, and the core
 * keeps its own micro-kernels.
 */
export async function fuse(
  text: string, memory: WebAssembly.Memory, setFusedTiles: (packed: Function, apart: Function) => number,
): Promise<Fused | undefined> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) return undefined;
  const module = await WebAssembly.compile(bytes);
  const { packed, apart } = (await WebAssembly.instantiate(module, { env: { memory } })).exports;
  return { module, position: setFusedTiles(packed as Function, apart as Function) };
}
