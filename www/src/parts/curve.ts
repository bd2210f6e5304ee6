/**
 * A curve over training steps: uPlot in the page's colours, resized with its container, and bounded
 * in length.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axis, css, follow, legend, WIDTH } from './plot/axes';

/**
 * Beyond this length every second point is dropped: a long run keeps its shape at a constant cost.
 */
const MAX_POINTS = 2000;
const HEIGHT = 210;
/** Beside another curve of a pair. */
const LOW = 165;

export interface CurveOptions {
  label: string;
  /** The CSS variable with the line's colour, such as `--accent`. */
  colour: string;
  format: (value: number) => string;
  /** A bold running mean over a faint line, for values that jump. */
  smooth?: boolean;
  /** Fixes the axis instead of following the values. */
  range?: [number, number];
}

export class Curve {
  private steps: number[] = [];
  private values: number[] = [];
  private readonly smooth: boolean;
  private plot: uPlot | undefined;

  constructor(container: HTMLElement, options: CurveOptions) {
    this.smooth = options.smooth ?? false;
    // In a separate task: a page has several curves, and answers before they exist.
    setTimeout(() => {
      const height = container.closest('.pair') ? LOW : HEIGHT;
      this.plot = new uPlot(plotOptions(options, this.smooth, height), [[], []], container);
      follow(this.plot, container, height);
      this.draw();
    });
  }

  get points(): { step: number; value: number }[] {
    return this.steps.map((step, index) => ({ step, value: this.values[index]! }));
  }

  add(points: readonly { step: number; value: number }[]): void {
    for (const { step, value } of points) {
      this.steps.push(step);
      this.values.push(value);
    }
    if (this.steps.length > MAX_POINTS) {
      const last = this.steps.length - 1;
      const isKept = (_: number, index: number) => index % 2 === 0 || index === last;
      this.steps = this.steps.filter(isKept);
      this.values = this.values.filter(isKept);
    }
    this.draw();
  }

  clear(): void {
    this.steps = [];
    this.values = [];
    this.draw();
  }

  private draw(): void {
    const lines = this.smooth ? [this.values, runningMean(this.values)] : [this.values];
    this.plot?.setData([this.steps, ...lines]);
  }
}

function runningMean(values: readonly number[]): number[] {
  const keep = 0.85;
  let mean = 0;
  return values.map((value, index) => {
    mean = keep * mean + (1 - keep) * value;
    // Bias correction: without the division the first values would be drawn towards zero.
    return mean / (1 - keep ** (index + 1));
  });
}

function plotOptions(options: CurveOptions, smooth: boolean, height: number): uPlot.Options {
  const line = { label: options.label, stroke: css(options.colour), width: 2.5, points: { show: false }, value: legend(options.format) };
  const faint = { ...line, label: 'Each reading', width: 1, alpha: 0.35 };
  return {
    width: WIDTH,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 } },
    scales: { x: { time: false }, y: options.range ? { range: options.range } : { range: (_, __, top) => [0, (top || 1) * 1.05] } },
    series: [{ label: 'Step' }, ...(smooth ? [faint, line] : [line])],
    axes: [
      { ...axis(), size: 28, values: (_, splits) => splits.map((step) => (Number.isInteger(step) ? String(step) : '')) },
      { ...axis(), size: 48, values: (_, splits) => splits.map(options.format) },
    ],
  };
}
