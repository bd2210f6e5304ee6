// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Rotations, affine and perspective maps, and elastic deformations. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import * as torch from '../../../operations.js';
import { arange, floatTensor, ones, toFloat } from '../../../../vision/host.js';
import {
  asBatch, channelsOf, checkImage, fromBatch, sizeOf, type InterpolationMode,
} from '../../transforms/functional/meta.js';
import { checkFill } from '../../transforms/functional/pad.js';
import { inTypeOf } from '../../transforms/functional/resize.js';
import {
  expandSize, inverseAffine, perspectiveCoefficients,
} from '../../transforms/functional/warp-matrix.js';

/** The pictures at the positions of a grid `[1, H, W, 2]`, and `fill` outside. */
function sampleGrid(op: string, img: Tensor, grid: Tensor, interpolation: InterpolationMode, fill: readonly number[] | undefined): Tensor {
  return scope(() => {
    if (interpolation !== 'nearest' && interpolation !== 'bilinear') {
      throw failure('argument', op, 'interpolation must be nearest or bilinear');
    }
    const batch = toFloat(asBatch(img));
    const [count, channels] = [batch.shape[0]!, channelsOf(img)];
    const [height, width] = [grid.shape[1]!, grid.shape[2]!];
    const grid2 = grid.expand([count, height, width, 2]);
    const mode = interpolation === 'nearest' ? 'nearest' : 'bilinear';
    if (fill === undefined) {
      const made = batch.gridSample(grid2, mode, 'zeros', false);
      return fromBatch(inTypeOf(made, img), img);
    }
    checkFill(op, img, fill);
    const [rows, columns] = sizeOf(img);
    const inside = ones([count, 1, rows, columns], img);
    const made = torch.cat([batch, inside], 1).gridSample(grid2, mode, 'zeros', false);
    const [picture, share] = [made.narrow(1, 0, channels), made.narrow(1, channels, 1)];
    const around = floatTensor(fill, [1, fill.length, 1, 1], img);
    const filled = interpolation === 'nearest'
      ? torch.where(share.lt(0.5), around, picture)
      : picture.sub(around).mul(share).add(around);
    return fromBatch(inTypeOf(filled, img), img);
  });
}

/**
 * The positions of a result of `rows` x `columns` pixels in a picture, by an affine map relative
 * to the middle.
 */
function affineGrid(img: Tensor, matrix: readonly number[], rows: number, columns: number): Tensor {
  return scope(() => {
    const [height, width] = sizeOf(img);
    const x = arange(columns, img).add((1 - columns) * 0.5).reshape([1, 1, columns]);
    const y = arange(rows, img).add((1 - rows) * 0.5).reshape([1, rows, 1]);
    const [across, down] = [0.5 * width, 0.5 * height];
    const horizontal = x.mul(matrix[0]! / across).add(y.mul(matrix[1]! / across)).add(
      matrix[2]! / across,
    );
    const vertical = x.mul(matrix[3]! / down).add(y.mul(matrix[4]! / down)).add(matrix[5]! / down);
    return torch.stack([horizontal, vertical], -1);
  });
}

/** The point about which a picture is turned, relative to its middle. */
export function relativeCenter(op: string, height: number, width: number, center: readonly number[] | undefined): readonly number[] {
  if (center === undefined) return [0, 0];
  if (center.length !== 2) {
    throw failure('argument', op, `center must be two numbers, x and y, and has ${center.length}`);
  }
  return [center[0]! - width * 0.5, center[1]! - height * 0.5];
}

/**
 * A rotated picture, as `torchvision.transforms.functional.rotate`.
 *
 * `angle` is in degrees against the clock, and `center` is `x, y` from the upper left corner, by
 * default the middle. With `expand` the result is as large as the whole rotated picture.
 * `interpolation` is nearest or bilinear, and `fill` is the value outside of the picture, one
 * number or one for each channel.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` for another interpolation, or if
 * `center` or `fill` has another number of elements.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * const turned = transforms.functional.rotate(img, 180, 'nearest', false);
 * await turned.tolist(); // [2, 1]
 */
