/** Gradients, and products with the Jacobian in both directions. */
import { checkFlag, checkFunction, checkOptions, describe } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { enableGrad } from '../autograd/mode.js';
import { Tensor } from '../tensor/tensor.js';
import { checkSync, flatten, handles, tensorsOf, together, type Flat, type Tree } from './tree.js';

/** The positions of the arguments that a derivative is for. */
export type Argnums = number | readonly number[];

/** A derivative in the form of the arguments at the given positions. */
export type Like<Args extends readonly unknown[], Nums extends Argnums> =
  Nums extends number ? Args[Nums]
  : Nums extends readonly number[] ? { -readonly [K in keyof Nums]: Nums[K] extends number ? Args[Nums[K]] : never }
  : never;

/** Options of {@link grad} and {@link gradAndValue}. */
export interface GradFunctionOptions<Nums extends Argnums = 0> {
  /** The positions of the arguments whose gradients are returned; default 0. */
  argnums?: Nums;
  /** Whether the function returns its value and something else, which the gradients come with. */
  hasAux?: boolean;
}

/** The chosen arguments of a call as one tree, and the call with other tensors in it. */
export function choose(op: string, argnums: Argnums, args: readonly unknown[]): { chosen: Flat; replace(tensors: readonly Tensor[]): unknown[] } {
  const positions: readonly unknown[] = typeof argnums === 'number' ? [argnums] : argnums;
  if (!Array.isArray(positions)) throw new LanthornError('argument', op, `argnums is a number or a list of numbers, not ${describe(argnums)}`);
  const indices = positions.map((position) => {
    const index = (position as number) < 0 ? (position as number) + args.length : (position as number);
    if (!Number.isInteger(index) || index < 0 || index >= args.length) {
      throw new LanthornError('argument', op, `argnums names argument ${String(position)}, the function has ${args.length} arguments`);
    }
    return index;
  });
  const flats = indices.map((index) => flatten(op, `argument ${index}`, args[index], true));
  const all = together(flats);
  const split = (leaves: readonly unknown[]): unknown[] => all.rebuild(leaves) as unknown[];
  return {
    chosen: typeof argnums === 'number' ? flats[0]! : all,
    replace(tensors) {
      const call = [...args];
      for (const [at, part] of split(tensors).entries()) call[indices[at]!] = part;
      return call;
    },
  };
}

/** Calls a function on inputs of a derivative; `take` makes the derivative of its result. */
function derive<R>(op: string, primals: readonly Tensor[], run: (inputs: Tensor[]) => unknown, take: (handle: number, result: unknown) => R): R {
  const [handle, ...inputs] = enter((wasm) => wasm.funcStart(op, handles(primals)));
  try {
    const result = enableGrad(() => {
      const returned = run(inputs.map((input) => Tensor.fromCore(input)));
      checkSync(op, returned);
      return returned;
    });
    return take(handle!, result);
  } catch (error) {
    enter((wasm) => wasm.funcAbort(handle!));
    throw error;
  }
}

/** The value of a function, and its second result with `hasAux`. */
function withAux(op: string, hasAux: boolean, returned: unknown): [value: unknown, aux: unknown] {
  if (!hasAux) return [returned, undefined];
  if (Array.isArray(returned) && returned.length === 2) return [returned[0], returned[1]];
  throw new LanthornError('argument', op, `with hasAux the function returns [value, aux], not ${describe(returned)}`);
}

/** The gradients, the value, and the function's second result. */
function gradients(op: string, fn: (...args: never[]) => unknown, options: GradFunctionOptions<Argnums>, args: readonly unknown[]): [unknown, Tensor, unknown] {
  const { argnums = 0, hasAux } = options;
  const { chosen, replace } = choose(op, argnums, args);
  return derive('grad', chosen.tensors, (inputs) => fn(...(replace(inputs) as never[])), (handle, returned) => {
    const [value, aux] = withAux(op, hasAux === true, returned);
    if (!(value instanceof Tensor)) throw new LanthornError('argument', op, `the function's result is a tensor of one element, not ${describe(value)}`);
    const [result, ...found] = tensorsOf(enter((wasm) => wasm.funcGradients(handle, value.coreHandle)));
    return [chosen.rebuild(found), result!, aux];
  });
}

