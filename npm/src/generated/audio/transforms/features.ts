// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Features over frames, and masks. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  computeDeltas, maskAlongAxis, maskAlongAxisIid, slidingWindowCmn,
} from '../functional/features.js';

/**
 * The regression over frames. See `computeDeltas`.
 *
 * @example
 * const deltas = new transforms.ComputeDeltas(5, 'replicate').forward(ones([8, 16]));
 * deltas.shape; // [8, 16]
 */
export class ComputeDeltas {
  /** @internal */
  readonly winLength!: number;
  /** @internal */
  readonly mode!: 'circular' | 'constant' | 'reflect' | 'replicate';

  constructor(winLength?: number, mode?: 'circular' | 'constant' | 'reflect' | 'replicate');
  constructor(options?: { winLength?: number; mode?: 'circular' | 'constant' | 'reflect' | 'replicate' });
  constructor(...args: unknown[]) {
    const [winLength = 5, mode = 'replicate'] = bind('ComputeDeltas winLength:int? mode:=circular|constant|reflect|replicate?', args) as [number | undefined, 'circular' | 'constant' | 'reflect' | 'replicate' | undefined];
    Object.assign(this, ComputeDeltas.of(winLength, mode));
  }

  /** @internal */
  static of(winLength: number, mode: 'circular' | 'constant' | 'reflect' | 'replicate'): ComputeDeltas {
    return make(ComputeDeltas, { winLength, mode });
  }

  /**
   * The slopes.
   *
   * @throws The errors of `computeDeltas`.
   */
  forward(specgram: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [specgram] = bind('ComputeDeltas.forward specgram:tensor', args) as [Tensor];
    return computeDeltas(specgram, this.winLength, this.mode);
  }
}

/**
 * The normalization by a sliding window of frames. See `slidingWindowCmn`.
 *
 * @example
 * const transform = new transforms.SlidingWindowCmn(600, 100, false, false);
 * const normalized = transform.forward(ones([16, 8]));
 * normalized.shape; // [16, 8]
 */
export class SlidingWindowCmn {
  /** @internal */
  readonly cmnWindow!: number;
  /** @internal */
  readonly minCmnWindow!: number;
  /** @internal */
  readonly center!: boolean;
  /** @internal */
  readonly normVars!: boolean;

  constructor(cmnWindow?: number, minCmnWindow?: number, center?: boolean, normVars?: boolean);
  constructor(options?: { cmnWindow?: number; minCmnWindow?: number; center?: boolean; normVars?: boolean });
  constructor(...args: unknown[]) {
    const [cmnWindow = 600, minCmnWindow = 100, center = false, normVars = false] = bind('SlidingWindowCmn cmnWindow:int? minCmnWindow:int? center:bool? normVars:bool?', args) as [number | undefined, number | undefined, boolean | undefined, boolean | undefined];
    Object.assign(this, SlidingWindowCmn.of(cmnWindow, minCmnWindow, center, normVars));
  }

  /** @internal */
  static of(cmnWindow: number, minCmnWindow: number, center: boolean, normVars: boolean): SlidingWindowCmn {
    return make(SlidingWindowCmn, { cmnWindow, minCmnWindow, center, normVars });
  }

  /**
   * The normalized spectrograms `(..., time, freq)`.
   *
   * @throws The errors of `slidingWindowCmn`.
   */
  forward(specgram: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [specgram] = bind('SlidingWindowCmn.forward specgram:tensor', args) as [Tensor];
    return slidingWindowCmn(
      specgram,
      this.cmnWindow,
      this.minCmnWindow,
      this.center,
      this.normVars,
    );
  }
}

/** The mask of one axis, counted from the end. */
function maskAxis(specgram: Tensor, param: number, maskValue: number, fromEnd: number, iidMasks: boolean, p: number): Tensor {
  return scope(() => {
    if (specgram.ndim < 2) {
      const shape = specgram.shape;
      throw failure(
        'shape',
        'forward',
        `specgram has shape [${shape.join(', ')}], and takes (..., freq, time)`,
      );
    }
    const axis = specgram.ndim - fromEnd;
    if (iidMasks) return maskAlongAxisIid(specgram, param, maskValue, axis, p);
    return maskAlongAxis(specgram, param, maskValue, axis, p);
  });
}

