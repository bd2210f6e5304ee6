// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Matrices that turn the bins of a spectrogram into bands and coefficients. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import { floats } from '../../../audio/host.js';

/**
 * The mels of 1000 Hz, and the logarithm of the ratio of neighbours above, of Slaney's scale.
 */
const MEL_OF_1000 = 15;
const HZ_OF_MEL = 200 / 3;

/** The scale of mels. */
export type MelScaleKind = 'htk' | 'slaney';

/** The factor of the bands of a filter bank. */
export type MelNorm = 'slaney';

/** The factor of the rows of a cosine transform. */
export type DctNorm = 'ortho';

function logStep(): number {
  const ratio = 6.4;
  return Math.log(ratio) / 27;
}

function hzToMel(frequency: number, scale2: MelScaleKind): number {
  if (scale2 === 'htk') return 2595 * Math.log10(1 + frequency / 700);
  if (frequency < 1000) return frequency / HZ_OF_MEL;
  return MEL_OF_1000 + Math.log(frequency / 1000) / logStep();
}

function melToHz(mels: number, scale2: MelScaleKind): number {
  if (scale2 === 'htk') {
    const base = 10;
    return 700 * (Math.pow(base, mels / 2595) - 1);
  }
  if (mels < MEL_OF_1000) return mels * HZ_OF_MEL;
  return 1000 * Math.exp(logStep() * (mels - MEL_OF_1000));
}

function linspace(start: number, end: number, count: number): readonly number[] {
  const values: number[] = [];
  for (let index = 0; index < count; index++) {
    const part = count > 1 ? index / (count - 1) : 0;
    values.push(start + (end - start) * part);
  }
  return values;
}

/**
 * Triangles between neighbours of `points` at the bins of the frequencies from 0 to `highest`,
 * `[n_freqs, points - 2]`.
 */
function triangles(highest: number, nFreqs: number, norm: MelNorm | undefined, points: readonly number[]): Tensor {
  return scope(() => {
    const frequencies = linspace(0, highest, nFreqs);
    const count = points.length - 2;
    const weights: number[] = [];
    for (let bin = 0; bin < nFreqs; bin++) {
      for (let band = 0; band < count; band++) {
        const rise = (frequencies[bin]! - points[band]!) / (points[band + 1]! - points[band]!);
        const fall = (points[band + 2]! - frequencies[bin]!)
          / (points[band + 2]! - points[band + 1]!);
        const height = norm !== undefined ? 2 / (points[band + 2]! - points[band]!) : 1;
        weights.push(Math.max(Math.min(rise, fall), 0) * height);
      }
    }
    return floats(weights).reshape([nFreqs, count]);
  });
}

/**
 * The filter bank of mel bands, `[n_freqs, n_mels]` of float32: triangles whose corners are evenly
 * spaced in mels between the frequencies `fMin` and `fMax`, in Hz.
 *
 * A spectrogram's transpose times it has the bands. `norm` divides each band by half its width.
 * With `slaney` for both it is the bank of `librosa.filters.mel`, transposed.
 *
 * @throws `argument` without frequencies or bands.
 *
 * @example
 * const bank = functional.melscaleFbanks(201, 0, 8000, 80, 16000, undefined, 'htk');
 * bank.shape; // [201, 80]
 */
export function melscaleFbanks(nFreqs: number, fMin: number, fMax: number, nMels: number, sampleRate: number, norm?: MelNorm | null, melScale?: MelScaleKind): Tensor;
export function melscaleFbanks(nFreqs: number, fMin: number, fMax: number, nMels: number, sampleRate: number, options?: { norm?: MelNorm | null; melScale?: MelScaleKind }): Tensor;
export function melscaleFbanks(...args: unknown[]): Tensor {
  const [nFreqs, fMin, fMax, nMels, sampleRate, norm, melScale = 'htk'] = bind('melscaleFbanks nFreqs:int fMin:number fMax:number nMels:int sampleRate:int norm:=slaney? melScale:=htk|slaney?', args) as [number, number, number, number, number, MelNorm | undefined, MelScaleKind | undefined];
  if (nFreqs === 0 || nMels === 0) {
    const message = `n_freqs and n_mels must be positive, and are ${nFreqs} and ${nMels}`;
    throw failure('argument', 'melscale_fbanks', message);
  }
  const mels = linspace(hzToMel(fMin, melScale), hzToMel(fMax, melScale), nMels + 2);
  const points = mels.map((mel) => melToHz(mel, melScale));
  return triangles(Math.trunc(sampleRate / 2), nFreqs, norm, points);
}

/**
 * The filter bank of bands that are evenly spaced in frequency, `[n_freqs, n_filter]` of float32.
 *
 * @throws `argument` without frequencies or bands.
 *
 * @example
 * const bank = functional.linearFbanks(201, 0, 8000, 128, 16000);
 * bank.shape; // [201, 128]
 */
export function linearFbanks(nFreqs: number, fMin: number, fMax: number, nFilter: number, sampleRate: number): Tensor;
export function linearFbanks(...args: unknown[]): Tensor {
  const [nFreqs, fMin, fMax, nFilter, sampleRate] = bind('linearFbanks nFreqs:int fMin:number fMax:number nFilter:int sampleRate:int', args) as [number, number, number, number, number];
  if (nFreqs === 0 || nFilter === 0) {
    const message = `n_freqs and n_filter must be positive, and are ${nFreqs} and ${nFilter}`;
    throw failure('argument', 'linear_fbanks', message);
  }
  return triangles(
    Math.trunc(sampleRate / 2),
    nFreqs,
    undefined,
    linspace(fMin, fMax, nFilter + 2),
  );
}

/**
 * The matrix of the discrete cosine transform (type 2), `[n_mels, n_mfcc]` of float32, for rows of
 * `nMels` elements.
 *
 * @throws The errors of the operations on tensors.
 *
 * @example
 * functional.createDct(13, 40, 'ortho').shape; // [40, 13]
 */
export function createDct(nMfcc: number, nMels: number, norm?: DctNorm | null): Tensor;
export function createDct(nMfcc: number, nMels: number, options?: { norm?: DctNorm | null }): Tensor;
export function createDct(...args: unknown[]): Tensor {
  const [nMfcc, nMels, norm] = bind('createDct nMfcc:int nMels:int norm:=ortho?', args) as [number, number, DctNorm | undefined];
  return scope(() => {
    const count = nMels;
    const weights: number[] = [];
    for (let mel = 0; mel < nMels; mel++) {
      for (let coefficient = 0; coefficient < nMfcc; coefficient++) {
        const cosine = Math.cos(Math.PI / count * (mel + 0.5) * coefficient);
        const first = coefficient === 0 ? Math.sqrt(0.5) : 1;
        const factor = norm !== undefined ? Math.sqrt(2 / count) * first : 2;
        weights.push(cosine * factor);
      }
    }
    return floats(weights).reshape([nMels, nMfcc]);
  });
}
