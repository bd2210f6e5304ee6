// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Spectrograms and their inverses. */
import { bind, failure, mapValue } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { checkPairs, magnitude, scale, squaredMagnitude } from '../complex.js';
import { istft, phases, stft, unit, type SpectrogramNorm } from '../functional/frames.js';
import { floatsLike, rand } from '../../../audio/host.js';
import { checkRank, pack, unpack } from '../shapes.js';

/**
 * The spectrogram of waveforms `(..., time)`: the transforms of windowed frames, `(..., freq,
 * frames)`, where `freq` is `n_fft / 2 + 1`, or `n_fft` if not `onesided`.
 *
 * The values are absolute values to the `power`: 1 for magnitudes, 2 for powers. Without `power`
 * they are complex, as pairs in a further dimension of size 2. `pad` zeros are put at both ends.
 * With `center`, the frame `t` is around the sample `t * hop_length`, and `padMode` pads the
 * waveform by `n_fft / 2`.
 *
 * @throws `argument` for sizes that are 0 or a `winLength` over `nFft`; `shape` if the window has
 * another length or the waveform is too short.
 *
 * @example
 * const waveform = ones([1, 64]);
 * const window = hannWindow(16);
 * const power = functional.spectrogram(
 *   waveform,
 *   0,
 *   window,
 *   16,
 *   8,
 *   16,
 *   2,
 *   'none',
 *   true,
 *   'reflect',
 *   true,
 * );
 * power.shape; // [1, 9, 9]
 */
export function spectrogram(waveform: TensorLike, pad: number, window: TensorLike, nFft: number, hopLength: number, winLength: number, power?: number | null, normalized?: SpectrogramNorm, center?: boolean, padMode?: 'circular' | 'constant' | 'reflect' | 'replicate', onesided?: boolean): Tensor;
export function spectrogram(waveform: TensorLike, pad: number, window: TensorLike, nFft: number, hopLength: number, winLength: number, options?: { power?: number | null; normalized?: SpectrogramNorm; center?: boolean; padMode?: 'circular' | 'constant' | 'reflect' | 'replicate'; onesided?: boolean }): Tensor;
export function spectrogram(...args: unknown[]): Tensor {
  const [waveform, pad, window, nFft, hopLength, winLength, power, normalized = 'none', center = true, padMode = 'reflect', onesided = true] = bind('spectrogram waveform:tensor pad:int window:tensor nFft:int hopLength:int winLength:int power:number? normalized:=none|window|frame_length? center:bool? padMode:=circular|constant|reflect|replicate? onesided:bool?', args) as [Tensor, number, Tensor, number, number, number, number | undefined, SpectrogramNorm | undefined, boolean | undefined, 'circular' | 'constant' | 'reflect' | 'replicate' | undefined, boolean | undefined];
  return scope(() => {
    checkRank('spectrogram', 'waveform', waveform, 1);
    const shape = waveform.shape;
    const packed = pack(waveform, 1).pad([pad, pad]);
    const byLength = normalized === 'frame_length';
    const complex = stft(
      'spectrogram',
      packed,
      window,
      nFft,
      hopLength,
      winLength,
      center,
      padMode,
      byLength,
      onesided,
    );
    let complex2 = unpack(complex, shape, 1);
    if (normalized === 'window') complex2 = complex2.div(window.square().sum().sqrt());
    if (power === undefined) return complex2;
    if (power === 2) return squaredMagnitude(complex2);
    const size = magnitude(complex2);
    if (power === 1) return size;
    return size.pow(power);
  });
}

/**
 * The waveforms `(..., time)` of complex spectrograms, pairs `(..., freq, frames, 2)`, by least
 * squares.
 *
 * Without `length`, the result has the samples between the centers of the first and the last
 * frame. `pad` is the padding of `spectrogram`, which is removed if `length` is given.
 * `padMode` is there for the signature of `spectrogram`. Samples that no window covers are 0,
 * where PyTorch throws an error.
 *
 * @throws The errors of `spectrogram`; `shape` if the last dimension is not 2, or `nFft` has another
 * number of bins.
 *
 * @example
 * const window = hannWindow(16);
 * const complex = ones([9, 9, 2]);
 * const waveform = functional.inverseSpectrogram(
 *   complex,
 *   64,
 *   0,
 *   window,
 *   16,
 *   8,
 *   16,
 *   'none',
 *   true,
 *   'reflect',
 *   true,
 * );
 * waveform.shape; // [64]
 */
export function inverseSpectrogram(spectrogram: TensorLike, length: undefined | number | null, pad: number, window: TensorLike, nFft: number, hopLength: number, winLength: number, normalized?: SpectrogramNorm, center?: boolean, padMode?: 'circular' | 'constant' | 'reflect' | 'replicate', onesided?: boolean): Tensor;
export function inverseSpectrogram(spectrogram: TensorLike, pad: number, window: TensorLike, nFft: number, hopLength: number, winLength: number, options?: { length?: number | null; normalized?: SpectrogramNorm; center?: boolean; padMode?: 'circular' | 'constant' | 'reflect' | 'replicate'; onesided?: boolean }): Tensor;
export function inverseSpectrogram(...args: unknown[]): Tensor {
  const [spectrogram2, length2, pad, window, nFft, hopLength, winLength, normalized = 'none', center = true, _padMode = 'reflect', onesided = true] = bind('inverseSpectrogram spectrogram:tensor length:int? pad:int window:tensor nFft:int hopLength:int winLength:int normalized:=none|window|frame_length? center:bool? padMode:=circular|constant|reflect|replicate? onesided:bool?', args) as [Tensor, number | undefined, number, Tensor, number, number, number, SpectrogramNorm | undefined, boolean | undefined, 'circular' | 'constant' | 'reflect' | 'replicate' | undefined, boolean | undefined];
  return scope(() => {
    checkPairs('inverse_spectrogram', 'spectrogram', spectrogram2);
    const shape = spectrogram2.shape;
    let packed = pack(spectrogram2, 3);
    if (normalized === 'window') packed = packed.mul(window.square().sum().sqrt());
    const padded = mapValue(length2, (count) => count + 2 * pad);
    const byLength = normalized === 'frame_length';
    const op = 'inverse_spectrogram';
    let waveform = istft(
      op,
      packed,
      window,
      nFft,
      hopLength,
      winLength,
      center,
      byLength,
      onesided,
      padded,
    );
    if (length2 !== undefined) waveform = waveform.narrow(1, pad, length2);
    return unpack(waveform, shape, 3);
  });
}

