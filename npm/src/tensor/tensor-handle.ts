/** The part of a tensor that everything else is built on: its handle in the core, and its lifetime. */
import { born, gone } from '../inspect/alive.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { Printed } from '../core/printed.js';
import { enter } from '../core/runtime.js';
import { track } from './scope.js';

/** Frees tensors that were garbage collected without being disposed of. */
const registry = new FinalizationRegistry<number>((handle) => {
  gone(handle);
  try {
    enter((wasm) => wasm.tensorDispose(handle));
  } catch {
    // The core is gone, and the tensor with it.
  }
});

/**
 * A tensor in the core. The modules that encode arguments and decode results use this class, and the
 * class `Tensor` extends it, so that no two modules import each other.
 */
export class TensorHandle extends Printed {
  /** The core's handle of the tensor. */
  #handle: number;
  #disposed = false;

  /** @internal */
  constructor(handle: number) {
    super();
    this.#handle = handle;
    registry.register(this, handle, this);
    born(handle, new.target);
    track(this);
  }

  /** @internal */
  get coreHandle(): number {
    if (this.#disposed) throw new LanthornError('disposed', 'tensor', 'used after dispose(), or after the end of the scope that it was created in');
    return this.#handle;
  }

  /** @internal Takes another handle; the previous tensor is disposed of. */
  protected replaceHandle(handle: number): void {
    const before = this.coreHandle;
    registry.unregister(this);
    gone(before);
    enter((wasm) => wasm.tensorDispose(before));
    this.#handle = handle;
    registry.register(this, handle, this);
    born(handle, TensorHandle);
  }

  /** Whether {@link TensorHandle.dispose} was called. */
  get isDisposed(): boolean {
    return this.#disposed;
  }

  /** Disposes of the tensor. Its memory is reused; a second call has no effect. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    registry.unregister(this);
    gone(this.#handle);
    try {
      enter((wasm) => wasm.tensorDispose(this.#handle));
    } catch (error) {
      // After an internal error there is nothing left to free.
      if (!(error instanceof LanthornError && error.kind === 'poisoned')) throw error;
    }
  }

  [dispose](): void {
    this.dispose();
  }
}
