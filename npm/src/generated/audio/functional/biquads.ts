// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Filters of order 2, by their frequencies and gains.
 *
 * Source: Bristow-Johnson, "Audio EQ Cookbook", and SoX for the filters that it lacks.
 */
import { bind, failure } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { biquad } from '../functional/filtering.js';

/** The angle of a frequency, in radians of a sample. */
function angleOf(op: string, sampleRate: number, frequency: number, Q: number): number {
  if (sampleRate === 0) throw failure('argument', op, 'sample_rate must be positive, and is 0');
  if (Q <= 0) throw failure('argument', op, `Q must be positive, and is ${Q}`);
  return 2 * Math.PI * frequency / sampleRate;
}

/** The amplitude of half a gain in decibels. */
function amplitude(gain2: number): number {
  return Math.exp(gain2 / 40 * Math.LN10);
}

/**
 * A filter that passes all frequencies, and shifts their phases around `centralFreq`, in Hz.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.allpassBiquad(ones([2, 8]), 16000, 1000, 0.707);
 * filtered.shape; // [2, 8]
 */
export function allpassBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, Q?: number): Tensor;
export function allpassBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, options?: { Q?: number }): Tensor;
export function allpassBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, centralFreq, Q = 0.707] = bind('allpassBiquad waveform:tensor sampleRate:int centralFreq:number Q:number?', args) as [Tensor, number, number, number | undefined];
  const w0 = angleOf('allpass_biquad', sampleRate, centralFreq, Q);
  const alpha = Math.sin(w0) / 2 / Q;
  const cosine = Math.cos(w0);
  return biquad(waveform, 1 - alpha, -2 * cosine, 1 + alpha, 1 + alpha, -2 * cosine, 1 - alpha);
}

/**
 * A filter that passes a band around `centralFreq`, in Hz; `noise` selects the form for sounds
 * without a pitch.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.bandBiquad(ones([2, 8]), 16000, 1000, 0.707, false);
 * filtered.shape; // [2, 8]
 */
export function bandBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, Q?: number, noise?: boolean): Tensor;
export function bandBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, options?: { Q?: number; noise?: boolean }): Tensor;
export function bandBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, centralFreq, Q = 0.707, noise = false] = bind('bandBiquad waveform:tensor sampleRate:int centralFreq:number Q:number? noise:bool?', args) as [Tensor, number, number, number | undefined, boolean | undefined];
  const w0 = angleOf('band_biquad', sampleRate, centralFreq, Q);
  const a2 = Math.exp(-2 * Math.PI * (centralFreq / Q) / sampleRate);
  const a1 = -4 * a2 / (1 + a2) * Math.cos(w0);
  const pitched = Math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2);
  const energy = ((1 + a2) * (1 + a2) - a1 * a1) * (1 - a2) / (1 + a2);
  const b0 = noise ? Math.sqrt(energy) : pitched;
  return biquad(waveform, b0, 0, 0, 1, a1, a2);
}

/**
 * A filter that passes a band around `centralFreq`, in Hz, with a gain of 0 dB at its peak, or of
 * `Q` with `constSkirtGain`.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.bandpassBiquad(ones([2, 8]), 16000, 1000, 0.707, false);
 * filtered.shape; // [2, 8]
 */
export function bandpassBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, Q?: number, constSkirtGain?: boolean): Tensor;
export function bandpassBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, options?: { Q?: number; constSkirtGain?: boolean }): Tensor;
export function bandpassBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, centralFreq, Q = 0.707, constSkirtGain = false] = bind('bandpassBiquad waveform:tensor sampleRate:int centralFreq:number Q:number? constSkirtGain:bool?', args) as [Tensor, number, number, number | undefined, boolean | undefined];
  const w0 = angleOf('bandpass_biquad', sampleRate, centralFreq, Q);
  const alpha = Math.sin(w0) / 2 / Q;
  const peak = constSkirtGain ? Math.sin(w0) / 2 : alpha;
  return biquad(waveform, peak, 0, -peak, 1 + alpha, -2 * Math.cos(w0), 1 - alpha);
}

/**
 * A filter that rejects a band around `centralFreq`, in Hz.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.bandrejectBiquad(ones([2, 8]), 16000, 1000, 0.707);
 * filtered.shape; // [2, 8]
 */
export function bandrejectBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, Q?: number): Tensor;
export function bandrejectBiquad(waveform: TensorLike, sampleRate: number, centralFreq: number, options?: { Q?: number }): Tensor;
export function bandrejectBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, centralFreq, Q = 0.707] = bind('bandrejectBiquad waveform:tensor sampleRate:int centralFreq:number Q:number?', args) as [Tensor, number, number, number | undefined];
  const w0 = angleOf('bandreject_biquad', sampleRate, centralFreq, Q);
  const alpha = Math.sin(w0) / 2 / Q;
  const cosine = Math.cos(w0);
  return biquad(waveform, 1, -2 * cosine, 1, 1 + alpha, -2 * cosine, 1 - alpha);
}

