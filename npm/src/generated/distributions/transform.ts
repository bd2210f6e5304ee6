// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Transforms: functions with a known derivative, which map the samples of a distribution. */
import { bind, make } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../tensor/tensor.js';
import type { Constraint } from './constraint.js';
import { notImplemented } from './distribution.js';
import { paramIsSame } from '../../distributions/host.js';

/**
 * A function with an inverse and a Jacobian, as `torch.distributions.Transform`.
 *
 * @example
 * const x = full([], 2, { dtype: 'float32' });
 * const y = new ExpTransform().forward(x);
 * const logDerivative = new ExpTransform().logAbsDetJacobian(x, y);
 * await logDerivative.item(); // 2
 */
export abstract class Transform {
  /** The name of the type. */
  abstract get name(): string;

  /** The set of arguments. */
  abstract get domain(): Constraint;

  /** The set of results. */
  abstract get codomain(): Constraint;

  /** Whether every result has one argument. */
  get isBijective(): boolean {
    return true;
  }

  /** The tensors and numbers of the transform, by which two transforms are compared. */
  parameters(): readonly (Tensor | number)[] {
    return [];
  }

  /** The transforms that the transform consists of, by which two transforms are compared. */
  parts(): readonly Transform[] {
    return [];
  }

  /**
   * 1 or -1: the sign of the derivative of a monotonic function of numbers.
   *
   * @throws `argument` for other transforms.
   */
  get sign(): Tensor | number {
    throw notImplemented(this.name, 'sign');
  }

  /**
   * The function.
   *
   * @throws `shape` if the argument has too few dimensions.
   */
  abstract forward(x: TensorLike): Tensor;

  /**
   * The inverse of the function.
   *
   * @throws `shape` if the result has too few dimensions.
   */
  abstract inverse(y: TensorLike): Tensor;

  /**
   * The logarithm of the absolute value of the determinant of the Jacobian at `x`, with `y` the
   * result of the function.
   *
   * @throws `argument` if the transform is not bijective, or has no formula for it.
   */
  logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor {
    throw notImplemented(this.name, 'log_abs_det_jacobian');
  }

  /**
   * The shape of results for arguments of a shape.
   *
   * @throws `shape` if there are no arguments of the shape.
   */
  forwardShape(shape: number | readonly number[]): readonly number[];
  forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('Transform.forwardShape shape:ints', args) as [readonly number[]];
    return shape;
  }

  /**
   * The shape of arguments for results of a shape.
   *
   * @throws `shape` if there are no results of the shape.
   */
  inverseShape(shape: number | readonly number[]): readonly number[];
  inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('Transform.inverseShape shape:ints', args) as [readonly number[]];
    return shape;
  }

  /** The inverse as a transform. */
  get inv(): Transform {
    return InverseTransform.of(this);
  }
}

/** Whether two transforms are of the same type with the same numbers and tensors. */
export function sameTransform(a: Transform, b: Transform): boolean {
  return scope(() => {
    const left = a.parameters();
    const right = b.parameters();
    if (a.name !== b.name || left.length !== right.length) return false;
    for (let i = 0; i < left.length; i++) {
      if (!paramIsSame(left[i]!, right[i]!)) return false;
    }
    return sameTransforms(a.parts(), b.parts());
  });
}

/** Whether the transforms of two lists are the same. */
export function sameTransforms(left: readonly Transform[], right: readonly Transform[]): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) {
    if (!sameTransform(left[i]!, right[i]!)) return false;
  }
  return true;
}

/**
 * The inverse of a transform, which `Transform.inv` returns.
 *
 * @example
 * const y = new ExpTransform().inv.forward(full([], 1, { dtype: 'float32' }));
 * await y.item(); // 0
 */
export class InverseTransform extends Transform {
  /** @internal */
  readonly base!: Transform;

  constructor(base: Transform);
  constructor(options: { base: Transform });
  constructor(...args: unknown[]) {
    super();
    const [base] = bind('InverseTransform base:Transform', args, { Transform }) as [Transform];
    Object.assign(this, InverseTransform.of(base));
  }

  /** @internal */
  static of(base: Transform): InverseTransform {
    return make(InverseTransform, { base });
  }

  override get name(): string {
    return 'InverseTransform';
  }

  override get domain(): Constraint {
    return this.base.codomain;
  }

  override get codomain(): Constraint {
    return this.base.domain;
  }

  override get isBijective(): boolean {
    return this.base.isBijective;
  }

  override parts(): readonly Transform[] {
    return [this.base];
  }

  override get sign(): Tensor | number {
    return this.base.sign;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('InverseTransform.forward x:tensor', args) as [Tensor];
    return this.base.inverse(x);
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('InverseTransform.inverse y:tensor', args) as [Tensor];
    return this.base.forward(y);
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('InverseTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => this.base.logAbsDetJacobian(y, x).neg());
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('InverseTransform.forwardShape shape:ints', args) as [readonly number[]];
    return this.base.inverseShape(shape);
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('InverseTransform.inverseShape shape:ints', args) as [readonly number[]];
    return this.base.forwardShape(shape);
  }

  override get inv(): Transform {
    return this.base;
  }
}
