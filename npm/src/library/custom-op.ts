/** The types of operations of one's own: how they are declared, and how they are called. */
import type { FunctionContext, FunctionGradients } from '../autograd/function.js';
import type { DType, TypedArray } from '../core/types.js';
import type { Tensor } from '../tensor/tensor.js';
import type { AllArguments, KernelCall, ResultOf } from './schema-types.js';

/** The type and shape of a result before it is computed. A tensor stands for its type and shape. */
export interface FakeTensor {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** A tensor as the argument of a CPU kernel. */
export interface KernelTensor extends FakeTensor {
  /**
   * The elements in row-major order; float16 and bfloat16 are a `Float32Array`, and bool bytes of 0
   * and 1. A kernel for int64 gets a `BigInt64Array`, and says so: `x.data as unknown as
   * BigInt64Array`.
   */
  readonly data: TypedArray;
}

/**
 * A kernel for the CPU: a function of the arguments and results by their names in the schema, the
 * one result of a schema that names none being `out`, several `out0`, `out1`. Tensors come as
 * {@link KernelTensor}, numbers and lists as they are. It writes to the results' `data`.
 *
 * It runs with the recorded work, not at the call, so it cannot use tensors. If it throws, every
 * value that depends on the results has an error of kind `kernel`.
 */
export type CpuKernel<S extends string = string> = (call: KernelCall<S, KernelTensor>) => void;

/**
 * A kernel for WebGPU in WGSL. A text, or `body`, is the statements of a function of `i: u32`,
 * which runs for every element of the first result, or for `i` up to what `threads` says. In it a
 * tensor `x` of the schema is `x(i)`, with `x_numel()`, `x_rank()`, `x_size(d)`, `x_stride(d)`; a
 * result `y` (`out` where the schema names none) is `set_y(i, value)`; a number is a value of its
 * name, a list `l(k)` and `l_len()`. Reading and writing beyond the end does nothing.
 * `declarations` are functions and constants that the body uses.
 *
 * `module` is a whole shader with an entry point `main`, and `workgroups` says how many there are
 * along x and y.
 */
export type WgslKernel<S extends string = string> =
  | string
  | { body: string; declarations?: string; threads?: (...args: AllArguments<S, FakeTensor>) => number }
  | { module: string; workgroups: (...args: AllArguments<S, FakeTensor>) => readonly [number, number] };

/**
 * The conversion that autocast applies to an operation's tensors: none, float32 to the 16-bit type,
 * or a 16-bit type to float32.
 */
export type AutocastPolicy = 'keep' | 'lower' | 'widen';

/**
 * A registered operation: a function of its arguments in the schema's order, optional ones also by
 * name in an object at the end.
 */
export interface CustomOp<A extends readonly unknown[] = unknown[], R = unknown> {
  (...args: A): R;
  /** The name with its namespace: `mylib::swiglu`. */
  readonly opName: string;
  /** The schema in ATen's syntax. */
  readonly schema: string;
  /** @internal Its declaration; nothing for an expression. */
  readonly declaration: CustomOpOptions | undefined;
}

/**
 * What {@link customOp} takes beside the schema: how the operation is computed, and its derivative.
 */
export interface CustomOpOptions<S extends string = string> {
  /**
   * The shape and type of each result, from the arguments, as `torch.library.register_fake`: an
   * operation with kernels needs it. A tensor stands for its own.
   */
  fake?: (...args: AllArguments<S, FakeTensor>) => FakeTensor | readonly FakeTensor[];
  /** The kernel for the CPU. */
  cpu?: CpuKernel<S>;
  /** The kernel for WebGPU. */
  wgsl?: WgslKernel<S>;
  /**
   * The operation as a function of other operations: it runs on devices without a kernel. Without
   * kernels and `backward` the derivative follows from it.
   */
  fallback?: (...args: AllArguments<S>) => Tensor | readonly Tensor[];
  /**
   * Runs after each forward and keeps what backward needs, as `setup_context` of
   * `torch.library.register_autograd`.
   */
  setupContext?: (ctx: FunctionContext, inputs: AllArguments<S>, output: string extends S ? never : ResultOf<S>) => void;
  /**
   * The derivative: from the gradients of the results, one for each argument, null for one without;
   * of a list, an array of them.
   */
  backward?: (ctx: FunctionContext, ...grads: Tensor[]) => FunctionGradients | readonly unknown[];
  /** Whether `backward` cannot be differentiated again. */
  onceDifferentiable?: boolean;
  /** Autocast's conversion of the operation's tensors (default: none). */
  autocast?: AutocastPolicy;
}
