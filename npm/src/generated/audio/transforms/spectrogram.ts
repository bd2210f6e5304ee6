// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Spectrograms and their inverses. */
import { bind, failure, make } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { windowOf, type SpectrogramNorm } from '../functional/frames.js';
import {
  griffinlim, inverseSpectrogram, spectralCentroid, spectrogram,
} from '../functional/spectrum.js';

/**
 * The spectrogram of waveforms, `(..., time)` to `(..., freq, frames)`, with a window that is made
 * once. See `spectrogram`.
 *
 * @example
 * const transform = new transforms.Spectrogram(64, undefined, undefined, 0, undefined, 2, 'none', true, 'reflect', true);
 * transform.forward(ones([2, 320])).shape; // [2, 33, 11]
 */
export class Spectrogram {
  /** The length of a frame. */
  readonly nFft!: number;
  /** @internal */
  readonly winLength!: number;
  /** @internal */
  readonly hopLength!: number;
  /** @internal */
  readonly pad!: number;
  /** The window, of `winLength` elements. */
  readonly window!: Tensor;
  /** @internal */
  readonly power!: number | undefined;
  /** @internal */
  readonly normalized!: SpectrogramNorm;
  /** @internal */
  readonly center!: boolean;
  /** @internal */
  readonly padMode!: 'circular' | 'constant' | 'reflect' | 'replicate';
  /** @internal */
  readonly onesided!: boolean;

  constructor(nFft?: number, winLength?: number | null, hopLength?: number | null, pad?: number, windowFn?: ((a: number) => Tensor) | null, power?: number | null, normalized?: SpectrogramNorm, center?: boolean, padMode?: 'circular' | 'constant' | 'reflect' | 'replicate', onesided?: boolean);
  constructor(options?: { nFft?: number; winLength?: number | null; hopLength?: number | null; pad?: number; windowFn?: ((a: number) => Tensor) | null; power?: number | null; normalized?: SpectrogramNorm; center?: boolean; padMode?: 'circular' | 'constant' | 'reflect' | 'replicate'; onesided?: boolean });
  constructor(...args: unknown[]) {
    const [nFft = 400, winLength, hopLength, pad = 0, windowFn, power, normalized = 'none', center = true, padMode = 'reflect', onesided = true] = bind('Spectrogram nFft:int? winLength:int? hopLength:int? pad:int? windowFn:function? power:number? normalized:=none|window|frame_length? center:bool? padMode:=circular|constant|reflect|replicate? onesided:bool?', args, {}, { power: 2 }) as [number | undefined, number | undefined, number | undefined, number | undefined, ((a: number) => Tensor) | undefined, number | undefined, SpectrogramNorm | undefined, boolean | undefined, 'circular' | 'constant' | 'reflect' | 'replicate' | undefined, boolean | undefined];
    Object.assign(this, Spectrogram.of(nFft, winLength, hopLength, pad, windowFn, power, normalized, center, padMode, onesided));
  }

  /** @internal */
  static of(nFft: number, winLength: number | undefined, hopLength: number | undefined, pad: number, windowFn: ((a: number) => Tensor) | undefined, power: number | undefined, normalized: SpectrogramNorm, center: boolean, padMode: 'circular' | 'constant' | 'reflect' | 'replicate', onesided: boolean): Spectrogram {
    const winLength2 = winLength ?? nFft;
    const hopLength2 = hopLength ?? Math.trunc(winLength2 / 2);
    const window = windowOf(windowFn, winLength2);
    return make(
      Spectrogram,
      {
        nFft,
        winLength: winLength2,
        hopLength: hopLength2,
        pad,
        window,
        power,
        normalized,
        center,
        padMode,
        onesided,
      },
    );
  }

  /**
   * The spectrogram.
   *
   * @throws The errors of `spectrogram`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('Spectrogram.forward waveform:tensor', args) as [Tensor];
    return spectrogram(
      waveform,
      this.pad,
      this.window,
      this.nFft,
      this.hopLength,
      this.winLength,
      this.power,
      this.normalized,
      this.center,
      this.padMode,
      this.onesided,
    );
  }
}

/**
 * The waveforms of complex spectrograms, pairs `(..., freq, frames, 2)`. See
 * `inverseSpectrogram`.
 *
 * @example
 * const transform = new transforms.InverseSpectrogram(64, undefined, undefined, 0, undefined, 'none', true, 'reflect', true);
 * transform.forward(ones([33, 11, 2]), 320).shape; // [320]
 */
export class InverseSpectrogram {
  /** @internal */
  readonly nFft!: number;
  /** @internal */
  readonly winLength!: number;
  /** @internal */
  readonly hopLength!: number;
  /** @internal */
  readonly pad!: number;
  /** @internal */
  readonly window!: Tensor;
  /** @internal */
  readonly normalized!: SpectrogramNorm;
  /** @internal */
  readonly center!: boolean;
  /** @internal */
  readonly padMode!: 'circular' | 'constant' | 'reflect' | 'replicate';
  /** @internal */
  readonly onesided!: boolean;

