/** The histogram of a layer's weights, and the levels of a format. */
import { byId } from '../../parts/dom';
import { type Line, Plane } from '../../parts/plot/plane';
import type { Weights } from './compare';

const BINS = 61;
/** Weights that share their levels in every format. */
const GROUP = 32;

export class Histogram {
  private readonly canvas = byId('histogram', HTMLCanvasElement);
  private readonly plane = new Plane(this.canvas, { domain: { x: [-1, 1], y: [0, 1] }, aspect: 0.6, hasGrid: true });

  show({ before, after, width }: Weights, format: string): void {
    const most = before.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-6);
    const counts = new Array<number>(BINS).fill(0);
    for (const value of before) {
      counts[Math.min(BINS - 1, Math.floor(((value / most + 1) / 2) * BINS))]! += 1;
    }
    const top = 1.08 * Math.max(...counts);
    const bar = Math.max(1, this.canvas.clientWidth / (BINS * 1.25) - 1);
    const bars = counts.map((count, bin): Line => {
      const x = most * ((2 * (bin + 0.5)) / BINS - 1);
      return { points: [[x, 0], [x, count]], colour: '--cool', width: bar };
    });
    const levels = levelsOf(after.subarray(0, Math.min(GROUP, width)));
    const lines = format.startsWith('float')
      ? []
      : levels.map((x): Line => ({ points: [[x, 0], [x, top]], colour: '--accent', width: levels.length > 20 ? 1 : 2 }));
    // The numbers of the x axis are below the bars.
    this.plane.show({ lines: [...bars, ...lines] }, { x: [-1.25 * most, 1.25 * most], y: [-0.1 * top, top] });
    this.say(before, after, format, levels.length, lines.length > 0);
  }

  clear(): void {
    this.plane.show({});
    this.canvas.ariaLabel = 'Histogram of weights: nothing is trained yet';
    byId('histogram-words', HTMLElement).textContent = '';
  }

  private say(before: Float32Array, after: Float32Array, format: string, count: number, hasLevels: boolean): void {
    const largest = before.reduce((most, value, index) => Math.max(most, Math.abs(value - after[index]!)), 0);
    const levels = hasLevels ? ` The first ${GROUP} weights use ${count} levels, the lines.` : '';
    const words = `${before.length} weights in ${format}.${levels} The largest change of a weight is ${largest === 0 ? '0' : largest.toPrecision(2)}.`;
    byId('histogram-words', HTMLElement).textContent = words;
    this.canvas.ariaLabel = `Histogram of ${words}`;
  }
}

/** The different values, in order. */
function levelsOf(values: Float32Array): number[] {
  const sorted = [...values].sort((one, other) => one - other);
  const gap = 1e-5 * (sorted.at(-1)! - sorted[0]!);
  return sorted.filter((value, index) => index === 0 || value - sorted[index - 1]! > gap);
}
