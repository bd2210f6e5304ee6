/** Products with fused multiply-add, where the engine supports it. */
import { FUSED } from './fused.generated.js';

/**
 * Installs micro-kernels with fused multiply-add. They are a separate module that imports the
 * core's memory, compiled with relaxed SIMD; an engine without it refuses the module, and the core
 * keeps its own micro-kernels.
 */
export async function fuse(memory: WebAssembly.Memory, setFusedTiles: (packed: Function, apart: Function) => void): Promise<void> {
  const bytes = Uint8Array.from(atob(FUSED), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) return;
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } });
  const { packed, apart } = instance.exports;
  setFusedTiles(packed as Function, apart as Function);
}
