/** The pixels of a picture as a tensor. */
import { planesOnGpu } from './pixels-webgpu.js';
import { checkMode, isImageData, planesOf, type ImageMode, type PixelSource } from './planes.js';
import { deviceInfo } from '../core/runtime.js';
import { Tensor } from './tensor.js';
import { upload } from './upload.js';

/** The bytes of a picture, [C, H, W]: copied by the GPU if the tensor is there and it can. */
export function pictureOf(op: string, source: PixelSource, mode: ImageMode): Tensor {
  checkMode(op, mode);
  const onGpu = deviceInfo().device === 'webgpu' && !isImageData(source) ? planesOnGpu(op, source, mode) : undefined;
  if (onGpu) return onGpu;
  const { data, shape } = planesOf(op, source, mode);
  return Tensor.fromCore(upload(data, shape));
}
