// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** SqueezeNet. */
import { bind, failure } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import { checkPictures, initBiases } from '../models/blocks.js';

/**
 * The channels of the modules: of the input, of the squeezed input and of each expansion; zeros
 * are a pooling.
 */
const FIRES_1_0: readonly [number, number, number][] = [
  [0, 0, 0],
  [96, 16, 64],
  [128, 16, 64],
  [128, 32, 128],
  [0, 0, 0],
  [256, 32, 128],
  [256, 48, 192],
  [384, 48, 192],
  [384, 64, 256],
  [0, 0, 0],
  [512, 64, 256],
];
const FIRES_1_1: readonly [number, number, number][] = [
  [0, 0, 0],
  [64, 16, 64],
  [128, 16, 64],
  [0, 0, 0],
  [128, 32, 128],
  [256, 32, 128],
  [0, 0, 0],
  [256, 48, 192],
  [384, 48, 192],
  [384, 64, 256],
  [512, 64, 256],
];

export class Fire extends PrintedModule {
  static override readonly name: string = 'Fire';
  /** @internal */
  squeeze!: nn.Conv2d;
  /** @internal */
  squeezeActivation!: nn.ReLU;
  /** @internal */
  expand1x1!: nn.Conv2d;
  /** @internal */
  expand1x1Activation!: nn.ReLU;
  /** @internal */
  expand3x3!: nn.Conv2d;
  /** @internal */
  expand3x3Activation!: nn.ReLU;
  /** @internal */
  static override readonly stateNames = {
    squeezeActivation: 'squeeze_activation',
    expand1x1Activation: 'expand1x1_activation',
    expand3x3Activation: 'expand3x3_activation',
  };

  static of(inputs: number, squeezed: number, expanded: number): Fire {
    return makeModule(
      Fire,
      {
        squeeze: new nn.Conv2d(inputs, squeezed, 1),
        squeezeActivation: new nn.ReLU(),
        expand1x1: new nn.Conv2d(squeezed, expanded, 1),
        expand1x1Activation: new nn.ReLU(),
        expand3x3: new nn.Conv2d(squeezed, expanded, 3, { padding: 1 }),
        expand3x3Activation: new nn.ReLU(),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const squeezed = this.squeezeActivation.call(this.squeeze.call(input));
      const one = this.expand1x1Activation.call(this.expand1x1.call(squeezed));
      const three = this.expand3x3Activation.call(this.expand3x3.call(squeezed));
      return torch.cat([one, three], 1);
    });
  }
}

/**
 * The network of Iandola et al. (2016) of the version `"1_0"` or `"1_1"`.
 *
 * Pictures `[n, 3, height, width]` of at least 21 × 21 become logits `[n, num_classes]`.
 *
 * @throws `argument` for another version, and if `dropout` is not from 0 to 1; `shape` for an input that
 * is not a batch of pictures.
 *
 * @example
 * const model = new models.SqueezeNet('1_1', 10, 0.5);
 * const logits = model.call(zeros([2, 3, 32, 32]));
 * logits.shape; // [2, 10]
 */
export class SqueezeNet extends PrintedModule {
  static override readonly name: string = 'SqueezeNet';
  /** The convolutions. */
  features!: nn.Sequential;
  /** A convolution to the classes, and the mean over the picture. */
  classifier!: nn.Sequential;

  constructor(version?: string, numClasses?: number, dropout?: number);
  constructor(options?: { version?: string; numClasses?: number; dropout?: number });
  constructor(...args: unknown[]) {
    super();
    const [version = '1_0', numClasses = 1000, dropout = 0.5] = bind('SqueezeNet version:string? numClasses:int? dropout:number?', args) as [string | undefined, number | undefined, number | undefined];
    Object.assign(this, SqueezeNet.of(version, numClasses, dropout));
  }

  /** @internal */
  static of(version: string, numClasses: number, dropout: number): SqueezeNet {
    if (version !== '1_0' && version !== '1_1') {
      throw failure('argument', 'SqueezeNet', `version takes 1_0 or 1_1, not ${version}`);
    }
    const isFirst = version === '1_0';
    const [channels, kernel] = isFirst ? [96, 7] : [64, 3];
    const stem = new nn.Conv2d(3, channels, kernel, { stride: 2 });
    const layers: nn.Module[] = [stem, new nn.ReLU()];
    const fires = isFirst ? FIRES_1_0 : FIRES_1_1;
    for (const [inputs, squeezed, expanded] of fires) {
      if (inputs === 0) layers.push(new nn.MaxPool2d(3, { stride: 2, ceilMode: true }));
      else {
        layers.push(Fire.of(inputs, squeezed, expanded));
      }
    }
    const model = makeModule(
      SqueezeNet,
      {
        features: new nn.Sequential(...layers),
        classifier: new nn.Sequential(
          new nn.Dropout(dropout),
          new nn.Conv2d(512, numClasses, 1),
          new nn.ReLU(),
          new nn.AdaptiveAvgPool2d([1, 1]),
        ),
      },
    );
    for (const [name, parameter] of [...model.namedParameters()]) {
      if (name === 'classifier.1.weight') nn.init.normal_(parameter, 0, 0.01);
      else if (parameter.ndim === 4) nn.init.kaimingUniform_(parameter, 0, 'fan_in', 'relu');
    }
    initBiases(model, 'bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('SqueezeNet.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('SqueezeNet', input);
      return this.classifier.call(this.features.call(input)).flatten(1, -1);
    });
  }
}

/**
 * SqueezeNet 1.0 of Iandola et al. (2016).
 *
 * @throws `argument` for values that `SqueezeNet` does not take.
 *
 * @example
 * const model = models.squeezenet1_0(10, 0.5);
 * [...model.namedParameters()].length; // 52
 */
export function squeezenet1_0(numClasses?: number, dropout?: number): SqueezeNet;
export function squeezenet1_0(options?: { numClasses?: number; dropout?: number }): SqueezeNet;
export function squeezenet1_0(...args: unknown[]): SqueezeNet {
  const [numClasses = 1000, dropout = 0.5] = bind('squeezenet1_0 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return SqueezeNet.of('1_0', numClasses, dropout);
}

/**
 * SqueezeNet 1.1, which needs fewer operations than `squeezenet1_0`.
 *
 * @throws `argument` for values that `SqueezeNet` does not take.
 *
 * @example
 * const model = models.squeezenet1_1(10, 0.5);
 * [...model.namedParameters()].length; // 52
 */
export function squeezenet1_1(numClasses?: number, dropout?: number): SqueezeNet;
export function squeezenet1_1(options?: { numClasses?: number; dropout?: number }): SqueezeNet;
export function squeezenet1_1(...args: unknown[]): SqueezeNet {
  const [numClasses = 1000, dropout = 0.5] = bind('squeezenet1_1 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return SqueezeNet.of('1_1', numClasses, dropout);
}
