// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { call, callAny, callOverload } from '../tensor/call.js';
import type { DType, Scalar, Typed } from '../core/types.js';
import { Tensor, type TensorLike } from '../tensor/tensor.js';

/**
 * The Cholesky factor of symmetric positive-definite matrices: lower with `L Lᵀ = A`, or with
 * `upper` upper with `Uᵀ U = A`, as `torch.linalg.cholesky`.
 *
 * Shapes: `self: [*, n, n]`, `result: [*, n, n]`. Only the lower triangle of `self` is read, or
 * with `upper` the upper one.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square;
 * `linalg` when the result is read if a matrix is not positive-definite.
 * @param upper default false
 */
export function cholesky(input: TensorLike, options?: { upper?: boolean }): Tensor;
export function cholesky(input: unknown, ...args: unknown[]): Tensor { return call(114, 'linalg.cholesky|upper', input, args, Tensor); }

/**
 * [`linalg_cholesky`](Tensor::linalg_cholesky) that reports failures in `info: [*]`, int32: 0, or
 * the order of the first leading minor that is not positive.
 *
 * Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
 * [`linalg_cholesky`](Tensor::linalg_cholesky).
 * @param upper default false
 * @param checkErrors default false
 */
export function choleskyEx(input: TensorLike, options?: { upper?: boolean; checkErrors?: boolean }): [Tensor, Tensor] & { L: Tensor; info: Tensor };
export function choleskyEx(input: unknown, ...args: unknown[]): unknown { return callAny(115, 'linalg.choleskyEx|upper checkErrors', ['L', 'info'], input, args, Tensor) as never; }

/**
 * The LU factorization in compact form, `P A = L U` with partial pivoting, or `A = L U` without
 * `pivot`, as `torch.linalg.lu_factor`.
 *
 * Shapes: `self: [*, m, n]`, `LU: [*, m, n]` with both factors, `pivots: [*, min(m, n)]`, int32:
 * the row, counted from 1, that each row was exchanged with.
 * [`linalg_lu_solve`](Tensor::linalg_lu_solve) takes both.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
 * dimensions; `linalg` when a result is read if a pivot is 0.
 * @param pivot default true
 */
export function luFactor(input: TensorLike, options?: { pivot?: boolean }): [Tensor, Tensor] & { LU: Tensor; pivots: Tensor };
export function luFactor(input: unknown, ...args: unknown[]): unknown { return callAny(116, 'linalg.luFactor|pivot', ['LU', 'pivots'], input, args, Tensor) as never; }

/**
 * [`linalg_lu_factor`](Tensor::linalg_lu_factor) that reports failures in `info: [*]`, int32: 0,
 * or the first pivot that is 0, counted from 1.
 *
 * Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
 * [`linalg_lu_factor`](Tensor::linalg_lu_factor).
 * @param pivot default true
 * @param checkErrors default false
 */
export function luFactorEx(input: TensorLike, options?: { pivot?: boolean; checkErrors?: boolean }): [Tensor, Tensor, Tensor] & { LU: Tensor; pivots: Tensor; info: Tensor };
export function luFactorEx(input: unknown, ...args: unknown[]): unknown { return callAny(117, 'linalg.luFactorEx|pivot checkErrors', ['LU', 'pivots', 'info'], input, args, Tensor) as never; }

/**
 * The QR factorization `A = Q R` with orthonormal columns of `Q` and an upper triangular `R`, as
 * `torch.linalg.qr`.
 *
 * Shapes: `self: [*, m, n]`. With mode `"reduced"` `Q: [*, m, k]` and `R: [*, k, n]` for
 * `k = min(m, n)`; with `"complete"` `Q: [*, m, m]` and `R: [*, m, n]`; with `"r"` `Q: [0]` and
 * `R: [*, k, n]`.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
 * dimensions; `argument` if `mode` is another string.
 *
 * Gradient: requires that the first `k` columns are independent. An `autograd` error in backward
 * for mode `"r"`, and for `"complete"` if `m > n`.
 * @param mode default "reduced"
 */
