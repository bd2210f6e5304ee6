// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Effects, after SoX. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { lfilter } from '../functional/filtering.js';
import { floatsLike, indices, rand } from '../../../audio/host.js';
import { checkRank, length, pack } from '../shapes.js';

function limit(waveform: Tensor): Tensor {
  return waveform.clamp(-1, 1);
}

/**
 * Waveforms that sound louder, by a curve that bends their samples. `enhancementAmount` is from
 * 0, which still enhances, to 100.
 *
 * @throws `argument` if `enhancementAmount` is not in [0, 100].
 *
 * @example
 * const louder = functional.contrast(full([1], 1, { dtype: 'float32' }), 75);
 * await louder.sum().item(); // 1
 */
export function contrast(waveform: TensorLike, enhancementAmount?: number): Tensor;
export function contrast(waveform: TensorLike, options?: { enhancementAmount?: number }): Tensor;
export function contrast(...args: unknown[]): Tensor {
  const [waveform, enhancementAmount = 75] = bind('contrast waveform:tensor enhancementAmount:number?', args) as [Tensor, number | undefined];
  return scope(() => {
    if (!(enhancementAmount >= 0 && enhancementAmount <= 100)) {
      const message = `enhancement_amount must be between 0 and 100, and is ${enhancementAmount}`;
      throw failure('argument', 'contrast', message);
    }
    const angle2 = waveform.mul(Math.PI / 2);
    const bend = angle2.mul(4).sin().mul(enhancementAmount / 750);
    return angle2.add(bend).sin();
  });
}

/**
 * Waveforms shifted by a constant from -2 to 2, and limited to -1 and 1. With `limiterGain`, much
 * less than 1, peaks near the limit are compressed instead of cut.
 *
 * @throws The errors of the operations on tensors.
 *
 * @example
 * const shifted = functional.dcshift(zeros([4]), 0.25);
 * await shifted.sum().item(); // 1
 */
export function dcshift(waveform: TensorLike, shift: number, limiterGain?: number | null): Tensor;
export function dcshift(waveform: TensorLike, shift: number, options?: { limiterGain?: number | null }): Tensor;
export function dcshift(...args: unknown[]): Tensor {
  const [waveform, shift, limiterGain] = bind('dcshift waveform:tensor shift:number limiterGain:number?', args) as [Tensor, number, number | undefined];
  return scope(() => {
    const moved = limit(waveform.add(shift));
    if (limiterGain === undefined) return moved;
    const threshold = 1 - (Math.abs(shift) - limiterGain);
    const slope = limiterGain / (1 - threshold);
    if (shift > 0) {
      const peak = waveform.sub(threshold).mul(slope).add(threshold + shift).clampMax(threshold);
      return torch.where(waveform.gt(threshold), peak, moved);
    }
    if (shift < 0) {
      const peak = waveform.add(threshold).mul(slope).add(shift - threshold).clampMin(-threshold);
      return torch.where(waveform.lt(-threshold), peak, moved);
    }
    return moved;
  });
}

/**
 * Waveforms amplified by `gainDb` decibels.
 *
 * @throws The errors of the operations on tensors.
 *
 * @example
 * const louder = functional.gain(ones([1]), 20);
 * await louder.sum().item(); // 10
 */
export function gain(waveform: TensorLike, gainDb?: number): Tensor;
export function gain(waveform: TensorLike, options?: { gainDb?: number }): Tensor;
export function gain(...args: unknown[]): Tensor {
  const [waveform, gainDb = 1] = bind('gain waveform:tensor gainDb:number?', args) as [Tensor, number | undefined];
  return waveform.mul(Math.exp(gainDb / 20 * Math.LN10));
}

/** The density of the noise of `dither`. */
export type DensityFunction = 'tpdf' | 'rpdf' | 'gpdf';

/** A random sample of rows `[channels, time]`, as a tensor of one number. */
function randomSample(rows: Tensor): Tensor {
  return scope(() => {
    const count = rows.numel;
    const index = rand([1], rows.float()).mul(count).floor().clampMax(count - 1).int();
    return rows.reshape([-1]).indexSelect(0, index);
  });
}

