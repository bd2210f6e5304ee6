// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** `rearrange`, `reduce`, `repeat` and `einsum`. */
import { bind } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../tensor/tensor.js';
import * as torch from '../operations.js';
import { letter, splitText } from '../../einops/host.js';
import {
  ELLIPSIS, anonymousSize, expandEllipsis, patternError, readPattern, readSide, type Side,
} from './pattern.js';
import { inferSizes } from './sizes.js';

/** The reduction of dimensions that are missing on the right side. */
export type Reduction = 'mean' | 'sum' | 'max' | 'min' | 'prod';

/**
 * A tensor with its dimensions in another order, divided or joined, as `einops.rearrange`.
 *
 * A pattern has the names of the dimensions before and after `->`. Parentheses join dimensions
 * into one, `1` is a dimension of size 1, and `...` stands for any dimensions. `axes` has the
 * sizes that do not follow from the shape.
 *
 * @throws `argument` for a pattern that is not well-formed, or has a name on one side only; `shape` if the
 * tensor does not fit.
 */
export function rearrange(x: TensorLike, pattern: string, axes: readonly [string, number][]): Tensor;
export function rearrange(...args: unknown[]): Tensor {
  const [x, pattern, axes] = bind('rearrange x:tensor pattern:string axes:list', args) as [Tensor, string, readonly [string, number][]];
  return scope(() => {
    const [left, right] = sides('rearrange', pattern, x.ndim);
    for (const name of left.names) {
      checkNamed('rearrange', pattern, name);
      checkBoth('rearrange', pattern, right, name);
    }
    for (const name of right.names) {
      checkNamed('rearrange', pattern, name);
      checkBoth('rearrange', pattern, left, name);
    }
    return apply('rearrange', x, pattern, left, right, undefined, axes);
  });
}

/**
 * A tensor whose dimensions that are missing on the right side are reduced, as `einops.reduce`.
 *
 * Patterns and `axes`: as of `rearrange`.
 *
 * @throws `argument` for a pattern that is not well-formed, or has a name on the right side only; `shape`
 * if the tensor does not fit.
 */
export function reduce(x: TensorLike, pattern: string, reduction: Reduction, axes: readonly [string, number][]): Tensor;
export function reduce(...args: unknown[]): Tensor {
  const [x, pattern, reduction, axes] = bind('reduce x:tensor pattern:string reduction:=mean|sum|max|min|prod axes:list', args) as [Tensor, string, Reduction, readonly [string, number][]];
  return scope(() => {
    const [left, right] = sides('reduce', pattern, x.ndim);
    for (const name of right.names) {
      checkNamed('reduce', pattern, name);
      checkBoth('reduce', pattern, left, name);
    }
    return apply('reduce', x, pattern, left, right, reduction, axes);
  });
}

/**
 * A tensor that is repeated along the dimensions that are on the right side only, as
 * `einops.repeat`.
 *
 * Patterns and `axes`: as of `rearrange`; a number is a new dimension of this size.
 *
 * @throws `argument` for a pattern that is not well-formed, has a name on the left side only, or a new
 * dimension without a size; `shape` if the tensor does not fit.
 */
export function repeat(x: TensorLike, pattern: string, axes: readonly [string, number][]): Tensor;
export function repeat(...args: unknown[]): Tensor {
  const [x, pattern, axes] = bind('repeat x:tensor pattern:string axes:list', args) as [Tensor, string, readonly [string, number][]];
  return scope(() => {
    const [left, right] = sides('repeat', pattern, x.ndim);
    for (const name of left.names) {
      checkNamed('repeat', pattern, name);
      checkBoth('repeat', pattern, right, name);
    }
    return apply('repeat', x, pattern, left, right, undefined, axes);
  });
}

/**
 * The sum of products by names of dimensions, as `einops.einsum`: names that are missing on the
 * right side are summed over.
 *
 * @throws `argument` for a pattern that is not well-formed, or another number of tensors; `shape` if their
 * sizes differ.
 */
export function einsum(tensors: readonly Tensor[], pattern: string): Tensor;
export function einsum(...args: unknown[]): Tensor {
  const [tensors, pattern] = bind('einsum tensors:tensors pattern:string', args) as [readonly Tensor[], string];
  return scope(() => {
    const parts = splitText(pattern, '->');
    if (parts.length !== 2) {
      throw patternError('einsum', pattern, 'needs one \'->\' between its sides');
    }
    const inputs = splitText(parts[0]!, ',');
    if (inputs.length !== tensors.length) {
      const message = `is for ${inputs.length} tensors, and ${tensors.length} are given`;
      throw patternError('einsum', pattern, message);
    }
    const known: string[] = [];
    const terms: string[] = [];
    for (const input of inputs) {
      terms.push(einsumTerm(pattern, input, known));
      for (const name of readSide('einsum', pattern, input).names) {
        if (!known.includes(name)) known.push(name);
      }
    }
    const result = readSide('einsum', pattern, parts[1]!);
    for (const name of result.names) {
      if (!known.includes(name)) {
        throw patternError('einsum', pattern, `has '${name}' on the right side only`);
      }
    }
    const equation = `${terms.join(',')}->${einsumTerm(pattern, parts[1]!, known)}`;
    return torch.einsum(equation, tensors);
  });
}

