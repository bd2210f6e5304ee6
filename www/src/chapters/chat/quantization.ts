/** The formats of weights in blocks, and the functions of lanthorn for them. */
import type { CausalLM } from 'lanthorn/models';

/** How weights are held: null for float32. */
export type Format = 'q8_0' | 'q4_0' | null;

export const FORMATS: readonly Format[] = [null, 'q8_0', 'q4_0'];

/** Replaces the matrices of a model by blocks. */
export async function quantize(model: CausalLM, format: Format): Promise<void> {
  await model.quantize(format);
}

/** The bytes of all weights, as they are held. */
export function weightBytes(model: CausalLM): number {
  return model.weightBytes();
}
