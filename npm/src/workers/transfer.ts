/** Tensors in messages: by handle where memory is shared, otherwise as a copy of the elements. */
import { LanthornError } from '../core/errors.js';
import { describe } from '../core/check.js';
import { enter, isMemoryShared } from '../core/runtime.js';
import type { SharedHandle } from '../tensor/shared-handle.js';
import { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';

/** A tensor as its elements: a copy, as plain data. */
export interface TensorCopy {
  lanthorn: 'copy';
  dtype: DType;
  shape: readonly number[];
  requiresGrad: boolean;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A tensor in a message. */
export type TensorMessage = SharedHandle | TensorCopy;

/**
 * A tensor for `postMessage`: its handle, moved to shared memory, where memory is shared, and otherwise a copy of its
 * elements, whose `lanthorn` is `'copy'`. The second is what `postMessage` is given as the list to transfer. The other
 * thread makes a tensor of it with {@link receive}.
 *
 * @example
 * const [message, list] = await transfer(tensor([1, 2, 3]));
 * worker.postMessage(message, list);
 */
export async function transfer(tensor: Tensor): Promise<[message: TensorMessage, list: ArrayBuffer[]]> {
  if (!(tensor instanceof Tensor)) throw new LanthornError('argument', 'transfer', `takes a tensor, not ${describe(tensor)}`);
  if (isMemoryShared()) return [tensor.shareMemory_().handle(), []];
  const { dtype, shape, requiresGrad } = tensor;
  const bytes = new Uint8Array(await enter((wasm) => wasm.tensorRead(tensor.coreHandle)) as Uint8Array);
  return [{ lanthorn: 'copy', dtype, shape: [...shape], requiresGrad, bytes }, [bytes.buffer]];
}

/** The tensor of a message that {@link transfer} made in another thread. */
export function receive(message: TensorMessage): Tensor {
  if (message?.lanthorn === 'tensor') return Tensor.fromHandle(message);
  if (message?.lanthorn !== 'copy' || !(message.bytes instanceof Uint8Array)) {
    throw new LanthornError('argument', 'receive', `takes what transfer() gave in another thread, not ${describe(message)}`);
  }
  const { dtype, shape, bytes, requiresGrad } = message;
  const made = Tensor.fromCore(enter((wasm) => wasm.tensorFromBytes(dtype, bytes, Float64Array.from(shape))));
  return made.requiresGrad_(requiresGrad);
}
