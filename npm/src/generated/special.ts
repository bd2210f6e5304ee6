// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { call, leading } from '../tensor/call.js';
import type { Scalar } from '../core/types.js';
import { Tensor, type TensorLike } from '../tensor/tensor.js';

/** Another name of `sigmoid`. */
export function expit(input: TensorLike): Tensor;
export function expit(input: unknown, ...args: unknown[]): Tensor { return call(1, 'special.expit', input, args, Tensor); }

/** Another name of `expm1`. */
export function expm1(input: TensorLike): Tensor;
export function expm1(input: unknown, ...args: unknown[]): Tensor { return call(87, 'special.expm1', input, args, Tensor); }

/** Another name of `exp2`. */
export function exp2(input: TensorLike): Tensor;
export function exp2(input: unknown, ...args: unknown[]): Tensor { return call(88, 'special.exp2', input, args, Tensor); }

/** Another name of `log1p`. */
export function log1p(input: TensorLike): Tensor;
export function log1p(input: unknown, ...args: unknown[]): Tensor { return call(90, 'special.log1p', input, args, Tensor); }

/** Another name of `erf`. */
export function erf(input: TensorLike): Tensor;
export function erf(input: unknown, ...args: unknown[]): Tensor { return call(100, 'special.erf', input, args, Tensor); }

/** Another name of `round`. */
export function round(input: TensorLike, options?: { decimals?: number }): Tensor;
export function round(input: unknown, ...args: unknown[]): Tensor { return call(215, 'special.round|decimals', input, args, Tensor); }

/** Another name of `erfc`. */
export function erfc(input: TensorLike): Tensor;
export function erfc(input: unknown, ...args: unknown[]): Tensor { return call(230, 'special.erfc', input, args, Tensor); }

/**
 * The scaled complementary error function, `exp(self^2) * erfc(self)`.
 */
export function erfcx(input: TensorLike): Tensor;
export function erfcx(input: unknown, ...args: unknown[]): Tensor { return call(231, 'special.erfcx', input, args, Tensor); }

/** Another name of `erfinv`. */
export function erfinv(input: TensorLike): Tensor;
export function erfinv(input: unknown, ...args: unknown[]): Tensor { return call(232, 'special.erfinv', input, args, Tensor); }

/**
 * The distribution function of the standard normal distribution, `erfc(-self / sqrt(2)) / 2`.
 */
export function ndtr(input: TensorLike): Tensor;
export function ndtr(input: unknown, ...args: unknown[]): Tensor { return call(233, 'special.ndtr', input, args, Tensor); }

/**
 * The logarithm of the distribution function of the standard normal distribution.
 */
export function logNdtr(input: TensorLike): Tensor;
export function logNdtr(input: unknown, ...args: unknown[]): Tensor { return call(234, 'special.logNdtr', input, args, Tensor); }

/** Another name of `lgamma`. */
export function gammaln(input: TensorLike): Tensor;
export function gammaln(input: unknown, ...args: unknown[]): Tensor { return call(235, 'special.gammaln', input, args, Tensor); }

/** Another name of `digamma`. */
export function digamma(input: TensorLike): Tensor;
export function digamma(input: unknown, ...args: unknown[]): Tensor { return call(236, 'special.digamma', input, args, Tensor); }

/** Another name of `digamma`. */
export function psi(input: TensorLike): Tensor;
export function psi(input: unknown, ...args: unknown[]): Tensor { return call(236, 'special.psi', input, args, Tensor); }

/** Another name of `polygamma`. */
export function polygamma(n: number, self: TensorLike): Tensor;
export function polygamma(...args: unknown[]): Tensor { return call(237, 'special.polygamma n ^self', undefined, args, Tensor); }

/** Another name of `igamma`. */
export function gammainc(input: TensorLike, other: TensorLike): Tensor;
export function gammainc(input: unknown, ...args: unknown[]): Tensor { return call(238, 'special.gammainc ^other', input, args, Tensor); }

/** Another name of `igammac`. */
export function gammaincc(input: TensorLike, other: TensorLike): Tensor;
export function gammaincc(input: unknown, ...args: unknown[]): Tensor { return call(239, 'special.gammaincc ^other', input, args, Tensor); }

/** Another name of `i0`. */
export function i0(input: TensorLike): Tensor;
export function i0(input: unknown, ...args: unknown[]): Tensor { return call(240, 'special.i0', input, args, Tensor); }

/**
 * `exp(-|self|) * i0(self)`.
 */
export function i0e(input: TensorLike): Tensor;
export function i0e(input: unknown, ...args: unknown[]): Tensor { return call(241, 'special.i0e', input, args, Tensor); }

/**
 * The modified Bessel function of the first kind of order 1.
 */
export function i1(input: TensorLike): Tensor;
export function i1(input: unknown, ...args: unknown[]): Tensor { return call(242, 'special.i1', input, args, Tensor); }

/**
 * `exp(-|self|) * special_i1(self)`.
 */
export function i1e(input: TensorLike): Tensor;
export function i1e(input: unknown, ...args: unknown[]): Tensor { return call(243, 'special.i1e', input, args, Tensor); }

/**
 * Elementwise entropy, `-self * log(self)`: 0 at 0, negative infinity below 0.
 */
export function entr(input: TensorLike): Tensor;
export function entr(input: unknown, ...args: unknown[]): Tensor { return call(244, 'special.entr', input, args, Tensor); }

/** Another name of `xlogy`. */
export function xlogy(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function xlogy(input: unknown, ...args: unknown[]): Tensor { return call(245, 'special.xlogy ^other', leading(input, args), args, Tensor); }

/**
 * `self * log(1 + other)`, broadcast; 0 where `self` is 0 and `other` is not NaN.
 */
export function xlog1py(input: TensorLike | number, other: TensorLike | Scalar): Tensor;
export function xlog1py(input: unknown, ...args: unknown[]): Tensor { return call(246, 'special.xlog1py ^other', leading(input, args), args, Tensor); }

/** Another name of `logit`. */
export function logit(input: TensorLike, eps?: number | null): Tensor;
export function logit(input: TensorLike, options?: { eps?: number | null }): Tensor;
export function logit(input: unknown, ...args: unknown[]): Tensor { return call(247, 'special.logit eps', input, args, Tensor); }

/** Another name of `sinc`. */
export function sinc(input: TensorLike): Tensor;
export function sinc(input: unknown, ...args: unknown[]): Tensor { return call(266, 'special.sinc', input, args, Tensor); }

/** Another name of `mvlgamma`. */
export function multigammaln(input: TensorLike, p: number): Tensor;
export function multigammaln(input: unknown, ...args: unknown[]): Tensor { return call(594, 'special.multigammaln p', input, args, Tensor); }

