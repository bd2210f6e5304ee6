// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** GoogLeNet. */
import { bind } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import {
  basicConv, checkPictures, initTruncated, transformChannels, type BasicConv,
} from '../models/blocks.js';

/** Four branches, whose channels are joined. */
export class GoogLeNetBlock extends PrintedModule {
  static override readonly name: string = 'GoogLeNetBlock';
  /** @internal */
  branch1!: BasicConv;
  /** @internal */
  branch2!: nn.Sequential;
  /** @internal */
  branch3!: nn.Sequential;
  /** @internal */
  branch4!: nn.Sequential;

  /**
   * `outputs` has the channels: of the first branch, inside and of the second, inside and of the
   * third, and of the fourth.
   */
  static of(inputs: number, outputs: [number, number, number, number, number, number]): GoogLeNetBlock {
    return makeModule(
      GoogLeNetBlock,
      {
        branch1: basicConv(inputs, outputs[0], 1, 1, 0),
        branch2: new nn.Sequential(
          basicConv(inputs, outputs[1], 1, 1, 0),
          basicConv(outputs[1], outputs[2], 3, 1, 1),
        ),
        branch3: new nn.Sequential(
          basicConv(inputs, outputs[3], 1, 1, 0),
          basicConv(outputs[3], outputs[4], 3, 1, 1),
        ),
        branch4: new nn.Sequential(
          new nn.MaxPool2d(3, { stride: 1, padding: 1, ceilMode: true }),
          basicConv(inputs, outputs[5], 1, 1, 0),
        ),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const [first, second] = [this.branch1.call(input), this.branch2.call(input)];
      const [third, fourth] = [this.branch3.call(input), this.branch4.call(input)];
      return torch.cat([first, second, third, fourth], 1);
    });
  }
}

/** A classifier of a result inside of the network. */
export class GoogLeNetAux extends PrintedModule {
  static override readonly name: string = 'GoogLeNetAux';
  /** @internal */
  conv!: BasicConv;
  /** @internal */
  fc1!: nn.Linear;
  /** @internal */
  fc2!: nn.Linear;
  /** @internal */
  dropout!: nn.Dropout;

  static of(inputs: number, numClasses: number, dropout: number): GoogLeNetAux {
    return makeModule(
      GoogLeNetAux,
      {
        conv: basicConv(inputs, 128, 1, 1, 0),
        fc1: new nn.Linear(2048, 1024),
        fc2: new nn.Linear(1024, numClasses),
        dropout: new nn.Dropout(dropout),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const output = this.conv.call(input.adaptiveAvgPool2d([4, 4])).flatten(1, -1);
      return this.fc2.call(this.dropout.call(this.fc1.call(output).relu()));
    });
  }
}

/**
 * The network of Szegedy et al. (2014).
 *
 * Pictures `[n, 3, height, width]` of at least 15 × 15 become logits `[n, num_classes]`. With
 * `auxLogits` two results inside of the network have classifiers, for training:
 * `GoogLeNet.forwardWithAux`. `transformInput` changes the normalization of the input to the
 * one that the published weights expect.
 *
 * @throws `argument` if a dropout is not from 0 to 1; `shape` for an input that is not a batch of
 * pictures.
 *
 * @example
 * const model = new models.GoogLeNet(10, true, false, 0.2, 0.7);
 * [...model.namedParameters()].length; // 187
 */
export class GoogLeNet extends PrintedModule {
  static override readonly name: string = 'GoogLeNet';
  /** The first convolution. */
  conv1!: BasicConv;
  /** The first pooling. */
  maxpool1!: nn.MaxPool2d;
  /** The second convolution. */
  conv2!: BasicConv;
  /** The third convolution. */
  conv3!: BasicConv;
  /** The second pooling. */
  maxpool2!: nn.MaxPool2d;
  /** Block 3a. */
  inception3a!: GoogLeNetBlock;
  /** Block 3b. */
  inception3b!: GoogLeNetBlock;
  /** The pooling after block 3b. */
  maxpool3!: nn.MaxPool2d;
  /** Block 4a. */
  inception4a!: GoogLeNetBlock;
  /** Block 4b. */
  inception4b!: GoogLeNetBlock;
  /** Block 4c. */
  inception4c!: GoogLeNetBlock;
  /** Block 4d. */
  inception4d!: GoogLeNetBlock;
  /** Block 4e. */
  inception4e!: GoogLeNetBlock;
  /** The pooling after block 4e. */
  maxpool4!: nn.MaxPool2d;
  /** Block 5a. */
  inception5a!: GoogLeNetBlock;
  /** Block 5b. */
  inception5b!: GoogLeNetBlock;
  /** The classifier after block 4a, for training. */
  aux1!: GoogLeNetAux | undefined;
  /** The classifier after block 4d, for training. */
  aux2!: GoogLeNetAux | undefined;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** The dropout before the linear layer. */
  dropout!: nn.Dropout;
  /** The linear layer. */
  fc!: nn.Linear;
  /** @internal */
  readonly transformInput!: boolean;

  constructor(numClasses?: number, auxLogits?: boolean, transformInput?: boolean, dropout?: number, dropoutAux?: number);
  constructor(options?: { numClasses?: number; auxLogits?: boolean; transformInput?: boolean; dropout?: number; dropoutAux?: number });
  constructor(...args: unknown[]) {
    super();
    const [numClasses = 1000, auxLogits = true, transformInput = false, dropout = 0.2, dropoutAux = 0.7] = bind('GoogLeNet numClasses:int? auxLogits:bool? transformInput:bool? dropout:number? dropoutAux:number?', args) as [number | undefined, boolean | undefined, boolean | undefined, number | undefined, number | undefined];
    Object.assign(this, GoogLeNet.of(numClasses, auxLogits, transformInput, dropout, dropoutAux));
  }

