/**
 * Requests the WebGPU feature `subgroups`, which the core uses if available and wgpu cannot request
 * from a browser: it is missing from its table of features.
 */

/** The options of a device request. */
interface Descriptor {
  label?: string;
  requiredFeatures?: Iterable<string>;
}

/** The part of an adapter used here. */
interface Adapter {
  readonly features: ReadonlySet<string>;
  requestDevice(descriptor?: Descriptor): Promise<unknown>;
}

/**
 * Opens the core's device with subgroups if the adapter has them. Devices that other code opens
 * meanwhile are requested unchanged.
 */
export async function withSubgroups<T>(open: () => Promise<T>): Promise<T> {
  const prototype = (globalThis as { GPUAdapter?: { prototype: Adapter } }).GPUAdapter?.prototype;
  if (!prototype) return open();
  const { requestDevice } = prototype;
  const asking = function (this: Adapter, descriptor?: Descriptor) {
    const isCore = descriptor?.label === 'lanthorn' && this.features.has('subgroups');
    const features = isCore ? { requiredFeatures: [...(descriptor.requiredFeatures ?? []), 'subgroups'] } : {};
    return requestDevice.call(this, descriptor && { ...descriptor, ...features });
  };
  prototype.requestDevice = asking;
  try {
    return await open();
  } finally {
    if (prototype.requestDevice === asking) prototype.requestDevice = requestDevice;
  }
}
