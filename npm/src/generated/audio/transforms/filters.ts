// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Filters, mixtures and measures. */
import { bind, make } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { addNoise, convolve, fftconvolve, type ConvolveMode } from '../functional/convolution.js';
import { deemphasis, preemphasis } from '../functional/filtering.js';
import { loudness } from '../functional/loudness.js';
import { vad } from '../functional/voice.js';

/**
 * The convolution of two tensors. See `convolve`.
 *
 * @example
 * const transform = new transforms.Convolve('full');
 * const result = transform.forward(ones([8]), ones([3]));
 * result.shape; // [10]
 */
export class Convolve {
  /** @internal */
  readonly mode!: ConvolveMode;

  constructor(mode?: ConvolveMode);
  constructor(options?: { mode?: ConvolveMode });
  constructor(...args: unknown[]) {
    const [mode = 'full'] = bind('Convolve mode:=full|valid|same?', args) as [ConvolveMode | undefined];
    Object.assign(this, Convolve.of(mode));
  }

  /** @internal */
  static of(mode: ConvolveMode): Convolve {
    return make(Convolve, { mode });
  }

  /**
   * The convolution.
   *
   * @throws The errors of `convolve`.
   */
  forward(x: TensorLike, y: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [x, y] = bind('Convolve.forward x:tensor y:tensor', args) as [Tensor, Tensor];
    return convolve(x, y, this.mode);
  }
}

/**
 * The convolution of two tensors by the Fourier transform. See `fftconvolve`.
 *
 * @example
 * const transform = new transforms.FFTConvolve('full');
 * const result = transform.forward(ones([8]), ones([3]));
 * result.shape; // [10]
 */
export class FFTConvolve {
  /** @internal */
  readonly mode!: ConvolveMode;

  constructor(mode?: ConvolveMode);
  constructor(options?: { mode?: ConvolveMode });
  constructor(...args: unknown[]) {
    const [mode = 'full'] = bind('FFTConvolve mode:=full|valid|same?', args) as [ConvolveMode | undefined];
    Object.assign(this, FFTConvolve.of(mode));
  }

  /** @internal */
  static of(mode: ConvolveMode): FFTConvolve {
    return make(FFTConvolve, { mode });
  }

  /**
   * The convolution.
   *
   * @throws The errors of `fftconvolve`.
   */
  forward(x: TensorLike, y: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [x, y] = bind('FFTConvolve.forward x:tensor y:tensor', args) as [Tensor, Tensor];
    return fftconvolve(x, y, this.mode);
  }
}

/**
 * Waveforms with noise. See `addNoise`.
 *
 * @example
 * const [speech, noise] = [ones([1, 8]), full([1, 8], 0.1, { dtype: 'float32' })];
 * const noisy = new transforms.AddNoise().forward(speech, noise, zeros([1]));
 * noisy.shape; // [1, 8]
 */
export class AddNoise {
  constructor();
  constructor(...args: unknown[]) {
    Object.assign(this, AddNoise.of());
  }

  /** @internal */
  static of(): AddNoise {
    return make(AddNoise, {});
  }

  /**
   * The noisy waveforms.
   *
   * @throws The errors of `addNoise`.
   */
  forward(waveform: TensorLike, noise: TensorLike, snr: TensorLike, lengths?: TensorLike | null): Tensor;
  forward(waveform: TensorLike, noise: TensorLike, snr: TensorLike, options?: { lengths?: TensorLike | null }): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform, noise, snr, lengths] = bind('AddNoise.forward waveform:tensor noise:tensor snr:tensor lengths:tensor?', args) as [Tensor, Tensor, Tensor, Tensor | undefined];
    return addNoise(waveform, noise, snr, lengths);
  }
}

/**
 * Waveforms with stronger high frequencies. See `preemphasis`.
 *
 * @example
 * const sharp = new transforms.Preemphasis(0.5).forward(ones([5]));
 * await sharp.sum().item(); // 3
 */
export class Preemphasis {
  /** @internal */
  readonly coeff!: number;

