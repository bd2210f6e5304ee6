// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** ShuffleNet of the second version. */
import { bind, failure, make } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import { ConvNorm, checkPictures } from '../models/blocks.js';

export class ShuffleUnit extends PrintedModule {
  static override readonly name: string = 'ShuffleUnit';
  /** @internal */
  branch1!: nn.Sequential;
  /** @internal */
  branch2!: nn.Sequential;
  /** @internal */
  readonly stride!: number;

  static of(inputs: number, outputs: number, stride: number): ShuffleUnit {
    const half = Math.trunc(outputs / 2);
    const first: nn.Module[] = [];
    if (stride > 1) {
      first.push(depthwise(inputs, stride));
      first.push(new nn.BatchNorm2d(inputs));
      first.push(pointwise(inputs, half));
      first.push(new nn.BatchNorm2d(half));
      first.push(new nn.ReLU());
    }
    const taken = stride > 1 ? inputs : half;
    const second = new nn.Sequential(
      pointwise(taken, half),
      new nn.BatchNorm2d(half),
      new nn.ReLU(),
      depthwise(half, stride),
      new nn.BatchNorm2d(half),
      pointwise(half, half),
      new nn.BatchNorm2d(half),
      new nn.ReLU(),
    );
    return makeModule(
      ShuffleUnit,
      { branch1: new nn.Sequential(...first), branch2: second, stride },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      if (this.stride === 1) {
        const halves = input.chunk(2, 1);
        const joined = torch.cat([halves[0]!, this.branch2.call(halves[1]!)], 1);
        return shuffleChannels(joined);
      }
      const joined = torch.cat([this.branch1.call(input), this.branch2.call(input)], 1);
      return shuffleChannels(joined);
    });
  }
}

function depthwise(channels: number, stride: number): nn.Conv2d {
  return new nn.Conv2d(
    channels,
    channels,
    3,
    { stride: stride, padding: 1, bias: false, groups: channels },
  );
}

function pointwise(inputs: number, outputs: number): nn.Conv2d {
  return new nn.Conv2d(inputs, outputs, 1, { bias: false });
}

/** The channels of the halves, one of the first, then one of the second. */
function shuffleChannels(input: Tensor): Tensor {
  return scope(() => {
    const shape = input.shape;
    const [batch, channels, height, width] = [shape[0]!, shape[1]!, shape[2]!, shape[3]!];
    const halves = input.reshape([batch, 2, Math.trunc(channels / 2), height, width]);
    return halves.transpose(1, 2).reshape([batch, channels, height, width]);
  });
}

/**
 * A network of Ma et al. (2018).
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `stagesRepeats` has the
 * number of units of three stages, and `stagesOutChannels` the channels of the stem, of the
 * stages and of the last convolution.
 *
 * @throws `argument` if the lists have not three and five numbers; `shape` for an input that is not a
 * batch of pictures.
 *
 * @example
 * const model = new models.ShuffleNetV2([1, 1, 1], [8, 16, 32, 64, 64], 10);
 * [...model.namedParameters()].length; // 53
 */
export class ShuffleNetV2 extends PrintedModule {
  static override readonly name: string = 'ShuffleNetV2';
  /** The stem. */
  conv1!: nn.Sequential;
  /** The pooling after the stem. */
  maxpool!: nn.MaxPool2d;
  /** The first stage. */
  stage2!: nn.Sequential;
  /** The second stage. */
  stage3!: nn.Sequential;
  /** The third stage. */
  stage4!: nn.Sequential;
  /** The last convolution. */
  conv5!: nn.Sequential;
  /** The linear layer. */
  fc!: nn.Linear;

  constructor(stagesRepeats: number | readonly number[], stagesOutChannels: number | readonly number[], numClasses?: number);
  constructor(stagesRepeats: number | readonly number[], stagesOutChannels: number | readonly number[], options?: { numClasses?: number });
  constructor(options: { stagesRepeats: number | readonly number[]; stagesOutChannels: number | readonly number[]; numClasses?: number });
  constructor(...args: unknown[]) {
    super();
    const [stagesRepeats, stagesOutChannels, numClasses = 1000] = bind('ShuffleNetV2 stagesRepeats:ints stagesOutChannels:ints numClasses:int?', args) as [readonly number[], readonly number[], number | undefined];
    Object.assign(this, ShuffleNetV2.of(stagesRepeats, stagesOutChannels, numClasses));
  }

