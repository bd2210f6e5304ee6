/** Every operation as it is called, for {@link detectAnomaly}. */

type Observer = (op: string, inputs: readonly unknown[], result: unknown) => void;

let observer: Observer | undefined;

/** Shows an operation to the observer, if there is one, and returns its result. */
export function observed<T>(op: string, inputs: readonly unknown[], result: T): T {
  observer?.(op, inputs, result);
  return result;
}

/** Sets the observer of all operations until it is set again; returns that before. */
export function observe(next: Observer | undefined): Observer | undefined {
  const before = observer;
  observer = next;
  return before;
}
