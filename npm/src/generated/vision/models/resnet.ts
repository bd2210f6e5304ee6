// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Residual networks, and their forms with groups of channels and with more channels. */
import { bind, failure, make } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import { checkPictures, initConvolutions } from '../models/blocks.js';

/** The residual block of a `ResNet`. */
export type ResNetBlock = 'basic' | 'bottleneck';

/** The sizes of a network's stages. */
export class ResNetConfig {
  /** @internal */
  readonly block!: ResNetBlock;
  /** @internal */
  readonly layers!: readonly number[];
  /** @internal */
  readonly groups!: number;
  /** @internal */
  readonly widthPerGroup!: number;
  /** @internal */
  readonly dilates!: readonly boolean[];
}

function conv3x3(inputs: number, outputs: number, stride: number, groups: number, dilation: number): nn.Conv2d {
  return new nn.Conv2d(
    inputs,
    outputs,
    3,
    { stride: stride, padding: dilation, dilation: dilation, groups: groups, bias: false },
  );
}

function conv1x1(inputs: number, outputs: number, stride: number): nn.Conv2d {
  return new nn.Conv2d(inputs, outputs, 1, { stride: stride, bias: false });
}

export class BasicBlock extends PrintedModule {
  static override readonly name: string = 'BasicBlock';
  /** @internal */
  conv1!: nn.Conv2d;
  /** @internal */
  bn1!: nn.BatchNorm2d;
  /** @internal */
  relu!: nn.ReLU;
  /** @internal */
  conv2!: nn.Conv2d;
  /** @internal */
  bn2!: nn.BatchNorm2d;
  /** @internal */
  downsample!: nn.Sequential | undefined;

  static of(inputs: number, planes: number, stride: number, downsample: nn.Sequential | undefined): BasicBlock {
    return makeModule(
      BasicBlock,
      {
        conv1: conv3x3(inputs, planes, stride, 1, 1),
        bn1: new nn.BatchNorm2d(planes),
        relu: new nn.ReLU(),
        conv2: conv3x3(planes, planes, 1, 1, 1),
        bn2: new nn.BatchNorm2d(planes),
        downsample,
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      let output = this.relu.call(this.bn1.call(this.conv1.call(input)));
      output = this.bn2.call(this.conv2.call(output));
      let identity = input;
      const downsample = this.downsample;
      if (downsample !== undefined) identity = downsample.call(input);
      return this.relu.call(output.add(identity));
    });
  }
}

export class Bottleneck extends PrintedModule {
  static override readonly name: string = 'Bottleneck';
  /** @internal */
  conv1!: nn.Conv2d;
  /** @internal */
  bn1!: nn.BatchNorm2d;
  /** @internal */
  conv2!: nn.Conv2d;
  /** @internal */
  bn2!: nn.BatchNorm2d;
  /** @internal */
  conv3!: nn.Conv2d;
  /** @internal */
  bn3!: nn.BatchNorm2d;
  /** @internal */
  relu!: nn.ReLU;
  /** @internal */
  downsample!: nn.Sequential | undefined;

  static of(config: ResNetConfig, inputs: number, planes: number, stride: number, dilation: number, downsample: nn.Sequential | undefined): Bottleneck {
    const width = Math.trunc(planes * (config.widthPerGroup / 64)) * config.groups;
    return makeModule(
      Bottleneck,
      {
        conv1: conv1x1(inputs, width, 1),
        bn1: new nn.BatchNorm2d(width),
        conv2: conv3x3(width, width, stride, config.groups, dilation),
        bn2: new nn.BatchNorm2d(width),
        conv3: conv1x1(width, planes * 4, 1),
        bn3: new nn.BatchNorm2d(planes * 4),
        relu: new nn.ReLU(),
        downsample,
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      let output = this.relu.call(this.bn1.call(this.conv1.call(input)));
      output = this.relu.call(this.bn2.call(this.conv2.call(output)));
      output = this.bn3.call(this.conv3.call(output));
      let identity = input;
      const downsample = this.downsample;
      if (downsample !== undefined) identity = downsample.call(input);
      return this.relu.call(output.add(identity));
    });
  }
}

/** The channels of a block's result by the channels of its first convolution. */
function expansion(block: ResNetBlock): number {
  if (block === 'basic') return 1;
  return 4;
}