export function rotate(img: TensorLike, angle: number, interpolation?: InterpolationMode, expand?: boolean, center?: number | readonly number[] | null, fill?: number | readonly number[] | null): Tensor;
export function rotate(img: TensorLike, angle: number, options?: { interpolation?: InterpolationMode; expand?: boolean; center?: number | readonly number[] | null; fill?: number | readonly number[] | null }): Tensor;
export function rotate(...args: unknown[]): Tensor {
  const [img, angle, interpolation = 'nearest', expand = false, center, fill] = bind('rotate img:tensor angle:number interpolation:=nearest|nearest_exact|bilinear|bicubic? expand:bool? center:numbers? fill:numbers?', args) as [Tensor, number, InterpolationMode | undefined, boolean | undefined, readonly number[] | undefined, readonly number[] | undefined];
  return scope(() => {
    checkImage('rotate', img);
    const [height, width] = sizeOf(img);
    const turn = ((angle % 360) + 360) % 360;
    if (center === undefined) {
      if (turn === 0) return img;
      if (turn === 180) return img.rot90(2, [-2, -1]);
      if (turn === 90 && (expand || height === width)) return img.rot90(1, [-2, -1]);
      if (turn === 270 && (expand || height === width)) return img.rot90(3, [-2, -1]);
    }
    const middle = relativeCenter('rotate', height, width, center);
    const matrix = inverseAffine(middle, -turn, [0, 0], 1, [0, 0]);
    return sampleAffine('rotate', img, matrix, interpolation, fill, expand);
  });
}

/** A picture by an affine map from the result to the picture, relative to the middle. */
export function sampleAffine(op: string, img: Tensor, matrix: readonly number[], interpolation: InterpolationMode, fill: readonly number[] | undefined, expand: boolean): Tensor {
  return scope(() => {
    const [height, width] = sizeOf(img);
    const [rows, columns] = expand ? expandSize(matrix, height, width) : [height, width];
    return sampleGrid(op, img, affineGrid(img, matrix, rows, columns), interpolation, fill);
  });
}

/**
 * An affine map of a picture, as `torchvision.transforms.functional.affine`: shear, rotation by
 * `angle` degrees with the clock and `scale` about `center`, and then `translate` by `x, y`
 * pixels.
 *
 * `shear` is one or two angles in degrees, along x and y. `center` is `x, y` from the upper left
 * corner, by default the middle. `interpolation` is nearest or bilinear, and `fill` is the value
 * outside of the picture, one number or one for each channel.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `scale` is not positive, for
 * another interpolation, or if a list has another number of elements.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * const mode = 'nearest';
 * const moved = transforms.functional.affine(img, 0, [1, 0], 1, [0], mode);
 * await moved.tolist(); // [0, 1]
 */
export function affine(img: TensorLike, angle: number, translate: number | readonly number[], scale: number, shear: number | readonly number[], interpolation?: InterpolationMode, fill?: number | readonly number[] | null, center?: number | readonly number[] | null): Tensor;
export function affine(img: TensorLike, angle: number, translate: number | readonly number[], scale: number, shear: number | readonly number[], options?: { interpolation?: InterpolationMode; fill?: number | readonly number[] | null; center?: number | readonly number[] | null }): Tensor;
export function affine(...args: unknown[]): Tensor {
  const [img, angle, translate, scale, shear, interpolation = 'nearest', fill, center] = bind('affine img:tensor angle:number translate:numbers scale:number shear:numbers interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers? center:numbers?', args) as [Tensor, number, readonly number[], number, readonly number[], InterpolationMode | undefined, readonly number[] | undefined, readonly number[] | undefined];
  checkImage('affine', img);
  if (translate.length !== 2) {
    const message = `translate must be two numbers, x and y, and has ${translate.length}`;
    throw failure('argument', 'affine', message);
  }
  if (shear.length !== 1 && shear.length !== 2) {
    throw failure('argument', 'affine', `shear must be one or two angles, and has ${shear.length}`);
  }
  if (scale <= 0) throw failure('argument', 'affine', `scale must be positive, and is ${scale}`);
  const [height, width] = sizeOf(img);
  const middle = relativeCenter('affine', height, width, center);
  const shears = shear.length === 1 ? [shear[0]!, 0] : shear;
  const matrix = inverseAffine(middle, angle, translate, scale, shears);
  return sampleAffine('affine', img, matrix, interpolation, fill, false);
}

