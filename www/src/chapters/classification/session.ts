/** A network that divides the plane: its points on the device, its steps, and what it makes of the whole plane. */
import { cat, manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { type Place, placesIn } from '../../parts/points/places';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { holdBack, type Speed } from '../../parts/training/speed';
import { readValues } from '../../parts/training/worker';
import { DOMAIN, pointsOf, type Shape, SHAPES, SIDE } from './data';
import { type Activation, createClassifier } from './train';

/** The network's view of the plane, at `SIDE` by `SIDE` places, in rows from the top. */
export interface View {
  points: Place[];
  /** Whether the points are the visitor's. */
  isOwn: boolean;
  /** The class that it takes each point for. */
  taken: number[];
  /** Shares of points that it takes for what they are. */
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
/** The seed of the points that are held out is another than that of the points it learns from. */
const HELD_OUT = 7919;

export class ClassificationSession implements Session<Dividing> {
  readonly parts: Parts;
  private current: Dividing['settings'];
  private readonly classifier: ReturnType<typeof createClassifier>;
  private readonly classes: number;
  private readonly heldOut: Place[];
  private readonly heldOutPlaces: Tensor;
  private readonly grid: Tensor;
  private points: Place[] = [];
  private places!: Tensor;
  private labels!: Tensor;
  private steps = 0;

  constructor(private readonly seed: number, settings: Dividing['settings']) {
    manualSeed(seed);
    this.current = settings;
    const { shape, rate, layers, width, activation } = settings;
    this.classes = SHAPES[shape].classes;
    this.classifier = createClassifier({ layers, width, activation, classes: this.classes }, rate);
    this.heldOut = pointsOf(shape, seed + HELD_OUT);
    this.heldOutPlaces = placesOf(this.heldOut);
    this.grid = placesOf(gridPlaces());
    this.place();
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
      this.places.dispose();
      this.labels.dispose();
      this.place();
    }
  }

  get epoch(): number {
    return this.steps;
  }

  async trainStep(): Promise<Tensor> {
    await holdBack(this.current.speed, WATCH_MS);
    this.steps += 1;
    this.classifier.optimizer.lr = this.current.rate;
    return this.classifier.trainStep(this.places, this.labels);
  }

  async measure(): Promise<View> {
    const { model } = this.classifier;
    const { neurons, probabilities, taken } = scope(() =>
      noGrad(() => {
        const neurons = model.first.call(this.grid);
        const probabilities = model.rest.call(neurons).softmax(1);
        // Both sets in one pass, because each way to the device costs time.
        const taken = model.call(cat([this.places, this.heldOutPlaces])).argmax(1);
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
    for (const held of [this.places, this.labels, this.heldOutPlaces, this.grid, optimizer, model]) {
      held.dispose();
    }
  }

  /** Puts the points on the device. */
  private place(): void {
    const { points, shape } = this.current;
    const own = placesIn(points).filter(({ label }) => Number.isInteger(label) && label >= 0 && label < this.classes);
    this.points = own.length > 0 ? own : pointsOf(shape, this.seed);
    this.places = placesOf(this.points);
    this.labels = tensor(Int32Array.from(this.points, ({ label }) => label), { dtype: 'int32' });
  }
}

/** Coordinates, `[points, 2]`. */
function placesOf(points: readonly { x: number; y: number }[]): Tensor {
  return tensor(Float32Array.from(points.flatMap(({ x, y }) => [x, y])), { shape: [points.length, 2] });
}

/** The middles of the cells of the plane. */
function gridPlaces(): { x: number; y: number }[] {
  const along = ([from, to]: readonly [number, number], cell: number) => from + ((cell + 0.5) / SIDE) * (to - from);
  return Array.from({ length: SIDE * SIDE }, (_, index) => ({
    x: along(DOMAIN.x, index % SIDE),
    y: along(DOMAIN.y, SIDE - 1 - Math.floor(index / SIDE)),
  }));
}

function shareRight(points: readonly Place[], taken: ArrayLike<number>): number {
  return points.filter(({ label }, index) => taken[index] === label).length / points.length;
}