/** The dilation after stage `stage`, from 0. */
function dilationAfter(config: ResNetConfig, stage: number): number {
  let dilation = 1;
  for (let index = 0; index < stage; index++) {
    if (config.dilates[index]!) dilation *= 2;
  }
  return dilation;
}

/** The blocks of a stage, from 0. */
function stageLayers(config: ResNetConfig, stage: number): nn.Sequential {
  const planes = [64, 128, 256, 512][stage]!;
  const outputs = planes * expansion(config.block);
  const inputs = stage === 0 ? 64 : Math.trunc(outputs / 2);
  const stride = stage === 0 || config.dilates[stage - 1]! ? 1 : 2;
  const layers: nn.Module[] = [];
  for (let index = 0; index < config.layers[stage]!; index++) {
    const isFirst = index === 0;
    const [inputs2, stride2] = [isFirst ? inputs : outputs, isFirst ? stride : 1];
    let downsample: nn.Sequential | undefined = undefined;
    if (stride2 !== 1 || inputs2 !== outputs) {
      const norm = new nn.BatchNorm2d(outputs);
      downsample = new nn.Sequential(conv1x1(inputs2, outputs, stride2), norm);
    }
    if (config.block === 'basic') layers.push(BasicBlock.of(inputs2, planes, stride2, downsample));
    else {
      const dilation = dilationAfter(config, isFirst && stage > 0 ? stage - 1 : stage);
      layers.push(Bottleneck.of(config, inputs2, planes, stride2, dilation, downsample));
    }
  }
  return new nn.Sequential(...layers);
}

/** The stages of a network without its classifier, whose results other models take. */
export class ResNetBackbone extends PrintedModule {
  static override readonly name: string = 'ResNetBackbone';
  conv1!: nn.Conv2d;
  bn1!: nn.BatchNorm2d;
  relu!: nn.ReLU;
  maxpool!: nn.MaxPool2d;
  layer1!: nn.Sequential;
  layer2!: nn.Sequential;
  layer3!: nn.Sequential;
  layer4!: nn.Sequential;

  static of(config: ResNetConfig): ResNetBackbone {
    const stages = makeModule(
      ResNetBackbone,
      {
        conv1: new nn.Conv2d(3, 64, 7, { stride: 2, padding: 3, bias: false }),
        bn1: new nn.BatchNorm2d(64),
        relu: new nn.ReLU(),
        maxpool: new nn.MaxPool2d(3, { stride: 2, padding: 1 }),
        layer1: stageLayers(config, 0),
        layer2: stageLayers(config, 1),
        layer3: stageLayers(config, 2),
        layer4: stageLayers(config, 3),
      },
    );
    initConvolutions(stages);
    return stages;
  }

  /** The results of the third and of the fourth stage. */
  features(input: Tensor): readonly Tensor[] {
    return scope(() => {
      let output = this.relu.call(this.bn1.call(this.conv1.call(input)));
      output = this.layer1.call(this.maxpool.call(output));
      const third = this.layer3.call(this.layer2.call(output));
      const fourth = this.layer4.call(third);
      return [third, fourth];
    });
  }

  override forward(input: Tensor): Tensor {
    return this.features(input)[1]!;
  }
}

/**
 * A residual network of He et al. (2015): a stem, four stages of blocks, and a linear classifier.
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `layers` has the number of
 * blocks of each stage. With `zeroInitResidual` each block begins as the identity.
 * `replaceStrideWithDilation` says for each of the last three stages whether its convolutions
 * are dilated instead of having a stride.
 *
 * @throws `argument` if `layers` has not four numbers, or if basic blocks have groups, another width or
 * dilations; `shape` for an input that is not a batch of pictures.
 *
 * @example
 * const model = new models.ResNet('basic', [1, 1, 1, 1], 10, false, 1, 64, undefined);
 * const logits = model.call(zeros([2, 3, 32, 32]));
 * logits.shape; // [2, 10]
 */
