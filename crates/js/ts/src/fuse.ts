/** Products that fuse multiplication and addition, where the engine can. */
import { FUSED } from './fused.generated.js';

/**
 * Gives the core a micro-kernel that fuses. It is a module of its own on the core's memory, compiled with relaxed SIMD; an engine without that refuses it, and the
 * core keeps the one it has.
 */
export async function fuse(memory: WebAssembly.Memory, setFusedTile: (tile: Function) => void): Promise<void> {
  const bytes = Uint8Array.from(atob(FUSED), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) return;
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } });
  setFusedTile(instance.exports.fused as Function);
}
