// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Networks whose layers take the results of all layers before them. */
import { bind, failure } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import { checkPictures, initBiases } from '../models/blocks.js';

/** A layer that appends `growthRate` channels. */
export class DenseLayer extends PrintedModule {
  static override readonly name: string = 'DenseLayer';
  /** @internal */
  norm1!: nn.BatchNorm2d;
  /** @internal */
  relu1!: nn.ReLU;
  /** @internal */
  conv1!: nn.Conv2d;
  /** @internal */
  norm2!: nn.BatchNorm2d;
  /** @internal */
  relu2!: nn.ReLU;
  /** @internal */
  conv2!: nn.Conv2d;
  /** @internal */
  readonly dropRate!: number;

  static of(inputs: number, growthRate: number, bnSize: number, dropRate: number): DenseLayer {
    const inner = bnSize * growthRate;
    return makeModule(
      DenseLayer,
      {
        norm1: new nn.BatchNorm2d(inputs),
        relu1: new nn.ReLU(),
        conv1: new nn.Conv2d(inputs, inner, 1, { bias: false }),
        norm2: new nn.BatchNorm2d(inner),
        relu2: new nn.ReLU(),
        conv2: new nn.Conv2d(inner, growthRate, 3, { padding: 1, bias: false }),
        dropRate,
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const inner = this.conv1.call(this.relu1.call(this.norm1.call(input)));
      let added = this.conv2.call(this.relu2.call(this.norm2.call(inner)));
      if (this.dropRate > 0) added = added.dropout(this.dropRate, this.training);
      return torch.cat([input, added], 1);
    });
  }
}

/**
 * A network of Huang et al. (2016).
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. A layer appends `growthRate`
 * channels, and has `bnSize` times as many inside. `blockConfig` has the number of layers of
 * each block.
 *
 * @throws `argument` if `dropRate` is not from 0 to 1; `shape` for an input that is not a batch of
 * pictures.
 *
 * @example
 * const model = new models.DenseNet(8, [2, 2], 16, 4, 0, 10);
 * [...model.namedParameters()].length; // 34
 */
export class DenseNet extends PrintedModule {
  static override readonly name: string = 'DenseNet';
  /** The stem, and the blocks with transitions between them. */
  features!: nn.Sequential;
  /** The linear layer. */
  classifier!: nn.Linear;

  constructor(growthRate: undefined | number, blockConfig: number | readonly number[], numInitFeatures?: number, bnSize?: number, dropRate?: number, numClasses?: number);
  constructor(blockConfig: number | readonly number[], options?: { growthRate?: number; numInitFeatures?: number; bnSize?: number; dropRate?: number; numClasses?: number });
  constructor(options: { growthRate?: number; blockConfig: number | readonly number[]; numInitFeatures?: number; bnSize?: number; dropRate?: number; numClasses?: number });
  constructor(...args: unknown[]) {
    super();
    const [growthRate = 32, blockConfig, numInitFeatures = 64, bnSize = 4, dropRate = 0, numClasses = 1000] = bind('DenseNet growthRate:int? blockConfig:ints numInitFeatures:int? bnSize:int? dropRate:number? numClasses:int?', args) as [number | undefined, readonly number[], number | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, DenseNet.of(growthRate, blockConfig, numInitFeatures, bnSize, dropRate, numClasses));
  }

  /** @internal */
  static of(growthRate: number, blockConfig: readonly number[], numInitFeatures: number, bnSize: number, dropRate: number, numClasses: number): DenseNet {
    if (!(dropRate >= 0 && dropRate <= 1)) {
      const message = `drop_rate is a probability from 0 to 1, not ${dropRate}`;
      throw failure('argument', 'DenseNet', message);
    }
    const stem = new nn.Conv2d(3, numInitFeatures, 7, { stride: 2, padding: 3, bias: false });
    const features: [string, nn.Module][] = [
      ['conv0', stem],
      ['norm0', new nn.BatchNorm2d(numInitFeatures)],
      ['relu0', new nn.ReLU()],
      ['pool0', new nn.MaxPool2d(3, { stride: 2, padding: 1 })],
    ];
    let channels = numInitFeatures;
    for (let index = 0; index < blockConfig.length; index++) {
      const layers: [string, nn.Module][] = [];
      for (let layer = 0; layer < blockConfig[index]!; layer++) {
        const made = DenseLayer.of(channels, growthRate, bnSize, dropRate);
        layers.push([`denselayer${layer + 1}`, made]);
        channels += growthRate;
      }
      features.push([`denseblock${index + 1}`, new nn.Sequential(Object.fromEntries(layers))]);
      if (index + 1 !== blockConfig.length) {
        features.push([`transition${index + 1}`, transition(channels)]);
        channels = half(channels);
      }
    }
    features.push(['norm5', new nn.BatchNorm2d(channels)]);
    const model = makeModule(
      DenseNet,
      {
        features: new nn.Sequential(Object.fromEntries(features)),
        classifier: new nn.Linear(channels, numClasses),
      },
    );
    for (const [, parameter] of [...model.namedParameters()]) {
      if (parameter.ndim === 4) nn.init.kaimingNormal_(parameter, 0, 'fan_in', 'relu');
    }
    initBiases(model, 'classifier.bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('DenseNet.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('DenseNet', input);
      const output = this.features.call(input).relu().adaptiveAvgPool2d([1, 1]);
      return this.classifier.call(output.flatten(1, -1));
    });
  }
}