export function qr(input: TensorLike, mode?: 'reduced' | 'complete' | 'r'): [Tensor, Tensor] & { Q: Tensor; R: Tensor };
export function qr(input: TensorLike, options?: { mode?: 'reduced' | 'complete' | 'r' }): [Tensor, Tensor] & { Q: Tensor; R: Tensor };
export function qr(input: unknown, ...args: unknown[]): unknown { return callAny(118, 'linalg.qr mode', ['Q', 'R'], input, args, Tensor) as never; }

/**
 * The determinant of square matrices, as `torch.linalg.det`.
 *
 * Shapes: `self: [*, n, n]`, `result: [*]`.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square.
 *
 * Gradient: the cofactors, which are correct for singular matrices too. The gradient of second
 * order requires an invertible matrix.
 */
export function det(input: TensorLike): Tensor;
export function det(input: unknown, ...args: unknown[]): Tensor { return call(119, 'linalg.det', input, args, Tensor); }

/**
 * The sign of the determinant and the logarithm of its absolute value, as `torch.linalg.slogdet`,
 * without overflow or underflow. Of a singular matrix they are 0 and negative infinity.
 *
 * Shapes: `self: [*, n, n]`, `sign` and `logabsdet`: `[*]`.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square.
 *
 * Gradient: of `logabsdet` alone; it requires an invertible matrix.
 */
export function slogdet(input: TensorLike): [Tensor, Tensor] & { sign: Tensor; logabsdet: Tensor };
export function slogdet(input: unknown, ...args: unknown[]): unknown { return callAny(120, 'linalg.slogdet', ['sign', 'logabsdet'], input, args, Tensor) as never; }

/** Another name of `matrixExp`. */
export function matrixExp(input: TensorLike): Tensor;
export function matrixExp(input: unknown, ...args: unknown[]): Tensor { return call(121, 'linalg.matrixExp', input, args, Tensor); }

/**
 * The Moore-Penrose pseudoinverse, as `torch.linalg.pinv`.
 *
 * Shapes: `self: [*, m, n]`, `result: [*, n, m]`. Singular values, or with `hermitian` absolute
 * eigenvalues, up to the larger of `atol` and `rtol` times the largest one count as 0. `rtol` is
 * `max(m, n)` times the type's epsilon by default, or 0 with an `atol` above 0.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
 * dimensions, or with `hermitian` is not square; `linalg` when the result is read if an element is
 * not finite.
 *
 * Gradient: assumes that the rank does not change.
 * @param atol default null
 * @param rtol default null
 * @param hermitian default false
 */
export function pinv(input: TensorLike, options?: { atol?: number | null; rtol?: number | null; hermitian?: boolean }): Tensor;
/**
 * [`linalg_pinv`](Tensor::linalg_pinv) with tolerances for each matrix of the batch, of shape
 * `[*]`.
 *
 * Errors: as of [`linalg_pinv`](Tensor::linalg_pinv), and `shape` if the tolerances do not
 * broadcast.
 * @param atol default null
 * @param rtol default null
 * @param hermitian default false
 */
export function pinv(input: TensorLike, options?: { atol?: TensorLike | null; rtol?: TensorLike | null; hermitian?: boolean }): Tensor;
/**
 * [`linalg_pinv`](Tensor::linalg_pinv) with the relative tolerance `rcond` alone.
 *
 * Errors: as of [`linalg_pinv`](Tensor::linalg_pinv).
 * @param hermitian default false
 */
export function pinv(input: TensorLike, rcond: number, hermitian?: boolean): Tensor;
export function pinv(input: TensorLike, rcond: number, options?: { hermitian?: boolean }): Tensor;
export function pinv(input: unknown, ...args: unknown[]): unknown { return callOverload(122, 'linalg.pinv;;;', input, args, Tensor) as never; }

/**
 * The rank of matrices, as `torch.linalg.matrix_rank`: the number of singular values above the
 * larger of `atol` and `rtol` times the largest one. int32 (PyTorch: int64).
 *
 * Shapes: `self: [*, m, n]`, `result: [*]`. The tolerances are as of
 * [`linalg_pinv`](Tensor::linalg_pinv).
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
 * dimensions, or with `hermitian` is not square; `linalg` when the result is read if an element is
 * not finite.
 * @param atol default null
 * @param rtol default null
 * @param hermitian default false
 */
