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
  return { restore, [dispose]: restore };
}

/** Runs `fn` in a mode. */
function runIn<T>(op: string, enabled: boolean, fn: () => T): T {
  checkFunction(op, fn);
  const mode = setGradEnabled(enabled);
  try {
    const result = fn();
    if (result instanceof Promise) {
      result.catch(() => {});
      const instead = `use const mode = setGradEnabled(${enabled}), which holds across await until mode.restore()`;
      throw new LanthornError('argument', op, `the function must not be async; await outside of ${op}, or ${instead}`);
    }
    return result;
  } finally {
    mode.restore();
  }
}

/**
 * Runs `fn` without recording a graph, as `torch.no_grad`. `fn` must not be async, because other
 * code that runs while it waits would not be recorded either; {@link setGradEnabled} is for that.
 */
export function noGrad<T>(fn: () => T): T {
  return runIn('noGrad', false, fn);
}

/**
 * Runs `fn` without recording a graph, as `torch.inference_mode`. It is {@link noGrad} under the
 * name of programs that only evaluate; its tensors may take part in a graph later.
 */
export function inferenceMode<T>(fn: () => T): T {
  return runIn('inferenceMode', false, fn);
}

/** Runs `fn` and records a graph, as `torch.enable_grad`, also inside of {@link noGrad}. */
export function enableGrad<T>(fn: () => T): T {
  return runIn('enableGrad', true, fn);
}
