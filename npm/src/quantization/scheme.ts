/**
 * Weights as bytes with scales, and back. A weight is a matrix with a row for each output channel.
 *
 * There is no dtype of 8 or 4 bits with a sign: integers are bytes of a uint8 tensor, and an expression
 * decodes them, which a product computes while it loads its factors. Rejected: integers of 4 bits in
 * pairs of neighbours, because the two halves of a group are loaded as rows.
 */
import { noGrad } from '../autograd.js';
import { LanthornError } from '../errors.js';
import { arange, dequantize, fakeQuantizePerChannelAffine, quantize, zeros } from '../operations.generated.js';
import type { BlockFormat } from '../quantized-tensor.js';
import { scope } from '../scope.js';
import type { Tensor } from '../tensor.js';
import type { DType } from '../types.js';
import { BLOCK_ELEMENTS, type QuantizationConfig } from './config.js';

/** The tensors of a quantized matrix by name: `qdata`, `scale`, `zero_point`. */
export type Packed = ReadonlyMap<string, Tensor>;

/** The smallest scale: of groups whose elements are all 0. */
const EPS = 2 ** -23;
const [INT8_MIN, INT8_MAX, INT4_MAX] = [-128, 127, 15];
/** What is added to an int8 for a byte. */
const OFFSET = 128;

/** The largest number of float16. */
const FLOAT16_MAX = 65504;

/**
 * Decoded numbers in the type of the weight. A step of rounding beyond the largest number of
 * float16 is no infinity.
 */
function inType(numbers: Tensor, dtype: DType): Tensor {
  return (dtype === 'float16' ? numbers.clamp(-FLOAT16_MAX, FLOAT16_MAX) : numbers).to(dtype);
}

/** How matrices are quantized. */
export interface Scheme {
  /** The bytes and scales of a matrix in float32; scales are in the type `dtype`. */
  encode(matrix: Tensor, dtype: DType): Map<string, Tensor> | Promise<Map<string, Tensor>>;
  /** A matrix, or some of its rows. */
  decode(packed: Packed, dtype: DType): Tensor;
  /** A matrix as decoding its encoding would give it; the gradient passes through the rounding. */
  fake?(matrix: Tensor): Tensor;
}

/** A matrix in groups: `[rows, groups, groupSize]`. */
function grouped(matrix: Tensor, groupSize: number | null): Tensor {
  const [rows, columns] = matrix.shape as [number, number];
  return matrix.reshape([rows, columns / (groupSize ?? columns), groupSize ?? columns]);
}

/**
 * Scales of groups `[rows, groups, size]`, one each: `[rows, groups, 1]`. The largest element is `most`
 * steps from 0; torchao's scales have 255 steps from one end to the other.
 */
function symmetricScale(groups: Tensor, most = (INT8_MAX - INT8_MIN) / 2): Tensor {
  return groups.abs().amax(-1, true).div(most).clampMin(EPS);
}

/** The smallest element and the scale of each group. */
function range(groups: Tensor): { low: Tensor; scale: Tensor } {
  const low = groups.amin(-1, true);
  return { low, scale: groups.amax(-1, true).sub(low).div(INT4_MAX).clampMin(EPS) };
}

/** Rows rounded to grids with a scale each. The gradient passes where they are not clamped. */
export function fakeRows(rows: Tensor, scale: Tensor, low: number, high: number): Tensor {
  const zeroPoint = zeros([rows.shape[0]!], { dtype: 'int32' });
  return fakeQuantizePerChannelAffine(rows, scale.reshape([-1]), zeroPoint, 0, low, high);
}

const int8 = (groupSize: number | null): Scheme => ({
  encode: (matrix, dtype) => scope(() => {
    const groups = grouped(matrix, groupSize);
    const scale = symmetricScale(groups).to(dtype);
    const integers = groups.mul(scale.to('float32').reciprocal()).round().clamp(INT8_MIN, INT8_MAX);
    return new Map([['qdata', integers.add(OFFSET).to('uint8').reshape(matrix.shape)], ['scale', scale.squeeze(-1)]]);
  }),

  decode(packed) {
    const [bytes, scale] = [packed.get('qdata')!, packed.get('scale')!];
    const { dtype } = scale;
    const type = dtype === 'float16' ? 'float32' : dtype;
    const [integers, wide] = [bytes.to(type).sub(OFFSET), scale.to(type)];
    if (scale.shape[1] === 1) return inType(integers.mul(wide), dtype);
    return inType(grouped(integers, bytes.shape[1]! / scale.shape[1]!).mul(wide.unsqueeze(-1)).reshape(bytes.shape), dtype);
  },

  fake: (matrix) => fakeInt8(matrix, groupSize),
});

/** Groups rounded to integers of 8 bits. */
function fakeInt8(matrix: Tensor, groupSize: number | null, most?: number): Tensor {
  const groups = grouped(matrix, groupSize);
  const scale = noGrad(() => symmetricScale(groups, most));
  return fakeRows(groups.reshape([-1, groups.shape[2]!]), scale, INT8_MIN, INT8_MAX).reshape(matrix.shape);
}