  constructor(coeff?: number);
  constructor(options?: { coeff?: number });
  constructor(...args: unknown[]) {
    const [coeff = 0.97] = bind('Preemphasis coeff:number?', args) as [number | undefined];
    Object.assign(this, Preemphasis.of(coeff));
  }

  /** @internal */
  static of(coeff: number): Preemphasis {
    return make(Preemphasis, { coeff });
  }

  /**
   * The waveforms.
   *
   * @throws The errors of `preemphasis`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('Preemphasis.forward waveform:tensor', args) as [Tensor];
    return preemphasis(waveform, this.coeff);
  }
}

/**
 * The inverse of `Preemphasis`. See `deemphasis`.
 *
 * @example
 * const x = tensor([0.5, 0]);
 * await new transforms.Deemphasis(0.5).forward(x).sum().item(); // 0.75
 */
export class Deemphasis {
  /** @internal */
  readonly coeff!: number;

  constructor(coeff?: number);
  constructor(options?: { coeff?: number });
  constructor(...args: unknown[]) {
    const [coeff = 0.97] = bind('Deemphasis coeff:number?', args) as [number | undefined];
    Object.assign(this, Deemphasis.of(coeff));
  }

  /** @internal */
  static of(coeff: number): Deemphasis {
    return make(Deemphasis, { coeff });
  }

  /**
   * The waveforms.
   *
   * @throws The errors of `deemphasis`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('Deemphasis.forward waveform:tensor', args) as [Tensor];
    return deemphasis(waveform, this.coeff);
  }
}

/**
 * The loudness of waveforms. See `loudness`.
 *
 * @example
 * const tone = arange(0, 8000).float().mul(0.8).sin().reshape([1, 8000]);
 * new transforms.Loudness(8000).forward(tone).shape.length; // 0
 */
export class Loudness {
  /** @internal */
  readonly sampleRate!: number;

  constructor(sampleRate: number);
  constructor(options: { sampleRate: number });
  constructor(...args: unknown[]) {
    const [sampleRate] = bind('Loudness sampleRate:int', args) as [number];
    Object.assign(this, Loudness.of(sampleRate));
  }

  /** @internal */
  static of(sampleRate: number): Loudness {
    return make(Loudness, { sampleRate });
  }

  /**
   * The loudness in LKFS.
   *
   * @throws The errors of `loudness`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('Loudness.forward waveform:tensor', args) as [Tensor];
    return loudness(waveform, this.sampleRate);
  }
}

/**
 * Recordings that begin with a voice. See `vad`.
 *
 * @example
 * const transform = new transforms.Vad(16000, 7, 0.25, 1, 0.25, 0, 0.35, 0.1, 0.01, 1.35, 20, undefined, 0.4, 50, 6000, 150, 2000);
 * const voice = await transform.forward(zeros([1, 16000]));
 * voice.shape; // [1, 0]
 */
export class Vad {
  /** @internal */
  readonly sampleRate!: number;
  /** @internal */
  readonly triggerLevel!: number;
  /** @internal */
  readonly triggerTime!: number;
  /** @internal */
  readonly searchTime!: number;
  /** @internal */
  readonly allowedGap!: number;
  /** @internal */
  readonly preTriggerTime!: number;
  /** @internal */
  readonly bootTime!: number;
  /** @internal */
  readonly noiseUpTime!: number;
  /** @internal */
  readonly noiseDownTime!: number;
  /** @internal */
  readonly noiseReductionAmount!: number;
  /** @internal */
  readonly measureFreq!: number;
  /** @internal */
  readonly measureDuration!: number | undefined;
  /** @internal */
  readonly measureSmoothTime!: number;
  /** @internal */
  readonly hpFilterFreq!: number;
  /** @internal */
  readonly lpFilterFreq!: number;
  /** @internal */
  readonly hpLifterFreq!: number;
  /** @internal */
  readonly lpLifterFreq!: number;

