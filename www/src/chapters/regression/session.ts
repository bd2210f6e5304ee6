/** A line in training: its points on the device, its steps, and its path. */
import { cat, linspace, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { type LabelledPoint, parsePoints } from '../../parts/points/points';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { holdBack, type Speed } from '../../parts/training/speed';
import { readOnce } from '../../parts/training/worker';
import { type Line, LINES_DOMAIN, meanSquaredError, pointsAround, SIDE } from './line';
import { createRegression, type Rule, surface } from './train';

/** The line now, and how it came there. */
export interface Standing extends Line {
  loss: number;
  points: LabelledPoint[];
  /** Whether the points are the visitor's. */
  isOwn: boolean;
  /** Weight and bias after each step, one after the other. */
  path: number[];
  /** The losses of `SIDE` by `SIDE` lines: rows from the largest bias down, weights across. */
  surface: Float32Array;
}

export interface Fitting extends Lesson {
  settings: { rate: number; rule: Rule; noise: number; speed: Speed; points: string };
  measurement: Standing;
  question: 'again';
  answer: Standing;
}

/** Steps that are kept on the device until they are read; of more, the latest. */
const KEPT = 256;
/** Beyond this length every second point of the path is dropped. */
const LONGEST = 2000;
/** The pause before each step, so that the eye can follow. */
const WATCH_MS = 40;

export class RegressionSession implements Session<Fitting> {
  readonly parts: Parts;
  private current: Fitting['settings'];
  private readonly regression: ReturnType<typeof createRegression>;
  private points: LabelledPoint[] = [];
  private x!: Tensor;
  private y!: Tensor;
  private losses!: Promise<Float32Array>;
  private path: number[] = [];
  /** The line after each of the last steps, `[KEPT, 2]`. */
  private readonly latest: Tensor;
  /** The steps in `latest` that are not in `path` yet. */
  private unread = 0;
  private steps = 0;

  constructor(private readonly seed: number, settings: Fitting['settings']) {
    this.current = settings;
    this.regression = createRegression(settings.rule, settings.rate);
    const { model, optimizer } = this.regression;
    this.latest = scope(() => noGrad(() => this.line().expand(KEPT, 2).contiguous()));
    this.unread = 1;
    this.uploadPoints();
    const path = {
      stateDict: () => ({ path: this.path }),
      loadStateDict: (state: { path: number[] }) => {
        this.path = [...state.path];
        this.unread = 0;
      },
    };
    this.parts = { model, optimizer, path };
  }

  get settings(): Fitting['settings'] {
    return this.current;
  }

  set settings(settings: Fitting['settings']) {
    const isMoved = settings.points !== this.current.points;
    this.current = settings;
    if (isMoved) {
      this.x.dispose();
      this.y.dispose();
      this.uploadPoints();
    }
  }

  get epoch(): number {
    return this.steps;
  }

  async trainStep(): Promise<Tensor> {
    await holdBack(this.current.speed, WATCH_MS);
    this.steps += 1;
    this.unread += 1;
    this.regression.optimizer.lr = this.current.rate;
    const loss = this.regression.trainStep(this.x, this.y);
    noGrad(() => this.latest.copy_(cat([this.latest.at('1:'), this.line()])));
    return loss;
  }

  async measure(): Promise<Standing> {
    await this.readPath();
    const [weight, bias] = this.path.slice(-2) as [number, number];
    return {
      weight,
      bias,
      loss: meanSquaredError(this.points, { weight, bias }),
      points: this.points,
      isOwn: this.current.points !== '',
      path: this.path,
      surface: await this.losses,
    };
  }

  answer(): Promise<Standing> {
    return this.measure();
  }

  dispose(): void {
    for (const held of [this.x, this.y, this.latest, this.regression.optimizer, this.regression.model]) {
      held.dispose();
    }
  }

  /** Weight and bias, `[1, 2]`. */
  private line(): Tensor {
    const { weight, bias } = this.regression.model;
    return cat([weight.flatten(), bias!]).unsqueeze(0);
  }

  /** Puts the points on the device, and computes the loss of every line for them. */
  private uploadPoints(): void {
    const { points, noise } = this.current;
    const own = parsePoints(points);
    this.points = own.length > 0 ? own : pointsAround(this.seed, noise);
    const column = (values: number[]) => tensor(Float32Array.from(values), { shape: [values.length, 1] });
    this.x = column(this.points.map(({ x }) => x));
    this.y = column(this.points.map(({ y }) => y));
    const { x: weights, y: biases } = LINES_DOMAIN;
    const all = scope(() =>
      surface(
        this.x.flatten(),
        this.y.flatten(),
        linspace(...weights, SIDE).unsqueeze(1),
        linspace(biases[1], biases[0], SIDE).reshape(SIDE, 1, 1),
      ));
    this.losses = readOnce(all, async (table) => (await table.data()) as Float32Array);
  }

  private async readPath(): Promise<void> {
    const fresh = Math.min(this.unread, KEPT);
    if (fresh > 0) {
      const values = (await this.latest.data()) as Float32Array;
      this.path.push(...values.subarray(2 * (KEPT - fresh)));
      this.unread = 0;
    }
    if (this.path.length > 2 * LONGEST) {
      const last = this.path.length / 2 - 1;
      this.path = this.path.filter((_, index) => (index >> 1) % 2 === 0 || index >> 1 === last);
    }
  }
}
