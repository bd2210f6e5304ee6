/** Colours, axes and changes of the theme, as all plots have them. */
import type uPlot from 'uplot';
import { onTheme } from './colour';

/**
 * The width of a plot until `follow` sets its container's width, before it is first painted. To
 * read that width earlier would lay the page out again for every plot.
 */
export const WIDTH = 400;

/** The current value of a CSS variable, which uPlot asks for when it draws. */
export function css(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function axis(): uPlot.Axis {
  return {
    stroke: css('--ink-soft'),
    grid: { stroke: css('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
}

/** Text of a value in a legend, where there may be none. */
export function legend(format: (value: number) => string): uPlot.Series.Value {
  return (_: uPlot, shown: number | null) => (shown === null ? '–' : format(shown));
}

/** Keeps a plot as wide as its container, and in the colours of the theme. */
export function follow(plot: uPlot, container: HTMLElement, height: number): void {
  new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height })).observe(container);
  onTheme(() => plot.redraw(false));
}