export function matrixRank(input: TensorLike, options?: { atol?: number | null; rtol?: number | null; hermitian?: boolean }): Tensor;
/**
 * [`linalg_matrix_rank`](Tensor::linalg_matrix_rank) with tolerances for each matrix of the batch,
 * of shape `[*]`.
 *
 * Errors: as of [`linalg_matrix_rank`](Tensor::linalg_matrix_rank), and `shape` if the tolerances
 * do not broadcast.
 * @param atol default null
 * @param rtol default null
 * @param hermitian default false
 */
export function matrixRank(input: TensorLike, options?: { atol?: TensorLike | null; rtol?: TensorLike | null; hermitian?: boolean }): Tensor;
/**
 * [`linalg_matrix_rank`](Tensor::linalg_matrix_rank) with the absolute tolerance `tol` alone.
 *
 * Errors: as of [`linalg_matrix_rank`](Tensor::linalg_matrix_rank).
 * @param hermitian default false
 */
export function matrixRank(input: TensorLike, tol: number, hermitian?: boolean): Tensor;
export function matrixRank(input: TensorLike, tol: number, options?: { hermitian?: boolean }): Tensor;
export function matrixRank(input: unknown, ...args: unknown[]): unknown { return callOverload(125, 'linalg.matrixRank;;;', input, args, Tensor) as never; }

/**
 * The solution `X` of `A X = B`, or without `left` of `X A = B`, as `torch.linalg.solve`, where
 * `A` is `self`.
 *
 * Shapes: `self: [*, n, n]`, `B: [*, n, k]`, or without `left` `[*, k, n]`, or `[*, n]` for one
 * right-hand side; the result has the shape of `B` with the broadcast leading dimensions. A `B` of
 * the shape of `self` without its last dimension is a batch of vectors.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square, or
 * if `B` does not fit; `dtype` also if the types differ; `argument` if `B` is a vector and `left`
 * is false; `linalg` when the result is read if a matrix is singular.
 * @param left default true
 */
export function solve(input: TensorLike, B: TensorLike, options?: { left?: boolean }): Tensor;
export function solve(input: unknown, ...args: unknown[]): Tensor { return call(129, 'linalg.solve ^B|left', input, args, Tensor); }

/**
 * [`linalg_solve`](Tensor::linalg_solve) that reports failures in `info: [*]`, int32: 0, or the
 * first pivot that is 0, counted from 1.
 *
 * Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
 * [`linalg_solve`](Tensor::linalg_solve).
 * @param left default true
 * @param checkErrors default false
 */
export function solveEx(input: TensorLike, B: TensorLike, options?: { left?: boolean; checkErrors?: boolean }): [Tensor, Tensor] & { result: Tensor; info: Tensor };
export function solveEx(input: unknown, ...args: unknown[]): unknown { return callAny(130, 'linalg.solveEx ^B|left checkErrors', ['result', 'info'], input, args, Tensor) as never; }

/**
 * The solution `X` of `A X = B` from `self` and `pivots`, the results of
 * [`linalg_lu_factor`](Tensor::linalg_lu_factor) for `A`. Without `left` the equation is
 * `X A = B`; with `adjoint` the matrix is `Aᵀ` instead of `A`.
 *
 * Shapes: `self: [*, n, n]`, `pivots: [*, n]`, `B: [*, n, k]`, or without `left` `[*, k, n]`; the
 * result has the shape of `B` with the broadcast leading dimensions.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square, or
 * if `B` does not fit; `dtype` also if the types differ or `pivots` is not an integer tensor;
 * `argument` if `pivots` is not of shape `[*, n]`.
 * @param left default true
 * @param adjoint default false
 */
export function luSolve(input: TensorLike, pivots: TensorLike, B: TensorLike, options?: { left?: boolean; adjoint?: boolean }): Tensor;
export function luSolve(input: unknown, ...args: unknown[]): Tensor { return call(131, 'linalg.luSolve ^pivots ^B|left adjoint', input, args, Tensor); }

