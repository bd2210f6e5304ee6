/**
 * Sequences of different lengths, as `torch.nn.utils.rnn`. Lengths are numbers, because the steps
 * of a packed sequence depend on them and a tensor is not read without waiting.
 */
import { checkFlag, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { cat, full, padSequence } from '../generated/operations.js';
import { tensor } from '../tensor/from-data.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

export { padSequence };

/** Lengths of sequences. */
export type Lengths = readonly number[] | Int32Array | BigInt64Array;

/**
 * Sequences of different lengths without padding, as `torch.nn.utils.rnn.PackedSequence`: the first
 * steps of all sequences, then their second steps, and so on, the longest sequence first. Recurrent
 * layers take and return it. {@link packPaddedSequence} makes one.
 */
export class PackedSequence implements Iterable<unknown> {
  /** The steps: `[sum of the lengths, ..]`. */
  readonly data: Tensor;
  /** The number of sequences in each step. */
  readonly batchSizes: readonly number[];
  /** The numbers of the given sequences in the packed order; null where that is the given order. */
  readonly sortedIndices: Tensor | null;
  /** The positions of the given sequences in the packed order; null where that is the given one. */
  readonly unsortedIndices: Tensor | null;

  constructor(data: Tensor, batchSizes: readonly number[], sortedIndices: Tensor | null = null, unsortedIndices: Tensor | null = null) {
    handleOf('PackedSequence', 'data', data);
    this.data = data;
    this.batchSizes = Object.freeze([...batchSizes]);
    this.sortedIndices = sortedIndices;
    this.unsortedIndices = unsortedIndices ?? (sortedIndices && sortedIndices.argsort());
  }

  /** The same sequences in the same order, with other data. */
  withData(data: Tensor): PackedSequence {
    return new PackedSequence(data, this.batchSizes, this.sortedIndices, this.unsortedIndices);
  }

  /** The data with another type; see {@link Tensor.to}. */
  to(dtype: Tensor['dtype']): PackedSequence {
    return this.withData(this.data.to(dtype));
  }

  /** Its four parts, in the order of PyTorch's named tuple. */
  *[Symbol.iterator](): Generator<unknown> {
    yield* [this.data, this.batchSizes, this.sortedIndices, this.unsortedIndices];
  }
}

/** The numbers in tensors of sorted indices. */
const orders = new WeakMap<Tensor, readonly number[]>();

/** The whole numbers of a list of lengths. */
function numbersOf(op: string, lengths: unknown): number[] {
  if (lengths instanceof Tensor) throw new LanthornError('argument', op, 'lengths are a list of numbers: await lengths.tolist()');
  const list = Array.isArray(lengths) || ArrayBuffer.isView(lengths) ? Array.from(lengths as unknown as ArrayLike<number | bigint>, Number) : undefined;
  if (!list?.every(Number.isInteger)) throw new LanthornError('argument', op, `lengths are a list of whole numbers, not ${describe(lengths)}`);
  return list;
}

/** The numbers of steps and of sequences of a padded tensor, after the lengths are checked. */
function sizesOf(op: string, padded: Tensor, lengths: readonly number[], batchFirst: boolean, least: number): [steps: number, batch: number] {
  handleOf(op, 'input', padded);
  const [first, second] = padded.shape;
  if (first === undefined || second === undefined) throw new LanthornError('shape', op, `takes padded sequences [T, B, ..], not shape [${padded.shape.join(', ')}]`);
  const [steps, batch] = batchFirst ? [second, first] : [first, second];
  if (lengths.length !== batch) throw new LanthornError('shape', op, `${lengths.length} lengths are given for ${batch} sequences`);
  const odd = lengths.find((length) => length < least || length > steps);
  if (odd !== undefined) throw new LanthornError('shape', op, `a length is from ${least} to ${steps}, not ${odd}`);
  return [steps, batch];
}

const indices = (values: readonly number[]): Tensor => tensor([...values], { dtype: 'int32' });

/** Options of {@link packPaddedSequence}. */
export interface PackOptions {
  /** Whether the sequences are the first dimension; default false */
  batchFirst?: boolean;
  /** Whether the lengths must not rise; default true */
  enforceSorted?: boolean;
}

/**
 * Packs padded sequences, as `torch.nn.utils.rnn.pack_padded_sequence`. `input: [T, B, ..]`, or
 * `[B, T, ..]` with `batchFirst`.
 *
 * @example
 * const packed = nn.utils.rnn.packPaddedSequence(zeros(2, 5, 3), [5, 2], { batchFirst: true });
 * const [output, hN] = new nn.GRU(3, 8).call(packed);
 */
export function packPaddedSequence(input: Tensor, lengths: Lengths, options: boolean | PackOptions = {}, sorted?: boolean): PackedSequence {
  const op = 'packPaddedSequence';
  const given = typeof options === 'boolean' ? { batchFirst: options, ...(sorted === undefined ? {} : { enforceSorted: sorted }) } : options;
  const { batchFirst, enforceSorted = true } = checkOptions(op, given, ['batchFirst', 'enforceSorted']);
  const [isBatchFirst, isSorted] = [checkFlag(op, 'batchFirst', batchFirst), checkFlag(op, 'enforceSorted', enforceSorted)];
  const list = numbersOf(op, lengths);
  const [steps, batch] = sizesOf(op, input, list, isBatchFirst, 1);
  if (isSorted && list.some((length, index) => index > 0 && length > list[index - 1]!)) {
    throw new LanthornError('argument', op, 'with enforceSorted the lengths fall; pass enforceSorted: false for sequences in any order');
  }
  const order = list.map((_, index) => index).sort((one, other) => list[other]! - list[one]!);
  const rows: number[] = [];
  const batchSizes: number[] = [];
  for (let step = 0; step < (list[order[0]!] ?? 0); step += 1) {
    const present = order.filter((sequence) => list[sequence]! > step);
    rows.push(...present.map((sequence) => (isBatchFirst ? sequence * steps + step : step * batch + sequence)));
    batchSizes.push(present.length);
  }
  const data = input.flatten(0, 1).indexSelect(0, indices(rows));
  if (isSorted) return new PackedSequence(data, batchSizes);
  const positions = order.map((_, sequence) => order.indexOf(sequence));
  const sortedIndices = indices(order);
  orders.set(sortedIndices, order);
  return new PackedSequence(data, batchSizes, sortedIndices, indices(positions));
}

/** Options of {@link padPackedSequence}. */
export interface PadOptions {
  /** Whether the sequences are the first dimension; default false */
  batchFirst?: boolean;
  /** The elements beyond the ends; default 0 */
  paddingValue?: number;
  /** The number of steps; default the longest length */
  totalLength?: number | null;
}

/**
 * Pads packed sequences, as `torch.nn.utils.rnn.pad_packed_sequence`: `[T, B, ..]`, or
 * `[B, T, ..]` with `batchFirst`, in the order in which they were given, and their lengths.
 *
 * @example
 * const packed = nn.utils.rnn.packPaddedSequence(ones(5, 2, 3), [5, 2]);
 * const [padded, lengths] = nn.utils.rnn.padPackedSequence(packed);
 */
export function padPackedSequence(sequence: PackedSequence, options: PadOptions = {}): [Tensor, number[]] {
  const op = 'padPackedSequence';
  if (!(sequence instanceof PackedSequence)) throw new LanthornError('argument', op, `takes a PackedSequence, not ${describe(sequence)}`);
  const { batchFirst, paddingValue = 0, totalLength } = checkOptions(op, options, ['batchFirst', 'paddingValue', 'totalLength']);
  const { data, batchSizes } = sequence;
  const steps = totalLength ?? batchSizes.length;
  if (steps < batchSizes.length) throw new LanthornError('argument', op, `totalLength is at least the longest length ${batchSizes.length}, not ${steps}`);
  const order = sequence.sortedIndices && orders.get(sequence.sortedIndices);
  if (order === undefined) throw new LanthornError('argument', op, 'the sortedIndices of a sequence are those that packPaddedSequence or packSequence made');
  const batch = batchSizes[0] ?? 0;
  const lengths = Array.from({ length: batch }, (_, position) => batchSizes.filter((size) => size > position).length);
  const positions = lengths.map((_, sequenceNumber) => (order ? order.indexOf(sequenceNumber) : sequenceNumber));
  const starts: number[] = [];
  let count = 0;
  for (const size of batchSizes) {
    starts.push(count);
    count += size;
  }
  // The row after the data is the padding.
  const row = (step: number, position: number): number => (step < lengths[position]! ? starts[step]! + position : count);
  const all = Array.from({ length: steps }, (_, step) => step);
  const isBatchFirst = checkFlag(op, 'batchFirst', batchFirst);
  const rows = isBatchFirst
    ? positions.flatMap((position) => all.map((step) => row(step, position)))
    : all.flatMap((step) => positions.map((position) => row(step, position)));
  const padding = full([1, ...data.shape.slice(1)], paddingValue, { dtype: data.dtype });
  const shape = [...(isBatchFirst ? [batch, steps] : [steps, batch]), ...data.shape.slice(1)];
  const padded = cat([data, padding]).indexSelect(0, indices(rows)).reshape(shape);
  return [padded, positions.map((position) => lengths[position]!)];
}

/**
 * Packs sequences `[length, ..]`, as `torch.nn.utils.rnn.pack_sequence`.
 *
 * @example
 * const packed = nn.utils.rnn.packSequence([ones(3, 2), ones(1, 2)]);
 */
export function packSequence(sequences: readonly Tensor[], options: { enforceSorted?: boolean } = {}): PackedSequence {
  if (!Array.isArray(sequences)) throw new LanthornError('argument', 'packSequence', `takes a list of tensors, not ${describe(sequences)}`);
  const lengths = (sequences as Tensor[]).map((sequence, index) => {
    handleOf('packSequence', `number ${index}`, sequence);
    return sequence.shape[0] ?? 0;
  });
  return packPaddedSequence(padSequence(sequences), lengths, options);
}

/**
 * The sequences that were packed, as `torch.nn.utils.rnn.unpack_sequence`.
 *
 * @example
 * const packed = nn.utils.rnn.packSequence([ones(3, 2), ones(1, 2)]);
 * const sequences = nn.utils.rnn.unpackSequence(packed);
 */
export function unpackSequence(sequence: PackedSequence): Tensor[] {
  const [padded, lengths] = padPackedSequence(sequence, { batchFirst: true });
  return unpadSequence(padded, lengths, true);
}

/**
 * The sequences of a padded tensor, as `torch.nn.utils.rnn.unpad_sequence`. `padded: [T, B, ..]`,
 * or `[B, T, ..]` with `batchFirst`.
 *
 * @example
 * const [long, short] = nn.utils.rnn.unpadSequence(ones(3, 2, 4), [3, 1]);
 */
export function unpadSequence(padded: Tensor, lengths: Lengths, options: boolean | { batchFirst?: boolean } = {}): Tensor[] {
  const op = 'unpadSequence';
  const { batchFirst } = checkOptions(op, typeof options === 'boolean' ? { batchFirst: options } : options, ['batchFirst']);
  const isBatchFirst = checkFlag(op, 'batchFirst', batchFirst);
  const list = numbersOf(op, lengths);
  sizesOf(op, padded, list, isBatchFirst, 0);
  return list.map((length, index) => padded.select(isBatchFirst ? 0 : 1, index).narrow(0, 0, length));
}
