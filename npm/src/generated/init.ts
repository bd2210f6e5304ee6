// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import type { Generator } from '../core/generator.js';
import { gain, initialize } from '../nn/initialize.js';
import type { Tensor } from '../tensor/tensor.js';

/**
 * Fills a tensor with uniform numbers from `a` to `b`.
 * @param a default 0.0
 * @param b default 1.0
 * @param generator the source of the random numbers; by default the device's generator
 */
export function uniform_(tensor: Tensor, a?: number, b?: number, options?: { generator?: Generator | null }): Tensor;
export function uniform_(tensor: Tensor, options?: { a?: number; b?: number; generator?: Generator | null }): Tensor;
export function uniform_(...args: unknown[]): Tensor { return initialize(0, 'uniform_ ^tensor a b', args); }

/**
 * Fills a tensor with normal numbers.
 * @param mean default 0.0
 * @param std default 1.0
 * @param generator the source of the random numbers; by default the device's generator
 */
export function normal_(tensor: Tensor, mean?: number, std?: number, options?: { generator?: Generator | null }): Tensor;
export function normal_(tensor: Tensor, options?: { mean?: number; std?: number; generator?: Generator | null }): Tensor;
export function normal_(...args: unknown[]): Tensor { return initialize(1, 'normal_ ^tensor mean std', args); }

/**
 * Fills a tensor with normal numbers truncated to `a` to `b`.
 * @param mean default 0.0
 * @param std default 1.0
 * @param a default -2.0
 * @param b default 2.0
 * @param generator the source of the random numbers; by default the device's generator
 */
export function truncNormal_(tensor: Tensor, mean?: number, std?: number, a?: number, b?: number, options?: { generator?: Generator | null }): Tensor;
export function truncNormal_(tensor: Tensor, options?: { mean?: number; std?: number; a?: number; b?: number; generator?: Generator | null }): Tensor;
export function truncNormal_(...args: unknown[]): Tensor { return initialize(2, 'truncNormal_ ^tensor mean std a b', args); }

/**
 * Fills a tensor with a number.
 */
export function constant_(tensor: Tensor, val: number): Tensor;
export function constant_(...args: unknown[]): Tensor { return initialize(3, 'constant_ ^tensor val', args); }

/**
 * Fills a tensor with ones.
 */
export function ones_(tensor: Tensor): Tensor;
export function ones_(...args: unknown[]): Tensor { return initialize(4, 'ones_ ^tensor', args); }

/**
 * Fills a tensor with zeros.
 */
export function zeros_(tensor: Tensor): Tensor;
export function zeros_(...args: unknown[]): Tensor { return initialize(5, 'zeros_ ^tensor', args); }

/**
 * Fills a matrix with the identity, with zeros beyond it if it is not square.
 */
export function eye_(tensor: Tensor): Tensor;
export function eye_(...args: unknown[]): Tensor { return initialize(6, 'eye_ ^tensor', args); }

/**
 * A weight with which a convolution copies its input, channel by channel, in each of `groups`.
 * @param groups default 1
 */
export function dirac_(tensor: Tensor, groups?: number): Tensor;
export function dirac_(tensor: Tensor, options?: { groups?: number }): Tensor;
export function dirac_(...args: unknown[]): Tensor { return initialize(7, 'dirac_ ^tensor groups', args); }

/**
 * Glorot's uniform initialization: within `gain * sqrt(6 / (fan_in + fan_out))`.
 * @param gain default 1.0
 * @param generator the source of the random numbers; by default the device's generator
 */
export function xavierUniform_(tensor: Tensor, gain?: number, options?: { generator?: Generator | null }): Tensor;
export function xavierUniform_(tensor: Tensor, options?: { gain?: number; generator?: Generator | null }): Tensor;
export function xavierUniform_(...args: unknown[]): Tensor { return initialize(8, 'xavierUniform_ ^tensor gain', args); }

/**
 * Glorot's normal initialization: standard deviation `gain * sqrt(2 / (fan_in + fan_out))`.
 * @param gain default 1.0
 * @param generator the source of the random numbers; by default the device's generator
 */
export function xavierNormal_(tensor: Tensor, gain?: number, options?: { generator?: Generator | null }): Tensor;
export function xavierNormal_(tensor: Tensor, options?: { gain?: number; generator?: Generator | null }): Tensor;
export function xavierNormal_(...args: unknown[]): Tensor { return initialize(9, 'xavierNormal_ ^tensor gain', args); }

