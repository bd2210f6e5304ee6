/** Functions with their own derivative, as `torch.autograd.Function`. */
import { received, runCallback, shared, tensorList } from '../tensor/callback.js';
import { checkFlag, checkFunction, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

/**
 * The facts that forward leaves for backward, as `ctx` of `torch.autograd.Function`. Properties of
 * one's own may be set on it: sizes, options. Tensors are saved with {@link
 * FunctionContext.saveForBackward}, so that their versions are checked and they are freed with the
 * graph.
 */
export class FunctionContext {
  /** A property that forward sets for backward. */
  // biome-ignore lint/suspicious/noExplicitAny: forward sets it for backward.
  [name: string]: any;

  /** Whether the gradient of each argument is needed; backward may return null for the others. */
  readonly needsInputGrad: readonly boolean[];

  readonly #op: string;
  #saved: readonly (Tensor | null)[] = [];
  #isSaved: readonly boolean[] = [];
  #nonDifferentiable: Tensor[] = [];
  #dirty: Tensor[] = [];
  #materialize = true;

  /** @internal */
  constructor(op: string, needsInputGrad: readonly boolean[]) {
    this.#op = op;
    this.needsInputGrad = Object.freeze([...needsInputGrad]);
  }

  /**
   * Keeps tensors for backward, in place of those kept before; null stands for none. Backward is an
   * error of kind `autograd` if one was changed in place in the meantime.
   */
  saveForBackward(...tensors: readonly (Tensor | null | undefined)[]): void {
    for (const tensor of tensors) if (tensor !== null && tensor !== undefined) handleOf(this.#op, 'of saveForBackward', tensor);
    this.#saved = tensors.map((tensor) => tensor ?? null);
  }

  /** The tensors that forward saved, in order, with null where null was saved. */
  get savedTensors(): Tensor[] {
    return [...this.#saved] as Tensor[];
  }

  /**
   * Says that outputs have no gradient, as of indices. Backward is still given one for them, of
   * zeros.
   */
  markNonDifferentiable(...outputs: readonly Tensor[]): void {
    this.#nonDifferentiable.push(...outputs);
  }

  /**
   * Says that forward changed inputs in place. Those that require gradients must be among its
   * outputs.
   */
  markDirty(...inputs: readonly Tensor[]): void {
    this.#dirty.push(...inputs);
  }

  /**
   * Whether backward gets zeros for an output that no gradient arrived at. It does unless this says
   * `false`: then it gets null.
   */
  setMaterializeGrads(materialize: boolean): void {
    this.#materialize = checkFlag(this.#op, 'of setMaterializeGrads', materialize);
  }

  /**
   * @internal The report to the core after forward: the counterpart of `read_report` in
   * `function.rs`.
   */
  report(outputs: readonly Tensor[]): Uint32Array {
    this.#isSaved = this.#saved.map((tensor) => tensor !== null);
    const lists = [outputs, this.#saved.filter((tensor) => tensor !== null), this.#nonDifferentiable, this.#dirty];
    const handles = lists.map((list) => shared(this.#op, 'of the context', list));
    // The graph holds them now.
    [this.#saved, this.#nonDifferentiable, this.#dirty] = [[], [], []];
    return Uint32Array.from([Number(this.#materialize), ...handles.flatMap((list) => [list.length, ...list])]);
  }

  /** @internal Runs backward with the saved tensors of the graph. */
  withSaved<T>(handles: Uint32Array, run: () => T): T {
    const tensors = received(handles);
    this.#saved = this.#isSaved.map((isSaved) => (isSaved ? (tensors.shift() ?? null) : null));
    try {
      return run();
    } finally {
      this.#saved = [];
    }
  }
}

/**
 * The gradients that backward returns: one for each argument of forward, null for one without; the
 * gradient itself where there is one argument.
 */
export type FunctionGradients = Tensor | null | undefined | readonly (Tensor | null | undefined)[];

/** The class of a function, as {@link AutogradFunction.apply} takes it. */
export interface FunctionClass<A extends readonly unknown[], R> {
  readonly name: string;
  readonly onceDifferentiable?: boolean;
  forward(ctx: FunctionContext, ...args: A): R;
  backward(ctx: FunctionContext, ...grads: Tensor[]): FunctionGradients;
}

/**
 * A function of tensors and its derivative, both written in operations, as
 * `torch.autograd.Function`: extend it with static `forward` and `backward`, and call `apply`.
 *
 * `forward` gets a context and the arguments of `apply`, and returns a tensor or an array of them;
 * nothing in it is recorded. `backward` gets the context and the gradient of each output, and
 * returns one for each argument. Both run in a scope: tensors made in them are disposed of, except
 * those returned, saved, or set as properties of the context. Their exceptions reach the caller of
 * `apply` or `backward()` unchanged.
 *
 * @example
 * class Exp extends autograd.Function {
 *   static forward(ctx, x) {
 *     const y = x.exp();
 *     ctx.saveForBackward(y);
 *     return y;
 *   }
 *   static backward(ctx, grad) {
 *     const [y] = ctx.savedTensors;
 *     return grad.mul(y);
 *   }
 * }
 * const y = Exp.apply(x);
 */
export abstract class AutogradFunction {
  /**
   * Whether the derivative is not differentiable, because backward is not written in differentiable
   * operations: `torch`'s `once_differentiable`. Backward then runs without recording, and
   * differentiating its result is an error of kind `autograd`.
   */
  static readonly onceDifferentiable: boolean = false;

  /** Computes the outputs. */
  static forward(ctx: FunctionContext, ...args: unknown[]): unknown {
    throw new LanthornError('argument', this.name, `forward is not implemented for ${args.length} arguments${ctx ? '' : ' and no context'}`);
  }

  /** The gradient of each argument of forward, from the gradients of the outputs. */
  static backward(ctx: FunctionContext, ...grads: Tensor[]): FunctionGradients {
    throw new LanthornError('autograd', this.name, `backward is not implemented for ${grads.length} gradients${ctx ? '' : ' and no context'}`);
  }

  /**
   * Applies the function. Fails as `forward` does; where an input that requires gradients was
   * changed in place and not marked dirty; and where one marked dirty is a leaf that requires
   * gradients, or is not among the outputs.
   */
  static apply<A extends readonly unknown[], R>(this: FunctionClass<A, R>, ...args: A): R {
    return applyFunction(this as FunctionClass<readonly unknown[], R>, args) as R;
  }
}

/** Applies forward, and passes backward to the core. */
function applyFunction(type: FunctionClass<readonly unknown[], unknown>, args: readonly unknown[]): unknown {
  const name = type.name || 'Function';
  for (const method of [type.forward, type.backward]) checkFunction(name, method);
  const indices = args.flatMap((arg, index) => (arg instanceof Tensor ? [index] : []));
  const inputs = Uint32Array.from(indices, (index) => handleOf(name, `number ${index}`, args[index]));
  const held: { ctx?: FunctionContext } = {};
  let isList = false;
  const forward = (needs: Uint8Array): Uint32Array => {
    const ctx = new FunctionContext(name, args.map((_, index) => needs[indices.indexOf(index)] === 1));
    held.ctx = ctx;
    return runCallback(name, ctx, () => type.forward(ctx, ...args), (result) => {
      isList = Array.isArray(result);
      return ctx.report(tensorList(name, 'forward', result));
    });
  };
  const once = checkFlag(name, 'onceDifferentiable', type.onceDifferentiable);
  const outputs = enter((wasm) => wasm.functionApply(name, once, inputs, forward, backwardOf(type, name, indices, args.length, held)));
  const tensors = Array.from(outputs, (handle) => Tensor.fromCore(handle));
  return isList ? tensors : tensors[0];
}

/**
 * Backward as the core calls it. Apart from forward, so that the graph does not keep the arguments.
 */
function backwardOf(type: FunctionClass<readonly unknown[], unknown>, name: string, indices: readonly number[], count: number, held: { ctx?: FunctionContext }) {
  return (grads: Uint32Array, saved: Uint32Array): Uint32Array => {
    const ctx = held.ctx!;
    return runCallback(name, ctx, () => ctx.withSaved(saved, () => type.backward(ctx, ...(received(grads) as Tensor[]))), (given) =>
      Uint32Array.from(shared(name, 'returned by backward', gradientsOf(name, given, indices, count))));
  };
}

/** The gradients of the tensors among the arguments. */
function gradientsOf(name: string, given: unknown, indices: readonly number[], count: number): unknown[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length !== count) {
    throw new LanthornError('autograd', name, `backward gave ${list.length} gradients for ${count} inputs`);
  }
  const odd = list.findIndex((gradient, index) => gradient !== null && gradient !== undefined && !indices.includes(index));
  if (odd >= 0) throw new LanthornError('autograd', name, `backward gave ${describe(list[odd])} for input ${odd}, which is no tensor; give null`);
  return indices.map((index) => list[index]);
}
