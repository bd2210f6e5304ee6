// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Time and pitch. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { angle, checkPairs, magnitude, polar } from '../complex.js';
import { istft, stft, windowOf } from '../functional/frames.js';
import { resample } from '../functional/resampling.js';
import { floatsLike, indices } from '../../../audio/host.js';
import { checkRank, gcd, length, pack, unpack } from '../shapes.js';

/**
 * Complex spectrograms, pairs `(..., freq, frames, 2)`, that are played `rate` times as fast at
 * the same pitch: `ceil(frames / rate)` frames. `phase_advance: (freq, 1)` is the advance of the
 * phase that each bin has in a hop.
 *
 * Source: Flanagan and Golden, "Phase Vocoder", 1966.
 *
 * @throws `shape` if the last dimension is not 2; `argument` if `rate` is not positive.
 *
 * @example
 * const advance = linspace(0, 25, 9, { dtype: 'float32' }).unsqueeze(1);
 * const faster = functional.phaseVocoder(ones([9, 12, 2]), 2, advance);
 * faster.shape; // [9, 6, 2]
 */
export function phaseVocoder(complexSpecgrams: TensorLike, rate: number, phaseAdvance: TensorLike): Tensor;
export function phaseVocoder(...args: unknown[]): Tensor {
  const [complexSpecgrams, rate, phaseAdvance2] = bind('phaseVocoder complexSpecgrams:tensor rate:number phaseAdvance:tensor', args) as [Tensor, number, Tensor];
  return scope(() => {
    const op = 'phase_vocoder';
    checkPairs(op, 'complex_specgrams', complexSpecgrams);
    if (rate <= 0) throw failure('argument', op, `rate must be positive, and is ${rate}`);
    if (rate === 1) return complexSpecgrams;
    const shape = complexSpecgrams.shape;
    const z = pack(complexSpecgrams, 3);
    const count = Math.trunc(Math.ceil(z.shape[2]! / rate));
    const steps: number[] = [];
    const nextSteps: number[] = [];
    const parts: number[] = [];
    for (let index = 0; index < count; index++) {
      const time = index * rate;
      steps.push(Math.trunc(Math.floor(time)));
      nextSteps.push(Math.trunc(Math.floor(time)) + 1);
      parts.push(time - Math.floor(time));
    }
    const padded = z.pad([0, 0, 0, 2]);
    const current = padded.indexSelect(2, indices(steps, z));
    const next = padded.indexSelect(2, indices(nextSteps, z));
    const turn = angle(next).sub(angle(current)).sub(phaseAdvance2);
    const turn2 = turn.sub(turn.div(2 * Math.PI).round().mul(2 * Math.PI)).add(phaseAdvance2);
    const first = angle(z.narrow(2, 0, 1));
    const turns = torch.cat([first, turn2.narrow(2, 0, count - 1)], 2);
    const part = floatsLike(parts, z);
    const size = part.mul(magnitude(next)).add(part.rsub(1).mul(magnitude(current)));
    return unpack(polar(size, turns.cumsum(2)), shape, 3);
  });
}

/** The advance of the phase of each of `bins` in a hop, `(bins, 1)`. */
export function phaseAdvance(hopLength: number, bins: number): readonly number[] {
  const values: number[] = [];
  for (let bin = 0; bin < bins; bin++) {
    values.push(Math.PI * hopLength * bin / Math.max(bins - 1, 1));
  }
  return values;
}

/**
 * Waveforms `(..., time)` whose pitch is `nSteps` steps higher, of which an octave has
 * `binsPerOctave`. The length does not change.
 *
 * Frames have `nFft` samples, `hopLength` is a quarter of that by default, and `window` Hann's.
 *
 * @throws `argument` for a rate or a number of bins that is 0; `shape` for a waveform that is too short.
 *
 * @example
 * const higher = functional.pitchShift(ones([2, 256]), 8000, 4, 12, 64);
 * higher.shape; // [2, 256]
 */
