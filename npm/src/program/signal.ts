/** Signals that stop calls of programs, as they stop `fetch`. */
import { checkFunction, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { CallModule } from './module.js';
import { registerEntries } from '../core/stack.js';

/** The signal of the calls that begin now. */
let current: AbortSignal | undefined;

/**
 * Calls a function so that the calls of programs that it begins can be stopped: calls of exported
 * programs, of methods of script modules and of functions of `jit.script`. Such a call returns a
 * promise, which is rejected with the signal's reason; the program works afterwards. Earlier
 * effects of the call remain, such as a written buffer. Long calls yield to the page every 20 ms.
 *
 * Calls that the function begins after its first `await` have no signal.
 *
 * @example
 * const controller = new AbortController();
 * stopButton.onclick = () => controller.abort();
 * const text = await withSignal(controller.signal, () => module.callMethod<Promise<string>>('generate', 'Once'));
 */
export async function withSignal<T>(signal: AbortSignal, fn: () => T): Promise<Awaited<T>> {
  if (!(signal instanceof AbortSignal)) throw new LanthornError('argument', 'withSignal', `takes an AbortSignal, not ${describe(signal)}`);
  checkFunction('withSignal', fn);
  signal.throwIfAborted();
  const before = current;
  current = signal;
  let result: T;
  try {
    result = fn();
  } finally {
    current = before;
  }
  return await result;
}

registerEntries([withSignal]);

/**
 * Begins a call of a program of a module, with the signal of {@link withSignal} if there is one.
 * @internal
 */
export function beginCall(callModule: CallModule, op: string, call: (signal: AbortSignal | undefined) => unknown): unknown {
  const signal = current;
  if (signal === undefined) return callModule(op, () => call(undefined));
  const running = (async () => callModule(op, () => call(signal)))();
  return running.catch((error: unknown) => {
    throw error instanceof LanthornError && String(error.kind) === 'aborted' ? signal.reason : error;
  });
}
