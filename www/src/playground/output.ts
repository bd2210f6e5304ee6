/** The output of a program: lines, curves and images, in the order of the program. */
import { make } from '../parts/dom';
import { paintGrey } from '../parts/pixels';
import { Chart } from '../parts/plot/chart';
import type { Level, Shown, TensorView } from '../parts/run/protocol';

const MAX_CURVES = 6;

export class Output {
  constructor(private readonly container: HTMLElement) {}

  clear(): void {
    this.container.replaceChildren();
  }

  add(...elements: HTMLElement[]): void {
    this.container.append(...elements);
    this.container.scrollTop = this.container.scrollHeight;
  }

  print(level: Level, shown: Shown): void {
    if (level === 'plot') {
      this.plot(shown.tensors);
    } else if (level === 'draw') {
      shown.tensors.forEach((view) => this.draw(view));
    } else {
      this.add(make('pre', { className: `printed ${level}`, textContent: shown.text }));
    }
  }

  private plot(views: readonly TensorView[]): void {
    const curves = views.slice(0, MAX_CURVES);
    const wrong = curves.find(({ shape, values }) => shape.length !== 1 || !values);
    if (wrong || curves.length === 0) {
      return this.refuse(`plot takes tensors of one dimension with at most 4096 elements, not ${wrong ? `[${wrong.shape.join(', ')}]` : 'none'}`);
    }
    const container = make('div', { className: 'plot', role: 'img', ariaLabel: `${curves.length === 1 ? 'A curve' : `${curves.length} curves`} of ${curves[0]!.shape[0]} numbers` });
    this.add(container);
    const chart = new Chart(container, { x: 'Index', series: curves.map((_, index) => ({ label: `Curve ${index + 1}`, colour: `--hue-${index}` })) });
    const longest = Math.max(...curves.map(({ shape }) => shape[0]!));
    const xs = Array.from({ length: longest }, (_, index) => index);
    chart.show(xs, ...curves.map(({ values }) => xs.map((index) => finite(values![index]))));
    this.container.scrollTop = this.container.scrollHeight;
  }

  private draw({ shape, values }: TensorView): void {
    const [height, width] = shape;
    if (shape.length !== 2 || !values || !height || !width) {
      return this.refuse(`draw takes an image [height, width] of at most 4096 pixels, not [${shape.join(', ')}]`);
    }
    const canvas = make('canvas', { className: 'pixels drawn', role: 'img', ariaLabel: `An image of ${width} by ${height} pixels` });
    paintGrey(canvas, values, width, height);
    this.add(canvas);
  }

  private refuse(words: string): void {
    this.add(make('pre', { className: 'threw', textContent: words }));
  }
}

function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}