function half(channels: number): number {
  return Math.trunc(channels / 2);
}

/** The layers between two blocks, which halve the channels and the sides. */
function transition(channels: number): nn.Sequential {
  const conv = new nn.Conv2d(channels, half(channels), 1, { bias: false });
  const layers: [string, nn.Module][] = [
    ['norm', new nn.BatchNorm2d(channels)],
    ['relu', new nn.ReLU()],
    ['conv', conv],
    ['pool', new nn.AvgPool2d(2, { stride: 2 })],
  ];
  return new nn.Sequential(Object.fromEntries(layers));
}

/**
 * DenseNet-121 of Huang et al. (2016).
 *
 * @throws `argument` for values that `DenseNet` does not take.
 *
 * @example
 * const model = models.densenet121(10, 0);
 * [...model.namedParameters()].length; // 364
 */
export function densenet121(numClasses?: number, dropRate?: number): DenseNet;
export function densenet121(options?: { numClasses?: number; dropRate?: number }): DenseNet;
export function densenet121(...args: unknown[]): DenseNet {
  const [numClasses = 1000, dropRate = 0] = bind('densenet121 numClasses:int? dropRate:number?', args) as [number | undefined, number | undefined];
  return DenseNet.of(32, [6, 12, 24, 16], 64, 4, dropRate, numClasses);
}

/**
 * DenseNet-161 of Huang et al. (2016).
 *
 * @throws `argument` for values that `DenseNet` does not take.
 *
 * @example
 * const model = models.densenet161(10, 0);
 * [...model.namedParameters()].length; // 484
 */
export function densenet161(numClasses?: number, dropRate?: number): DenseNet;
export function densenet161(options?: { numClasses?: number; dropRate?: number }): DenseNet;
export function densenet161(...args: unknown[]): DenseNet {
  const [numClasses = 1000, dropRate = 0] = bind('densenet161 numClasses:int? dropRate:number?', args) as [number | undefined, number | undefined];
  return DenseNet.of(48, [6, 12, 36, 24], 96, 4, dropRate, numClasses);
}

/**
 * DenseNet-169 of Huang et al. (2016).
 *
 * @throws `argument` for values that `DenseNet` does not take.
 *
 * @example
 * const model = models.densenet169(10, 0);
 * [...model.namedParameters()].length; // 508
 */
export function densenet169(numClasses?: number, dropRate?: number): DenseNet;
export function densenet169(options?: { numClasses?: number; dropRate?: number }): DenseNet;
export function densenet169(...args: unknown[]): DenseNet {
  const [numClasses = 1000, dropRate = 0] = bind('densenet169 numClasses:int? dropRate:number?', args) as [number | undefined, number | undefined];
  return DenseNet.of(32, [6, 12, 32, 32], 64, 4, dropRate, numClasses);
}

/**
 * DenseNet-201 of Huang et al. (2016).
 *
 * @throws `argument` for values that `DenseNet` does not take.
 *
 * @example
 * const model = models.densenet201(10, 0);
 * [...model.namedParameters()].length; // 604
 */
export function densenet201(numClasses?: number, dropRate?: number): DenseNet;
export function densenet201(options?: { numClasses?: number; dropRate?: number }): DenseNet;
export function densenet201(...args: unknown[]): DenseNet {
  const [numClasses = 1000, dropRate = 0] = bind('densenet201 numClasses:int? dropRate:number?', args) as [number | undefined, number | undefined];
  return DenseNet.of(32, [6, 12, 48, 32], 64, 4, dropRate, numClasses);
}
