/** A recurrent network in training: windows of the series, and its forecasts with their errors. */
import { cat, manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { DataLoader, TensorDataset } from 'lanthorn/data';
import { Batches } from '../../parts/training/batches';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { readOnce } from '../../parts/training/worker';
import { errorOf, HELD_OUT, naiveForecast, SERIES, type SeriesName } from './series';
import { type Cell, createForecaster } from './train';

/**
 * Forecasts in the units of the series, and the roots of their mean squared errors on the held-out
 * values.
 */
export interface Forecasts {
  series: SeriesName;
  values: number[];
  /** For each held-out value, the guess from those before it. */
  oneStep: number[];
  /** From the last training value, and from the last value. */
  alone: number[];
  onwards: number[];
  /** The last season again and again. */
  naive: number[];
  errors: { oneStep: number; lastValue: number; alone: number; naive: number };
}

export interface Forecasting extends Lesson {
  settings: { series: SeriesName; cell: Cell; hidden: number; rate: number };
  measurement: Forecasts;
  question: never;
  answer: never;
}

/** Values in a window, and windows in a batch. */
const WINDOW = 36;
const BATCH = 16;
/** The values that it reads before a forecast. */
const HISTORY = 100;
/** A forecast is many small steps, so the network is measured once in this many training steps. */
const MEASURE_EVERY = 10;

export class RecurrentSession implements Session<Forecasting> {
  settings: Forecasting['settings'];
  readonly parts: Parts;
  private readonly forecaster: ReturnType<typeof createForecaster>;
  private readonly batches: Batches<[Tensor, Tensor]>;
  private readonly values: number[];
  private readonly known: number[];
  private readonly mean: number;
  private readonly deviation: number;
  private readonly held: Tensor[];
  /**
   * The held-out values but the last, with a history before them, `[1, HISTORY + HELD_OUT - 1, 1]`.
   */
  private readonly recent: Tensor;
  /** The values before the two forecasts, `[2, HISTORY, 1]`. */
  private readonly histories: Tensor;
  private steps = 0;

  constructor(seed: number, settings: Forecasting['settings']) {
    manualSeed(seed);
    this.settings = settings;
    this.values = SERIES[settings.series].values(seed);
    this.known = this.values.slice(0, -HELD_OUT);
    const count = this.known.length;
    this.mean = this.known.reduce((sum, value) => sum + value, 0) / count;
    // Standardized by the training values: a network learns best from numbers around 0 and 1.
    this.deviation = Math.sqrt(this.known.reduce((sum, value) => sum + (value - this.mean) ** 2, 0) / count);
    const standard = this.values.map((value) => (value - this.mean) / this.deviation);

    const starts = Array.from({ length: count - WINDOW }, (_, start) => start);
    const windows = (shift: number) => sequences(starts.map((start) => standard.slice(start + shift, start + shift + WINDOW)));
    const [now, next] = [windows(0), windows(1)];
    this.recent = sequences([standard.slice(count - HISTORY, -1)]);
    this.histories = sequences([standard.slice(count - HISTORY, count), standard.slice(-HISTORY)]);
    this.held = [now, next, this.recent, this.histories];
    const lesson = new TensorDataset(now, next);
    // The incomplete batch at the end of an epoch is skipped: every step then has the same shapes.
    this.batches = new Batches((batchSize) => new DataLoader(lesson, { batchSize, shuffle: true, dropLast: true, seed }), BATCH);
    this.forecaster = createForecaster(settings.cell, settings.hidden, settings.rate);
    const { model, optimizer } = this.forecaster;
    this.parts = { model, optimizer, batches: this.batches };
  }

  get epoch(): number {
    return Math.floor(this.steps / MEASURE_EVERY);
  }

  async trainStep(): Promise<Tensor> {
    this.steps += 1;
    this.forecaster.optimizer.lr = this.settings.rate;
    const [values, next] = await this.batches.next(BATCH);
    return this.forecaster.trainStep(values, next);
  }

  async measure(): Promise<Forecasts> {
    const { model } = this.forecaster;
    const all = scope(() =>
      noGrad(() => {
        const [guesses] = model.call(this.recent);
        const forecasts = model.forecast(this.histories, HELD_OUT);
        return cat([guesses.flatten().at(`-${HELD_OUT}:`), forecasts.flatten()]);
      }));
    const read = await readOnce(all, (each) => each.data());
    const guesses = Array.from(read as Float32Array, (value) => value * this.deviation + this.mean);
    const part = (index: number) => guesses.slice(index * HELD_OUT, (index + 1) * HELD_OUT);
    const [oneStep, alone, onwards] = [part(0), part(1), part(2)];
    const truth = this.values.slice(-HELD_OUT);
    const naive = naiveForecast(this.known, SERIES[this.settings.series].season);
    const errors = {
      oneStep: errorOf(oneStep, truth),
      lastValue: errorOf(this.values.slice(-HELD_OUT - 1, -1), truth),
      alone: errorOf(alone, truth),
      naive: errorOf(naive, truth),
    };
    return { series: this.settings.series, values: this.values, oneStep, alone, onwards, naive, errors };
  }

  answer(): Promise<never> {
    return Promise.reject(new Error('this chapter asks nothing'));
  }

  dispose(): void {
    const { model, optimizer } = this.forecaster;
    for (const held of [...this.held, optimizer, model]) {
      held.dispose();
    }
  }
}

/** Sequences of one length, `[sequences, length, 1]`. */
function sequences(rows: readonly number[][]): Tensor {
  return tensor(Float32Array.from(rows.flat()), { shape: [rows.length, rows[0]!.length, 1] });
}
