// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Time, pitch and speed. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { windowOf } from '../functional/frames.js';
import {
  phaseAdvance, phaseVocoder, pitchShift, speedLengths, speedRates,
} from '../functional/time.js';
import { floats, randomIndex } from '../../../audio/host.js';
import { Resample } from '../transforms/resampling.js';

/**
 * Complex spectrograms that are played faster or slower at the same pitch. See `phaseVocoder`.
 *
 * @example
 * const transform = new transforms.TimeStretch(undefined, 9, 2);
 * transform.forward(ones([9, 12, 2])).shape; // [9, 6, 2]
 */
export class TimeStretch {
  /** @internal */
  readonly phaseAdvance!: Tensor;
  /** @internal */
  readonly fixedRate!: number | undefined;

  constructor(hopLength?: number | null, nFreq?: number, fixedRate?: number | null);
  constructor(options?: { hopLength?: number | null; nFreq?: number; fixedRate?: number | null });
  constructor(...args: unknown[]) {
    const [hopLength, nFreq = 201, fixedRate] = bind('TimeStretch hopLength:int? nFreq:int? fixedRate:number?', args) as [number | undefined, number | undefined, number | undefined];
    Object.assign(this, TimeStretch.of(hopLength, nFreq, fixedRate));
  }

  /** @internal */
  static of(hopLength: number | undefined, nFreq: number, fixedRate: number | undefined): TimeStretch {
    return scope(() => {
      if (nFreq === 0) {
        throw failure('argument', 'TimeStretch', 'n_freq must be positive, and is 0');
      }
      const hop = hopLength ?? nFreq - 1;
      const advance = floats(phaseAdvance(hop, nFreq)).unsqueeze(1);
      return make(TimeStretch, { phaseAdvance: advance, fixedRate });
    });
  }

  /**
   * The spectrograms, `overridingRate` times as fast, or `fixedRate` without it.
   *
   * @throws `argument` if neither rate is given; the errors of `phaseVocoder`.
   */
  forward(complexSpecgrams: TensorLike, overridingRate?: number | null): Tensor;
  forward(complexSpecgrams: TensorLike, options?: { overridingRate?: number | null }): Tensor;
  forward(...args: unknown[]): Tensor {
    const [complexSpecgrams, overridingRate] = bind('TimeStretch.forward complexSpecgrams:tensor overridingRate:number?', args) as [Tensor, number | undefined];
    return scope(() => {
      if (overridingRate !== undefined) {
        return phaseVocoder(complexSpecgrams, overridingRate, this.phaseAdvance);
      }
      const rate = this.fixedRate;
      if (rate !== undefined) return phaseVocoder(complexSpecgrams, rate, this.phaseAdvance);
      throw failure(
        'argument',
        'TimeStretch.forward',
        'takes overriding_rate, because there is no fixed_rate',
      );
    });
  }
}

/**
 * Waveforms of another pitch. See `pitchShift`.
 *
 * @example
 * const transform = new transforms.PitchShift(8000, 4, 12, 64, undefined, undefined, undefined);
 * transform.forward(ones([2, 256])).shape; // [2, 256]
 */
export class PitchShift {
  /** @internal */
  readonly sampleRate!: number;
  /** @internal */
  readonly nSteps!: number;
  /** @internal */
  readonly binsPerOctave!: number;
  /** @internal */
  readonly nFft!: number;
  /** @internal */
  readonly winLength!: number;
  /** @internal */
  readonly hopLength!: number;
  /** @internal */
  readonly window!: Tensor;

  constructor(sampleRate: number, nSteps: number, binsPerOctave?: number, nFft?: number, winLength?: number | null, hopLength?: number | null, windowFn?: ((a: number) => Tensor) | null);
  constructor(sampleRate: number, nSteps: number, options?: { binsPerOctave?: number; nFft?: number; winLength?: number | null; hopLength?: number | null; windowFn?: ((a: number) => Tensor) | null });
  constructor(options: { sampleRate: number; nSteps: number; binsPerOctave?: number; nFft?: number; winLength?: number | null; hopLength?: number | null; windowFn?: ((a: number) => Tensor) | null });
  constructor(...args: unknown[]) {
    const [sampleRate, nSteps, binsPerOctave = 12, nFft = 512, winLength, hopLength, windowFn] = bind('PitchShift sampleRate:int nSteps:number binsPerOctave:int? nFft:int? winLength:int? hopLength:int? windowFn:function?', args) as [number, number, number | undefined, number | undefined, number | undefined, number | undefined, ((a: number) => Tensor) | undefined];
    Object.assign(this, PitchShift.of(sampleRate, nSteps, binsPerOctave, nFft, winLength, hopLength, windowFn));
  }