/**
 * Spectrograms `(..., freq, time)` with a random band of frequencies masked. See
 * `maskAlongAxis`.
 *
 * @example
 * const masked = new transforms.FrequencyMasking(4, false).forward(ones([1, 8, 16]), 0);
 * masked.shape; // [1, 8, 16]
 */
export class FrequencyMasking {
  /** @internal */
  readonly freqMaskParam!: number;
  /** @internal */
  readonly iidMasks!: boolean;

  constructor(freqMaskParam: number, iidMasks?: boolean);
  constructor(freqMaskParam: number, options?: { iidMasks?: boolean });
  constructor(options: { freqMaskParam: number; iidMasks?: boolean });
  constructor(...args: unknown[]) {
    const [freqMaskParam, iidMasks = false] = bind('FrequencyMasking freqMaskParam:int iidMasks:bool?', args) as [number, boolean | undefined];
    Object.assign(this, FrequencyMasking.of(freqMaskParam, iidMasks));
  }

  /** @internal */
  static of(freqMaskParam: number, iidMasks: boolean): FrequencyMasking {
    return make(FrequencyMasking, { freqMaskParam, iidMasks });
  }

  /**
   * The masked spectrograms.
   *
   * @throws The errors of `maskAlongAxis`.
   */
  forward(specgram: TensorLike, maskValue?: number): Tensor;
  forward(specgram: TensorLike, options?: { maskValue?: number }): Tensor;
  forward(...args: unknown[]): Tensor {
    const [specgram, maskValue = 0] = bind('FrequencyMasking.forward specgram:tensor maskValue:number?', args) as [Tensor, number | undefined];
    return maskAxis(specgram, this.freqMaskParam, maskValue, 2, this.iidMasks, 1);
  }
}

/**
 * Spectrograms `(..., freq, time)` with a random part of the time masked. See `maskAlongAxis`.
 *
 * @example
 * const masked = new transforms.TimeMasking(4, false, 1).forward(ones([1, 8, 16]), 0);
 * masked.shape; // [1, 8, 16]
 */
export class TimeMasking {
  /** @internal */
  readonly timeMaskParam!: number;
  /** @internal */
  readonly iidMasks!: boolean;
  /** @internal */
  readonly p!: number;

  constructor(timeMaskParam: number, iidMasks?: boolean, p?: number);
  constructor(timeMaskParam: number, options?: { iidMasks?: boolean; p?: number });
  constructor(options: { timeMaskParam: number; iidMasks?: boolean; p?: number });
  constructor(...args: unknown[]) {
    const [timeMaskParam, iidMasks = false, p = 1] = bind('TimeMasking timeMaskParam:int iidMasks:bool? p:number?', args) as [number, boolean | undefined, number | undefined];
    Object.assign(this, TimeMasking.of(timeMaskParam, iidMasks, p));
  }

  /** @internal */
  static of(timeMaskParam: number, iidMasks: boolean, p: number): TimeMasking {
    if (!(p >= 0 && p <= 1)) {
      throw failure('argument', 'TimeMasking', `p must be between 0 and 1, and is ${p}`);
    }
    return make(TimeMasking, { timeMaskParam, iidMasks, p });
  }

  /**
   * The masked spectrograms.
   *
   * @throws The errors of `maskAlongAxis`.
   */
  forward(specgram: TensorLike, maskValue?: number): Tensor;
  forward(specgram: TensorLike, options?: { maskValue?: number }): Tensor;
  forward(...args: unknown[]): Tensor {
    const [specgram, maskValue = 0] = bind('TimeMasking.forward specgram:tensor maskValue:number?', args) as [Tensor, number | undefined];
    return maskAxis(specgram, this.timeMaskParam, maskValue, 1, this.iidMasks, this.p);
  }
}