  constructor(nFft?: number, winLength?: number | null, hopLength?: number | null, pad?: number, windowFn?: ((a: number) => Tensor) | null, normalized?: SpectrogramNorm, center?: boolean, padMode?: 'circular' | 'constant' | 'reflect' | 'replicate', onesided?: boolean);
  constructor(options?: { nFft?: number; winLength?: number | null; hopLength?: number | null; pad?: number; windowFn?: ((a: number) => Tensor) | null; normalized?: SpectrogramNorm; center?: boolean; padMode?: 'circular' | 'constant' | 'reflect' | 'replicate'; onesided?: boolean });
  constructor(...args: unknown[]) {
    const [nFft = 400, winLength, hopLength, pad = 0, windowFn, normalized = 'none', center = true, padMode = 'reflect', onesided = true] = bind('InverseSpectrogram nFft:int? winLength:int? hopLength:int? pad:int? windowFn:function? normalized:=none|window|frame_length? center:bool? padMode:=circular|constant|reflect|replicate? onesided:bool?', args) as [number | undefined, number | undefined, number | undefined, number | undefined, ((a: number) => Tensor) | undefined, SpectrogramNorm | undefined, boolean | undefined, 'circular' | 'constant' | 'reflect' | 'replicate' | undefined, boolean | undefined];
    Object.assign(this, InverseSpectrogram.of(nFft, winLength, hopLength, pad, windowFn, normalized, center, padMode, onesided));
  }

  /** @internal */
  static of(nFft: number, winLength: number | undefined, hopLength: number | undefined, pad: number, windowFn: ((a: number) => Tensor) | undefined, normalized: SpectrogramNorm, center: boolean, padMode: 'circular' | 'constant' | 'reflect' | 'replicate', onesided: boolean): InverseSpectrogram {
    const winLength2 = winLength ?? nFft;
    const hopLength2 = hopLength ?? Math.trunc(winLength2 / 2);
    const window = windowOf(windowFn, winLength2);
    return make(
      InverseSpectrogram,
      {
        nFft,
        winLength: winLength2,
        hopLength: hopLength2,
        pad,
        window,
        normalized,
        center,
        padMode,
        onesided,
      },
    );
  }

  /**
   * The waveforms, of `length` samples if it is given.
   *
   * @throws The errors of `inverseSpectrogram`.
   */
  forward(spectrogram: TensorLike, length?: number | null): Tensor;
  forward(spectrogram: TensorLike, options?: { length?: number | null }): Tensor;
  forward(...args: unknown[]): Tensor {
    const [spectrogram2, length2] = bind('InverseSpectrogram.forward spectrogram:tensor length:int?', args) as [Tensor, number | undefined];
    return inverseSpectrogram(
      spectrogram2,
      length2,
      this.pad,
      this.window,
      this.nFft,
      this.hopLength,
      this.winLength,
      this.normalized,
      this.center,
      this.padMode,
      this.onesided,
    );
  }
}

/**
 * Waveforms of magnitudes without phases. See `griffinlim`.
 *
 * @example
 * const transform = new transforms.GriffinLim(64, 4, undefined, undefined, undefined, 2, 0.99, 320, true);
 * transform.forward(ones([33, 11])).shape; // [320]
 */
export class GriffinLim {
  /** @internal */
  readonly nFft!: number;
  /** @internal */
  readonly nIter!: number;
  /** @internal */
  readonly winLength!: number;
  /** @internal */
  readonly hopLength!: number;
  /** @internal */
  readonly window!: Tensor;
  /** @internal */
  readonly power!: number;
  /** @internal */
  readonly momentum!: number;
  /** @internal */
  readonly length!: number | undefined;
  /** @internal */
  readonly randInit!: boolean;

