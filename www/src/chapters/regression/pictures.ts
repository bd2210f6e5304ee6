/**
 * The two pictures of the page: the line among its points, and its path over the surface of the
 * loss.
 */
import type { LabelledPoint } from '../../parts/points/points';
import { onTheme, rgbOf } from '../../parts/plot/colour';
import { type Field, type Line as Stroke, Plane, type Point } from '../../parts/plot/plane';
import { bestLine, type Line, LINES_DOMAIN, meanSquaredError, POINTS_DOMAIN, SIDE } from './line';
import type { Standing } from './session';

const ASPECT = 0.8;
/** Bands of colour for each doubling of the loss, as the contours of a map. */
const BANDS = 1.5;
/** Coordinates are clamped to this, because canvases do not draw unbounded numbers. */
const FAR = 1e4;

export class LinePicture {
  readonly plane: Plane;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.plane = new Plane(canvas, { domain: POINTS_DOMAIN, aspect: ASPECT, hasGrid: true });
  }

  show(points: readonly LabelledPoint[], line: Line | undefined): void {
    const drawn = points.map(({ x, y }): Point => ({ x, y, colour: '--hue-0' }));
    const lines: Stroke[] = points.length > 0 ? [{ points: endsOf(bestLine(points)), colour: '--ink-soft', width: 1.5, isDashed: true }] : [];
    if (line) {
      const residuals = points.map(({ x, y }): Stroke => ({ points: [[x, y], [x, clamp(line.weight * x + line.bias)]], colour: '--accent', width: 1 }));
      lines.push(...residuals, { points: endsOf(line), colour: '--accent', width: 3 });
    }
    this.plane.show({ points: drawn, lines });
    const words = line ? `, and the line ${equation(line)} with a mean squared error of ${brief(meanSquaredError(points, line))}` : '';
    this.canvas.ariaLabel = `${points.length} points on a plane${words}`;
  }
}

export class SurfacePicture {
  private readonly plane: Plane;
  private last: Standing | undefined;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.plane = new Plane(canvas, { domain: LINES_DOMAIN, aspect: ASPECT, hasGrid: true });
    onTheme(() => this.last && this.show(this.last));
  }

  show(standing: Standing): void {
    this.last = standing;
    const { path, points, surface, weight, bias } = standing;
    const best = bestLine(points);
    const way = Array.from({ length: path.length / 2 }, (_, step) => [clamp(path[2 * step]!), clamp(path[2 * step + 1]!)] as const);
    this.plane.show({
      field: fieldOf(surface, meanSquaredError(points, best)),
      lines: [{ points: way, colour: '--accent', width: 2 }],
      points: [
        ...way.slice(-60).map(([x, y]): Point => ({ x, y, colour: '--accent', radius: 2.5 })),
        { x: best.weight, y: best.bias, colour: '--ink', isHollow: true, radius: 6, label: 'best' },
        { x: clamp(weight), y: clamp(bias), colour: '--accent', radius: 6 },
      ],
    });
    this.canvas.ariaLabel = `Loss for every weight, across, and bias, upwards. The line is at weight ${brief(weight)} and bias ${brief(bias)}, ` +
      `the lowest point at ${brief(best.weight)} and ${brief(best.bias)}`;
  }

  clear(): void {
    this.last = undefined;
    this.plane.show({});
  }
}

export function equation({ weight, bias }: Line): string {
  return `y = ${brief(weight)} x ${bias < 0 ? '−' : '+'} ${brief(Math.abs(bias))}`;
}

export function brief(value: number): string {
  return Math.abs(value) < 1e4 ? value.toFixed(2) : value.toExponential(1);
}

function clamp(value: number): number {
  return Math.min(FAR, Math.max(-FAR, value));
}

function endsOf({ weight, bias }: Line): [number, number][] {
  return POINTS_DOMAIN.x.map((x) => [x, clamp(weight * x + bias)]);
}

/** The lower, the stronger, in bands: the steps between them are contours. */
function fieldOf(surface: Float32Array, least: number): Field {
  const colour = rgbOf('--hue-0');
  const colours = new Uint8ClampedArray(4 * surface.length);
  surface.forEach((loss, index) => {
    const height = Math.log2(1 + Math.max(0, loss - least) / 0.1);
    const band = Math.floor(height * BANDS) / BANDS;
    colours.set([...colour, 190 * Math.max(0.04, 1 - band / 10)], 4 * index);
  });
  return { columns: SIDE, rows: SIDE, colours };
}
