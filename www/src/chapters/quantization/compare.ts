/** A network and its copies in other formats: size, time and difference of each. */
import { noGrad, scope, type Tensor } from 'lanthorn';
import { median } from '../../parts/median';
import { readOnce } from '../../parts/training/worker';
import { convert, FORMATS, type Format, inputFor } from './formats';
import { Mlp, roundWeights } from './train';

export interface Row {
  format: Format;
  /** The bytes of its weights. */
  bytes: number;
  /** Milliseconds for all test images, with the reading of the scores: the median of some runs. */
  time: number;
  accuracy: number;
  /** The largest difference of a score from the score in float32. */
  difference: number;
  /** Why this device cannot run it. */
  problem?: string;
}

export type LayerName = 'first' | 'second' | 'third';

/** The weights of a layer, before and after. */
export interface Weights {
  before: Float32Array;
  after: Float32Array;
  /** The numbers of a row. */
  width: number;
}

const SIZES: Record<string, number> = { uint8: 1, float16: 2, float32: 4, int32: 4 };
const RUNS = 5;

/** A row for each format, of the copies of `model` on the same images. */
export async function compare(model: Mlp, images: Tensor, labels: Uint8Array): Promise<Row[]> {
  const rows: Row[] = [];
  let exact: Float32Array | undefined;
  for (const format of FORMATS) {
    try {
      const { scores, ...row } = await withCopy(model, format, (copy) => measure(copy, format, images, labels));
      exact ??= scores;
      const difference = scores.reduce((most, score, index) => Math.max(most, Math.abs(score - exact![index]!)), 0);
      rows.push({ ...row, difference });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      rows.push({ format, bytes: 0, time: 0, accuracy: 0, difference: 0, problem });
    }
  }
  return rows;
}

/** The weights of a layer as they are, and as a format has them. */
export function weightsOf(model: Mlp, name: LayerName, format: Format): Promise<Weights> {
  return withCopy(model, format, async (copy) => {
    const decode = () => (format === '2 bits' ? roundWeights(copy[name].weight, 2) : copy[name].weight.to('float32').clone());
    const [before, after] = await Promise.all([model[name].weight.data(), readOnce(scope(() => noGrad(decode)), (all) => all.data())]);
    return { before: (before as Float32Array).slice(), after: after as Float32Array, width: model[name].weight.shape[1]! };
  });
}

async function measure(copy: Mlp, format: Format, images: Tensor, labels: Uint8Array): Promise<Omit<Row, 'difference'> & { scores: Float32Array }> {
  const input = scope(() => inputFor(images, format).clone());
  try {
    const times: number[] = [];
    let scores = new Float32Array();
    // The first run prepares the kernels, and does not count.
    for (let run = 0; run <= RUNS; run += 1) {
      const start = performance.now();
      const result = scope(() => noGrad(() => copy.call(input).to('float32')));
      scores = (await readOnce(result, (all) => all.data())) as Float32Array<ArrayBuffer>;
      times.push(performance.now() - start);
    }
    const [, ...counted] = times;
    return { format, bytes: bytesOf(copy, format), time: median(counted)!, accuracy: accuracyOf(scores, labels), scores };
  } finally {
    input.dispose();
  }
}

/** Runs `work` on a copy of the model, which is disposed of. */
async function withCopy<T>(model: Mlp, format: Format, work: (copy: Mlp) => Promise<T>): Promise<T> {
  const copy = new Mlp();
  const state = model.stateDict();
  try {
    await copy.loadStateDict(state);
    await convert(copy, format);
    return await work(copy);
  } finally {
    copy.dispose();
    Object.values(state).forEach((held) => held.dispose());
  }
}

/**
 * The bytes of the weights. For 2 bits, as if a byte held four weights, with a scale for each row.
 */
function bytesOf(model: Mlp, format: Format): number {
  if (format === '2 bits') {
    // A scale and a bias are 8 bytes for each row.
    return [model.first, model.second, model.third].map(({ weight }) => weight.shape).reduce((sum, [rows, width]) => sum + rows! * (width! / 4 + 8), 0);
  }
  const count = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);
  return [...model.parameters(), ...model.buffers()].reduce((sum, { shape, dtype }) => sum + count(shape) * SIZES[dtype]!, 0);
}

function accuracyOf(scores: Float32Array, labels: Uint8Array): number {
  const width = scores.length / labels.length;
  const right = Array.from(labels).filter((label, index) => {
    const row = scores.subarray(width * index, width * (index + 1));
    return row.indexOf(Math.max(...row)) === label;
  });
  return right.length / labels.length;
}
