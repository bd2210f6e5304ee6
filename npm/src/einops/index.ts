/**
 * Operations by patterns of named dimensions, by the names of `einops`.
 *
 * `import { rearrange } from 'lanthorn/einops'`.
 */
import { describe, isPlainObject, wrongArgument } from '../core/check.js';
import { registerEntries } from '../core/stack.js';
import * as printed from '../generated/einops/index.js';
import { stack } from '../generated/operations.js';
import { Tensor, type TensorLike } from '../tensor/tensor.js';

export { pack, unpack, type Reduction } from '../generated/einops/index.js';

/** The sizes of dimensions that do not follow from a shape, by their names. */
export type Axes = Readonly<Record<string, number>>;

/** A tensor, or tensors of one shape, which are stacked along a first dimension. */
export type Stackable = TensorLike | readonly Tensor[];

function sizesOf(op: string, axes: Axes): [string, number][] {
  if (!isPlainObject(axes)) throw wrongArgument(op, 'axes', 'an object of sizes', describe(axes));
  const entries = Object.entries(axes);
  for (const [name, size] of entries) {
    if (!Number.isInteger(size)) throw wrongArgument(op, name, 'an integer', describe(size));
  }
  return entries;
}

function stackTensors(x: Stackable): TensorLike {
  return Array.isArray(x) && x.length > 0 && x.every((item) => item instanceof Tensor) ? stack(x) : (x as TensorLike);
}

/**
 * A tensor with its dimensions in another order, divided or joined.
 *
 * A pattern has the names of the dimensions before and after `->`. Parentheses join dimensions into
 * one, `1` is a dimension of size 1, and `...` stands for any dimensions. `axes` has the sizes that
 * do not follow from the shape.
 *
 * @throws `argument` for a pattern that is not well-formed, or has a name on one side only; `shape`
 * if the tensor does not fit.
 *
 * @example
 * const patches = rearrange(images, 'b c (h p) (w q) -> b (h w) (p q c)', { p: 16, q: 16 });
 */
export function rearrange(x: Stackable, pattern: string, axes: Axes = {}): Tensor {
  return printed.rearrange(stackTensors(x), pattern, sizesOf('rearrange', axes));
}

/**
 * A tensor whose dimensions that are missing on the right side are reduced.
 *
 * @throws `argument` for a pattern that is not well-formed, or has a name on the right side only;
 * `shape` if the tensor does not fit.
 *
 * @example
 * const pooled = reduce(images, 'b c (h 2) (w 2) -> b c h w', 'max');
 */
export function reduce(x: Stackable, pattern: string, reduction: printed.Reduction, axes: Axes = {}): Tensor {
  return printed.reduce(stackTensors(x), pattern, reduction, sizesOf('reduce', axes));
}

/**
 * A tensor that is repeated along the dimensions that are on the right side only.
 *
 * @throws `argument` for a pattern that is not well-formed, has a name on the left side only, or a
 * new dimension without a size; `shape` if the tensor does not fit.
 *
 * @example
 * const colored = repeat(images, 'b 1 h w -> b c h w', { c: 3 });
 */
export function repeat(x: Stackable, pattern: string, axes: Axes = {}): Tensor {
  return printed.repeat(stackTensors(x), pattern, sizesOf('repeat', axes));
}

/**
 * The sum of products by names of dimensions: names that are missing on the right side are summed
 * over. The pattern is the last argument.
 *
 * @throws `argument` for a pattern that is not well-formed, or another number of tensors; `shape`
 * if their sizes differ.
 *
 * @example
 * const scores = einsum(x, y, 'batch query dim, batch key dim -> batch query key');
 */
export function einsum(...args: [...tensors: Tensor[], pattern: string]): Tensor {
  const pattern: unknown = args.at(-1);
  if (typeof pattern !== 'string') throw wrongArgument('einsum', 'pattern', 'a string after the tensors', describe(pattern));
  return printed.einsum(args.slice(0, -1) as Tensor[], pattern);
}

registerEntries([rearrange, reduce, repeat, einsum]);