/**
 * Waveforms `(..., time)` rounded to 16 bits after noise is added, which hides the error of
 * rounding. With `noiseShaping` the error of each sample is added to the next one.
 *
 * @throws `shape` without a dimension of time.
 *
 * @example
 * const noisy = functional.dither(zeros([2, 8]), 'tpdf', false);
 * noisy.shape; // [2, 8]
 */
export function dither(waveform: TensorLike, densityFunction?: DensityFunction, noiseShaping?: boolean): Tensor;
export function dither(waveform: TensorLike, options?: { densityFunction?: DensityFunction; noiseShaping?: boolean }): Tensor;
export function dither(...args: unknown[]): Tensor {
  const [waveform, densityFunction = 'tpdf', noiseShaping = false] = bind('dither waveform:tensor densityFunction:=tpdf|rpdf|gpdf? noiseShaping:bool?', args) as [Tensor, DensityFunction | undefined, boolean | undefined];
  return scope(() => {
    checkRank('dither', 'waveform', waveform, 1);
    const rows = pack(waveform, 1);
    const [up, down] = [32766, 32768];
    const time = length(rows);
    const scaled = rows.mul(up);
    let noisy: Tensor;
    if (densityFunction === 'rpdf') noisy = scaled.add(randomSample(rows).sub(0.5));
    else if (densityFunction === 'gpdf') {
      let noise = randomSample(rows);
      for (let step = 0; step < 6; step++) {
        noise = noise.add(randomSample(rows));
      }
      noisy = scaled.add(noise);
    } else {
      const triangle: number[] = [];
      for (let index = 0; index < time; index++) {
        const part = 2 * index / time;
        triangle.push(1 - Math.abs(part - 1));
      }
      noisy = scaled.add(floatsLike(triangle, rows));
    }
    const rounded = noisy.round().div(down);
    if (!noiseShaping) return rounded.reshapeAs(waveform);
    const error = rounded.sub(rows).narrow(-1, 0, time - 1).pad([1, 0]);
    return rounded.add(error).reshapeAs(waveform);
  });
}

/**
 * Waveforms distorted as by an amplifier: amplified by `gain` decibels, with even harmonics of the
 * amount `colour`, and bent at -1 and 1.
 *
 * @throws `shape` without a dimension of time.
 *
 * @example
 * functional.overdrive(ones([2, 8]), 20, 20).shape; // [2, 8]
 */
export function overdrive(waveform: TensorLike, gain?: number, colour?: number): Tensor;
export function overdrive(waveform: TensorLike, options?: { gain?: number; colour?: number }): Tensor;
export function overdrive(...args: unknown[]): Tensor {
  const [waveform, gain2 = 20, colour = 20] = bind('overdrive waveform:tensor gain:number? colour:number?', args) as [Tensor, number | undefined, number | undefined];
  return scope(() => {
    checkRank('overdrive', 'waveform', waveform, 1);
    const loud = limit(waveform.mul(Math.exp(gain2 / 20 * Math.LN10)).add(colour / 200));
    const bent = loud.sub(loud.pow(3).div(3));
    const a = floatsLike([1, -0.995], waveform);
    const b = floatsLike([1, -1], waveform);
    const centered = lfilter(bent, a, b, false, true);
    return limit(waveform.mul(0.5).add(centered.mul(0.75)));
  });
}

/**
 * The table of a wave of `size` steps between `low` and `high`, that begins at `phase` radians.
 */
function waveTable(isSine: boolean, size: number, low: number, high: number, phase: number): readonly number[] {
  const offset = Math.trunc(Math.floor(phase / Math.PI / 2 * size + 0.5));
  const values: number[] = [];
  for (let index = 0; index < size; index++) {
    const point = (index + offset) % size;
    const part = point / size;
    const quarter = Math.trunc((4 * point) / size);
    let value = 2 * part;
    if (isSine) value = (Math.sin(part * 2 * Math.PI) + 1) / 2;
    else if (quarter === 0) value += 0.5;
    else if (quarter === 3) value -= 1.5;
    else {
      value = 1.5 - value;
    }
    values.push(value * (high - low) + low);
  }
  return values;
}

