/** Products that fuse multiplication and addition, where the engine can. */
import { FUSED } from './fused.generated.js';

/**
 * Gives the core micro-kernels that fuse. They are a module of their own on the core's memory, compiled with relaxed SIMD; an engine without that refuses it, and the
 * core keeps those it has.
 */
export async function fuse(memory: WebAssembly.Memory, setFusedTiles: (packed: Function, apart: Function) => void): Promise<void> {
  const bytes = Uint8Array.from(atob(FUSED), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) return;
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } });
  const { packed, apart } = instance.exports;
  setFusedTiles(packed as Function, apart as Function);
}
