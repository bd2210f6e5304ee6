/** PyTorch for the web: tensors, autograd, modules and optimizers on WebGPU and the CPU. */
export * as amp from './amp.js';
export { autocast, type AutocastOptions } from './amp.js';
export * as autograd from './autograd-module.js';
export { enableGrad, grad, isGradEnabled, noGrad, setGradEnabled, type GradMode, type GradOptions } from './autograd.js';
export { compile, type Compiled, type CompileReport } from './compile.js';
export {
  bfloat16, bool, double, float, float16, float32, float64, half, int, int32, int64, long, uint8,
} from './dtypes.js';
export { LanthornError, type ErrorKind } from './errors.js';
export { tensor, type TensorOptions } from './from-data.js';
export {
  emptyCache, explain, memory, profile, setMemoryLimit, stats, tune,
  type Explanation, type MemoryInfo, type Profile, type ProfileRow, type Stats, type Tuned, type TunedKernel,
} from './inspect.js';
export { fromGPUBuffer, gpuDevice, type BufferOptions } from './gpu-buffer.js';
export type { NativeDevice } from './own-device.js';
export type { NativeBuffer, SharedBuffer } from './shared-buffer.js';
export { releaseHandle, type SharedHandle } from './shared-handle.js';
export type { SharedMemory } from './shared-memory.js';
export { recordMemoryHistory, type AliveTensors } from './alive.js';
export * as fft from './fft.generated.js';
export { einsum, tripletMarginWithDistanceLoss, type Subscript, type TripletDistanceOptions } from './functional.js';
export * as library from './library.js';
export * as linalg from './linalg.generated.js';
export * as nn from './nn.js';
export { ops, type OperationInfo } from './operation-list.js';
export * from './operations.generated.js';
export * as optim from './optim.js';
export { autosave, recover, type Autosave, type AutosaveOptions, type Recoverable, type Stateful } from './recovery.js';
export {
  getNumThreads, getRngState, init, manualSeed, onDeviceLost, setNumThreads, setRngState, sharedMemory, synchronize,
  type DeviceInfo, type DeviceLoss, type InitOptions, type RngState,
} from './runtime.js';
export { scope } from './scope.js';
export { fromPixels, toBlob, toCanvas, toImageData, type PixelOptions } from './pixels.js';
export type { ImageMode, PixelSource } from './planes.js';
export * as signal from './signal.js';
export * as special from './special.generated.js';
export type { IndexKey } from './brackets.js';
export { isTensor, Tensor, type BackwardOptions, type HookHandle } from './tensor.js';
export type { DType, NestedArray, Scalar, TensorLike, TypedArray } from './types.js';
