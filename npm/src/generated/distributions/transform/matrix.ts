// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Transforms of vectors and matrices. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as linalg from '../../linalg.js';
import { Constraint } from '../constraint.js';
import { arange, indexTensor, ones, tiny } from '../../../distributions/host.js';
import { logOnePlusExp } from '../logits.js';
import { concat } from '../shapes.js';
import { Transform } from '../transform.js';

/**
 * The softmax of vectors. It is not bijective; the inverse is the logarithm.
 *
 * @example
 * const y = new SoftmaxTransform().forward(zeros([3]));
 * y.shape; // [3]
 */
export class SoftmaxTransform extends Transform {
  override get name(): string {
    return 'SoftmaxTransform';
  }

  override get domain(): Constraint {
    return Constraint.realVector;
  }

  override get codomain(): Constraint {
    return Constraint.simplex;
  }

  override get isBijective(): boolean {
    return false;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('SoftmaxTransform.forward x:tensor', args) as [Tensor];
    return x.softmax(-1);
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('SoftmaxTransform.inverse y:tensor', args) as [Tensor];
    return y.log();
  }
}

/**
 * Vectors of length `k` as vectors of positive numbers of length `k + 1` with the sum 1.
 *
 * Each number is a part, by the logistic function, of the part of 1 that those before it leave;
 * zeros are mapped to equal numbers. Source: Stan Reference Manual, "Unit simplex".
 *
 * @example
 * const y = new StickBreakingTransform().forward(zeros([3]));
 * y.shape; // [4]
 */
export class StickBreakingTransform extends Transform {
  override get name(): string {
    return 'StickBreakingTransform';
  }

  override get domain(): Constraint {
    return Constraint.realVector;
  }

  override get codomain(): Constraint {
    return Constraint.simplex;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('StickBreakingTransform.forward x:tensor', args) as [Tensor];
    return scope(() => {
      const logRest = logCounts(x, x.shape[x.ndim - 1]!);
      const part = x.sub(logRest).sigmoid();
      const rest = part.rsub(1).cumprod(-1);
      return part.constantPadNd([0, 1], 1).mul(rest.constantPadNd([1, 0], 1));
    });
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('StickBreakingTransform.forwardShape shape:ints', args) as [readonly number[]];
    const last = lastSize('StickBreakingTransform', shape);
    return concat(shape.slice(0, shape.length - 1), [last + 1]);
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('StickBreakingTransform.inverseShape shape:ints', args) as [readonly number[]];
    const last = lastSize('StickBreakingTransform', shape);
    return concat(shape.slice(0, shape.length - 1), [last - 1]);
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('StickBreakingTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => {
      const size = y.shape[y.ndim - 1]!;
      const head = y.narrow(-1, 0, size - 1);
      const rest = head.cumsum(-1).rsub(1).clampMin(tiny(y));
      return head.log().sub(rest.log()).add(logCounts(y, size - 1));
    });
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('StickBreakingTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const size = x.shape[x.ndim - 1]!;
      const shifted = x.sub(logCounts(x, size));
      const head = y.narrow(-1, 0, size);
      return head.log().sub(logOnePlusExp(shifted)).sum(-1);
    });
  }
}

/** The logarithms of `size, size - 1, .., 1`. */
function logCounts(like: Tensor, size: number): Tensor {
  return scope(() => arange(size, like).rsub(size).log());
}

/** The size of the last dimension, which must be 1 or more. */
function lastSize(op: string, shape: readonly number[]): number {
  if (shape.length === 0 || shape[shape.length - 1]! === 0) {
    throw failure('shape', op, `takes vectors, not shape [${shape.join(', ')}]`);
  }
  return shape[shape.length - 1]!;
}

/**
 * Matrices as lower triangular matrices with a positive diagonal, by the exponential of the
 * diagonal. The elements above the diagonal are left out.
 *
 * @example
 * const y = new LowerCholeskyTransform().forward(zeros([2, 2]));
 * y.shape; // [2, 2]
 */
export class LowerCholeskyTransform extends Transform {
  override get name(): string {
    return 'LowerCholeskyTransform';
  }

  override get domain(): Constraint {
    return Constraint.independent(Constraint.real, 2);
  }

  override get codomain(): Constraint {
    return Constraint.lowerCholesky;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('LowerCholeskyTransform.forward x:tensor', args) as [Tensor];
    return scope(() => x.tril(-1).add(x.diagonal(0, -2, -1).exp().diagEmbed(0, -2, -1)));
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('LowerCholeskyTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => y.tril(-1).add(y.diagonal(0, -2, -1).log().diagEmbed(0, -2, -1)));
  }
}

/**
 * Matrices as symmetric matrices with positive eigenvalues: `L L^T` of the
 * `LowerCholeskyTransform`.
 *
 * @example
 * const y = new PositiveDefiniteTransform().forward(zeros([2, 2]));
 * y.shape; // [2, 2]
 */
export class PositiveDefiniteTransform extends Transform {
  override get name(): string {
    return 'PositiveDefiniteTransform';
  }

