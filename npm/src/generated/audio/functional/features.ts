// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Features over the frames of a spectrogram. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { arange, floatsLike, indices, rand } from '../../../audio/host.js';
import { checkRank, length, pack, unpack } from '../shapes.js';

/**
 * The regression over `winLength` frames around each one, `(..., freq, time)`:
 * `sum(n * (x[t + n] - x[t - n])) / (2 sum(n^2))` for `n` up to `(win_length - 1) / 2`.
 *
 * @throws `argument` if `winLength` is less than 3.
 *
 * @example
 * const x = tensor([0, 1, 2, 3, 4]).reshape([1, 5]);
 * const deltas = functional.computeDeltas(x, 3, 'replicate');
 * await deltas.select(1, 2).sum().item(); // 1
 */
export function computeDeltas(specgram: TensorLike, winLength?: number, mode?: 'circular' | 'constant' | 'reflect' | 'replicate'): Tensor;
export function computeDeltas(specgram: TensorLike, options?: { winLength?: number; mode?: 'circular' | 'constant' | 'reflect' | 'replicate' }): Tensor;
export function computeDeltas(...args: unknown[]): Tensor {
  const [specgram, winLength = 5, mode = 'replicate'] = bind('computeDeltas specgram:tensor winLength:int? mode:=circular|constant|reflect|replicate?', args) as [Tensor, number | undefined, 'circular' | 'constant' | 'reflect' | 'replicate' | undefined];
  return scope(() => {
    checkRank('compute_deltas', 'specgram', specgram, 1);
    if (winLength < 3) {
      throw failure(
        'argument',
        'compute_deltas',
        `win_length must be at least 3, and is ${winLength}`,
      );
    }
    const n = Math.trunc((winLength - 1) / 2);
    const total = n * (n + 1) * (2 * n + 1) / 3;
    const weights: number[] = [];
    for (let index = 0; index < 2 * n + 1; index++) {
      weights.push((index - n) / total);
    }
    const shape = specgram.shape;
    const packed = pack(specgram, 1).pad([n, n], mode);
    const kernel = floatsLike(weights, specgram).reshape([1, 1, -1]);
    return unpack(packed.unsqueeze(1).conv1d(kernel).squeeze(1), shape, 1);
  });
}

/** The first and the last frame, which is excluded, of the window of each frame. */
function windows(frames: number, cmnWindow: number, minCmnWindow: number, center: boolean): [readonly number[], readonly number[]] {
  const starts: number[] = [];
  const ends: number[] = [];
  const count = frames;
  const window = cmnWindow;
  for (let frame = 0; frame < frames; frame++) {
    const t = frame;
    let start = center ? t - Math.trunc(window / 2) : t - window;
    let end = center ? start + window : t + 1;
    if (start < 0) {
      end -= start;
      start = 0;
    }
    if (!center && end > t) end = Math.max(t + 1, minCmnWindow);
    if (end > count) {
      start = Math.max(start - (end - count), 0);
      end = count;
    }
    starts.push(start);
    ends.push(end);
  }
  return [starts, ends];
}

/**
 * Spectrograms `(..., time, freq)` without the mean of a sliding window of frames, and divided by
 * its standard deviation with `normVars`.
 *
 * The window of `cmnWindow` frames is around a frame with `center`, else before it, and then the
 * first one has `minCmnWindow` frames.
 *
 * @throws `shape` if there are fewer than two dimensions.
 *
 * @example
 * const normalized = functional.slidingWindowCmn(ones([20, 3]), 600, 100, false, false);
 * await normalized.abs().sum().item(); // 0
 */
