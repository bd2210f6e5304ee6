// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Convolutions and mixtures of waveforms. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as fft from '../../fft.js';
import { multiply } from '../complex.js';
import { arange } from '../../../audio/host.js';
import { checkRank, length } from '../shapes.js';

/** The part of a convolution. */
export type ConvolveMode = 'full' | 'valid' | 'same';

/** The leading dimensions to which two shapes broadcast. */
function leading(op: string, x: Tensor, y: Tensor): readonly number[] {
  const [a, b] = [x.shape, y.shape];
  if (a.length !== b.length || a.length === 0) {
    throw failure(
      'shape',
      op,
      `x and y must have as many dimensions, and have shapes [${a.join(', ')}] and [${b.join(', ')}]`,
    );
  }
  const shape: number[] = [];
  for (let index = 0; index < a.length - 1; index++) {
    if (a[index]! !== b[index]! && a[index]! !== 1 && b[index]! !== 1) {
      throw failure(
        'shape',
        op,
        `the leading dimensions of [${a.join(', ')}] and [${b.join(', ')}] do not broadcast`,
      );
    }
    shape.push(a[index]! === 1 ? b[index]! : a[index]!);
  }
  return shape;
}

function partOf(result: Tensor, xLength: number, yLength: number, mode: ConvolveMode): Tensor {
  let wanted: number;
  if (mode === 'full') return result;
  else if (mode === 'valid') wanted = Math.max(xLength, yLength) - Math.min(xLength, yLength) + 1;
  else {
    wanted = xLength;
  }
  return result.narrow(-1, Math.trunc((length(result) - wanted) / 2), wanted);
}

/**
 * The convolution of `x` and `y` along the last dimension, by the Fourier transform.
 *
 * @throws `shape` if the operands have different numbers of dimensions, or the leading ones do not
 * broadcast.
 *
 * @example
 * const [x, y] = [ones([2, 8]), ones([2, 3])];
 * functional.fftconvolve(x, y, 'full').shape; // [2, 10]
 */
export function fftconvolve(x: TensorLike, y: TensorLike, mode?: ConvolveMode): Tensor;
export function fftconvolve(x: TensorLike, y: TensorLike, options?: { mode?: ConvolveMode }): Tensor;
export function fftconvolve(...args: unknown[]): Tensor {
  const [x, y, mode = 'full'] = bind('fftconvolve x:tensor y:tensor mode:=full|valid|same?', args) as [Tensor, Tensor, ConvolveMode | undefined];
  return scope(() => {
    leading('fftconvolve', x, y);
    const n = length(x) + length(y) - 1;
    const product = multiply(fft.rfft(x, n, -1), fft.rfft(y, n, -1));
    return partOf(fft.irfft(product, n, -1), length(x), length(y), mode);
  });
}

/**
 * The convolution of `x` and `y` along the last dimension, by its definition.
 *
 * @throws The errors of `fftconvolve`.
 *
 * @example
 * const [x, y] = [ones([2, 8]), ones([2, 3])];
 * functional.convolve(x, y, 'valid').shape; // [2, 6]
 */
export function convolve(x: TensorLike, y: TensorLike, mode?: ConvolveMode): Tensor;
export function convolve(x: TensorLike, y: TensorLike, options?: { mode?: ConvolveMode }): Tensor;
export function convolve(...args: unknown[]): Tensor {
  const [x, y, mode = 'full'] = bind('convolve x:tensor y:tensor mode:=full|valid|same?', args) as [Tensor, Tensor, ConvolveMode | undefined];
  return scope(() => {
    const shape = leading('convolve', x, y);
    const isSwapped = length(x) < length(y);
    const [long, short] = isSwapped ? [y, x] : [x, y];
    const [longLength, shortLength] = [length(long), length(short)];
    const longShape = [...shape];
    longShape.push(longLength);
    const shortShape = [...shape];
    shortShape.push(shortLength);
    const rows = long.expand(longShape).reshape([1, -1, longLength]);
    const kernel = short.expand(shortShape).flip([-1]).reshape([-1, 1, shortLength]);
    const count = rows.shape[1]!;
    const result = rows.conv1d(kernel, undefined, 1, shortLength - 1, 1, count);
    const resultShape = [...shape];
    resultShape.push(longLength + shortLength - 1);
    return partOf(result.reshape(resultShape), length(x), length(y), mode);
  });
}

/**
 * Waveforms `(..., time)` with noise `(..., time)` at a ratio of signal to noise of `snr: (...)`
 * decibels. The energies are measured in the first `lengths: (...)` samples.
 *
 * @throws `shape` if dimensions do not match.
 *
 * @example
 * const [speech, noise] = [ones([1, 8]), full([1, 8], 0.1, { dtype: 'float32' })];
 * const noisy = functional.addNoise(speech, noise, zeros([1]));
 * await noisy.sum().item(); // 16
 */
export function addNoise(waveform: TensorLike, noise: TensorLike, snr: TensorLike, lengths?: TensorLike | null): Tensor;
export function addNoise(waveform: TensorLike, noise: TensorLike, snr: TensorLike, options?: { lengths?: TensorLike | null }): Tensor;
export function addNoise(...args: unknown[]): Tensor {
  const [waveform, noise, snr, lengths] = bind('addNoise waveform:tensor noise:tensor snr:tensor lengths:tensor?', args) as [Tensor, Tensor, Tensor, Tensor | undefined];
  return scope(() => {
    const op = 'add_noise';
    checkRank(op, 'waveform', waveform, 1);
    const rank = waveform.ndim;
    let isSame = noise.ndim === rank && snr.ndim + 1 === rank;
    if (lengths !== undefined) isSame = isSame && lengths.ndim + 1 === rank;
    if (!isSame) {
      throw failure(
        'shape',
        op,
        'the leading dimensions of waveform, noise, snr and lengths must match',
      );
    }
    const time = length(waveform);
    if (time !== length(noise)) {
      const message = `waveform and noise must be as long, and have ${time} and ${length(noise)} samples`;
      throw failure('shape', op, message);
    }
    let signal = waveform;
    let disturbance = noise;
    if (lengths !== undefined) {
      const mask = arange(time, waveform).lt(lengths.unsqueeze(-1));
      signal = waveform.mul(mask);
      disturbance = noise.mul(mask);
    }
    const energy = signal.square().sum(-1);
    const noiseEnergy = disturbance.square().sum(-1);
    const ratio = energy.log10().sub(noiseEnergy.log10()).mul(10);
    const scale2 = ratio.sub(snr).mul(Math.LN10 / 20).exp();
    return waveform.add(noise.mul(scale2.unsqueeze(-1)));
  });
}
