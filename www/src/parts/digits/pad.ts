/** The pad to draw a digit on, with mouse, pen or finger. */
import { paintPixels } from '../pixels';
import { INK, SIDE as PIXELS_WIDE } from './data';
import type { Point, Stroke } from './rasterize';

/** The canvas uses these units, whatever size it is shown at. */
const SIDE = 280;
const LINE = 22;

export class Pad {
  private strokes: Point[][] = [];
  private readonly canvas: HTMLCanvasElement;
  private readonly onChange: (strokes: readonly Stroke[]) => void;

  constructor(canvas: HTMLCanvasElement, onChange: (strokes: readonly Stroke[]) => void) {
    this.canvas = canvas;
    this.onChange = onChange;
    canvas.width = SIDE;
    canvas.height = SIDE;
    canvas.addEventListener('pointerdown', (event) => this.begin(event));
    canvas.addEventListener('pointermove', (event) => this.extend(event));
    this.paint();
  }

  clear(): void {
    this.strokes = [];
    this.paint();
    this.onChange(this.strokes);
  }

  /** Shows an image of the data set instead of a drawing, until something is drawn. */
  show(pixels: Uint8Array): void {
    this.strokes = [];
    const small = document.createElement('canvas');
    paintPixels(small, pixels, PIXELS_WIDE, INK);
    const context = this.canvas.getContext('2d');
    if (context) {
      context.imageSmoothingEnabled = false;
      context.drawImage(small, 0, 0, SIDE, SIDE);
    }
  }

  private begin(event: PointerEvent): void {
    if (event.button !== 0) {
      return;
    }
    // Captures the pointer when it leaves the pad, and keeps a finger from scrolling the page.
    this.canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.strokes.push([this.pointAt(event)]);
    this.paint();
    this.onChange(this.strokes);
  }

  private extend(event: PointerEvent): void {
    const stroke = this.strokes.at(-1);
    if (!stroke || !this.canvas.hasPointerCapture(event.pointerId)) {
      return;
    }
    const between = event.getCoalescedEvents?.() ?? [];
    stroke.push(...(between.length > 0 ? between : [event]).map((part) => this.pointAt(part)));
    this.paint();
    this.onChange(this.strokes);
  }

  private pointAt(event: PointerEvent): Point {
    const box = this.canvas.getBoundingClientRect();
    return { x: ((event.clientX - box.left) * SIDE) / box.width, y: ((event.clientY - box.top) * SIDE) / box.height };
  }

  private paint(): void {
    const context = this.canvas.getContext('2d');
    if (!context) {
      return;
    }
    context.fillStyle = '#15131f';
    context.fillRect(0, 0, SIDE, SIDE);
    context.strokeStyle = '#ffdca0';
    context.lineWidth = LINE;
    context.lineCap = 'round';
    context.lineJoin = 'round';
    for (const [first, ...rest] of this.strokes) {
      if (!first) {
        continue;
      }
      context.beginPath();
      context.moveTo(first.x, first.y);
      // A tap is a stroke of one point: a line to itself is drawn as a dot.
      for (const point of rest.length > 0 ? rest : [first]) {
        context.lineTo(point.x, point.y);
      }
      context.stroke();
    }
  }
}