export function slidingWindowCmn(specgram: TensorLike, cmnWindow?: number, minCmnWindow?: number, center?: boolean, normVars?: boolean): Tensor;
export function slidingWindowCmn(specgram: TensorLike, options?: { cmnWindow?: number; minCmnWindow?: number; center?: boolean; normVars?: boolean }): Tensor;
export function slidingWindowCmn(...args: unknown[]): Tensor {
  const [specgram, cmnWindow = 600, minCmnWindow = 100, center = false, normVars = false] = bind('slidingWindowCmn specgram:tensor cmnWindow:int? minCmnWindow:int? center:bool? normVars:bool?', args) as [Tensor, number | undefined, number | undefined, boolean | undefined, boolean | undefined];
  return scope(() => {
    checkRank('sliding_window_cmn', 'specgram', specgram, 2);
    const shape = specgram.shape;
    const x = pack(specgram, 2);
    const frames = x.shape[1]!;
    const [starts, ends] = windows(frames, cmnWindow, minCmnWindow, center);
    const counts: number[] = [];
    const singles: number[] = [];
    for (let frame = 0; frame < frames; frame++) {
      const count = ends[frame]! - starts[frame]!;
      counts.push(count);
      singles.push(count === 1 ? 0 : 1);
    }
    const [first, last] = [indices(starts, x), indices(ends, x)];
    const counts2 = floatsLike(counts, x).unsqueeze(1);
    const shift = x.mean(1, true);
    const shifted = x.sub(shift);
    const sums = shifted.pad([0, 0, 1, 0]).cumsum(1);
    const mean = sums.indexSelect(1, last).sub(sums.indexSelect(1, first)).div(counts2);
    let normalized = shifted.sub(mean);
    if (normVars) {
      const squares = shifted.square().pad([0, 0, 1, 0]).cumsum(1);
      const square = squares.indexSelect(1, last).sub(squares.indexSelect(1, first)).div(counts2);
      const singles2 = floatsLike(singles, x).unsqueeze(1);
      const isSingle = singles2.eq(0);
      const variance = square.sub(mean.square()).maskedFill(isSingle, 1);
      normalized = normalized.mul(singles2).mul(variance.rsqrt());
    }
    return unpack(normalized, shape, 2);
  });
}

/** The largest number of masked columns. */
function maskSize(op: string, maskParam: number, p: number, size: number): number {
  if (!(p >= 0 && p <= 1)) throw failure('argument', op, `p must be between 0 and 1, and is ${p}`);
  if (p === 1) return maskParam;
  return Math.min(maskParam, Math.trunc(size * p));
}

function checkAxis(op: string, specgram: Tensor, axis: number, rank: number): void {
  checkRank(op, 'specgram', specgram, rank);
  const rank2 = specgram.ndim;
  if (axis + 2 !== rank2 && axis + 1 !== rank2) {
    const message = `axis must be ${rank2 - 2} for frequency or ${rank2 - 1} for time, and is ${axis}`;
    throw failure('argument', op, message);
  }
}

/** Which columns are masked, for random numbers of any shape: a dimension at the end. */
function maskOf(specgram: Tensor, size: number, param: number, shape: readonly number[]): Tensor {
  return scope(() => {
    const width = rand(shape, specgram).mul(param);
    const start = rand(shape, specgram).mul(width.rsub(size)).floor().unsqueeze(-1);
    const end = start.add(width.floor().unsqueeze(-1));
    const columns = arange(size, specgram);
    return columns.ge(start).logicalAnd(columns.lt(end));
  });
}

/**
 * A spectrogram with `maskValue` in a random band of up to `maskParam` columns along `axis`, the
 * same one in the whole batch. `p` is the largest masked part of the axis.
 *
 * Source: Park et al., "SpecAugment", 2019.
 *
 * @throws `argument` if `axis` is not one of the last two dimensions, or `p` not in [0, 1].
 *
 * @example
 * const masked = functional.maskAlongAxis(ones([2, 8, 16]), 4, 0, 2, 1);
 * masked.shape; // [2, 8, 16]
 */
export function maskAlongAxis(specgram: TensorLike, maskParam: number, maskValue: number, axis: number, p?: number): Tensor;
export function maskAlongAxis(specgram: TensorLike, maskParam: number, maskValue: number, axis: number, options?: { p?: number }): Tensor;
export function maskAlongAxis(...args: unknown[]): Tensor {
  const [specgram, maskParam, maskValue, axis, p = 1] = bind('maskAlongAxis specgram:tensor maskParam:int maskValue:number axis:int p:number?', args) as [Tensor, number, number, number, number | undefined];
  return scope(() => {
    checkAxis('mask_along_axis', specgram, axis, 2);
    const size = specgram.shape[axis]!;
    const param = maskSize('mask_along_axis', maskParam, p, size);
    if (param < 1) return specgram;
    const mask = maskOf(specgram, size, param, []);
    const mask2 = axis + 2 === specgram.ndim ? mask.unsqueeze(-1) : mask;
    return specgram.maskedFill(mask2, maskValue);
  });
}

/**
 * `maskAlongAxis` with a band for each channel of each example, of at least three dimensions.
 *
 * @throws The errors of `maskAlongAxis`.
 *
 * @example
 * const masked = functional.maskAlongAxisIid(ones([2, 8, 16]), 4, 0, 1, 1);
 * masked.shape; // [2, 8, 16]
 */