export class ResNet extends PrintedModule {
  static override readonly name: string = 'ResNet';
  /** The first convolution. */
  conv1!: nn.Conv2d;
  /** The norm after the first convolution. */
  bn1!: nn.BatchNorm2d;
  /** The rectifier after the norm. */
  relu!: nn.ReLU;
  /** The pooling after the stem. */
  maxpool!: nn.MaxPool2d;
  /** The first stage. */
  layer1!: nn.Sequential;
  /** The second stage. */
  layer2!: nn.Sequential;
  /** The third stage. */
  layer3!: nn.Sequential;
  /** The fourth stage. */
  layer4!: nn.Sequential;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** The classifier. */
  fc!: nn.Linear;

  constructor(block: ResNetBlock, layers: number | readonly number[], numClasses?: number, zeroInitResidual?: boolean, groups?: number, widthPerGroup?: number, replaceStrideWithDilation?: readonly boolean[] | null);
  constructor(block: ResNetBlock, layers: number | readonly number[], options?: { numClasses?: number; zeroInitResidual?: boolean; groups?: number; widthPerGroup?: number; replaceStrideWithDilation?: readonly boolean[] | null });
  constructor(options: { block: ResNetBlock; layers: number | readonly number[]; numClasses?: number; zeroInitResidual?: boolean; groups?: number; widthPerGroup?: number; replaceStrideWithDilation?: readonly boolean[] | null });
  constructor(...args: unknown[]) {
    super();
    const [block, layers, numClasses = 1000, zeroInitResidual = false, groups = 1, widthPerGroup = 64, replaceStrideWithDilation] = bind('ResNet block:=basic|bottleneck layers:ints numClasses:int? zeroInitResidual:bool? groups:int? widthPerGroup:int? replaceStrideWithDilation:list?', args) as [ResNetBlock, readonly number[], number | undefined, boolean | undefined, number | undefined, number | undefined, readonly boolean[] | undefined];
    Object.assign(this, ResNet.of(block, layers, numClasses, zeroInitResidual, groups, widthPerGroup, replaceStrideWithDilation));
  }

  /** @internal */
  static of(block: ResNetBlock, layers: readonly number[], numClasses: number, zeroInitResidual: boolean, groups: number, widthPerGroup: number, replaceStrideWithDilation: readonly boolean[] | undefined): ResNet {
    const dilates = replaceStrideWithDilation ?? [false, false, false];
    if (layers.length !== 4) {
      throw failure('argument', 'ResNet', `layers takes 4 numbers, not [${layers.join(', ')}]`);
    }
    if (dilates.length !== 3) {
      const message = `replace_stride_with_dilation takes 3 values, not [${dilates.join(', ')}]`;
      throw failure('argument', 'ResNet', message);
    }
    if (block === 'basic' && (groups !== 1 || widthPerGroup !== 64)) {
      throw failure('argument', 'ResNet', 'basic blocks take groups 1 and width_per_group 64');
    }
    if (block === 'basic' && dilates.includes(true)) {
      throw failure('argument', 'ResNet', 'basic blocks take no replace_stride_with_dilation');
    }
    const config = make(ResNetConfig, { block, layers, groups, widthPerGroup, dilates });
    const stages = ResNetBackbone.of(config);
    const model = makeModule(
      ResNet,
      {
        conv1: stages.conv1,
        bn1: stages.bn1,
        relu: stages.relu,
        maxpool: stages.maxpool,
        layer1: stages.layer1,
        layer2: stages.layer2,
        layer3: stages.layer3,
        layer4: stages.layer4,
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        fc: new nn.Linear(512 * expansion(block), numClasses),
      },
    );
    if (zeroInitResidual) {
      const last = block === 'basic' ? 'bn2.weight' : 'bn3.weight';
      for (const [name, parameter] of [...model.namedParameters()]) {
        if (name.endsWith(last)) nn.init.zeros_(parameter);
      }
    }
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('ResNet.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('ResNet', input);
      let output = this.relu.call(this.bn1.call(this.conv1.call(input)));
      output = this.layer1.call(this.maxpool.call(output));
      output = this.layer3.call(this.layer2.call(output));
      output = this.avgpool.call(this.layer4.call(output));
      return this.fc.call(output.flatten(1, -1));
    });
  }
}

function network(block: ResNetBlock, layers: readonly number[], groups: number, width: number, numClasses: number): ResNet {
  return ResNet.of(block, layers, numClasses, false, groups, width, undefined);
}

/**
 * ResNet-18 of He et al. (2015).
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnet18(10);
 * [...model.namedParameters()].length; // 62
 */
