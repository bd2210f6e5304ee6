// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { call } from '../tensor/call.js';
import type { DType, Typed } from '../core/types.js';
import { Tensor, type TensorLike } from '../tensor/tensor.js';

/**
 * The discrete Fourier transform of complex numbers along `dim`: `X[k]` is the sum over `j` of
 * `x[j] exp(-2 pi i j k / n)`, as `torch.fft.fft`.
 *
 * Shapes: `self: [*, m, *, 2]`, `result: [*, n, *, 2]`; the last dimension is the pair of real and
 * imaginary part, and `dim` is counted without it. `self` is truncated or padded with zeros to `n`
 * points, by default `m`. `norm` is `"backward"` (the inverse is scaled by `1/n`; the default),
 * `"ortho"` (both are scaled by `1/sqrt(n)`) or `"forward"` (this transform is scaled by `1/n`).
 * Integers become float32.
 *
 * Errors: `shape` if the last dimension is not 2, or `n` is not from 1 to 2^28 - 1; `argument` if
 * `norm` is another string or `dim` does not exist.
 * @param n default null
 * @param dim default -1
 * @param norm default null
 */
export function fft(input: TensorLike, n?: number | null, dim?: number, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function fft(input: TensorLike, options?: { n?: number | null; dim?: number; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function fft(input: unknown, ...args: unknown[]): Tensor { return call(334, 'fft.fft n dim norm', input, args, Tensor); }

/**
 * The inverse of [`fft_fft`](Tensor::fft_fft), as `torch.fft.ifft`.
 *
 * Shapes and errors: as of [`fft_fft`](Tensor::fft_fft).
 * @param n default null
 * @param dim default -1
 * @param norm default null
 */
export function ifft(input: TensorLike, n?: number | null, dim?: number, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function ifft(input: TensorLike, options?: { n?: number | null; dim?: number; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function ifft(input: unknown, ...args: unknown[]): Tensor { return call(335, 'fft.ifft n dim norm', input, args, Tensor); }

/**
 * [`fft_fft`](Tensor::fft_fft) over two dimensions, as `torch.fft.fft2`. `s` are the sizes of the
 * transform; -1 keeps the size of `self`.
 *
 * Errors: `shape` if the last dimension of `self` is not 2, or a size is not from 1 to 2^28 - 1;
 * `argument` if `norm` is another string, a dimension does not exist or appears twice, or the
 * lists differ in length.
 * @param s default null
 * @param dim default [-2, -1]
 * @param norm default null
 */
export function fft2(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[], norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function fft2(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[]; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function fft2(input: unknown, ...args: unknown[]): Tensor { return call(336, 'fft.fft2 s dim norm', input, args, Tensor); }

/**
 * The inverse of [`fft_fft2`](Tensor::fft_fft2), as `torch.fft.ifft2`.
 *
 * Errors: as of [`fft_fft2`](Tensor::fft_fft2).
 * @param s default null
 * @param dim default [-2, -1]
 * @param norm default null
 */
export function ifft2(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[], norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function ifft2(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[]; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function ifft2(input: unknown, ...args: unknown[]): Tensor { return call(337, 'fft.ifft2 s dim norm', input, args, Tensor); }

/**
 * [`fft_fft`](Tensor::fft_fft) over dimensions `dim`, as `torch.fft.fftn`. Without `dim` over all
 * dimensions, or over the last ones if `s` has their sizes.
 *
 * Errors: as of [`fft_fft2`](Tensor::fft_fft2).
 * @param s default null
 * @param dim default null
 * @param norm default null
 */
export function fftn(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[] | null, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function fftn(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[] | null; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function fftn(input: unknown, ...args: unknown[]): Tensor { return call(338, 'fft.fftn s dim norm', input, args, Tensor); }

/**
 * The inverse of [`fft_fftn`](Tensor::fft_fftn), as `torch.fft.ifftn`.
 *
 * Errors: as of [`fft_fft2`](Tensor::fft_fft2).
 * @param s default null
 * @param dim default null
 * @param norm default null
 */
export function ifftn(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[] | null, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function ifftn(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[] | null; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function ifftn(input: unknown, ...args: unknown[]): Tensor { return call(339, 'fft.ifftn s dim norm', input, args, Tensor); }

/**
 * [`fft_fft`](Tensor::fft_fft) of real numbers along `dim`, as `torch.fft.rfft`: the first
 * `n / 2 + 1` results; the others are their conjugates.
 *
 * Shapes: `self: [*, m, *]`, `result: [*, floor(n / 2) + 1, *, 2]`.
 *
 * Errors: `shape` if `n` is not from 1 to 2^28 - 1; `argument` if `norm` is another string or
 * `dim` does not exist.
 * @param n default null
 * @param dim default -1
 * @param norm default null
 */
export function rfft(input: TensorLike, n?: number | null, dim?: number, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function rfft(input: TensorLike, options?: { n?: number | null; dim?: number; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function rfft(input: unknown, ...args: unknown[]): Tensor { return call(340, 'fft.rfft n dim norm', input, args, Tensor); }

/**
 * The inverse of [`fft_rfft`](Tensor::fft_rfft), as `torch.fft.irfft`.
 *
 * Shapes: `self: [*, m, *, 2]`, `result: [*, n, *]` with `n = 2 (m - 1)` by default.
 *
 * Errors: `shape` if the last dimension is not 2, or `n` is not from 1 to 2^28 - 1; `argument` if
 * `norm` is another string or `dim` does not exist.
 * @param n default null
 * @param dim default -1
 * @param norm default null
 */
export function irfft(input: TensorLike, n?: number | null, dim?: number, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function irfft(input: TensorLike, options?: { n?: number | null; dim?: number; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function irfft(input: unknown, ...args: unknown[]): Tensor { return call(341, 'fft.irfft n dim norm', input, args, Tensor); }

/**
 * [`fft_rfft`](Tensor::fft_rfft) over two dimensions, as `torch.fft.rfft2`. The last dimension of
 * `dim` becomes `floor(n / 2) + 1`.
 *
 * Errors: `shape` if a size is not from 1 to 2^28 - 1; `argument` if `norm` is another string, a
 * dimension does not exist or appears twice, or the lists differ in length.
 * @param s default null
 * @param dim default [-2, -1]
 * @param norm default null
 */
export function rfft2(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[], norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function rfft2(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[]; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function rfft2(input: unknown, ...args: unknown[]): Tensor { return call(342, 'fft.rfft2 s dim norm', input, args, Tensor); }

/**
 * The inverse of [`fft_rfft2`](Tensor::fft_rfft2), as `torch.fft.irfft2`.
 *
 * Errors: as of [`fft_fft2`](Tensor::fft_fft2).
 * @param s default null
 * @param dim default [-2, -1]
 * @param norm default null
 */
export function irfft2(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[], norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function irfft2(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[]; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function irfft2(input: unknown, ...args: unknown[]): Tensor { return call(343, 'fft.irfft2 s dim norm', input, args, Tensor); }

/**
 * [`fft_rfft`](Tensor::fft_rfft) over dimensions `dim`, as `torch.fft.rfftn`. Without `dim` over
 * all dimensions, or over the last ones if `s` has their sizes. The last one becomes
 * `floor(n / 2) + 1`.
 *
 * Errors: `argument` also if there is no dimension to transform; otherwise as of
 * [`fft_rfft2`](Tensor::fft_rfft2).
 * @param s default null
 * @param dim default null
 * @param norm default null
 */
export function rfftn(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[] | null, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function rfftn(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[] | null; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function rfftn(input: unknown, ...args: unknown[]): Tensor { return call(344, 'fft.rfftn s dim norm', input, args, Tensor); }

/**
 * The inverse of [`fft_rfftn`](Tensor::fft_rfftn), as `torch.fft.irfftn`.
 *
 * Errors: `argument` also if there is no dimension to transform; otherwise as of
 * [`fft_fft2`](Tensor::fft_fft2).
 * @param s default null
 * @param dim default null
 * @param norm default null
 */
export function irfftn(input: TensorLike, s?: number | readonly number[] | null, dim?: number | readonly number[] | null, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function irfftn(input: TensorLike, options?: { s?: number | readonly number[] | null; dim?: number | readonly number[] | null; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function irfftn(input: unknown, ...args: unknown[]): Tensor { return call(345, 'fft.irfftn s dim norm', input, args, Tensor); }

/**
 * The transform of a Hermitian signal along `dim` from its non-redundant half, as
 * `torch.fft.hfft`. The results are real.
 *
 * Shapes: `self: [*, m, *, 2]`, `result: [*, n, *]` with `n = 2 (m - 1)` by default.
 *
 * Errors: as of [`fft_irfft`](Tensor::fft_irfft).
 * @param n default null
 * @param dim default -1
 * @param norm default null
 */
export function hfft(input: TensorLike, n?: number | null, dim?: number, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function hfft(input: TensorLike, options?: { n?: number | null; dim?: number; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function hfft(input: unknown, ...args: unknown[]): Tensor { return call(346, 'fft.hfft n dim norm', input, args, Tensor); }

/**
 * The inverse of [`fft_hfft`](Tensor::fft_hfft), as `torch.fft.ihfft`: the non-redundant half of a
 * Hermitian signal.
 *
 * Shapes: `self: [*, m, *]`, `result: [*, floor(n / 2) + 1, *, 2]`.
 *
 * Errors: as of [`fft_rfft`](Tensor::fft_rfft).
 * @param n default null
 * @param dim default -1
 * @param norm default null
 */
export function ihfft(input: TensorLike, n?: number | null, dim?: number, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;
export function ihfft(input: TensorLike, options?: { n?: number | null; dim?: number; norm?: 'forward' | 'backward' | 'ortho' | null }): Tensor;
export function ihfft(input: unknown, ...args: unknown[]): Tensor { return call(347, 'fft.ihfft n dim norm', input, args, Tensor); }

/**
 * The frequencies of the results of [`fft_fft`](Tensor::fft_fft) for `n` points of distance `d`:
 * `[0, 1, .., -2, -1] / (n d)`, as `torch.fft.fftfreq`.
 *
 * Shapes: the result is `[n]`; float32 without `dtype`.
 *
 * Errors: `shape` if `n` is not from 1 to 2^28 - 1; `dtype` if the device does not support
 * `dtype`.
 * @param d default 1.0
 * @param dtype default null
 * @param requiresGrad default false
 */
export function fftfreq<D extends DType = DType>(n: number, d?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function fftfreq<D extends DType = DType>(n: number, options?: { d?: number; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function fftfreq(...args: unknown[]): Tensor { return call(348, 'fft.fftfreq n d|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The frequencies of the results of [`fft_rfft`](Tensor::fft_rfft) for `n` points of distance `d`,
 * as `torch.fft.rfftfreq`.
 *
 * Shapes: the result is `[floor(n / 2) + 1]`; float32 without `dtype`.
 *
 * Errors: as of [`fft_fftfreq`](Tensor::fft_fftfreq).
 * @param d default 1.0
 * @param dtype default null
 * @param requiresGrad default false
 */
export function rfftfreq<D extends DType = DType>(n: number, d?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function rfftfreq<D extends DType = DType>(n: number, options?: { d?: number; dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;
export function rfftfreq(...args: unknown[]): Tensor { return call(349, 'fft.rfftfreq n d|dtype requiresGrad', undefined, args, Tensor); }

/**
 * The results of a transform with frequency 0 rolled to the middle of dimensions `dim`, or of all
 * dimensions, as `torch.fft.fftshift`. Pairs count as a dimension here.
 *
 * Errors: `index` if a dimension is out of range.
 * @param dim default null
 */
export function fftshift(input: TensorLike, dim?: number | readonly number[] | null): Tensor;
export function fftshift(input: TensorLike, options?: { dim?: number | readonly number[] | null }): Tensor;
export function fftshift(input: unknown, ...args: unknown[]): Tensor { return call(350, 'fft.fftshift dim', input, args, Tensor); }

/**
 * The inverse of [`fft_fftshift`](Tensor::fft_fftshift), as `torch.fft.ifftshift`.
 *
 * Errors: as of [`fft_fftshift`](Tensor::fft_fftshift).
 * @param dim default null
 */
export function ifftshift(input: TensorLike, dim?: number | readonly number[] | null): Tensor;
export function ifftshift(input: TensorLike, options?: { dim?: number | readonly number[] | null }): Tensor;
export function ifftshift(input: unknown, ...args: unknown[]): Tensor { return call(351, 'fft.ifftshift dim', input, args, Tensor); }