/**
 * The solution `X` of `A X = B`, or without `left` of `X A = B`, where `A` is the upper or lower
 * triangle of `self`, as `torch.linalg.solve_triangular`. With `unitriangular` the diagonal of `A`
 * is 1.
 *
 * Shapes: `self: [*, n, n]`, `B: [*, n, k]`, or without `left` `[*, k, n]`; the result has the
 * shape of `B` with the broadcast leading dimensions. With a 0 on the diagonal the result has
 * infinities and NaN.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square, or
 * if `B` does not fit; `dtype` also if the types differ.
 * @param left default true
 * @param unitriangular default false
 */
export function solveTriangular(input: TensorLike, B: TensorLike, options?: { upper?: boolean; left?: boolean; unitriangular?: boolean }): Tensor;
export function solveTriangular(input: unknown, ...args: unknown[]): Tensor { return call(132, 'linalg.solveTriangular ^B|upper left unitriangular', input, args, Tensor); }

/**
 * The inverse of square matrices, as `torch.linalg.inv`.
 *
 * Shapes: `self: [*, n, n]`, `result: [*, n, n]`.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square;
 * `linalg` when the result is read if a matrix is singular.
 */
export function inv(input: TensorLike): Tensor;
export function inv(input: unknown, ...args: unknown[]): Tensor { return call(133, 'linalg.inv', input, args, Tensor); }

/**
 * [`linalg_inv`](Tensor::linalg_inv) that reports failures in `info: [*]`, int32: 0, or the first
 * pivot that is 0, counted from 1.
 *
 * Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
 * [`linalg_inv`](Tensor::linalg_inv).
 * @param checkErrors default false
 */
export function invEx(input: TensorLike, options?: { checkErrors?: boolean }): [Tensor, Tensor] & { inverse: Tensor; info: Tensor };
export function invEx(input: unknown, ...args: unknown[]): unknown { return callAny(134, 'linalg.invEx|checkErrors', ['inverse', 'info'], input, args, Tensor) as never; }

/**
 * The eigenvalues of symmetric matrices in ascending order, and orthonormal eigenvectors as
 * columns, as `torch.linalg.eigh`.
 *
 * Shapes: `self: [*, n, n]`, `eigenvalues: [*, n]`, `eigenvectors: [*, n, n]`. Only the lower
 * triangle of `self` is read, or with `UPLO` `"U"` the upper one. An eigenvector is unique up to
 * its sign, and only if its eigenvalue is simple.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square;
 * `argument` if `UPLO` is neither `"L"` nor `"U"`; `linalg` when a result is read if an element is
 * not finite.
 *
 * Gradient: of the eigenvectors it is not finite where eigenvalues are equal.
 * @param UPLO default "L"
 */
export function eigh(input: TensorLike, UPLO?: 'L' | 'U' | 'l' | 'u'): [Tensor, Tensor] & { eigenvalues: Tensor; eigenvectors: Tensor };
export function eigh(input: TensorLike, options?: { UPLO?: 'L' | 'U' | 'l' | 'u' }): [Tensor, Tensor] & { eigenvalues: Tensor; eigenvectors: Tensor };
export function eigh(input: unknown, ...args: unknown[]): unknown { return callAny(135, 'linalg.eigh UPLO', ['eigenvalues', 'eigenvectors'], input, args, Tensor) as never; }

/**
 * The eigenvalues of symmetric matrices in ascending order, as `torch.linalg.eigvalsh`.
 *
 * Shapes: `self: [*, n, n]`, `result: [*, n]`. `UPLO` and the errors are as of
 * [`linalg_eigh`](Tensor::linalg_eigh).
 * @param UPLO default "L"
 */
export function eigvalsh(input: TensorLike, UPLO?: 'L' | 'U' | 'l' | 'u'): Tensor;
export function eigvalsh(input: TensorLike, options?: { UPLO?: 'L' | 'U' | 'l' | 'u' }): Tensor;
export function eigvalsh(input: unknown, ...args: unknown[]): Tensor { return call(136, 'linalg.eigvalsh UPLO', input, args, Tensor); }

