/** A module that rounds its input, for quantization-aware training, as `torch.ao.quantization.FakeQuantize`. */
import { checkOptions, describe } from '../check.js';
import { LanthornError } from '../errors.js';
import { buffer, Module } from '../module.js';
import { noGrad } from '../autograd.js';
import { fakeQuantizePerChannelAffine, fakeQuantizePerTensorAffine, full, zeros } from '../operations.generated.js';
import { scope } from '../scope.js';
import type { Tensor } from '../tensor.js';
import { MovingAverageMinMaxObserver, Observer, PerChannelMinMaxObserver, type QParams } from './observers.js';

/** Options of {@link FakeQuantize}. */
export interface FakeQuantizeOptions {
  /** What notes the range of the inputs; default `new MovingAverageMinMaxObserver()` */
  observer?: Observer;
}

/**
 * Rounds its input to the grid of an observer, which notes the range of the same input before. Gradients
 * pass where the input is within the range. The buffers `scale` and `zeroPoint` are those of the last call
 * that was observed.
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
    if (!(observer instanceof Observer)) throw new LanthornError('argument', 'FakeQuantize', `the argument observer takes an observer, not ${describe(observer)}`);
    if (!('minVal' in observer)) throw new LanthornError('argument', 'FakeQuantize', `the parameters of ${observer.constructor.name} are awaited; use another observer`);
    this.observer = observer;
    [this.scale, this.zeroPoint] = [buffer(full([1], 1, { dtype: 'float32' })), buffer(zeros([1], { dtype: 'int32' }))];
  }

  /** The rounded input, in its shape and type. */
  forward(x: Tensor): Tensor {
    return scope((keep) => {
      if (this.observerEnabled) this.#observe(x, keep);
      if (!this.fakeQuantEnabled) return x;
      const { quantMin, quantMax } = this.observer;
      if (this.observer instanceof PerChannelMinMaxObserver) {
        return fakeQuantizePerChannelAffine(x, this.scale, this.zeroPoint, this.observer.chAxis, quantMin, quantMax);
      }
      return fakeQuantizePerTensorAffine(x, this.scale, this.zeroPoint, quantMin, quantMax);
    });
  }

  #observe(x: Tensor, keep: <T>(value: T) => T): void {
    this.observer.call(x);
    if (!this.observer.hasObserved) return;
    const { scale, zeroPoint } = this.observer.calculateQParams() as QParams;
    noGrad(() => {
      const count = scale.numel;
      if (this.scale.numel !== count) {
        for (const tensor of [this.scale, this.zeroPoint]) tensor.dispose();
        [this.scale, this.zeroPoint] = [keep(buffer(full([count], 1, { dtype: 'float32' }))), keep(buffer(zeros([count], { dtype: 'int32' })))];
      }
      this.scale.copy_(scale.reshape([-1]));
      this.zeroPoint.copy_(zeroPoint.reshape([-1]));
    });
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

  /** Gives inputs back as they are. */
  disableFakeQuant(): this {
    return this.enableFakeQuant(false);
  }
}
