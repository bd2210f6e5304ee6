// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Mel bands, and the cepstra of bands. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  createDct, linearFbanks, melscaleFbanks, type DctNorm, type MelNorm, type MelScaleKind,
} from '../functional/banks.js';
import type { SpectrogramNorm } from '../functional/frames.js';
import { checkRank } from '../shapes.js';
import { AmplitudeToDB } from '../transforms/level.js';
import { Spectrogram } from '../transforms/spectrogram.js';

function checkBand(op: string, fMin: number, fMax: number): void {
  if (fMin > fMax) {
    throw failure('argument', op, `f_min must be at most f_max, ${fMax}, and is ${fMin}`);
  }
}

/** The product of a matrix and the columns of a spectrogram. */
function mix(specgram: Tensor, matrix: Tensor): Tensor {
  return scope(() => matrix.t().matmul(specgram));
}

/**
 * The mel bands of spectrograms, `(..., freq, frames)` to `(..., n_mels, frames)`. See
 * `melscaleFbanks`.
 *
 * @example
 * const transform = new transforms.MelScale(20, 16000, 0, undefined, 33, undefined, 'htk');
 * transform.forward(ones([2, 33, 11])).shape; // [2, 20, 11]
 */
export class MelScale {
  /** The filter bank, `[n_stft, n_mels]`. */
  readonly fb!: Tensor;

  constructor(nMels?: number, sampleRate?: number, fMin?: number, fMax?: number | null, nStft?: number, norm?: MelNorm | null, melScale?: MelScaleKind);
  constructor(options?: { nMels?: number; sampleRate?: number; fMin?: number; fMax?: number | null; nStft?: number; norm?: MelNorm | null; melScale?: MelScaleKind });
  constructor(...args: unknown[]) {
    const [nMels = 128, sampleRate = 16000, fMin = 0, fMax, nStft = 201, norm, melScale = 'htk'] = bind('MelScale nMels:int? sampleRate:int? fMin:number? fMax:number? nStft:int? norm:=slaney? melScale:=htk|slaney?', args) as [number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, MelNorm | undefined, MelScaleKind | undefined];
    Object.assign(this, MelScale.of(nMels, sampleRate, fMin, fMax, nStft, norm, melScale));
  }

  /** @internal */
  static of(nMels: number, sampleRate: number, fMin: number, fMax: number | undefined, nStft: number, norm: MelNorm | undefined, melScale: MelScaleKind): MelScale {
    const fMax2 = fMax ?? Math.trunc(sampleRate / 2);
    checkBand('MelScale', fMin, fMax2);
    return make(
      MelScale,
      { fb: melscaleFbanks(nStft, fMin, fMax2, nMels, sampleRate, norm, melScale) },
    );
  }

  /**
   * The bands.
   *
   * @throws `shape` if the spectrogram has another number of bins.
   */
  forward(specgram: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [specgram] = bind('MelScale.forward specgram:tensor', args) as [Tensor];
    return mix(specgram, this.fb);
  }
}

/**
 * Spectrograms of mel bands, `(..., n_mels, frames)` to `(..., n_stft, frames)`: the solution of
 * least squares, with negative numbers replaced by 0.
 *
 * @example
 * const transform = new transforms.InverseMelScale(33, 20, 16000, 0, undefined, undefined, 'htk');
 * transform.forward(ones([2, 20, 11])).shape; // [2, 33, 11]
 */
export class InverseMelScale {
  /** @internal */
  readonly nMels!: number;
  /** @internal */
  readonly inverse!: Tensor;

  constructor(nStft: number, nMels?: number, sampleRate?: number, fMin?: number, fMax?: number | null, norm?: MelNorm | null, melScale?: MelScaleKind);
  constructor(nStft: number, options?: { nMels?: number; sampleRate?: number; fMin?: number; fMax?: number | null; norm?: MelNorm | null; melScale?: MelScaleKind });
  constructor(options: { nStft: number; nMels?: number; sampleRate?: number; fMin?: number; fMax?: number | null; norm?: MelNorm | null; melScale?: MelScaleKind });
  constructor(...args: unknown[]) {
    const [nStft, nMels = 128, sampleRate = 16000, fMin = 0, fMax, norm, melScale = 'htk'] = bind('InverseMelScale nStft:int nMels:int? sampleRate:int? fMin:number? fMax:number? norm:=slaney? melScale:=htk|slaney?', args) as [number, number | undefined, number | undefined, number | undefined, number | undefined, MelNorm | undefined, MelScaleKind | undefined];
    Object.assign(this, InverseMelScale.of(nStft, nMels, sampleRate, fMin, fMax, norm, melScale));
  }

