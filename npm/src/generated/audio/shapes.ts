// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Batches: the leading dimensions as one, and back. */
import { failure } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor } from '../../tensor/tensor.js';

/** The tensor with its leading dimensions as one, before the last `kept`. */
export function pack(x: Tensor, kept: number): Tensor {
  return scope(() => {
    const shape = x.shape;
    let count = 1;
    const sizes: number[] = [];
    for (let index = 0; index < shape.length; index++) {
      if (index + kept < shape.length) count *= shape[index]!;
      else {
        sizes.push(shape[index]!);
      }
    }
    sizes.splice(0, 0, count);
    return x.reshape(sizes);
  });
}

/**
 * The tensor with its first dimension as the leading dimensions of `shape`, whose last `kept` are
 * replaced by the tensor's others.
 */
export function unpack(x: Tensor, shape: readonly number[], kept: number): Tensor {
  return scope(() => {
    const own = x.shape;
    const sizes = shape.slice(0, shape.length - kept);
    for (let index = 1; index < own.length; index++) {
      sizes.push(own[index]!);
    }
    return x.reshape(sizes);
  });
}

/** The size of the last dimension. */
export function length(x: Tensor): number {
  return x.shape[x.ndim - 1]!;
}

/** An error if the tensor has fewer dimensions. */
export function checkRank(op: string, param: string, x: Tensor, rank: number): void {
  if (x.ndim < rank) {
    const shape = x.shape;
    throw failure(
      'shape',
      op,
      `${param} has shape [${shape.join(', ')}], and takes at least ${rank} dimensions`,
    );
  }
}

/** The greatest common divisor. */
export function gcd(a: number, b: number): number {
  let larger = a;
  let smaller = b;
  while (smaller !== 0) {
    const rest = larger % smaller;
    larger = smaller;
    smaller = rest;
  }
  return larger;
}
