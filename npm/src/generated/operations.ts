// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { call, callAny, callMethod, callOverload, drawing } from '../tensor/call.js';
import type { DType, Scalar, Typed } from '../core/types.js';
import type { Generator } from '../core/generator.js';
import { Tensor, type TensorLike } from '../tensor/tensor.js';

/** {@link Tensor.relu} as a function. */
export function relu(input: TensorLike): Tensor;
export function relu(...args: unknown[]): unknown { return callMethod('relu', args, Tensor) as never; }

/** {@link Tensor.relu_} as a function. */
export function relu_(input: Tensor): Tensor;
export function relu_(...args: unknown[]): unknown { return callMethod('relu_', args, Tensor) as never; }

/** {@link Tensor.sigmoid} as a function. */
export function sigmoid(input: TensorLike): Tensor;
export function sigmoid(...args: unknown[]): unknown { return callMethod('sigmoid', args, Tensor) as never; }

/** {@link Tensor.sigmoid_} as a function. */
export function sigmoid_(input: Tensor): Tensor;
export function sigmoid_(...args: unknown[]): unknown { return callMethod('sigmoid_', args, Tensor) as never; }

/** {@link Tensor.silu} as a function. */
export function silu(input: TensorLike): Tensor;
export function silu(...args: unknown[]): unknown { return callMethod('silu', args, Tensor) as never; }

/** {@link Tensor.gelu} as a function. */
export function gelu(input: TensorLike, options?: { approximate?: 'none' | 'tanh' }): Tensor;
export function gelu(...args: unknown[]): unknown { return callMethod('gelu', args, Tensor) as never; }

/** {@link Tensor.leakyRelu} as a function. */
export function leakyRelu(input: TensorLike, negativeSlope?: Scalar): Tensor;
export function leakyRelu(input: TensorLike, options?: { negativeSlope?: Scalar }): Tensor;
export function leakyRelu(...args: unknown[]): unknown { return callMethod('leakyRelu', args, Tensor) as never; }

/** {@link Tensor.leakyRelu_} as a function. */
export function leakyRelu_(input: Tensor, negativeSlope?: Scalar): Tensor;
export function leakyRelu_(input: Tensor, options?: { negativeSlope?: Scalar }): Tensor;
export function leakyRelu_(...args: unknown[]): unknown { return callMethod('leakyRelu_', args, Tensor) as never; }

/** {@link Tensor.elu} as a function. */
export function elu(input: TensorLike, alpha?: Scalar, scale?: Scalar, inputScale?: Scalar): Tensor;
export function elu(input: TensorLike, options?: { alpha?: Scalar; scale?: Scalar; inputScale?: Scalar }): Tensor;
export function elu(...args: unknown[]): unknown { return callMethod('elu', args, Tensor) as never; }

/** {@link Tensor.elu_} as a function. */
export function elu_(input: Tensor, alpha?: Scalar, scale?: Scalar, inputScale?: Scalar): Tensor;
export function elu_(input: Tensor, options?: { alpha?: Scalar; scale?: Scalar; inputScale?: Scalar }): Tensor;
export function elu_(...args: unknown[]): unknown { return callMethod('elu_', args, Tensor) as never; }

/** {@link Tensor.celu} as a function. */
export function celu(input: TensorLike, alpha?: Scalar): Tensor;
export function celu(input: TensorLike, options?: { alpha?: Scalar }): Tensor;
export function celu(...args: unknown[]): unknown { return callMethod('celu', args, Tensor) as never; }

/** {@link Tensor.celu_} as a function. */
export function celu_(input: Tensor, alpha?: Scalar): Tensor;
export function celu_(input: Tensor, options?: { alpha?: Scalar }): Tensor;
export function celu_(...args: unknown[]): unknown { return callMethod('celu_', args, Tensor) as never; }

/** {@link Tensor.selu} as a function. */
export function selu(input: TensorLike): Tensor;
export function selu(...args: unknown[]): unknown { return callMethod('selu', args, Tensor) as never; }

/** {@link Tensor.selu_} as a function. */
export function selu_(input: Tensor): Tensor;
export function selu_(...args: unknown[]): unknown { return callMethod('selu_', args, Tensor) as never; }

/** {@link Tensor.softplus} as a function. */
export function softplus(input: TensorLike, beta?: Scalar, threshold?: Scalar): Tensor;
export function softplus(input: TensorLike, options?: { beta?: Scalar; threshold?: Scalar }): Tensor;
export function softplus(...args: unknown[]): unknown { return callMethod('softplus', args, Tensor) as never; }

/** {@link Tensor.logSigmoid} as a function. */
export function logSigmoid(input: TensorLike): Tensor;
export function logSigmoid(...args: unknown[]): unknown { return callMethod('logSigmoid', args, Tensor) as never; }

/** {@link Tensor.logsigmoid} as a function. */
export function logsigmoid(input: TensorLike): Tensor;
export function logsigmoid(...args: unknown[]): unknown { return callMethod('logsigmoid', args, Tensor) as never; }

/** {@link Tensor.mish} as a function. */
export function mish(input: TensorLike): Tensor;
export function mish(...args: unknown[]): unknown { return callMethod('mish', args, Tensor) as never; }

/** {@link Tensor.hardtanh} as a function. */
export function hardtanh(input: TensorLike, minVal?: Scalar, maxVal?: Scalar): Tensor;
export function hardtanh(input: TensorLike, options?: { minVal?: Scalar; maxVal?: Scalar }): Tensor;
export function hardtanh(...args: unknown[]): unknown { return callMethod('hardtanh', args, Tensor) as never; }

/** {@link Tensor.hardtanh_} as a function. */
export function hardtanh_(input: Tensor, minVal?: Scalar, maxVal?: Scalar): Tensor;
export function hardtanh_(input: Tensor, options?: { minVal?: Scalar; maxVal?: Scalar }): Tensor;
export function hardtanh_(...args: unknown[]): unknown { return callMethod('hardtanh_', args, Tensor) as never; }

/** {@link Tensor.relu6} as a function. */
export function relu6(input: TensorLike): Tensor;
export function relu6(...args: unknown[]): unknown { return callMethod('relu6', args, Tensor) as never; }

/** {@link Tensor.hardsigmoid} as a function. */
export function hardsigmoid(input: TensorLike): Tensor;
export function hardsigmoid(...args: unknown[]): unknown { return callMethod('hardsigmoid', args, Tensor) as never; }

/** {@link Tensor.hardswish} as a function. */
export function hardswish(input: TensorLike): Tensor;
export function hardswish(...args: unknown[]): unknown { return callMethod('hardswish', args, Tensor) as never; }

/** {@link Tensor.softsign} as a function. */
export function softsign(input: TensorLike): Tensor;
export function softsign(...args: unknown[]): unknown { return callMethod('softsign', args, Tensor) as never; }

/** {@link Tensor.tanhshrink} as a function. */
export function tanhshrink(input: TensorLike): Tensor;
export function tanhshrink(...args: unknown[]): unknown { return callMethod('tanhshrink', args, Tensor) as never; }

/** {@link Tensor.hardshrink} as a function. */
export function hardshrink(input: TensorLike, lambd?: Scalar): Tensor;
export function hardshrink(input: TensorLike, options?: { lambd?: Scalar }): Tensor;
export function hardshrink(...args: unknown[]): unknown { return callMethod('hardshrink', args, Tensor) as never; }

/** {@link Tensor.softshrink} as a function. */
export function softshrink(input: TensorLike, lambd?: Scalar): Tensor;
export function softshrink(input: TensorLike, options?: { lambd?: Scalar }): Tensor;
export function softshrink(...args: unknown[]): unknown { return callMethod('softshrink', args, Tensor) as never; }

/** {@link Tensor.threshold} as a function. */
export function threshold(input: TensorLike, threshold: Scalar, value: Scalar): Tensor;
export function threshold(...args: unknown[]): unknown { return callMethod('threshold', args, Tensor) as never; }

/** {@link Tensor.threshold_} as a function. */
export function threshold_(input: Tensor, threshold: Scalar, value: Scalar): Tensor;
export function threshold_(...args: unknown[]): unknown { return callMethod('threshold_', args, Tensor) as never; }

/** {@link Tensor.prelu} as a function. */
export function prelu(input: TensorLike, weight: TensorLike): Tensor;
export function prelu(...args: unknown[]): unknown { return callMethod('prelu', args, Tensor) as never; }

/** {@link Tensor.glu} as a function. */
export function glu(input: TensorLike, dim?: number): Tensor;
export function glu(input: TensorLike, options?: { dim?: number }): Tensor;
export function glu(...args: unknown[]): unknown { return callMethod('glu', args, Tensor) as never; }