  /** @internal */
  static of(stagesRepeats: readonly number[], stagesOutChannels: readonly number[], numClasses: number): ShuffleNetV2 {
    if (stagesRepeats.length !== 3) {
      const message = `stages_repeats takes 3 numbers, not [${stagesRepeats.join(', ')}]`;
      throw failure('argument', 'ShuffleNetV2', message);
    }
    if (stagesOutChannels.length !== 5) {
      const message = `stages_out_channels takes 5 numbers, not [${stagesOutChannels.join(', ')}]`;
      throw failure('argument', 'ShuffleNetV2', message);
    }
    const channels = stagesOutChannels;
    return makeModule(
      ShuffleNetV2,
      {
        conv1: make(ConvNorm, { ...ConvNorm.of(3, channels[0]!, 3), stride: 2 }).layers(),
        maxpool: new nn.MaxPool2d(3, { stride: 2, padding: 1 }),
        stage2: units(channels[0]!, channels[1]!, stagesRepeats[0]!),
        stage3: units(channels[1]!, channels[2]!, stagesRepeats[1]!),
        stage4: units(channels[2]!, channels[3]!, stagesRepeats[2]!),
        conv5: ConvNorm.of(channels[3]!, channels[4]!, 1).layers(),
        fc: new nn.Linear(channels[4]!, numClasses),
      },
    );
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('ShuffleNetV2.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('ShuffleNetV2', input);
      let output = this.maxpool.call(this.conv1.call(input));
      output = this.stage4.call(this.stage3.call(this.stage2.call(output)));
      output = this.conv5.call(output).mean([2, 3]);
      return this.fc.call(output);
    });
  }
}

function units(inputs: number, outputs: number, count: number): nn.Sequential {
  const layers: nn.Module[] = [ShuffleUnit.of(inputs, outputs, 2)];
  for (let step = 1; step < count; step++) {
    layers.push(ShuffleUnit.of(outputs, outputs, 1));
  }
  return new nn.Sequential(...layers);
}

/**
 * ShuffleNet v2 of Ma et al. (2018) with 0.5 times the channels.
 *
 * @throws `argument` for values that `ShuffleNetV2` does not take.
 *
 * @example
 * const model = models.shufflenetV2X0_5(10);
 * [...model.namedParameters()].length; // 170
 */
export function shufflenetV2X0_5(numClasses?: number): ShuffleNetV2;
export function shufflenetV2X0_5(options?: { numClasses?: number }): ShuffleNetV2;
export function shufflenetV2X0_5(...args: unknown[]): ShuffleNetV2 {
  const [numClasses = 1000] = bind('shufflenetV2X0_5 numClasses:int?', args) as [number | undefined];
  return ShuffleNetV2.of([4, 8, 4], [24, 48, 96, 192, 1024], numClasses);
}

/**
 * ShuffleNet v2 of Ma et al. (2018) with 1.0 times the channels.
 *
 * @throws `argument` for values that `ShuffleNetV2` does not take.
 *
 * @example
 * const model = models.shufflenetV2X1_0(10);
 * [...model.namedParameters()].length; // 170
 */
export function shufflenetV2X1_0(numClasses?: number): ShuffleNetV2;
export function shufflenetV2X1_0(options?: { numClasses?: number }): ShuffleNetV2;
export function shufflenetV2X1_0(...args: unknown[]): ShuffleNetV2 {
  const [numClasses = 1000] = bind('shufflenetV2X1_0 numClasses:int?', args) as [number | undefined];
  return ShuffleNetV2.of([4, 8, 4], [24, 116, 232, 464, 1024], numClasses);
}

/**
 * ShuffleNet v2 of Ma et al. (2018) with 1.5 times the channels.
 *
 * @throws `argument` for values that `ShuffleNetV2` does not take.
 *
 * @example
 * const model = models.shufflenetV2X1_5(10);
 * [...model.namedParameters()].length; // 170
 */
export function shufflenetV2X1_5(numClasses?: number): ShuffleNetV2;
export function shufflenetV2X1_5(options?: { numClasses?: number }): ShuffleNetV2;
export function shufflenetV2X1_5(...args: unknown[]): ShuffleNetV2 {
  const [numClasses = 1000] = bind('shufflenetV2X1_5 numClasses:int?', args) as [number | undefined];
  return ShuffleNetV2.of([4, 8, 4], [24, 176, 352, 704, 1024], numClasses);
}

/**
 * ShuffleNet v2 of Ma et al. (2018) with 2.0 times the channels.
 *
 * @throws `argument` for values that `ShuffleNetV2` does not take.
 *
 * @example
 * const model = models.shufflenetV2X2_0(10);
 * [...model.namedParameters()].length; // 170
 */
export function shufflenetV2X2_0(numClasses?: number): ShuffleNetV2;
export function shufflenetV2X2_0(options?: { numClasses?: number }): ShuffleNetV2;
export function shufflenetV2X2_0(...args: unknown[]): ShuffleNetV2 {
  const [numClasses = 1000] = bind('shufflenetV2X2_0 numClasses:int?', args) as [number | undefined];
  return ShuffleNetV2.of([4, 8, 4], [24, 244, 488, 976, 2048], numClasses);
}
