/** The network and the digits in shared memory, which the page reads while workers write. */
import { init, manualSeed, type nn, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { asInput, type Digits, PIXELS } from '../../parts/digits/data';
import { readOnce } from '../../parts/training/worker';
import { network } from './train';

/** A snapshot of the shared parameters. */
export interface Look {
  /** Share of the test images that are read correctly. */
  accuracy: number;
  /** Of the first layer: a row of 64 pixels for each neuron. */
  weights: Float32Array;
}

export class Shared {
  model!: nn.Sequential;
  readonly images: Tensor;
  readonly labels: Tensor;
  private readonly testImages: Tensor;
  private readonly testLabels: Tensor;

  private constructor({ train, test }: Digits, readonly adapter: string) {
    this.images = imagesOf(train.pixels).shareMemory_();
    this.labels = labelsOf(train.labels).shareMemory_();
    this.testImages = imagesOf(test.pixels);
    this.testLabels = labelsOf(test.labels);
  }

  /** Opens the core with threads, the one whose memory workers can share. */
  static async open(digits: Digits, seed: number): Promise<Shared> {
    const { adapter } = await init({ device: 'cpu', threads: 2 });
    const shared = new Shared(digits, adapter);
    shared.begin(seed);
    return shared;
  }

  /** Begins with another network. */
  begin(seed: number): void {
    (this.model as nn.Sequential | undefined)?.dispose();
    manualSeed(seed);
    this.model = network();
    this.model.shareMemory();
  }

  get parameterCount(): number {
    return this.model.parameters().reduce((sum, { numel }) => sum + numel, 0);
  }

  async look(): Promise<Look> {
    const share = noGrad(() => scope(() => this.model.call(this.testImages).argmax(1).eq(this.testLabels).to('float32').mean()));
    const accuracy = await readOnce(share, (scalar) => scalar.item());
    const weights = await this.model.parameters()[0]!.data();
    return { accuracy: Number(accuracy), weights: weights as Float32Array };
  }
}

function imagesOf(pixels: Uint8Array): Tensor {
  return tensor(asInput(pixels), { shape: [pixels.length / PIXELS, PIXELS] });
}

function labelsOf(labels: Uint8Array): Tensor {
  return tensor(Int32Array.from(labels), { dtype: 'int32' });
}
