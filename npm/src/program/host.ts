/** The core's functions as the module of programs calls them: tensors are handles of the core. */
import { nextTask } from '../core/event-loop.js';
import { deviceInfo, enter, isWide } from '../core/runtime.js';
import { OPERATIONS } from '../generated/table.js';
import { Tensor } from '../tensor/tensor.js';
import { TensorHandle } from '../tensor/tensor-handle.js';

/** The functions of the core in use. {@link enter} converts its exceptions. */
export const host = {
  operations: () => OPERATIONS,
  device: () => deviceInfo().device,
  isWide,
  run: (op: number, words: Float64Array, strings: string[]) => enter((wasm) => wasm.opCallReady(op, words, strings)),
  runInPlace: (op: number, words: Float64Array, strings: string[]) => void enter((wasm) => wasm.opCallReadyInPlace(op, words, strings)),
  fromBytes: (dtype: string, bytes: Uint8Array, shape: Float64Array) => enter((wasm) => wasm.tensorFromBytes(dtype, bytes, shape)),
  uploadBegin: (dtype: string, shape: Float64Array) => enter((wasm) => wasm.uploadBegin(dtype, shape)),
  uploadPush: (upload: number, bytes: Uint8Array) => void enter((wasm) => wasm.uploadPush(upload, bytes)),
  uploadFinish: (upload: number) => enter((wasm) => wasm.uploadFinish(upload)),
  uploadDispose: (upload: number) => void enter((wasm) => wasm.uploadDispose(upload)),
  read: (handle: number) => enter((wasm) => wasm.tensorRead(handle)),
  shape: (handle: number) => enter((wasm) => wasm.tensorShape(handle)),
  strides: (handle: number) => enter((wasm) => wasm.tensorStride(handle)),
  storageOffset: (handle: number) => enter((wasm) => wasm.tensorStorageOffset(handle)),
  dtype: (handle: number) => enter((wasm) => wasm.tensorDtype(handle)),
  copy: (target: number, source: number) => enter((wasm) => wasm.tensorCopy(target, source)),
  detach: (handle: number) => enter((wasm) => wasm.tensorDetach(handle)),
  share: (handle: number) => enter((wasm) => wasm.tensorShare(handle)),
  dispose: (handle: number) => void enter((wasm) => wasm.tensorDispose(handle)),
  requiresGrad: (handle: number) => enter((wasm) => wasm.tensorRequiresGrad(handle)),
  setRequiresGrad: (handle: number, wanted: boolean) => enter((wasm) => wasm.tensorSetRequiresGrad(handle, wanted)),
  setGradEnabled: (enabled: boolean) => enter((wasm) => wasm.setGradEnabled(enabled)),
  setAutocast: (dtype: string | undefined) => enter((wasm) => wasm.setAutocast(dtype)),
  handleOf: (value: unknown) => (value instanceof TensorHandle ? value.coreHandle : undefined),
  wrap: (handle: number) => Tensor.fromCore(handle),
  now: () => performance.now(),
  nextTask,
  print: (text: string) => console.log(text),
};
