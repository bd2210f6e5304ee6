/**
 * A module that rounds its input, for quantization-aware training, as
 * `torch.ao.quantization.FakeQuantize`.
 */
import { checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { buffer, Module } from '../nn/module.js';
import { fakeQuantizePerChannelAffine, fakeQuantizePerTensorAffine, full, zeros } from '../generated/operations.js';
import type { Tensor } from '../tensor/tensor.js';
import { MovingAverageMinMaxObserver, PerChannelMinMaxObserver } from '../generated/quantization.js';
import { Observer, RangeObserver, store } from './observers.js';

/** Options of {@link FakeQuantize}. */
export interface FakeQuantizeOptions {
  /** What notes the range of the inputs; default `new MovingAverageMinMaxObserver()` */
  observer?: Observer;
}

/**
 * Rounds its input to the grid of an observer, which notes the range of the same input before.
 * Gradients pass where the input is within the range. The buffers `scale` and `zeroPoint` are from
 * the last observed call.
 *
 * Throws an `argument` error for an observer whose parameters are awaited.
 *
 * @example
 * const round = new FakeQuantize();
 * const y = layer.call(round.call(x));
 * round.disableObserver(); // the grid stays as it is
 */
export class FakeQuantize extends Module {
  static override readonly name: string = 'FakeQuantize';
  readonly observer: Observer;
  scale: Tensor;
  zeroPoint: Tensor;
  observerEnabled = true;
  fakeQuantEnabled = true;

  constructor(options: FakeQuantizeOptions = {}) {
    super();
    const { observer = new MovingAverageMinMaxObserver() } = checkOptions('FakeQuantize', options, ['observer']);
    if (!(observer instanceof Observer)) throw wrongArgument('FakeQuantize', 'observer', 'an observer', describe(observer));
    if (!(observer instanceof RangeObserver)) throw new LanthornError('argument', 'FakeQuantize', `the parameters of ${observer.constructor.name} are awaited; use another observer`);
    this.observer = observer;
    [this.scale, this.zeroPoint] = [buffer(full([1], 1, { dtype: 'float32' })), buffer(zeros([1], { dtype: 'int32' }))];
  }

  /** The rounded input, in its shape and type. */
  forward(x: Tensor): Tensor {
    if (this.observerEnabled) this.observe(x);
    if (!this.fakeQuantEnabled) return x;
    const { observer, scale, zeroPoint } = this;
    const { quantMin, quantMax } = observer;
    if (observer instanceof PerChannelMinMaxObserver) return fakeQuantizePerChannelAffine(x, scale, zeroPoint, observer.chAxis, quantMin, quantMax);
    return fakeQuantizePerTensorAffine(x, scale, zeroPoint, quantMin, quantMax);
  }

  private observe(x: Tensor): void {
    this.observer.call(x);
    if (this.observer.hasObserved) store(this, { ...(this.observer as RangeObserver).calculateQParams() });
  }

  /** Has the range noted in calls to come, or no more. */
  enableObserver(enabled = true): this {
    this.observerEnabled = enabled;
    return this;
  }

  /** Keeps the grid as it is. */
  disableObserver(): this {
    return this.enableObserver(false);
  }

  /** Has inputs rounded in calls to come, or no more. */
  enableFakeQuant(enabled = true): this {
    this.fakeQuantEnabled = enabled;
    return this;
  }

  /** Returns inputs unchanged. */
  disableFakeQuant(): this {
    return this.enableFakeQuant(false);
  }
}
