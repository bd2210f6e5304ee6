// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** MNASNet. */
import { bind, failure } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import { checkPictures, initBiases, initConvolutions } from '../models/blocks.js';

/** The weight of a batch in the running statistics of the norms. */
const MOMENTUM = 1 - 0.9997;
/** The stacks: the kernel, the stride, the factor of expansion and the number of blocks. */
const STACKS: readonly [number, number, number, number][] = [
  [3, 2, 3, 3],
  [5, 2, 3, 3],
  [5, 2, 6, 3],
  [3, 1, 6, 2],
  [5, 2, 6, 4],
  [3, 1, 6, 1],
];

export class MnasBlock extends PrintedModule {
  static override readonly name: string = 'MnasBlock';
  /** @internal */
  layers!: nn.Sequential;
  /** @internal */
  readonly isResidual!: boolean;

  static of(inputs: number, outputs: number, kernel: number, stride: number, expansion: number): MnasBlock {
    const hidden = inputs * expansion;
    const layers = [...convAndNorm(inputs, hidden, 1, 1, 1)];
    layers.push(new nn.ReLU());
    layers.push(...convAndNorm(hidden, hidden, kernel, stride, hidden));
    layers.push(new nn.ReLU());
    layers.push(...convAndNorm(hidden, outputs, 1, 1, 1));
    return makeModule(
      MnasBlock,
      { layers: new nn.Sequential(...layers), isResidual: inputs === outputs && stride === 1 },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const output = this.layers.call(input);
      if (this.isResidual) return output.add(input);
      return output;
    });
  }
}

/** A convolution of `groups` with its norm. */
function convAndNorm(inputs: number, outputs: number, kernel: number, stride: number, groups: number): readonly nn.Module[] {
  const conv = new nn.Conv2d(
    inputs,
    outputs,
    kernel,
    { stride: stride, padding: Math.trunc(kernel / 2), groups: groups, bias: false },
  );
  const norm = new nn.BatchNorm2d(outputs, { momentum: MOMENTUM });
  return [conv, norm];
}

/** The multiple of 8 that is nearest to a number of channels, at most a tenth below it. */
function scaledChannels(channels: number): number {
  const nearest = Math.max(Math.trunc(Math.trunc(channels + 4) / 8) * 8, 8);
  if (nearest >= 0.9 * channels) return nearest;
  return nearest + 8;
}

/**
 * A network of Tan et al. (2018), of the form B1.
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `alpha` scales the numbers of
 * channels.
 *
 * @throws `argument` if `alpha` is not positive or `dropout` not from 0 to 1; `shape` for an input that is
 * not a batch of pictures.
 *
 * @example
 * const model = new models.MNASNet(0.5, 10, 0.2);
 * [...model.namedParameters()].length; // 158
 */
export class MNASNet extends PrintedModule {
  static override readonly name: string = 'MNASNet';
  /** The convolutions. */
  layers!: nn.Sequential;
  /** A dropout, and the linear layer. */
  classifier!: nn.Sequential;

  constructor(alpha: number, numClasses?: number, dropout?: number);
  constructor(alpha: number, options?: { numClasses?: number; dropout?: number });
  constructor(options: { alpha: number; numClasses?: number; dropout?: number });
  constructor(...args: unknown[]) {
    super();
    const [alpha, numClasses = 1000, dropout = 0.2] = bind('MNASNet alpha:number numClasses:int? dropout:number?', args) as [number, number | undefined, number | undefined];
    Object.assign(this, MNASNet.of(alpha, numClasses, dropout));
  }

