// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Boxes by their corners. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';

/**
 * The areas of boxes.
 *
 * `boxes` has the shape `[n, 4]` with the corners `x1, y1, x2, y2`; the result has the shape `[n]`.
 */
export function boxArea(boxes: TensorLike): Tensor;
export function boxArea(...args: unknown[]): Tensor {
  const [boxes] = bind('boxArea boxes:tensor', args) as [Tensor];
  return scope(() => {
    const width = boxes.select(-1, 2).sub(boxes.select(-1, 0));
    const height = boxes.select(-1, 3).sub(boxes.select(-1, 1));
    return width.mul(height);
  });
}
