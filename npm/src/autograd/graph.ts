/** The recorded graph, and hooks in it, as `torch.autograd.graph`. */
import { checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter, enterAsync } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { checkSync } from '../func/tree.js';
import { GraphNode } from '../tensor/graph-node.js';
import { received, runCallback, shared } from '../tensor/callback.js';
import { retain, scope } from '../tensor/scope.js';
import { handleOf, Tensor, type HookHandle } from '../tensor/tensor.js';

/** A node of the graph: see {@link GraphNode}. */
export const Node = GraphNode;
export type Node = GraphNode<Tensor>;

/** A value that the graph keeps in place of a tensor. */
interface Packed<P> {
  value?: P;
}

/**
 * Runs `fn` with hooks for the tensors that its operations save for their derivatives, as
 * `torch.autograd.graph.saved_tensors_hooks`. The graph keeps what `pack` returns for a tensor, and
 * the backward pass has `unpack` return a tensor of the same shape and type for it. The tensor that
 * `pack` gets is outside of the graph, and must not be changed in place. Leaves that require
 * gradients are kept as they are. None of the functions may be async.
 *
 * @example
 * const x = randn(4, 4).requiresGrad_();
 * const pack = (saved: Tensor) => saved.to('bfloat16');
 * const unpack = (packed: Tensor) => packed.to('float32');
 * const y = autograd.graph.savedTensorsHooks(pack, unpack, () => x.exp().sin());
 */
export function savedTensorsHooks<P, T>(pack: (tensor: Tensor) => P, unpack: (packed: P) => Tensor, fn: () => T): T {
  const op = 'savedTensorsHooks';
  for (const given of [pack, unpack, fn]) checkFunction(op, given);
  const failures: unknown[] = [];
  const held: { result?: T } = {};
  const run = (): void => {
    held.result = fn();
    checkSync(op, held.result);
  };
  enter((wasm) => wasm.savedTensorsHooks(packing(op, pack, failures), unpacking(op, unpack), run));
  // An operation does not report the error of a hook.
  if (failures.length > 0) throw failures[0];
  return held.result as T;
}

/** `pack` as the core calls it. Its result outlives the scopes of the running code. */
function packing<P>(op: string, pack: (tensor: Tensor) => P, failures: unknown[]) {
  return (handles: Uint32Array): Packed<P> => {
    const packed: Packed<P> = {};
    try {
      scope(() => {
        packed.value = pack(received(handles)[0]!);
        checkSync(op, packed.value);
        retain(packed);
      });
    } catch (error) {
      failures.push(error);
    }
    return packed;
  };
}

/** `unpack` as the core calls it. */
function unpacking<P>(op: string, unpack: (packed: P) => Tensor) {
  return (packed: Packed<P>): Uint32Array =>
    runCallback(op, undefined, () => unpack(packed.value as P), (given) => {
      handleOf(op, 'returned by unpack', given);
      return Uint32Array.from(shared(op, 'returned by unpack', [given]));
    });
}

/** A saved tensor, and then its bytes in memory of the host. */
class Offloaded {
  #tensor: Tensor | undefined;
  #bytes: Uint8Array | undefined;
  readonly #dtype: Tensor['dtype'];
  readonly #shape: readonly number[];

  constructor(tensor: Tensor) {
    this.#tensor = tensor;
    this.#dtype = tensor.dtype;
    this.#shape = tensor.shape;
    if (tensor.device === 'cpu') return;
    const read = enterAsync((wasm) => wasm.tensorRead(tensor.coreHandle)) as Promise<Uint8Array>;
    const free = (bytes: Uint8Array): void => {
      this.#bytes = bytes;
      this.#tensor = undefined;
      tensor.dispose();
    };
    // The failure of a read is reported by the tensor, which stays.
    read.then(free, () => {});
  }

  get tensor(): Tensor {
    if (this.#tensor) return this.#tensor;
    return Tensor.fromCore(enter((wasm) => wasm.tensorFromBytes(this.#dtype, this.#bytes!, Float64Array.from(this.#shape))));
  }

  /** The tensor that a scope may not dispose of. */
  *ownTensors(): Generator<[string, Tensor]> {
    if (this.#tensor) yield ['tensor', this.#tensor];
  }
}

/**
 * Runs `fn` and has its graph keep saved tensors in memory of the host instead of the device's, as
 * `torch.autograd.graph.save_on_cpu`; on the CPU it changes nothing. A GPU is not read without
 * waiting, so a tensor leaves the device once its read is done: await something, such as the loss,
 * between the forward and the backward pass. A tensor whose read is not done yet is used as it is.
 *
 * @example
 * const loss = autograd.graph.saveOnCpu(() => net.call(x).square().mean());
 * console.log(await loss.item());
 * loss.backward();
 */
export function saveOnCpu<T>(fn: () => T): T {
  return savedTensorsHooks((tensor) => new Offloaded(tensor), (packed) => packed.tensor, fn);
}

/** Options of {@link registerMultiGradHook}. */
export interface MultiGradOptions<Mode extends 'all' | 'any' = 'all' | 'any'> {
  /** Whether the hook gets all gradients of a pass, or the first one; default `'all'` */
  mode?: Mode;
}

/**
 * Calls a hook in every backward pass that reaches one of the tensors, as
 * `torch.autograd.graph.register_multi_grad_hook`: once all of their gradients are there, with all
 * of them, null for a tensor without one; or with `mode: 'any'` with the first one that is there.
 *
 * @example
 * const hook = autograd.graph.registerMultiGradHook(net.parameters(), (grads) => {
 *   console.log(grads.map((grad) => grad?.shape));
 * });
 * loss.backward();
 * hook.remove();
 */
export function registerMultiGradHook(tensors: readonly Tensor[], fn: (grads: (Tensor | null)[]) => void, options?: MultiGradOptions<'all'>): HookHandle;
export function registerMultiGradHook(tensors: readonly Tensor[], fn: (grad: Tensor) => void, options: MultiGradOptions<'any'>): HookHandle;
export function registerMultiGradHook(tensors: readonly Tensor[], fn: Function, options: MultiGradOptions = {}): HookHandle {
  const op = 'registerMultiGradHook';
  if (!Array.isArray(tensors)) throw new LanthornError('argument', op, `takes a list of tensors, not ${describe(tensors)}`);
  checkFunction(op, fn);
  const { mode = 'all' } = checkOptions(op, options, ['mode']);
  if (mode !== 'all' && mode !== 'any') throw new LanthornError('argument', op, `mode is 'all' or 'any', not ${describe(mode)}`);
  const given = Uint32Array.from(tensors as Tensor[], (tensor, index) => handleOf(op, `number ${index}`, tensor));
  const callback = (handles: Uint32Array): void => {
    const grads = received(handles);
    fn(mode === 'any' ? grads[0] : grads);
  };
  const hook = enter((wasm) => wasm.registerMultiGradHook(given, mode === 'any', callback));
  return { remove: () => enter((wasm) => wasm.multiHookRemove(hook)) };
}

registerEntries([savedTensorsHooks, saveOnCpu, registerMultiGradHook]);
