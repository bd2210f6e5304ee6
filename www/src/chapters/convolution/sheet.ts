/**
 * One or two rows of small pictures: filters, or their feature maps. Canvases are created once and
 * repainted.
 */
import { paintPixels, paintSigned } from '../../parts/pixels';
import type { Pictures } from '../../parts/digits/pictures';

export interface SheetOptions {
  count: number;
  side: number;
  /** The label of a picture, by its number from 1. */
  label: (number: number) => string;
  /** Values below 0 have another colour. */
  signed?: boolean;
}

export class Sheet {
  private readonly canvases: HTMLCanvasElement[];

  constructor(container: HTMLElement, private readonly options: SheetOptions) {
    this.canvases = Array.from({ length: options.count }, (_, index) => {
      const canvas = document.createElement('canvas');
      canvas.className = 'pixels';
      canvas.role = 'img';
      canvas.ariaLabel = options.label(index + 1);
      return canvas;
    });
    container.replaceChildren(...this.canvases);
    this.show(undefined);
  }

  /** One scale for all of them: a filter with weak responses looks faint. */
  show(pictures: Pictures | undefined): void {
    const { side, signed } = this.options;
    const values = pictures?.values ?? new Float32Array(this.options.count * side * side);
    const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-6);
    const paint = signed ? paintSigned : paintPixels;
    this.canvases.forEach((canvas, index) => paint(canvas, values.subarray(side * side * index, side * side * (index + 1)), side, most));
  }
}