  /** @internal */
  static of(sampleRate: number, nSteps: number, binsPerOctave: number, nFft: number, winLength: number | undefined, hopLength: number | undefined, windowFn: ((a: number) => Tensor) | undefined): PitchShift {
    const size = winLength ?? nFft;
    const hop = hopLength ?? Math.trunc(size / 4);
    const window = windowOf(windowFn, size);
    return make(
      PitchShift,
      { sampleRate, nSteps, binsPerOctave, nFft, winLength: size, hopLength: hop, window },
    );
  }

  /**
   * The waveforms.
   *
   * @throws The errors of `pitchShift`.
   */
  forward(waveform: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [waveform] = bind('PitchShift.forward waveform:tensor', args) as [Tensor];
    return pitchShift(
      waveform,
      this.sampleRate,
      this.nSteps,
      this.binsPerOctave,
      this.nFft,
      this.winLength,
      this.hopLength,
      this.window,
    );
  }
}

/**
 * Waveforms at another speed. See `speed`.
 *
 * @example
 * const [faster] = new transforms.Speed(16000, 2).forward(ones([2, 160]));
 * faster.shape; // [2, 80]
 */
export class Speed {
  /** @internal */
  readonly source!: number;
  /** @internal */
  readonly target!: number;
  /** @internal */
  readonly resampler!: Resample;

  constructor(origFreq: number, factor: number);
  constructor(options: { origFreq: number; factor: number });
  constructor(...args: unknown[]) {
    const [origFreq, factor] = bind('Speed origFreq:int factor:number', args) as [number, number];
    Object.assign(this, Speed.of(origFreq, factor));
  }

  /** @internal */
  static of(origFreq: number, factor: number): Speed {
    const [source, target] = speedRates('Speed', origFreq, factor);
    const beta: number | undefined = undefined;
    const resampler = Resample.of(source, target, 'sinc_interp_hann', 6, 0.99, beta);
    return make(Speed, { source, target, resampler });
  }

  /**
   * The waveforms, and the new lengths of those that have `lengths`.
   *
   * @throws `shape` without a dimension of time.
   */
  forward(waveform: TensorLike, lengths?: TensorLike | null): [Tensor, Tensor | undefined];
  forward(waveform: TensorLike, options?: { lengths?: TensorLike | null }): [Tensor, Tensor | undefined];
  forward(...args: unknown[]): [Tensor, Tensor | undefined] {
    const [waveform, lengths] = bind('Speed.forward waveform:tensor lengths:tensor?', args) as [Tensor, Tensor | undefined];
    return scope(() => {
      const faster = this.resampler.forward(waveform);
      if (lengths !== undefined) return [faster, speedLengths(lengths, this.source, this.target)];
      return [faster, undefined];
    });
  }
}

/**
 * Waveforms at a speed that is drawn for each call. See `Speed`.
 *
 * @example
 * const transform = new transforms.SpeedPerturbation(16000, [2, 2]);
 * const [faster] = transform.forward(ones([2, 160]));
 * faster.shape; // [2, 80]
 */
export class SpeedPerturbation {
  /** @internal */
  readonly speeders!: readonly Speed[];

  constructor(origFreq: number, factors: number | readonly number[]);
  constructor(options: { origFreq: number; factors: number | readonly number[] });
  constructor(...args: unknown[]) {
    const [origFreq, factors] = bind('SpeedPerturbation origFreq:int factors:numbers', args) as [number, readonly number[]];
    Object.assign(this, SpeedPerturbation.of(origFreq, factors));
  }

  /** @internal */
  static of(origFreq: number, factors: readonly number[]): SpeedPerturbation {
    return scope(() => {
      if (factors.length === 0) {
        throw failure('argument', 'SpeedPerturbation', 'factors must not be empty');
      }
      const speeders: Speed[] = [];
      for (const factor of factors) {
        speeders.push(Speed.of(origFreq, factor));
      }
      return make(SpeedPerturbation, { speeders });
    });
  }

  /**
   * The waveforms, and the new lengths of those that have `lengths`.
   *
   * @throws The errors of `Speed`.
   */
  forward(waveform: TensorLike, lengths?: TensorLike | null): [Tensor, Tensor | undefined];
  forward(waveform: TensorLike, options?: { lengths?: TensorLike | null }): [Tensor, Tensor | undefined];
  forward(...args: unknown[]): [Tensor, Tensor | undefined] {
    const [waveform, lengths] = bind('SpeedPerturbation.forward waveform:tensor lengths:tensor?', args) as [Tensor, Tensor | undefined];
    return this.speeders[randomIndex(this.speeders.length)]!.forward(waveform, lengths);
  }
}
