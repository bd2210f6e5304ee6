// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Complex numbers as pairs: a last dimension of size 2 with the real part first. */
import { failure } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor } from '../../tensor/tensor.js';
import * as torch from '../operations.js';

/** The real parts. */
export function real(z: Tensor): Tensor {
  return z.select(-1, 0);
}

/** The imaginary parts. */
export function imaginary(z: Tensor): Tensor {
  return z.select(-1, 1);
}

/** The squares of the absolute values. */
export function squaredMagnitude(z: Tensor): Tensor {
  return scope(() => real(z).square().add(imaginary(z).square()));
}

/** The absolute values, whose derivative at 0 is 0. */
export function magnitude(z: Tensor): Tensor {
  return scope(() => {
    const square = squaredMagnitude(z);
    const isZero = square.eq(0);
    const root = square.maskedFill(isZero, 1).sqrt();
    return root.maskedFill(isZero, 0);
  });
}

/** The angles in radians, from -pi to pi. */
export function angle(z: Tensor): Tensor {
  return scope(() => imaginary(z).atan2(real(z)));
}

/** The numbers of an absolute value and an angle. */
export function polar(magnitude2: Tensor, angle2: Tensor): Tensor {
  return scope(() => torch.stack([magnitude2.mul(angle2.cos()), magnitude2.mul(angle2.sin())], -1));
}

/** The products of real numbers and pairs. */
export function scale(z: Tensor, factor: Tensor): Tensor {
  return scope(() => z.mul(factor.unsqueeze(-1)));
}

/** The products of pairs. */
export function multiply(a: Tensor, b: Tensor): Tensor {
  return scope(() => {
    const [aReal, aImaginary] = [real(a), imaginary(a)];
    const [bReal, bImaginary] = [real(b), imaginary(b)];
    const first = aReal.mul(bReal).sub(aImaginary.mul(bImaginary));
    const second = aReal.mul(bImaginary).add(aImaginary.mul(bReal));
    return torch.stack([first, second], -1);
  });
}

/** An error unless the last dimension has size 2. */
export function checkPairs(op: string, param: string, z: Tensor): void {
  const shape = z.shape;
  if (shape.length < 3 || shape[shape.length - 1]! !== 2) {
    const message = `${param} has shape [${shape.join(', ')}], and takes complex numbers as pairs: (..., freq, time, 2)`;
    throw failure('shape', op, message);
  }
}
