// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** EfficientNet of both versions. */
import { bind, failure, make } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import {
  ConvNorm, SqueezeExcite, StochasticDepth, checkPictures, initBiases, initConvolutions,
  makeDivisible,
} from '../models/blocks.js';

/**
 * The stages: the factor of expansion, the kernel, the stride, the channels of the input and of
 * the result, the number of blocks, and whether the first two convolutions are one.
 */
const STAGES_B: readonly [number, number, number, number, number, number, boolean][] = [
  [1, 3, 1, 32, 16, 1, false],
  [6, 3, 2, 16, 24, 2, false],
  [6, 5, 2, 24, 40, 2, false],
  [6, 3, 2, 40, 80, 3, false],
  [6, 5, 1, 80, 112, 3, false],
  [6, 5, 2, 112, 192, 4, false],
  [6, 3, 1, 192, 320, 1, false],
];
const STAGES_S: readonly [number, number, number, number, number, number, boolean][] = [
  [1, 3, 1, 24, 24, 2, true],
  [4, 3, 2, 24, 48, 4, true],
  [4, 3, 2, 48, 64, 4, true],
  [4, 3, 2, 64, 128, 6, false],
  [6, 3, 1, 128, 160, 9, false],
  [6, 3, 2, 160, 256, 15, false],
];
const STAGES_M: readonly [number, number, number, number, number, number, boolean][] = [
  [1, 3, 1, 24, 24, 3, true],
  [4, 3, 2, 24, 48, 5, true],
  [4, 3, 2, 48, 80, 5, true],
  [4, 3, 2, 80, 160, 7, false],
  [6, 3, 1, 160, 176, 14, false],
  [6, 3, 2, 176, 304, 18, false],
  [6, 3, 1, 304, 512, 5, false],
];
const STAGES_L: readonly [number, number, number, number, number, number, boolean][] = [
  [1, 3, 1, 32, 32, 4, true],
  [4, 3, 2, 32, 64, 7, true],
  [4, 3, 2, 64, 96, 7, true],
  [4, 3, 2, 96, 192, 10, false],
  [6, 3, 1, 192, 224, 19, false],
  [6, 3, 2, 224, 384, 25, false],
  [6, 3, 1, 384, 640, 7, false],
];

export class EfficientNetBlock extends PrintedModule {
  static override readonly name: string = 'EfficientNetBlock';
  /** @internal */
  block!: nn.Sequential;
  /** @internal */
  stochasticDepth!: StochasticDepth;
  /** @internal */
  readonly isResidual!: boolean;
  /** @internal */
  static override readonly stateNames = { stochasticDepth: 'stochastic_depth' };

  /** A block with these channels of the input, inside and of the result. */
  static of(channels: [number, number, number], kernel: number, stride: number, isFused: boolean, probability: number, norm: [number, number]): EfficientNetBlock {
    const [inputs, hidden, outputs] = channels;
    const [eps, momentum] = norm;
    const activation = 'silu';
    const layers: nn.Module[] = [];
    if (isFused) {
      const first = make(
        ConvNorm,
        { ...ConvNorm.of(inputs, hidden, kernel), stride, eps, momentum, activation },
      );
      layers.push(first.layers());
    } else {
      if (hidden !== inputs) {
        const first = make(
          ConvNorm,
          { ...ConvNorm.of(inputs, hidden, 1), eps, momentum, activation },
        );
        layers.push(first.layers());
      }
      const groups = hidden;
      const middle = make(
        ConvNorm,
        { ...ConvNorm.of(hidden, hidden, kernel), stride, groups, eps, momentum, activation },
      );
      layers.push(middle.layers());
      const squeezed = Math.max(Math.trunc(inputs / 4), 1);
      layers.push(SqueezeExcite.of(hidden, squeezed, 'silu', false));
    }
    if (!(isFused && hidden === inputs)) {
      const last = make(
        ConvNorm,
        { ...ConvNorm.of(hidden, outputs, 1), eps, momentum, activation: undefined },
      );
      layers.push(last.layers());
    }
    return makeModule(
      EfficientNetBlock,
      {
        block: new nn.Sequential(...layers),
        stochasticDepth: StochasticDepth.of(probability),
        isResidual: stride === 1 && inputs === outputs,
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const output = this.block.call(input);
      if (this.isResidual) return this.stochasticDepth.call(output).add(input);
      return output;
    });
  }
}

