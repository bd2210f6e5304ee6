// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** MobileNet of the third version. */
import { bind, make } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import {
  ConvNorm, SqueezeExcite, checkPictures, initBiases, initConvolutions, initLinears,
  makeDivisible, type BlockActivation,
} from '../models/blocks.js';

/**
 * The blocks: the channels of the input, the kernel, the channels inside and of the result,
 * whether channels are scaled, whether the activation is a hard swish, and the stride.
 */
const LARGE: readonly [number, number, number, number, boolean, boolean, number][] = [
  [16, 3, 16, 16, false, false, 1],
  [16, 3, 64, 24, false, false, 2],
  [24, 3, 72, 24, false, false, 1],
  [24, 5, 72, 40, true, false, 2],
  [40, 5, 120, 40, true, false, 1],
  [40, 5, 120, 40, true, false, 1],
  [40, 3, 240, 80, false, true, 2],
  [80, 3, 200, 80, false, true, 1],
  [80, 3, 184, 80, false, true, 1],
  [80, 3, 184, 80, false, true, 1],
  [80, 3, 480, 112, true, true, 1],
  [112, 3, 672, 112, true, true, 1],
  [112, 5, 672, 160, true, true, 2],
  [160, 5, 960, 160, true, true, 1],
  [160, 5, 960, 160, true, true, 1],
];
const SMALL: readonly [number, number, number, number, boolean, boolean, number][] = [
  [16, 3, 16, 16, true, false, 2],
  [16, 3, 72, 24, false, false, 2],
  [24, 3, 88, 24, false, false, 1],
  [24, 5, 96, 40, true, true, 2],
  [40, 5, 240, 40, true, true, 1],
  [40, 5, 240, 40, true, true, 1],
  [40, 5, 120, 48, true, true, 1],
  [48, 5, 144, 48, true, true, 1],
  [48, 5, 288, 96, true, true, 2],
  [96, 5, 576, 96, true, true, 1],
  [96, 5, 576, 96, true, true, 1],
];

/** The table of blocks of a `MobileNetV3`. */
export type MobileNetV3Size = 'large' | 'small';

export class MobileNetV3Block extends PrintedModule {
  static override readonly name: string = 'MobileNetV3Block';
  /** @internal */
  block!: nn.Sequential;
  /** @internal */
  readonly isResidual!: boolean;

  /** A block of channels of the input, inside and of the result. */
  static of(channels: [number, number, number], kernel: number, isScaled: boolean, activation: BlockActivation, stride: number, dilation: number): MobileNetV3Block {
    const [inputs, hidden, outputs] = channels;
    const layers: nn.Module[] = [];
    if (hidden !== inputs) layers.push(convNorm(inputs, hidden, 1, activation).layers());
    const ownStride = dilation > 1 ? 1 : stride;
    const depthwise = make(
      ConvNorm,
      {
        ...convNorm(hidden, hidden, kernel, activation),
        stride: ownStride,
        dilation,
        groups: hidden,
      },
    );
    layers.push(depthwise.layers());
    if (isScaled) {
      const squeezed = makeDivisible(Math.trunc(hidden / 4), 8);
      layers.push(SqueezeExcite.of(hidden, squeezed, 'relu', true));
    }
    layers.push(convNorm(hidden, outputs, 1, undefined).layers());
    return makeModule(
      MobileNetV3Block,
      { block: new nn.Sequential(...layers), isResidual: stride === 1 && inputs === outputs },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const output = this.block.call(input);
      if (this.isResidual) return output.add(input);
      return output;
    });
  }
}

/** A convolution with the norms of this network. */
function convNorm(inputs: number, outputs: number, kernel: number, activation: BlockActivation | undefined): ConvNorm {
  return make(
    ConvNorm,
    { ...ConvNorm.of(inputs, outputs, kernel), eps: 0.001, momentum: 0.01, activation },
  );
}

/**
 * The convolutions: a stem, the blocks of the table, and a last one. With `reducedTail` the last
 * blocks have half of the channels, and with `dilated` they are dilated instead of having a
 * stride.
 */
export function mobilenetV3Features(size: MobileNetV3Size, widthMult: number, reducedTail: boolean, dilated: boolean): nn.Sequential {
  const rows = size === 'large' ? LARGE : SMALL;
  const hard = 'hardswish';
  const stem = makeDivisible(16 * widthMult, 8);
  const layers: nn.Module[] = [
    make(ConvNorm, { ...convNorm(3, stem, 3, hard), stride: 2 }).layers(),
  ];
  const firstOfTail = rows.length - 3;
  let last = stem;
  for (let index = 0; index < rows.length; index++) {
    const [inputs, kernel, hidden, outputs, isScaled, isHard, stride] = rows[index]!;
    const isTail = index >= firstOfTail;
    const divider = isTail && reducedTail ? 2 : 1;
    const inner = index > firstOfTail ? divider : 1;
    const adjustedInputs = makeDivisible(Math.trunc(inputs / inner) * widthMult, 8);
    const adjustedHidden = makeDivisible(Math.trunc(hidden / inner) * widthMult, 8);
    last = makeDivisible(Math.trunc(outputs / divider) * widthMult, 8);
    const activation = isHard ? hard : 'relu';
    const dilation = isTail && dilated ? 2 : 1;
    const channels: [number, number, number] = [adjustedInputs, adjustedHidden, last];
    const block = MobileNetV3Block.of(channels, kernel, isScaled, activation, stride, dilation);
    layers.push(block);
  }
  layers.push(convNorm(last, 6 * last, 1, hard).layers());
  return new nn.Sequential(...layers);
}

