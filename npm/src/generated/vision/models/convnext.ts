// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** ConvNeXt. */
import { bind, failure } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import {
  PermuteLayer, StochasticDepth, checkPictures, initBiases, initTruncated,
} from '../models/blocks.js';

/** A layer norm over the channels of pictures. */
export class LayerNorm2d extends PrintedModule {
  static override readonly name: string = 'LayerNorm2d';
  /** @internal */
  weight!: Tensor;
  /** @internal */
  bias!: Tensor;
  /** @internal */
  readonly channels!: number;

  static of(channels: number): LayerNorm2d {
    return makeModule(
      LayerNorm2d,
      {
        weight: nn.parameter(torch.ones([channels])),
        bias: nn.parameter(torch.zeros([channels])),
        channels,
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const last = input.permute([0, 2, 3, 1]);
      const normed = last.layerNorm([this.channels], this.weight, this.bias, 1e-6);
      return normed.permute([0, 3, 1, 2]);
    });
  }
}

export class ConvNeXtBlock extends PrintedModule {
  static override readonly name: string = 'ConvNeXtBlock';
  /** @internal */
  layerScale!: Tensor;
  /** @internal */
  block!: nn.Sequential;
  /** @internal */
  stochasticDepth!: StochasticDepth;
  /** @internal */
  static override readonly stateNames = {
    layerScale: 'layer_scale',
    stochasticDepth: 'stochastic_depth',
  };

  static of(channels: number, layerScale: number, probability: number): ConvNeXtBlock {
    return makeModule(
      ConvNeXtBlock,
      {
        layerScale: nn.parameter(torch.full([channels, 1, 1], layerScale, { dtype: 'float32' })),
        block: new nn.Sequential(
          new nn.Conv2d(channels, channels, 7, { padding: 3, groups: channels }),
          PermuteLayer.of([0, 2, 3, 1]),
          new nn.LayerNorm(channels, { eps: 1e-6 }),
          new nn.Linear(channels, 4 * channels),
          new nn.GELU(),
          new nn.Linear(4 * channels, channels),
          PermuteLayer.of([0, 3, 1, 2]),
        ),
        stochasticDepth: StochasticDepth.of(probability),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const scaled = this.block.call(input).mul(this.layerScale);
      return this.stochasticDepth.call(scaled).add(input);
    });
  }
}

/**
 * A network of Liu et al. (2022).
 *
 * Pictures `[n, 3, height, width]` of at least 32 × 32 become logits `[n, num_classes]`. A row of
 * `blockSetting` is a stage: its channels, the channels of the next stage or 0 for none, and the
 * number of blocks.
 *
 * @throws `argument` without stages, and if the probability is not from 0 to 1; `shape` for an input that
 * is not a batch of pictures.
 *
 * @example
 * const model = new models.ConvNeXt([[8, 16, 1], [16, 0, 1]], 0, 1e-6, 10);
 * const logits = model.call(zeros([2, 3, 32, 32]));
 * logits.shape; // [2, 10]
 */
export class ConvNeXt extends PrintedModule {
  static override readonly name: string = 'ConvNeXt';
  /** The convolutions. */
  features!: nn.Sequential;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** A layer norm, and the linear layer. */
  classifier!: nn.Sequential;

  constructor(blockSetting: readonly [number, number, number][], stochasticDepthProb?: number, layerScale?: number, numClasses?: number);
  constructor(blockSetting: readonly [number, number, number][], options?: { stochasticDepthProb?: number; layerScale?: number; numClasses?: number });
  constructor(options: { blockSetting: readonly [number, number, number][]; stochasticDepthProb?: number; layerScale?: number; numClasses?: number });
  constructor(...args: unknown[]) {
    super();
    const [blockSetting, stochasticDepthProb = 0, layerScale = 1e-6, numClasses = 1000] = bind('ConvNeXt blockSetting:list stochasticDepthProb:number? layerScale:number? numClasses:int?', args) as [readonly [number, number, number][], number | undefined, number | undefined, number | undefined];
    Object.assign(this, ConvNeXt.of(blockSetting, stochasticDepthProb, layerScale, numClasses));
  }

