// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Vision transformers. */
import { bind, failure } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import { checkPictures, mlpLayers } from '../models/blocks.js';

/** Attention of a sequence to itself, with the names of `torch.nn.MultiheadAttention`. */
export class SelfAttention extends PrintedModule {
  static override readonly name: string = 'SelfAttention';
  /** @internal */
  inProjWeight!: Tensor;
  /** @internal */
  inProjBias!: Tensor;
  /** @internal */
  outProj!: nn.Linear;
  /** @internal */
  readonly heads!: number;
  /** @internal */
  readonly channels!: number;
  /** @internal */
  readonly dropout!: number;
  /** @internal */
  static override readonly stateNames = {
    inProjWeight: 'in_proj_weight',
    inProjBias: 'in_proj_bias',
    outProj: 'out_proj',
  };

  static of(channels: number, heads: number, dropout: number): SelfAttention {
    const attention = makeModule(
      SelfAttention,
      {
        inProjWeight: nn.parameter(torch.zeros([3 * channels, channels])),
        inProjBias: nn.parameter(torch.zeros([3 * channels])),
        outProj: new nn.Linear(channels, channels),
        heads,
        channels,
        dropout,
      },
    );
    nn.init.xavierUniform_(attention.inProjWeight, 1);
    for (const [name, parameter] of [...attention.namedParameters()]) {
      if (name === 'out_proj.bias') nn.init.zeros_(parameter);
    }
    return attention;
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const [batch, length] = [input.shape[0]!, input.shape[1]!];
      const projected = input.linear(this.inProjWeight, this.inProjBias);
      const parts = projected.reshape(
        [batch, length, 3, this.heads, Math.trunc(this.channels / this.heads)],
      );
      const parts2 = parts.permute([2, 0, 3, 1, 4]);
      const [query, key, value] = [parts2.select(0, 0), parts2.select(0, 1), parts2.select(0, 2)];
      const rate = this.training ? this.dropout : 0;
      const output = torch.scaledDotProductAttention(query, key, value, undefined, rate);
      const joined = output.transpose(1, 2).reshape([batch, length, this.channels]);
      return this.outProj.call(joined);
    });
  }
}

/** A layer of the transformer: attention and two linear layers, each after a layer norm. */
export class ViTBlock extends PrintedModule {
  static override readonly name: string = 'ViTBlock';
  /** @internal */
  ln1!: nn.LayerNorm;
  /** @internal */
  selfAttention!: SelfAttention;
  /** @internal */
  dropout!: nn.Dropout;
  /** @internal */
  ln2!: nn.LayerNorm;
  /** @internal */
  mlp!: nn.Sequential;
  /** @internal */
  static override readonly stateNames = {
    ln1: 'ln_1',
    selfAttention: 'self_attention',
    ln2: 'ln_2',
  };

  static of(channels: number, heads: number, hidden: number, dropout: number, attentionDropout: number): ViTBlock {
    return makeModule(
      ViTBlock,
      {
        ln1: new nn.LayerNorm(channels, { eps: 1e-6 }),
        selfAttention: SelfAttention.of(channels, heads, attentionDropout),
        dropout: new nn.Dropout(dropout),
        ln2: new nn.LayerNorm(channels, { eps: 1e-6 }),
        mlp: mlpLayers(channels, hidden, dropout),
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const attended = this.selfAttention.call(this.ln1.call(input));
      const middle = this.dropout.call(attended).add(input);
      const output = this.mlp.call(this.ln2.call(middle));
      return middle.add(output);
    });
  }
}

/** The embedding of positions, the layers and a layer norm. */
export class ViTEncoder extends PrintedModule {
  static override readonly name: string = 'ViTEncoder';
  /** @internal */
  posEmbedding!: Tensor;
  /** @internal */
  dropout!: nn.Dropout;
  /** @internal */
  layers!: nn.Sequential;
  /** @internal */
  ln!: nn.LayerNorm;
  /** @internal */
  static override readonly stateNames = { posEmbedding: 'pos_embedding' };

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const embedded = this.dropout.call(input.add(this.posEmbedding));
      return this.ln.call(this.layers.call(embedded));
    });
  }
}

/**
 * A transformer of Dosovitskiy et al. (2020) over the patches of a picture.
 *
 * Pictures `[n, 3, image_size, image_size]` become logits `[n, num_classes]`. Each patch of
 * `patchSize` × `patchSize` pixels becomes a vector of `hiddenDim` numbers.
 *
 * @throws `argument` if `patchSize` does not divide `imageSize` or `numHeads` not `hiddenDim`, and if
 * a dropout is not from 0 to 1; `shape` for pictures of another size.
 *
 * @example
 * const model = new models.VisionTransformer(32, 8, 1, 2, 16, 32, 0, 0, 10);
 * const logits = model.call(zeros([2, 3, 32, 32]));
 * logits.shape; // [2, 10]
 */
