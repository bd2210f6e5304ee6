// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Networks of 3 × 3 convolutions by the Visual Geometry Group. */
import { bind } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import { checkPictures, initBiases, initConvolutions, initLinears } from '../models/blocks.js';

/** The channels of the convolutions; 0 is a pooling. */
const VGG_11 = [64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0];
const VGG_13 = [64, 64, 0, 128, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0];
const VGG_16 = [64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0];
const VGG_19 = [
  64,
  64,
  0,
  128,
  128,
  0,
  256,
  256,
  256,
  256,
  0,
  512,
  512,
  512,
  512,
  0,
  512,
  512,
  512,
  512,
  0,
];

/**
 * A network of Simonyan and Zisserman (2014): convolutions, and three linear layers.
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. The result of `features` has
 * 512 channels.
 *
 * @throws `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
 * 1.
 *
 * @example
 * const features = new nn.Sequential(new nn.Conv2d(3, 512, 3));
 * const model = new models.VGG(features, 10, true, 0.5);
 * [...model.namedParameters()].length; // 8
 */
export class VGG extends PrintedModule {
  static override readonly name: string = 'VGG';
  /** The convolutions with their rectifiers and poolings. */
  features!: nn.Sequential;
  /** The mean over 7 × 7 parts of the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** The linear layers. */
  classifier!: nn.Sequential;

  constructor(features: nn.Sequential, numClasses?: number, initWeights?: boolean, dropout?: number);
  constructor(features: nn.Sequential, options?: { numClasses?: number; initWeights?: boolean; dropout?: number });
  constructor(options: { features: nn.Sequential; numClasses?: number; initWeights?: boolean; dropout?: number });
  constructor(...args: unknown[]) {
    super();
    const [features, numClasses = 1000, initWeights = true, dropout = 0.5] = bind('VGG features:any numClasses:int? initWeights:bool? dropout:number?', args) as [nn.Sequential, number | undefined, boolean | undefined, number | undefined];
    Object.assign(this, VGG.of(features, numClasses, initWeights, dropout));
  }

  /** @internal */
  static of(features: nn.Sequential, numClasses: number, initWeights: boolean, dropout: number): VGG {
    const model = makeModule(
      VGG,
      {
        features,
        avgpool: new nn.AdaptiveAvgPool2d([7, 7]),
        classifier: new nn.Sequential(
          new nn.Linear(512 * 7 * 7, 4096),
          new nn.ReLU(),
          new nn.Dropout(dropout),
          new nn.Linear(4096, 4096),
          new nn.ReLU(),
          new nn.Dropout(dropout),
          new nn.Linear(4096, numClasses),
        ),
      },
    );
    if (initWeights) {
      initConvolutions(model);
      initLinears(model, 0.01);
      initBiases(model, 'bias');
    }
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('VGG.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('VGG', input);
      const output = this.avgpool.call(this.features.call(input));
      return this.classifier.call(output.flatten(1, -1));
    });
  }
}

function vgg(channels: readonly number[], batchNorm: boolean, numClasses: number, dropout: number): VGG {
  const layers: nn.Module[] = [];
  let inputs = 3;
  for (const outputs of channels) {
    if (outputs === 0) layers.push(new nn.MaxPool2d(2, { stride: 2 }));
    else {
      layers.push(new nn.Conv2d(inputs, outputs, 3, { padding: 1 }));
      if (batchNorm) layers.push(new nn.BatchNorm2d(outputs));
      layers.push(new nn.ReLU());
      inputs = outputs;
    }
  }
  return VGG.of(new nn.Sequential(...layers), numClasses, true, dropout);
}

/**
 * VGG-11 of Simonyan and Zisserman (2014).
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg11(10, 0.5);
 * [...model.namedParameters()].length; // 22
 */
export function vgg11(numClasses?: number, dropout?: number): VGG;
export function vgg11(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg11(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg11 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_11, false, numClasses, dropout);
}

/**
 * `vgg11` with a batch norm after each convolution.
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg11Bn(10, 0.5);
 * [...model.namedParameters()].length; // 38
 */
export function vgg11Bn(numClasses?: number, dropout?: number): VGG;
export function vgg11Bn(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg11Bn(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg11Bn numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_11, true, numClasses, dropout);
}

/**
 * VGG-13 of Simonyan and Zisserman (2014).
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg13(10, 0.5);
 * [...model.namedParameters()].length; // 26
 */
export function vgg13(numClasses?: number, dropout?: number): VGG;
export function vgg13(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg13(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg13 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_13, false, numClasses, dropout);
}

/**
 * `vgg13` with a batch norm after each convolution.
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg13Bn(10, 0.5);
 * [...model.namedParameters()].length; // 46
 */
export function vgg13Bn(numClasses?: number, dropout?: number): VGG;
export function vgg13Bn(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg13Bn(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg13Bn numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_13, true, numClasses, dropout);
}

/**
 * VGG-16 of Simonyan and Zisserman (2014).
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg16(10, 0.5);
 * [...model.namedParameters()].length; // 32
 */
export function vgg16(numClasses?: number, dropout?: number): VGG;
export function vgg16(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg16(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg16 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_16, false, numClasses, dropout);
}

/**
 * `vgg16` with a batch norm after each convolution.
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg16Bn(10, 0.5);
 * [...model.namedParameters()].length; // 58
 */
export function vgg16Bn(numClasses?: number, dropout?: number): VGG;
export function vgg16Bn(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg16Bn(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg16Bn numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_16, true, numClasses, dropout);
}

/**
 * VGG-19 of Simonyan and Zisserman (2014).
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg19(10, 0.5);
 * [...model.namedParameters()].length; // 38
 */
export function vgg19(numClasses?: number, dropout?: number): VGG;
export function vgg19(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg19(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg19 numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_19, false, numClasses, dropout);
}

/**
 * `vgg19` with a batch norm after each convolution.
 *
 * @throws `argument` for values that `VGG` does not take.
 *
 * @example
 * const model = models.vgg19Bn(10, 0.5);
 * [...model.namedParameters()].length; // 70
 */
export function vgg19Bn(numClasses?: number, dropout?: number): VGG;
export function vgg19Bn(options?: { numClasses?: number; dropout?: number }): VGG;
export function vgg19Bn(...args: unknown[]): VGG {
  const [numClasses = 1000, dropout = 0.5] = bind('vgg19Bn numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return vgg(VGG_19, true, numClasses, dropout);
}
