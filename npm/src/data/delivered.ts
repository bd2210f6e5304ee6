/** Arrays of a batch that a worker delivers in shared memory. */
import { enter, init, isInitialized, isMemoryShared } from '../core/runtime.js';
import { releaseHandle, type SharedHandle } from '../tensor/shared-handle.js';
import type { SharedMemory } from '../core/shared-memory.js';
import { tensor } from '../tensor/from-data.js';
import { Tensor } from '../tensor/tensor.js';
import type { HostArray } from './host-array.js';

/** Releases the handles of batches that no caller received. */
const registry = new FinalizationRegistry<SharedHandle>((handle) => {
  try {
    releaseHandle(handle);
  } catch {
    // The core is gone, and its memory with it.
  }
});

/** A tensor of a worker, until the batch is taken. */
export class Delivered {
  readonly #handle: SharedHandle;

  constructor(handle: SharedHandle) {
    this.#handle = handle;
    registry.register(this, handle, this);
  }

  /** The tensor. */
  take(): Tensor {
    const taken = Tensor.fromHandle(this.#handle);
    registry.unregister(this);
    return taken;
  }
}

/** An array as a tensor in shared memory, by its handle. */
export function deliver({ data, shape, dtype }: HostArray): SharedHandle {
  const made = tensor(data, { shape, dtype }).shareMemory_();
  const handle = made.handle();
  made.dispose();
  enter((wasm) => wasm.deviceFlush());
  return handle;
}

/**
 * Whether batches can be delivered in this memory: the worker has no device, and attaches to the
 * page's device.
 */
export async function attaches(memory: SharedMemory | undefined): Promise<boolean> {
  if (!memory) return false;
  if (isInitialized()) return isMemoryShared();
  return init({ memory }).then(() => true, () => false);
}
