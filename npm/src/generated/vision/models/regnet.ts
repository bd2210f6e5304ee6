// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Networks of the design space RegNet. */
import { bind, failure, make } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import {
  ConvNorm, SqueezeExcite, checkPictures, initBiases, initConvolutions, initLinears,
  makeDivisible,
} from '../models/blocks.js';

export class RegNetBlock extends PrintedModule {
  static override readonly name: string = 'RegNetBlock';
  /** @internal */
  proj!: nn.Sequential | undefined;
  /** @internal */
  f!: nn.Sequential;
  /** @internal */
  activation!: nn.ReLU;

  static of(inputs: number, outputs: number, stride: number, groupWidth: number, seRatio: number | undefined): RegNetBlock {
    let proj: nn.Sequential | undefined = undefined;
    if (inputs !== outputs || stride !== 1) {
      proj = make(
        ConvNorm,
        { ...ConvNorm.of(inputs, outputs, 1), stride, activation: undefined },
      ).layers();
    }
    const groups = Math.trunc(outputs / groupWidth);
    const middle = make(ConvNorm, { ...ConvNorm.of(outputs, outputs, 3), stride, groups });
    const layers: [string, nn.Module][] = [
      ['a', ConvNorm.of(inputs, outputs, 1).layers()],
      ['b', middle.layers()],
    ];
    if (seRatio !== undefined) {
      const squeezed = Math.trunc(roundToEven(seRatio * inputs));
      const block = SqueezeExcite.of(outputs, squeezed, 'relu', false);
      layers.push(['se', block]);
    }
    const last = make(ConvNorm, { ...ConvNorm.of(outputs, outputs, 1), activation: undefined });
    layers.push(['c', last.layers()]);
    return makeModule(
      RegNetBlock,
      { proj, f: new nn.Sequential(Object.fromEntries(layers)), activation: new nn.ReLU() },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      let identity = input;
      const proj = this.proj;
      if (proj !== undefined) identity = proj.call(input);
      return this.activation.call(identity.add(this.f.call(input)));
    });
  }
}

/** The nearest integer, of two the even one, as PyTorch rounds. */
function roundToEven(value: number): number {
  const nearest = Math.floor(value + 0.5);
  if (nearest - value === 0.5 && nearest % 2 !== 0) return nearest - 1;
  return nearest;
}

/**
 * The width and the number of blocks of each stage: widths grow by `wA` a block from `w0`, and
 * are rounded to `w0` times a power of `wM`.
 */
function stageSizes(depth: number, w0: number, wA: number, wM: number): readonly [number, number][] {
  const stages: [number, number][] = [];
  let current = 0;
  let count = 0;
  for (let index = 0; index < depth; index++) {
    const ratio = (index * wA + w0) / w0;
    const capacity = roundToEven(Math.log(ratio) / Math.log(wM));
    const width = Math.trunc(roundToEven(w0 * Math.pow(wM, capacity) / 8)) * 8;
    if (width !== current && count > 0) {
      stages.push([current, count]);
      count = 0;
    }
    current = width;
    count += 1;
  }
  stages.push([current, count]);
  return stages;
}

/**
 * A network of Radosavovic et al. (2020).
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. The widths of `depth` blocks
 * grow by `wA` a block from `w0`, rounded to `w0` times a power of `wM`. A group of a
 * convolution has `groupWidth` channels. With `seRatio` channels are scaled by squeeze and
 * excitation.
 *
 * @throws `argument` if `wA` is negative, `w0` not a positive multiple of 8 or `wM` not above 1;
 * `shape` for an input that is not a batch of pictures.
 *
 * @example
 * const model = new models.RegNet(3, 24, 36, 2.5, 8, undefined, 10);
 * [...model.namedParameters()].length; // 41
 */
export class RegNet extends PrintedModule {
  static override readonly name: string = 'RegNet';
  /** The stem. */
  stem!: nn.Sequential;
  /** The stages of blocks. */
  trunkOutput!: nn.Sequential;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** The linear layer. */
  fc!: nn.Linear;
  /** @internal */
  static override readonly stateNames = { trunkOutput: 'trunk_output' };