export function resnet18(numClasses?: number): ResNet;
export function resnet18(options?: { numClasses?: number }): ResNet;
export function resnet18(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnet18 numClasses:int?', args) as [number | undefined];
  return network('basic', [2, 2, 2, 2], 1, 64, numClasses);
}

/**
 * ResNet-34 of He et al. (2015).
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnet34(10);
 * [...model.namedParameters()].length; // 110
 */
export function resnet34(numClasses?: number): ResNet;
export function resnet34(options?: { numClasses?: number }): ResNet;
export function resnet34(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnet34 numClasses:int?', args) as [number | undefined];
  return network('basic', [3, 4, 6, 3], 1, 64, numClasses);
}

/**
 * ResNet-50 of He et al. (2015), with the stride at the 3 × 3 convolutions.
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnet50(10);
 * [...model.namedParameters()].length; // 161
 */
export function resnet50(numClasses?: number): ResNet;
export function resnet50(options?: { numClasses?: number }): ResNet;
export function resnet50(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnet50 numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 4, 6, 3], 1, 64, numClasses);
}

/**
 * ResNet-101 of He et al. (2015), with the stride at the 3 × 3 convolutions.
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnet101(10);
 * [...model.namedParameters()].length; // 314
 */
export function resnet101(numClasses?: number): ResNet;
export function resnet101(options?: { numClasses?: number }): ResNet;
export function resnet101(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnet101 numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 4, 23, 3], 1, 64, numClasses);
}

/**
 * ResNet-152 of He et al. (2015), with the stride at the 3 × 3 convolutions.
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnet152(10);
 * [...model.namedParameters()].length; // 467
 */
export function resnet152(numClasses?: number): ResNet;
export function resnet152(options?: { numClasses?: number }): ResNet;
export function resnet152(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnet152 numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 8, 36, 3], 1, 64, numClasses);
}

/**
 * ResNeXt-50 32×4d of Xie et al. (2016).
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnext50_32x4d(10);
 * [...model.namedParameters()].length; // 161
 */
export function resnext50_32x4d(numClasses?: number): ResNet;
export function resnext50_32x4d(options?: { numClasses?: number }): ResNet;
export function resnext50_32x4d(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnext50_32x4d numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 4, 6, 3], 32, 4, numClasses);
}

/**
 * ResNeXt-101 32×8d of Xie et al. (2016).
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnext101_32x8d(10);
 * [...model.namedParameters()].length; // 314
 */
export function resnext101_32x8d(numClasses?: number): ResNet;
export function resnext101_32x8d(options?: { numClasses?: number }): ResNet;
export function resnext101_32x8d(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnext101_32x8d numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 4, 23, 3], 32, 8, numClasses);
}

/**
 * ResNeXt-101 64×4d of Xie et al. (2016).
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.resnext101_64x4d(10);
 * [...model.namedParameters()].length; // 314
 */
export function resnext101_64x4d(numClasses?: number): ResNet;
export function resnext101_64x4d(options?: { numClasses?: number }): ResNet;
export function resnext101_64x4d(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('resnext101_64x4d numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 4, 23, 3], 64, 4, numClasses);
}

/**
 * Wide ResNet-50-2 of Zagoruyko and Komodakis (2016).
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.wideResnet50_2(10);
 * [...model.namedParameters()].length; // 161
 */
export function wideResnet50_2(numClasses?: number): ResNet;
export function wideResnet50_2(options?: { numClasses?: number }): ResNet;
export function wideResnet50_2(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('wideResnet50_2 numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 4, 6, 3], 1, 128, numClasses);
}

/**
 * Wide ResNet-101-2 of Zagoruyko and Komodakis (2016).
 *
 * @throws `argument` for values that `ResNet` does not take.
 *
 * @example
 * const model = models.wideResnet101_2(10);
 * [...model.namedParameters()].length; // 314
 */
export function wideResnet101_2(numClasses?: number): ResNet;
export function wideResnet101_2(options?: { numClasses?: number }): ResNet;
export function wideResnet101_2(...args: unknown[]): ResNet {
  const [numClasses = 1000] = bind('wideResnet101_2 numClasses:int?', args) as [number | undefined];
  return network('bottleneck', [3, 4, 23, 3], 1, 128, numClasses);
}
