/** The tensor. */
import { gather } from './arguments.js';
import { brackets } from './brackets.js';
import { callAs } from './call.js';
import { checkFlag, checkFunction, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { Generator as RandomGenerator } from '../core/generator.js';
import { formatTensor } from './format.js';
import { collectGarbage } from '../core/garbage.js';
import { nodeOf, type GraphNode } from './graph-node.js';
import { marked } from '../inspect/inspect.js';
import { TensorOperations } from '../generated/methods.js';
import { deviceInfo, enter, enterAsync } from '../core/runtime.js';
import type { DeviceName } from '../core/cores.js';
import { shareBuffer, type SharedBuffer } from './shared-buffer.js';
import { handleOfTensor, tensorOfHandle, type SharedHandle } from './shared-handle.js';
import { specOf } from './spec.js';
import { registerEntries } from '../core/stack.js';
import type { DType, ElementsOf, NestedArray, NestedItem } from '../core/types.js';
import { upload } from './upload.js';
import { itemsize, numbers } from './views.js';

/** A tensor, or an array of numbers that one is made of. */
export type TensorLike = Tensor | ArrayBufferView | readonly NestedItem[];

/**
 * A key between brackets: a number, a range as text, `'...'`, null for a new dimension, or a
 * tensor, an array or a typed array of indices. An array of booleans is a mask.
 */
export type IndexKey = number | string | null | Tensor | readonly NestedArray[] | ArrayBufferView;

/** Options of {@link Tensor.backward}. */
export interface BackwardOptions {
  /** Keep the graph for another backward pass. */
  retainGraph?: boolean;
  /** Record the computation, so that gradients can be differentiated again. */
  createGraph?: boolean;
}

/** Options of {@link Tensor.normal_}. */
export interface NormalOptions {
  /** The source of the random numbers; by default the device's generator. */
  generator?: RandomGenerator | null;
}

/** A handle to remove a hook. */
export interface HookHandle {
  remove(): void;
}

/**
 * An n-dimensional array on the device, with PyTorch's semantics. Operations return at once;
 * kernels run when a result is read ({@link Tensor.data}), at an optimizer step, or when enough
 * kernels are recorded.
 */
export class Tensor extends TensorOperations<Tensor, TensorLike> {
  #shape: readonly number[] | undefined;
  #dtype: DType | undefined;
  /** The hooks by their numbers in the core; made with the first one. */
  #hooks: Map<{ id: number }, (handle: number) => number | undefined> | undefined;

  static {
    registerEntries([this, read]);
  }

  private constructor(handle: number) {
    super(handle);
  }

  /** @internal */
  static fromCore(handle: number): Tensor {
    return new Tensor(handle);
  }

  /**
   * @internal Makes this the tensor of another handle, of the same shape and type: after a lost device
   * was replaced. Its hooks are kept.
   */
  rebind(handle: number, requiresGrad: boolean): void {
    this.replaceHandle(handle);
    this.requiresGrad = requiresGrad;
    // A tensor that an operation computed is a leaf now, and may need no gradient.
    if (!requiresGrad) return;
    for (const [hook, callback] of this.#hooks ?? []) hook.id = enter((wasm) => wasm.tensorRegisterHook(handle, callback));
  }

  /** The sizes; `[]` for a single number. */
  get shape(): readonly number[] {
    return (this.#shape ??= Object.freeze(Array.from(enter((wasm) => wasm.tensorShape(this.coreHandle)))));
  }

  /** @internal Records that an in-place form made this another view, `x.t_()`. */
  reshaped(): void {
    this.#shape = undefined;
  }

  /** The element type. */
  get dtype(): DType {
    return (this.#dtype ??= enter((wasm) => wasm.tensorDtype(this.coreHandle)) as DType);
  }

  /** The device that holds the tensor. */
  get device(): DeviceName {
    return deviceInfo().device;
  }

  /** The sizes, as `shape`; or the size of one dimension, where -1 is the last. */
  size(): readonly number[];
  size(dim: number): number;
  size(dim?: number): readonly number[] | number {
    return dim === undefined ? this.shape : this.#along('size', this.shape, dim);
  }

  /**
   * The distances of neighbouring elements in memory, in elements; or the distance along one
   * dimension.
   */
  stride(): readonly number[];
  stride(dim: number): number;
  stride(dim?: number): readonly number[] | number {
    const strides = Array.from(enter((wasm) => wasm.tensorStride(this.coreHandle)));
    return dim === undefined ? strides : this.#along('stride', strides, dim);
  }

  #along(op: string, values: readonly number[], dim: number): number {
    const found = values.at(dim);
    if (Number.isInteger(dim) && found !== undefined) return found;
    throw new LanthornError('index', op, `dimension ${String(dim)} is out of range for a tensor of shape [${this.shape.join(', ')}]`);
  }

  /** Whether the elements are adjacent in memory, in row-major order. */
  isContiguous(): boolean {
    let next = 1;
    const strides = this.stride();
    const isNext = (size: number, dim: number): boolean => {
      const holds = size === 1 || strides[dim] === next;
      next *= size;
      return holds;
    };
    const all = this.shape.map((size, dim) => [size, dim] as const).reverse();
    return this.numel === 0 || all.every(([size, dim]) => isNext(size, dim));
  }

  /** The number of dimensions, as `ndim`. */
  dim(): number {
    return this.ndim;
  }

  /** The number of dimensions. */
  get ndim(): number {
    return this.shape.length;
  }

  /** The number of elements. */
  get numel(): number {
    return this.shape.reduce((product, size) => product * size, 1);
  }

  /**
   * The elements in row-major order, once they are computed. bool elements are 0 and 1, and int64
   * elements are in a `BigInt64Array`. The compiler knows the array where it knows the type of the
   * elements: after a conversion such as `x.float()`, and where `dtype` was given.
   *
   * @example
   * const values = await x.float().data(); // a Float32Array
   */
  async data(): Promise<ElementsOf> {
    return read(this, this.data);
  }

  /** {@link Tensor.data} without waiting; on the CPU only. */
  dataSync(): ElementsOf {
    return numbers(enter((wasm) => wasm.tensorReadSync(this.coreHandle)), this.dtype);
  }

  /**
   * The single element as a number; a bool as 1 or 0, an int64 beyond 2^53 as the nearest number.
   */
  async item(): Promise<number> {
    this.#requireOne();
    return Number((await read(this, this.item))[0]);
  }

  /**
   * The `GPUBuffer` with the elements in row-major order, on WebGPU: the tensor's own, if they are
   * contiguous and can be bound where they begin, otherwise the buffer of a copy. It resolves when
   * the work that computes them is in the queue of `gpuDevice()`, so that commands which the
   * program submits from then on see them; it does not wait for the GPU. Until `release()` the
   * elements stay as they are, whatever is written to the tensor or becomes of it. Keep the result
   * as long as you use the buffer: when it is collected as garbage, the buffer is released.
   *
   * bool and uint8 have a byte for each element, float16 and bfloat16 two, the others four.
   *
   * @example
   * const pixels = await net.call(frame).gpuBuffer();
   * const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: pixels }] });
   */
  gpuBuffer(): Promise<SharedBuffer> {
    return shareBuffer(this, this.gpuBuffer);
  }

  /**
   * Moves the tensor, with all views of it, to memory that workers share, as
   * `torch.Tensor.share_memory_`, and returns it. Workers that attached to the memory have the same
   * elements by the {@link Tensor.handle}: nothing is copied, and a write is seen by all after the
   * writer's next read, `step` of an optimizer, or `synchronize`. Simultaneous writes of several
   * workers leave any mixture of their elements.
   *
   * @example
   * await init({ device: 'cpu', threads: 2 });
   * const weights = zeros(1000).shareMemory_();
   * worker.postMessage({ memory: sharedMemory(), weights: weights.handle() });
   */
  shareMemory_(): this {
    enter((wasm) => wasm.tensorShareMemory(this.coreHandle));
    return this;
  }

  /** Whether the tensor is in shared memory, as `torch.Tensor.is_shared`. */
  isShared(): boolean {
    return enter((wasm) => wasm.tensorIsShared(this.coreHandle));
  }

  /**
   * The name of the tensor for a worker on the same memory, as plain data for `postMessage`. Until
   * it is received, or released by `releaseHandle`, it holds the memory, so that this tensor may be
   * disposed of. Each receiver needs a separate handle.
   */
  handle(): SharedHandle {
    return handleOfTensor(this.coreHandle, this.dtype);
  }

  /**
   * The tensor of a handle that another thread on the same memory sent: a leaf with the same elements.
   *
   * @example
   * // in a worker
   * onmessage = async ({ data }) => {
   *   await init({ memory: data.memory });
   *   const weights = Tensor.fromHandle(data.weights);
   *   weights.add_(1);
   *   await synchronize();
   * };
   */
  static fromHandle(handle: SharedHandle): Tensor {
    return new Tensor(tensorOfHandle(handle));
  }

  #requireOne(): void {
    if (this.numel !== 1) {
      throw new LanthornError('shape', 'item', `a tensor of shape [${this.shape.join(', ')}] has ${this.numel} elements, not one; use data()`);
    }
  }

  /** The elements as arrays nested like the shape; a number for a 0-d tensor. */
  async tolist(): Promise<NestedArray> {
    const { shape, dtype } = this;
    const data = await read(this, this.tolist);
    let at = 0;
    const build = (d: number): NestedArray => {
      if (d < shape.length) return Array.from({ length: shape[d]! }, () => build(d + 1));
      const value = Number(data[at++]);
      return dtype === 'bool' ? value !== 0 : value;
    };
    return build(0);
  }

  /** Copies another tensor's elements into this one, with broadcasting and conversion. */
  copy_(source: Tensor): this {
    const from = handleOf('copy_', 'source', source);
    enter((wasm) => wasm.tensorCopy(this.coreHandle, from));
    return this;
  }

  /**
   * Python's indexing: `x.at(1, '2:8:2', '...', null, index)` is `x[1, 2:8:2, ..., None, index]`.
   * Numbers, ranges, `'...'` and `null` make a view; tensors and arrays of indices gather elements,
   * `x.at([0, 2])` the rows 0 and 2, and an array of booleans those where it is true. A mask that
   * is a tensor must be read first: see `maskedSelect` and `index`.
   */
  at(...keys: readonly IndexKey[]): Tensor {
    if (keys.some((key) => key instanceof Tensor && key.dtype === 'bool')) {
      const instead = keys.length === 1 ? '`await x.maskedSelect(mask)`, or `await x.index([mask])` for rows' : '`await x.index([...])`';
      throw new LanthornError('dtype', 'at', `the number of elements that a mask selects is known once the mask is read: ${instead}`);
    }
    const { key, tensors, made } = brackets('at', this, keys, Tensor.fromCore);
    try {
      return callAs('at', 'getitem', () => this.getitem(key, tensors));
    } finally {
      disposeAll(made);
    }
  }

  /**
   * Assigns to the elements that `at` selects: `x.set([null, '1:'], 0)` is `x[None, 1:] = 0`,
   * `x.set(0, 1)` is `x[0] = 1`, and `x.set([[0, 2]], 1)` is `x[[0, 2]] = 1`.
   */
  set(keys: IndexKey | readonly IndexKey[], value: Tensor | number | boolean): this {
    const { key, tensors, made } = brackets('set', this, Array.isArray(keys) ? keys : [keys], Tensor.fromCore);
    try {
      return callAs('set', 'setitem_', () => this.setitem_(key, tensors, value));
    } finally {
      disposeAll(made);
    }
  }

  /** Fills the tensor with normal random numbers, and returns it. */
  normal_(mean?: number, std?: number, options?: NormalOptions): this;
  normal_(options?: NormalOptions & { mean?: number; std?: number }): this;
  normal_(...args: unknown[]): this {
    return callAs('normal_', 'normalFunctional_', () => (this.normalFunctional_ as (...args: unknown[]) => this)(...args));
  }

  /**
   * The positions of the elements that differ from 0, a row each; with `asTuple`, an index tensor
   * for each dimension.
   */
  override nonzero(options?: { asTuple?: false }): Promise<Tensor>;
  override nonzero(options: { asTuple: true }): Promise<Tensor[]>;
  override nonzero(options?: { asTuple?: boolean }): Promise<Tensor | Tensor[]>;
  override nonzero(options?: { asTuple?: boolean }): Promise<Tensor | Tensor[]> {
    const { asTuple } = checkOptions('nonzero', options, ['asTuple']);
    return checkFlag('nonzero', 'asTuple', asTuple) ? this.nonzeroNumpy() : super.nonzero();
  }

  /**
   * A tensor of an array, a typed array or a number, or a copy of a tensor, with the type of this
   * one unless another is given.
   */
  newTensor(data: NestedItem | Tensor, options?: { dtype?: DType; requiresGrad?: boolean }): Tensor {
    const { dtype = this.dtype, requiresGrad } = checkOptions('newTensor', options, ['dtype', 'requiresGrad']);
    const made = data instanceof Tensor ? data.detach().to(dtype).clone() : new Tensor(upload(data, undefined, dtype));
    return checkFlag('newTensor', 'requiresGrad', requiresGrad) ? made.requiresGrad_() : made;
  }

  /**
   * The name of the tensor's type, `torch.FloatTensor`; with a type or such a name, the tensor
   * converted to it.
   */
  type(): string;
  type(dtype: DType | string): Tensor;
  type(dtype?: string): string | Tensor {
    if (dtype === undefined) return `torch.${CLASSES[this.dtype]}`;
    const named = Object.entries(CLASSES).find(([, name]) => dtype === `torch.${name}`);
    return callAs('type', 'to', () => this.to((named?.[0] ?? dtype) as DType));
  }

  /** Whether the elements are floating-point numbers. */
  isFloatingPoint(): boolean {
    return this.dtype.includes('float');
  }

  /** Whether the type of the elements has negative numbers. */
  isSigned(): boolean {
    return this.dtype !== 'bool' && this.dtype !== 'uint8';
  }

  /** Whether two tensors have one shape. */
  isSameSize(other: Tensor): boolean {
    handleOf('isSameSize', 'other', other);
    return this.ndim === other.ndim && this.shape.every((size, dim) => size === other.shape[dim]);
  }

  /** The size of an element in bytes. */
  elementSize(): number {
    return itemsize(this.dtype);
  }

  /** The size of an element in bytes, as `elementSize()`. */
  get itemsize(): number {
    return itemsize(this.dtype);
  }

  /** The size of the elements in bytes. */
  get nbytes(): number {
    return this.numel * itemsize(this.dtype);
  }

  /** The number of elements, as `numel`. */
  nelement(): number {
    return this.numel;
  }

  /** The number of dimensions, as `ndim`. */
  ndimension(): number {
    return this.ndim;
  }

  /** Whether this tensor requires a gradient. */
  get requiresGrad(): boolean {
    return enter((wasm) => wasm.tensorRequiresGrad(this.coreHandle));
  }

  set requiresGrad(wanted: boolean) {
    enter((wasm) => wasm.tensorSetRequiresGrad(this.coreHandle, wanted));
  }

  /** Sets whether the tensor requires a gradient, and returns the tensor. */
  requiresGrad_(wanted = true): this {
    this.requiresGrad = wanted;
    return this;
  }

  /** Whether no operation computed this tensor. */
  get isLeaf(): boolean {
    return enter((wasm) => wasm.tensorIsLeaf(this.coreHandle));
  }

  /** The node of the graph that computed this tensor, if gradients flow through it. */
  get gradFn(): GraphNode<Tensor> | null {
    const handle = enter((wasm) => wasm.tensorGradFn(this.coreHandle));
    return handle === undefined ? null : nodeOf(handle, (leaf) => new Tensor(leaf));
  }

  /** The accumulated gradient, or null. */
  get grad(): Tensor | null {
    const handle = enter((wasm) => wasm.tensorGrad(this.coreHandle));
    return handle === undefined ? null : new Tensor(handle);
  }

  set grad(grad: Tensor | null) {
    const handle = grad === null || grad === undefined ? undefined : handleOf('grad', 'value', grad);
    enter((wasm) => wasm.tensorSetGrad(this.coreHandle, handle));
  }

  /** Retains the gradient of a tensor that an operation computed, as leaves do. */
  retainGrad(): void {
    enter((wasm) => wasm.tensorRetainGrad(this.coreHandle));
  }

  /** The same elements outside of the autograd graph, sharing memory. */
  detach(): Tensor {
    return new Tensor(enter((wasm) => wasm.tensorDetach(this.coreHandle)));
  }

  /**
   * Makes this tensor a leaf outside of the autograd graph, and returns it. Tensors computed from
   * it before keep their gradients.
   */
  detach_(): this {
    const detached = enter((wasm) => wasm.tensorDetach(this.coreHandle));
    this.replaceHandle(detached);
    return this;
  }

  /**
   * Computes gradients and accumulates them in the `grad` of every leaf. A tensor of more than one
   * element needs an initial gradient. `createGraph` records the computation, so that gradients can
   * be differentiated again.
   */
  backward(gradient?: Tensor | null, options?: BackwardOptions): void;
  backward(options?: BackwardOptions): void;
  backward(...args: unknown[]): void {
    const [gradient, retainGraph, createGraph] = gather(BACKWARD, args);
    const start = gradient === undefined || gradient === null ? undefined : handleOf('backward', 'gradient', gradient);
    const create = checkFlag('backward', 'createGraph', createGraph);
    const retain = checkFlag('backward', 'retainGraph', retainGraph);
    marked('backward', () => enter((wasm) => wasm.tensorBackward(this.coreHandle, start, retain, create)));
  }

  /**
   * Calls `hook` with this tensor's gradient when backward computes it; a returned tensor replaces
   * the gradient.
   */
  registerHook(hook: (grad: Tensor) => Tensor | void): HookHandle {
    checkFunction('registerHook', hook);
    const callback = (handle: number) => {
      const replaced: unknown = hook(new Tensor(handle));
      if (replaced === undefined || replaced === null) return undefined;
      const replacement = handleOf('registerHook', 'returned by the hook', replaced);
      return enter((wasm) => wasm.tensorShare(replacement));
    };
    const kept = { id: enter((wasm) => wasm.tensorRegisterHook(this.coreHandle, callback)) };
    (this.#hooks ??= new Map()).set(kept, callback);
    return {
      remove: () => {
        this.#hooks?.delete(kept);
        enter((wasm) => wasm.hookRemove(kept.id));
      },
    };
  }

  /** The rows: the tensors along the first dimension, as views. */
  *[Symbol.iterator](): Generator<Tensor> {
    if (this.ndim === 0) throw new LanthornError('shape', 'tensor', 'a 0-d tensor has no rows to iterate over; read it with item()');
    for (let row = 0; row < this.shape[0]!; row += 1) yield this.select(0, row);
  }

  /** Refuses `x + y` and `loss < 0.1`, which JavaScript cannot compute for objects. */
  [Symbol.toPrimitive](hint: 'string' | 'number' | 'default'): string {
    if (hint === 'string') return this.toString();
    const instead = hint === 'number'
      ? 'x < y is x.lt(y), x > y is x.gt(y), x - y is x.sub(y), x * y is x.mul(y), x / y is x.div(y), -x is x.neg()'
      : 'x + y is x.add(y), x == y is x.eq(y)';
    const read = "a tensor's number is read with await x.item()";
    throw new LanthornError('argument', 'tensor', `JavaScript has no operators for tensors: ${instead}; ${read}, and \`\${x}\` is its text`);
  }

  /**
   * The tensor's type and shape, with its elements where they can be read without waiting, which is
   * on the CPU. `console.log(x)` shows the same.
   */
  override toString(): string {
    return formatTensor(this);
  }
}

const { data } = Tensor.prototype;
registerEntries([data]);

// Assigning to it, as in Python, would hide the method of this tensor and change nothing.
Object.defineProperty(Tensor.prototype, 'data', {
  get: () => data,
  set() {
    const instead = 'copy elements with noGrad(() => x.copy_(y)), or replace a parameter of a module by assigning it: layer.weight = nn.parameter(y)';
    throw new LanthornError('argument', 'data', `cannot be assigned: ${instead}`);
  },
  configurable: true,
});

function disposeAll(tensors: readonly Tensor[]): void {
  for (const tensor of tensors) tensor.dispose();
}

/** The elements of a tensor, for a method that users call. */
async function read(tensor: Tensor, entry: Function): Promise<ElementsOf> {
  const { dtype } = tensor;
  const bytes = await enterAsync((wasm) => wasm.tensorRead(tensor.coreHandle), entry);
  await collectGarbage();
  return numbers(bytes, dtype);
}

/** PyTorch's classes of tensors by type. */
const CLASSES: Readonly<Record<DType, string>> = {
  float32: 'FloatTensor', float64: 'DoubleTensor', float16: 'HalfTensor', bfloat16: 'BFloat16Tensor', int32: 'IntTensor',
  int64: 'LongTensor', uint8: 'ByteTensor', bool: 'BoolTensor',
};

const BACKWARD = specOf('backward gradient|retainGraph createGraph');

/** Whether a value is a tensor, as `torch.is_tensor`. */
export function isTensor(value: unknown): value is Tensor {
  return value instanceof Tensor;
}

/** The core's handle of an argument that must be a tensor. */
export function handleOf(op: string, name: string, value: unknown): number {
  if (value instanceof Tensor) return value.coreHandle;
  throw wrongArgument(op, name, 'a tensor', describe(value));
}
