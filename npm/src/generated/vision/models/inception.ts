// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Inception of the third version. */
import { bind } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import {
  BasicConv, basicConv, checkPictures, initTruncated, transformChannels,
} from '../models/blocks.js';

/** The mean over 3 × 3 windows. */
function poolMean(input: Tensor): Tensor {
  return input.avgPool2d([3, 3], [1, 1], [1, 1]);
}

/** The maximum over 3 × 3 windows of every second position. */
function poolMax(input: Tensor): Tensor {
  return input.maxPool2d([3, 3], [2, 2], [0, 0], [1, 1]);
}

/** A block of 35 × 35 positions. */
export class InceptionA extends PrintedModule {
  static override readonly name: string = 'InceptionA';
  /** @internal */
  branch1x1!: BasicConv;
  /** @internal */
  branch5x5_1!: BasicConv;
  /** @internal */
  branch5x5_2!: BasicConv;
  /** @internal */
  branch3x3dbl1!: BasicConv;
  /** @internal */
  branch3x3dbl2!: BasicConv;
  /** @internal */
  branch3x3dbl3!: BasicConv;
  /** @internal */
  branchPool!: BasicConv;
  /** @internal */
  static override readonly stateNames = {
    branch3x3dbl1: 'branch3x3dbl_1',
    branch3x3dbl2: 'branch3x3dbl_2',
    branch3x3dbl3: 'branch3x3dbl_3',
    branchPool: 'branch_pool',
  };

  static of(inputs: number, poolFeatures: number): InceptionA {
    return makeModule(
      InceptionA,
      {
        branch1x1: basicConv(inputs, 64, 1, 1, 0),
        branch5x5_1: basicConv(inputs, 48, 1, 1, 0),
        branch5x5_2: basicConv(48, 64, 5, 1, 2),
        branch3x3dbl1: basicConv(inputs, 64, 1, 1, 0),
        branch3x3dbl2: basicConv(64, 96, 3, 1, 1),
        branch3x3dbl3: basicConv(96, 96, 3, 1, 1),
        branchPool: basicConv(inputs, poolFeatures, 1, 1, 0),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const first = this.branch1x1.call(input);
      const second = this.branch5x5_2.call(this.branch5x5_1.call(input));
      let third = this.branch3x3dbl2.call(this.branch3x3dbl1.call(input));
      third = this.branch3x3dbl3.call(third);
      const pooled = this.branchPool.call(poolMean(input));
      return torch.cat([first, second, third, pooled], 1);
    });
  }
}

/** A block from 35 × 35 to 17 × 17 positions. */
export class InceptionB extends PrintedModule {
  static override readonly name: string = 'InceptionB';
  /** @internal */
  branch3x3!: BasicConv;
  /** @internal */
  branch3x3dbl1!: BasicConv;
  /** @internal */
  branch3x3dbl2!: BasicConv;
  /** @internal */
  branch3x3dbl3!: BasicConv;
  /** @internal */
  static override readonly stateNames = {
    branch3x3dbl1: 'branch3x3dbl_1',
    branch3x3dbl2: 'branch3x3dbl_2',
    branch3x3dbl3: 'branch3x3dbl_3',
  };

  static of(inputs: number): InceptionB {
    return makeModule(
      InceptionB,
      {
        branch3x3: basicConv(inputs, 384, 3, 2, 0),
        branch3x3dbl1: basicConv(inputs, 64, 1, 1, 0),
        branch3x3dbl2: basicConv(64, 96, 3, 1, 1),
        branch3x3dbl3: basicConv(96, 96, 3, 2, 0),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const first = this.branch3x3.call(input);
      let second = this.branch3x3dbl2.call(this.branch3x3dbl1.call(input));
      second = this.branch3x3dbl3.call(second);
      return torch.cat([first, second, poolMax(input)], 1);
    });
  }
}