/**
 * The picture seen in perspective, as `torchvision.transforms.functional.perspective`: the points
 * `startpoints` of the picture move to `endpoints`.
 *
 * Both have four points `x, y`: upper left, upper right, lower right, lower left. Instead of them
 * `coefficients` are the eight numbers of the map from the result to the picture, `a` to `h` in
 * `x' = (a x + b y + c) / w`, `y' = (d x + e y + f) / w`, `w = g x + h y + 1`; then both lists are
 * empty.
 * `interpolation` is nearest or bilinear, and `fill` is the value outside of the picture, one
 * number or one for each channel.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if both or neither of the points
 * and the coefficients are given, if they have another number of elements, if the points are on a
 * line, or for another interpolation.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * const same = [1, 0, 0, 0, 1, 0, 0, 0];
 * const seen = transforms.functional.perspective(img, [], [], 'nearest', undefined, same);
 * await seen.tolist(); // [1, 2]
 */
export function perspective(img: TensorLike, startpoints: readonly (readonly number[])[], endpoints: readonly (readonly number[])[], interpolation?: InterpolationMode, fill?: number | readonly number[] | null, coefficients?: number | readonly number[] | null): Tensor;
export function perspective(img: TensorLike, startpoints: readonly (readonly number[])[], endpoints: readonly (readonly number[])[], options?: { interpolation?: InterpolationMode; fill?: number | readonly number[] | null; coefficients?: number | readonly number[] | null }): Tensor;
export function perspective(...args: unknown[]): Tensor {
  const [img, startpoints, endpoints, interpolation = 'bilinear', fill, coefficients] = bind('perspective img:tensor startpoints:list endpoints:list interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers? coefficients:numbers?', args) as [Tensor, readonly (readonly number[])[], readonly (readonly number[])[], InterpolationMode | undefined, readonly number[] | undefined, readonly number[] | undefined];
  checkImage('perspective', img);
  const map = coefficientsOf('perspective', startpoints, endpoints, coefficients);
  return samplePerspective('perspective', img, map, fill, interpolation);
}

/** A picture by the perspective map from the result to the picture. */
export function samplePerspective(op: string, img: Tensor, map: readonly number[], fill: readonly number[] | undefined, interpolation: InterpolationMode): Tensor {
  return scope(() => {
    const [height, width] = sizeOf(img);
    const x = arange(width, img).add(0.5).reshape([1, 1, width]);
    const y = arange(height, img).add(0.5).reshape([1, height, 1]);
    const depth = x.mul(map[6]!).add(y.mul(map[7]!)).add(1);
    const [across, down] = [0.5 * width, 0.5 * height];
    const horizontal = x.mul(map[0]! / across).add(y.mul(map[1]! / across)).add(map[2]! / across);
    const vertical = x.mul(map[3]! / down).add(y.mul(map[4]! / down)).add(map[5]! / down);
    const positions: [Tensor, Tensor] = [horizontal.div(depth).sub(1), vertical.div(depth).sub(1)];
    return sampleGrid(op, img, torch.stack(positions, -1), interpolation, fill);
  });
}

/** The given coefficients, or the coefficients of the points. */
export function coefficientsOf(op: string, startpoints: readonly (readonly number[])[], endpoints: readonly (readonly number[])[], coefficients: readonly number[] | undefined): readonly number[] {
  if (coefficients === undefined) return perspectiveCoefficients(op, startpoints, endpoints);
  if (!(startpoints.length === 0) || !(endpoints.length === 0)) {
    throw failure('argument', op, 'takes either the points or the coefficients');
  }
  if (coefficients.length !== 8) {
    throw failure(
      'argument',
      op,
      `coefficients must be eight numbers, and has ${coefficients.length}`,
    );
  }
  return coefficients;
}

