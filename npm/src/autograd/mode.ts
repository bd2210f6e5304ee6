/** Whether operations are recorded for gradients. */
import { checkFunction, describe } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';

/** Whether operations are recorded for gradients, as `torch.is_grad_enabled`. */
export function isGradEnabled(): boolean {
  return enter((wasm) => wasm.isGradEnabled());
}

/** A mode that ends when it is disposed of. */
export interface GradMode {
  /** Restores the mode before. */
  restore(): void;
  /**
   * A function that runs in this mode, as a function decorated with `torch.set_grad_enabled` does.
   * The mode before is restored at once. See {@link noGrad}.
   */
  wrap<F extends Wrapped>(fn: F): F;
  [dispose](): void;
}

/**
 * Sets whether operations are recorded for gradients, as `torch.set_grad_enabled`, until it is set
 * again. It holds across every `await`, for all code that runs meanwhile.
 *
 * @example
 * const mode = setGradEnabled(false);
 * try {
 *   for await (const [x, y] of loader) correct += await net.call(x).argmax(1).eq(y).sum().item();
 * } finally {
 *   mode.restore();
 * }
 */
export function setGradEnabled(enabled: boolean): GradMode {
  if (typeof enabled !== 'boolean') {
    throw new LanthornError('argument', 'setGradEnabled', `takes true or false, not ${describe(enabled)}`);
  }
  const before = enter((wasm) => wasm.setGradEnabled(enabled));
  const restore = (): void => void enter((wasm) => wasm.setGradEnabled(before));
  const wrap = <F extends Wrapped>(fn: F): F => {
    restore();
    return wrapIn('setGradEnabled', enabled, fn);
  };
  return { restore, wrap, [dispose]: restore };
}

/** A function to wrap. */
// biome-ignore lint/suspicious/noExplicitAny: a function of any arguments is wrapped.
type Wrapped = (...args: any[]) => unknown;

/** The kind of a function by its class, which has no name in JavaScript. */
const kindOf = (fn: Function): string => fn.constructor.name;

/**
 * A function that runs in a mode, with the arguments and the `this` of each call. Of a generator
 * each step runs in the mode, and the code between the steps does not.
 */
function wrapIn<F extends Wrapped>(op: string, enabled: boolean, fn: F): F {
  checkFunction(`${op}.wrap`, fn);
  if (kindOf(fn).startsWith('Async')) throw asyncError(`${op}.wrap`, enabled);
  const wrapped = function (this: unknown, ...args: unknown[]): unknown {
    const result = runIn(op, enabled, () => fn.apply(this, args));
    return kindOf(fn) === 'GeneratorFunction' ? steps(op, enabled, result as Generator) : result;
  };
  Object.defineProperty(wrapped, 'name', { value: fn.name, configurable: true });
  return wrapped as F;
}

/** A generator whose steps run in a mode. */
function steps(op: string, enabled: boolean, inner: Generator): Generator {
  const within = <T>(step: () => T): T => runIn(op, enabled, step);
  const outer: Pick<Generator, 'next' | 'return' | 'throw' | typeof Symbol.iterator> = {
    next: (...sent: [] | [unknown]) => within(() => inner.next(...sent)),
    return: (value: unknown) => within(() => inner.return(value)),
    throw: (error: unknown) => within(() => inner.throw(error)),
    [Symbol.iterator]: () => outer as Generator,
  };
  return outer as Generator;
}

/** The error of an async function, which would change the mode of other code while it waits. */
function asyncError(op: string, enabled: boolean): LanthornError {
  const instead = `use const mode = setGradEnabled(${enabled}), which holds across await until mode.restore()`;
  return new LanthornError('argument', op, `the function must not be async; await outside of ${op}, or ${instead}`);
}

/** Runs `fn` in a mode. */
function runIn<T>(op: string, enabled: boolean, fn: () => T): T {
  checkFunction(op, fn);
  const mode = setGradEnabled(enabled);
  try {
    const result = fn();
    if (result instanceof Promise) {
      result.catch(() => {});
      throw asyncError(op, enabled);
    }
    return result;
  } finally {
    mode.restore();
  }
}

/**
 * Runs `fn` without recording a graph, as `torch.no_grad`. `fn` must not be async, because other
 * code that runs while it waits would not be recorded either; {@link setGradEnabled} is for that.
 * `noGrad.wrap(fn)` is a function that runs without a graph at each call, as one that is decorated
 * in PyTorch; so are `enableGrad.wrap`, `inferenceMode.wrap` and `setGradEnabled(false).wrap`.
 *
 * @example
 * const evaluate = noGrad.wrap((x: Tensor) => net.call(x).argmax(1));
 */
export function noGrad<T>(fn: () => T): T {
  return runIn('noGrad', false, fn);
}

/** A function that runs in {@link noGrad} at each call, as a decorated one in PyTorch. */
noGrad.wrap = <F extends Wrapped>(fn: F): F => wrapIn('noGrad', false, fn);

/**
 * Runs `fn` without recording a graph, as `torch.inference_mode`. It is {@link noGrad} under the
 * name of programs that only evaluate; its tensors may take part in a graph later.
 */
export function inferenceMode<T>(fn: () => T): T {
  return runIn('inferenceMode', false, fn);
}

/** A function that runs in {@link inferenceMode} at each call, as a decorated one in PyTorch. */
inferenceMode.wrap = <F extends Wrapped>(fn: F): F => wrapIn('inferenceMode', false, fn);

/** Runs `fn` and records a graph, as `torch.enable_grad`, also inside of {@link noGrad}. */
export function enableGrad<T>(fn: () => T): T {
  return runIn('enableGrad', true, fn);
}

/** A function that runs in {@link enableGrad} at each call, as a decorated one in PyTorch. */
enableGrad.wrap = <F extends Wrapped>(fn: F): F => wrapIn('enableGrad', true, fn);
