// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Fourier transform of windowed frames, and its inverse. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as fft from '../../fft.js';
import { imaginary, real } from '../complex.js';
import { full } from '../../../audio/host.js';
import { length } from '../shapes.js';

/** The factor of the values of a spectrogram. */
export type SpectrogramNorm = 'none' | 'window' | 'frame_length';

/** The window in the middle of a frame, with zeros around it. */
function framedWindow(window: Tensor, nFft: number): Tensor {
  const own = length(window);
  const before = Math.trunc((nFft - own) / 2);
  return window.pad([before, nFft - own - before]);
}

function checkSizes(op: string, window: Tensor, nFft: number, hopLength: number, winLength: number): void {
  if (nFft === 0 || hopLength === 0) {
    const message = `n_fft and hop_length must be positive, and are ${nFft} and ${hopLength}`;
    throw failure('argument', op, message);
  }
  if (winLength === 0 || winLength > nFft) {
    const message = `win_length must be from 1 to n_fft, ${nFft}, and is ${winLength}`;
    throw failure('argument', op, message);
  }
  const shape = window.shape;
  if (shape.length !== 1 || shape[0]! !== winLength) {
    throw failure(
      'shape',
      op,
      `window has shape [${shape.join(', ')}], and takes win_length elements, ${winLength}`,
    );
  }
}

/** The transforms of the frames of `x: [batch, time]`, as pairs: `[batch, freq, frames, 2]`. */
export function stft(op: string, x: Tensor, window: Tensor, nFft: number, hopLength: number, winLength: number, center: boolean, padMode: 'circular' | 'constant' | 'reflect' | 'replicate', isNormalized: boolean, onesided: boolean): Tensor {
  return scope(() => {
    checkSizes(op, window, nFft, hopLength, winLength);
    const half = center ? Math.trunc(nFft / 2) : 0;
    const time = length(x);
    if (center && padMode === 'reflect' && time <= Math.trunc(nFft / 2)) {
      const message = `the waveform has ${time} samples, and reflect padding by n_fft / 2 takes more than that`;
      throw failure('shape', op, message);
    }
    if (!center && time < nFft) {
      throw failure('shape', op, `the waveform has ${time} samples, fewer than a frame, ${nFft}`);
    }
    const padded = x.pad([half, half], padMode);
    const frames = padded.unfold(-1, nFft, hopLength);
    const frames2 = frames.mul(framedWindow(window, nFft));
    const spectrum = onesided
      ? fft.rfft(frames2, undefined, -1)
      : fft.fft(torch.stack([frames2, frames2.zerosLike()], -1), undefined, -1);
    const spectrum2 = spectrum.transpose(1, 2);
    if (isNormalized) return spectrum2.div(Math.sqrt(nFft));
    return spectrum2;
  });
}

/** The sums of overlapping frames `[batch, n_fft, frames]`: `[batch, time]`. */
function overlapAdd(frames: Tensor, nFft: number, hopLength: number): Tensor {
  return scope(() => {
    const time = nFft + hopLength * (length(frames) - 1);
    const sums = frames.col2im([1, time], [1, nFft], [1, 1], [0, 0], [1, hopLength]);
    return sums.reshape([-1, time]);
  });
}

/**
 * The waveforms `[batch, time]` whose frames have the transforms `[batch, freq, frames, 2]`, by
 * least squares. Samples that no window covers are 0.
 *
 * Source: Griffin and Lim, "Signal Estimation from Modified Short-Time Fourier Transform", 1984.
 */
export function istft(op: string, spectrum: Tensor, window: Tensor, nFft: number, hopLength: number, winLength: number, center: boolean, isNormalized: boolean, onesided: boolean, wanted: number | undefined): Tensor {
  return scope(() => {
    checkSizes(op, window, nFft, hopLength, winLength);
    const shape = spectrum.shape;
    const bins = onesided ? Math.trunc(nFft / 2) + 1 : nFft;
    if (shape[1]! !== bins || shape[2]! === 0) {
      const message = `the spectrogram has shape [${shape.join(', ')}], and n_fft ${nFft} takes ${bins} bins and a frame`;
      throw failure('shape', op, message);
    }
    const rows = spectrum.transpose(1, 2);
    const frames = onesided ? fft.irfft(rows, nFft, -1) : real(fft.ifft(rows, undefined, -1));
    const window2 = framedWindow(window, nFft);
    const sums = overlapAdd(frames.mul(window2).transpose(1, 2), nFft, hopLength);
    const energy = window2.square().reshape([1, -1, 1]).expand([1, nFft, shape[2]!]);
    const energy2 = overlapAdd(energy, nFft, hopLength);
    const isCovered = energy2.gt(1e-11);
    const energy3 = torch.where(isCovered, energy2, 1);
    const waveform = torch.where(isCovered, sums.div(energy3), 0);
    const start = center ? Math.trunc(nFft / 2) : 0;
    const available = length(waveform);
    let end: number;
    if (wanted !== undefined) end = start + wanted;
    else {
      end = available - start;
    }
    let result = waveform.slice(1, start, Math.min(end, available));
    if (end > available) result = result.pad([0, end - available]);
    if (isNormalized) return result.mul(Math.sqrt(nFft));
    return result;
  });
}

/** The numbers `1 + 0i`, of a shape without the dimension of pairs. */
export function unit(shape: readonly number[], like: Tensor): Tensor {
  return scope(() => {
    const one = full(shape, 1, like);
    return torch.stack([one, one.zerosLike()], -1);
  });
}

/** Pairs divided by their absolute values and a small number. */
export function phases(z: Tensor): Tensor {
  return scope(() => {
    const size = real(z).square().add(imaginary(z).square()).sqrt();
    return z.div(size.add(1e-16).unsqueeze(-1));
  });
}

/** A window of a length: Hann's, or the one that a function makes. */
export function windowOf(windowFn: ((a: number) => Tensor) | undefined, winLength: number): Tensor {
  return scope(() => {
    if (windowFn !== undefined) return windowFn(winLength);
    return torch.hannWindow(winLength);
  });
}
