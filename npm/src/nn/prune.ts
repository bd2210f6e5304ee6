/**
 * Pruning: a mask sets elements of a parameter to zero, as `torch.nn.utils.prune`. The parameter
 * `weight` is computed from the trained `weight_orig` and the buffer `weight_mask`.
 */
import { noGrad } from '../autograd/mode.js';
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { cat, onesLike } from '../generated/operations.js';
import { handleOf, Tensor } from '../tensor/tensor.js';
import { buffer, Module, type ComputedTensor } from './module.js';
import { parameterOf } from './own-parameter.js';

/** A parameter times its mask. */
class Masked implements ComputedTensor {
  readonly sources = new Map<string, Tensor>();
  readonly label = 'pruned';

  constructor(private readonly name: string) {}

  original(module: Module): Tensor {
    return (module as unknown as Record<string, Tensor>)[`${this.name}_orig`]!;
  }

  mask(module: Module): Tensor {
    return (module as unknown as Record<string, Tensor>)[`${this.name}_mask`]!;
  }

  compute(module: Module): Tensor {
    return this.original(module).mul(this.mask(module));
  }

  over(): Masked {
    return this;
  }
}

/** The names of the methods. */
type Method = 'identity' | 'l1Unstructured' | 'randomUnstructured' | 'lnStructured' | 'randomStructured' | 'customFromMask';

/** The arguments of a method. */
interface Selection {
  amount?: unknown;
  n?: number;
  dim?: unknown;
  custom?: Tensor;
}

/** A mask after a mask, for scores of importance. */
function maskOf(method: Method, scores: Tensor, mask: Tensor, { amount = 0, n = 0, dim = 0, custom }: Selection): Tensor {
  if (typeof amount !== 'number' || !(amount >= 0)) {
    throw new LanthornError('argument', method, `amount is a count, a whole number, or a fraction between 0 and 1, not ${describe(amount)}`);
  }
  if (!Number.isInteger(dim)) throw new LanthornError('argument', method, `dim is a whole number, not ${describe(dim)}`);
  const isFraction = !Number.isInteger(amount);
  const handle = custom && handleOf(method, 'mask', custom);
  return Tensor.fromCore(enter((wasm) => wasm.pruneMask(method, scores.coreHandle, mask.coreHandle, amount, isFraction, n, dim as number, handle)));
}

/** The mask's computation, if the parameter is pruned. */
function findMask(module: Module, name: string): Masked | undefined {
  const computed = module instanceof Module ? module.computed.get(name) : undefined;
  return computed instanceof Masked ? computed : undefined;
}

/** The parameter as calls use it, and its mask, of ones where it is not pruned. */
function current(op: string, module: Module, name: string): { scores: Tensor; mask: Tensor } {
  const masked = findMask(module, name);
  if (masked) return { scores: noGrad(() => masked.compute(module)), mask: masked.mask(module) };
  const weight = parameterOf(op, module, name).detach();
  return { scores: weight, mask: onesLike(weight) };
}

/** Sets the mask of a parameter. */
function setMask(module: Module, name: string, mask: Tensor): void {
  const masked = findMask(module, name);
  if (masked) return void noGrad(() => masked.mask(module).copy_(mask));
  const weight = parameterOf('prune', module, name);
  module.computeTensor(name, new Masked(name));
  module.registerParameter(`${name}_orig`, weight);
  module.registerBuffer(`${name}_mask`, buffer(mask));
}

/** Prunes a parameter by a method. */
function prune<M extends Module>(method: Method, module: M, name: string, selection: Selection, importance?: Tensor | null): M {
  const { scores, mask } = current(method, module, name);
  if (importance !== undefined && importance !== null) handleOf(method, 'importanceScores', importance);
  setMask(module, name, maskOf(method, importance ?? scores, mask, selection));
  return module;
}

/**
 * Adds a mask of ones to a parameter, as `torch.nn.utils.prune.identity`.
 *
 * @example
 * nn.utils.prune.identity(new nn.Linear(4, 2), 'weight');
 */
export function identity<M extends Module>(module: M, name: string): M {
  return prune('identity', module, name, {});
}

/**
 * Prunes the elements of the smallest absolute values, as `torch.nn.utils.prune.l1_unstructured`.
 * `amount` is a number of elements if it is whole, or else a fraction of those that are not pruned
 * yet. Elements are ranked by `importanceScores` if those are given.
 *
 * @example
 * const layer = nn.utils.prune.l1Unstructured(new nn.Linear(4, 2), 'weight', 0.5);
 */
export function l1Unstructured<M extends Module>(module: M, name: string, amount: number, importanceScores?: Tensor | null): M {
  return prune('l1Unstructured', module, name, { amount }, importanceScores);
}

/**
 * Prunes random elements, as `torch.nn.utils.prune.random_unstructured`; see
 * {@link l1Unstructured}.
 *
 * @example
 * const layer = nn.utils.prune.randomUnstructured(new nn.Linear(4, 2), 'weight', 3);
 */
export function randomUnstructured<M extends Module>(module: M, name: string, amount: number): M {
  return prune('randomUnstructured', module, name, { amount });
}

