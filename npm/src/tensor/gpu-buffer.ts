/** The program's own use of the WebGPU device: the device, and tensors from its buffers. */
import { checkOptions, describe, wrongArgument } from '../core/check.js';
import type { NativeDevice } from '../core/own-device.js';
import { enter } from '../core/runtime.js';
import type { NativeBuffer } from './shared-buffer.js';
import { registerEntries } from '../core/stack.js';
import { Tensor } from './tensor.js';
import type { DType } from '../core/types.js';

/**
 * The `GPUDevice` in use, on which a program can render what tensors hold.
 *
 * @example
 * const context = canvas.getContext('webgpu');
 * context.configure({ device: gpuDevice(), format: navigator.gpu.getPreferredCanvasFormat() });
 */
export function gpuDevice(): NativeDevice {
  return enter((wasm) => wasm.gpuDevice()) as NativeDevice;
}

/** Options of {@link fromGPUBuffer}. */
export interface BufferOptions {
  /** The sizes. */
  shape: readonly number[];
  /** The element type (default float32). bool and int64 have another form on the device. */
  dtype?: Exclude<DType, 'bool' | 'int64' | 'float64'>;
  /** The first byte, a multiple of 4 (default 0). */
  offset?: number;
}

/**
 * A tensor with a copy of a `GPUBuffer` of {@link gpuDevice}, which needs the usage `COPY_SRC`. The
 * copy stays on the device. It is made at once, in the order of the device's queue: after the
 * program's earlier submissions, and before later ones. A whole number of words of 4 bytes is
 * copied.
 *
 * @example
 * const x = fromGPUBuffer(buffer, { shape: [480, 640] });
 */
export function fromGPUBuffer(buffer: NativeBuffer, options: BufferOptions): Tensor {
  const { shape, dtype = 'float32', offset = 0 } = checkOptions('fromGPUBuffer', options, ['shape', 'dtype', 'offset']);
  if (!Array.isArray(shape)) throw wrongArgument('fromGPUBuffer', 'shape', 'an array of sizes', describe(shape));
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw wrongArgument('fromGPUBuffer', 'offset', 'a number of bytes', String(offset));
  }
  return Tensor.fromCore(enter((wasm) => wasm.tensorFromGpuBuffer(dtype, Float64Array.from(shape), buffer, offset)));
}

registerEntries([fromGPUBuffer, gpuDevice]);
