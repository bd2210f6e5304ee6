/** Every operation as it is called, for {@link detectAnomaly}. */

type Observer = (op: string, inputs: readonly unknown[], result: unknown) => void;

/** Is called with each operation, if it is there: `observer?.(…)` costs nothing where it is not. */
export let observer: Observer | undefined;

/** Sets the observer of all operations until it is set again; returns that before. */
export function observe(next: Observer | undefined): Observer | undefined {
  const before = observer;
  observer = next;
  return before;
}
