// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { configure, type QuantizationConfig } from '../quantization/config.js';
import { CountingObserver, RangeObserver } from '../quantization/observers.js';
import type { BlockFormat } from './quantization-types.js';

/** Options of {@link Int4WeightOnly}. */
export interface Int4Options {
  /** The neighbours that share a scale and a zero point: 32, 64, 128 or 256. Default 128. */
  groupSize?: number;
}

/**
 * Weights of 4 bits, two in a byte, with a scale and a zero point for each group of neighbours in a row, as
 * torchao's `Int4WeightOnlyConfig` with its `tinygemm` parameters: `(integer - 8) * scale + zero_point`. Groups of 32
 * and 128 are blocks of the formats `q4_1` and `q4_1_128`, which products read in place, with a scale and a smallest
 * element in float16. Groups of 64 and 256, and groups of a layer where one is beyond float16, have their scales in
 * the type of the weight, and are decoded to memory in every call. Another group size is an `argument` error.
 *
 * @example
 * await quantize_(model, Int4WeightOnly({ groupSize: 32 }));
 */
export function Int4WeightOnly(options: Int4Options = {}): QuantizationConfig { return configure(0, 'Int4WeightOnly|groupSize', [options], 128, [32, 64, 128, 256]); }

/** Options of {@link Int8WeightOnly}. */
export interface Int8Options {
  /** The neighbours that share a scale; a whole row if it is left out or null. */
  groupSize?: number | null;
}

/**
 * Weights of 8 bits with a scale for each row (an output channel), or for each group of neighbours in it:
 * `integer * scale`, as torchao's `Int8WeightOnlyConfig`. Groups of 32 are blocks of the format `q8_0`, which products
 * read in place and fastest, unless a scale is beyond float16; a product with one row unpacks other weights as it
 * reads them. A group size that is no whole number above 0 is an `argument` error.
 *
 * @example
 * await quantize_(model, Int8WeightOnly({ groupSize: 32 }));
 */
export function Int8WeightOnly(options: Int8Options = {}): QuantizationConfig { return configure(1, 'Int8WeightOnly|groupSize', [options], null); }

/**
 * Weights of 8 bits with a scale for each row, and inputs rounded to 8 bits with a scale for each token that
 * is computed at the call, as torchao's `Int8DynamicActivationInt8WeightConfig`. The product is computed in floating
 * point, on the rounded numbers.
 *
 * @example
 * await quantize_(model, Int8DynamicActivationInt8Weight());
 */
export function Int8DynamicActivationInt8Weight(options: Record<string, never> = {}): QuantizationConfig { return configure(2, 'Int8DynamicActivationInt8Weight', [options], null); }

/** Options of {@link BlockWeightOnly}. */
export interface BlockOptions {
  /** The format of blocks. Default "q8_0". */
  format?: BlockFormat;
}

/**
 * Weights in blocks of 32 numbers of a format of GGUF, which products read without storing the numbers. A
 * format that cannot be written is an `argument` error.
 *
 * @example
 * await quantize_(model, BlockWeightOnly({ format: 'q4_0' }));
 */
