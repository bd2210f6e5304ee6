// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Formats of rotated boxes. An angle is in degrees against the clock. */
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { isFloat, toFloat } from '../../../vision/host.js';

/** Coordinates in the type of the boxes that they were computed from; integers are rounded. */
function like(boxes: Tensor, parts: readonly Tensor[]): Tensor {
  return scope(() => {
    const made = torch.stack(parts, -1);
    if (isFloat(boxes.dtype)) return made;
    return made.round().to(boxes.dtype);
  });
}

/** The displacement from the upper left corner of a box to its center. */
function toCenter(parts: readonly Tensor[]): [Tensor, Tensor] {
  return scope(() => {
    const angle = parts[4]!.mul(Math.PI / 180);
    const [cos, sin] = [angle.cos(), angle.sin()];
    const [width, height] = [parts[2]!.mul(0.5), parts[3]!.mul(0.5)];
    const right = width.mul(cos).add(height.mul(sin));
    const down = height.mul(cos).sub(width.mul(sin));
    return [right, down];
  });
}

/** `cx, cy, w, h, r` as `x, y, w, h, r`. */
export function centerToCorner(boxes: Tensor): Tensor {
  return scope(() => {
    const parts = toFloat(boxes).unbind(-1);
    const [right, down] = toCenter(parts);
    const corner = [parts[0]!.sub(right), parts[1]!.sub(down), parts[2]!, parts[3]!, parts[4]!];
    return like(boxes, corner);
  });
}

/** `x, y, w, h, r` as `cx, cy, w, h, r`. */
export function cornerToCenter(boxes: Tensor): Tensor {
  return scope(() => {
    const parts = toFloat(boxes).unbind(-1);
    const [right, down] = toCenter(parts);
    const center = [parts[0]!.add(right), parts[1]!.add(down), parts[2]!, parts[3]!, parts[4]!];
    return like(boxes, center);
  });
}

/** `x, y, w, h, r` as four corners. */
export function cornerToCorners(boxes: Tensor): Tensor {
  return scope(() => {
    const parts = toFloat(boxes).unbind(-1);
    const angle = parts[4]!.mul(Math.PI / 180);
    const [cos, sin] = [angle.cos(), angle.sin()];
    const [x, y] = [parts[0]!, parts[1]!];
    const [alongX, alongY] = [parts[2]!.mul(cos), parts[2]!.mul(sin)];
    const [downX, downY] = [parts[3]!.mul(sin), parts[3]!.mul(cos)];
    const [rightX, rightY] = [x.add(alongX), y.sub(alongY)];
    const corners = [
      x,
      y,
      rightX,
      rightY,
      rightX.add(downX),
      rightY.add(downY),
      x.add(downX),
      y.add(downY),
    ];
    return like(boxes, corners);
  });
}

/** Four corners as `x, y, w, h, r`. */
export function cornersToCorner(boxes: Tensor): Tensor {
  return scope(() => {
    const parts = toFloat(boxes).unbind(-1);
    const [right, up] = [parts[2]!.sub(parts[0]!), parts[1]!.sub(parts[3]!)];
    const [across, down] = [parts[4]!.sub(parts[2]!), parts[5]!.sub(parts[3]!)];
    const corner = [
      parts[0]!,
      parts[1]!,
      right.square().add(up.square()).sqrt(),
      across.square().add(down.square()).sqrt(),
      up.atan2(right).mul(180 / Math.PI),
    ];
    return like(boxes, corner);
  });
}