/**
 * The singular value decomposition `A = U diag(S) Vᵀ` with `S` in descending order, as
 * `torch.linalg.svd`.
 *
 * Shapes: `self: [*, m, n]`, `U: [*, m, m]`, `S: [*, k]`, `Vh: [*, n, n]` with `k = min(m, n)`;
 * without `full_matrices` `U: [*, m, k]` and `Vh: [*, k, n]`. A pair of singular vectors is unique
 * up to a common sign, and only if its singular value is simple. `driver` names one of cuSOLVER's
 * routines, which all select the one routine here.
 *
 * Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
 * dimensions; `argument` if `driver` is not `"gesvd"`, `"gesvdj"` or `"gesvda"`; `linalg` when a
 * result is read if an element is not finite.
 *
 * Gradient: of the singular vectors it is not finite where singular values are equal, or where one
 * is 0 and the matrix is not square.
 * @param fullMatrices default true
 * @param driver default null
 */
export function svd(input: TensorLike, fullMatrices?: boolean, options?: { driver?: 'gesvd' | 'gesvdj' | 'gesvda' | null }): [Tensor, Tensor, Tensor] & { U: Tensor; S: Tensor; Vh: Tensor };
export function svd(input: TensorLike, options?: { fullMatrices?: boolean; driver?: 'gesvd' | 'gesvdj' | 'gesvda' | null }): [Tensor, Tensor, Tensor] & { U: Tensor; S: Tensor; Vh: Tensor };
export function svd(input: unknown, ...args: unknown[]): unknown { return callAny(137, 'linalg.svd fullMatrices|driver', ['U', 'S', 'Vh'], input, args, Tensor) as never; }

/**
 * The singular values in descending order, as `torch.linalg.svdvals`.
 *
 * Shapes: `self: [*, m, n]`, `result: [*, min(m, n)]`.
 *
 * Errors: as of [`linalg_svd`](Tensor::linalg_svd).
 * @param driver default null
 */
export function svdvals(input: TensorLike, options?: { driver?: 'gesvd' | 'gesvdj' | 'gesvda' | null }): Tensor;
export function svdvals(input: unknown, ...args: unknown[]): Tensor { return call(138, 'linalg.svdvals|driver', input, args, Tensor); }

/** Another name of `matmul`. */
export function matmul(input: TensorLike, other: TensorLike): Tensor;
export function matmul(input: unknown, ...args: unknown[]): Tensor { return call(139, 'linalg.matmul ^other', input, args, Tensor); }

/**
 * The diagonals of a batch of matrices as a view, as `torch.linalg.diagonal`:
 * [`diagonal`](Tensor::diagonal) of the last two dimensions by default.
 *
 * Errors: as of [`diagonal`](Tensor::diagonal).
 * @param offset default 0
 * @param dim1 default -2
 * @param dim2 default -1
 */
export function diagonal(A: TensorLike, options?: { offset?: number; dim1?: number; dim2?: number }): Tensor;
export function diagonal(...args: unknown[]): Tensor { return call(310, 'linalg.diagonal ^A|offset dim1 dim2', undefined, args, Tensor); }

/**
 * The norm of order `ord` over dimensions `dim`, or of all elements, as
 * `torch.linalg.vector_norm`: `sum(|x|^ord)^(1 / ord)`, the largest or smallest `|x|` for an
 * infinite order, and the number of elements that are not 0 for order 0.
 *
 * The dimensions are removed, or with `keepdim` have size 1. With `dtype`, `self` is converted
 * first. The gradient is 0 where the norm is 0; equal extremes share it.
 *
 * Errors: `dtype` if neither `self` nor `dtype` is floating point; `index` if a dimension is out
 * of range; `argument` if one appears twice, or if one is empty and `ord` is negative or infinite.
 * @param ord default 2
 * @param dim default null
 * @param keepdim default false
 * @param dtype default null
 */