  /** @internal */
  static of(nStft: number, nMels: number, sampleRate: number, fMin: number, fMax: number | undefined, norm: MelNorm | undefined, melScale: MelScaleKind): InverseMelScale {
    return scope(() => {
      const fMax2 = fMax ?? Math.trunc(sampleRate / 2);
      checkBand('InverseMelScale', fMin, fMax2);
      const fb = melscaleFbanks(nStft, fMin, fMax2, nMels, sampleRate, norm, melScale);
      return make(InverseMelScale, { nMels, inverse: fb.t().pinverse(1e-6) });
    });
  }

  /**
   * The spectrograms.
   *
   * @throws `shape` if there is another number of bands.
   */
  forward(melspec: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [melspec] = bind('InverseMelScale.forward melspec:tensor', args) as [Tensor];
    return scope(() => {
      checkRank('InverseMelScale.forward', 'melspec', melspec, 2);
      const bands = melspec.shape[melspec.ndim - 2]!;
      if (bands !== this.nMels) {
        const message = `melspec must have ${this.nMels} bands, and has ${bands}`;
        throw failure('shape', 'InverseMelScale.forward', message);
      }
      return this.inverse.matmul(melspec).relu();
    });
  }
}

/**
 * The mel bands of waveforms, `(..., time)` to `(..., n_mels, frames)`: a `Spectrogram` and a
 * `MelScale`.
 *
 * @example
 * const transform = new transforms.MelSpectrogram(16000, 64, undefined, undefined, 0, undefined, 0, 20, undefined, 2, 'none', true, 'reflect', undefined, 'htk');
 * transform.forward(ones([2, 320])).shape; // [2, 20, 11]
 */
export class MelSpectrogram {
  /** The number of bands. */
  readonly nMels!: number;
  /** @internal */
  readonly spectrogram!: Spectrogram;
  /** @internal */
  readonly melScale!: MelScale;

  constructor(sampleRate?: number, nFft?: number, winLength?: number | null, hopLength?: number | null, fMin?: number, fMax?: number | null, pad?: number, nMels?: number, windowFn?: ((a: number) => Tensor) | null, power?: number, normalized?: SpectrogramNorm, center?: boolean, padMode?: 'circular' | 'constant' | 'reflect' | 'replicate', norm?: MelNorm | null, melScale?: MelScaleKind);
  constructor(options?: { sampleRate?: number; nFft?: number; winLength?: number | null; hopLength?: number | null; fMin?: number; fMax?: number | null; pad?: number; nMels?: number; windowFn?: ((a: number) => Tensor) | null; power?: number; normalized?: SpectrogramNorm; center?: boolean; padMode?: 'circular' | 'constant' | 'reflect' | 'replicate'; norm?: MelNorm | null; melScale?: MelScaleKind });
  constructor(...args: unknown[]) {
    const [sampleRate = 16000, nFft = 400, winLength, hopLength, fMin = 0, fMax, pad = 0, nMels = 128, windowFn, power = 2, normalized = 'none', center = true, padMode = 'reflect', norm, melScale = 'htk'] = bind('MelSpectrogram sampleRate:int? nFft:int? winLength:int? hopLength:int? fMin:number? fMax:number? pad:int? nMels:int? windowFn:function? power:number? normalized:=none|window|frame_length? center:bool? padMode:=circular|constant|reflect|replicate? norm:=slaney? melScale:=htk|slaney?', args) as [number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, ((a: number) => Tensor) | undefined, number | undefined, SpectrogramNorm | undefined, boolean | undefined, 'circular' | 'constant' | 'reflect' | 'replicate' | undefined, MelNorm | undefined, MelScaleKind | undefined];
    Object.assign(this, MelSpectrogram.of(sampleRate, nFft, winLength, hopLength, fMin, fMax, pad, nMels, windowFn, power, normalized, center, padMode, norm, melScale));
  }