/** The names, and others that are new. */
function extendNames(names: readonly string[], others: readonly string[]): readonly string[] {
  const all = [...names];
  for (const name of others) {
    if (!all.includes(name)) all.push(name);
  }
  return all;
}

/** The letters of a side, by the position of each name among all names so far. */
function einsumTerm(pattern: string, text: string, known: readonly string[]): string {
  return scope(() => {
    const side = readSide('einsum', pattern, text);
    const all = extendNames(known, side.names);
    const term: string[] = [];
    for (const group of side.groups) {
      if (group.length !== 1) {
        throw patternError('einsum', pattern, 'has neither parentheses nor numbers');
      }
      checkNamed('einsum', pattern, group[0]!);
      if (group[0]! === ELLIPSIS) {
        term.push(ELLIPSIS);
        continue;
      }
      for (let i = 0; i < all.length; i++) {
        if (all[i]! === group[0]!) {
          if (i >= 52) throw patternError('einsum', pattern, 'has more than 52 names');
          term.push(letter(i));
        }
      }
    }
    return term.join('');
  });
}

/** The sides of a pattern with names in place of `...`, for a number of dimensions. */
function sides(op: string, pattern: string, rank: number): [Side, Side] {
  return scope(() => {
    const [left, right] = readPattern(op, pattern);
    if (!left.names.includes(ELLIPSIS)) return [left, right];
    const count = Math.max(rank + 1 - left.groups.length, 0);
    return [expandEllipsis(left, count), expandEllipsis(right, count)];
  });
}

function checkNamed(op: string, pattern: string, name: string): void {
  const size = anonymousSize(name);
  if (size !== undefined) {
    const message = `has the size ${size}, which needs a name here`;
    throw patternError(op, pattern, message);
  }
}

function checkBoth(op: string, pattern: string, other: Side, name: string): void {
  if (!other.names.includes(name)) {
    throw patternError(op, pattern, `has '${name}' on one side only`);
  }
}

/** The operations of a pattern. */
function apply(op: string, x: Tensor, pattern: string, left: Side, right: Side, reduction: Reduction | undefined, axes: readonly [string, number][]): Tensor {
  return scope(() => {
    const sizes = inferSizes(op, pattern, left, right, x.shape, axes);
    let divided = x.reshape(sizes.of(left.names));
    let kept: readonly string[] = [...left.names];
    if (reduction !== undefined) {
      const dims: number[] = [];
      const rest: string[] = [];
      for (let i = 0; i < left.names.length; i++) {
        if (right.names.includes(left.names[i]!)) rest.push(left.names[i]!);
        else {
          dims.push(i);
        }
      }
      divided = reduceDims(divided, dims, reduction);
      kept = rest;
    }
    const order: number[] = [];
    const expanded = [...sizes.of(kept)];
    for (const name of right.names) {
      let position = expanded.length;
      for (let i = 0; i < kept.length; i++) {
        if (kept[i]! === name) position = i;
      }
      if (position === expanded.length) {
        const added = sizes.find(name);
        if (added === undefined) {
          throw patternError(op, pattern, `the size of '${name}' is not known: give it`);
        }
        divided = divided.unsqueeze(-1);
        expanded.push(added);
      }
      order.push(position);
    }
    if (expanded.length > kept.length) divided = divided.expand(expanded);
    const shape: number[] = [];
    for (const group of right.groups) {
      let size = 1;
      for (const part of sizes.of(group)) {
        size *= part;
      }
      shape.push(size);
    }
    return divided.permute(order).reshape(shape);
  });
}

function reduceDims(x: Tensor, dims: readonly number[], reduction: Reduction): Tensor {
  return scope(() => {
    if (dims.length === 0) return x;
    switch (reduction) {
      case 'mean': return x.mean(dims);
      case 'sum': return x.sum(dims);
      case 'max': return x.amax(dims);
      case 'min': return x.amin(dims);
      default: {
        let product = x;
        for (let i = 0; i < dims.length; i++) {
          product = product.prod(dims[dims.length - 1 - i]!);
        }
        return product;
      }
    }
  });
}
