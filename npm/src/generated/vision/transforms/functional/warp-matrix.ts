// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The coefficients of affine and perspective maps, as numbers of the host. */
import { failure } from '../../../../library/support.js';

/**
 * The map from a pixel of the result to its position in the picture, relative to the middle: the
 * two rows `a, b, c` and `d, e, f` of `x' = a x + b y + c`, `y' = d x + e y + f`.
 *
 * The picture is sheared, rotated by `angle` degrees with the clock and scaled about `center`, and
 * then translated.
 */
export function inverseAffine(center: readonly number[], angle: number, translate: readonly number[], scale: number, shear: readonly number[]): readonly number[] {
  const turn = angle * Math.PI / 180;
  const [shearX, shearY] = [shear[0]! * Math.PI / 180, shear[1]! * Math.PI / 180];
  const a = Math.cos(turn - shearY) / Math.cos(shearY);
  const b = -(a * Math.tan(shearX) + Math.sin(turn));
  const c = Math.sin(turn - shearY) / Math.cos(shearY);
  const d = Math.cos(turn) - c * Math.tan(shearX);
  const [rowX, rowY] = [[d / scale, -b / scale], [-c / scale, a / scale]];
  const [x, y] = [center[0]! + translate[0]!, center[1]! + translate[1]!];
  return [
    rowX[0]!,
    rowX[1]!,
    center[0]! - rowX[0]! * x - rowX[1]! * y,
    rowY[0]!,
    rowY[1]!,
    center[1]! - rowY[0]! * x - rowY[1]! * y,
  ];
}

/**
 * The map from a position in the picture to its pixel of the result, relative to the middle: the
 * inverse of `inverseAffine`.
 */
export function invertMatrix(matrix: readonly number[]): readonly number[] {
  const determinant = matrix[0]! * matrix[4]! - matrix[1]! * matrix[3]!;
  const [a, b] = [matrix[4]! / determinant, -matrix[1]! / determinant];
  const [d, e] = [-matrix[3]! / determinant, matrix[0]! / determinant];
  return [a, b, -(a * matrix[2]! + b * matrix[5]!), d, e, -(d * matrix[2]! + e * matrix[5]!)];
}

/** The height and the width of a result that holds the whole mapped picture. */
export function expandSize(matrix: readonly number[], height: number, width: number): [number, number] {
  const [halfWidth, halfHeight] = [0.5 * width, 0.5 * height];
  let right = 0;
  let bottom = 0;
  for (const sideX of [-1, 1]) {
    for (const sideY of [-1, 1]) {
      const [x, y] = [sideX * halfWidth, sideY * halfHeight];
      right = Math.max(matrix[0]! * x + matrix[1]! * y + matrix[2]!, right);
      bottom = Math.max(matrix[3]! * x + matrix[4]! * y + matrix[5]!, bottom);
    }
  }
  return [span(bottom, halfHeight), span(right, halfWidth)];
}

/** The number of pixels from `-reach` to `reach` about the middle, to 1e-4 of a pixel. */
function span(reach: number, half: number): number {
  const high = Math.ceil(Math.trunc((reach + half) * 1e4) * 1e-4);
  const low = Math.floor(Math.trunc((half - reach) * 1e4) * 1e-4);
  return Math.trunc(high - low);
}

/**
 * The solution of a square system of equations, by elimination with row pivots.
 *
 * @throws `argument` if the equations do not have one solution.
 */
function solve(op: string, matrix: readonly (readonly number[])[]): readonly number[] {
  const size = matrix.length;
  const rows = [...matrix];
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    }
    const chosen = rows[pivot]!;
    rows[pivot]! = rows[column]!;
    if (Math.abs(chosen[column]!) < 1e-12) {
      throw failure('argument', op, 'the points do not determine a perspective map');
    }
    rows[column]! = chosen.map((value) => value / chosen[column]!);
    for (let row = 0; row < size; row++) {
      if (row !== column) {
        const factor = rows[row]![column]!;
        const reduced: number[] = [];
        for (let position = 0; position < size + 1; position++) {
          reduced.push(rows[row]![position]! - factor * rows[column]![position]!);
        }
        rows[row]! = reduced;
      }
    }
  }
  return rows.map((row) => row[size]!);
}

/**
 * The eight coefficients `a` to `h` of the perspective map from the points `endpoints` of the
 * result to the points `startpoints` of the picture: `x' = (a x + b y + c) / (g x + h y + 1)`, `y'
 * = (d x + e y + f) / (g x + h y + 1)`. Both have the four corners, `x, y` each.
 *
 * @throws `argument` if there are not four points each, or if they do not determine a map.
 */
export function perspectiveCoefficients(op: string, startpoints: readonly (readonly number[])[], endpoints: readonly (readonly number[])[]): readonly number[] {
  if (startpoints.length !== 4 || endpoints.length !== 4) {
    const [starts, ends] = [startpoints.length, endpoints.length];
    const message = `startpoints and endpoints must be four points each, and are ${starts} and ${ends}`;
    throw failure('argument', op, message);
  }
  const rows: (readonly number[])[] = [];
  for (let index = 0; index < 4; index++) {
    const [end, start] = [endpoints[index]!, startpoints[index]!];
    if (end.length !== 2 || start.length !== 2) {
      throw failure('argument', op, 'a point must be two numbers, x and y');
    }
    const [x, y] = [end[0]!, end[1]!];
    rows.push([x, y, 1, 0, 0, 0, -start[0]! * x, -start[0]! * y, start[0]!]);
    rows.push([0, 0, 0, x, y, 1, -start[1]! * x, -start[1]! * y, start[1]!]);
  }
  return solve(op, rows);
}
