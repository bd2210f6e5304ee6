// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Voice activity. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as fft from '../../fft.js';
import { magnitude, squaredMagnitude } from '../complex.js';
import { floatsLike, floatsOf } from '../../../audio/host.js';
import { length, pack } from '../shapes.js';

/** The measures of `vad`: the sizes that its times and frequencies give at a rate. */
export class Detector {
  /** @internal */
  readonly triggerLevel!: number;
  /** @internal */
  readonly window!: number;
  /** @internal */
  readonly period!: number;
  /** @internal */
  readonly searched!: number;
  /** @internal */
  readonly gap!: number;
  /** @internal */
  readonly preTrigger!: number;
  /** @internal */
  readonly dft!: number;
  /** @internal */
  readonly spectrumStart!: number;
  /** @internal */
  readonly spectrumEnd!: number;
  /** @internal */
  readonly cepstrumStart!: number;
  /** @internal */
  readonly cepstrumEnd!: number;
  /** @internal */
  readonly noiseUp!: number;
  /** @internal */
  readonly noiseDown!: number;
  /** @internal */
  readonly noiseReduction!: number;
  /** @internal */
  readonly smooth!: number;
  /** @internal */
  readonly trigger!: number;
  /** @internal */
  readonly bootCount!: number;
}

/** The factor by which a value decays from one measurement to the next. */
function decay(time: number, measureFreq: number): number {
  return Math.exp(-1 / (time * measureFreq));
}

/** Hann's window, scaled so that measurements do not depend on the length. */
function scaledWindow(size: number, like: Tensor): Tensor {
  return scope(() => {
    const values: number[] = [];
    for (let index = 0; index < size; index++) {
      const angle2 = 2 * Math.PI * index / size;
      values.push((1 - Math.cos(angle2)) / Math.sqrt(size));
    }
    return floatsLike(values, like);
  });
}

/** The smoothed spectra of one channel without their noise, row by row, of its spectra. */
function denoise(spectra: readonly number[], rows: number, detector: Detector): readonly number[] {
  const bins = detector.spectrumEnd - detector.spectrumStart;
  const spectrum = Array.from({ length: bins }, () => 0);
  const noise = Array.from({ length: bins }, () => 0);
  const clean: number[] = [];
  let boot = 0;
  for (let row = 0; row < rows; row++) {
    const keep = boot >= 0 ? boot / (1 + boot) : detector.smooth;
    for (let bin = 0; bin < bins; bin++) {
      const level = spectrum[bin]! * keep + spectra[row * bins + bin]! * (1 - keep);
      spectrum[bin]! = level;
      const power = level * level;
      const change = power > noise[bin]! ? detector.noiseUp : detector.noiseDown;
      const factor = boot >= 0 ? 0 : change;
      noise[bin]! = noise[bin]! * factor + power * (1 - factor);
      clean.push(Math.sqrt(Math.max(power - detector.noiseReduction * noise[bin]!, 0)));
    }
    if (boot >= 0) {
      if (boot === detector.bootCount) boot = -1;
      else {
        boot = boot + 1;
      }
    }
  }
  return clean;
}

/** The measurements that are kept before the last of a ring of them. */
function measuresToKeep(ring: readonly number[], last: number, detector: Detector): number {
  const n = detector.searched;
  let at = last;
  let trigger = n;
  let zero = n;
  let step = 0;
  for (let index = 0; index < n; index++) {
    step = index;
    if (ring[at]! >= detector.triggerLevel && index <= trigger + detector.gap) {
      trigger = index;
      zero = index;
    } else if (ring[at]! === 0 && trigger >= zero) zero = index;
    at = (at + n - 1) % n;
  }
  return Math.min(step, zero);
}

/**
 * The first sample that is kept, for measurements `[channels][rows]`, or none without a voice.
 */
