// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Motion as colors. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { floatTensor } from '../../../vision/host.js';

/** The number of colors of the wheel. */
const COLORS = 55;

/** The numbers from 0 to 255 of a sector of the wheel, which rise or fall. */
function ramp(count: number, isRising: boolean): readonly number[] {
  const numbers: number[] = [];
  for (let index = 0; index < count; index++) {
    const part = Math.floor(255 * index / count);
    numbers.push(isRising ? part : 255 - part);
  }
  return numbers;
}

/** One number several times. */
function flat(count: number, value: number): readonly number[] {
  return Array.from({ length: count }, () => value);
}

/** A channel of the wheel from its six sectors. */
function channel(sectors: readonly (readonly number[])[]): readonly number[] {
  const numbers: number[] = [];
  for (const sector of sectors) {
    numbers.push(...sector);
  }
  return numbers;
}

/** The wheel of colors, `[3, 55]`, from 0 to 1: red, yellow, green, cyan, blue, magenta. */
function wheel(like: Tensor): Tensor {
  return scope(() => {
    const red = channel(
      [flat(15, 255), ramp(6, false), flat(4, 0), flat(11, 0), ramp(13, true), flat(6, 255)],
    );
    const green = channel(
      [ramp(15, true), flat(6, 255), flat(4, 255), ramp(11, false), flat(13, 0), flat(6, 0)],
    );
    const blue = channel(
      [flat(15, 0), flat(6, 0), ramp(4, true), flat(11, 255), flat(13, 255), ramp(6, false)],
    );
    const numbers = channel([red, green, blue]);
    return floatTensor(numbers, [3, 55], like).mul(1 / 255);
  });
}

/**
 * A flow of pixels as a picture, as `torchvision.utils.flow_to_image`: the direction is the hue,
 * and the length the saturation.
 *
 * `flow` has the shape `[2, H, W]` or `[n, 2, H, W]`, in float32; the result has three channels,
 * in uint8.
 *
 * Source: Baker et al., "A Database and Evaluation Methodology for Optical Flow" (2007).
 *
 * @throws `dtype` if the flow is not in float32; `shape` if it has another shape.
 *
 * @example
 * const still = utils.flowToImage(zeros([2, 1, 1]));
 * await still.tolist(); // [255, 255, 255]
 */
export function flowToImage(flow: TensorLike): Tensor;
export function flowToImage(...args: unknown[]): Tensor {
  const [flow] = bind('flowToImage flow:tensor', args) as [Tensor];
  return scope(() => {
    if (flow.dtype !== 'float32') {
      throw failure('dtype', 'flow_to_image', `flow must be float32, and is ${flow.dtype}`);
    }
    const batch = flow.ndim === 3 ? flow.unsqueeze(0) : flow;
    if (batch.ndim !== 4 || batch.shape[1]! !== 2) {
      const message = `flow must have shape [2, H, W] or [n, 2, H, W], and has [${flow.shape.join(', ')}]`;
      throw failure('shape', 'flow_to_image', message);
    }
    const longest = batch.square().sum(1).sqrt().amax();
    const unit = batch.div(longest.add(1.1920928955078125e-7));
    const length = unit.square().sum(1).sqrt();
    const turn = unit.select(1, 1).neg().atan2(unit.select(1, 0).neg()).mul(1 / Math.PI);
    const position = turn.add(1).mul(0.5 * (COLORS - 1));
    const low = position.floor();
    const part = position.sub(low);
    const next = low.add(1).remainder(COLORS);
    const colors = wheel(batch);
    const shape: [number, number, number, number] = [
      3,
      low.shape[0]!,
      low.shape[1]!,
      low.shape[2]!,
    ];
    const below = colors.indexSelect(1, low.to('int32').flatten(0, -1)).reshape(shape);
    const above = colors.indexSelect(1, next.to('int32').flatten(0, -1)).reshape(shape);
    const color = part.rsub(1).mul(below).add(part.mul(above));
    const pale = color.rsub(1).mul(length);
    const faded = pale.rsub(1);
    const bytes = faded.mul(255).floor().to('uint8').permute([1, 0, 2, 3]);
    if (flow.ndim === 3) return bytes.squeeze(0);
    return bytes;
  });
}
