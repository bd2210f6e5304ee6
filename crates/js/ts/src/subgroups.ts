/** A feature of WebGPU that the core uses where it is there, and that wgpu cannot ask a browser for: its table of features lacks it. */

/** What is asked of an adapter. */
interface Descriptor {
  label?: string;
  requiredFeatures?: Iterable<string>;
}

/** An adapter, as far as it concerns this. */
interface Adapter {
  readonly features: ReadonlySet<string>;
  requestDevice(descriptor?: Descriptor): Promise<unknown>;
}

/** Opens the core's device with subgroups where the adapter has them. Devices that others open meanwhile are asked for as they are. */
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