export function maskAlongAxisIid(specgrams: TensorLike, maskParam: number, maskValue: number, axis: number, p?: number): Tensor;
export function maskAlongAxisIid(specgrams: TensorLike, maskParam: number, maskValue: number, axis: number, options?: { p?: number }): Tensor;
export function maskAlongAxisIid(...args: unknown[]): Tensor {
  const [specgrams, maskParam, maskValue, axis, p = 1] = bind('maskAlongAxisIid specgrams:tensor maskParam:int maskValue:number axis:int p:number?', args) as [Tensor, number, number, number, number | undefined];
  return scope(() => {
    checkAxis('mask_along_axis_iid', specgrams, axis, 3);
    const shape = specgrams.shape;
    const param = maskSize('mask_along_axis_iid', maskParam, p, shape[axis]!);
    if (param < 1) return specgrams;
    const mask = maskOf(specgrams, shape[axis]!, param, shape.slice(0, shape.length - 2));
    const mask2 = axis + 2 === shape.length ? mask.unsqueeze(-1) : mask.unsqueeze(-2);
    return specgrams.maskedFill(mask2, maskValue);
  });
}

/**
 * The lags of pitches down to `freqLow`: the normalized correlation of each frame with the
 * samples that many later, `[batch, frames, lags]`.
 */
function correlations(waveform: Tensor, sampleRate: number, frameTime: number, freqLow: number): Tensor {
  return scope(() => {
    const lags = Math.ceil(sampleRate / freqLow);
    const frame = Math.trunc(Math.ceil(sampleRate * frameTime));
    const frames = Math.ceil(length(waveform) / frame);
    const missing = lags + frames * frame - length(waveform);
    const padded = waveform.pad([0, missing]);
    const parts = padded.unfold(-1, frame + lags, frame).unfold(-1, frame, 1);
    const first = parts.narrow(2, 0, 1);
    const later = parts.narrow(2, 1, lags);
    const products = first.mul(later).sum(-1);
    const firstNorm = first.square().sum(-1).sqrt().add(1e-9).square();
    const laterNorm = later.square().sum(-1).sqrt().add(1e-9).square();
    return products.div(firstNorm).div(laterNorm);
  });
}

/**
 * The pitch of each frame of `frameTime` seconds, in Hz: the lag of the largest normalized
 * correlation, smoothed by the median of `winLength` frames. Shapes: `(..., time)` becomes
 * `(..., frames)`.
 *
 * @throws `argument` for frequencies that are 0 or a window of no frames.
 *
 * @example
 * const waveform = arange(0, 8000).float().mul(0.3).sin();
 * const pitch = functional.detectPitchFrequency(waveform, 8000, 0.01, 30, 85, 3400);
 * pitch.shape; // [85]
 */
export function detectPitchFrequency(waveform: TensorLike, sampleRate: number, frameTime?: number, winLength?: number, freqLow?: number, freqHigh?: number): Tensor;
export function detectPitchFrequency(waveform: TensorLike, sampleRate: number, options?: { frameTime?: number; winLength?: number; freqLow?: number; freqHigh?: number }): Tensor;
export function detectPitchFrequency(...args: unknown[]): Tensor {
  const [waveform, sampleRate, frameTime = 0.01, winLength = 30, freqLow = 85, freqHigh = 3400] = bind('detectPitchFrequency waveform:tensor sampleRate:int frameTime:number? winLength:int? freqLow:int? freqHigh:int?', args) as [Tensor, number, number | undefined, number | undefined, number | undefined, number | undefined];
  return scope(() => {
    const op = 'detect_pitch_frequency';
    checkRank(op, 'waveform', waveform, 1);
    if (sampleRate === 0 || winLength === 0 || freqLow === 0 || freqHigh === 0 || frameTime <= 0) {
      throw failure(
        'argument',
        op,
        'sample_rate, frame_time, win_length and frequencies must be positive',
      );
    }
    const shape = waveform.shape;
    const correlation = correlations(pack(waveform, 1), sampleRate, frameTime, freqLow);
    const lowest = Math.ceil(sampleRate / freqHigh);
    const lags = length(correlation);
    const [best, bestLag] = correlation.narrow(2, lowest, lags - lowest).max(-1);
    const [half, halfLag] = correlation.narrow(2, lowest, Math.trunc(lags / 2) - lowest).max(-1);
    const lag = torch.where(half.gt(best.mul(0.99)), halfLag, bestLag);
    const lag2 = lag.float().add(lowest + 1);
    const before = Math.trunc((winLength - 1) / 2);
    const count = length(lag2);
    const sources: number[] = [];
    for (let index = 0; index < count + before; index++) {
      sources.push(Math.max(index - before, 0));
    }
    const smooth = lag2.indexSelect(-1, indices(sources, lag2)).unfold(-1, winLength, 1);
    const [median] = smooth.median(-1);
    return unpack(median.add(1e-9).reciprocal().mul(sampleRate), shape, 1);
  });
}
