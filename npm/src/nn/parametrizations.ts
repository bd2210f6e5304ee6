/** Parameters that are computed from others before every call. */
import { describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { adopt, Module, type ComputedTensor } from './module.js';
import { ConvTranspose1d, ConvTranspose2d, ConvTranspose3d } from '../generated/modules.js';
import { enter } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';

/** The module's own parameter of this name. */
function parameterOf(op: string, module: unknown, name: string): Tensor {
  if (!(module instanceof Module)) throw new LanthornError('argument', op, `takes a module, not ${describe(module)}`);
  const found = [...module.ownParameters()].find(([own]) => own === name);
  if (!found) throw new LanthornError('argument', op, `the module has no parameter ${JSON.stringify(name)} of its own`);
  return found[1];
}

/** Tensors of the core by name, as parameters or, after the first `parameters`, as buffers. */
function sourcesOf(handles: Uint32Array, names: readonly string[], parameters: number): Map<string, Tensor> {
  return new Map(Array.from(handles, (handle, index) => {
    const tensor = Tensor.fromCore(handle);
    adopt(tensor, index < parameters);
    return [names[index]!, tensor];
  }));
}

/** A parameter of length and direction. */
class WeightNorm implements ComputedTensor {
  readonly label = 'weightNorm';

  constructor(readonly sources: Map<string, Tensor>, private readonly dim: number) {}

  compute(): Tensor {
    const [length, direction] = Array.from(this.sources.values(), (tensor) => tensor.coreHandle) as [number, number];
    return Tensor.fromCore(enter((wasm) => wasm.weightNormValue(length, direction, this.dim)));
  }

  over(sources: Map<string, Tensor>): WeightNorm {
    return new WeightNorm(sources, this.dim);
  }
}

/** A parameter divided by its largest singular value. */
class SpectralNorm implements ComputedTensor {
  readonly label = 'spectralNorm';

  constructor(
    readonly sources: Map<string, Tensor>,
    private readonly options: readonly [iterations: number, eps: number, dim: number],
  ) {}

  compute(module: Module): Tensor {
    const handles = Uint32Array.from(this.sources.values(), (tensor) => tensor.coreHandle);
    return Tensor.fromCore(enter((wasm) => wasm.spectralNormValue(handles, ...this.options, module.training)));
  }

  over(sources: Map<string, Tensor>): SpectralNorm {
    return new SpectralNorm(sources, this.options);
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
  const weight = parameterOf('weightNorm', module, name);
  const along = dim ?? Infinity;
  const handles = enter((wasm) => wasm.weightNormNew(weight.coreHandle, along));
  module.computeTensor(name, new WeightNorm(sourcesOf(handles, ['original0', 'original1'], 2), along));
  return module;
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
  const refuse = (option: string, wanted: string, value: unknown): never => {
    throw wrongArgument('spectralNorm', option, wanted, describe(value));
  };
  if (!Number.isInteger(nPowerIterations) || nPowerIterations < 1) refuse('nPowerIterations', 'a whole number above 0', nPowerIterations);
  if (typeof eps !== 'number') refuse('eps', 'a number', eps);
  if (dim !== null && !Number.isInteger(dim)) refuse('dim', 'a whole number or null', dim);
  const transposed = [ConvTranspose1d, ConvTranspose2d, ConvTranspose3d].some((type) => module instanceof type);
  const along = dim ?? (transposed ? 1 : 0);
  const handles = enter((wasm) => wasm.spectralNormNew(weight.coreHandle, nPowerIterations, eps, along));
  const sources = sourcesOf(handles, ['original', '0._u', '0._v'], 1);
  module.computeTensor(name, new SpectralNorm(sources, [nPowerIterations, eps, along]));
  return module;
}
