/** Opening the core on a WebGPU device that the program has opened. */
import { describe, wrongArgument } from './check.js';
import type { GpuDevice } from './subgroups.js';

/** A `GPUDevice`, if the compiler's libraries declare it. */
export type NativeDevice = typeof globalThis extends { GPUDevice: { prototype: infer Device } } ? Device : object;

/** The part of a program's device that is used. */
export interface OwnDevice extends GpuDevice {
  readonly features: ReadonlySet<string>;
  readonly limits: object;
  readonly adapterInfo?: object;
  onuncapturederror: unknown;
}

interface Gpu {
  requestAdapter: unknown;
}

/** Refuses a value that is no `GPUDevice`. */
export function checkDevice(device: unknown): asserts device is OwnDevice {
  const { createBuffer, queue, limits } = (device ?? {}) as Record<string, unknown>;
  if (typeof createBuffer === 'function' && queue && limits) return;
  throw wrongArgument('init', 'gpuDevice', 'a GPUDevice', describe(device));
}

/**
 * Opens the core's device as one that the program has opened. The core asks the browser for an adapter
 * and that for a device; its next request, which it makes before anything else can, is answered with
 * this one.
 */
export async function withDevice<T>(device: OwnDevice, open: () => Promise<T>): Promise<T> {
  const adapter = {
    features: device.features,
    limits: device.limits,
    info: device.adapterInfo ?? { vendor: '', architecture: '', device: '', description: '' },
    requestDevice: () => Promise.resolve(device),
  };
  const restore = answerNextRequest(adapter);
  const handler = device.onuncapturederror;
  try {
    return await open();
  } finally {
    restore();
    // The core has put its handler in place of the program's, whose errors are not the core's.
    device.onuncapturederror = handler;
  }
}

/** The next request of an adapter returns this one; the result undoes that. */
function answerNextRequest(adapter: object): () => void {
  const { navigator } = globalThis as unknown as { navigator: { gpu?: Gpu } };
  const isMissing = navigator.gpu === undefined;
  // Where a program made a device without navigator.gpu.
  if (isMissing) Object.defineProperty(navigator, 'gpu', { value: {}, configurable: true });
  const gpu = navigator.gpu!;
  const restore = (): void => {
    if (Object.getOwnPropertyDescriptor(gpu, 'requestAdapter')?.value === answer) delete (gpu as Partial<Gpu>).requestAdapter;
    if (isMissing) delete navigator.gpu;
  };
  const answer = (): Promise<object> => {
    restore();
    return Promise.resolve(adapter);
  };
  Object.defineProperty(gpu, 'requestAdapter', { value: answer, configurable: true, writable: true });
  return restore;
}
