// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import type { Generator } from '../core/generator.js';
import type { Scalar } from '../core/types.js';
import { inPlaceOr } from '../nn/in-place.js';
import type { Tensor, TensorLike } from '../tensor/tensor.js';

export {
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool2d,
  adaptiveMaxPool3d,
  affineGrid,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  batchNorm,
  bilinear,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  channelShuffle,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  cosineEmbeddingLoss,
  cosineSimilarity,
  crossEntropy,
  ctcLoss,
  fold,
  fractionalMaxPool2d,
  fractionalMaxPool3d,
  gaussianNllLoss,
  gelu,
  glu,
  gumbelSoftmax,
  gridSample,
  groupNorm,
  hardshrink,
  hingeEmbeddingLoss,
  huberLoss,
  instanceNorm,
  interpolate,
  klDiv,
  l1Loss,
  layerNorm,
  linear,
  localResponseNorm,
  logSoftmax,
  logsigmoid,
  lpPool1d,
  lpPool2d,
  lpPool3d,
  marginRankingLoss,
  maxPool1d,
  maxPool2d,
  maxPool3d,
  maxUnpool1d,
  maxUnpool2d,
  maxUnpool3d,
  mseLoss,
  multiHeadAttentionForward,
  multiMarginLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  nllLoss,
  normalize,
  oneHot,
  pad,
  pairwiseDistance,
  pdist,
  pixelShuffle,
  pixelUnshuffle,
  poissonNllLoss,
  prelu,
  rmsNorm,
  scaledDotProductAttention,
  sigmoid,
  smoothL1Loss,
  softMarginLoss,
  softmax,
  softmin,
  softplus,
  softshrink,
  softsign,
  tanh,
  tanhshrink,
  tripletMarginLoss,
  celu_,
  elu_,
  hardtanh_,
  leakyRelu_,
  relu_,
  rrelu_,
  selu_,
  threshold_,
} from './operations.js';

/** {@link Tensor.alphaDropout} as a function; with `inplace`, of the input's own elements. */
export function alphaDropout(input: TensorLike, p?: number, training?: boolean, inplace?: boolean): Tensor;
export function alphaDropout(input: TensorLike, options?: { p?: number; training?: boolean; inplace?: boolean }): Tensor;
export function alphaDropout(...args: unknown[]): Tensor { return inPlaceOr('alphaDropout input p training inplace', args) as never; }

/** {@link Tensor.celu} as a function; with `inplace`, of the input's own elements. */
export function celu(input: TensorLike, alpha?: Scalar, inplace?: boolean): Tensor;
export function celu(input: TensorLike, options?: { alpha?: Scalar; inplace?: boolean }): Tensor;
export function celu(...args: unknown[]): Tensor { return inPlaceOr('celu input alpha inplace', args) as never; }

/** {@link Tensor.dropout1d} as a function; with `inplace`, of the input's own elements. */
export function dropout1d(input: TensorLike, p?: number, training?: boolean, inplace?: boolean): Tensor;
export function dropout1d(input: TensorLike, options?: { p?: number; training?: boolean; inplace?: boolean }): Tensor;
export function dropout1d(...args: unknown[]): Tensor { return inPlaceOr('dropout1d input p training inplace', args) as never; }

/** {@link Tensor.dropout2d} as a function; with `inplace`, of the input's own elements. */
export function dropout2d(input: TensorLike, p?: number, training?: boolean, inplace?: boolean): Tensor;
export function dropout2d(input: TensorLike, options?: { p?: number; training?: boolean; inplace?: boolean }): Tensor;
export function dropout2d(...args: unknown[]): Tensor { return inPlaceOr('dropout2d input p training inplace', args) as never; }

/** {@link Tensor.dropout3d} as a function; with `inplace`, of the input's own elements. */
export function dropout3d(input: TensorLike, p?: number, training?: boolean, inplace?: boolean): Tensor;
export function dropout3d(input: TensorLike, options?: { p?: number; training?: boolean; inplace?: boolean }): Tensor;
export function dropout3d(...args: unknown[]): Tensor { return inPlaceOr('dropout3d input p training inplace', args) as never; }

/** {@link Tensor.elu} as a function; with `inplace`, of the input's own elements. */
export function elu(input: TensorLike, alpha?: Scalar, inplace?: boolean): Tensor;
export function elu(input: TensorLike, options?: { alpha?: Scalar; inplace?: boolean }): Tensor;
export function elu(...args: unknown[]): Tensor { return inPlaceOr('elu input alpha inplace', args) as never; }

