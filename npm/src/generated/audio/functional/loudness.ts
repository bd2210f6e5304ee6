// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Loudness. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { highpassBiquad, trebleBiquad } from '../functional/biquads.js';
import { floatsLike } from '../../../audio/host.js';
import { checkRank } from '../shapes.js';

/**
 * The mean of the blocks of `energy: (..., channels, blocks)` that `gate: (..., blocks)` keeps.
 */
function meanOfKept(energy: Tensor, gate: Tensor): Tensor {
  return scope(() => {
    const gate2 = gate.unsqueeze(-2).to(energy.dtype);
    return energy.mul(gate2).sum(-1).div(gate2.sum(-1));
  });
}

function decibels(energy: Tensor): Tensor {
  return scope(() => energy.log10().mul(10).sub(0.691));
}

/**
 * The loudness of waveforms `(..., channels, time)` in LKFS: `(...)`. Up to five channels are
 * left, right, center, and left and right surround.
 *
 * Source: ITU-R BS.1770-4.
 *
 * @throws `shape` for more than five channels, or fewer samples than a block of 0.4 seconds.
 *
 * @example
 * const tone = arange(0, 8000).float().mul(0.8).sin().reshape([1, 8000]);
 * functional.loudness(tone, 8000).shape.length; // 0
 */
export function loudness(waveform: TensorLike, sampleRate: number): Tensor;
export function loudness(...args: unknown[]): Tensor {
  const [waveform, sampleRate] = bind('loudness waveform:tensor sampleRate:int', args) as [Tensor, number];
  return scope(() => {
    checkRank('loudness', 'waveform', waveform, 2);
    const channels = waveform.shape[waveform.ndim - 2]!;
    if (channels > 5) {
      throw failure('shape', 'loudness', `waveform has ${channels} channels, and takes up to 5`);
    }
    const block = Math.floor(0.4 * sampleRate + 0.5);
    const step = Math.floor(block * 0.25 + 0.5);
    const weighted = trebleBiquad(waveform, sampleRate, 4, 1500, Math.SQRT1_2);
    const weighted2 = highpassBiquad(weighted, sampleRate, 38, 0.5);
    const energy = weighted2.square().unfold(-1, Math.trunc(block), Math.trunc(step)).mean(-1);
    const weights = [1, 1, 1, 1.41, 1.41];
    const weights2 = floatsLike(weights.slice(0, channels), waveform);
    const level = decibels(energy.mul(weights2.unsqueeze(-1)).sum(-2));
    const isLoud = level.gt(-70);
    const mean = meanOfKept(energy, isLoud).mul(weights2).sum(-1);
    const threshold = decibels(mean).sub(10);
    const isKept = isLoud.logicalAnd(level.gt(threshold.unsqueeze(-1)));
    return decibels(meanOfKept(energy, isKept).mul(weights2).sum(-1));
  });
}
