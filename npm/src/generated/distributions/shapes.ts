// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Shapes of distributions and of their samples. */
import { bind, failure, make } from '../../library/support.js';
import type { Tensor } from '../../tensor/tensor.js';

/**
 * The two parts of the shape of one sample of a distribution.
 *
 * The batch shape has the parameters' independent distributions, and the event shape is the shape
 * of a sample of one of them.
 */
export class Shapes {
  /** The batch shape. */
  readonly batch!: readonly number[];
  /** The event shape. */
  readonly event!: readonly number[];

  constructor(batch: number | readonly number[], event: number | readonly number[]);
  constructor(options: { batch: number | readonly number[]; event: number | readonly number[] });
  constructor(...args: unknown[]) {
    const [batch, event] = bind('Shapes batch:ints event:ints', args) as [readonly number[], readonly number[]];
    Object.assign(this, Shapes.of(batch, event));
  }

  /** @internal */
  static of(batch: readonly number[], event: readonly number[]): Shapes {
    return make(Shapes, { batch, event });
  }

  /** The shape of samples: `sampleShape`, the batch shape and the event shape. */
  extend(sampleShape: number | readonly number[]): readonly number[];
  extend(...args: unknown[]): readonly number[] {
    const [sampleShape] = bind('Shapes.extend sampleShape:ints', args) as [readonly number[]];
    return concat(concat(sampleShape, this.batch), this.event);
  }

  /** The same events in another batch shape. */
  withBatch(batch: number | readonly number[]): Shapes;
  withBatch(...args: unknown[]): Shapes {
    const [batch] = bind('Shapes.withBatch batch:ints', args) as [readonly number[]];
    return Shapes.of(batch, this.event);
  }
}

/** One list after the other. */
export function concat(first: readonly number[], second: readonly number[]): readonly number[] {
  const all = [...first];
  all.push(...second);
  return all;
}

/** Whether two shapes are equal. */
export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i]! !== b[i]!) return false;
  }
  return true;
}

/**
 * The shape to which two shapes broadcast.
 *
 * @throws `shape` if they do not.
 */
export function broadcastShapes(op: string, a: readonly number[], b: readonly number[]): readonly number[] {
  const rank = Math.max(a.length, b.length);
  const shape: number[] = [];
  for (let d = 0; d < rank; d++) {
    const left = d + a.length >= rank ? a[d + a.length - rank]! : 1;
    const right = d + b.length >= rank ? b[d + b.length - rank]! : 1;
    if (left !== right && left !== 1 && right !== 1) {
      throw failure(
        'shape',
        op,
        `shapes [${a.join(', ')}] and [${b.join(', ')}] do not broadcast together`,
      );
    }
    shape.push(left === 1 ? right : left);
  }
  return shape;
}

/** The product of the sizes. */
export function elements(shape: readonly number[]): number {
  let product = 1;
  for (const size of shape) {
    product *= size;
  }
  return product;
}

/** The last `count` dimensions, as negative numbers. */
export function lastDims(count: number): readonly number[] {
  const dims: number[] = [];
  for (let d = 0; d < count; d++) {
    dims.push(-1 - d);
  }
  return dims;
}

/** The sum over the last `count` dimensions. */
export function sumRightmost(x: Tensor, count: number): Tensor {
  if (count === 0) return x;
  return x.sum(lastDims(count));
}

/** The tensor expanded to a batch shape before its last `count` dimensions. */
export function expandBatch(x: Tensor, batch: readonly number[], count: number): Tensor {
  const rank = x.ndim;
  const event = x.shape.slice(rank - count);
  return x.expand(concat(batch, event));
}

/** The tensor with `count` dimensions of size 1 before its last `event` dimensions. */
export function insertDims(x: Tensor, count: number, event: number): Tensor {
  const rank = x.ndim;
  const shape = concat(x.shape.slice(0, rank - event), Array.from({ length: count }, () => 1));
  const last = x.shape.slice(rank - event);
  return x.reshape(concat(shape, last));
}
