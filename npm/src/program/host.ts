/** The core's functions as the module of programs calls them: tensors are handles of the core. */
import { isTracing } from '../compile/tracing.js';
import type { Core } from '../core/core.js';
import { nextTask } from '../core/event-loop.js';
import { isRecording } from '../core/recording.js';
import { deviceInfo, enter, isWide } from '../core/runtime.js';
import { OPERATIONS } from '../generated/table.js';
import { observer } from '../tensor/observe.js';
import { Tensor } from '../tensor/tensor.js';
import { TensorHandle } from '../tensor/tensor-handle.js';

/** The recordings of a straight run of operations of a program. After a recovery they are empty. */
class Recordings {
  #core: Core;
  #handle: number;

  constructor() {
    [this.#core, this.#handle] = enter((wasm) => [wasm, wasm.compiledNew(true)] as const);
  }

  replay(tensors: Uint32Array): Uint32Array | undefined {
    return enter((wasm) => (wasm === this.#core ? wasm.compiledReplay(this.#handle, tensors) : undefined));
  }

  start(tensors: Uint32Array, constants: Uint8Array): Uint32Array {
    return enter((wasm) => {
      if (wasm !== this.#core) [this.#core, this.#handle] = [wasm, wasm.compiledNew(true)];
      return wasm.compiledStart(this.#handle, tensors, constants);
    });
  }

  finish(results: Uint32Array): number | undefined {
    return enter((wasm) => (wasm === this.#core ? wasm.compiledFinish(this.#handle, results) : undefined));
  }

  abort(): void {
    enter((wasm) => { if (wasm === this.#core) wasm.compiledAbort(this.#handle); });
  }

  kernels(): Uint32Array {
    return this.#report()?.[0] ?? new Uint32Array();
  }

  breaks(): string[] {
    return this.#report()?.[3] ?? [];
  }

  dispose(): void {
    try {
      this.#core.compiledDispose(this.#handle);
    } catch {
      // The core is gone, and the recordings with it.
    }
  }

  #report(): [Uint32Array, number, number, string[]] | undefined {
    return enter((wasm) => (wasm === this.#core ? wasm.compiledReport(this.#handle) : undefined)) as [Uint32Array, number, number, string[]] | undefined;
  }
}

/** How often programs have set whether operations are recorded for gradients. */
let gradModes = 0;

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
  begin: (handles: Uint32Array, gradEnabled: boolean | undefined) => enter((wasm) => wasm.programBegin(handles, gradEnabled)),
  dtype: (handle: number) => enter((wasm) => wasm.tensorDtype(handle)),
  copy: (target: number, source: number) => enter((wasm) => wasm.tensorCopy(target, source)),
  detach: (handle: number) => enter((wasm) => wasm.tensorDetach(handle)),
  share: (handle: number) => enter((wasm) => wasm.tensorShare(handle)),
  dispose: (handle: number) => void enter((wasm) => wasm.tensorDispose(handle)),
  requiresGrad: (handle: number) => enter((wasm) => wasm.tensorRequiresGrad(handle)),
  setRequiresGrad: (handle: number, wanted: boolean) => enter((wasm) => wasm.tensorSetRequiresGrad(handle, wanted)),
  isGradEnabled: () => enter((wasm) => wasm.isGradEnabled()),
  setGradEnabled: (enabled: boolean) => {
    gradModes += 1;
    return enter((wasm) => wasm.setGradEnabled(enabled));
  },
  gradModes: () => gradModes,
  setAutocast: (dtype: string | undefined) => enter((wasm) => wasm.setAutocast(dtype)),
  handleOf: (value: unknown) => (value instanceof TensorHandle ? value.coreHandle : undefined),
  wrap: (handle: number) => Tensor.fromCore(handle),
  recordings: () => new Recordings(),
  canRecord: () => !isRecording() && !isTracing() && observer === undefined,
  reads: () => enter((wasm) => wasm.compiledReads()),
  now: () => performance.now(),
  nextTask,
  print: (text: string) => console.log(text),
};