/** A block of 17 × 17 positions. */
export class InceptionC extends PrintedModule {
  static override readonly name: string = 'InceptionC';
  /** @internal */
  branch1x1!: BasicConv;
  /** @internal */
  branch7x7_1!: BasicConv;
  /** @internal */
  branch7x7_2!: BasicConv;
  /** @internal */
  branch7x7_3!: BasicConv;
  /** @internal */
  branch7x7dbl1!: BasicConv;
  /** @internal */
  branch7x7dbl2!: BasicConv;
  /** @internal */
  branch7x7dbl3!: BasicConv;
  /** @internal */
  branch7x7dbl4!: BasicConv;
  /** @internal */
  branch7x7dbl5!: BasicConv;
  /** @internal */
  branchPool!: BasicConv;
  /** @internal */
  static override readonly stateNames = {
    branch7x7dbl1: 'branch7x7dbl_1',
    branch7x7dbl2: 'branch7x7dbl_2',
    branch7x7dbl3: 'branch7x7dbl_3',
    branch7x7dbl4: 'branch7x7dbl_4',
    branch7x7dbl5: 'branch7x7dbl_5',
    branchPool: 'branch_pool',
  };

  static of(inputs: number, inner: number): InceptionC {
    return makeModule(
      InceptionC,
      {
        branch1x1: basicConv(inputs, 192, 1, 1, 0),
        branch7x7_1: basicConv(inputs, inner, 1, 1, 0),
        branch7x7_2: BasicConv.of(inner, inner, [1, 7], 1, [0, 3]),
        branch7x7_3: BasicConv.of(inner, 192, [7, 1], 1, [3, 0]),
        branch7x7dbl1: basicConv(inputs, inner, 1, 1, 0),
        branch7x7dbl2: BasicConv.of(inner, inner, [7, 1], 1, [3, 0]),
        branch7x7dbl3: BasicConv.of(inner, inner, [1, 7], 1, [0, 3]),
        branch7x7dbl4: BasicConv.of(inner, inner, [7, 1], 1, [3, 0]),
        branch7x7dbl5: BasicConv.of(inner, 192, [1, 7], 1, [0, 3]),
        branchPool: basicConv(inputs, 192, 1, 1, 0),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const first = this.branch1x1.call(input);
      let second = this.branch7x7_2.call(this.branch7x7_1.call(input));
      second = this.branch7x7_3.call(second);
      let third = this.branch7x7dbl2.call(this.branch7x7dbl1.call(input));
      third = this.branch7x7dbl4.call(this.branch7x7dbl3.call(third));
      third = this.branch7x7dbl5.call(third);
      const pooled = this.branchPool.call(poolMean(input));
      return torch.cat([first, second, third, pooled], 1);
    });
  }
}

/** A block from 17 × 17 to 8 × 8 positions. */
export class InceptionD extends PrintedModule {
  static override readonly name: string = 'InceptionD';
  /** @internal */
  branch3x3_1!: BasicConv;
  /** @internal */
  branch3x3_2!: BasicConv;
  /** @internal */
  branch7x7x3_1!: BasicConv;
  /** @internal */
  branch7x7x3_2!: BasicConv;
  /** @internal */
  branch7x7x3_3!: BasicConv;
  /** @internal */
  branch7x7x3_4!: BasicConv;

  static of(inputs: number): InceptionD {
    return makeModule(
      InceptionD,
      {
        branch3x3_1: basicConv(inputs, 192, 1, 1, 0),
        branch3x3_2: basicConv(192, 320, 3, 2, 0),
        branch7x7x3_1: basicConv(inputs, 192, 1, 1, 0),
        branch7x7x3_2: BasicConv.of(192, 192, [1, 7], 1, [0, 3]),
        branch7x7x3_3: BasicConv.of(192, 192, [7, 1], 1, [3, 0]),
        branch7x7x3_4: basicConv(192, 192, 3, 2, 0),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const first = this.branch3x3_2.call(this.branch3x3_1.call(input));
      let second = this.branch7x7x3_2.call(this.branch7x7x3_1.call(input));
      second = this.branch7x7x3_4.call(this.branch7x7x3_3.call(second));
      return torch.cat([first, second, poolMax(input)], 1);
    });
  }
}