/** {@link Tensor.add} as a function. */
export function add(input: TensorLike | number, other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
export function add(...args: unknown[]): unknown { return callMethod('add', args, Tensor, true) as never; }

/** {@link Tensor.sub} as a function. */
export function sub(input: TensorLike | number, other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
export function sub(...args: unknown[]): unknown { return callMethod('sub', args, Tensor, true) as never; }

/** {@link Tensor.subtract} as a function. */
export function subtract(input: TensorLike | number, other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
export function subtract(...args: unknown[]): unknown { return callMethod('subtract', args, Tensor, true) as never; }

/** {@link Tensor.rsub} as a function. */
export function rsub(input: TensorLike, other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
export function rsub(...args: unknown[]): unknown { return callMethod('rsub', args, Tensor) as never; }

/** {@link Tensor.mul} as a function. */
export function mul(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function mul(...args: unknown[]): unknown { return callMethod('mul', args, Tensor, true) as never; }

/** {@link Tensor.multiply} as a function. */
export function multiply(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function multiply(...args: unknown[]): unknown { return callMethod('multiply', args, Tensor, true) as never; }

/** {@link Tensor.neg} as a function. */
export function neg(input: TensorLike): Tensor;
export function neg(...args: unknown[]): unknown { return callMethod('neg', args, Tensor) as never; }

/** {@link Tensor.neg_} as a function. */
export function neg_(input: Tensor): Tensor;
export function neg_(...args: unknown[]): unknown { return callMethod('neg_', args, Tensor) as never; }

/** {@link Tensor.negative} as a function. */
export function negative(input: TensorLike): Tensor;
export function negative(...args: unknown[]): unknown { return callMethod('negative', args, Tensor) as never; }

/** {@link Tensor.negative_} as a function. */
export function negative_(input: Tensor): Tensor;
export function negative_(...args: unknown[]): unknown { return callMethod('negative_', args, Tensor) as never; }

/** {@link Tensor.positive} as a function. */
export function positive(input: TensorLike): Tensor;
export function positive(...args: unknown[]): unknown { return callMethod('positive', args, Tensor) as never; }

/** {@link Tensor.abs} as a function. */
export function abs(input: TensorLike): Tensor;
export function abs(...args: unknown[]): unknown { return callMethod('abs', args, Tensor) as never; }

/** {@link Tensor.abs_} as a function. */
export function abs_(input: Tensor): Tensor;
export function abs_(...args: unknown[]): unknown { return callMethod('abs_', args, Tensor) as never; }

/** {@link Tensor.absolute} as a function. */
export function absolute(input: TensorLike): Tensor;
export function absolute(...args: unknown[]): unknown { return callMethod('absolute', args, Tensor) as never; }

/** {@link Tensor.sign} as a function. */
export function sign(input: TensorLike): Tensor;
export function sign(...args: unknown[]): unknown { return callMethod('sign', args, Tensor) as never; }

/** {@link Tensor.sgn} as a function. */
export function sgn(input: TensorLike): Tensor;
export function sgn(...args: unknown[]): unknown { return callMethod('sgn', args, Tensor) as never; }

/** {@link Tensor.square} as a function. */
export function square(input: TensorLike): Tensor;
export function square(...args: unknown[]): unknown { return callMethod('square', args, Tensor) as never; }

/** {@link Tensor.square_} as a function. */
export function square_(input: Tensor): Tensor;
export function square_(...args: unknown[]): unknown { return callMethod('square_', args, Tensor) as never; }

/** {@link Tensor.reciprocal} as a function. */
export function reciprocal(input: TensorLike): Tensor;
export function reciprocal(...args: unknown[]): unknown { return callMethod('reciprocal', args, Tensor) as never; }

/** {@link Tensor.reciprocal_} as a function. */
export function reciprocal_(input: Tensor): Tensor;
export function reciprocal_(...args: unknown[]): unknown { return callMethod('reciprocal_', args, Tensor) as never; }

/** {@link Tensor.maximum} as a function. */
export function maximum(input: TensorLike, other: TensorLike): Tensor;
export function maximum(...args: unknown[]): unknown { return callMethod('maximum', args, Tensor) as never; }

/** {@link Tensor.minimum} as a function. */
export function minimum(input: TensorLike, other: TensorLike): Tensor;
export function minimum(...args: unknown[]): unknown { return callMethod('minimum', args, Tensor) as never; }

/** {@link Tensor.fmax} as a function. */
export function fmax(input: TensorLike, other: TensorLike): Tensor;
export function fmax(...args: unknown[]): unknown { return callMethod('fmax', args, Tensor) as never; }

/** {@link Tensor.fmin} as a function. */
export function fmin(input: TensorLike, other: TensorLike): Tensor;
export function fmin(...args: unknown[]): unknown { return callMethod('fmin', args, Tensor) as never; }

/** {@link Tensor.clampMin} as a function. */
export function clampMin(input: TensorLike, min: TensorLike | Scalar): Tensor;
export function clampMin(...args: unknown[]): unknown { return callMethod('clampMin', args, Tensor) as never; }

/** {@link Tensor.clampMin_} as a function. */
export function clampMin_(input: Tensor, min: TensorLike | Scalar): Tensor;
export function clampMin_(...args: unknown[]): unknown { return callMethod('clampMin_', args, Tensor) as never; }

/** {@link Tensor.clampMax} as a function. */
export function clampMax(input: TensorLike, max: TensorLike | Scalar): Tensor;
export function clampMax(...args: unknown[]): unknown { return callMethod('clampMax', args, Tensor) as never; }

/** {@link Tensor.clampMax_} as a function. */
export function clampMax_(input: Tensor, max: TensorLike | Scalar): Tensor;
export function clampMax_(...args: unknown[]): unknown { return callMethod('clampMax_', args, Tensor) as never; }

/** {@link Tensor.lerp} as a function. */
export function lerp(input: TensorLike, end: TensorLike, weight: TensorLike | Scalar): Tensor;
export function lerp(...args: unknown[]): unknown { return callMethod('lerp', args, Tensor) as never; }

/** {@link Tensor.addcmul} as a function. */
export function addcmul(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, options?: { value?: Scalar }): Tensor;
export function addcmul(...args: unknown[]): unknown { return callMethod('addcmul', args, Tensor) as never; }

/** {@link Tensor.addcdiv} as a function. */
export function addcdiv(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, options?: { value?: Scalar }): Tensor;
export function addcdiv(...args: unknown[]): unknown { return callMethod('addcdiv', args, Tensor) as never; }

/**
 * Attention, `softmax(scale * query @ key.T + attn_mask) @ value`, as
 * `torch.nn.functional.scaled_dot_product_attention`.
 *
 * Shapes: `query: [*, L, E]`, `key: [*, S, E]`, `value: [*, S, E_v]`, `attn_mask` broadcasts to
 * `[*, L, S]`, `result: [*, L, E_v]`; the leading dimensions broadcast. With `enable_gqa`,
 * dimension -3 counts heads: the number of query heads is a multiple of the number of key and
 * value heads, and neighbouring query heads share one of them.
 *
 * A bool `attn_mask` is true for the pairs that attend; a float one is added to the scores. With
 * `is_causal`, query `i` attends to the keys `0..=i`. A query that attends to no key has the
 * result 0. `scale` is `1 / sqrt(E)` by default.
 *
 * `key_lengths: [N]` or `[1]` is for keys and values in a cache of `S` rows that is filled from
 * the start, where N is the first of the leading dimensions (with `enable_gqa`, one before the
 * heads). Only the first `key_lengths[b]` keys take part; the others are not read and may hold
 * anything. The numbers are data: no shape, plan or pipeline depends on them. They are clamped to
 * `0..=S`. With `key_lengths` the causal mask is aligned bottom-right: the queries are the last L
 * filled positions, and query `i` attends to the keys `j <= key_lengths[b] - L + i`. Without it
 * the mask is aligned top-left, as PyTorch's.
 *
 * With `window`, a query at position `p` attends to the keys `p - window < j <= p` only. With
 * `soft_cap`, a score `s` becomes `soft_cap * tanh(s / soft_cap)` before the mask. PyTorch has
 * none of these three parameters.
 *
 * Errors: `shape` if the sizes do not fit; `dtype` if query, key and value do not have one
 * floating-point type, the mask is neither bool nor of that type, or `key_lengths` is not int32 or
 * int64; `argument` if `is_causal` and `attn_mask` are both given, `dropout_p` is not from 0 to 1,
 * `window` is below 1 or given without `is_causal`, or `soft_cap` is not a positive number.
 *
 * Source: Vaswani et al., "Attention Is All You Need" (2017). Without dropout, a mask that needs a
 * gradient, or heads larger than 128, the matrix of weights is never stored: Dao et al.,
 * "FlashAttention" (2022). Windows: Beltagy et al., "Longformer" (2020). Soft caps: Gemma Team,
 * "Gemma 2" (2024).
 * @param attnMask default null
 * @param dropoutP default 0.0
 * @param isCausal default false
 * @param scale default null
 * @param enableGqa default false
 * @param keyLengths default null
 * @param window default null
 * @param softCap default null
 */
export function scaledDotProductAttention(query: TensorLike, key: TensorLike, value: TensorLike, attnMask?: TensorLike | null, dropoutP?: number, isCausal?: boolean, options?: { scale?: Scalar | null; enableGqa?: boolean; keyLengths?: TensorLike | null; window?: number | null; softCap?: number | null }): Tensor;
export function scaledDotProductAttention(query: TensorLike, key: TensorLike, value: TensorLike, options?: { attnMask?: TensorLike | null; dropoutP?: number; isCausal?: boolean; scale?: Scalar | null; enableGqa?: boolean; keyLengths?: TensorLike | null; window?: number | null; softCap?: number | null }): Tensor;
export function scaledDotProductAttention(...args: unknown[]): Tensor { return call(41, 'scaledDotProductAttention ^query ^key ^value ^attnMask dropoutP isCausal|scale enableGqa ^keyLengths window softCap', undefined, args, Tensor); }

/** {@link Tensor.bitwiseNot} as a function. */
export function bitwiseNot(input: TensorLike): Tensor;
export function bitwiseNot(...args: unknown[]): unknown { return callMethod('bitwiseNot', args, Tensor) as never; }

/** {@link Tensor.bitwiseAnd} as a function. */
export function bitwiseAnd(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function bitwiseAnd(...args: unknown[]): unknown { return callMethod('bitwiseAnd', args, Tensor, true) as never; }

/** {@link Tensor.bitwiseOr} as a function. */
export function bitwiseOr(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function bitwiseOr(...args: unknown[]): unknown { return callMethod('bitwiseOr', args, Tensor, true) as never; }

/** {@link Tensor.bitwiseXor} as a function. */
export function bitwiseXor(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function bitwiseXor(...args: unknown[]): unknown { return callMethod('bitwiseXor', args, Tensor, true) as never; }

/** {@link Tensor.bitwiseLeftShift} as a function. */
export function bitwiseLeftShift(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function bitwiseLeftShift(...args: unknown[]): unknown { return callMethod('bitwiseLeftShift', args, Tensor, true) as never; }

/** {@link Tensor.bitwiseRightShift} as a function. */
export function bitwiseRightShift(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function bitwiseRightShift(...args: unknown[]): unknown { return callMethod('bitwiseRightShift', args, Tensor, true) as never; }

/** {@link Tensor.to} as a function. */
export function to<D extends DType = DType>(input: TensorLike, dtype: D): Typed<D> & Tensor;
export function to(...args: unknown[]): unknown { return callMethod('to', args, Tensor) as never; }

/** {@link Tensor.bool} as a function. */
export function bool(input: TensorLike): Typed<'bool'> & Tensor;
export function bool(...args: unknown[]): unknown { return callMethod('bool', args, Tensor) as never; }

/** {@link Tensor.byte} as a function. */
export function byte(input: TensorLike): Tensor;
export function byte(...args: unknown[]): unknown { return callMethod('byte', args, Tensor) as never; }

/** {@link Tensor.int} as a function. */
export function int(input: TensorLike): Typed<'int32'> & Tensor;
export function int(...args: unknown[]): unknown { return callMethod('int', args, Tensor) as never; }

/** {@link Tensor.long} as a function. */
export function long(input: TensorLike): Typed<'int64'> & Tensor;
export function long(...args: unknown[]): unknown { return callMethod('long', args, Tensor) as never; }

/** {@link Tensor.half} as a function. */
export function half(input: TensorLike): Typed<'float16'> & Tensor;
export function half(...args: unknown[]): unknown { return callMethod('half', args, Tensor) as never; }

/** {@link Tensor.bfloat16} as a function. */
export function bfloat16(input: TensorLike): Typed<'bfloat16'> & Tensor;
export function bfloat16(...args: unknown[]): unknown { return callMethod('bfloat16', args, Tensor) as never; }

/** {@link Tensor.float} as a function. */
export function float(input: TensorLike): Typed<'float32'> & Tensor;
export function float(...args: unknown[]): unknown { return callMethod('float', args, Tensor) as never; }

/** {@link Tensor.double} as a function. */
export function double(input: TensorLike): Typed<'float64'> & Tensor;
export function double(...args: unknown[]): unknown { return callMethod('double', args, Tensor) as never; }

/** {@link Tensor.clone} as a function. */
export function clone(input: TensorLike): Tensor;
export function clone(...args: unknown[]): unknown { return callMethod('clone', args, Tensor) as never; }

/** {@link Tensor.contiguous} as a function. */
export function contiguous(input: TensorLike): Tensor;
export function contiguous(...args: unknown[]): unknown { return callMethod('contiguous', args, Tensor) as never; }

/** {@link Tensor.eq} as a function. */
export function eq(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function eq(...args: unknown[]): unknown { return callMethod('eq', args, Tensor) as never; }

/** {@link Tensor.ne} as a function. */
export function ne(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function ne(...args: unknown[]): unknown { return callMethod('ne', args, Tensor) as never; }

/** {@link Tensor.notEqual} as a function. */
export function notEqual(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function notEqual(...args: unknown[]): unknown { return callMethod('notEqual', args, Tensor) as never; }

/** {@link Tensor.lt} as a function. */
export function lt(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function lt(...args: unknown[]): unknown { return callMethod('lt', args, Tensor) as never; }

/** {@link Tensor.less} as a function. */
export function less(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function less(...args: unknown[]): unknown { return callMethod('less', args, Tensor) as never; }

/** {@link Tensor.le} as a function. */
export function le(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function le(...args: unknown[]): unknown { return callMethod('le', args, Tensor) as never; }

/** {@link Tensor.lessEqual} as a function. */
export function lessEqual(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function lessEqual(...args: unknown[]): unknown { return callMethod('lessEqual', args, Tensor) as never; }

/** {@link Tensor.gt} as a function. */
export function gt(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function gt(...args: unknown[]): unknown { return callMethod('gt', args, Tensor) as never; }

/** {@link Tensor.greater} as a function. */
export function greater(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function greater(...args: unknown[]): unknown { return callMethod('greater', args, Tensor) as never; }

/** {@link Tensor.ge} as a function. */
export function ge(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function ge(...args: unknown[]): unknown { return callMethod('ge', args, Tensor) as never; }

/** {@link Tensor.greaterEqual} as a function. */
export function greaterEqual(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function greaterEqual(...args: unknown[]): unknown { return callMethod('greaterEqual', args, Tensor) as never; }

/** {@link Tensor.logicalAnd} as a function. */
export function logicalAnd(input: TensorLike, other: TensorLike): Tensor;
export function logicalAnd(...args: unknown[]): unknown { return callMethod('logicalAnd', args, Tensor) as never; }

/** {@link Tensor.logicalOr} as a function. */
export function logicalOr(input: TensorLike, other: TensorLike): Tensor;
export function logicalOr(...args: unknown[]): unknown { return callMethod('logicalOr', args, Tensor) as never; }

/** {@link Tensor.logicalXor} as a function. */
export function logicalXor(input: TensorLike, other: TensorLike): Tensor;
export function logicalXor(...args: unknown[]): unknown { return callMethod('logicalXor', args, Tensor) as never; }

/** {@link Tensor.logicalNot} as a function. */
export function logicalNot(input: TensorLike): Tensor;
export function logicalNot(...args: unknown[]): unknown { return callMethod('logicalNot', args, Tensor) as never; }

/** {@link Tensor.isnan} as a function. */
export function isnan(input: TensorLike): Tensor;
export function isnan(...args: unknown[]): unknown { return callMethod('isnan', args, Tensor) as never; }

/** {@link Tensor.isclose} as a function. */
export function isclose(input: TensorLike, other: TensorLike, rtol?: number, atol?: number, equalNan?: boolean): Tensor;
export function isclose(input: TensorLike, other: TensorLike, options?: { rtol?: number; atol?: number; equalNan?: boolean }): Tensor;
export function isclose(...args: unknown[]): unknown { return callMethod('isclose', args, Tensor) as never; }

/**
 * `input` where `condition` is true, else `other`.
 *
 * Shapes: the three arguments and the result broadcast together. The types of `input` and `other`
 * are promoted; a `condition` that is not bool is true where it differs from 0.
 *
 * Errors: `shape` if the shapes do not broadcast.
 */
export function where(condition: TensorLike, input: TensorLike | Scalar, other: TensorLike | Scalar): Tensor;
/**
 * The indices of the true elements of `condition`: `torch.where` with one argument, which is
 * [`nonzero_numpy`](Tensor::nonzero_numpy).
 */
export function where(condition: TensorLike): Promise<Tensor[]>;
export function where(...args: unknown[]): unknown { return callOverload(71, 'where;;tensors', undefined, args, Tensor) as never; }

/**
 * A tensor of shape `size` with `fill_value` in every element.
 *
 * Without `dtype` the result has the type of `fill_value`: bool, int32 or float32; a number of
 * JavaScript makes float32, as the function `tensor` does there. Without `device` the tensor is on
 * the default device.
 *
 * Errors: `argument` if an integer type cannot hold the number; `shape` if a size is negative or
 * the tensor has too many elements; `dtype` if the device does not support the type; `device` if
 * there is no default device.
 * @param dtype default null
 * @param requiresGrad default false
 */
export function full<D extends DType = DType>(size: number | readonly number[], fillValue: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function full(...args: unknown[]): Tensor { return call(72, 'full size fillValue|dtype requiresGrad', undefined, args, Tensor); }

/**
 * A tensor of shape `size` filled with 0; float32 without `dtype`.
 *
 * Errors: as of [`full`](Tensor::full).
 * @param dtype default null
 * @param requiresGrad default false
 */
export function zeros<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function zeros(...size: number[]): Tensor;
export function zeros(...args: unknown[]): Tensor { return call(73, 'zeros *size|dtype requiresGrad', undefined, args, Tensor); }

/**
 * A tensor of shape `size` filled with 1; float32 without `dtype`.
 *
 * Errors: as of [`full`](Tensor::full).
 * @param dtype default null
 * @param requiresGrad default false
 */
export function ones<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function ones(...size: number[]): Tensor;
export function ones(...args: unknown[]): Tensor { return call(74, 'ones *size|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The numbers `start + i * step` from `start` up to `end`, which is excluded.
 *
 * Shapes: the result is `[n]` with `n = ceil((end - start) / step)`. Without `dtype` it is int32
 * if all three numbers are integers, else float32.
 *
 * Errors: `argument` if `step` is 0 or leads away from `end`, or if `start` or `end` is not
 * finite; `dtype` if the device does not support the type.
 * @param step default 1
 * @param dtype default null
 * @param requiresGrad default false
 */
export function arange<D extends DType = DType>(start: Scalar, end: Scalar, step?: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function arange<D extends DType = DType>(start: Scalar, end: Scalar, options?: { step?: Scalar; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
/**
 * [`arange`](Tensor::arange) from 0 to `end` in steps of 1.
 * @param dtype default null
 * @param requiresGrad default false
 */
export function arange<D extends DType = DType>(end: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function arange(...args: unknown[]): unknown { return callOverload(75, 'arange;;', undefined, args, Tensor) as never; }

/**
 * A matrix with 1 on the main diagonal and 0 elsewhere.
 *
 * Shapes: the result is `[n, m]`, or `[n, n]` without `m`; float32 without `dtype`.
 *
 * Errors: `shape` if `n` or `m` is negative; `dtype` if the device does not support the type.
 * @param m default null
 * @param dtype default null
 * @param requiresGrad default false
 */
export function eye<D extends DType = DType>(n: number, m?: number | null, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function eye<D extends DType = DType>(n: number, options?: { m?: number | null; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function eye(...args: unknown[]): Tensor { return call(77, 'eye n m|dtype requiresGrad', undefined, args, Tensor); }

/** {@link Tensor.diagonal} as a function. */
export function diagonal(input: TensorLike, offset?: number, dim1?: number, dim2?: number): Tensor;
export function diagonal(input: TensorLike, options?: { offset?: number; dim1?: number; dim2?: number }): Tensor;
export function diagonal(...args: unknown[]): unknown { return callMethod('diagonal', args, Tensor) as never; }

/** {@link Tensor.diagEmbed} as a function. */
export function diagEmbed(input: TensorLike, offset?: number, dim1?: number, dim2?: number): Tensor;
export function diagEmbed(input: TensorLike, options?: { offset?: number; dim1?: number; dim2?: number }): Tensor;
export function diagEmbed(...args: unknown[]): unknown { return callMethod('diagEmbed', args, Tensor) as never; }

/** {@link Tensor.div} as a function. */
export function div(input: TensorLike | number, other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): Tensor;
export function div(...args: unknown[]): unknown { return callMethod('div', args, Tensor, true) as never; }

/** {@link Tensor.divide} as a function. */
export function divide(input: TensorLike | number, other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): Tensor;
export function divide(...args: unknown[]): unknown { return callMethod('divide', args, Tensor, true) as never; }

/** {@link Tensor.trueDivide} as a function. */
export function trueDivide(input: TensorLike | number, other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): Tensor;
export function trueDivide(...args: unknown[]): unknown { return callMethod('trueDivide', args, Tensor, true) as never; }

/** {@link Tensor.floorDivide} as a function. */
export function floorDivide(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function floorDivide(...args: unknown[]): unknown { return callMethod('floorDivide', args, Tensor, true) as never; }

/** {@link Tensor.remainder} as a function. */
export function remainder(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function remainder(...args: unknown[]): unknown { return callMethod('remainder', args, Tensor, true) as never; }

/** {@link Tensor.fmod} as a function. */
export function fmod(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function fmod(...args: unknown[]): unknown { return callMethod('fmod', args, Tensor) as never; }

/** {@link Tensor.gcd} as a function. */
export function gcd(input: TensorLike, other: TensorLike): Tensor;
export function gcd(...args: unknown[]): unknown { return callMethod('gcd', args, Tensor) as never; }

/** {@link Tensor.gcd_} as a function. */
export function gcd_(input: Tensor, other: TensorLike): Tensor;
export function gcd_(...args: unknown[]): unknown { return callMethod('gcd_', args, Tensor) as never; }

/** {@link Tensor.lcm} as a function. */
export function lcm(input: TensorLike, other: TensorLike): Tensor;
export function lcm(...args: unknown[]): unknown { return callMethod('lcm', args, Tensor) as never; }

/** {@link Tensor.lcm_} as a function. */
export function lcm_(input: Tensor, other: TensorLike): Tensor;
export function lcm_(...args: unknown[]): unknown { return callMethod('lcm_', args, Tensor) as never; }

/** {@link Tensor.exp} as a function. */
export function exp(input: TensorLike): Tensor;
export function exp(...args: unknown[]): unknown { return callMethod('exp', args, Tensor) as never; }

/** {@link Tensor.exp_} as a function. */
export function exp_(input: Tensor): Tensor;
export function exp_(...args: unknown[]): unknown { return callMethod('exp_', args, Tensor) as never; }

/** {@link Tensor.expm1} as a function. */
export function expm1(input: TensorLike): Tensor;
export function expm1(...args: unknown[]): unknown { return callMethod('expm1', args, Tensor) as never; }

/** {@link Tensor.expm1_} as a function. */
export function expm1_(input: Tensor): Tensor;
export function expm1_(...args: unknown[]): unknown { return callMethod('expm1_', args, Tensor) as never; }

/** {@link Tensor.exp2} as a function. */
export function exp2(input: TensorLike): Tensor;
export function exp2(...args: unknown[]): unknown { return callMethod('exp2', args, Tensor) as never; }

/** {@link Tensor.exp2_} as a function. */
export function exp2_(input: Tensor): Tensor;
export function exp2_(...args: unknown[]): unknown { return callMethod('exp2_', args, Tensor) as never; }

/** {@link Tensor.log} as a function. */
export function log(input: TensorLike): Tensor;
export function log(...args: unknown[]): unknown { return callMethod('log', args, Tensor) as never; }

/** {@link Tensor.log_} as a function. */
export function log_(input: Tensor): Tensor;
export function log_(...args: unknown[]): unknown { return callMethod('log_', args, Tensor) as never; }

/** {@link Tensor.log1p} as a function. */
export function log1p(input: TensorLike): Tensor;
export function log1p(...args: unknown[]): unknown { return callMethod('log1p', args, Tensor) as never; }

/** {@link Tensor.log1p_} as a function. */
export function log1p_(input: Tensor): Tensor;
export function log1p_(...args: unknown[]): unknown { return callMethod('log1p_', args, Tensor) as never; }

/** {@link Tensor.log2} as a function. */
export function log2(input: TensorLike): Tensor;
export function log2(...args: unknown[]): unknown { return callMethod('log2', args, Tensor) as never; }

/** {@link Tensor.log2_} as a function. */
export function log2_(input: Tensor): Tensor;
export function log2_(...args: unknown[]): unknown { return callMethod('log2_', args, Tensor) as never; }

/** {@link Tensor.log10} as a function. */
export function log10(input: TensorLike): Tensor;
export function log10(...args: unknown[]): unknown { return callMethod('log10', args, Tensor) as never; }

/** {@link Tensor.log10_} as a function. */
export function log10_(input: Tensor): Tensor;
export function log10_(...args: unknown[]): unknown { return callMethod('log10_', args, Tensor) as never; }

/** {@link Tensor.sqrt} as a function. */
export function sqrt(input: TensorLike): Tensor;
export function sqrt(...args: unknown[]): unknown { return callMethod('sqrt', args, Tensor) as never; }

/** {@link Tensor.sqrt_} as a function. */
export function sqrt_(input: Tensor): Tensor;
export function sqrt_(...args: unknown[]): unknown { return callMethod('sqrt_', args, Tensor) as never; }

/** {@link Tensor.rsqrt} as a function. */
export function rsqrt(input: TensorLike): Tensor;
export function rsqrt(...args: unknown[]): unknown { return callMethod('rsqrt', args, Tensor) as never; }

/** {@link Tensor.rsqrt_} as a function. */
export function rsqrt_(input: Tensor): Tensor;
export function rsqrt_(...args: unknown[]): unknown { return callMethod('rsqrt_', args, Tensor) as never; }

/** {@link Tensor.pow} as a function. */
export function pow(input: TensorLike | number, exponent: TensorLike | Scalar): Tensor;
export function pow(...args: unknown[]): unknown { return callMethod('pow', args, Tensor, true) as never; }

/** {@link Tensor.floatPower} as a function. */
export function floatPower(input: TensorLike | number, exponent: TensorLike | Scalar): Tensor;
export function floatPower(...args: unknown[]): unknown { return callMethod('floatPower', args, Tensor, true) as never; }

/** {@link Tensor.sin} as a function. */
export function sin(input: TensorLike): Tensor;
export function sin(...args: unknown[]): unknown { return callMethod('sin', args, Tensor) as never; }

/** {@link Tensor.sin_} as a function. */
export function sin_(input: Tensor): Tensor;
export function sin_(...args: unknown[]): unknown { return callMethod('sin_', args, Tensor) as never; }

/** {@link Tensor.cos} as a function. */
export function cos(input: TensorLike): Tensor;
export function cos(...args: unknown[]): unknown { return callMethod('cos', args, Tensor) as never; }

/** {@link Tensor.cos_} as a function. */
export function cos_(input: Tensor): Tensor;
export function cos_(...args: unknown[]): unknown { return callMethod('cos_', args, Tensor) as never; }

/** {@link Tensor.tanh} as a function. */
export function tanh(input: TensorLike): Tensor;
export function tanh(...args: unknown[]): unknown { return callMethod('tanh', args, Tensor) as never; }

/** {@link Tensor.tanh_} as a function. */
export function tanh_(input: Tensor): Tensor;
export function tanh_(...args: unknown[]): unknown { return callMethod('tanh_', args, Tensor) as never; }

/** {@link Tensor.erf} as a function. */
export function erf(input: TensorLike): Tensor;
export function erf(...args: unknown[]): unknown { return callMethod('erf', args, Tensor) as never; }

/** {@link Tensor.erf_} as a function. */
export function erf_(input: Tensor): Tensor;
export function erf_(...args: unknown[]): unknown { return callMethod('erf_', args, Tensor) as never; }

/** {@link Tensor.fakeQuantizePerTensorAffine} as a function. */
export function fakeQuantizePerTensorAffine(input: TensorLike, scale: number, zeroPoint: number, quantMin: number, quantMax: number): Tensor;
export function fakeQuantizePerTensorAffine(input: TensorLike, scale: TensorLike, zeroPoint: TensorLike, quantMin: number, quantMax: number): Tensor;
export function fakeQuantizePerTensorAffine(...args: unknown[]): unknown { return callMethod('fakeQuantizePerTensorAffine', args, Tensor) as never; }

/** {@link Tensor.fakeQuantizePerChannelAffine} as a function. */
export function fakeQuantizePerChannelAffine(input: TensorLike, scale: TensorLike, zeroPoint: TensorLike, axis: number, quantMin: number, quantMax: number): Tensor;
export function fakeQuantizePerChannelAffine(...args: unknown[]): unknown { return callMethod('fakeQuantizePerChannelAffine', args, Tensor) as never; }

/** {@link Tensor.fakeQuantizeLearnablePerTensorAffine} as a function. */
export function fakeQuantizeLearnablePerTensorAffine(input: TensorLike, scale: TensorLike, zeroPoint: TensorLike, quantMin: number, quantMax: number, gradFactor?: number): Tensor;
export function fakeQuantizeLearnablePerTensorAffine(input: TensorLike, scale: TensorLike, zeroPoint: TensorLike, quantMin: number, quantMax: number, options?: { gradFactor?: number }): Tensor;
export function fakeQuantizeLearnablePerTensorAffine(...args: unknown[]): unknown { return callMethod('fakeQuantizeLearnablePerTensorAffine', args, Tensor) as never; }

/** {@link Tensor.fakeQuantizeLearnablePerChannelAffine} as a function. */
export function fakeQuantizeLearnablePerChannelAffine(input: TensorLike, scale: TensorLike, zeroPoint: TensorLike, axis: number, quantMin: number, quantMax: number, gradFactor?: number): Tensor;
export function fakeQuantizeLearnablePerChannelAffine(input: TensorLike, scale: TensorLike, zeroPoint: TensorLike, axis: number, quantMin: number, quantMax: number, options?: { gradFactor?: number }): Tensor;
export function fakeQuantizeLearnablePerChannelAffine(...args: unknown[]): unknown { return callMethod('fakeQuantizeLearnablePerChannelAffine', args, Tensor) as never; }

/** {@link Tensor.flip} as a function. */
export function flip(input: TensorLike, dims: number | readonly number[]): Tensor;
export function flip(input: TensorLike, ...dims: number[]): Tensor;
export function flip(...args: unknown[]): unknown { return callMethod('flip', args, Tensor) as never; }

/** {@link Tensor.gather} as a function. */
export function gather(input: TensorLike, dim: number, index: TensorLike): Tensor;
export function gather(...args: unknown[]): unknown { return callMethod('gather', args, Tensor) as never; }

/** {@link Tensor.indexSelect} as a function. */
export function indexSelect(input: TensorLike, dim: number, index: TensorLike): Tensor;
export function indexSelect(...args: unknown[]): unknown { return callMethod('indexSelect', args, Tensor) as never; }

/** {@link Tensor.scatterAdd} as a function. */
export function scatterAdd(input: TensorLike, dim: number, index: TensorLike, src: TensorLike): Tensor;
export function scatterAdd(...args: unknown[]): unknown { return callMethod('scatterAdd', args, Tensor) as never; }

/** {@link Tensor.scatter} as a function. */
export function scatter(input: TensorLike, dim: number, index: TensorLike, src: TensorLike | Scalar, options?: { reduce?: 'add' | 'multiply' | null }): Tensor;
export function scatter(input: TensorLike, dim: number, index: TensorLike, value: Scalar, options?: { reduce?: 'add' | 'multiply' | null }): Tensor;
export function scatter(...args: unknown[]): unknown { return callMethod('scatter', args, Tensor) as never; }

/** {@link Tensor.store} as a function. */
export function store(input: TensorLike, dim: number, index: TensorLike, src: TensorLike): Tensor;
export function store(...args: unknown[]): unknown { return callMethod('store', args, Tensor) as never; }

/**
 * The tensors concatenated along dimension `dim`.
 *
 * Shapes: the tensors are `[*, n_i, *]` with equal sizes except in `dim`, and the result is
 * `[*, sum of n_i, *]`. A tensor of shape `[0]` fits any other and contributes nothing. The types
 * are promoted.
 *
 * Errors: `argument` if the list is empty; `shape` if ranks or other sizes differ, or if the
 * tensors are 0-d; `index` if `dim` is out of range.
 * @param dim default 0
 */
export function cat(tensors: readonly Tensor[], dim?: number): Tensor;
export function cat(tensors: readonly Tensor[], options?: { dim?: number }): Tensor;
export function cat(...args: unknown[]): Tensor { return call(113, 'cat tensors dim', undefined, args, Tensor); }

/** Another name of `cat`. */
export function concat(tensors: readonly Tensor[], dim?: number): Tensor;
export function concat(tensors: readonly Tensor[], options?: { dim?: number }): Tensor;
export function concat(...args: unknown[]): Tensor { return call(113, 'concat tensors dim', undefined, args, Tensor); }

/** Another name of `cat`. */
export function concatenate(tensors: readonly Tensor[], dim?: number): Tensor;
export function concatenate(tensors: readonly Tensor[], options?: { dim?: number }): Tensor;
export function concatenate(...args: unknown[]): Tensor { return call(113, 'concatenate tensors dim', undefined, args, Tensor); }

/** {@link Tensor.det} as a function. */
export function det(input: TensorLike): Tensor;
export function det(...args: unknown[]): unknown { return callMethod('det', args, Tensor) as never; }

/** {@link Tensor.slogdet} as a function. */
export function slogdet(input: TensorLike): [Tensor, Tensor] & { sign: Tensor; logabsdet: Tensor };
export function slogdet(...args: unknown[]): unknown { return callMethod('slogdet', args, Tensor) as never; }

/** {@link Tensor.matrixExp} as a function. */
export function matrixExp(input: TensorLike): Tensor;
export function matrixExp(...args: unknown[]): unknown { return callMethod('matrixExp', args, Tensor) as never; }

/** {@link Tensor.choleskySolve} as a function. */
export function choleskySolve(input: TensorLike, input2: TensorLike, upper?: boolean): Tensor;
export function choleskySolve(input: TensorLike, input2: TensorLike, options?: { upper?: boolean }): Tensor;
export function choleskySolve(...args: unknown[]): unknown { return callMethod('choleskySolve', args, Tensor) as never; }

/** {@link Tensor.inverse} as a function. */
export function inverse(input: TensorLike): Tensor;
export function inverse(...args: unknown[]): unknown { return callMethod('inverse', args, Tensor) as never; }

/** {@link Tensor.matmul} as a function. */
export function matmul(input: TensorLike, other: TensorLike): Tensor;
export function matmul(...args: unknown[]): unknown { return callMethod('matmul', args, Tensor) as never; }

/** {@link Tensor.pad} as a function. */
export function pad(input: TensorLike, pad: number | readonly number[], mode?: 'constant' | 'reflect' | 'replicate' | 'circular', value?: Scalar | null): Tensor;
export function pad(input: TensorLike, pad: number | readonly number[], options?: { mode?: 'constant' | 'reflect' | 'replicate' | 'circular'; value?: Scalar | null }): Tensor;
export function pad(...args: unknown[]): unknown { return callMethod('pad', args, Tensor) as never; }

/** {@link Tensor.constantPadNd} as a function. */
export function constantPadNd(input: TensorLike, pad: number | readonly number[], value?: Scalar): Tensor;
export function constantPadNd(input: TensorLike, pad: number | readonly number[], options?: { value?: Scalar }): Tensor;
export function constantPadNd(...args: unknown[]): unknown { return callMethod('constantPadNd', args, Tensor) as never; }

/** {@link Tensor.copysign} as a function. */
export function copysign(input: TensorLike, other: TensorLike | Scalar): Tensor;
export function copysign(...args: unknown[]): unknown { return callMethod('copysign', args, Tensor) as never; }

/** {@link Tensor.signbit} as a function. */
export function signbit(input: TensorLike): Tensor;
export function signbit(...args: unknown[]): unknown { return callMethod('signbit', args, Tensor) as never; }

/** {@link Tensor.frexp} as a function. */
export function frexp(input: TensorLike): [Tensor, Tensor] & { mantissa: Tensor; exponent: Tensor };
export function frexp(...args: unknown[]): unknown { return callMethod('frexp', args, Tensor) as never; }

/** {@link Tensor.ldexp} as a function. */
export function ldexp(input: TensorLike, other: TensorLike): Tensor;
export function ldexp(...args: unknown[]): unknown { return callMethod('ldexp', args, Tensor) as never; }

/** {@link Tensor.ldexp_} as a function. */
export function ldexp_(input: Tensor, other: TensorLike): Tensor;
export function ldexp_(...args: unknown[]): unknown { return callMethod('ldexp_', args, Tensor) as never; }

/** {@link Tensor.nextafter} as a function. */
export function nextafter(input: TensorLike, other: TensorLike): Tensor;
export function nextafter(...args: unknown[]): unknown { return callMethod('nextafter', args, Tensor) as never; }

/** {@link Tensor.frac} as a function. */
export function frac(input: TensorLike): Tensor;
export function frac(...args: unknown[]): unknown { return callMethod('frac', args, Tensor) as never; }

/** {@link Tensor.frac_} as a function. */
export function frac_(input: Tensor): Tensor;
export function frac_(...args: unknown[]): unknown { return callMethod('frac_', args, Tensor) as never; }

/** {@link Tensor.isfinite} as a function. */
export function isfinite(input: TensorLike): Tensor;
export function isfinite(...args: unknown[]): unknown { return callMethod('isfinite', args, Tensor) as never; }

/** {@link Tensor.isinf} as a function. */
export function isinf(input: TensorLike): Tensor;
export function isinf(...args: unknown[]): unknown { return callMethod('isinf', args, Tensor) as never; }

/** {@link Tensor.isposinf} as a function. */
export function isposinf(input: TensorLike): Tensor;
export function isposinf(...args: unknown[]): unknown { return callMethod('isposinf', args, Tensor) as never; }

/** {@link Tensor.isneginf} as a function. */
export function isneginf(input: TensorLike): Tensor;
export function isneginf(...args: unknown[]): unknown { return callMethod('isneginf', args, Tensor) as never; }

/** {@link Tensor.nanToNum} as a function. */
export function nanToNum(input: TensorLike, nan?: number | null, posinf?: number | null, neginf?: number | null): Tensor;
export function nanToNum(input: TensorLike, options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): Tensor;
export function nanToNum(...args: unknown[]): unknown { return callMethod('nanToNum', args, Tensor) as never; }

/** {@link Tensor.nanToNum_} as a function. */
export function nanToNum_(input: Tensor, nan?: number | null, posinf?: number | null, neginf?: number | null): Tensor;
export function nanToNum_(input: Tensor, options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): Tensor;
export function nanToNum_(...args: unknown[]): unknown { return callMethod('nanToNum_', args, Tensor) as never; }

/** {@link Tensor.heaviside} as a function. */
export function heaviside(input: TensorLike, values: TensorLike): Tensor;
export function heaviside(...args: unknown[]): unknown { return callMethod('heaviside', args, Tensor) as never; }

/** {@link Tensor.maxPool1d} as a function. */
export function maxPool1d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
export function maxPool1d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
export function maxPool1d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean, returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function maxPool1d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean; returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function maxPool1d(...args: unknown[]): unknown { return callMethod('maxPool1d', args, Tensor) as never; }

/** {@link Tensor.maxPool2d} as a function. */
export function maxPool2d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
export function maxPool2d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
export function maxPool2d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean, returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function maxPool2d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean; returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function maxPool2d(...args: unknown[]): unknown { return callMethod('maxPool2d', args, Tensor) as never; }

/** {@link Tensor.maxPool3d} as a function. */
export function maxPool3d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
export function maxPool3d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
export function maxPool3d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean, returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function maxPool3d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean; returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function maxPool3d(...args: unknown[]): unknown { return callMethod('maxPool3d', args, Tensor) as never; }

/** {@link Tensor.maxUnpool1d} as a function. */
export function maxUnpool1d(input: TensorLike, indices: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputSize?: number | readonly number[] | null): Tensor;
export function maxUnpool1d(input: TensorLike, indices: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputSize?: number | readonly number[] | null }): Tensor;
export function maxUnpool1d(...args: unknown[]): unknown { return callMethod('maxUnpool1d', args, Tensor) as never; }

/** {@link Tensor.maxUnpool2d} as a function. */
export function maxUnpool2d(input: TensorLike, indices: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputSize?: number | readonly number[] | null): Tensor;
export function maxUnpool2d(input: TensorLike, indices: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputSize?: number | readonly number[] | null }): Tensor;
export function maxUnpool2d(...args: unknown[]): unknown { return callMethod('maxUnpool2d', args, Tensor) as never; }

/** {@link Tensor.maxUnpool3d} as a function. */
export function maxUnpool3d(input: TensorLike, indices: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputSize?: number | readonly number[] | null): Tensor;
export function maxUnpool3d(input: TensorLike, indices: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputSize?: number | readonly number[] | null }): Tensor;
export function maxUnpool3d(...args: unknown[]): unknown { return callMethod('maxUnpool3d', args, Tensor) as never; }

/** {@link Tensor.dequantize} as a function. */
export function dequantize(input: TensorLike, format: 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0' | 'q2_k' | 'q3_k' | 'q4_k' | 'q5_k' | 'q6_k' | 'q8_k' | 'iq4_nl' | 'iq4_xs' | 'mxfp4' | 'q4_1_128'): Tensor;
export function dequantize(...args: unknown[]): unknown { return callMethod('dequantize', args, Tensor) as never; }

/** {@link Tensor.quantize} as a function. */
export function quantize(input: TensorLike, format: 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0' | 'q2_k' | 'q3_k' | 'q4_k' | 'q5_k' | 'q6_k' | 'q8_k' | 'iq4_nl' | 'iq4_xs' | 'mxfp4' | 'q4_1_128'): Promise<Tensor>;
export function quantize(...args: unknown[]): unknown { return callMethod('quantize', args, Tensor) as never; }

/**
 * Uniform random numbers in [0, 1), with the same bits for a seed on every backend.
 *
 * Shapes: the result is of shape `size`; float32 without `dtype`. The numbers are multiples of
 * 2^-24.
 *
 * Errors: `dtype` if `dtype` is not floating point or the device does not support it; `shape` if a
 * size is negative.
 * @param dtype default null
 * @param generator the source of the random numbers; by default the device's generator
 * @param requiresGrad default false
 */
export function rand<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function rand(...size: number[]): Tensor;
export function rand(...args: unknown[]): Tensor { return drawing('rand', args, (args) => call(165, 'rand *size|dtype requiresGrad', undefined, args, Tensor)); }

/**
 * Normally distributed random numbers with mean 0 and variance 1, with the same bits for a seed on
 * every backend.
 *
 * Shapes: the result is of shape `size`; float32 without `dtype`. The numbers are multiples of
 * 2^-21 of magnitude at most 6.66.
 *
 * Errors: `dtype` if `dtype` is not floating point or the device does not support it; `shape` if a
 * size is negative.
 *
 * Source: the transform of Box and Muller, "A Note on the Generation of Random Normal Deviates"
 * (1958), in fixed point.
 * @param dtype default null
 * @param generator the source of the random numbers; by default the device's generator
 * @param requiresGrad default false
 */
export function randn<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randn(...size: number[]): Tensor;
export function randn(...args: unknown[]): Tensor { return drawing('randn', args, (args) => call(166, 'randn *size|dtype requiresGrad', undefined, args, Tensor)); }

/**
 * `randint.low` from 0.
 *
 * Errors: as of `randint.low`.
 * @param dtype default null
 * @param generator the source of the random numbers; by default the device's generator
 * @param requiresGrad default false
 */
export function randint<D extends DType = DType>(high: number, size: number | readonly number[], options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randint(high: number, ...size: number[]): Tensor;
/**
 * Uniform random integers from `low` up to `high`, which is excluded.
 *
 * Shapes: the result is of shape `size`; int32 without `dtype`. The numbers are remainders of
 * random words, as in PyTorch, so that their probabilities differ by at most `(high - low) / 2^32`
 * of each other.
 *
 * Errors: `argument` if the range is empty or exceeds int32; `shape` if a size is negative;
 * `dtype` if the device does not support `dtype`.
 * @param dtype default null
 * @param generator the source of the random numbers; by default the device's generator
 * @param requiresGrad default false
 */
export function randint<D extends DType = DType>(low: number, high: number, size: number | readonly number[], options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randint(low: number, high: number, ...size: number[]): Tensor;
export function randint(...args: unknown[]): unknown { return drawing('randint', args, (args) => callOverload(167, 'randint;;', undefined, args, Tensor) as never); }

/**
 * A random permutation of the integers from 0 up to `n`, which is excluded.
 *
 * Shapes: the result is `[n]`; int32 without `dtype`. It is shuffled on the host (Fisher and
 * Yates), and is the same for a seed on every backend.
 *
 * Errors: `shape` if `n` is negative; `dtype` if the device does not support `dtype`.
 * @param dtype default null
 * @param generator the source of the random numbers; by default the device's generator
 * @param requiresGrad default false
 */
export function randperm<D extends DType = DType>(n: number, options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randperm(...args: unknown[]): Tensor { return drawing('randperm', args, (args) => call(169, 'randperm n|dtype requiresGrad', undefined, args, Tensor)); }

/** {@link Tensor.uniform} as a function. */
export function uniform(input: TensorLike, from?: number, to?: number, options?: { generator?: Generator | null }): Tensor;
export function uniform(input: TensorLike, options?: { from?: number; to?: number; generator?: Generator | null }): Tensor;
export function uniform(...args: unknown[]): unknown { return callMethod('uniform', args, Tensor) as never; }

/** {@link Tensor.exponential} as a function. */
export function exponential(input: TensorLike, lambd?: number, options?: { generator?: Generator | null }): Tensor;
export function exponential(input: TensorLike, options?: { lambd?: number; generator?: Generator | null }): Tensor;
export function exponential(...args: unknown[]): unknown { return callMethod('exponential', args, Tensor) as never; }

/** {@link Tensor.logNormal} as a function. */
export function logNormal(input: TensorLike, mean?: number, std?: number, options?: { generator?: Generator | null }): Tensor;
export function logNormal(input: TensorLike, options?: { mean?: number; std?: number; generator?: Generator | null }): Tensor;
export function logNormal(...args: unknown[]): unknown { return callMethod('logNormal', args, Tensor) as never; }

/** {@link Tensor.cauchy} as a function. */
export function cauchy(input: TensorLike, median?: number, sigma?: number, options?: { generator?: Generator | null }): Tensor;
export function cauchy(input: TensorLike, options?: { median?: number; sigma?: number; generator?: Generator | null }): Tensor;
export function cauchy(...args: unknown[]): unknown { return callMethod('cauchy', args, Tensor) as never; }

/** {@link Tensor.geometric} as a function. */
export function geometric(input: TensorLike, p: number, options?: { generator?: Generator | null }): Tensor;
export function geometric(...args: unknown[]): unknown { return callMethod('geometric', args, Tensor) as never; }

/** {@link Tensor.bernoulli} as a function. */
export function bernoulli(input: TensorLike, options?: { generator?: Generator | null }): Tensor;
export function bernoulli(input: TensorLike, p: number, options?: { generator?: Generator | null }): Tensor;
export function bernoulli(...args: unknown[]): unknown { return callMethod('bernoulli', args, Tensor) as never; }

/**
 * Normally distributed random numbers with the means and standard deviations of two operands,
 * tensors or numbers, that broadcast together.
 *
 * Without tensors the result is 0-d and float32.
 *
 * Errors: `argument` if `std` is a negative number, or, when the result is read, if an element of
 * it is negative; `dtype` if a tensor is not floating point; `shape` if the shapes do not
 * broadcast.
 *
 * Gradient: none, as in PyTorch. `mean + std * randn(..)` has one.
 * @param std default 1.0
 * @param generator the source of the random numbers; by default the device's generator
 */
export function normal(mean: TensorLike | Scalar, std?: TensorLike | Scalar, options?: { generator?: Generator | null }): Tensor;
export function normal(mean: TensorLike | Scalar, options?: { std?: TensorLike | Scalar; generator?: Generator | null }): Tensor;
/**
 * Normally distributed random numbers of mean `mean` and standard deviation `std` in the shape
 * `size`; float32 without `dtype`.
 *
 * Errors: `argument` if `std` is negative; `dtype` if `dtype` is not floating point; `shape` if a
 * size is negative.
 * @param dtype default null
 * @param generator the source of the random numbers; by default the device's generator
 * @param requiresGrad default false
 */
export function normal<D extends DType = DType>(mean: number, std: number, size: number | readonly number[], options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function normal(mean: number, std: number, ...size: number[]): Tensor;
export function normal(...args: unknown[]): unknown { return drawing('normal', args, (args) => callOverload(177, 'normal;;', undefined, args, Tensor) as never); }

/** {@link Tensor.normalFunctional} as a function. */
export function normalFunctional(input: TensorLike, mean?: number, std?: number, options?: { generator?: Generator | null }): Tensor;
export function normalFunctional(input: TensorLike, options?: { mean?: number; std?: number; generator?: Generator | null }): Tensor;
export function normalFunctional(...args: unknown[]): unknown { return callMethod('normalFunctional', args, Tensor) as never; }

/** {@link Tensor.multinomial} as a function. */
export function multinomial(input: TensorLike, numSamples: number, replacement?: boolean, options?: { generator?: Generator | null }): Tensor;
export function multinomial(input: TensorLike, numSamples: number, options?: { replacement?: boolean; generator?: Generator | null }): Tensor;
export function multinomial(...args: unknown[]): unknown { return callMethod('multinomial', args, Tensor) as never; }

/** {@link Tensor.standardGamma} as a function. */
export function standardGamma(input: TensorLike): Tensor;
export function standardGamma(...args: unknown[]): unknown { return callMethod('standardGamma', args, Tensor) as never; }

/** {@link Tensor.standardGammaGrad} as a function. */
export function standardGammaGrad(input: TensorLike, output: TensorLike): Tensor;
export function standardGammaGrad(...args: unknown[]): unknown { return callMethod('standardGammaGrad', args, Tensor) as never; }

/** {@link Tensor.sampleDirichlet} as a function. */
export function sampleDirichlet(input: TensorLike): Tensor;
export function sampleDirichlet(...args: unknown[]): unknown { return callMethod('sampleDirichlet', args, Tensor) as never; }

/** {@link Tensor.dirichletGrad} as a function. */
export function dirichletGrad(input: TensorLike, alpha: TensorLike, total: TensorLike): Tensor;
export function dirichletGrad(...args: unknown[]): unknown { return callMethod('dirichletGrad', args, Tensor) as never; }

/** {@link Tensor.poisson} as a function. */
export function poisson(input: TensorLike, options?: { generator?: Generator | null }): Tensor;
export function poisson(...args: unknown[]): unknown { return callMethod('poisson', args, Tensor) as never; }

/** {@link Tensor.binomial} as a function. */
export function binomial(input: TensorLike, prob: TensorLike, options?: { generator?: Generator | null }): Tensor;
export function binomial(...args: unknown[]): unknown { return callMethod('binomial', args, Tensor) as never; }

/**
 * `steps` evenly spaced numbers from `start` to `end`, both included.
 *
 * Shapes: `start` and `end` are numbers or 0-d tensors; the result is `[steps]`, float32 without
 * `dtype`. With one step the result is `start`.
 *
 * Errors: `shape` if an end is a tensor with dimensions, or if `steps` is negative; `dtype` if the
 * device does not support the type.
 * @param dtype default null
 * @param requiresGrad default false
 */
export function linspace<D extends DType = DType>(start: TensorLike | Scalar, end: TensorLike | Scalar, steps: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function linspace(...args: unknown[]): Tensor { return call(187, 'linspace ^start ^end steps|dtype requiresGrad', undefined, args, Tensor); }

/**
 * `base` to the power of the numbers of [`linspace`](Tensor::linspace).
 *
 * Shapes and errors: as of [`linspace`](Tensor::linspace).
 * @param base default 10.0
 * @param dtype default null
 * @param requiresGrad default false
 */
export function logspace<D extends DType = DType>(start: TensorLike | Scalar, end: TensorLike | Scalar, steps: number, base?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function logspace<D extends DType = DType>(start: TensorLike | Scalar, end: TensorLike | Scalar, steps: number, options?: { base?: number; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function logspace(...args: unknown[]): Tensor { return call(188, 'logspace ^start ^end steps base|dtype requiresGrad', undefined, args, Tensor); }

/**
 * Layers of Elman's recurrent network (1990), `h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`, as
 * `torch.rnn_tanh`.
 *
 * Shapes, with `D` directions (2 if `bidirectional`, else 1):
 * - `input: [T, B, in]`, or `[B, T, in]` with `batch_first`; `T` is at least 1
 * - `hx: [num_layers * D, B, hidden]`, the initial states
 * - `output: [T, B, D * hidden]`, or `[B, T, D * hidden]`: the states of the last layer
 * - `h_n: [num_layers * D, B, hidden]`, the last states
 * - `params`, for each layer and in it each direction: `weight_ih: [hidden, in]` (after the first
 *   layer `[hidden, D * hidden]`), `weight_hh: [hidden, hidden]`, and with `has_biases`
 *   `bias_ih: [hidden]` and `bias_hh: [hidden]`
 *
 * If `train` is true, elements of the output of every layer except the last one are set to 0 with
 * probability `dropout`.
 *
 * Errors: `shape` if a shape does not fit; `argument` if the number of parameters is wrong,
 * `num_layers` is not positive, or `dropout` is not from 0 to 1.
 */
export function rnnTanh(input: TensorLike, hx: TensorLike, params: readonly Tensor[], hasBiases: boolean, numLayers: number, dropout: number, train: boolean, bidirectional: boolean, batchFirst: boolean): [Tensor, Tensor] & { output: Tensor; hN: Tensor };
export function rnnTanh(...args: unknown[]): unknown { return callAny(189, 'rnnTanh ^input ^hx params hasBiases numLayers dropout train bidirectional batchFirst', ['output', 'hN'], undefined, args, Tensor) as never; }

/**
 * [`rnn_tanh`](Tensor::rnn_tanh) with `relu` instead of `tanh`, as `torch.rnn_relu`.
 *
 * Shapes and errors: as of [`rnn_tanh`](Tensor::rnn_tanh).
 */
export function rnnRelu(input: TensorLike, hx: TensorLike, params: readonly Tensor[], hasBiases: boolean, numLayers: number, dropout: number, train: boolean, bidirectional: boolean, batchFirst: boolean): [Tensor, Tensor] & { output: Tensor; hN: Tensor };
export function rnnRelu(...args: unknown[]): unknown { return callAny(190, 'rnnRelu ^input ^hx params hasBiases numLayers dropout train bidirectional batchFirst', ['output', 'hN'], undefined, args, Tensor) as never; }

/**
 * Layers of gated recurrent units, as `torch.gru`.
 *
 * `r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)`, `z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)`,
 * `n = tanh(W_in x + b_in + r * (W_hn h + b_hn))`, `h' = (1 - z) * n + z * h`.
 *
 * Shapes: as of [`rnn_tanh`](Tensor::rnn_tanh), with `3 * hidden` rows of weights and biases, for
 * r, z and n.
 *
 * Errors: as of [`rnn_tanh`](Tensor::rnn_tanh).
 *
 * Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for Statistical
 * Machine Translation" (2014).
 */
export function gru(input: TensorLike, hx: TensorLike, params: readonly Tensor[], hasBiases: boolean, numLayers: number, dropout: number, train: boolean, bidirectional: boolean, batchFirst: boolean): [Tensor, Tensor] & { output: Tensor; hN: Tensor };
export function gru(...args: unknown[]): unknown { return callAny(191, 'gru ^input ^hx params hasBiases numLayers dropout train bidirectional batchFirst', ['output', 'hN'], undefined, args, Tensor) as never; }

/**
 * Layers of long short-term memory, as `torch.lstm`.
 *
 * `i = sigmoid(W_ii x + b_ii + W_hi h + b_hi)`, `f` and `o` likewise,
 * `g = tanh(W_ig x + b_ig + W_hg h + b_hg)`, `c' = f * c + i * g`, `h' = o * tanh(c')`.
 *
 * Shapes: as of [`rnn_tanh`](Tensor::rnn_tanh), with `4 * hidden` rows of weights and biases, for
 * i, f, g and o. `hx` is a list of the initial `h` and `c`. With one more parameter for each
 * direction, `weight_hr: [out, hidden]`, the output is projected, `h' = W_hr (o * tanh(c'))`, and
 * `out` replaces `hidden` in the shapes of `h`, `h_n`, `output` and the columns of `weight_hh`.
 *
 * Errors: `argument` also if `hx` is not a list of two; otherwise as of
 * [`rnn_tanh`](Tensor::rnn_tanh).
 *
 * Source: Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997); projections: Sak et al.,
 * "Long Short-Term Memory Based Recurrent Neural Network Architectures for Large Vocabulary Speech
 * Recognition" (2014).
 */
export function lstm(input: TensorLike, hx: readonly Tensor[], params: readonly Tensor[], hasBiases: boolean, numLayers: number, dropout: number, train: boolean, bidirectional: boolean, batchFirst: boolean): [Tensor, Tensor, Tensor] & { output: Tensor; hN: Tensor; cN: Tensor };
export function lstm(...args: unknown[]): unknown { return callAny(192, 'lstm ^input hx params hasBiases numLayers dropout train bidirectional batchFirst', ['output', 'hN', 'cN'], undefined, args, Tensor) as never; }

/**
 * One step of [`rnn_tanh`](Tensor::rnn_tanh), as `torch.rnn_tanh_cell`:
 * `tanh(w_ih @ input + b_ih + w_hh @ hx + b_hh)`.
 *
 * Shapes: `input: [B, in]`, `hx: [B, hidden]`, `result: [B, hidden]`, or all without `B`;
 * `w_ih: [hidden, in]`, `w_hh: [hidden, hidden]`, `b_ih` and `b_hh`: `[hidden]`.
 *
 * Errors: `shape` if a shape does not fit; `dtype` if the types differ.
 * @param bIh default null
 * @param bHh default null
 */
export function rnnTanhCell(input: TensorLike, hx: TensorLike, wIh: TensorLike, wHh: TensorLike, bIh?: TensorLike | null, bHh?: TensorLike | null): Tensor;
export function rnnTanhCell(input: TensorLike, hx: TensorLike, wIh: TensorLike, wHh: TensorLike, options?: { bIh?: TensorLike | null; bHh?: TensorLike | null }): Tensor;
export function rnnTanhCell(...args: unknown[]): Tensor { return call(193, 'rnnTanhCell ^input ^hx ^wIh ^wHh ^bIh ^bHh', undefined, args, Tensor); }

/**
 * One step of [`rnn_relu`](Tensor::rnn_relu), as `torch.rnn_relu_cell`.
 *
 * Shapes and errors: as of [`rnn_tanh_cell`](Tensor::rnn_tanh_cell).
 * @param bIh default null
 * @param bHh default null
 */
export function rnnReluCell(input: TensorLike, hx: TensorLike, wIh: TensorLike, wHh: TensorLike, bIh?: TensorLike | null, bHh?: TensorLike | null): Tensor;
export function rnnReluCell(input: TensorLike, hx: TensorLike, wIh: TensorLike, wHh: TensorLike, options?: { bIh?: TensorLike | null; bHh?: TensorLike | null }): Tensor;
export function rnnReluCell(...args: unknown[]): Tensor { return call(194, 'rnnReluCell ^input ^hx ^wIh ^wHh ^bIh ^bHh', undefined, args, Tensor); }

/**
 * One step of [`gru`](Tensor::gru), as `torch.gru_cell`.
 *
 * Shapes: as of [`rnn_tanh_cell`](Tensor::rnn_tanh_cell), with `3 * hidden` rows of weights and
 * biases.
 *
 * Errors: `shape` if a shape does not fit; `dtype` if the types differ.
 * @param bIh default null
 * @param bHh default null
 */
export function gruCell(input: TensorLike, hx: TensorLike, wIh: TensorLike, wHh: TensorLike, bIh?: TensorLike | null, bHh?: TensorLike | null): Tensor;
export function gruCell(input: TensorLike, hx: TensorLike, wIh: TensorLike, wHh: TensorLike, options?: { bIh?: TensorLike | null; bHh?: TensorLike | null }): Tensor;
export function gruCell(...args: unknown[]): Tensor { return call(195, 'gruCell ^input ^hx ^wIh ^wHh ^bIh ^bHh', undefined, args, Tensor); }

/**
 * One step of [`lstm`](Tensor::lstm), as `torch.lstm_cell`: the next hidden state `h` and cell
 * state `c`.
 *
 * Shapes: as of [`rnn_tanh_cell`](Tensor::rnn_tanh_cell), with `4 * hidden` rows of weights and
 * biases; `hx` is a list of `h` and `c`.
 *
 * Errors: `shape` if a shape does not fit; `dtype` if the types differ; `argument` if `hx` is not
 * a list of two.
 * @param bIh default null
 * @param bHh default null
 */
export function lstmCell(input: TensorLike, hx: readonly Tensor[], wIh: TensorLike, wHh: TensorLike, bIh?: TensorLike | null, bHh?: TensorLike | null): [Tensor, Tensor] & { h: Tensor; c: Tensor };
export function lstmCell(input: TensorLike, hx: readonly Tensor[], wIh: TensorLike, wHh: TensorLike, options?: { bIh?: TensorLike | null; bHh?: TensorLike | null }): [Tensor, Tensor] & { h: Tensor; c: Tensor };
export function lstmCell(...args: unknown[]): unknown { return callAny(196, 'lstmCell ^input hx ^wIh ^wHh ^bIh ^bHh', ['h', 'c'], undefined, args, Tensor) as never; }

/** {@link Tensor.sum} as a function. */
export function sum<D extends DType = DType>(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function sum<D extends DType = DType>(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function sum(...args: unknown[]): unknown { return callMethod('sum', args, Tensor) as never; }

/** {@link Tensor.prod} as a function. */
export function prod<D extends DType = DType>(input: TensorLike, dim?: number | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function prod<D extends DType = DType>(input: TensorLike, options?: { dim?: number | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function prod(...args: unknown[]): unknown { return callMethod('prod', args, Tensor) as never; }

/** {@link Tensor.amax} as a function. */
export function amax(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
export function amax(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
export function amax(...args: unknown[]): unknown { return callMethod('amax', args, Tensor) as never; }

/** {@link Tensor.amin} as a function. */
export function amin(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
export function amin(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
export function amin(...args: unknown[]): unknown { return callMethod('amin', args, Tensor) as never; }

/** {@link Tensor.argmax} as a function. */
export function argmax(input: TensorLike, dim?: number | null, keepdim?: boolean): Tensor;
export function argmax(input: TensorLike, options?: { dim?: number | null; keepdim?: boolean }): Tensor;
export function argmax(...args: unknown[]): unknown { return callMethod('argmax', args, Tensor) as never; }

/** {@link Tensor.argmin} as a function. */
export function argmin(input: TensorLike, dim?: number | null, keepdim?: boolean): Tensor;
export function argmin(input: TensorLike, options?: { dim?: number | null; keepdim?: boolean }): Tensor;
export function argmin(...args: unknown[]): unknown { return callMethod('argmin', args, Tensor) as never; }

/** {@link Tensor.max} as a function. */
export function max(input: TensorLike): Tensor;
export function max(input: TensorLike, dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function max(input: TensorLike, dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function max(input: TensorLike, other: TensorLike): Tensor;
export function max(...args: unknown[]): unknown { return callMethod('max', args, Tensor) as never; }

/** {@link Tensor.min} as a function. */
export function min(input: TensorLike): Tensor;
export function min(input: TensorLike, dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function min(input: TensorLike, dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function min(input: TensorLike, other: TensorLike): Tensor;
export function min(...args: unknown[]): unknown { return callMethod('min', args, Tensor) as never; }

/** {@link Tensor.aminmax} as a function. */
export function aminmax(input: TensorLike, options?: { dim?: number | null; keepdim?: boolean }): [Tensor, Tensor] & { min: Tensor; max: Tensor };
export function aminmax(...args: unknown[]): unknown { return callMethod('aminmax', args, Tensor) as never; }

/** {@link Tensor.countNonzero} as a function. */
export function countNonzero(input: TensorLike, dim?: number | readonly number[] | null): Tensor;
export function countNonzero(input: TensorLike, options?: { dim?: number | readonly number[] | null }): Tensor;
export function countNonzero(...args: unknown[]): unknown { return callMethod('countNonzero', args, Tensor) as never; }

/** {@link Tensor.any} as a function. */
export function any(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
export function any(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
export function any(...args: unknown[]): unknown { return callMethod('any', args, Tensor) as never; }

/** {@link Tensor.all} as a function. */
export function all(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
export function all(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
export function all(...args: unknown[]): unknown { return callMethod('all', args, Tensor) as never; }

/** {@link Tensor.floor} as a function. */
export function floor(input: TensorLike): Tensor;
export function floor(...args: unknown[]): unknown { return callMethod('floor', args, Tensor) as never; }

/** {@link Tensor.floor_} as a function. */
export function floor_(input: Tensor): Tensor;
export function floor_(...args: unknown[]): unknown { return callMethod('floor_', args, Tensor) as never; }

/** {@link Tensor.ceil} as a function. */
export function ceil(input: TensorLike): Tensor;
export function ceil(...args: unknown[]): unknown { return callMethod('ceil', args, Tensor) as never; }

/** {@link Tensor.ceil_} as a function. */
export function ceil_(input: Tensor): Tensor;
export function ceil_(...args: unknown[]): unknown { return callMethod('ceil_', args, Tensor) as never; }

/** {@link Tensor.round} as a function. */
export function round(input: TensorLike, options?: { decimals?: number }): Tensor;
export function round(...args: unknown[]): unknown { return callMethod('round', args, Tensor) as never; }

/** {@link Tensor.round_} as a function. */
export function round_(input: Tensor, options?: { decimals?: number }): Tensor;
export function round_(...args: unknown[]): unknown { return callMethod('round_', args, Tensor) as never; }

/** {@link Tensor.trunc} as a function. */
export function trunc(input: TensorLike): Tensor;
export function trunc(...args: unknown[]): unknown { return callMethod('trunc', args, Tensor) as never; }

/** {@link Tensor.trunc_} as a function. */
export function trunc_(input: Tensor): Tensor;
export function trunc_(...args: unknown[]): unknown { return callMethod('trunc_', args, Tensor) as never; }

/** {@link Tensor.fix} as a function. */
export function fix(input: TensorLike): Tensor;
export function fix(...args: unknown[]): unknown { return callMethod('fix', args, Tensor) as never; }

/** {@link Tensor.fix_} as a function. */
export function fix_(input: Tensor): Tensor;
export function fix_(...args: unknown[]): unknown { return callMethod('fix_', args, Tensor) as never; }

/** {@link Tensor.cumsum} as a function. */
export function cumsum<D extends DType = DType>(input: TensorLike, dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function cumsum(...args: unknown[]): unknown { return callMethod('cumsum', args, Tensor) as never; }

/** {@link Tensor.cumprod} as a function. */
export function cumprod<D extends DType = DType>(input: TensorLike, dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function cumprod(...args: unknown[]): unknown { return callMethod('cumprod', args, Tensor) as never; }

/** {@link Tensor.cummax} as a function. */
export function cummax(input: TensorLike, dim: number): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function cummax(...args: unknown[]): unknown { return callMethod('cummax', args, Tensor) as never; }

/** {@link Tensor.cummin} as a function. */
export function cummin(input: TensorLike, dim: number): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function cummin(...args: unknown[]): unknown { return callMethod('cummin', args, Tensor) as never; }

/** {@link Tensor.logcumsumexp} as a function. */
export function logcumsumexp(input: TensorLike, dim: number): Tensor;
export function logcumsumexp(...args: unknown[]): unknown { return callMethod('logcumsumexp', args, Tensor) as never; }

/** {@link Tensor.scatterReduce} as a function. */
export function scatterReduce(input: TensorLike, dim: number, index: TensorLike, src: TensorLike, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', options?: { includeSelf?: boolean }): Tensor;
export function scatterReduce(...args: unknown[]): unknown { return callMethod('scatterReduce', args, Tensor) as never; }

/** {@link Tensor.indexReduce} as a function. */
export function indexReduce(input: TensorLike, dim: number, index: TensorLike, source: TensorLike, reduce: 'prod' | 'mean' | 'amax' | 'amin', options?: { includeSelf?: boolean }): Tensor;
export function indexReduce(...args: unknown[]): unknown { return callMethod('indexReduce', args, Tensor) as never; }

/** {@link Tensor.indexAdd} as a function. */
export function indexAdd(input: TensorLike, dim: number, index: TensorLike, source: TensorLike, options?: { alpha?: Scalar }): Tensor;
export function indexAdd(...args: unknown[]): unknown { return callMethod('indexAdd', args, Tensor) as never; }

/** {@link Tensor.indexCopy} as a function. */
export function indexCopy(input: TensorLike, dim: number, index: TensorLike, source: TensorLike): Tensor;
export function indexCopy(...args: unknown[]): unknown { return callMethod('indexCopy', args, Tensor) as never; }

/** {@link Tensor.sort} as a function. */
export function sort(input: TensorLike, dim?: number, descending?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function sort(input: TensorLike, options?: { dim?: number; descending?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function sort(input: TensorLike, dim?: number, descending?: boolean, options?: { stable?: boolean | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function sort(input: TensorLike, options?: { dim?: number; descending?: boolean; stable?: boolean | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function sort(...args: unknown[]): unknown { return callMethod('sort', args, Tensor) as never; }

/** {@link Tensor.argsort} as a function. */
export function argsort(input: TensorLike, dim?: number, descending?: boolean): Tensor;
export function argsort(input: TensorLike, options?: { dim?: number; descending?: boolean }): Tensor;
export function argsort(input: TensorLike, dim?: number, descending?: boolean, options?: { stable?: boolean }): Tensor;
export function argsort(input: TensorLike, options?: { dim?: number; descending?: boolean; stable?: boolean }): Tensor;
export function argsort(...args: unknown[]): unknown { return callMethod('argsort', args, Tensor) as never; }

/** {@link Tensor.erfc} as a function. */
export function erfc(input: TensorLike): Tensor;
export function erfc(...args: unknown[]): unknown { return callMethod('erfc', args, Tensor) as never; }

/** {@link Tensor.erfc_} as a function. */
export function erfc_(input: Tensor): Tensor;
export function erfc_(...args: unknown[]): unknown { return callMethod('erfc_', args, Tensor) as never; }

/** {@link Tensor.erfinv} as a function. */
export function erfinv(input: TensorLike): Tensor;
export function erfinv(...args: unknown[]): unknown { return callMethod('erfinv', args, Tensor) as never; }

/** {@link Tensor.lgamma} as a function. */
export function lgamma(input: TensorLike): Tensor;
export function lgamma(...args: unknown[]): unknown { return callMethod('lgamma', args, Tensor) as never; }

/** {@link Tensor.digamma} as a function. */
export function digamma(input: TensorLike): Tensor;
export function digamma(...args: unknown[]): unknown { return callMethod('digamma', args, Tensor) as never; }

/**
 * The `n`-th derivative of [`digamma`](Tensor::digamma).
 *
 * Errors: `argument` if `n` is not from 0 to 170.
 */
export function polygamma(n: number, self: TensorLike): Tensor;
export function polygamma(...args: unknown[]): Tensor { return call(237, 'polygamma n ^self', undefined, args, Tensor); }

/** {@link Tensor.igamma} as a function. */
export function igamma(input: TensorLike, other: TensorLike): Tensor;
export function igamma(...args: unknown[]): unknown { return callMethod('igamma', args, Tensor) as never; }

/** {@link Tensor.igammac} as a function. */
export function igammac(input: TensorLike, other: TensorLike): Tensor;
export function igammac(...args: unknown[]): unknown { return callMethod('igammac', args, Tensor) as never; }

/** {@link Tensor.i0} as a function. */
export function i0(input: TensorLike): Tensor;
export function i0(...args: unknown[]): unknown { return callMethod('i0', args, Tensor) as never; }

/** {@link Tensor.i0_} as a function. */
export function i0_(input: Tensor): Tensor;
export function i0_(...args: unknown[]): unknown { return callMethod('i0_', args, Tensor) as never; }

/** {@link Tensor.xlogy} as a function. */
export function xlogy(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function xlogy(...args: unknown[]): unknown { return callMethod('xlogy', args, Tensor, true) as never; }

/** {@link Tensor.xlogy_} as a function. */
export function xlogy_(input: Tensor, other: TensorLike | Scalar): Tensor;
export function xlogy_(...args: unknown[]): unknown { return callMethod('xlogy_', args, Tensor) as never; }

/** {@link Tensor.logit} as a function. */
export function logit(input: TensorLike, eps?: number | null): Tensor;
export function logit(input: TensorLike, options?: { eps?: number | null }): Tensor;
export function logit(...args: unknown[]): unknown { return callMethod('logit', args, Tensor) as never; }

/** {@link Tensor.logit_} as a function. */
export function logit_(input: Tensor, eps?: number | null): Tensor;
export function logit_(input: Tensor, options?: { eps?: number | null }): Tensor;
export function logit_(...args: unknown[]): unknown { return callMethod('logit_', args, Tensor) as never; }

/** {@link Tensor.logaddexp} as a function. */
export function logaddexp(input: TensorLike, other: TensorLike): Tensor;
export function logaddexp(...args: unknown[]): unknown { return callMethod('logaddexp', args, Tensor) as never; }

/** {@link Tensor.logaddexp2} as a function. */
export function logaddexp2(input: TensorLike, other: TensorLike): Tensor;
export function logaddexp2(...args: unknown[]): unknown { return callMethod('logaddexp2', args, Tensor) as never; }

/** {@link Tensor.asStrided} as a function. */
export function asStrided(input: TensorLike, size: number | readonly number[], stride: number | readonly number[], storageOffset?: number | null): Tensor;
export function asStrided(input: TensorLike, size: number | readonly number[], stride: number | readonly number[], options?: { storageOffset?: number | null }): Tensor;
export function asStrided(...args: unknown[]): unknown { return callMethod('asStrided', args, Tensor) as never; }

/** {@link Tensor.asStrided_} as a function. */
export function asStrided_(input: Tensor, size: number | readonly number[], stride: number | readonly number[], storageOffset?: number | null): Tensor;
export function asStrided_(input: Tensor, size: number | readonly number[], stride: number | readonly number[], options?: { storageOffset?: number | null }): Tensor;
export function asStrided_(...args: unknown[]): unknown { return callMethod('asStrided_', args, Tensor) as never; }

/** {@link Tensor.tril} as a function. */
export function tril(input: TensorLike, diagonal?: number): Tensor;
export function tril(input: TensorLike, options?: { diagonal?: number }): Tensor;
export function tril(...args: unknown[]): unknown { return callMethod('tril', args, Tensor) as never; }

/** {@link Tensor.triu} as a function. */
export function triu(input: TensorLike, diagonal?: number): Tensor;
export function triu(input: TensorLike, options?: { diagonal?: number }): Tensor;
export function triu(...args: unknown[]): unknown { return callMethod('triu', args, Tensor) as never; }

/**
 * The row and column indices of the elements on and below a diagonal of a matrix of `row` rows and
 * `col` columns, in row-major order.
 *
 * Shapes: the result is `[2, k]`, rows first; int32 without `dtype`. `offset` counts upwards from
 * the main diagonal.
 *
 * Errors: `shape` if `row` or `col` is negative or the matrix has too many elements; `dtype` if
 * the device does not support `dtype`.
 * @param offset default 0
 * @param dtype default null
 * @param requiresGrad default false
 */
export function trilIndices<D extends DType = DType>(row: number, col: number, offset?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function trilIndices<D extends DType = DType>(row: number, col: number, options?: { offset?: number; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function trilIndices(...args: unknown[]): Tensor { return call(253, 'trilIndices row col offset|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The row and column indices of the elements on and above a diagonal of a matrix of `row` rows and
 * `col` columns, in row-major order.
 *
 * Shapes and errors: as of [`tril_indices`](Tensor::tril_indices).
 * @param offset default 0
 * @param dtype default null
 * @param requiresGrad default false
 */
export function triuIndices<D extends DType = DType>(row: number, col: number, offset?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function triuIndices<D extends DType = DType>(row: number, col: number, options?: { offset?: number; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function triuIndices(...args: unknown[]): Tensor { return call(254, 'triuIndices row col offset|dtype requiresGrad', undefined, args, Tensor); }

/** {@link Tensor.tan} as a function. */
export function tan(input: TensorLike): Tensor;
export function tan(...args: unknown[]): unknown { return callMethod('tan', args, Tensor) as never; }

/** {@link Tensor.tan_} as a function. */
export function tan_(input: Tensor): Tensor;
export function tan_(...args: unknown[]): unknown { return callMethod('tan_', args, Tensor) as never; }

/** {@link Tensor.asin} as a function. */
export function asin(input: TensorLike): Tensor;
export function asin(...args: unknown[]): unknown { return callMethod('asin', args, Tensor) as never; }

/** {@link Tensor.asin_} as a function. */
export function asin_(input: Tensor): Tensor;
export function asin_(...args: unknown[]): unknown { return callMethod('asin_', args, Tensor) as never; }

/** {@link Tensor.arcsin} as a function. */
export function arcsin(input: TensorLike): Tensor;
export function arcsin(...args: unknown[]): unknown { return callMethod('arcsin', args, Tensor) as never; }

/** {@link Tensor.arcsin_} as a function. */
export function arcsin_(input: Tensor): Tensor;
export function arcsin_(...args: unknown[]): unknown { return callMethod('arcsin_', args, Tensor) as never; }

/** {@link Tensor.acos} as a function. */
export function acos(input: TensorLike): Tensor;
export function acos(...args: unknown[]): unknown { return callMethod('acos', args, Tensor) as never; }

/** {@link Tensor.acos_} as a function. */
export function acos_(input: Tensor): Tensor;
export function acos_(...args: unknown[]): unknown { return callMethod('acos_', args, Tensor) as never; }

/** {@link Tensor.arccos} as a function. */
export function arccos(input: TensorLike): Tensor;
export function arccos(...args: unknown[]): unknown { return callMethod('arccos', args, Tensor) as never; }

/** {@link Tensor.arccos_} as a function. */
export function arccos_(input: Tensor): Tensor;
export function arccos_(...args: unknown[]): unknown { return callMethod('arccos_', args, Tensor) as never; }

/** {@link Tensor.atan} as a function. */
export function atan(input: TensorLike): Tensor;
export function atan(...args: unknown[]): unknown { return callMethod('atan', args, Tensor) as never; }

/** {@link Tensor.atan_} as a function. */
export function atan_(input: Tensor): Tensor;
export function atan_(...args: unknown[]): unknown { return callMethod('atan_', args, Tensor) as never; }

/** {@link Tensor.arctan} as a function. */
export function arctan(input: TensorLike): Tensor;
export function arctan(...args: unknown[]): unknown { return callMethod('arctan', args, Tensor) as never; }

/** {@link Tensor.arctan_} as a function. */
export function arctan_(input: Tensor): Tensor;
export function arctan_(...args: unknown[]): unknown { return callMethod('arctan_', args, Tensor) as never; }

/** {@link Tensor.atan2} as a function. */
export function atan2(input: TensorLike, other: TensorLike): Tensor;
export function atan2(...args: unknown[]): unknown { return callMethod('atan2', args, Tensor) as never; }

/** {@link Tensor.arctan2} as a function. */
export function arctan2(input: TensorLike, other: TensorLike): Tensor;
export function arctan2(...args: unknown[]): unknown { return callMethod('arctan2', args, Tensor) as never; }

/** {@link Tensor.hypot} as a function. */
export function hypot(input: TensorLike, other: TensorLike): Tensor;
export function hypot(...args: unknown[]): unknown { return callMethod('hypot', args, Tensor) as never; }

/** {@link Tensor.sinh} as a function. */
export function sinh(input: TensorLike): Tensor;
export function sinh(...args: unknown[]): unknown { return callMethod('sinh', args, Tensor) as never; }

/** {@link Tensor.sinh_} as a function. */
export function sinh_(input: Tensor): Tensor;
export function sinh_(...args: unknown[]): unknown { return callMethod('sinh_', args, Tensor) as never; }

/** {@link Tensor.cosh} as a function. */
export function cosh(input: TensorLike): Tensor;
export function cosh(...args: unknown[]): unknown { return callMethod('cosh', args, Tensor) as never; }

/** {@link Tensor.cosh_} as a function. */
export function cosh_(input: Tensor): Tensor;
export function cosh_(...args: unknown[]): unknown { return callMethod('cosh_', args, Tensor) as never; }

/** {@link Tensor.asinh} as a function. */
export function asinh(input: TensorLike): Tensor;
export function asinh(...args: unknown[]): unknown { return callMethod('asinh', args, Tensor) as never; }

/** {@link Tensor.asinh_} as a function. */
export function asinh_(input: Tensor): Tensor;
export function asinh_(...args: unknown[]): unknown { return callMethod('asinh_', args, Tensor) as never; }

/** {@link Tensor.arcsinh} as a function. */
export function arcsinh(input: TensorLike): Tensor;
export function arcsinh(...args: unknown[]): unknown { return callMethod('arcsinh', args, Tensor) as never; }

/** {@link Tensor.arcsinh_} as a function. */
export function arcsinh_(input: Tensor): Tensor;
export function arcsinh_(...args: unknown[]): unknown { return callMethod('arcsinh_', args, Tensor) as never; }

/** {@link Tensor.acosh} as a function. */
export function acosh(input: TensorLike): Tensor;
export function acosh(...args: unknown[]): unknown { return callMethod('acosh', args, Tensor) as never; }

/** {@link Tensor.acosh_} as a function. */
export function acosh_(input: Tensor): Tensor;
export function acosh_(...args: unknown[]): unknown { return callMethod('acosh_', args, Tensor) as never; }

/** {@link Tensor.arccosh} as a function. */
export function arccosh(input: TensorLike): Tensor;
export function arccosh(...args: unknown[]): unknown { return callMethod('arccosh', args, Tensor) as never; }

/** {@link Tensor.arccosh_} as a function. */
export function arccosh_(input: Tensor): Tensor;
export function arccosh_(...args: unknown[]): unknown { return callMethod('arccosh_', args, Tensor) as never; }

/** {@link Tensor.atanh} as a function. */
export function atanh(input: TensorLike): Tensor;
export function atanh(...args: unknown[]): unknown { return callMethod('atanh', args, Tensor) as never; }

/** {@link Tensor.atanh_} as a function. */
export function atanh_(input: Tensor): Tensor;
export function atanh_(...args: unknown[]): unknown { return callMethod('atanh_', args, Tensor) as never; }

/** {@link Tensor.arctanh} as a function. */
export function arctanh(input: TensorLike): Tensor;
export function arctanh(...args: unknown[]): unknown { return callMethod('arctanh', args, Tensor) as never; }

/** {@link Tensor.arctanh_} as a function. */
export function arctanh_(input: Tensor): Tensor;
export function arctanh_(...args: unknown[]): unknown { return callMethod('arctanh_', args, Tensor) as never; }

/** {@link Tensor.sinc} as a function. */
export function sinc(input: TensorLike): Tensor;
export function sinc(...args: unknown[]): unknown { return callMethod('sinc', args, Tensor) as never; }

/** {@link Tensor.sinc_} as a function. */
export function sinc_(input: Tensor): Tensor;
export function sinc_(...args: unknown[]): unknown { return callMethod('sinc_', args, Tensor) as never; }

/** {@link Tensor.deg2rad} as a function. */
export function deg2rad(input: TensorLike): Tensor;
export function deg2rad(...args: unknown[]): unknown { return callMethod('deg2rad', args, Tensor) as never; }

/** {@link Tensor.deg2rad_} as a function. */
export function deg2rad_(input: Tensor): Tensor;
export function deg2rad_(...args: unknown[]): unknown { return callMethod('deg2rad_', args, Tensor) as never; }

/** {@link Tensor.rad2deg} as a function. */
export function rad2deg(input: TensorLike): Tensor;
export function rad2deg(...args: unknown[]): unknown { return callMethod('rad2deg', args, Tensor) as never; }

/** {@link Tensor.rad2deg_} as a function. */
export function rad2deg_(input: Tensor): Tensor;
export function rad2deg_(...args: unknown[]): unknown { return callMethod('rad2deg_', args, Tensor) as never; }

/** {@link Tensor.im2col} as a function. */
export function im2col(input: TensorLike, kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
export function im2col(input: TensorLike, kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
export function im2col(...args: unknown[]): unknown { return callMethod('im2col', args, Tensor) as never; }

/** {@link Tensor.col2im} as a function. */
export function col2im(input: TensorLike, outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
export function col2im(input: TensorLike, outputSize: number | readonly number[], kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
export function col2im(...args: unknown[]): unknown { return callMethod('col2im', args, Tensor) as never; }

/** {@link Tensor.fold} as a function. */
export function fold(input: TensorLike, outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
export function fold(input: TensorLike, outputSize: number | readonly number[], kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
export function fold(...args: unknown[]): unknown { return callMethod('fold', args, Tensor) as never; }

/** {@link Tensor.unfold} as a function. */
export function unfold(input: TensorLike, dimension: number, size: number, step: number): Tensor;
export function unfold(...args: unknown[]): unknown { return callMethod('unfold', args, Tensor) as never; }

/** {@link Tensor.reshape} as a function. */
export function reshape(input: TensorLike, shape: number | readonly number[]): Tensor;
export function reshape(input: TensorLike, ...shape: number[]): Tensor;
export function reshape(...args: unknown[]): unknown { return callMethod('reshape', args, Tensor) as never; }

/** {@link Tensor.view} as a function. */
export function view(input: TensorLike, size: number | readonly number[]): Tensor;
export function view(input: TensorLike, ...size: number[]): Tensor;
export function view(...args: unknown[]): unknown { return callMethod('view', args, Tensor) as never; }

/** {@link Tensor.permute} as a function. */
export function permute(input: TensorLike, dims: number | readonly number[]): Tensor;
export function permute(input: TensorLike, ...dims: number[]): Tensor;
export function permute(...args: unknown[]): unknown { return callMethod('permute', args, Tensor) as never; }

/** {@link Tensor.transpose} as a function. */
export function transpose(input: TensorLike, dim0: number, dim1: number): Tensor;
export function transpose(...args: unknown[]): unknown { return callMethod('transpose', args, Tensor) as never; }

/** {@link Tensor.swapaxes} as a function. */
export function swapaxes(input: TensorLike, dim0: number, dim1: number): Tensor;
export function swapaxes(...args: unknown[]): unknown { return callMethod('swapaxes', args, Tensor) as never; }

/** {@link Tensor.swapdims} as a function. */
export function swapdims(input: TensorLike, dim0: number, dim1: number): Tensor;
export function swapdims(...args: unknown[]): unknown { return callMethod('swapdims', args, Tensor) as never; }

/** {@link Tensor.expand} as a function. */
export function expand(input: TensorLike, size: number | readonly number[]): Tensor;
export function expand(input: TensorLike, ...size: number[]): Tensor;
export function expand(...args: unknown[]): unknown { return callMethod('expand', args, Tensor) as never; }

/** {@link Tensor.unsqueeze} as a function. */
export function unsqueeze(input: TensorLike, dim: number): Tensor;
export function unsqueeze(...args: unknown[]): unknown { return callMethod('unsqueeze', args, Tensor) as never; }

/** {@link Tensor.squeeze} as a function. */
export function squeeze(input: TensorLike, dim?: number | readonly number[] | null): Tensor;
export function squeeze(input: TensorLike, options?: { dim?: number | readonly number[] | null }): Tensor;
export function squeeze(...args: unknown[]): unknown { return callMethod('squeeze', args, Tensor) as never; }

/** {@link Tensor.slice} as a function. */
export function slice(input: TensorLike, dim?: number, start?: number | null, end?: number | null, step?: number): Tensor;
export function slice(input: TensorLike, options?: { dim?: number; start?: number | null; end?: number | null; step?: number }): Tensor;
export function slice(...args: unknown[]): unknown { return callMethod('slice', args, Tensor) as never; }

/** {@link Tensor.narrow} as a function. */
export function narrow(input: TensorLike, dim: number, start: number, length: number): Tensor;
export function narrow(input: TensorLike, dim: number, start: TensorLike, length: number): Tensor;
export function narrow(...args: unknown[]): unknown { return callMethod('narrow', args, Tensor) as never; }

/** {@link Tensor.select} as a function. */
export function select(input: TensorLike, dim: number, index: number): Tensor;
export function select(...args: unknown[]): unknown { return callMethod('select', args, Tensor) as never; }

/** {@link Tensor.selectScatter} as a function. */
export function selectScatter(input: TensorLike, src: TensorLike, dim: number, index: number): Tensor;
export function selectScatter(...args: unknown[]): unknown { return callMethod('selectScatter', args, Tensor) as never; }

/** {@link Tensor.sliceScatter} as a function. */
export function sliceScatter(input: TensorLike, src: TensorLike, dim?: number, start?: number | null, end?: number | null, step?: number): Tensor;
export function sliceScatter(input: TensorLike, src: TensorLike, options?: { dim?: number; start?: number | null; end?: number | null; step?: number }): Tensor;
export function sliceScatter(...args: unknown[]): unknown { return callMethod('sliceScatter', args, Tensor) as never; }

/** {@link Tensor.diagonalScatter} as a function. */
export function diagonalScatter(input: TensorLike, src: TensorLike, offset?: number, dim1?: number, dim2?: number): Tensor;
export function diagonalScatter(input: TensorLike, src: TensorLike, options?: { offset?: number; dim1?: number; dim2?: number }): Tensor;
export function diagonalScatter(...args: unknown[]): unknown { return callMethod('diagonalScatter', args, Tensor) as never; }

/** {@link Tensor.asStridedScatter} as a function. */
export function asStridedScatter(input: TensorLike, src: TensorLike, size: number | readonly number[], stride: number | readonly number[], storageOffset?: number | null): Tensor;
export function asStridedScatter(input: TensorLike, src: TensorLike, size: number | readonly number[], stride: number | readonly number[], options?: { storageOffset?: number | null }): Tensor;
export function asStridedScatter(...args: unknown[]): unknown { return callMethod('asStridedScatter', args, Tensor) as never; }

/** {@link Tensor.adaptiveAvgPool1d} as a function. */
export function adaptiveAvgPool1d(input: TensorLike, outputSize: number | readonly number[]): Tensor;
export function adaptiveAvgPool1d(input: TensorLike, ...outputSize: number[]): Tensor;
export function adaptiveAvgPool1d(...args: unknown[]): unknown { return callMethod('adaptiveAvgPool1d', args, Tensor) as never; }

/** {@link Tensor.adaptiveAvgPool2d} as a function. */
export function adaptiveAvgPool2d(input: TensorLike, outputSize: number | readonly (number | null)[]): Tensor;
export function adaptiveAvgPool2d(input: TensorLike, ...outputSize: number[]): Tensor;
export function adaptiveAvgPool2d(...args: unknown[]): unknown { return callMethod('adaptiveAvgPool2d', args, Tensor) as never; }

/** {@link Tensor.adaptiveAvgPool3d} as a function. */
export function adaptiveAvgPool3d(input: TensorLike, outputSize: number | readonly (number | null)[]): Tensor;
export function adaptiveAvgPool3d(input: TensorLike, ...outputSize: number[]): Tensor;
export function adaptiveAvgPool3d(...args: unknown[]): unknown { return callMethod('adaptiveAvgPool3d', args, Tensor) as never; }

/** {@link Tensor.adaptiveMaxPool1d} as a function. */
export function adaptiveMaxPool1d(input: TensorLike, outputSize: number | readonly number[]): Tensor;
export function adaptiveMaxPool1d(input: TensorLike, ...outputSize: number[]): Tensor;
export function adaptiveMaxPool1d(input: TensorLike, outputSize: number | readonly number[], returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function adaptiveMaxPool1d(input: TensorLike, outputSize: number | readonly number[], options?: { returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function adaptiveMaxPool1d(...args: unknown[]): unknown { return callMethod('adaptiveMaxPool1d', args, Tensor) as never; }

/** {@link Tensor.adaptiveMaxPool2d} as a function. */
export function adaptiveMaxPool2d(input: TensorLike, outputSize: number | readonly (number | null)[]): Tensor;
export function adaptiveMaxPool2d(input: TensorLike, ...outputSize: number[]): Tensor;
export function adaptiveMaxPool2d(input: TensorLike, outputSize: number | readonly (number | null)[], returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function adaptiveMaxPool2d(input: TensorLike, outputSize: number | readonly (number | null)[], options?: { returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function adaptiveMaxPool2d(...args: unknown[]): unknown { return callMethod('adaptiveMaxPool2d', args, Tensor) as never; }

/** {@link Tensor.adaptiveMaxPool3d} as a function. */
export function adaptiveMaxPool3d(input: TensorLike, outputSize: number | readonly (number | null)[]): Tensor;
export function adaptiveMaxPool3d(input: TensorLike, ...outputSize: number[]): Tensor;
export function adaptiveMaxPool3d(input: TensorLike, outputSize: number | readonly (number | null)[], returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function adaptiveMaxPool3d(input: TensorLike, outputSize: number | readonly (number | null)[], options?: { returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function adaptiveMaxPool3d(...args: unknown[]): unknown { return callMethod('adaptiveMaxPool3d', args, Tensor) as never; }

/**
 * Multi-head attention between an input and an output projection, as
 * `torch.nn.functional.multi_head_attention_forward`.
 *
 * Shapes, all without `N` for a single example:
 * - `query: [L, N, E]`, `key: [S, N, E_k]`, `value: [S, N, E_v]`; `E` is `embed_dim_to_check`
 * - `in_proj_weight: [3 E, E]` for `E_k = E_v = E`; with `use_separate_proj_weight` instead
 *   `q_proj_weight: [E, E]`, `k_proj_weight: [E, E_k]` and `v_proj_weight: [E, E_v]`
 * - `in_proj_bias: [3 E]`, `out_proj_weight: [E, E]`, `out_proj_bias: [E]`
 * - `bias_k` and `bias_v`: `[1, 1, E]`, one more key and value for every example; `add_zero_attn`
 *   appends one of zeros
 * - `attn_mask: [L, S]` or `[N * num_heads, L, S]`, `key_padding_mask: [N, S]`: a bool mask is
 *   true for the pairs that do not attend, and a float one is added to the scores
 * - the results: the output `[L, N, E]`, and with `need_weights` the weights `[N, L, S]`, or
 *   `[N, num_heads, L, S]` without `average_attn_weights`
 *
 * If `training` is true, weights are set to 0 with probability `dropout_p`. `is_causal` is a hint
 * that `attn_mask` is causal, and is not checked.
 *
 * Errors: `shape` if query, key and value do not fit, or a projection or mask does not; `argument`
 * if `E` is not `embed_dim_to_check` or not a multiple of `num_heads`, a projection weight is
 * missing, `is_causal` is set without `attn_mask`, or `dropout_p` is not from 0 to 1.
 *
 * Source: Vaswani et al., "Attention Is All You Need" (2017).
 * @param inProjWeight default null
 * @param inProjBias default null
 * @param biasK default null
 * @param biasV default null
 * @param addZeroAttn default false
 * @param dropoutP default 0.0
 * @param outProjWeight default null
 * @param outProjBias default null
 * @param training default true
 * @param keyPaddingMask default null
 * @param needWeights default true
 * @param attnMask default null
 * @param useSeparateProjWeight default false
 * @param qProjWeight default null
 * @param kProjWeight default null
 * @param vProjWeight default null
 * @param averageAttnWeights default true
 * @param isCausal default false
 */
export function multiHeadAttentionForward(query: TensorLike, key: TensorLike, value: TensorLike, embedDimToCheck: number, numHeads: number, inProjWeight?: TensorLike | null, inProjBias?: TensorLike | null, biasK?: TensorLike | null, biasV?: TensorLike | null, addZeroAttn?: boolean, dropoutP?: number, outProjWeight?: TensorLike | null, outProjBias?: TensorLike | null, training?: boolean, keyPaddingMask?: TensorLike | null, needWeights?: boolean, attnMask?: TensorLike | null, useSeparateProjWeight?: boolean, qProjWeight?: TensorLike | null, kProjWeight?: TensorLike | null, vProjWeight?: TensorLike | null, averageAttnWeights?: boolean, isCausal?: boolean): Tensor[];
export function multiHeadAttentionForward(query: TensorLike, key: TensorLike, value: TensorLike, embedDimToCheck: number, numHeads: number, options?: { inProjWeight?: TensorLike | null; inProjBias?: TensorLike | null; biasK?: TensorLike | null; biasV?: TensorLike | null; addZeroAttn?: boolean; dropoutP?: number; outProjWeight?: TensorLike | null; outProjBias?: TensorLike | null; training?: boolean; keyPaddingMask?: TensorLike | null; needWeights?: boolean; attnMask?: TensorLike | null; useSeparateProjWeight?: boolean; qProjWeight?: TensorLike | null; kProjWeight?: TensorLike | null; vProjWeight?: TensorLike | null; averageAttnWeights?: boolean; isCausal?: boolean }): Tensor[];
export function multiHeadAttentionForward(...args: unknown[]): unknown { return callAny(296, 'multiHeadAttentionForward ^query ^key ^value embedDimToCheck numHeads ^inProjWeight ^inProjBias ^biasK ^biasV addZeroAttn dropoutP ^outProjWeight ^outProjBias training ^keyPaddingMask needWeights ^attnMask useSeparateProjWeight ^qProjWeight ^kProjWeight ^vProjWeight averageAttnWeights isCausal', 'tensors', undefined, args, Tensor) as never; }

/** {@link Tensor.clamp} as a function. */
export function clamp(input: TensorLike, min?: Scalar | null, max?: Scalar | null): Tensor;
export function clamp(input: TensorLike, options?: { min?: Scalar | null; max?: Scalar | null }): Tensor;
export function clamp(input: TensorLike, min?: TensorLike | null, max?: TensorLike | null): Tensor;
export function clamp(input: TensorLike, options?: { min?: TensorLike | null; max?: TensorLike | null }): Tensor;
export function clamp(...args: unknown[]): unknown { return callMethod('clamp', args, Tensor) as never; }

/** {@link Tensor.clamp_} as a function. */
export function clamp_(input: Tensor, min?: Scalar | null, max?: Scalar | null): Tensor;
export function clamp_(input: Tensor, options?: { min?: Scalar | null; max?: Scalar | null }): Tensor;
export function clamp_(input: Tensor, min?: TensorLike | null, max?: TensorLike | null): Tensor;
export function clamp_(input: Tensor, options?: { min?: TensorLike | null; max?: TensorLike | null }): Tensor;
export function clamp_(...args: unknown[]): unknown { return callMethod('clamp_', args, Tensor) as never; }

/** {@link Tensor.clip} as a function. */
export function clip(input: TensorLike, min?: Scalar | null, max?: Scalar | null): Tensor;
export function clip(input: TensorLike, options?: { min?: Scalar | null; max?: Scalar | null }): Tensor;
export function clip(input: TensorLike, min?: TensorLike | null, max?: TensorLike | null): Tensor;
export function clip(input: TensorLike, options?: { min?: TensorLike | null; max?: TensorLike | null }): Tensor;
export function clip(...args: unknown[]): unknown { return callMethod('clip', args, Tensor) as never; }

/** {@link Tensor.clip_} as a function. */
export function clip_(input: Tensor, min?: Scalar | null, max?: Scalar | null): Tensor;
export function clip_(input: Tensor, options?: { min?: Scalar | null; max?: Scalar | null }): Tensor;
export function clip_(input: Tensor, min?: TensorLike | null, max?: TensorLike | null): Tensor;
export function clip_(input: Tensor, options?: { min?: TensorLike | null; max?: TensorLike | null }): Tensor;
export function clip_(...args: unknown[]): unknown { return callMethod('clip_', args, Tensor) as never; }

/** {@link Tensor.conv1d} as a function. */
export function conv1d(input: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number): Tensor;
export function conv1d(input: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number }): Tensor;
export function conv1d(...args: unknown[]): unknown { return callMethod('conv1d', args, Tensor) as never; }

/** {@link Tensor.conv2d} as a function. */
export function conv2d(input: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number): Tensor;
export function conv2d(input: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number }): Tensor;
export function conv2d(...args: unknown[]): unknown { return callMethod('conv2d', args, Tensor) as never; }

/** {@link Tensor.conv3d} as a function. */
export function conv3d(input: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number): Tensor;
export function conv3d(input: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number }): Tensor;
export function conv3d(...args: unknown[]): unknown { return callMethod('conv3d', args, Tensor) as never; }

/** {@link Tensor.convTranspose1d} as a function. */
export function convTranspose1d(input: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, dilation?: number | readonly number[]): Tensor;
export function convTranspose1d(input: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; dilation?: number | readonly number[] }): Tensor;
export function convTranspose1d(...args: unknown[]): unknown { return callMethod('convTranspose1d', args, Tensor) as never; }

/** {@link Tensor.convTranspose2d} as a function. */
export function convTranspose2d(input: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, dilation?: number | readonly number[]): Tensor;
export function convTranspose2d(input: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; dilation?: number | readonly number[] }): Tensor;
export function convTranspose2d(...args: unknown[]): unknown { return callMethod('convTranspose2d', args, Tensor) as never; }

/** {@link Tensor.convTranspose3d} as a function. */
export function convTranspose3d(input: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, dilation?: number | readonly number[]): Tensor;
export function convTranspose3d(input: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; dilation?: number | readonly number[] }): Tensor;
export function convTranspose3d(...args: unknown[]): unknown { return callMethod('convTranspose3d', args, Tensor) as never; }

/** {@link Tensor.cov} as a function. */
export function cov(input: TensorLike, options?: { correction?: number; fweights?: TensorLike | null; aweights?: TensorLike | null }): Tensor;
export function cov(...args: unknown[]): unknown { return callMethod('cov', args, Tensor) as never; }

/** {@link Tensor.corrcoef} as a function. */
export function corrcoef(input: TensorLike): Tensor;
export function corrcoef(...args: unknown[]): unknown { return callMethod('corrcoef', args, Tensor) as never; }

/** {@link Tensor.diag} as a function. */
export function diag(input: TensorLike, diagonal?: number): Tensor;
export function diag(input: TensorLike, options?: { diagonal?: number }): Tensor;
export function diag(...args: unknown[]): unknown { return callMethod('diag', args, Tensor) as never; }

/** {@link Tensor.diagflat} as a function. */
export function diagflat(input: TensorLike, offset?: number): Tensor;
export function diagflat(input: TensorLike, options?: { offset?: number }): Tensor;
export function diagflat(...args: unknown[]): unknown { return callMethod('diagflat', args, Tensor) as never; }

/** {@link Tensor.trace} as a function. */
export function trace(input: TensorLike): Tensor;
export function trace(...args: unknown[]): unknown { return callMethod('trace', args, Tensor) as never; }

/** {@link Tensor.deformConv2d} as a function. */
export function deformConv2d(input: TensorLike, offset: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], mask?: TensorLike | null): Tensor;
export function deformConv2d(input: TensorLike, offset: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; mask?: TensorLike | null }): Tensor;
export function deformConv2d(...args: unknown[]): unknown { return callMethod('deformConv2d', args, Tensor) as never; }

/**
 * The indices of the boxes that stay when each box that overlaps a better one is left out, as
 * `torchvision.ops.nms`: non-maximum suppression.
 *
 * `boxes: [N, 4]` are corners `x1, y1, x2, y2` with `x1 < x2` and `y1 < y2`, `scores: [N]`. Boxes
 * overlap if their intersection is more than `iou_threshold` of their union. The result is `[K]`
 * in int32 (torchvision: int64), by decreasing score; boxes with equal scores keep their order.
 * The op reads both tensors, and the result is awaited. There is no gradient.
 *
 * Errors: `shape` if the shapes are others; `dtype` if both do not have one floating-point type.
 */
export function nms(boxes: TensorLike, scores: TensorLike, iouThreshold: number): Promise<Tensor>;
export function nms(...args: unknown[]): unknown { return callAny(312, 'nms ^boxes ^scores iouThreshold', 'tensor', undefined, args, Tensor) as never; }

/**
 * [`nms`](Tensor::nms) within each class, as `torchvision.ops.batched_nms`.
 *
 * `boxes: [N, 4]`, `scores: [N]`, and `idxs: [N]`, integers that are the classes. The result is as
 * of [`nms`](Tensor::nms), with boxes of all classes by decreasing score.
 *
 * Errors: as of [`nms`](Tensor::nms).
 */
export function batchedNms(boxes: TensorLike, scores: TensorLike, idxs: TensorLike, iouThreshold: number): Promise<Tensor>;
export function batchedNms(...args: unknown[]): unknown { return callAny(313, 'batchedNms ^boxes ^scores ^idxs iouThreshold', 'tensor', undefined, args, Tensor) as never; }

/** {@link Tensor.roiAlign} as a function. */
export function roiAlign(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], spatialScale?: number, samplingRatio?: number, aligned?: boolean): Tensor;
export function roiAlign(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], options?: { spatialScale?: number; samplingRatio?: number; aligned?: boolean }): Tensor;
export function roiAlign(...args: unknown[]): unknown { return callMethod('roiAlign', args, Tensor) as never; }

/** {@link Tensor.diff} as a function. */
export function diff(input: TensorLike, n?: number, dim?: number, prepend?: TensorLike | null, append?: TensorLike | null): Tensor;
export function diff(input: TensorLike, options?: { n?: number; dim?: number; prepend?: TensorLike | null; append?: TensorLike | null }): Tensor;
export function diff(...args: unknown[]): unknown { return callMethod('diff', args, Tensor) as never; }

/**
 * The integral of `y` at points of distance `dx` along `dim`, by the trapezoidal rule, as
 * `torch.trapezoid`.
 *
 * Shapes: `y: [*, n, *]`, `result: [*, *]` without `dim`. Integers become float32.
 *
 * Errors: `shape` if `y` is 0-d; `index` if `dim` is out of range.
 * @param dx default 1
 * @param dim default -1
 */
export function trapezoid(y: TensorLike, options?: { dx?: Scalar; dim?: number }): Tensor;
/**
 * The integral of `y` at the points `x` along `dim`, by the trapezoidal rule, as
 * `torch.trapezoid`.
 *
 * Shapes: `y: [*, n, *]`, `x: [n]` or a shape that broadcasts with `y`, `result: [*, *]` without
 * `dim`. Integers become float32.
 *
 * Errors: `shape` if `y` is 0-d or `x` does not fit; `index` if `dim` is out of range.
 * @param dim default -1
 */
export function trapezoid(y: TensorLike, x: TensorLike, options?: { dim?: number }): Tensor;
export function trapezoid(...args: unknown[]): unknown { return callOverload(316, 'trapezoid;;', undefined, args, Tensor) as never; }

/** Another name of `trapezoid`. */
export function trapz(y: TensorLike, options?: { dx?: Scalar; dim?: number }): Tensor;
/** Another name of `trapezoid`. */
export function trapz(y: TensorLike, x: TensorLike, options?: { dim?: number }): Tensor;
export function trapz(...args: unknown[]): unknown { return callOverload(316, 'trapz;;', undefined, args, Tensor) as never; }

/**
 * The integrals of `y` at points of distance `dx` along `dim` from the first point to each other
 * one, by the trapezoidal rule, as `torch.cumulative_trapezoid`.
 *
 * Shapes: `y: [*, n, *]`, `result: [*, n - 1, *]`. Integers become float32.
 *
 * Errors: `shape` if `y` is 0-d; `index` if `dim` is out of range.
 * @param dx default 1
 * @param dim default -1
 */
export function cumulativeTrapezoid(y: TensorLike, options?: { dx?: Scalar; dim?: number }): Tensor;
/**
 * The integrals of `y` at the points `x` along `dim` from the first point to each other one, by
 * the trapezoidal rule, as `torch.cumulative_trapezoid`.
 *
 * Shapes: `y: [*, n, *]`, `x: [n]` or a shape that broadcasts with `y`, `result: [*, n - 1, *]`.
 * Integers become float32.
 *
 * Errors: `shape` if `y` is 0-d or `x` does not fit; `index` if `dim` is out of range.
 * @param dim default -1
 */
export function cumulativeTrapezoid(y: TensorLike, x: TensorLike, options?: { dim?: number }): Tensor;
export function cumulativeTrapezoid(...args: unknown[]): unknown { return callOverload(318, 'cumulativeTrapezoid;;', undefined, args, Tensor) as never; }

/**
 * The distances by the p-norm of every row of `x1` from every row of `x2`, as `torch.cdist`.
 *
 * Shapes: `x1: [*, m, k]`, `x2: [*, n, k]`, `result: [*, m, n]`; the leading dimensions broadcast.
 *
 * `compute_mode` selects whether Euclidean distances are computed by a matrix product, which is
 * faster and loses precision for close rows: `"use_mm_for_euclid_dist_if_necessary"` (with more
 * than 25 rows on a side), `"use_mm_for_euclid_dist"` or `"donot_use_mm_for_euclid_dist"`.
 *
 * Errors: `shape` if a tensor has fewer than two dimensions or the rows differ in length; `dtype`
 * if both do not have one floating-point type; `argument` if `p` is negative or NaN, or
 * `compute_mode` is another string.
 *
 * Gradient: 0 for rows at distance 0.
 * @param p default 2.0
 * @param computeMode default "use_mm_for_euclid_dist_if_necessary"
 */
export function cdist(x1: TensorLike, x2: TensorLike, p?: number, computeMode?: 'use_mm_for_euclid_dist_if_necessary' | 'use_mm_for_euclid_dist' | 'donot_use_mm_for_euclid_dist'): Tensor;
export function cdist(x1: TensorLike, x2: TensorLike, options?: { p?: number; computeMode?: 'use_mm_for_euclid_dist_if_necessary' | 'use_mm_for_euclid_dist' | 'donot_use_mm_for_euclid_dist' }): Tensor;
export function cdist(...args: unknown[]): Tensor { return call(320, 'cdist ^x1 ^x2 p computeMode', undefined, args, Tensor); }

/** {@link Tensor.dist} as a function. */
export function dist(input: TensorLike, other: TensorLike, p?: Scalar): Tensor;
export function dist(input: TensorLike, other: TensorLike, options?: { p?: Scalar }): Tensor;
export function dist(...args: unknown[]): unknown { return callMethod('dist', args, Tensor) as never; }

/** {@link Tensor.renorm} as a function. */
export function renorm(input: TensorLike, p: Scalar, dim: number, maxnorm: Scalar): Tensor;
export function renorm(...args: unknown[]): unknown { return callMethod('renorm', args, Tensor) as never; }

/** {@link Tensor.dropout} as a function. */
export function dropout(input: TensorLike, p?: number, train?: boolean): Tensor;
export function dropout(input: TensorLike, options?: { p?: number; train?: boolean }): Tensor;
export function dropout(...args: unknown[]): unknown { return callMethod('dropout', args, Tensor) as never; }

/** {@link Tensor.dropout_} as a function. */
export function dropout_(input: Tensor, p?: number, train?: boolean): Tensor;
export function dropout_(input: Tensor, options?: { p?: number; train?: boolean }): Tensor;
export function dropout_(...args: unknown[]): unknown { return callMethod('dropout_', args, Tensor) as never; }

/**
 * Einstein summation, as `torch.einsum`.
 *
 * Each letter of `equation` names a dimension; equal names have equal sizes, or size 1, which
 * broadcasts. `...` is any number of dimensions that broadcast. The names after `->` are the
 * dimensions of the result, and every other name is summed. Without `->` the result has the
 * dimensions of the ellipsis and the letters that appear once, in alphabetical order. A letter
 * that appears twice in one tensor selects its diagonal. The tensors are contracted pairwise in a
 * greedy order, or in the order of `path`: two positions in the list a step, whose product is
 * appended to the list.
 *
 * Shapes: `"bij,bjk->bik"` of `[b, n, m]` and `[b, m, k]` is `[b, n, k]`.
 *
 * Errors: `argument` if the equation or the path does not parse or does not fit the tensors;
 * `shape` if sizes of one letter differ; `dtype` if the types of two contracted tensors differ.
 * @param path default null
 */
export function einsum(equation: string, tensors: readonly Tensor[], options?: { path?: number | readonly number[] | null }): Tensor;
export function einsum(equation: string, ...tensors: Tensor[]): Tensor;
export function einsum(equation: string, ...tensors: [...Tensor[], { path?: number | readonly number[] | null }]): Tensor;
export function einsum(...args: unknown[]): Tensor { return call(324, 'einsum equation *tensors|path', undefined, args, Tensor); }

/** {@link Tensor.tensordot} as a function. */
export function tensordot(input: TensorLike, other: TensorLike, dimsSelf: number | readonly number[], dimsOther: number | readonly number[]): Tensor;
export function tensordot(input: TensorLike, other: TensorLike, dimsSelf: number | readonly number[], ...dimsOther: number[]): Tensor;
export function tensordot(input: TensorLike, other: TensorLike, dims?: number): Tensor;
export function tensordot(input: TensorLike, other: TensorLike, options?: { dims?: number }): Tensor;
export function tensordot(...args: unknown[]): unknown { return callMethod('tensordot', args, Tensor) as never; }

/**
 * A bilinear map, as `torch.nn.functional.bilinear`: `result[.., o]` is the sum over `i` and `j`
 * of `input1[.., i] * weight[o, i, j] * input2[.., j]`, plus `bias[o]`.
 *
 * Shapes: `input1: [*, n]`, `input2: [*, m]` with equal leading dimensions, `weight: [k, n, m]`,
 * `bias: [k]`, `result: [*, k]`.
 *
 * Errors: `shape` if the shapes do not fit; `dtype` if the types differ.
 * @param bias default null
 */
export function bilinear(input1: TensorLike, input2: TensorLike, weight: TensorLike, bias?: TensorLike | null): Tensor;
export function bilinear(input1: TensorLike, input2: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null }): Tensor;
export function bilinear(...args: unknown[]): Tensor { return call(327, 'bilinear ^input1 ^input2 ^weight ^bias', undefined, args, Tensor); }

/**
 * The rows of `weight` that `indices` select, as `torch.nn.functional.embedding`.
 *
 * Shapes: `weight: [n, E]`, `indices: [*]` (int32, int64 or uint8), `result: [*, E]`. Row
 * `padding_idx`, which counts from the end if negative, gets no gradient. With `max_norm`, rows
 * that are read are first scaled in place to a `norm_type`-norm of at most `max_norm`. With
 * `scale_grad_by_freq` the gradient of a row is divided by the number of times that `indices`
 * contains it.
 *
 * Errors: `shape` if `weight` is not a matrix; `dtype` if `indices` is not an integer tensor;
 * `index` if `padding_idx` is out of range, or when the result is read if an element of `indices`
 * is.
 * @param paddingIdx default null
 * @param maxNorm default null
 * @param normType default 2.0
 * @param scaleGradByFreq default false
 */
export function embedding(weight: TensorLike, indices: TensorLike, options?: { paddingIdx?: number | null; maxNorm?: number | null; normType?: number; scaleGradByFreq?: boolean }): Tensor;
export function embedding(...args: unknown[]): Tensor { return call(328, 'embedding ^weight ^indices|paddingIdx maxNorm normType scaleGradByFreq', undefined, args, Tensor); }

/**
 * The sum, the mean or the maximum of the rows of `weight` in each bag of indices, as
 * `torch.nn.functional.embedding_bag`. The result of an empty bag is 0.
 *
 * Shapes: `weight: [n, E]`; `indices: [B, k]` with one bag a row, or `indices: [k]` and
 * `offsets: [B]` with the position at which each bag begins; `result: [B, E]`. With
 * `include_last_offset`, `offsets: [B + 1]` also has the end of the last bag.
 * `per_sample_weights`, in the shape of `indices`, multiply the rows of a sum.
 *
 * `mode` is `"sum"`, `"mean"` or `"max"`. Row `padding_idx` belongs to no bag. `max_norm`,
 * `norm_type` and `scale_grad_by_freq` are as of [`embedding`](Tensor::embedding).
 *
 * Errors: `argument` if `mode` is another string, `per_sample_weights` are given for another mode
 * than `"sum"`, a vector of indices comes without `offsets`, or a matrix with them; `shape` if
 * `weight` is not a matrix, or `indices`, `offsets` or `per_sample_weights` do not fit; `dtype` if
 * `indices` or `offsets` is not an integer tensor; `index` if `padding_idx` is out of range, or
 * when the result is read if an element of `indices` is.
 * @param offsets default null
 * @param maxNorm default null
 * @param normType default 2.0
 * @param scaleGradByFreq default false
 * @param mode default "mean"
 * @param perSampleWeights default null
 * @param includeLastOffset default false
 * @param paddingIdx default null
 */
export function embeddingBag(weight: TensorLike, indices: TensorLike, offsets?: TensorLike | null, options?: { maxNorm?: number | null; normType?: number; scaleGradByFreq?: boolean; mode?: 'sum' | 'mean' | 'max'; perSampleWeights?: TensorLike | null; includeLastOffset?: boolean; paddingIdx?: number | null }): Tensor;
export function embeddingBag(weight: TensorLike, indices: TensorLike, options?: { offsets?: TensorLike | null; maxNorm?: number | null; normType?: number; scaleGradByFreq?: boolean; mode?: 'sum' | 'mean' | 'max'; perSampleWeights?: TensorLike | null; includeLastOffset?: boolean; paddingIdx?: number | null }): Tensor;
export function embeddingBag(...args: unknown[]): Tensor { return call(329, 'embeddingBag ^weight ^indices ^offsets|maxNorm normType scaleGradByFreq mode ^perSampleWeights includeLastOffset paddingIdx', undefined, args, Tensor); }

/** {@link Tensor.allclose} as a function. */
export function allclose(input: TensorLike, other: TensorLike, rtol?: number, atol?: number, equalNan?: boolean): Promise<boolean>;
export function allclose(input: TensorLike, other: TensorLike, options?: { rtol?: number; atol?: number; equalNan?: boolean }): Promise<boolean>;
export function allclose(...args: unknown[]): unknown { return callMethod('allclose', args, Tensor) as never; }

/** {@link Tensor.equal} as a function. */
export function equal(input: TensorLike, other: TensorLike): Promise<boolean>;
export function equal(...args: unknown[]): unknown { return callMethod('equal', args, Tensor) as never; }

/** {@link Tensor.isNonzero} as a function. */
export function isNonzero(input: TensorLike): Promise<boolean>;
export function isNonzero(...args: unknown[]): unknown { return callMethod('isNonzero', args, Tensor) as never; }

/** {@link Tensor.isreal} as a function. */
export function isreal(input: TensorLike): Tensor;
export function isreal(...args: unknown[]): unknown { return callMethod('isreal', args, Tensor) as never; }

/** {@link Tensor.fractionalMaxPool2d} as a function. */
export function fractionalMaxPool2d(input: TensorLike, kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, options?: { _randomSamples?: TensorLike | null }): Tensor;
export function fractionalMaxPool2d(input: TensorLike, kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; _randomSamples?: TensorLike | null }): Tensor;
export function fractionalMaxPool2d(input: TensorLike, kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, returnIndices?: boolean, options?: { _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function fractionalMaxPool2d(input: TensorLike, kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; returnIndices?: boolean; _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function fractionalMaxPool2d(...args: unknown[]): unknown { return callMethod('fractionalMaxPool2d', args, Tensor) as never; }

/** {@link Tensor.fractionalMaxPool3d} as a function. */
export function fractionalMaxPool3d(input: TensorLike, kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, options?: { _randomSamples?: TensorLike | null }): Tensor;
export function fractionalMaxPool3d(input: TensorLike, kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; _randomSamples?: TensorLike | null }): Tensor;
export function fractionalMaxPool3d(input: TensorLike, kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, returnIndices?: boolean, options?: { _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function fractionalMaxPool3d(input: TensorLike, kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; returnIndices?: boolean; _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function fractionalMaxPool3d(...args: unknown[]): unknown { return callMethod('fractionalMaxPool3d', args, Tensor) as never; }

/** {@link Tensor.gradient} as a function. */
export function gradient(input: TensorLike, options?: { spacing?: Scalar | null; dim?: number | readonly number[] | null; edgeOrder?: number }): Tensor[];
export function gradient(input: TensorLike, options?: { spacing?: number | readonly number[]; dim?: number | readonly number[] | null; edgeOrder?: number }): Tensor[];
export function gradient(input: TensorLike, options?: { spacing?: readonly Tensor[]; dim?: number | readonly number[] | null; edgeOrder?: number }): Tensor[];
export function gradient(...args: unknown[]): unknown { return callMethod('gradient', args, Tensor) as never; }

/** {@link Tensor.gridSample} as a function. */
export function gridSample(input: TensorLike, grid: TensorLike, mode?: 'bilinear' | 'nearest' | 'bicubic', paddingMode?: 'zeros' | 'border' | 'reflection', alignCorners?: boolean | null): Tensor;
export function gridSample(input: TensorLike, grid: TensorLike, options?: { mode?: 'bilinear' | 'nearest' | 'bicubic'; paddingMode?: 'zeros' | 'border' | 'reflection'; alignCorners?: boolean | null }): Tensor;
export function gridSample(...args: unknown[]): unknown { return callMethod('gridSample', args, Tensor) as never; }

/**
 * The grid of positions for [`grid_sample`](Tensor::grid_sample) that the affine maps `theta` give
 * for a result of shape `size`, as `torch.nn.functional.affine_grid`.
 *
 * Shapes: `theta: [N, 2, 3]` and `size` `[N, C, H, W]` give `[N, H, W, 2]`; `theta: [N, 3, 4]` and
 * `size` `[N, C, D, H, W]` give `[N, D, H, W, 3]`.
 *
 * Errors: `dtype` if `theta` is not floating point; `shape` if it does not fit `size`, or a size
 * is not positive.
 * @param alignCorners default null
 */
export function affineGrid(theta: TensorLike, size: number | readonly number[], alignCorners?: boolean | null): Tensor;
export function affineGrid(theta: TensorLike, size: number | readonly number[], options?: { alignCorners?: boolean | null }): Tensor;
export function affineGrid(...args: unknown[]): Tensor { return call(360, 'affineGrid ^theta size alignCorners', undefined, args, Tensor); }

/** {@link Tensor.histc} as a function. */
export function histc(input: TensorLike, bins?: number, min?: Scalar, max?: Scalar): Tensor;
export function histc(input: TensorLike, options?: { bins?: number; min?: Scalar; max?: Scalar }): Tensor;
export function histc(...args: unknown[]): unknown { return callMethod('histc', args, Tensor) as never; }

/** {@link Tensor.histogram} as a function. */
export function histogram(input: TensorLike, bins?: number, options?: { range?: number | readonly number[] | null; weight?: TensorLike | null; density?: boolean }): [Tensor, Tensor] & { hist: Tensor; binEdges: Tensor };
export function histogram(input: TensorLike, options?: { bins?: number; range?: number | readonly number[] | null; weight?: TensorLike | null; density?: boolean }): [Tensor, Tensor] & { hist: Tensor; binEdges: Tensor };
export function histogram(input: TensorLike, bins: TensorLike, options?: { weight?: TensorLike | null; density?: boolean }): [Tensor, Tensor] & { hist: Tensor; binEdges: Tensor };
export function histogram(...args: unknown[]): unknown { return callMethod('histogram', args, Tensor) as never; }

/** {@link Tensor.bincount} as a function. */
export function bincount(input: TensorLike, weights?: TensorLike | null, minlength?: number): Promise<Tensor>;
export function bincount(input: TensorLike, options?: { weights?: TensorLike | null; minlength?: number }): Promise<Tensor>;
export function bincount(...args: unknown[]): unknown { return callMethod('bincount', args, Tensor) as never; }

/** {@link Tensor.take} as a function. */
export function take(input: TensorLike, index: TensorLike): Tensor;
export function take(...args: unknown[]): unknown { return callMethod('take', args, Tensor) as never; }

/** {@link Tensor.put} as a function. */
export function put(input: TensorLike, index: TensorLike, source: TensorLike, accumulate?: boolean): Tensor;
export function put(input: TensorLike, index: TensorLike, source: TensorLike, options?: { accumulate?: boolean }): Tensor;
export function put(...args: unknown[]): unknown { return callMethod('put', args, Tensor) as never; }

/** {@link Tensor.takeAlongDim} as a function. */
export function takeAlongDim(input: TensorLike, indices: TensorLike, dim?: number | null): Tensor;
export function takeAlongDim(input: TensorLike, indices: TensorLike, options?: { dim?: number | null }): Tensor;
export function takeAlongDim(...args: unknown[]): unknown { return callMethod('takeAlongDim', args, Tensor) as never; }

/** {@link Tensor.maskedFill} as a function. */
export function maskedFill(input: TensorLike, mask: TensorLike, value: TensorLike | Scalar): Tensor;
export function maskedFill(...args: unknown[]): unknown { return callMethod('maskedFill', args, Tensor) as never; }

/** {@link Tensor.indexFill} as a function. */
export function indexFill(input: TensorLike, dim: number, index: TensorLike, value: TensorLike | Scalar): Tensor;
export function indexFill(...args: unknown[]): unknown { return callMethod('indexFill', args, Tensor) as never; }

/** {@link Tensor.nonzero} as a function. */
export function nonzero(input: TensorLike): Promise<Tensor>;
export function nonzero(...args: unknown[]): unknown { return callMethod('nonzero', args, Tensor) as never; }

/** {@link Tensor.argwhere} as a function. */
export function argwhere(input: TensorLike): Promise<Tensor>;
export function argwhere(...args: unknown[]): unknown { return callMethod('argwhere', args, Tensor) as never; }

/** {@link Tensor.nonzeroNumpy} as a function. */
export function nonzeroNumpy(input: TensorLike): Promise<Tensor[]>;
export function nonzeroNumpy(...args: unknown[]): unknown { return callMethod('nonzeroNumpy', args, Tensor) as never; }

/** {@link Tensor.maskedSelect} as a function. */
export function maskedSelect(input: TensorLike, mask: TensorLike): Promise<Tensor>;
export function maskedSelect(...args: unknown[]): unknown { return callMethod('maskedSelect', args, Tensor) as never; }

/** {@link Tensor.maskedScatter} as a function. */
export function maskedScatter(input: TensorLike, mask: TensorLike, source: TensorLike): Tensor;
export function maskedScatter(...args: unknown[]): unknown { return callMethod('maskedScatter', args, Tensor) as never; }

/**
 * Positions in a flat tensor as one index for each dimension of `shape`, as `torch.unravel_index`.
 *
 * Shapes: each of the results has the shape of `indices`; positions count in row-major order.
 *
 * Errors: `dtype` if `indices` are not integers; `shape` if a size is negative.
 */
export function unravelIndex(indices: TensorLike, shape: number | readonly number[]): Tensor[];
export function unravelIndex(indices: TensorLike, ...shape: number[]): Tensor[];
export function unravelIndex(...args: unknown[]): unknown { return callAny(375, 'unravelIndex ^indices *shape', 'tensors', undefined, args, Tensor) as never; }

/** {@link Tensor.indexTensors} as a function. */
export function indexTensors(input: TensorLike, indices: readonly (Tensor | null)[]): Tensor;
export function indexTensors(...args: unknown[]): unknown { return callMethod('indexTensors', args, Tensor) as never; }

/** {@link Tensor.index} as a function. */
export function index(input: TensorLike, indices: readonly (Tensor | null)[]): Promise<Tensor>;
export function index(...args: unknown[]): unknown { return callMethod('index', args, Tensor) as never; }

/** {@link Tensor.indexPut} as a function. */
export function indexPut(input: TensorLike, indices: readonly (Tensor | null)[], values: TensorLike, accumulate?: boolean): Tensor;
export function indexPut(input: TensorLike, indices: readonly (Tensor | null)[], values: TensorLike, options?: { accumulate?: boolean }): Tensor;
export function indexPut(...args: unknown[]): unknown { return callMethod('indexPut', args, Tensor) as never; }

/** {@link Tensor.indexPut_} as a function. */
export function indexPut_(input: Tensor, indices: readonly (Tensor | null)[], values: TensorLike, accumulate?: boolean): Tensor;
export function indexPut_(input: Tensor, indices: readonly (Tensor | null)[], values: TensorLike, options?: { accumulate?: boolean }): Tensor;
export function indexPut_(...args: unknown[]): unknown { return callMethod('indexPut_', args, Tensor) as never; }

/** {@link Tensor.getitem} as a function. */
export function getitem(input: TensorLike, key: string, tensors: readonly Tensor[]): Tensor;
export function getitem(...args: unknown[]): unknown { return callMethod('getitem', args, Tensor) as never; }

/** {@link Tensor.setitem} as a function. */
export function setitem(input: TensorLike, key: string, tensors: readonly Tensor[], value: TensorLike | Scalar): Tensor;
export function setitem(...args: unknown[]): unknown { return callMethod('setitem', args, Tensor) as never; }

/**
 * Joins tensors horizontally, as `torch.hstack`: vectors along dimension 0, other tensors along
 * dimension 1.
 *
 * `[n, m_i, *]` each give `[n, sum of m_i, *]`; `[n_i]` give `[sum of n_i]`, and 0-d tensors count
 * as `[1]`. Types are promoted.
 *
 * Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
 */
export function hstack(tensors: readonly Tensor[]): Tensor;
export function hstack(...args: unknown[]): Tensor { return call(381, 'hstack tensors', undefined, args, Tensor); }

/**
 * Joins tensors vertically, along dimension 0, as `torch.vstack`.
 *
 * `[n_i, m, *]` each give `[sum of n_i, m, *]`; a vector `[m]` counts as `[1, m]`, a 0-d tensor as
 * `[1, 1]`. Types are promoted.
 *
 * Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
 */
export function vstack(tensors: readonly Tensor[]): Tensor;
export function vstack(...args: unknown[]): Tensor { return call(382, 'vstack tensors', undefined, args, Tensor); }

/** Another name of `vstack`. */
export function rowStack(tensors: readonly Tensor[]): Tensor;
export function rowStack(...args: unknown[]): Tensor { return call(382, 'rowStack tensors', undefined, args, Tensor); }

/**
 * Joins tensors along dimension 2, as `torch.dstack`.
 *
 * `[n, m, k_i, *]` each give `[n, m, sum of k_i, *]`; a matrix `[n, m]` counts as `[n, m, 1]`, a
 * vector `[m]` as `[1, m, 1]`. Types are promoted.
 *
 * Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
 */
export function dstack(tensors: readonly Tensor[]): Tensor;
export function dstack(...args: unknown[]): Tensor { return call(383, 'dstack tensors', undefined, args, Tensor); }

/**
 * Joins tensors along dimension 1, with vectors as columns, as `torch.column_stack`.
 *
 * `[n, m_i, *]` each give `[n, sum of m_i, *]`; a vector `[n]` counts as `[n, 1]`, a 0-d tensor as
 * `[1, 1]`. Types are promoted.
 *
 * Errors: `argument` if the list is empty; `shape` if another size than the joined one differs.
 */
export function columnStack(tensors: readonly Tensor[]): Tensor;
export function columnStack(...args: unknown[]): Tensor { return call(384, 'columnStack tensors', undefined, args, Tensor); }

/**
 * The block diagonal matrix of the given matrices, as `torch.block_diag`.
 *
 * `[n_i, m_i]` become `[sum of n_i, sum of m_i]`; a vector `[m]` counts as `[1, m]`, a 0-d tensor
 * as `[1, 1]`. The result of an empty list is `[1, 0]`. Types are promoted.
 *
 * Errors: `shape` if a tensor has more than 2 dimensions.
 */
export function blockDiag(tensors: readonly Tensor[]): Tensor;
export function blockDiag(...tensors: Tensor[]): Tensor;
export function blockDiag(...args: unknown[]): Tensor { return call(385, 'blockDiag *tensors', undefined, args, Tensor); }

/**
 * The Cartesian product of vectors, one combination a row, in the order of nested loops, as
 * `torch.cartesian_prod`.
 *
 * `[n_1]` to `[n_k]` give `[n_1 * ... * n_k, k]`; one vector is returned as it is.
 *
 * Errors: `argument` if the list is empty; `shape` if a tensor is not a vector.
 */
export function cartesianProd(tensors: readonly Tensor[]): Tensor;
export function cartesianProd(...tensors: Tensor[]): Tensor;
export function cartesianProd(...args: unknown[]): Tensor { return call(386, 'cartesianProd *tensors', undefined, args, Tensor); }

/** {@link Tensor.combinations} as a function. */
export function combinations(input: TensorLike, r?: number, withReplacement?: boolean): Tensor;
export function combinations(input: TensorLike, options?: { r?: number; withReplacement?: boolean }): Tensor;
export function combinations(...args: unknown[]): unknown { return callMethod('combinations', args, Tensor) as never; }

/**
 * Stacks sequences of different lengths, padded to the longest with `padding_value`, as
 * `torch.nn.utils.rnn.pad_sequence`.
 *
 * `sequences: [length_i, *]` each, with the same other sizes; the result is `[longest, N, *]`, or
 * `[N, longest, *]` with `batch_first`. `padding_side` is `"right"` or `"left"`, the end at which
 * the padding is added.
 *
 * Errors: `argument` if the list is empty or `padding_side` is unknown; `shape` if a sequence is
 * 0-d or the other sizes differ.
 * @param batchFirst default false
 * @param paddingValue default 0.0
 * @param paddingSide default "right"
 */
export function padSequence(sequences: readonly Tensor[], batchFirst?: boolean, paddingValue?: number, paddingSide?: 'left' | 'right'): Tensor;
export function padSequence(sequences: readonly Tensor[], options?: { batchFirst?: boolean; paddingValue?: number; paddingSide?: 'left' | 'right' }): Tensor;
export function padSequence(...args: unknown[]): Tensor { return call(388, 'padSequence sequences batchFirst paddingValue paddingSide', undefined, args, Tensor); }

/** {@link Tensor.zerosLike} as a function. */
export function zerosLike<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function zerosLike(...args: unknown[]): unknown { return callMethod('zerosLike', args, Tensor) as never; }

/** {@link Tensor.onesLike} as a function. */
export function onesLike<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function onesLike(...args: unknown[]): unknown { return callMethod('onesLike', args, Tensor) as never; }

/** {@link Tensor.fullLike} as a function. */
export function fullLike<D extends DType = DType>(input: TensorLike, fillValue: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function fullLike(...args: unknown[]): unknown { return callMethod('fullLike', args, Tensor) as never; }

/** {@link Tensor.emptyLike} as a function. */
export function emptyLike<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function emptyLike(...args: unknown[]): unknown { return callMethod('emptyLike', args, Tensor) as never; }

/**
 * Zeros, as [`zeros`](Tensor::zeros): uninitialized memory is never visible.
 *
 * Errors: `shape` if a size is negative or the tensor would be too large.
 * @param dtype default null
 * @param requiresGrad default false
 */
export function empty<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function empty(...size: number[]): Tensor;
export function empty(...args: unknown[]): Tensor { return call(393, 'empty *size|dtype requiresGrad', undefined, args, Tensor); }

/** {@link Tensor.newZeros} as a function. */
export function newZeros<D extends DType = DType>(input: TensorLike, size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function newZeros(input: TensorLike, ...size: number[]): Tensor;
export function newZeros(...args: unknown[]): unknown { return callMethod('newZeros', args, Tensor) as never; }

/** {@link Tensor.newEmpty} as a function. */
export function newEmpty<D extends DType = DType>(input: TensorLike, size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function newEmpty(input: TensorLike, ...size: number[]): Tensor;
export function newEmpty(...args: unknown[]): unknown { return callMethod('newEmpty', args, Tensor) as never; }

/** {@link Tensor.newOnes} as a function. */
export function newOnes<D extends DType = DType>(input: TensorLike, size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function newOnes(input: TensorLike, ...size: number[]): Tensor;
export function newOnes(...args: unknown[]): unknown { return callMethod('newOnes', args, Tensor) as never; }

/** {@link Tensor.newFull} as a function. */
export function newFull<D extends DType = DType>(input: TensorLike, size: number | readonly number[], fillValue: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function newFull(...args: unknown[]): unknown { return callMethod('newFull', args, Tensor) as never; }

/** {@link Tensor.randLike} as a function. */
export function randLike<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randLike(...args: unknown[]): unknown { return callMethod('randLike', args, Tensor) as never; }

/** {@link Tensor.randnLike} as a function. */
export function randnLike<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randnLike(...args: unknown[]): unknown { return callMethod('randnLike', args, Tensor) as never; }

/** {@link Tensor.randintLike} as a function. */
export function randintLike<D extends DType = DType>(input: TensorLike, high: number, options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randintLike<D extends DType = DType>(input: TensorLike, low: number, high: number, options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function randintLike(...args: unknown[]): unknown { return callMethod('randintLike', args, Tensor) as never; }

/** {@link Tensor.typeAs} as a function. */
export function typeAs(input: TensorLike, other: TensorLike): Tensor;
export function typeAs(...args: unknown[]): unknown { return callMethod('typeAs', args, Tensor) as never; }

/**
 * A 0-d tensor with the value `s`, float32 unless `dtype` is given.
 * @param dtype default null
 * @param requiresGrad default false
 */
export function scalarTensor<D extends DType = DType>(s: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function scalarTensor(...args: unknown[]): Tensor { return call(403, 'scalarTensor s|dtype requiresGrad', undefined, args, Tensor); }

/** {@link Tensor.fill} as a function. */
export function fill(input: TensorLike, value: TensorLike | Scalar): Tensor;
export function fill(...args: unknown[]): unknown { return callMethod('fill', args, Tensor) as never; }

/** {@link Tensor.fill_} as a function. */
export function fill_(input: Tensor, value: TensorLike | Scalar): Tensor;
export function fill_(...args: unknown[]): unknown { return callMethod('fill_', args, Tensor) as never; }

/** {@link Tensor.zero} as a function. */
export function zero(input: TensorLike): Tensor;
export function zero(...args: unknown[]): unknown { return callMethod('zero', args, Tensor) as never; }

/** {@link Tensor.zero_} as a function. */
export function zero_(input: Tensor): Tensor;
export function zero_(...args: unknown[]): unknown { return callMethod('zero_', args, Tensor) as never; }

/** {@link Tensor.norm} as a function. */
export function norm<D extends DType = DType>(input: TensorLike, p?: Scalar, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function norm<D extends DType = DType>(input: TensorLike, options?: { p?: Scalar; dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function norm<D extends DType = DType>(input: TensorLike, p: 'fro' | 'nuc', dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function norm<D extends DType = DType>(input: TensorLike, p: 'fro' | 'nuc', options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function norm(...args: unknown[]): unknown { return callMethod('norm', args, Tensor) as never; }

/** {@link Tensor.choleskyInverse} as a function. */
export function choleskyInverse(input: TensorLike, upper?: boolean): Tensor;
export function choleskyInverse(input: TensorLike, options?: { upper?: boolean }): Tensor;
export function choleskyInverse(...args: unknown[]): unknown { return callMethod('choleskyInverse', args, Tensor) as never; }

/** {@link Tensor.triangularSolve} as a function. */
export function triangularSolve(input: TensorLike, A: TensorLike, upper?: boolean, transpose?: boolean, unitriangular?: boolean): [Tensor, Tensor] & { solution: Tensor; clonedCoefficient: Tensor };
export function triangularSolve(input: TensorLike, A: TensorLike, options?: { upper?: boolean; transpose?: boolean; unitriangular?: boolean }): [Tensor, Tensor] & { solution: Tensor; clonedCoefficient: Tensor };
export function triangularSolve(...args: unknown[]): unknown { return callMethod('triangularSolve', args, Tensor) as never; }

/** {@link Tensor.logdet} as a function. */
export function logdet(input: TensorLike): Tensor;
export function logdet(...args: unknown[]): unknown { return callMethod('logdet', args, Tensor) as never; }

/** {@link Tensor.orgqr} as a function. */
export function orgqr(input: TensorLike, tau: TensorLike): Tensor;
export function orgqr(...args: unknown[]): unknown { return callMethod('orgqr', args, Tensor) as never; }

/** {@link Tensor.pinverse} as a function. */
export function pinverse(input: TensorLike, rcond?: number): Tensor;
export function pinverse(input: TensorLike, options?: { rcond?: number }): Tensor;
export function pinverse(...args: unknown[]): unknown { return callMethod('pinverse', args, Tensor) as never; }

/** {@link Tensor.linear} as a function. */
export function linear(input: TensorLike, weight: TensorLike, bias?: TensorLike | null): Tensor;
export function linear(input: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null }): Tensor;
export function linear(...args: unknown[]): unknown { return callMethod('linear', args, Tensor) as never; }

/** {@link Tensor.oneHot} as a function. */
export function oneHot(input: TensorLike, numClasses: number): Tensor;
export function oneHot(input: TensorLike): Promise<Tensor>;
export function oneHot(...args: unknown[]): unknown { return callMethod('oneHot', args, Tensor) as never; }

/** {@link Tensor.nllLoss} as a function. */
export function nllLoss(input: TensorLike, target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number }): Tensor;
export function nllLoss(input: TensorLike, target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number }): Tensor;
export function nllLoss(...args: unknown[]): unknown { return callMethod('nllLoss', args, Tensor) as never; }

/** {@link Tensor.crossEntropy} as a function. */
export function crossEntropy(input: TensorLike, target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
export function crossEntropy(input: TensorLike, target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
export function crossEntropy(...args: unknown[]): unknown { return callMethod('crossEntropy', args, Tensor) as never; }

/** {@link Tensor.ctcLoss} as a function. */
export function ctcLoss(input: TensorLike, targets: TensorLike, inputLengths: Tensor | number | readonly number[], targetLengths: Tensor | number | readonly number[], blank?: number, reduction?: 'none' | 'mean' | 'sum', zeroInfinity?: boolean): Tensor;
export function ctcLoss(input: TensorLike, targets: TensorLike, inputLengths: Tensor | number | readonly number[], targetLengths: Tensor | number | readonly number[], options?: { blank?: number; reduction?: 'none' | 'mean' | 'sum'; zeroInfinity?: boolean }): Tensor;
export function ctcLoss(...args: unknown[]): unknown { return callMethod('ctcLoss', args, Tensor) as never; }

/**
 * The cosine of the angle between vectors, as `torch.nn.functional.cosine_similarity`:
 * `sum(x1 * x2) / (max(norm(x1), eps) * max(norm(x2), eps))` along `dim`.
 *
 * `x1` and `x2` broadcast together; the result has their shape without `dim`. Integers are
 * converted to float32. The gradient ignores the limit `eps`. No square overflows or underflows.
 *
 * Errors: `shape` if the shapes do not broadcast; `index` if `dim` is out of range.
 * @param dim default 1
 * @param eps default 1e-8
 */
export function cosineSimilarity(x1: TensorLike, x2: TensorLike, dim?: number, eps?: number): Tensor;
export function cosineSimilarity(x1: TensorLike, x2: TensorLike, options?: { dim?: number; eps?: number }): Tensor;
export function cosineSimilarity(...args: unknown[]): Tensor { return call(429, 'cosineSimilarity ^x1 ^x2 dim eps', undefined, args, Tensor); }

/**
 * The p-norm of the differences of vectors, as `torch.nn.functional.pairwise_distance`:
 * `norm(x1 - x2 + eps)`.
 *
 * `x1` and `x2`: `[*, D]`, which broadcast together; the result is `[*]`, or `[*, 1]` with
 * `keepdim`. Integers are converted to float32.
 *
 * Errors: `shape` if the shapes do not broadcast or both are 0-d.
 * @param p default 2.0
 * @param eps default 1e-6
 * @param keepdim default false
 */
export function pairwiseDistance(x1: TensorLike, x2: TensorLike, p?: number, eps?: number, keepdim?: boolean): Tensor;
export function pairwiseDistance(x1: TensorLike, x2: TensorLike, options?: { p?: number; eps?: number; keepdim?: boolean }): Tensor;
export function pairwiseDistance(...args: unknown[]): Tensor { return call(430, 'pairwiseDistance ^x1 ^x2 p eps keepdim', undefined, args, Tensor); }

/** {@link Tensor.pdist} as a function. */
export function pdist(input: TensorLike, p?: number): Tensor;
export function pdist(input: TensorLike, options?: { p?: number }): Tensor;
export function pdist(...args: unknown[]): unknown { return callMethod('pdist', args, Tensor) as never; }

/** {@link Tensor.hingeEmbeddingLoss} as a function. */
export function hingeEmbeddingLoss(input: TensorLike, target: TensorLike, options?: { margin?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function hingeEmbeddingLoss(...args: unknown[]): unknown { return callMethod('hingeEmbeddingLoss', args, Tensor) as never; }

/**
 * The margin ranking loss, as `torch.nn.functional.margin_ranking_loss`:
 * `max(0, margin - y * (x1 - x2))` with targets `y` of 1 and -1.
 *
 * The three tensors have the same number of dimensions and broadcast together. `reduction` is
 * `"mean"`, `"sum"`, or `"none"`, whose result has the broadcast shape.
 *
 * Errors: `shape` if the numbers of dimensions differ or the shapes do not broadcast; `argument`
 * if `reduction` is unknown.
 * @param margin default 0.0
 * @param reduction default "mean"
 */
export function marginRankingLoss(input1: TensorLike, input2: TensorLike, target: TensorLike, options?: { margin?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function marginRankingLoss(...args: unknown[]): Tensor { return call(433, 'marginRankingLoss ^input1 ^input2 ^target|margin reduction', undefined, args, Tensor); }

/** {@link Tensor.multiMarginLoss} as a function. */
export function multiMarginLoss(input: TensorLike, target: TensorLike, p?: Scalar, margin?: Scalar, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function multiMarginLoss(input: TensorLike, target: TensorLike, options?: { p?: Scalar; margin?: Scalar; weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function multiMarginLoss(...args: unknown[]): unknown { return callMethod('multiMarginLoss', args, Tensor) as never; }

/** {@link Tensor.multilabelMarginLoss} as a function. */
export function multilabelMarginLoss(input: TensorLike, target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function multilabelMarginLoss(...args: unknown[]): unknown { return callMethod('multilabelMarginLoss', args, Tensor) as never; }

/** {@link Tensor.multilabelSoftMarginLoss} as a function. */
export function multilabelSoftMarginLoss(input: TensorLike, target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function multilabelSoftMarginLoss(input: TensorLike, target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function multilabelSoftMarginLoss(...args: unknown[]): unknown { return callMethod('multilabelSoftMarginLoss', args, Tensor) as never; }

/**
 * The triplet margin loss, as `torch.nn.functional.triplet_margin_loss` (Balntas et al., 2016):
 * `max(0, d(anchor, positive) - d(anchor, negative) + margin)`.
 *
 * All three: `[N, D]` or `[D]`. The distance `d` is
 * [`pairwise_distance`](Tensor::pairwise_distance) with `p` and `eps`. With `swap` the smaller one
 * of `d(anchor, negative)` and `d(positive, negative)` is used. `reduction` is `"mean"`, `"sum"`,
 * or `"none"`, whose result is `[N]` or `[]`.
 *
 * Errors: `shape` if the numbers of dimensions differ or the shapes do not broadcast; `argument`
 * if `margin` is not positive or `reduction` is unknown.
 * @param margin default 1.0
 * @param p default 2.0
 * @param eps default 1e-6
 * @param swap default false
 * @param reduction default "mean"
 */
export function tripletMarginLoss(anchor: TensorLike, positive: TensorLike, negative: TensorLike, options?: { margin?: number; p?: number; eps?: number; swap?: boolean; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function tripletMarginLoss(...args: unknown[]): Tensor { return call(437, 'tripletMarginLoss ^anchor ^positive ^negative|margin p eps swap reduction', undefined, args, Tensor); }

/**
 * The cosine embedding loss, as `torch.nn.functional.cosine_embedding_loss`: `1 - cos(x1, x2)`
 * where the target is 1, `max(0, cos(x1, x2) - margin)` where it is -1.
 *
 * `input1` and `input2`: `[N, D]` or `[D]`, `target`: `[N]` or `[]`. `reduction` is `"mean"`,
 * `"sum"`, or `"none"`, whose result has the shape of `target`.
 *
 * Errors: `shape` if the numbers of dimensions do not fit or the shapes do not broadcast;
 * `argument` if `reduction` is unknown.
 * @param margin default 0.0
 * @param reduction default "mean"
 */
export function cosineEmbeddingLoss(input1: TensorLike, input2: TensorLike, target: TensorLike, options?: { margin?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function cosineEmbeddingLoss(...args: unknown[]): Tensor { return call(438, 'cosineEmbeddingLoss ^input1 ^input2 ^target|margin reduction', undefined, args, Tensor); }

/** {@link Tensor.mseLoss} as a function. */
export function mseLoss(input: TensorLike, target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; weight?: TensorLike | null }): Tensor;
export function mseLoss(...args: unknown[]): unknown { return callMethod('mseLoss', args, Tensor) as never; }

/** {@link Tensor.l1Loss} as a function. */
export function l1Loss(input: TensorLike, target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; weight?: TensorLike | null }): Tensor;
export function l1Loss(...args: unknown[]): unknown { return callMethod('l1Loss', args, Tensor) as never; }

/** {@link Tensor.smoothL1Loss} as a function. */
export function smoothL1Loss(input: TensorLike, target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; beta?: number }): Tensor;
export function smoothL1Loss(...args: unknown[]): unknown { return callMethod('smoothL1Loss', args, Tensor) as never; }

/** {@link Tensor.huberLoss} as a function. */
export function huberLoss(input: TensorLike, target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; delta?: number; weight?: TensorLike | null }): Tensor;
export function huberLoss(...args: unknown[]): unknown { return callMethod('huberLoss', args, Tensor) as never; }

/** {@link Tensor.binaryCrossEntropy} as a function. */
export function binaryCrossEntropy(input: TensorLike, target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function binaryCrossEntropy(input: TensorLike, target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function binaryCrossEntropy(...args: unknown[]): unknown { return callMethod('binaryCrossEntropy', args, Tensor) as never; }

/** {@link Tensor.binaryCrossEntropyWithLogits} as a function. */
export function binaryCrossEntropyWithLogits(input: TensorLike, target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; posWeight?: TensorLike | null }): Tensor;
export function binaryCrossEntropyWithLogits(input: TensorLike, target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; posWeight?: TensorLike | null }): Tensor;
export function binaryCrossEntropyWithLogits(...args: unknown[]): unknown { return callMethod('binaryCrossEntropyWithLogits', args, Tensor) as never; }

/** {@link Tensor.softMarginLoss} as a function. */
export function softMarginLoss(input: TensorLike, target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function softMarginLoss(...args: unknown[]): unknown { return callMethod('softMarginLoss', args, Tensor) as never; }

/** {@link Tensor.klDiv} as a function. */
export function klDiv(input: TensorLike, target: TensorLike, options?: { reduction?: 'none' | 'batchmean' | 'mean' | 'sum'; logTarget?: boolean }): Tensor;
export function klDiv(...args: unknown[]): unknown { return callMethod('klDiv', args, Tensor) as never; }

/** {@link Tensor.poissonNllLoss} as a function. */
export function poissonNllLoss(input: TensorLike, target: TensorLike, options?: { logInput?: boolean; full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function poissonNllLoss(...args: unknown[]): unknown { return callMethod('poissonNllLoss', args, Tensor) as never; }

/** {@link Tensor.gaussianNllLoss} as a function. */
export function gaussianNllLoss(input: TensorLike, target: TensorLike, var_: TensorLike, options?: { full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
export function gaussianNllLoss(...args: unknown[]): unknown { return callMethod('gaussianNllLoss', args, Tensor) as never; }

/** {@link Tensor.dropout1d} as a function. */
export function dropout1d(input: TensorLike, p?: number, training?: boolean): Tensor;
export function dropout1d(input: TensorLike, options?: { p?: number; training?: boolean }): Tensor;
export function dropout1d(...args: unknown[]): unknown { return callMethod('dropout1d', args, Tensor) as never; }

/** {@link Tensor.dropout2d} as a function. */
export function dropout2d(input: TensorLike, p?: number, training?: boolean): Tensor;
export function dropout2d(input: TensorLike, options?: { p?: number; training?: boolean }): Tensor;
export function dropout2d(...args: unknown[]): unknown { return callMethod('dropout2d', args, Tensor) as never; }

/** {@link Tensor.dropout3d} as a function. */
export function dropout3d(input: TensorLike, p?: number, training?: boolean): Tensor;
export function dropout3d(input: TensorLike, options?: { p?: number; training?: boolean }): Tensor;
export function dropout3d(...args: unknown[]): unknown { return callMethod('dropout3d', args, Tensor) as never; }

/** {@link Tensor.featureDropout} as a function. */
export function featureDropout(input: TensorLike, p: number, train: boolean): Tensor;
export function featureDropout(...args: unknown[]): unknown { return callMethod('featureDropout', args, Tensor) as never; }

/** {@link Tensor.featureDropout_} as a function. */
export function featureDropout_(input: Tensor, p: number, train: boolean): Tensor;
export function featureDropout_(...args: unknown[]): unknown { return callMethod('featureDropout_', args, Tensor) as never; }

/** {@link Tensor.alphaDropout} as a function. */
export function alphaDropout(input: TensorLike, p?: number, training?: boolean): Tensor;
export function alphaDropout(input: TensorLike, options?: { p?: number; training?: boolean }): Tensor;
export function alphaDropout(...args: unknown[]): unknown { return callMethod('alphaDropout', args, Tensor) as never; }

/** {@link Tensor.alphaDropout_} as a function. */
export function alphaDropout_(input: Tensor, p?: number, training?: boolean): Tensor;
export function alphaDropout_(input: Tensor, options?: { p?: number; training?: boolean }): Tensor;
export function alphaDropout_(...args: unknown[]): unknown { return callMethod('alphaDropout_', args, Tensor) as never; }

/** {@link Tensor.featureAlphaDropout} as a function. */
export function featureAlphaDropout(input: TensorLike, p?: number, training?: boolean): Tensor;
export function featureAlphaDropout(input: TensorLike, options?: { p?: number; training?: boolean }): Tensor;
export function featureAlphaDropout(...args: unknown[]): unknown { return callMethod('featureAlphaDropout', args, Tensor) as never; }

/** {@link Tensor.featureAlphaDropout_} as a function. */
export function featureAlphaDropout_(input: Tensor, p?: number, training?: boolean): Tensor;
export function featureAlphaDropout_(input: Tensor, options?: { p?: number; training?: boolean }): Tensor;
export function featureAlphaDropout_(...args: unknown[]): unknown { return callMethod('featureAlphaDropout_', args, Tensor) as never; }

/** {@link Tensor.rrelu} as a function. */
export function rrelu(input: TensorLike, lower?: Scalar, upper?: Scalar, training?: boolean, options?: { generator?: Generator | null }): Tensor;
export function rrelu(input: TensorLike, options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null }): Tensor;
export function rrelu(...args: unknown[]): unknown { return callMethod('rrelu', args, Tensor) as never; }

/** {@link Tensor.rrelu_} as a function. */
export function rrelu_(input: Tensor, lower?: Scalar, upper?: Scalar, training?: boolean, options?: { generator?: Generator | null }): Tensor;
export function rrelu_(input: Tensor, options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null }): Tensor;
export function rrelu_(...args: unknown[]): unknown { return callMethod('rrelu_', args, Tensor) as never; }

/** {@link Tensor.gumbelSoftmax} as a function. */
export function gumbelSoftmax(input: TensorLike, tau?: number, hard?: boolean, eps?: number, dim?: number, options?: { generator?: Generator | null }): Tensor;
export function gumbelSoftmax(input: TensorLike, options?: { tau?: number; hard?: boolean; eps?: number; dim?: number; generator?: Generator | null }): Tensor;
export function gumbelSoftmax(...args: unknown[]): unknown { return callMethod('gumbelSoftmax', args, Tensor) as never; }

/** {@link Tensor.random} as a function. */
export function random(input: TensorLike, options?: { generator?: Generator | null }): Tensor;
export function random(input: TensorLike, to: number, options?: { generator?: Generator | null }): Tensor;
export function random(input: TensorLike, from: number, to: number | null, options?: { generator?: Generator | null }): Tensor;
export function random(...args: unknown[]): unknown { return callMethod('random', args, Tensor) as never; }

/** {@link Tensor.layerNorm} as a function. */
export function layerNorm(input: TensorLike, normalizedShape: number | readonly number[], weight?: TensorLike | null, bias?: TensorLike | null, eps?: number): Tensor;
export function layerNorm(input: TensorLike, normalizedShape: number | readonly number[], options?: { weight?: TensorLike | null; bias?: TensorLike | null; eps?: number }): Tensor;
export function layerNorm(...args: unknown[]): unknown { return callMethod('layerNorm', args, Tensor) as never; }

/** {@link Tensor.nativeLayerNorm} as a function. */
export function nativeLayerNorm(input: TensorLike, normalizedShape: number | readonly number[], weight?: TensorLike | null, bias?: TensorLike | null, eps?: number): [Tensor, Tensor, Tensor] & { output: Tensor; mean: Tensor; rstd: Tensor };
export function nativeLayerNorm(input: TensorLike, normalizedShape: number | readonly number[], options?: { weight?: TensorLike | null; bias?: TensorLike | null; eps?: number }): [Tensor, Tensor, Tensor] & { output: Tensor; mean: Tensor; rstd: Tensor };
export function nativeLayerNorm(...args: unknown[]): unknown { return callMethod('nativeLayerNorm', args, Tensor) as never; }

/** {@link Tensor.rmsNorm} as a function. */
export function rmsNorm(input: TensorLike, normalizedShape: number | readonly number[], weight?: TensorLike | null, eps?: Scalar | null): Tensor;
export function rmsNorm(input: TensorLike, normalizedShape: number | readonly number[], options?: { weight?: TensorLike | null; eps?: Scalar | null }): Tensor;
export function rmsNorm(...args: unknown[]): unknown { return callMethod('rmsNorm', args, Tensor) as never; }

/** {@link Tensor.groupNorm} as a function. */
export function groupNorm(input: TensorLike, numGroups: number, weight?: TensorLike | null, bias?: TensorLike | null, eps?: number): Tensor;
export function groupNorm(input: TensorLike, numGroups: number, options?: { weight?: TensorLike | null; bias?: TensorLike | null; eps?: number }): Tensor;
export function groupNorm(...args: unknown[]): unknown { return callMethod('groupNorm', args, Tensor) as never; }

/** {@link Tensor.instanceNorm} as a function. */
export function instanceNorm(input: TensorLike, runningMean?: TensorLike | null, runningVar?: TensorLike | null, weight?: TensorLike | null, bias?: TensorLike | null, useInputStats?: boolean, momentum?: number, eps?: number): Tensor;
export function instanceNorm(input: TensorLike, options?: { runningMean?: TensorLike | null; runningVar?: TensorLike | null; weight?: TensorLike | null; bias?: TensorLike | null; useInputStats?: boolean; momentum?: number; eps?: number }): Tensor;
export function instanceNorm(...args: unknown[]): unknown { return callMethod('instanceNorm', args, Tensor) as never; }

/** {@link Tensor.batchNorm} as a function. */
export function batchNorm(input: TensorLike, runningMean?: TensorLike | null, runningVar?: TensorLike | null, weight?: TensorLike | null, bias?: TensorLike | null, training?: boolean, momentum?: number, eps?: number): Tensor;
export function batchNorm(input: TensorLike, options?: { runningMean?: TensorLike | null; runningVar?: TensorLike | null; weight?: TensorLike | null; bias?: TensorLike | null; training?: boolean; momentum?: number; eps?: number }): Tensor;
export function batchNorm(...args: unknown[]): unknown { return callMethod('batchNorm', args, Tensor) as never; }

/** {@link Tensor.normalize} as a function. */
export function normalize(input: TensorLike, p?: number, dim?: number, eps?: number): Tensor;
export function normalize(input: TensorLike, options?: { p?: number; dim?: number; eps?: number }): Tensor;
export function normalize(...args: unknown[]): unknown { return callMethod('normalize', args, Tensor) as never; }

/** {@link Tensor.localResponseNorm} as a function. */
export function localResponseNorm(input: TensorLike, size: number, alpha?: number, beta?: number, k?: number): Tensor;
export function localResponseNorm(input: TensorLike, size: number, options?: { alpha?: number; beta?: number; k?: number }): Tensor;
export function localResponseNorm(...args: unknown[]): unknown { return callMethod('localResponseNorm', args, Tensor) as never; }

/** {@link Tensor.movedim} as a function. */
export function movedim(input: TensorLike, source: number | readonly number[], destination: number | readonly number[]): Tensor;
export function movedim(input: TensorLike, source: number | readonly number[], ...destination: number[]): Tensor;
export function movedim(...args: unknown[]): unknown { return callMethod('movedim', args, Tensor) as never; }

/** {@link Tensor.moveaxis} as a function. */
export function moveaxis(input: TensorLike, source: number | readonly number[], destination: number | readonly number[]): Tensor;
export function moveaxis(input: TensorLike, source: number | readonly number[], ...destination: number[]): Tensor;
export function moveaxis(...args: unknown[]): unknown { return callMethod('moveaxis', args, Tensor) as never; }

/** {@link Tensor.numpyT} as a function. */
export function numpyT(input: TensorLike): Tensor;
export function numpyT(...args: unknown[]): unknown { return callMethod('numpyT', args, Tensor) as never; }

/** {@link Tensor.adjoint} as a function. */
export function adjoint(input: TensorLike): Tensor;
export function adjoint(...args: unknown[]): unknown { return callMethod('adjoint', args, Tensor) as never; }

/** {@link Tensor.matrixH} as a function. */
export function matrixH(input: TensorLike): Tensor;
export function matrixH(...args: unknown[]): unknown { return callMethod('matrixH', args, Tensor) as never; }

/** {@link Tensor.fliplr} as a function. */
export function fliplr(input: TensorLike): Tensor;
export function fliplr(...args: unknown[]): unknown { return callMethod('fliplr', args, Tensor) as never; }

/** {@link Tensor.flipud} as a function. */
export function flipud(input: TensorLike): Tensor;
export function flipud(...args: unknown[]): unknown { return callMethod('flipud', args, Tensor) as never; }

/** {@link Tensor.rot90} as a function. */
export function rot90(input: TensorLike, k?: number, dims?: number | readonly number[]): Tensor;
export function rot90(input: TensorLike, options?: { k?: number; dims?: number | readonly number[] }): Tensor;
export function rot90(...args: unknown[]): unknown { return callMethod('rot90', args, Tensor) as never; }

/** {@link Tensor.roll} as a function. */
export function roll(input: TensorLike, shifts: number | readonly number[], dims?: number | readonly number[]): Tensor;
export function roll(input: TensorLike, shifts: number | readonly number[], options?: { dims?: number | readonly number[] }): Tensor;
export function roll(...args: unknown[]): unknown { return callMethod('roll', args, Tensor) as never; }

/** {@link Tensor.channelShuffle} as a function. */
export function channelShuffle(input: TensorLike, groups: number): Tensor;
export function channelShuffle(...args: unknown[]): unknown { return callMethod('channelShuffle', args, Tensor) as never; }

/** {@link Tensor.pixelShuffle} as a function. */
export function pixelShuffle(input: TensorLike, upscaleFactor: number): Tensor;
export function pixelShuffle(...args: unknown[]): unknown { return callMethod('pixelShuffle', args, Tensor) as never; }

/** {@link Tensor.pixelUnshuffle} as a function. */
export function pixelUnshuffle(input: TensorLike, downscaleFactor: number): Tensor;
export function pixelUnshuffle(...args: unknown[]): unknown { return callMethod('pixelUnshuffle', args, Tensor) as never; }

/** {@link Tensor.avgPool1d} as a function. */
export function avgPool1d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean): Tensor;
export function avgPool1d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
export function avgPool1d(...args: unknown[]): unknown { return callMethod('avgPool1d', args, Tensor) as never; }

/** {@link Tensor.avgPool2d} as a function. */
export function avgPool2d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean, divisorOverride?: number | null): Tensor;
export function avgPool2d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean; divisorOverride?: number | null }): Tensor;
export function avgPool2d(...args: unknown[]): unknown { return callMethod('avgPool2d', args, Tensor) as never; }

/** {@link Tensor.avgPool3d} as a function. */
export function avgPool3d(input: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean, divisorOverride?: number | null): Tensor;
export function avgPool3d(input: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean; divisorOverride?: number | null }): Tensor;
export function avgPool3d(...args: unknown[]): unknown { return callMethod('avgPool3d', args, Tensor) as never; }

/** {@link Tensor.lpPool1d} as a function. */
export function lpPool1d(input: TensorLike, normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[], ceilMode?: boolean): Tensor;
export function lpPool1d(input: TensorLike, normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; ceilMode?: boolean }): Tensor;
export function lpPool1d(...args: unknown[]): unknown { return callMethod('lpPool1d', args, Tensor) as never; }

/** {@link Tensor.lpPool2d} as a function. */
export function lpPool2d(input: TensorLike, normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[], ceilMode?: boolean): Tensor;
export function lpPool2d(input: TensorLike, normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; ceilMode?: boolean }): Tensor;
export function lpPool2d(...args: unknown[]): unknown { return callMethod('lpPool2d', args, Tensor) as never; }

/** {@link Tensor.lpPool3d} as a function. */
export function lpPool3d(input: TensorLike, normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[], ceilMode?: boolean): Tensor;
export function lpPool3d(input: TensorLike, normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; ceilMode?: boolean }): Tensor;
export function lpPool3d(...args: unknown[]): unknown { return callMethod('lpPool3d', args, Tensor) as never; }

/** {@link Tensor.mm} as a function. */
export function mm(input: TensorLike, mat2: TensorLike): Tensor;
export function mm(input: TensorLike, mat2: TensorLike, outDtype: DType): Tensor;
export function mm(...args: unknown[]): unknown { return callMethod('mm', args, Tensor) as never; }

/** {@link Tensor.bmm} as a function. */
export function bmm(input: TensorLike, mat2: TensorLike): Tensor;
export function bmm(input: TensorLike, mat2: TensorLike, outDtype: DType): Tensor;
export function bmm(...args: unknown[]): unknown { return callMethod('bmm', args, Tensor) as never; }

/** {@link Tensor.mv} as a function. */
export function mv(input: TensorLike, vec: TensorLike): Tensor;
export function mv(...args: unknown[]): unknown { return callMethod('mv', args, Tensor) as never; }

/** {@link Tensor.dot} as a function. */
export function dot(input: TensorLike, tensor: TensorLike): Tensor;
export function dot(...args: unknown[]): unknown { return callMethod('dot', args, Tensor) as never; }

/** {@link Tensor.vdot} as a function. */
export function vdot(input: TensorLike, tensor: TensorLike): Tensor;
export function vdot(...args: unknown[]): unknown { return callMethod('vdot', args, Tensor) as never; }

/** {@link Tensor.inner} as a function. */
export function inner(input: TensorLike, other: TensorLike): Tensor;
export function inner(...args: unknown[]): unknown { return callMethod('inner', args, Tensor) as never; }

/** {@link Tensor.outer} as a function. */
export function outer(input: TensorLike, vec2: TensorLike): Tensor;
export function outer(...args: unknown[]): unknown { return callMethod('outer', args, Tensor) as never; }

/** {@link Tensor.ger} as a function. */
export function ger(input: TensorLike, vec2: TensorLike): Tensor;
export function ger(...args: unknown[]): unknown { return callMethod('ger', args, Tensor) as never; }

/** {@link Tensor.addmm} as a function. */
export function addmm(input: TensorLike, mat1: TensorLike, mat2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function addmm(input: TensorLike, mat1: TensorLike, mat2: TensorLike, outDtype: DType, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function addmm(...args: unknown[]): unknown { return callMethod('addmm', args, Tensor) as never; }

/** {@link Tensor.addmv} as a function. */
export function addmv(input: TensorLike, mat: TensorLike, vec: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function addmv(...args: unknown[]): unknown { return callMethod('addmv', args, Tensor) as never; }

/** {@link Tensor.addmv_} as a function. */
export function addmv_(input: Tensor, mat: TensorLike, vec: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function addmv_(...args: unknown[]): unknown { return callMethod('addmv_', args, Tensor) as never; }

/** {@link Tensor.addr} as a function. */
export function addr(input: TensorLike, vec1: TensorLike, vec2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function addr(...args: unknown[]): unknown { return callMethod('addr', args, Tensor) as never; }

/** {@link Tensor.baddbmm} as a function. */
export function baddbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function baddbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, outDtype: DType, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function baddbmm(...args: unknown[]): unknown { return callMethod('baddbmm', args, Tensor) as never; }

/** {@link Tensor.addbmm} as a function. */
export function addbmm(input: TensorLike, batch1: TensorLike, batch2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
export function addbmm(...args: unknown[]): unknown { return callMethod('addbmm', args, Tensor) as never; }

/** {@link Tensor.kron} as a function. */
export function kron(input: TensorLike, other: TensorLike): Tensor;
export function kron(...args: unknown[]): unknown { return callMethod('kron', args, Tensor) as never; }

/** {@link Tensor.matrixPower} as a function. */
export function matrixPower(input: TensorLike, n: number): Tensor;
export function matrixPower(...args: unknown[]): unknown { return callMethod('matrixPower', args, Tensor) as never; }

/** Another name of `linalgMultiDot`. */
export function chainMatmul(tensors: readonly Tensor[]): Tensor;
export function chainMatmul(...args: unknown[]): Tensor { return call(502, 'chainMatmul tensors', undefined, args, Tensor); }

/**
 * The type of an op's result for these two operands, as `torch.result_type`.
 *
 * Operands are ranked: tensors with dimensions, then 0-d tensors, then numbers. A lower rank
 * changes the type only if its category, of bool, integer and floating point, is a higher one.
 */
export function resultType(tensor1: TensorLike | Scalar, tensor2: TensorLike | Scalar): DType;
export function resultType(...args: unknown[]): unknown { return callAny(504, 'resultType ^tensor1 ^tensor2', 'dtype', undefined, args, Tensor) as never; }

/**
 * The smallest type that holds the values of both, as `torch.promote_types`.
 */
export function promoteTypes(type1: DType, type2: DType): DType;
export function promoteTypes(...args: unknown[]): unknown { return callAny(505, 'promoteTypes type1 type2', 'dtype', undefined, args, Tensor) as never; }

/**
 * Whether a result of type `from_` may be stored to a tensor of type `to`, as `torch.can_cast`:
 * not from floating point to an integer, and not from a number to bool.
 */
export function canCast(from_: DType, to: DType): boolean;
export function canCast(...args: unknown[]): unknown { return callAny(506, 'canCast from_ to', 'boolean', undefined, args, Tensor) as never; }

/** {@link Tensor.quantile} as a function. */
export function quantile(input: TensorLike, q: TensorLike, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function quantile(input: TensorLike, q: TensorLike, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function quantile(input: TensorLike, q: number, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function quantile(input: TensorLike, q: number, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function quantile(...args: unknown[]): unknown { return callMethod('quantile', args, Tensor) as never; }

/** {@link Tensor.nanquantile} as a function. */
export function nanquantile(input: TensorLike, q: TensorLike, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function nanquantile(input: TensorLike, q: TensorLike, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function nanquantile(input: TensorLike, q: number, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function nanquantile(input: TensorLike, q: number, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
export function nanquantile(...args: unknown[]): unknown { return callMethod('nanquantile', args, Tensor) as never; }

/** {@link Tensor.msort} as a function. */
export function msort(input: TensorLike): Tensor;
export function msort(...args: unknown[]): unknown { return callMethod('msort', args, Tensor) as never; }

/** {@link Tensor.topk} as a function. */
export function topk(input: TensorLike, k: number, dim?: number, largest?: boolean, sorted?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function topk(input: TensorLike, k: number, options?: { dim?: number; largest?: boolean; sorted?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function topk(...args: unknown[]): unknown { return callMethod('topk', args, Tensor) as never; }

/** {@link Tensor.kthvalue} as a function. */
export function kthvalue(input: TensorLike, k: number, dim?: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function kthvalue(input: TensorLike, k: number, options?: { dim?: number; keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function kthvalue(...args: unknown[]): unknown { return callMethod('kthvalue', args, Tensor) as never; }

/** {@link Tensor.median} as a function. */
export function median(input: TensorLike): Tensor;
export function median(input: TensorLike, dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function median(input: TensorLike, dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function median(...args: unknown[]): unknown { return callMethod('median', args, Tensor) as never; }

/** {@link Tensor.nanmedian} as a function. */
export function nanmedian(input: TensorLike): Tensor;
export function nanmedian(input: TensorLike, dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function nanmedian(input: TensorLike, dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function nanmedian(...args: unknown[]): unknown { return callMethod('nanmedian', args, Tensor) as never; }

/** {@link Tensor.mode} as a function. */
export function mode(input: TensorLike, dim?: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function mode(input: TensorLike, options?: { dim?: number; keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
export function mode(...args: unknown[]): unknown { return callMethod('mode', args, Tensor) as never; }

/** {@link Tensor.interpolate} as a function. */
export function interpolate(input: TensorLike, size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null, mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact', alignCorners?: boolean | null, recomputeScaleFactor?: boolean | null, antialias?: boolean): Tensor;
export function interpolate(input: TensorLike, options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null; mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact'; alignCorners?: boolean | null; recomputeScaleFactor?: boolean | null; antialias?: boolean }): Tensor;
export function interpolate(...args: unknown[]): unknown { return callMethod('interpolate', args, Tensor) as never; }

/** {@link Tensor.upsampleNearest} as a function. */
export function upsampleNearest(input: TensorLike, size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null): Tensor;
export function upsampleNearest(input: TensorLike, options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null }): Tensor;
export function upsampleNearest(...args: unknown[]): unknown { return callMethod('upsampleNearest', args, Tensor) as never; }

/** {@link Tensor.upsampleBilinear} as a function. */
export function upsampleBilinear(input: TensorLike, size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null): Tensor;
export function upsampleBilinear(input: TensorLike, options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null }): Tensor;
export function upsampleBilinear(...args: unknown[]): unknown { return callMethod('upsampleBilinear', args, Tensor) as never; }

/** {@link Tensor.ravel} as a function. */
export function ravel(input: TensorLike): Tensor;
export function ravel(...args: unknown[]): unknown { return callMethod('ravel', args, Tensor) as never; }

/** {@link Tensor.reshapeAs} as a function. */
export function reshapeAs(input: TensorLike, other: TensorLike): Tensor;
export function reshapeAs(...args: unknown[]): unknown { return callMethod('reshapeAs', args, Tensor) as never; }

/** {@link Tensor.viewAs} as a function. */
export function viewAs(input: TensorLike, other: TensorLike): Tensor;
export function viewAs(...args: unknown[]): unknown { return callMethod('viewAs', args, Tensor) as never; }

/** {@link Tensor.broadcastTo} as a function. */
export function broadcastTo(input: TensorLike, size: number | readonly number[]): Tensor;
export function broadcastTo(input: TensorLike, ...size: number[]): Tensor;
export function broadcastTo(...args: unknown[]): unknown { return callMethod('broadcastTo', args, Tensor) as never; }

/** {@link Tensor.expandAs} as a function. */
export function expandAs(input: TensorLike, other: TensorLike): Tensor;
export function expandAs(...args: unknown[]): unknown { return callMethod('expandAs', args, Tensor) as never; }

/**
 * The tensor itself, or a 0-d tensor as `[1]`, as `torch.atleast_1d`.
 */
export function atleast1d(tensor: TensorLike): Tensor;
/**
 * [`atleast_1d`](Tensor::atleast_1d) of each tensor.
 */
export function atleast1d(tensors: readonly Tensor[]): Tensor[];
export function atleast1d(...tensors: Tensor[]): Tensor[];
export function atleast1d(...args: unknown[]): unknown { return callOverload(527, 'atleast1d;;tensors', undefined, args, Tensor) as never; }

/**
 * The tensor itself, or a vector `[n]` as `[1, n]` and a 0-d tensor as `[1, 1]`, as
 * `torch.atleast_2d`.
 */
export function atleast2d(tensor: TensorLike): Tensor;
/**
 * [`atleast_2d`](Tensor::atleast_2d) of each tensor.
 */
export function atleast2d(tensors: readonly Tensor[]): Tensor[];
export function atleast2d(...tensors: Tensor[]): Tensor[];
export function atleast2d(...args: unknown[]): unknown { return callOverload(528, 'atleast2d;;tensors', undefined, args, Tensor) as never; }

/**
 * The tensor itself, or a matrix `[n, m]` as `[n, m, 1]`, a vector `[n]` as `[1, n, 1]` and a 0-d
 * tensor as `[1, 1, 1]`, as `torch.atleast_3d`.
 */
export function atleast3d(tensor: TensorLike): Tensor;
/**
 * [`atleast_3d`](Tensor::atleast_3d) of each tensor.
 */
export function atleast3d(tensors: readonly Tensor[]): Tensor[];
export function atleast3d(...tensors: Tensor[]): Tensor[];
export function atleast3d(...args: unknown[]): unknown { return callOverload(529, 'atleast3d;;tensors', undefined, args, Tensor) as never; }

/**
 * The shape to which two shapes broadcast, as `torch.broadcast_shapes`.
 *
 * Errors: `shape` if they do not broadcast or a size is negative.
 */
export function broadcastShapes(a: number | readonly number[], b: number | readonly number[]): number[];
export function broadcastShapes(a: number | readonly number[], ...b: number[]): number[];
export function broadcastShapes(...args: unknown[]): unknown { return callAny(533, 'broadcastShapes a *b', 'numbers', undefined, args, Tensor) as never; }

/**
 * Each tensor expanded to the shape to which all of them broadcast, as `torch.broadcast_tensors`:
 * views.
 *
 * Errors: `shape` if the shapes do not broadcast.
 */
export function broadcastTensors(tensors: readonly Tensor[]): Tensor[];
export function broadcastTensors(...tensors: Tensor[]): Tensor[];
export function broadcastTensors(...args: unknown[]): unknown { return callAny(534, 'broadcastTensors *tensors', 'tensors', undefined, args, Tensor) as never; }

/**
 * The coordinates of a grid over vectors, as `torch.meshgrid`: each vector expanded to the shape
 * of the grid.
 *
 * `[n_1]` to `[n_k]` give `k` tensors `[n_1, ..., n_k]`, all of them views; a 0-d tensor counts as
 * `[1]`. With `indexing` `"ij"` the `i`-th vector varies along dimension `i`; with `"xy"` the
 * first two dimensions are swapped.
 *
 * Errors: `shape` if a tensor has more than one dimension; `argument` if the list is empty or
 * `indexing` is unknown.
 * @param indexing default "ij"
 */
export function meshgrid(tensors: readonly Tensor[], indexing?: 'ij' | 'xy'): Tensor[];
export function meshgrid(tensors: readonly Tensor[], options?: { indexing?: 'ij' | 'xy' }): Tensor[];
export function meshgrid(...tensors: Tensor[]): Tensor[];
export function meshgrid(...tensors: [...Tensor[], { indexing?: 'ij' | 'xy' }]): Tensor[];
export function meshgrid(...args: unknown[]): unknown { return callAny(535, 'meshgrid *tensors indexing', 'tensors', undefined, args, Tensor) as never; }

/** {@link Tensor.repeat} as a function. */
export function repeat(input: TensorLike, repeats: number | readonly number[]): Tensor;
export function repeat(input: TensorLike, ...repeats: number[]): Tensor;
export function repeat(...args: unknown[]): unknown { return callMethod('repeat', args, Tensor) as never; }

/** {@link Tensor.tile} as a function. */
export function tile(input: TensorLike, dims: number | readonly number[]): Tensor;
export function tile(input: TensorLike, ...dims: number[]): Tensor;
export function tile(...args: unknown[]): unknown { return callMethod('tile', args, Tensor) as never; }

/** {@link Tensor.repeatInterleave} as a function. */
export function repeatInterleave(input: TensorLike, repeats: number, dim?: number | null, options?: { outputSize?: number | null }): Tensor;
export function repeatInterleave(input: TensorLike, repeats: number, options?: { dim?: number | null; outputSize?: number | null }): Tensor;
export function repeatInterleave(input: TensorLike, repeats: TensorLike, dim?: number | null, options?: { outputSize?: number | null }): Promise<Tensor>;
export function repeatInterleave(input: TensorLike, repeats: TensorLike, options?: { dim?: number | null; outputSize?: number | null }): Promise<Tensor>;
export function repeatInterleave(...args: unknown[]): unknown { return callMethod('repeatInterleave', args, Tensor) as never; }

/** {@link Tensor.resize} as a function. */
export function resize(input: TensorLike, size: number | readonly number[]): Tensor;
export function resize(input: TensorLike, ...size: number[]): Tensor;
export function resize(...args: unknown[]): unknown { return callMethod('resize', args, Tensor) as never; }

/** {@link Tensor.resizeAs} as a function. */
export function resizeAs(input: TensorLike, theTemplate: TensorLike): Tensor;
export function resizeAs(...args: unknown[]): unknown { return callMethod('resizeAs', args, Tensor) as never; }

/** {@link Tensor.resizeAs_} as a function. */
export function resizeAs_(input: Tensor, theTemplate: TensorLike): Tensor;
export function resizeAs_(...args: unknown[]): unknown { return callMethod('resizeAs_', args, Tensor) as never; }

/** {@link Tensor.fillDiagonal} as a function. */
export function fillDiagonal(input: TensorLike, fillValue: Scalar, wrap?: boolean): Tensor;
export function fillDiagonal(input: TensorLike, fillValue: Scalar, options?: { wrap?: boolean }): Tensor;
export function fillDiagonal(...args: unknown[]): unknown { return callMethod('fillDiagonal', args, Tensor) as never; }

/**
 * The positions at which values would be inserted into sorted sequences, as `torch.searchsorted`:
 * the number of elements below the value, or, with `right` or the `side` `"right"`, not above it.
 *
 * `sorted_sequence: [n]` for `input` of any shape, or `[*, n]` for `input: [*, m]`; the result has
 * the shape of `input`, in int32 (PyTorch: int64, or int32 with `out_int32`). `sorter` has the
 * positions that sort the sequences. Types are promoted; NaN counts as larger than every number.
 * There is no gradient.
 *
 * Errors: `shape` if the leading sizes differ or `sorter` does not have the shape of the
 * sequences; `argument` if `side` is unknown or `"left"` together with `right`; `dtype` if
 * `sorter` is not of an integer type.
 * @param outInt32 default false
 * @param right default false
 * @param side default null
 * @param sorter default null
 */
export function searchsorted(sortedSequence: TensorLike, input: TensorLike | Scalar, options?: { outInt32?: boolean; right?: boolean; side?: 'left' | 'right' | null; sorter?: TensorLike | null }): Tensor;
export function searchsorted(...args: unknown[]): Tensor { return call(543, 'searchsorted ^sortedSequence ^input|outInt32 right side ^sorter', undefined, args, Tensor); }

/** {@link Tensor.bucketize} as a function. */
export function bucketize(input: TensorLike | number, boundaries: TensorLike, options?: { outInt32?: boolean; right?: boolean }): Tensor;
export function bucketize(self: TensorLike | number, input: Scalar, boundaries: TensorLike, options?: { outInt32?: boolean; right?: boolean }): Tensor;
export function bucketize(...args: unknown[]): unknown { return callMethod('bucketize', args, Tensor, true) as never; }

/**
 * Whether each of `elements` occurs in `test_elements`, or with `invert` does not, as
 * `torch.isin`. NaN occurs in nothing.
 *
 * Both are tensors of any shape or a number, not both numbers; the result is bool, in the shape of
 * `elements`. Types are promoted.
 *
 * Errors: `argument` if both are numbers.
 * @param assumeUnique default false
 * @param invert default false
 */
export function isin(elements: TensorLike | Scalar, testElements: TensorLike | Scalar, options?: { assumeUnique?: boolean; invert?: boolean }): Tensor;
export function isin(...args: unknown[]): Tensor { return call(546, 'isin ^elements ^testElements|assumeUnique invert', undefined, args, Tensor); }

/** {@link Tensor.t} as a function. */
export function t(input: TensorLike): Tensor;
export function t(...args: unknown[]): unknown { return callMethod('t', args, Tensor) as never; }

/** {@link Tensor.flatten} as a function. */
export function flatten(input: TensorLike, startDim?: number, endDim?: number): Tensor;
export function flatten(input: TensorLike, options?: { startDim?: number; endDim?: number }): Tensor;
export function flatten(...args: unknown[]): unknown { return callMethod('flatten', args, Tensor) as never; }

/** {@link Tensor.unflatten} as a function. */
export function unflatten(input: TensorLike, dim: number, sizes: number | readonly number[]): Tensor;
export function unflatten(input: TensorLike, dim: number, ...sizes: number[]): Tensor;
export function unflatten(...args: unknown[]): unknown { return callMethod('unflatten', args, Tensor) as never; }

/**
 * Joins tensors of one shape along a new dimension `dim`, as `torch.stack`.
 *
 * `k` tensors `[a, b]` give `[k, a, b]` for `dim` 0. Types are promoted.
 *
 * Errors: `argument` if the list is empty; `shape` if the shapes differ; `index` if `dim` is out
 * of range.
 * @param dim default 0
 */
export function stack(tensors: readonly Tensor[], dim?: number): Tensor;
export function stack(tensors: readonly Tensor[], options?: { dim?: number }): Tensor;
export function stack(...args: unknown[]): Tensor { return call(550, 'stack tensors dim', undefined, args, Tensor); }

/** {@link Tensor.sumToSize} as a function. */
export function sumToSize(input: TensorLike, size: number | readonly number[]): Tensor;
export function sumToSize(input: TensorLike, ...size: number[]): Tensor;
export function sumToSize(...args: unknown[]): unknown { return callMethod('sumToSize', args, Tensor) as never; }

/** {@link Tensor.softmax} as a function. */
export function softmax<D extends DType = DType>(input: TensorLike, dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function softmax<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function softmax(...args: unknown[]): unknown { return callMethod('softmax', args, Tensor) as never; }

/** {@link Tensor.logSoftmax} as a function. */
export function logSoftmax<D extends DType = DType>(input: TensorLike, dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function logSoftmax<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function logSoftmax(...args: unknown[]): unknown { return callMethod('logSoftmax', args, Tensor) as never; }

/** {@link Tensor.softmin} as a function. */
export function softmin<D extends DType = DType>(input: TensorLike, dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function softmin<D extends DType = DType>(input: TensorLike, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function softmin(...args: unknown[]): unknown { return callMethod('softmin', args, Tensor) as never; }

/** {@link Tensor.logsumexp} as a function. */
export function logsumexp(input: TensorLike, dim: number | readonly number[], keepdim?: boolean): Tensor;
export function logsumexp(input: TensorLike, dim: number | readonly number[], options?: { keepdim?: boolean }): Tensor;
export function logsumexp(...args: unknown[]): unknown { return callMethod('logsumexp', args, Tensor) as never; }

/** {@link Tensor.split} as a function. */
export function split(input: TensorLike, splitSize: number, dim?: number): Tensor[];
export function split(input: TensorLike, splitSize: number, options?: { dim?: number }): Tensor[];
export function split(input: TensorLike, splitSize: number | readonly number[], dim?: number): Tensor[];
export function split(input: TensorLike, splitSize: number | readonly number[], options?: { dim?: number }): Tensor[];
export function split(...args: unknown[]): unknown { return callMethod('split', args, Tensor) as never; }

/** {@link Tensor.unsafeSplit} as a function. */
export function unsafeSplit(input: TensorLike, splitSize: number, dim?: number): Tensor[];
export function unsafeSplit(input: TensorLike, splitSize: number, options?: { dim?: number }): Tensor[];
export function unsafeSplit(input: TensorLike, splitSize: number | readonly number[], dim?: number): Tensor[];
export function unsafeSplit(input: TensorLike, splitSize: number | readonly number[], options?: { dim?: number }): Tensor[];
export function unsafeSplit(...args: unknown[]): unknown { return callMethod('unsafeSplit', args, Tensor) as never; }

/** {@link Tensor.splitWithSizes} as a function. */
export function splitWithSizes(input: TensorLike, splitSizes: number | readonly number[], dim?: number): Tensor[];
export function splitWithSizes(input: TensorLike, splitSizes: number | readonly number[], options?: { dim?: number }): Tensor[];
export function splitWithSizes(...args: unknown[]): unknown { return callMethod('splitWithSizes', args, Tensor) as never; }

/** {@link Tensor.unsafeSplitWithSizes} as a function. */
export function unsafeSplitWithSizes(input: TensorLike, splitSizes: number | readonly number[], dim?: number): Tensor[];
export function unsafeSplitWithSizes(input: TensorLike, splitSizes: number | readonly number[], options?: { dim?: number }): Tensor[];
export function unsafeSplitWithSizes(...args: unknown[]): unknown { return callMethod('unsafeSplitWithSizes', args, Tensor) as never; }

/** {@link Tensor.chunk} as a function. */
export function chunk(input: TensorLike, chunks: number, dim?: number): Tensor[];
export function chunk(input: TensorLike, chunks: number, options?: { dim?: number }): Tensor[];
export function chunk(...args: unknown[]): unknown { return callMethod('chunk', args, Tensor) as never; }

/** {@link Tensor.unsafeChunk} as a function. */
export function unsafeChunk(input: TensorLike, chunks: number, dim?: number): Tensor[];
export function unsafeChunk(input: TensorLike, chunks: number, options?: { dim?: number }): Tensor[];
export function unsafeChunk(...args: unknown[]): unknown { return callMethod('unsafeChunk', args, Tensor) as never; }

/** {@link Tensor.tensorSplit} as a function. */
export function tensorSplit(input: TensorLike, sections: number, dim?: number): Tensor[];
export function tensorSplit(input: TensorLike, sections: number, options?: { dim?: number }): Tensor[];
export function tensorSplit(input: TensorLike, indices: number | readonly number[], dim?: number): Tensor[];
export function tensorSplit(input: TensorLike, indices: number | readonly number[], options?: { dim?: number }): Tensor[];
export function tensorSplit(input: TensorLike, tensorIndicesOrSections: TensorLike, dim?: number): Promise<Tensor[]>;
export function tensorSplit(input: TensorLike, tensorIndicesOrSections: TensorLike, options?: { dim?: number }): Promise<Tensor[]>;
export function tensorSplit(...args: unknown[]): unknown { return callMethod('tensorSplit', args, Tensor) as never; }

/** {@link Tensor.hsplit} as a function. */
export function hsplit(input: TensorLike, sections: number): Tensor[];
export function hsplit(input: TensorLike, indices: number | readonly number[]): Tensor[];
export function hsplit(input: TensorLike, ...indices: number[]): Tensor[];
export function hsplit(...args: unknown[]): unknown { return callMethod('hsplit', args, Tensor) as never; }

/** {@link Tensor.vsplit} as a function. */
export function vsplit(input: TensorLike, sections: number): Tensor[];
export function vsplit(input: TensorLike, indices: number | readonly number[]): Tensor[];
export function vsplit(input: TensorLike, ...indices: number[]): Tensor[];
export function vsplit(...args: unknown[]): unknown { return callMethod('vsplit', args, Tensor) as never; }

/** {@link Tensor.dsplit} as a function. */
export function dsplit(input: TensorLike, sections: number): Tensor[];
export function dsplit(input: TensorLike, indices: number | readonly number[]): Tensor[];
export function dsplit(input: TensorLike, ...indices: number[]): Tensor[];
export function dsplit(...args: unknown[]): unknown { return callMethod('dsplit', args, Tensor) as never; }

/** {@link Tensor.unbind} as a function. */
export function unbind(input: TensorLike, dim?: number): Tensor[];
export function unbind(input: TensorLike, options?: { dim?: number }): Tensor[];
export function unbind(...args: unknown[]): unknown { return callMethod('unbind', args, Tensor) as never; }

/** {@link Tensor.mean} as a function. */
export function mean<D extends DType = DType>(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function mean<D extends DType = DType>(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function mean(...args: unknown[]): unknown { return callMethod('mean', args, Tensor) as never; }

/** {@link Tensor.var} as a function. */
function var_(input: TensorLike, dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): Tensor;
function var_(input: TensorLike, options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): Tensor;
function var_(input: TensorLike, unbiased: boolean): Tensor;
function var_(input: TensorLike, dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): Tensor;
function var_(input: TensorLike, dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): Tensor;
function var_(...args: unknown[]): unknown { return callMethod('var', args, Tensor) as never; }
export { var_ as var };

/** {@link Tensor.std} as a function. */
export function std(input: TensorLike, dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): Tensor;
export function std(input: TensorLike, options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): Tensor;
export function std(input: TensorLike, unbiased: boolean): Tensor;
export function std(input: TensorLike, dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): Tensor;
export function std(input: TensorLike, dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): Tensor;
export function std(...args: unknown[]): unknown { return callMethod('std', args, Tensor) as never; }

/** {@link Tensor.varMean} as a function. */
export function varMean(input: TensorLike, dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
export function varMean(input: TensorLike, options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
export function varMean(input: TensorLike, unbiased: boolean): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
export function varMean(input: TensorLike, dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
export function varMean(input: TensorLike, dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
export function varMean(...args: unknown[]): unknown { return callMethod('varMean', args, Tensor) as never; }

/** {@link Tensor.stdMean} as a function. */
export function stdMean(input: TensorLike, dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
export function stdMean(input: TensorLike, options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
export function stdMean(input: TensorLike, unbiased: boolean): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
export function stdMean(input: TensorLike, dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
export function stdMean(input: TensorLike, dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
export function stdMean(...args: unknown[]): unknown { return callMethod('stdMean', args, Tensor) as never; }

/** {@link Tensor.nansum} as a function. */
export function nansum<D extends DType = DType>(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function nansum<D extends DType = DType>(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function nansum(...args: unknown[]): unknown { return callMethod('nansum', args, Tensor) as never; }

/** {@link Tensor.nanmean} as a function. */
export function nanmean<D extends DType = DType>(input: TensorLike, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function nanmean<D extends DType = DType>(input: TensorLike, options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function nanmean(...args: unknown[]): unknown { return callMethod('nanmean', args, Tensor) as never; }

/** {@link Tensor.unique} as a function. */
export function unique(input: TensorLike, sorted?: boolean, returnInverse?: boolean, returnCounts?: boolean, dim?: number | null): Promise<Tensor[]>;
export function unique(input: TensorLike, options?: { sorted?: boolean; returnInverse?: boolean; returnCounts?: boolean; dim?: number | null }): Promise<Tensor[]>;
export function unique(...args: unknown[]): unknown { return callMethod('unique', args, Tensor) as never; }

/** {@link Tensor.uniqueConsecutive} as a function. */
export function uniqueConsecutive(input: TensorLike, returnInverse?: boolean, returnCounts?: boolean, dim?: number | null): Promise<Tensor[]>;
export function uniqueConsecutive(input: TensorLike, options?: { returnInverse?: boolean; returnCounts?: boolean; dim?: number | null }): Promise<Tensor[]>;
export function uniqueConsecutive(...args: unknown[]): unknown { return callMethod('uniqueConsecutive', args, Tensor) as never; }

/** {@link Tensor.cross} as a function. */
export function cross(input: TensorLike, other: TensorLike, dim?: number | null): Tensor;
export function cross(input: TensorLike, other: TensorLike, options?: { dim?: number | null }): Tensor;
export function cross(...args: unknown[]): unknown { return callMethod('cross', args, Tensor) as never; }

/**
 * The matrix of the powers of the elements of `x`, as `torch.vander`: `N` columns, `x^(N-1)`
 * first, or with `increasing` `x^0` first.
 *
 * Shapes: `x: [n]`, the result `[n, N]`, or `[n, n]` without `N`.
 *
 * Errors: `shape` if `x` is not a vector; `argument` if `N` is negative.
 * @param N default null
 * @param increasing default false
 */
export function vander(x: TensorLike, N?: number | null, increasing?: boolean): Tensor;
export function vander(x: TensorLike, options?: { N?: number | null; increasing?: boolean }): Tensor;
export function vander(...args: unknown[]): Tensor { return call(593, 'vander ^x N increasing', undefined, args, Tensor); }

/** {@link Tensor.mvlgamma} as a function. */
export function mvlgamma(input: TensorLike, p: number): Tensor;
export function mvlgamma(...args: unknown[]): unknown { return callMethod('mvlgamma', args, Tensor) as never; }

/**
 * The Hann window, as `torch.hann_window` (Harris, 1978): `0.5 - 0.5 cos(2 pi n / N)`.
 *
 * The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
 * `periodic`.
 *
 * Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param periodic default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function hannWindow<D extends DType = DType>(windowLength: number, periodic?: boolean, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function hannWindow<D extends DType = DType>(windowLength: number, options?: { periodic?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function hannWindow(...args: unknown[]): Tensor { return call(595, 'hannWindow windowLength periodic|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Hamming window, as `torch.hamming_window` (Harris, 1978): `alpha - beta cos(2 pi n / N)`.
 *
 * The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
 * `periodic`.
 *
 * Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param periodic default true
 * @param alpha default 0.54
 * @param beta default 0.46
 * @param dtype default null
 * @param requiresGrad default false
 */
export function hammingWindow<D extends DType = DType>(windowLength: number, periodic?: boolean, alpha?: number, beta?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function hammingWindow<D extends DType = DType>(windowLength: number, options?: { periodic?: boolean; alpha?: number; beta?: number; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function hammingWindow(...args: unknown[]): Tensor { return call(596, 'hammingWindow windowLength periodic alpha beta|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Blackman window, as `torch.blackman_window` (Harris, 1978):
 * `0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)`.
 *
 * The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
 * `periodic`.
 *
 * Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param periodic default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function blackmanWindow<D extends DType = DType>(windowLength: number, periodic?: boolean, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function blackmanWindow<D extends DType = DType>(windowLength: number, options?: { periodic?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function blackmanWindow(...args: unknown[]): Tensor { return call(597, 'blackmanWindow windowLength periodic|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Bartlett window, as `torch.bartlett_window` (Harris, 1978): `1 - |2 n / N - 1|`.
 *
 * The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
 * `periodic`.
 *
 * Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param periodic default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function bartlettWindow<D extends DType = DType>(windowLength: number, periodic?: boolean, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function bartlettWindow<D extends DType = DType>(windowLength: number, options?: { periodic?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function bartlettWindow(...args: unknown[]): Tensor { return call(598, 'bartlettWindow windowLength periodic|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Kaiser window, as `torch.kaiser_window` (Kaiser, 1974):
 * `I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta)`.
 *
 * The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
 * `periodic`. `I0` is the modified Bessel function of the first kind and order 0.
 *
 * Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64;
 * `argument` if `beta` is negative.
 * @param periodic default true
 * @param beta default 12.0
 * @param dtype default null
 * @param requiresGrad default false
 */
export function kaiserWindow<D extends DType = DType>(windowLength: number, periodic?: boolean, beta?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function kaiserWindow<D extends DType = DType>(windowLength: number, options?: { periodic?: boolean; beta?: number; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function kaiserWindow(...args: unknown[]): Tensor { return call(599, 'kaiserWindow windowLength periodic beta|dtype requiresGrad', undefined, args, Tensor); }

