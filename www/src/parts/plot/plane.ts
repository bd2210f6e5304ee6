/**
 * A plane with coordinates on a canvas: points, lines, and a field of colours in the background.
 * Chapters whose data has two dimensions draw it.
 */
import { onTheme } from './colour';

/** The part of the plane that is shown. */
export interface Domain {
  x: readonly [number, number];
  y: readonly [number, number];
}

export interface Point {
  x: number;
  y: number;
  /** A CSS variable, such as `--hue-3`. */
  colour: string;
  /** A ring instead of a disc. */
  isHollow?: boolean;
  /** In CSS pixels. */
  radius?: number;
  /** Text beside the point. */
  label?: string;
}

export interface Line {
  points: readonly (readonly [number, number])[];
  colour: string;
  /** In CSS pixels. */
  width?: number;
  isDashed?: boolean;
}

/**
 * Colours over the whole domain, in rows from its top: red, green, blue and opacity of each cell.
 */
export interface Field {
  columns: number;
  rows: number;
  colours: Uint8ClampedArray<ArrayBuffer>;
}

export interface Picture {
  field?: Field;
  lines?: readonly Line[];
  points?: readonly Point[];
}

export interface PlaneOptions {
  domain: Domain;
  /** Height over width. */
  aspect?: number;
  /** Draws lines and numbers of a grid. */
  hasGrid?: boolean;
}

const RADIUS = 4;
const FONT = '12px system-ui, sans-serif';
/** The height of a line of it, in CSS pixels. */
const LINE = 13;
const MIN_RADIUS_WITH_RIM = 3;
/** How far from a point a pointer still means it, in CSS pixels. */
const REACH = 12;

export class Plane {
  private picture: Picture = {};
  private shown: Domain;
  private readonly context: CanvasRenderingContext2D;
  private width = 0;
  private height = 0;

  /** The canvas needs `role="img"` and a label, which the page keeps up to date. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly options: PlaneOptions,
  ) {
    this.shown = options.domain;
    const context = canvas.getContext('2d');
    if (!context) {
      throw new Error('this browser draws no canvas');
    }
    this.context = context;
    canvas.style.display = 'block';
    canvas.style.width = '100%';
    canvas.style.aspectRatio = String(1 / (options.aspect ?? 1));
    // An observer reports the size: reading it would lay the page out again after a change.
    new ResizeObserver(([entry]) => {
      this.width = Math.round(entry!.contentRect.width);
      this.height = Math.round(entry!.contentRect.height);
      this.draw();
    }).observe(canvas);
    onTheme(() => this.draw());
  }

  get domain(): Domain {
    return this.shown;
  }

  show(picture: Picture, domain = this.shown): void {
    this.picture = picture;
    this.shown = domain;
    this.draw();
  }

  /** The coordinates under a pointer. */
  at(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const { x, y } = this.shown;
    return {
      x: x[0] + ((event.clientX - box.left) / box.width) * (x[1] - x[0]),
      y: y[1] - ((event.clientY - box.top) / box.height) * (y[1] - y[0]),
    };
  }

  /** The index of the point under a pointer. */
  pointAt(event: MouseEvent): number | undefined {
    const box = this.canvas.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    let nearest: { index: number; distance: number } | undefined;
    for (const [index, point] of (this.picture.points ?? []).entries()) {
      const [x, y] = this.toPixels(point.x, point.y);
      const distance = Math.hypot(x - left, y - top);
      if (distance <= REACH && distance < (nearest?.distance ?? Infinity)) {
        nearest = { index, distance };
      }
    }
    return nearest?.index;
  }

  private toPixels(x: number, y: number): [number, number] {
    const { x: across, y: up } = this.shown;
    return [((x - across[0]) / (across[1] - across[0])) * this.width, (1 - (y - up[0]) / (up[1] - up[0])) * this.height];
  }