function firstSample(measures: readonly number[], channels: number, rows: number, detector: Detector): number | undefined {
  const n = detector.searched;
  const rings = Array.from({ length: channels * n }, () => 0);
  const means = Array.from({ length: channels }, () => 0);
  let kept = 0;
  let isTriggered = false;
  const samples = detector.preTrigger + n * detector.period + detector.window;
  for (let row = 0; row < rows; row++) {
    const slot = row % n;
    for (let channel = 0; channel < channels; channel++) {
      const measure2 = measures[channel * rows + row]!;
      rings[channel * n + slot]! = measure2;
      means[channel]! = means[channel]! * detector.trigger + measure2 * (1 - detector.trigger);
      isTriggered = isTriggered || means[channel]! >= detector.triggerLevel;
      if (isTriggered) {
        const ring = rings.slice(channel * n, (channel + 1) * n);
        kept = Math.min(Math.max(kept, measuresToKeep(ring, slot, detector)), n);
      }
    }
    if (isTriggered) {
      const position = detector.window + row * detector.period + (n - kept) * detector.period;
      return Math.max(position - samples, 0);
    }
  }
  return undefined;
}

/** The measurements of each channel: the logarithms of the cepstra's powers. */
async function measure(rows: Tensor, detector: Detector): Promise<readonly number[]> {
  const shape = rows.shape;
  const [channels, count] = [shape[0]!, shape[1]!];
  const window = scaledWindow(detector.window, rows);
  const spectra = magnitude(fft.rfft(rows.mul(window), detector.dft, -1));
  const bins = detector.spectrumEnd - detector.spectrumStart;
  const spectra2 = spectra.narrow(-1, detector.spectrumStart, bins);
  const spectra3 = await floatsOf(spectra2);
  const clean: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    const own = spectra3.slice(channel * count * bins, (channel + 1) * count * bins);
    for (const value of denoise(own, count, detector)) {
      clean.push(value);
    }
  }
  const clean2 = floatsLike(clean, rows).reshape([channels, count, bins]);
  const clean3 = clean2.mul(scaledWindow(bins, rows));
  const half = Math.trunc(detector.dft / 2);
  const ends: [number, number] = [detector.spectrumStart, half - detector.spectrumEnd];
  const cepstra = fft.rfft(clean3.pad(ends), undefined, -1);
  const wide = detector.cepstrumEnd - detector.cepstrumStart;
  const power = squaredMagnitude(cepstra).narrow(-1, detector.cepstrumStart, wide);
  const power2 = await floatsOf(power.sum(-1));
  const measures: number[] = [];
  for (let index = 0; index < power2.length; index++) {
    const value = power2[index]!;
    measures.push(value > 0 ? Math.max(21 + Math.log(value / wide), 0) : 0);
  }
  return measures;
}

/**
 * Recordings `(channels, time)` or `(time)` without what precedes a voice in any of the channels.
 * Without a voice nothing is left but the time before a trigger. To trim the end, flip the time
 * before and after.
 *
 * Measurements of the cepstrum are taken `measureFreq` times a second, each of
 * `measureDuration`, twice that period by default. A voice begins when their mean over
 * `triggerTime` reaches `triggerLevel`; the result begins up to `searchTime` before, where gaps
 * are at most `allowedGap`, and `preTriggerTime` earlier. The noise is estimated for
 * `bootTime`, and follows the level within `noiseUpTime` and `noiseDownTime`. Frequencies
 * between `hpFilterFreq` and `lpFilterFreq`, and pitches between `hpLifterFreq` and
 * `lpLifterFreq`, count. Times are seconds, frequencies Hz.
 *
 * Source: SoX, the effect `vad`.
 *
 * @throws `shape` for other than one or two dimensions; `argument` for a rate or frequencies that leave
 * nothing to measure.
 *
 * @example
 * const silence = zeros([1, 16000]);
 * const voice = await functional.vad(
 *   silence,
 *   16000,
 *   7,
 *   0.25,
 *   1,
 *   0.25,
 *   0,
 *   0.35,
 *   0.1,
 *   0.01,
 *   1.35,
 *   20,
 *   undefined,
 *   0.4,
 *   50,
 *   6000,
 *   150,
 *   2000,
 * );
 * voice.shape; // [1, 0]
 */
