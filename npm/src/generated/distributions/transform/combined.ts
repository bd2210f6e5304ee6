// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Transforms that consist of other transforms, or of a distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint, independent } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { paramTimes, zeros } from '../../../distributions/host.js';
import { concat, elements, sameShape, sumRightmost } from '../shapes.js';
import { Transform } from '../transform.js';
import { AffineTransform } from '../transform/pointwise.js';

/** The identity: a `ComposeTransform` of no parts. */
export function identityTransform(): ComposeTransform {
  return make(ComposeTransform, { _parts: [] });
}

/**
 * Transforms one after another.
 *
 * @example
 * const affine = new AffineTransform(1, 2, 0);
 * const both = new ComposeTransform([new ExpTransform(), affine]);
 * const y = both.forward(zeros([]));
 * await y.item(); // 3
 */
export class ComposeTransform extends Transform {
  /** @internal */
  readonly _parts!: readonly Transform[];

  constructor(parts: readonly Transform[]);
  constructor(options: { parts: readonly Transform[] });
  constructor(...args: unknown[]) {
    super();
    const [parts] = bind('ComposeTransform parts:list', args) as [readonly Transform[]];
    Object.assign(this, ComposeTransform.of(parts));
  }

  /** @internal */
  static of(parts: readonly Transform[]): ComposeTransform {
    return make(ComposeTransform, { _parts: parts });
  }

  override get name(): string {
    return 'ComposeTransform';
  }

  override get domain(): Constraint {
    return scope(() => {
      if (this._parts.length === 0) return Constraint.real;
      const count = this._parts.length;
      const first = this._parts[0]!.domain;
      let eventDim = this._parts[count - 1]!.codomain.eventDim;
      for (let i = 0; i < count; i++) {
        const part = this._parts[count - 1 - i]!;
        const own = part.domain.eventDim;
        eventDim = Math.max(eventDim + own - part.codomain.eventDim, own);
      }
      const extra = eventDim - first.eventDim;
      return independent(first, extra);
    });
  }

  override get codomain(): Constraint {
    return scope(() => {
      if (this._parts.length === 0) return Constraint.real;
      const count = this._parts.length;
      const last = this._parts[count - 1]!.codomain;
      let eventDim = this._parts[0]!.domain.eventDim;
      for (const part of this._parts) {
        const own = part.codomain.eventDim;
        eventDim = Math.max(eventDim + own - part.domain.eventDim, own);
      }
      const extra = eventDim - last.eventDim;
      return independent(last, extra);
    });
  }

  override get isBijective(): boolean {
    for (const part of this._parts) {
      if (!part.isBijective) return false;
    }
    return true;
  }

  override parts(): readonly Transform[] {
    return this._parts;
  }

  override get sign(): Tensor | number {
    return scope(() => {
      let sign: Tensor | number = 1;
      for (const part of this._parts) {
        sign = paramTimes(sign, part.sign);
      }
      return sign;
    });
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('ComposeTransform.forward x:tensor', args) as [Tensor];
    return scope(() => {
      let value = x;
      for (const part of this._parts) {
        value = part.forward(value);
      }
      return value;
    });
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('ComposeTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => {
      const count = this._parts.length;
      let value = y;
      for (let i = 0; i < count; i++) {
        value = this._parts[count - 1 - i]!.inverse(value);
      }
      return value;
    });
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('ComposeTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const count = this._parts.length;
      if (count === 0) return x.zerosLike();
      let eventDim = this.domain.eventDim;
      let total = zeros([], x);
      let start = x;
      for (let i = 0; i < count; i++) {
        const part = this._parts[i]!;
        const end = i === count - 1 ? y : part.forward(start);
        const domainDim = part.domain.eventDim;
        const term = part.logAbsDetJacobian(start, end);
        total = total.add(sumRightmost(term, eventDim - domainDim));
        eventDim = eventDim + part.codomain.eventDim - domainDim;
        start = end;
      }
      return total;
    });
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('ComposeTransform.forwardShape shape:ints', args) as [readonly number[]];
    let result: readonly number[] = [...shape];
    for (const part of this._parts) {
      result = part.forwardShape(result);
    }
    return result;
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('ComposeTransform.inverseShape shape:ints', args) as [readonly number[]];
    const count = this._parts.length;
    let result: readonly number[] = [...shape];
    for (let i = 0; i < count; i++) {
      result = this._parts[count - 1 - i]!.inverseShape(result);
    }
    return result;
  }
}

/**
 * A transform whose last batch dimensions belong to one value: their Jacobians are summed.
 *
 * @example
 * const x = ones([2, 3]);
 * const transform = new IndependentTransform(new ExpTransform(), 1);
 * transform.logAbsDetJacobian(x, x).shape; // [2]
 */