  constructor(sampleRate: number, triggerLevel?: number, triggerTime?: number, searchTime?: number, allowedGap?: number, preTriggerTime?: number, bootTime?: number, noiseUpTime?: number, noiseDownTime?: number, noiseReductionAmount?: number, measureFreq?: number, measureDuration?: number | null, measureSmoothTime?: number, hpFilterFreq?: number, lpFilterFreq?: number, hpLifterFreq?: number, lpLifterFreq?: number);
  constructor(sampleRate: number, options?: { triggerLevel?: number; triggerTime?: number; searchTime?: number; allowedGap?: number; preTriggerTime?: number; bootTime?: number; noiseUpTime?: number; noiseDownTime?: number; noiseReductionAmount?: number; measureFreq?: number; measureDuration?: number | null; measureSmoothTime?: number; hpFilterFreq?: number; lpFilterFreq?: number; hpLifterFreq?: number; lpLifterFreq?: number });
  constructor(options: { sampleRate: number; triggerLevel?: number; triggerTime?: number; searchTime?: number; allowedGap?: number; preTriggerTime?: number; bootTime?: number; noiseUpTime?: number; noiseDownTime?: number; noiseReductionAmount?: number; measureFreq?: number; measureDuration?: number | null; measureSmoothTime?: number; hpFilterFreq?: number; lpFilterFreq?: number; hpLifterFreq?: number; lpLifterFreq?: number });
  constructor(...args: unknown[]) {
    const [sampleRate, triggerLevel = 7, triggerTime = 0.25, searchTime = 1, allowedGap = 0.25, preTriggerTime = 0, bootTime = 0.35, noiseUpTime = 0.1, noiseDownTime = 0.01, noiseReductionAmount = 1.35, measureFreq = 20, measureDuration, measureSmoothTime = 0.4, hpFilterFreq = 50, lpFilterFreq = 6000, hpLifterFreq = 150, lpLifterFreq = 2000] = bind('Vad sampleRate:int triggerLevel:number? triggerTime:number? searchTime:number? allowedGap:number? preTriggerTime:number? bootTime:number? noiseUpTime:number? noiseDownTime:number? noiseReductionAmount:number? measureFreq:number? measureDuration:number? measureSmoothTime:number? hpFilterFreq:number? lpFilterFreq:number? hpLifterFreq:number? lpLifterFreq:number?', args) as [number, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, Vad.of(sampleRate, triggerLevel, triggerTime, searchTime, allowedGap, preTriggerTime, bootTime, noiseUpTime, noiseDownTime, noiseReductionAmount, measureFreq, measureDuration, measureSmoothTime, hpFilterFreq, lpFilterFreq, hpLifterFreq, lpLifterFreq));
  }

  /** @internal */
  static of(sampleRate: number, triggerLevel: number, triggerTime: number, searchTime: number, allowedGap: number, preTriggerTime: number, bootTime: number, noiseUpTime: number, noiseDownTime: number, noiseReductionAmount: number, measureFreq: number, measureDuration: number | undefined, measureSmoothTime: number, hpFilterFreq: number, lpFilterFreq: number, hpLifterFreq: number, lpLifterFreq: number): Vad {
    return make(
      Vad,
      {
        sampleRate,
        triggerLevel,
        triggerTime,
        searchTime,
        allowedGap,
        preTriggerTime,
        bootTime,
        noiseUpTime,
        noiseDownTime,
        noiseReductionAmount,
        measureFreq,
        measureDuration,
        measureSmoothTime,
        hpFilterFreq,
        lpFilterFreq,
        hpLifterFreq,
        lpLifterFreq,
      },
    );
  }

  /**
   * The recordings.
   *
   * @throws The errors of `vad`.
   */
  forward(waveform: TensorLike): Promise<Tensor>;
  async forward(...args: unknown[]): Promise<Tensor> {
    const [waveform] = bind('Vad.forward waveform:tensor', args) as [Tensor];
    return await vad(
      waveform,
      this.sampleRate,
      this.triggerLevel,
      this.triggerTime,
      this.searchTime,
      this.allowedGap,
      this.preTriggerTime,
      this.bootTime,
      this.noiseUpTime,
      this.noiseDownTime,
      this.noiseReductionAmount,
      this.measureFreq,
      this.measureDuration,
      this.measureSmoothTime,
      this.hpFilterFreq,
      this.lpFilterFreq,
      this.hpLifterFreq,
      this.lpLifterFreq,
    );
  }
}