  constructor(depth: number, w0: number, wA: number, wM: number, groupWidth: number, seRatio?: number | null, numClasses?: number);
  constructor(depth: number, w0: number, wA: number, wM: number, groupWidth: number, options?: { seRatio?: number | null; numClasses?: number });
  constructor(options: { depth: number; w0: number; wA: number; wM: number; groupWidth: number; seRatio?: number | null; numClasses?: number });
  constructor(...args: unknown[]) {
    super();
    const [depth, w0, wA, wM, groupWidth, seRatio, numClasses = 1000] = bind('RegNet depth:int w0:int wA:number wM:number groupWidth:int seRatio:number? numClasses:int?', args) as [number, number, number, number, number, number | undefined, number | undefined];
    Object.assign(this, RegNet.of(depth, w0, wA, wM, groupWidth, seRatio, numClasses));
  }

  /** @internal */
  static of(depth: number, w0: number, wA: number, wM: number, groupWidth: number, seRatio: number | undefined, numClasses: number): RegNet {
    if (wA < 0 || w0 <= 0 || wM <= 1 || w0 % 8 !== 0) {
      const message = `there are no widths for w_0 ${w0}, w_a ${wA} and w_m ${wM}`;
      throw failure('argument', 'RegNet', message);
    }
    const stages: [string, nn.Module][] = [];
    let inputs = 32;
    for (const [width, count] of stageSizes(depth, w0, wA, wM)) {
      const group = Math.min(groupWidth, width);
      const outputs = makeDivisible(width, group);
      const stage = stages.length + 1;
      const blocks: [string, nn.Module][] = [];
      for (let index = 0; index < count; index++) {
        const stride = index === 0 ? 2 : 1;
        const block = RegNetBlock.of(inputs, outputs, stride, group, seRatio);
        blocks.push([`block${stage}-${index}`, block]);
        inputs = outputs;
      }
      stages.push([`block${stage}`, new nn.Sequential(Object.fromEntries(blocks))]);
    }
    const model = makeModule(
      RegNet,
      {
        stem: make(ConvNorm, { ...ConvNorm.of(3, 32, 3), stride: 2 }).layers(),
        trunkOutput: new nn.Sequential(Object.fromEntries(stages)),
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        fc: new nn.Linear(inputs, numClasses),
      },
    );
    initConvolutions(model);
    initLinears(model, 0.01);
    initBiases(model, 'fc.bias');
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('RegNet.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('RegNet', input);
      const output = this.trunkOutput.call(this.stem.call(input));
      return this.fc.call(this.avgpool.call(output).flatten(1, -1));
    });
  }
}

/**
 * RegNet-Y of 400 MF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY400mf(10);
 * [...model.namedParameters()].length; // 225
 */
export function regnetY400mf(numClasses?: number): RegNet;
export function regnetY400mf(options?: { numClasses?: number }): RegNet;
export function regnetY400mf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY400mf numClasses:int?', args) as [number | undefined];
  return RegNet.of(16, 48, 27.89, 2.09, 8, 0.25, numClasses);
}

/**
 * RegNet-Y of 800 MF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY800mf(10);
 * [...model.namedParameters()].length; // 199
 */
export function regnetY800mf(numClasses?: number): RegNet;
export function regnetY800mf(options?: { numClasses?: number }): RegNet;
export function regnetY800mf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY800mf numClasses:int?', args) as [number | undefined];
  return RegNet.of(14, 56, 38.84, 2.4, 16, 0.25, numClasses);
}

/**
 * RegNet-Y of 1.6 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY1_6gf(10);
 * [...model.namedParameters()].length; // 368
 */
export function regnetY1_6gf(numClasses?: number): RegNet;
export function regnetY1_6gf(options?: { numClasses?: number }): RegNet;
export function regnetY1_6gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY1_6gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(27, 48, 20.71, 2.65, 24, 0.25, numClasses);
}

/**
 * RegNet-Y of 3.2 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY3_2gf(10);
 * [...model.namedParameters()].length; // 290
 */
export function regnetY3_2gf(numClasses?: number): RegNet;
export function regnetY3_2gf(options?: { numClasses?: number }): RegNet;
export function regnetY3_2gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY3_2gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(21, 80, 42.63, 2.66, 24, 0.25, numClasses);
}

/**
 * RegNet-Y of 8 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY8gf(10);
 * [...model.namedParameters()].length; // 238
 */
