/** The series to learn: three that are made here, and one that was observed. */
import { normal, uniform } from '../../parts/random';
import sunspots from './sunspots.json';

/** Values at the end of each series that are held out, and the steps of a forecast. */
export const HELD_OUT = 60;

const LENGTH = 300;

export type SeriesName = 'waves' | 'damped' | 'logistic' | 'sunspots';

interface Kind {
  words: string;
  /** The unit of the index, and the first index. */
  axis: string;
  start: number;
  /** The length after which it repeats itself, more or less; undefined if it does not. */
  season?: number;
  values: (seed: number) => number[];
}

const turns = (index: number, period: number) => Math.sin((2 * Math.PI * index) / period);

function createSeries(value: (index: number) => number, noise: number, seed: number): number[] {
  const deviate = normal(uniform(seed));
  return Array.from({ length: LENGTH }, (_, index) => value(index) + noise * deviate());
}

/**
 * The logistic map x → 3.8 x (1 − x): each value follows from the one before, and yet no forecast
 * reaches far.
 */
function logistic(seed: number): number[] {
  const values = [0.2 + 0.6 * uniform(seed)()];
  while (values.length < LENGTH) {
    const last = values.at(-1)!;
    values.push(3.8 * last * (1 - last));
  }
  return values;
}

export const SERIES: Readonly<Record<SeriesName, Kind>> = {
  waves: {
    words: 'Two waves and noise',
    axis: 'Step',
    start: 0,
    season: 50,
    values: (seed) => createSeries((index) => turns(index, 25) + 0.6 * turns(index, 10), 0.08, seed),
  },
  damped: {
    words: 'A damped oscillation',
    axis: 'Step',
    start: 0,
    season: 24,
    values: (seed) => createSeries((index) => Math.exp(-index / 200) * turns(index, 24), 0.005, seed),
  },
  logistic: { words: 'Chaos: the logistic map', axis: 'Step', start: 0, values: logistic },
  sunspots: { words: 'Sunspots, 1700 to 2008', axis: 'Year', start: 1700, season: 11, values: () => sunspots },
};

/** The forecast that needs no learning: the last season again and again, or else the mean. */
export function naiveForecast(known: readonly number[], season: number | undefined): number[] {
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return Array.from({ length: HELD_OUT }, (_, index) => (season ? known.at(-season + (index % season))! : mean));
}

/** The root of the mean squared error. */
export function errorOf(forecast: readonly number[], truth: readonly number[]): number {
  return Math.sqrt(truth.reduce((sum, value, index) => sum + (value - forecast[index]!) ** 2, 0) / truth.length);
}
