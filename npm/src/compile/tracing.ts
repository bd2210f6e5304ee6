/** Whether a function is being traced. Programs are exported from traces. */
let active = false;

/** Whether a function is being traced. Compiled functions are then called as they are. */
export const isTracing = (): boolean => active;

/** Says that a function is traced from now on, or no more. */
export function setTracing(tracing: boolean): void {
  active = tracing;
}