/**
 * Waveforms with copies of themselves whose delay changes periodically, and which are fed back.
 *
 * Delays are up to `delayMs` milliseconds, `decay` is the part that is fed back, and `modSpeed`
 * the frequency of the change in Hz, along a sine or a triangle.
 *
 * @throws `argument` for a rate, a delay or a speed that is not positive.
 *
 * @example
 * const waveform = full([2, 64], 0.5, { dtype: 'float32' });
 * functional.phaser(waveform, 8000, 0.4, 0.74, 3, 0.4, 0.5, true).shape; // [2, 64]
 */
export function phaser(waveform: TensorLike, sampleRate: number, gainIn?: number, gainOut?: number, delayMs?: number, decay?: number, modSpeed?: number, sinusoidal?: boolean): Tensor;
export function phaser(waveform: TensorLike, sampleRate: number, options?: { gainIn?: number; gainOut?: number; delayMs?: number; decay?: number; modSpeed?: number; sinusoidal?: boolean }): Tensor;
export function phaser(...args: unknown[]): Tensor {
  const [waveform, sampleRate, gainIn = 0.4, gainOut = 0.74, delayMs = 3, decay = 0.4, modSpeed = 0.5, sinusoidal = true] = bind('phaser waveform:tensor sampleRate:int gainIn:number? gainOut:number? delayMs:number? decay:number? modSpeed:number? sinusoidal:bool?', args) as [Tensor, number, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, boolean | undefined];
  return scope(() => {
    checkRank('phaser', 'waveform', waveform, 1);
    const rate = sampleRate;
    const delays = Math.trunc(Math.floor(delayMs * 0.001 * rate + 0.5));
    if (delays === 0 || modSpeed <= 0) {
      const message = `delay_ms must be a sample or more, and mod_speed positive: ${delayMs}, ${modSpeed}`;
      throw failure('argument', 'phaser', message);
    }
    const period = Math.trunc(Math.floor(rate / modSpeed + 0.5));
    const table = waveTable(sinusoidal, period, 1, delays, Math.PI / 2);
    const time = length(waveform);
    const sources = [0];
    for (let index = 0; index < time; index++) {
      const delay = delays - Math.trunc(Math.floor(table[index % period]! + 0.5)) + 1;
      sources.push(Math.max(index + 1 - delay, 0));
    }
    let source = indices(sources, waveform);
    const rows = pack(waveform, 1).mul(gainIn);
    let sums = rows.pad([1, 0]);
    let factor = decay;
    let run = 1;
    while (run < time) {
      sums = sums.add(sums.indexSelect(1, source).mul(factor));
      source = source.indexSelect(0, source);
      factor *= factor;
      run *= 2;
    }
    return limit(sums.narrow(1, 1, time).mul(gainOut)).reshapeAs(waveform);
  });
}

/** The course of the delay of `flanger`. */
export type Modulation = 'sinusoidal' | 'triangular';

/** The value between two samples of `flanger`. */
export type DelayInterpolation = 'linear' | 'quadratic';

/**
 * The delays of each channel and sample: the index of the sample from which three are
 * interpolated, in samples padded by `before`, and the part between them.
 */
function flangerDelays(table: readonly number[], channels: number, time: number, channelPhase: number, before: number): [readonly number[], readonly number[]] {
  const period = table.length;
  const sources: number[] = [];
  const parts: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    const offset = Math.trunc(Math.floor(channel * period * channelPhase + 0.5));
    for (let index = 0; index < time; index++) {
      const delay = table[(index + offset) % period]!;
      const whole = Math.floor(delay);
      sources.push(index + before - Math.trunc(whole));
      parts.push(delay - whole);
    }
  }
  return [sources, parts];
}

/** The samples before each one, interpolated. */
function delayBy(padded: Tensor, source: Tensor, part: Tensor, interpolation: DelayInterpolation): Tensor {
  return scope(() => {
    const first = padded.gather(-1, source);
    const second = padded.gather(-1, source.sub(1)).sub(first);
    if (interpolation === 'linear') return first.add(second.mul(part));
    const third = padded.gather(-1, source.sub(2)).sub(first);
    const a = third.mul(0.5).sub(second);
    const b = second.mul(2).sub(third.mul(0.5));
    return first.add(a.mul(part).add(b).mul(part));
  });
}

