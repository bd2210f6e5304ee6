/**
 * The core's request of a device, on its way through the browser: the WebGPU feature `subgroups` is
 * added, which the core uses if available and wgpu cannot request from a browser, because it is
 * missing from its table of features; and the device is shown to the package, which waits for its loss.
 */

import type { SubmittingDevice } from './firefox-queue.js';

/** The options of a device request. */
interface Descriptor {
  label?: string;
  requiredFeatures?: Iterable<string>;
}

/** The part of an adapter used here. */
interface Adapter {
  readonly features: ReadonlySet<string>;
  requestDevice(descriptor?: Descriptor): Promise<GpuDevice>;
}

/** The part of a device used here. */
export interface GpuDevice extends SubmittingDevice {
  readonly lost: Promise<{ readonly reason: string; readonly message: string }>;
}

/** Where a page keeps the opening under way: one at a time, whichever copy of the package it is of. */
const OPENING = Symbol.for('lanthorn.opening');

/**
 * Opens the core's device with subgroups if the adapter has them, and calls `opened` with it. Devices
 * that other code opens meanwhile are requested unchanged.
 */
export function withSubgroups<T>(open: () => Promise<T>, opened: (device: GpuDevice) => void): Promise<T> {
  const page = globalThis as { [OPENING]?: Promise<unknown> };
  const mine = Promise.resolve(page[OPENING]).then(() => openAlone(open, opened));
  page[OPENING] = mine.catch(() => { /* Its caller is told. */ });
  return mine;
}

async function openAlone<T>(open: () => Promise<T>, opened: (device: GpuDevice) => void): Promise<T> {
  const prototype = (globalThis as { GPUAdapter?: { prototype: Adapter } }).GPUAdapter?.prototype;
  if (!prototype) return open();
  const { requestDevice } = prototype;
  const asking = function (this: Adapter, descriptor?: Descriptor) {
    if (descriptor?.label !== 'lanthorn') return requestDevice.call(this, descriptor);
    const more = this.features.has('subgroups') ? ['subgroups'] : [];
    const requiredFeatures = [...(descriptor.requiredFeatures ?? []), ...more];
    const device = requestDevice.call(this, { ...descriptor, requiredFeatures });
    device.then(opened, () => { /* The core reports it. */ });
    return device;
  };
  prototype.requestDevice = asking;
  try {
    return await open();
  } finally {
    if (prototype.requestDevice === asking) prototype.requestDevice = requestDevice;
  }
}