  /** @internal */
  static of(sampleRate: number, nFft: number, winLength: number | undefined, hopLength: number | undefined, fMin: number, fMax: number | undefined, pad: number, nMels: number, windowFn: ((a: number) => Tensor) | undefined, power: number, normalized: SpectrogramNorm, center: boolean, padMode: 'circular' | 'constant' | 'reflect' | 'replicate', norm: MelNorm | undefined, melScale: MelScaleKind): MelSpectrogram {
    return scope(() => {
      const spectrogram2 = Spectrogram.of(
        nFft,
        winLength,
        hopLength,
        pad,
        windowFn,
        power,
        normalized,
        center,
        padMode,
        true,
      );
      const melScale2 = MelScale.of(
        nMels,
        sampleRate,
        fMin,
        fMax,
        Math.trunc(nFft / 2) + 1,
        norm,
        melScale,
      );
      return make(MelSpectrogram, { nMels, spectrogram: spectrogram2, melScale: melScale2 });
    });
  }

  /**
   * The bands.
   *
   * @throws The errors of `Spectrogram`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('MelSpectrogram.forward waveform:tensor', args) as [Tensor];
    return scope(() => this.melScale.forward(this.spectrogram.forward(waveform)));
  }
}

/** Logarithms of bands: of the bands with an offset, or decibels of the upper 80. */
function logarithms(bands: Tensor, isLog: boolean): Tensor {
  return scope(() => {
    if (isLog) return bands.add(1e-6).log();
    return AmplitudeToDB.of('power', 80).forward(bands);
  });
}

/**
 * The mel-frequency cepstrum of waveforms, `(..., time)` to `(..., n_mfcc, frames)`.
 *
 * Source: Davis and Mermelstein, "Comparison of Parametric Representations", 1980.
 *
 * @example
 * const transform = new transforms.MFCC(16000, 13, 2, 'ortho', false, undefined);
 * transform.forward(ones([2, 1600])).shape; // [2, 13, 9]
 */
export class MFCC {
  /** @internal */
  readonly melSpectrogram!: MelSpectrogram;
  /** @internal */
  readonly dctMat!: Tensor;
  /** @internal */
  readonly logMels!: boolean;

  constructor(sampleRate?: number, nMfcc?: number, dctType?: number, norm?: DctNorm | null, logMels?: boolean, melSpectrogram?: MelSpectrogram | null);
  constructor(options?: { sampleRate?: number; nMfcc?: number; dctType?: number; norm?: DctNorm | null; logMels?: boolean; melSpectrogram?: MelSpectrogram | null });
  constructor(...args: unknown[]) {
    const [sampleRate = 16000, nMfcc = 40, dctType = 2, norm, logMels = false, melSpectrogram] = bind('MFCC sampleRate:int? nMfcc:int? dctType:int? norm:=ortho? logMels:bool? melSpectrogram:MelSpectrogram?', args, { MelSpectrogram }, { norm: 'ortho' }) as [number | undefined, number | undefined, number | undefined, DctNorm | undefined, boolean | undefined, MelSpectrogram | undefined];
    Object.assign(this, MFCC.of(sampleRate, nMfcc, dctType, norm, logMels, melSpectrogram));
  }

  /** @internal */
  static of(sampleRate: number, nMfcc: number, dctType: number, norm: DctNorm | undefined, logMels: boolean, melSpectrogram: MelSpectrogram | undefined): MFCC {
    return scope(() => {
      if (dctType !== 2) throw failure('argument', 'MFCC', `dct_type must be 2, and is ${dctType}`);
      let transform: MelSpectrogram;
      if (melSpectrogram !== undefined) transform = melSpectrogram;
      else {
        transform = MelSpectrogram.of(
          sampleRate,
          400,
          undefined,
          undefined,
          0,
          undefined,
          0,
          128,
          undefined,
          2,
          'none',
          true,
          'reflect',
          undefined,
          'htk',
        );
      }
      const bands = transform.nMels;
      if (nMfcc > bands) {
        throw failure(
          'argument',
          'MFCC',
          `n_mfcc must be at most the ${bands} bands, and is ${nMfcc}`,
        );
      }
      return make(
        MFCC,
        { melSpectrogram: transform, dctMat: createDct(nMfcc, bands, norm), logMels },
      );
    });
  }

