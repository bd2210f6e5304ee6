/** Hooks before and after a module, and for its gradients. */
import { LanthornError } from '../core/errors.js';
import { Tensor, type HookHandle } from '../tensor/tensor.js';

/** A hook for the gradients of a module, whose class imports this module. */
type BackwardHook<M> = (module: M, gradInput: (Tensor | null)[], gradOutput: (Tensor | null)[]) => readonly (Tensor | null)[] | void;

/** A hook for the gradients of a module's results, before its backward pass. */
type BackwardPreHook<M> = (module: M, gradOutput: (Tensor | null)[]) => readonly (Tensor | null)[] | Tensor | void;

/** Hooks that can be removed, called in the order of registration. */
export class Hooks<F extends Function> {
  readonly #hooks = new Set<{ hook: F }>();

  add(op: string, hook: F): HookHandle {
    if (typeof hook !== 'function') throw new LanthornError('argument', op, 'takes a function');
    const entry = { hook };
    this.#hooks.add(entry);
    return { remove: () => void this.#hooks.delete(entry) };
  }

  get size(): number {
    return this.#hooks.size;
  }

  copyInto(other: Hooks<F>): void {
    for (const { hook } of this.#hooks) other.#hooks.add({ hook });
  }

  *[Symbol.iterator](): Generator<F> {
    for (const { hook } of [...this.#hooks]) yield hook;
  }
}

/** The tensors in a result: itself, or the tensors of an array. */
function tensorsOf(value: unknown): Tensor[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => item instanceof Tensor);
}

/** The gradient of a result after the hooks before the backward pass. */
function changedOutput<M>(module: M, hooks: Iterable<BackwardPreHook<M>>, gradient: Tensor, results: number): Tensor {
  let changed = gradient;
  for (const hook of hooks) {
    const op = 'registerFullBackwardPreHook';
    if (results !== 1) throw new LanthornError('argument', op, `takes a module with one result, and this one has ${results}`);
    const returned = hook(module, [changed]);
    const [replacement, ...others] = Array.isArray(returned) ? (returned as unknown[]) : [returned];
    if (others.length > 0) throw new LanthornError('argument', op, `a hook returns one gradient, not ${others.length + 1}`);
    if (replacement instanceof Tensor) changed = replacement;
  }
  return changed;
}

/** A view of the elements with a separate gradient, which belongs to the module alone. */
const same = (tensor: Tensor): Tensor => tensor.reshape(tensor.shape);

/**
 * Runs `forward` so that the backward hooks are called with the gradients of its inputs and
 * results.
 */
export function runWithBackwardHooks<M>(
  module: M, preHooks: Iterable<BackwardPreHook<M>>, hooks: Iterable<BackwardHook<M>>, inputs: readonly unknown[], forward: (inputs: unknown[]) => unknown,
): unknown {
  const given = inputs.filter((input) => input instanceof Tensor) as Tensor[];
  const open = given.filter((input) => input.requiresGrad);
  const gradInput: (Tensor | null)[] = given.map(() => null);
  let gradOutput: (Tensor | null)[] = [];
  let arrived = 0;
  const call = (): readonly (Tensor | null)[] => {
    let changed: readonly (Tensor | null)[] = [...gradInput];
    for (const hook of hooks) {
      const returned = hook(module, [...changed], [...gradOutput]);
      if (!returned) continue;
      if (open.length !== 1 || returned.length !== given.length) {
        throw new LanthornError('argument', 'registerFullBackwardHook', `a hook can change the gradient of one input, not of ${open.length}`);
      }
      changed = returned;
    }
    return changed;
  };
  const taken = inputs.map((input) => {
    if (!(input instanceof Tensor) || !input.requiresGrad) return input;
    const index = given.indexOf(input);
    const watchedInput = same(input);
    watchedInput.registerHook((gradient) => {
      gradInput[index] = gradient;
      arrived += 1;
      if (arrived < open.length) return undefined;
      const changed = call()[index];
      return changed && changed !== gradient ? changed : undefined;
    });
    return watchedInput;
  });
  const output = forward(taken);
  gradOutput = tensorsOf(output).map(() => null);
  let number = 0;
  const watchOutput = (tensor: unknown): unknown => {
    if (!(tensor instanceof Tensor)) return tensor;
    const index = number;
    number += 1;
    if (!tensor.requiresGrad) return tensor;
    const watchedOutput = same(tensor);
    watchedOutput.registerHook((gradient) => {
      const changed = changedOutput(module, preHooks, gradient, gradOutput.length);
      gradOutput[index] = changed;
      if (open.length === 0) call();
      return changed === gradient ? undefined : changed;
    });
    return watchedOutput;
  };
  return Array.isArray(output) ? output.map(watchOutput) : watchOutput(output);
}
