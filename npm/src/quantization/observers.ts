/** Observers: the ranges of the numbers that pass a place of a model, as `torch.ao.quantization`. */
import { noGrad } from '../autograd.js';
import { checkOptions } from '../check.js';
import { LanthornError } from '../errors.js';
import { buffer, Module } from '../module.js';
import { full, maximum, minimum, where } from '../operations.generated.js';
import { scope } from '../scope.js';
import { handleOf, type Tensor } from '../tensor.js';

/** Whether the range is symmetric around 0. */
export type QScheme = 'per_tensor_affine' | 'per_tensor_symmetric' | 'per_channel_affine' | 'per_channel_symmetric';

/** Options of observers. */
export interface ObserverOptions {
  /** Affine, with a zero point, or symmetric; default affine */
  qscheme?: QScheme;
  /** The smallest integer; default 0 for affine schemes, and -128 for symmetric ones */
  quantMin?: number;
  /** The largest integer; default 255 for affine schemes, and 127 for symmetric ones */
  quantMax?: number;
}

/** A scale and a zero point: `scale * (integer - zeroPoint)`. */
export interface QParams {
  /** float32, one number or one for each channel */
  scale: Tensor;
  /** int32, in the shape of the scale */
  zeroPoint: Tensor;
}

/** The smallest scale: that of numbers that are all 0. */
const EPS = 2 ** -23;

/** A module that gives its input back and notes its range. */
export abstract class Observer extends Module {
  readonly qscheme: QScheme;
  readonly quantMin: number;
  readonly quantMax: number;

  /** @internal */
  constructor(kind: 'per_tensor' | 'per_channel', options: ObserverOptions) {
    super();
    const op = new.target.name;
    const { qscheme = `${kind}_affine`, quantMin, quantMax } = options;
    const known = [`${kind}_affine`, `${kind}_symmetric`];
    if (!known.includes(qscheme)) throw new LanthornError('argument', op, `the argument qscheme takes ${known.join(' or ')}, not ${String(qscheme)}`);
    const offset = qscheme.endsWith('symmetric') ? 128 : 0;
    [this.qscheme, this.quantMin, this.quantMax] = [qscheme, quantMin ?? -offset, quantMax ?? 255 - offset];
    if (!Number.isInteger(this.quantMin) || !Number.isInteger(this.quantMax) || this.quantMin >= this.quantMax) {
      throw new LanthornError('argument', op, `quantMin and quantMax are whole numbers, the smaller one first, not ${this.quantMin} and ${this.quantMax}`);
    }
  }

  /** Notes the range of `x`, and gives `x` back. */
  abstract override forward(x: Tensor): Tensor;

  /** The scale and the zero point of what was observed; an `argument` error if nothing was. */
  abstract calculateQParams(): QParams | Promise<QParams>;

  /** Whether a tensor has been observed. */
  abstract get hasObserved(): boolean;

  protected checkObserved(): void {
    if (!this.hasObserved) throw new LanthornError('argument', this.constructor.name, 'has observed no numbers: run the model on calibration data first');
  }

  /** The parameters of a range, which is made to contain 0. */
  protected qparamsOf(low: Tensor, high: Tensor): QParams {
    const { quantMin, quantMax } = this;
    return noGrad(() => scope(() => {
      const [below, above] = [low.clampMax(0), high.clampMin(0)];
      if (this.qscheme.endsWith('symmetric')) {
        const scale = maximum(below.neg(), above).div((quantMax - quantMin) / 2).clampMin(EPS);
        // The middle of integers without a sign.
        const zero = quantMin < 0 ? 0 : Math.ceil((quantMin + quantMax) / 2);
        return { scale, zeroPoint: full(scale.shape, zero, { dtype: 'int32' }) };
      }
      const scale = above.sub(below).div(quantMax - quantMin).clampMin(EPS);
      const zeroPoint = below.div(scale).round().neg().add(quantMin).clamp(quantMin, quantMax).to('int32');
      return { scale, zeroPoint };
    }));
  }
}

/** An observer of the smallest and the largest number. */
abstract class RangeObserver extends Observer {
  #observed = false;
  minVal: Tensor;
  maxVal: Tensor;

  constructor(kind: 'per_tensor' | 'per_channel', shape: readonly number[], options: ObserverOptions) {
    super(kind, options);
    [this.minVal, this.maxVal] = [buffer(full(shape, Infinity)), buffer(full(shape, -Infinity))];
  }

  override get hasObserved(): boolean {
    return this.#observed;
  }

  /** The smallest and the largest numbers of a tensor. */
  protected abstract rangeOf(x: Tensor): [Tensor, Tensor];

  /** What is noted after another tensor. */
  protected combined(low: Tensor, high: Tensor): [Tensor, Tensor] {
    return [minimum(this.minVal, low), maximum(this.maxVal, high)];
  }