export class IndependentTransform extends Transform {
  /** @internal */
  readonly base!: Transform;
  /** @internal */
  readonly reinterpretedBatchNdims!: number;

  constructor(base: Transform, reinterpretedBatchNdims: number);
  constructor(options: { base: Transform; reinterpretedBatchNdims: number });
  constructor(...args: unknown[]) {
    super();
    const [base, reinterpretedBatchNdims] = bind('IndependentTransform base:Transform reinterpretedBatchNdims:int', args, { Transform }) as [Transform, number];
    Object.assign(this, IndependentTransform.of(base, reinterpretedBatchNdims));
  }

  /** @internal */
  static of(base: Transform, reinterpretedBatchNdims: number): IndependentTransform {
    return make(IndependentTransform, { base, reinterpretedBatchNdims });
  }

  override get name(): string {
    return 'IndependentTransform';
  }

  override get domain(): Constraint {
    return scope(() => independent(this.base.domain, this.reinterpretedBatchNdims));
  }

  override get codomain(): Constraint {
    return scope(() => independent(this.base.codomain, this.reinterpretedBatchNdims));
  }

  override get isBijective(): boolean {
    return this.base.isBijective;
  }

  override parameters(): readonly (Tensor | number)[] {
    const count = this.reinterpretedBatchNdims;
    return [count];
  }

  override parts(): readonly Transform[] {
    return [this.base];
  }

  override get sign(): Tensor | number {
    return this.base.sign;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('IndependentTransform.forward x:tensor', args) as [Tensor];
    return this.base.forward(x);
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('IndependentTransform.inverse y:tensor', args) as [Tensor];
    return this.base.inverse(y);
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('IndependentTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => sumRightmost(
      this.base.logAbsDetJacobian(x, y),
      this.reinterpretedBatchNdims,
    ));
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('IndependentTransform.forwardShape shape:ints', args) as [readonly number[]];
    return this.base.forwardShape(shape);
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('IndependentTransform.inverseShape shape:ints', args) as [readonly number[]];
    return this.base.inverseShape(shape);
  }
}

/**
 * The last dimensions in another shape.
 *
 * @example
 * const y = new ReshapeTransform([6], [2, 3]).forward(ones([4, 6]));
 * y.shape; // [4, 2, 3]
 */
export class ReshapeTransform extends Transform {
  /** @internal */
  readonly inShape!: readonly number[];
  /** @internal */
  readonly outShape!: readonly number[];

  constructor(inShape: number | readonly number[], outShape: number | readonly number[]);
  constructor(options: { inShape: number | readonly number[]; outShape: number | readonly number[] });
  constructor(...args: unknown[]) {
    super();
    const [inShape, outShape] = bind('ReshapeTransform inShape:ints outShape:ints', args) as [readonly number[], readonly number[]];
    Object.assign(this, ReshapeTransform.of(inShape, outShape));
  }

  /** @internal */
  static of(inShape: readonly number[], outShape: readonly number[]): ReshapeTransform {
    if (elements(inShape) !== elements(outShape)) {
      const message = `in_shape [${inShape.join(', ')}] and out_shape [${outShape.join(', ')}] have other numbers of elements`;
      throw failure('shape', 'ReshapeTransform', message);
    }
    return make(ReshapeTransform, { inShape, outShape });
  }

  override get name(): string {
    return 'ReshapeTransform';
  }

  override get domain(): Constraint {
    return independent(Constraint.real, this.inShape.length);
  }

  override get codomain(): Constraint {
    return independent(Constraint.real, this.outShape.length);
  }

  override parameters(): readonly (Tensor | number)[] {
    const sizes: number[] = [];
    for (const size of concat(this.inShape, this.outShape)) {
      const size2 = size;
      sizes.push(size2);
    }
    return sizes;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('ReshapeTransform.forward x:tensor', args) as [Tensor];
    return x.reshape(withEnd(x.shape, this.inShape, this.outShape));
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('ReshapeTransform.inverse y:tensor', args) as [Tensor];
    return y.reshape(withEnd(y.shape, this.outShape, this.inShape));
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, _y] = bind('ReshapeTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return zeros(withEnd(x.shape, this.inShape, []), x);
  }

  override forwardShape(shape: number | readonly number[]): readonly number[];
  override forwardShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('ReshapeTransform.forwardShape shape:ints', args) as [readonly number[]];
    return withEnd(shape, this.inShape, this.outShape);
  }

  override inverseShape(shape: number | readonly number[]): readonly number[];
  override inverseShape(...args: unknown[]): readonly number[] {
    const [shape] = bind('ReshapeTransform.inverseShape shape:ints', args) as [readonly number[]];
    return withEnd(shape, this.outShape, this.inShape);
  }
}