export function vad(waveform: TensorLike, sampleRate: number, triggerLevel?: number, triggerTime?: number, searchTime?: number, allowedGap?: number, preTriggerTime?: number, bootTime?: number, noiseUpTime?: number, noiseDownTime?: number, noiseReductionAmount?: number, measureFreq?: number, measureDuration?: number | null, measureSmoothTime?: number, hpFilterFreq?: number, lpFilterFreq?: number, hpLifterFreq?: number, lpLifterFreq?: number): Promise<Tensor>;
export function vad(waveform: TensorLike, sampleRate: number, options?: { triggerLevel?: number; triggerTime?: number; searchTime?: number; allowedGap?: number; preTriggerTime?: number; bootTime?: number; noiseUpTime?: number; noiseDownTime?: number; noiseReductionAmount?: number; measureFreq?: number; measureDuration?: number | null; measureSmoothTime?: number; hpFilterFreq?: number; lpFilterFreq?: number; hpLifterFreq?: number; lpLifterFreq?: number }): Promise<Tensor>;
export async function vad(...args: unknown[]): Promise<Tensor> {
  const [waveform, sampleRate, triggerLevel = 7, triggerTime = 0.25, searchTime = 1, allowedGap = 0.25, preTriggerTime = 0, bootTime = 0.35, noiseUpTime = 0.1, noiseDownTime = 0.01, noiseReductionAmount = 1.35, measureFreq = 20, measureDuration, measureSmoothTime = 0.4, hpFilterFreq = 50, lpFilterFreq = 6000, hpLifterFreq = 150, lpLifterFreq = 2000] = bind('vad waveform:tensor sampleRate:int triggerLevel:number? triggerTime:number? searchTime:number? allowedGap:number? preTriggerTime:number? bootTime:number? noiseUpTime:number? noiseDownTime:number? noiseReductionAmount:number? measureFreq:number? measureDuration:number? measureSmoothTime:number? hpFilterFreq:number? lpFilterFreq:number? hpLifterFreq:number? lpLifterFreq:number?', args) as [Tensor, number, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined];
  const shape = waveform.shape;
  if (shape.length === 0 || shape.length > 2) {
    const message = `waveform has shape [${shape.join(', ')}], and takes (time) or (channels, time)`;
    throw failure('shape', 'vad', message);
  }
  const rate = sampleRate;
  const duration = measureDuration ?? 2 / measureFreq;
  const window = Math.trunc(Math.floor(rate * duration + 0.5));
  let dft = 16;
  while (dft < window) {
    dft *= 2;
  }
  const size = dft;
  const spectrumStart = Math.max(Math.trunc(Math.floor(hpFilterFreq / rate * size + 0.5)), 1);
  const spectrumEnd = Math.min(Math.trunc(Math.floor(lpFilterFreq / rate * size
    + 0.5)), Math.trunc(dft / 2));
  const cepstrumStart = Math.trunc(Math.ceil(rate * 0.5 / lpLifterFreq));
  const cepstrumEnd = Math.min(Math.trunc(Math.floor(rate * 0.5
    / hpLifterFreq)), Math.trunc(dft / 4));
  const searched = Math.trunc(Math.ceil(searchTime * measureFreq));
  const period = Math.trunc(Math.floor(rate / measureFreq + 0.5));
  if (cepstrumEnd <= cepstrumStart || spectrumEnd <= spectrumStart) {
    const message = 'the frequencies of the filter or of the lifter leave nothing to measure at this rate';
    throw failure('argument', 'vad', message);
  }
  if (window === 0 || period === 0 || searched === 0) {
    throw failure(
      'argument',
      'vad',
      'measure_freq, measure_duration and search_time must be positive',
    );
  }
  const detector = make(
    Detector,
    {
      triggerLevel,
      window,
      period,
      searched,
      gap: Math.trunc(Math.floor(allowedGap * measureFreq + 0.5)),
      preTrigger: Math.trunc(Math.floor(preTriggerTime * rate + 0.5)),
      dft,
      spectrumStart,
      spectrumEnd,
      cepstrumStart,
      cepstrumEnd,
      noiseUp: decay(noiseUpTime, measureFreq),
      noiseDown: decay(noiseDownTime, measureFreq),
      noiseReduction: noiseReductionAmount,
      smooth: decay(measureSmoothTime, measureFreq),
      trigger: decay(triggerTime, measureFreq),
      bootCount: Math.trunc(Math.floor(bootTime * measureFreq - 0.5)),
    },
  );
  const time = length(waveform);
  let start: number | undefined = undefined;
  if (time > window) {
    const rows = pack(waveform, 1).narrow(1, 0, time - 1).unfold(-1, window, period);
    const measures = await measure(rows, detector);
    start = firstSample(measures, rows.shape[0]!, rows.shape[1]!, detector);
  }
  if (start !== undefined) return waveform.narrow(-1, start, time - start);
  return waveform.narrow(-1, 0, Math.min(detector.preTrigger, time));
}