  /**
   * The coefficients.
   *
   * @throws The errors of `Spectrogram`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('MFCC.forward waveform:tensor', args) as [Tensor];
    return scope(() => {
      const bands = this.melSpectrogram.forward(waveform);
      return mix(logarithms(bands, this.logMels), this.dctMat);
    });
  }
}

/**
 * The linear-frequency cepstrum of waveforms, `(..., time)` to `(..., n_lfcc, frames)`.
 *
 * @example
 * const transform = new transforms.LFCC(16000, 128, 0, undefined, 13, 2, 'ortho', false, undefined);
 * transform.forward(ones([2, 1600])).shape; // [2, 13, 9]
 */
export class LFCC {
  /** @internal */
  readonly spectrogram!: Spectrogram;
  /** @internal */
  readonly filterMat!: Tensor;
  /** @internal */
  readonly dctMat!: Tensor;
  /** @internal */
  readonly logLf!: boolean;

  constructor(sampleRate?: number, nFilter?: number, fMin?: number, fMax?: number | null, nLfcc?: number, dctType?: number, norm?: DctNorm | null, logLf?: boolean, spectrogram?: Spectrogram | null);
  constructor(options?: { sampleRate?: number; nFilter?: number; fMin?: number; fMax?: number | null; nLfcc?: number; dctType?: number; norm?: DctNorm | null; logLf?: boolean; spectrogram?: Spectrogram | null });
  constructor(...args: unknown[]) {
    const [sampleRate = 16000, nFilter = 128, fMin = 0, fMax, nLfcc = 40, dctType = 2, norm, logLf = false, spectrogram] = bind('LFCC sampleRate:int? nFilter:int? fMin:number? fMax:number? nLfcc:int? dctType:int? norm:=ortho? logLf:bool? spectrogram:Spectrogram?', args, { Spectrogram }, { norm: 'ortho' }) as [number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, DctNorm | undefined, boolean | undefined, Spectrogram | undefined];
    Object.assign(this, LFCC.of(sampleRate, nFilter, fMin, fMax, nLfcc, dctType, norm, logLf, spectrogram));
  }

  /** @internal */
  static of(sampleRate: number, nFilter: number, fMin: number, fMax: number | undefined, nLfcc: number, dctType: number, norm: DctNorm | undefined, logLf: boolean, spectrogram2: Spectrogram | undefined): LFCC {
    return scope(() => {
      if (dctType !== 2) throw failure('argument', 'LFCC', `dct_type must be 2, and is ${dctType}`);
      let transform: Spectrogram;
      if (spectrogram2 !== undefined) transform = spectrogram2;
      else {
        transform = Spectrogram.of(
          400,
          undefined,
          undefined,
          0,
          undefined,
          2,
          'none',
          true,
          'reflect',
          true,
        );
      }
      const nFft = transform.nFft;
      if (nLfcc > nFft) {
        throw failure('argument', 'LFCC', `n_lfcc must be at most n_fft, ${nFft}, and is ${nLfcc}`);
      }
      const fMax2 = fMax ?? Math.trunc(sampleRate / 2);
      const filterMat = linearFbanks(Math.trunc(nFft / 2) + 1, fMin, fMax2, nFilter, sampleRate);
      return make(
        LFCC,
        { spectrogram: transform, filterMat, dctMat: createDct(nLfcc, nFilter, norm), logLf },
      );
    });
  }

  /**
   * The coefficients.
   *
   * @throws The errors of `Spectrogram`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('LFCC.forward waveform:tensor', args) as [Tensor];
    return scope(() => {
      const bands = mix(this.spectrogram.forward(waveform), this.filterMat);
      return mix(logarithms(bands, this.logLf), this.dctMat);
    });
  }
}