/** A shape whose end `from` is replaced by `to`. */
function withEnd(shape: readonly number[], from: readonly number[], to: readonly number[]): readonly number[] {
  const kept = Math.max(shape.length, from.length) - from.length;
  if (shape.length < from.length || !sameShape(shape.slice(kept), from)) {
    throw failure(
      'shape',
      'ReshapeTransform',
      `takes shapes that end in [${from.join(', ')}], not [${shape.join(', ')}]`,
    );
  }
  return concat(shape.slice(0, kept), to);
}

/**
 * Transforms of the parts of a dimension, which have given lengths.
 *
 * @example
 * const parts = [new ExpTransform(), identityTransform()];
 * const both = new CatTransform(parts, -1, [1, 2]);
 * const y = both.forward(zeros([3]));
 * await y.tolist(); // [1, 0, 0]
 */
export class CatTransform extends Transform {
  /** @internal */
  readonly _parts!: readonly Transform[];
  /** @internal */
  readonly dim!: number;
  /** @internal */
  readonly lengths!: readonly number[];

  constructor(parts: readonly Transform[], dim: undefined | number, lengths: number | readonly number[]);
  constructor(parts: readonly Transform[], lengths: number | readonly number[], options?: { dim?: number });
  constructor(options: { parts: readonly Transform[]; dim?: number; lengths: number | readonly number[] });
  constructor(...args: unknown[]) {
    super();
    const [parts, dim = 0, lengths] = bind('CatTransform parts:list dim:int? lengths:ints', args) as [readonly Transform[], number | undefined, readonly number[]];
    Object.assign(this, CatTransform.of(parts, dim, lengths));
  }

  /** @internal */
  static of(parts: readonly Transform[], dim: number, lengths: readonly number[]): CatTransform {
    if (parts.length !== lengths.length) {
      const message = `${parts.length} transforms and ${lengths.length} lengths`;
      throw failure('argument', 'CatTransform', message);
    }
    return make(CatTransform, { _parts: parts, dim, lengths });
  }

  /** @internal */
  split(value: Tensor): readonly Tensor[] {
    return scope(() => {
      const parts: Tensor[] = [];
      let start = 0;
      for (let i = 0; i < this.lengths.length; i++) {
        parts.push(value.narrow(this.dim, start, this.lengths[i]!));
        start += this.lengths[i]!;
      }
      return parts;
    });
  }

  override get name(): string {
    return 'CatTransform';
  }

  override get domain(): Constraint {
    return scope(() => Constraint.cat(domains(this._parts), this.dim, this.lengths));
  }

  override get codomain(): Constraint {
    return scope(() => Constraint.cat(codomains(this._parts), this.dim, this.lengths));
  }

  override get isBijective(): boolean {
    return allBijective(this._parts);
  }

  override parameters(): readonly (Tensor | number)[] {
    const sizes: number[] = [];
    for (const size of this.lengths) {
      const size2 = size;
      sizes.push(size2);
    }
    return sizes;
  }

  override parts(): readonly Transform[] {
    return this._parts;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('CatTransform.forward x:tensor', args) as [Tensor];
    return scope(() => {
      const values = this.split(x);
      const results: Tensor[] = [];
      for (let i = 0; i < values.length; i++) {
        results.push(this._parts[i]!.forward(values[i]!));
      }
      return torch.cat(results, this.dim);
    });
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('CatTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => {
      const values = this.split(y);
      const results: Tensor[] = [];
      for (let i = 0; i < values.length; i++) {
        results.push(this._parts[i]!.inverse(values[i]!));
      }
      return torch.cat(results, this.dim);
    });
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('CatTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const starts = this.split(x);
      const ends = this.split(y);
      const eventDim = this.domain.eventDim;
      const results: Tensor[] = [];
      for (let i = 0; i < starts.length; i++) {
        const term = this._parts[i]!.logAbsDetJacobian(starts[i]!, ends[i]!);
        results.push(sumRightmost(term, eventDim - this._parts[i]!.domain.eventDim));
      }
      const rank = x.ndim;
      const fromEnd = this.dim < 0 ? this.dim : this.dim - rank;
      if (fromEnd + eventDim >= 0) {
        let total = results[0]!;
        for (const result of results.slice(1)) {
          total = total.add(result);
        }
        return total;
      }
      return torch.cat(results, fromEnd + eventDim);
    });
  }
}

/**
 * Transforms of the indices of a dimension.
 *
 * @example
 * const both = new StackTransform([new ExpTransform(), identityTransform()], 0);
 * const y = both.forward(zeros([2]));
 * await y.tolist(); // [1, 0]
 */
export class StackTransform extends Transform {
  /** @internal */
  readonly _parts!: readonly Transform[];
  /** @internal */
  readonly dim!: number;