/** {@link Tensor.featureAlphaDropout} as a function; with `inplace`, of the input's own elements. */
export function featureAlphaDropout(input: TensorLike, p?: number, training?: boolean, inplace?: boolean): Tensor;
export function featureAlphaDropout(input: TensorLike, options?: { p?: number; training?: boolean; inplace?: boolean }): Tensor;
export function featureAlphaDropout(...args: unknown[]): Tensor { return inPlaceOr('featureAlphaDropout input p training inplace', args) as never; }

/** {@link Tensor.hardsigmoid} as a function; with `inplace`, of the input's own elements. */
export function hardsigmoid(input: TensorLike, inplace?: boolean): Tensor;
export function hardsigmoid(input: TensorLike, options?: { inplace?: boolean }): Tensor;
export function hardsigmoid(...args: unknown[]): Tensor { return inPlaceOr('hardsigmoid input inplace', args) as never; }

/** {@link Tensor.hardswish} as a function; with `inplace`, of the input's own elements. */
export function hardswish(input: TensorLike, inplace?: boolean): Tensor;
export function hardswish(input: TensorLike, options?: { inplace?: boolean }): Tensor;
export function hardswish(...args: unknown[]): Tensor { return inPlaceOr('hardswish input inplace', args) as never; }

/** {@link Tensor.hardtanh} as a function; with `inplace`, of the input's own elements. */
export function hardtanh(input: TensorLike, minVal?: Scalar, maxVal?: Scalar, inplace?: boolean): Tensor;
export function hardtanh(input: TensorLike, options?: { minVal?: Scalar; maxVal?: Scalar; inplace?: boolean }): Tensor;
export function hardtanh(...args: unknown[]): Tensor { return inPlaceOr('hardtanh input minVal maxVal inplace', args) as never; }

/** {@link Tensor.leakyRelu} as a function; with `inplace`, of the input's own elements. */
export function leakyRelu(input: TensorLike, negativeSlope?: Scalar, inplace?: boolean): Tensor;
export function leakyRelu(input: TensorLike, options?: { negativeSlope?: Scalar; inplace?: boolean }): Tensor;
export function leakyRelu(...args: unknown[]): Tensor { return inPlaceOr('leakyRelu input negativeSlope inplace', args) as never; }

/** {@link Tensor.mish} as a function; with `inplace`, of the input's own elements. */
export function mish(input: TensorLike, inplace?: boolean): Tensor;
export function mish(input: TensorLike, options?: { inplace?: boolean }): Tensor;
export function mish(...args: unknown[]): Tensor { return inPlaceOr('mish input inplace', args) as never; }

/** {@link Tensor.relu} as a function; with `inplace`, of the input's own elements. */
export function relu(input: TensorLike, inplace?: boolean): Tensor;
export function relu(input: TensorLike, options?: { inplace?: boolean }): Tensor;
export function relu(...args: unknown[]): Tensor { return inPlaceOr('relu input inplace', args) as never; }

/** {@link Tensor.relu6} as a function; with `inplace`, of the input's own elements. */
export function relu6(input: TensorLike, inplace?: boolean): Tensor;
export function relu6(input: TensorLike, options?: { inplace?: boolean }): Tensor;
export function relu6(...args: unknown[]): Tensor { return inPlaceOr('relu6 input inplace', args) as never; }

/** {@link Tensor.rrelu} as a function; with `inplace`, of the input's own elements. */
export function rrelu(input: TensorLike, lower?: Scalar, upper?: Scalar, training?: boolean, inplace?: boolean, options?: { generator?: Generator | null }): Tensor;
export function rrelu(input: TensorLike, options?: { lower?: Scalar; upper?: Scalar; training?: boolean; inplace?: boolean; generator?: Generator | null }): Tensor;
export function rrelu(...args: unknown[]): Tensor { return inPlaceOr('rrelu input lower upper training inplace', args) as never; }

/** {@link Tensor.selu} as a function; with `inplace`, of the input's own elements. */
export function selu(input: TensorLike, inplace?: boolean): Tensor;
export function selu(input: TensorLike, options?: { inplace?: boolean }): Tensor;
export function selu(...args: unknown[]): Tensor { return inPlaceOr('selu input inplace', args) as never; }

/** {@link Tensor.silu} as a function; with `inplace`, of the input's own elements. */
export function silu(input: TensorLike, inplace?: boolean): Tensor;
export function silu(input: TensorLike, options?: { inplace?: boolean }): Tensor;
export function silu(...args: unknown[]): Tensor { return inPlaceOr('silu input inplace', args) as never; }

/** {@link Tensor.threshold} as a function; with `inplace`, of the input's own elements. */
export function threshold(input: TensorLike, threshold: Scalar, value: Scalar, inplace?: boolean): Tensor;
export function threshold(input: TensorLike, threshold: Scalar, value: Scalar, options?: { inplace?: boolean }): Tensor;
export function threshold(...args: unknown[]): Tensor { return inPlaceOr('threshold input threshold value inplace', args) as never; }

