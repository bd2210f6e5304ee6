/** What functions on a module's parameter have in common. */
import { describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { ConvTranspose1d, ConvTranspose2d, ConvTranspose3d } from '../generated/modules.js';
import type { Tensor } from '../tensor/tensor.js';
import { Module } from './module.js';

/** The module's own parameter of this name. */
export function parameterOf(op: string, module: unknown, name: string): Tensor {
  if (!(module instanceof Module)) throw new LanthornError('argument', op, `takes a module, not ${describe(module)}`);
  const found = [...module.ownParameters()].find(([own]) => own === name);
  if (!found) throw new LanthornError('argument', op, `the module has no parameter ${JSON.stringify(name)} of its own`);
  return found[1];
}

/** The dimension of a spectral norm, with its default. */
export function spectralDim(op: string, module: Module, nPowerIterations: number, eps: number, dim: number | null): number {
  const refuse = (option: string, wanted: string, value: unknown): never => {
    throw wrongArgument(op, option, wanted, describe(value));
  };
  if (!Number.isInteger(nPowerIterations) || nPowerIterations < 1) refuse('nPowerIterations', 'a whole number above 0', nPowerIterations);
  if (typeof eps !== 'number') refuse('eps', 'a number', eps);
  if (dim !== null && !Number.isInteger(dim)) refuse('dim', 'a whole number or null', dim);
  const transposed = [ConvTranspose1d, ConvTranspose2d, ConvTranspose3d].some((type) => module instanceof type);
  return dim ?? (transposed ? 1 : 0);
}