export function vectorNorm<D extends DType = DType>(input: TensorLike, ord?: Scalar, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function vectorNorm<D extends DType = DType>(input: TensorLike, options?: { ord?: Scalar; dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function vectorNorm(input: unknown, ...args: unknown[]): Tensor { return call(406, 'linalg.vectorNorm ord dim keepdim|dtype', input, args, Tensor); }

/**
 * The norm `"fro"` (the root of the sum of squares) or `"nuc"` (the sum of the singular values) of
 * the matrices over dimensions `dim`, as `torch.linalg.matrix_norm`.
 *
 * Shapes and errors are as of the overload with a number as `ord`, `linalg_matrix_norm.ord`.
 * @param ord default "fro"
 * @param dim default [-2, -1]
 * @param keepdim default false
 * @param dtype default null
 */
export function matrixNorm<D extends DType = DType>(input: TensorLike, ord?: 'fro' | 'nuc', dim?: number | readonly number[], keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function matrixNorm<D extends DType = DType>(input: TensorLike, options?: { ord?: 'fro' | 'nuc'; dim?: number | readonly number[]; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
/**
 * The norm of order `ord` of the matrices over dimensions `dim`, as `torch.linalg.matrix_norm`:
 * the largest (1) or smallest (-1) sum of a column's magnitudes, the same for rows (infinite
 * orders), or the largest (2) or smallest (-2) singular value. The largest of none is 0.
 *
 * `self: [*, n, m]`, the matrices in any two dimensions; the result is `[*]`, with `keepdim` these
 * dimensions have size 1. With `dtype`, `self` is converted first.
 *
 * Errors: `dtype` if the type is neither float32 nor float64; `shape` if `self` has fewer than two
 * dimensions or there is nothing to take the smallest of; `index` if a dimension is out of range;
 * `argument` if `dim` is not two different dimensions or the order is another one; `linalg`, when
 * the result is read, for singular values of a matrix that is not finite.
 * @param dim default [-2, -1]
 * @param keepdim default false
 * @param dtype default null
 */
export function matrixNorm<D extends DType = DType>(input: TensorLike, ord: Scalar, dim?: number | readonly number[], keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function matrixNorm<D extends DType = DType>(input: TensorLike, ord: Scalar, options?: { dim?: number | readonly number[]; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function matrixNorm(input: unknown, ...args: unknown[]): unknown { return callOverload(407, 'linalg.matrixNorm;;', input, args, Tensor) as never; }

/**
 * A norm of vectors or matrices, as `torch.linalg.norm`.
 *
 * Without `ord` it is the 2-norm of the vectors over `dim`, or of all elements. With `ord` it is
 * [`linalg_vector_norm`](Tensor::linalg_vector_norm) for one dimension or a vector, and
 * [`linalg_matrix_norm`](Tensor::linalg_matrix_norm) for two dimensions or a matrix.
 *
 * Errors: as of these two, and `argument` if `ord` is given for another number of dimensions.
 * @param ord default null
 * @param dim default null
 * @param keepdim default false
 * @param dtype default null
 */
export function norm<D extends DType = DType>(input: TensorLike, ord?: Scalar | null, dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function norm<D extends DType = DType>(input: TensorLike, options?: { ord?: Scalar | null; dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
/**
 * The norm `"fro"` or `"nuc"` of matrices, as `torch.linalg.norm`; see
 * [`linalg_matrix_norm`](Tensor::linalg_matrix_norm), whose errors it has.
 *
 * `dim` is two dimensions; without it `self` must be a matrix.
 * @param dim default null
 * @param keepdim default false
 * @param dtype default null
 */
export function norm<D extends DType = DType>(input: TensorLike, ord: 'fro' | 'nuc', dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;
export function norm<D extends DType = DType>(input: TensorLike, ord: 'fro' | 'nuc', options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;
export function norm(input: unknown, ...args: unknown[]): unknown { return callOverload(409, 'linalg.norm;;', input, args, Tensor) as never; }

/**
 * The condition number of matrices by the norm of order `p`, by default 2, as `torch.linalg.cond`:
 * `norm(A) * norm(inverse(A))`, for orders 2 and -2 the quotient of the extreme singular values.
 *
 * `self: [*, n, m]`, with `n = m` except for orders 2 and -2; the result is `[*]`. It is infinite
 * for singular matrices, and NaN for zero matrices.
 *
 * Errors: `dtype` if `self` is neither float32 nor float64; `shape` if it has fewer than two
 * dimensions or the matrices must be square and are not; `argument` if there is no such order;
 * `linalg`, when the result is read, if a matrix is not finite.
 * @param p default null
 */
export function cond(input: TensorLike, p?: Scalar | null): Tensor;
export function cond(input: TensorLike, options?: { p?: Scalar | null }): Tensor;
/**
 * The condition number of square matrices by the norm `"fro"` or `"nuc"`, as `torch.linalg.cond`;
 * see [`linalg_cond`](Tensor::linalg_cond), whose errors it has.
 */
export function cond(input: TensorLike, p: 'fro' | 'nuc'): Tensor;
export function cond(input: unknown, ...args: unknown[]): unknown { return callOverload(413, 'linalg.cond;;', input, args, Tensor) as never; }

/**
 * The first columns of a product of Householder reflections `I - tau v v^T`, as
 * `torch.linalg.householder_product`.
 *
 * `self: [*, m, n]`, `tau: [*, k]` with `k <= n <= m`; the result is `[*, m, n]`. Vector `v` of
 * reflection `i` is column `i` of `self` below the diagonal, with an implicit 1 on the diagonal.
 *
 * The product is computed as `I - V T V^T` with a triangular `T`: Schreiber and Van Loan, "A
 * storage-efficient WY representation for products of Householder transformations" (1989).
 *
 * Errors: `dtype` if the types differ or are neither float32 nor float64; `shape` if the sizes do
 * not fit.
 */
export function householderProduct(input: TensorLike, tau: TensorLike): Tensor;
export function householderProduct(input: unknown, ...args: unknown[]): Tensor { return call(418, 'linalg.householderProduct ^tau', input, args, Tensor); }

/**
 * The inverse of a tensor as a linear map, as `torch.linalg.tensorinv`.
 *
 * The first `ind` dimensions of `self` have as many elements as the others: `[a, b]` becomes `[b,
 * a]`, where `a` stands for the first `ind` sizes and `b` for the others.
 *
 * Errors: `argument` if `ind` is not from 1 to the number of dimensions; `shape` if the numbers of
 * elements differ; `dtype` if `self` is neither float32 nor float64; `linalg`, when the result is
 * read, if the map is singular.
 * @param ind default 2
 */
export function tensorinv(input: TensorLike, ind?: number): Tensor;
export function tensorinv(input: TensorLike, options?: { ind?: number }): Tensor;
export function tensorinv(input: unknown, ...args: unknown[]): Tensor { return call(420, 'linalg.tensorinv ind', input, args, Tensor); }

/**
 * The solution `X` of `tensordot(self, X, dims=X.ndim) = other`, as `torch.linalg.tensorsolve`.
 *
 * `self` has the sizes of `other`, then the sizes of `X`, with equally many elements in both; the
 * dimensions `dims` of `self` are moved to the end first.
 *
 * Errors: `shape` if the numbers of elements do not fit; `argument` if `dims` names a dimension
 * twice; `index` if one is out of range; `dtype` if the types differ or are neither float32 nor
 * float64; `linalg`, when the result is read, if the map is singular.
 * @param dims default null
 */
export function tensorsolve(input: TensorLike, other: TensorLike, dims?: number | readonly number[] | null): Tensor;
export function tensorsolve(input: TensorLike, other: TensorLike, options?: { dims?: number | readonly number[] | null }): Tensor;
export function tensorsolve(input: unknown, ...args: unknown[]): Tensor { return call(421, 'linalg.tensorsolve ^other dims', input, args, Tensor); }

/**
 * The least-squares solution of `self X = B`, the one of smallest norm, as `torch.linalg.lstsq`.
 *
 * `self: [*, m, n]`, `B: [*, m, k]` or `[*, m]`; `solution` is `[*, n, k]` or `[*, n]`. The other
 * results are those that PyTorch returns for `driver`, and empty tensors otherwise: `residuals`,
 * the sums of squares `[*, k]`, if `m > n` and the driver is not `"gelsy"`; `rank`, `[*]` in
 * int32, except for `"gels"`; `singular_values`, `[*, min(m, n)]`, for `"gelsd"` and `"gelss"`.
 * `driver` is `"gelsy"` by default and selects these results only: the solution is computed with
 * the pseudoinverse, in which singular values up to `rcond` times the largest one count as 0.
 *
 * Errors: `dtype` if the types differ or are neither float32 nor float64; `shape` if the sizes do
 * not fit; `argument` if `driver` is unknown; `linalg`, when the result is read, if a matrix is
 * not finite.
 * @param rcond default null
 * @param driver default null
 */
export function lstsq(input: TensorLike, B: TensorLike, rcond?: number | null, options?: { driver?: 'gels' | 'gelsy' | 'gelsd' | 'gelss' | null }): [Tensor, Tensor, Tensor, Tensor] & { solution: Tensor; residuals: Tensor; rank: Tensor; singularValues: Tensor };
export function lstsq(input: TensorLike, B: TensorLike, options?: { rcond?: number | null; driver?: 'gels' | 'gelsy' | 'gelsd' | 'gelss' | null }): [Tensor, Tensor, Tensor, Tensor] & { solution: Tensor; residuals: Tensor; rank: Tensor; singularValues: Tensor };
export function lstsq(input: unknown, ...args: unknown[]): unknown { return callAny(422, 'linalg.lstsq ^B rcond|driver', ['solution', 'residuals', 'rank', 'singularValues'], input, args, Tensor) as never; }

/**
 * The `n`-th power of square matrices, as `torch.linalg.matrix_power`: by repeated squaring, for a
 * negative `n` of the inverse, and the identity for 0.
 *
 * `self: [*, m, m]`; the result has the same shape.
 *
 * Errors: `shape` if the matrices are not square; `dtype` if `n` is negative and `self` neither
 * float32 nor float64; `linalg`, when the result is read, if `n` is negative and a matrix is
 * singular.
 */
export function matrixPower(input: TensorLike, n: number): Tensor;
export function matrixPower(input: unknown, ...args: unknown[]): Tensor { return call(501, 'linalg.matrixPower n', input, args, Tensor); }

/**
 * The product of two or more matrices, in the order that needs the fewest multiplications, as
 * `torch.linalg.multi_dot` (Cormen et al., Introduction to Algorithms, 14.2).
 *
 * `[n_0, n_1]`, `[n_1, n_2]` to `[n_(k-1), n_k]` give `[n_0, n_k]`. The first tensor may be a
 * vector `[n_1]` and the last one `[n_(k-1)]`; their dimension is then missing in the result.
 * Types are not promoted.
 *
 * Errors: `argument` if the list is empty; `shape` if a tensor is not a matrix, or a vector at an
 * end, or the inner sizes differ; `dtype` if the types differ.
 */
export function multiDot(tensors: readonly Tensor[]): Tensor;
export function multiDot(...args: unknown[]): Tensor { return call(502, 'linalg.multiDot tensors', undefined, args, Tensor); }

/**
 * The dot products of the vectors along `dim`, as `torch.linalg.vecdot`.
 *
 * `x` and `y` broadcast together; the result has their shape without `dim`.
 *
 * Errors: `dtype` if the types differ or are not floating point; `shape` if a tensor is 0-d or the
 * shapes do not broadcast; `index` if `dim` is out of range.
 * @param dim default -1
 */
export function vecdot(x: TensorLike, y: TensorLike, options?: { dim?: number }): Tensor;
export function vecdot(...args: unknown[]): Tensor { return call(503, 'linalg.vecdot ^x ^y|dim', undefined, args, Tensor); }

/**
 * The cross products of the vectors along `dim`, as `torch.linalg.cross`.
 *
 * `self` and `other`: `[*, 3, *]`, broadcast in the other dimensions; the result has the broadcast
 * shape. Types are promoted.
 *
 * Errors: `shape` if the tensors have different numbers of dimensions, or none, dimension `dim`
 * does not have size 3, or the shapes do not broadcast; `index` if `dim` is out of range.
 * @param dim default -1
 */
export function cross(input: TensorLike, other: TensorLike, options?: { dim?: number }): Tensor;
export function cross(input: unknown, ...args: unknown[]): Tensor { return call(590, 'linalg.cross ^other|dim', input, args, Tensor); }

/**
 * Vandermonde matrices, as `torch.linalg.vander`: the powers 0 to `N - 1` of each element.
 *
 * `x: [*, n]`; the result is `[*, n, N]`. `N` is `n` where it is not given, and a 0-d tensor
 * counts as `[1]`.
 *
 * Errors: `argument` if `N` is not greater than 1; `shape` if the result would be too large.
 * @param N default null
 */
export function vander(x: TensorLike, options?: { N?: number | null }): Tensor;
export function vander(...args: unknown[]): Tensor { return call(592, 'linalg.vander ^x|N', undefined, args, Tensor); }