/** A block of 8 × 8 positions. */
export class InceptionE extends PrintedModule {
  static override readonly name: string = 'InceptionE';
  /** @internal */
  branch1x1!: BasicConv;
  /** @internal */
  branch3x3_1!: BasicConv;
  /** @internal */
  branch3x3_2a!: BasicConv;
  /** @internal */
  branch3x3_2b!: BasicConv;
  /** @internal */
  branch3x3dbl1!: BasicConv;
  /** @internal */
  branch3x3dbl2!: BasicConv;
  /** @internal */
  branch3x3dbl3a!: BasicConv;
  /** @internal */
  branch3x3dbl3b!: BasicConv;
  /** @internal */
  branchPool!: BasicConv;
  /** @internal */
  static override readonly stateNames = {
    branch3x3dbl1: 'branch3x3dbl_1',
    branch3x3dbl2: 'branch3x3dbl_2',
    branch3x3dbl3a: 'branch3x3dbl_3a',
    branch3x3dbl3b: 'branch3x3dbl_3b',
    branchPool: 'branch_pool',
  };

  static of(inputs: number): InceptionE {
    return makeModule(
      InceptionE,
      {
        branch1x1: basicConv(inputs, 320, 1, 1, 0),
        branch3x3_1: basicConv(inputs, 384, 1, 1, 0),
        branch3x3_2a: BasicConv.of(384, 384, [1, 3], 1, [0, 1]),
        branch3x3_2b: BasicConv.of(384, 384, [3, 1], 1, [1, 0]),
        branch3x3dbl1: basicConv(inputs, 448, 1, 1, 0),
        branch3x3dbl2: basicConv(448, 384, 3, 1, 1),
        branch3x3dbl3a: BasicConv.of(384, 384, [1, 3], 1, [0, 1]),
        branch3x3dbl3b: BasicConv.of(384, 384, [3, 1], 1, [1, 0]),
        branchPool: basicConv(inputs, 192, 1, 1, 0),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const first = this.branch1x1.call(input);
      const second = this.branch3x3_1.call(input);
      const third = this.branch3x3dbl2.call(this.branch3x3dbl1.call(input));
      const [wide, high] = [this.branch3x3_2a.call(second), this.branch3x3_2b.call(second)];
      const [wide3, high3] = [this.branch3x3dbl3a.call(third), this.branch3x3dbl3b.call(third)];
      const pooled = this.branchPool.call(poolMean(input));
      return torch.cat([first, wide, high, wide3, high3, pooled], 1);
    });
  }
}

/** A classifier of a result inside of the network. */
export class InceptionAux extends PrintedModule {
  static override readonly name: string = 'InceptionAux';
  /** @internal */
  conv0!: BasicConv;
  /** @internal */
  conv1!: BasicConv;
  /** @internal */
  fc!: nn.Linear;

  static of(inputs: number, numClasses: number): InceptionAux {
    return makeModule(
      InceptionAux,
      {
        conv0: basicConv(inputs, 128, 1, 1, 0),
        conv1: basicConv(128, 768, 5, 1, 0),
        fc: new nn.Linear(768, numClasses),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const pooled = input.avgPool2d([5, 5], [3, 3], [0, 0]);
      const output = this.conv1.call(this.conv0.call(pooled)).adaptiveAvgPool2d([1, 1]);
      return this.fc.call(output.flatten(1, -1));
    });
  }
}

/**
 * The network of Szegedy et al. (2015).
 *
 * Pictures `[n, 3, height, width]` of at least 75 × 75, made for 299 × 299, become logits
 * `[n, num_classes]`. With `auxLogits` a result inside of the network has a classifier, for
 * training: `Inception3.forwardWithAux`. `transformInput` changes the normalization of the
 * input to the one that the published weights expect.
 *
 * @throws `argument` if `dropout` is not from 0 to 1; `shape` for an input that is not a batch of
 * pictures.
 *
 * @example
 * const model = new models.Inception3(10, true, false, 0.5);
 * [...model.namedParameters()].length; // 292
 */
