// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sampling at another rate. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { floatsLike, indices, isFloating } from '../../../audio/host.js';
import { checkRank, gcd, length, pack, unpack } from '../shapes.js';

/** The elements of the largest matrix of filters. */
const LARGEST_KERNEL = 1048576;

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

/** The filter of an interpolation. */
export class Interpolation {
  /** @internal */
  readonly orig!: number;
  /** @internal */
  readonly _new!: number;
  /** @internal */
  readonly base!: number;
  /** @internal */
  readonly zeros!: number;
  /** @internal */
  readonly width!: number;
  /** @internal */
  readonly method!: ResamplingMethod;
  /** @internal */
  readonly beta!: number;
  /** @internal */
  readonly peak!: number;

  /**
   * The filter of these arguments of `resample`.
   *
   * @throws `argument` for rates, a width or a cutoff that are not positive.
   */
  static of(op: string, origFreq: number, newFreq: number, lowpassFilterWidth: number, rolloff: number, method: ResamplingMethod, beta: number | undefined): Interpolation {
    checkResampling(op, origFreq, newFreq, lowpassFilterWidth, rolloff);
    const common = gcd(origFreq, newFreq);
    const [orig, new_] = [Math.trunc(origFreq / common), Math.trunc(newFreq / common)];
    const base = Math.min(orig, new_) * rolloff;
    const zeros = lowpassFilterWidth;
    const width = Math.trunc(Math.ceil(zeros * orig / base));
    const beta2 = beta ?? 14.769656459379492;
    return make(
      Interpolation,
      { orig, _new: new_, base, zeros, width, method, beta: beta2, peak: besselI0(beta2) },
    );
  }

  /** Whether the rates are the same. */
  isIdentity(): boolean {
    return this.orig === this._new;
  }

  /**
   * Whether the matrix of all filters is small. The matrix of rates with a small common divisor
   * is not.
   */
  isSmall(): boolean {
    return this._new * (2 * this.width + this.orig) <= LARGEST_KERNEL;
  }

  /** The weight of a sample for a new sample, both counted from the same instant. */
  weight(index: number, position: number): number {
    const [orig, new_] = [this.orig, this._new];
    const offset = (index * new_ - position * orig) / (orig * new_);
    const time = Math.min(Math.max(offset * this.base, -this.zeros), this.zeros);
    const part = time / this.zeros;
    const window = this.method === 'sinc_interp_hann'
      ? Math.pow(Math.cos(part * Math.PI / 2), 2)
      : besselI0(this.beta * Math.sqrt(Math.max(1 - part * part, 0))) / this.peak;
    const sinc = time === 0 ? 1 : Math.sin(time * Math.PI) / (time * Math.PI);
    return sinc * window * this.base / orig;
  }

  /**
   * The filters of the new samples between two that coincide: `[new, 1, 2 width + orig]`, row by
   * row.
   */
  kernel(): readonly number[] {
    const weights: number[] = [];
    for (let phase = 0; phase < this._new; phase++) {
      for (let index = 0; index < 2 * this.width + this.orig; index++) {
        weights.push(this.weight(index - this.width, phase));
      }
    }
    return weights;
  }

  /** The number of rows of the matrix of filters. */
  phases(): number {
    return this._new;
  }

  /** Waveforms `(..., time)` at the new rate, by the matrix of all filters. */
  convolve(waveform: Tensor, kernel: Tensor): Tensor {
    return scope(() => {
      const shape = waveform.shape;
      const ends: [number, number] = [this.width, this.width + this.orig];
      const packed = pack(waveform, 1).pad(ends);
      const filtered = packed.unsqueeze(1).conv1d(kernel, undefined, this.orig);
      const rows = filtered.transpose(1, 2).flatten(1, -1);
      const target = Math.ceil((this._new * length(waveform)) / this.orig);
      return unpack(rows.narrow(1, 0, target), shape, 1);
    });
  }

  /** Waveforms `(..., time)` at the new rate, by the samples that each new one depends on. */
  gather(waveform: Tensor): Tensor {
    return scope(() => {
      const shape = waveform.shape;
      const target = Math.ceil((this._new * length(waveform)) / this.orig);
      const taps = 2 * this.width + 2;
      const sources: number[] = [];
      const weights: number[] = [];
      for (let position = 0; position < target; position++) {
        const first = Math.trunc((position * this.orig) / this._new) - this.width;
        for (let tap = 0; tap < taps; tap++) {
          const index = first + tap;
          sources.push(index + this.width);
          weights.push(this.weight(index, position));
        }
      }
      const ends: [number, number] = [this.width, this.width + 2];
      const packed = pack(waveform, 1).pad(ends);
      const parts = packed.indexSelect(1, indices(sources, waveform));
      const sizes: [number, number, number] = [-1, target, taps];
      const weights2 = floatsLike(weights, waveform).reshape([1, target, taps]);
      return unpack(parts.reshape(sizes).mul(weights2).sum(-1), shape, 1);
    });
  }
}

function checkResampling(op: string, origFreq: number, newFreq: number, lowpassFilterWidth: number, rolloff: number): void {
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
 * const slower = functional.resample(waveform, 16000, 8000, 6, 0.99, 'sinc_interp_hann');
 * slower.shape; // [2, 80]
 */
export function resample(waveform: TensorLike, origFreq: number, newFreq: number, lowpassFilterWidth?: number, rolloff?: number, resamplingMethod?: ResamplingMethod, beta?: number | null): Tensor;
export function resample(waveform: TensorLike, origFreq: number, newFreq: number, options?: { lowpassFilterWidth?: number; rolloff?: number; resamplingMethod?: ResamplingMethod; beta?: number | null }): Tensor;
export function resample(...args: unknown[]): Tensor {
  const [waveform, origFreq, newFreq, lowpassFilterWidth = 6, rolloff = 0.99, resamplingMethod = 'sinc_interp_hann', beta] = bind('resample waveform:tensor origFreq:int newFreq:int lowpassFilterWidth:int? rolloff:number? resamplingMethod:=sinc_interp_hann|sinc_interp_kaiser? beta:number?', args) as [Tensor, number, number, number | undefined, number | undefined, ResamplingMethod | undefined, number | undefined];
  return scope(() => {
    checkRank('resample', 'waveform', waveform, 1);
    const op = 'resample';
    const filter = Interpolation.of(
      op,
      origFreq,
      newFreq,
      lowpassFilterWidth,
      rolloff,
      resamplingMethod,
      beta,
    );
    if (filter.isIdentity()) return waveform;
    if (!isFloating(waveform)) {
      throw failure('dtype', 'resample', 'waveform must be of a floating-point type');
    }
    if (!filter.isSmall()) return filter.gather(waveform);
    const kernel = floatsLike(filter.kernel(), waveform).reshape([filter.phases(), 1, -1]);
    return filter.convolve(waveform, kernel);
  });
}