export function pitchShift(waveform: TensorLike, sampleRate: number, nSteps: number, binsPerOctave?: number, nFft?: number, winLength?: number | null, hopLength?: number | null, window?: TensorLike | null): Tensor;
export function pitchShift(waveform: TensorLike, sampleRate: number, nSteps: number, options?: { binsPerOctave?: number; nFft?: number; winLength?: number | null; hopLength?: number | null; window?: TensorLike | null }): Tensor;
export function pitchShift(...args: unknown[]): Tensor {
  const [waveform, sampleRate, nSteps, binsPerOctave = 12, nFft = 512, winLength, hopLength, window] = bind('pitchShift waveform:tensor sampleRate:int nSteps:number binsPerOctave:int? nFft:int? winLength:int? hopLength:int? window:tensor?', args) as [Tensor, number, number, number | undefined, number | undefined, number | undefined, number | undefined, Tensor | undefined];
  return scope(() => {
    const op = 'pitch_shift';
    checkRank(op, 'waveform', waveform, 1);
    if (sampleRate === 0 || binsPerOctave === 0) {
      const message = `sample_rate and bins_per_octave must be positive: ${sampleRate}, ${binsPerOctave}`;
      throw failure('argument', op, message);
    }
    const hop = hopLength ?? Math.trunc(nFft / 4);
    const size = winLength ?? nFft;
    let shapeOfWindow: Tensor;
    if (window !== undefined) shapeOfWindow = window;
    else {
      shapeOfWindow = windowOf(undefined, size);
    }
    const time = length(waveform);
    const base = 2;
    const rate = Math.pow(base, -nSteps / binsPerOctave);
    const packed = pack(waveform, 1);
    const complex = stft(op, packed, shapeOfWindow, nFft, hop, size, true, 'reflect', false, true);
    const bins = Math.trunc(nFft / 2) + 1;
    const advance = floatsLike(phaseAdvance(hop, bins), waveform).unsqueeze(1);
    const stretched = phaseVocoder(complex, rate, advance);
    const wanted = Math.trunc(Math.floor(time / rate + 0.5));
    const slow = istft(op, stretched, shapeOfWindow, nFft, hop, size, true, false, true, wanted);
    const sourceRate = Math.trunc(sampleRate / rate);
    const shifted = resample(slow, sourceRate, sampleRate, 6, 0.99, 'sinc_interp_hann');
    const found = length(shifted);
    const fixed = found > time ? shifted.narrow(1, 0, time) : shifted.pad([0, time - found]);
    return fixed.reshapeAs(waveform);
  });
}

/** The rates between which `speed` resamples. */
export function speedRates(op: string, origFreq: number, factor: number): [number, number] {
  const source = Math.trunc(factor * origFreq);
  if (source === 0) {
    throw failure('argument', op, `factor and orig_freq must be positive: ${factor}, ${origFreq}`);
  }
  const common = gcd(source, origFreq);
  return [Math.trunc(source / common), Math.trunc(origFreq / common)];
}

/** The lengths of waveforms at another speed. */
export function speedLengths(lengths: Tensor, source: number, target: number): Tensor {
  return scope(() => lengths.float().mul(target).div(source).ceil().to(lengths.dtype));
}

/**
 * Waveforms `(..., time)` that are played `factor` times as fast, with their pitch, and the new
 * lengths of those that have `lengths`.
 *
 * @throws `argument` if `factor` or `origFreq` is not positive.
 *
 * @example
 * const [faster] = functional.speed(ones([2, 160]), 16000, 2);
 * faster.shape; // [2, 80]
 */
export function speed(waveform: TensorLike, origFreq: number, factor: number, lengths?: TensorLike | null): [Tensor, Tensor | undefined];
export function speed(waveform: TensorLike, origFreq: number, factor: number, options?: { lengths?: TensorLike | null }): [Tensor, Tensor | undefined];
export function speed(...args: unknown[]): [Tensor, Tensor | undefined] {
  const [waveform, origFreq, factor, lengths] = bind('speed waveform:tensor origFreq:int factor:number lengths:tensor?', args) as [Tensor, number, number, Tensor | undefined];
  return scope(() => {
    const [source, target] = speedRates('speed', origFreq, factor);
    const faster = resample(waveform, source, target, 6, 0.99, 'sinc_interp_hann');
    if (lengths !== undefined) return [faster, speedLengths(lengths, source, target)];
    return [faster, undefined];
  });
}