/**
 * Waveforms whose spectrograms have the magnitudes of `specgram: (..., freq, frames)`, by the fast
 * Griffin-Lim iteration.
 *
 * `power` is the exponent of the magnitudes. `momentum` is from 0, the original iteration, up to
 * 1, which is excluded. The phases start at random with `randInit`, else at 0.
 *
 * Source: Perraudin, Balazs and Søndergaard, "A Fast Griffin-Lim Algorithm", 2013.
 *
 * @throws `argument` if `momentum` is not in [0, 1); the errors of `spectrogram`.
 *
 * @example
 * const window = hannWindow(16);
 * const power = ones([9, 9]);
 * const waveform = functional.griffinlim(power, window, 16, 8, 16, 2, 4, 0.99, 64, false);
 * waveform.shape; // [64]
 */
export function griffinlim(specgram: TensorLike, window: TensorLike, nFft: number, hopLength: number, winLength: number, power: number, nIter: number, momentum: number, length: undefined | number | null, randInit: boolean): Tensor;
export function griffinlim(specgram: TensorLike, window: TensorLike, nFft: number, hopLength: number, winLength: number, power: number, nIter: number, momentum: number, randInit: boolean, options?: { length?: number | null }): Tensor;
export function griffinlim(...args: unknown[]): Tensor {
  const [specgram, window, nFft, hopLength, winLength, power, nIter, momentum, length2, randInit] = bind('griffinlim specgram:tensor window:tensor nFft:int hopLength:int winLength:int power:number nIter:int momentum:number length:int? randInit:bool', args) as [Tensor, Tensor, number, number, number, number, number, number, number | undefined, boolean];
  return scope(() => {
    const op = 'griffinlim';
    checkRank(op, 'specgram', specgram, 2);
    if (!(momentum >= 0 && momentum < 1)) {
      throw failure('argument', op, `momentum must be in [0, 1), and is ${momentum}`);
    }
    const momentum2 = momentum / (1 + momentum);
    const shape = specgram.shape;
    const size = pack(specgram, 2).pow(1 / power);
    const sizes = size.shape;
    let angles = unit(sizes, size);
    if (randInit) {
      const pairs = [...sizes];
      pairs.push(2);
      angles = rand(pairs, size);
    }
    let previous = angles.zerosLike();
    for (let step = 0; step < nIter; step++) {
      const inverse = istft(
        op,
        scale(angles, size),
        window,
        nFft,
        hopLength,
        winLength,
        true,
        false,
        true,
        length2,
      );
      const rebuilt = stft(
        op,
        inverse,
        window,
        nFft,
        hopLength,
        winLength,
        true,
        'reflect',
        false,
        true,
      );
      angles = phases(rebuilt.sub(previous.mul(momentum2)));
      previous = rebuilt;
    }
    const waveform = istft(
      op,
      scale(angles, size),
      window,
      nFft,
      hopLength,
      winLength,
      true,
      false,
      true,
      length2,
    );
    return unpack(waveform, shape, 2);
  });
}

/**
 * The spectral centroid of each frame, in Hz: the mean of the frequencies, weighted by their
 * magnitudes. Shapes: `(..., time)` becomes `(..., frames)`.
 *
 * @throws The errors of `spectrogram`.
 *
 * @example
 * const window = hannWindow(16);
 * const centroid = functional.spectralCentroid(ones([2, 64]), 16000, 0, window, 16, 8, 16);
 * centroid.shape; // [2, 9]
 */
export function spectralCentroid(waveform: TensorLike, sampleRate: number, pad: number, window: TensorLike, nFft: number, hopLength: number, winLength: number): Tensor;
export function spectralCentroid(...args: unknown[]): Tensor {
  const [waveform, sampleRate, pad, window, nFft, hopLength, winLength] = bind('spectralCentroid waveform:tensor sampleRate:int pad:int window:tensor nFft:int hopLength:int winLength:int', args) as [Tensor, number, number, Tensor, number, number, number];
  return scope(() => {
    const none = 'none';
    const size = spectrogram(
      waveform,
      pad,
      window,
      nFft,
      hopLength,
      winLength,
      1,
      none,
      true,
      'reflect',
      true,
    );
    const bins = Math.trunc(nFft / 2) + 1;
    const frequencies: number[] = [];
    for (let bin = 0; bin < bins; bin++) {
      frequencies.push(Math.trunc(sampleRate / 2) * bin / Math.max(Math.trunc(nFft / 2), 1));
    }
    const frequencies2 = floatsLike(frequencies, size).unsqueeze(1);
    return frequencies2.mul(size).sum(-2).div(size.sum(-2));
  });
}
