/** Whole Jacobians: products with every unit vector, as one batch. */
import { checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { registerEntries } from '../core/stack.js';
import { eye, zerosLike } from '../generated/operations.js';
import type { Tensor } from '../tensor/tensor.js';
import { choose, gradAndValue, linearizeFor, vjp, type Argnums } from './transforms.js';
import { flatten, type Flat, type Tree } from './tree.js';
import { vmap } from './vmap.js';

/** Options of {@link jacrev}, {@link jacfwd} and {@link hessian}. */
export interface JacobianOptions {
  /** The positions of the arguments that the derivative is for; default 0. */
  argnums?: Argnums;
  /** The largest number of rows or columns that are computed together. */
  chunkSize?: number;
}

/** The unit vectors in the shape of a tensor, one after another: `[elements, ...shape]`. */
function basis(like: Tensor): Tensor {
  return eye(like.numel, { dtype: like.dtype }).reshape([like.numel, ...like.shape]);
}

/** A tree with a unit vector for the tensor at an index, and zeros for the others. */
function unitAt(flat: Flat, zeros: readonly Tensor[], at: number, unit: Tensor): unknown {
  return flat.rebuild(zeros.map((zero, index) => (index === at ? unit : zero)));
}

/** A function of the chosen arguments, as a list of tensors. */
function ofChosen(op: string, fn: (...args: never[]) => unknown, options: JacobianOptions, args: readonly unknown[]): { chosen: Flat; run(...tensors: Tensor[]): unknown } {
  const { chosen, replace } = choose(op, options.argnums ?? 0, args);
  return { chosen, run: (...tensors) => fn(...(replace(tensors) as never[])) };
}

function checkJacobian(op: string, fn: unknown, options: object): void {
  checkFunction(op, fn);
  checkOptions<JacobianOptions>(op, options, ['argnums', 'chunkSize']);
}

const chunked = ({ chunkSize }: JacobianOptions): { chunkSize?: number } => (chunkSize === undefined ? {} : { chunkSize });

/**
 * The Jacobian of a function, as a function of the same arguments, as `torch.func.jacrev`: by
 * backward passes from every element of the output as one batch. An output tensor becomes a
 * tree of the inputs, whose tensors have the output's dimensions before their own.
 *
 * @example
 * const jacobian = func.jacrev((x) => x.sin())(x); // [n, n], with cos(x) on the diagonal
 */
export function jacrev<Args extends Tensor[]>(fn: (...args: Args) => Tensor, options?: JacobianOptions & { argnums?: 0 }): (...args: Args) => Args[0];
export function jacrev<Args extends unknown[]>(fn: (...args: Args) => Tensor, options?: JacobianOptions & { argnums?: 0 }): (...args: Args) => Args[0];
export function jacrev<Args extends unknown[]>(fn: (...args: Args) => Tree, options?: JacobianOptions): (...args: Args) => Tree;
export function jacrev(fn: (...args: never[]) => unknown, options: JacobianOptions = {}): (...args: unknown[]) => unknown {
  checkJacobian('jacrev', fn, options);
  return (...args) => {
    const { chosen, run } = ofChosen('jacrev', fn, options, args);
    const [outputs, pullback] = vjp(run as (...tensors: Tensor[]) => Tree, ...chosen.tensors);
    try {
      const out = flatten('jacrev', "the function's result", outputs, true);
      const zeros = out.tensors.map((output) => zerosLike(output));
      const rows = out.tensors.map((output, at) => {
        const products = (unit: Tensor): Tensor[] => {
          const found: unknown = pullback(unitAt(out, zeros, at, unit) as Tree);
          return Array.isArray(found) ? found as Tensor[] : [found as Tensor];
        };
        const all = vmap(products, chunked(options))(basis(output));
        return chosen.rebuild(all.map((row, index) => row.reshape([...output.shape, ...chosen.tensors[index]!.shape])));
      });
      return out.rebuild(rows);
    } finally {
      pullback.dispose();
    }
  };
}

/**
 * The Jacobian of a function, as `torch.func.jacfwd`: by forward derivatives along every element of
 * the input as one batch, which is cheaper than {@link jacrev} where the output is larger than the
 * input. Its form is the form of {@link jacrev}.
 */
export function jacfwd<Args extends Tensor[]>(fn: (...args: Args) => Tensor, options?: JacobianOptions & { argnums?: 0 }): (...args: Args) => Args[0];
export function jacfwd<Args extends unknown[]>(fn: (...args: Args) => Tensor, options?: JacobianOptions & { argnums?: 0 }): (...args: Args) => Args[0];
export function jacfwd<Args extends unknown[]>(fn: (...args: Args) => Tree, options?: JacobianOptions): (...args: Args) => Tree;
export function jacfwd(fn: (...args: never[]) => unknown, options: JacobianOptions = {}): (...args: unknown[]) => unknown {
  checkJacobian('jacfwd', fn, options);
  return (...args) => {
    const { chosen, run } = ofChosen('jacfwd', fn, options, args);
    const [outputs, products] = linearizeFor('jacfwd', run, chosen.tensors);
    try {
      const out = flatten('jacfwd', "the function's result", outputs, true);
      const zeros = chosen.tensors.map((input) => zerosLike(input));
      const columns = chosen.tensors.map((input, at) => {
        const along = (unit: Tensor): Tensor[] => flatten('jacfwd', 'products', products(...zeros.map((zero, index) => (index === at ? unit : zero))), true).tensors;
        const all = vmap(along, { ...chunked(options), outDims: -1 })(basis(input));
        return all.map((column, index) => column.reshape([...out.tensors[index]!.shape, ...input.shape]));
      });
      return out.rebuild(out.tensors.map((_, index) => chosen.rebuild(columns.map((column) => column[index]))));
    } finally {
      products.dispose();
    }
  };
}

/**
 * The Hessian of a function that returns one number, as `torch.func.hessian`: {@link jacfwd} of
 * {@link jacrev}.
 *
 * @example
 * const curvature = func.hessian((x) => x.pow(3).sum())(x); // 6 x on the diagonal
 */
export function hessian<Args extends Tensor[]>(fn: (...args: Args) => Tensor, options?: JacobianOptions & { argnums?: 0 }): (...args: Args) => Args[0];
export function hessian<Args extends unknown[]>(fn: (...args: Args) => Tensor, options?: JacobianOptions & { argnums?: 0 }): (...args: Args) => Args[0];
export function hessian<Args extends unknown[]>(fn: (...args: Args) => Tree, options?: JacobianOptions): (...args: Args) => Tree;
export function hessian(fn: (...args: never[]) => Tree, options: JacobianOptions = {}): (...args: never[]) => unknown {
  checkJacobian('hessian', fn, options);
  return jacfwd(jacrev(fn, options), options);
}

/**
 * The value of a function that returns one number, and the products of its Hessian with `tangents`,
 * as `torch.autograd.functional.hvp`: the gradient of the gradient's product with them, without the
 * Hessian. There is a tangent for each primal, in its form.
 */
export function hvp<Args extends Tree[]>(fn: (...args: Args) => Tensor, primals: readonly [...Args], tangents: readonly [...Args]): [Tensor, Args] {
  checkFunction('hvp', fn);
  for (const [name, list] of [['primals', primals], ['tangents', tangents]] as const) {
    if (!Array.isArray(list)) throw new LanthornError('argument', 'hvp', `${name} is a list, with one for each argument, not ${describe(list)}`);
  }
  const argnums = Array.from(primals, (_, at) => at);
  const both = gradAndValue(fn as (...args: unknown[]) => Tensor, { argnums }) as unknown as (...args: Args) => readonly [Tree[], Tensor];
  let value: Tensor | undefined;
  const [, pullback] = vjp((...inputs: Args): Tree[] => {
    const [gradients, of] = both(...inputs);
    value = of;
    return [...gradients];
  }, ...primals);
  try {
    const products: unknown = pullback([...tangents]);
    // A transform around may want the value's derivative.
    const isNested = flatten('hvp', 'primals', primals, true).tensors.some((primal) => primal.requiresGrad);
    return [isNested ? value! : value!.detach(), (primals.length === 1 ? [products] : products) as Args];
  } finally {
    pullback.dispose();
  }
}

registerEntries([jacrev, jacfwd, hessian, hvp]);
