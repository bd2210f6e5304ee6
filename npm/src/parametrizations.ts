/** Parameters that are computed from others before every call. */
import { BuiltinModule } from './builtin.js';
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { ConvTranspose1d, ConvTranspose2d, ConvTranspose3d } from './modules.generated.js';
import { enter } from './runtime.js';

function checkLayer(op: string, module: unknown): void {
  if (!(module instanceof BuiltinModule)) throw new LanthornError('argument', op, 'takes a layer of the package');
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
export function weightNorm<M extends BuiltinModule>(module: M, name = 'weight', dim: number | null = 0): M {
  checkLayer('weightNorm', module);
  module.parametrize(name, (handle) => enter((wasm) => wasm.moduleWeightNorm(handle, name, dim ?? Infinity)));
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
export function spectralNorm<M extends BuiltinModule>(module: M, name = 'weight', nPowerIterations = 1, eps = 1e-12, dim: number | null = null): M {
  checkLayer('spectralNorm', module);
  const refuse = (option: string, wanted: string, value: unknown): never => {
    throw new LanthornError('argument', 'spectralNorm', `the argument ${option} takes ${wanted}, not ${describe(value)}`);
  };
  if (!Number.isInteger(nPowerIterations) || nPowerIterations < 1) refuse('nPowerIterations', 'a whole number above 0', nPowerIterations);
  if (typeof eps !== 'number') refuse('eps', 'a number', eps);
  if (dim !== null && !Number.isInteger(dim)) refuse('dim', 'a whole number or null', dim);
  const transposed = [ConvTranspose1d, ConvTranspose2d, ConvTranspose3d].some((type) => module instanceof type);
  const along = dim ?? (transposed ? 1 : 0);
  module.parametrize(name, (handle) => enter((wasm) => wasm.moduleSpectralNorm(handle, name, nPowerIterations, eps, along)));
  return module;
}