/**
 * Waveforms `(..., channels, time)` mixed with a copy whose delay changes periodically.
 *
 * The delay is from `delay` to `delay + depth` milliseconds, `regen` is the percentage that is fed
 * back, `width` the percentage of the copy, `speed` the frequency of the change in Hz, and `phase`
 * the percentage of a period between channels, of which there are up to four.
 *
 * @throws `shape` for more than four channels; `argument` for a `regen` of 100 or more, or a rate or speed
 * that is not positive.
 *
 * @example
 * const waveform = full([2, 64], 0.5, { dtype: 'float32' });
 * const result = functional.flanger(waveform, 8000, 0, 2, 0, 71, 0.5, 25, 'sinusoidal', 'linear');
 * result.shape; // [2, 64]
 */
export function flanger(waveform: TensorLike, sampleRate: number, delay?: number, depth?: number, regen?: number, width?: number, speed?: number, phase?: number, modulation?: Modulation, interpolation?: DelayInterpolation): Tensor;
export function flanger(waveform: TensorLike, sampleRate: number, options?: { delay?: number; depth?: number; regen?: number; width?: number; speed?: number; phase?: number; modulation?: Modulation; interpolation?: DelayInterpolation }): Tensor;
export function flanger(...args: unknown[]): Tensor {
  const [waveform, sampleRate, delay = 0, depth = 2, regen = 0, width = 71, speed2 = 0.5, phase = 25, modulation = 'sinusoidal', interpolation = 'linear'] = bind('flanger waveform:tensor sampleRate:int delay:number? depth:number? regen:number? width:number? speed:number? phase:number? modulation:=sinusoidal|triangular? interpolation:=linear|quadratic?', args) as [Tensor, number, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, Modulation | undefined, DelayInterpolation | undefined];
  return scope(() => {
    const op = 'flanger';
    checkRank(op, 'waveform', waveform, 2);
    const channels = waveform.shape[waveform.ndim - 2]!;
    if (channels > 4) {
      throw failure('shape', op, `waveform has ${channels} channels, and takes up to 4`);
    }
    if (sampleRate === 0 || speed2 <= 0 || Math.abs(regen) >= 100) {
      const message = `speed must be positive, and regen between -100 and 100: ${speed2}, ${regen}`;
      throw failure('argument', op, message);
    }
    const rate = sampleRate;
    const feedback = regen / 100;
    const mix2 = width / 100;
    const delays = Math.trunc(Math.floor((delay / 1000 + depth / 1000) * rate + 0.5)) + 2;
    const lowest = Math.floor(delay / 1000 * rate + 0.5);
    const period = Math.trunc(Math.floor(rate / speed2));
    const isSine = modulation === 'sinusoidal';
    const table = waveTable(isSine, period, lowest, delays - 2, 3 * Math.PI / 2);
    const time = length(waveform);
    const [sources, parts] = flangerDelays(table, channels, time, phase / 100, delays);
    const packed = pack(waveform, 2);
    const batch = packed.shape[0]!;
    const sizes: [number, number, number] = [1, channels, time];
    const source = indices(sources, waveform).reshape(sizes).expand([batch, channels, time]);
    const part = floatsLike(parts, waveform).reshape(sizes);
    const before = delays;
    let copy = delayBy(packed.pad([before, 0]), source, part, interpolation);
    if (feedback !== 0) {
      const rounds = Math.trunc(Math.min(Math.ceil(Math.log(1e-8)
        / Math.log(Math.abs(feedback))), time));
      for (let step = 0; step < rounds; step++) {
        const fed = copy.narrow(-1, 0, time - 1).pad([1, 0]);
        const input = packed.add(fed.mul(feedback)).pad([before, 0]);
        copy = delayBy(input, source, part, interpolation);
      }
    }
    const partOfCopy = mix2 / (1 + mix2) * (1 - Math.abs(feedback));
    return limit(packed.div(1 + mix2).add(copy.mul(partOfCopy))).reshapeAs(waveform);
  });
}