  /** @internal */
  static of(blockSetting: readonly [number, number, number][], stochasticDepthProb: number, layerScale: number, numClasses: number): ConvNeXt {
    if (blockSetting.length === 0) {
      throw failure('argument', 'ConvNeXt', 'block_setting takes at least one stage');
    }
    let total = 0;
    for (const [, , count] of blockSetting) {
      total += count;
    }
    const stem = blockSetting[0]![0];
    const layers: nn.Module[] = [
      new nn.Sequential(new nn.Conv2d(3, stem, 4, { stride: 4 }), LayerNorm2d.of(stem)),
    ];
    let done = 0;
    let width = stem;
    for (const [channels, next, count] of blockSetting) {
      const stage: nn.Module[] = [];
      for (let step = 0; step < count; step++) {
        const probability = stochasticDepthProb * done / Math.max(total - 1, 1);
        stage.push(ConvNeXtBlock.of(channels, layerScale, probability));
        done += 1;
      }
      layers.push(new nn.Sequential(...stage));
      width = channels;
      if (next !== 0) {
        layers.push(new nn.Sequential(
          LayerNorm2d.of(channels),
          new nn.Conv2d(channels, next, 2, { stride: 2 }),
        ));
        width = next;
      }
    }
    const model = makeModule(
      ConvNeXt,
      {
        features: new nn.Sequential(...layers),
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        classifier: new nn.Sequential(
          LayerNorm2d.of(width),
          new nn.Flatten(),
          new nn.Linear(width, numClasses),
        ),
      },
    );
    initTruncated(model, 0.02);
    initBiases(model, 'bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('ConvNeXt.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('ConvNeXt', input);
      return this.classifier.call(this.avgpool.call(this.features.call(input)));
    });
  }
}

function convnext(widths: [number, number, number, number], depth: number, probability: number, numClasses: number): ConvNeXt {
  const stages: [[number, number, number], [number, number, number], [number, number, number], [number, number, number]] = [
    [widths[0], widths[1], 3],
    [widths[1], widths[2], 3],
    [widths[2], widths[3], depth],
    [widths[3], 0, 3],
  ];
  return ConvNeXt.of(stages, probability, 1e-6, numClasses);
}

/**
 * ConvNeXt (tiny) of Liu et al. (2022).
 *
 * @throws `argument` for values that `ConvNeXt` does not take.
 *
 * @example
 * const model = models.convnextTiny(10, 0.1);
 * [...model.namedParameters()].length; // 182
 */
export function convnextTiny(numClasses?: number, stochasticDepthProb?: number): ConvNeXt;
export function convnextTiny(options?: { numClasses?: number; stochasticDepthProb?: number }): ConvNeXt;
export function convnextTiny(...args: unknown[]): ConvNeXt {
  const [numClasses = 1000, stochasticDepthProb = 0.1] = bind('convnextTiny numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return convnext([96, 192, 384, 768], 9, stochasticDepthProb, numClasses);
}

/**
 * ConvNeXt (small) of Liu et al. (2022).
 *
 * @throws `argument` for values that `ConvNeXt` does not take.
 *
 * @example
 * const model = models.convnextSmall(10, 0.4);
 * [...model.namedParameters()].length; // 344
 */
export function convnextSmall(numClasses?: number, stochasticDepthProb?: number): ConvNeXt;
export function convnextSmall(options?: { numClasses?: number; stochasticDepthProb?: number }): ConvNeXt;
export function convnextSmall(...args: unknown[]): ConvNeXt {
  const [numClasses = 1000, stochasticDepthProb = 0.4] = bind('convnextSmall numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return convnext([96, 192, 384, 768], 27, stochasticDepthProb, numClasses);
}

/**
 * ConvNeXt (base) of Liu et al. (2022).
 *
 * @throws `argument` for values that `ConvNeXt` does not take.
 *
 * @example
 * const model = models.convnextBase(10, 0.5);
 * [...model.namedParameters()].length; // 344
 */
export function convnextBase(numClasses?: number, stochasticDepthProb?: number): ConvNeXt;
export function convnextBase(options?: { numClasses?: number; stochasticDepthProb?: number }): ConvNeXt;
export function convnextBase(...args: unknown[]): ConvNeXt {
  const [numClasses = 1000, stochasticDepthProb = 0.5] = bind('convnextBase numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return convnext([128, 256, 512, 1024], 27, stochasticDepthProb, numClasses);
}

/**
 * ConvNeXt (large) of Liu et al. (2022).
 *
 * @throws `argument` for values that `ConvNeXt` does not take.
 *
 * @example
 * const model = models.convnextLarge(10, 0.5);
 * [...model.namedParameters()].length; // 344
 */
export function convnextLarge(numClasses?: number, stochasticDepthProb?: number): ConvNeXt;
export function convnextLarge(options?: { numClasses?: number; stochasticDepthProb?: number }): ConvNeXt;
export function convnextLarge(...args: unknown[]): ConvNeXt {
  const [numClasses = 1000, stochasticDepthProb = 0.5] = bind('convnextLarge numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return convnext([192, 384, 768, 1536], 27, stochasticDepthProb, numClasses);
}
