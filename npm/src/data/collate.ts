/** From samples to a batch, and from a batch to tensors. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { tensor } from '../tensor/from-data.js';
import * as operations from '../generated/operations.js';
import { Tensor } from '../tensor/tensor.js';
import type { TypedArray } from '../core/types.js';
import { Delivered } from './delivered.js';
import { dtypeOf, HostArray, stack } from './host-array.js';

/**
 * The type of {@link defaultCollate}'s batch for samples `S`, with tensors in place of arrays. For
 * samples of unknown type it is unknown.
 */
export type Collated<S> =
  unknown extends S ? S
  : S extends Tensor | HostArray | ArrayBufferView | number | boolean ? Tensor
  : S extends string ? string[]
  : S extends readonly unknown[] | object ? { -readonly [K in keyof S]: Collated<S[K]> }
  : never;

/** A value with tensors in place of its arrays. */
export type Uploaded<B> =
  B extends HostArray ? Tensor
  : B extends Tensor | ArrayBufferView | string | number | boolean ? B
  : B extends readonly unknown[] | object ? { [K in keyof B]: Uploaded<B[K]> }
  : B;

/** Whether a value is a plain record of others. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The same structure with `change` applied to the members of its lists and records. */
export function mapped(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => mapped(part, change));
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapped(part, change)]));
  return change(value);
}

/**
 * Whether a sample contains a tensor. Such samples are collated when the batch is taken, because
 * that records kernels.
 */
export function holdsTensor(sample: unknown): boolean {
  let found = false;
  mapped(sample, (leaf) => { found ||= leaf instanceof Tensor; });
  return found;
}

/**
 * A batch of samples, as `default_collate` makes it: arrays and tensors are stacked, numbers become
 * an array, booleans a bool array, and lists and objects are batched part by part. Text stays a
 * list. Numbers that are all whole, such as class indices, become int32, others float32. A sample
 * with a `Float32Array` or an `Int32Array` of one number decides the type itself.
 */
export function defaultCollate(samples: readonly unknown[]): unknown {
  const [first] = samples;
  const all = <T>(fits: (sample: unknown) => sample is T): readonly T[] => {
    const odd = samples.findIndex((sample) => !fits(sample));
    if (odd >= 0) throw new LanthornError('argument', 'collate', `samples must be alike: ${describe(first)} at 0, ${describe(samples[odd])} at ${odd}`);
    return samples as readonly T[];
  };
  if (first instanceof Tensor) return operations.stack([...all((sample) => sample instanceof Tensor)]);
  if (first instanceof HostArray) return stack(all((sample) => sample instanceof HostArray));
  if (ArrayBuffer.isView(first)) {
    const views = all((sample) => ArrayBuffer.isView(sample));
    for (const data of views) dtypeOf('collate', data);
    return stack(views.map((data) => new HostArray(data as TypedArray)));
  }
  if (typeof first === 'number') return numbersOf(all((sample) => typeof sample === 'number'));
  if (typeof first === 'boolean') return new HostArray(Uint8Array.from(all((sample) => typeof sample === 'boolean'), Number), [samples.length], 'bool');
  if (typeof first === 'string') return all((sample) => typeof sample === 'string');
  if (Array.isArray(first)) {
    const rows = all((sample): sample is unknown[] => Array.isArray(sample) && sample.length === first.length);
    return first.map((_, part) => defaultCollate(rows.map((row) => row[part])));
  }
  if (isRecord(first)) {
    const names = Object.keys(first);
    const rows = all((sample): sample is Record<string, unknown> => isRecord(sample) && Object.keys(sample).length === names.length && names.every((name) => name in sample));
    return Object.fromEntries(names.map((name) => [name, defaultCollate(rows.map((row) => row[name]))]));
  }
  throw new LanthornError('argument', 'collate', `a sample is ${describe(first)}, of which no batch can be made; give a collate`);
}

/** The array of numbers; JavaScript has one type of numbers, so whole ones count as integers. */
function numbersOf(samples: readonly number[]): HostArray {
  const areWhole = samples.every((sample) => (sample | 0) === sample);
  return areWhole ? new HostArray(Int32Array.from(samples)) : new HostArray(Float32Array.from(samples));
}

/** A batch with tensors in place of its arrays. */
export function toTensors<B>(batch: B): Uploaded<B> {
  return mapped(batch, (leaf) => {
    if (leaf instanceof Delivered) return leaf.take();
    return leaf instanceof HostArray ? tensor(leaf.data, { shape: leaf.shape, dtype: leaf.dtype }) : leaf;
  }) as Uploaded<B>;
}
