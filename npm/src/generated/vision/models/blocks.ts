// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The parts that several models share, and the initialization of their parameters. */
import { failure, make } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';

/** An elementwise function of a block. */
export type BlockActivation = 'hardswish' | 'relu' | 'relu6' | 'silu';

/** A module of an activation. */
export function activationLayer(kind: BlockActivation): nn.Module {
  switch (kind) {
    case 'hardswish': return new nn.Hardswish();
    case 'relu': return new nn.ReLU();
    case 'relu6': return new nn.ReLU6();
    default: return new nn.SiLU();
  }
}

/**
 * A convolution without a bias, a batch norm and an activation. The padding keeps the size of the
 * picture where the stride is 1.
 */
export class ConvNorm {
  /** @internal */
  readonly inputs!: number;
  /** @internal */
  readonly outputs!: number;
  /** @internal */
  readonly kernel!: number;
  /** @internal */
  readonly stride!: number;
  /** @internal */
  readonly groups!: number;
  /** @internal */
  readonly dilation!: number;
  /** @internal */
  readonly eps!: number;
  /** @internal */
  readonly momentum!: number;
  /** @internal */
  readonly activation!: BlockActivation | undefined;

  /** With a rectifier, and otherwise PyTorch's defaults. */
  static of(inputs: number, outputs: number, kernel: number): ConvNorm {
    return make(
      ConvNorm,
      {
        inputs,
        outputs,
        kernel,
        stride: 1,
        groups: 1,
        dilation: 1,
        eps: 1e-5,
        momentum: 0.1,
        activation: 'relu',
      },
    );
  }

  /** The modules: `0` is the convolution, `1` the norm. */
  layers(): nn.Sequential {
    const conv = new nn.Conv2d(
      this.inputs,
      this.outputs,
      this.kernel,
      {
        stride: this.stride,
        padding: Math.trunc((this.kernel - 1) / 2) * this.dilation,
        dilation: this.dilation,
        groups: this.groups,
        bias: false,
      },
    );
    const norm = new nn.BatchNorm2d(this.outputs, { eps: this.eps, momentum: this.momentum });
    const layers: nn.Module[] = [conv, norm];
    const kind = this.activation;
    if (kind !== undefined) layers.push(activationLayer(kind));
    return new nn.Sequential(...layers);
  }
}

/**
 * A convolution without a bias, a batch norm and a rectifier, as the networks of Inception have
 * it.
 */
export class BasicConv extends PrintedModule {
  static override readonly name: string = 'BasicConv';
  /** The convolution. */
  conv!: nn.Conv2d;
  /** The norm. */
  bn!: nn.BatchNorm2d;

  /** A block with sizes for the height and the width. */
  static of(inputs: number, outputs: number, kernel: [number, number], stride: number, padding: [number, number]): BasicConv {
    return makeModule(
      BasicConv,
      {
        conv: new nn.Conv2d(
          inputs,
          outputs,
          kernel,
          { stride: stride, padding: padding, bias: false },
        ),
        bn: new nn.BatchNorm2d(outputs, { eps: 0.001 }),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => this.bn.call(this.conv.call(input)).relu());
  }
}

/** A `BasicConv` with a square kernel. */
export function basicConv(inputs: number, outputs: number, kernel: number, stride: number, padding: number): BasicConv {
  return BasicConv.of(inputs, outputs, [kernel, kernel], stride, [padding, padding]);
}

/** Channels scaled by numbers that follow from their means (Hu et al., 2017). */
export class SqueezeExcite extends PrintedModule {
  static override readonly name: string = 'SqueezeExcite';
  /** @internal */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** @internal */
  fc1!: nn.Conv2d;
  /** @internal */
  fc2!: nn.Conv2d;
  /** @internal */
  activation!: nn.Module;
  /** @internal */
  scaleActivation!: nn.Module;
  /** @internal */
  static override readonly stateNames = { scaleActivation: 'scale_activation' };

  /** A block with `squeezed` channels inside. The scales are a sigmoid, or a hard one. */
  static of(channels: number, squeezed: number, activation: BlockActivation, isHard: boolean): SqueezeExcite {
    let scaleActivation = new nn.Sigmoid();
    if (isHard) scaleActivation = new nn.Hardsigmoid();
    return makeModule(
      SqueezeExcite,
      {
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        fc1: new nn.Conv2d(channels, squeezed, 1),
        fc2: new nn.Conv2d(squeezed, channels, 1),
        activation: activationLayer(activation),
        scaleActivation,
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const squeezed = this.activation.call(this.fc1.call(this.avgpool.call(input)));
      return input.mul(this.scaleActivation.call(this.fc2.call(squeezed)));
    });
  }
}

/**
 * In training, sets each sample to 0 with probability `p`, and divides the others by `1 - p`
 * (Huang et al., 2016).
 */
export class StochasticDepth extends PrintedModule {
  static override readonly name: string = 'StochasticDepth';
  /** @internal */
  readonly p!: number;