export class Inception3 extends PrintedModule {
  static override readonly name: string = 'Inception3';
  /** Convolution 1a. */
  conv2d1a3x3!: BasicConv;
  /** Convolution 2a. */
  conv2d2a3x3!: BasicConv;
  /** Convolution 2b. */
  conv2d2b3x3!: BasicConv;
  /** The first pooling. */
  maxpool1!: nn.MaxPool2d;
  /** Convolution 3b. */
  conv2d3b1x1!: BasicConv;
  /** Convolution 4a. */
  conv2d4a3x3!: BasicConv;
  /** The second pooling. */
  maxpool2!: nn.MaxPool2d;
  /** Block 5b. */
  mixed5b!: InceptionA;
  /** Block 5c. */
  mixed5c!: InceptionA;
  /** Block 5d. */
  mixed5d!: InceptionA;
  /** Block 6a. */
  mixed6a!: InceptionB;
  /** Block 6b. */
  mixed6b!: InceptionC;
  /** Block 6c. */
  mixed6c!: InceptionC;
  /** Block 6d. */
  mixed6d!: InceptionC;
  /** Block 6e. */
  mixed6e!: InceptionC;
  /** The classifier after block 6e, for training. */
  auxLogits!: InceptionAux | undefined;
  /** Block 7a. */
  mixed7a!: InceptionD;
  /** Block 7b. */
  mixed7b!: InceptionE;
  /** Block 7c. */
  mixed7c!: InceptionE;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** The dropout before the linear layer. */
  dropout!: nn.Dropout;
  /** The linear layer. */
  fc!: nn.Linear;
  /** @internal */
  readonly transformInput!: boolean;
  /** @internal */
  static override readonly stateNames = {
    conv2d1a3x3: 'Conv2d_1a_3x3',
    conv2d2a3x3: 'Conv2d_2a_3x3',
    conv2d2b3x3: 'Conv2d_2b_3x3',
    conv2d3b1x1: 'Conv2d_3b_1x1',
    conv2d4a3x3: 'Conv2d_4a_3x3',
    mixed5b: 'Mixed_5b',
    mixed5c: 'Mixed_5c',
    mixed5d: 'Mixed_5d',
    mixed6a: 'Mixed_6a',
    mixed6b: 'Mixed_6b',
    mixed6c: 'Mixed_6c',
    mixed6d: 'Mixed_6d',
    mixed6e: 'Mixed_6e',
    auxLogits: 'AuxLogits',
    mixed7a: 'Mixed_7a',
    mixed7b: 'Mixed_7b',
    mixed7c: 'Mixed_7c',
  };

  constructor(numClasses?: number, auxLogits?: boolean, transformInput?: boolean, dropout?: number);
  constructor(options?: { numClasses?: number; auxLogits?: boolean; transformInput?: boolean; dropout?: number });
  constructor(...args: unknown[]) {
    super();
    const [numClasses = 1000, auxLogits = true, transformInput = false, dropout = 0.5] = bind('Inception3 numClasses:int? auxLogits:bool? transformInput:bool? dropout:number?', args) as [number | undefined, boolean | undefined, boolean | undefined, number | undefined];
    Object.assign(this, Inception3.of(numClasses, auxLogits, transformInput, dropout));
  }

