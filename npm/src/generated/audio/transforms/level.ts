// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Levels: decibels, companding, fades and volumes. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { muLawDecoding, muLawEncoding } from '../functional/coding.js';
import { amplitudeToDb } from '../functional/level.js';
import { floatsLike } from '../../../audio/host.js';
import { checkRank, length } from '../shapes.js';

/** The numbers that decibels are computed of. */
export type DbKind = 'power' | 'magnitude';

/**
 * Spectrograms in decibels. See `amplitudeToDb`.
 *
 * @example
 * const transform = new transforms.AmplitudeToDB('power', undefined);
 * const level = transform.forward(full([1], 100, { dtype: 'float32' }));
 * await level.sum().item(); // 20
 */
export class AmplitudeToDB {
  /** @internal */
  readonly multiplier!: number;
  /** @internal */
  readonly topDb!: number | undefined;

  constructor(stype?: DbKind, topDb?: number | null);
  constructor(options?: { stype?: DbKind; topDb?: number | null });
  constructor(...args: unknown[]) {
    const [stype = 'power', topDb] = bind('AmplitudeToDB stype:=power|magnitude? topDb:number?', args) as [DbKind | undefined, number | undefined];
    Object.assign(this, AmplitudeToDB.of(stype, topDb));
  }

  /** @internal */
  static of(stype: DbKind, topDb: number | undefined): AmplitudeToDB {
    if (topDb !== undefined && topDb < 0) {
      throw failure('argument', 'AmplitudeToDB', `top_db must not be negative, and is ${topDb}`);
    }
    return make(AmplitudeToDB, { multiplier: stype === 'power' ? 10 : 20, topDb });
  }

  /**
   * The decibels.
   *
   * @throws The errors of the operations on tensors.
   */
  forward(x: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [x] = bind('AmplitudeToDB.forward x:tensor', args) as [Tensor];
    return amplitudeToDb(x, this.multiplier, 1e-10, 0, this.topDb);
  }
}

/**
 * The codes of samples by the mu law. See `muLawEncoding`.
 *
 * @example
 * const codes = new transforms.MuLawEncoding(256).forward(full([1], 1, { dtype: 'float32' }));
 * await codes.sum().item(); // 255
 */
export class MuLawEncoding {
  /** @internal */
  readonly quantizationChannels!: number;

  constructor(quantizationChannels?: number);
  constructor(options?: { quantizationChannels?: number });
  constructor(...args: unknown[]) {
    const [quantizationChannels = 256] = bind('MuLawEncoding quantizationChannels:int?', args) as [number | undefined];
    Object.assign(this, MuLawEncoding.of(quantizationChannels));
  }

  /** @internal */
  static of(quantizationChannels: number): MuLawEncoding {
    return make(MuLawEncoding, { quantizationChannels });
  }

  /**
   * The codes.
   *
   * @throws The errors of `muLawEncoding`.
   */
  forward(x: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [x] = bind('MuLawEncoding.forward x:tensor', args) as [Tensor];
    return muLawEncoding(x, this.quantizationChannels);
  }
}

/**
 * The samples of codes by the mu law. See `muLawDecoding`.
 *
 * @example
 * const samples = new transforms.MuLawDecoding(256).forward(full([1], 255, { dtype: 'float32' }));
 * await samples.sum().item(); // 1
 */
export class MuLawDecoding {
  /** @internal */
  readonly quantizationChannels!: number;

  constructor(quantizationChannels?: number);
  constructor(options?: { quantizationChannels?: number });
  constructor(...args: unknown[]) {
    const [quantizationChannels = 256] = bind('MuLawDecoding quantizationChannels:int?', args) as [number | undefined];
    Object.assign(this, MuLawDecoding.of(quantizationChannels));
  }

  /** @internal */
  static of(quantizationChannels: number): MuLawDecoding {
    return make(MuLawDecoding, { quantizationChannels });
  }

  /**
   * The samples.
   *
   * @throws The errors of `muLawDecoding`.
   */
  forward(xMu: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [xMu] = bind('MuLawDecoding.forward xMu:tensor', args) as [Tensor];
    return muLawDecoding(xMu, this.quantizationChannels);
  }
}

/** The course of a fade. */
export type FadeShape = 'linear' | 'exponential' | 'logarithmic' | 'quarter_sine' | 'half_sine';

