/** Tensors: their class, the functions that make them, and the operations. */
export * as fft from '../generated/fft.js';
export * as linalg from '../generated/linalg.js';
export * from '../generated/operations.js';
export * as special from '../generated/special.js';
export { e, finfo, iinfo, inf, nan, newaxis, pi, type FloatLimits, type IntegerLimits } from './constants.js';
export {
  bfloat16, bool, double, float, float16, float32, float64, half, int, int32, int64, long, uint8,
} from './dtypes.js';
export { tensor, type TensorOptions } from './from-data.js';
export { einsum, nonzero, tripletMarginWithDistanceLoss, type Subscript, type TripletDistanceOptions } from './functional.js';
export { fromGPUBuffer, gpuDevice, type BufferOptions } from './gpu-buffer.js';
export { fromPixels, toBlob, toCanvas, toImageData, type PixelOptions } from './pixels.js';
export type { ImageMode, PixelSource } from './planes.js';
export { scope } from './scope.js';
export type { NativeBuffer, SharedBuffer } from './shared-buffer.js';
export { releaseHandle, type SharedHandle } from './shared-handle.js';
export * as signal from './signal.js';
export { isTensor, Tensor, type BackwardOptions, type HookHandle, type IndexKey, type NormalOptions, type TensorLike } from './tensor.js';