  private draw(): void {
    const { canvas, context, picture } = this;
    if (this.width === 0) {
      return;
    }
    const dense = devicePixelRatio || 1;
    const [columns, rows] = [Math.round(this.width * dense), Math.round(this.height * dense)];
    // Setting the size clears the canvas, and is slow.
    if (canvas.width !== columns || canvas.height !== rows) {
      [canvas.width, canvas.height] = [columns, rows];
    }
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    if (picture.field) {
      this.drawField(picture.field);
    }
    if (this.options.hasGrid) {
      this.drawGrid(colour);
    }
    for (const line of picture.lines ?? []) {
      this.drawLine(line, colour(line.colour));
    }
    for (const point of picture.points ?? []) {
      this.drawPoint(point, colour(point.colour), colour('--card'));
    }
    this.drawLabels(colour);
  }

  private drawField({ columns, rows, colours }: Field): void {
    const small = new OffscreenCanvas(columns, rows);
    small.getContext('2d')!.putImageData(new ImageData(colours, columns, rows), 0, 0);
    this.context.imageSmoothingEnabled = true;
    this.context.drawImage(small, 0, 0, this.width, this.height);
  }

  private drawGrid(colour: (name: string) => string): void {
    const { context, shown } = this;
    context.font = FONT;
    context.lineWidth = 1;
    context.strokeStyle = colour('--line');
    context.fillStyle = colour('--ink-soft');
    for (const x of ticks(shown.x)) {
      const [left] = this.toPixels(x, 0);
      this.stroke([[left, 0], [left, this.height]]);
      context.fillText(String(x), left + 3, this.height - 4);
    }
    for (const y of ticks(shown.y)) {
      const [, top] = this.toPixels(0, y);
      this.stroke([[0, top], [this.width, top]]);
      // Below its line where there is no room above.
      context.fillText(String(y), 3, top < LINE ? top + LINE : top - 3);
    }
  }

  private drawLine({ points, width = 2, isDashed }: Line, colour: string): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = 'round';
    context.setLineDash(isDashed ? [6, 5] : []);
    this.stroke(points.map(([x, y]) => this.toPixels(x, y)));
    context.setLineDash([]);
  }

  private stroke(pixels: readonly (readonly [number, number])[]): void {
    this.context.beginPath();
    for (const [left, top] of pixels) {
      this.context.lineTo(left, top);
    }
    this.context.stroke();
  }

  private drawPoint({ x, y, radius = RADIUS, isHollow }: Point, colour: string, ground: string): void {
    const { context } = this;
    context.beginPath();
    context.arc(...this.toPixels(x, y), radius, 0, 2 * Math.PI);
    context.lineWidth = isHollow ? 2 : 1;
    context.fillStyle = isHollow ? ground : colour;
    context.strokeStyle = isHollow ? colour : ground;
    context.fill();
    // Around a small disc there would be more rim than disc: a row of them would look like a line
    // of the ground.
    if (isHollow || radius >= MIN_RADIUS_WITH_RIM) {
      context.stroke();
    }
  }

  /** Labels after all points, and each only where it covers no earlier one. */
  private drawLabels(colour: (name: string) => string): void {
    const { context } = this;
    const taken: { left: number; right: number; top: number }[] = [];
    context.font = FONT;
    context.fillStyle = colour('--ink');
    for (const { x, y, label, radius = RADIUS } of this.picture.points ?? []) {
      if (!label) {
        continue;
      }
      const [across, top] = this.toPixels(x, y);
      const size = context.measureText(label).width;
      // On the other side of a point near the right edge.
      const left = across + radius + 3 + size > this.width ? across - radius - 3 - size : across + radius + 3;
      if (taken.every((other) => left > other.right || left + size < other.left || Math.abs(top - other.top) > 12)) {
        context.fillText(label, left, top + 4);
        taken.push({ left, right: left + size, top });
      }
    }
  }
}

/** Round numbers within a range, about five of them. */
export function ticks([from, to]: readonly [number, number]): number[] {
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  // Rounded: 3 * 0.1 is not 0.3.
  return Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The least domain that holds `points`, with a margin. */
export function domainOf(points: readonly { x: number; y: number }[], margin = 0.08): Domain {
  return { x: rangeOf(points.map(({ x }) => x), margin), y: rangeOf(points.map(({ y }) => y), margin) };
}

function rangeOf(values: readonly number[], margin: number): [number, number] {
  const finite = values.filter(Number.isFinite);
  const [least, most] = finite.length > 0 ? [Math.min(...finite), Math.max(...finite)] : [-1, 1];
  const room = (most - least || 1) * margin;
  return [least - room, most + room];
}
