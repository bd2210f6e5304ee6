/**
 * Formulas about lines, without training: data to fit, the best line, and the limit of the learning
 * rate.
 */
import type { LabelledPoint } from '../../parts/points/points';
import { normal, uniform } from '../../parts/random';

/** The part of the plane where points are. */
export const POINTS_DOMAIN = { x: [-1.5, 3.5], y: [-5, 7] } as const;
/** The lines of the loss surface: weight across, bias up. */
export const LINES_DOMAIN = { x: [-3.5, 4.5], y: [-4, 5] } as const;
/** Lines in a row of that surface. */
export const SIDE = 64;

export interface Line {
  weight: number;
  bias: number;
}

const COUNT = 40;
const TRUTH: Line = { weight: 1.3, bias: 0.6 };

/** Points around a line: y = 1.3 x + 0.6 and noise of this deviation. */
export function pointsAround(seed: number, noise: number): LabelledPoint[] {
  const random = uniform(seed);
  const deviate = normal(random);
  return Array.from({ length: COUNT }, () => {
    const x = -1 + 4 * random();
    return { x, y: TRUTH.weight * x + TRUTH.bias + noise * deviate(), label: 0 };
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

export function meanSquaredError(points: readonly LabelledPoint[], { weight, bias }: Line): number {
  return mean(points.map(({ x, y }) => (weight * x + bias - y) ** 2));
}

/** The line of least squares, by the formula. Of points above each other, the level one. */
export function bestLine(points: readonly LabelledPoint[]): Line {
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const spread = mean(points.map((point) => (point.x - x) ** 2));
  const weight = spread > 1e-9 ? mean(points.map((point) => (point.x - x) * (point.y - y))) / spread : 0;
  return { weight, bias: y - weight * x };
}

/**
 * The learning rate above which plain SGD diverges: 2 over the larger eigenvalue of the loss's
 * Hessian, `2 * [[mean(x * x), mean(x)], [mean(x), 1]]`.
 */
export function rateLimit(points: readonly LabelledPoint[]): number {
  const square = mean(points.map(({ x }) => x * x));
  const first = mean(points.map(({ x }) => x));
  return 2 / (square + 1 + Math.hypot(square - 1, 2 * first));
}