export function BlockWeightOnly(options: BlockOptions = {}): QuantizationConfig { return configure(3, 'BlockWeightOnly|format', [options], 'q8_0', ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0']); }

/** Options of {@link MinMaxObserver}. */
export interface ObserverOptions {
  /** Affine, with a zero point, or symmetric. Default "per_tensor_affine". */
  qscheme?: 'per_tensor_affine' | 'per_tensor_symmetric';
  /** The smallest integer; null is 0 for affine schemes, and -128 for symmetric ones. */
  quantMin?: number | null;
  /** The largest integer; null is 255 for affine schemes, and 127 for symmetric ones. */
  quantMax?: number | null;
}

/**
 * The smallest and the largest number of all tensors, as `torch.ao.quantization.MinMaxObserver`.
 *
 * @example
 * const observer = new MinMaxObserver();
 * observer.call(x);
 * const { scale, zeroPoint } = observer.calculateQParams();
 */
export class MinMaxObserver extends RangeObserver {
  static override readonly name: string = 'MinMaxObserver';
  /** @internal */
  static override readonly row = [0, 'MinMaxObserver|qscheme quantMin quantMax'] as const;
  constructor(options: ObserverOptions = {}) { super([options]); }
}

/** Options of {@link MovingAverageMinMaxObserver}. */
export interface MovingAverageOptions {
  /** Affine, with a zero point, or symmetric. Default "per_tensor_affine". */
  qscheme?: 'per_tensor_affine' | 'per_tensor_symmetric';
  /** The smallest integer; null is 0 for affine schemes, and -128 for symmetric ones. */
  quantMin?: number | null;
  /** The largest integer; null is 255 for affine schemes, and 127 for symmetric ones. */
  quantMax?: number | null;
  /** The part of a new range in the average, above 0 and at most 1. Default 0.01. */
  averagingConstant?: number;
}

/**
 * Moving averages of the smallest and the largest number, as
 * `torch.ao.quantization.MovingAverageMinMaxObserver`.
 *
 * @example
 * const observer = new MovingAverageMinMaxObserver();
 * observer.call(x);
 * const { scale, zeroPoint } = observer.calculateQParams();
 */
export class MovingAverageMinMaxObserver extends RangeObserver {
  static override readonly name: string = 'MovingAverageMinMaxObserver';
  /** @internal */
  static override readonly row = [1, 'MovingAverageMinMaxObserver|qscheme quantMin quantMax averagingConstant'] as const;
  declare readonly averagingConstant: number;
  constructor(options: MovingAverageOptions = {}) { super([options]); }
}

/** Options of {@link PerChannelMinMaxObserver}. */
export interface PerChannelOptions {
  /** Affine, with a zero point, or symmetric. Default "per_channel_affine". */
  qscheme?: 'per_channel_affine' | 'per_channel_symmetric';
  /** The smallest integer; null is 0 for affine schemes, and -128 for symmetric ones. */
  quantMin?: number | null;
  /** The largest integer; null is 255 for affine schemes, and 127 for symmetric ones. */
  quantMax?: number | null;
  /** The dimension of channels. Default 0. */
  chAxis?: number;
}

/**
 * The smallest and the largest number of each channel, as
 * `torch.ao.quantization.PerChannelMinMaxObserver`.
 *
 * @example
 * const observer = new PerChannelMinMaxObserver();
 * observer.call(x);
 * const { scale, zeroPoint } = observer.calculateQParams();
 */
export class PerChannelMinMaxObserver extends RangeObserver {
  static override readonly name: string = 'PerChannelMinMaxObserver';
  /** @internal */
  static override readonly row = [2, 'PerChannelMinMaxObserver|qscheme quantMin quantMax chAxis'] as const;
  declare readonly chAxis: number;
  constructor(options: PerChannelOptions = {}) { super([options]); }
}

/** Options of {@link HistogramObserver}. */
export interface HistogramOptions {
  /** Affine, with a zero point, or symmetric. Default "per_tensor_affine". */
  qscheme?: 'per_tensor_affine' | 'per_tensor_symmetric';
  /** The smallest integer; null is 0 for affine schemes, and -128 for symmetric ones. */
  quantMin?: number | null;
  /** The largest integer; null is 255 for affine schemes, and 127 for symmetric ones. */
  quantMax?: number | null;
  /** The number of bins. Default 2048. */
  bins?: number;
}

/**
 * A histogram of all numbers, from which the range with the smallest squared error is chosen,
 * as `torch.ao.quantization.HistogramObserver`. Its parameters are awaited.
 *
 * @example
 * const observer = new HistogramObserver();
 * observer.call(x);
 * const { scale, zeroPoint } = await observer.calculateQParams();
 */
export class HistogramObserver extends CountingObserver {
  static override readonly name: string = 'HistogramObserver';
  /** @internal */
  static override readonly row = [3, 'HistogramObserver|qscheme quantMin quantMax bins'] as const;
  declare readonly bins: number;
  constructor(options: HistogramOptions = {}) { super([options]); }
}

