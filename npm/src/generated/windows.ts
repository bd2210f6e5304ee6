// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { call } from '../tensor/call.js';
import type { DType, Typed } from '../core/types.js';
import { Tensor } from '../tensor/tensor.js';

/**
 * The Bartlett window, as `torch.signal.windows.bartlett` (Harris, 1978): `1 - |2 n / N - 1|`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function bartlett<D extends DType = DType>(M: number, options?: { sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function bartlett(...args: unknown[]): Tensor { return call(600, 'signal.windows.bartlett M|sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Blackman window, as `torch.signal.windows.blackman` (Harris, 1978):
 * `0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function blackman<D extends DType = DType>(M: number, options?: { sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function blackman(...args: unknown[]): Tensor { return call(601, 'signal.windows.blackman M|sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The cosine window, as `torch.signal.windows.cosine` (Harris, 1978):
 * `sin(pi (n + 0.5) / (N + 1))`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function cosine<D extends DType = DType>(M: number, options?: { sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function cosine(...args: unknown[]): Tensor { return call(602, 'signal.windows.cosine M|sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Gaussian window, as `torch.signal.windows.gaussian` (Harris, 1978):
 * `exp(-((n - N / 2) / std)^2 / 2)`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param std default 1.0
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function gaussian<D extends DType = DType>(M: number, options?: { std?: number; sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function gaussian(...args: unknown[]): Tensor { return call(603, 'signal.windows.gaussian M|std sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * A sum of cosines with alternating signs, as `torch.signal.windows.general_cosine`:
 * `a[0] - a[1] cos(2 pi n / N) + a[2] cos(4 pi n / N) - ...`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function generalCosine<D extends DType = DType>(M: number, a: number | readonly number[], options?: { sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function generalCosine(...args: unknown[]): Tensor { return call(604, 'signal.windows.generalCosine M a|sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The generalized Hamming window, as `torch.signal.windows.general_hamming`:
 * `alpha - (1 - alpha) cos(2 pi n / N)`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param alpha default 0.54
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function generalHamming<D extends DType = DType>(M: number, options?: { alpha?: number; sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function generalHamming(...args: unknown[]): Tensor { return call(605, 'signal.windows.generalHamming M|alpha sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Hamming window, as `torch.signal.windows.hamming` (Harris, 1978):
 * `0.54 - 0.46 cos(2 pi n / N)`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function hamming<D extends DType = DType>(M: number, options?: { sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function hamming(...args: unknown[]): Tensor { return call(606, 'signal.windows.hamming M|sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Hann window, as `torch.signal.windows.hann` (Harris, 1978): `0.5 - 0.5 cos(2 pi n / N)`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function hann<D extends DType = DType>(M: number, options?: { sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function hann(...args: unknown[]): Tensor { return call(607, 'signal.windows.hann M|sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Kaiser window, as `torch.signal.windows.kaiser` (Kaiser, 1974):
 * `I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta)`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`. `I0` is the
 * modified Bessel function of the first kind and order 0.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64;
 * `argument` if `beta` is negative.
 * @param beta default 12.0
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function kaiser<D extends DType = DType>(M: number, options?: { beta?: number; sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function kaiser(...args: unknown[]): Tensor { return call(608, 'signal.windows.kaiser M|beta sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The Nuttall window, as `torch.signal.windows.nuttall` (Nuttall, 1981): the sum of cosines
 * [`signal_windows_general_cosine`](Tensor::signal_windows_general_cosine) with
 * `a = [0.3635819, 0.4891775, 0.1365995, 0.0106411]`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function nuttall<D extends DType = DType>(M: number, options?: { sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function nuttall(...args: unknown[]): Tensor { return call(609, 'signal.windows.nuttall M|sym dtype requiresGrad', undefined, args, Tensor); }

/**
 * The exponential window, as `torch.signal.windows.exponential` (Harris, 1978):
 * `exp(-|n - center| / tau)`.
 *
 * The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`. `center` is
 * `N / 2` where it is not given.
 *
 * Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64;
 * `argument` if `tau` is not positive or `center` is given together with `sym`.
 * @param center default null
 * @param tau default 1.0
 * @param sym default true
 * @param dtype default null
 * @param requiresGrad default false
 */
export function exponential<D extends DType = DType>(M: number, options?: { center?: number | null; tau?: number; sym?: boolean; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function exponential(...args: unknown[]): Tensor { return call(610, 'signal.windows.exponential M|center tau sym dtype requiresGrad', undefined, args, Tensor); }

