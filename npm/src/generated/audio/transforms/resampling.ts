// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sampling at another rate. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  applySincKernel, checkResampling, sincKernel, type ResamplingMethod,
} from '../functional/resampling.js';
import { floats } from '../../../audio/host.js';
import { checkRank, gcd } from '../shapes.js';

/**
 * Waveforms `(..., time)` at another rate, with filters that are computed once. See
 * `resample`.
 *
 * @example
 * const transform = new Resample(16000, 8000, 'sinc_interp_hann', 6, 0.99, undefined);
 * transform.forward(ones([2, 160])).shape; // [2, 80]
 */
export class Resample {
  /** @internal */
  readonly origFreq!: number;
  /** @internal */
  readonly newFreq!: number;
  /** @internal */
  readonly kernel!: Tensor;
  /** @internal */
  readonly width!: number;

  constructor(origFreq?: number, newFreq?: number, resamplingMethod?: ResamplingMethod, lowpassFilterWidth?: number, rolloff?: number, beta?: number | null);
  constructor(options?: { origFreq?: number; newFreq?: number; resamplingMethod?: ResamplingMethod; lowpassFilterWidth?: number; rolloff?: number; beta?: number | null });
  constructor(...args: unknown[]) {
    const [origFreq = 16000, newFreq = 16000, resamplingMethod = 'sinc_interp_hann', lowpassFilterWidth = 6, rolloff = 0.99, beta] = bind('Resample origFreq:int? newFreq:int? resamplingMethod:=sinc_interp_hann|sinc_interp_kaiser? lowpassFilterWidth:int? rolloff:number? beta:number?', args) as [number | undefined, number | undefined, ResamplingMethod | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, Resample.of(origFreq, newFreq, resamplingMethod, lowpassFilterWidth, rolloff, beta));
  }

  /** @internal */
  static of(origFreq: number, newFreq: number, resamplingMethod: ResamplingMethod, lowpassFilterWidth: number, rolloff: number, beta: number | undefined): Resample {
    return scope(() => {
      checkResampling('Resample', origFreq, newFreq, lowpassFilterWidth, rolloff);
      const common = gcd(origFreq, newFreq);
      const [orig, new_] = [Math.trunc(origFreq / common), Math.trunc(newFreq / common)];
      const [weights, width] = sincKernel(
        orig,
        new_,
        lowpassFilterWidth,
        rolloff,
        resamplingMethod,
        beta,
      );
      const kernel = floats(weights).reshape([new_, 1, -1]);
      return make(Resample, { origFreq: orig, newFreq: new_, kernel, width });
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
      if (this.origFreq === this.newFreq) return waveform;
      const kernel = this.kernel.to(waveform.dtype);
      return applySincKernel(waveform, this.origFreq, this.newFreq, kernel, this.width);
    });
  }
}
