/** The floating-point type of results for which nothing else names a type. */
import { LanthornError } from './errors.js';
import { applyDefaultDtype } from './runtime.js';
import type { DType } from './types.js';

/** The types that may be the default. */
const FLOATS: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16'];

let chosen: DType = 'float32';

/**
 * Sets the type of new floating-point tensors, of parameters, of random numbers and of fractions,
 * as `torch.set_default_dtype`: float32 until then. float64 exists on the CPU only.
 *
 * @example
 * setDefaultDtype('float64');
 * tensor([1, 2]).dtype; // 'float64'
 * setDefaultDtype('float32');
 */
export function setDefaultDtype(dtype: DType): void {
  const name = ({ float: 'float32', double: 'float64', half: 'float16' } as Record<string, DType>)[dtype] ?? dtype;
  if (!FLOATS.includes(name)) {
    throw new LanthornError('dtype', 'setDefaultDtype', `takes a floating-point type, not ${String(dtype)}`);
  }
  applyDefaultDtype(name);
  chosen = name;
}

/**
 * The type that {@link setDefaultDtype} set, as `torch.get_default_dtype`.
 *
 * @example
 * getDefaultDtype(); // 'float32'
 */
export function getDefaultDtype(): DType {
  return chosen;
}
