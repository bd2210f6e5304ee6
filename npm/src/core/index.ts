/** Devices: opening one, its threads, its random state, its errors, and the types of elements. */
export { getDefaultDtype, setDefaultDtype } from './default-dtype.js';
export { defaultGenerator, Generator, initialSeed, seed } from './generator.js';
export { LanthornError, type ErrorKind } from './errors.js';
export type { NativeDevice } from './own-device.js';
export {
  getNumThreads, getRngState, init, manualSeed, onDeviceLost, setNumThreads, setRngState, sharedMemory, synchronize,
  type DeviceInfo, type DeviceLoss, type InitOptions, type RngState,
} from './runtime.js';
export type { SharedMemory } from './shared-memory.js';
export type { DType, Elements, ElementsOf, NestedArray, NestedItem, Scalar, Typed, TypedArray } from './types.js';