/**
 * The network of Howard et al. (2019).
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `widthMult` scales the
 * numbers of channels. With `reducedTail` the last blocks have half of the channels, and with
 * `dilated` they are dilated instead of having a stride.
 *
 * @throws `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
 * 1.
 *
 * @example
 * const model = new models.MobileNetV3('small', 10, 1, false, false, 0.2);
 * [...model.namedParameters()].length; // 142
 */
export class MobileNetV3 extends PrintedModule {
  static override readonly name: string = 'MobileNetV3';
  /** The convolutions. */
  features!: nn.Sequential;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** The linear layers. */
  classifier!: nn.Sequential;

  constructor(size: MobileNetV3Size, numClasses?: number, widthMult?: number, reducedTail?: boolean, dilated?: boolean, dropout?: number);
  constructor(size: MobileNetV3Size, options?: { numClasses?: number; widthMult?: number; reducedTail?: boolean; dilated?: boolean; dropout?: number });
  constructor(options: { size: MobileNetV3Size; numClasses?: number; widthMult?: number; reducedTail?: boolean; dilated?: boolean; dropout?: number });
  constructor(...args: unknown[]) {
    super();
    const [size, numClasses = 1000, widthMult = 1, reducedTail = false, dilated = false, dropout = 0.2] = bind('MobileNetV3 size:=large|small numClasses:int? widthMult:number? reducedTail:bool? dilated:bool? dropout:number?', args) as [MobileNetV3Size, number | undefined, number | undefined, boolean | undefined, boolean | undefined, number | undefined];
    Object.assign(this, MobileNetV3.of(size, numClasses, widthMult, reducedTail, dilated, dropout));
  }

  /** @internal */
  static of(size: MobileNetV3Size, numClasses: number, widthMult: number, reducedTail: boolean, dilated: boolean, dropout: number): MobileNetV3 {
    const divider = reducedTail ? 2 : 1;
    const [tail, hidden] = size === 'large' ? [160, 1280] : [96, 1024];
    const inputs = 6 * makeDivisible(Math.trunc(tail / divider) * widthMult, 8);
    const inner = makeDivisible(Math.trunc(hidden / divider) * widthMult, 8);
    const model = makeModule(
      MobileNetV3,
      {
        features: mobilenetV3Features(size, widthMult, reducedTail, dilated),
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        classifier: new nn.Sequential(
          new nn.Linear(inputs, inner),
          new nn.Hardswish(),
          new nn.Dropout(dropout),
          new nn.Linear(inner, numClasses),
        ),
      },
    );
    initConvolutions(model);
    initLinears(model, 0.01);
    initBiases(model, 'bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('MobileNetV3.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('MobileNetV3', input);
      const output = this.avgpool.call(this.features.call(input));
      return this.classifier.call(output.flatten(1, -1));
    });
  }
}

/**
 * MobileNet v3 (large) of Howard et al. (2019).
 *
 * @throws `argument` for values that `MobileNetV3` does not take.
 *
 * @example
 * const model = models.mobilenetV3Large(10, 1, 0.2);
 * [...model.namedParameters()].length; // 174
 */
export function mobilenetV3Large(numClasses?: number, widthMult?: number, dropout?: number): MobileNetV3;
export function mobilenetV3Large(options?: { numClasses?: number; widthMult?: number; dropout?: number }): MobileNetV3;
export function mobilenetV3Large(...args: unknown[]): MobileNetV3 {
  const [numClasses = 1000, widthMult = 1, dropout = 0.2] = bind('mobilenetV3Large numClasses:int? widthMult:number? dropout:number?', args) as [number | undefined, number | undefined, number | undefined];
  return MobileNetV3.of('large', numClasses, widthMult, false, false, dropout);
}

/**
 * MobileNet v3 (small) of Howard et al. (2019).
 *
 * @throws `argument` for values that `MobileNetV3` does not take.
 *
 * @example
 * const model = models.mobilenetV3Small(10, 1, 0.2);
 * [...model.namedParameters()].length; // 142
 */
export function mobilenetV3Small(numClasses?: number, widthMult?: number, dropout?: number): MobileNetV3;
export function mobilenetV3Small(options?: { numClasses?: number; widthMult?: number; dropout?: number }): MobileNetV3;
export function mobilenetV3Small(...args: unknown[]): MobileNetV3 {
  const [numClasses = 1000, widthMult = 1, dropout = 0.2] = bind('mobilenetV3Small numClasses:int? widthMult:number? dropout:number?', args) as [number | undefined, number | undefined, number | undefined];
  return MobileNetV3.of('small', numClasses, widthMult, false, false, dropout);
}
