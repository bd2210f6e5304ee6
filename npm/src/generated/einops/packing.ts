// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** `pack` and `unpack`. */
import { bind, failure } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../tensor/tensor.js';
import * as torch from '../operations.js';
import { splitText } from '../../einops/host.js';
import { patternError, readSide } from './pattern.js';

/**
 * Tensors joined along the dimension `*`, which stands for any dimensions of each, and the shapes
 * of these dimensions, as `einops.pack`.
 *
 * @throws `argument` for a pattern without exactly one `*`; `shape` if a tensor has too few dimensions or
 * other sizes.
 *
 * @example
 * const [x, y] = [zeros([2, 3]), zeros([2, 4, 3])];
 * const [packed, shapes] = pack([x, y], 'b * c');
 */
export function pack(tensors: readonly Tensor[], pattern: string): [Tensor, readonly (readonly number[])[]];
export function pack(...args: unknown[]): [Tensor, readonly (readonly number[])[]] {
  const [tensors, pattern] = bind('pack tensors:tensors pattern:string', args) as [readonly Tensor[], string];
  return scope(() => {
    const [before, after] = sides('pack', pattern);
    if (tensors.length === 0) throw failure('argument', 'pack', 'needs at least one tensor');
    const parts: Tensor[] = [];
    const shapes: (readonly number[])[] = [];
    for (const x of tensors) {
      if (x.ndim < before + after) {
        const [shape, least] = [x.shape, before + after];
        const message = `pattern '${pattern}': needs at least ${least} dimensions, and a tensor is [${shape.join(', ')}]`;
        throw failure('shape', 'pack', message);
      }
      const shape = x.shape;
      const packed = shape.slice(before, shape.length - after);
      const sizes = shape.slice(0, before);
      sizes.push(product(packed));
      sizes.push(...shape.slice(shape.length - after));
      parts.push(x.reshape(sizes));
      shapes.push(packed);
    }
    return [torch.cat(parts, before), shapes];
  });
}

/**
 * The tensors of `pack`, as `einops.unpack`: the dimension `*` is divided by the shapes. One
 * shape may have one size of -1, which follows from the others.
 *
 * @throws `argument` for a pattern without exactly one `*`; `shape` if the sizes do not fit.
 *
 * @example
 * const parts = unpack(zeros([2, 5, 3]), [[], [2, 2]], 'b * c');
 * parts[1]!.shape; // [2, 2, 2, 3]
 */
export function unpack(tensor: TensorLike, packedShapes: readonly (readonly number[])[], pattern: string): readonly Tensor[];
export function unpack(...args: unknown[]): readonly Tensor[] {
  const [tensor, packedShapes, pattern] = bind('unpack tensor:tensor packedShapes:list pattern:string', args) as [Tensor, readonly (readonly number[])[], string];
  return scope(() => {
    const [before, after] = sides('unpack', pattern);
    const shape = tensor.shape;
    if (shape.length !== before + 1 + after) {
      const message = `pattern '${pattern}': needs ${before + 1 + after} dimensions, and the tensor is [${shape.join(', ')}]`;
      throw failure('shape', 'unpack', message);
    }
    let known = 0;
    let unknown = 0;
    for (const packed of packedShapes) {
      if (packed.includes(-1)) unknown += 1;
      else {
        known += sizeOf(packed);
      }
    }
    const rest = shape[before]! - known;
    if (unknown > 1 || rest < 0 || unknown === 0 && rest !== 0) {
      const size = shape[before]!;
      const message = `pattern '${pattern}': a dimension of size ${size} cannot be divided into these shapes`;
      throw failure('shape', 'unpack', message);
    }
    const parts: Tensor[] = [];
    let start = 0;
    for (const packed of packedShapes) {
      const size = packed.includes(-1) ? rest : sizeOf(packed);
      const part = tensor.narrow(before, start, size);
      const sizes = shape.slice(0, before);
      sizes.push(...packed);
      sizes.push(...shape.slice(before + 1));
      parts.push(part.reshape(sizes));
      start += size;
    }
    return parts;
  });
}

function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const part of shape) {
    size *= part;
  }
  return size;
}

function product(shape: readonly number[]): number {
  let size = 1;
  for (const part of shape) {
    size *= part;
  }
  return size;
}

/** The numbers of dimensions before and after `*`. */
function sides(op: string, pattern: string): [number, number] {
  return scope(() => {
    const parts = splitText(pattern, '*');
    if (parts.length !== 2) throw patternError(op, pattern, 'needs exactly one \'*\'');
    const [before, after] = [readSide(op, pattern, parts[0]!), readSide(op, pattern, parts[1]!)];
    for (const name of after.names) {
      if (before.names.includes(name)) throw patternError(op, pattern, `has '${name}' twice`);
    }
    if (before.groups.length !== before.names.length
      || after.groups.length !== after.names.length) {
      throw patternError(op, pattern, 'has names only');
    }
    return [before.groups.length, after.groups.length];
  });
}
