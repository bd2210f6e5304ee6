// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** AlexNet. */
import { bind } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import { checkPictures } from '../models/blocks.js';

/**
 * The network of Krizhevsky (2014): five convolutions, and three linear layers.
 *
 * Pictures `[n, 3, height, width]` of at least 63 × 63 become logits `[n, num_classes]`.
 *
 * @throws `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
 * 1.
 *
 * @example
 * const model = new models.AlexNet(10, 0.5);
 * [...model.namedParameters()].length; // 16
 */
export class AlexNet extends PrintedModule {
  static override readonly name: string = 'AlexNet';
  /** The convolutions with their rectifiers and poolings. */
  features!: nn.Sequential;
  /** The mean over 6 × 6 parts of the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** The linear layers. */
  classifier!: nn.Sequential;

  constructor(numClasses?: number, dropout?: number);
  constructor(options?: { numClasses?: number; dropout?: number });
  constructor(...args: unknown[]) {
    super();
    const [numClasses = 1000, dropout = 0.5] = bind('AlexNet numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
    Object.assign(this, AlexNet.of(numClasses, dropout));
  }

  /** @internal */
  static of(numClasses: number, dropout: number): AlexNet {
    return makeModule(
      AlexNet,
      {
        features: new nn.Sequential(
          new nn.Conv2d(3, 64, 11, { stride: 4, padding: 2 }),
          new nn.ReLU(),
          new nn.MaxPool2d(3, { stride: 2 }),
          new nn.Conv2d(64, 192, 5, { padding: 2 }),
          new nn.ReLU(),
          new nn.MaxPool2d(3, { stride: 2 }),
          new nn.Conv2d(192, 384, 3, { padding: 1 }),
          new nn.ReLU(),
          new nn.Conv2d(384, 256, 3, { padding: 1 }),
          new nn.ReLU(),
          new nn.Conv2d(256, 256, 3, { padding: 1 }),
          new nn.ReLU(),
          new nn.MaxPool2d(3, { stride: 2 }),
        ),
        avgpool: new nn.AdaptiveAvgPool2d([6, 6]),
        classifier: new nn.Sequential(
          new nn.Dropout(dropout),
          new nn.Linear(256 * 6 * 6, 4096),
          new nn.ReLU(),
          new nn.Dropout(dropout),
          new nn.Linear(4096, 4096),
          new nn.ReLU(),
          new nn.Linear(4096, numClasses),
        ),
      },
    );
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('AlexNet.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('AlexNet', input);
      const output = this.avgpool.call(this.features.call(input));
      return this.classifier.call(output.flatten(1, -1));
    });
  }
}

/**
 * AlexNet of Krizhevsky (2014).
 *
 * @throws `argument` for values that `AlexNet` does not take.
 *
 * @example
 * const model = models.alexnet(10, 0.5);
 * [...model.namedParameters()].length; // 16
 */
export function alexnet(numClasses?: number, dropout?: number): AlexNet;
export function alexnet(options?: { numClasses?: number; dropout?: number }): AlexNet;
export function alexnet(...args: unknown[]): AlexNet {
  const [numClasses = 1000, dropout = 0.5] = bind('alexnet numClasses:int? dropout:number?', args) as [number | undefined, number | undefined];
  return AlexNet.of(numClasses, dropout);
}
