/** What a model is quantized to: configurations of {@link quantize_}, by torchao's names. */
import { checkOptions, describe } from '../check.js';
import { LanthornError } from '../errors.js';

/** The formats of GGUF that weights can be written in; see `dequantize` of the package. */
export type BlockFormat = 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0';

/** The numbers in a block of a {@link BlockFormat}. */
export const BLOCK_ELEMENTS = 32;

const FORMATS: readonly BlockFormat[] = ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0'];
const GROUP_SIZES = [32, 64, 128, 256];

/** A configuration of {@link quantize_}, made by one of the functions of this module. */
export class QuantizationConfig {
  /** The name of the function that made it. */
  readonly name: 'Int4WeightOnly' | 'Int8WeightOnly' | 'Int8DynamicActivationInt8Weight' | 'BlockWeightOnly';
  /** The neighbours in a row of the weight that share a scale; null for a whole row. */
  readonly groupSize: number | null;
  /** The format of blocks, if weights are written in one. */
  readonly format: BlockFormat | null;

  /** @internal */
  constructor(name: QuantizationConfig['name'], groupSize: number | null, format: BlockFormat | null = null) {
    [this.name, this.groupSize, this.format] = [name, groupSize, format];
    Object.freeze(this);
  }

  /** The configuration as a module's line shows it: `Int4WeightOnly(groupSize=32)`. */
  toString(): string {
    const options = this.format ? `format=${this.format}` : this.groupSize === null ? '' : `groupSize=${this.groupSize}`;
    return `${this.name}(${options})`;
  }
}

/** Options of {@link Int4WeightOnly}. */
export interface Int4Options {
  /** The neighbours that share a scale and a zero point: 32, 64, 128 or 256; default 128 */
  groupSize?: number;
}

/** Options of {@link Int8WeightOnly}. */
export interface Int8Options {
  /** The neighbours that share a scale; a whole row if it is left out or null */
  groupSize?: number | null;
}

/** Options of {@link BlockWeightOnly}. */
export interface BlockOptions {
  /** The format of blocks; default `q8_0` */
  format?: BlockFormat;
}

/**
 * Weights of 4 bits, two in a byte, with a scale and a zero point for each group of neighbours in a row,
 * as torchao's `Int4WeightOnlyConfig` with its `tinygemm` parameters: `(integer - 8) * scale + zero_point`.
 * Groups of 32 and 128 are blocks of the formats `q4_1` and `q4_1_128`, which products read in place, with a
 * scale and a smallest element in float16. Groups of 64 and 256, and groups of a layer where one is
 * beyond float16, have their scales in the type of the weight, and are decoded to memory in every
 * call. Throws an `argument` error for another group size.
 *
 * @example
 * await quantize_(model, Int4WeightOnly({ groupSize: 32 }));
 */
export function Int4WeightOnly(options: Int4Options = {}): QuantizationConfig {
  const { groupSize = 128 } = checkOptions('Int4WeightOnly', options, ['groupSize']);
  if (!GROUP_SIZES.includes(groupSize)) {
    throw new LanthornError('argument', 'Int4WeightOnly', `the argument groupSize takes ${GROUP_SIZES.join(', ')}, not ${String(groupSize)}`);
  }
  return new QuantizationConfig('Int4WeightOnly', groupSize);
}

/**
 * Weights of 8 bits with a scale for each row (an output channel), or for each group of `groupSize`
 * neighbours in it: `integer * scale`, as torchao's `Int8WeightOnlyConfig`. Groups of 32 are blocks of the
 * format `q8_0`, which products read in place and fastest, unless a scale is beyond float16; a
 * product with one row unpacks other weights as it reads them. Throws an `argument` error for a
 * group size that is no whole number above 0.
 *
 * @example
 * await quantize_(model, Int8WeightOnly());
 */
export function Int8WeightOnly(options: Int8Options = {}): QuantizationConfig {
  const { groupSize = null } = checkOptions('Int8WeightOnly', options, ['groupSize']);
  if (groupSize !== null && (!Number.isInteger(groupSize) || groupSize < 1)) {
    throw new LanthornError('argument', 'Int8WeightOnly', `the argument groupSize takes a whole number above 0 or null, not ${String(groupSize)}`);
  }
  return new QuantizationConfig('Int8WeightOnly', groupSize);
}

/**
 * Weights as of {@link Int8WeightOnly}, and inputs rounded to 8 bits with a scale for each token that is
 * computed at the call, as torchao's `Int8DynamicActivationInt8WeightConfig`. The product is computed in
 * floating point, on the rounded numbers.
 *
 * @example
 * await quantize_(model, Int8DynamicActivationInt8Weight());
 */
export function Int8DynamicActivationInt8Weight(options: Record<string, never> = {}): QuantizationConfig {
  checkOptions('Int8DynamicActivationInt8Weight', options, []);
  return new QuantizationConfig('Int8DynamicActivationInt8Weight', null);
}

/**
 * Weights in blocks of 32 numbers of a format of GGUF, which products read without storing the numbers.
 * Throws an `argument` error for a format that cannot be written.
 *
 * @example
 * await quantize_(model, BlockWeightOnly({ format: 'q4_0' }));
 */
export function BlockWeightOnly(options: BlockOptions = {}): QuantizationConfig {
  const { format = 'q8_0' } = checkOptions('BlockWeightOnly', options, ['format']);
  if (!FORMATS.includes(format)) {
    throw new LanthornError('argument', 'BlockWeightOnly', `the argument format takes ${FORMATS.join(', ')}, not ${JSON.stringify(format) ?? describe(format)}`);
  }
  return new QuantizationConfig('BlockWeightOnly', BLOCK_ELEMENTS, format);
}