/** The factor of a fade in, at a part of it from 0 to 1. */
function fadeIn(part: number, shape: FadeShape): number {
  const base = 2;
  let value: number;
  switch (shape) {
    case 'linear': {
      value = part;
      break;
    }
    case 'exponential': {
      value = Math.pow(base, part - 1) * part;
      break;
    }
    case 'logarithmic': {
      value = Math.log10(0.1 + part) + 1;
      break;
    }
    case 'quarter_sine': {
      value = Math.sin(part * Math.PI / 2);
      break;
    }
    default: {
      value = Math.sin(part * Math.PI - Math.PI / 2) / 2 + 0.5;
      break;
    }
  }
  return Math.min(Math.max(value, 0), 1);
}

/**
 * Waveforms `(..., time)` that fade in and out.
 *
 * @example
 * const faded = new transforms.Fade(3, 0, 'linear').forward(ones([4]));
 * await faded.sum().item(); // 2.5
 */
export class Fade {
  /** @internal */
  readonly fadeInLen!: number;
  /** @internal */
  readonly fadeOutLen!: number;
  /** @internal */
  readonly fadeShape!: FadeShape;

  constructor(fadeInLen?: number, fadeOutLen?: number, fadeShape?: FadeShape);
  constructor(options?: { fadeInLen?: number; fadeOutLen?: number; fadeShape?: FadeShape });
  constructor(...args: unknown[]) {
    const [fadeInLen = 0, fadeOutLen = 0, fadeShape = 'linear'] = bind('Fade fadeInLen:int? fadeOutLen:int? fadeShape:=linear|exponential|logarithmic|quarter_sine|half_sine?', args) as [number | undefined, number | undefined, FadeShape | undefined];
    Object.assign(this, Fade.of(fadeInLen, fadeOutLen, fadeShape));
  }

  /** @internal */
  static of(fadeInLen: number, fadeOutLen: number, fadeShape: FadeShape): Fade {
    return make(Fade, { fadeInLen, fadeOutLen, fadeShape });
  }

  /**
   * The faded waveforms.
   *
   * @throws `shape` if a fade is longer than the waveform.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('Fade.forward waveform:tensor', args) as [Tensor];
    return scope(() => {
      checkRank('Fade.forward', 'waveform', waveform, 1);
      const time = length(waveform);
      if (this.fadeInLen > time || this.fadeOutLen > time) {
        const message = `the waveform has ${time} samples, fewer than a fade`;
        throw failure('shape', 'Fade.forward', message);
      }
      const factors: number[] = [];
      for (let index = 0; index < time; index++) {
        let factor = 1;
        if (index < this.fadeInLen) {
          const last = Math.max(this.fadeInLen - 1, 1);
          factor *= fadeIn(index / last, this.fadeShape);
        }
        if (index + this.fadeOutLen >= time) {
          const last = Math.max(this.fadeOutLen - 1, 1);
          const step = index + this.fadeOutLen - time;
          factor *= fadeIn(1 - step / last, this.fadeShape);
        }
        factors.push(factor);
      }
      return waveform.mul(floatsLike(factors, waveform));
    });
  }
}

/** The meaning of a gain. */
export type GainType = 'amplitude' | 'power' | 'db';

/**
 * Waveforms of another volume, limited to -1 and 1.
 *
 * @example
 * const louder = new transforms.Vol(0.5, 'amplitude').forward(ones([1]));
 * await louder.sum().item(); // 0.5
 */
export class Vol {
  /** @internal */
  readonly factor!: number;

  constructor(gain: number, gainType?: GainType);
  constructor(gain: number, options?: { gainType?: GainType });
  constructor(options: { gain: number; gainType?: GainType });
  constructor(...args: unknown[]) {
    const [gain, gainType = 'amplitude'] = bind('Vol gain:number gainType:=amplitude|power|db?', args) as [number, GainType | undefined];
    Object.assign(this, Vol.of(gain, gainType));
  }

  /** @internal */
  static of(gain2: number, gainType: GainType): Vol {
    if (gainType !== 'db' && gain2 < 0) {
      throw failure('argument', 'Vol', `gain must not be negative, and is ${gain2}`);
    }
    let factor: number;
    if (gainType === 'amplitude') factor = gain2;
    else if (gainType === 'power') factor = Math.sqrt(gain2);
    else {
      factor = Math.exp(gain2 / 20 * Math.LN10);
    }
    return make(Vol, { factor });
  }

  /**
   * The waveforms.
   *
   * @throws The errors of the operations on tensors.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('Vol.forward waveform:tensor', args) as [Tensor];
    return scope(() => waveform.mul(this.factor).clamp(-1, 1));
  }
}
