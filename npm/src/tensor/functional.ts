/**
 * Functions whose arguments do not fit a schema: alternating lists of different kinds, and
 * callbacks.
 */
import { gather } from './arguments.js';
import { callMethod } from './call.js';
import { checkFlag, checkFunction, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import * as operations from '../generated/operations.js';
import { specOf } from './spec.js';
import { registerEntries } from '../core/stack.js';
import { Tensor, type TensorLike } from './tensor.js';

/** A dimension in a sublist: a number from 0 to 51, or `'...'`. */
export type Subscript = number | '...';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function letters(sublist: unknown): string {
  const letter = (subscript: unknown): string => {
    const found = subscript === '...' ? '...' : LETTERS[subscript as number];
    if (found === undefined) throw new LanthornError('argument', 'einsum', `a sublist has numbers from 0 to 51 and '...', not ${String(subscript)}`);
    return found;
  };
  if (!Array.isArray(sublist)) throw new LanthornError('argument', 'einsum', `each tensor is followed by its sublist; it is ${describe(sublist)}`);
  return sublist.map(letter).join('');
}

/**
 * The sum of products of an equation: `einsum('ij,jk->ik', x, y)`, or with the tensors in an array,
 * which takes a path too. The same with numbers instead
 * of letters: each tensor is followed by its list, and the list of the result is last, if there is
 * one: `einsum(x, [0, 1], y, [1, 2], [0, 2])`.
 */
export function einsum(equation: string, tensors: readonly Tensor[], options?: { path?: readonly number[] | null }): Tensor;
export function einsum(equation: string, ...tensors: readonly Tensor[]): Tensor;
export function einsum(operand: Tensor, sublist: readonly Subscript[], ...rest: readonly (Tensor | readonly Subscript[])[]): Tensor;
export function einsum(...args: unknown[]): Tensor {
  if (args[1] instanceof Tensor && !(args[0] instanceof Tensor)) return (operations.einsum as (...args: unknown[]) => Tensor)(args[0], args.slice(1));
  if (!(args[0] instanceof Tensor)) return (operations.einsum as (...args: unknown[]) => Tensor)(...args);
  const tensors: Tensor[] = [];
  const inputs: string[] = [];
  let at = 0;
  for (; args[at] instanceof Tensor; at += 2) {
    tensors.push(args[at] as Tensor);
    inputs.push(letters(args[at + 1]));
  }
  if (args.length > at + 1) throw new LanthornError('argument', 'einsum', 'after the tensors and their sublists there is one list more at most, the result\'s');
  const output = at < args.length ? `->${letters(args[at])}` : '';
  return operations.einsum(inputs.join(',') + output, tensors);
}

/** {@link Tensor.nonzero} as a function. */
export function nonzero(input: TensorLike, options?: { asTuple?: false }): Promise<Tensor>;
export function nonzero(input: TensorLike, options: { asTuple: true }): Promise<Tensor[]>;
export function nonzero(...args: unknown[]): Promise<Tensor | Tensor[]> {
  return callMethod('nonzero', args, Tensor) as Promise<Tensor | Tensor[]>;
}

/** Options of {@link tripletMarginWithDistanceLoss}. */
export interface TripletDistanceOptions {
  /** The distance of two tensors (default: `pairwiseDistance`). */
  distanceFunction?: ((x: Tensor, y: Tensor) => Tensor) | null;
  margin?: number;
  swap?: boolean;
  reduction?: 'none' | 'mean' | 'sum';
}

const TRIPLET = specOf('tripletMarginWithDistanceLoss anchor positive negative|distanceFunction margin swap reduction');

/**
 * `tripletMarginLoss` with any distance: the shortfall of the margin by which `anchor` and
 * `positive` should be closer than `anchor` and `negative`.
 */
export function tripletMarginWithDistanceLoss(anchor: Tensor, positive: Tensor, negative: Tensor, options?: TripletDistanceOptions): Tensor;
export function tripletMarginWithDistanceLoss(...args: unknown[]): Tensor {
  const { name, params } = TRIPLET;
  const [anchor, positive, negative, given, margin = 1, swap, reduction = 'mean'] = gather(TRIPLET, args);
  const refuse = (index: number, wanted: string, value: unknown): never => {
    throw wrongArgument(name, params[index]!, wanted, describe(value));
  };
  const tensors = [anchor, positive, negative].map((value, index) => (value instanceof Tensor ? value : refuse(index, 'a tensor', value)));
  if (typeof margin !== 'number' || !(margin > 0)) refuse(4, 'a positive number', margin);
  if (!['none', 'mean', 'sum'].includes(reduction as string)) refuse(6, "'none', 'mean' or 'sum'", reduction);
  const [a, p, n] = tensors as [Tensor, Tensor, Tensor];
  if (p.ndim !== a.ndim || n.ndim !== a.ndim) {
    throw new LanthornError('shape', name, `as many dimensions each are needed: anchor [${a.shape}], positive [${p.shape}], negative [${n.shape}]`);
  }
  const distance = (given ?? operations.pairwiseDistance) as (x: Tensor, y: Tensor) => Tensor;
  checkFunction(name, distance);
  const near = distance(a, p);
  const far = checkFlag(name, 'swap', swap) ? distance(a, n).minimum(distance(p, n)) : distance(a, n);
  const losses = near.sub(far).add(margin as number).clampMin(0);
  if (reduction === 'none') return losses;
  return reduction === 'sum' ? losses.sum() : losses.mean();
}

registerEntries([einsum, nonzero, tripletMarginWithDistanceLoss]);
