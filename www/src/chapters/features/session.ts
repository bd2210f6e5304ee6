/** Trunk, new head and the network from scratch in training, and the features on a plane. */
import { manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { DataLoader, TensorDataset } from 'lanthorn/data';
import { asInput, type Digits, type Images, SIDE } from '../../parts/digits/data';
import { Batches } from '../../parts/training/batches';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { readOnce } from '../../parts/training/worker';
import { pca, Tsne } from './projections';
import { fewOf, imagesAt, indicesOf, TRUNK_STEPS } from './selection';
import { createTransfer } from './train';

/** The digits that the trunk learns from. */
export const KNOWN = 5;
const BATCH = 64;
/** Steps of t-SNE between two pictures. */
const TSNE_STEPS = 10;

/** The shares of test images that are read correctly. */
export interface Accuracy {
  step: number;
  /** Of the digits 5 to 9, by the new head on the frozen trunk. */
  head: number;
  /** Of the same digits, by the network from scratch. */
  scratch: number;
}

export interface Measurement {
  isFrozen: boolean;
  /** Of the digits 0 to 4, by trunk and first head. */
  known: number;
  history: Accuracy[];
  /** The digit that the network with the trunk reads, for each test image. */
  read: Uint8Array;
}

export interface Map {
  method: 'pca' | 'tsne';
  /** Across and up, one after the other, for each test image. */
  positions: Float32Array;
  /** Steps of t-SNE. */
  steps: number;
}

export interface Transfer extends Lesson {
  settings: { rate: number; images: number };
  measurement: Measurement;
  question: { method: Map['method']; isNew: boolean };
  answer: Map;
}

export class TransferSession implements Session<Transfer> {
  readonly parts: Parts;
  private readonly transfer: ReturnType<typeof createTransfer>;
  private readonly batches: Batches<[Tensor, Tensor]>;
  private readonly known: readonly [Tensor, Tensor];
  private readonly few: readonly [Tensor, Tensor];
  private readonly testImages: Tensor;
  private history: Accuracy[] = [];
  private steps = 0;
  /** The positions by PCA, once the trunk no longer changes. */
  private settled: Float32Array | undefined;
  private tsne: { map: Tsne; steps: number } | undefined;

  constructor(private readonly digits: Digits, seed: number, public settings: Transfer['settings']) {
    manualSeed(seed);
    this.known = examplesOf(imagesAt(digits.train, indicesOf(digits.train, 0, KNOWN - 1)), 0);
    this.few = examplesOf(fewOf(digits.train, KNOWN, 9, settings.images, seed), KNOWN);
    this.testImages = inputOf(digits.test);
    const examples = new TensorDataset(...this.known);
    this.batches = new Batches((batchSize) => new DataLoader(examples, { batchSize, shuffle: true, dropLast: true, seed }), BATCH);
    this.transfer = createTransfer(settings.rate);
    const { trunk, firstHead, newHead, scratch, optimizers } = this.transfer;
    const standing = {
      stateDict: () => ({ steps: this.steps, history: this.history }),
      loadStateDict: (state: { steps: number; history: Accuracy[] }) => {
        this.steps = state.steps;
        this.history = [...state.history];
        if (this.isFrozen) {
          this.transfer.freeze();
        }
      },
    };
    const training = Object.fromEntries(Object.entries(optimizers).map(([name, optimizer]) => [`${name}Optimizer`, optimizer]));
    this.parts = { trunk, firstHead, newHead, scratch, ...training, batches: this.batches, standing };
  }

  get isFrozen(): boolean {
    return this.steps >= TRUNK_STEPS;
  }

  get epoch(): number {
    // A step on the few images is an epoch of them.
    return this.isFrozen ? this.steps : this.batches.epoch;
  }

  async trainStep(): Promise<Tensor> {
    const { optimizers, trainTrunk, trainHead, trainScratch, freeze } = this.transfer;
    for (const optimizer of Object.values(optimizers)) {
      optimizer.lr = this.settings.rate;
    }
    if (!this.isFrozen) {
      const [images, labels] = await this.batches.next(BATCH);
      const loss = trainTrunk(images, labels);
      this.steps += 1;
      if (this.isFrozen) {
        freeze();
      }
      return loss;
    }
    this.steps += 1;
    trainScratch(...this.few);
    return trainHead(...this.few);
  }

  async measure(): Promise<Measurement> {
    const { trunk, firstHead, newHead, scratch } = this.transfer;
    const read = scope(() =>
      this.inference(() => {
        const features = trunk.call(this.testImages);
        const heads = [firstHead.call(features), newHead.call(features), scratch.call(this.testImages)];
        return heads.map((scores) => scores.argmax(1).to('int32'));
      }),
    );
    const [known, head, bare] = (await Promise.all(read.map((digits) => readOnce(digits, (all) => all.data())))) as [Int32Array, Int32Array, Int32Array];
    const { labels } = this.digits.test;
    const step = this.steps - TRUNK_STEPS;
    if (this.isFrozen && this.history.at(-1)?.step !== step) {
      this.history.push({ step, head: shareOf(labels, head, KNOWN), scratch: shareOf(labels, bare, KNOWN) });
    }
    return {
      isFrozen: this.isFrozen,
      known: shareOf(labels, known, 0),
      history: this.history,
      read: labels.map((label, index) => (label < KNOWN ? known[index]! : head[index]! + KNOWN)),
    };
  }

  async answer({ method, isNew }: Transfer['question']): Promise<Map> {
    if (method === 'pca') {
      const { isFrozen } = this;
      const positions = (isFrozen && this.settled) || (await this.principal());
      this.settled = isFrozen ? positions : undefined;
      return { method, positions, steps: 0 };
    }
    if (isNew || !this.tsne) {
      this.tsne?.map.dispose();
      this.tsne = { map: scope(() => new Tsne(noGrad(() => this.features()))), steps: 0 };
    }
    const { map } = this.tsne;
    for (let step = 0; step < TSNE_STEPS; step += 1) {
      scope(() => map.step()).dispose();
    }
    this.tsne.steps += TSNE_STEPS;
    return { method, positions: ((await map.positions.data()) as Float32Array).slice(), steps: this.tsne.steps };
  }

  dispose(): void {
    const { trunk, firstHead, newHead, scratch, optimizers } = this.transfer;
    this.tsne?.map.dispose();
    for (const held of [...Object.values(optimizers), trunk, firstHead, newHead, scratch, ...this.known, ...this.few, this.testImages]) {
      held.dispose();
    }
  }

  private async principal(): Promise<Float32Array> {
    // If the network diverges, the loss reports it: the features must not fail first.
    const positions = scope(() => noGrad(() => pca(this.features().nanToNum().clamp(-1e4, 1e4))));
    return (await readOnce(positions, (all) => all.data())) as Float32Array;
  }

  /** The features of the test images, `[355, 256]`. */
  private features(): Tensor {
    return this.inference(() => this.transfer.trunk.call(this.testImages));
  }

  /** Runs the networks without gradients, and with the running statistics of batch norms. */
  private inference<T>(run: () => T): T {
    const { trunk, scratch } = this.transfer;
    trunk.eval();
    scratch.eval();
    try {
      return noGrad(run);
    } finally {
      trunk.train(!this.isFrozen);
      scratch.train();
    }
  }
}

function inputOf({ count, pixels }: Images): Tensor {
  return tensor(asInput(pixels), { shape: [count, 1, SIDE, SIDE] });
}

/** Images and their labels, which count from the digit `first`. */
function examplesOf(images: Images, first: number): [Tensor, Tensor] {
  return [inputOf(images), tensor(Int32Array.from(images.labels, (label) => label - first), { dtype: 'int32' })];
}

/** The share that is read correctly among images of the five digits from `first`. */
function shareOf(labels: Uint8Array, read: Int32Array, first: number): number {
  const asked = Array.from(labels.keys()).filter((index) => labels[index]! >= first && labels[index]! < first + KNOWN);
  return asked.filter((index) => read[index]! + first === labels[index]).length / asked.length;
}
