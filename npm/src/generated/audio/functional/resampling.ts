// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sampling at another rate. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { floatsLike, isFloating } from '../../../audio/host.js';
import { checkRank, gcd, length, pack, unpack } from '../shapes.js';

/** The window of the interpolation's filter. */
export type ResamplingMethod = 'sinc_interp_hann' | 'sinc_interp_kaiser';

/** The modified Bessel function of the first kind and order 0, by its power series. */
function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  let index = 1;
  while (term > sum * 1e-17) {
    term *= x / 2 / index * (x / 2 / index);
    sum += term;
    index += 1;
  }
  return sum;
}

/** The filters of the new samples between two that coincide, and the half width of a filter. */
export function sincKernel(origFreq: number, newFreq: number, lowpassFilterWidth: number, rolloff: number, resamplingMethod: ResamplingMethod, beta: number | undefined): [readonly number[], number] {
  const base = Math.min(origFreq, newFreq) * rolloff;
  const zeros2 = lowpassFilterWidth;
  const orig = origFreq;
  const width = Math.trunc(Math.ceil(zeros2 * orig / base));
  const shape = beta ?? 14.769656459379492;
  const weights: number[] = [];
  for (let phase = 0; phase < newFreq; phase++) {
    for (let index = 0; index < 2 * width + origFreq; index++) {
      const offset = (index - width) / orig;
      const time = (offset - phase / newFreq) * base;
      const time2 = Math.min(Math.max(time, -zeros2), zeros2);
      const part = time2 / zeros2;
      const window = resamplingMethod === 'sinc_interp_hann'
        ? Math.pow(Math.cos(part * Math.PI / 2), 2)
        : besselI0(shape * Math.sqrt(Math.max(1 - part * part, 0))) / besselI0(shape);
      const sinc = time2 === 0 ? 1 : Math.sin(time2 * Math.PI) / (time2 * Math.PI);
      weights.push(sinc * window * base / orig);
    }
  }
  return [weights, width];
}

/** Applies the filters to waveforms `(..., time)`. */
export function applySincKernel(waveform: Tensor, origFreq: number, newFreq: number, kernel: Tensor, width: number): Tensor {
  return scope(() => {
    const shape = waveform.shape;
    const time = length(waveform);
    const packed = pack(waveform, 1).pad([width, width + origFreq]);
    const filtered = packed.unsqueeze(1).conv1d(kernel, undefined, origFreq);
    const rows = filtered.transpose(1, 2).flatten(1, -1);
    const target = Math.ceil(newFreq * time / origFreq);
    return unpack(rows.narrow(1, 0, target), shape, 1);
  });
}

export function checkResampling(op: string, origFreq: number, newFreq: number, lowpassFilterWidth: number, rolloff: number): void {
  if (origFreq === 0 || newFreq === 0) {
    const message = `orig_freq and new_freq must be positive, and are ${origFreq} and ${newFreq}`;
    throw failure('argument', op, message);
  }
  if (lowpassFilterWidth === 0) {
    throw failure('argument', op, 'lowpass_filter_width must be positive, and is 0');
  }
  if (rolloff <= 0) throw failure('argument', op, `rolloff must be positive, and is ${rolloff}`);
}

/**
 * Waveforms `(..., time)` of a rate of `origFreq` at the rate `newFreq`, by band-limited
 * interpolation: `(..., ceil(time * new_freq / orig_freq))`.
 *
 * `lowpassFilterWidth` is the number of zero crossings of the filter at each side, `rolloff` its
 * cutoff as a fraction of the lower rate, and `beta` the shape of Kaiser's window.
 * `Resample` computes the filters once.
 *
 * Source: Smith, "Digital Audio Resampling", 2002.
 *
 * @throws `argument` for rates or a width that are 0; `dtype` for integers.
 *
 * @example
 * const waveform = ones([2, 160]);
 * const slower = resample(waveform, 16000, 8000, 6, 0.99, 'sinc_interp_hann');
 * slower.shape; // [2, 80]
 */
export function resample(waveform: TensorLike, origFreq: number, newFreq: number, lowpassFilterWidth?: number, rolloff?: number, resamplingMethod?: ResamplingMethod, beta?: number | null): Tensor;
export function resample(waveform: TensorLike, origFreq: number, newFreq: number, options?: { lowpassFilterWidth?: number; rolloff?: number; resamplingMethod?: ResamplingMethod; beta?: number | null }): Tensor;
export function resample(...args: unknown[]): Tensor {
  const [waveform, origFreq, newFreq, lowpassFilterWidth = 6, rolloff = 0.99, resamplingMethod = 'sinc_interp_hann', beta] = bind('resample waveform:tensor origFreq:int newFreq:int lowpassFilterWidth:int? rolloff:number? resamplingMethod:=sinc_interp_hann|sinc_interp_kaiser? beta:number?', args) as [Tensor, number, number, number | undefined, number | undefined, ResamplingMethod | undefined, number | undefined];
  return scope(() => {
    checkRank('resample', 'waveform', waveform, 1);
    checkResampling('resample', origFreq, newFreq, lowpassFilterWidth, rolloff);
    if (origFreq === newFreq) return waveform;
    if (!isFloating(waveform)) {
      throw failure('dtype', 'resample', 'waveform must be of a floating-point type');
    }
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
    const kernel = floatsLike(weights, waveform).reshape([new_, 1, -1]);
    return applySincKernel(waveform, orig, new_, kernel, width);
  });
}
