/**
 * Several lines over common x values: uPlot in the page's colours, with a legend, resized with its
 * container.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axis, css, follow, legend, WIDTH } from './axes';

/** A line: a value for each x, with gaps where it is null. */
export interface Series {
  label: string;
  /** A CSS variable, such as `--cool`. */
  colour: string;
  isDashed?: boolean;
  /** In CSS pixels. */
  width?: number;
}

export interface ChartOptions {
  series: readonly Series[];
  /** The label of the x values in the legend. */
  x: string;
  format?: (value: number) => string;
  /** The form of the x values, for example of years: otherwise thousands are separated. */
  formatX?: (value: number) => string;
  height?: number;
  /** Fixes the y axis instead of following the values. */
  range?: [number, number];
  /** A logarithmic y axis, for values above 0 of several magnitudes. */
  isLogarithmic?: boolean;
}

const HEIGHT = 240;

export class Chart {
  private readonly plot: uPlot;

  constructor(container: HTMLElement, options: ChartOptions) {
    const height = options.height ?? HEIGHT;
    const nothing: [] = [];
    this.plot = new uPlot(plotOptions(options, height), [nothing, ...options.series.map(() => nothing)], container);
    follow(this.plot, container, height);
  }

  /** Shows `values`, a list as long as `xs` for each series. */
  show(xs: readonly number[], ...values: (readonly (number | null)[])[]): void {
    this.plot.setData([xs as number[], ...(values as (number | null)[][])]);
    this.list(values.map((line) => line.some((value) => value !== null)));
  }

  /** The legend lists the lines that are drawn; without any it says what will come. */
  private list(isDrawn: readonly boolean[]): void {
    const [, ...rows] = this.plot.root.querySelectorAll<HTMLElement>('.u-legend .u-series');
    for (const [index, row] of rows.entries()) {
      row.hidden = isDrawn.includes(true) && !isDrawn[index];
    }
  }
}

function plotOptions(options: ChartOptions, height: number): uPlot.Options {
  const format = options.format ?? ((value: number) => String(Number(value.toPrecision(3))));
  const { formatX, series } = options;
  return {
    width: WIDTH,
    height,
    cursor: { y: false, points: { size: 7 } },
    legend: { markers: { stroke: (_, index) => `var(${series[index - 1]!.colour})`, dash: (_, index) => (series[index - 1]!.isDashed ? 'dashed' : 'solid') } },
    scales: { x: { time: false }, y: { ...(options.range && { range: options.range }), ...(options.isLogarithmic && { distr: 3 }) } },
    series: [
      { label: options.x, value: legend(formatX ?? uPlot.fmtNum) },
      ...series.map(
        ({ label, colour, isDashed, width = 2 }): uPlot.Series => ({
          label,
          stroke: css(colour),
          width,
          points: { show: false },
          value: legend(format),
          ...(isDashed ? { dash: [6, 5] } : {}),
        }),
      ),
    ],
    axes: [
      { ...axis(), size: 28, ...(formatX ? { values: (_: uPlot, splits: number[]) => splits.map(formatX) } : {}) },
      { ...axis(), size: 52, values: (_, splits) => splits.map((split) => (split === null ? '' : format(split))) },
    ],
  };
}
