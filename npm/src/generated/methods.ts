// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { call, callAny, callInPlace, callOverload, callOverloadInPlace, drawing } from '../tensor/call.js';
import type { DType, Scalar, Typed } from '../core/types.js';
import type { Generator } from '../core/generator.js';
import { TensorHandle } from '../tensor/tensor-handle.js';

/**
 * The operations that are methods of a tensor. The parameters are the class that extends this one, and the values
 * that stand for a tensor.
 */
export abstract class TensorOperations<Tensor extends TensorHandle, TensorLike> extends TensorHandle {
  /**
   * Rectified linear unit, `max(x, 0)`; the gradient at 0 is 0.
   */
  relu(): Tensor;
  relu(...args: unknown[]): Tensor { return call(0, 'relu', this, args); }
  /** The in-place form of `relu`: this tensor takes the result, and is returned. */
  relu_(): this;
  relu_(...args: unknown[]): this { return callInPlace(0, 'relu_', this, args); }

  /**
   * The logistic function, `1 / (1 + exp(-x))`.
   */
  sigmoid(): Tensor;
  sigmoid(...args: unknown[]): Tensor { return call(1, 'sigmoid', this, args); }
  /** The in-place form of `sigmoid`: this tensor takes the result, and is returned. */
  sigmoid_(): this;
  sigmoid_(...args: unknown[]): this { return callInPlace(1, 'sigmoid_', this, args); }

  /**
   * Sigmoid linear unit, `x / (1 + exp(-x))` (Hendrycks and Gimpel, 2016).
   */
  silu(): Tensor;
  silu(...args: unknown[]): Tensor { return call(2, 'silu', this, args); }
  /** The in-place form of `silu`: this tensor takes the result, and is returned. */
  silu_(): this;
  silu_(...args: unknown[]): this { return callInPlace(2, 'silu_', this, args); }

  /**
   * Gaussian error linear unit, `x * Phi(x)` with the distribution function `Phi` of the standard
   * normal distribution (Hendrycks and Gimpel, 2016).
   *
   * `approximate` is `"none"`, or `"tanh"` for `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`.
   *
   * Errors: `argument` if `approximate` is neither.
   * @param approximate default "none"
   */
  gelu(options?: { approximate?: 'none' | 'tanh' }): Tensor;
  gelu(...args: unknown[]): Tensor { return call(3, 'gelu|approximate', this, args); }
  /** The in-place form of `gelu`: this tensor takes the result, and is returned. */
  gelu_(options?: { approximate?: 'none' | 'tanh' }): this;
  gelu_(...args: unknown[]): this { return callInPlace(3, 'gelu_|approximate', this, args); }

  /**
   * `x` where it is positive, else `negative_slope * x` (Maas et al., 2013).
   * @param negativeSlope default 0.01
   */
  leakyRelu(negativeSlope?: Scalar): Tensor;
  leakyRelu(options?: { negativeSlope?: Scalar }): Tensor;
  leakyRelu(...args: unknown[]): Tensor { return call(4, 'leakyRelu negativeSlope', this, args); }
  /** The in-place form of `leakyRelu`: this tensor takes the result, and is returned. */
  leakyRelu_(negativeSlope?: Scalar): this;
  leakyRelu_(options?: { negativeSlope?: Scalar }): this;
  leakyRelu_(...args: unknown[]): this { return callInPlace(4, 'leakyRelu_ negativeSlope', this, args); }

  /**
   * Exponential linear unit (Clevert et al., 2015): `scale * x` where `x` is positive, else
   * `scale * alpha * (exp(input_scale * x) - 1)`.
   * @param alpha default 1
   * @param scale default 1
   * @param inputScale default 1
   */
  elu(alpha?: Scalar, scale?: Scalar, inputScale?: Scalar): Tensor;
  elu(options?: { alpha?: Scalar; scale?: Scalar; inputScale?: Scalar }): Tensor;
  elu(...args: unknown[]): Tensor { return call(5, 'elu alpha scale inputScale', this, args); }
  /** The in-place form of `elu`: this tensor takes the result, and is returned. */
  elu_(alpha?: Scalar, scale?: Scalar, inputScale?: Scalar): this;
  elu_(options?: { alpha?: Scalar; scale?: Scalar; inputScale?: Scalar }): this;
  elu_(...args: unknown[]): this { return callInPlace(5, 'elu_ alpha scale inputScale', this, args); }

  /**
   * Continuously differentiable exponential linear unit (Barron, 2017): `x` where it is positive,
   * else `alpha * (exp(x / alpha) - 1)`.
   *
   * Errors: `argument` if `alpha` is 0.
   * @param alpha default 1.0
   */
  celu(alpha?: Scalar): Tensor;
  celu(options?: { alpha?: Scalar }): Tensor;
  celu(...args: unknown[]): Tensor { return call(6, 'celu alpha', this, args); }
  /** The in-place form of `celu`: this tensor takes the result, and is returned. */
  celu_(alpha?: Scalar): this;
  celu_(options?: { alpha?: Scalar }): this;
  celu_(...args: unknown[]): this { return callInPlace(6, 'celu_ alpha', this, args); }

  /**
   * Scaled exponential linear unit (Klambauer et al., 2017): [`elu`](Tensor::elu) with `alpha`
   * 1.6732632 and `scale` 1.0507010.
   */
  selu(): Tensor;
  selu(...args: unknown[]): Tensor { return call(7, 'selu', this, args); }
  /** The in-place form of `selu`: this tensor takes the result, and is returned. */
  selu_(): this;
  selu_(...args: unknown[]): this { return callInPlace(7, 'selu_', this, args); }

  /**
   * Softplus, `log(1 + exp(beta * x)) / beta`, and `x` where `beta * x` is above `threshold`.
   * @param beta default 1
   * @param threshold default 20
   */
  softplus(beta?: Scalar, threshold?: Scalar): Tensor;
  softplus(options?: { beta?: Scalar; threshold?: Scalar }): Tensor;
  softplus(...args: unknown[]): Tensor { return call(8, 'softplus beta threshold', this, args); }
  /** The in-place form of `softplus`: this tensor takes the result, and is returned. */
  softplus_(beta?: Scalar, threshold?: Scalar): this;
  softplus_(options?: { beta?: Scalar; threshold?: Scalar }): this;
  softplus_(...args: unknown[]): this { return callInPlace(8, 'softplus_ beta threshold', this, args); }

  /**
   * The logarithm of the logistic function, `-log(1 + exp(-x))`.
   */
  logSigmoid(): Tensor;
  logSigmoid(...args: unknown[]): Tensor { return call(9, 'logSigmoid', this, args); }
  /** The in-place form of `logSigmoid`: this tensor takes the result, and is returned. */
  logSigmoid_(): this;
  logSigmoid_(...args: unknown[]): this { return callInPlace(9, 'logSigmoid_', this, args); }

  /** Another name of `logSigmoid`. */
  logsigmoid(): Tensor;
  logsigmoid(...args: unknown[]): Tensor { return call(9, 'logsigmoid', this, args); }
  /** The in-place form of `logsigmoid`: this tensor takes the result, and is returned. */
  logsigmoid_(): this;
  logsigmoid_(...args: unknown[]): this { return callInPlace(9, 'logsigmoid_', this, args); }

  /**
   * Mish, `x * tanh(log(1 + exp(x)))` (Misra, 2019).
   */
  mish(): Tensor;
  mish(...args: unknown[]): Tensor { return call(10, 'mish', this, args); }
  /** The in-place form of `mish`: this tensor takes the result, and is returned. */
  mish_(): this;
  mish_(...args: unknown[]): this { return callInPlace(10, 'mish_', this, args); }

  /**
   * `x` limited to the range from `min_val` to `max_val`; the gradient is 0 at the limits and beyond
   * them.
   *
   * Errors: `argument` if `min_val` is larger than `max_val`.
   * @param minVal default -1
   * @param maxVal default 1
   */
  hardtanh(minVal?: Scalar, maxVal?: Scalar): Tensor;
  hardtanh(options?: { minVal?: Scalar; maxVal?: Scalar }): Tensor;
  hardtanh(...args: unknown[]): Tensor { return call(11, 'hardtanh minVal maxVal', this, args); }
  /** The in-place form of `hardtanh`: this tensor takes the result, and is returned. */
  hardtanh_(minVal?: Scalar, maxVal?: Scalar): this;
  hardtanh_(options?: { minVal?: Scalar; maxVal?: Scalar }): this;
  hardtanh_(...args: unknown[]): this { return callInPlace(11, 'hardtanh_ minVal maxVal', this, args); }

  /**
   * `min(max(x, 0), 6)` (Howard et al., 2017); the gradient is 0 at both limits.
   */
  relu6(): Tensor;
  relu6(...args: unknown[]): Tensor { return call(12, 'relu6', this, args); }
  /** The in-place form of `relu6`: this tensor takes the result, and is returned. */
  relu6_(): this;
  relu6_(...args: unknown[]): this { return callInPlace(12, 'relu6_', this, args); }

  /**
   * A piecewise linear approximation of the logistic function, `min(max(x + 3, 0), 6) / 6`.
   */
  hardsigmoid(): Tensor;
  hardsigmoid(...args: unknown[]): Tensor { return call(13, 'hardsigmoid', this, args); }
  /** The in-place form of `hardsigmoid`: this tensor takes the result, and is returned. */
  hardsigmoid_(): this;
  hardsigmoid_(...args: unknown[]): this { return callInPlace(13, 'hardsigmoid_', this, args); }

  /**
   * `x * min(max(x + 3, 0), 6) / 6` (Howard et al., 2019).
   */
  hardswish(): Tensor;
  hardswish(...args: unknown[]): Tensor { return call(14, 'hardswish', this, args); }
  /** The in-place form of `hardswish`: this tensor takes the result, and is returned. */
  hardswish_(): this;
  hardswish_(...args: unknown[]): this { return callInPlace(14, 'hardswish_', this, args); }

  /**
   * `x / (1 + |x|)`, which approaches -1 and 1 more slowly than the hyperbolic tangent.
   */
  softsign(): Tensor;
  softsign(...args: unknown[]): Tensor { return call(15, 'softsign', this, args); }
  /** The in-place form of `softsign`: this tensor takes the result, and is returned. */
  softsign_(): this;
  softsign_(...args: unknown[]): this { return callInPlace(15, 'softsign_', this, args); }

  /**
   * The difference to the hyperbolic tangent, `x - tanh(x)`.
   */
  tanhshrink(): Tensor;
  tanhshrink(...args: unknown[]): Tensor { return call(16, 'tanhshrink', this, args); }
  /** The in-place form of `tanhshrink`: this tensor takes the result, and is returned. */
  tanhshrink_(): this;
  tanhshrink_(...args: unknown[]): this { return callInPlace(16, 'tanhshrink_', this, args); }

  /**
   * `x` where `|x| > lambd`, else 0.
   * @param lambd default 0.5
   */
  hardshrink(lambd?: Scalar): Tensor;
  hardshrink(options?: { lambd?: Scalar }): Tensor;
  hardshrink(...args: unknown[]): Tensor { return call(17, 'hardshrink lambd', this, args); }
  /** The in-place form of `hardshrink`: this tensor takes the result, and is returned. */
  hardshrink_(lambd?: Scalar): this;
  hardshrink_(options?: { lambd?: Scalar }): this;
  hardshrink_(...args: unknown[]): this { return callInPlace(17, 'hardshrink_ lambd', this, args); }

  /**
   * `x - sign(x) * lambd` where `|x| > lambd`, else 0.
   *
   * Errors: `argument` if `lambd` is negative.
   * @param lambd default 0.5
   */
  softshrink(lambd?: Scalar): Tensor;
  softshrink(options?: { lambd?: Scalar }): Tensor;
  softshrink(...args: unknown[]): Tensor { return call(18, 'softshrink lambd', this, args); }

  /**
   * `x` where it is above `threshold`, else the number `value`.
   */
  threshold(threshold: Scalar, value: Scalar): Tensor;
  threshold(...args: unknown[]): Tensor { return call(19, 'threshold threshold value', this, args); }
  /** The in-place form of `threshold`: this tensor takes the result, and is returned. */
  threshold_(threshold: Scalar, value: Scalar): this;
  threshold_(...args: unknown[]): this { return callInPlace(19, 'threshold_ threshold value', this, args); }

  /**
   * Parametric rectified linear unit (He et al., 2015): `x` where it is positive, else `weight * x`.
   *
   * Shapes: `self: [N, C, *]`; `weight: []` or `[1]` for all elements, or `[C]` for one weight a
   * channel (dimension 1). The result has the shape of `self`.
   *
   * Errors: `shape` if `weight` has more than one dimension, or several weights that are not one for
   * each channel.
   */
  prelu(weight: TensorLike): Tensor;
  prelu(...args: unknown[]): Tensor { return call(20, 'prelu ^weight', this, args); }

  /**
   * Gated linear unit: the first half of `self` along `dim` times the logistic function of the
   * second half.
   *
   * Shapes: `self: [*, 2 n, *]`, `result: [*, n, *]`, where `2 n` is the size of `dim`.
   *
   * Errors: `shape` if `self` is 0-d or the size of `dim` is odd; `index` if `dim` is out of range.
   *
   * Source: Dauphin et al., "Language Modeling with Gated Convolutional Networks" (2017).
   * @param dim default -1
   */
  glu(dim?: number): Tensor;
  glu(options?: { dim?: number }): Tensor;
  glu(...args: unknown[]): Tensor { return call(21, 'glu dim', this, args); }