export class VisionTransformer extends PrintedModule {
  static override readonly name: string = 'VisionTransformer';
  /** The token before the patches, whose result is classified. */
  classToken!: Tensor;
  /** The convolution that makes vectors of the patches. */
  convProj!: nn.Conv2d;
  /** The transformer. */
  encoder!: ViTEncoder;
  /** The linear layer `head`. */
  heads!: nn.Sequential;
  /** @internal */
  readonly imageSize!: number;
  /** @internal */
  readonly patchSize!: number;
  /** @internal */
  readonly hiddenDim!: number;
  /** @internal */
  static override readonly stateNames = { classToken: 'class_token', convProj: 'conv_proj' };

  constructor(imageSize: number, patchSize: number, numLayers: number, numHeads: number, hiddenDim: number, mlpDim: number, dropout?: number, attentionDropout?: number, numClasses?: number);
  constructor(imageSize: number, patchSize: number, numLayers: number, numHeads: number, hiddenDim: number, mlpDim: number, options?: { dropout?: number; attentionDropout?: number; numClasses?: number });
  constructor(options: { imageSize: number; patchSize: number; numLayers: number; numHeads: number; hiddenDim: number; mlpDim: number; dropout?: number; attentionDropout?: number; numClasses?: number });
  constructor(...args: unknown[]) {
    super();
    const [imageSize, patchSize, numLayers, numHeads, hiddenDim, mlpDim, dropout = 0, attentionDropout = 0, numClasses = 1000] = bind('VisionTransformer imageSize:int patchSize:int numLayers:int numHeads:int hiddenDim:int mlpDim:int dropout:number? attentionDropout:number? numClasses:int?', args) as [number, number, number, number, number, number, number | undefined, number | undefined, number | undefined];
    Object.assign(this, VisionTransformer.of(imageSize, patchSize, numLayers, numHeads, hiddenDim, mlpDim, dropout, attentionDropout, numClasses));
  }

  /** @internal */
  static of(imageSize: number, patchSize: number, numLayers: number, numHeads: number, hiddenDim: number, mlpDim: number, dropout: number, attentionDropout: number, numClasses: number): VisionTransformer {
    if (patchSize < 1 || imageSize % patchSize !== 0) {
      const message = `patch_size ${patchSize} does not divide image_size ${imageSize}`;
      throw failure('argument', 'VisionTransformer', message);
    }
    if (numHeads < 1 || hiddenDim % numHeads !== 0) {
      const message = `num_heads ${numHeads} does not divide hidden_dim ${hiddenDim}`;
      throw failure('argument', 'VisionTransformer', message);
    }
    const side = Math.trunc(imageSize / patchSize);
    const layers: [string, nn.Module][] = [];
    for (let index = 0; index < numLayers; index++) {
      const block = ViTBlock.of(hiddenDim, numHeads, mlpDim, dropout, attentionDropout);
      layers.push([`encoder_layer_${index}`, block]);
    }
    const encoder = makeModule(
      ViTEncoder,
      {
        posEmbedding: nn.parameter(torch.zeros([1, side * side + 1, hiddenDim])),
        dropout: new nn.Dropout(dropout),
        layers: new nn.Sequential(Object.fromEntries(layers)),
        ln: new nn.LayerNorm(hiddenDim, { eps: 1e-6 }),
      },
    );
    nn.init.normal_(encoder.posEmbedding, 0, 0.02);
    const head = new nn.Linear(hiddenDim, numClasses);
    const heads: [string, nn.Module][] = [['head', head]];
    const model = makeModule(
      VisionTransformer,
      {
        classToken: nn.parameter(torch.zeros([1, 1, hiddenDim])),
        convProj: new nn.Conv2d(3, hiddenDim, patchSize, { stride: patchSize }),
        encoder,
        heads: new nn.Sequential(Object.fromEntries(heads)),
        imageSize,
        patchSize,
        hiddenDim,
      },
    );
    const std = Math.sqrt(1 / (3 * patchSize * patchSize));
    for (const [name, parameter] of [...model.namedParameters()]) {
      if (name === 'conv_proj.weight') nn.init.truncNormal_(parameter, 0, std, -2, 2);
      else if (name === 'conv_proj.bias' || name.startsWith('heads.')) nn.init.zeros_(parameter);
    }
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('VisionTransformer.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('VisionTransformer', input);
      const [batch, size] = [input.shape[0]!, this.imageSize];
      if (input.shape[2]! !== size || input.shape[3]! !== size) {
        const message = `takes pictures of ${size} by ${size} pixels, not shape [${input.shape.join(', ')}]`;
        throw failure('shape', 'VisionTransformer', message);
      }
      const side = Math.trunc(size / this.patchSize);
      const patches = this.convProj.call(input).reshape([batch, this.hiddenDim, side * side]);
      const token = this.classToken.expand([batch, -1, -1]);
      const sequence = torch.cat([token, patches.permute([0, 2, 1])], 1);
      return this.heads.call(this.encoder.call(sequence).select(1, 0));
    });
  }
}