const int4 = (groupSize: number): Scheme => ({
  encode: (matrix, dtype) => scope(() => {
    const groups = grouped(matrix, groupSize);
    const found = range(groups);
    const scale = found.scale.to(dtype);
    const zeroPoint = found.low.add(scale.to('float32').mul((INT4_MAX + 1) / 2)).to(dtype);
    const low = zeroPoint.to('float32').sub(scale.to('float32').mul((INT4_MAX + 1) / 2));
    const integers = groups.sub(low).div(scale.to('float32')).round().clamp(0, INT4_MAX);
    const [first, second] = integers.chunk(2, -1) as [Tensor, Tensor];
    const [rows, columns] = matrix.shape as [number, number];
    return new Map([
      ['qdata', first.add(second.mul(INT4_MAX + 1)).to('uint8').reshape([rows, columns / 2])],
      ['scale', scale.squeeze(-1)],
      ['zero_point', zeroPoint.squeeze(-1)],
    ]);
  }),

  decode(packed) {
    const [bytes, scale, zeroPoint] = ['qdata', 'scale', 'zero_point'].map((name) => packed.get(name)!) as [Tensor, Tensor, Tensor];
    const [rows, groups] = scale.shape as [number, number];
    // The first half of a group is in the low bits, the second in the high ones.
    const shifts = arange(0, 8, 4, { dtype: 'int32' }).reshape([2, 1]);
    const integers = bytes.to('int32').reshape([rows, groups, 1, -1]).bitwiseRightShift(shifts).bitwiseAnd(INT4_MAX);
    const type = scale.dtype === 'float16' ? 'float32' : scale.dtype;
    const along = (tensor: Tensor): Tensor => tensor.to(type).reshape([rows, groups, 1, 1]);
    const numbers = integers.to(type).sub((INT4_MAX + 1) / 2).mul(along(scale)).add(along(zeroPoint));
    return inType(numbers.reshape([rows, bytes.shape[1]! * 2]), scale.dtype);
  },

  fake(matrix) {
    const groups = grouped(matrix, groupSize);
    const { low, scale } = noGrad(() => range(groups));
    const rows = groups.sub(low).reshape([-1, groupSize]);
    return fakeRows(rows, scale, 0, INT4_MAX).reshape(groups.shape).add(low).reshape(matrix.shape);
  },
});

const blocks = (format: BlockFormat): Scheme => ({
  encode: async (matrix) => new Map([['qdata', await quantize(matrix, format)]]),
  decode: (packed, dtype) => inType(dequantize(packed.get('qdata')!, format), dtype),
});

/**
 * Blocks, whose scales are in float16, or for a matrix with a scale beyond float16 the groups of
 * another scheme, whose scales are in the type of the weight.
 */
const blocksOr = (format: BlockFormat, other: Scheme, fake: NonNullable<Scheme['fake']>): Scheme => ({
  encode: async (matrix, dtype) => {
    try {
      return await blocks(format).encode(matrix, dtype);
    } catch (error) {
      if (error instanceof LanthornError && error.kind === 'limit') return other.encode(matrix, dtype);
      throw error;
    }
  },
  decode: (packed, dtype) => (packed.has('scale') ? other : blocks(format)).decode(packed, dtype),
  fake,
});

/** The block formats with a scale and a smallest element for each group of 4 bits, by the group's size. */
const INT4_BLOCKS: ReadonlyMap<number | null, BlockFormat> = new Map([[BLOCK_ELEMENTS, 'q4_1'], [128, 'q4_1_128']]);

/**
 * The scheme of a configuration. Groups for which there is a block format are blocks, which products read
 * in place: a scale and integers are `q8_0`, with a smallest element `q4_1` or `q4_1_128`.
 */
export function schemeOf(config: QuantizationConfig): Scheme {
  const { format, groupSize, name } = config;
  if (format !== null) return blocks(format);
  if (name === 'Int4WeightOnly') {
    const [grouped, inBlocks] = [int4(groupSize!), INT4_BLOCKS.get(groupSize)];
    return inBlocks === undefined ? grouped : blocksOr(inBlocks, grouped, grouped.fake!);
  }
  const own = int8(groupSize);
  return groupSize === BLOCK_ELEMENTS ? blocksOr('q8_0', own, (matrix) => fakeInt8(matrix, BLOCK_ELEMENTS, INT8_MAX)) : own;
}

/** Each token of `x: [..., features]` rounded to 8 bits, with a scale of its own. */
export function fakeTokens(x: Tensor): Tensor {
  const tokens = x.reshape([-1, x.shape.at(-1)!]);
  const scale = noGrad(() => symmetricScale(tokens));
  return fakeRows(tokens, scale, INT8_MIN, INT8_MAX).reshape(x.shape);
}
