// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The features of Whisper. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { melscaleFbanks } from '../functional/banks.js';
import { spectrogram } from '../functional/spectrum.js';
import { checkRank, length } from '../shapes.js';

/**
 * The logarithms of mel bands that OpenAI's Whisper reads, `(..., n_mels, frames)`, of waveforms
 * `(..., time)` at 16000 Hz, with `padding` zeros at the end. There is a frame for each 160
 * samples.
 *
 * It is `whisper.log_mel_spectrogram`, except that each example of a batch has its own largest
 * value. A model of 30 seconds takes 480000 samples: pad the waveform or cut it first. `nMels` is
 * 80, or 128 for the large models from the third.
 *
 * Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision", 2022.
 *
 * @throws `shape` if the waveform has no more than 200 samples.
 *
 * @example
 * const features = functional.whisperLogMel(ones([16000]), 80, 0);
 * features.shape; // [80, 100]
 */
export function whisperLogMel(waveform: TensorLike, nMels?: number, padding?: number): Tensor;
export function whisperLogMel(waveform: TensorLike, options?: { nMels?: number; padding?: number }): Tensor;
export function whisperLogMel(...args: unknown[]): Tensor {
  const [waveform, nMels = 80, padding = 0] = bind('whisperLogMel waveform:tensor nMels:int? padding:int?', args) as [Tensor, number | undefined, number | undefined];
  return scope(() => {
    checkRank('whisper_log_mel', 'waveform', waveform, 1);
    const padded = waveform.pad([0, padding]);
    const window = torch.hannWindow(400);
    const none = 'none';
    const power = spectrogram(padded, 0, window, 400, 160, 400, 2, none, true, 'reflect', true);
    const power2 = power.narrow(-1, 0, length(power) - 1);
    const bank = melscaleFbanks(201, 0, 8000, nMels, 16000, 'slaney', 'slaney');
    const level = bank.t().matmul(power2).clampMin(1e-10).log10();
    const level2 = level.maximum(level.amax([-2, -1], true).sub(8));
    return level2.add(4).div(4);
  });
}