function transformer(patch: number, layers: number, heads: number, hidden: number, numClasses: number, image2: number): VisionTransformer {
  return VisionTransformer.of(image2, patch, layers, heads, hidden, 4 * hidden, 0, 0, numClasses);
}

/**
 * ViT-B/16 of Dosovitskiy et al. (2020).
 *
 * @throws `argument` for values that `VisionTransformer` does not take.
 *
 * @example
 * const model = models.vitB16(10, 224);
 * [...model.namedParameters()].length; // 152
 */
export function vitB16(numClasses?: number, imageSize?: number): VisionTransformer;
export function vitB16(options?: { numClasses?: number; imageSize?: number }): VisionTransformer;
export function vitB16(...args: unknown[]): VisionTransformer {
  const [numClasses = 1000, imageSize = 224] = bind('vitB16 numClasses:int? imageSize:int?', args) as [number | undefined, number | undefined];
  return transformer(16, 12, 12, 768, numClasses, imageSize);
}

/**
 * ViT-B/32 of Dosovitskiy et al. (2020).
 *
 * @throws `argument` for values that `VisionTransformer` does not take.
 *
 * @example
 * const model = models.vitB32(10, 224);
 * [...model.namedParameters()].length; // 152
 */
export function vitB32(numClasses?: number, imageSize?: number): VisionTransformer;
export function vitB32(options?: { numClasses?: number; imageSize?: number }): VisionTransformer;
export function vitB32(...args: unknown[]): VisionTransformer {
  const [numClasses = 1000, imageSize = 224] = bind('vitB32 numClasses:int? imageSize:int?', args) as [number | undefined, number | undefined];
  return transformer(32, 12, 12, 768, numClasses, imageSize);
}

/**
 * ViT-L/16 of Dosovitskiy et al. (2020).
 *
 * @throws `argument` for values that `VisionTransformer` does not take.
 *
 * @example
 * const model = models.vitL16(10, 224);
 * [...model.namedParameters()].length; // 296
 */
export function vitL16(numClasses?: number, imageSize?: number): VisionTransformer;
export function vitL16(options?: { numClasses?: number; imageSize?: number }): VisionTransformer;
export function vitL16(...args: unknown[]): VisionTransformer {
  const [numClasses = 1000, imageSize = 224] = bind('vitL16 numClasses:int? imageSize:int?', args) as [number | undefined, number | undefined];
  return transformer(16, 24, 16, 1024, numClasses, imageSize);
}

/**
 * ViT-L/32 of Dosovitskiy et al. (2020).
 *
 * @throws `argument` for values that `VisionTransformer` does not take.
 *
 * @example
 * const model = models.vitL32(10, 224);
 * [...model.namedParameters()].length; // 296
 */
export function vitL32(numClasses?: number, imageSize?: number): VisionTransformer;
export function vitL32(options?: { numClasses?: number; imageSize?: number }): VisionTransformer;
export function vitL32(...args: unknown[]): VisionTransformer {
  const [numClasses = 1000, imageSize = 224] = bind('vitL32 numClasses:int? imageSize:int?', args) as [number | undefined, number | undefined];
  return transformer(32, 24, 16, 1024, numClasses, imageSize);
}

/**
 * ViT-H/14 of Dosovitskiy et al. (2020).
 *
 * @throws `argument` for values that `VisionTransformer` does not take.
 *
 * @example
 * const model = models.vitH14(10, 224);
 * [...model.namedParameters()].length; // 392
 */
export function vitH14(numClasses?: number, imageSize?: number): VisionTransformer;
export function vitH14(options?: { numClasses?: number; imageSize?: number }): VisionTransformer;
export function vitH14(...args: unknown[]): VisionTransformer {
  const [numClasses = 1000, imageSize = 224] = bind('vitH14 numClasses:int? imageSize:int?', args) as [number | undefined, number | undefined];
  return transformer(14, 32, 16, 1280, numClasses, imageSize);
}