/**
 * A network of Tan and Le (2019, 2021).
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. A row of
 * `invertedResidualSetting` is a stage: the factor of expansion, the kernel, the stride, the
 * channels of the input and of the result, the number of blocks, and whether the first two
 * convolutions of a block are one. `lastChannel` is the number of channels before the linear
 * layer, 4 times the channels of the last stage without one.
 *
 * @throws `argument` without stages, and if a probability is not from 0 to 1; `shape` for an input that is
 * not a batch of pictures.
 *
 * @example
 * const model = new models.EfficientNet([[4, 3, 2, 8, 16, 1, false]], 0.2, 0.2, 10, undefined, 1e-5, 0.1);
 * [...model.namedParameters()].length; // 21
 */
export class EfficientNet extends PrintedModule {
  static override readonly name: string = 'EfficientNet';
  /** The convolutions. */
  features!: nn.Sequential;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** A dropout, and the linear layer. */
  classifier!: nn.Sequential;

  constructor(invertedResidualSetting: readonly [number, number, number, number, number, number, boolean][], dropout: number, stochasticDepthProb?: number, numClasses?: number, lastChannel?: number | null, eps?: number, momentum?: number);
  constructor(invertedResidualSetting: readonly [number, number, number, number, number, number, boolean][], dropout: number, options?: { stochasticDepthProb?: number; numClasses?: number; lastChannel?: number | null; eps?: number; momentum?: number });
  constructor(options: { invertedResidualSetting: readonly [number, number, number, number, number, number, boolean][]; dropout: number; stochasticDepthProb?: number; numClasses?: number; lastChannel?: number | null; eps?: number; momentum?: number });
  constructor(...args: unknown[]) {
    super();
    const [invertedResidualSetting, dropout, stochasticDepthProb = 0.2, numClasses = 1000, lastChannel, eps = 1e-5, momentum = 0.1] = bind('EfficientNet invertedResidualSetting:list dropout:number stochasticDepthProb:number? numClasses:int? lastChannel:int? eps:number? momentum:number?', args) as [readonly [number, number, number, number, number, number, boolean][], number, number | undefined, number | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, EfficientNet.of(invertedResidualSetting, dropout, stochasticDepthProb, numClasses, lastChannel, eps, momentum));
  }

  /** @internal */
  static of(invertedResidualSetting: readonly [number, number, number, number, number, number, boolean][], dropout: number, stochasticDepthProb: number, numClasses: number, lastChannel: number | undefined, eps: number, momentum: number): EfficientNet {
    if (invertedResidualSetting.length === 0) {
      throw failure(
        'argument',
        'EfficientNet',
        'inverted_residual_setting takes at least one stage',
      );
    }
    const activation = 'silu';
    let total = 0;
    for (const [, , , , , count] of invertedResidualSetting) {
      total += count;
    }
    const stem = invertedResidualSetting[0]![3];
    const first = make(
      ConvNorm,
      { ...ConvNorm.of(3, stem, 3), stride: 2, eps, momentum, activation },
    );
    const layers: nn.Module[] = [first.layers()];
    let done = 0;
    let last = stem;
    for (const [expansion, kernel, stride, inputs, outputs, count, isFused] of invertedResidualSetting) {
      const stage: nn.Module[] = [];
      for (let index = 0; index < count; index++) {
        const taken = index === 0 ? inputs : outputs;
        const ownStride = index === 0 ? stride : 1;
        const hidden = makeDivisible(taken * expansion, 8);
        const probability = stochasticDepthProb * done / total;
        const channels: [number, number, number] = [taken, hidden, outputs];
        const norm: [number, number] = [eps, momentum];
        const block = EfficientNetBlock.of(channels, kernel, ownStride, isFused, probability, norm);
        stage.push(block);
        done += 1;
      }
      layers.push(new nn.Sequential(...stage));
      last = outputs;
    }
    const width = lastChannel ?? 4 * last;
    layers.push(make(
      ConvNorm,
      { ...ConvNorm.of(last, width, 1), eps, momentum, activation },
    ).layers());
    const model = makeModule(
      EfficientNet,
      {
        features: new nn.Sequential(...layers),
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        classifier: new nn.Sequential(new nn.Dropout(dropout), new nn.Linear(width, numClasses)),
      },
    );
    initConvolutions(model);
    const bound = 1 / Math.sqrt(numClasses);
    for (const [, parameter] of [...model.namedParameters()]) {
      if (parameter.ndim === 2) nn.init.uniform_(parameter, -bound, bound);
    }
    initBiases(model, 'bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('EfficientNet.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('EfficientNet', input);
      const output = this.avgpool.call(this.features.call(input));
      return this.classifier.call(output.flatten(1, -1));
    });
  }
}

