/** PyTorch for the web: tensors, autograd, modules and optimizers on WebGPU and the CPU. */
export * as amp from './amp/index.js';
export { autocast, type AutocastOptions } from './amp/index.js';
export * as autograd from './autograd/index.js';
export { enableGrad, grad, isGradEnabled, noGrad, setGradEnabled, type GradMode, type GradOptions } from './autograd/grad.js';
export { compile, type Compiled, type CompileReport } from './compile/compile.js';
export {
  bfloat16, bool, double, float, float16, float32, float64, half, int, int32, int64, long, uint8,
} from './tensor/dtypes.js';
export { LanthornError, type ErrorKind } from './core/errors.js';
export { tensor, type TensorOptions } from './tensor/from-data.js';
export {
  emptyCache, explain, memory, profile, setMemoryLimit, stats, tune,
  type Explanation, type MemoryInfo, type Profile, type ProfileRow, type Stats, type Tuned, type TunedKernel,
} from './inspect/inspect.js';
export { fromGPUBuffer, gpuDevice, type BufferOptions } from './tensor/gpu-buffer.js';
export type { NativeDevice } from './core/own-device.js';
export type { NativeBuffer, SharedBuffer } from './tensor/shared-buffer.js';
export { releaseHandle, type SharedHandle } from './tensor/shared-handle.js';
export type { SharedMemory } from './core/shared-memory.js';
export { recordMemoryHistory, type AliveTensors } from './inspect/alive.js';
export * as fft from './generated/fft.js';
export { einsum, tripletMarginWithDistanceLoss, type Subscript, type TripletDistanceOptions } from './tensor/functional.js';
export * as library from './library/library.js';
export * as linalg from './generated/linalg.js';
export * as nn from './nn/index.js';
export { ops, type OperationInfo } from './library/operation-list.js';
export * from './generated/operations.js';
export * as optim from './optim/index.js';
export { autosave, recover, type Autosave, type AutosaveOptions, type Recoverable, type Stateful } from './recovery/index.js';
export {
  getNumThreads, getRngState, init, manualSeed, onDeviceLost, setNumThreads, setRngState, sharedMemory, synchronize,
  type DeviceInfo, type DeviceLoss, type InitOptions, type RngState,
} from './core/runtime.js';
export { scope } from './tensor/scope.js';
export { fromPixels, toBlob, toCanvas, toImageData, type PixelOptions } from './tensor/pixels.js';
export type { ImageMode, PixelSource } from './tensor/planes.js';
export * as signal from './tensor/signal.js';
export * as special from './generated/special.js';
export type { IndexKey } from './tensor/brackets.js';
export { isTensor, Tensor, type BackwardOptions, type HookHandle } from './tensor/tensor.js';
export type { DType, NestedArray, Scalar, TensorLike, TypedArray } from './core/types.js';
