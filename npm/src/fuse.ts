/** Products with fused multiply-add, where the engine supports it. */

/** The module of the micro-kernels, their names, and the position of the first in the core's table of functions. */
export interface Fused {
  module: WebAssembly.Module;
  names: string[];
  position: number;
}

/** The functions in the order in which the core takes them. */
const NAMES = ['packed', 'apart', 'packed_row', 'apart_row', 'dot_product'];

/**
 * Installs micro-kernels with fused multiply-add. They are a separate module in base64 that imports
 * the core's memory, compiled with relaxed SIMD; an engine without it refuses the module, and the core
 * keeps its own micro-kernels.
 */
export async function fuse(
  text: string, memory: WebAssembly.Memory, setMicrokernels: (functions: Function[]) => number,
): Promise<Fused | undefined> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) return undefined;
  const module = await WebAssembly.compile(bytes);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  return { module, names: NAMES, position: setMicrokernels(NAMES.map((name) => exports[name] as Function)) };
}
