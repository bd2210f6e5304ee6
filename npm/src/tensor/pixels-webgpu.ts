/** Pictures to tensors on the GPU, without a way through the host's memory. */
import { fromGPUBuffer, gpuDevice } from './gpu-buffer.js';
import { CHANNELS, checkedSize, foreignPicture, LUMA, type Drawable, type ImageMode } from './planes.js';
import type { Tensor } from './tensor.js';

/** `GPUTextureUsage.COPY_SRC | COPY_DST | RENDER_ATTACHMENT`, `GPUBufferUsage.COPY_SRC | COPY_DST`. */
const [TEXTURE, BUFFER] = [1 | 2 | 16, 4 | 8];
/** A row of a texture occupies a multiple of this many bytes in a buffer. */
const ROW_ALIGNMENT = 256;

/** The part of WebGPU that is used here, for compilers whose libraries do not declare it. */
interface Device {
  readonly limits: { readonly maxTextureDimension2D: number; readonly maxBufferSize: number };
  readonly queue: {
    copyExternalImageToTexture(from: object, to: object, size: readonly number[]): void;
    submit(commands: readonly unknown[]): void;
  };
  createTexture(descriptor: object): { destroy(): void };
  createBuffer(descriptor: object): { destroy(): void };
  createCommandEncoder(): { copyTextureToBuffer(from: object, to: object, size: readonly number[]): void; finish(): unknown };
}

/**
 * The bytes of a picture, [C, H, W]; undefined where this browser or device cannot copy it, which has
 * to be done by the host then.
 */
export function planesOnGpu(op: string, source: Drawable, mode: ImageMode): Tensor | undefined {
  const size = checkedSize(op, source);
  const device = gpuDevice() as unknown as Device;
  const [width, height] = size;
  const bytesPerRow = Math.ceil((4 * width) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  const { maxTextureDimension2D, maxBufferSize } = device.limits;
  if (Math.max(width, height) > maxTextureDimension2D || bytesPerRow * height > maxBufferSize) return undefined;
  const texture = device.createTexture({ size, format: 'rgba8unorm', usage: TEXTURE });
  try {
    device.queue.copyExternalImageToTexture({ source }, { texture }, size);
  } catch (error) {
    texture.destroy();
    if ((error as Error).name === 'SecurityError') throw foreignPicture(op, error);
    // Not every browser takes every kind of picture here.
    return undefined;
  }
  const buffer = device.createBuffer({ size: bytesPerRow * height, usage: BUFFER });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, size);
  device.queue.submit([encoder.finish()]);
  texture.destroy();
  const rows = fromGPUBuffer(buffer as never, { shape: [height, bytesPerRow / 4, 4], dtype: 'uint8' });
  buffer.destroy();
  return planes(rows.narrow(1, 0, width).permute(2, 0, 1), mode);
}

/** The channels of a mode, from red, green, blue and alpha. */
function planes(channels: Tensor, mode: ImageMode): Tensor {
  if (mode !== 'gray') return channels.narrow(0, 0, CHANNELS[mode]).contiguous();
  const [red, green, blue] = [0, 1, 2].map((channel) => channels.narrow(0, channel, 1).to('int32')) as [Tensor, Tensor, Tensor];
  const luma = red.mul(LUMA.red).add(green.mul(LUMA.green)).add(blue.mul(LUMA.blue)).add(LUMA.half);
  return luma.bitwiseRightShift(16).to('uint8');
}
