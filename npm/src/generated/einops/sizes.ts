// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The sizes of the dimensions of a pattern. */
import { failure, make } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import { anonymousSize, patternError, type Side } from './pattern.js';

/** Sizes by name: two lists of one length. */
export class Sizes {
  /** @internal */
  readonly names!: readonly string[];
  /** @internal */
  readonly sizes!: readonly number[];

  /** The size of a name, if it is known. */
  find(name: string): number | undefined {
    for (let i = 0; i < this.names.length; i++) {
      if (this.names[i]! === name) return this.sizes[i]!;
    }
    return anonymousSize(name);
  }

  /** The sizes of names that are all known. */
  of(names: readonly string[]): readonly number[] {
    const found: number[] = [];
    for (const name of names) {
      found.push(this.find(name) ?? 1);
    }
    return found;
  }
}

/**
 * The sizes of all names of the left side for a tensor's shape.
 *
 * @throws `shape` if the shape does not fit; `argument` for a size that is not positive, a name that is
 * not in the pattern, or a group with two unknown sizes.
 */
export function inferSizes(op: string, pattern: string, left: Side, right: Side, shape: readonly number[], axes: readonly [string, number][]): Sizes {
  return scope(() => {
    const known = givenSizes(op, pattern, left, right, axes);
    if (left.groups.length !== shape.length) {
      const [dimensions, rank] = [left.groups.length, shape.length];
      const message = `pattern '${pattern}': has ${dimensions} dimensions, and the tensor ${rank}: [${shape.join(', ')}]`;
      throw failure('shape', op, message);
    }
    const names = [...known.names];
    const sizes = [...known.sizes];
    for (let i = 0; i < shape.length; i++) {
      let product = 1;
      let unknown = '';
      for (const name of left.groups[i]!) {
        const size = known.find(name);
        if (size !== undefined) product *= size;
        else {
          if (!(unknown === '')) {
            const message = `the sizes of '${unknown}' and '${name}' are not known: give one`;
            throw patternError(op, pattern, message);
          }
          unknown = name;
        }
      }
      const size = shape[i]!;
      const fits = unknown === ''
        ? size === product
        : Math.trunc(size / product) * product === size;
      if (!fits) {
        const message = `pattern '${pattern}': a dimension of size ${size} cannot be divided into ${product}`;
        throw failure('shape', op, message);
      }
      if (!(unknown === '')) {
        names.push(unknown);
        sizes.push(Math.trunc(size / product));
      }
    }
    return make(Sizes, { names, sizes });
  });
}

function givenSizes(op: string, pattern: string, left: Side, right: Side, axes: readonly [string, number][]): Sizes {
  const names: string[] = [];
  const sizes: number[] = [];
  for (const [name, size] of axes) {
    const text = name;
    if (!left.names.includes(text) && !right.names.includes(text)) {
      throw patternError(op, pattern, `has no dimension '${text}', whose size is given`);
    }
    if (size < 1) throw patternError(op, pattern, `the size of '${text}' must be at least 1`);
    names.push(text);
    sizes.push(size);
  }
  return make(Sizes, { names, sizes });
}
