// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** MobileNet of the second version. */
import { bind, make } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import {
  ConvNorm, checkPictures, initBiases, initConvolutions, initLinears, makeDivisible,
} from '../models/blocks.js';

/**
 * The stages: the factor of expansion, the channels, the number of blocks, the stride of the
 * first.
 */
const STAGES: readonly [number, number, number, number][] = [
  [1, 16, 1, 1],
  [6, 24, 2, 2],
  [6, 32, 3, 2],
  [6, 64, 4, 2],
  [6, 96, 3, 1],
  [6, 160, 3, 2],
  [6, 320, 1, 1],
];

export class MobileNetV2Block extends PrintedModule {
  static override readonly name: string = 'MobileNetV2Block';
  /** @internal */
  conv!: nn.Sequential;
  /** @internal */
  readonly isResidual!: boolean;

  static of(inputs: number, outputs: number, stride: number, expansion: number): MobileNetV2Block {
    const hidden = inputs * expansion;
    const activation = 'relu6';
    const layers: nn.Module[] = [];
    if (expansion !== 1) {
      layers.push(make(ConvNorm, { ...ConvNorm.of(inputs, hidden, 1), activation }).layers());
    }
    const depthwise = make(
      ConvNorm,
      { ...ConvNorm.of(hidden, hidden, 3), activation, stride, groups: hidden },
    );
    layers.push(depthwise.layers());
    layers.push(new nn.Conv2d(hidden, outputs, 1, { bias: false }));
    layers.push(new nn.BatchNorm2d(outputs));
    return makeModule(
      MobileNetV2Block,
      { conv: new nn.Sequential(...layers), isResidual: stride === 1 && inputs === outputs },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const output = this.conv.call(input);
      if (this.isResidual) return input.add(output);
      return output;
    });
  }
}

/**
 * The network of Sandler et al. (2018), with inverted residual blocks.
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `widthMult` scales the
 * numbers of channels.
 *
 * @throws `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
 * 1.
 *
 * @example
 * const model = new models.MobileNetV2(10, 0.25, 0.2);
 * [...model.namedParameters()].length; // 158
 */
export class MobileNetV2 extends PrintedModule {
  static override readonly name: string = 'MobileNetV2';
  /** The convolutions. */
  features!: nn.Sequential;
  /** A dropout, and the linear layer. */
  classifier!: nn.Sequential;

  constructor(numClasses?: number, widthMult?: number, dropout?: number);
  constructor(options?: { numClasses?: number; widthMult?: number; dropout?: number });
  constructor(...args: unknown[]) {
    super();
    const [numClasses = 1000, widthMult = 1, dropout = 0.2] = bind('MobileNetV2 numClasses:int? widthMult:number? dropout:number?', args) as [number | undefined, number | undefined, number | undefined];
    Object.assign(this, MobileNetV2.of(numClasses, widthMult, dropout));
  }

  /** @internal */
  static of(numClasses: number, widthMult: number, dropout: number): MobileNetV2 {
    const activation = 'relu6';
    let inputs = makeDivisible(32 * widthMult, 8);
    const last = makeDivisible(1280 * Math.max(widthMult, 1), 8);
    const layers: nn.Module[] = [
      make(ConvNorm, { ...ConvNorm.of(3, inputs, 3), activation, stride: 2 }).layers(),
    ];
    for (const [expansion, channels, count, stride] of STAGES) {
      const outputs = makeDivisible(channels * widthMult, 8);
      for (let index = 0; index < count; index++) {
        const stride2 = index === 0 ? stride : 1;
        layers.push(MobileNetV2Block.of(inputs, outputs, stride2, expansion));
        inputs = outputs;
      }
    }
    layers.push(make(ConvNorm, { ...ConvNorm.of(inputs, last, 1), activation }).layers());
    const model = makeModule(
      MobileNetV2,
      {
        features: new nn.Sequential(...layers),
        classifier: new nn.Sequential(new nn.Dropout(dropout), new nn.Linear(last, numClasses)),
      },
    );
    initConvolutions(model);
    initLinears(model, 0.01);
    initBiases(model, 'bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('MobileNetV2.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('MobileNetV2', input);
      const output = this.features.call(input).adaptiveAvgPool2d([1, 1]);
      return this.classifier.call(output.flatten(1, -1));
    });
  }
}

/**
 * MobileNet v2 of Sandler et al. (2018).
 *
 * @throws `argument` for values that `MobileNetV2` does not take.
 *
 * @example
 * const model = models.mobilenetV2(10, 1, 0.2);
 * [...model.namedParameters()].length; // 158
 */
export function mobilenetV2(numClasses?: number, widthMult?: number, dropout?: number): MobileNetV2;
export function mobilenetV2(options?: { numClasses?: number; widthMult?: number; dropout?: number }): MobileNetV2;
export function mobilenetV2(...args: unknown[]): MobileNetV2 {
  const [numClasses = 1000, widthMult = 1, dropout = 0.2] = bind('mobilenetV2 numClasses:int? widthMult:number? dropout:number?', args) as [number | undefined, number | undefined, number | undefined];
  return MobileNetV2.of(numClasses, widthMult, dropout);
}
