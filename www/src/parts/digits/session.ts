/** A network that learns to read digits: its data on the device, its steps, its measurement. */
import { manualSeed, type nn, noGrad, type optim, scope, tensor, type Tensor } from 'lanthorn';
import { DataLoader, TensorDataset } from 'lanthorn/data';
import { Batches } from '../training/batches';
import type { Parts } from '../training/checkpoint';
import type { Lesson } from '../training/protocol';
import type { Session } from '../training/session';
import { readOnce } from '../training/worker';
import { asInput, type Digits, type Images } from './data';
import { type Evaluation, evaluationOf } from './evaluation';

/** The exports of a chapter's `train.ts`. */
export interface Classifier {
  model: nn.Module;
  optimizer: optim.Optimizer;
  trainStep(images: Tensor, labels: Tensor): Tensor;
}

/** The messages of chapters on digits; each chapter defines its questions and answers. */
export interface ClassifierLesson extends Lesson {
  settings: { rate: number; batch: number };
  measurement: Evaluation;
}

/** The messages of chapters whose question is a drawing's 64 pixels. */
export interface DigitsLesson extends ClassifierLesson {
  question: Uint8Array;
}

export abstract class DigitsSession<L extends ClassifierLesson, C extends Classifier = Classifier> implements Session<L> {
  settings: L['settings'];
  protected readonly classifier: C;
  private readonly digits: Digits;
  private readonly imageShape: readonly number[];
  private readonly images: Tensor;
  private readonly labels: Tensor;
  private readonly testImages: Tensor;
  private readonly batches: Batches<[Tensor, Tensor]>;

  /** `imageShape` is the shape of each input image, such as `[64]`. */
  constructor(digits: Digits, seed: number, settings: L['settings'], imageShape: readonly number[], create: (rate: number) => C) {
    manualSeed(seed);
    this.digits = digits;
    this.imageShape = imageShape;
    this.images = this.inputOf(digits.train);
    this.labels = tensor(Int32Array.from(digits.train.labels), { dtype: 'int32' });
    this.testImages = this.inputOf(digits.test);
    const examples = new TensorDataset(this.images, this.labels);
    // The incomplete batch at the end of an epoch is skipped: every step then has the same shapes,
    // and the runtime replays one plan.
    this.batches = new Batches((batchSize) => new DataLoader(examples, { batchSize, shuffle: true, dropLast: true, seed }), settings.batch);
    this.settings = settings;
    this.classifier = create(settings.rate);
  }

  get epoch(): number {
    return this.batches.epoch;
  }

  get parts(): Parts {
    const { model, optimizer } = this.classifier;
    return { model, optimizer, batches: this.batches };
  }

  async trainStep(): Promise<Tensor> {
    this.classifier.optimizer.lr = this.settings.rate;
    const [images, labels] = await this.batches.next(this.settings.batch);
    return this.classifier.trainStep(images, labels);
  }

  /** Measures the network on every test image: one forward pass, one readback. */
  async measure(): Promise<Evaluation> {
    const probabilities = scope(() => this.inference(() => this.classifier.model.call(this.testImages).softmax(1)));
    return evaluationOf((await readOnce(probabilities, (table) => table.data())) as ArrayLike<number>, this.digits.test);
  }

  abstract answer(question: L['question']): Promise<L['answer']>;

  dispose(): void {
    for (const held of [this.images, this.labels, this.testImages, this.classifier.optimizer, this.classifier.model]) {
      held.dispose();
    }
  }

  /** Images as the network's input. */
  protected inputOf({ count, pixels }: Pick<Images, 'count' | 'pixels'>): Tensor {
    return tensor(asInput(pixels), { shape: [count, ...this.imageShape] });
  }

  /**
   * Runs the network in evaluation mode: without gradients, and with the running statistics of
   * batch norms.
   */
  protected inference<T>(run: () => T): T {
    const { model } = this.classifier;
    model.eval();
    try {
      return noGrad(run);
    } finally {
      model.train();
    }
  }
}
