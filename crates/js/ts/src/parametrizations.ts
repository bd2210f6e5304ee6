/** Parameters that are computed from others before every call. */
import { BuiltinModule } from './builtin.js';
import { LanthornError } from './errors.js';

/**
 * Takes a parameter of a layer apart into its direction and its length, `g * v / norm(v)`, in place: the norm is over all dimensions but
 * `dim`, or over all where it is null. In place of `weight` there are `parametrizations.weight.original0` (g) and `.original1` (v); give an
 * optimizer its parameters after this.
 *
 * @example
 * const layer = nn.utils.parametrizations.weightNorm(new nn.Linear(8, 4));
 */
export function weightNorm<M extends BuiltinModule>(module: M, name = 'weight', dim: number | null = 0): M {
  if (!(module instanceof BuiltinModule)) throw new LanthornError('argument', 'weightNorm', 'takes a layer of the package');
  module.weightNorm(name, dim);
  return module;
}