  /** @internal */
  static of(numClasses: number, auxLogits: boolean, transformInput: boolean, dropout: number, dropoutAux: number): GoogLeNet {
    let aux1: GoogLeNetAux | undefined = undefined;
    let aux2: GoogLeNetAux | undefined = undefined;
    if (auxLogits) {
      aux1 = GoogLeNetAux.of(512, numClasses, dropoutAux);
      aux2 = GoogLeNetAux.of(528, numClasses, dropoutAux);
    }
    const model = makeModule(
      GoogLeNet,
      {
        conv1: basicConv(3, 64, 7, 2, 3),
        maxpool1: new nn.MaxPool2d(3, { stride: 2, ceilMode: true }),
        conv2: basicConv(64, 64, 1, 1, 0),
        conv3: basicConv(64, 192, 3, 1, 1),
        maxpool2: new nn.MaxPool2d(3, { stride: 2, ceilMode: true }),
        inception3a: GoogLeNetBlock.of(192, [64, 96, 128, 16, 32, 32]),
        inception3b: GoogLeNetBlock.of(256, [128, 128, 192, 32, 96, 64]),
        maxpool3: new nn.MaxPool2d(3, { stride: 2, ceilMode: true }),
        inception4a: GoogLeNetBlock.of(480, [192, 96, 208, 16, 48, 64]),
        inception4b: GoogLeNetBlock.of(512, [160, 112, 224, 24, 64, 64]),
        inception4c: GoogLeNetBlock.of(512, [128, 128, 256, 24, 64, 64]),
        inception4d: GoogLeNetBlock.of(512, [112, 144, 288, 32, 64, 64]),
        inception4e: GoogLeNetBlock.of(528, [256, 160, 320, 32, 128, 128]),
        maxpool4: new nn.MaxPool2d(2, { stride: 2, ceilMode: true }),
        inception5a: GoogLeNetBlock.of(832, [256, 160, 320, 32, 128, 128]),
        inception5b: GoogLeNetBlock.of(832, [384, 192, 384, 48, 128, 128]),
        aux1,
        aux2,
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        dropout: new nn.Dropout(dropout),
        fc: new nn.Linear(1024, numClasses),
        transformInput,
      },
    );
    initTruncated(model, 0.01);
    return model;
  }

  /** @internal */
  firstPart(input: Tensor): Tensor {
    return scope(() => {
      checkPictures('GoogLeNet', input);
      const transformed = this.transformInput ? transformChannels(input) : input;
      let output = this.maxpool1.call(this.conv1.call(transformed));
      output = this.maxpool2.call(this.conv3.call(this.conv2.call(output)));
      output = this.inception3b.call(this.inception3a.call(output));
      return this.inception4a.call(this.maxpool3.call(output));
    });
  }

  /** @internal */
  secondPart(input: Tensor): Tensor {
    return scope(() => this.inception4d.call(this.inception4c.call(this.inception4b.call(input))));
  }

  /** @internal */
  lastPart(input: Tensor): Tensor {
    return scope(() => {
      let output = this.maxpool4.call(this.inception4e.call(input));
      output = this.inception5b.call(this.inception5a.call(output));
      output = this.avgpool.call(output).flatten(1, -1);
      return this.fc.call(this.dropout.call(output));
    });
  }

  /**
   * The logits, and the logits of the second and of the first classifier inside of the network,
   * if it has them.
   *
   * @throws `shape` for an input that is not a batch of pictures.
   */
  forwardWithAux(input: TensorLike): [Tensor, Tensor | undefined, Tensor | undefined];
  forwardWithAux(...args: unknown[]): [Tensor, Tensor | undefined, Tensor | undefined] {
    const [input] = bind('GoogLeNet.forwardWithAux input:tensor', args) as [Tensor];
    return scope(() => {
      const first = this.firstPart(input);
      const second = this.secondPart(first);
      let logits1: Tensor | undefined = undefined;
      const aux1 = this.aux1;
      if (aux1 !== undefined) logits1 = aux1.call(first);
      let logits2: Tensor | undefined = undefined;
      const aux2 = this.aux2;
      if (aux2 !== undefined) logits2 = aux2.call(second);
      return [this.lastPart(second), logits2, logits1];
    });
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('GoogLeNet.forward input:tensor', args) as [Tensor];
    return scope(() => this.lastPart(this.secondPart(this.firstPart(input))));
  }
}

/**
 * GoogLeNet of Szegedy et al. (2014).
 *
 * @throws `argument` for values that `GoogLeNet` does not take.
 *
 * @example
 * const model = models.googlenet(10, true, false);
 * [...model.namedParameters()].length; // 187
 */
export function googlenet(numClasses?: number, auxLogits?: boolean, transformInput?: boolean): GoogLeNet;
export function googlenet(options?: { numClasses?: number; auxLogits?: boolean; transformInput?: boolean }): GoogLeNet;
export function googlenet(...args: unknown[]): GoogLeNet {
  const [numClasses = 1000, auxLogits = true, transformInput = false] = bind('googlenet numClasses:int? auxLogits:bool? transformInput:bool?', args) as [number | undefined, boolean | undefined, boolean | undefined];
  return GoogLeNet.of(numClasses, auxLogits, transformInput, 0.2, 0.7);
}