function checkGrad(op: string, fn: unknown, options: object): void {
  checkFunction(op, fn);
  const { hasAux } = checkOptions<GradFunctionOptions<Argnums>>(op, options, ['argnums', 'hasAux']);
  checkFlag(op, 'hasAux', hasAux);
}

/**
 * The gradient of a function, as a function of the same arguments, as `torch.func.grad`. The
 * function returns one number. An argument that a gradient is for is a tensor, or a list or record
 * of tensors, and its gradient has the same form.
 *
 * @example
 * const slope = func.grad((x) => x.pow(3).sum());
 * await slope(tensor([2])).tolist(); // [12]
 */
export function grad<Args extends Tensor[], const Nums extends Argnums = 0, Aux = never>(
  fn: (...args: Args) => [Tensor, Aux], options: GradFunctionOptions<Nums> & { hasAux: true },
): (...args: Args) => [Like<Args, Nums>, Aux];
export function grad<Args extends Tensor[], const Nums extends Argnums = 0>(
  fn: (...args: Args) => Tensor, options?: GradFunctionOptions<Nums>,
): (...args: Args) => Like<Args, Nums>;
export function grad<Args extends unknown[], const Nums extends Argnums = 0, Aux = never>(
  fn: (...args: Args) => [Tensor, Aux], options: GradFunctionOptions<Nums> & { hasAux: true },
): (...args: Args) => [Like<Args, Nums>, Aux];
export function grad<Args extends unknown[], const Nums extends Argnums = 0>(
  fn: (...args: Args) => Tensor, options?: GradFunctionOptions<Nums>,
): (...args: Args) => Like<Args, Nums>;
export function grad(fn: (...args: never[]) => unknown, options: GradFunctionOptions<Argnums> = {}): (...args: unknown[]) => unknown {
  checkGrad('grad', fn, options);
  return (...args) => {
    const [found, , aux] = gradients('grad', fn, options, args);
    return options.hasAux ? [found, aux] : found;
  };
}

/** The gradient and the value of a function, as `torch.func.grad_and_value`; see {@link grad}. */
export function gradAndValue<Args extends Tensor[], const Nums extends Argnums = 0, Aux = never>(
  fn: (...args: Args) => [Tensor, Aux], options: GradFunctionOptions<Nums> & { hasAux: true },
): (...args: Args) => [Like<Args, Nums>, [Tensor, Aux]];
export function gradAndValue<Args extends Tensor[], const Nums extends Argnums = 0>(
  fn: (...args: Args) => Tensor, options?: GradFunctionOptions<Nums>,
): (...args: Args) => [Like<Args, Nums>, Tensor];
export function gradAndValue<Args extends unknown[], const Nums extends Argnums = 0, Aux = never>(
  fn: (...args: Args) => [Tensor, Aux], options: GradFunctionOptions<Nums> & { hasAux: true },
): (...args: Args) => [Like<Args, Nums>, [Tensor, Aux]];
export function gradAndValue<Args extends unknown[], const Nums extends Argnums = 0>(
  fn: (...args: Args) => Tensor, options?: GradFunctionOptions<Nums>,
): (...args: Args) => [Like<Args, Nums>, Tensor];
export function gradAndValue(fn: (...args: never[]) => unknown, options: GradFunctionOptions<Argnums> = {}): (...args: unknown[]) => unknown {
  checkGrad('gradAndValue', fn, options);
  return (...args) => {
    const [found, value, aux] = gradients('gradAndValue', fn, options, args);
    return [found, options.hasAux ? [value, aux] : value];
  };
}

const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.funcDispose(handle));
  } catch {
    // The core is gone, and the graph with it.
  }
});

/** A linear function of vectors. It keeps the graph of the function that it came from. */
export interface Products<In extends unknown[], Out> {
  (...vectors: In): Out;
  /** Releases the graph. */
  dispose(): void;
  [dispose](): void;
}

