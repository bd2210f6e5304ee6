/**
 * The part of the distributions that each language writes itself; the counterpart of
 * `crates/distributions/src/host`. The rest is printed from Rust.
 */
import { LanthornError } from '../core/errors.js';
import { inJavaScript } from '../core/runtime.js';
import type { DType } from '../core/types.js';
import type { Constraint } from '../generated/distributions/constraint.js';
import type { Distribution } from '../generated/distributions/distribution.js';
import { arange as range, broadcastTensors, full as fill, promoteTypes, rand, randn } from '../generated/operations.js';
import { tensor } from '../tensor/from-data.js';
import type { Tensor } from '../tensor/tensor.js';

/** A parameter of a distribution or a bound of a constraint: a tensor or a number. */
export type Param = Tensor | number;

/** Computes the divergence of two distributions. */
export type Divergence = (p: Distribution, q: Distribution) => Tensor;

/** An argument of a distribution, with its name and the constraint on it. */
export class Arg {
  private constructor(
    /** The name of the constructor's parameter. */
    readonly name: string,
    /** The tensor or number. */
    readonly value: Param,
    /** The constraint. */
    readonly constraint: Constraint,
  ) {}

  /** @internal */
  static of(name: string, value: Param, constraint: Constraint): Arg {
    return new Arg(name, value, constraint);
  }
}

let validates = true;

/**
 * Whether constructors check the numbers that they are given; they do by default. Tensors are
 * checked by `checkArgs`, which reads them.
 *
 * @example
 * setDefaultValidateArgs(false);
 */
export function setDefaultValidateArgs(isValidated: boolean): void {
  validates = isValidated;
}

/** Whether constructors check numbers. */
export function isValidated(): boolean {
  return validates;
}

const FLOATS: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16'];

function checkNumber(op: string, { name, constraint }: Arg, number: number): void {
  if (!validates || constraint.accepts(number)) return;
  throw new LanthornError('argument', op, `${inJavaScript(name)} must be ${constraint.describe()}, and is ${number}`);
}

/** The arguments as tensors of one type. Numbers alone become float32. */
export function tensorArgs(op: string, args: readonly Arg[]): Tensor[] {
  let dtype: DType | undefined;
  for (const arg of args) {
    if (typeof arg.value === 'number') {
      checkNumber(op, arg, arg.value);
    } else {
      const own = FLOATS.includes(arg.value.dtype) ? arg.value.dtype : 'float32';
      dtype = dtype === undefined ? own : promoteTypes(dtype, own);
    }
  }
  const wanted = dtype ?? 'float32';
  return args.map(({ value }) => (typeof value === 'number' ? fill([], value, { dtype: wanted }) : value.to(wanted)));
}

/** {@link tensorArgs}, expanded to the shape to which they broadcast. */
export function broadcastArgs(op: string, args: readonly Arg[]): Tensor[] {
  const tensors = tensorArgs(op, args);
  try {
    return broadcastTensors(tensors);
  } catch (error) {
    if (!(error instanceof LanthornError)) throw error;
    throw new LanthornError(error.kind, op, error.message.replace(`${error.op}: `, ''));
  }
}

/** The number, if it is one. */
export function numberOf(param: Param): number | undefined {
  return typeof param === 'number' ? param : undefined;
}

/** Whether both are the same number, or handles of the same tensor. */
export function paramIsSame(param: Param, other: Param): boolean {
  return param === other;
}

/** -1, 0 or 1, of each element of a tensor. */
export function paramSign(param: Param): Param {
  return typeof param === 'number' ? Math.sign(param) : param.sign();
}

/** The difference of two parameters. */
export function paramMinus(param: Param, other: Param): Param {
  if (typeof param !== 'number') return param.sub(other);
  return typeof other === 'number' ? param - other : other.rsub(param);
}

/** The product of two parameters. */
export function paramTimes(param: Param, other: Param): Param {
  if (typeof param !== 'number') return param.mul(other);
  return typeof other === 'number' ? param * other : other.mul(param);
}

/** The parameter as a tensor of the type of `reference`. */
export function paramLike(param: Param, reference: Tensor): Tensor {
  return typeof param === 'number' ? full([], param, reference) : param;
}

/** The parameter as a tensor, float32 for a number. */
export function paramLikeDefault(param: Param): Tensor {
  return typeof param === 'number' ? fill([], param, { dtype: 'float32' }) : param;
}

/** The sizes; a number has the sizes `[]`. */
export function paramShape(param: Param): readonly number[] {
  return typeof param === 'number' ? [] : param.shape;
}

/** The distance from 1 to the next larger number of the type. */
export function epsilon({ dtype }: Tensor): number {
  switch (dtype) {
    case 'float64': return 2 ** -52;
    case 'float16': return 2 ** -10;
    case 'bfloat16': return 2 ** -7;
    default: return 2 ** -23;
  }
}

/** The smallest positive normal number of the type. */
export function tiny({ dtype }: Tensor): number {
  switch (dtype) {
    case 'float64': return 2 ** -1022;
    case 'float16': return 2 ** -14;
    default: return 2 ** -126;
  }
}

/** A tensor of one number, of the type of another. */
export function full(shape: readonly number[], value: number, like: Tensor): Tensor {
  return fill(shape, value, { dtype: like.dtype });
}

/** {@link full} of 0. */
export function zeros(shape: readonly number[], like: Tensor): Tensor {
  return full(shape, 0, like);
}

/** {@link full} of 1. */
export function ones(shape: readonly number[], like: Tensor): Tensor {
  return full(shape, 1, like);
}

/** The numbers from 0 up to `end`, which is excluded. */
export function arange(end: number, like: Tensor): Tensor {
  return range(0, end, 1, { dtype: like.dtype });
}

/** Indices as a tensor of int32. */
export function indexTensor(indices: readonly number[], _like: Tensor): Tensor {
  return tensor(Int32Array.from(indices));
}

/** Normally distributed numbers. */
export function standardNormal(shape: readonly number[], like: Tensor): Tensor {
  return randn(shape, { dtype: like.dtype });
}

/** Uniform numbers from 2^-25 to 1 - 2^-24. */
export function standardUniform(shape: readonly number[], like: Tensor): Tensor {
  return rand(shape, { dtype: like.dtype }).clampMin(2 ** -25);
}

const divergences = new Map<string, Divergence>();

/**
 * Registers the divergence of two distributions by their names, for `klDivergence`. It takes
 * precedence over the package's table.
 *
 * @example
 * registerKl('Normal', 'Cauchy', (p, q) => p.mean.sub(q.mode).abs());
 */
export function registerKl(p: string, q: string, divergence: Divergence): void {
  divergences.set(`${p} ${q}`, divergence);
}

/** The registered divergence, if there is one. */
export function registeredKl(p: Distribution, q: Distribution): Tensor | undefined {
  return divergences.get(`${p.name} ${q.name}`)?.(p, q);
}
