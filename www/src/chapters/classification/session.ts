/**
 * A network that divides the plane: its points on the device, its steps, and its view of the whole
 * plane.
 */
import { cat, manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { type LabelledPoint, parsePoints } from '../../parts/points/points';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { holdBack, type Speed } from '../../parts/training/speed';
import { readValues } from '../../parts/training/worker';
import { DOMAIN, pointsOf, type Shape, SHAPES, SIDE } from './data';
import { type Activation, createClassifier } from './train';

/** The network's view of the plane, at `SIDE` by `SIDE` cells, in rows from the top. */
export interface View {
  points: LabelledPoint[];
  /** Whether the points are the visitor's. */
  isOwn: boolean;
  /** The predicted class of each point. */
  taken: number[];
  /** Shares of points whose class is predicted correctly. */
  accuracy: number;
  heldOutAccuracy: number;
  classes: number;
  /** `[SIDE * SIDE, classes]` */
  probabilities: Float32Array;
  width: number;
  /** The outputs of the first hidden layer, `[SIDE * SIDE, width]`. */
  neurons: Float32Array;
}

export interface Dividing extends Lesson {
  settings: { rate: number; shape: Shape; layers: number; width: number; activation: Activation; speed: Speed; points: string };
  measurement: View;
  question: 'again';
  answer: View;
}

const WATCH_MS = 10;
/** Added to the seed for the held-out points. */
const HELD_OUT = 7919;

export class ClassificationSession implements Session<Dividing> {
  readonly parts: Parts;
  private current: Dividing['settings'];
  private readonly classifier: ReturnType<typeof createClassifier>;
  private readonly classes: number;
  private readonly heldOut: LabelledPoint[];
  private readonly heldOutPositions: Tensor;
  private readonly grid: Tensor;
  private points: LabelledPoint[] = [];
  private positions!: Tensor;
  private labels!: Tensor;
  private steps = 0;

  constructor(private readonly seed: number, settings: Dividing['settings']) {
    manualSeed(seed);
    this.current = settings;
    const { shape, rate, layers, width, activation } = settings;
    this.classes = SHAPES[shape].classes;
    this.classifier = createClassifier({ layers, width, activation, classes: this.classes }, rate);
    this.heldOut = pointsOf(shape, seed + HELD_OUT);
    this.heldOutPositions = createPositions(this.heldOut);
    this.grid = createPositions(cellCentres());
    this.uploadPoints();
    const { model, optimizer } = this.classifier;
    this.parts = { model, optimizer };
  }

  get settings(): Dividing['settings'] {
    return this.current;
  }

  set settings(settings: Dividing['settings']) {
    const isMoved = settings.points !== this.current.points;
    this.current = settings;
    if (isMoved) {
      this.positions.dispose();
      this.labels.dispose();
      this.uploadPoints();
    }
  }

  get epoch(): number {
    return this.steps;
  }

  async trainStep(): Promise<Tensor> {
    await holdBack(this.current.speed, WATCH_MS);
    this.steps += 1;
    this.classifier.optimizer.lr = this.current.rate;
    return this.classifier.trainStep(this.positions, this.labels);
  }

  async measure(): Promise<View> {
    const { model } = this.classifier;
    const { neurons, probabilities, taken } = scope(() =>
      noGrad(() => {
        const neurons = model.first.call(this.grid);
        const probabilities = model.rest.call(neurons).softmax(1);
        // Both sets in one pass, because each transfer costs time.
        const taken = model.call(cat([this.positions, this.heldOutPositions])).argmax(1);
        return { neurons, probabilities, taken };
      }));
    const points = this.points;
    const [seen, shares, all] = await Promise.all([readValues(neurons), readValues(probabilities), readValues(taken)]);
    const own = [...all.subarray(0, points.length)];
    return {
      points,
      isOwn: this.current.points !== '',
      taken: own,
      accuracy: shareRight(points, own),
      heldOutAccuracy: shareRight(this.heldOut, all.subarray(points.length)),
      classes: this.classes,
      probabilities: shares,
      width: this.current.width,
      neurons: seen,
    };
  }

  answer(): Promise<View> {
    return this.measure();
  }

  dispose(): void {
    const { model, optimizer } = this.classifier;
    for (const held of [this.positions, this.labels, this.heldOutPositions, this.grid, optimizer, model]) {
      held.dispose();
    }
  }

  /** Puts the points on the device. */
  private uploadPoints(): void {
    const { points, shape } = this.current;
    const own = parsePoints(points).filter(({ label }) => Number.isInteger(label) && label >= 0 && label < this.classes);
    this.points = own.length > 0 ? own : pointsOf(shape, this.seed);
    this.positions = createPositions(this.points);
    this.labels = tensor(Int32Array.from(this.points, ({ label }) => label), { dtype: 'int32' });
  }
}

/** Coordinates, `[points, 2]`. */
function createPositions(points: readonly { x: number; y: number }[]): Tensor {
  return tensor(Float32Array.from(points.flatMap(({ x, y }) => [x, y])), { shape: [points.length, 2] });
}

/** The centres of the cells of the plane. */
function cellCentres(): { x: number; y: number }[] {
  const along = ([from, to]: readonly [number, number], cell: number) => from + ((cell + 0.5) / SIDE) * (to - from);
  return Array.from({ length: SIDE * SIDE }, (_, index) => ({
    x: along(DOMAIN.x, index % SIDE),
    y: along(DOMAIN.y, SIDE - 1 - Math.floor(index / SIDE)),
  }));
}

function shareRight(points: readonly LabelledPoint[], taken: ArrayLike<number>): number {
  return points.filter(({ label }, index) => taken[index] === label).length / points.length;
}
