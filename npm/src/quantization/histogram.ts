/**
 * The observer that cuts off outliers. Its histogram is on the host, in float64: a tensor is read while the
 * next batch is computed, and the search for the best range looks at the histogram a few hundred times.
 */
import { checkOptions } from '../check.js';
import { LanthornError } from '../errors.js';
import { full } from '../operations.generated.js';
import { scope } from '../scope.js';
import { handleOf, type Tensor } from '../tensor.js';
import { Observer, type ObserverOptions, type QParams } from './observers.js';

/** Options of {@link HistogramObserver}. */
export interface HistogramOptions extends ObserverOptions {
  /** The number of bins; default 2048 */
  bins?: number;
}

/** The part of the numbers by which the search cuts off one end at a time. */
const STEP = 1e-5;
/** The parts of a bin that is mapped to other bins. */
const UPSAMPLE = 16;

/** Counts of numbers in bins of the same width from `low` to `high`. */
interface Histogram {
  low: number;
  high: number;
  counts: Float64Array;
}

/** Adds an amount to the bin of a number. */
function add({ low, high, counts }: Histogram, value: number, amount: number): void {
  const bin = high === low ? 0 : Math.floor(((value - low) / (high - low)) * counts.length);
  const index = Math.min(Math.max(bin, 0), counts.length - 1);
  counts[index]! += amount;
}

/** The counts of a histogram in a wider range. */
function widened(from: Histogram, low: number, high: number): Histogram {
  const to: Histogram = { low, high, counts: new Float64Array(from.counts.length) };
  const part = (from.high - from.low) / from.counts.length / UPSAMPLE;
  for (const [bin, count] of from.counts.entries()) {
    for (let index = 0; count > 0 && index < UPSAMPLE; index += 1) add(to, from.low + (bin * UPSAMPLE + index + 0.5) * part, count / UPSAMPLE);
  }
  return to;
}

/** The integral of `density * x^2`. */
const norm = (begin: number, end: number, density: number): number => (density * (end ** 3 - begin ** 3)) / 3;

/** The squared error of numbers that are rounded to the middles of `steps` parts of the bins `first` to `last`. */
function errorOf({ low, high, counts }: Histogram, first: number, last: number, steps: number): number {
  const width = (high - low) / counts.length;
  const step = (width * (last - first + 1)) / steps;
  if (step === 0) return 0;
  const partOf = (offset: number): number => Math.min(Math.max(Math.floor(offset / step), 0), steps - 1);
  let sum = 0;
  for (const [bin, count] of counts.entries()) {
    if (count === 0) continue;
    const density = count / width;
    const [begin, end] = [(bin - first) * width, (bin - first + 1) * width];
    const [partBegin, partEnd] = [partOf(begin), partOf(end)];
    sum += norm(begin - (partBegin + 0.5) * step, step / 2, density)
      + (partEnd - partBegin - 1) * norm(-step / 2, step / 2, density)
      + norm(-step / 2, end - (partEnd + 0.5) * step, density);
  }
  return sum;
}

/** The range with the smallest error, found by moving the ends inwards while it gets smaller. */
function bestRange(histogram: Histogram, steps: number): [number, number] {
  const { low, high, counts } = histogram;
  const sums = Float64Array.from(counts);
  for (let bin = 1; bin < sums.length; bin += 1) sums[bin]! += sums[bin - 1]!;
  const total = sums.at(-1)!;
  let [first, last, alpha, beta, smallest] = [0, counts.length - 1, 0, 1, Infinity];
  while (alpha < beta) {
    const [nextAlpha, nextBeta] = [alpha + STEP, beta - STEP];
    let [left, right] = [first, last];
    while (left < last && sums[left]! < nextAlpha * total) left += 1;
    while (right > first && sums[right]! > nextBeta * total) right -= 1;
    let [nextFirst, nextLast] = [first, last];
    if (left - first > last - right) [nextFirst, alpha] = [left, nextAlpha];
    else [nextLast, beta] = [right, nextBeta];
    if (nextFirst === first && nextLast === last) continue;
    const error = errorOf(histogram, nextFirst, nextLast, steps);
    if (error > smallest) break;
    [smallest, first, last] = [error, nextFirst, nextLast];
  }
  const width = (high - low) / counts.length;
  return [low + width * first, low + width * (last + 1)];
}

/**
 * A histogram of all numbers, from which the range with the smallest squared error is chosen, as
 * `torch.ao.quantization.HistogramObserver`. Its parameters are awaited.
 *
 * @example
 * const observer = new HistogramObserver();
 * for (const x of batches) observer.call(x);
 * const { scale, zeroPoint } = await observer.calculateQParams();
 */
export class HistogramObserver extends Observer {
  static override readonly name: string = 'HistogramObserver';
  readonly bins: number;
  #histogram: Histogram | undefined;
  #observed = false;
  #pending: Promise<void> = Promise.resolve();

  constructor(options: HistogramOptions = {}) {
    const { bins = 2048, ...others } = checkOptions<HistogramOptions>('HistogramObserver', options, ['qscheme', 'quantMin', 'quantMax', 'bins']);
    super('per_tensor', others);
    if (!Number.isInteger(bins) || bins < 1) {
      throw new LanthornError('argument', 'HistogramObserver', `the argument bins takes a whole number above 0, not ${String(bins)}`);
    }
    this.bins = bins;
  }

  override get hasObserved(): boolean {
    return this.#observed;
  }

  override forward(x: Tensor): Tensor {
    handleOf('HistogramObserver', 'x', x);
    if (x.shape.includes(0)) return x;
    this.#observed = true;
    const copy = scope(() => x.detach().to('float32'));
    const read = copy.data<Float32Array>();
    copy.dispose();
    this.#pending = Promise.all([this.#pending, read]).then(([, values]) => this.#add(values));
    // An error is that of calculateQParams.
    this.#pending.catch(() => {});
    return x;
  }

  #add(values: Float32Array): void {
    const finite = values.filter(Number.isFinite);
    if (finite.length === 0) return;
    let [low, high] = [Infinity, -Infinity];
    for (const value of finite) [low, high] = [Math.min(low, value), Math.max(high, value)];
    const known = this.#histogram;
    if (known) [low, high] = [Math.min(low, known.low), Math.max(high, known.high)];
    const isSame = known !== undefined && known.low === low && known.high === high;
    const next = !known ? { low, high, counts: new Float64Array(this.bins) } : isSame ? known : widened(known, low, high);
    for (const value of finite) add(next, value, 1);
    this.#histogram = next;
  }

  async calculateQParams(): Promise<QParams> {
    this.checkObserved();
    await this.#pending;
    if (!this.#histogram) throw new LanthornError('argument', 'HistogramObserver', 'has observed no finite numbers');
    const [low, high] = bestRange(this.#histogram, this.quantMax - this.quantMin + 1);
    return scope(() => this.qparamsOf(full([], low, { dtype: 'float32' }), full([], high, { dtype: 'float32' })));
  }

  override extraRepr(): string {
    return `bins=${this.bins}, qscheme=${this.qscheme}`;
  }
}