  override get domain(): Constraint {
    return Constraint.independent(Constraint.real, 2);
  }

  override get codomain(): Constraint {
    return Constraint.positiveDefinite;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('PositiveDefiniteTransform.forward x:tensor', args) as [Tensor];
    return scope(() => {
      const factor = make(LowerCholeskyTransform, {}).forward(x);
      return factor.matmul(factor.mT);
    });
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('PositiveDefiniteTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => make(LowerCholeskyTransform, {}).inverse(linalg.cholesky(y)));
  }
}

/**
 * Vectors of length `n (n - 1) / 2` as Cholesky factors of matrices of correlations of `n`
 * numbers.
 *
 * Source: Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines
 * and extended onion method" (2009); Stan Reference Manual, "Cholesky factors of correlation
 * matrices".
 *
 * @example
 * const y = new CorrCholeskyTransform().forward(zeros([3]));
 * y.shape; // [3, 3]
 */
export class CorrCholeskyTransform extends Transform {
  override get name(): string {
    return 'CorrCholeskyTransform';
  }

  override get domain(): Constraint {
    return Constraint.realVector;
  }

  override get codomain(): Constraint {
    return Constraint.corrCholesky;
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('CorrCholeskyTransform.forwardShape shape:ints', args) as [readonly number[]];
    const size = matrixSize(lastSize('CorrCholeskyTransform', shape));
    return concat(shape.slice(0, shape.length - 1), [size, size]);
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('CorrCholeskyTransform.inverseShape shape:ints', args) as [readonly number[]];
    const size = lastSize('CorrCholeskyTransform', shape);
    let count = 0;
    for (let row = 0; row < size; row++) {
      count += row;
    }
    return concat(shape.slice(0, shape.length - 2), [count]);
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('CorrCholeskyTransform.forward x:tensor', args) as [Tensor];
    return scope(() => {
      const partial = belowDiagonal(x.tanh());
      const rest = partial.square().rsub(1).sqrt().cumprod(-1);
      const size = partial.shape[partial.ndim - 1]!;
      const shifted = rest.narrow(-1, 0, size - 1).constantPadNd([1, 0], 1);
      const diagonal = ones(partial.shape.slice(partial.ndim - 1), x).diagEmbed(0, -2, -1);
      return partial.add(diagonal).mul(shifted);
    });
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('CorrCholeskyTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => {
      const size = y.shape[y.ndim - 1]!;
      const rest = y.square().cumsum(-1).rsub(1);
      const shifted = rest.narrow(-1, 0, size - 1).constantPadNd([1, 0], 1);
      const partial = vectorBelowDiagonal(y).div(vectorBelowDiagonal(shifted).sqrt());
      return partial.atanh();
    });
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('CorrCholeskyTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const rest = y.square().cumsum(-1).rsub(1);
      const size = y.shape[y.ndim - 1]!;
      const lower = ones([size, size], y).tril(-2);
      const filled = torch.where(lower.eq(0), 1, rest);
      const breaking = filled.log().sum([-2, -1]).mul(0.5);
      const tanh = x.rsub(Math.LN2).sub(logOnePlusExp(x.mul(-2)));
      return breaking.add(tanh.sum(-1).mul(2));
    });
  }
}

/** The size of a matrix with a number of elements below its diagonal. */
function matrixSize(count: number): number {
  let size = 1;
  let held = 0;
  while (held < count) {
    held += size;
    size += 1;
  }
  if (held !== count) {
    const message = `takes vectors of n (n - 1) / 2 numbers, which ${count} is not for any n`;
    throw failure('shape', 'CorrCholeskyTransform', message);
  }
  return size;
}

/** The matrix with the elements of a vector below its diagonal, row by row, and otherwise 0. */
export function belowDiagonal(vector: Tensor): Tensor {
  return scope(() => {
    const size = matrixSize(vector.shape[vector.ndim - 1]!);
    const positions: number[] = [];
    let start = 0;
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        positions.push(column < row ? start + column : 0);
      }
      start += row;
    }
    const rows = vector.indexSelect(-1, indexTensor(positions, vector));
    const shape = concat(vector.shape.slice(0, vector.ndim - 1), [size, size]);
    return rows.reshape(shape).tril(-1);
  });
}

/** The elements below the diagonal of a matrix, row by row. */
export function vectorBelowDiagonal(matrix: Tensor): Tensor {
  return scope(() => {
    const rank = matrix.ndim;
    const size = matrix.shape[rank - 1]!;
    const positions: number[] = [];
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < row; column++) {
        positions.push(row * size + column);
      }
    }
    const shape = concat(matrix.shape.slice(0, rank - 2), [size * size]);
    return matrix.reshape(shape).indexSelect(-1, indexTensor(positions, matrix));
  });
}
