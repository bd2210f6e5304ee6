// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Transforms of single numbers.
 *
 * The derivatives are elementary; see PyTorch's documentation of `torch.distributions.transforms`.
 */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint, independent } from '../constraint.js';
import {
  epsilon, paramIsSame, paramLike, paramShape, paramSign, tiny,
} from '../../../distributions/host.js';
import { logOnePlusExp } from '../logits.js';
import { broadcastShapes, sumRightmost } from '../shapes.js';
import { Transform } from '../transform.js';

/**
 * The exponential function.
 *
 * @example
 * const y = new ExpTransform().forward(full([], 0, { dtype: 'float32' }));
 * await new ExpTransform().inverse(y).item(); // 0
 */
export class ExpTransform extends Transform {
  override get name(): string {
    return 'ExpTransform';
  }

  override get domain(): Constraint {
    return Constraint.real;
  }

  override get codomain(): Constraint {
    return Constraint.positive;
  }

  override get sign(): Tensor | number {
    return 1;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('ExpTransform.forward x:tensor', args) as [Tensor];
    return x.exp();
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('ExpTransform.inverse y:tensor', args) as [Tensor];
    return y.log();
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, _y] = bind('ExpTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return x;
  }
}

/**
 * The logistic function, `1 / (1 + exp(-x))`, limited to the numbers whose logits are finite.
 *
 * @example
 * const y = new SigmoidTransform().forward(full([], 0, { dtype: 'float32' }));
 * await new SigmoidTransform().inverse(y).item(); // 0
 */
export class SigmoidTransform extends Transform {
  override get name(): string {
    return 'SigmoidTransform';
  }

  override get domain(): Constraint {
    return Constraint.real;
  }

  override get codomain(): Constraint {
    return Constraint.unitInterval;
  }

  override get sign(): Tensor | number {
    return 1;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('SigmoidTransform.forward x:tensor', args) as [Tensor];
    return scope(() => x.sigmoid().clampMin(tiny(x)).clampMax(1 - epsilon(x)));
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('SigmoidTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => {
      const inside = y.clampMin(tiny(y)).clampMax(1 - epsilon(y));
      return inside.log().sub(inside.neg().log1p());
    });
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, _y] = bind('SigmoidTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => logOnePlusExp(x).neg().sub(logOnePlusExp(x.neg())));
  }
}

/**
 * The hyperbolic tangent.
 *
 * @example
 * const y = new TanhTransform().forward(full([], 0, { dtype: 'float32' }));
 * await new TanhTransform().inverse(y).item(); // 0
 */
export class TanhTransform extends Transform {
  override get name(): string {
    return 'TanhTransform';
  }

  override get domain(): Constraint {
    return Constraint.real;
  }

  override get codomain(): Constraint {
    return Constraint.interval(-1, 1);
  }

  override get sign(): Tensor | number {
    return 1;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('TanhTransform.forward x:tensor', args) as [Tensor];
    return x.tanh();
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('TanhTransform.inverse y:tensor', args) as [Tensor];
    return y.atanh();
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, _y] = bind('TanhTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => x.rsub(Math.LN2).sub(logOnePlusExp(x.mul(-2))).mul(2));
  }
}

/**
 * The function `log(1 + exp(x))`.
 *
 * @example
 * const y = new SoftplusTransform().forward(full([], 30, { dtype: 'float32' }));
 * await new SoftplusTransform().inverse(y).item(); // 30
 */
export class SoftplusTransform extends Transform {
  override get name(): string {
    return 'SoftplusTransform';
  }

  override get domain(): Constraint {
    return Constraint.real;
  }

  override get codomain(): Constraint {
    return Constraint.positive;
  }

  override get sign(): Tensor | number {
    return 1;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('SoftplusTransform.forward x:tensor', args) as [Tensor];
    return logOnePlusExp(x);
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('SoftplusTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => y.neg().expm1().neg().log().add(y));
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, _y] = bind('SoftplusTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => logOnePlusExp(x.neg()).neg());
  }
}

/**
 * The absolute value. It is not bijective; the inverse is the identity.
 *
 * @example
 * const y = new AbsTransform().forward(full([], 2, { dtype: 'float32' }));
 * await new AbsTransform().inverse(y).item(); // 2
 */
export class AbsTransform extends Transform {
  override get name(): string {
    return 'AbsTransform';
  }

  override get domain(): Constraint {
    return Constraint.real;
  }