/** A network of the first version with the channels and the numbers of blocks scaled. */
function scale(widthMult: number, depthMult: number, dropout: number, norm: [number, number], numClasses: number): EfficientNet {
  const stages: [number, number, number, number, number, number, boolean][] = [];
  for (const [expansion, kernel, stride, inputs, outputs, count, isFused] of STAGES_B) {
    const taken = makeDivisible(inputs * widthMult, 8);
    const made = makeDivisible(outputs * widthMult, 8);
    const deep = Math.trunc(Math.ceil(count * depthMult));
    stages.push([expansion, kernel, stride, taken, made, deep, isFused]);
  }
  return EfficientNet.of(stages, dropout, 0.2, numClasses, undefined, norm[0], norm[1]);
}

/**
 * EfficientNet-B0 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB0(10, 0.2);
 * [...model.namedParameters()].length; // 213
 */
export function efficientnetB0(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB0(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB0(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.2] = bind('efficientnetB0 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(1, 1, dropout, [1e-5, 0.1], numClasses);
}

/**
 * EfficientNet-B1 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB1(10, 0.2);
 * [...model.namedParameters()].length; // 301
 */
export function efficientnetB1(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB1(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB1(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.2] = bind('efficientnetB1 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(1, 1.1, dropout, [1e-5, 0.1], numClasses);
}

/**
 * EfficientNet-B2 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB2(10, 0.3);
 * [...model.namedParameters()].length; // 301
 */
export function efficientnetB2(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB2(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB2(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.3] = bind('efficientnetB2 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(1.1, 1.2, dropout, [1e-5, 0.1], numClasses);
}

/**
 * EfficientNet-B3 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB3(10, 0.3);
 * [...model.namedParameters()].length; // 340
 */
export function efficientnetB3(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB3(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB3(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.3] = bind('efficientnetB3 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(1.2, 1.4, dropout, [1e-5, 0.1], numClasses);
}

/**
 * EfficientNet-B4 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB4(10, 0.4);
 * [...model.namedParameters()].length; // 418
 */
export function efficientnetB4(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB4(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB4(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.4] = bind('efficientnetB4 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(1.4, 1.8, dropout, [1e-5, 0.1], numClasses);
}

/**
 * EfficientNet-B5 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB5(10, 0.4);
 * [...model.namedParameters()].length; // 506
 */
export function efficientnetB5(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB5(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB5(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.4] = bind('efficientnetB5 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(1.6, 2.2, dropout, [0.001, 0.01], numClasses);
}

/**
 * EfficientNet-B6 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB6(10, 0.5);
 * [...model.namedParameters()].length; // 584
 */
export function efficientnetB6(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB6(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB6(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.5] = bind('efficientnetB6 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(1.8, 2.6, dropout, [0.001, 0.01], numClasses);
}

/**
 * EfficientNet-B7 of Tan and Le (2019).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetB7(10, 0.5);
 * [...model.namedParameters()].length; // 711
 */
export function efficientnetB7(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetB7(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetB7(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.5] = bind('efficientnetB7 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return scale(2, 3.1, dropout, [0.001, 0.01], numClasses);
}

/**
 * EfficientNetV2-S of Tan and Le (2021).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetV2S(10, 0.2);
 * [...model.namedParameters()].length; // 452
 */
export function efficientnetV2S(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetV2S(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetV2S(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.2] = bind('efficientnetV2S numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return EfficientNet.of(STAGES_S, dropout, 0.2, numClasses, 1280, 0.001, 0.1);
}

/**
 * EfficientNetV2-M of Tan and Le (2021).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetV2M(10, 0.3);
 * [...model.namedParameters()].length; // 649
 */
export function efficientnetV2M(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetV2M(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetV2M(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.3] = bind('efficientnetV2M numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return EfficientNet.of(STAGES_M, dropout, 0.2, numClasses, 1280, 0.001, 0.1);
}

/**
 * EfficientNetV2-L of Tan and Le (2021).
 *
 * @throws `argument` for values that `EfficientNet` does not take.
 *
 * @example
 * const model = models.efficientnetV2L(10, 0.4);
 * [...model.namedParameters()].length; // 897
 */
export function efficientnetV2L(numClasses?: number, dropout?: number): EfficientNet;
export function efficientnetV2L(options?: { numClasses?: number; dropout?: number }): EfficientNet;
export function efficientnetV2L(...args: unknown[]): EfficientNet {
  const [numClasses = 1000, dropout = 0.4] = bind('efficientnetV2L numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return EfficientNet.of(STAGES_L, dropout, 0.2, numClasses, 1280, 0.001, 0.1);
}