  /** @internal */
  static of(numClasses: number, auxLogits: boolean, transformInput: boolean, dropout: number): Inception3 {
    let classifier: InceptionAux | undefined = undefined;
    if (auxLogits) classifier = InceptionAux.of(768, numClasses);
    const model = makeModule(
      Inception3,
      {
        conv2d1a3x3: basicConv(3, 32, 3, 2, 0),
        conv2d2a3x3: basicConv(32, 32, 3, 1, 0),
        conv2d2b3x3: basicConv(32, 64, 3, 1, 1),
        maxpool1: new nn.MaxPool2d(3, { stride: 2 }),
        conv2d3b1x1: basicConv(64, 80, 1, 1, 0),
        conv2d4a3x3: basicConv(80, 192, 3, 1, 0),
        maxpool2: new nn.MaxPool2d(3, { stride: 2 }),
        mixed5b: InceptionA.of(192, 32),
        mixed5c: InceptionA.of(256, 64),
        mixed5d: InceptionA.of(288, 64),
        mixed6a: InceptionB.of(288),
        mixed6b: InceptionC.of(768, 128),
        mixed6c: InceptionC.of(768, 160),
        mixed6d: InceptionC.of(768, 160),
        mixed6e: InceptionC.of(768, 192),
        auxLogits: classifier,
        mixed7a: InceptionD.of(768),
        mixed7b: InceptionE.of(1280),
        mixed7c: InceptionE.of(2048),
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        dropout: new nn.Dropout(dropout),
        fc: new nn.Linear(2048, numClasses),
        transformInput,
      },
    );
    initTruncated(model, 0.1);
    for (const [name, parameter] of [...model.namedParameters()]) {
      if (name === 'AuxLogits.fc.weight') nn.init.truncNormal_(parameter, 0, 0.001, -2, 2);
    }
    return model;
  }

  /** @internal */
  firstPart(input: Tensor): Tensor {
    return scope(() => {
      checkPictures('Inception3', input);
      const transformed = this.transformInput ? transformChannels(input) : input;
      let output = this.conv2d2a3x3.call(this.conv2d1a3x3.call(transformed));
      output = this.maxpool1.call(this.conv2d2b3x3.call(output));
      output = this.conv2d4a3x3.call(this.conv2d3b1x1.call(output));
      output = this.mixed5b.call(this.maxpool2.call(output));
      output = this.mixed5d.call(this.mixed5c.call(output));
      output = this.mixed6b.call(this.mixed6a.call(output));
      return this.mixed6e.call(this.mixed6d.call(this.mixed6c.call(output)));
    });
  }

  /** @internal */
  lastPart(input: Tensor): Tensor {
    return scope(() => {
      const output = this.mixed7c.call(this.mixed7b.call(this.mixed7a.call(input)));
      const pooled = this.dropout.call(this.avgpool.call(output));
      return this.fc.call(pooled.flatten(1, -1));
    });
  }

  /**
   * The logits, and the logits of the classifier inside of the network, if it has one.
   *
   * @throws `shape` for an input that is not a batch of pictures.
   */
  forwardWithAux(input: TensorLike): [Tensor, Tensor | undefined];
  forwardWithAux(...args: unknown[]): [Tensor, Tensor | undefined] {
    const [input] = bind('Inception3.forwardWithAux input:tensor', args) as [Tensor];
    return scope(() => {
      const first = this.firstPart(input);
      let inner: Tensor | undefined = undefined;
      const classifier = this.auxLogits;
      if (classifier !== undefined) inner = classifier.call(first);
      return [this.lastPart(first), inner];
    });
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('Inception3.forward input:tensor', args) as [Tensor];
    return scope(() => this.lastPart(this.firstPart(input)));
  }
}

/**
 * Inception v3 of Szegedy et al. (2015).
 *
 * @throws `argument` for values that `Inception3` does not take.
 *
 * @example
 * const model = models.inceptionV3(10, true, false);
 * [...model.namedParameters()].length; // 292
 */
export function inceptionV3(numClasses?: number, auxLogits?: boolean, transformInput?: boolean): Inception3;
export function inceptionV3(options?: { numClasses?: number; auxLogits?: boolean; transformInput?: boolean }): Inception3;
export function inceptionV3(...args: unknown[]): Inception3 {
  const [numClasses = 1000, auxLogits = true, transformInput = false] = bind('inceptionV3 numClasses:int? auxLogits:bool? transformInput:bool?', args) as [number | undefined, boolean | undefined, boolean | undefined];
  return Inception3.of(numClasses, auxLogits, transformInput, 0.5);
}