export function regnetY8gf(numClasses?: number): RegNet;
export function regnetY8gf(options?: { numClasses?: number }): RegNet;
export function regnetY8gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY8gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(17, 192, 76.82, 2.19, 56, 0.25, numClasses);
}

/**
 * RegNet-Y of 16 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY16gf(10);
 * [...model.namedParameters()].length; // 251
 */
export function regnetY16gf(numClasses?: number): RegNet;
export function regnetY16gf(options?: { numClasses?: number }): RegNet;
export function regnetY16gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY16gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(18, 200, 106.23, 2.48, 112, 0.25, numClasses);
}

/**
 * RegNet-Y of 32 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY32gf(10);
 * [...model.namedParameters()].length; // 277
 */
export function regnetY32gf(numClasses?: number): RegNet;
export function regnetY32gf(options?: { numClasses?: number }): RegNet;
export function regnetY32gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY32gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(20, 232, 115.89, 2.53, 232, 0.25, numClasses);
}

/**
 * RegNet-Y of 128 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetY128gf(10);
 * [...model.namedParameters()].length; // 368
 */
export function regnetY128gf(numClasses?: number): RegNet;
export function regnetY128gf(options?: { numClasses?: number }): RegNet;
export function regnetY128gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetY128gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(27, 456, 160.83, 2.52, 264, 0.25, numClasses);
}

/**
 * RegNet-X of 400 MF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetX400mf(10);
 * [...model.namedParameters()].length; // 215
 */
export function regnetX400mf(numClasses?: number): RegNet;
export function regnetX400mf(options?: { numClasses?: number }): RegNet;
export function regnetX400mf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetX400mf numClasses:int?', args) as [number | undefined];
  return RegNet.of(22, 24, 24.48, 2.54, 16, undefined, numClasses);
}

/**
 * RegNet-X of 800 MF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetX800mf(10);
 * [...model.namedParameters()].length; // 161
 */
export function regnetX800mf(numClasses?: number): RegNet;
export function regnetX800mf(options?: { numClasses?: number }): RegNet;
export function regnetX800mf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetX800mf numClasses:int?', args) as [number | undefined];
  return RegNet.of(16, 56, 35.73, 2.28, 16, undefined, numClasses);
}

/**
 * RegNet-X of 1.6 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetX1_6gf(10);
 * [...model.namedParameters()].length; // 179
 */
export function regnetX1_6gf(numClasses?: number): RegNet;
export function regnetX1_6gf(options?: { numClasses?: number }): RegNet;
export function regnetX1_6gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetX1_6gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(18, 80, 34.01, 2.25, 24, undefined, numClasses);
}

/**
 * RegNet-X of 3.2 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetX3_2gf(10);
 * [...model.namedParameters()].length; // 242
 */
export function regnetX3_2gf(numClasses?: number): RegNet;
export function regnetX3_2gf(options?: { numClasses?: number }): RegNet;
export function regnetX3_2gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetX3_2gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(25, 88, 26.31, 2.25, 48, undefined, numClasses);
}

/**
 * RegNet-X of 8 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetX8gf(10);
 * [...model.namedParameters()].length; // 224
 */
export function regnetX8gf(numClasses?: number): RegNet;
export function regnetX8gf(options?: { numClasses?: number }): RegNet;
export function regnetX8gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetX8gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(23, 80, 49.56, 2.88, 120, undefined, numClasses);
}

/**
 * RegNet-X of 16 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetX16gf(10);
 * [...model.namedParameters()].length; // 215
 */
export function regnetX16gf(numClasses?: number): RegNet;
export function regnetX16gf(options?: { numClasses?: number }): RegNet;
export function regnetX16gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetX16gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(22, 216, 55.59, 2.1, 128, undefined, numClasses);
}

/**
 * RegNet-X of 32 GF operations, of Radosavovic et al. (2020).
 *
 * @throws `argument` for values that `RegNet` does not take.
 *
 * @example
 * const model = models.regnetX32gf(10);
 * [...model.namedParameters()].length; // 224
 */
export function regnetX32gf(numClasses?: number): RegNet;
export function regnetX32gf(options?: { numClasses?: number }): RegNet;
export function regnetX32gf(...args: unknown[]): RegNet {
  const [numClasses = 1000] = bind('regnetX32gf numClasses:int?', args) as [number | undefined];
  return RegNet.of(23, 320, 69.86, 2, 168, undefined, numClasses);
}
