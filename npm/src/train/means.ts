/** Means of values over batches, which stay on the device until they are read. */
import { noGrad } from '../autograd/mode.js';
import { LanthornError } from '../core/errors.js';
import { describe } from '../core/check.js';
import { Tensor } from '../tensor/tensor.js';
import type { Values } from './task.js';

/** Sums of values by name. */
export class Means {
  readonly #sums = new Map<string, { sum: Tensor | number; count: number }>();

  /** Adds the values of a batch; tensors are the means' from now on. */
  add(values: Record<string, Tensor | number>): void {
    if (typeof values !== 'object' || values === null) {
      throw new LanthornError('argument', 'Trainer', `validationStep returns an object of values, not ${describe(values)}`);
    }
    for (const [name, value] of Object.entries(values)) {
      const known = this.#sums.get(name);
      this.#sums.set(name, known ? { sum: total(known.sum, value), count: known.count + 1 } : { sum: value, count: 1 });
    }
  }

  /** The means by name. */
  async values(): Promise<Values> {
    const entries: [string, number][] = [];
    for (const [name, { sum, count }] of this.#sums) {
      entries.push([name, (sum instanceof Tensor ? await sum.item() : sum) / count]);
      if (sum instanceof Tensor) sum.dispose();
    }
    this.#sums.clear();
    return Object.fromEntries(entries);
  }
}

function total(sum: Tensor | number, value: Tensor | number): Tensor | number {
  if (!(sum instanceof Tensor) && !(value instanceof Tensor)) return sum + value;
  const result = noGrad(() => (sum instanceof Tensor ? sum.add(value) : (value as Tensor).add(sum)));
  for (const item of [sum, value]) if (item instanceof Tensor) item.dispose();
  return result;
}