/**
 * Prunes the channels along `dim` of the smallest norms of order `n`, as
 * `torch.nn.utils.prune.ln_structured`. `amount` is a number of channels, or a fraction of those
 * that are not pruned yet.
 *
 * @example
 * const layer = nn.utils.prune.lnStructured(new nn.Conv2d(3, 8, 3), 'weight', 0.5, 2, 0);
 */
export function lnStructured<M extends Module>(module: M, name: string, amount: number, n: number, dim: number, importanceScores?: Tensor | null): M {
  if (typeof n !== 'number') throw new LanthornError('argument', 'lnStructured', `n is a number, not ${describe(n)}`);
  return prune('lnStructured', module, name, { amount, n, dim }, importanceScores);
}

/**
 * Prunes random channels along `dim`, as `torch.nn.utils.prune.random_structured`; see
 * {@link lnStructured}.
 *
 * @example
 * const layer = nn.utils.prune.randomStructured(new nn.Conv2d(3, 8, 3), 'weight', 2, 0);
 */
export function randomStructured<M extends Module>(module: M, name: string, amount: number, dim: number): M {
  return prune('randomStructured', module, name, { amount, dim });
}

/**
 * Prunes the elements where a mask of the parameter's shape is 0, as
 * `torch.nn.utils.prune.custom_from_mask`.
 *
 * @example
 * const layer = nn.utils.prune.customFromMask(new nn.Linear(2, 2), 'bias', tensor([1, 0]));
 */
export function customFromMask<M extends Module>(module: M, name: string, mask: Tensor): M {
  handleOf('customFromMask', 'mask', mask);
  return prune('customFromMask', module, name, { custom: mask });
}

/** A method that selects elements of several parameters. */
export type UnstructuredMethod = typeof l1Unstructured | typeof randomUnstructured;

/** Options of {@link globalUnstructured}. */
export interface GlobalOptions {
  /** How many elements, or which fraction of those that are not pruned yet. */
  amount: number;
}

/**
 * Prunes several parameters as if they were one vector, as
 * `torch.nn.utils.prune.global_unstructured`; `pruningMethod` is {@link l1Unstructured} or
 * {@link randomUnstructured}.
 *
 * @example
 * const { globalUnstructured, l1Unstructured } = nn.utils.prune;
 * globalUnstructured([[net, 'weight'], [net, 'bias']], l1Unstructured, { amount: 0.2 });
 */
export function globalUnstructured(
  parameters: readonly (readonly [module: Module, name: string])[], pruningMethod: UnstructuredMethod, options: GlobalOptions,
): void {
  const op = 'globalUnstructured';
  if (!Array.isArray(parameters) || parameters.length === 0 || !parameters.every(Array.isArray)) {
    throw new LanthornError('argument', op, `takes a list of [module, name], not ${describe(parameters)}`);
  }
  const method = ([l1Unstructured, randomUnstructured] as Function[]).indexOf(pruningMethod);
  if (method < 0) throw new LanthornError('argument', op, 'pruningMethod is l1Unstructured or randomUnstructured');
  const all = parameters.map(([module, name]) => current(op, module as Module, name as string));
  const flat = (tensors: Tensor[]): Tensor => cat(tensors.map((tensor) => tensor.reshape(-1)));
  const [scores, masks] = [flat(all.map((each) => each.scores)), flat(all.map((each) => each.mask))];
  const mask = maskOf(method === 0 ? 'l1Unstructured' : 'randomUnstructured', scores, masks, { amount: options?.amount });
  let start = 0;
  for (const [index, [module, name]] of parameters.entries()) {
    const { shape, numel } = all[index]!.mask;
    setMask(module as Module, name as string, mask.narrow(0, start, numel).reshape(shape));
    start += numel;
  }
}

/**
 * Makes a pruned parameter permanent, as `torch.nn.utils.prune.remove`: it is a parameter again,
 * the same tensor as before, with zeros.
 *
 * @example
 * const layer = nn.utils.prune.l1Unstructured(new nn.Linear(4, 2), 'weight', 0.5);
 * nn.utils.prune.remove(layer, 'weight');
 */
export function remove<M extends Module>(module: M, name: string): M {
  const masked = findMask(module, name);
  if (!masked) throw new LanthornError('argument', 'remove', `the parameter ${JSON.stringify(name)} is not pruned`);
  const original = masked.original(module);
  noGrad(() => original.copy_(masked.compute(module)));
  for (const suffix of ['orig', 'mask']) delete (module as unknown as Record<string, unknown>)[`${name}_${suffix}`];
  module.restoreTensor(name, original);
  return module;
}

/**
 * Whether a parameter of the module, or of a module in it, is pruned, as
 * `torch.nn.utils.prune.is_pruned`.
 *
 * @example
 * nn.utils.prune.isPruned(new nn.Linear(4, 2)); // false
 */
export function isPruned(module: Module): boolean {
  if (!(module instanceof Module)) throw new LanthornError('argument', 'isPruned', `takes a module, not ${describe(module)}`);
  return module.modules().some((each) => [...each.computed.values()].some((computed) => computed instanceof Masked));
}
