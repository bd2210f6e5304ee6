/** The plane as the network divides it, and as each neuron of its first layer sees it. */
import { make } from '../../parts/dom';
import { paintSigned } from '../../parts/pixels';
import type { LabelledPoint } from '../../parts/points/points';
import { onTheme, rgbOf } from '../../parts/plot/colour';
import { type Field, Plane, type Point } from '../../parts/plot/plane';
import { DOMAIN, SIDE } from './data';
import type { View } from './session';

export const CLASS_NAMES = ['Blue', 'Orange', 'Green'] as const;

export class Division {
  readonly plane: Plane;
  private last: View | undefined;
  private points: readonly LabelledPoint[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.plane = new Plane(canvas, { domain: DOMAIN });
    onTheme(() => this.show(this.points, this.last));
  }

  /** The view may be of other points than those that are shown: it comes a little later. */
  show(points: readonly LabelledPoint[], view: View | undefined): void {
    this.points = points;
    this.last = view;
    const drawn = points.map(({ x, y, label }, index): Point => {
      const isTaken = view?.points.length !== points.length || view.taken[index] === label;
      return { x, y, colour: `--hue-${label}`, radius: 4.5, isHollow: !isTaken };
    });
    this.plane.show(view ? { points: drawn, field: fieldOf(view) } : { points: drawn });
    const classes = [...new Set(points.map(({ label }) => label))].sort().map((label) => CLASS_NAMES[label]!.toLowerCase());
    const words = view ? `, ${Math.round(100 * view.accuracy)} % of them on a ground of their own colour` : '';
    this.canvas.ariaLabel = `${points.length} points, ${classes.join(' and ')}${words}`;
  }
}

/** Each cell has the colours of the classes in the shares of their probabilities. */
function fieldOf({ classes, probabilities }: View): Field {
  const hues = Array.from({ length: classes }, (_, label) => rgbOf(`--hue-${label}`));
  const colours = new Uint8ClampedArray(4 * SIDE * SIDE);
  for (let cell = 0; cell < SIDE * SIDE; cell += 1) {
    const shares = probabilities.subarray(cell * classes, (cell + 1) * classes);
    const mixed = [0, 1, 2].map((channel) => hues.reduce((sum, hue, label) => sum + shares[label]! * hue[channel]!, 0));
    // Where it is in doubt, the colour is faint: the border is a light band.
    const doubt = (1 - Math.max(...shares)) / (1 - 1 / classes);
    colours.set([...mixed, 130 * (1 - 0.85 * doubt)], 4 * cell);
  }
  return { columns: SIDE, rows: SIDE, colours };
}

/** Small fields, one for each neuron. */
export class Neurons {
  private canvases: HTMLCanvasElement[] = [];

  constructor(private readonly container: HTMLElement) {}

  show({ neurons, width }: View): void {
    if (this.canvases.length !== width) {
      this.canvases = Array.from({ length: width }, (_, index) =>
        make('canvas', { className: 'pixels', role: 'img', ariaLabel: `Output of neuron ${index + 1} over the plane` }));
      this.container.replaceChildren(...this.canvases);
    }
    const most = neurons.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-6);
    this.canvases.forEach((canvas, index) => {
      const values = Float32Array.from({ length: SIDE * SIDE }, (_, cell) => neurons[cell * width + index]!);
      paintSigned(canvas, values, SIDE, most);
    });
  }
}