  /** With a probability from 0 to 1. */
  static of(p: number): StochasticDepth {
    if (!(p >= 0 && p <= 1)) {
      throw failure('argument', 'StochasticDepth', `p is a probability from 0 to 1, not ${p}`);
    }
    return makeModule(StochasticDepth, { p });
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      if (this.p === 0 || !this.training) return input;
      const size = Array.from({ length: input.ndim }, () => 1);
      size[0]! = input.shape[0]!;
      const kept = torch.full(size, 1 - this.p, { dtype: input.dtype }).bernoulli();
      const scale = this.p < 1 ? 1 / (1 - this.p) : 1;
      return input.mul(kept.mul(scale));
    });
  }
}

/** A view with the dimensions in another order. */
export class PermuteLayer extends PrintedModule {
  static override readonly name: string = 'PermuteLayer';
  /** @internal */
  readonly dims!: readonly number[];

  /** The dimensions of the input in the order of the result. */
  static of(dims: readonly number[]): PermuteLayer {
    return makeModule(PermuteLayer, { dims });
  }

  override forward(input: Tensor): Tensor {
    return input.permute(this.dims);
  }
}

/** Two linear layers with GELU between them, of a transformer. */
export function mlpLayers(channels: number, hidden: number, dropout: number): nn.Sequential {
  const layers = new nn.Sequential(
    new nn.Linear(channels, hidden),
    new nn.GELU(),
    new nn.Dropout(dropout),
    new nn.Linear(hidden, channels),
    new nn.Dropout(dropout),
  );
  for (const [, parameter] of [...layers.namedParameters()]) {
    if (parameter.ndim === 2) nn.init.xavierUniform_(parameter, 1);
    else {
      nn.init.normal_(parameter, 0, 1e-6);
    }
  }
  return layers;
}

/** The multiple of `divisor` that is nearest to `value`, at most a tenth below it. */
export function makeDivisible(value: number, divisor: number): number {
  const nearest = Math.max(Math.trunc(Math.trunc(value + divisor / 2) / divisor)
    * divisor, divisor);
  if (nearest < 0.9 * value) return nearest + divisor;
  return nearest;
}

/**
 * The input as networks that were trained by TensorFlow take it: from the normalization of
 * ImageNet's mean and deviation to numbers from -1 to 1.
 */
export function transformChannels(input: Tensor): Tensor {
  return scope(() => {
    const red = transformChannel(input, 0, 0.485, 0.229);
    const green = transformChannel(input, 1, 0.456, 0.224);
    const blue = transformChannel(input, 2, 0.406, 0.225);
    return torch.cat([red, green, blue], 1);
  });
}

/** A channel that is normalized by a mean and a deviation, as numbers from -1 to 1. */
function transformChannel(input: Tensor, index: number, mean: number, std: number): Tensor {
  return scope(() => input.narrow(1, index, 1).mul(std / 0.5).add((mean - 0.5) / 0.5));
}

/** An error unless the input is a batch of pictures. */
export function checkPictures(op: string, input: Tensor): void {
  if (input.ndim !== 4) {
    const message = `takes pictures of the shape [n, channels, height, width], not [${input.shape.join(', ')}]`;
    throw failure('shape', op, message);
  }
}

/**
 * Fills the weights of convolutions with normal numbers that keep the variance of gradients.
 */
export function initConvolutions(model: nn.Module): void {
  for (const [, parameter] of [...model.namedParameters()]) {
    if (parameter.ndim === 4) nn.init.kaimingNormal_(parameter, 0, 'fan_out', 'relu');
  }
}

/** Fills the weights of convolutions and linear layers with normal numbers from -2 to 2. */
export function initTruncated(model: nn.Module, std: number): void {
  for (const [name, parameter] of [...model.namedParameters()]) {
    if (name.endsWith('.weight') && parameter.ndim >= 2) {
      nn.init.truncNormal_(parameter, 0, std, -2, 2);
    }
  }
}

/** Fills the weights of linear layers with normal numbers of this standard deviation. */
export function initLinears(model: nn.Module, std: number): void {
  for (const [, parameter] of [...model.namedParameters()]) {
    if (parameter.ndim === 2) nn.init.normal_(parameter, 0, std);
  }
}

/** Fills the biases whose names end in a text with zeros. */
export function initBiases(model: nn.Module, suffix: string): void {
  for (const [name, parameter] of [...model.namedParameters()]) {
    if (name.endsWith(suffix)) nn.init.zeros_(parameter);
  }
}