/** The positions of the pixels of a picture, `[1, H, W, 2]`. */
export function identityGrid(img: Tensor): Tensor {
  return scope(() => {
    const [height, width] = sizeOf(img);
    const [rows, columns] = [height, width];
    const [across, down] = [2 / width, 2 / height];
    const x = arange(width, img).mul(across).add((1 - width) / width);
    const y = arange(height, img).mul(down).add((1 - height) / height);
    const horizontal = x.reshape([1, 1, columns]).expand([1, rows, columns]);
    const vertical = y.reshape([1, rows, 1]).expand([1, rows, columns]);
    return torch.stack([horizontal, vertical], -1);
  });
}

/**
 * A picture whose pixels come from displaced positions, as
 * `torchvision.transforms.functional.elastic_transform`.
 *
 * `displacement` has the shape `[1, H, W, 2]`, with displacements `x, y` in halves of the width
 * and the height. `interpolation` is nearest or bilinear, and `fill` is the value outside of the
 * picture, one number or one for each channel.
 *
 * @throws `shape` if `img` has fewer than three dimensions, or if `displacement` has another shape;
 * `argument` for another interpolation, or if `fill` does not fit.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * const still = zeros([1, 1, 2, 2]);
 * const same = transforms.functional.elasticTransform(img, still, 'nearest');
 * await same.tolist(); // [1, 2]
 */
export function elasticTransform(img: TensorLike, displacement: TensorLike, interpolation?: InterpolationMode, fill?: number | readonly number[] | null): Tensor;
export function elasticTransform(img: TensorLike, displacement: TensorLike, options?: { interpolation?: InterpolationMode; fill?: number | readonly number[] | null }): Tensor;
export function elasticTransform(...args: unknown[]): Tensor {
  const [img, displacement, interpolation = 'bilinear', fill] = bind('elasticTransform img:tensor displacement:tensor interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args) as [Tensor, Tensor, InterpolationMode | undefined, readonly number[] | undefined];
  return displace('elastic_transform', img, displacement, fill, interpolation);
}

export function displace(op: string, img: Tensor, displacement: Tensor, fill: readonly number[] | undefined, interpolation: InterpolationMode): Tensor {
  return scope(() => {
    checkImage(op, img);
    const [height, width] = sizeOf(img);
    const shape = displacement.shape;
    if (shape.length !== 4 || shape[0]! !== 1 || shape[1]! !== height || shape[2]! !== width
      || shape[3]! !== 2) {
      const message = `displacement must have shape [1, ${height}, ${width}, 2], and has [${shape.join(', ')}]`;
      throw failure('shape', op, message);
    }
    const grid = identityGrid(img);
    const grid2 = grid.add(displacement.to(grid.dtype));
    return sampleGrid(op, img, grid2, interpolation, fill);
  });
}

/**
 * `elasticTransform` by its name in v2: `torchvision.transforms.v2.functional.elastic`.
 *
 * @throws The errors of `elasticTransform`.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * const same = transforms.functional.elastic(img, zeros([1, 1, 2, 2]), 'nearest');
 * await same.tolist(); // [1, 2]
 */
export function elastic(img: TensorLike, displacement: TensorLike, interpolation?: InterpolationMode, fill?: number | readonly number[] | null): Tensor;
export function elastic(img: TensorLike, displacement: TensorLike, options?: { interpolation?: InterpolationMode; fill?: number | readonly number[] | null }): Tensor;
export function elastic(...args: unknown[]): Tensor {
  const [img, displacement, interpolation = 'bilinear', fill] = bind('elastic img:tensor displacement:tensor interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args) as [Tensor, Tensor, InterpolationMode | undefined, readonly number[] | undefined];
  return displace('elastic', img, displacement, fill, interpolation);
}
