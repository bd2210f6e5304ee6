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
export async function fuse(text: string, memory: WebAssembly.Memory, setMicrokernels: SetMicrokernels): Promise<Fused | undefined> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) return undefined;
  const module = await WebAssembly.compile(bytes);
  return { module, names: NAMES, position: await install(module, memory, setMicrokernels) };
}

/** Installs the micro-kernels of another thread, at the same position. */
export async function fuseAlike({ module, position }: Fused, memory: WebAssembly.Memory, setMicrokernels: SetMicrokernels): Promise<void> {
  if ((await install(module, memory, setMicrokernels)) !== position) throw new Error('the tables of functions differ');
}

type SetMicrokernels = (functions: Function[]) => number;

async function install(module: WebAssembly.Module, memory: WebAssembly.Memory, setMicrokernels: SetMicrokernels): Promise<number> {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  return setMicrokernels(NAMES.map((name) => exports[name] as Function));
}