/**
 * He's uniform initialization for a nonlinearity; `a` is the slope of a leaky ReLU, `mode` is `"fan_in"` or `"fan_out"`.
 * @param a default 0.0
 * @param mode default "fan_in"
 * @param nonlinearity default "leaky_relu"
 * @param generator the source of the random numbers; by default the device's generator
 */
export function kaimingUniform_(tensor: Tensor, a?: number, mode?: 'fan_in' | 'fan_out', nonlinearity?: 'linear' | 'conv1d' | 'conv2d' | 'conv3d' | 'conv_transpose1d' | 'conv_transpose2d' | 'conv_transpose3d' | 'sigmoid' | 'tanh' | 'relu' | 'leaky_relu' | 'selu', options?: { generator?: Generator | null }): Tensor;
export function kaimingUniform_(tensor: Tensor, options?: { a?: number; mode?: 'fan_in' | 'fan_out'; nonlinearity?: 'linear' | 'conv1d' | 'conv2d' | 'conv3d' | 'conv_transpose1d' | 'conv_transpose2d' | 'conv_transpose3d' | 'sigmoid' | 'tanh' | 'relu' | 'leaky_relu' | 'selu'; generator?: Generator | null }): Tensor;
export function kaimingUniform_(...args: unknown[]): Tensor { return initialize(10, 'kaimingUniform_ ^tensor a mode nonlinearity', args); }

/**
 * He's normal initialization for a nonlinearity; `a` is the slope of a leaky ReLU, `mode` is `"fan_in"` or `"fan_out"`.
 * @param a default 0.0
 * @param mode default "fan_in"
 * @param nonlinearity default "leaky_relu"
 * @param generator the source of the random numbers; by default the device's generator
 */
export function kaimingNormal_(tensor: Tensor, a?: number, mode?: 'fan_in' | 'fan_out', nonlinearity?: 'linear' | 'conv1d' | 'conv2d' | 'conv3d' | 'conv_transpose1d' | 'conv_transpose2d' | 'conv_transpose3d' | 'sigmoid' | 'tanh' | 'relu' | 'leaky_relu' | 'selu', options?: { generator?: Generator | null }): Tensor;
export function kaimingNormal_(tensor: Tensor, options?: { a?: number; mode?: 'fan_in' | 'fan_out'; nonlinearity?: 'linear' | 'conv1d' | 'conv2d' | 'conv3d' | 'conv_transpose1d' | 'conv_transpose2d' | 'conv_transpose3d' | 'sigmoid' | 'tanh' | 'relu' | 'leaky_relu' | 'selu'; generator?: Generator | null }): Tensor;
export function kaimingNormal_(...args: unknown[]): Tensor { return initialize(11, 'kaimingNormal_ ^tensor a mode nonlinearity', args); }

/**
 * A weight whose rows (or columns, if there are fewer) are orthonormal times `gain`.
 * @param gain default 1.0
 * @param generator the source of the random numbers; by default the device's generator
 */
export function orthogonal_(tensor: Tensor, gain?: number, options?: { generator?: Generator | null }): Tensor;
export function orthogonal_(tensor: Tensor, options?: { gain?: number; generator?: Generator | null }): Tensor;
export function orthogonal_(...args: unknown[]): Tensor { return initialize(12, 'orthogonal_ ^tensor gain', args); }

/**
 * A matrix of normal numbers with a fraction `sparsity` of zeros in every column.
 * @param std default 0.01
 * @param generator the source of the random numbers; by default the device's generator
 */
export function sparse_(tensor: Tensor, sparsity: number, std?: number, options?: { generator?: Generator | null }): Tensor;
export function sparse_(tensor: Tensor, sparsity: number, options?: { std?: number; generator?: Generator | null }): Tensor;
export function sparse_(...args: unknown[]): Tensor { return initialize(13, 'sparse_ ^tensor sparsity std', args); }

/**
 * The recommended gain of a nonlinearity; `param` is the slope of a leaky ReLU.
 * @param param default null
 */
export function calculateGain(nonlinearity: 'linear' | 'conv1d' | 'conv2d' | 'conv3d' | 'conv_transpose1d' | 'conv_transpose2d' | 'conv_transpose3d' | 'sigmoid' | 'tanh' | 'relu' | 'leaky_relu' | 'selu', param?: number | null): number;
export function calculateGain(...args: unknown[]): number { return gain('calculateGain nonlinearity param', args); }