/**
 * A filter that passes frequencies above `cutoffFreq`, in Hz.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.highpassBiquad(ones([2, 8]), 16000, 1000, 0.707);
 * filtered.shape; // [2, 8]
 */
export function highpassBiquad(waveform: TensorLike, sampleRate: number, cutoffFreq: number, Q?: number): Tensor;
export function highpassBiquad(waveform: TensorLike, sampleRate: number, cutoffFreq: number, options?: { Q?: number }): Tensor;
export function highpassBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, cutoffFreq, Q = 0.707] = bind('highpassBiquad waveform:tensor sampleRate:int cutoffFreq:number Q:number?', args) as [Tensor, number, number, number | undefined];
  const w0 = angleOf('highpass_biquad', sampleRate, cutoffFreq, Q);
  const alpha = Math.sin(w0) / 2 / Q;
  const cosine = Math.cos(w0);
  const side = (1 + cosine) / 2;
  return biquad(waveform, side, -1 - cosine, side, 1 + alpha, -2 * cosine, 1 - alpha);
}

/**
 * A filter that passes frequencies below `cutoffFreq`, in Hz.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.lowpassBiquad(ones([2, 8]), 16000, 1000, 0.707);
 * filtered.shape; // [2, 8]
 */
export function lowpassBiquad(waveform: TensorLike, sampleRate: number, cutoffFreq: number, Q?: number): Tensor;
export function lowpassBiquad(waveform: TensorLike, sampleRate: number, cutoffFreq: number, options?: { Q?: number }): Tensor;
export function lowpassBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, cutoffFreq, Q = 0.707] = bind('lowpassBiquad waveform:tensor sampleRate:int cutoffFreq:number Q:number?', args) as [Tensor, number, number, number | undefined];
  const w0 = angleOf('lowpass_biquad', sampleRate, cutoffFreq, Q);
  const alpha = Math.sin(w0) / 2 / Q;
  const cosine = Math.cos(w0);
  const side = (1 - cosine) / 2;
  return biquad(waveform, side, 1 - cosine, side, 1 + alpha, -2 * cosine, 1 - alpha);
}

/**
 * A filter that raises or lowers the frequencies around `centerFreq`, in Hz, by `gain` decibels.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.equalizerBiquad(ones([2, 8]), 16000, 1000, 6, 0.707);
 * filtered.shape; // [2, 8]
 */
export function equalizerBiquad(waveform: TensorLike, sampleRate: number, centerFreq: number, gain: number, Q?: number): Tensor;
export function equalizerBiquad(waveform: TensorLike, sampleRate: number, centerFreq: number, gain: number, options?: { Q?: number }): Tensor;
export function equalizerBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, centerFreq, gain2, Q = 0.707] = bind('equalizerBiquad waveform:tensor sampleRate:int centerFreq:number gain:number Q:number?', args) as [Tensor, number, number, number, number | undefined];
  const w0 = angleOf('equalizer_biquad', sampleRate, centerFreq, Q);
  const a = amplitude(gain2);
  const alpha = Math.sin(w0) / 2 / Q;
  const cosine = Math.cos(w0);
  const [up, down] = [alpha * a, alpha / a];
  return biquad(waveform, 1 + up, -2 * cosine, 1 - up, 1 + down, -2 * cosine, 1 - down);
}

/**
 * A filter that raises or lowers the frequencies below about `centralFreq`, in Hz, by `gain`
 * decibels.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.bassBiquad(ones([2, 8]), 16000, 6, 1000, 0.707);
 * filtered.shape; // [2, 8]
 */
export function bassBiquad(waveform: TensorLike, sampleRate: number, gain: number, centralFreq?: number, Q?: number): Tensor;
export function bassBiquad(waveform: TensorLike, sampleRate: number, gain: number, options?: { centralFreq?: number; Q?: number }): Tensor;
export function bassBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, gain2, centralFreq = 100, Q = 0.707] = bind('bassBiquad waveform:tensor sampleRate:int gain:number centralFreq:number? Q:number?', args) as [Tensor, number, number, number | undefined, number | undefined];
  const w0 = angleOf('bass_biquad', sampleRate, centralFreq, Q);
  const a = amplitude(gain2);
  const slope = 2 * Math.sqrt(a) * Math.sin(w0) / 2 / Q;
  const below = (a - 1) * Math.cos(w0);
  const above = (a + 1) * Math.cos(w0);
  return biquad(
    waveform,
    a * (a + 1 - below + slope),
    2 * a * (a - 1 - above),
    a * (a + 1 - below - slope),
    a + 1 + below + slope,
    -2 * (a - 1 + above),
    a + 1 + below - slope,
  );
}

/**
 * A filter that raises or lowers the frequencies above about `centralFreq`, in Hz, by `gain`
 * decibels.
 *
 * @throws `argument` for a rate or a `Q` that is not positive.
 *
 * @example
 * const filtered = functional.trebleBiquad(ones([2, 8]), 16000, 6, 1000, 0.707);
 * filtered.shape; // [2, 8]
 */