  /**
   * `self + alpha * other`, broadcast. Addition of two bool tensors is logical or.
   * @param alpha default 1
   */
  add(other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
  add(...args: unknown[]): Tensor { return call(22, 'add ^other|alpha', this, args); }
  /** The in-place form of `add`: this tensor takes the result, and is returned. */
  add_(other: TensorLike | Scalar, options?: { alpha?: Scalar }): this;
  add_(...args: unknown[]): this { return callInPlace(22, 'add_ ^other|alpha', this, args); }

  /**
   * `self - alpha * other`, broadcast.
   *
   * Errors: `dtype` if both operands are bool.
   * @param alpha default 1
   */
  sub(other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
  sub(...args: unknown[]): Tensor { return call(23, 'sub ^other|alpha', this, args); }
  /** The in-place form of `sub`: this tensor takes the result, and is returned. */
  sub_(other: TensorLike | Scalar, options?: { alpha?: Scalar }): this;
  sub_(...args: unknown[]): this { return callInPlace(23, 'sub_ ^other|alpha', this, args); }

  /** Another name of `sub`. */
  subtract(other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
  subtract(...args: unknown[]): Tensor { return call(23, 'subtract ^other|alpha', this, args); }
  /** The in-place form of `subtract`: this tensor takes the result, and is returned. */
  subtract_(other: TensorLike | Scalar, options?: { alpha?: Scalar }): this;
  subtract_(...args: unknown[]): this { return callInPlace(23, 'subtract_ ^other|alpha', this, args); }

  /**
   * `other - alpha * self`, broadcast: [`sub`](Tensor::sub) with its operands exchanged.
   *
   * Errors: `dtype` if both operands are bool.
   * @param alpha default 1
   */
  rsub(other: TensorLike | Scalar, options?: { alpha?: Scalar }): Tensor;
  rsub(...args: unknown[]): Tensor { return call(24, 'rsub ^other|alpha', this, args); }

  /**
   * `self * other`, broadcast. Multiplication of two bool tensors is logical and.
   */
  mul(other: TensorLike | Scalar): Tensor;
  mul(...args: unknown[]): Tensor { return call(25, 'mul ^other', this, args); }
  /** The in-place form of `mul`: this tensor takes the result, and is returned. */
  mul_(other: TensorLike | Scalar): this;
  mul_(...args: unknown[]): this { return callInPlace(25, 'mul_ ^other', this, args); }

  /** Another name of `mul`. */
  multiply(other: TensorLike | Scalar): Tensor;
  multiply(...args: unknown[]): Tensor { return call(25, 'multiply ^other', this, args); }
  /** The in-place form of `multiply`: this tensor takes the result, and is returned. */
  multiply_(other: TensorLike | Scalar): this;
  multiply_(...args: unknown[]): this { return callInPlace(25, 'multiply_ ^other', this, args); }

  /**
   * The negative, `-self`.
   *
   * Errors: `dtype` if `self` is bool.
   */
  neg(): Tensor;
  neg(...args: unknown[]): Tensor { return call(26, 'neg', this, args); }
  /** The in-place form of `neg`: this tensor takes the result, and is returned. */
  neg_(): this;
  neg_(...args: unknown[]): this { return callInPlace(26, 'neg_', this, args); }

  /** Another name of `neg`. */
  negative(): Tensor;
  negative(...args: unknown[]): Tensor { return call(26, 'negative', this, args); }
  /** The in-place form of `negative`: this tensor takes the result, and is returned. */
  negative_(): this;
  negative_(...args: unknown[]): this { return callInPlace(26, 'negative_', this, args); }

  /**
   * `self`, as Python's unary plus.
   *
   * Errors: `dtype` if `self` is bool.
   */
  positive(): Tensor;
  positive(...args: unknown[]): Tensor { return call(27, 'positive', this, args); }

  /**
   * The absolute value, `|self|`.
   */
  abs(): Tensor;
  abs(...args: unknown[]): Tensor { return call(28, 'abs', this, args); }
  /** The in-place form of `abs`: this tensor takes the result, and is returned. */
  abs_(): this;
  abs_(...args: unknown[]): this { return callInPlace(28, 'abs_', this, args); }

  /** Another name of `abs`. */
  absolute(): Tensor;
  absolute(...args: unknown[]): Tensor { return call(28, 'absolute', this, args); }
  /** The in-place form of `absolute`: this tensor takes the result, and is returned. */
  absolute_(): this;
  absolute_(...args: unknown[]): this { return callInPlace(28, 'absolute_', this, args); }

  /**
   * The sign of each element: -1, 0 or 1.
   */
  sign(): Tensor;
  sign(...args: unknown[]): Tensor { return call(29, 'sign', this, args); }
  /** The in-place form of `sign`: this tensor takes the result, and is returned. */
  sign_(): this;
  sign_(...args: unknown[]): this { return callInPlace(29, 'sign_', this, args); }

  /** Another name of `sign`. */
  sgn(): Tensor;
  sgn(...args: unknown[]): Tensor { return call(29, 'sgn', this, args); }
  /** The in-place form of `sgn`: this tensor takes the result, and is returned. */
  sgn_(): this;
  sgn_(...args: unknown[]): this { return callInPlace(29, 'sgn_', this, args); }

  /**
   * `self * self`; bool elements become int32.
   */
  square(): Tensor;
  square(...args: unknown[]): Tensor { return call(30, 'square', this, args); }
  /** The in-place form of `square`: this tensor takes the result, and is returned. */
  square_(): this;
  square_(...args: unknown[]): this { return callInPlace(30, 'square_', this, args); }

  /**
   * The reciprocal, `1 / self`; integers become float32.
   */
  reciprocal(): Tensor;
  reciprocal(...args: unknown[]): Tensor { return call(31, 'reciprocal', this, args); }
  /** The in-place form of `reciprocal`: this tensor takes the result, and is returned. */
  reciprocal_(): this;
  reciprocal_(...args: unknown[]): this { return callInPlace(31, 'reciprocal_', this, args); }

  /**
   * The larger of the two elements, broadcast; NaN if either is NaN. Equal elements get half of the
   * gradient each.
   */
  maximum(other: TensorLike): Tensor;
  maximum(...args: unknown[]): Tensor { return call(32, 'maximum ^other', this, args); }
  /** The in-place form of `maximum`: this tensor takes the result, and is returned. */
  maximum_(other: TensorLike): this;
  maximum_(...args: unknown[]): this { return callInPlace(32, 'maximum_ ^other', this, args); }

  /**
   * The smaller of the two elements, broadcast; NaN if either is NaN. Equal elements get half of the
   * gradient each.
   */
  minimum(other: TensorLike): Tensor;
  minimum(...args: unknown[]): Tensor { return call(33, 'minimum ^other', this, args); }
  /** The in-place form of `minimum`: this tensor takes the result, and is returned. */
  minimum_(other: TensorLike): this;
  minimum_(...args: unknown[]): this { return callInPlace(33, 'minimum_ ^other', this, args); }

  /**
   * The larger of the two elements, broadcast; where one is NaN, the other one. Equal elements get
   * half of the gradient each.
   */
  fmax(other: TensorLike): Tensor;
  fmax(...args: unknown[]): Tensor { return call(34, 'fmax ^other', this, args); }
  /** The in-place form of `fmax`: this tensor takes the result, and is returned. */
  fmax_(other: TensorLike): this;
  fmax_(...args: unknown[]): this { return callInPlace(34, 'fmax_ ^other', this, args); }

  /**
   * The smaller of the two elements, broadcast; where one is NaN, the other one. Equal elements get
   * half of the gradient each.
   */
  fmin(other: TensorLike): Tensor;
  fmin(...args: unknown[]): Tensor { return call(35, 'fmin ^other', this, args); }
  /** The in-place form of `fmin`: this tensor takes the result, and is returned. */
  fmin_(other: TensorLike): this;
  fmin_(...args: unknown[]): this { return callInPlace(35, 'fmin_ ^other', this, args); }

  /**
   * `max(self, min)`, broadcast; NaN if either is NaN. Where `self` equals `min` or is NaN, it gets no
   * gradient if `min` is a number; a tensor `min` has the gradient of [`maximum`](Tensor::maximum).
   */
  clampMin(min: TensorLike | Scalar): Tensor;
  clampMin(...args: unknown[]): Tensor { return call(36, 'clampMin ^min', this, args); }
  /** The in-place form of `clampMin`: this tensor takes the result, and is returned. */
  clampMin_(min: TensorLike | Scalar): this;
  clampMin_(...args: unknown[]): this { return callInPlace(36, 'clampMin_ ^min', this, args); }

  /**
   * `min(self, max)`, broadcast; NaN if either is NaN. Where `self` equals `max` or is NaN, it gets no
   * gradient if `max` is a number; a tensor `max` has the gradient of [`minimum`](Tensor::minimum).
   */
  clampMax(max: TensorLike | Scalar): Tensor;
  clampMax(...args: unknown[]): Tensor { return call(37, 'clampMax ^max', this, args); }
  /** The in-place form of `clampMax`: this tensor takes the result, and is returned. */
  clampMax_(max: TensorLike | Scalar): this;
  clampMax_(...args: unknown[]): this { return callInPlace(37, 'clampMax_ ^max', this, args); }

  /**
   * Linear interpolation, `self + weight * (end - self)`, broadcast.
   */
  lerp(end: TensorLike, weight: TensorLike | Scalar): Tensor;
  lerp(...args: unknown[]): Tensor { return call(38, 'lerp ^end ^weight', this, args); }
  /** The in-place form of `lerp`: this tensor takes the result, and is returned. */
  lerp_(end: TensorLike, weight: TensorLike | Scalar): this;
  lerp_(...args: unknown[]): this { return callInPlace(38, 'lerp_ ^end ^weight', this, args); }

  /**
   * `self + value * tensor1 * tensor2`, broadcast.
   * @param value default 1
   */
  addcmul(tensor1: TensorLike, tensor2: TensorLike, options?: { value?: Scalar }): Tensor;
  addcmul(...args: unknown[]): Tensor { return call(39, 'addcmul ^tensor1 ^tensor2|value', this, args); }
  /** The in-place form of `addcmul`: this tensor takes the result, and is returned. */
  addcmul_(tensor1: TensorLike, tensor2: TensorLike, options?: { value?: Scalar }): this;
  addcmul_(...args: unknown[]): this { return callInPlace(39, 'addcmul_ ^tensor1 ^tensor2|value', this, args); }

  /**
   * `self + value * tensor1 / tensor2`, broadcast.
   *
   * Errors: `dtype` if neither `tensor1` nor `tensor2` is floating point.
   * @param value default 1
   */
  addcdiv(tensor1: TensorLike, tensor2: TensorLike, options?: { value?: Scalar }): Tensor;
  addcdiv(...args: unknown[]): Tensor { return call(40, 'addcdiv ^tensor1 ^tensor2|value', this, args); }
  /** The in-place form of `addcdiv`: this tensor takes the result, and is returned. */
  addcdiv_(tensor1: TensorLike, tensor2: TensorLike, options?: { value?: Scalar }): this;
  addcdiv_(...args: unknown[]): this { return callInPlace(40, 'addcdiv_ ^tensor1 ^tensor2|value', this, args); }

  /**
   * Every bit inverted; of bool, the logical negation.
   *
   * Errors: `dtype` if `self` is floating point.
   */
  bitwiseNot(): Tensor;
  bitwiseNot(...args: unknown[]): Tensor { return call(42, 'bitwiseNot', this, args); }
  /** The in-place form of `bitwiseNot`: this tensor takes the result, and is returned. */
  bitwiseNot_(): this;
  bitwiseNot_(...args: unknown[]): this { return callInPlace(42, 'bitwiseNot_', this, args); }

  /**
   * Bitwise and, broadcast; of bool, logical and.
   *
   * Errors: `dtype` if an operand is floating point.
   */
  bitwiseAnd(other: TensorLike | Scalar): Tensor;
  bitwiseAnd(...args: unknown[]): Tensor { return call(43, 'bitwiseAnd ^other', this, args); }
  /** The in-place form of `bitwiseAnd`: this tensor takes the result, and is returned. */
  bitwiseAnd_(other: TensorLike | Scalar): this;
  bitwiseAnd_(...args: unknown[]): this { return callInPlace(43, 'bitwiseAnd_ ^other', this, args); }

  /**
   * Bitwise or, broadcast; of bool, logical or.
   *
   * Errors: `dtype` if an operand is floating point.
   */
  bitwiseOr(other: TensorLike | Scalar): Tensor;
  bitwiseOr(...args: unknown[]): Tensor { return call(44, 'bitwiseOr ^other', this, args); }
  /** The in-place form of `bitwiseOr`: this tensor takes the result, and is returned. */
  bitwiseOr_(other: TensorLike | Scalar): this;
  bitwiseOr_(...args: unknown[]): this { return callInPlace(44, 'bitwiseOr_ ^other', this, args); }

  /**
   * Bitwise exclusive or, broadcast; of bool, inequality.
   *
   * Errors: `dtype` if an operand is floating point.
   */
  bitwiseXor(other: TensorLike | Scalar): Tensor;
  bitwiseXor(...args: unknown[]): Tensor { return call(45, 'bitwiseXor ^other', this, args); }
  /** The in-place form of `bitwiseXor`: this tensor takes the result, and is returned. */
  bitwiseXor_(other: TensorLike | Scalar): this;
  bitwiseXor_(...args: unknown[]): this { return callInPlace(45, 'bitwiseXor_ ^other', this, args); }

  /**
   * `self` shifted left by `other` bits, broadcast; 0 if `other` is at least the width of the type.
   *
   * Errors: `dtype` if the promoted type is floating point or bool.
   */
  bitwiseLeftShift(other: TensorLike | Scalar): Tensor;
  bitwiseLeftShift(...args: unknown[]): Tensor { return call(46, 'bitwiseLeftShift ^other', this, args); }
  /** The in-place form of `bitwiseLeftShift`: this tensor takes the result, and is returned. */
  bitwiseLeftShift_(other: TensorLike | Scalar): this;
  bitwiseLeftShift_(...args: unknown[]): this { return callInPlace(46, 'bitwiseLeftShift_ ^other', this, args); }

  /**
   * `self` shifted right by `other` bits, broadcast. The shift is arithmetic: it keeps the sign,
   * which alone remains if `other` is at least the width of the type.
   *
   * Errors: `dtype` if the promoted type is floating point or bool.
   */
  bitwiseRightShift(other: TensorLike | Scalar): Tensor;
  bitwiseRightShift(...args: unknown[]): Tensor { return call(47, 'bitwiseRightShift ^other', this, args); }
  /** The in-place form of `bitwiseRightShift`: this tensor takes the result, and is returned. */
  bitwiseRightShift_(other: TensorLike | Scalar): this;
  bitwiseRightShift_(...args: unknown[]): this { return callInPlace(47, 'bitwiseRightShift_ ^other', this, args); }

  /**
   * The elements converted to `dtype`; `self` itself if it has that type already.
   *
   * Conversion from floating point to integers truncates towards 0. Conversion to bool is
   * `self != 0`.
   *
   * Errors: `dtype` if the device does not support `dtype`.
   */
  to<D extends DType = DType>(dtype: D): Typed<D> & Tensor;
  to(...args: unknown[]): Tensor { return call(48, 'to dtype', this, args); }

  /**
   * [`to`](Tensor::to) bool: whether each element differs from 0.
   */
  bool(): Typed<'bool'> & Tensor;
  bool(...args: unknown[]): Tensor { return call(49, 'bool', this, args); }

  /**
   * [`to`](Tensor::to) uint8.
   */
  byte(): Tensor;
  byte(...args: unknown[]): Tensor { return call(50, 'byte', this, args); }

  /**
   * [`to`](Tensor::to) int32.
   */
  int(): Typed<'int32'> & Tensor;
  int(...args: unknown[]): Tensor { return call(51, 'int', this, args); }

  /**
   * [`to`](Tensor::to) int64.
   *
   * Errors: `dtype` if the device does not support int64, as WebGPU does not.
   */
  long(): Typed<'int64'> & Tensor;
  long(...args: unknown[]): Tensor { return call(52, 'long', this, args); }

  /**
   * [`to`](Tensor::to) float16.
   */
  half(): Typed<'float16'> & Tensor;
  half(...args: unknown[]): Tensor { return call(53, 'half', this, args); }

  /**
   * [`to`](Tensor::to) bfloat16.
   */
  bfloat16(): Typed<'bfloat16'> & Tensor;
  bfloat16(...args: unknown[]): Tensor { return call(54, 'bfloat16', this, args); }

  /**
   * [`to`](Tensor::to) float32.
   */
  float(): Typed<'float32'> & Tensor;
  float(...args: unknown[]): Tensor { return call(55, 'float', this, args); }

  /**
   * [`to`](Tensor::to) float64.
   *
   * Errors: `dtype` if the device does not support float64, as WebGPU does not.
   */
  double(): Typed<'float64'> & Tensor;
  double(...args: unknown[]): Tensor { return call(56, 'double', this, args); }

  /**
   * A contiguous copy with its own storage. Rust's `Clone` shares the tensor, hence the name of the
   * method.
   */
  clone(): Tensor;
  clone(...args: unknown[]): Tensor { return call(57, 'clone', this, args); }

  /**
   * `self` itself if its elements are contiguous in row-major order, else a contiguous copy.
   */
  contiguous(): Tensor;
  contiguous(...args: unknown[]): Tensor { return call(58, 'contiguous', this, args); }

  /**
   * Whether `self == other`, broadcast; NaN equals nothing.
   */
  eq(other: TensorLike | Scalar): Tensor;
  eq(...args: unknown[]): Tensor { return call(59, 'eq ^other', this, args); }
  /** The in-place form of `eq`: this tensor takes the result, and is returned. */
  eq_(other: TensorLike | Scalar): this;
  eq_(...args: unknown[]): this { return callInPlace(59, 'eq_ ^other', this, args); }

  /**
   * Whether `self != other`, broadcast; NaN differs from everything.
   */
  ne(other: TensorLike | Scalar): Tensor;
  ne(...args: unknown[]): Tensor { return call(60, 'ne ^other', this, args); }
  /** The in-place form of `ne`: this tensor takes the result, and is returned. */
  ne_(other: TensorLike | Scalar): this;
  ne_(...args: unknown[]): this { return callInPlace(60, 'ne_ ^other', this, args); }

  /** Another name of `ne`. */
  notEqual(other: TensorLike | Scalar): Tensor;
  notEqual(...args: unknown[]): Tensor { return call(60, 'notEqual ^other', this, args); }
  /** The in-place form of `notEqual`: this tensor takes the result, and is returned. */
  notEqual_(other: TensorLike | Scalar): this;
  notEqual_(...args: unknown[]): this { return callInPlace(60, 'notEqual_ ^other', this, args); }

  /**
   * Whether `self < other`, broadcast; false where either is NaN.
   */
  lt(other: TensorLike | Scalar): Tensor;
  lt(...args: unknown[]): Tensor { return call(61, 'lt ^other', this, args); }
  /** The in-place form of `lt`: this tensor takes the result, and is returned. */
  lt_(other: TensorLike | Scalar): this;
  lt_(...args: unknown[]): this { return callInPlace(61, 'lt_ ^other', this, args); }

  /** Another name of `lt`. */
  less(other: TensorLike | Scalar): Tensor;
  less(...args: unknown[]): Tensor { return call(61, 'less ^other', this, args); }
  /** The in-place form of `less`: this tensor takes the result, and is returned. */
  less_(other: TensorLike | Scalar): this;
  less_(...args: unknown[]): this { return callInPlace(61, 'less_ ^other', this, args); }

  /**
   * Whether `self <= other`, broadcast; false where either is NaN.
   */
  le(other: TensorLike | Scalar): Tensor;
  le(...args: unknown[]): Tensor { return call(62, 'le ^other', this, args); }
  /** The in-place form of `le`: this tensor takes the result, and is returned. */
  le_(other: TensorLike | Scalar): this;
  le_(...args: unknown[]): this { return callInPlace(62, 'le_ ^other', this, args); }

  /** Another name of `le`. */
  lessEqual(other: TensorLike | Scalar): Tensor;
  lessEqual(...args: unknown[]): Tensor { return call(62, 'lessEqual ^other', this, args); }
  /** The in-place form of `lessEqual`: this tensor takes the result, and is returned. */
  lessEqual_(other: TensorLike | Scalar): this;
  lessEqual_(...args: unknown[]): this { return callInPlace(62, 'lessEqual_ ^other', this, args); }

  /**
   * Whether `self > other`, broadcast; false where either is NaN.
   */
  gt(other: TensorLike | Scalar): Tensor;
  gt(...args: unknown[]): Tensor { return call(63, 'gt ^other', this, args); }
  /** The in-place form of `gt`: this tensor takes the result, and is returned. */
  gt_(other: TensorLike | Scalar): this;
  gt_(...args: unknown[]): this { return callInPlace(63, 'gt_ ^other', this, args); }

  /** Another name of `gt`. */
  greater(other: TensorLike | Scalar): Tensor;
  greater(...args: unknown[]): Tensor { return call(63, 'greater ^other', this, args); }
  /** The in-place form of `greater`: this tensor takes the result, and is returned. */
  greater_(other: TensorLike | Scalar): this;
  greater_(...args: unknown[]): this { return callInPlace(63, 'greater_ ^other', this, args); }

  /**
   * Whether `self >= other`, broadcast; false where either is NaN.
   */
  ge(other: TensorLike | Scalar): Tensor;
  ge(...args: unknown[]): Tensor { return call(64, 'ge ^other', this, args); }
  /** The in-place form of `ge`: this tensor takes the result, and is returned. */
  ge_(other: TensorLike | Scalar): this;
  ge_(...args: unknown[]): this { return callInPlace(64, 'ge_ ^other', this, args); }

  /** Another name of `ge`. */
  greaterEqual(other: TensorLike | Scalar): Tensor;
  greaterEqual(...args: unknown[]): Tensor { return call(64, 'greaterEqual ^other', this, args); }
  /** The in-place form of `greaterEqual`: this tensor takes the result, and is returned. */
  greaterEqual_(other: TensorLike | Scalar): this;
  greaterEqual_(...args: unknown[]): this { return callInPlace(64, 'greaterEqual_ ^other', this, args); }

  /**
   * Whether both elements are nonzero, broadcast.
   */
  logicalAnd(other: TensorLike): Tensor;
  logicalAnd(...args: unknown[]): Tensor { return call(65, 'logicalAnd ^other', this, args); }
  /** The in-place form of `logicalAnd`: this tensor takes the result, and is returned. */
  logicalAnd_(other: TensorLike): this;
  logicalAnd_(...args: unknown[]): this { return callInPlace(65, 'logicalAnd_ ^other', this, args); }

  /**
   * Whether at least one of the elements is nonzero, broadcast.
   */
  logicalOr(other: TensorLike): Tensor;
  logicalOr(...args: unknown[]): Tensor { return call(66, 'logicalOr ^other', this, args); }
  /** The in-place form of `logicalOr`: this tensor takes the result, and is returned. */
  logicalOr_(other: TensorLike): this;
  logicalOr_(...args: unknown[]): this { return callInPlace(66, 'logicalOr_ ^other', this, args); }

  /**
   * Whether exactly one of the elements is nonzero, broadcast.
   */
  logicalXor(other: TensorLike): Tensor;
  logicalXor(...args: unknown[]): Tensor { return call(67, 'logicalXor ^other', this, args); }
  /** The in-place form of `logicalXor`: this tensor takes the result, and is returned. */
  logicalXor_(other: TensorLike): this;
  logicalXor_(...args: unknown[]): this { return callInPlace(67, 'logicalXor_ ^other', this, args); }

  /**
   * Whether the element is zero.
   */
  logicalNot(): Tensor;
  logicalNot(...args: unknown[]): Tensor { return call(68, 'logicalNot', this, args); }
  /** The in-place form of `logicalNot`: this tensor takes the result, and is returned. */
  logicalNot_(): this;
  logicalNot_(...args: unknown[]): this { return callInPlace(68, 'logicalNot_', this, args); }

  /**
   * Whether the element is NaN.
   */
  isnan(): Tensor;
  isnan(...args: unknown[]): Tensor { return call(69, 'isnan', this, args); }
  /** The in-place form of `isnan`: this tensor takes the result, and is returned. */
  isnan_(): this;
  isnan_(...args: unknown[]): this { return callInPlace(69, 'isnan_', this, args); }

  /**
   * Whether `|self - other| <= atol + rtol * |other|`, broadcast. Equal infinities are close, and so
   * are two NaN if `equal_nan` is true.
   *
   * Errors: `argument` if `rtol` or `atol` is negative or NaN; `dtype` if the types of the tensors
   * differ.
   * @param rtol default 1e-5
   * @param atol default 1e-8
   * @param equalNan default false
   */
  isclose(other: TensorLike, rtol?: number, atol?: number, equalNan?: boolean): Tensor;
  isclose(other: TensorLike, options?: { rtol?: number; atol?: number; equalNan?: boolean }): Tensor;
  isclose(...args: unknown[]): Tensor { return call(70, 'isclose ^other rtol atol equalNan', this, args); }

  /**
   * The diagonal of dimensions `dim1` and `dim2`, as the last dimension of a view. `offset` counts
   * columns to the right of the main diagonal.
   *
   * Shapes: `self: [*, n, *, m, *]`, `result: [*, k]`, where `k` is the length of the diagonal,
   * `min(n, m)` for `offset` 0. A diagonal outside of the matrix has length 0.
   *
   * Errors: `index` if a dimension is out of range; `argument` if both are the same.
   * @param offset default 0
   * @param dim1 default 0
   * @param dim2 default 1
   */
  diagonal(offset?: number, dim1?: number, dim2?: number): Tensor;
  diagonal(options?: { offset?: number; dim1?: number; dim2?: number }): Tensor;
  diagonal(...args: unknown[]): Tensor { return call(78, 'diagonal offset dim1 dim2', this, args); }

  /**
   * A tensor with the last dimension of `self` on the diagonal of dimensions `dim1` and `dim2`, and
   * 0 elsewhere.
   *
   * Shapes: `self: [*, n]`, `result: [*, k, k]` with `k = n + |offset|` for the default dimensions.
   *
   * Errors: `shape` if `self` is 0-d; `index` if a dimension is out of range for the result;
   * `argument` if both are the same.
   * @param offset default 0
   * @param dim1 default -2
   * @param dim2 default -1
   */
  diagEmbed(offset?: number, dim1?: number, dim2?: number): Tensor;
  diagEmbed(options?: { offset?: number; dim1?: number; dim2?: number }): Tensor;
  diagEmbed(...args: unknown[]): Tensor { return call(79, 'diagEmbed offset dim1 dim2', this, args); }

  /**
   * `self / other`, broadcast.
   *
   * Without a `rounding_mode` integers are divided as float32. `"trunc"` rounds the quotient towards
   * 0 and `"floor"` rounds it down; integers then stay integers, and divided by 0 they are 0.
   *
   * Errors: `argument` if `rounding_mode` is another string; `dtype` if a quotient of two bool
   * tensors is to be rounded.
   * @param roundingMode default null
   */
  div(other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): Tensor;
  div(...args: unknown[]): Tensor { return call(80, 'div ^other|roundingMode', this, args); }
  /** The in-place form of `div`: this tensor takes the result, and is returned. */
  div_(other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): this;
  div_(...args: unknown[]): this { return callInPlace(80, 'div_ ^other|roundingMode', this, args); }

  /** Another name of `div`. */
  divide(other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): Tensor;
  divide(...args: unknown[]): Tensor { return call(80, 'divide ^other|roundingMode', this, args); }
  /** The in-place form of `divide`: this tensor takes the result, and is returned. */
  divide_(other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): this;
  divide_(...args: unknown[]): this { return callInPlace(80, 'divide_ ^other|roundingMode', this, args); }

  /** Another name of `div`. */
  trueDivide(other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): Tensor;
  trueDivide(...args: unknown[]): Tensor { return call(80, 'trueDivide ^other|roundingMode', this, args); }
  /** The in-place form of `trueDivide`: this tensor takes the result, and is returned. */
  trueDivide_(other: TensorLike | Scalar, options?: { roundingMode?: 'trunc' | 'floor' | null }): this;
  trueDivide_(...args: unknown[]): this { return callInPlace(80, 'trueDivide_ ^other|roundingMode', this, args); }

  /**
   * `floor(self / other)`, broadcast. Integers stay integers, and divided by 0 they are 0.
   *
   * Errors: `dtype` if both operands are bool.
   */
  floorDivide(other: TensorLike | Scalar): Tensor;
  floorDivide(...args: unknown[]): Tensor { return call(81, 'floorDivide ^other', this, args); }
  /** The in-place form of `floorDivide`: this tensor takes the result, and is returned. */
  floorDivide_(other: TensorLike | Scalar): this;
  floorDivide_(...args: unknown[]): this { return callInPlace(81, 'floorDivide_ ^other', this, args); }

  /**
   * The remainder of `self / other` with the sign of the divisor,
   * `self - other * floor(self / other)`, broadcast; as Python's `%`.
   */
  remainder(other: TensorLike | Scalar): Tensor;
  remainder(...args: unknown[]): Tensor { return call(82, 'remainder ^other', this, args); }
  /** The in-place form of `remainder`: this tensor takes the result, and is returned. */
  remainder_(other: TensorLike | Scalar): this;
  remainder_(...args: unknown[]): this { return callInPlace(82, 'remainder_ ^other', this, args); }

  /**
   * The remainder of `self / other` with the sign of the dividend,
   * `self - other * trunc(self / other)`, broadcast; as C's `fmod`.
   *
   * Errors: `dtype` if both operands are bool.
   */
  fmod(other: TensorLike | Scalar): Tensor;
  fmod(...args: unknown[]): Tensor { return call(83, 'fmod ^other', this, args); }
  /** The in-place form of `fmod`: this tensor takes the result, and is returned. */
  fmod_(other: TensorLike | Scalar): this;
  fmod_(...args: unknown[]): this { return callInPlace(83, 'fmod_ ^other', this, args); }

  /**
   * The greatest common divisor of two integers, broadcast.
   *
   * Errors: `dtype` if the promoted type is not an integer type.
   */
  gcd(other: TensorLike): Tensor;
  gcd(...args: unknown[]): Tensor { return call(84, 'gcd ^other', this, args); }
  /** The in-place form of `gcd`: this tensor takes the result, and is returned. */
  gcd_(other: TensorLike): this;
  gcd_(...args: unknown[]): this { return callInPlace(84, 'gcd_ ^other', this, args); }

  /**
   * The least common multiple of two integers, broadcast; 0 if either is 0.
   *
   * Errors: `dtype` if the promoted type is not an integer type.
   */
  lcm(other: TensorLike): Tensor;
  lcm(...args: unknown[]): Tensor { return call(85, 'lcm ^other', this, args); }
  /** The in-place form of `lcm`: this tensor takes the result, and is returned. */
  lcm_(other: TensorLike): this;
  lcm_(...args: unknown[]): this { return callInPlace(85, 'lcm_ ^other', this, args); }

  /**
   * The exponential function, `e^self`.
   */
  exp(): Tensor;
  exp(...args: unknown[]): Tensor { return call(86, 'exp', this, args); }
  /** The in-place form of `exp`: this tensor takes the result, and is returned. */
  exp_(): this;
  exp_(...args: unknown[]): this { return callInPlace(86, 'exp_', this, args); }

  /**
   * `exp(self) - 1`, accurate near 0.
   */
  expm1(): Tensor;
  expm1(...args: unknown[]): Tensor { return call(87, 'expm1', this, args); }
  /** The in-place form of `expm1`: this tensor takes the result, and is returned. */
  expm1_(): this;
  expm1_(...args: unknown[]): this { return callInPlace(87, 'expm1_', this, args); }

  /**
   * `2^self`.
   */
  exp2(): Tensor;
  exp2(...args: unknown[]): Tensor { return call(88, 'exp2', this, args); }
  /** The in-place form of `exp2`: this tensor takes the result, and is returned. */
  exp2_(): this;
  exp2_(...args: unknown[]): this { return callInPlace(88, 'exp2_', this, args); }

  /**
   * The natural logarithm; NaN below 0.
   */
  log(): Tensor;
  log(...args: unknown[]): Tensor { return call(89, 'log', this, args); }
  /** The in-place form of `log`: this tensor takes the result, and is returned. */
  log_(): this;
  log_(...args: unknown[]): this { return callInPlace(89, 'log_', this, args); }

  /**
   * `log(1 + self)`, accurate near 0.
   */
  log1p(): Tensor;
  log1p(...args: unknown[]): Tensor { return call(90, 'log1p', this, args); }
  /** The in-place form of `log1p`: this tensor takes the result, and is returned. */
  log1p_(): this;
  log1p_(...args: unknown[]): this { return callInPlace(90, 'log1p_', this, args); }

  /**
   * The logarithm to base 2.
   */
  log2(): Tensor;
  log2(...args: unknown[]): Tensor { return call(91, 'log2', this, args); }
  /** The in-place form of `log2`: this tensor takes the result, and is returned. */
  log2_(): this;
  log2_(...args: unknown[]): this { return callInPlace(91, 'log2_', this, args); }

  /**
   * The logarithm to base 10.
   */
  log10(): Tensor;
  log10(...args: unknown[]): Tensor { return call(92, 'log10', this, args); }
  /** The in-place form of `log10`: this tensor takes the result, and is returned. */
  log10_(): this;
  log10_(...args: unknown[]): this { return callInPlace(92, 'log10_', this, args); }

  /**
   * The square root; NaN below 0.
   */
  sqrt(): Tensor;
  sqrt(...args: unknown[]): Tensor { return call(93, 'sqrt', this, args); }
  /** The in-place form of `sqrt`: this tensor takes the result, and is returned. */
  sqrt_(): this;
  sqrt_(...args: unknown[]): this { return callInPlace(93, 'sqrt_', this, args); }

  /**
   * The reciprocal of the square root, `1 / sqrt(self)`.
   */
  rsqrt(): Tensor;
  rsqrt(...args: unknown[]): Tensor { return call(94, 'rsqrt', this, args); }
  /** The in-place form of `rsqrt`: this tensor takes the result, and is returned. */
  rsqrt_(): this;
  rsqrt_(...args: unknown[]): this { return callInPlace(94, 'rsqrt_', this, args); }

  /**
   * `self` to the power `exponent`, broadcast. The types are promoted, and integers stay integers.
   */
  pow(exponent: TensorLike | Scalar): Tensor;
  pow(...args: unknown[]): Tensor { return call(95, 'pow ^exponent', this, args); }
  /** The in-place form of `pow`: this tensor takes the result, and is returned. */
  pow_(exponent: TensorLike | Scalar): this;
  pow_(...args: unknown[]): this { return callInPlace(95, 'pow_ ^exponent', this, args); }

  /**
   * `self` to the power `exponent`, broadcast and computed in float64, or in float32 on a device
   * without float64.
   *
   * Errors: `dtype` in place if `self` does not have the type of the result.
   */
  floatPower(exponent: TensorLike | Scalar): Tensor;
  floatPower(...args: unknown[]): Tensor { return call(96, 'floatPower ^exponent', this, args); }
  /** The in-place form of `floatPower`: this tensor takes the result, and is returned. */
  floatPower_(exponent: TensorLike | Scalar): this;
  floatPower_(...args: unknown[]): this { return callInPlace(96, 'floatPower_ ^exponent', this, args); }

  /**
   * The sine.
   */
  sin(): Tensor;
  sin(...args: unknown[]): Tensor { return call(97, 'sin', this, args); }
  /** The in-place form of `sin`: this tensor takes the result, and is returned. */
  sin_(): this;
  sin_(...args: unknown[]): this { return callInPlace(97, 'sin_', this, args); }

  /**
   * The cosine.
   */
  cos(): Tensor;
  cos(...args: unknown[]): Tensor { return call(98, 'cos', this, args); }
  /** The in-place form of `cos`: this tensor takes the result, and is returned. */
  cos_(): this;
  cos_(...args: unknown[]): this { return callInPlace(98, 'cos_', this, args); }

  /**
   * The hyperbolic tangent.
   */
  tanh(): Tensor;
  tanh(...args: unknown[]): Tensor { return call(99, 'tanh', this, args); }
  /** The in-place form of `tanh`: this tensor takes the result, and is returned. */
  tanh_(): this;
  tanh_(...args: unknown[]): this { return callInPlace(99, 'tanh_', this, args); }

  /**
   * The error function, `2/sqrt(pi) * integral of exp(-t^2) from 0 to self`.
   */
  erf(): Tensor;
  erf(...args: unknown[]): Tensor { return call(100, 'erf', this, args); }
  /** The in-place form of `erf`: this tensor takes the result, and is returned. */
  erf_(): this;
  erf_(...args: unknown[]): this { return callInPlace(100, 'erf_', this, args); }

  /**
   * `self` rounded to the grid `scale * (integer - zero_point)`, with integers from `quant_min` to
   * `quant_max`, as `torch.fake_quantize_per_tensor_affine`.
   *
   * `self` has any shape, and the result has the same. The gradient passes where the integer is within the
   * range, and is 0 elsewhere.
   *
   * Errors: `dtype` if `self` is not floating point; `argument` if `scale` is not above 0, `quant_min` is
   * above `quant_max`, or `zero_point` is not between them.
   */
  fakeQuantizePerTensorAffine(scale: number, zeroPoint: number, quantMin: number, quantMax: number): Tensor;
  /**
   * As `fake_quantize_per_tensor_affine` with a scale and a zero point that are tensors of one number, which
   * are not read. They have no gradient.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if `scale` or `zero_point` is not one number;
   * `argument` if `quant_min` is above `quant_max`.
   */
  fakeQuantizePerTensorAffine(scale: TensorLike, zeroPoint: TensorLike, quantMin: number, quantMax: number): Tensor;
  fakeQuantizePerTensorAffine(...args: unknown[]): unknown { return callOverload(101, 'fakeQuantizePerTensorAffine;;', this, args) as never; }

  /**
   * `self` rounded to a grid for each index of dimension `axis`, as
   * `torch.fake_quantize_per_channel_affine`.
   *
   * `scale` and `zero_point: [channels]`, where `channels` is the size of dimension `axis`. The gradient is as
   * of `fake_quantize_per_tensor_affine`.
   *
   * Errors: `dtype` if `self` is not floating point; `index` if there is no dimension `axis`; `shape` if
   * `scale` or `zero_point` has not one number for each channel; `argument` if `quant_min` is above
   * `quant_max`.
   */
  fakeQuantizePerChannelAffine(scale: TensorLike, zeroPoint: TensorLike, axis: number, quantMin: number, quantMax: number): Tensor;
  fakeQuantizePerChannelAffine(...args: unknown[]): Tensor { return call(103, 'fakeQuantizePerChannelAffine ^scale ^zeroPoint axis quantMin quantMax', this, args); }

  /**
   * Fake quantization with a learned step size (Esser et al., 2020), as
   * `torch._fake_quantize_learnable_per_tensor_affine`: `scale` and `zero_point` have gradients, multiplied
   * by `grad_factor`.
   *
   * `scale` and `zero_point` are one number each; the zero point is rounded, and clamped to the range. The
   * gradient by `self` is as of `fake_quantize_per_tensor_affine`.
   *
   * Errors: `dtype` if an argument is not floating point; `shape` if `scale` or `zero_point` is not one number;
   * `argument` if `quant_min` is above `quant_max`.
   * @param gradFactor default 1.0
   */
  fakeQuantizeLearnablePerTensorAffine(scale: TensorLike, zeroPoint: TensorLike, quantMin: number, quantMax: number, gradFactor?: number): Tensor;
  fakeQuantizeLearnablePerTensorAffine(scale: TensorLike, zeroPoint: TensorLike, quantMin: number, quantMax: number, options?: { gradFactor?: number }): Tensor;
  fakeQuantizeLearnablePerTensorAffine(...args: unknown[]): Tensor { return call(104, 'fakeQuantizeLearnablePerTensorAffine ^scale ^zeroPoint quantMin quantMax gradFactor', this, args); }

  /**
   * As `fake_quantize_learnable_per_tensor_affine` with a grid for each index of dimension `axis`, as
   * `torch._fake_quantize_learnable_per_channel_affine`.
   *
   * Shapes and errors: as of `fake_quantize_per_channel_affine`; `dtype` if `scale` or `zero_point` is not
   * floating point.
   * @param gradFactor default 1.0
   */
  fakeQuantizeLearnablePerChannelAffine(scale: TensorLike, zeroPoint: TensorLike, axis: number, quantMin: number, quantMax: number, gradFactor?: number): Tensor;
  fakeQuantizeLearnablePerChannelAffine(scale: TensorLike, zeroPoint: TensorLike, axis: number, quantMin: number, quantMax: number, options?: { gradFactor?: number }): Tensor;
  fakeQuantizeLearnablePerChannelAffine(...args: unknown[]): Tensor { return call(105, 'fakeQuantizeLearnablePerChannelAffine ^scale ^zeroPoint axis quantMin quantMax gradFactor', this, args); }

  /**
   * The elements in reverse order along the dimensions `dims`. The result has the shape of `self`.
   *
   * The result is a copy, as in PyTorch, which has no negative strides. A kernel that consumes it
   * reads `self` with negative strides instead.
   *
   * Errors: `index` if a dimension is out of range; `argument` if one appears twice.
   */
  flip(dims: number | readonly number[]): Tensor;
  flip(...dims: number[]): Tensor;
  flip(...args: unknown[]): Tensor { return call(106, 'flip *dims', this, args); }

  /**
   * Elements of `self` at the positions that `index` holds along `dim`:
   * `result[i][j] = self[index[i][j]][j]` for `dim` 0 of a matrix.
   *
   * Shapes: `index` has the rank of `self` and is no larger in any dimension except `dim`; the
   * result has the shape of `index`. `index` is int32, int64 or uint8.
   *
   * Errors: `shape` if the rank or a size of `index` does not fit; `dtype` if `index` is not an
   * integer tensor; `index` if `dim` is out of range, or when the result is read if an element of
   * `index` is out of range. Negative indices are out of range.
   *
   * Gradient: positions that are read several times get the sum of their gradients.
   */
  gather(dim: number, index: TensorLike): Tensor;
  gather(...args: unknown[]): Tensor { return call(107, 'gather dim ^index', this, args); }

  /**
   * The slices of `self` along `dim` that a vector of indices selects, in the order of the vector.
   *
   * Shapes: `self: [*, n, *]`, `index: [k]` or `[]`, `result: [*, k, *]`. `index` is int32, int64 or
   * uint8.
   *
   * Errors: `shape` if `index` has more than one dimension; `dtype` if it is not an integer tensor;
   * `index` if `dim` is out of range, or when the result is read if an element of `index` is out of
   * range.
   *
   * Gradient: slices that are selected several times get the sum of their gradients.
   */
  indexSelect(dim: number, index: TensorLike): Tensor;
  indexSelect(...args: unknown[]): Tensor { return call(108, 'indexSelect dim ^index', this, args); }

  /**
   * `self` with the elements of `src` added at the positions that `index` holds along `dim`:
   * `result[index[i][j]][j] += src[i][j]` for `dim` 0 of a matrix.
   *
   * Shapes: `index` has the rank of `self` and of `src`, is no larger than `src`, and no larger than
   * `self` in any dimension except `dim`; the result has the shape of `self`. The elements of `src`
   * outside of the shape of `index` are ignored. Several additions to one element happen in a fixed
   * order.
   *
   * Errors: `shape` if `index` does not fit; `dtype` if `self` and `src` differ in type or `index`
   * is not an integer tensor; `index` if `dim` is out of range, or when the result is read if an
   * element of `index` is out of range.
   */
  scatterAdd(dim: number, index: TensorLike, src: TensorLike): Tensor;
  scatterAdd(...args: unknown[]): Tensor { return call(109, 'scatterAdd dim ^index ^src', this, args); }
  /** The in-place form of `scatterAdd`: this tensor takes the result, and is returned. */
  scatterAdd_(dim: number, index: TensorLike, src: TensorLike): this;
  scatterAdd_(...args: unknown[]): this { return callInPlace(109, 'scatterAdd_ dim ^index ^src', this, args); }

  /**
   * `self` with the elements of `src`, or a number, written at the positions that `index` holds
   * along `dim`: `result[index[i][j]][j] = src[i][j]` for `dim` 0 of a matrix.
   *
   * Shapes: as of [`scatter_add`](Tensor::scatter_add). Of several elements written to one position,
   * the last one in row-major order of `index` remains. `reduce` `"add"` or `"multiply"` combines
   * them with each other and with the element of `self` instead.
   *
   * Errors: `argument` if `reduce` is another string; otherwise as of
   * [`scatter_add`](Tensor::scatter_add).
   * @param reduce default null
   */
  scatter(dim: number, index: TensorLike, src: TensorLike | Scalar, options?: { reduce?: 'add' | 'multiply' | null }): Tensor;
  /**
   * `self` with the number `value` at the positions that `index` holds along `dim`: the overload of
   * [`scatter`](Tensor::scatter) whose number has PyTorch's name.
   *
   * Errors: as of `scatter`.
   * @param reduce default null
   */
  scatter(dim: number, index: TensorLike, value: Scalar, options?: { reduce?: 'add' | 'multiply' | null }): Tensor;
  scatter(...args: unknown[]): unknown { return callOverload(110, 'scatter;;', this, args) as never; }
  /** The in-place form of `scatter`: this tensor takes the result, and is returned. */
  scatter_(dim: number, index: TensorLike, src: TensorLike | Scalar, options?: { reduce?: 'add' | 'multiply' | null }): this;
  scatter_(dim: number, index: TensorLike, value: Scalar, options?: { reduce?: 'add' | 'multiply' | null }): this;
  scatter_(...args: unknown[]): this { return callOverloadInPlace(110, 'scatter_', this, args); }

  /**
   * `self` with the elements of `src` at the positions that `index` holds along `dim`, as
   * [`scatter`](Tensor::scatter) but without its error at run time: positions that the dimension
   * does not have are left out.
   *
   * Shapes: `index` and `src` have the same shape, whose sizes are at most the sizes of `self`
   * except along `dim`. Of several elements for one position any one remains. Since it cannot fail,
   * it is computed together with `src` and with other kernels: a decoder's keys and values are
   * written into their caches by the kernel that rotates them.
   *
   * Errors: `dtype` if the types of `self` and `src` differ, or `index` is not of integers; `shape`
   * if the shapes do not fit; `index` if `dim` is out of range.
   */
  store(dim: number, index: TensorLike, src: TensorLike): Tensor;
  store(...args: unknown[]): Tensor { return call(112, 'store dim ^index ^src', this, args); }
  /** The in-place form of `store`: this tensor takes the result, and is returned. */
  store_(dim: number, index: TensorLike, src: TensorLike): this;
  store_(...args: unknown[]): this { return callInPlace(112, 'store_ dim ^index ^src', this, args); }

  /** Another name of `linalgDet`. */
  det(): Tensor;
  det(...args: unknown[]): Tensor { return call(119, 'det', this, args); }

  /** Another name of `linalgSlogdet`. */
  slogdet(): [Tensor, Tensor] & { sign: Tensor; logabsdet: Tensor };
  slogdet(...args: unknown[]): unknown { return callAny(120, 'slogdet', ['sign', 'logabsdet'], this, args) as never; }

  /**
   * The exponential of square matrices, `I + A + A² / 2 + …`, as `torch.linalg.matrix_exp`.
   *
   * Shapes: `self: [*, n, n]`, `result: [*, n, n]`.
   *
   * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square.
   *
   * Gradient: a block of the exponential of a matrix of twice the size (Najfeld and Havel,
   * "Derivatives of the matrix exponential and their computation", 1995).
   */
  matrixExp(): Tensor;
  matrixExp(...args: unknown[]): Tensor { return call(121, 'matrixExp', this, args); }

  /**
   * The solution `X` of `A X = self`, where `input2` is the Cholesky factor of `A`, lower or with
   * `upper` upper.
   *
   * Shapes: `self: [*, n, k]`, `input2: [*, n, n]`, `result: [*, n, k]` with the broadcast leading
   * dimensions.
   *
   * Errors: `dtype` if a tensor is not float32 or float64, or the types differ; `shape` if `input2`
   * is not square or `self` does not fit.
   *
   * Gradient: for `input2`, all of its elements are variables, as in PyTorch.
   * @param upper default false
   */
  choleskySolve(input2: TensorLike, upper?: boolean): Tensor;
  choleskySolve(input2: TensorLike, options?: { upper?: boolean }): Tensor;
  choleskySolve(...args: unknown[]): Tensor { return call(128, 'choleskySolve ^input2 upper', this, args); }

  /** Another name of `linalgInv`. */
  inverse(): Tensor;
  inverse(...args: unknown[]): Tensor { return call(133, 'inverse', this, args); }

  /**
   * The matrix product, with the rules of `torch.matmul`.
   *
   * Shapes: `self: [*, m, k]`, `other: [*, k, n]`, `result: [*, m, n]`; the leading dimensions
   * broadcast. A vector on the left is a row and on the right a column, and the result does not have
   * that dimension; two vectors give a 0-d tensor. The types are not promoted.
   *
   * Errors: `dtype` if the types differ; `shape` if the inner sizes differ, the leading dimensions
   * do not broadcast, or a tensor is 0-d.
   */
  matmul(other: TensorLike): Tensor;
  matmul(...args: unknown[]): Tensor { return call(139, 'matmul ^other', this, args); }

  /**
   * `self` with elements added or removed at the ends of its dimensions, as
   * `torch.nn.functional.pad`.
   *
   * `pad` is a list of pairs (before, after), for the last dimension first; a negative number
   * removes elements. `mode` is `"constant"` (`value`, by default 0), `"reflect"` (mirrored at the
   * edge elements), `"replicate"` (the edge elements repeated) or `"circular"`.
   *
   * Shapes: a padded dimension of size `n` becomes `before + n + after`.
   *
   * Errors: `argument` if `pad` has an odd number of elements or more pairs than `self` has
   * dimensions, if `mode` is another string, or if `value` is given for another mode than
   * `"constant"`; `shape` if the padding is larger than the mode allows: `n - 1` for `"reflect"`,
   * `n` for `"circular"`. Removing more elements than a dimension has is a `shape` error for
   * `"constant"`, an `index` error for `"circular"`, and else an `argument` error.
   * @param mode default "constant"
   * @param value default null
   */
  pad(pad: number | readonly number[], mode?: 'constant' | 'reflect' | 'replicate' | 'circular', value?: Scalar | null): Tensor;
  pad(pad: number | readonly number[], options?: { mode?: 'constant' | 'reflect' | 'replicate' | 'circular'; value?: Scalar | null }): Tensor;
  pad(...args: unknown[]): Tensor { return call(140, 'pad pad mode value', this, args); }

  /**
   * [`pad`](Tensor::pad) with mode `"constant"`.
   *
   * Errors: as of [`pad`](Tensor::pad).
   * @param value default 0
   */
  constantPadNd(pad: number | readonly number[], value?: Scalar): Tensor;
  constantPadNd(pad: number | readonly number[], options?: { value?: Scalar }): Tensor;
  constantPadNd(...args: unknown[]): Tensor { return call(141, 'constantPadNd pad value', this, args); }

  /**
   * `|self|` with the sign of `other`, broadcast; a zero has a sign too. Integers become float32.
   */
  copysign(other: TensorLike | Scalar): Tensor;
  copysign(...args: unknown[]): Tensor { return call(142, 'copysign ^other', this, args); }
  /** The in-place form of `copysign`: this tensor takes the result, and is returned. */
  copysign_(other: TensorLike | Scalar): this;
  copysign_(...args: unknown[]): this { return callInPlace(142, 'copysign_ ^other', this, args); }

  /**
   * Whether the sign bit is set: true for negative numbers and for -0.
   */
  signbit(): Tensor;
  signbit(...args: unknown[]): Tensor { return call(143, 'signbit', this, args); }
  /** The in-place form of `signbit`: this tensor takes the result, and is returned. */
  signbit_(): this;
  signbit_(...args: unknown[]): this { return callInPlace(143, 'signbit_', this, args); }

  /**
   * Mantissa and exponent with `self = mantissa * 2^exponent` and `0.5 <= |mantissa| < 1`. The
   * exponent is int32.
   *
   * Errors: `dtype` if `self` is not floating point.
   */
  frexp(): [Tensor, Tensor] & { mantissa: Tensor; exponent: Tensor };
  frexp(...args: unknown[]): unknown { return callAny(144, 'frexp', ['mantissa', 'exponent'], this, args) as never; }

  /**
   * `self * 2^other`, broadcast; integers become float32.
   */
  ldexp(other: TensorLike): Tensor;
  ldexp(...args: unknown[]): Tensor { return call(145, 'ldexp ^other', this, args); }
  /** The in-place form of `ldexp`: this tensor takes the result, and is returned. */
  ldexp_(other: TensorLike): this;
  ldexp_(...args: unknown[]): this { return callInPlace(145, 'ldexp_ ^other', this, args); }

  /**
   * The floating-point number next to `self` in the direction of `other`, broadcast.
   *
   * Errors: `dtype` if neither tensor is floating point.
   */
  nextafter(other: TensorLike): Tensor;
  nextafter(...args: unknown[]): Tensor { return call(146, 'nextafter ^other', this, args); }
  /** The in-place form of `nextafter`: this tensor takes the result, and is returned. */
  nextafter_(other: TensorLike): this;
  nextafter_(...args: unknown[]): this { return callInPlace(146, 'nextafter_ ^other', this, args); }

  /**
   * The fractional part with the sign of the element, `self - trunc(self)`.
   *
   * Errors: `dtype` if `self` is not floating point.
   */
  frac(): Tensor;
  frac(...args: unknown[]): Tensor { return call(147, 'frac', this, args); }
  /** The in-place form of `frac`: this tensor takes the result, and is returned. */
  frac_(): this;
  frac_(...args: unknown[]): this { return callInPlace(147, 'frac_', this, args); }

  /**
   * Whether the element is neither infinite nor NaN.
   */
  isfinite(): Tensor;
  isfinite(...args: unknown[]): Tensor { return call(148, 'isfinite', this, args); }
  /** The in-place form of `isfinite`: this tensor takes the result, and is returned. */
  isfinite_(): this;
  isfinite_(...args: unknown[]): this { return callInPlace(148, 'isfinite_', this, args); }

  /**
   * Whether the element is positive or negative infinity.
   */
  isinf(): Tensor;
  isinf(...args: unknown[]): Tensor { return call(149, 'isinf', this, args); }
  /** The in-place form of `isinf`: this tensor takes the result, and is returned. */
  isinf_(): this;
  isinf_(...args: unknown[]): this { return callInPlace(149, 'isinf_', this, args); }

  /**
   * Whether the element is positive infinity.
   */
  isposinf(): Tensor;
  isposinf(...args: unknown[]): Tensor { return call(150, 'isposinf', this, args); }
  /** The in-place form of `isposinf`: this tensor takes the result, and is returned. */
  isposinf_(): this;
  isposinf_(...args: unknown[]): this { return callInPlace(150, 'isposinf_', this, args); }

  /**
   * Whether the element is negative infinity.
   */
  isneginf(): Tensor;
  isneginf(...args: unknown[]): Tensor { return call(151, 'isneginf', this, args); }
  /** The in-place form of `isneginf`: this tensor takes the result, and is returned. */
  isneginf_(): this;
  isneginf_(...args: unknown[]): this { return callInPlace(151, 'isneginf_', this, args); }

  /**
   * `self` with NaN replaced by `nan`, infinity by `posinf` and negative infinity by `neginf`. The
   * defaults are 0, the largest and the lowest finite number of the type. Integers stay as they are.
   * @param nan default null
   * @param posinf default null
   * @param neginf default null
   */
  nanToNum(nan?: number | null, posinf?: number | null, neginf?: number | null): Tensor;
  nanToNum(options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): Tensor;
  nanToNum(...args: unknown[]): Tensor { return call(152, 'nanToNum nan posinf neginf', this, args); }
  /** The in-place form of `nanToNum`: this tensor takes the result, and is returned. */
  nanToNum_(nan?: number | null, posinf?: number | null, neginf?: number | null): this;
  nanToNum_(options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): this;
  nanToNum_(...args: unknown[]): this { return callInPlace(152, 'nanToNum_ nan posinf neginf', this, args); }

  /**
   * The Heaviside step function, broadcast: 0 where `self` is negative, 1 where it is positive, and
   * `values` where it is 0.
   *
   * Errors: `dtype` if the types of the tensors differ.
   */
  heaviside(values: TensorLike): Tensor;
  heaviside(...args: unknown[]): Tensor { return call(153, 'heaviside ^values', this, args); }
  /** The in-place form of `heaviside`: this tensor takes the result, and is returned. */
  heaviside_(values: TensorLike): this;
  heaviside_(...args: unknown[]): this { return callInPlace(153, 'heaviside_ ^values', this, args); }

  /**
   * The largest value of each window along one dimension, as `torch.nn.functional.max_pool1d`.
   *
   * Shapes: `self: [N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]` with `L_out` as
   * of [`max_pool2d`](Tensor::max_pool2d).
   *
   * Arguments, errors and gradient: as of [`max_pool2d`](Tensor::max_pool2d).
   * @param stride default []
   * @param padding default 0
   * @param dilation default 1
   * @param ceilMode default false
   */
  maxPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
  maxPool1d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /**
   * [`max_pool1d`](Tensor::max_pool1d) with the int32 indices of the values along the dimension
   * (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
   *
   * Errors: `argument` if `return_indices` is false; otherwise as of
   * [`max_pool2d`](Tensor::max_pool2d).
   * @param stride default []
   * @param padding default 0
   * @param dilation default 1
   * @param ceilMode default false
   * @param returnIndices default true
   */
  maxPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean, returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  maxPool1d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean; returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  maxPool1d(...args: unknown[]): unknown { return callOverload(154, 'maxPool1d;;values,indices', this, args) as never; }

  /**
   * The largest value of each window of an image, as `torch.nn.functional.max_pool2d`; NaN if a
   * window contains NaN.
   *
   * Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or
   * `[C, H_out, W_out]` with
   * `H_out = floor((H + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1`, and `W_out`
   * likewise. `ceil_mode` rounds up instead, without windows that begin in the padding on the right.
   * Each argument is one number or one a dimension; `stride` is `kernel_size` by default. Padding
   * never is the largest value.
   *
   * Errors: `shape` if `self` has another number of dimensions, no channels, or is smaller than the
   * window; `argument` if an argument has another number of elements or one that is too small
   * (`padding` below 0, the others below 1), or if `padding` is larger than half of the window.
   *
   * Gradient: to the first largest element of each window.
   * @param stride default []
   * @param padding default 0
   * @param dilation default 1
   * @param ceilMode default false
   */
  maxPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
  maxPool2d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /**
   * [`max_pool2d`](Tensor::max_pool2d) with the int32 indices of the values in the flattened image
   * (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
   *
   * Errors: `argument` if `return_indices` is false; otherwise as of
   * [`max_pool2d`](Tensor::max_pool2d).
   * @param stride default []
   * @param padding default 0
   * @param dilation default 1
   * @param ceilMode default false
   * @param returnIndices default true
   */
  maxPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean, returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  maxPool2d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean; returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  maxPool2d(...args: unknown[]): unknown { return callOverload(155, 'maxPool2d;;values,indices', this, args) as never; }

  /**
   * The largest value of each window of a volume, as `torch.nn.functional.max_pool3d`.
   *
   * Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
   * without `N`, with sizes as of [`max_pool2d`](Tensor::max_pool2d).
   *
   * Arguments, errors and gradient: as of [`max_pool2d`](Tensor::max_pool2d).
   * @param stride default []
   * @param padding default 0
   * @param dilation default 1
   * @param ceilMode default false
   */
  maxPool3d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
  maxPool3d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /**
   * [`max_pool3d`](Tensor::max_pool3d) with the int32 indices of the values in the flattened volume
   * (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
   *
   * Errors: `argument` if `return_indices` is false; otherwise as of
   * [`max_pool2d`](Tensor::max_pool2d).
   * @param stride default []
   * @param padding default 0
   * @param dilation default 1
   * @param ceilMode default false
   * @param returnIndices default true
   */
  maxPool3d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean, returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  maxPool3d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean; returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  maxPool3d(...args: unknown[]): unknown { return callOverload(156, 'maxPool3d;;values,indices', this, args) as never; }

  /**
   * The partial inverse of [`max_pool1d`](Tensor::max_pool1d), as
   * `torch.nn.functional.max_unpool1d`.
   *
   * Shapes: `self` and `indices`: `[N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]`
   * with `L_out` as of [`max_unpool2d`](Tensor::max_unpool2d).
   *
   * Arguments and errors: as of [`max_unpool2d`](Tensor::max_unpool2d).
   * @param stride default []
   * @param padding default 0
   * @param outputSize default null
   */
  maxUnpool1d(indices: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputSize?: number | readonly number[] | null): Tensor;
  maxUnpool1d(indices: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputSize?: number | readonly number[] | null }): Tensor;
  maxUnpool1d(...args: unknown[]): Tensor { return call(160, 'maxUnpool1d ^indices kernelSize stride padding outputSize', this, args); }

  /**
   * The partial inverse of [`max_pool2d`](Tensor::max_pool2d), as
   * `torch.nn.functional.max_unpool2d`: zeros with the elements of `self` at their `indices`.
   *
   * Shapes: `self` and `indices`: `[N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or
   * `[C, H_out, W_out]` with `H_out = (H - 1) stride - 2 padding + kernel_size`, and `W_out`
   * likewise. Several input sizes pool to one output size; `output_size`, the spatial sizes or a
   * whole shape, selects one that differs by less than `stride`. `stride` is `kernel_size` by
   * default.
   *
   * Errors: `shape` if `indices` and `self` differ in shape, `self` has another number of
   * dimensions, or `output_size` does not fit; `dtype` if `indices` is not an integer tensor;
   * `argument` if an argument has another number of elements or one that is too small; `index` when
   * the result is read if an index is out of range.
   * @param stride default []
   * @param padding default 0
   * @param outputSize default null
   */
  maxUnpool2d(indices: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputSize?: number | readonly number[] | null): Tensor;
  maxUnpool2d(indices: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputSize?: number | readonly number[] | null }): Tensor;
  maxUnpool2d(...args: unknown[]): Tensor { return call(161, 'maxUnpool2d ^indices kernelSize stride padding outputSize', this, args); }

  /**
   * The partial inverse of [`max_pool3d`](Tensor::max_pool3d), as
   * `torch.nn.functional.max_unpool3d`.
   *
   * Shapes: `self` and `indices`: `[N, C, D, H, W]` or `[C, D, H, W]`,
   * `result: [N, C, D_out, H_out, W_out]` or without `N`, with sizes as of
   * [`max_unpool2d`](Tensor::max_unpool2d).
   *
   * Arguments and errors: as of [`max_unpool2d`](Tensor::max_unpool2d).
   * @param stride default []
   * @param padding default 0
   * @param outputSize default null
   */
  maxUnpool3d(indices: TensorLike, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputSize?: number | readonly number[] | null): Tensor;
  maxUnpool3d(indices: TensorLike, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputSize?: number | readonly number[] | null }): Tensor;
  maxUnpool3d(...args: unknown[]): Tensor { return call(162, 'maxUnpool3d ^indices kernelSize stride padding outputSize', this, args); }