  override get codomain(): Constraint {
    return Constraint.nonnegative;
  }

  override get isBijective(): boolean {
    return false;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('AbsTransform.forward x:tensor', args) as [Tensor];
    return x.abs();
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('AbsTransform.inverse y:tensor', args) as [Tensor];
    return y;
  }
}

/**
 * The power with an exponent.
 *
 * @example
 * const y = new PowerTransform(2).forward(full([], 3, { dtype: 'float32' }));
 * await y.item(); // 9
 */
export class PowerTransform extends Transform {
  /** @internal */
  readonly exponent!: Tensor | number;

  constructor(exponent: TensorLike | number);
  constructor(options: { exponent: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [exponent] = bind('PowerTransform exponent:param', args) as [Tensor | number];
    Object.assign(this, PowerTransform.of(exponent));
  }

  /** @internal */
  static of(exponent: Tensor | number): PowerTransform {
    const exponent2 = exponent;
    if (paramIsSame(exponent2, 0)) {
      throw failure('argument', 'PowerTransform', 'exponent must not be 0');
    }
    return make(PowerTransform, { exponent: exponent2 });
  }

  override get name(): string {
    return 'PowerTransform';
  }

  override get domain(): Constraint {
    return Constraint.positive;
  }

  override get codomain(): Constraint {
    return Constraint.positive;
  }

  override parameters(): readonly (Tensor | number)[] {
    return [this.exponent];
  }

  override get sign(): Tensor | number {
    return paramSign(this.exponent);
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('PowerTransform.forward x:tensor', args) as [Tensor];
    return x.pow(this.exponent);
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('PowerTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => {
      const exponent = paramLike(this.exponent, y);
      return y.pow(exponent.reciprocal());
    });
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('PowerTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => y.mul(this.exponent).div(x).abs().log());
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('PowerTransform.forwardShape shape:ints', args) as [readonly number[]];
    return broadcastShapes('PowerTransform', shape, paramShape(this.exponent));
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('PowerTransform.inverseShape shape:ints', args) as [readonly number[]];
    return broadcastShapes('PowerTransform', shape, paramShape(this.exponent));
  }
}

/**
 * The function `loc + scale x`.
 *
 * @example
 * const y = new AffineTransform(1, 2, 0).forward(full([], 3, { dtype: 'float32' }));
 * await y.item(); // 7
 */
export class AffineTransform extends Transform {
  /** @internal */
  readonly loc!: Tensor | number;
  /** @internal */
  readonly scale!: Tensor | number;
  /** @internal */
  readonly eventDim!: number;

  constructor(loc: TensorLike | number, scale: TensorLike | number, eventDim?: number);
  constructor(loc: TensorLike | number, scale: TensorLike | number, options?: { eventDim?: number });
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number; eventDim?: number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale, eventDim = 0] = bind('AffineTransform loc:param scale:param eventDim:int?', args) as [Tensor | number, Tensor | number, number | undefined];
    Object.assign(this, AffineTransform.of(loc, scale, eventDim));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number, eventDim: number): AffineTransform {
    return make(AffineTransform, { loc, scale, eventDim });
  }

  override get name(): string {
    return 'AffineTransform';
  }

  override get domain(): Constraint {
    return independent(Constraint.real, this.eventDim);
  }

  override get codomain(): Constraint {
    return independent(Constraint.real, this.eventDim);
  }

  override parameters(): readonly (Tensor | number)[] {
    return [this.loc, this.scale];
  }

  override get sign(): Tensor | number {
    return paramSign(this.scale);
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('AffineTransform.forward x:tensor', args) as [Tensor];
    return scope(() => x.mul(this.scale).add(this.loc));
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('AffineTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => y.sub(this.loc).div(this.scale));
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, _y] = bind('AffineTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const logScale = paramLike(this.scale, x).abs().log();
      const shape = broadcastShapes('AffineTransform', x.shape, logScale.shape);
      return sumRightmost(logScale.expand(shape), this.eventDim);
    });
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('AffineTransform.forwardShape shape:ints', args) as [readonly number[]];
    const parameters = broadcastShapes(
      'AffineTransform',
      paramShape(this.loc),
      paramShape(this.scale),
    );
    return broadcastShapes('AffineTransform', shape, parameters);
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('AffineTransform.inverseShape shape:ints', args) as [readonly number[]];
    return this.forwardShape(shape);
  }
}
