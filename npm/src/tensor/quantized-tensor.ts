/** Matrices that stay in blocks of low-bit integers. */
import { BLOCK_FORMATS } from '../generated/block-formats.js';
import { describe } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { Tensor } from './tensor.js';

/** A format of blocks, by ggml's name. */
export type BlockFormat = keyof typeof BLOCK_FORMATS;

const OP = 'QuantizedTensor';

/** Whether a value names a format of blocks. */
export function isBlockFormat(value: unknown): value is BlockFormat {
  return typeof value === 'string' && Object.hasOwn(BLOCK_FORMATS, value);
}

/**
 * Numbers in blocks of a GGUF format: the bytes that `x.quantize(format)` returns and
 * `blocks.dequantize(format)` accepts, with their format. A product that takes the numbers reads
 * the blocks.
 *
 * @example
 * const quantized = await QuantizedTensor.fromFloat(layer.weight, 'q4_0');
 * const y = nn.functional.linear(x, quantized.dequantize());
 */
export class QuantizedTensor {
  /** The bytes, uint8 `[*, bytes]`. */
  readonly blocks: Tensor;
  /** The format of the blocks. */
  readonly format: BlockFormat;

  /**
   * The numbers of blocks, which it owns.
   *
   * @throws a LanthornError of kind `dtype`, if the blocks are not uint8; `shape`, if the last dimension has not whole
   * blocks; `argument`, for a format that is not known.
   */
  constructor(blocks: Tensor, format: BlockFormat) {
    if (!(blocks instanceof Tensor)) throw new LanthornError('argument', OP, `blocks takes a tensor, not ${describe(blocks)}`);
    if (!isBlockFormat(format)) {
      throw new LanthornError('argument', OP, `there is no block format ${describe(format)}; there are ${Object.keys(BLOCK_FORMATS).join(', ')}`);
    }
    if (blocks.dtype !== 'uint8') throw new LanthornError('dtype', OP, `blocks are bytes in a uint8 tensor, not ${blocks.dtype}`);
    const [, bytes] = BLOCK_FORMATS[format];
    if (blocks.ndim === 0 || blocks.shape.at(-1)! % bytes !== 0) {
      throw new LanthornError('shape', OP, `rows of shape [${blocks.shape.join(', ')}] have not whole blocks of ${bytes} bytes`);
    }
    this.blocks = blocks;
    this.format = format;
  }

  /** The blocks of the nearest numbers. */
  static async fromFloat(numbers: Tensor, format: BlockFormat): Promise<QuantizedTensor> {
    return new QuantizedTensor(await numbers.quantize(format), format);
  }

  /** The shape of the numbers. */
  get shape(): readonly number[] {
    return numbersOf(this.blocks.shape, this.format);
  }

  /** The size of the blocks, in bytes. */
  get nbytes(): number {
    return this.blocks.numel;
  }

  /** All numbers, as float32. */
  dequantize(): Tensor {
    return this.blocks.dequantize(this.format);
  }

  /** The numbers of rows of a matrix, as `indexSelect` along the first dimension; no other row is dequantized. */
  rows(index: Tensor): Tensor {
    return rowsOf(this.blocks, this.format, index);
  }

  /** Frees the blocks. */
  dispose(): void {
    this.blocks.dispose();
  }

  /** As {@link QuantizedTensor.dispose}. */
  [dispose](): void {
    this.dispose();
  }
}

/** The shape of the numbers of blocks `[*, bytes]`. */
export function numbersOf(shape: readonly number[], format: BlockFormat): number[] {
  const [elements, bytes] = BLOCK_FORMATS[format];
  return [...shape.slice(0, -1), (shape.at(-1)! / bytes) * elements];
}

/** The shape of the blocks of numbers. */
export function blocksOf(shape: readonly number[], format: BlockFormat): number[] {
  const [elements, bytes] = BLOCK_FORMATS[format];
  return [...shape.slice(0, -1), (shape.at(-1)! / elements) * bytes];
}

/** The numbers of rows. */
export function rowsOf(blocks: Tensor, format: BlockFormat, index: Tensor): Tensor {
  return blocks.indexSelect(0, index).dequantize(format);
}