  /** @internal */
  static of(alpha: number, numClasses: number, dropout: number): MNASNet {
    if (alpha <= 0) throw failure('argument', 'MNASNet', `alpha is positive, not ${alpha}`);
    const depths: number[] = [];
    for (const depth of [32, 16, 24, 40, 80, 96, 192, 320]) {
      depths.push(scaledChannels(depth * alpha));
    }
    const layers = [...convAndNorm(3, depths[0]!, 3, 2, 1)];
    layers.push(new nn.ReLU());
    layers.push(...convAndNorm(depths[0]!, depths[0]!, 3, 1, depths[0]!));
    layers.push(new nn.ReLU());
    layers.push(...convAndNorm(depths[0]!, depths[1]!, 1, 1, 1));
    for (let index = 0; index < STACKS.length; index++) {
      const [kernel, stride, expansion, count] = STACKS[index]!;
      const [inputs, outputs] = [depths[index + 1]!, depths[index + 2]!];
      const stack: nn.Module[] = [MnasBlock.of(inputs, outputs, kernel, stride, expansion)];
      for (let step = 1; step < count; step++) {
        stack.push(MnasBlock.of(outputs, outputs, kernel, 1, expansion));
      }
      layers.push(new nn.Sequential(...stack));
    }
    layers.push(...convAndNorm(depths[7]!, 1280, 1, 1, 1));
    layers.push(new nn.ReLU());
    const model = makeModule(
      MNASNet,
      {
        layers: new nn.Sequential(...layers),
        classifier: new nn.Sequential(new nn.Dropout(dropout), new nn.Linear(1280, numClasses)),
      },
    );
    initConvolutions(model);
    for (const [, parameter] of [...model.namedParameters()]) {
      if (parameter.ndim === 2) nn.init.kaimingUniform_(parameter, 0, 'fan_out', 'sigmoid');
    }
    initBiases(model, 'bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('MNASNet.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('MNASNet', input);
      return this.classifier.call(this.layers.call(input).mean([2, 3]));
    });
  }
}

/**
 * MNASNet of Tan et al. (2018) with 0.5 times the channels.
 *
 * @throws `argument` for values that `MNASNet` does not take.
 *
 * @example
 * const model = models.mnasnet0_5(10, 0.2);
 * [...model.namedParameters()].length; // 158
 */
export function mnasnet0_5(numClasses?: number, dropout?: number): MNASNet;
export function mnasnet0_5(options?: { numClasses?: number; dropout?: number }): MNASNet;
export function mnasnet0_5(...args: unknown[]): MNASNet {
  const [numClasses = 1000, dropout = 0.2] = bind('mnasnet0_5 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return MNASNet.of(0.5, numClasses, dropout);
}

/**
 * MNASNet of Tan et al. (2018) with 0.75 times the channels.
 *
 * @throws `argument` for values that `MNASNet` does not take.
 *
 * @example
 * const model = models.mnasnet0_75(10, 0.2);
 * [...model.namedParameters()].length; // 158
 */
export function mnasnet0_75(numClasses?: number, dropout?: number): MNASNet;
export function mnasnet0_75(options?: { numClasses?: number; dropout?: number }): MNASNet;
export function mnasnet0_75(...args: unknown[]): MNASNet {
  const [numClasses = 1000, dropout = 0.2] = bind('mnasnet0_75 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return MNASNet.of(0.75, numClasses, dropout);
}

/**
 * MNASNet of Tan et al. (2018) with 1.0 times the channels.
 *
 * @throws `argument` for values that `MNASNet` does not take.
 *
 * @example
 * const model = models.mnasnet1_0(10, 0.2);
 * [...model.namedParameters()].length; // 158
 */
export function mnasnet1_0(numClasses?: number, dropout?: number): MNASNet;
export function mnasnet1_0(options?: { numClasses?: number; dropout?: number }): MNASNet;
export function mnasnet1_0(...args: unknown[]): MNASNet {
  const [numClasses = 1000, dropout = 0.2] = bind('mnasnet1_0 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return MNASNet.of(1, numClasses, dropout);
}

/**
 * MNASNet of Tan et al. (2018) with 1.3 times the channels.
 *
 * @throws `argument` for values that `MNASNet` does not take.
 *
 * @example
 * const model = models.mnasnet1_3(10, 0.2);
 * [...model.namedParameters()].length; // 158
 */
export function mnasnet1_3(numClasses?: number, dropout?: number): MNASNet;
export function mnasnet1_3(options?: { numClasses?: number; dropout?: number }): MNASNet;
export function mnasnet1_3(...args: unknown[]): MNASNet {
  const [numClasses = 1000, dropout = 0.2] = bind('mnasnet1_3 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return MNASNet.of(1.3, numClasses, dropout);
}
