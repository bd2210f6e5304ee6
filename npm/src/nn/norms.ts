/**
 * Weight and spectral normalization with the names of PyTorch's older functions, which checkpoints
 * of many published models have: `weight_g` and `weight_v`, `weight_orig` and `weight_u`.
 */
import { noGrad } from '../autograd/mode.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';
import { parameter, type ComputedTensor, type Module } from './module.js';
import { parameterOf, spectralDim } from './own-parameter.js';

/** The tensors of a module whose names begin with the parameter's. */
const parts = (module: Module, name: string, suffixes: readonly string[]): Uint32Array => {
  const tensors = suffixes.map((suffix) => (module as unknown as Record<string, Tensor | undefined>)[`${name}_${suffix}`]);
  return Uint32Array.from(tensors.filter((tensor) => tensor !== undefined), (tensor) => tensor.coreHandle);
};

/** A parameter that is computed from other tensors of its module. */
abstract class OwnParts implements ComputedTensor {
  readonly sources = new Map<string, Tensor>();
  abstract readonly label: string;
  abstract readonly suffixes: readonly string[];

  constructor(protected readonly name: string) {}

  abstract compute(module: Module): Tensor;

  over(): this {
    return this;
  }
}

/** A parameter of length and direction. */
class HookedWeightNorm extends OwnParts {
  readonly label = 'weightNorm';
  readonly suffixes = ['g', 'v'];

  constructor(name: string, readonly dim: number) {
    super(name);
  }

  compute(module: Module): Tensor {
    const [length, direction] = parts(module, this.name, this.suffixes) as unknown as [number, number];
    return Tensor.fromCore(enter((wasm) => wasm.weightNormValue(length, direction, this.dim)));
  }
}

/** A parameter divided by its largest singular value. */
class HookedSpectralNorm extends OwnParts {
  readonly label = 'spectralNorm';
  readonly suffixes = ['orig', 'u', 'v'];

  constructor(name: string, readonly options: readonly [iterations: number, eps: number, dim: number]) {
    super(name);
  }

  compute(module: Module): Tensor {
    const handles = parts(module, this.name, this.suffixes);
    return Tensor.fromCore(enter((wasm) => wasm.spectralNormValue(handles, ...this.options, module.training)));
  }
}

/** Has a parameter computed from tensors, the first `trained` of which are parameters. */
function compute(module: Module, name: string, computed: OwnParts, handles: Uint32Array, trained: number): void {
  module.computeTensor(name, computed);
  Array.from(handles, (handle) => Tensor.fromCore(handle)).forEach((tensor, index) => {
    const key = `${name}_${computed.suffixes[index]}`;
    if (index < trained) module.registerParameter(key, tensor);
    else module.registerBuffer(key, tensor);
  });
}

/** Ends that a parameter is computed: it is the computed one from then on. */
function remove(op: string, module: Module, name: string, kind: typeof HookedWeightNorm | typeof HookedSpectralNorm): void {
  const computed = module?.computed?.get(name);
  if (!(computed instanceof kind)) throw new LanthornError('argument', op, `the module has no ${op.slice('remove'.length)} of ${JSON.stringify(name)}`);
  const { training } = module;
  // A removal takes no step of power iteration.
  module.training = false;
  const value = noGrad(() => computed.compute(module));
  module.training = training;
  for (const suffix of computed.suffixes) delete (module as unknown as Record<string, unknown>)[`${name}_${suffix}`];
  module.restoreTensor(name, parameter(value));
}

/**
 * Splits a parameter of a layer into magnitude and direction, in place, as
 * `torch.nn.utils.weight_norm`: the parameters `weight_g` and `weight_v`.
 * `parametrizations.weightNorm` is the same with PyTorch's newer names.
 *
 * @example
 * const layer = nn.utils.weightNorm(new nn.Linear(8, 4));
 */
export function weightNorm<M extends Module>(module: M, name = 'weight', dim: number | null = 0): M {
  const weight = parameterOf('weightNorm', module, name);
  const along = dim ?? Infinity;
  compute(module, name, new HookedWeightNorm(name, along), enter((wasm) => wasm.weightNormNew(weight.coreHandle, along)), 2);
  return module;
}

/**
 * Makes the computed parameter a parameter again, as `torch.nn.utils.remove_weight_norm`.
 *
 * @example
 * nn.utils.removeWeightNorm(layer);
 */
export function removeWeightNorm<M extends Module>(module: M, name = 'weight'): M {
  remove('removeWeightNorm', module, name, HookedWeightNorm);
  return module;
}

/**
 * Divides a parameter of a layer by its largest singular value, in place, as
 * `torch.nn.utils.spectral_norm`: the parameter `weight_orig`, and the buffers `weight_u` and
 * `weight_v`. `parametrizations.spectralNorm` is the same with PyTorch's newer names.
 *
 * @example
 * const layer = nn.utils.spectralNorm(new nn.Linear(8, 4));
 */
export function spectralNorm<M extends Module>(module: M, name = 'weight', nPowerIterations = 1, eps = 1e-12, dim: number | null = null): M {
  const weight = parameterOf('spectralNorm', module, name);
  const options = [nPowerIterations, eps, spectralDim('spectralNorm', module, nPowerIterations, eps, dim)] as const;
  compute(module, name, new HookedSpectralNorm(name, options), enter((wasm) => wasm.spectralNormNew(weight.coreHandle, ...options)), 1);
  return module;
}

/**
 * Makes the computed parameter a parameter again, as `torch.nn.utils.remove_spectral_norm`.
 *
 * @example
 * nn.utils.removeSpectralNorm(layer);
 */
export function removeSpectralNorm<M extends Module>(module: M, name = 'weight'): M {
  remove('removeSpectralNorm', module, name, HookedSpectralNorm);
  return module;
}