  constructor(parts: readonly Transform[], dim?: number);
  constructor(parts: readonly Transform[], options?: { dim?: number });
  constructor(options: { parts: readonly Transform[]; dim?: number });
  constructor(...args: unknown[]) {
    super();
    const [parts, dim = 0] = bind('StackTransform parts:list dim:int?', args) as [readonly Transform[], number | undefined];
    Object.assign(this, StackTransform.of(parts, dim));
  }

  /** @internal */
  static of(parts: readonly Transform[], dim: number): StackTransform {
    if (parts.length === 0) {
      throw failure('argument', 'StackTransform', 'takes at least one transform');
    }
    return make(StackTransform, { _parts: parts, dim });
  }

  override get name(): string {
    return 'StackTransform';
  }

  override get domain(): Constraint {
    return scope(() => Constraint.stack(domains(this._parts), this.dim));
  }

  override get codomain(): Constraint {
    return scope(() => Constraint.stack(codomains(this._parts), this.dim));
  }

  override get isBijective(): boolean {
    return allBijective(this._parts);
  }

  override parts(): readonly Transform[] {
    return this._parts;
  }

  override forward(x: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [x] = bind('StackTransform.forward x:tensor', args) as [Tensor];
    return scope(() => {
      const results: Tensor[] = [];
      for (let i = 0; i < this._parts.length; i++) {
        results.push(this._parts[i]!.forward(x.select(this.dim, i)));
      }
      return torch.stack(results, this.dim);
    });
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('StackTransform.inverse y:tensor', args) as [Tensor];
    return scope(() => {
      const results: Tensor[] = [];
      for (let i = 0; i < this._parts.length; i++) {
        results.push(this._parts[i]!.inverse(y.select(this.dim, i)));
      }
      return torch.stack(results, this.dim);
    });
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, y] = bind('StackTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const results: Tensor[] = [];
      for (let i = 0; i < this._parts.length; i++) {
        const start = x.select(this.dim, i);
        const end = y.select(this.dim, i);
        results.push(this._parts[i]!.logAbsDetJacobian(start, end));
      }
      return torch.stack(results, this.dim);
    });
  }
}

function domains(parts: readonly Transform[]): readonly Constraint[] {
  return scope(() => {
    const constraints: Constraint[] = [];
    for (const part of parts) {
      constraints.push(part.domain);
    }
    return constraints;
  });
}

function codomains(parts: readonly Transform[]): readonly Constraint[] {
  return scope(() => {
    const constraints: Constraint[] = [];
    for (const part of parts) {
      constraints.push(part.codomain);
    }
    return constraints;
  });
}

function allBijective(parts: readonly Transform[]): boolean {
  for (const part of parts) {
    if (!part.isBijective) return false;
  }
  return true;
}

/**
 * The cumulative distribution function of a distribution of numbers.
 *
 * @example
 * const transform = new CumulativeDistributionTransform(new Uniform(0, 4));
 * await transform.forward(ones([])).item(); // 0.25
 */
export class CumulativeDistributionTransform extends Transform {
  /** @internal */
  readonly distribution!: Distribution;

  constructor(distribution: Distribution);
  constructor(options: { distribution: Distribution });
  constructor(...args: unknown[]) {
    super();
    const [distribution] = bind('CumulativeDistributionTransform distribution:Distribution', args, { Distribution }) as [Distribution];
    Object.assign(this, CumulativeDistributionTransform.of(distribution));
  }

  /** @internal */
  static of(distribution: Distribution): CumulativeDistributionTransform {
    return make(CumulativeDistributionTransform, { distribution });
  }

  override get name(): string {
    return 'CumulativeDistributionTransform';
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
    const [x] = bind('CumulativeDistributionTransform.forward x:tensor', args) as [Tensor];
    return this.distribution.cdf(x);
  }

  override inverse(y: TensorLike): Tensor;
  override inverse(...args: unknown[]): Tensor {
    const [y] = bind('CumulativeDistributionTransform.inverse y:tensor', args) as [Tensor];
    return this.distribution.icdf(y);
  }

  override logAbsDetJacobian(x: TensorLike, y: TensorLike): Tensor;
  override logAbsDetJacobian(...args: unknown[]): Tensor {
    const [x, _y] = bind('CumulativeDistributionTransform.logAbsDetJacobian x:tensor y:tensor', args) as [Tensor, Tensor];
    return this.distribution.logProb(x);
  }
}

/** The function `loc + scale x` after another transform. */
export function affineAfter(first: Transform, loc: Tensor | number, scale: Tensor | number): Transform {
  return scope(() => ComposeTransform.of([first, AffineTransform.of(loc, scale, 0)]));
}