  constructor(nFft?: number, nIter?: number, winLength?: number | null, hopLength?: number | null, windowFn?: ((a: number) => Tensor) | null, power?: number, momentum?: number, length?: number | null, randInit?: boolean);
  constructor(options?: { nFft?: number; nIter?: number; winLength?: number | null; hopLength?: number | null; windowFn?: ((a: number) => Tensor) | null; power?: number; momentum?: number; length?: number | null; randInit?: boolean });
  constructor(...args: unknown[]) {
    const [nFft = 400, nIter = 32, winLength, hopLength, windowFn, power = 2, momentum = 0.99, length, randInit = true] = bind('GriffinLim nFft:int? nIter:int? winLength:int? hopLength:int? windowFn:function? power:number? momentum:number? length:int? randInit:bool?', args) as [number | undefined, number | undefined, number | undefined, number | undefined, ((a: number) => Tensor) | undefined, number | undefined, number | undefined, number | undefined, boolean | undefined];
    Object.assign(this, GriffinLim.of(nFft, nIter, winLength, hopLength, windowFn, power, momentum, length, randInit));
  }

  /** @internal */
  static of(nFft: number, nIter: number, winLength: number | undefined, hopLength: number | undefined, windowFn: ((a: number) => Tensor) | undefined, power: number, momentum: number, length2: number | undefined, randInit: boolean): GriffinLim {
    if (!(momentum >= 0 && momentum < 1)) {
      throw failure('argument', 'GriffinLim', `momentum must be in [0, 1), and is ${momentum}`);
    }
    const winLength2 = winLength ?? nFft;
    const hopLength2 = hopLength ?? Math.trunc(winLength2 / 2);
    const window = windowOf(windowFn, winLength2);
    return make(
      GriffinLim,
      {
        nFft,
        nIter,
        winLength: winLength2,
        hopLength: hopLength2,
        window,
        power,
        momentum,
        length: length2,
        randInit,
      },
    );
  }

  /**
   * The waveforms.
   *
   * @throws The errors of `griffinlim`.
   */
  forward(specgram: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [specgram] = bind('GriffinLim.forward specgram:tensor', args) as [Tensor];
    return griffinlim(
      specgram,
      this.window,
      this.nFft,
      this.hopLength,
      this.winLength,
      this.power,
      this.nIter,
      this.momentum,
      this.length,
      this.randInit,
    );
  }
}

/**
 * The spectral centroid of each frame, in Hz. See `spectralCentroid`.
 *
 * @example
 * const transform = new transforms.SpectralCentroid(16000, 64, undefined, undefined, 0, undefined);
 * transform.forward(ones([2, 320])).shape; // [2, 11]
 */
export class SpectralCentroid {
  /** @internal */
  readonly sampleRate!: number;
  /** @internal */
  readonly nFft!: number;
  /** @internal */
  readonly winLength!: number;
  /** @internal */
  readonly hopLength!: number;
  /** @internal */
  readonly pad!: number;
  /** @internal */
  readonly window!: Tensor;

  constructor(sampleRate: number, nFft?: number, winLength?: number | null, hopLength?: number | null, pad?: number, windowFn?: ((a: number) => Tensor) | null);
  constructor(sampleRate: number, options?: { nFft?: number; winLength?: number | null; hopLength?: number | null; pad?: number; windowFn?: ((a: number) => Tensor) | null });
  constructor(options: { sampleRate: number; nFft?: number; winLength?: number | null; hopLength?: number | null; pad?: number; windowFn?: ((a: number) => Tensor) | null });
  constructor(...args: unknown[]) {
    const [sampleRate, nFft = 400, winLength, hopLength, pad = 0, windowFn] = bind('SpectralCentroid sampleRate:int nFft:int? winLength:int? hopLength:int? pad:int? windowFn:function?', args) as [number, number | undefined, number | undefined, number | undefined, number | undefined, ((a: number) => Tensor) | undefined];
    Object.assign(this, SpectralCentroid.of(sampleRate, nFft, winLength, hopLength, pad, windowFn));
  }

  /** @internal */
  static of(sampleRate: number, nFft: number, winLength: number | undefined, hopLength: number | undefined, pad: number, windowFn: ((a: number) => Tensor) | undefined): SpectralCentroid {
    const winLength2 = winLength ?? nFft;
    const hopLength2 = hopLength ?? Math.trunc(winLength2 / 2);
    const window = windowOf(windowFn, winLength2);
    return make(
      SpectralCentroid,
      { sampleRate, nFft, winLength: winLength2, hopLength: hopLength2, pad, window },
    );
  }

  /**
   * The centroids.
   *
   * @throws The errors of `spectralCentroid`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('SpectralCentroid.forward waveform:tensor', args) as [Tensor];
    return spectralCentroid(
      waveform,
      this.sampleRate,
      this.pad,
      this.window,
      this.nFft,
      this.hopLength,
      this.winLength,
    );
  }
}
