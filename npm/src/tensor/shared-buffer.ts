/** A tensor's buffer on WebGPU, for the program's own commands. */
import { dispose } from '../core/dispose-symbol.js';
import { enter, enterAsync } from '../core/runtime.js';
import type { TensorHandle } from './tensor-handle.js';

/** A `GPUBuffer`, if the compiler's libraries declare it. */
export type NativeBuffer = typeof globalThis extends { GPUBuffer: { prototype: infer Buffer } } ? Buffer : object;

/** A tensor's buffer, as long as the program uses it. */
export interface SharedBuffer {
  /** The buffer, with the usages `STORAGE` and `COPY_SRC`. The program must not write to it. */
  readonly buffer: NativeBuffer;
  /** The first byte of the elements. */
  readonly offset: number;
  /** The number of their bytes. */
  readonly size: number;
  /** Lets the library use the buffer again; afterwards its contents change. */
  release(): void;
  [dispose](): void;
}

/** Releases buffers whose {@link SharedBuffer} was dropped. */
const registry = new FinalizationRegistry<number>(release);

function release(id: number): void {
  try {
    enter((wasm) => wasm.gpuBufferRelease(id));
  } catch {
    // The core is gone, and the buffer with it.
  }
}

/** Shares a tensor's buffer; `entry` is the function that users call. */
export async function shareBuffer(tensor: TensorHandle, entry: Function): Promise<SharedBuffer> {
  type Parts = [buffer: NativeBuffer, offset: number, size: number, id: number];
  const [buffer, offset, size, id] = (await enterAsync((wasm) => wasm.tensorGpuBuffer(tensor.coreHandle), entry)) as Parts;
  const token = {};
  const end = (): void => {
    if (registry.unregister(token)) release(id);
  };
  const shared: SharedBuffer = { buffer, offset, size, release: end, [dispose]: end };
  registry.register(shared, id, token);
  return shared;
}