  /**
   * The numbers of blocks of low-bit integers, of which `self` holds the bytes.
   *
   * `self: [*, rows of bytes]`, uint8, with whole blocks in the last dimension; the result is `[*, numbers]`
   * in float32. The formats are `q4_0`, `q4_1`, `q5_0`, `q5_1`, `q8_0`, `iq4_nl`, `mxfp4` with 32
   * numbers a block and `q2_k`, `q3_k`, `q4_k`, `q5_k`, `q6_k`, `q8_k`, `iq4_xs` with 256, in the
   * layout of `ggml-common.h`; and `q4_1_128`, `q4_1` with 128 numbers a block.
   * A product that takes the result reads the blocks, and the numbers are never stored.
   *
   * Errors: `dtype` if `self` is not uint8; `shape` if the last dimension has not whole blocks;
   * `argument` for a format that is not known.
   */
  dequantize(format: 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0' | 'q2_k' | 'q3_k' | 'q4_k' | 'q5_k' | 'q6_k' | 'q8_k' | 'iq4_nl' | 'iq4_xs' | 'mxfp4' | 'q4_1_128'): Tensor;
  dequantize(...args: unknown[]): Tensor { return call(163, 'dequantize format', this, args); }

  /**
   * The bytes of blocks of the nearest numbers, as [`dequantize`](Tensor::dequantize) takes them.
   *
   * `self: [*, numbers]`, floating point, with whole blocks in the last dimension; the result is
   * `[*, rows of bytes]` in uint8. The elements are read, and the result is awaited. The scales are chosen
   * as in `ggml-quants.c`.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if the last dimension has not whole blocks;
   * `argument` for NaN and infinity, and for a format that is not known or only read: blocks are
   * made of `q4_0`, `q4_1`, `q4_1_128`, `q5_0`, `q5_1`, `q8_0` and `mxfp4`; `limit` for numbers whose
   * scale is beyond float16.
   */
  quantize(format: 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0' | 'q2_k' | 'q3_k' | 'q4_k' | 'q5_k' | 'q6_k' | 'q8_k' | 'iq4_nl' | 'iq4_xs' | 'mxfp4' | 'q4_1_128'): Promise<Tensor>;
  quantize(...args: unknown[]): unknown { return callAny(164, 'quantize format', 'tensor', this, args) as never; }

  /**
   * Uniform random numbers from `from` up to `to` in the shape and type of `self`; `uniform_` fills
   * `self` with them.
   *
   * Errors: `argument` if `from` is larger than `to` or the range is not finite; `dtype` if `self`
   * is not floating point.
   * @param from default 0.0
   * @param to default 1.0
   * @param generator the source of the random numbers; by default the device's generator
   */
  uniform(from?: number, to?: number, options?: { generator?: Generator | null }): Tensor;
  uniform(options?: { from?: number; to?: number; generator?: Generator | null }): Tensor;
  uniform(...args: unknown[]): Tensor { return drawing('uniform', args, (args) => call(170, 'uniform from to', this, args)); }
  /** The in-place form of `uniform`: this tensor takes the result, and is returned. */
  uniform_(from?: number, to?: number, options?: { generator?: Generator | null }): this;
  uniform_(options?: { from?: number; to?: number; generator?: Generator | null }): this;
  uniform_(...args: unknown[]): this { return drawing('uniform_', args, (args): this => callInPlace(170, 'uniform_ from to', this, args)); }

  /**
   * Exponentially distributed random numbers of rate `lambd` in the shape and type of `self`;
   * `exponential_` fills `self` with them.
   *
   * Errors: `argument` if `lambd` is not positive; `dtype` if `self` is not floating point.
   * @param lambd default 1.0
   * @param generator the source of the random numbers; by default the device's generator
   */
  exponential(lambd?: number, options?: { generator?: Generator | null }): Tensor;
  exponential(options?: { lambd?: number; generator?: Generator | null }): Tensor;
  exponential(...args: unknown[]): Tensor { return drawing('exponential', args, (args) => call(171, 'exponential lambd', this, args)); }
  /** The in-place form of `exponential`: this tensor takes the result, and is returned. */
  exponential_(lambd?: number, options?: { generator?: Generator | null }): this;
  exponential_(options?: { lambd?: number; generator?: Generator | null }): this;
  exponential_(...args: unknown[]): this { return drawing('exponential_', args, (args): this => callInPlace(171, 'exponential_ lambd', this, args)); }

  /**
   * Log-normally distributed random numbers in the shape and type of `self`; their logarithms have
   * mean `mean` and standard deviation `std`.
   *
   * Errors: `argument` if `std` is negative; `dtype` if `self` is not floating point.
   * @param mean default 1.0
   * @param std default 2.0
   * @param generator the source of the random numbers; by default the device's generator
   */
  logNormal(mean?: number, std?: number, options?: { generator?: Generator | null }): Tensor;
  logNormal(options?: { mean?: number; std?: number; generator?: Generator | null }): Tensor;
  logNormal(...args: unknown[]): Tensor { return drawing('logNormal', args, (args) => call(172, 'logNormal mean std', this, args)); }
  /** The in-place form of `logNormal`: this tensor takes the result, and is returned. */
  logNormal_(mean?: number, std?: number, options?: { generator?: Generator | null }): this;
  logNormal_(options?: { mean?: number; std?: number; generator?: Generator | null }): this;
  logNormal_(...args: unknown[]): this { return drawing('logNormal_', args, (args): this => callInPlace(172, 'logNormal_ mean std', this, args)); }

  /**
   * Cauchy-distributed random numbers with median `median` and half-width `sigma` in the shape and
   * type of `self`.
   *
   * Errors: `argument` if `sigma` is not positive; `dtype` if `self` is not floating point.
   * @param median default 0.0
   * @param sigma default 1.0
   * @param generator the source of the random numbers; by default the device's generator
   */
  cauchy(median?: number, sigma?: number, options?: { generator?: Generator | null }): Tensor;
  cauchy(options?: { median?: number; sigma?: number; generator?: Generator | null }): Tensor;
  cauchy(...args: unknown[]): Tensor { return drawing('cauchy', args, (args) => call(173, 'cauchy median sigma', this, args)); }
  /** The in-place form of `cauchy`: this tensor takes the result, and is returned. */
  cauchy_(median?: number, sigma?: number, options?: { generator?: Generator | null }): this;
  cauchy_(options?: { median?: number; sigma?: number; generator?: Generator | null }): this;
  cauchy_(...args: unknown[]): this { return drawing('cauchy_', args, (args): this => callInPlace(173, 'cauchy_ median sigma', this, args)); }

  /**
   * Geometrically distributed random numbers in the shape and type of `self`: the number of trials
   * up to and including the first success, with success probability `p`.
   *
   * Errors: `argument` if `p` is not between 0 and 1, both excluded.
   * @param generator the source of the random numbers; by default the device's generator
   */
  geometric(p: number, options?: { generator?: Generator | null }): Tensor;
  geometric(...args: unknown[]): Tensor { return drawing('geometric', args, (args) => call(174, 'geometric p', this, args)); }
  /** The in-place form of `geometric`: this tensor takes the result, and is returned. */
  geometric_(p: number, options?: { generator?: Generator | null }): this;
  geometric_(...args: unknown[]): this { return drawing('geometric_', args, (args): this => callInPlace(174, 'geometric_ p', this, args)); }

  /**
   * 1 with the probability that the element of `self` holds, else 0, in the shape and type of
   * `self`.
   *
   * Errors: `dtype` if `self` is not floating point; `argument`, when the result is read, if an
   * element is not from 0 to 1.
   *
   * Gradient: none.
   * @param generator the source of the random numbers; by default the device's generator
   */
  bernoulli(options?: { generator?: Generator | null }): Tensor;
  /**
   * 1 with probability `p`, else 0, in the shape and type of `self`; `bernoulli_p_` fills `self`
   * with them.
   *
   * Errors: `argument` if `p` is not from 0 to 1.
   * @param generator the source of the random numbers; by default the device's generator
   */
  bernoulli(p: number, options?: { generator?: Generator | null }): Tensor;
  bernoulli(...args: unknown[]): unknown { return drawing('bernoulli', args, (args) => callOverload(175, 'bernoulli;;', this, args) as never); }
  /** The in-place form of `bernoulli`: this tensor takes the result, and is returned. */
  bernoulli_(p: number, options?: { generator?: Generator | null }): this;
  bernoulli_(...args: unknown[]): this { return drawing('bernoulli_', args, (args): this => callInPlace(176, 'bernoulli_ p', this, args)); }

  /**
   * Normally distributed random numbers of mean `mean` and standard deviation `std` in the shape and
   * type of `self`. Its in-place form is PyTorch's `normal_`.
   *
   * Errors: `argument` if `std` is negative; `dtype` if `self` is not floating point.
   * @param mean default 0.0
   * @param std default 1.0
   * @param generator the source of the random numbers; by default the device's generator
   */
  normalFunctional(mean?: number, std?: number, options?: { generator?: Generator | null }): Tensor;
  normalFunctional(options?: { mean?: number; std?: number; generator?: Generator | null }): Tensor;
  normalFunctional(...args: unknown[]): Tensor { return drawing('normalFunctional', args, (args) => call(179, 'normalFunctional mean std', this, args)); }
  /** The in-place form of `normalFunctional`: this tensor takes the result, and is returned. */
  normalFunctional_(mean?: number, std?: number, options?: { generator?: Generator | null }): this;
  normalFunctional_(options?: { mean?: number; std?: number; generator?: Generator | null }): this;
  normalFunctional_(...args: unknown[]): this { return drawing('normalFunctional_', args, (args): this => callInPlace(179, 'normalFunctional_ mean std', this, args)); }

  /**
   * `num_samples` indices for each row of `self`, drawn with probabilities proportional to the
   * elements of the row. int32 (PyTorch: int64).
   *
   * Shapes: `self: [n]` or `[m, n]`, `result: [num_samples]` or `[m, num_samples]`. An element of
   * weight 0 is never drawn. Without `replacement` the indices of a row are distinct.
   *
   * Errors: `shape` if `self` does not have one or two dimensions; `dtype` if it is not floating
   * point; `argument` if `num_samples` is not positive, or larger than `n` without `replacement`,
   * or, when the result is read, if a weight is negative, infinite or NaN, or a row has no weight
   * above 0, or without `replacement` fewer than `num_samples`.
   *
   * Source: without `replacement`, and for one sample, each weight is divided by an exponentially
   * distributed number, and the largest quotients win (Efraimidis and Spirakis, "Weighted random
   * sampling with a reservoir", 2006). Otherwise, the inverse of the cumulative distribution at
   * uniform numbers, in float32.
   * @param replacement default false
   * @param generator the source of the random numbers; by default the device's generator
   */
  multinomial(numSamples: number, replacement?: boolean, options?: { generator?: Generator | null }): Tensor;
  multinomial(numSamples: number, options?: { replacement?: boolean; generator?: Generator | null }): Tensor;
  multinomial(...args: unknown[]): Tensor { return drawing('multinomial', args, (args) => call(180, 'multinomial numSamples replacement', this, args)); }

  /**
   * Gamma-distributed random numbers of shape `self` and scale 1.
   *
   * Errors: `dtype` if `self` is not floating point.
   *
   * Gradient: the implicit one, [`standard_gamma_grad`](Tensor::standard_gamma_grad).
   *
   * Source: Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000).
   */
  standardGamma(): Tensor;
  standardGamma(...args: unknown[]): Tensor { return call(181, 'standardGamma', this, args); }

  /**
   * The derivative of a gamma-distributed number `output` with respect to its shape `self`, at a
   * fixed probability.
   *
   * Errors: `dtype` if neither tensor is floating point.
   *
   * Gradient: none.
   *
   * Source: Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients" (2018).
   */
  standardGammaGrad(output: TensorLike): Tensor;
  standardGammaGrad(...args: unknown[]): Tensor { return call(182, 'standardGammaGrad ^output', this, args); }

  /**
   * Random vectors of the Dirichlet distribution of the concentrations along the last dimension:
   * positive numbers with the sum 1.
   *
   * Errors: `shape` for a 0-d tensor; `dtype` if `self` is not floating point.
   *
   * Gradient: the implicit one of each number, by [`dirichlet_grad`](Tensor::dirichlet_grad), with
   * the others scaled so that the sum is 1.
   *
   * Source: Devroye, "Non-Uniform Random Variate Generation", XI.4; Figurnov, Mohamed and Mnih,
   * "Implicit Reparameterization Gradients" (2018).
   */
  sampleDirichlet(): Tensor;
  sampleDirichlet(...args: unknown[]): Tensor { return call(183, 'sampleDirichlet', this, args); }

  /**
   * The derivative of a number `self` of a Dirichlet-distributed vector with respect to its
   * concentration `alpha`, of which `total` is the sum over the vector, at a fixed probability and
   * divided by `1 - self`.
   *
   * Errors: `dtype` if a tensor is not floating point.
   *
   * Gradient: none.
   *
   * Source: Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients" (2018).
   */
  dirichletGrad(alpha: TensorLike, total: TensorLike): Tensor;
  dirichletGrad(...args: unknown[]): Tensor { return call(184, 'dirichletGrad ^alpha ^total', this, args); }

  /**
   * Poisson-distributed random numbers of mean `self`.
   *
   * Each is the quantile of one uniform number of 24 bits.
   *
   * Errors: `dtype` if `self` is not floating point.
   *
   * Gradient: none.
   *
   * Source: a search from 0 up to a mean of 30, and otherwise the incomplete gamma function (DLMF
   * 8.2.4) from the guess of Cornish and Fisher, "Moments and Cumulants in the Specification of
   * Distributions" (1938).
   * @param generator the source of the random numbers; by default the device's generator
   */
  poisson(options?: { generator?: Generator | null }): Tensor;
  poisson(...args: unknown[]): Tensor { return drawing('poisson', args, (args) => call(185, 'poisson', this, args)); }

  /**
   * Binomially distributed random numbers: the successes in `self` trials of probability `prob`,
   * broadcast.
   *
   * Each is the quantile of one uniform number of 24 bits.
   *
   * Errors: `dtype` if a tensor is not floating point; `shape` if the shapes do not broadcast.
   *
   * Gradient: none.
   *
   * Source: a search from 0 if successes or failures have a mean of at most 30, and otherwise the
   * incomplete beta function (DLMF 8.17.5) from the guess of Cornish and Fisher, "Moments and
   * Cumulants in the Specification of Distributions" (1938), with probabilities by Loader, "Fast and
   * Accurate Computation of Binomial Probabilities" (2000).
   * @param generator the source of the random numbers; by default the device's generator
   */
  binomial(prob: TensorLike, options?: { generator?: Generator | null }): Tensor;
  binomial(...args: unknown[]): Tensor { return drawing('binomial', args, (args) => call(186, 'binomial ^prob', this, args)); }

  /**
   * The sum over dimensions `dim`, or over all dimensions.
   *
   * Shapes: `self: [*, n, *]`, `result: [*, *]` without the dimensions of `dim`, or with size 1
   * there if `keepdim` is true. A sum of no elements is 0. Without `dtype`, bool, uint8 and int32
   * give int32 (PyTorch: int64) and other types keep theirs; half types are accumulated in float32.
   *
   * Errors: `index` if `dim` is out of range; `argument` if a dimension appears twice.
   * @param dim default null
   * @param keepdim default false
   * @param dtype default null
   */
  sum<D extends DType = DType>(dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
  sum<D extends DType = DType>(options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
  sum(...args: unknown[]): Tensor { return call(197, 'sum dim keepdim|dtype', this, args); }

  /**
   * The product along `dim`, or over all dimensions.
   *
   * Shapes: `self: [*, n, *]`, `result: [*, *]` without `dim`, or with size 1 there if `keepdim` is
   * true. A product of no elements is 1. Without `dtype`, bool, uint8 and int32 give int32 (PyTorch:
   * int64).
   *
   * Errors: `index` if `dim` is out of range.
   *
   * Gradient: the product of the other factors, correct also beside zeros.
   * @param dim default null
   * @param keepdim default false
   * @param dtype default null
   */
  prod<D extends DType = DType>(dim?: number | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
  prod<D extends DType = DType>(options?: { dim?: number | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
  prod(...args: unknown[]): Tensor { return call(198, 'prod dim keepdim|dtype', this, args); }

  /**
   * The largest value over dimensions `dim`, or over all dimensions; NaN if any element is NaN.
   *
   * Shapes: as of [`sum`](Tensor::sum). The result has the type of `self`.
   *
   * Errors: `shape` if a reduced dimension has size 0; `index` if `dim` is out of range; `argument`
   * if a dimension appears twice.
   *
   * Gradient: shared evenly among equal extremes; NaN for every element if the result is NaN.
   * @param dim default null
   * @param keepdim default false
   */
  amax(dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
  amax(options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
  amax(...args: unknown[]): Tensor { return call(199, 'amax dim keepdim', this, args); }

  /**
   * The smallest value over dimensions `dim`, or over all dimensions; NaN if any element is NaN.
   *
   * Shapes, errors and gradient: as of [`amax`](Tensor::amax).
   * @param dim default null
   * @param keepdim default false
   */
  amin(dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
  amin(options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
  amin(...args: unknown[]): Tensor { return call(200, 'amin dim keepdim', this, args); }

  /**
   * The index of the largest value along `dim`, or in the flattened tensor; the first one of equal
   * values, and the first NaN if there is one. int32 (PyTorch: int64).
   *
   * Shapes: `self: [*, n, *]`, `result: [*, *]` without `dim`, or with size 1 there if `keepdim` is
   * true.
   *
   * Errors: `shape` if a reduced dimension has size 0; `index` if `dim` is out of range.
   * @param dim default null
   * @param keepdim default false
   */
  argmax(dim?: number | null, keepdim?: boolean): Tensor;
  argmax(options?: { dim?: number | null; keepdim?: boolean }): Tensor;
  argmax(...args: unknown[]): Tensor { return call(201, 'argmax dim keepdim', this, args); }

  /**
   * The index of the smallest value along `dim`, or in the flattened tensor; the first one of equal
   * values, and the first NaN if there is one. int32 (PyTorch: int64).
   *
   * Shapes and errors: as of [`argmax`](Tensor::argmax).
   * @param dim default null
   * @param keepdim default false
   */
  argmin(dim?: number | null, keepdim?: boolean): Tensor;
  argmin(options?: { dim?: number | null; keepdim?: boolean }): Tensor;
  argmin(...args: unknown[]): Tensor { return call(202, 'argmin dim keepdim', this, args); }

  /**
   * The largest of all elements, as a 0-d tensor; NaN if any element is NaN.
   *
   * Errors: `shape` if `self` has no elements.
   *
   * Gradient: shared evenly among equal extremes, or among the elements that are NaN.
   */
  max(): Tensor;
  /**
   * The largest value along `dim` and its index, the first one of equal values; NaN if any element
   * is NaN. The indices are int32 (PyTorch: int64).
   *
   * Shapes: `self: [*, n, *]`, `values` and `indices`: `[*, *]` without `dim`, or with size 1 there
   * if `keepdim` is true.
   *
   * Errors: `shape` if `dim` has size 0; `index` if `dim` is out of range.
   *
   * Gradient: to the element at the index alone.
   * @param keepdim default false
   */
  max(dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  max(dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  /**
   * The elementwise maximum of two tensors: [`maximum`](Tensor::maximum).
   */
  max(other: TensorLike): Tensor;
  max(...args: unknown[]): unknown { return callOverload(203, 'max;;values,indices;', this, args) as never; }

  /**
   * The smallest of all elements, as a 0-d tensor; NaN if any element is NaN.
   *
   * Errors: `shape` if `self` has no elements.
   *
   * Gradient: shared evenly among equal extremes, or among the elements that are NaN.
   */
  min(): Tensor;
  /**
   * The smallest value along `dim` and its index, the first one of equal values; NaN if any element
   * is NaN. The indices are int32 (PyTorch: int64).
   *
   * Shapes, errors and gradient: as of `max.dim`.
   * @param keepdim default false
   */
  min(dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  min(dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  /**
   * The elementwise minimum of two tensors: [`minimum`](Tensor::minimum).
   */
  min(other: TensorLike): Tensor;
  min(...args: unknown[]): unknown { return callOverload(206, 'min;;values,indices;', this, args) as never; }

  /**
   * The smallest and the largest value along `dim`, or of all elements; NaN if any element is NaN.
   *
   * Shapes: `self: [*, n, *]`, `min` and `max`: `[*, *]` without `dim`, or with size 1 there if
   * `keepdim` is true. Without `dim` both are 0-d.
   *
   * Errors: `shape` if a reduced dimension has size 0; `index` if `dim` is out of range.
   *
   * Gradient: shared evenly among equal extremes.
   * @param dim default null
   * @param keepdim default false
   */
  aminmax(options?: { dim?: number | null; keepdim?: boolean }): [Tensor, Tensor] & { min: Tensor; max: Tensor };
  aminmax(...args: unknown[]): unknown { return callAny(209, 'aminmax|dim keepdim', ['min', 'max'], this, args) as never; }

  /**
   * The number of nonzero elements over dimensions `dim`, or over all dimensions. int32 (PyTorch:
   * int64).
   *
   * Shapes: `self: [*, n, *]`, `result: [*, *]` without the dimensions of `dim`.
   *
   * Errors: `index` if `dim` is out of range; `argument` if a dimension appears twice.
   * @param dim default null
   */
  countNonzero(dim?: number | readonly number[] | null): Tensor;
  countNonzero(options?: { dim?: number | readonly number[] | null }): Tensor;
  countNonzero(...args: unknown[]): Tensor { return call(210, 'countNonzero dim', this, args); }

  /**
   * Whether any element over dimensions `dim`, or over all dimensions, is nonzero; false for an
   * empty dimension. The result is bool, or uint8 for uint8.
   *
   * Shapes and errors: as of [`sum`](Tensor::sum).
   * @param dim default null
   * @param keepdim default false
   */
  any(dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
  any(options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
  any(...args: unknown[]): Tensor { return call(211, 'any dim keepdim', this, args); }

  /**
   * Whether all elements over dimensions `dim`, or over all dimensions, are nonzero; true for an
   * empty dimension. The result is bool, or uint8 for uint8.
   *
   * Shapes and errors: as of [`sum`](Tensor::sum).
   * @param dim default null
   * @param keepdim default false
   */
  all(dim?: number | readonly number[] | null, keepdim?: boolean): Tensor;
  all(options?: { dim?: number | readonly number[] | null; keepdim?: boolean }): Tensor;
  all(...args: unknown[]): Tensor { return call(212, 'all dim keepdim', this, args); }

  /**
   * The largest integer that is not above the element.
   */
  floor(): Tensor;
  floor(...args: unknown[]): Tensor { return call(213, 'floor', this, args); }
  /** The in-place form of `floor`: this tensor takes the result, and is returned. */
  floor_(): this;
  floor_(...args: unknown[]): this { return callInPlace(213, 'floor_', this, args); }

  /**
   * The smallest integer that is not below the element.
   */
  ceil(): Tensor;
  ceil(...args: unknown[]): Tensor { return call(214, 'ceil', this, args); }
  /** The in-place form of `ceil`: this tensor takes the result, and is returned. */
  ceil_(): this;
  ceil_(...args: unknown[]): this { return callInPlace(214, 'ceil_', this, args); }

  /**
   * The nearest integer, or the nearest multiple of `10^-decimals`; ties go to the even neighbour.
   *
   * Errors: `dtype` if `decimals` is not 0 and `self` is not floating point.
   * @param decimals default 0
   */
  round(options?: { decimals?: number }): Tensor;
  round(...args: unknown[]): Tensor { return call(215, 'round|decimals', this, args); }
  /** The in-place form of `round`: this tensor takes the result, and is returned. */
  round_(options?: { decimals?: number }): this;
  round_(...args: unknown[]): this { return callInPlace(215, 'round_|decimals', this, args); }

  /**
   * The element rounded towards 0.
   */
  trunc(): Tensor;
  trunc(...args: unknown[]): Tensor { return call(216, 'trunc', this, args); }
  /** The in-place form of `trunc`: this tensor takes the result, and is returned. */
  trunc_(): this;
  trunc_(...args: unknown[]): this { return callInPlace(216, 'trunc_', this, args); }

  /** Another name of `trunc`. */
  fix(): Tensor;
  fix(...args: unknown[]): Tensor { return call(216, 'fix', this, args); }
  /** The in-place form of `fix`: this tensor takes the result, and is returned. */
  fix_(): this;
  fix_(...args: unknown[]): this { return callInPlace(216, 'fix_', this, args); }

  /**
   * The cumulative sum along `dim`: `result[j]` is the sum of the elements up to and including `j`.
   *
   * Shapes: the result has the shape of `self`. Without `dtype`, bool, uint8 and int32 give int32
   * (PyTorch: int64); half types are accumulated in float32.
   *
   * Errors: `index` if `dim` is out of range.
   * @param dtype default null
   */
  cumsum<D extends DType = DType>(dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
  cumsum(...args: unknown[]): Tensor { return call(217, 'cumsum dim|dtype', this, args); }
  /** The in-place form of `cumsum`: this tensor takes the result, and is returned. */
  cumsum_(dim: number, options?: { dtype?: DType | null }): this;
  cumsum_(...args: unknown[]): this { return callInPlace(217, 'cumsum_ dim|dtype', this, args); }

  /**
   * The cumulative product along `dim`: `result[j]` is the product of the elements up to and
   * including `j`.
   *
   * Shapes: the result has the shape of `self`. Without `dtype`, bool, uint8 and int32 give int32
   * (PyTorch: int64); half types are accumulated in float32.
   *
   * Errors: `index` if `dim` is out of range.
   * @param dtype default null
   */
  cumprod<D extends DType = DType>(dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
  cumprod(...args: unknown[]): Tensor { return call(218, 'cumprod dim|dtype', this, args); }
  /** The in-place form of `cumprod`: this tensor takes the result, and is returned. */
  cumprod_(dim: number, options?: { dtype?: DType | null }): this;
  cumprod_(...args: unknown[]): this { return callInPlace(218, 'cumprod_ dim|dtype', this, args); }

  /**
   * The cumulative maximum along `dim` and its index, the last one of equal values; NaN from the
   * first NaN on. The indices are int32 (PyTorch: int64).
   *
   * Shapes: both results have the shape of `self`.
   *
   * Errors: `index` if `dim` is out of range.
   *
   * Gradient: to the element at the index alone.
   */
  cummax(dim: number): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  cummax(...args: unknown[]): unknown { return callAny(219, 'cummax dim', ['values', 'indices'], this, args) as never; }

  /**
   * The cumulative minimum along `dim` and its index, the last one of equal values; NaN from the
   * first NaN on. The indices are int32 (PyTorch: int64).
   *
   * Shapes, errors and gradient: as of [`cummax`](Tensor::cummax).
   */
  cummin(dim: number): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  cummin(...args: unknown[]): unknown { return callAny(220, 'cummin dim', ['values', 'indices'], this, args) as never; }

  /**
   * The logarithm of the cumulative sum of exponentials along `dim`: `result[j]` is `log` of the sum
   * of `exp(self[i])` for `i` up to and including `j`.
   *
   * Shapes: the result has the shape of `self`. Integers become float32.
   *
   * Errors: `index` if `dim` is out of range.
   *
   * The cumulative maximum is subtracted before the exponential, so that nothing overflows. The sum
   * is a linear recurrence whose factor rescales the previous sum when the maximum grows.
   */
  logcumsumexp(dim: number): Tensor;
  logcumsumexp(...args: unknown[]): Tensor { return call(221, 'logcumsumexp dim', this, args); }

  /**
   * `self` with the elements of `src` reduced into it at the positions that `index` holds along
   * `dim`: `src[i][j]` goes to `[index[i][j]][j]` for `dim` 0 of a matrix.
   *
   * Shapes: as of [`scatter_add`](Tensor::scatter_add). `reduce` is `"sum"`, `"prod"`, `"mean"`,
   * `"amax"` or `"amin"`. Without `include_self` the elements of `self` at those positions take no
   * part; elsewhere they stay.
   *
   * Errors: `argument` if `reduce` is another string; `shape` if `index` does not fit `self` or
   * `src`; `dtype` if `self` and `src` differ in type or `index` is not an integer tensor; `index`
   * if `dim` is out of range, or when the result is read if an element of `index` is out of range.
   *
   * Gradient: shared evenly among the elements that equal an extreme; of a product it is correct
   * beside zeros.
   * @param includeSelf default true
   */
  scatterReduce(dim: number, index: TensorLike, src: TensorLike, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', options?: { includeSelf?: boolean }): Tensor;
  scatterReduce(...args: unknown[]): Tensor { return call(222, 'scatterReduce dim ^index ^src reduce|includeSelf', this, args); }
  /** The in-place form of `scatterReduce`: this tensor takes the result, and is returned. */
  scatterReduce_(dim: number, index: TensorLike, src: TensorLike, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', options?: { includeSelf?: boolean }): this;
  scatterReduce_(...args: unknown[]): this { return callInPlace(222, 'scatterReduce_ dim ^index ^src reduce|includeSelf', this, args); }

  /**
   * `self` with the slices of `source` along `dim` reduced into those slices that a vector of
   * indices selects.
   *
   * Shapes: `self: [*, n, *]`, `index: [k]`, `source: [*, k, *]`; the result has the shape of
   * `self`. `reduce` is `"prod"`, `"mean"`, `"amax"` or `"amin"`, and `include_self` is as of
   * [`scatter_reduce`](Tensor::scatter_reduce).
   *
   * Errors: `argument` if `reduce` is another string; `shape` if `index` or `source` does not fit;
   * `dtype` if `self` and `source` differ in type or `index` is not an integer tensor; `index` if
   * `dim` is out of range, or when the result is read if an element of `index` is out of range.
   * @param includeSelf default true
   */
  indexReduce(dim: number, index: TensorLike, source: TensorLike, reduce: 'prod' | 'mean' | 'amax' | 'amin', options?: { includeSelf?: boolean }): Tensor;
  indexReduce(...args: unknown[]): Tensor { return call(223, 'indexReduce dim ^index ^source reduce|includeSelf', this, args); }
  /** The in-place form of `indexReduce`: this tensor takes the result, and is returned. */
  indexReduce_(dim: number, index: TensorLike, source: TensorLike, reduce: 'prod' | 'mean' | 'amax' | 'amin', options?: { includeSelf?: boolean }): this;
  indexReduce_(...args: unknown[]): this { return callInPlace(223, 'indexReduce_ dim ^index ^source reduce|includeSelf', this, args); }

  /**
   * `self` with `alpha` times the slices of `source` along `dim` added to those slices that a vector
   * of indices selects.
   *
   * Shapes: `self: [*, n, *]`, `index: [k]`, `source: [*, k, *]`; the result has the shape of
   * `self`.
   *
   * Errors: `shape` if `index` or `source` does not fit; `dtype` if `self` and `source` differ in
   * type or `index` is not an integer tensor; `index` if `dim` is out of range, or when the result
   * is read if an element of `index` is out of range.
   * @param alpha default 1
   */
  indexAdd(dim: number, index: TensorLike, source: TensorLike, options?: { alpha?: Scalar }): Tensor;
  indexAdd(...args: unknown[]): Tensor { return call(224, 'indexAdd dim ^index ^source|alpha', this, args); }
  /** The in-place form of `indexAdd`: this tensor takes the result, and is returned. */
  indexAdd_(dim: number, index: TensorLike, source: TensorLike, options?: { alpha?: Scalar }): this;
  indexAdd_(...args: unknown[]): this { return callInPlace(224, 'indexAdd_ dim ^index ^source|alpha', this, args); }

  /**
   * `self` with the slices of `source` along `dim` copied to those slices that a vector of indices
   * selects. Of several copies to one slice the last one remains.
   *
   * Shapes and errors: as of [`index_add`](Tensor::index_add).
   */
  indexCopy(dim: number, index: TensorLike, source: TensorLike): Tensor;
  indexCopy(...args: unknown[]): Tensor { return call(225, 'indexCopy dim ^index ^source', this, args); }
  /** The in-place form of `indexCopy`: this tensor takes the result, and is returned. */
  indexCopy_(dim: number, index: TensorLike, source: TensorLike): this;
  indexCopy_(...args: unknown[]): this { return callInPlace(225, 'indexCopy_ dim ^index ^source', this, args); }

  /**
   * The elements in ascending or, with `descending`, descending order along `dim`, and their indices
   * in `self`, int32 (PyTorch: int64).
   *
   * Shapes: both results have the shape of `self`. The sort is stable, and NaN is larger than every
   * other element.
   *
   * Errors: `index` if `dim` is out of range.
   * @param dim default -1
   * @param descending default false
   */
  sort(dim?: number, descending?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  sort(options?: { dim?: number; descending?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  /**
   * [`sort`](Tensor::sort) with PyTorch's argument `stable`, which has no effect: the sort is always
   * stable.
   * @param dim default -1
   * @param descending default false
   * @param stable default null
   */
  sort(dim?: number, descending?: boolean, options?: { stable?: boolean | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  sort(options?: { dim?: number; descending?: boolean; stable?: boolean | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  sort(...args: unknown[]): unknown { return callOverload(226, 'sort;values,indices;values,indices', this, args) as never; }

  /**
   * The indices that sort `self` along `dim`: the second result of [`sort`](Tensor::sort), int32
   * (PyTorch: int64).
   *
   * Errors: `index` if `dim` is out of range.
   * @param dim default -1
   * @param descending default false
   */
  argsort(dim?: number, descending?: boolean): Tensor;
  argsort(options?: { dim?: number; descending?: boolean }): Tensor;
  /**
   * [`argsort`](Tensor::argsort) with PyTorch's argument `stable`, which has no effect: the sort is
   * always stable.
   * @param dim default -1
   * @param descending default false
   * @param stable default true
   */
  argsort(dim?: number, descending?: boolean, options?: { stable?: boolean }): Tensor;
  argsort(options?: { dim?: number; descending?: boolean; stable?: boolean }): Tensor;
  argsort(...args: unknown[]): unknown { return callOverload(228, 'argsort;;', this, args) as never; }

  /**
   * The complementary error function, `1 - erf(self)`, to full relative precision where it is small.
   */
  erfc(): Tensor;
  erfc(...args: unknown[]): Tensor { return call(230, 'erfc', this, args); }
  /** The in-place form of `erfc`: this tensor takes the result, and is returned. */
  erfc_(): this;
  erfc_(...args: unknown[]): this { return callInPlace(230, 'erfc_', this, args); }

  /**
   * The inverse of the error function; infinite at -1 and 1, NaN beyond them.
   */
  erfinv(): Tensor;
  erfinv(...args: unknown[]): Tensor { return call(232, 'erfinv', this, args); }
  /** The in-place form of `erfinv`: this tensor takes the result, and is returned. */
  erfinv_(): this;
  erfinv_(...args: unknown[]): this { return callInPlace(232, 'erfinv_', this, args); }

  /**
   * The logarithm of the absolute value of the gamma function.
   */
  lgamma(): Tensor;
  lgamma(...args: unknown[]): Tensor { return call(235, 'lgamma', this, args); }
  /** The in-place form of `lgamma`: this tensor takes the result, and is returned. */
  lgamma_(): this;
  lgamma_(...args: unknown[]): this { return callInPlace(235, 'lgamma_', this, args); }

  /**
   * The digamma function: the derivative of the logarithm of the gamma function.
   */
  digamma(): Tensor;
  digamma(...args: unknown[]): Tensor { return call(236, 'digamma', this, args); }
  /** The in-place form of `digamma`: this tensor takes the result, and is returned. */
  digamma_(): this;
  digamma_(...args: unknown[]): this { return callInPlace(236, 'digamma_', this, args); }

  /**
   * The regularized lower incomplete gamma function of shape `self` at `other`, broadcast.
   *
   * Errors: `dtype` if neither tensor is floating point.
   *
   * Gradient: with respect to `other` only, as in PyTorch.
   *
   * Source: DLMF 8.2.4.
   */
  igamma(other: TensorLike): Tensor;
  igamma(...args: unknown[]): Tensor { return call(238, 'igamma ^other', this, args); }
  /** The in-place form of `igamma`: this tensor takes the result, and is returned. */
  igamma_(other: TensorLike): this;
  igamma_(...args: unknown[]): this { return callInPlace(238, 'igamma_ ^other', this, args); }

  /**
   * The regularized upper incomplete gamma function: 1 minus
   * [`igamma`](Tensor::igamma).
   *
   * Errors: `dtype` if neither tensor is floating point.
   *
   * Gradient: with respect to `other` only, as in PyTorch.
   *
   * Source: DLMF 8.2.4.
   */
  igammac(other: TensorLike): Tensor;
  igammac(...args: unknown[]): Tensor { return call(239, 'igammac ^other', this, args); }
  /** The in-place form of `igammac`: this tensor takes the result, and is returned. */
  igammac_(other: TensorLike): this;
  igammac_(...args: unknown[]): this { return callInPlace(239, 'igammac_ ^other', this, args); }

  /**
   * The modified Bessel function of the first kind of order 0.
   */
  i0(): Tensor;
  i0(...args: unknown[]): Tensor { return call(240, 'i0', this, args); }
  /** The in-place form of `i0`: this tensor takes the result, and is returned. */
  i0_(): this;
  i0_(...args: unknown[]): this { return callInPlace(240, 'i0_', this, args); }

  /**
   * `self * log(other)`, broadcast; 0 where `self` is 0 and `other` is not NaN.
   */
  xlogy(other: TensorLike | Scalar): Tensor;
  xlogy(...args: unknown[]): Tensor { return call(245, 'xlogy ^other', this, args); }
  /** The in-place form of `xlogy`: this tensor takes the result, and is returned. */
  xlogy_(other: TensorLike | Scalar): this;
  xlogy_(...args: unknown[]): this { return callInPlace(245, 'xlogy_ ^other', this, args); }

  /**
   * The inverse of the logistic function, `log(self / (1 - self))`. With `eps`, `self` is first
   * limited to the range from `eps` to `1 - eps`.
   * @param eps default null
   */
  logit(eps?: number | null): Tensor;
  logit(options?: { eps?: number | null }): Tensor;
  logit(...args: unknown[]): Tensor { return call(247, 'logit eps', this, args); }
  /** The in-place form of `logit`: this tensor takes the result, and is returned. */
  logit_(eps?: number | null): this;
  logit_(options?: { eps?: number | null }): this;
  logit_(...args: unknown[]): this { return callInPlace(247, 'logit_ eps', this, args); }

  /**
   * `log(exp(self) + exp(other))`, broadcast and computed without overflow.
   *
   * Errors: `dtype` if neither tensor is floating point.
   */
  logaddexp(other: TensorLike): Tensor;
  logaddexp(...args: unknown[]): Tensor { return call(248, 'logaddexp ^other', this, args); }

  /**
   * `log2(2^self + 2^other)`, broadcast and computed without overflow.
   *
   * Errors: `dtype` if neither tensor is floating point.
   */
  logaddexp2(other: TensorLike): Tensor;
  logaddexp2(...args: unknown[]): Tensor { return call(249, 'logaddexp2 ^other', this, args); }

  /**
   * A view of the storage of `self` with the given sizes and strides, beginning at `storage_offset`,
   * or at the first element of `self`.
   *
   * Shapes: the result is of shape `size`. Strides and offset count elements. A view in which
   * elements overlap can be read, but not written in place.
   *
   * Errors: `argument` if `size` and `stride` differ in length, or if a stride or the offset is
   * negative; `shape` if the view reaches out of the storage.
   *
   * Gradient: elements that overlap get the sum of their gradients.
   * @param storageOffset default null
   */
  asStrided(size: number | readonly number[], stride: number | readonly number[], storageOffset?: number | null): Tensor;
  asStrided(size: number | readonly number[], stride: number | readonly number[], options?: { storageOffset?: number | null }): Tensor;
  asStrided(...args: unknown[]): Tensor { return call(250, 'asStrided size stride storageOffset', this, args); }
  /** The in-place form of `asStrided`: this tensor becomes that view, and is returned. */
  asStrided_(size: number | readonly number[], stride: number | readonly number[], storageOffset?: number | null): this;
  asStrided_(size: number | readonly number[], stride: number | readonly number[], options?: { storageOffset?: number | null }): this;
  asStrided_(...args: unknown[]): this { return callInPlace(250, 'asStrided_ size stride storageOffset', this, args); }

  /**
   * The matrices with 0 above a diagonal. `diagonal` counts upwards from the main diagonal.
   *
   * Shapes: `self: [*, n, m]`; the result has the shape of `self`.
   *
   * Errors: `shape` if `self` has fewer than two dimensions.
   * @param diagonal default 0
   */
  tril(diagonal?: number): Tensor;
  tril(options?: { diagonal?: number }): Tensor;
  tril(...args: unknown[]): Tensor { return call(251, 'tril diagonal', this, args); }
  /** The in-place form of `tril`: this tensor takes the result, and is returned. */
  tril_(diagonal?: number): this;
  tril_(options?: { diagonal?: number }): this;
  tril_(...args: unknown[]): this { return callInPlace(251, 'tril_ diagonal', this, args); }

  /**
   * The matrices with 0 below a diagonal. `diagonal` counts upwards from the main diagonal.
   *
   * Shapes and errors: as of [`tril`](Tensor::tril).
   * @param diagonal default 0
   */
  triu(diagonal?: number): Tensor;
  triu(options?: { diagonal?: number }): Tensor;
  triu(...args: unknown[]): Tensor { return call(252, 'triu diagonal', this, args); }
  /** The in-place form of `triu`: this tensor takes the result, and is returned. */
  triu_(diagonal?: number): this;
  triu_(options?: { diagonal?: number }): this;
  triu_(...args: unknown[]): this { return callInPlace(252, 'triu_ diagonal', this, args); }

  /**
   * The tangent.
   */
  tan(): Tensor;
  tan(...args: unknown[]): Tensor { return call(255, 'tan', this, args); }
  /** The in-place form of `tan`: this tensor takes the result, and is returned. */
  tan_(): this;
  tan_(...args: unknown[]): this { return callInPlace(255, 'tan_', this, args); }

  /**
   * The arc sine; NaN outside of [-1, 1].
   */
  asin(): Tensor;
  asin(...args: unknown[]): Tensor { return call(256, 'asin', this, args); }
  /** The in-place form of `asin`: this tensor takes the result, and is returned. */
  asin_(): this;
  asin_(...args: unknown[]): this { return callInPlace(256, 'asin_', this, args); }

  /** Another name of `asin`. */
  arcsin(): Tensor;
  arcsin(...args: unknown[]): Tensor { return call(256, 'arcsin', this, args); }
  /** The in-place form of `arcsin`: this tensor takes the result, and is returned. */
  arcsin_(): this;
  arcsin_(...args: unknown[]): this { return callInPlace(256, 'arcsin_', this, args); }

  /**
   * The arc cosine; NaN outside of [-1, 1].
   */
  acos(): Tensor;
  acos(...args: unknown[]): Tensor { return call(257, 'acos', this, args); }
  /** The in-place form of `acos`: this tensor takes the result, and is returned. */
  acos_(): this;
  acos_(...args: unknown[]): this { return callInPlace(257, 'acos_', this, args); }

  /** Another name of `acos`. */
  arccos(): Tensor;
  arccos(...args: unknown[]): Tensor { return call(257, 'arccos', this, args); }
  /** The in-place form of `arccos`: this tensor takes the result, and is returned. */
  arccos_(): this;
  arccos_(...args: unknown[]): this { return callInPlace(257, 'arccos_', this, args); }

  /**
   * The arc tangent.
   */
  atan(): Tensor;
  atan(...args: unknown[]): Tensor { return call(258, 'atan', this, args); }
  /** The in-place form of `atan`: this tensor takes the result, and is returned. */
  atan_(): this;
  atan_(...args: unknown[]): this { return callInPlace(258, 'atan_', this, args); }

  /** Another name of `atan`. */
  arctan(): Tensor;
  arctan(...args: unknown[]): Tensor { return call(258, 'arctan', this, args); }
  /** The in-place form of `arctan`: this tensor takes the result, and is returned. */
  arctan_(): this;
  arctan_(...args: unknown[]): this { return callInPlace(258, 'arctan_', this, args); }

  /**
   * The angle, from -pi to pi, of the point with ordinate `self` and abscissa `other`, broadcast.
   */
  atan2(other: TensorLike): Tensor;
  atan2(...args: unknown[]): Tensor { return call(259, 'atan2 ^other', this, args); }
  /** The in-place form of `atan2`: this tensor takes the result, and is returned. */
  atan2_(other: TensorLike): this;
  atan2_(...args: unknown[]): this { return callInPlace(259, 'atan2_ ^other', this, args); }

  /** Another name of `atan2`. */
  arctan2(other: TensorLike): Tensor;
  arctan2(...args: unknown[]): Tensor { return call(259, 'arctan2 ^other', this, args); }
  /** The in-place form of `arctan2`: this tensor takes the result, and is returned. */
  arctan2_(other: TensorLike): this;
  arctan2_(...args: unknown[]): this { return callInPlace(259, 'arctan2_ ^other', this, args); }

  /**
   * `sqrt(self^2 + other^2)`, broadcast and computed without overflow of the squares.
   *
   * Errors: `dtype` if neither tensor is floating point.
   */
  hypot(other: TensorLike): Tensor;
  hypot(...args: unknown[]): Tensor { return call(260, 'hypot ^other', this, args); }
  /** The in-place form of `hypot`: this tensor takes the result, and is returned. */
  hypot_(other: TensorLike): this;
  hypot_(...args: unknown[]): this { return callInPlace(260, 'hypot_ ^other', this, args); }

  /**
   * The hyperbolic sine.
   */
  sinh(): Tensor;
  sinh(...args: unknown[]): Tensor { return call(261, 'sinh', this, args); }
  /** The in-place form of `sinh`: this tensor takes the result, and is returned. */
  sinh_(): this;
  sinh_(...args: unknown[]): this { return callInPlace(261, 'sinh_', this, args); }

  /**
   * The hyperbolic cosine.
   */
  cosh(): Tensor;
  cosh(...args: unknown[]): Tensor { return call(262, 'cosh', this, args); }
  /** The in-place form of `cosh`: this tensor takes the result, and is returned. */
  cosh_(): this;
  cosh_(...args: unknown[]): this { return callInPlace(262, 'cosh_', this, args); }

  /**
   * The inverse hyperbolic sine.
   */
  asinh(): Tensor;
  asinh(...args: unknown[]): Tensor { return call(263, 'asinh', this, args); }
  /** The in-place form of `asinh`: this tensor takes the result, and is returned. */
  asinh_(): this;
  asinh_(...args: unknown[]): this { return callInPlace(263, 'asinh_', this, args); }

  /** Another name of `asinh`. */
  arcsinh(): Tensor;
  arcsinh(...args: unknown[]): Tensor { return call(263, 'arcsinh', this, args); }
  /** The in-place form of `arcsinh`: this tensor takes the result, and is returned. */
  arcsinh_(): this;
  arcsinh_(...args: unknown[]): this { return callInPlace(263, 'arcsinh_', this, args); }

  /**
   * The inverse hyperbolic cosine; NaN below 1.
   */
  acosh(): Tensor;
  acosh(...args: unknown[]): Tensor { return call(264, 'acosh', this, args); }
  /** The in-place form of `acosh`: this tensor takes the result, and is returned. */
  acosh_(): this;
  acosh_(...args: unknown[]): this { return callInPlace(264, 'acosh_', this, args); }

  /** Another name of `acosh`. */
  arccosh(): Tensor;
  arccosh(...args: unknown[]): Tensor { return call(264, 'arccosh', this, args); }
  /** The in-place form of `arccosh`: this tensor takes the result, and is returned. */
  arccosh_(): this;
  arccosh_(...args: unknown[]): this { return callInPlace(264, 'arccosh_', this, args); }

  /**
   * The inverse hyperbolic tangent; NaN outside of [-1, 1].
   */
  atanh(): Tensor;
  atanh(...args: unknown[]): Tensor { return call(265, 'atanh', this, args); }
  /** The in-place form of `atanh`: this tensor takes the result, and is returned. */
  atanh_(): this;
  atanh_(...args: unknown[]): this { return callInPlace(265, 'atanh_', this, args); }

  /** Another name of `atanh`. */
  arctanh(): Tensor;
  arctanh(...args: unknown[]): Tensor { return call(265, 'arctanh', this, args); }
  /** The in-place form of `arctanh`: this tensor takes the result, and is returned. */
  arctanh_(): this;
  arctanh_(...args: unknown[]): this { return callInPlace(265, 'arctanh_', this, args); }

  /**
   * The normalized sinc function, `sin(pi * self) / (pi * self)`, and 1 at 0.
   */
  sinc(): Tensor;
  sinc(...args: unknown[]): Tensor { return call(266, 'sinc', this, args); }
  /** The in-place form of `sinc`: this tensor takes the result, and is returned. */
  sinc_(): this;
  sinc_(...args: unknown[]): this { return callInPlace(266, 'sinc_', this, args); }

  /**
   * Degrees converted to radians.
   */
  deg2rad(): Tensor;
  deg2rad(...args: unknown[]): Tensor { return call(267, 'deg2rad', this, args); }
  /** The in-place form of `deg2rad`: this tensor takes the result, and is returned. */
  deg2rad_(): this;
  deg2rad_(...args: unknown[]): this { return callInPlace(267, 'deg2rad_', this, args); }

  /**
   * Radians converted to degrees.
   */
  rad2deg(): Tensor;
  rad2deg(...args: unknown[]): Tensor { return call(268, 'rad2deg', this, args); }
  /** The in-place form of `rad2deg`: this tensor takes the result, and is returned. */
  rad2deg_(): this;
  rad2deg_(...args: unknown[]): this { return callInPlace(268, 'rad2deg_', this, args); }

  /**
   * The sliding windows of an image as columns, as `torch.nn.functional.unfold`.
   *
   * Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C * KH * KW, L]` or `[C * KH * KW, L]`
   * with `L = H_out * W_out` windows,
   * `H_out = floor((H + 2 padding - dilation (KH - 1) - 1) / stride) + 1`, and `W_out` likewise.
   * `kernel_size`, `dilation`, `padding` and `stride` are one number, or one a dimension. The
   * product of a convolution's weight, as a matrix, with the columns is the convolution.
   *
   * Errors: `shape` if `self` does not have three or four dimensions or is smaller than the window;
   * `argument` if an argument has another number of elements, or one that is too small: `padding`
   * below 0, the others below 1.
   * @param dilation default 1
   * @param padding default 0
   * @param stride default 1
   */
  im2col(kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
  im2col(kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  im2col(...args: unknown[]): Tensor { return call(269, 'im2col kernelSize dilation padding stride', this, args); }

  /**
   * The columns of [`im2col`](Tensor::im2col) added up at their positions in an image, as
   * `torch.nn.functional.fold`.
   *
   * Shapes: `self: [N, C * KH * KW, L]` or `[C * KH * KW, L]`, `result: [N, C, H, W]` or `[C, H, W]`
   * with `output_size` `[H, W]`; `L` is the number of windows, as of [`im2col`](Tensor::im2col).
   *
   * Errors: `shape` if the sizes of `self` do not fit the windows, or `output_size` is smaller than
   * the window; `argument` if an argument has another number of elements than one or two, or one
   * that is too small.
   * @param dilation default 1
   * @param padding default 0
   * @param stride default 1
   */
  col2im(outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
  col2im(outputSize: number | readonly number[], kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  col2im(...args: unknown[]): Tensor { return call(270, 'col2im outputSize kernelSize dilation padding stride', this, args); }

  /** Another name of `col2im`. */
  fold(outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
  fold(outputSize: number | readonly number[], kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  fold(...args: unknown[]): Tensor { return call(270, 'fold outputSize kernelSize dilation padding stride', this, args); }

  /**
   * The windows of `size` elements that begin at every `step`-th element of dimension `dimension`,
   * as a view. The elements of a window are the last dimension.
   *
   * Shapes: `self: [*, n, *]`, `result: [*, k, *, size]` with `k = floor((n - size) / step) + 1`.
   *
   * Errors: `index` if `dimension` is out of range; `argument` if `size` is negative or larger than
   * the dimension, or `step` is not positive.
   *
   * Gradient: elements in several windows get the sum of their gradients.
   */
  unfold(dimension: number, size: number, step: number): Tensor;
  unfold(...args: unknown[]): Tensor { return call(271, 'unfold dimension size step', this, args); }

  /**
   * The elements in row-major order with another shape. One size may be -1 and is inferred. A view
   * if the strides allow it, else a copy.
   *
   * Shapes: the result is of shape `shape`, which has as many elements as `self`.
   *
   * Errors: `shape` if the number of elements differs, or a size cannot be inferred.
   */
  reshape(shape: number | readonly number[]): Tensor;
  reshape(...shape: number[]): Tensor;
  reshape(...args: unknown[]): Tensor { return call(272, 'reshape *shape', this, args); }

  /**
   * A view with another shape. One size may be -1 and is inferred.
   *
   * Shapes: the result is of shape `size`, which has as many elements as `self`.
   *
   * Errors: `shape` if the number of elements differs, or if the strides do not allow a view, as
   * after a transpose; [`reshape`](Tensor::reshape) then copies.
   */
  view(size: number | readonly number[]): Tensor;
  view(...size: number[]): Tensor;
  view(...args: unknown[]): Tensor { return call(273, 'view *size', this, args); }

  /**
   * A view with the dimensions in another order: dimension `i` of the result is dimension `dims[i]`
   * of `self`.
   *
   * Errors: `index` if a dimension is out of range; `argument` if one appears twice or is missing.
   */
  permute(dims: number | readonly number[]): Tensor;
  permute(...dims: number[]): Tensor;
  permute(...args: unknown[]): Tensor { return call(274, 'permute *dims', this, args); }

  /**
   * A view with dimensions `dim0` and `dim1` exchanged.
   *
   * Errors: `index` if a dimension is out of range.
   */
  transpose(dim0: number, dim1: number): Tensor;
  transpose(...args: unknown[]): Tensor { return call(275, 'transpose dim0 dim1', this, args); }
  /** The in-place form of `transpose`: this tensor becomes that view, and is returned. */
  transpose_(dim0: number, dim1: number): this;
  transpose_(...args: unknown[]): this { return callInPlace(275, 'transpose_ dim0 dim1', this, args); }

  /** Another name of `transpose`. */
  swapaxes(dim0: number, dim1: number): Tensor;
  swapaxes(...args: unknown[]): Tensor { return call(275, 'swapaxes dim0 dim1', this, args); }
  /** The in-place form of `swapaxes`: this tensor becomes that view, and is returned. */
  swapaxes_(dim0: number, dim1: number): this;
  swapaxes_(...args: unknown[]): this { return callInPlace(275, 'swapaxes_ dim0 dim1', this, args); }

  /** Another name of `transpose`. */
  swapdims(dim0: number, dim1: number): Tensor;
  swapdims(...args: unknown[]): Tensor { return call(275, 'swapdims dim0 dim1', this, args); }
  /** The in-place form of `swapdims`: this tensor becomes that view, and is returned. */
  swapdims_(dim0: number, dim1: number): this;
  swapdims_(...args: unknown[]): this { return callInPlace(275, 'swapdims_ dim0 dim1', this, args); }

  /**
   * A view with dimensions of size 1 repeated. New dimensions are prepended, and -1 keeps a size.
   *
   * Shapes: `self: [*]` broadcasts to `size`, the shape of the result.
   *
   * Errors: `shape` if `self` does not broadcast to `size`, or a new dimension has size -1.
   */
  expand(size: number | readonly number[]): Tensor;
  expand(...size: number[]): Tensor;
  expand(...args: unknown[]): Tensor { return call(276, 'expand *size', this, args); }

  /**
   * A view with a new dimension of size 1 at `dim`, which counts from the end of the result if
   * negative.
   *
   * Shapes: `self: [*]`, `result: [*, 1, *]`.
   *
   * Errors: `index` if `dim` is out of range for the result.
   */
  unsqueeze(dim: number): Tensor;
  unsqueeze(...args: unknown[]): Tensor { return call(277, 'unsqueeze dim', this, args); }
  /** The in-place form of `unsqueeze`: this tensor becomes that view, and is returned. */
  unsqueeze_(dim: number): this;
  unsqueeze_(...args: unknown[]): this { return callInPlace(277, 'unsqueeze_ dim', this, args); }

  /**
   * A view without dimensions of size 1: those among `dim`, or all of them. Other dimensions of
   * `dim` stay.
   *
   * Errors: `index` if a dimension is out of range.
   * @param dim default null
   */
  squeeze(dim?: number | readonly number[] | null): Tensor;
  squeeze(options?: { dim?: number | readonly number[] | null }): Tensor;
  squeeze(...args: unknown[]): Tensor { return call(278, 'squeeze dim', this, args); }
  /** The in-place form of `squeeze`: this tensor becomes that view, and is returned. */
  squeeze_(dim?: number | readonly number[] | null): this;
  squeeze_(options?: { dim?: number | readonly number[] | null }): this;
  squeeze_(...args: unknown[]): this { return callInPlace(278, 'squeeze_ dim', this, args); }

  /**
   * A view of the indices `start..end` of dimension `dim` in steps of `step`. Negative bounds count
   * from the end, and both are limited to the size of the dimension.
   *
   * Shapes: `self: [*, n, *]`, `result: [*, ceil((end - start) / step), *]` with the limited bounds,
   * or size 0 if `end` is not above `start`.
   *
   * Errors: `shape` if `self` is 0-d; `argument` if `step` is not positive; `index` if `dim` is out
   * of range.
   * @param dim default 0
   * @param start default null
   * @param end default null
   * @param step default 1
   */
  slice(dim?: number, start?: number | null, end?: number | null, step?: number): Tensor;
  slice(options?: { dim?: number; start?: number | null; end?: number | null; step?: number }): Tensor;
  slice(...args: unknown[]): Tensor { return call(279, 'slice dim start end step', this, args); }

  /**
   * A view of the indices `start..start + length` of dimension `dim`. A negative `start` counts from
   * the end.
   *
   * Shapes: `self: [*, n, *]`, `result: [*, length, *]`.
   *
   * Errors: `index` if `dim` or the indices are out of range, or `self` is 0-d.
   */
  narrow(dim: number, start: number, length: number): Tensor;
  /**
   * [`narrow`](Tensor::narrow) with `start` in a 0-d integer tensor, which is not read on the host.
   * The result is a copy.
   *
   * Errors: `argument` if `start` has dimensions; `dtype` if it is not an integer tensor; `index` if
   * `dim` or `length` is out of range, or when the result is read if `start` is.
   */
  narrow(dim: number, start: TensorLike, length: number): Tensor;
  narrow(...args: unknown[]): unknown { return callOverload(280, 'narrow;;', this, args) as never; }

  /**
   * A view of the elements at `index` of dimension `dim`, without that dimension. A negative `index`
   * counts from the end.
   *
   * Shapes: `self: [*, n, *]`, `result: [*, *]`.
   *
   * Errors: `shape` if `self` is 0-d; `index` if `dim` or `index` is out of range.
   */
  select(dim: number, index: number): Tensor;
  select(...args: unknown[]): Tensor { return call(282, 'select dim index', this, args); }

  /**
   * A copy of `self` with the elements of [`select`](Tensor::select) replaced by `src`.
   *
   * Shapes: `src` has the shape of `self.select(dim, index)`; the result has the shape and type of
   * `self`.
   *
   * Errors: `shape` if `src` has another shape; otherwise as of [`select`](Tensor::select).
   */
  selectScatter(src: TensorLike, dim: number, index: number): Tensor;
  selectScatter(...args: unknown[]): Tensor { return call(283, 'selectScatter ^src dim index', this, args); }

  /**
   * A copy of `self` with the elements of [`slice`](Tensor::slice) replaced by `src`.
   *
   * Shapes: `src` has the shape of the slice; the result has the shape and type of `self`.
   *
   * Errors: `shape` if `src` has another shape; otherwise as of [`slice`](Tensor::slice).
   * @param dim default 0
   * @param start default null
   * @param end default null
   * @param step default 1
   */
  sliceScatter(src: TensorLike, dim?: number, start?: number | null, end?: number | null, step?: number): Tensor;
  sliceScatter(src: TensorLike, options?: { dim?: number; start?: number | null; end?: number | null; step?: number }): Tensor;
  sliceScatter(...args: unknown[]): Tensor { return call(284, 'sliceScatter ^src dim start end step', this, args); }

  /**
   * A copy of `self` with the elements of [`diagonal`](Tensor::diagonal) replaced by `src`.
   *
   * Shapes: `src` has the shape of the diagonal; the result has the shape and type of `self`.
   *
   * Errors: `shape` if `src` has another shape; otherwise as of [`diagonal`](Tensor::diagonal).
   * @param offset default 0
   * @param dim1 default 0
   * @param dim2 default 1
   */
  diagonalScatter(src: TensorLike, offset?: number, dim1?: number, dim2?: number): Tensor;
  diagonalScatter(src: TensorLike, options?: { offset?: number; dim1?: number; dim2?: number }): Tensor;
  diagonalScatter(...args: unknown[]): Tensor { return call(285, 'diagonalScatter ^src offset dim1 dim2', this, args); }

  /**
   * A copy of `self` with the elements of [`as_strided`](Tensor::as_strided) replaced by `src`.
   *
   * Shapes: `src` has the shape `size`; the result has the shape and type of `self`.
   *
   * Errors: `shape` if `src` has another shape; `argument` if elements of the view overlap;
   * otherwise as of [`as_strided`](Tensor::as_strided).
   * @param storageOffset default null
   */
  asStridedScatter(src: TensorLike, size: number | readonly number[], stride: number | readonly number[], storageOffset?: number | null): Tensor;
  asStridedScatter(src: TensorLike, size: number | readonly number[], stride: number | readonly number[], options?: { storageOffset?: number | null }): Tensor;
  asStridedScatter(...args: unknown[]): Tensor { return call(286, 'asStridedScatter ^src size stride storageOffset', this, args); }

  /**
   * Means of `output_size` windows along one dimension, as
   * `torch.nn.functional.adaptive_avg_pool1d`.
   *
   * Shapes: `self: [N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]` with
   * `L_out = output_size`.
   *
   * Windows and errors: as of [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d).
   */
  adaptiveAvgPool1d(outputSize: number | readonly number[]): Tensor;
  adaptiveAvgPool1d(...outputSize: number[]): Tensor;
  adaptiveAvgPool1d(...args: unknown[]): Tensor { return call(287, 'adaptiveAvgPool1d *outputSize', this, args); }

  /**
   * Means of `output_size` windows of an image, as `torch.nn.functional.adaptive_avg_pool2d`.
   *
   * Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or
   * `[C, H_out, W_out]`. `output_size` is one number or one a dimension; `None` keeps the size of
   * the input. Window `o` covers the rows from `floor(o * H / H_out)` up to, but excluding,
   * `ceil((o + 1) * H / H_out)`, and columns likewise.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if it has another number of dimensions,
   * or a spatial size of 0; `argument` if `output_size` has another number of elements, or a
   * negative one.
   */
  adaptiveAvgPool2d(outputSize: number | readonly (number | null)[]): Tensor;
  adaptiveAvgPool2d(...outputSize: number[]): Tensor;
  adaptiveAvgPool2d(...args: unknown[]): Tensor { return call(288, 'adaptiveAvgPool2d *outputSize', this, args); }

  /**
   * Means of `output_size` windows of a volume, as `torch.nn.functional.adaptive_avg_pool3d`.
   *
   * Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
   * without `N`.
   *
   * Windows and errors: as of [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d).
   */
  adaptiveAvgPool3d(outputSize: number | readonly (number | null)[]): Tensor;
  adaptiveAvgPool3d(...outputSize: number[]): Tensor;
  adaptiveAvgPool3d(...args: unknown[]): Tensor { return call(289, 'adaptiveAvgPool3d *outputSize', this, args); }

  /**
   * The largest values of `output_size` windows along one dimension, as
   * `torch.nn.functional.adaptive_max_pool1d`.
   *
   * Shapes: `self: [N, C, L]` or `[C, L]`, `result: [N, C, L_out]` or `[C, L_out]` with
   * `L_out = output_size`.
   *
   * Windows, errors and gradient: as of [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
   */
  adaptiveMaxPool1d(outputSize: number | readonly number[]): Tensor;
  adaptiveMaxPool1d(...outputSize: number[]): Tensor;
  /**
   * [`adaptive_max_pool1d`](Tensor::adaptive_max_pool1d) with the int32 indices of the values along
   * the dimension (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
   *
   * Errors: `argument` if `return_indices` is false; otherwise as of
   * [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
   * @param returnIndices default true
   */
  adaptiveMaxPool1d(outputSize: number | readonly number[], returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  adaptiveMaxPool1d(outputSize: number | readonly number[], options?: { returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  adaptiveMaxPool1d(...args: unknown[]): unknown { return callOverload(290, 'adaptiveMaxPool1d;;values,indices', this, args) as never; }

  /**
   * The largest values of `output_size` windows of an image, as
   * `torch.nn.functional.adaptive_max_pool2d`.
   *
   * Shapes and windows: as of [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d).
   *
   * Errors: `shape` if `self` has another number of dimensions, or a spatial size of 0; `argument`
   * if `output_size` has another number of elements, or a negative one.
   *
   * Gradient: to the first largest element of each window.
   */
  adaptiveMaxPool2d(outputSize: number | readonly (number | null)[]): Tensor;
  adaptiveMaxPool2d(...outputSize: number[]): Tensor;
  /**
   * [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d) with the int32 indices of the values in the
   * flattened image (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
   *
   * Errors: `argument` if `return_indices` is false; otherwise as of
   * [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
   * @param returnIndices default true
   */
  adaptiveMaxPool2d(outputSize: number | readonly (number | null)[], returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  adaptiveMaxPool2d(outputSize: number | readonly (number | null)[], options?: { returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  adaptiveMaxPool2d(...args: unknown[]): unknown { return callOverload(291, 'adaptiveMaxPool2d;;values,indices', this, args) as never; }

  /**
   * The largest values of `output_size` windows of a volume, as
   * `torch.nn.functional.adaptive_max_pool3d`.
   *
   * Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
   * without `N`.
   *
   * Windows, errors and gradient: as of [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
   */
  adaptiveMaxPool3d(outputSize: number | readonly (number | null)[]): Tensor;
  adaptiveMaxPool3d(...outputSize: number[]): Tensor;
  /**
   * [`adaptive_max_pool3d`](Tensor::adaptive_max_pool3d) with the int32 indices of the values in the
   * flattened volume (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one shape.
   *
   * Errors: `argument` if `return_indices` is false; otherwise as of
   * [`adaptive_max_pool2d`](Tensor::adaptive_max_pool2d).
   * @param returnIndices default true
   */
  adaptiveMaxPool3d(outputSize: number | readonly (number | null)[], returnIndices?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  adaptiveMaxPool3d(outputSize: number | readonly (number | null)[], options?: { returnIndices?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  adaptiveMaxPool3d(...args: unknown[]): unknown { return callOverload(292, 'adaptiveMaxPool3d;;values,indices', this, args) as never; }

  /**
   * `min(max(self, min), max)`; either limit may be `None`. NaN stays NaN.
   *
   * The gradient passes where `self` lies between the limits, and not where it equals one or is NaN.
   *
   * Errors: `argument` if neither limit is given.
   * @param min default null
   * @param max default null
   */
  clamp(min?: Scalar | null, max?: Scalar | null): Tensor;
  clamp(options?: { min?: Scalar | null; max?: Scalar | null }): Tensor;
  /**
   * `min(max(self, min), max)` with limits that broadcast; either may be `None`. NaN stays NaN.
   *
   * Where `self` equals a limit, each gets half of the gradient; NaN keeps its gradient.
   *
   * Errors: `argument` if neither limit is given; `shape` if the shapes do not broadcast.
   * @param min default null
   * @param max default null
   */
  clamp(min?: TensorLike | null, max?: TensorLike | null): Tensor;
  clamp(options?: { min?: TensorLike | null; max?: TensorLike | null }): Tensor;
  clamp(...args: unknown[]): unknown { return callOverload(297, 'clamp;;', this, args) as never; }
  /** The in-place form of `clamp`: this tensor takes the result, and is returned. */
  clamp_(min?: Scalar | null, max?: Scalar | null): this;
  clamp_(options?: { min?: Scalar | null; max?: Scalar | null }): this;
  clamp_(min?: TensorLike | null, max?: TensorLike | null): this;
  clamp_(options?: { min?: TensorLike | null; max?: TensorLike | null }): this;
  clamp_(...args: unknown[]): this { return callOverloadInPlace(297, 'clamp_', this, args); }

  /** Another name of `clamp`. */
  clip(min?: Scalar | null, max?: Scalar | null): Tensor;
  clip(options?: { min?: Scalar | null; max?: Scalar | null }): Tensor;
  /** Another name of `clamp`. */
  clip(min?: TensorLike | null, max?: TensorLike | null): Tensor;
  clip(options?: { min?: TensorLike | null; max?: TensorLike | null }): Tensor;
  clip(...args: unknown[]): unknown { return callOverload(297, 'clip;;', this, args) as never; }
  /** The in-place form of `clip`: this tensor takes the result, and is returned. */
  clip_(min?: Scalar | null, max?: Scalar | null): this;
  clip_(options?: { min?: Scalar | null; max?: Scalar | null }): this;
  clip_(min?: TensorLike | null, max?: TensorLike | null): this;
  clip_(options?: { min?: TensorLike | null; max?: TensorLike | null }): this;
  clip_(...args: unknown[]): this { return callOverloadInPlace(297, 'clip_', this, args); }

  /**
   * A convolution along one dimension, as `torch.nn.functional.conv1d`.
   *
   * Shapes: `self: [N, C_in, L]` or `[C_in, L]`, `weight: [C_out, C_in / groups, K]`,
   * `bias: [C_out]`, `result: [N, C_out, L_out]` or `[C_out, L_out]` with
   * `L_out = floor((L + 2 padding - dilation (K - 1) - 1) / stride) + 1`.
   *
   * Arguments and errors: as of [`conv2d`](Tensor::conv2d).
   * @param bias default null
   * @param stride default 1
   * @param padding default 0
   * @param dilation default 1
   * @param groups default 1
   */
  conv1d(weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number): Tensor;
  conv1d(weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number }): Tensor;
  conv1d(...args: unknown[]): Tensor { return call(299, 'conv1d ^weight ^bias stride padding dilation groups', this, args); }

  /**
   * A convolution of images, that is a cross-correlation, as `torch.nn.functional.conv2d`.
   *
   * Shapes: `self: [N, C_in, H, W]` or `[C_in, H, W]`, `weight: [C_out, C_in / groups, KH, KW]`,
   * `bias: [C_out]`, `result: [N, C_out, H_out, W_out]` or `[C_out, H_out, W_out]` with
   * `H_out = floor((H + 2 padding - dilation (KH - 1) - 1) / stride) + 1`, and `W_out` likewise.
   *
   * `stride`, `padding` and `dilation` are one number, or one a dimension. `padding` may also be
   * `"valid"` (none) or `"same"` (the result has the size of the input). The channels are split into
   * `groups` that are convolved separately.
   *
   * Errors: `shape` if the number of dimensions, the channels or the bias do not fit, or the kernel
   * is larger than the padded input; `dtype` if `self` and `weight` do not have one floating-point
   * type; `argument` if `groups` does not divide `C_out`, a list has another number of elements,
   * `stride` or `dilation` is below 1 or `padding` below 0, or `padding` is `"same"` with a stride
   * above 1.
   * @param bias default null
   * @param stride default 1
   * @param padding default 0
   * @param dilation default 1
   * @param groups default 1
   */
  conv2d(weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number): Tensor;
  conv2d(weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number }): Tensor;
  conv2d(...args: unknown[]): Tensor { return call(300, 'conv2d ^weight ^bias stride padding dilation groups', this, args); }

  /**
   * A convolution of volumes, as `torch.nn.functional.conv3d`.
   *
   * Shapes: `self: [N, C_in, D, H, W]` or `[C_in, D, H, W]`,
   * `weight: [C_out, C_in / groups, KD, KH, KW]`, `bias: [C_out]`,
   * `result: [N, C_out, D_out, H_out, W_out]` or without `N`, with sizes as of
   * [`conv2d`](Tensor::conv2d).
   *
   * Arguments and errors: as of [`conv2d`](Tensor::conv2d).
   * @param bias default null
   * @param stride default 1
   * @param padding default 0
   * @param dilation default 1
   * @param groups default 1
   */
  conv3d(weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number): Tensor;
  conv3d(weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number }): Tensor;
  conv3d(...args: unknown[]): Tensor { return call(301, 'conv3d ^weight ^bias stride padding dilation groups', this, args); }

  /**
   * The transposed convolution along one dimension, as `torch.nn.functional.conv_transpose1d`: the
   * gradient of [`conv1d`](Tensor::conv1d) with respect to its input.
   *
   * Shapes: `self: [N, C_in, L]` or `[C_in, L]`, `weight: [C_in, C_out / groups, K]`,
   * `bias: [C_out]`, `result: [N, C_out, L_out]` or `[C_out, L_out]` with
   * `L_out = (L - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1`.
   *
   * Errors: as of [`conv_transpose2d`](Tensor::conv_transpose2d).
   * @param bias default null
   * @param stride default 1
   * @param padding default 0
   * @param outputPadding default 0
   * @param groups default 1
   * @param dilation default 1
   */
  convTranspose1d(weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, dilation?: number | readonly number[]): Tensor;
  convTranspose1d(weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; dilation?: number | readonly number[] }): Tensor;
  convTranspose1d(...args: unknown[]): Tensor { return call(302, 'convTranspose1d ^weight ^bias stride padding outputPadding groups dilation', this, args); }

  /**
   * The transposed convolution of images, as `torch.nn.functional.conv_transpose2d`: the gradient of
   * [`conv2d`](Tensor::conv2d) with respect to its input.
   *
   * Shapes: `self: [N, C_in, H, W]` or `[C_in, H, W]`, `weight: [C_in, C_out / groups, KH, KW]`,
   * `bias: [C_out]`, `result: [N, C_out, H_out, W_out]` or `[C_out, H_out, W_out]` with
   * `H_out = (H - 1) stride - 2 padding + dilation (KH - 1) + output_padding + 1`, and `W_out`
   * likewise. Several input sizes of a strided convolution give one output size; `output_padding`
   * selects one of them.
   *
   * Errors: `shape` if the number of dimensions, the channels or the bias do not fit, or the result
   * has no elements; `dtype` if `self` and `weight` do not have one floating-point type; `argument`
   * if `groups` does not divide `C_in`, a list has another number of elements, an argument is too
   * small, or `output_padding` is at least both `stride` and `dilation`.
   * @param bias default null
   * @param stride default 1
   * @param padding default 0
   * @param outputPadding default 0
   * @param groups default 1
   * @param dilation default 1
   */
  convTranspose2d(weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, dilation?: number | readonly number[]): Tensor;
  convTranspose2d(weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; dilation?: number | readonly number[] }): Tensor;
  convTranspose2d(...args: unknown[]): Tensor { return call(303, 'convTranspose2d ^weight ^bias stride padding outputPadding groups dilation', this, args); }

  /**
   * The transposed convolution of volumes, as `torch.nn.functional.conv_transpose3d`: the gradient
   * of [`conv3d`](Tensor::conv3d) with respect to its input.
   *
   * Shapes: `self: [N, C_in, D, H, W]` or `[C_in, D, H, W]`,
   * `weight: [C_in, C_out / groups, KD, KH, KW]`, `bias: [C_out]`,
   * `result: [N, C_out, D_out, H_out, W_out]` or without `N`, with sizes as of
   * [`conv_transpose2d`](Tensor::conv_transpose2d).
   *
   * Errors: as of [`conv_transpose2d`](Tensor::conv_transpose2d).
   * @param bias default null
   * @param stride default 1
   * @param padding default 0
   * @param outputPadding default 0
   * @param groups default 1
   * @param dilation default 1
   */
  convTranspose3d(weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, dilation?: number | readonly number[]): Tensor;
  convTranspose3d(weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; dilation?: number | readonly number[] }): Tensor;
  convTranspose3d(...args: unknown[]): Tensor { return call(304, 'convTranspose3d ^weight ^bias stride padding outputPadding groups dilation', this, args); }

  /**
   * The covariance matrix of variables in rows and observations in columns, as `torch.cov`.
   *
   * Shapes: `self: [v, n]`, `result: [v, v]`; a vector is one variable, and its result is a 0-d
   * tensor. `fweights: [n]`, integers, are the numbers of repetitions of the observations, and
   * `aweights: [n]`, floating point, their weights. `correction` is subtracted from the number of
   * observations. Integers become float32.
   *
   * Errors: `shape` if `self` has more than two dimensions, or weights do not fit; `dtype` if `self`
   * is bool, `fweights` is not an integer tensor or `aweights` not floating point; `index` when
   * the result is read if an element of `fweights` is negative.
   * @param correction default 1
   * @param fweights default null
   * @param aweights default null
   */
  cov(options?: { correction?: number; fweights?: TensorLike | null; aweights?: TensorLike | null }): Tensor;
  cov(...args: unknown[]): Tensor { return call(305, 'cov|correction ^fweights ^aweights', this, args); }

  /**
   * The matrix of Pearson's correlation coefficients of variables in rows and observations in
   * columns, as `torch.corrcoef`: covariances divided by both standard deviations.
   *
   * Shapes: `self: [v, n]`, `result: [v, v]`; the result of a vector is a 0-d tensor.
   *
   * Errors: `shape` if `self` has more than two dimensions; `dtype` if it is bool.
   */
  corrcoef(): Tensor;
  corrcoef(...args: unknown[]): Tensor { return call(306, 'corrcoef', this, args); }

  /**
   * The matrix with a vector on its diagonal, or a copy of the diagonal of a matrix. `diagonal`
   * counts columns to the right of the main diagonal.
   *
   * Shapes: `self: [n]` becomes `[n + |diagonal|, n + |diagonal|]`; `self: [n, m]` becomes the
   * vector of its diagonal.
   *
   * Errors: `shape` if `self` is neither a vector nor a matrix.
   * @param diagonal default 0
   */
  diag(diagonal?: number): Tensor;
  diag(options?: { diagonal?: number }): Tensor;
  diag(...args: unknown[]): Tensor { return call(307, 'diag diagonal', this, args); }

  /**
   * The matrix with all elements of `self` in row-major order on its diagonal. `offset` counts
   * columns to the right of the main diagonal.
   *
   * Shapes: `self: [*]` with `n` elements, `result: [n + |offset|, n + |offset|]`.
   * @param offset default 0
   */
  diagflat(offset?: number): Tensor;
  diagflat(options?: { offset?: number }): Tensor;
  diagflat(...args: unknown[]): Tensor { return call(308, 'diagflat offset', this, args); }

  /**
   * The sum of the main diagonal of a matrix.
   *
   * Shapes: `self: [n, m]`, `result: []`. Integers and bools give int32 (PyTorch: int64), as of
   * [`sum`](Tensor::sum).
   *
   * Errors: `shape` if `self` is not a matrix.
   */
  trace(): Tensor;
  trace(...args: unknown[]): Tensor { return call(309, 'trace', this, args); }

  /**
   * A convolution of images whose taps are moved by `offset` and weighed by `mask`, as
   * `torchvision.ops.deform_conv2d`.
   *
   * Shapes: `self: [N, C, H, W]`, `offset: [N, 2 G KH KW, OH, OW]`, `weight: [O, C / groups, KH,
   * KW]`, `bias: [O]`, `mask: [N, G KH KW, OH, OW]`, `result: [N, O, OH, OW]`. `G` groups of
   * channels have offsets of their own: for each tap the distance down and then the one to the
   * right. An element outside of the input is 0, and between elements the input is interpolated
   * bilinearly. `OH` and `OW` are as in [`conv2d`](Tensor::conv2d); `groups` follows from the
   * shapes.
   *
   * Errors: `shape` if the shapes do not fit; `argument` if a stride or a dilation is not positive
   * or a padding is negative; `dtype` if the tensors do not have one floating-point type.
   *
   * Source: Zhu et al., "Deformable ConvNets v2" (2018); without `mask`, Dai et al., "Deformable
   * Convolutional Networks" (2017).
   * @param bias default null
   * @param stride default 1
   * @param padding default 0
   * @param dilation default 1
   * @param mask default null
   */
  deformConv2d(offset: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], mask?: TensorLike | null): Tensor;
  deformConv2d(offset: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; mask?: TensorLike | null }): Tensor;
  deformConv2d(...args: unknown[]): Tensor { return call(311, 'deformConv2d ^offset ^weight ^bias stride padding dilation ^mask', this, args); }

  /**
   * The mean of the input in a grid of bins within each box, as `torchvision.ops.roi_align`.
   *
   * Shapes: `self: [N, C, H, W]`, `boxes: [K, 5]` with the index of the image before `x1, y1, x2,
   * y2`, `output_size` one number or `[PH, PW]`, `result: [K, C, PH, PW]`. The coordinates of boxes
   * are multiplied by `spatial_scale`. In each bin, the input is interpolated bilinearly at
   * `sampling_ratio` points along each dimension, or if that is not positive at as many as a bin has
   * elements, rounded up. With `aligned`, a position is the position of an element's center;
   * without, boxes are half an element lower and to the right, and at least of size 1. `boxes` may
   * have any type, and no gradient passes to them.
   *
   * Errors: `shape` if the shapes do not fit; `argument` if `output_size` is not positive or has
   * another number of elements; `dtype` if the input is not floating point. A box of an image that
   * does not exist has the result 0.
   *
   * Source: He et al., "Mask R-CNN" (2017). Interpolation and means are linear along each dimension,
   * so that they are two products of matrices.
   * @param spatialScale default 1.0
   * @param samplingRatio default -1
   * @param aligned default false
   */
  roiAlign(boxes: TensorLike, outputSize: number | readonly number[], spatialScale?: number, samplingRatio?: number, aligned?: boolean): Tensor;
  roiAlign(boxes: TensorLike, outputSize: number | readonly number[], options?: { spatialScale?: number; samplingRatio?: number; aligned?: boolean }): Tensor;
  roiAlign(...args: unknown[]): Tensor { return call(314, 'roiAlign ^boxes outputSize spatialScale samplingRatio aligned', this, args); }

  /**
   * The `n`-th finite difference along `dim`, of `self` with `prepend` before and `append` after its
   * elements: each element minus the previous one. Of bools: whether they differ.
   *
   * Shapes: `self: [*, m, *]`, `result: [*, m - n, *]` (at least size 0), where `m` includes the
   * elements of `prepend` and `append`.
   *
   * Errors: `shape` if `self` is 0-d, or `prepend` or `append` does not fit; `argument` if `n` is
   * negative; `index` if `dim` is out of range.
   * @param n default 1
   * @param dim default -1
   * @param prepend default null
   * @param append default null
   */
  diff(n?: number, dim?: number, prepend?: TensorLike | null, append?: TensorLike | null): Tensor;
  diff(options?: { n?: number; dim?: number; prepend?: TensorLike | null; append?: TensorLike | null }): Tensor;
  diff(...args: unknown[]): Tensor { return call(315, 'diff n dim ^prepend ^append', this, args); }

  /**
   * The p-norm of `self - other`, broadcast, as a 0-d tensor.
   *
   * Errors: `shape` if the shapes do not broadcast; `dtype` if the difference is not floating point;
   * `argument` if `p` is NaN.
   * @param p default 2
   */
  dist(other: TensorLike, p?: Scalar): Tensor;
  dist(other: TensorLike, options?: { p?: Scalar }): Tensor;
  dist(...args: unknown[]): Tensor { return call(321, 'dist ^other p', this, args); }

  /**
   * `self` with each slice along `dim` whose p-norm exceeds `maxnorm` scaled to that norm.
   *
   * Shapes: the result has the shape of `self`, which has at least two dimensions.
   *
   * Errors: `shape` if `self` has fewer than two dimensions; `dtype` if it is not floating point;
   * `argument` if `p` is not positive or `maxnorm` is negative; `index` if `dim` is out of range.
   */
  renorm(p: Scalar, dim: number, maxnorm: Scalar): Tensor;
  renorm(...args: unknown[]): Tensor { return call(322, 'renorm p dim maxnorm', this, args); }
  /** The in-place form of `renorm`: this tensor takes the result, and is returned. */
  renorm_(p: Scalar, dim: number, maxnorm: Scalar): this;
  renorm_(...args: unknown[]): this { return callInPlace(322, 'renorm_ p dim maxnorm', this, args); }

  /**
   * Dropout, as `torch.nn.functional.dropout`: if `train` is true, each element is set to 0 with
   * probability `p` and otherwise divided by `1 - p`; else `self` itself.
   *
   * Shapes: the result has the shape of `self`. The random numbers come from the generator of the
   * device.
   *
   * Errors: `argument` if `p` is not from 0 to 1; `dtype` if `self` is not floating point.
   *
   * Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
   * (2014).
   * @param p default 0.5
   * @param train default true
   */
  dropout(p?: number, train?: boolean): Tensor;
  dropout(options?: { p?: number; train?: boolean }): Tensor;
  dropout(...args: unknown[]): Tensor { return call(323, 'dropout p train', this, args); }
  /** The in-place form of `dropout`: this tensor takes the result, and is returned. */
  dropout_(p?: number, train?: boolean): this;
  dropout_(options?: { p?: number; train?: boolean }): this;
  dropout_(...args: unknown[]): this { return callInPlace(323, 'dropout_ p train', this, args); }

  /**
   * The product of two tensors summed over dimensions `dims_self` of `self` and `dims_other` of
   * `other`, as `torch.tensordot`.
   *
   * Shapes: the result has the remaining dimensions of `self`, then of `other`: for `[2, 3, 4]` and
   * `[4, 3, 5]` over `[1, 2]` and `[1, 0]` it is `[2, 5]`.
   *
   * Errors: `argument` if the lists differ in length or a dimension appears twice; `index` if a
   * dimension is out of range; `shape` if summed sizes differ and neither is 1; `dtype` if the types
   * differ.
   */
  tensordot(other: TensorLike, dimsSelf: number | readonly number[], dimsOther: number | readonly number[]): Tensor;
  tensordot(other: TensorLike, dimsSelf: number | readonly number[], ...dimsOther: number[]): Tensor;
  /**
   * [`tensordot`](Tensor::tensordot) over the last `dims` dimensions of `self` and the first `dims`
   * of `other`.
   *
   * Errors: `argument` if a tensor has fewer than `dims` dimensions; otherwise as of
   * [`tensordot`](Tensor::tensordot).
   * @param dims default 2
   */
  tensordot(other: TensorLike, dims?: number): Tensor;
  tensordot(other: TensorLike, options?: { dims?: number }): Tensor;
  tensordot(...args: unknown[]): unknown { return callOverload(325, 'tensordot;;', this, args) as never; }

  /**
   * Whether all elements are close, as `torch.allclose`: [`isclose`](Tensor::isclose) of every pair.
   *
   * The tensors broadcast together. The result is read, and awaited.
   *
   * Errors: as of `isclose`; `shape` if the shapes do not broadcast.
   * @param rtol default 1e-5
   * @param atol default 1e-8
   * @param equalNan default false
   */
  allclose(other: TensorLike, rtol?: number, atol?: number, equalNan?: boolean): Promise<boolean>;
  allclose(other: TensorLike, options?: { rtol?: number; atol?: number; equalNan?: boolean }): Promise<boolean>;
  allclose(...args: unknown[]): unknown { return callAny(330, 'allclose ^other rtol atol equalNan', 'boolean', this, args) as never; }

  /**
   * Whether two tensors have one shape and the same elements, as `torch.equal`. NaN differs from
   * itself. The result is read, and awaited.
   *
   * Errors: `dtype` if the types differ.
   */
  equal(other: TensorLike): Promise<boolean>;
  equal(...args: unknown[]): unknown { return callAny(331, 'equal ^other', 'boolean', this, args) as never; }

  /**
   * Whether the single element differs from 0, as `torch.is_nonzero`. The result is read, and
   * awaited.
   *
   * Errors: `shape` if `self` does not have one element.
   */
  isNonzero(): Promise<boolean>;
  isNonzero(...args: unknown[]): unknown { return callAny(332, 'isNonzero', 'boolean', this, args) as never; }

  /**
   * Whether the element is a real number, as `torch.isreal`: true for every element here.
   */
  isreal(): Tensor;
  isreal(...args: unknown[]): Tensor { return call(333, 'isreal', this, args); }

  /**
   * The largest values of windows of an image at random distances, as
   * `torch.nn.functional.fractional_max_pool2d`.
   *
   * Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or `[C, H_out,
   * W_out]` with `output_size` `[H_out, W_out]`, or `H_out = floor(H * output_ratio)` and `W_out`
   * likewise. `_random_samples: [N, C, 2]`, from 0 to 1, position the windows; by default they come
   * from the generator of the device.
   *
   * Errors: `argument` if not exactly one of `output_size` and `output_ratio` is given, a list has
   * another number of elements, or a ratio is not between 0 and 1; `shape` if `self` has another
   * number of dimensions, the windows do not fit into it, or `_random_samples` does not fit; `dtype`
   * if `self` is not floating point.
   *
   * Gradient: to the first largest element of each window.
   *
   * Source: Graham, "Fractional Max-Pooling" (2014).
   * @param outputSize default null
   * @param outputRatio default null
   * @param _randomSamples default null
   */
  fractionalMaxPool2d(kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, options?: { _randomSamples?: TensorLike | null }): Tensor;
  fractionalMaxPool2d(kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; _randomSamples?: TensorLike | null }): Tensor;
  /**
   * [`fractional_max_pool2d`](Tensor::fractional_max_pool2d) with the int32 indices of the values in
   * the flattened image (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one
   * shape.
   *
   * Errors: `argument` also if `return_indices` is false; otherwise as of
   * [`fractional_max_pool2d`](Tensor::fractional_max_pool2d).
   * @param outputSize default null
   * @param outputRatio default null
   * @param returnIndices default true
   * @param _randomSamples default null
   */
  fractionalMaxPool2d(kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, returnIndices?: boolean, options?: { _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  fractionalMaxPool2d(kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; returnIndices?: boolean; _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  fractionalMaxPool2d(...args: unknown[]): unknown { return callOverload(352, 'fractionalMaxPool2d;;values,indices', this, args) as never; }

  /**
   * The largest values of windows of a volume at random distances, as
   * `torch.nn.functional.fractional_max_pool3d`.
   *
   * Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
   * without `N`, `_random_samples: [N, C, 3]`.
   *
   * Arguments, errors and gradient: as of [`fractional_max_pool2d`](Tensor::fractional_max_pool2d).
   * @param outputSize default null
   * @param outputRatio default null
   * @param _randomSamples default null
   */
  fractionalMaxPool3d(kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, options?: { _randomSamples?: TensorLike | null }): Tensor;
  fractionalMaxPool3d(kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; _randomSamples?: TensorLike | null }): Tensor;
  /**
   * [`fractional_max_pool3d`](Tensor::fractional_max_pool3d) with the int32 indices of the values in
   * the flattened volume (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one
   * shape.
   *
   * Errors: `argument` also if `return_indices` is false; otherwise as of
   * [`fractional_max_pool2d`](Tensor::fractional_max_pool2d).
   * @param outputSize default null
   * @param outputRatio default null
   * @param returnIndices default true
   * @param _randomSamples default null
   */
  fractionalMaxPool3d(kernelSize: number | readonly number[], outputSize?: number | readonly number[] | null, outputRatio?: number | readonly number[] | null, returnIndices?: boolean, options?: { _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  fractionalMaxPool3d(kernelSize: number | readonly number[], options?: { outputSize?: number | readonly number[] | null; outputRatio?: number | readonly number[] | null; returnIndices?: boolean; _randomSamples?: TensorLike | null }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  fractionalMaxPool3d(...args: unknown[]): unknown { return callOverload(354, 'fractionalMaxPool3d;;values,indices', this, args) as never; }

  /**
   * The partial derivatives of a function with the values `self` at the points of a grid, as
   * `torch.gradient`: one tensor for each dimension of `dim`, or for each dimension of `self`.
   *
   * Inside, the derivative is of the parabola through three neighbours. At the ends it is of the
   * line through two points, or with `edge_order` 2 of the parabola through three. `spacing` is the
   * distance of neighbouring points, 1 by default. Integers become floats.
   *
   * Shapes: each result has the shape of `self`.
   *
   * Errors: `shape` if a dimension has fewer than `edge_order + 1` points; `argument` if
   * `edge_order` is not 1 or 2 or a dimension is named twice; `index` if one is out of range.
   * @param spacing default null
   * @param dim default null
   * @param edgeOrder default 1
   */
  gradient(options?: { spacing?: Scalar | null; dim?: number | readonly number[] | null; edgeOrder?: number }): Tensor[];
  /**
   * [`gradient`](Tensor::gradient) with the distance of neighbouring points for each dimension.
   *
   * Errors: as of `gradient`; `argument` if there are not as many distances as dimensions.
   * @param dim default null
   * @param edgeOrder default 1
   */
  gradient(options?: { spacing?: number | readonly number[]; dim?: number | readonly number[] | null; edgeOrder?: number }): Tensor[];
  /**
   * [`gradient`](Tensor::gradient) at points of any distance: `spacing` has the coordinates of the
   * points, a vector for each dimension.
   *
   * Errors: as of `gradient`; `shape` if a vector has not as many points as the dimension.
   * @param dim default null
   * @param edgeOrder default 1
   */
  gradient(options?: { spacing?: readonly Tensor[]; dim?: number | readonly number[] | null; edgeOrder?: number }): Tensor[];
  gradient(...args: unknown[]): unknown { return callOverload(356, 'gradient;tensors;tensors;tensors', this, args) as never; }

  /**
   * The input interpolated at the positions of `grid`, as `torch.nn.functional.grid_sample`.
   *
   * Shapes: `self: [N, C, H, W]`, `grid: [N, H_out, W_out, 2]`, `result: [N, C, H_out, W_out]`; or
   * `self: [N, C, D, H, W]`, `grid: [N, D_out, H_out, W_out, 3]`,
   * `result: [N, C, D_out, H_out, W_out]`. A position is x, y and for volumes z, each from -1 to 1:
   * with `align_corners` the centers of the border elements, else their outer edges.
   *
   * `mode` is `"bilinear"` (of volumes: trilinear), `"nearest"` or `"bicubic"`. `padding_mode` is
   * `"zeros"`, `"border"` or `"reflection"`, for positions outside of the input.
   *
   * Errors: `argument` if `mode` or `padding_mode` is another string; `shape` if the shapes do not
   * fit or a spatial size of `self` is 0; `dtype` if both do not have one floating-point type.
   *
   * Source: spatial transformers, Jaderberg et al. (2015); cubic interpolation: Keys (1981).
   * @param mode default "bilinear"
   * @param paddingMode default "zeros"
   * @param alignCorners default null
   */
  gridSample(grid: TensorLike, mode?: 'bilinear' | 'nearest' | 'bicubic', paddingMode?: 'zeros' | 'border' | 'reflection', alignCorners?: boolean | null): Tensor;
  gridSample(grid: TensorLike, options?: { mode?: 'bilinear' | 'nearest' | 'bicubic'; paddingMode?: 'zeros' | 'border' | 'reflection'; alignCorners?: boolean | null }): Tensor;
  gridSample(...args: unknown[]): Tensor { return call(359, 'gridSample ^grid mode paddingMode alignCorners', this, args); }

  /**
   * The number of elements in each of `bins` bins of equal width from `min` to `max`, as
   * `torch.histc`. If `min` equals `max`, the range is the range of the elements. The last bin
   * includes its upper edge; elements outside of the range and NaN are not counted.
   *
   * Shapes: `self: [*]`, `result: [bins]` in the type of `self`, or float32 for integers.
   *
   * Errors: `argument` if `bins` is not positive, `min` is larger than `max`, or one of them is not
   * finite.
   *
   * Gradient: none.
   * @param bins default 100
   * @param min default 0
   * @param max default 0
   */
  histc(bins?: number, min?: Scalar, max?: Scalar): Tensor;
  histc(options?: { bins?: number; min?: Scalar; max?: Scalar }): Tensor;
  histc(...args: unknown[]): Tensor { return call(361, 'histc bins min max', this, args); }

  /**
   * The number of elements in each of `bins` bins of equal width, and the edges of the bins, as
   * `torch.histogram`. `range` has the first and the last edge; by default it is the range of the
   * elements. A bin includes its lower edge, and the last one also its upper edge; elements outside
   * of the range and NaN are not counted.
   *
   * Shapes: `self: [*]`, `hist: [bins]`, `bin_edges: [bins + 1]`, both in the type of `self`. With
   * `weight`, in the shape and type of `self`, the result has sums of weights instead of numbers.
   * `density` divides by the total and by the width of the bin.
   *
   * Errors: `dtype` if `self` is not floating point; `argument` if `bins` is not positive or `range`
   * is not two finite numbers in order; `shape` if `weight` does not fit or has another type.
   *
   * Gradient: none.
   * @param bins default 100
   * @param range default null
   * @param weight default null
   * @param density default false
   */
  histogram(bins?: number, options?: { range?: number | readonly number[] | null; weight?: TensorLike | null; density?: boolean }): [Tensor, Tensor] & { hist: Tensor; binEdges: Tensor };
  histogram(options?: { bins?: number; range?: number | readonly number[] | null; weight?: TensorLike | null; density?: boolean }): [Tensor, Tensor] & { hist: Tensor; binEdges: Tensor };
  /**
   * [`histogram`](Tensor::histogram) with the edges of the bins in the vector `bins`, in ascending
   * order, which is not checked.
   *
   * Shapes: `bins: [k]`, `hist: [k - 1]`, `bin_edges: [k]`.
   *
   * Errors: `argument` if `bins` is not a vector of the type of `self`, or is empty; otherwise as of
   * [`histogram`](Tensor::histogram).
   * @param weight default null
   * @param density default false
   */
  histogram(bins: TensorLike, options?: { weight?: TensorLike | null; density?: boolean }): [Tensor, Tensor] & { hist: Tensor; binEdges: Tensor };
  histogram(...args: unknown[]): unknown { return callOverload(362, 'histogram;hist,binEdges;hist,binEdges', this, args) as never; }

  /**
   * The number of occurrences of each integer from 0 to the largest element, as `torch.bincount`.
   * With `weights`, the sum of the weights of the occurrences. The result has at least `minlength`
   * elements.
   *
   * Shapes: `self: [n]`, `weights: [n]`, `result: [k]` with
   * `k = max(largest element + 1, minlength)`. Without `weights` it is int32 (PyTorch: int64), with
   * floating-point ones of their type, and with integer ones float64, or float32 on a device without
   * float64. The largest element is read on the host, so the result is awaited.
   *
   * Errors: `argument` if `self` is not a vector of integers, has a negative element, or `minlength`
   * is negative; `shape` if `weights` has another shape.
   *
   * Gradient: none.
   * @param weights default null
   * @param minlength default 0
   */
  bincount(weights?: TensorLike | null, minlength?: number): Promise<Tensor>;
  bincount(options?: { weights?: TensorLike | null; minlength?: number }): Promise<Tensor>;
  bincount(...args: unknown[]): unknown { return callAny(364, 'bincount ^weights minlength', 'tensor', this, args) as never; }

  /**
   * The elements at the positions `index` of the flattened tensor, as `torch.take`.
   *
   * `self: [*]`, `index` of any shape and integer type; the result has the shape of `index` and the
   * type of `self`. A negative position counts from the end.
   *
   * Errors: `dtype` if `index` is not of an integer type; `index`, when the result is read, if a
   * position is out of range.
   */
  take(index: TensorLike): Tensor;
  take(...args: unknown[]): Tensor { return call(365, 'take ^index', this, args); }

  /**
   * A copy of `self` with the elements of `source` written to the positions `index` of the flattened
   * tensor, or added there with `accumulate`, as `torch.put`.
   *
   * `index` and `source` have equally many elements and any shapes; the result has the shape of
   * `self`. A negative position counts from the end. Where a position occurs several times, the last
   * element is kept.
   *
   * Errors: `shape` if `index` and `source` have different numbers of elements; `dtype` if `index`
   * is not of an integer type or `source` not of the type of `self`; `index`, when the result is
   * read, if a position is out of range.
   * @param accumulate default false
   */
  put(index: TensorLike, source: TensorLike, accumulate?: boolean): Tensor;
  put(index: TensorLike, source: TensorLike, options?: { accumulate?: boolean }): Tensor;
  put(...args: unknown[]): Tensor { return call(366, 'put ^index ^source accumulate', this, args); }
  /** The in-place form of `put`: this tensor takes the result, and is returned. */
  put_(index: TensorLike, source: TensorLike, accumulate?: boolean): this;
  put_(index: TensorLike, source: TensorLike, options?: { accumulate?: boolean }): this;
  put_(...args: unknown[]): this { return callInPlace(366, 'put_ ^index ^source accumulate', this, args); }

  /**
   * The elements at `indices` along `dim`, as `torch.take_along_dim`: [`gather`](Tensor::gather)
   * with broadcasting and with indices that may count from the end.
   *
   * `self: [*, n, *]` and `indices: [*, k, *]`, an integer type, broadcast in all dimensions except
   * `dim`; the result has the broadcast shape with size `k` at `dim`. Without `dim` both tensors are
   * flattened, and the result is `[k]`.
   *
   * Errors: `index` if `dim` is out of range; `shape` if the tensors have different numbers of
   * dimensions, or none, or do not broadcast; `dtype` if `indices` is not of an integer type;
   * `index`, when the result is read, if an index is out of range.
   * @param dim default null
   */
  takeAlongDim(indices: TensorLike, dim?: number | null): Tensor;
  takeAlongDim(indices: TensorLike, options?: { dim?: number | null }): Tensor;
  takeAlongDim(...args: unknown[]): Tensor { return call(367, 'takeAlongDim ^indices dim', this, args); }

  /**
   * `self` with `value` where `mask` is true, as `torch.Tensor.masked_fill`.
   *
   * `self` and `mask`, a bool tensor, broadcast to the shape of the result; `value` is a number or a
   * 0-d tensor and is converted to the type of `self`. The gradient of `self` is 0 where `mask` is
   * true; the gradient of a tensor `value` is the sum over these elements.
   *
   * Errors: `dtype` if `mask` is not bool; `shape` if `value` has dimensions or the shapes do not
   * broadcast.
   */
  maskedFill(mask: TensorLike, value: TensorLike | Scalar): Tensor;
  maskedFill(...args: unknown[]): Tensor { return call(368, 'maskedFill ^mask ^value', this, args); }
  /** The in-place form of `maskedFill`: this tensor takes the result, and is returned. */
  maskedFill_(mask: TensorLike, value: TensorLike | Scalar): this;
  maskedFill_(...args: unknown[]): this { return callInPlace(368, 'maskedFill_ ^mask ^value', this, args); }

  /**
   * `self` with `value` in the slices of dimension `dim` that `index` names, as `torch.index_fill`.
   *
   * `index: [k]` or `[]`, an integer type; a negative index counts from the end. `value` is a number
   * or a 0-d tensor and is converted to the type of `self`. An index that occurs twice counts once
   * in the gradient of `value`.
   *
   * Errors: `index` if `dim` is out of range; `shape` if `index` has more than one dimension or
   * `value` has any; `dtype` if `index` is not of an integer type; `index`, when the result is read,
   * if an index is out of range.
   */
  indexFill(dim: number, index: TensorLike, value: TensorLike | Scalar): Tensor;
  indexFill(...args: unknown[]): Tensor { return call(369, 'indexFill dim ^index ^value', this, args); }
  /** The in-place form of `indexFill`: this tensor takes the result, and is returned. */
  indexFill_(dim: number, index: TensorLike, value: TensorLike | Scalar): this;
  indexFill_(...args: unknown[]): this { return callInPlace(369, 'indexFill_ dim ^index ^value', this, args); }

  /**
   * The indices of the elements that are not 0, one row each, in row-major order, as
   * `torch.nonzero`.
   *
   * `self: [*]`; the result is `[N, rank]` in int32 (PyTorch: int64). `N` depends on the elements,
   * so that the op reads them and the result is awaited. There is no gradient.
   */
  nonzero(): Promise<Tensor>;
  nonzero(...args: unknown[]): unknown { return callAny(370, 'nonzero', 'tensor', this, args) as never; }

  /** Another name of `nonzero`. */
  argwhere(): Promise<Tensor>;
  argwhere(...args: unknown[]): unknown { return callAny(370, 'argwhere', 'tensor', this, args) as never; }

  /**
   * The indices of the elements that are not 0, one vector for each dimension: `torch.nonzero` with
   * `as_tuple`.
   *
   * Each result is `[N]` in int32; a 0-d tensor counts as `[1]`. The op reads the elements, and the
   * result is awaited.
   */
  nonzeroNumpy(): Promise<Tensor[]>;
  nonzeroNumpy(...args: unknown[]): unknown { return callAny(371, 'nonzeroNumpy', 'tensors', this, args) as never; }

  /**
   * The elements of `self` where `mask` is true, in row-major order, as `torch.masked_select`.
   *
   * `self` and `mask`, a bool tensor, broadcast together; the result is `[N]`. The op reads `mask`,
   * and the result is awaited.
   *
   * Errors: `dtype` if `mask` is not bool; `shape` if the shapes do not broadcast.
   */
  maskedSelect(mask: TensorLike): Promise<Tensor>;
  maskedSelect(...args: unknown[]): unknown { return callAny(373, 'maskedSelect ^mask', 'tensor', this, args) as never; }

  /**
   * `self` with the elements of `source`, in row-major order, where `mask` is true, as
   * `torch.Tensor.masked_scatter`.
   *
   * `self` and `mask`, a bool tensor, broadcast to the shape of the result; `source` has any shape
   * with at least as many elements as `mask` has true ones, and at least one.
   *
   * Errors: `dtype` if `mask` is not bool or the types of `self` and `source` differ; `shape` if the
   * shapes do not broadcast; `index`, when the result is read, if `source` has too few elements.
   */
  maskedScatter(mask: TensorLike, source: TensorLike): Tensor;
  maskedScatter(...args: unknown[]): Tensor { return call(374, 'maskedScatter ^mask ^source', this, args); }
  /** The in-place form of `maskedScatter`: this tensor takes the result, and is returned. */
  maskedScatter_(mask: TensorLike, source: TensorLike): this;
  maskedScatter_(...args: unknown[]): this { return callInPlace(374, 'maskedScatter_ ^mask ^source', this, args); }

  /**
   * The elements at the positions that index tensors give, one tensor or `None` for each dimension:
   * `self[i, :, j]` in Python, with the rules of NumPy and PyTorch.
   *
   * `indices` has at most as many entries as `self` has dimensions. The tensors, of an integer type,
   * broadcast to a shape `B`; a negative index counts from the end. Where the indexed dimensions are
   * adjacent, `B` replaces them in the shape of the result; otherwise `B` comes first and the other
   * dimensions follow. [`Tensor::index`] takes ranges, `None` and `...` too.
   *
   * Errors: `index` if there are more indices than dimensions or an indexed dimension is empty;
   * `argument` if no tensor is given; `dtype` for a mask (use `index`, which reads it) or a type
   * that is not an integer; `shape` if the indices do not broadcast; `index`, when the result is
   * read, if an index is out of range.
   */
  indexTensors(indices: readonly (Tensor | null)[]): Tensor;
  indexTensors(...args: unknown[]): Tensor { return call(376, 'indexTensors indices', this, args); }

  /**
   * [`index_tensors`](Tensor::index_tensors) that also takes masks: ATen's `index`.
   *
   * A bool tensor of `k` dimensions stands for the `k` index tensors of its
   * [`nonzero_numpy`](Tensor::nonzero_numpy). Masks are read, and the result is awaited.
   *
   * Errors: as of `index_tensors`, and `index` if a mask does not have the sizes of the dimensions
   * that it indexes, or has no dimension.
   */
  index(indices: readonly (Tensor | null)[]): Promise<Tensor>;
  index(...args: unknown[]): unknown { return callAny(377, 'index indices', 'tensor', this, args) as never; }

  /**
   * A copy of `self` with `values` written to the elements that `indices` name, or added to them
   * with `accumulate`, as `torch.Tensor.index_put`.
   *
   * The indices are as in [`index_tensors`](Tensor::index_tensors), and `values` broadcasts to the
   * shape that `index_tensors` would return. Where an element is named several times, the last value
   * is kept. A mask is taken if it is the only index: `values` then broadcasts to `self`, or is `[N,
   * *]` with a row for each true element. A mask is not read.
   *
   * Errors: `dtype` if the types of `self` and `values` differ; `shape` if `values` does not
   * broadcast; `index` if a mask does not fit; otherwise as of `index_tensors`. Too few values for a
   * mask are an `index` error when the result is read.
   * @param accumulate default false
   */
  indexPut(indices: readonly (Tensor | null)[], values: TensorLike, accumulate?: boolean): Tensor;
  indexPut(indices: readonly (Tensor | null)[], values: TensorLike, options?: { accumulate?: boolean }): Tensor;
  indexPut(...args: unknown[]): Tensor { return call(378, 'indexPut indices ^values accumulate', this, args); }
  /** The in-place form of `indexPut`: this tensor takes the result, and is returned. */
  indexPut_(indices: readonly (Tensor | null)[], values: TensorLike, accumulate?: boolean): this;
  indexPut_(indices: readonly (Tensor | null)[], values: TensorLike, options?: { accumulate?: boolean }): this;
  indexPut_(...args: unknown[]): this { return callInPlace(378, 'indexPut_ indices ^values accumulate', this, args); }

  /**
   * `self[key]` in Python, with the key as text; see [`Tensor::index`].
   *
   * `key` is a list of integers, ranges `start:end:step`, `None`, `...` and `T`, each `T` being the
   * next of `tensors`: `"1:4:2, None, ..., -1"`. Without tensors the result is a view.
   *
   * Errors: `argument` if `key` does not parse or `tensors` has another length than `key` has `T`s;
   * `index` if there are more indices than dimensions or an integer is out of range; otherwise as of
   * [`index_tensors`](Tensor::index_tensors).
   */
  getitem(key: string, tensors: readonly Tensor[]): Tensor;
  getitem(...args: unknown[]): Tensor { return call(379, 'getitem key tensors', this, args); }

  /**
   * A copy of `self` after `self[key] = value` in Python; see [`getitem`](Tensor::getitem) and
   * [`Tensor::set_index`]. `setitem_` assigns in place.
   *
   * `value` is a number or a tensor that broadcasts to the selected elements, and is converted to
   * the type of `self`. A mask is taken if it is the only index.
   *
   * Errors: as of `getitem`, and `shape` if `value` does not broadcast.
   */
  setitem(key: string, tensors: readonly Tensor[], value: TensorLike | Scalar): Tensor;
  setitem(...args: unknown[]): Tensor { return call(380, 'setitem key tensors ^value', this, args); }
  /** The in-place form of `setitem`: this tensor takes the result, and is returned. */
  setitem_(key: string, tensors: readonly Tensor[], value: TensorLike | Scalar): this;
  setitem_(...args: unknown[]): this { return callInPlace(380, 'setitem_ key tensors ^value', this, args); }

  /**
   * All combinations of `r` elements of a vector, one a row, in lexicographic order of their
   * positions, as `torch.combinations`. With `with_replacement` an element may occur several times.
   *
   * `self: [n]`; the result is `[N, r]`, where `N` is the binomial coefficient `n! / (r! (n - r)!)`,
   * or `(n + r - 1)! / (r! (n - 1)!)` with replacement. For `r = 0` it is `[0]`.
   *
   * Errors: `shape` if `self` is not a vector or the result would be too large; `argument` if `r` is
   * negative.
   * @param r default 2
   * @param withReplacement default false
   */
  combinations(r?: number, withReplacement?: boolean): Tensor;
  combinations(options?: { r?: number; withReplacement?: boolean }): Tensor;
  combinations(...args: unknown[]): Tensor { return call(387, 'combinations r withReplacement', this, args); }

  /**
   * Zeros with the shape, device and type of `self`, or in `dtype`.
   * @param dtype default null
   * @param requiresGrad default false
   */
  zerosLike<D extends DType = DType>(options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  zerosLike(...args: unknown[]): Tensor { return call(389, 'zerosLike|dtype requiresGrad', this, args); }

  /**
   * Ones with the shape, device and type of `self`, or in `dtype`.
   * @param dtype default null
   * @param requiresGrad default false
   */
  onesLike<D extends DType = DType>(options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  onesLike(...args: unknown[]): Tensor { return call(390, 'onesLike|dtype requiresGrad', this, args); }

  /**
   * A tensor filled with `fill_value`, with the shape, device and type of `self`, or in `dtype`.
   * @param dtype default null
   * @param requiresGrad default false
   */
  fullLike<D extends DType = DType>(fillValue: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  fullLike(...args: unknown[]): Tensor { return call(391, 'fullLike fillValue|dtype requiresGrad', this, args); }

  /**
   * Zeros, as [`zeros_like`](Tensor::zeros_like): uninitialized memory is never visible.
   * @param dtype default null
   * @param requiresGrad default false
   */
  emptyLike<D extends DType = DType>(options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  emptyLike(...args: unknown[]): Tensor { return call(392, 'emptyLike|dtype requiresGrad', this, args); }

  /**
   * Zeros of shape `size`, with the type and device of `self` unless others are given.
   *
   * Errors: `shape` if a size is negative or the tensor would be too large.
   * @param dtype default null
   * @param requiresGrad default false
   */
  newZeros<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  newZeros(...size: number[]): Tensor;
  newZeros(...args: unknown[]): Tensor { return call(394, 'newZeros *size|dtype requiresGrad', this, args); }

  /**
   * Zeros, as [`new_zeros`](Tensor::new_zeros): uninitialized memory is never visible.
   *
   * Errors: `shape` if a size is negative or the tensor would be too large.
   * @param dtype default null
   * @param requiresGrad default false
   */
  newEmpty<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  newEmpty(...size: number[]): Tensor;
  newEmpty(...args: unknown[]): Tensor { return call(395, 'newEmpty *size|dtype requiresGrad', this, args); }

  /**
   * Ones of shape `size`, with the type and device of `self` unless others are given.
   *
   * Errors: `shape` if a size is negative or the tensor would be too large.
   * @param dtype default null
   * @param requiresGrad default false
   */
  newOnes<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  newOnes(...size: number[]): Tensor;
  newOnes(...args: unknown[]): Tensor { return call(396, 'newOnes *size|dtype requiresGrad', this, args); }

  /**
   * A tensor of shape `size` filled with `fill_value`, with the type and device of `self` unless
   * others are given.
   *
   * Errors: `shape` if a size is negative or the tensor would be too large.
   * @param dtype default null
   * @param requiresGrad default false
   */
  newFull<D extends DType = DType>(size: number | readonly number[], fillValue: Scalar, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  newFull(...args: unknown[]): Tensor { return call(397, 'newFull size fillValue|dtype requiresGrad', this, args); }

  /**
   * Uniform random numbers in `[0, 1)`, as [`rand`](Tensor::rand), with the shape, device and type
   * of `self`, or in `dtype`.
   *
   * Errors: `dtype` if the type is not floating point.
   * @param dtype default null
   * @param generator the source of the random numbers; by default the device's generator
   * @param requiresGrad default false
   */
  randLike<D extends DType = DType>(options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  randLike(...args: unknown[]): Tensor { return drawing('randLike', args, (args) => call(398, 'randLike|dtype requiresGrad', this, args)); }

  /**
   * Standard normal random numbers, as [`randn`](Tensor::randn), with the shape, device and type of
   * `self`, or in `dtype`.
   *
   * Errors: `dtype` if the type is not floating point.
   * @param dtype default null
   * @param generator the source of the random numbers; by default the device's generator
   * @param requiresGrad default false
   */
  randnLike<D extends DType = DType>(options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  randnLike(...args: unknown[]): Tensor { return drawing('randnLike', args, (args) => call(399, 'randnLike|dtype requiresGrad', this, args)); }

  /**
   * Uniform random integers from 0 to `high - 1`, as [`randint`](Tensor::randint), with the shape,
   * device and type of `self`, or in `dtype`.
   *
   * Errors: `argument` if `high` is not between 1 and 2^31.
   * @param dtype default null
   * @param generator the source of the random numbers; by default the device's generator
   * @param requiresGrad default false
   */
  randintLike<D extends DType = DType>(high: number, options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  /**
   * Uniform random integers from `low` up to `high`, which is excluded, with the shape, device and
   * type of `self`, or in `dtype`.
   *
   * Errors: `argument` if the range is empty or exceeds int32.
   * @param dtype default null
   * @param generator the source of the random numbers; by default the device's generator
   * @param requiresGrad default false
   */
  randintLike<D extends DType = DType>(low: number, high: number, options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;
  randintLike(...args: unknown[]): unknown { return drawing('randintLike', args, (args) => callOverload(400, 'randintLike;;', this, args) as never); }

  /**
   * `self` in the type of `other`, as `torch.Tensor.type_as`.
   */
  typeAs(other: TensorLike): Tensor;
  typeAs(...args: unknown[]): Tensor { return call(402, 'typeAs ^other', this, args); }

  /**
   * `value` in the shape and type of `self`; `fill_` overwrites a tensor with it.
   *
   * `value` is a number or a 0-d tensor. The gradient of `self` is 0, and the gradient of a tensor
   * `value` is the sum of the incoming gradient.
   *
   * Errors: `shape` if `value` has dimensions.
   */
  fill(value: TensorLike | Scalar): Tensor;
  fill(...args: unknown[]): Tensor { return call(404, 'fill ^value', this, args); }
  /** The in-place form of `fill`: this tensor takes the result, and is returned. */
  fill_(value: TensorLike | Scalar): this;
  fill_(...args: unknown[]): this { return callInPlace(404, 'fill_ ^value', this, args); }

  /**
   * Zeros in the shape and type of `self`; `zero_` overwrites a tensor with them.
   */
  zero(): Tensor;
  zero(...args: unknown[]): Tensor { return call(405, 'zero', this, args); }
  /** The in-place form of `zero`: this tensor takes the result, and is returned. */
  zero_(): this;
  zero_(...args: unknown[]): this { return callInPlace(405, 'zero_', this, args); }

  /**
   * The norm of order `p` over dimensions `dim`, or of all elements, as `torch.norm`; see
   * [`linalg_vector_norm`](Tensor::linalg_vector_norm), whose shapes and errors it has.
   * @param p default 2
   * @param dim default null
   * @param keepdim default false
   * @param dtype default null
   */
  norm<D extends DType = DType>(p?: Scalar, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
  norm<D extends DType = DType>(options?: { p?: Scalar; dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
  /**
   * The norm `"fro"`, the root of the sum of squares over any dimensions, or `"nuc"`, the sum of the
   * singular values over two, as `torch.norm`.
   *
   * Errors: `dtype` if `self` is not floating point, and for `"nuc"` neither float32 nor float64;
   * `index` if a dimension is out of range; `argument` if `p` is another text, or `"nuc"` is asked
   * for over another number of dimensions than two.
   * @param dim default null
   * @param keepdim default false
   * @param dtype default null
   */
  norm<D extends DType = DType>(p: 'fro' | 'nuc', dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
  norm<D extends DType = DType>(p: 'fro' | 'nuc', options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
  norm(...args: unknown[]): unknown { return callOverload(411, 'norm;;', this, args) as never; }

  /**
   * The inverse of `A` from its Cholesky factor `self`, as `torch.cholesky_inverse`.
   *
   * `self: [*, n, n]`, lower triangular, or upper with `upper`; the result has the same shape.
   *
   * Errors: `dtype` if `self` is neither float32 nor float64; `shape` if the matrices are not
   * square.
   * @param upper default false
   */
  choleskyInverse(upper?: boolean): Tensor;
  choleskyInverse(options?: { upper?: boolean }): Tensor;
  choleskyInverse(...args: unknown[]): Tensor { return call(415, 'choleskyInverse upper', this, args); }

  /**
   * The solution `X` of `A X = self` for a triangular matrix `A`, as `torch.triangular_solve`.
   *
   * `self: [*, n, k]`, `A: [*, n, n]`, whose leading dimensions broadcast; `solution` is `[*, n, k]`
   * and `cloned_coefficient` a copy of `A`. Only the upper triangle of `A` is read, or the lower one
   * without `upper`; `transpose` solves with the transposed triangle, `unitriangular` takes its
   * diagonal as 1. With a 0 on the diagonal the result has infinities or NaN.
   *
   * Errors: `dtype` if the types differ or are neither float32 nor float64; `shape` if `A` is not
   * square or the sizes do not fit.
   * @param upper default true
   * @param transpose default false
   * @param unitriangular default false
   */
  triangularSolve(A: TensorLike, upper?: boolean, transpose?: boolean, unitriangular?: boolean): [Tensor, Tensor] & { solution: Tensor; clonedCoefficient: Tensor };
  triangularSolve(A: TensorLike, options?: { upper?: boolean; transpose?: boolean; unitriangular?: boolean }): [Tensor, Tensor] & { solution: Tensor; clonedCoefficient: Tensor };
  triangularSolve(...args: unknown[]): unknown { return callAny(416, 'triangularSolve ^A upper transpose unitriangular', ['solution', 'clonedCoefficient'], this, args) as never; }

  /**
   * The logarithm of the determinant, as `torch.logdet`: NaN where it is negative, negative infinity
   * where it is 0.
   *
   * `self: [*, n, n]`; the result is `[*]`.
   *
   * Errors: `dtype` if `self` is neither float32 nor float64; `shape` if the matrices are not
   * square.
   */
  logdet(): Tensor;
  logdet(...args: unknown[]): Tensor { return call(417, 'logdet', this, args); }

  /** Another name of `linalgHouseholderProduct`. */
  orgqr(tau: TensorLike): Tensor;
  orgqr(...args: unknown[]): Tensor { return call(418, 'orgqr ^tau', this, args); }

  /**
   * The pseudoinverse, as `torch.pinverse`; see [`linalg_pinv`](Tensor::linalg_pinv).
   *
   * `self: [*, n, m]`; the result is `[*, m, n]`. Singular values up to `rcond` times the largest
   * one count as 0.
   *
   * Errors: `dtype` if `self` is neither float32 nor float64; `shape` if it has fewer than two
   * dimensions; `linalg`, when the result is read, if a matrix is not finite.
   * @param rcond default 1e-15
   */
  pinverse(rcond?: number): Tensor;
  pinverse(options?: { rcond?: number }): Tensor;
  pinverse(...args: unknown[]): Tensor { return call(419, 'pinverse rcond', this, args); }

  /**
   * The affine map `self @ weight.T + bias`, as `torch.nn.functional.linear`.
   *
   * `self: [*, in]`, `weight: [out, in]`, `bias: [out]`; the result is `[*, out]`. With
   * `weight: [in]` the result is `[*]`.
   *
   * Errors: `shape` if the last sizes of `self` and `weight` differ, `self` is 0-d, `weight` has not
   * one or two dimensions, or `bias` does not broadcast; `dtype` if the types of `self` and `weight`
   * differ.
   * @param bias default null
   */
  linear(weight: TensorLike, bias?: TensorLike | null): Tensor;
  linear(weight: TensorLike, options?: { bias?: TensorLike | null }): Tensor;
  linear(...args: unknown[]): Tensor { return call(423, 'linear ^weight ^bias', this, args); }

  /**
   * The one-hot encoding of class indices, as `torch.nn.functional.one_hot`.
   *
   * `self: [*]`, an integer type; the result is `[*, num_classes]` in int32 (PyTorch: int64), 1 at
   * the class and 0 elsewhere. Without `num_classes` the number of classes is the largest index plus
   * 1: the indices are read, and the result is awaited.
   *
   * Errors: `argument` if `num_classes` is not positive; `dtype` if `self` is not of an integer
   * type; `index`, when the result is read, if an index is negative or not below `num_classes`.
   */
  oneHot(numClasses: number): Tensor;
  /**
   * [`one_hot`](Tensor::one_hot) with one class more than the largest index, which is read.
   *
   * `self: [*]`; the result is `[*, largest + 1]` in int32, and is awaited.
   *
   * Errors: `argument` if `self` is empty; `dtype` if it is not of an integer type; `index`, when
   * the result is read, if an index is negative.
   */
  oneHot(): Promise<Tensor>;
  oneHot(...args: unknown[]): unknown { return callOverload(424, 'oneHot;;tensor', this, args) as never; }

  /**
   * The negative log likelihood of classes, as `torch.nn.functional.nll_loss`: `-weight[y] * x[y]`
   * for the log probabilities `x` and the class `y` of each example and position.
   *
   * `self: [N, C, *]` or `[C]`, `target: [N, *]` or `[]`, an integer type or whole numbers of a
   * floating-point type, as JavaScript's numbers are; `weight: [C]`. Where the
   * target is `ignore_index` the loss is 0. `reduction` is `"mean"`, which divides by the sum of the
   * weights that were used, `"sum"`, or `"none"`, whose result has the shape of `target`.
   *
   * Errors: `shape` if `self` is 0-d or `target` or `weight` does not fit; `dtype` if `target` is
   * bool; `argument` if `reduction` is unknown; `index`, when the result is read,
   * if a target is neither a class nor `ignore_index`.
   * @param weight default null
   * @param reduction default "mean"
   * @param ignoreIndex default -100
   */
  nllLoss(target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number }): Tensor;
  nllLoss(target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number }): Tensor;
  nllLoss(...args: unknown[]): Tensor { return call(426, 'nllLoss ^target ^weight|reduction ignoreIndex', this, args); }

  /**
   * The cross entropy of class scores, as `torch.nn.functional.cross_entropy`: the negative log
   * likelihood of the target under `softmax(self)`.
   *
   * `self: [N, C, *]` or `[C]`. `target` has either class indices, `[N, *]` or `[]` of an integer
   * type or whole numbers of a floating-point type, or class probabilities in the shape of `self`.
   * `weight: [C]` multiplies the loss of each class, and `label_smoothing` mixes the uniform
   * distribution into the target by this factor (Szegedy et al., 2016). `reduction` and
   * `ignore_index` are as in [`nll_loss`](Tensor::nll_loss); with probabilities `"mean"` divides by
   * the number of examples and positions.
   *
   * Errors: `shape` if `self` is 0-d or `target` or `weight` does not fit; `dtype` if `target` has
   * neither an integer nor a floating-point type; `argument` if `reduction` is unknown,
   * `label_smoothing` is not from 0 to 1, or `ignore_index` is a class and the target has
   * probabilities; `index`, when the result is read, if a target is neither a class nor
   * `ignore_index`.
   * @param weight default null
   * @param reduction default "mean"
   * @param ignoreIndex default -100
   * @param labelSmoothing default 0.0
   */
  crossEntropy(target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
  crossEntropy(target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
  crossEntropy(...args: unknown[]): Tensor { return call(427, 'crossEntropy ^target ^weight|reduction ignoreIndex labelSmoothing', this, args); }

  /**
   * The negative log likelihood of label sequences, summed over all alignments with the frames, as
   * `torch.nn.functional.ctc_loss` (Graves et al., 2006).
   *
   * `self: [T, N, C]` or `[T, C]`, log probabilities of the classes in each frame;
   * `targets: [N, S]`, or all labels in one vector, of an integer type. `input_lengths` and
   * `target_lengths`, `[N]` each, count the frames and labels of each sequence. Class `blank` is no
   * label. `reduction` is `"mean"`, which divides each loss by the length of its target and takes
   * the mean over the batch, `"sum"`, or `"none"`, whose result is `[N]`, or `[]` without a batch. A
   * sequence with too few frames for its labels has an infinite loss and a gradient of NaN, or both
   * 0 with `zero_infinity`. A sequence without frames and without labels has a loss of 0.
   *
   * The gradient is PyTorch's: `exp(self)` less the probability of the class in the frame over all
   * alignments, which is the derivative where `self` is the result of `log_softmax`.
   *
   * Errors: `shape` if `self` has another number of dimensions or a size of 0, or `targets` or a
   * tensor of lengths does not fit; `dtype` if `targets` or lengths are not of an integer type;
   * `argument` if `blank` is not a class, `reduction` is or lengths that are given as
   * numbers are out of range, or, when the result is read, if lengths in a tensor are; `index`, when
   * the result is read, if a label is not a class.
   * @param blank default 0
   * @param reduction default "mean"
   * @param zeroInfinity default false
   */
  ctcLoss(targets: TensorLike, inputLengths: Tensor | number | readonly number[], targetLengths: Tensor | number | readonly number[], blank?: number, reduction?: 'none' | 'mean' | 'sum', zeroInfinity?: boolean): Tensor;
  ctcLoss(targets: TensorLike, inputLengths: Tensor | number | readonly number[], targetLengths: Tensor | number | readonly number[], options?: { blank?: number; reduction?: 'none' | 'mean' | 'sum'; zeroInfinity?: boolean }): Tensor;
  ctcLoss(...args: unknown[]): Tensor { return call(428, 'ctcLoss ^targets inputLengths targetLengths blank reduction zeroInfinity', this, args); }

  /**
   * The p-norms of the differences of all pairs of rows, as `torch.nn.functional.pdist`, in the
   * order (0, 1), (0, 2), and so on to the last two rows.
   *
   * `self: [N, D]`; the result is `[N * (N - 1) / 2]`.
   *
   * Errors: `shape` if `self` is not a matrix; `argument` if `p` is negative.
   * @param p default 2.0
   */
  pdist(p?: number): Tensor;
  pdist(options?: { p?: number }): Tensor;
  pdist(...args: unknown[]): Tensor { return call(431, 'pdist p', this, args); }

  /**
   * The hinge embedding loss, as `torch.nn.functional.hinge_embedding_loss`: `x` where the target is
   * 1, `max(0, margin - x)` where it is -1.
   *
   * `self` and `target` broadcast together. `reduction` is `"mean"`, `"sum"`, or `"none"`, whose
   * result has the broadcast shape.
   *
   * Errors: `shape` if the shapes do not broadcast; `argument` if `reduction` is unknown.
   * @param margin default 1.0
   * @param reduction default "mean"
   */
  hingeEmbeddingLoss(target: TensorLike, options?: { margin?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  hingeEmbeddingLoss(...args: unknown[]): Tensor { return call(432, 'hingeEmbeddingLoss ^target|margin reduction', this, args); }

  /**
   * The multi-class hinge loss, as `torch.nn.functional.multi_margin_loss`:
   * `weight[y] * sum(max(0, margin - x[y] + x[j])^p) / C`, the sum over the classes `j` other than
   * the target `y`.
   *
   * `self: [N, C]` or `[C]`, `target: [N]` or `[]`, an integer type; `weight: [C]`. `reduction` is
   * `"mean"`, `"sum"`, or `"none"`, whose result has the shape of `target`.
   *
   * Errors: `shape` if `self` has more than two dimensions or no classes, or `target` or `weight`
   * does not fit; `dtype` if `target` is not of an integer type; `argument` if `p` is neither 1 nor
   * 2 or `reduction` is unknown; `index`, when the result is read, if a target is not a class.
   * @param p default 1
   * @param margin default 1
   * @param weight default null
   * @param reduction default "mean"
   */
  multiMarginLoss(target: TensorLike, p?: Scalar, margin?: Scalar, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  multiMarginLoss(target: TensorLike, options?: { p?: Scalar; margin?: Scalar; weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  multiMarginLoss(...args: unknown[]): Tensor { return call(434, 'multiMarginLoss ^target p margin ^weight|reduction', this, args); }

  /**
   * The multi-label hinge loss, as `torch.nn.functional.multilabel_margin_loss`:
   * `sum(max(0, 1 - (x[y] - x[j]))) / C`, the sum over the labels `y` of an example and the classes
   * `j` that are not among them.
   *
   * `self: [N, C]` or `[C]`; `target` has the same shape and an integer type, and lists the labels
   * of each example up to the first negative number. `reduction` is `"mean"`, `"sum"`, or `"none"`,
   * whose result is `[N]` or `[]`.
   *
   * Errors: `shape` if `self` has more than two dimensions or no classes, or `target` does not fit;
   * `dtype` if `target` is not of an integer type; `argument` if `reduction` is unknown; `index`,
   * when the result is read, if a label is not a class.
   * @param reduction default "mean"
   */
  multilabelMarginLoss(target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  multilabelMarginLoss(...args: unknown[]): Tensor { return call(435, 'multilabelMarginLoss ^target|reduction', this, args); }

  /**
   * The binary cross entropy of logits, averaged over the classes, as
   * `torch.nn.functional.multilabel_soft_margin_loss`:
   * `-mean(y * log(sigmoid(x)) + (1 - y) * log(sigmoid(-x)))`.
   *
   * `self` and `target`: `[N, C]` or `[C]`; `weight` broadcasts to them and multiplies the terms.
   * `reduction` is `"mean"`, `"sum"`, or `"none"`, whose result is `[N]` or `[]`.
   *
   * Errors: `shape` if `self` is 0-d or the shapes do not broadcast; `argument` if `reduction` is
   * unknown.
   * @param weight default null
   * @param reduction default "mean"
   */
  multilabelSoftMarginLoss(target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  multilabelSoftMarginLoss(target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  multilabelSoftMarginLoss(...args: unknown[]): Tensor { return call(436, 'multilabelSoftMarginLoss ^target ^weight|reduction', this, args); }

  /**
   * The squared error `(x - y)^2`, as `torch.nn.functional.mse_loss`.
   *
   * `self` and `target` broadcast together. `reduction` is `"mean"`, `"sum"`, or `"none"`, whose
   * result has the broadcast shape.
   *
   * With `weight`, which has the shape of `self`, the losses are multiplied by it, and the mean is
   * their sum divided by the sum of the weights.
   *
   * Errors: `shape` if the shapes do not broadcast, or `weight` has another shape than `self`;
   * `argument` if `reduction` is unknown.
   * @param reduction default "mean"
   * @param weight default null
   */
  mseLoss(target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; weight?: TensorLike | null }): Tensor;
  mseLoss(...args: unknown[]): Tensor { return call(439, 'mseLoss ^target|reduction ^weight', this, args); }

  /**
   * The absolute error `|x - y|`, as `torch.nn.functional.l1_loss`; its gradient is 0 where both are
   * equal.
   *
   * Shapes, `reduction`, `weight` and errors are as in [`mse_loss`](Tensor::mse_loss).
   * @param reduction default "mean"
   * @param weight default null
   */
  l1Loss(target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; weight?: TensorLike | null }): Tensor;
  l1Loss(...args: unknown[]): Tensor { return call(440, 'l1Loss ^target|reduction ^weight', this, args); }

  /**
   * The smooth L1 loss, as `torch.nn.functional.smooth_l1_loss` (Girshick, 2015): with
   * `d = |x - y|`, `d^2 / (2 * beta)` where `d < beta`, otherwise `d - beta / 2`.
   *
   * Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss); a negative `beta` is an
   * `argument` error too.
   * @param reduction default "mean"
   * @param beta default 1.0
   */
  smoothL1Loss(target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; beta?: number }): Tensor;
  smoothL1Loss(...args: unknown[]): Tensor { return call(441, 'smoothL1Loss ^target|reduction beta', this, args); }

  /**
   * The Huber loss, as `torch.nn.functional.huber_loss` (Huber, 1964): with `d = |x - y|`, `d^2 / 2`
   * where `d <= delta`, otherwise `delta * (d - delta / 2)`.
   *
   * Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss); a `delta` that is not
   * positive is an `argument` error too.
   * @param reduction default "mean"
   * @param delta default 1.0
   * @param weight default null
   */
  huberLoss(target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum'; delta?: number; weight?: TensorLike | null }): Tensor;
  huberLoss(...args: unknown[]): Tensor { return call(442, 'huberLoss ^target|reduction delta ^weight', this, args); }

  /**
   * The binary cross entropy of probabilities, as `torch.nn.functional.binary_cross_entropy`:
   * `-weight * (y * log(x) + (1 - y) * log(1 - x))`, with logarithms limited to -100 from below.
   *
   * `self` and `target` have one shape, to which `weight` broadcasts. `reduction` is `"mean"`,
   * `"sum"`, or `"none"`, whose result has the shape of `self`. The gradient is
   * `(x - y) / max(x * (1 - x), 1e-12)`: 0 where both are 0 or both are 1.
   *
   * Errors: `shape` if the shapes differ or `weight` does not broadcast; `argument` if `reduction`
   * is unknown, or, when the result is read, if an element of `self` or `target` is not from 0 to 1.
   * @param weight default null
   * @param reduction default "mean"
   */
  binaryCrossEntropy(target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  binaryCrossEntropy(target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  binaryCrossEntropy(...args: unknown[]): Tensor { return call(443, 'binaryCrossEntropy ^target ^weight|reduction', this, args); }

  /**
   * The binary cross entropy of logits, as `torch.nn.functional.binary_cross_entropy_with_logits`:
   * `-weight * (pos_weight * y * log(sigmoid(x)) + (1 - y) * log(1 - sigmoid(x)))`, computed without
   * the loss of precision of a sigmoid followed by a logarithm.
   *
   * `self` and `target` have one shape, to which both weights broadcast. `reduction` is `"mean"`,
   * `"sum"`, or `"none"`, whose result has the shape of `self`.
   *
   * Errors: `shape` if the shapes differ or a weight does not broadcast; `argument` if `reduction`
   * is unknown.
   * @param weight default null
   * @param reduction default "mean"
   * @param posWeight default null
   */
  binaryCrossEntropyWithLogits(target: TensorLike, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; posWeight?: TensorLike | null }): Tensor;
  binaryCrossEntropyWithLogits(target: TensorLike, options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; posWeight?: TensorLike | null }): Tensor;
  binaryCrossEntropyWithLogits(...args: unknown[]): Tensor { return call(444, 'binaryCrossEntropyWithLogits ^target ^weight|reduction ^posWeight', this, args); }

  /**
   * The logistic loss `log(1 + exp(-y * x))` with targets `y` of 1 and -1, as
   * `torch.nn.functional.soft_margin_loss`.
   *
   * Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss).
   * @param reduction default "mean"
   */
  softMarginLoss(target: TensorLike, options?: { reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  softMarginLoss(...args: unknown[]): Tensor { return call(445, 'softMarginLoss ^target|reduction', this, args); }

  /**
   * The terms of the Kullback-Leibler divergence, as `torch.nn.functional.kl_div`:
   * `y * (log(y) - x)` for log probabilities `x` in `self` and probabilities `y`, or
   * `exp(y) * (y - x)` with `log_target`.
   *
   * Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss). `reduction` may also be
   * `"batchmean"`, the sum divided by the size of dimension 0, which is the divergence by its
   * definition.
   * @param reduction default "mean"
   * @param logTarget default false
   */
  klDiv(target: TensorLike, options?: { reduction?: 'none' | 'batchmean' | 'mean' | 'sum'; logTarget?: boolean }): Tensor;
  klDiv(...args: unknown[]): Tensor { return call(446, 'klDiv ^target|reduction logTarget', this, args); }

  /**
   * The negative log likelihood of counts under Poisson distributions, as
   * `torch.nn.functional.poisson_nll_loss`: `exp(x) - y * x` with `log_input`, otherwise
   * `x - y * log(x + eps)`.
   *
   * `full` adds Stirling's approximation `y * log(y) - y + log(2 * pi * y) / 2` where `y > 1`.
   * Shapes, `reduction` and errors are as in [`mse_loss`](Tensor::mse_loss).
   * @param logInput default true
   * @param full default false
   * @param eps default 1e-8
   * @param reduction default "mean"
   */
  poissonNllLoss(target: TensorLike, options?: { logInput?: boolean; full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  poissonNllLoss(...args: unknown[]): Tensor { return call(447, 'poissonNllLoss ^target|logInput full eps reduction', this, args); }

  /**
   * The negative log likelihood under normal distributions, as
   * `torch.nn.functional.gaussian_nll_loss` (Nix and Weigend, 1994): `(log(v) + (x - y)^2 / v) / 2`
   * with `v = max(var, eps)`.
   *
   * `self: [*, D]`, to which `target` broadcasts; `var` has the shape of `self`, `[*]`, or the same
   * shape with one size of 1. The gradient ignores the limit `eps`, and `full` adds `log(2 * pi) /
   * 2`. `reduction` is as in [`mse_loss`](Tensor::mse_loss).
   *
   * Errors: `shape` if the shapes do not fit; `argument` if `eps` is not positive or `reduction` is
   * unknown, or, when the result is read, if an element of `var` is negative.
   * @param full default false
   * @param eps default 1e-6
   * @param reduction default "mean"
   */
  gaussianNllLoss(target: TensorLike, var_: TensorLike, options?: { full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' }): Tensor;
  gaussianNllLoss(...args: unknown[]): Tensor { return call(448, 'gaussianNllLoss ^target ^var|full eps reduction', this, args); }

  /**
   * In training, each channel is set to 0 with probability `p` and otherwise divided by `1 - p`, as
   * `torch.nn.functional.dropout1d`.
   *
   * Shapes: `self: [N, C, L]` or `[C, L]`.
   *
   * Errors: `shape` for another number of dimensions; `argument` if `p` is not from 0 to 1; `dtype`
   * if `self` is not floating point.
   * @param p default 0.5
   * @param training default true
   */
  dropout1d(p?: number, training?: boolean): Tensor;
  dropout1d(options?: { p?: number; training?: boolean }): Tensor;
  dropout1d(...args: unknown[]): Tensor { return call(449, 'dropout1d p training', this, args); }
  /** The in-place form of `dropout1d`: this tensor takes the result, and is returned. */
  dropout1d_(p?: number, training?: boolean): this;
  dropout1d_(options?: { p?: number; training?: boolean }): this;
  dropout1d_(...args: unknown[]): this { return callInPlace(449, 'dropout1d_ p training', this, args); }

  /**
   * [`dropout1d`](Tensor::dropout1d) of images, `[N, C, H, W]` or `[C, H, W]`.
   *
   * Errors: as of `dropout1d`.
   * @param p default 0.5
   * @param training default true
   */
  dropout2d(p?: number, training?: boolean): Tensor;
  dropout2d(options?: { p?: number; training?: boolean }): Tensor;
  dropout2d(...args: unknown[]): Tensor { return call(450, 'dropout2d p training', this, args); }
  /** The in-place form of `dropout2d`: this tensor takes the result, and is returned. */
  dropout2d_(p?: number, training?: boolean): this;
  dropout2d_(options?: { p?: number; training?: boolean }): this;
  dropout2d_(...args: unknown[]): this { return callInPlace(450, 'dropout2d_ p training', this, args); }

  /**
   * [`dropout1d`](Tensor::dropout1d) of volumes, `[N, C, D, H, W]` or `[C, D, H, W]`.
   *
   * Errors: as of `dropout1d`.
   * @param p default 0.5
   * @param training default true
   */
  dropout3d(p?: number, training?: boolean): Tensor;
  dropout3d(options?: { p?: number; training?: boolean }): Tensor;
  dropout3d(...args: unknown[]): Tensor { return call(451, 'dropout3d p training', this, args); }
  /** The in-place form of `dropout3d`: this tensor takes the result, and is returned. */
  dropout3d_(p?: number, training?: boolean): this;
  dropout3d_(options?: { p?: number; training?: boolean }): this;
  dropout3d_(...args: unknown[]): this { return callInPlace(451, 'dropout3d_ p training', this, args); }

  /**
   * In training, each channel is set to 0 with probability `p` and otherwise divided by `1 - p`, as
   * `torch.feature_dropout`.
   *
   * Shapes: `self: [N, C, *]`.
   *
   * Errors: `argument` if `p` is not from 0 to 1; `dtype` if `self` is not floating point.
   */
  featureDropout(p: number, train: boolean): Tensor;
  featureDropout(...args: unknown[]): Tensor { return call(452, 'featureDropout p train', this, args); }
  /** The in-place form of `featureDropout`: this tensor takes the result, and is returned. */
  featureDropout_(p: number, train: boolean): this;
  featureDropout_(...args: unknown[]): this { return callInPlace(452, 'featureDropout_ p train', this, args); }

  /**
   * Dropout that keeps mean and variance of normally distributed inputs, as
   * `torch.nn.functional.alpha_dropout`: while `training`, elements are set to the limit of SELU
   * activations with probability `p`, and all are scaled and shifted.
   *
   * Errors: `argument` if `p` is not from 0 to 1; `dtype` if `self` is not floating point.
   *
   * Source: Klambauer et al., "Self-Normalizing Neural Networks" (2017).
   * @param p default 0.5
   * @param training default false
   */
  alphaDropout(p?: number, training?: boolean): Tensor;
  alphaDropout(options?: { p?: number; training?: boolean }): Tensor;
  alphaDropout(...args: unknown[]): Tensor { return call(453, 'alphaDropout p training', this, args); }
  /** The in-place form of `alphaDropout`: this tensor takes the result, and is returned. */
  alphaDropout_(p?: number, training?: boolean): this;
  alphaDropout_(options?: { p?: number; training?: boolean }): this;
  alphaDropout_(...args: unknown[]): this { return callInPlace(453, 'alphaDropout_ p training', this, args); }

  /**
   * [`alpha_dropout`](Tensor::alpha_dropout) of whole channels, as
   * `torch.nn.functional.feature_alpha_dropout`.
   *
   * Shapes: `self: [N, C, *]`.
   *
   * Errors: as of `alpha_dropout`.
   * @param p default 0.5
   * @param training default false
   */
  featureAlphaDropout(p?: number, training?: boolean): Tensor;
  featureAlphaDropout(options?: { p?: number; training?: boolean }): Tensor;
  featureAlphaDropout(...args: unknown[]): Tensor { return call(454, 'featureAlphaDropout p training', this, args); }
  /** The in-place form of `featureAlphaDropout`: this tensor takes the result, and is returned. */
  featureAlphaDropout_(p?: number, training?: boolean): this;
  featureAlphaDropout_(options?: { p?: number; training?: boolean }): this;
  featureAlphaDropout_(...args: unknown[]): this { return callInPlace(454, 'featureAlphaDropout_ p training', this, args); }

  /**
   * A leaky ReLU of random slope, as `torch.nn.functional.rrelu`: while `training`, an element that
   * is not positive is multiplied by a uniform number from `lower` to `upper`, and otherwise by
   * their mean.
   *
   * Errors: `argument` if `lower` is larger than `upper`; `dtype` if `self` is not floating point.
   *
   * Source: Xu et al., "Empirical Evaluation of Rectified Activations in Convolution Network"
   * (2015).
   * @param lower default 0.125
   * @param upper default 0.3333333333333333
   * @param training default false
   * @param generator the source of the random numbers; by default the device's generator
   */
  rrelu(lower?: Scalar, upper?: Scalar, training?: boolean, options?: { generator?: Generator | null }): Tensor;
  rrelu(options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null }): Tensor;
  rrelu(...args: unknown[]): Tensor { return drawing('rrelu', args, (args) => call(455, 'rrelu lower upper training', this, args)); }
  /** The in-place form of `rrelu`: this tensor takes the result, and is returned. */
  rrelu_(lower?: Scalar, upper?: Scalar, training?: boolean, options?: { generator?: Generator | null }): this;
  rrelu_(options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null }): this;
  rrelu_(...args: unknown[]): this { return drawing('rrelu_', args, (args): this => callInPlace(455, 'rrelu_ lower upper training', this, args)); }

  /**
   * Samples of a relaxed categorical distribution, as `torch.nn.functional.gumbel_softmax`: the
   * softmax along `dim` of the logits plus Gumbel noise, divided by `tau`.
   *
   * With `hard`, the result is one-hot and has the gradient of the soft samples. `eps` has no
   * effect, as in PyTorch.
   *
   * Errors: `dtype` if `self` is not floating point; `index` if `dim` is out of range.
   *
   * Source: Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax" (2017).
   * @param tau default 1.0
   * @param hard default false
   * @param eps default 1e-10
   * @param dim default -1
   * @param generator the source of the random numbers; by default the device's generator
   */
  gumbelSoftmax(tau?: number, hard?: boolean, eps?: number, dim?: number, options?: { generator?: Generator | null }): Tensor;
  gumbelSoftmax(options?: { tau?: number; hard?: boolean; eps?: number; dim?: number; generator?: Generator | null }): Tensor;
  gumbelSoftmax(...args: unknown[]): Tensor { return drawing('gumbelSoftmax', args, (args) => call(456, 'gumbelSoftmax tau hard eps dim', this, args)); }

  /**
   * Uniform random integers in the shape and type of `self`: from 0 to the largest up to which the
   * type has every one, and to 2^31 - 1 at most. `random_` fills `self` with them.
   * @param generator the source of the random numbers; by default the device's generator
   */
  random(options?: { generator?: Generator | null }): Tensor;
  /**
   * Uniform random integers from 0 up to `to`, which is excluded, in the shape and type of `self`.
   *
   * Errors: `argument` if `to` is not from 1 to 2^31.
   * @param generator the source of the random numbers; by default the device's generator
   */
  random(to: number, options?: { generator?: Generator | null }): Tensor;
  /**
   * Uniform random integers from `from` up to `to`, which is excluded, in the shape and type of
   * `self`; without `to`, up to the largest as of `random`.
   *
   * Errors: `argument` if the range is empty or exceeds int32.
   * @param generator the source of the random numbers; by default the device's generator
   */
  random(from: number, to: number | null, options?: { generator?: Generator | null }): Tensor;
  random(...args: unknown[]): unknown { return drawing('random', args, (args) => callOverload(457, 'random;;;', this, args) as never); }
  /** The in-place form of `random`: this tensor takes the result, and is returned. */
  random_(options?: { generator?: Generator | null }): this;
  random_(to: number, options?: { generator?: Generator | null }): this;
  random_(from: number, to: number | null, options?: { generator?: Generator | null }): this;
  random_(...args: unknown[]): this { return drawing('random_', args, (args): this => callOverloadInPlace(457, 'random_', this, args)); }

  /**
   * Layer normalization over the last dimensions, as `torch.nn.functional.layer_norm` (Ba, Kiros and
   * Hinton, 2016): `(x - mean) / sqrt(variance + eps) * weight + bias`.
   *
   * `self: [*, normalized_shape]`, `weight` and `bias`: `normalized_shape`; the result has the shape
   * of `self`. Mean and variance, the biased one that divides by `n`, are over the dimensions of
   * `normalized_shape`.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if `normalized_shape` is empty or
   * `self` does not end in it, or if `weight` or `bias` has another shape.
   * @param weight default null
   * @param bias default null
   * @param eps default 1e-5
   */
  layerNorm(normalizedShape: number | readonly number[], weight?: TensorLike | null, bias?: TensorLike | null, eps?: number): Tensor;
  layerNorm(normalizedShape: number | readonly number[], options?: { weight?: TensorLike | null; bias?: TensorLike | null; eps?: number }): Tensor;
  layerNorm(...args: unknown[]): Tensor { return call(460, 'layerNorm normalizedShape ^weight ^bias eps', this, args); }

  /**
   * [`layer_norm`](Tensor::layer_norm) that also returns the means and the inverse standard
   * deviations.
   *
   * `output` has the shape of `self`; `mean` and `rstd`, which is `1 / sqrt(variance + eps)`, have
   * size 1 in the normalized dimensions. The errors are as of `layer_norm`.
   * @param weight default null
   * @param bias default null
   * @param eps default 1e-5
   */
  nativeLayerNorm(normalizedShape: number | readonly number[], weight?: TensorLike | null, bias?: TensorLike | null, eps?: number): [Tensor, Tensor, Tensor] & { output: Tensor; mean: Tensor; rstd: Tensor };
  nativeLayerNorm(normalizedShape: number | readonly number[], options?: { weight?: TensorLike | null; bias?: TensorLike | null; eps?: number }): [Tensor, Tensor, Tensor] & { output: Tensor; mean: Tensor; rstd: Tensor };
  nativeLayerNorm(...args: unknown[]): unknown { return callAny(461, 'nativeLayerNorm normalizedShape ^weight ^bias eps', ['output', 'mean', 'rstd'], this, args) as never; }

  /**
   * Root mean square normalization over the last dimensions, as `torch.nn.functional.rms_norm`
   * (Zhang and Sennrich, 2019): `x / sqrt(mean(x^2) + eps) * weight`.
   *
   * `self: [*, normalized_shape]`, `weight: normalized_shape`; the result has the shape of `self`.
   * Without `eps` it is the machine epsilon of the type computed in, which is float32 for 16-bit
   * types.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if `normalized_shape` is empty or
   * `self` does not end in it, or if `weight` has another shape.
   * @param weight default null
   * @param eps default null
   */
  rmsNorm(normalizedShape: number | readonly number[], weight?: TensorLike | null, eps?: Scalar | null): Tensor;
  rmsNorm(normalizedShape: number | readonly number[], options?: { weight?: TensorLike | null; eps?: Scalar | null }): Tensor;
  rmsNorm(...args: unknown[]): Tensor { return call(462, 'rmsNorm normalizedShape ^weight eps', this, args); }

  /**
   * Group normalization, as `torch.nn.functional.group_norm` (Wu and He, 2018):
   * `(x - mean) / sqrt(variance + eps) * weight + bias`.
   *
   * `self: [N, C, *]`, `weight` and `bias`: `[C]`; the result has the shape of `self`. The channels
   * are divided into `num_groups` groups; mean and biased variance are of each example's group, over
   * its channels and positions.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if it has fewer than two dimensions, no
   * channels or no positions, or if `weight` or `bias` is not `[C]`; `argument` if `num_groups` does
   * not divide `C`.
   * @param weight default null
   * @param bias default null
   * @param eps default 1e-5
   */
  groupNorm(numGroups: number, weight?: TensorLike | null, bias?: TensorLike | null, eps?: number): Tensor;
  groupNorm(numGroups: number, options?: { weight?: TensorLike | null; bias?: TensorLike | null; eps?: number }): Tensor;
  groupNorm(...args: unknown[]): Tensor { return call(463, 'groupNorm numGroups ^weight ^bias eps', this, args); }

  /**
   * Instance normalization, as `torch.nn.functional.instance_norm` (Ulyanov et al., 2016):
   * `(x - mean) / sqrt(variance + eps) * weight + bias`.
   *
   * `self: [N, C, L, *]`, the other tensors: `[C]`; the result has the shape of `self`. With
   * `use_input_stats`, mean and variance are of each channel of each example, over its positions,
   * and `running_mean` and `running_var`, where given, are updated in place to `(1 - momentum) *
   * running + momentum * batch`, the batch's value being the mean over the examples and the variance
   * the unbiased one. Otherwise the running statistics are used.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if a channel has only one position,
   * `self` has fewer than three dimensions, or another tensor is not `[C]`; `argument` if the
   * running statistics are needed and missing.
   * @param runningMean default null
   * @param runningVar default null
   * @param weight default null
   * @param bias default null
   * @param useInputStats default true
   * @param momentum default 0.1
   * @param eps default 1e-5
   */
  instanceNorm(runningMean?: TensorLike | null, runningVar?: TensorLike | null, weight?: TensorLike | null, bias?: TensorLike | null, useInputStats?: boolean, momentum?: number, eps?: number): Tensor;
  instanceNorm(options?: { runningMean?: TensorLike | null; runningVar?: TensorLike | null; weight?: TensorLike | null; bias?: TensorLike | null; useInputStats?: boolean; momentum?: number; eps?: number }): Tensor;
  instanceNorm(...args: unknown[]): Tensor { return call(464, 'instanceNorm ^runningMean ^runningVar ^weight ^bias useInputStats momentum eps', this, args); }

  /**
   * Batch normalization, as `torch.nn.functional.batch_norm` (Ioffe and Szegedy, 2015):
   * `(x - mean) / sqrt(variance + eps) * weight + bias`.
   *
   * `self: [N, C, *]`, the other tensors: `[C]`; the result has the shape of `self`. In `training`,
   * mean and variance are of each channel, over the batch and all positions, and `running_mean` and
   * `running_var`, where given, are updated in place to `(1 - momentum) * running + momentum *
   * batch` with the unbiased variance. Otherwise the running statistics are used.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if it has fewer than two dimensions, if
   * training has only one value for each channel, or if another tensor is not `[C]`; `argument` if
   * `eps` is negative, or 0 in training, or if the running statistics are needed and missing.
   * @param runningMean default null
   * @param runningVar default null
   * @param weight default null
   * @param bias default null
   * @param training default false
   * @param momentum default 0.1
   * @param eps default 1e-5
   */
  batchNorm(runningMean?: TensorLike | null, runningVar?: TensorLike | null, weight?: TensorLike | null, bias?: TensorLike | null, training?: boolean, momentum?: number, eps?: number): Tensor;
  batchNorm(options?: { runningMean?: TensorLike | null; runningVar?: TensorLike | null; weight?: TensorLike | null; bias?: TensorLike | null; training?: boolean; momentum?: number; eps?: number }): Tensor;
  batchNorm(...args: unknown[]): Tensor { return call(465, 'batchNorm ^runningMean ^runningVar ^weight ^bias training momentum eps', this, args); }

  /**
   * `x / max(norm(x), eps)` with the p-norm along `dim`, as `torch.nn.functional.normalize`.
   *
   * The result has the shape of `self`.
   *
   * Errors: `dtype` if `self` is not floating point; `index` if `dim` is out of range; `argument` if
   * dimension `dim` is empty and `p` is negative or infinite.
   * @param p default 2.0
   * @param dim default 1
   * @param eps default 1e-12
   */
  normalize(p?: number, dim?: number, eps?: number): Tensor;
  normalize(options?: { p?: number; dim?: number; eps?: number }): Tensor;
  normalize(...args: unknown[]): Tensor { return call(466, 'normalize p dim eps', this, args); }

  /**
   * Local response normalization across channels, as `torch.nn.functional.local_response_norm`
   * (Krizhevsky et al., 2012): `x / (k + alpha * mean(x^2))^beta`.
   *
   * `self: [N, C, L, *]`; the result has the same shape. The mean for channel `c` is over the `size`
   * channels that start at `c - size / 2`, rounded down; channels outside of the input count as 0.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if it has fewer than three dimensions;
   * `argument` if `size` is not positive.
   * @param alpha default 0.0001
   * @param beta default 0.75
   * @param k default 1.0
   */
  localResponseNorm(size: number, alpha?: number, beta?: number, k?: number): Tensor;
  localResponseNorm(size: number, options?: { alpha?: number; beta?: number; k?: number }): Tensor;
  localResponseNorm(...args: unknown[]): Tensor { return call(467, 'localResponseNorm size alpha beta k', this, args); }

  /**
   * A view with the dimensions `source` moved to the positions `destination`, as `torch.movedim`;
   * the other dimensions keep their order.
   *
   * Errors: `argument` if the lists have different lengths or name a dimension twice; `index` if a
   * dimension is out of range.
   */
  movedim(source: number | readonly number[], destination: number | readonly number[]): Tensor;
  movedim(source: number | readonly number[], ...destination: number[]): Tensor;
  movedim(...args: unknown[]): Tensor { return call(468, 'movedim source *destination', this, args); }

  /** Another name of `movedim`. */
  moveaxis(source: number | readonly number[], destination: number | readonly number[]): Tensor;
  moveaxis(source: number | readonly number[], ...destination: number[]): Tensor;
  moveaxis(...args: unknown[]): Tensor { return call(468, 'moveaxis source *destination', this, args); }

  /**
   * A view with the dimensions in reverse order, `x.T` in PyTorch: `[a, b, c]` becomes `[c, b, a]`.
   */
  numpyT(): Tensor;
  numpyT(...args: unknown[]): Tensor { return call(469, 'numpyT', this, args); }

  /** Another name of `numpyT`. */
  get T(): Tensor { return call(469, 'T', this, []); }

  /**
   * A view with the last two dimensions swapped, as `torch.Tensor.mT`: `[*, n, m]` becomes `[*, m,
   * n]`.
   *
   * Errors: `shape` if `self` has fewer than two dimensions.
   */
  get mT(): Tensor { return call(470, 'mT', this, []); }

  /** Another name of `mT`. */
  get mH(): Tensor { return call(470, 'mH', this, []); }

  /** Another name of `mT`. */
  adjoint(): Tensor;
  adjoint(...args: unknown[]): Tensor { return call(470, 'adjoint', this, args); }

  /**
   * The conjugate transpose of a matrix, `x.H` in PyTorch, which for real numbers is the transpose.
   *
   * `self: [n, m]`; the result is `[m, n]`, a view. A 0-d tensor is returned as it is.
   *
   * Errors: `shape` if `self` has another number of dimensions than 2 or 0.
   */
  matrixH(): Tensor;
  matrixH(...args: unknown[]): Tensor { return call(471, 'matrixH', this, args); }

  /** Another name of `matrixH`. */
  get H(): Tensor { return call(471, 'H', this, []); }

  /**
   * The elements in reverse order along dimension 1, as `torch.fliplr`.
   *
   * Errors: `shape` if `self` has fewer than two dimensions.
   */
  fliplr(): Tensor;
  fliplr(...args: unknown[]): Tensor { return call(472, 'fliplr', this, args); }

  /**
   * The elements in reverse order along dimension 0, as `torch.flipud`.
   *
   * Errors: `shape` if `self` is 0-d.
   */
  flipud(): Tensor;
  flipud(...args: unknown[]): Tensor { return call(473, 'flipud', this, args); }

  /**
   * The tensor rotated by `k` right angles in the plane of two dimensions, from the first of `dims`
   * towards the second, as `torch.rot90`.
   *
   * For odd `k` the result has the two sizes swapped. A negative `k` rotates the other way.
   *
   * Errors: `argument` if `dims` does not name two different dimensions; `index` if one is out of
   * range.
   * @param k default 1
   * @param dims default [0, 1]
   */
  rot90(k?: number, dims?: number | readonly number[]): Tensor;
  rot90(options?: { k?: number; dims?: number | readonly number[] }): Tensor;
  rot90(...args: unknown[]): Tensor { return call(474, 'rot90 k dims', this, args); }

  /**
   * The elements shifted by `shifts` along `dims`, with wrap-around, as `torch.roll`.
   *
   * The result has the shape of `self`. Without `dims`, one shift is applied to the flattened
   * tensor.
   *
   * Errors: `argument` if there are not as many shifts as dimensions; `index` if a dimension is out
   * of range or `self` is 0-d.
   * @param dims default []
   */
  roll(shifts: number | readonly number[], dims?: number | readonly number[]): Tensor;
  roll(shifts: number | readonly number[], options?: { dims?: number | readonly number[] }): Tensor;
  roll(...args: unknown[]): Tensor { return call(475, 'roll shifts dims', this, args); }

  /**
   * The channels of `groups` groups interleaved, as `torch.nn.functional.channel_shuffle` (Zhang et
   * al., "ShuffleNet", 2018).
   *
   * `self: [N, C, *]`; the result has the same shape, and its channel `i * groups + g` is channel
   * `g * (C / groups) + i` of `self`.
   *
   * Errors: `shape` if `self` has fewer than three dimensions or `groups` does not divide `C`.
   */
  channelShuffle(groups: number): Tensor;
  channelShuffle(...args: unknown[]): Tensor { return call(476, 'channelShuffle groups', this, args); }

  /**
   * Moves blocks of channels to spatial positions, as `torch.nn.functional.pixel_shuffle` (Shi et
   * al., "Real-Time Single Image and Video Super-Resolution Using an Efficient Sub-Pixel
   * Convolutional Neural Network", 2016).
   *
   * `self: [*, C * r * r, H, W]` becomes `[*, C, H * r, W * r]`, where `r` is `upscale_factor`.
   *
   * Errors: `shape` if `self` has fewer than three dimensions or `r * r` does not divide its
   * channels.
   */
  pixelShuffle(upscaleFactor: number): Tensor;
  pixelShuffle(...args: unknown[]): Tensor { return call(477, 'pixelShuffle upscaleFactor', this, args); }

  /**
   * The inverse of [`pixel_shuffle`](Tensor::pixel_shuffle), as
   * `torch.nn.functional.pixel_unshuffle`.
   *
   * `self: [*, C, H * r, W * r]` becomes `[*, C * r * r, H, W]`, where `r` is `downscale_factor`.
   *
   * Errors: `shape` if `self` has fewer than three dimensions or `r` does not divide height and
   * width.
   */
  pixelUnshuffle(downscaleFactor: number): Tensor;
  pixelUnshuffle(...args: unknown[]): Tensor { return call(478, 'pixelUnshuffle downscaleFactor', this, args); }

  /**
   * Average pooling of a signal, as `torch.nn.functional.avg_pool1d`.
   *
   * `self: [N, C, L]` or `[C, L]`; the result is `[N, C, L_out]` or `[C, L_out]`. The formula of
   * `L_out`, the options and the errors are as in [`avg_pool2d`](Tensor::avg_pool2d).
   * @param stride default []
   * @param padding default 0
   * @param ceilMode default false
   * @param countIncludePad default true
   */
  avgPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean): Tensor;
  avgPool1d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  avgPool1d(...args: unknown[]): Tensor { return call(479, 'avgPool1d kernelSize stride padding ceilMode countIncludePad', this, args); }

  /**
   * Average pooling of an image, as `torch.nn.functional.avg_pool2d`.
   *
   * `self: [N, C, H, W]` or `[C, H, W]`; the result is `[N, C, H_out, W_out]` or `[C, H_out, W_out]`
   * with `H_out = floor((H + 2 * padding - kernel_size) / stride) + 1`, and `W_out` alike. With
   * `ceil_mode` the quotient is rounded up, but no window starts in the padding after the input.
   * `kernel_size`, `stride` and `padding` are one number or one for each dimension; `stride` is
   * `kernel_size` where it is empty. The mean counts padding as zeros, or without
   * `count_include_pad` only elements of the input; `divisor_override` is a divisor in place of
   * their number.
   *
   * Errors: `dtype` if `self` is not floating point; `shape` if it has another number of dimensions
   * or the result would be empty; `argument` if `kernel_size` or `stride` is below 1, `padding`
   * negative or more than half of `kernel_size`, a list of the wrong length, or `divisor_override`
   * is 0.
   * @param stride default []
   * @param padding default 0
   * @param ceilMode default false
   * @param countIncludePad default true
   * @param divisorOverride default null
   */
  avgPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean, divisorOverride?: number | null): Tensor;
  avgPool2d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean; divisorOverride?: number | null }): Tensor;
  avgPool2d(...args: unknown[]): Tensor { return call(480, 'avgPool2d kernelSize stride padding ceilMode countIncludePad divisorOverride', this, args); }

  /**
   * Average pooling of a volume, as `torch.nn.functional.avg_pool3d`.
   *
   * `self: [N, C, D, H, W]` or `[C, D, H, W]`; the result is `[N, C, D_out, H_out, W_out]` or the
   * same without `N`. The formula of the sizes, the options and the errors are as in
   * [`avg_pool2d`](Tensor::avg_pool2d).
   * @param stride default []
   * @param padding default 0
   * @param ceilMode default false
   * @param countIncludePad default true
   * @param divisorOverride default null
   */
  avgPool3d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean, divisorOverride?: number | null): Tensor;
  avgPool3d(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean; divisorOverride?: number | null }): Tensor;
  avgPool3d(...args: unknown[]): Tensor { return call(481, 'avgPool3d kernelSize stride padding ceilMode countIncludePad divisorOverride', this, args); }

  /**
   * Power-average pooling of a signal, as `torch.nn.functional.lp_pool1d`: `sum(x^p)^(1 / p)` over
   * each window, where `p` is `norm_type`.
   *
   * `self: [N, C, L]` or `[C, L]`; the result is `[N, C, L_out]` or `[C, L_out]`, with `L_out`,
   * `stride` and `ceil_mode` as in [`avg_pool2d`](Tensor::avg_pool2d) without padding. The result of
   * a negative sum, which is possible for an odd `p`, is NaN. An infinite `p` takes the largest
   * magnitude of each window, and a negative infinite one the smallest. The gradient of a sum of 0
   * is 0.
   *
   * Integers are converted to float32.
   *
   * Errors: `shape` if `self` has another number of dimensions or the result would be empty;
   * `argument` if `norm_type` is 0, or if `kernel_size` or `stride` is below 1 or has the wrong
   * length.
   * @param stride default []
   * @param ceilMode default false
   */
  lpPool1d(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[], ceilMode?: boolean): Tensor;
  lpPool1d(normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  lpPool1d(...args: unknown[]): Tensor { return call(482, 'lpPool1d normType kernelSize stride ceilMode', this, args); }

  /**
   * Power-average pooling of an image, as `torch.nn.functional.lp_pool2d`; see
   * [`lp_pool1d`](Tensor::lp_pool1d), which has the formula and the errors.
   *
   * `self: [N, C, H, W]` or `[C, H, W]`; the result is `[N, C, H_out, W_out]` or
   * `[C, H_out, W_out]`.
   * @param stride default []
   * @param ceilMode default false
   */
  lpPool2d(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[], ceilMode?: boolean): Tensor;
  lpPool2d(normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  lpPool2d(...args: unknown[]): Tensor { return call(483, 'lpPool2d normType kernelSize stride ceilMode', this, args); }

  /**
   * Power-average pooling of a volume, as `torch.nn.functional.lp_pool3d`; see
   * [`lp_pool1d`](Tensor::lp_pool1d), which has the formula and the errors.
   *
   * `self: [N, C, D, H, W]` or `[C, D, H, W]`; the result is `[N, C, D_out, H_out, W_out]` or the
   * same without `N`.
   * @param stride default []
   * @param ceilMode default false
   */
  lpPool3d(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[], ceilMode?: boolean): Tensor;
  lpPool3d(normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  lpPool3d(...args: unknown[]): Tensor { return call(484, 'lpPool3d normType kernelSize stride ceilMode', this, args); }

  /**
   * The product of two matrices, as `torch.mm`.
   *
   * `self: [n, k]` and `mat2: [k, m]` give `[n, m]`. Nothing is broadcast, and types are not
   * promoted.
   *
   * Errors: `shape` if a tensor is not a matrix or the inner sizes differ; `dtype` if the types
   * differ.
   */
  mm(mat2: TensorLike): Tensor;
  /**
   * [`mm`](Tensor::mm) computed in the type `out_dtype`, which the result has.
   *
   * Errors: as of `mm`.
   */
  mm(mat2: TensorLike, outDtype: DType): Tensor;
  mm(...args: unknown[]): unknown { return callOverload(485, 'mm;;', this, args) as never; }

  /**
   * The products of two batches of matrices, as `torch.bmm`.
   *
   * `self: [b, n, k]` and `mat2: [b, k, m]` give `[b, n, m]`. Nothing is broadcast, and types are
   * not promoted.
   *
   * Errors: `shape` if a tensor does not have three dimensions, or the batch or inner sizes differ;
   * `dtype` if the types differ.
   */
  bmm(mat2: TensorLike): Tensor;
  /**
   * [`bmm`](Tensor::bmm) computed in the type `out_dtype`, which the result has.
   *
   * Errors: as of `bmm`.
   */
  bmm(mat2: TensorLike, outDtype: DType): Tensor;
  bmm(...args: unknown[]): unknown { return callOverload(487, 'bmm;;', this, args) as never; }

  /**
   * The product of a matrix and a vector, as `torch.mv`.
   *
   * `self: [n, k]` and `vec: [k]` give `[n]`. Types are not promoted.
   *
   * Errors: `shape` if the tensors are not a matrix and a vector, or the inner sizes differ; `dtype`
   * if the types differ.
   */
  mv(vec: TensorLike): Tensor;
  mv(...args: unknown[]): Tensor { return call(489, 'mv ^vec', this, args); }

  /**
   * The dot product of two vectors, as `torch.dot`.
   *
   * `self: [n]` and `tensor: [n]` give `[]`. Types are not promoted.
   *
   * Errors: `shape` if a tensor is not a vector or the sizes differ; `dtype` if the types differ.
   */
  dot(tensor: TensorLike): Tensor;
  dot(...args: unknown[]): Tensor { return call(490, 'dot ^tensor', this, args); }

  /** Another name of `dot`. */
  vdot(tensor: TensorLike): Tensor;
  vdot(...args: unknown[]): Tensor { return call(490, 'vdot ^tensor', this, args); }

  /**
   * The sums of products over the last dimension of both tensors, as `torch.inner`.
   *
   * For `self: [*, k]` and `other: [**, k]` the result is `[*, **]`: the leading dimensions of
   * `self`, then of `other`. If either is 0-d, the tensors are multiplied. Types are not promoted,
   * except by a 0-d tensor.
   *
   * Errors: `shape` if the last sizes differ; `dtype` if the types differ.
   */
  inner(other: TensorLike): Tensor;
  inner(...args: unknown[]): Tensor { return call(491, 'inner ^other', this, args); }

  /**
   * The outer product of two vectors, as `torch.outer`.
   *
   * `self: [n]` and `vec2: [m]` give `[n, m]`. Types are promoted.
   *
   * Errors: `shape` if a tensor is not a vector.
   */
  outer(vec2: TensorLike): Tensor;
  outer(...args: unknown[]): Tensor { return call(492, 'outer ^vec2', this, args); }

  /** Another name of `outer`. */
  ger(vec2: TensorLike): Tensor;
  ger(...args: unknown[]): Tensor { return call(492, 'ger ^vec2', this, args); }

  /**
   * `beta * self + alpha * (mat1 @ mat2)`, as `torch.addmm`.
   *
   * `mat1: [n, k]`, `mat2: [k, m]`; `self` broadcasts to the result, `[n, m]`. Where `beta` is 0,
   * NaN and infinities in `self` are ignored, and its gradient is 0. Types are not promoted.
   *
   * Errors: `shape` if a factor is not a matrix, the inner sizes differ or `self` does not expand to
   * the result; `dtype` if the types differ, or integers meet a fractional `alpha` or `beta`.
   * @param beta default 1
   * @param alpha default 1
   */
  addmm(mat1: TensorLike, mat2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  /**
   * [`addmm`](Tensor::addmm) computed in the type `out_dtype`, which the result has.
   *
   * Errors: as of `addmm`.
   * @param beta default 1
   * @param alpha default 1
   */
  addmm(mat1: TensorLike, mat2: TensorLike, outDtype: DType, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addmm(...args: unknown[]): unknown { return callOverload(493, 'addmm;;', this, args) as never; }
  /** The in-place form of `addmm`: this tensor takes the result, and is returned. */
  addmm_(mat1: TensorLike, mat2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addmm_(...args: unknown[]): this { return callInPlace(493, 'addmm_ ^mat1 ^mat2|beta alpha', this, args); }

  /**
   * `beta * self + alpha * (mat @ vec)`, as `torch.addmv`.
   *
   * `mat: [n, k]`, `vec: [k]`; `self` broadcasts to the result, `[n]`. `beta`, types and errors are
   * as in [`addmm`](Tensor::addmm).
   * @param beta default 1
   * @param alpha default 1
   */
  addmv(mat: TensorLike, vec: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addmv(...args: unknown[]): Tensor { return call(495, 'addmv ^mat ^vec|beta alpha', this, args); }
  /** The in-place form of `addmv`: this tensor takes the result, and is returned. */
  addmv_(mat: TensorLike, vec: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addmv_(...args: unknown[]): this { return callInPlace(495, 'addmv_ ^mat ^vec|beta alpha', this, args); }

  /**
   * `beta * self + alpha * outer(vec1, vec2)`, as `torch.addr`.
   *
   * `vec1: [n]`, `vec2: [m]`; `self` broadcasts to the result, `[n, m]`. `beta` and errors are as in
   * [`addmm`](Tensor::addmm); `self` has the type that the vectors are promoted to.
   * @param beta default 1
   * @param alpha default 1
   */
  addr(vec1: TensorLike, vec2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addr(...args: unknown[]): Tensor { return call(496, 'addr ^vec1 ^vec2|beta alpha', this, args); }
  /** The in-place form of `addr`: this tensor takes the result, and is returned. */
  addr_(vec1: TensorLike, vec2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addr_(...args: unknown[]): this { return callInPlace(496, 'addr_ ^vec1 ^vec2|beta alpha', this, args); }

  /**
   * `beta * self + alpha * bmm(batch1, batch2)`, as `torch.baddbmm`.
   *
   * `batch1: [b, n, k]`, `batch2: [b, k, m]`; `self` broadcasts to the result, `[b, n, m]`. `beta`,
   * types and errors are as in [`addmm`](Tensor::addmm) and [`bmm`](Tensor::bmm).
   * @param beta default 1
   * @param alpha default 1
   */
  baddbmm(batch1: TensorLike, batch2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  /**
   * [`baddbmm`](Tensor::baddbmm) computed in the type `out_dtype`, which the result has.
   *
   * Errors: as of `baddbmm`.
   * @param beta default 1
   * @param alpha default 1
   */
  baddbmm(batch1: TensorLike, batch2: TensorLike, outDtype: DType, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  baddbmm(...args: unknown[]): unknown { return callOverload(497, 'baddbmm;;', this, args) as never; }
  /** The in-place form of `baddbmm`: this tensor takes the result, and is returned. */
  baddbmm_(batch1: TensorLike, batch2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): this;
  baddbmm_(...args: unknown[]): this { return callInPlace(497, 'baddbmm_ ^batch1 ^batch2|beta alpha', this, args); }

  /**
   * `beta * self + alpha * sum(bmm(batch1, batch2), 0)`, as `torch.addbmm`.
   *
   * `batch1: [b, n, k]`, `batch2: [b, k, m]`; `self` broadcasts to the result, `[n, m]`. The sum
   * over the batch is part of the same contraction as the sum over `k`. `beta`, types and errors are
   * as in [`addmm`](Tensor::addmm) and [`bmm`](Tensor::bmm).
   * @param beta default 1
   * @param alpha default 1
   */
  addbmm(batch1: TensorLike, batch2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addbmm(...args: unknown[]): Tensor { return call(499, 'addbmm ^batch1 ^batch2|beta alpha', this, args); }
  /** The in-place form of `addbmm`: this tensor takes the result, and is returned. */
  addbmm_(batch1: TensorLike, batch2: TensorLike, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addbmm_(...args: unknown[]): this { return callInPlace(499, 'addbmm_ ^batch1 ^batch2|beta alpha', this, args); }

  /**
   * The Kronecker product, as `torch.kron`: every element of `self` times the whole of `other`.
   *
   * `self: [a_1, ..., a_r]` and `other: [b_1, ..., b_r]` give `[a_1 * b_1, ..., a_r * b_r]`; the
   * shorter shape is extended by leading ones. Types are promoted.
   *
   * Errors: `shape` if the tensors have more than 8 dimensions or the result would be too large.
   */
  kron(other: TensorLike): Tensor;
  kron(...args: unknown[]): Tensor { return call(500, 'kron ^other', this, args); }

  /** Another name of `linalgMatrixPower`. */
  matrixPower(n: number): Tensor;
  matrixPower(...args: unknown[]): Tensor { return call(501, 'matrixPower n', this, args); }

  /**
   * The quantiles `q` of the elements along `dim`, or of all elements, as `torch.quantile`.
   *
   * `self: [*, n, *]`, `q: []` or `[Q]` with numbers from 0 to 1; the result is `[*]` or `[Q, *]`,
   * with `keepdim` a size of 1 in place of `n`. A row that contains NaN has NaN as its quantile. The
   * quantile is at position `q * (n - 1)` of the sorted elements (Hyndman and Fan, 1996, definition
   * 7); `interpolation` is the rule between two elements: `"linear"`, `"lower"`, `"higher"`,
   * `"midpoint"` or `"nearest"`.
   *
   * Errors: `dtype` if `self` is not floating point or `q` has another type; `shape` if `q` has more
   * than one dimension or `self` has no elements; `argument` if `interpolation` is unknown; `index`
   * if `dim` is out of range, or, when the result is read, if an element of `q` is not from 0 to 1.
   * @param dim default null
   * @param keepdim default false
   * @param interpolation default "linear"
   */
  quantile(q: TensorLike, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  quantile(q: TensorLike, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  /**
   * [`quantile`](Tensor::quantile) for one number `q`.
   *
   * Errors: as of `quantile`, and `argument` if `q` is not from 0 to 1.
   * @param dim default null
   * @param keepdim default false
   * @param interpolation default "linear"
   */
  quantile(q: number, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  quantile(q: number, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  quantile(...args: unknown[]): unknown { return callOverload(507, 'quantile;;', this, args) as never; }

  /**
   * [`quantile`](Tensor::quantile) that ignores NaN, as `torch.nanquantile`; NaN for a row of
   * nothing but NaN.
   * @param dim default null
   * @param keepdim default false
   * @param interpolation default "linear"
   */
  nanquantile(q: TensorLike, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  nanquantile(q: TensorLike, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  /**
   * [`nanquantile`](Tensor::nanquantile) for one number `q`.
   *
   * Errors: as of `quantile`, and `argument` if `q` is not from 0 to 1.
   * @param dim default null
   * @param keepdim default false
   * @param interpolation default "linear"
   */
  nanquantile(q: number, dim?: number | null, keepdim?: boolean, options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  nanquantile(q: number, options?: { dim?: number | null; keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' }): Tensor;
  nanquantile(...args: unknown[]): unknown { return callOverload(509, 'nanquantile;;', this, args) as never; }

  /**
   * The elements sorted along the first dimension, as `torch.msort`; see [`sort`](Tensor::sort).
   */
  msort(): Tensor;
  msort(...args: unknown[]): Tensor { return call(511, 'msort', this, args); }

  /**
   * The `k` largest elements along `dim` and their positions, as `torch.topk`; the smallest ones
   * without `largest`.
   *
   * `self: [*, n, *]`; `values` and `indices` are `[*, k, *]`, the indices in int32 (PyTorch:
   * int64). A 0-d tensor counts as a row of one element. The elements are sorted whether or not
   * `sorted` is set, and equal ones are in the order of their positions. NaN is larger than every
   * number.
   *
   * Errors: `index` if `dim` is out of range; `argument` if `k` is not from 0 to `n`.
   * @param dim default -1
   * @param largest default true
   * @param sorted default true
   */
  topk(k: number, dim?: number, largest?: boolean, sorted?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  topk(k: number, options?: { dim?: number; largest?: boolean; sorted?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  topk(...args: unknown[]): unknown { return callAny(512, 'topk k dim largest sorted', ['values', 'indices'], this, args) as never; }

  /**
   * The `k`-th smallest element along `dim`, counted from 1, and its position, as `torch.kthvalue`.
   *
   * `self: [*, n, *]`; `values` and `indices` are `[*]`, with `keepdim` `[*, 1, *]`, the indices in
   * int32 (PyTorch: int64). NaN is larger than every number.
   *
   * Errors: `index` if `dim` is out of range; `argument` if `k` is not from 1 to `n`.
   * @param dim default -1
   * @param keepdim default false
   */
  kthvalue(k: number, dim?: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  kthvalue(k: number, options?: { dim?: number; keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  kthvalue(...args: unknown[]): unknown { return callAny(513, 'kthvalue k dim keepdim', ['values', 'indices'], this, args) as never; }

  /**
   * The median of all elements, as `torch.median`: the lower of the two middle ones, and NaN if any
   * element is NaN or there are none.
   *
   * The result is 0-d. Elements equal to the median share the gradient.
   */
  median(): Tensor;
  /**
   * The medians along `dim` and their positions, as `torch.median`: the lower of the two middle
   * elements; NaN if the row contains NaN.
   *
   * `self: [*, n, *]`; `values` and `indices` are `[*]`, with `keepdim` `[*, 1, *]`, the indices in
   * int32 (PyTorch: int64). The gradient goes to the element at the position.
   *
   * Errors: `index` if `dim` is out of range or has no elements.
   * @param keepdim default false
   */
  median(dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  median(dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  median(...args: unknown[]): unknown { return callOverload(514, 'median;;values,indices', this, args) as never; }

  /**
   * [`median`](Tensor::median) of the elements that are not NaN, as `torch.nanmedian`; NaN if there
   * are none.
   */
  nanmedian(): Tensor;
  /**
   * `median.dim` of the elements that are not NaN, as `torch.nanmedian`; NaN for a row of nothing
   * but NaN.
   *
   * Errors: `index` if `dim` is out of range or has no elements.
   * @param keepdim default false
   */
  nanmedian(dim: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  nanmedian(dim: number, options?: { keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  nanmedian(...args: unknown[]): unknown { return callOverload(516, 'nanmedian;;values,indices', this, args) as never; }

  /**
   * The most frequent elements along `dim` and their last positions, as `torch.mode`; the smallest
   * of several that are equally frequent.
   *
   * `self: [*, n, *]`; `values` and `indices` are `[*]`, with `keepdim` `[*, 1, *]`, the indices in
   * int32 (PyTorch: int64). The gradient goes to the element at the position.
   *
   * Errors: `index` if `dim` is out of range or has no elements.
   * @param dim default -1
   * @param keepdim default false
   */
  mode(dim?: number, keepdim?: boolean): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  mode(options?: { dim?: number; keepdim?: boolean }): [Tensor, Tensor] & { values: Tensor; indices: Tensor };
  mode(...args: unknown[]): unknown { return callAny(518, 'mode dim keepdim', ['values', 'indices'], this, args) as never; }

  /**
   * Resizes signals, images and volumes, as `torch.nn.functional.interpolate`.
   *
   * `self: [N, C, *spatial]` with one to three spatial dimensions; the result is `[N, C, *size]`.
   * Either `size` or `scale_factor` is given, one number or one for each dimension; with a factor,
   * `L_out = floor(L * scale_factor)`. `mode` is `"nearest"` (rounding down), `"nearest-exact"`,
   * `"linear"` (signals), `"bilinear"` and `"bicubic"` (images), `"trilinear"` (volumes) or
   * `"area"`, which is [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d). With `align_corners`
   * the centers of the corner elements coincide, otherwise their outer edges.
   * `recompute_scale_factor` replaces the factor by `L_out / L`. `antialias` widens the filter of an
   * image that is reduced.
   *
   * Bicubic interpolation is cubic convolution (Keys, 1981) with a parameter of -0.75, or -0.5 with
   * `antialias`.
   *
   * Errors: `shape` if `self` does not have the dimensions of `mode` or a spatial size is 0; `dtype`
   * if it is not floating point and `mode` is not one of the nearest ones; `argument` if `mode` is
   * unknown, both or neither of `size` and `scale_factor` are given, one of them has the wrong
   * length or leads to a size below 1, or an option does not apply to `mode`.
   * @param size default null
   * @param scaleFactor default null
   * @param mode default "nearest"
   * @param alignCorners default null
   * @param recomputeScaleFactor default null
   * @param antialias default false
   */
  interpolate(size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null, mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact', alignCorners?: boolean | null, recomputeScaleFactor?: boolean | null, antialias?: boolean): Tensor;
  interpolate(options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null; mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact'; alignCorners?: boolean | null; recomputeScaleFactor?: boolean | null; antialias?: boolean }): Tensor;
  interpolate(...args: unknown[]): Tensor { return call(519, 'interpolate size scaleFactor mode alignCorners recomputeScaleFactor antialias', this, args); }

  /**
   * [`interpolate`](Tensor::interpolate) with mode `"nearest"`, as
   * `torch.nn.functional.upsample_nearest`.
   * @param size default null
   * @param scaleFactor default null
   */
  upsampleNearest(size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null): Tensor;
  upsampleNearest(options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null }): Tensor;
  upsampleNearest(...args: unknown[]): Tensor { return call(520, 'upsampleNearest size scaleFactor', this, args); }

  /**
   * [`interpolate`](Tensor::interpolate) of images with mode `"bilinear"` and `align_corners`, as
   * `torch.nn.functional.upsample_bilinear`.
   * @param size default null
   * @param scaleFactor default null
   */
  upsampleBilinear(size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null): Tensor;
  upsampleBilinear(options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null }): Tensor;
  upsampleBilinear(...args: unknown[]): Tensor { return call(521, 'upsampleBilinear size scaleFactor', this, args); }

  /**
   * All elements in one dimension, as `torch.ravel`; a view where the strides allow it.
   */
  ravel(): Tensor;
  ravel(...args: unknown[]): Tensor { return call(522, 'ravel', this, args); }

  /**
   * [`reshape`](Tensor::reshape) to the shape of `other`.
   *
   * Errors: `shape` if the numbers of elements differ.
   */
  reshapeAs(other: TensorLike): Tensor;
  reshapeAs(...args: unknown[]): Tensor { return call(523, 'reshapeAs ^other', this, args); }

  /**
   * [`view`](Tensor::view) with the shape of `other`.
   *
   * Errors: `shape` if the numbers of elements differ or the strides allow no view.
   */
  viewAs(other: TensorLike): Tensor;
  viewAs(...args: unknown[]): Tensor { return call(524, 'viewAs ^other', this, args); }

  /**
   * [`expand`](Tensor::expand) to `size`: a view.
   *
   * Errors: `shape` if `self` does not broadcast to `size`.
   */
  broadcastTo(size: number | readonly number[]): Tensor;
  broadcastTo(...size: number[]): Tensor;
  broadcastTo(...args: unknown[]): Tensor { return call(525, 'broadcastTo *size', this, args); }

  /**
   * [`expand`](Tensor::expand) to the shape of `other`: a view.
   *
   * Errors: `shape` if `self` does not broadcast to it.
   */
  expandAs(other: TensorLike): Tensor;
  expandAs(...args: unknown[]): Tensor { return call(526, 'expandAs ^other', this, args); }

  /**
   * The tensor repeated along each dimension, as `torch.Tensor.repeat`.
   *
   * `self: [n_1, ..., n_k]` becomes `[repeats_1 * n_1, ..., repeats_k * n_k]`; more numbers than
   * dimensions add dimensions in front. The result is a copy.
   *
   * Errors: `argument` if there are fewer numbers than dimensions or one is negative; `shape` if the
   * result would be too large.
   */
  repeat(repeats: number | readonly number[]): Tensor;
  repeat(...repeats: number[]): Tensor;
  repeat(...args: unknown[]): Tensor { return call(536, 'repeat *repeats', this, args); }

  /**
   * [`repeat`](Tensor::repeat), where missing leading numbers count as 1, as `torch.tile`.
   *
   * Errors: `argument` if a number is negative; `shape` if the result would be too large.
   */
  tile(dims: number | readonly number[]): Tensor;
  tile(...dims: number[]): Tensor;
  tile(...args: unknown[]): Tensor { return call(537, 'tile *dims', this, args); }

  /**
   * Every element, or every slice along `dim`, repeated `repeats` times, as
   * `torch.repeat_interleave`.
   *
   * `self: [*, n, *]` becomes `[*, n * repeats, *]`; without `dim` the tensor is flattened, and the
   * result is a vector. `output_size` is the resulting size along the dimension, which is checked.
   *
   * Errors: `index` if `dim` is out of range; `argument` if `repeats` is negative or `output_size`
   * differs from the resulting size; `shape` if the result would be too large.
   * @param dim default null
   * @param outputSize default null
   */
  repeatInterleave(repeats: number, dim?: number | null, options?: { outputSize?: number | null }): Tensor;
  repeatInterleave(repeats: number, options?: { dim?: number | null; outputSize?: number | null }): Tensor;
  /**
   * [`repeat_interleave`](Tensor::repeat_interleave) with a number for each element or slice.
   *
   * `repeats: [n]`, or one number for all, of an integer type; the size along the dimension is their
   * sum. They are read, and the result is awaited.
   *
   * Errors: as of `repeat_interleave`; `dtype` if `repeats` is not of an integer type; `argument` if
   * it is neither `[n]` nor one number.
   * @param dim default null
   * @param outputSize default null
   */
  repeatInterleave(repeats: TensorLike, dim?: number | null, options?: { outputSize?: number | null }): Promise<Tensor>;
  repeatInterleave(repeats: TensorLike, options?: { dim?: number | null; outputSize?: number | null }): Promise<Tensor>;
  repeatInterleave(...args: unknown[]): unknown { return callOverload(538, 'repeatInterleave;;tensor', this, args) as never; }

  /**
   * The elements of the memory of `self`, from its first one, in the shape `size`; the form in place
   * changes the shape of the tensor, as `torch.Tensor.resize_`.
   *
   * If the memory has too few elements, the result has new memory, with the old elements in
   * front and zeros behind, and other views of the old memory keep it (in PyTorch they see the
   * larger memory, whose new elements have any value).
   *
   * Errors: `shape` if a size is negative; `autograd`, of the form in place, for a leaf that
   * requires gradients.
   */
  resize(size: number | readonly number[]): Tensor;
  resize(...size: number[]): Tensor;
  resize(...args: unknown[]): Tensor { return call(540, 'resize *size', this, args); }
  /** The in-place form of `resize`: this tensor becomes that view, and is returned. */
  resize_(size: number | readonly number[]): this;
  resize_(...size: number[]): this;
  resize_(...args: unknown[]): this { return callInPlace(540, 'resize_ *size', this, args); }

  /**
   * [`resize`](Tensor::resize) to the shape of `the_template`, as `torch.Tensor.resize_as_`.
   *
   * Errors: as of `resize`.
   */
  resizeAs(theTemplate: TensorLike): Tensor;
  resizeAs(...args: unknown[]): Tensor { return call(541, 'resizeAs ^theTemplate', this, args); }
  /** The in-place form of `resizeAs`: this tensor becomes that view, and is returned. */
  resizeAs_(theTemplate: TensorLike): this;
  resizeAs_(...args: unknown[]): this { return callInPlace(541, 'resizeAs_ ^theTemplate', this, args); }

  /**
   * `self` with `fill_value` on the main diagonal; `fill_diagonal_` writes it there.
   *
   * With `wrap`, the diagonal of a matrix with more rows than columns begins again after a row that
   * it leaves out. In more than two dimensions the diagonal has the elements whose indices are all
   * equal.
   *
   * Errors: `shape` if `self` has fewer than two dimensions, or more than two whose sizes differ;
   * `argument` if the type of `self` cannot hold the number.
   * @param wrap default false
   */
  fillDiagonal(fillValue: Scalar, wrap?: boolean): Tensor;
  fillDiagonal(fillValue: Scalar, options?: { wrap?: boolean }): Tensor;
  fillDiagonal(...args: unknown[]): Tensor { return call(542, 'fillDiagonal fillValue wrap', this, args); }
  /** The in-place form of `fillDiagonal`: this tensor takes the result, and is returned. */
  fillDiagonal_(fillValue: Scalar, wrap?: boolean): this;
  fillDiagonal_(fillValue: Scalar, options?: { wrap?: boolean }): this;
  fillDiagonal_(...args: unknown[]): this { return callInPlace(542, 'fillDiagonal_ fillValue wrap', this, args); }

  /**
   * The bucket of each element between `boundaries`, as `torch.bucketize`: the number of boundaries
   * below the element, or, with `right`, not above it.
   *
   * `self: [*]`, `boundaries: [n]`, sorted; the result is `[*]` in int32 (PyTorch: int64, or int32
   * with `out_int32`). There is no gradient.
   *
   * Errors: `shape` if `boundaries` is not a vector.
   * @param outInt32 default false
   * @param right default false
   */
  bucketize(boundaries: TensorLike, options?: { outInt32?: boolean; right?: boolean }): Tensor;
  /**
   * [`bucketize`](Tensor::bucketize) of one number; the result is 0-d.
   * @param outInt32 default false
   * @param right default false
   */
  bucketize(input: Scalar, boundaries: TensorLike, options?: { outInt32?: boolean; right?: boolean }): Tensor;
  bucketize(...args: unknown[]): unknown { return callOverload(544, 'bucketize;;', this, args) as never; }

  /**
   * The transpose of a matrix, as `torch.t`; a vector or 0-d tensor is returned as it is. A view.
   *
   * Errors: `shape` if `self` has more than two dimensions.
   */
  t(): Tensor;
  t(...args: unknown[]): Tensor { return call(547, 't', this, args); }
  /** The in-place form of `t`: this tensor becomes that view, and is returned. */
  t_(): this;
  t_(...args: unknown[]): this { return callInPlace(547, 't_', this, args); }

  /**
   * Merges the dimensions from `start_dim` to `end_dim`, as `torch.flatten`.
   *
   * `self: [a, b, c, d]` with `start_dim` 1 and `end_dim` 2 becomes `[a, b * c, d]`, a view where
   * the strides allow it; a 0-d tensor becomes `[1]`.
   *
   * Errors: `index` if a dimension is out of range; `argument` if `start_dim` comes after `end_dim`.
   * @param startDim default 0
   * @param endDim default -1
   */
  flatten(startDim?: number, endDim?: number): Tensor;
  flatten(options?: { startDim?: number; endDim?: number }): Tensor;
  flatten(...args: unknown[]): Tensor { return call(548, 'flatten startDim endDim', this, args); }

  /**
   * Splits dimension `dim` into several of `sizes`, as `torch.unflatten`.
   *
   * `self: [a, n, b]` with `sizes` `[c, d]` becomes `[a, c, d, b]`, where `n = c * d`; one of the
   * sizes may be -1 and is inferred.
   *
   * Errors: `index` if `dim` is out of range; `shape` if the product of `sizes` is not the size of
   * the dimension, more than one is -1, or `self` is 0-d.
   */
  unflatten(dim: number, sizes: number | readonly number[]): Tensor;
  unflatten(dim: number, ...sizes: number[]): Tensor;
  unflatten(...args: unknown[]): Tensor { return call(549, 'unflatten dim *sizes', this, args); }

  /**
   * The sum over the dimensions in which `size` would be broadcast to the shape of `self`, as
   * `torch.Tensor.sum_to_size`: the adjoint of [`expand`](Tensor::expand).
   *
   * The result has the shape `size`; sums of integers are int32.
   *
   * Errors: `shape` if `size` does not broadcast to the shape of `self`.
   */
  sumToSize(size: number | readonly number[]): Tensor;
  sumToSize(...size: number[]): Tensor;
  sumToSize(...args: unknown[]): Tensor { return call(551, 'sumToSize *size', this, args); }

  /**
   * `exp(x) / sum(exp(x))` along `dim`, as `torch.nn.functional.softmax`.
   *
   * The result has the shape of `self`. The largest element along `dim` is subtracted first, so that
   * nothing overflows; 16-bit types are computed in float32. With `dtype`, `self` is converted
   * first.
   *
   * Errors: `index` if `dim` is out of range.
   * @param dtype default null
   */
  softmax<D extends DType = DType>(dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
  /**
   * [`softmax`](Tensor::softmax) along dimension 0 of tensors with no, one or three dimensions, and
   * along dimension 1 of others, as `torch.nn.functional.softmax` without `dim`.
   * @param dtype default null
   */
  softmax<D extends DType = DType>(options?: { dtype?: D | null }): Typed<D> & Tensor;
  softmax(...args: unknown[]): unknown { return callOverload(552, 'softmax;;', this, args) as never; }

  /**
   * `x - log(sum(exp(x)))` along `dim`, as `torch.nn.functional.log_softmax`, without the loss of
   * precision of `softmax` followed by `log`.
   *
   * The result has the shape of `self`. With `dtype`, `self` is converted first.
   *
   * Errors: `index` if `dim` is out of range.
   * @param dtype default null
   */
  logSoftmax<D extends DType = DType>(dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
  /**
   * [`log_softmax`](Tensor::log_softmax) along the dimension of
   * [`softmax_implicit_dim`](Tensor::softmax_implicit_dim).
   * @param dtype default null
   */
  logSoftmax<D extends DType = DType>(options?: { dtype?: D | null }): Typed<D> & Tensor;
  logSoftmax(...args: unknown[]): unknown { return callOverload(553, 'logSoftmax;;', this, args) as never; }

  /**
   * [`softmax`](Tensor::softmax) of `-self`, as `torch.nn.functional.softmin`.
   *
   * Errors: `index` if `dim` is out of range.
   * @param dtype default null
   */
  softmin<D extends DType = DType>(dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;
  /**
   * [`softmin`](Tensor::softmin) along the dimension of
   * [`softmax_implicit_dim`](Tensor::softmax_implicit_dim).
   * @param dtype default null
   */
  softmin<D extends DType = DType>(options?: { dtype?: D | null }): Typed<D> & Tensor;
  softmin(...args: unknown[]): unknown { return callOverload(554, 'softmin;;', this, args) as never; }

  /**
   * `log(sum(exp(x)))` over dimensions `dim`, as `torch.logsumexp`, without overflow.
   *
   * The dimensions are removed, or with `keepdim` have size 1. The result for no elements is
   * negative infinity.
   *
   * Errors: `index` if a dimension is out of range; `argument` if one appears twice.
   * @param keepdim default false
   */
  logsumexp(dim: number | readonly number[], keepdim?: boolean): Tensor;
  logsumexp(dim: number | readonly number[], options?: { keepdim?: boolean }): Tensor;
  logsumexp(...args: unknown[]): Tensor { return call(555, 'logsumexp dim keepdim', this, args); }

  /**
   * Parts of size `split_size` along `dim`, as `torch.split`: views, the last of which may be
   * smaller.
   *
   * `self: [*, n, *]` becomes `ceil(n / split_size)` tensors `[*, split_size, *]`.
   *
   * Errors: `index` if `dim` is out of range or `self` is 0-d; `argument` if `split_size` is
   * negative, or 0 for a dimension that has elements.
   * @param dim default 0
   */
  split(splitSize: number, dim?: number): Tensor[];
  split(splitSize: number, options?: { dim?: number }): Tensor[];
  /**
   * [`split_with_sizes`](Tensor::split_with_sizes) under the name `split`.
   * @param dim default 0
   */
  split(splitSize: number | readonly number[], dim?: number): Tensor[];
  split(splitSize: number | readonly number[], options?: { dim?: number }): Tensor[];
  split(...args: unknown[]): unknown { return callOverload(559, 'split;tensors;tensors', this, args) as never; }

  /** Another name of `split`. */
  unsafeSplit(splitSize: number, dim?: number): Tensor[];
  unsafeSplit(splitSize: number, options?: { dim?: number }): Tensor[];
  /** Another name of `split`. */
  unsafeSplit(splitSize: number | readonly number[], dim?: number): Tensor[];
  unsafeSplit(splitSize: number | readonly number[], options?: { dim?: number }): Tensor[];
  unsafeSplit(...args: unknown[]): unknown { return callOverload(559, 'unsafeSplit;tensors;tensors', this, args) as never; }

  /**
   * Parts of the given sizes along `dim`, as `torch.split_with_sizes`: views.
   *
   * `self: [*, n, *]` becomes tensors `[*, split_sizes_i, *]`.
   *
   * Errors: `index` if `dim` is out of range or `self` is 0-d; `shape` if the sizes do not add up to
   * `n` or one is negative.
   * @param dim default 0
   */
  splitWithSizes(splitSizes: number | readonly number[], dim?: number): Tensor[];
  splitWithSizes(splitSizes: number | readonly number[], options?: { dim?: number }): Tensor[];
  splitWithSizes(...args: unknown[]): unknown { return callAny(561, 'splitWithSizes splitSizes dim', 'tensors', this, args) as never; }

  /** Another name of `splitWithSizes`. */
  unsafeSplitWithSizes(splitSizes: number | readonly number[], dim?: number): Tensor[];
  unsafeSplitWithSizes(splitSizes: number | readonly number[], options?: { dim?: number }): Tensor[];
  unsafeSplitWithSizes(...args: unknown[]): unknown { return callAny(561, 'unsafeSplitWithSizes splitSizes dim', 'tensors', this, args) as never; }

  /**
   * At most `chunks` parts of equal size along `dim`, as `torch.chunk`: views, the last of which may
   * be smaller.
   *
   * `self: [*, n, *]` becomes tensors `[*, ceil(n / chunks), *]`.
   *
   * Errors: `index` if `dim` is out of range or `self` is 0-d; `argument` if `chunks` is not
   * positive.
   * @param dim default 0
   */
  chunk(chunks: number, dim?: number): Tensor[];
  chunk(chunks: number, options?: { dim?: number }): Tensor[];
  chunk(...args: unknown[]): unknown { return callAny(562, 'chunk chunks dim', 'tensors', this, args) as never; }

  /** Another name of `chunk`. */
  unsafeChunk(chunks: number, dim?: number): Tensor[];
  unsafeChunk(chunks: number, options?: { dim?: number }): Tensor[];
  unsafeChunk(...args: unknown[]): unknown { return callAny(562, 'unsafeChunk chunks dim', 'tensors', this, args) as never; }

  /**
   * `sections` parts along `dim` whose sizes differ by at most one, as `torch.tensor_split`: views,
   * the larger parts first.
   *
   * Errors: `index` if `dim` is out of range or `self` is 0-d; `argument` if `sections` is not
   * positive.
   * @param dim default 0
   */
  tensorSplit(sections: number, dim?: number): Tensor[];
  tensorSplit(sections: number, options?: { dim?: number }): Tensor[];
  /**
   * The parts along `dim` between the given indices, as `torch.tensor_split`: with `[a, b]` they are
   * the slices `:a`, `a:b` and `b:` of Python. Views.
   *
   * Errors: `index` if `dim` is out of range or `self` is 0-d.
   * @param dim default 0
   */
  tensorSplit(indices: number | readonly number[], dim?: number): Tensor[];
  tensorSplit(indices: number | readonly number[], options?: { dim?: number }): Tensor[];
  /**
   * [`tensor_split`](Tensor::tensor_split) with a 0-d tensor as the number of sections or a vector
   * as the indices. It is read, and the result is awaited.
   *
   * Errors: as of `tensor_split`; `dtype` if the tensor is not of an integer type; `argument` if it
   * has more than one dimension.
   * @param dim default 0
   */
  tensorSplit(tensorIndicesOrSections: TensorLike, dim?: number): Promise<Tensor[]>;
  tensorSplit(tensorIndicesOrSections: TensorLike, options?: { dim?: number }): Promise<Tensor[]>;
  tensorSplit(...args: unknown[]): unknown { return callOverload(563, 'tensorSplit;tensors;tensors;tensors', this, args) as never; }

  /**
   * `sections` equal parts of the columns, as `torch.hsplit`: views along dimension 1, or along
   * dimension 0 of a vector.
   *
   * Errors: `shape` if `self` is 0-d; `argument` if `sections` does not divide the size.
   */
  hsplit(sections: number): Tensor[];
  /**
   * The parts of the columns between these positions; see [`hsplit`](Tensor::hsplit).
   *
   * Errors: `shape` if `self` is 0-d.
   */
  hsplit(indices: number | readonly number[]): Tensor[];
  hsplit(...indices: number[]): Tensor[];
  hsplit(...args: unknown[]): unknown { return callOverload(566, 'hsplit;tensors;tensors', this, args) as never; }

  /**
   * `sections` equal parts of the rows, as `torch.vsplit`: views along dimension 0.
   *
   * Errors: `shape` if `self` has fewer than two dimensions; `argument` if `sections` does not
   * divide the size.
   */
  vsplit(sections: number): Tensor[];
  /**
   * The parts of the rows between these positions; see [`vsplit`](Tensor::vsplit).
   *
   * Errors: `shape` if `self` has fewer than two dimensions.
   */
  vsplit(indices: number | readonly number[]): Tensor[];
  vsplit(...indices: number[]): Tensor[];
  vsplit(...args: unknown[]): unknown { return callOverload(568, 'vsplit;tensors;tensors', this, args) as never; }

  /**
   * `sections` equal parts along the third dimension, as `torch.dsplit`: views.
   *
   * Errors: `shape` if `self` has fewer than three dimensions; `argument` if `sections` does not
   * divide the size.
   */
  dsplit(sections: number): Tensor[];
  /**
   * The parts along the third dimension between these positions; see [`dsplit`](Tensor::dsplit).
   *
   * Errors: `shape` if `self` has fewer than three dimensions.
   */
  dsplit(indices: number | readonly number[]): Tensor[];
  dsplit(...indices: number[]): Tensor[];
  dsplit(...args: unknown[]): unknown { return callOverload(570, 'dsplit;tensors;tensors', this, args) as never; }

  /**
   * The slices of dimension `dim`, without that dimension, as `torch.unbind`: views.
   *
   * `self: [*, n, *]` becomes `n` tensors `[*]`.
   *
   * Errors: `index` if `dim` is out of range or `self` is 0-d.
   * @param dim default 0
   */
  unbind(dim?: number): Tensor[];
  unbind(options?: { dim?: number }): Tensor[];
  unbind(...args: unknown[]): unknown { return callAny(572, 'unbind dim', 'tensors', this, args) as never; }

  /**
   * The mean over dimensions `dim`, or over all elements, as `torch.mean`.
   *
   * The dimensions are removed, or with `keepdim` have size 1. The sum of a 16-bit type is computed
   * in float32. With `dtype`, `self` is converted first.
   *
   * Errors: `dtype` if neither `self` nor `dtype` is floating point; `index` if a dimension is out
   * of range; `argument` if one appears twice.
   * @param dim default null
   * @param keepdim default false
   * @param dtype default null
   */
  mean<D extends DType = DType>(dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
  mean<D extends DType = DType>(options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
  mean(...args: unknown[]): Tensor { return call(573, 'mean dim keepdim|dtype', this, args); }

  /**
   * The variance over dimensions `dim`, or over all elements, as `torch.var`:
   * `sum((x - mean)^2) / max(0, n - correction)`.
   *
   * The dimensions are removed, or with `keepdim` have size 1. It is computed in two passes, the
   * mean first. A `correction` of 1 is Bessel's.
   *
   * Errors: `dtype` if `self` is not floating point; `index` if a dimension is out of range;
   * `argument` if one appears twice.
   * @param dim default null
   * @param correction default 1
   * @param keepdim default false
   */
  var(dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): Tensor;
  var(options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): Tensor;
  /**
   * [`var`](Tensor::var) over all elements, with a correction of 1 if `unbiased`, otherwise 0.
   */
  var(unbiased: boolean): Tensor;
  /**
   * [`var`](Tensor::var) with a correction of 1 if `unbiased`, otherwise 0.
   * @param unbiased default true
   * @param keepdim default false
   */
  var(dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): Tensor;
  var(dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): Tensor;
  var(...args: unknown[]): unknown { return callOverload(574, 'var;;;', this, args) as never; }

  /**
   * The standard deviation over dimensions `dim`, or over all elements, as `torch.std`: the square
   * root of [`var`](Tensor::var), whose arguments and errors it has, also where the variance
   * overflows or underflows. Its gradient is 0 where it is 0.
   * @param dim default null
   * @param correction default 1
   * @param keepdim default false
   */
  std(dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): Tensor;
  std(options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): Tensor;
  /**
   * [`std`](Tensor::std) over all elements, with a correction of 1 if `unbiased`, otherwise 0.
   */
  std(unbiased: boolean): Tensor;
  /**
   * [`std`](Tensor::std) with a correction of 1 if `unbiased`, otherwise 0.
   * @param unbiased default true
   * @param keepdim default false
   */
  std(dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): Tensor;
  std(dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): Tensor;
  std(...args: unknown[]): unknown { return callOverload(577, 'std;;;', this, args) as never; }

  /**
   * The variance and the mean over dimensions `dim`, or over all elements, as `torch.var_mean`; see
   * [`var`](Tensor::var), whose arguments and errors it has. Both results have one shape.
   * @param dim default null
   * @param correction default 1
   * @param keepdim default false
   */
  varMean(dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
  varMean(options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
  /**
   * [`var_mean`](Tensor::var_mean) over all elements, with a correction of 1 if `unbiased`,
   * otherwise 0.
   */
  varMean(unbiased: boolean): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
  /**
   * [`var_mean`](Tensor::var_mean) with a correction of 1 if `unbiased`, otherwise 0.
   * @param unbiased default true
   * @param keepdim default false
   */
  varMean(dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
  varMean(dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): [Tensor, Tensor] & { var: Tensor; mean: Tensor };
  varMean(...args: unknown[]): unknown { return callOverload(580, 'varMean;var,mean;var,mean;var,mean', this, args) as never; }

  /**
   * The standard deviation and the mean over dimensions `dim`, or over all elements, as
   * `torch.std_mean`; see [`std`](Tensor::std), whose arguments and errors it has. Both results have
   * one shape.
   * @param dim default null
   * @param correction default 1
   * @param keepdim default false
   */
  stdMean(dim?: number | readonly number[] | null, options?: { correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
  stdMean(options?: { dim?: number | readonly number[] | null; correction?: Scalar; keepdim?: boolean }): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
  /**
   * [`std_mean`](Tensor::std_mean) over all elements, with a correction of 1 if `unbiased`,
   * otherwise 0.
   */
  stdMean(unbiased: boolean): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
  /**
   * [`std_mean`](Tensor::std_mean) with a correction of 1 if `unbiased`, otherwise 0.
   * @param unbiased default true
   * @param keepdim default false
   */
  stdMean(dim: number | readonly number[] | null, unbiased?: boolean, keepdim?: boolean): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
  stdMean(dim: number | readonly number[] | null, options?: { unbiased?: boolean; keepdim?: boolean }): [Tensor, Tensor] & { std: Tensor; mean: Tensor };
  stdMean(...args: unknown[]): unknown { return callOverload(583, 'stdMean;std,mean;std,mean;std,mean', this, args) as never; }

  /**
   * The sum over dimensions `dim`, or over all elements, with NaN counted as 0, as `torch.nansum`.
   *
   * The dimensions are removed, or with `keepdim` have size 1. The type is as in
   * [`sum`](Tensor::sum): sums of integers are int32.
   *
   * Errors: `index` if a dimension is out of range; `argument` if one appears twice.
   * @param dim default null
   * @param keepdim default false
   * @param dtype default null
   */
  nansum<D extends DType = DType>(dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
  nansum<D extends DType = DType>(options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
  nansum(...args: unknown[]): Tensor { return call(586, 'nansum dim keepdim|dtype', this, args); }

  /**
   * The mean over dimensions `dim`, or over all elements, of those that are not NaN, as
   * `torch.nanmean`; NaN where there are none.
   *
   * The dimensions are removed, or with `keepdim` have size 1.
   *
   * Errors: `dtype` if `self` is not floating point; `index` if a dimension is out of range;
   * `argument` if one appears twice.
   * @param dim default null
   * @param keepdim default false
   * @param dtype default null
   */
  nanmean<D extends DType = DType>(dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
  nanmean<D extends DType = DType>(options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
  nanmean(...args: unknown[]): Tensor { return call(587, 'nanmean dim keepdim|dtype', this, args); }

  /**
   * The distinct elements in ascending order, as `torch.unique`; or, with `dim`, the distinct slices
   * of that dimension in lexicographic order. NaN is distinct from itself.
   *
   * `self: [*]` becomes `[N]`, or with `dim` `[*, N, *]`. Two further results are optional, both
   * int32 (PyTorch: int64): with `return_inverse`, for each element (in the shape of `self`) or
   * slice (`[n]`) its position in the result; with `return_counts`, `[N]`, the number of its
   * occurrences. The result is sorted whether or not `sorted` is set. The elements are read, and the
   * result is awaited. There is no gradient.
   *
   * Errors: `index` if `dim` is out of range; `shape` if `dim` has elements but its slices have
   * none.
   * @param sorted default true
   * @param returnInverse default false
   * @param returnCounts default false
   * @param dim default null
   */
  unique(sorted?: boolean, returnInverse?: boolean, returnCounts?: boolean, dim?: number | null): Promise<Tensor[]>;
  unique(options?: { sorted?: boolean; returnInverse?: boolean; returnCounts?: boolean; dim?: number | null }): Promise<Tensor[]>;
  unique(...args: unknown[]): unknown { return callAny(588, 'unique sorted returnInverse returnCounts dim', 'tensors', this, args) as never; }

  /**
   * The elements, or the slices of `dim`, with each run of equal ones reduced to one, as
   * `torch.unique_consecutive`.
   *
   * The shapes, the two further results and the errors are as in [`unique`](Tensor::unique). The
   * elements are read, and the result is awaited.
   * @param returnInverse default false
   * @param returnCounts default false
   * @param dim default null
   */
  uniqueConsecutive(returnInverse?: boolean, returnCounts?: boolean, dim?: number | null): Promise<Tensor[]>;
  uniqueConsecutive(options?: { returnInverse?: boolean; returnCounts?: boolean; dim?: number | null }): Promise<Tensor[]>;
  uniqueConsecutive(...args: unknown[]): unknown { return callAny(589, 'uniqueConsecutive returnInverse returnCounts dim', 'tensors', this, args) as never; }

  /**
   * [`linalg_cross`](Tensor::linalg_cross) along `dim`, or along the first dimension of size 3, as
   * `torch.cross`.
   *
   * Errors: as of `linalg_cross`, and `shape` if `dim` is not given and no dimension has size 3.
   * @param dim default null
   */
  cross(other: TensorLike, dim?: number | null): Tensor;
  cross(other: TensorLike, options?: { dim?: number | null }): Tensor;
  cross(...args: unknown[]): Tensor { return call(591, 'cross ^other dim', this, args); }

  /**
   * The logarithm of the multivariate gamma function of dimension `p`, elementwise, as
   * `torch.mvlgamma`: `p (p - 1) / 4 log(pi)` plus the sum of `lgamma(self - i / 2)` for `i` from 0
   * to `p - 1`. Integers become floats.
   *
   * Errors: `argument` if `p` is not from 1 to 1024. Where an element is not above `(p - 1) / 2` the
   * function has no value, and the result means nothing.
   */
  mvlgamma(p: number): Tensor;
  mvlgamma(...args: unknown[]): Tensor { return call(594, 'mvlgamma p', this, args); }
  /** The in-place form of `mvlgamma`: this tensor takes the result, and is returned. */
  mvlgamma_(p: number): this;
  mvlgamma_(...args: unknown[]): this { return callInPlace(594, 'mvlgamma_ p', this, args); }

}
