/** A network in training: its data on the device, its steps, its measurement. */
import { manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { Batches } from './batches';
import { asInput, CLASSES, type Digits, imageAt, type Images, PIXELS } from './data';
import type { Evaluation, Mistake, Settings } from './protocol';
import { createClassifier } from './train';

const MISTAKES_SHOWN = 24;

export class Session {
  step = 0;
  private readonly digits: Digits;
  private readonly images: Tensor;
  private readonly labels: Tensor;
  private readonly testImages: Tensor;
  private readonly batches: Batches;
  private readonly classifier: ReturnType<typeof createClassifier>;
  private batchSize: number;

  constructor(digits: Digits, seed: number, settings: Settings) {
    manualSeed(seed);
    this.digits = digits;
    this.images = inputTensor(digits.train);
    this.labels = tensor(Int32Array.from(digits.train.labels), { dtype: 'int32' });
    this.testImages = inputTensor(digits.test);
    this.batches = new Batches(digits.train.count, seed);
    this.batchSize = settings.batchSize;
    this.classifier = createClassifier(settings.learningRate);
  }

  get epoch(): number {
    return this.batches.epoch;
  }

  set settings(settings: Settings) {
    this.classifier.optimizer.lr = settings.learningRate;
    this.batchSize = settings.batchSize;
  }

  /** Trains `count` steps and waits for the device; resolves to the loss of the last one. */
  async train(count: number): Promise<number> {
    let loss: Tensor | undefined;
    for (let done = 0; done < count; done += 1) {
      loss?.dispose();
      loss = scope(() => {
        const chosen = tensor(this.batches.next(this.batchSize), { dtype: 'int32' });
        return this.classifier.trainStep(this.images.indexSelect(0, chosen), this.labels.indexSelect(0, chosen));
      });
      this.step += 1;
    }
    return read(loss, async (last) => Number(await last.item()));
  }

  /** The ten probabilities for one drawing of 64 pixels. */
  async predict(pixels: Uint8Array): Promise<Float32Array> {
    const probabilities = scope(() => this.probabilities(tensor(asInput(pixels), { shape: [1, PIXELS] })));
    return read(probabilities, async (row) => Float32Array.from(await row.data(), Number));
  }

  /** Measures the network on every test image: one forward pass, one readback. */
  async evaluate(): Promise<Evaluation> {
    const probabilities = await read(scope(() => this.probabilities(this.testImages)), (table) => table.data());
    const { test } = this.digits;
    const confusion = new Array<number>(CLASSES * CLASSES).fill(0);
    const mistakes: Mistake[] = [];
    for (let index = 0; index < test.count; index += 1) {
      const row = Array.from(probabilities.subarray(CLASSES * index, CLASSES * (index + 1)), Number);
      const predicted = row.indexOf(Math.max(...row));
      const label = test.labels[index]!;
      confusion[CLASSES * label + predicted]! += 1;
      if (predicted !== label) {
        mistakes.push({ pixels: imageAt(test, index).slice(), label, predicted, confidence: row[predicted]! });
      }
    }
    mistakes.sort((one, other) => other.confidence - one.confidence);
    return {
      step: this.step,
      accuracy: 1 - mistakes.length / test.count,
      confusion,
      mistakes: mistakes.slice(0, MISTAKES_SHOWN),
    };
  }

  dispose(): void {
    for (const held of [this.images, this.labels, this.testImages, ...this.classifier.model.parameters()]) {
      held.dispose();
    }
  }

  private probabilities(images: Tensor): Tensor {
    return noGrad(() => this.classifier.model.call(images).softmax(1));
  }
}

function inputTensor(images: Images): Tensor {
  return tensor(asInput(images.pixels), { shape: [images.count, PIXELS] });
}

/** Awaits what `reader` reads of `source`, and disposes it whether or not that worked. */
async function read<T>(source: Tensor | undefined, reader: (source: Tensor) => Promise<T>): Promise<T> {
  if (!source) {
    throw new RangeError('nothing to read: no step was trained');
  }
  try {
    return await reader(source);
  } finally {
    source.dispose();
  }
}