/** The products of the core behind a handle: of one tree, or of several. */
function productsOf(op: string, what: string, handle: number, from: readonly Flat[], to: Flat): Products<unknown[], unknown> {
  const call = (...vectors: unknown[]): unknown => {
    if (vectors.length !== from.length) throw new LanthornError('argument', op, `takes ${from.length} ${what}s, not ${vectors.length}`);
    const given = vectors.flatMap((vector, at) => flatten(op, from.length === 1 ? `the ${what}` : `${what} ${at}`, vector, true).tensors);
    const wanted = from.reduce((count, flat) => count + flat.tensors.length, 0);
    if (given.length !== wanted) throw new LanthornError('argument', op, `the ${what}s hold ${given.length} tensors, not ${wanted}`);
    return to.rebuild(tensorsOf(enter((wasm) => wasm.funcProducts(handle, handles(given)))));
  };
  const release = (): void => {
    registry.unregister(call);
    enter((wasm) => wasm.funcDispose(handle));
  };
  registry.register(call, handle, call);
  return Object.assign(call, { dispose: release, [dispose]: release });
}

/**
 * The outputs of a function, and the function of its vector-Jacobian products there, as
 * `torch.func.vjp`: it takes cotangents in the form of the outputs, and returns a list with a tree
 * for each primal, or the tree of the only one.
 *
 * @example
 * const [y, pullback] = func.vjp((x) => x.sin(), x);
 * const product = pullback(onesLike(y)); // cos(x)
 */
export function vjp<Args extends Tree[], Out extends Tree>(
  fn: (...args: Args) => Out, ...primals: Args
): [Out, Products<[Out], Args extends [infer Only] ? Only : Args>] {
  checkFunction('vjp', fn);
  const flats = primals.map((primal, at) => flatten('vjp', `primal ${at}`, primal, true));
  const inputs = together(flats);
  return derive('vjp', inputs.tensors, (tensors) => fn(...(inputs.rebuild(tensors) as Args)), (handle, returned) => {
    const out = flatten('vjp', "the function's result", returned, true);
    const [products, ...outputs] = enter((wasm) => wasm.funcVjp(handle, handles(out.tensors)));
    const pullback = productsOf('vjp', 'cotangent', products!, [out], flats.length === 1 ? flats[0]! : inputs);
    return [out.rebuild(tensorsOf(Uint32Array.from(outputs))) as Out, pullback as never];
  });
}

/** The outputs of a function and its Jacobian-vector products; `op` is the user's call. */
export function linearizeFor(op: string, fn: (...args: never[]) => unknown, primals: readonly unknown[]): [outputs: unknown, products: Products<unknown[], unknown>] {
  const flats = primals.map((primal, at) => flatten(op, `primal ${at}`, primal, true));
  const inputs = together(flats);
  return derive('jvp', inputs.tensors, (tensors) => fn(...(inputs.rebuild(tensors) as never[])), (handle, returned) => {
    const out = flatten(op, "the function's result", returned, true);
    const [products, ...outputs] = enter((wasm) => wasm.funcLinearize(handle, handles(out.tensors)));
    return [out.rebuild(tensorsOf(Uint32Array.from(outputs))), productsOf(op, 'tangent', products!, flats, out)];
  });
}

/**
 * The outputs of a function, and the function of its Jacobian-vector products there, as
 * `torch.func.linearize`: the function runs once for any number of products. It takes a tangent for
 * each primal, in its form.
 */
export function linearize<Args extends Tree[], Out extends Tree>(fn: (...args: Args) => Out, ...primals: Args): [Out, Products<Args, Out>] {
  checkFunction('linearize', fn);
  return linearizeFor('linearize', fn, primals) as never;
}

/**
 * The outputs of a function, and the product of its Jacobian with `tangents`, as `torch.func.jvp`.
 * There is a tangent for each primal, in its form.
 *
 * @example
 * const [y, dy] = func.jvp((x) => x.sin(), [x], [onesLike(x)]); // dy is cos(x)
 */
export function jvp<Args extends Tree[], Out extends Tree>(fn: (...args: Args) => Out, primals: readonly [...Args], tangents: readonly [...Args]): [Out, Out] {
  checkFunction('jvp', fn);
  for (const [name, list] of [['primals', primals], ['tangents', tangents]] as const) {
    if (!Array.isArray(list)) throw new LanthornError('argument', 'jvp', `${name} is a list, with one for each argument, not ${describe(list)}`);
  }
  const [outputs, products] = linearizeFor('jvp', fn, primals);
  try {
    return [outputs, products(...tangents)] as [Out, Out];
  } finally {
    products.dispose();
  }
}

registerEntries([grad, gradAndValue, vjp, linearize, jvp]);
