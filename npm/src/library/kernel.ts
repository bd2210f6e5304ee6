/**
 * Custom kernels: WGSL for WebGPU, a function over typed arrays for the CPU, and the description of
 * their results.
 */
import { decodeArgs, runCallback } from '../tensor/callback.js';
import { checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { CpuKernel, CustomOpOptions, FakeTensor, KernelTensor } from './custom-op.js';
import type { Parsed } from './schema.js';
import type { DType, TypedArray } from '../core/types.js';
import { VIEWS } from '../tensor/views.js';

/** A tensor on its way to or from a kernel: its type, its sizes, and the bytes of its elements. */
type Passed = readonly [DType, Float64Array, Uint8Array?];

const isHalf = (dtype: DType): boolean => dtype === 'float16' || dtype === 'bfloat16';

/** The array of a kernel's elements. The core passes and expects halves as float32. */
function arrayOf(dtype: DType, bytes: Uint8Array): TypedArray {
  const view = (isHalf(dtype) ? Float32Array : VIEWS[dtype]) as unknown as { new (buffer: ArrayBufferLike): TypedArray };
  return new view(bytes.buffer);
}

function sizeOf(dtype: DType): number {
  return isHalf(dtype) ? 4 : (VIEWS[dtype] as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
}

/**
 * Runs a kernel for the CPU: the bytes of its results, or what went wrong. An exception would have
 * to cross the core, which is at work.
 */
function runCpu(name: string, kernel: CpuKernel, schema: Parsed, inputs: readonly unknown[], outputs: readonly Passed[]): Uint8Array[] | string {
  const tensor = ([dtype, shape, bytes]: Passed): KernelTensor => ({ dtype, shape: Array.from(shape), data: arrayOf(dtype, bytes!) });
  const input = (value: unknown): unknown => (Array.isArray(value) ? tensor(value as unknown as Passed) : ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value);
  const call: Record<string, unknown> = {};
  schema.parameters.forEach((parameter, index) => { call[parameter.name] = input(inputs[index]); });
  const results = outputs.map(([dtype, shape]) => {
    const numel = shape.reduce((product, size) => product * size, 1);
    return tensor([dtype, shape, new Uint8Array(numel * sizeOf(dtype))]);
  });
  const single = schema.returns.length === 1;
  schema.returns.forEach((result, index) => { call[result.name || (single ? 'out' : `out${index}`)] = results[index]; });
  try {
    const returned: unknown = kernel(call as never);
    if (returned instanceof Promise) {
      returned.catch(() => {});
      return `its CPU kernel ${name} must not be async`;
    }
  } catch (error) {
    return `its CPU kernel threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
  return results.map(({ data }) => new Uint8Array(data.buffer));
}

/** The fake function as the core calls it: for each result, its type followed by its sizes. */
function runFake(name: string, fake: NonNullable<CustomOpOptions['fake']>, args: readonly unknown[]): unknown[] {
  const given: unknown = fake(...(args as never[]));
  if (given instanceof Promise) {
    given.catch(() => {});
    throw new LanthornError('argument', name, 'fake must not be async: it is called at each call');
  }
  const list: unknown[] = Array.isArray(given) ? given : [given];
  return list.flatMap((result) => {
    const { shape, dtype } = (typeof result === 'object' && result !== null ? result : {}) as Partial<FakeTensor>;
    if (!Array.isArray(shape) || typeof dtype !== 'string' || shape.some((size) => typeof size !== 'number')) {
      throw new LanthornError('argument', name, `fake returns { shape, dtype } for each result, not ${describe(result)}`);
    }
    return [dtype, Float64Array.from(shape)];
  });
}

/** The numbers that a function of the arguments returns. */
function sizes(name: string, what: string, count: number, size: (...args: never[]) => unknown) {
  return (encoded: Float64Array, strings: string[]): Float64Array =>
    runCallback(name, undefined, () => size(...(decodeArgs(encoded, strings) as never[])) as number | readonly number[], (given) => {
      const list = Array.isArray(given) ? given : [given];
      if (list.length !== count || list.some((value) => !Number.isInteger(value) || value < 0 || value >= 2 ** 32)) {
        throw new LanthornError('argument', name, `${what} gives ${count === 1 ? 'a whole number' : `${count} whole numbers`} from 0, not ${String(given)}`);
      }
      return Float64Array.from(list);
    });
}

/**
 * The parts of a declaration that concern kernels, as the core takes them. `known` has the schema
 * once it is registered.
 */
export function kernelParts(name: string, { fake, cpu, wgsl }: CustomOpOptions, known: { schema?: Parsed }): Record<string, unknown> {
  const parts: Record<string, unknown> = {};
  if (fake) {
    parts['fake'] = (encoded: Float64Array, strings: string[]) => runCallback(name, undefined, () => runFake(name, fake, decodeArgs(encoded, strings)), (result) => result);
  }
  if (cpu) parts['cpu'] = (inputs: unknown[], outputs: Passed[]) => runCpu(name, cpu, known.schema!, inputs, outputs);
  if (wgsl === undefined) return parts;
  const given = checkOptions<{ body: string; declarations: string; threads: () => number; module: string; workgroups: () => readonly number[] }>(
    name, typeof wgsl === 'string' ? { body: wgsl } as never : wgsl as never, ['body', 'declarations', 'threads', 'module', 'workgroups']);
  const { body, declarations = '', threads, module, workgroups } = given;
  const isBody = typeof body === 'string' && typeof declarations === 'string' && module === undefined && workgroups === undefined;
  const isModule = typeof module === 'string' && body === undefined && threads === undefined;
  if (isBody === isModule) {
    throw new LanthornError('argument', name, 'wgsl is a text, { body, declarations, threads }, or { module, workgroups }');
  }
  if (isModule) {
    checkFunction(name, workgroups);
    return { ...parts, module, workgroups: sizes(name, 'workgroups', 2, workgroups!) };
  }
  if (threads !== undefined) checkFunction(name, threads);
  return { ...parts, body, declarations, threads: threads && sizes(name, 'threads', 1, threads) };
}