  override forward(x: Tensor): Tensor {
    handleOf(this.constructor.name, 'x', x);
    if (x.shape.includes(0)) return x;
    noGrad(() => scope((keep) => {
      const [low, high] = this.rangeOf(x.detach().to(this.minVal.dtype));
      this.prepare(low.shape, keep);
      const [newLow, newHigh] = this.combined(low, high);
      this.minVal.copy_(newLow);
      this.maxVal.copy_(newHigh);
    }));
    this.#observed = true;
    return x;
  }

  /** Makes the buffers those of as many channels as a tensor has. */
  protected prepare(_shape: readonly number[], _keep: <T>(value: T) => T): void {}

  calculateQParams(): QParams {
    this.checkObserved();
    return this.qparamsOf(this.minVal, this.maxVal);
  }

  override extraRepr(): string {
    return `qscheme=${this.qscheme}, quantMin=${this.quantMin}, quantMax=${this.quantMax}`;
  }
}

const RANGE_OPTIONS = ['qscheme', 'quantMin', 'quantMax'];

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
  constructor(options: ObserverOptions = {}) {
    super('per_tensor', [], checkOptions('MinMaxObserver', options, RANGE_OPTIONS));
  }

  protected override rangeOf(x: Tensor): [Tensor, Tensor] {
    return [x.amin(), x.amax()];
  }
}

/** Options of {@link MovingAverageMinMaxObserver}. */
export interface MovingAverageOptions extends ObserverOptions {
  /** The part of a new range in the average; default 0.01 */
  averagingConstant?: number;
}

/** Moving averages of the smallest and the largest number, as `torch.ao.quantization.MovingAverageMinMaxObserver`. */
export class MovingAverageMinMaxObserver extends RangeObserver {
  static override readonly name: string = 'MovingAverageMinMaxObserver';
  readonly averagingConstant: number;

  constructor(options: MovingAverageOptions = {}) {
    const { averagingConstant = 0.01, ...others } = checkOptions<MovingAverageOptions>('MovingAverageMinMaxObserver', options, [...RANGE_OPTIONS, 'averagingConstant']);
    super('per_tensor', [], others);
    if (!(averagingConstant > 0 && averagingConstant <= 1)) {
      throw new LanthornError('argument', 'MovingAverageMinMaxObserver', `the argument averagingConstant takes a number from 0 to 1, not ${String(averagingConstant)}`);
    }
    this.averagingConstant = averagingConstant;
  }

  protected override rangeOf(x: Tensor): [Tensor, Tensor] {
    return [x.amin(), x.amax()];
  }

  protected override combined(low: Tensor, high: Tensor): [Tensor, Tensor] {
    // The first range is the average. It is chosen on the device, so that nothing is read.
    const isFirst = this.minVal.gt(this.maxVal);
    const average = (before: Tensor, now: Tensor): Tensor => where(isFirst, now, before.add(now.sub(before).mul(this.averagingConstant)));
    return [average(this.minVal, low), average(this.maxVal, high)];
  }
}

/** Options of {@link PerChannelMinMaxObserver}. */
export interface PerChannelOptions extends ObserverOptions {
  /** The dimension of channels; default 0 */
  chAxis?: number;
}

/** The smallest and the largest number of each channel, as `torch.ao.quantization.PerChannelMinMaxObserver`. */
export class PerChannelMinMaxObserver extends RangeObserver {
  static override readonly name: string = 'PerChannelMinMaxObserver';
  readonly chAxis: number;

  constructor(options: PerChannelOptions = {}) {
    const { chAxis = 0, ...others } = checkOptions<PerChannelOptions>('PerChannelMinMaxObserver', options, [...RANGE_OPTIONS, 'chAxis']);
    super('per_channel', [0], others);
    if (!Number.isInteger(chAxis) || chAxis < 0) {
      throw new LanthornError('argument', 'PerChannelMinMaxObserver', `the argument chAxis takes a whole number that is not below 0, not ${String(chAxis)}`);
    }
    this.chAxis = chAxis;
  }

  protected override rangeOf(x: Tensor): [Tensor, Tensor] {
    if (this.chAxis >= x.shape.length) {
      throw new LanthornError('shape', 'PerChannelMinMaxObserver', `a tensor of shape [${x.shape.join(', ')}] has no dimension ${this.chAxis} of channels`);
    }
    const rows = x.movedim(this.chAxis, 0).reshape([x.shape[this.chAxis]!, -1]);
    return [rows.amin(1), rows.amax(1)];
  }

  protected override prepare(shape: readonly number[], keep: <T>(value: T) => T): void {
    const [low, high] = [this.minVal, this.maxVal];
    if (low.shape[0] === shape[0]) return;
    if (this.hasObserved) throw new LanthornError('shape', 'PerChannelMinMaxObserver', `observed ${low.shape[0]} channels, and now ${shape[0]}`);
    [this.minVal, this.maxVal] = [keep(buffer(full(shape, Infinity))), keep(buffer(full(shape, -Infinity)))];
    low.dispose();
    high.dispose();
  }
}
