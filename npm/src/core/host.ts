/**
 * WebGPU where `navigator.gpu` is: pages and all of their workers, Deno, and Node with an
 * implementation such as the package `webgpu`.
 */

/** Whether there is a WebGPU to ask for an adapter. */
export function mayHaveWebGpu(): boolean {
  return (globalThis.navigator as { gpu?: unknown } | undefined)?.gpu !== undefined;
}

/**
 * Opens the core's device. The core asks for WebGPU only in a page or a worker, which it recognizes
 * by a global class; a host that has neither counts as a worker until the device is open.
 */
export async function asWorker<T>(open: () => Promise<T>): Promise<T> {
  const host = globalThis as { Window?: unknown; WorkerGlobalScope?: unknown };
  if (host.Window !== undefined || host.WorkerGlobalScope !== undefined) return open();
  host.WorkerGlobalScope = { [Symbol.hasInstance]: (value: unknown) => value === globalThis };
  try {
    return await open();
  } finally {
    delete host.WorkerGlobalScope;
  }
}
