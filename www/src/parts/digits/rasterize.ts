/**
 * Turns pen strokes into the 8×8 image that the network knows, in the way the data set was made:
 * normalize the digit to a bitmap of 32×32, cut that into blocks of 4×4, count the inked pixels of
 * each block. The strokes are redrawn at the normalized size instead of scaling the drawing, so
 * that a small and a large digit have lines of the same width.
 */
import { PIXELS, SIDE } from './data';

export interface Point {
  x: number;
  y: number;
}

export type Stroke = readonly Point[];

const BITMAP = 32;
const BLOCK = BITMAP / SIDE;
/** Half the width of the line. The digits of the data set have lines of about two blocks. */
const RADIUS = 3;
/** Digits of the data set fill the bitmap's height, and about this much of its width. */
const WIDEST = 23;

/** 64 values of 0 to 16, or all 0 without a stroke. */
export function rasterize(strokes: readonly Stroke[]): Uint8Array<ArrayBuffer> {
  const image = new Uint8Array(PIXELS);
  const normalized = normalize(strokes);
  for (let y = 0; y < BITMAP; y += 1) {
    for (let x = 0; x < BITMAP; x += 1) {
      const centre = { x: x + 0.5, y: y + 0.5 };
      if (normalized.some((stroke) => touches(stroke, centre))) {
        image[SIDE * Math.floor(y / BLOCK) + Math.floor(x / BLOCK)]! += 1;
      }
    }
  }
  return image;
}

/** Scales the strokes to the size of the data set's digits and centres them in the bitmap. */
function normalize(strokes: readonly Stroke[]): Stroke[] {
  const points = strokes.flat();
  const left = Math.min(...points.map((point) => point.x));
  const right = Math.max(...points.map((point) => point.x));
  const top = Math.min(...points.map((point) => point.y));
  const bottom = Math.max(...points.map((point) => point.y));
  const line = 2 * RADIUS;
  // A dot has no extent to scale by; it remains a dot.
  const scale = Math.min((BITMAP - line) / Math.max(bottom - top, 1e-6), (WIDEST - line) / Math.max(right - left, 1e-6), 1e3);
  const position = (point: Point): Point => ({
    x: BITMAP / 2 + scale * (point.x - (left + right) / 2),
    y: BITMAP / 2 + scale * (point.y - (top + bottom) / 2),
  });
  return strokes.map((stroke) => stroke.map(position));
}

/** Whether `at` lies under the pen that drew `stroke`. */
function touches(stroke: Stroke, at: Point): boolean {
  return stroke.some((from, index) => squaredDistance(from, stroke[index + 1] ?? from, at) <= RADIUS * RADIUS);
}

/** From a point to the nearest point of the segment, squared. */
function squaredDistance(from: Point, to: Point, at: Point): number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((at.x - from.x) * dx + (at.y - from.y) * dy) / length));
  return (from.x + along * dx - at.x) ** 2 + (from.y + along * dy - at.y) ** 2;
}
