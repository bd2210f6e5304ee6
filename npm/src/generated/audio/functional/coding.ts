// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Companding. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { isFloating } from '../../../audio/host.js';

function checkChannels(op: string, quantizationChannels: number): number {
  if (quantizationChannels < 2) {
    const message = `quantization_channels must be at least 2, and is ${quantizationChannels}`;
    throw failure('argument', op, message);
  }
  return quantizationChannels - 1;
}

/**
 * The codes from 0 to `quantization_channels - 1` of samples from -1 to 1, by the mu law, in int32
 * (torchaudio: int64).
 *
 * Source: ITU-T G.711.
 *
 * @throws `argument` if there are fewer than two channels.
 *
 * @example
 * const codes = functional.muLawEncoding(full([1], 1, { dtype: 'float32' }), 256);
 * await codes.sum().item(); // 255
 */
export function muLawEncoding(x: TensorLike, quantizationChannels: number): Tensor;
export function muLawEncoding(...args: unknown[]): Tensor {
  const [x, quantizationChannels] = bind('muLawEncoding x:tensor quantizationChannels:int', args) as [Tensor, number];
  return scope(() => {
    const mu = checkChannels('mu_law_encoding', quantizationChannels);
    const x2 = isFloating(x) ? x : x.float();
    const companded = x2.sign().mul(x2.abs().mul(mu).log1p()).div(Math.log1p(mu));
    return companded.add(1).mul(mu / 2).add(0.5).int();
  });
}

/**
 * The samples from -1 to 1 of codes from 0 to `quantization_channels - 1`, by the mu law.
 *
 * Source: ITU-T G.711.
 *
 * @throws `argument` if there are fewer than two channels.
 *
 * @example
 * const samples = functional.muLawDecoding(full([1], 255, { dtype: 'float32' }), 256);
 * await samples.sum().item(); // 1
 */
export function muLawDecoding(xMu: TensorLike, quantizationChannels: number): Tensor;
export function muLawDecoding(...args: unknown[]): Tensor {
  const [xMu, quantizationChannels] = bind('muLawDecoding xMu:tensor quantizationChannels:int', args) as [Tensor, number];
  return scope(() => {
    const mu = checkChannels('mu_law_decoding', quantizationChannels);
    const codes = isFloating(xMu) ? xMu : xMu.float();
    const x = codes.mul(2 / mu).sub(1);
    return x.sign().mul(x.abs().mul(Math.log1p(mu)).expm1()).div(mu);
  });
}