export function trebleBiquad(waveform: TensorLike, sampleRate: number, gain: number, centralFreq?: number, Q?: number): Tensor;
export function trebleBiquad(waveform: TensorLike, sampleRate: number, gain: number, options?: { centralFreq?: number; Q?: number }): Tensor;
export function trebleBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate, gain2, centralFreq = 3000, Q = 0.707] = bind('trebleBiquad waveform:tensor sampleRate:int gain:number centralFreq:number? Q:number?', args) as [Tensor, number, number, number | undefined, number | undefined];
  const w0 = angleOf('treble_biquad', sampleRate, centralFreq, Q);
  const a = amplitude(gain2);
  const slope = 2 * Math.sqrt(a) * Math.sin(w0) / 2 / Q;
  const below = (a - 1) * Math.cos(w0);
  const above = (a + 1) * Math.cos(w0);
  return biquad(
    waveform,
    a * (a + 1 + below + slope),
    -2 * a * (a - 1 + above),
    a * (a + 1 + below - slope),
    a + 1 - below + slope,
    2 * (a - 1 - above),
    a + 1 - below - slope,
  );
}

/**
 * The de-emphasis of compact discs (IEC 60908), at a rate of 44100 or 48000.
 *
 * @throws `argument` for another rate.
 *
 * @example
 * functional.deemphBiquad(ones([2, 8]), 44100).shape; // [2, 8]
 */
export function deemphBiquad(waveform: TensorLike, sampleRate: number): Tensor;
export function deemphBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate] = bind('deemphBiquad waveform:tensor sampleRate:int', args) as [Tensor, number];
  if (sampleRate !== 44100 && sampleRate !== 48000) {
    const message = `sample_rate must be 44100 or 48000, and is ${sampleRate}`;
    throw failure('argument', 'deemph_biquad', message);
  }
  const isDisc = sampleRate === 44100;
  const frequency = isDisc ? 5283 : 5356;
  const width = isDisc ? 0.4845 : 0.479;
  const a = amplitude(isDisc ? -9.477 : -9.62);
  const w0 = 2 * Math.PI * frequency / sampleRate;
  const alpha = Math.sin(w0) / 2 * Math.sqrt((a + 1 / a) * (1 / width - 1) + 2);
  const slope = 2 * Math.sqrt(a) * alpha;
  const below = (a - 1) * Math.cos(w0);
  const above = (a + 1) * Math.cos(w0);
  return biquad(
    waveform,
    a * (a + 1 + below + slope),
    -2 * a * (a - 1 + above),
    a * (a + 1 + below - slope),
    a + 1 - below + slope,
    2 * (a - 1 - above),
    a + 1 - below - slope,
  );
}

/**
 * The equalization of vinyl records (RIAA), at a rate of 44100, 48000, 88200 or 96000.
 *
 * @throws `argument` for another rate.
 *
 * @example
 * functional.riaaBiquad(ones([2, 8]), 44100).shape; // [2, 8]
 */
export function riaaBiquad(waveform: TensorLike, sampleRate: number): Tensor;
export function riaaBiquad(...args: unknown[]): Tensor {
  const [waveform, sampleRate] = bind('riaaBiquad waveform:tensor sampleRate:int', args) as [Tensor, number];
  let roots: readonly number[];
  switch (sampleRate) {
    case 44100: {
      roots = [-0.2014898, 0.923382, 0.7083149, 0.9924091];
      break;
    }
    case 48000: {
      roots = [-0.1766069, 0.932159, 0.7396325, 0.993133];
      break;
    }
    case 88200: {
      roots = [-0.1168735, 0.9648312, 0.8590646, 0.9964002];
      break;
    }
    case 96000: {
      roots = [-0.1141486, 0.9676817, 0.8699137, 0.9966946];
      break;
    }
    default: {
      roots = [];
      break;
    }
  }
  if (roots.length === 0) {
    const message = `sample_rate must be 44100, 48000, 88200 or 96000, and is ${sampleRate}`;
    throw failure('argument', 'riaa_biquad', message);
  }
  const b1 = -(roots[0]! + roots[1]!);
  const b2 = roots[0]! * roots[1]!;
  const a1 = -(roots[2]! + roots[3]!);
  const a2 = roots[2]! * roots[3]!;
  const y = 2 * Math.PI * 1000 / sampleRate;
  const bReal = 1 + b1 * Math.cos(y) + b2 * Math.cos(2 * y);
  const aReal = 1 + a1 * Math.cos(y) + a2 * Math.cos(2 * y);
  const bImaginary = b1 * Math.sin(y) + b2 * Math.sin(2 * y);
  const aImaginary = a1 * Math.sin(y) + a2 * Math.sin(2 * y);
  const bSize = bReal * bReal + bImaginary * bImaginary;
  const aSize = aReal * aReal + aImaginary * aImaginary;
  const g = Math.sqrt(aSize / bSize);
  return biquad(waveform, g, b1 * g, b2 * g, 1, a1, a2);
}
