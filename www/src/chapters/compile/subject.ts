/** The subject of a measurement: a network, a batch for it, and its training step. */
import { manualSeed, nn, randint, randn, type Tensor } from 'lanthorn';
import type { NetworkName } from './networks/names';
import { networks } from './networks/table';
import type { Change } from './protocol';
import { createStep } from './step';

const SEED = 1;
const CLASSES = 10;
const BATCHES = [64, 48];
const RATES = [1e-3, 5e-4];

export class Subject {
  readonly model: nn.Module;
  readonly optimizer: ReturnType<typeof createStep>['optimizer'];
  readonly criterion: nn.Module;
  readonly step: (x: Tensor, labels: Tensor) => Tensor;
  readonly compiled: ReturnType<typeof createStep>['compiled'];
  private batch: { x: Tensor; labels: Tensor };

  constructor(readonly network: NetworkName) {
    manualSeed(SEED);
    this.model = networks[network].make();
    const { optimizer, criterion, step, compiled } = createStep(this.model);
    [this.optimizer, this.criterion, this.step, this.compiled] = [optimizer, criterion, step, compiled];
    this.batch = this.batchOf(BATCHES[0]!);
  }

  get x(): Tensor {
    return this.batch.x;
  }

  get labels(): Tensor {
    return this.batch.labels;
  }

  loss(x: Tensor, labels: Tensor): Tensor {
    return this.criterion.call(this.model.call(x), labels) as Tensor;
  }

  /** Makes a change on which the compiled step depends, and describes it. */
  change(change: Change): string {
    const { x, labels } = this.batch;
    switch (change) {
      case 'batch':
        this.batch = this.batchOf(other(BATCHES, x.shape[0]!));
        x.dispose();
        labels.dispose();
        return `A batch of ${this.x.shape[0]}`;
      case 'rate': {
        const [group] = this.optimizer.paramGroups;
        const rate = other(RATES, group!['lr'] as number);
        group!['lr'] = rate;
        return `The learning rate ${rate}`;
      }
      case 'mode':
        this.model.train(!this.model.training);
        return this.model.training ? 'Training mode' : 'Evaluation mode';
      case 'nothing':
        return 'The same again';
    }
  }

  dispose(): void {
    this.compiled.reset();
    this.x.dispose();
    this.labels.dispose();
    this.optimizer.dispose();
    this.model.dispose();
  }

  private batchOf(size: number): { x: Tensor; labels: Tensor } {
    return { x: randn(size, ...networks[this.network].example), labels: randint(0, CLASSES, [size]).to('int32') };
  }
}

/** The network with its loss as one module, to be exported. */
export class Objective extends nn.Module {
  readonly model: nn.Module;
  readonly criterion: nn.Module;

  constructor({ model, criterion }: Subject) {
    super();
    [this.model, this.criterion] = [model, criterion];
  }

  forward(x: Tensor, labels: Tensor): Tensor {
    return this.criterion.call(this.model.call(x), labels) as Tensor;
  }
}

const other = (values: readonly number[], value: number) => values.find((each) => each !== value)!;
