// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sampling at another rate. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Interpolation, type ResamplingMethod } from '../functional/resampling.js';
import { floats } from '../../../audio/host.js';
import { checkRank } from '../shapes.js';

/**
 * Waveforms `(..., time)` at another rate, with filters that are computed once. See
 * `resample`.
 *
 * @example
 * const transform = new transforms.Resample(16000, 8000, 'sinc_interp_hann', 6, 0.99, undefined);
 * transform.forward(ones([2, 160])).shape; // [2, 80]
 */
export class Resample {
  /** @internal */
  readonly filter!: Interpolation;
  /** @internal */
  readonly kernel!: Tensor | undefined;

  constructor(origFreq?: number, newFreq?: number, resamplingMethod?: ResamplingMethod, lowpassFilterWidth?: number, rolloff?: number, beta?: number | null);
  constructor(options?: { origFreq?: number; newFreq?: number; resamplingMethod?: ResamplingMethod; lowpassFilterWidth?: number; rolloff?: number; beta?: number | null });
  constructor(...args: unknown[]) {
    const [origFreq = 16000, newFreq = 16000, resamplingMethod = 'sinc_interp_hann', lowpassFilterWidth = 6, rolloff = 0.99, beta] = bind('Resample origFreq:int? newFreq:int? resamplingMethod:=sinc_interp_hann|sinc_interp_kaiser? lowpassFilterWidth:int? rolloff:number? beta:number?', args) as [number | undefined, number | undefined, ResamplingMethod | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, Resample.of(origFreq, newFreq, resamplingMethod, lowpassFilterWidth, rolloff, beta));
  }

  /** @internal */
  static of(origFreq: number, newFreq: number, resamplingMethod: ResamplingMethod, lowpassFilterWidth: number, rolloff: number, beta: number | undefined): Resample {
    return scope(() => {
      const op = 'Resample';
      const filter = Interpolation.of(
        op,
        origFreq,
        newFreq,
        lowpassFilterWidth,
        rolloff,
        resamplingMethod,
        beta,
      );
      if (filter.isIdentity() || !filter.isSmall()) {
        return make(Resample, { filter, kernel: undefined });
      }
      const kernel = floats(filter.kernel()).reshape([filter.phases(), 1, -1]);
      return make(Resample, { filter, kernel });
    });
  }

  /**
   * The waveforms at the new rate.
   *
   * @throws `shape` without a dimension of time.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('Resample.forward waveform:tensor', args) as [Tensor];
    return scope(() => {
      checkRank('Resample.forward', 'waveform', waveform, 1);
      if (this.filter.isIdentity()) return waveform;
      const kernel = this.kernel;
      if (kernel !== undefined) return this.filter.convolve(waveform, kernel.to(waveform.dtype));
      return this.filter.gather(waveform);
    });
  }
}
