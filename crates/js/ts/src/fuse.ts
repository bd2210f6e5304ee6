/** Products that fuse multiplication and addition, where the engine can. */
import { FUSED } from './fused.generated.js';

/** What the core's module has, as far as it concerns this. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
}

/**
 * Gives the core a micro-kernel that fuses. It is a module of its own on the core's memory, compiled with relaxed SIMD; an engine without that refuses it, and the
 * core keeps the one it has.
 */
export async function fuse(exports: Exports, setFusedTile: (place: number) => void): Promise<void> {
  const bytes = Uint8Array.from(atob(FUSED), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) return;
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory: exports.memory } });
  setFusedTile(exports.__indirect_function_table.grow(1, instance.exports.fused));
}
