/** Parametrizations of weights: weight and spectral normalization, and orthogonal matrices. */
import { checkFlag, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';
import { buffer, Module } from './module.js';
import { parameterOf, spectralDim } from './own-parameter.js';
import { registerParametrization } from './parametrize.js';

/** Tensors of the core. */
const tensorsOf = (handles: Uint32Array): Tensor[] => Array.from(handles, (handle) => Tensor.fromCore(handle));

/** A parameter of length and direction. */
class WeightNorm extends Module {
  static override readonly name: string = 'WeightNorm';

  constructor(readonly dim: number) {
    super();
  }

  forward(length: Tensor, direction: Tensor): Tensor {
    return Tensor.fromCore(enter((wasm) => wasm.weightNormValue(length.coreHandle, direction.coreHandle, this.dim)));
  }

  rightInverse(weight: Tensor): Tensor[] {
    return tensorsOf(enter((wasm) => wasm.weightNormNew(weight.coreHandle, this.dim)));
  }
}

/** A parameter divided by its largest singular value. */
class SpectralNorm extends Module {
  static override readonly name: string = 'SpectralNorm';
  readonly options: readonly [iterations: number, eps: number, dim: number];

  constructor(weight: Tensor, ...options: [iterations: number, eps: number, dim: number]) {
    super();
    this.options = options;
    const [copy, left, right] = tensorsOf(enter((wasm) => wasm.spectralNormNew(weight.coreHandle, ...options)));
    copy!.dispose();
    if (!left || !right) return;
    this.registerBuffer('_u', left);
    this.registerBuffer('_v', right);
  }

  forward(weight: Tensor): Tensor {
    const { _u: left, _v: right } = this as { _u?: Tensor; _v?: Tensor };
    const handles = Uint32Array.from(left && right ? [weight, left, right] : [weight], (tensor) => tensor.coreHandle);
    return Tensor.fromCore(enter((wasm) => wasm.spectralNormValue(handles, ...this.options, this.training)));
  }
}

const ORTHOGONAL_MAPS = ['matrix_exp', 'cayley', 'householder'] as const;

/** A function from any matrix to an orthogonal one. */
export type OrthogonalMap = (typeof ORTHOGONAL_MAPS)[number];

/** An orthogonal matrix. */
class Orthogonal extends Module {
  static override readonly name: string = 'Orthogonal';
  base: Tensor | undefined = undefined;

  constructor(readonly orthogonalMap: OrthogonalMap, readonly useTrivialization: boolean) {
    super();
  }

  forward(weight: Tensor): Tensor {
    return Tensor.fromCore(enter((wasm) => wasm.orthogonalValue(weight.coreHandle, this.base?.coreHandle, this.orthogonalMap)));
  }

  rightInverse(weight: Tensor): Tensor {
    const [original, base] = tensorsOf(enter((wasm) => wasm.orthogonalNew(weight.coreHandle, this.orthogonalMap, this.useTrivialization)));
    if (base) this.base = buffer(base);
    return original!;
  }
}

/**
 * Splits a parameter of a layer into direction and magnitude, `g * v / norm(v)`, in place: the norm
 * is over all dimensions except `dim`, or over all if it is null. The parameter `weight` is
 * replaced by `parametrizations.weight.original0` (g) and `.original1` (v); create an optimizer
 * after this.
 *
 * @example
 * const layer = nn.utils.parametrizations.weightNorm(new nn.Linear(8, 4));
 */
export function weightNorm<M extends Module>(module: M, name = 'weight', dim: number | null = 0): M {
  parameterOf('weightNorm', module, name);
  return registerParametrization(module, name, new WeightNorm(dim ?? Infinity), { unsafe: true });
}

/**
 * Divides a parameter of a layer by its largest singular value, in place, as a matrix of dimension
 * `dim` against all others: 0 if it is null, and 1 for transposed convolutions. Power iteration
 * estimates it, with `nPowerIterations` per call in training. The parameter `weight` is replaced by
 * `parametrizations.weight.original`; create an optimizer after this.
 *
 * @example
 * const layer = nn.utils.parametrizations.spectralNorm(new nn.Linear(8, 4));
 */
export function spectralNorm<M extends Module>(module: M, name = 'weight', nPowerIterations = 1, eps = 1e-12, dim: number | null = null): M {
  const weight = parameterOf('spectralNorm', module, name);
  const along = spectralDim('spectralNorm', module, nPowerIterations, eps, dim);
  return registerParametrization(module, name, new SpectralNorm(weight, nPowerIterations, eps, along));
}

/** Options of {@link orthogonal}. */
export interface OrthogonalOptions {
  /**
   * The map; default `'matrix_exp'` for a square matrix and `'householder'` for others.
   */
  orthogonalMap?: OrthogonalMap | null;
  /** Whether the map is multiplied by a fixed matrix, near which it begins; default true */
  useTrivialization?: boolean;
}

/**
 * Makes a parameter an orthogonal matrix, with orthonormal rows or columns if it is not square, in
 * place, as `torch.nn.utils.parametrizations.orthogonal`. The parameter is replaced by
 * `parametrizations.weight.original`, with the buffer `.0.base` unless `useTrivialization` is
 * false.
 *
 * @example
 * const layer = nn.utils.parametrizations.orthogonal(new nn.Linear(20, 40));
 * const { weight } = layer; // weight.t().matmul(weight) is the identity
 */
export function orthogonal<M extends Module>(
  module: M, name = 'weight', orthogonalMap: OrthogonalMap | OrthogonalOptions | null = null, options: OrthogonalOptions = {},
): M {
  const op = 'orthogonal';
  const weight = parameterOf(op, module, name);
  const isOptions = typeof orthogonalMap === 'object' && orthogonalMap !== null;
  const given = checkOptions(op, isOptions ? orthogonalMap : { ...options, orthogonalMap }, ['orthogonalMap', 'useTrivialization']);
  const [rows, columns] = weight.shape.slice(-2);
  if (columns === undefined) throw new LanthornError('shape', op, `takes a matrix or a batch of matrices, not shape [${weight.shape.join(', ')}]`);
  const map = given.orthogonalMap ?? (rows === columns ? 'matrix_exp' : 'householder');
  if (!ORTHOGONAL_MAPS.includes(map)) throw wrongArgument(op, 'orthogonalMap', `one of ${ORTHOGONAL_MAPS.join(', ')}`, describe(map));
  const useTrivialization = checkFlag(op, 'useTrivialization', given.useTrivialization ?? true);
  return registerParametrization(module, name, new Orthogonal(map, useTrivialization), { unsafe: true });
}
