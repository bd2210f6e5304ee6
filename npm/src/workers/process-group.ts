/** Collective operations of workers over shared memory, with the names of `torch.distributed`. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { cat, zeros } from '../generated/operations.js';
import { enter } from '../core/runtime.js';
import { noGrad } from '../autograd/mode.js';
import { scope } from '../tensor/scope.js';
import type { SharedHandle } from '../tensor/shared-handle.js';
import { Tensor } from '../tensor/tensor.js';
import { Barrier } from './sync.js';

/** How a process group reduces. */
export interface ReduceOptions {
  /** `sum` or `avg`, as `ReduceOp` of `torch.distributed`; the default is `sum`. */
  op?: 'sum' | 'avg';
}

/** The data with which a worker joins a group. */
export interface GroupStart {
  rank: number;
  size: number;
  timeout: number;
  barrier: SharedArrayBuffer;
  /** Rows for the elements of each rank, and one for the result. */
  slots: SharedHandle;
}

/** The largest number of elements that are exchanged at once. */
const MAX_ELEMENTS = 1 << 18;

/** A group that is not joined yet. */
export interface GroupPlan {
  /** The shared rows; dispose of them when all have joined. */
  slots: Tensor;
  barrier: Barrier;
  join(rank: number): GroupStart;
}

/** The memory of a group of `size` workers, for tensors of about `elements` elements at a time. */
export function planGroup(size: number, elements: number, timeout: number): GroupPlan {
  const barrier = new Barrier(size);
  const slots = zeros(size + 1, Math.max(1, Math.min(elements, MAX_ELEMENTS))).shareMemory_();
  return { slots, barrier, join: (rank) => ({ rank, size, timeout, barrier: barrier.buffer, slots: slots.handle() }) };
}

/**
 * The workers that compute together. All of them call the same operations in the same order; an operation blocks until
 * all have called it. A sum is reduced in parts: each worker sums a part of the elements of all ranks, and all take the
 * whole, so that every rank has the same bits.
 *
 * @example
 * serveTraining(makeModel, ({ group, model }) => {
 *   const sum = tensor([group.rank]);
 *   group.allReduce(sum); // the same in all workers
 *   group.barrier();
 * });
 */
export class ProcessGroup {
  /** The number of this worker, from 0 on. */
  readonly rank: number;
  /** The number of workers. */
  readonly size: number;
  readonly #timeout: number;
  readonly #barrier: Barrier;
  readonly #slots: Tensor;

  /** @internal */
  constructor(start: GroupStart) {
    this.rank = start.rank;
    this.size = start.size;
    this.#timeout = start.timeout;
    this.#barrier = new Barrier(start.barrier);
    this.#slots = Tensor.fromHandle(start.slots);
  }

  /** Waits for all workers. */
  barrier(): void {
    enter((wasm) => wasm.deviceFlush());
    this.#barrier.wait({ timeout: this.#timeout });
  }

  /**
   * Replaces the elements of tensors by their sum, or mean, over all workers, as `torch.distributed.all_reduce`; the
   * tensors are float32 and have the same shapes everywhere.
   *
   * @example
   * group.allReduce(model.parameters().flatMap(({ grad }) => grad ?? []), { op: 'avg' });
   */
  allReduce(tensors: Tensor | readonly Tensor[], options: ReduceOptions = {}): void {
    const { op = 'sum' } = checkOptions('allReduce', options, ['op']);
    if (op !== 'sum' && op !== 'avg') throw new LanthornError('argument', 'allReduce', `reduces by sum or avg, not ${JSON.stringify(op)}`);
    const result = this.#slots.select(0, this.size);
    this.#exchange('allReduce', tensors, (piece) => {
      const { numel: count } = piece;
      this.#slots.select(0, this.rank).narrow(0, 0, count).copy_(piece);
      this.barrier();
      const [from, to] = [this.rank, this.rank + 1].map((rank) => Math.floor((count * rank) / this.size)) as [number, number];
      if (to > from) {
        const part = this.#slots.narrow(0, 0, this.size).narrow(1, from, to - from).sum(0);
        result.narrow(0, from, to - from).copy_(op === 'avg' ? part.div(this.size) : part);
      }
      this.barrier();
      piece.copy_(result.narrow(0, 0, count));
    });
  }

  /** Copies the elements of one worker to all workers, as `torch.distributed.broadcast`. */
  broadcast(tensors: Tensor | readonly Tensor[], from = 0): void {
    if (!Number.isInteger(from) || from < 0 || from >= this.size) {
      throw new LanthornError('argument', 'broadcast', `there are ${this.size} ranks, and none of number ${String(from)}`);
    }
    this.#exchange('broadcast', tensors, (piece) => {
      const slot = this.#slots.select(0, this.size).narrow(0, 0, piece.numel);
      if (this.rank === from) slot.copy_(piece);
      this.barrier();
      if (this.rank !== from) piece.copy_(slot);
      this.barrier();
    });
  }

  /** Exchanges the elements of tensors in pieces that fit into the shared rows. */
  #exchange(op: string, given: Tensor | readonly Tensor[], exchange: (piece: Tensor) => void): void {
    const tensors = given instanceof Tensor ? [given] : given;
    const odd = Array.isArray(tensors) ? tensors.find((tensor) => !(tensor instanceof Tensor)) : tensors;
    if (odd !== undefined) throw new LanthornError('argument', op, `takes tensors, not ${describe(odd)}`);
    const other = tensors.find(({ dtype }) => dtype !== 'float32');
    if (other) throw new LanthornError('dtype', op, `takes tensors of float32, not ${other.dtype}: convert it before`);
    if (tensors.length === 0) return this.barrier();
    noGrad(() => scope(() => {
      const all = cat(tensors.map((tensor) => tensor.detach().reshape([-1])));
      const width = this.#slots.shape[1]!;
      for (let at = 0; at < all.numel; at += width) exchange(all.narrow(0, at, Math.min(width, all.numel - at)));
      let at = 0;
      for (const tensor of tensors) {
        tensor.copy_(all.narrow(0, at, tensor.numel).reshape([...tensor.shape]));
        at += tensor.numel;
      }
      enter((wasm) => wasm.deviceFlush());
    }));
  }
}
