// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Transformers over shifted windows of a picture, of both versions. */
import { bind, failure } from '../../../library/support.js';
import { PrintedModule, makeModule } from '../../../library/modules.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as nn from '../../../nn/index.js';
import * as torch from '../../operations.js';
import { PermuteLayer, StochasticDepth, checkPictures, mlpLayers } from '../models/blocks.js';

/** Attention inside of windows, with a bias for the distance of two positions. */
export class WindowAttention extends PrintedModule {
  static override readonly name: string = 'WindowAttention';
  /** @internal */
  qkv!: nn.Linear;
  /** @internal */
  proj!: nn.Linear;
  /** @internal */
  relativePositionBiasTable!: Tensor | undefined;
  /** @internal */
  relativePositionIndex!: Tensor;
  /** @internal */
  logitScale!: Tensor | undefined;
  /** @internal */
  cpbMlp!: nn.Sequential | undefined;
  /** @internal */
  relativeCoordsTable!: Tensor | undefined;
  /** @internal */
  readonly channels!: number;
  /** @internal */
  readonly heads!: number;
  /** @internal */
  readonly window!: number;
  /** @internal */
  readonly shift!: number;
  /** @internal */
  readonly dropout!: number;
  /** @internal */
  static override readonly stateNames = {
    relativePositionBiasTable: 'relative_position_bias_table',
    relativePositionIndex: 'relative_position_index',
    logitScale: 'logit_scale',
    cpbMlp: 'cpb_mlp',
    relativeCoordsTable: 'relative_coords_table',
  };

  static of(channels: number, heads: number, window: number, shift: number, dropout: number, isSecond: boolean): WindowAttention {
    const side = 2 * window - 1;
    let table: Tensor | undefined = undefined;
    let scale: Tensor | undefined = undefined;
    let mlp: nn.Sequential | undefined = undefined;
    let coordinates2: Tensor | undefined = undefined;
    if (isSecond) {
      scale = nn.parameter(torch.full([heads, 1, 1], Math.log(10), { dtype: 'float32' }));
      mlp = new nn.Sequential(
        new nn.Linear(2, 512),
        new nn.ReLU(),
        new nn.Linear(512, heads, { bias: false }),
      );
      coordinates2 = nn.buffer(distances(window));
    } else {
      const made = nn.parameter(torch.zeros([side * side, heads]));
      nn.init.truncNormal_(made, 0, 0.02, -2, 2);
      table = made;
    }
    return makeModule(
      WindowAttention,
      {
        qkv: new nn.Linear(channels, 3 * channels),
        proj: new nn.Linear(channels, channels),
        relativePositionBiasTable: table,
        relativePositionIndex: nn.buffer(pairNumbers(window)),
        logitScale: scale,
        cpbMlp: mlp,
        relativeCoordsTable: coordinates2,
        channels,
        heads,
        window,
        shift,
        dropout,
      },
    );
  }

  /** The bias of each pair of positions, `[1, heads, positions, positions]`. */
  positionBias(): Tensor {
    return scope(() => {
      const count = this.window * this.window;
      const order: [number, number, number] = [2, 0, 1];
      const table = this.relativePositionBiasTable;
      if (table !== undefined) {
        const picked = table.indexSelect(0, this.relativePositionIndex);
        return picked.reshape([count, count, this.heads]).permute(order).unsqueeze(0);
      }
      let table2 = torch.zeros([1]);
      const mlp = this.cpbMlp;
      const coordinates2 = this.relativeCoordsTable;
      if (mlp !== undefined && coordinates2 !== undefined) {
        table2 = mlp.call(coordinates2).reshape([-1, this.heads]);
      }
      const picked = table2.indexSelect(0, this.relativePositionIndex);
      const bias = picked.reshape([count, count, this.heads]).permute(order).unsqueeze(0);
      return bias.sigmoid().mul(16);
    });
  }

  /**
   * The projections of windows to queries, keys and values. Keys of the second version have no
   * bias.
   */
  project(windows_: Tensor): Tensor {
    return scope(() => {
      const output = this.qkv.call(windows_);
      if (this.logitScale === undefined) return output;
      const zero = torch.zeros([1, 1, this.channels]);
      const bias = this.qkv.call(zero);
      const length = this.channels;
      const middle = bias.narrow(2, length, length);
      const none = torch.zeros([1, 1, length]);
      return output.sub(torch.cat([none, middle, none], 2));
    });
  }

  /** The scores of each pair of positions of a window, without the bias. */
  scores(query: Tensor, key: Tensor): Tensor {
    return scope(() => {
      const scale = this.logitScale;
      if (scale !== undefined) {
        const cosines = query.normalize(2, -1).matmul(key.normalize(2, -1).transpose(-2, -1));
        return cosines.mul(scale.clampMax(Math.log(100)).exp());
      }
      const factor = Math.pow(Math.trunc(this.channels / this.heads), -0.5);
      return query.mul(factor).matmul(key.transpose(-2, -1));
    });
  }

  /** The results of windows; a mask keeps positions apart. */
  attend(windows_: Tensor, mask2: Tensor | undefined): Tensor {
    return scope(() => {
      const count = this.window * this.window;
      const parts = this.project(windows_).reshape(
        [-1, count, 3, this.heads, Math.trunc(this.channels / this.heads)],
      );
      const parts2 = parts.permute([2, 0, 3, 1, 4]);
      let scores = this.scores(parts2.select(0, 0), parts2.select(0, 1));
      scores = scores.add(this.positionBias());
      if (mask2 !== undefined) {
        const number = mask2.shape[0]!;
        const grouped = scores.reshape([-1, number, this.heads, count, count]);
        scores = grouped.add(mask2.unsqueeze(1).unsqueeze(0)).reshape(
          [-1, this.heads, count, count],
        );
      }
      const weights = scores.softmax(-1).dropout(this.dropout, this.training);
      const joined = weights.matmul(parts2.select(0, 2)).transpose(1, 2).reshape(
        [-1, count, this.channels],
      );
      return this.proj.call(joined).dropout(this.dropout, this.training);
    });
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const [window, shape] = [this.window, input.shape];
      const [batch, height, width] = [shape[0]!, shape[1]!, shape[2]!];
      const [below, beside] = [
        (window - height % window) % window,
        (window - width % window) % window,
      ];
      const [tall, wide] = [height + below, width + beside];
      let padded = input.pad([0, 0, 0, beside, 0, below]);
      const down = window >= tall ? 0 : this.shift;
      const right = window >= wide ? 0 : this.shift;
      let mask2: Tensor | undefined = undefined;
      if (down + right > 0) {
        padded = padded.roll([-down, -right], [1, 2]);
        mask2 = shiftMask(tall, wide, window, [down, right]);
      }
      const output = this.attend(splitWindows(padded, window), mask2);
      const parts = output.reshape(
        [
          batch,
          Math.trunc(tall / window),
          Math.trunc(wide / window),
          window,
          window,
          this.channels,
        ],
      );
      let joined = parts.permute([0, 1, 3, 2, 4, 5]).reshape([batch, tall, wide, this.channels]);
      if (down + right > 0) joined = joined.roll([down, right], [1, 2]);
      return joined.narrow(1, 0, height).narrow(2, 0, width);
    });
  }
}

/** The number of each pair of positions of a window by their distance. */
function pairNumbers(window: number): Tensor {
  return scope(() => {
    const positions = torch.arange(0, window);
    const rows = positions.unsqueeze(1).expand([window, window]).reshape([-1]);
    const columns = positions.unsqueeze(0).expand([window, window]).reshape([-1]);
    const down = rows.unsqueeze(1).sub(rows.unsqueeze(0)).add(window - 1);
    const right = columns.unsqueeze(1).sub(columns.unsqueeze(0)).add(window - 1);
    return down.mul(2 * window - 1).add(right).reshape([-1]);
  });
}

/**
 * The distances of two positions of a window on a logarithmic scale, `[1, 2w - 1, 2w - 1, 2]`.
 */
function distances(window: number): Tensor {
  return scope(() => {
    const side = 2 * window - 1;
    const steps = torch.arange(0, side).float().sub(window - 1);
    const scaled = steps.mul(8 / Math.max(window - 1, 1));
    const curved = scaled.sign().mul(scaled.abs().add(1).log2().mul(1 / 3));
    const down = curved.unsqueeze(1).expand([side, side]);
    const right = curved.unsqueeze(0).expand([side, side]);
    return torch.stack([down, right], 2).unsqueeze(0);
  });
}

/** The part of a side that a position is in: before, in and after the last shifted window. */
function sideParts(size: number, window: number, shift: number): Tensor {
  return scope(() => {
    const positions = torch.arange(0, size);
    return positions.ge(size - window).float().add(positions.ge(size - shift).float());
  });
}

/**
 * Windows `[n windows, window * window, channels]` of pictures `[n, height, width, channels]`.
 */
function splitWindows(input: Tensor, window: number): Tensor {
  return scope(() => {
    const shape = input.shape;
    const [height, width, channels] = [shape[1]!, shape[2]!, shape[3]!];
    const parts = input.reshape(
      [-1, Math.trunc(height / window), window, Math.trunc(width / window), window, channels],
    );
    return parts.permute([0, 1, 3, 2, 4, 5]).reshape([-1, window * window, channels]);
  });
}

/** The scores that keep positions apart which a shift brought into one window. */
function shiftMask(height: number, width: number, window: number, shifts: [number, number]): Tensor {
  return scope(() => {
    const down = shifts[0] > 0 ? sideParts(height, window, shifts[0]) : torch.zeros([height]);
    const right = shifts[1] > 0 ? sideParts(width, window, shifts[1]) : torch.zeros([width]);
    const parts = down.unsqueeze(1).mul(3).add(right.unsqueeze(0));
    const windows_ = splitWindows(parts.reshape([1, height, width, 1]), window).reshape(
      [-1, window * window],
    );
    const differences = windows_.unsqueeze(1).sub(windows_.unsqueeze(2));
    return differences.ne(0).float().mul(-100);
  });
}

export class SwinBlock extends PrintedModule {
  static override readonly name: string = 'SwinBlock';
  /** @internal */
  norm1!: nn.LayerNorm;
  /** @internal */
  attn!: WindowAttention;
  /** @internal */
  stochasticDepth!: StochasticDepth;
  /** @internal */
  norm2!: nn.LayerNorm;
  /** @internal */
  mlp!: nn.Sequential;
  /** @internal */
  readonly isSecond!: boolean;
  /** @internal */
  static override readonly stateNames = { stochasticDepth: 'stochastic_depth' };

  override forward(input: Tensor): Tensor {
    return scope(() => {
      if (this.isSecond) {
        const attended = this.norm1.call(this.attn.call(input));
        const middle = this.stochasticDepth.call(attended).add(input);
        const output = this.norm2.call(this.mlp.call(middle));
        return this.stochasticDepth.call(output).add(middle);
      }
      const attended = this.attn.call(this.norm1.call(input));
      const middle = this.stochasticDepth.call(attended).add(input);
      const output = this.mlp.call(this.norm2.call(middle));
      return this.stochasticDepth.call(output).add(middle);
    });
  }
}

/** Four neighbouring positions as one with twice the channels. */
export class PatchMerging extends PrintedModule {
  static override readonly name: string = 'PatchMerging';
  /** @internal */
  reduction!: nn.Linear;
  /** @internal */
  norm!: nn.LayerNorm;
  /** @internal */
  readonly isSecond!: boolean;

  static of(channels: number, isSecond: boolean): PatchMerging {
    const normed = isSecond ? 2 * channels : 4 * channels;
    return makeModule(
      PatchMerging,
      {
        reduction: new nn.Linear(4 * channels, 2 * channels, { bias: false }),
        norm: new nn.LayerNorm(normed),
        isSecond,
      },
    );
  }

  override forward(input: Tensor): Tensor {
    return scope(() => {
      const shape = input.shape;
      const [oddHeight, oddWidth] = [shape[1]! % 2, shape[2]! % 2];
      const padded = input.pad([0, 0, 0, oddWidth, 0, oddHeight]);
      const [even, odd] = [padded.slice(1, 0, undefined, 2), padded.slice(1, 1, undefined, 2)];
      const [first, second] = [even.slice(2, 0, undefined, 2), odd.slice(2, 0, undefined, 2)];
      const [third, fourth] = [even.slice(2, 1, undefined, 2), odd.slice(2, 1, undefined, 2)];
      const joined = torch.cat([first, second, third, fourth], -1);
      if (this.isSecond) return this.norm.call(this.reduction.call(joined));
      return this.reduction.call(this.norm.call(joined));
    });
  }
}

/**
 * A transformer of Liu et al. (2021), of the second version with `isSecond`.
 *
 * Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `depths` and `numHeads` have
 * a number for each stage. The sides of patches and windows are `patchSize` and `windowSize`.
 *
 * @throws `argument` if the lists have other lengths, and if the probability is not from 0 to 1; `shape`
 * for an input that is not a batch of pictures.
 *
 * @example
 * const model = new models.SwinTransformer(4, 8, [1], [2], 4, 4, 0, 0, 10, false);
 * const logits = model.call(zeros([2, 3, 32, 32]));
 * logits.shape; // [2, 10]
 */
export class SwinTransformer extends PrintedModule {
  static override readonly name: string = 'SwinTransformer';
  /** The embedding of patches, and the stages with mergings between them. */
  features!: nn.Sequential;
  /** The layer norm after the stages. */
  norm!: nn.LayerNorm;
  /** @internal */
  permute!: PermuteLayer;
  /** The mean over the picture. */
  avgpool!: nn.AdaptiveAvgPool2d;
  /** @internal */
  flatten!: nn.Flatten;
  /** The linear layer. */
  head!: nn.Linear;

  constructor(patchSize: number, embedDim: number, depths: number | readonly number[], numHeads: number | readonly number[], windowSize: number, mlpRatio?: number, dropout?: number, stochasticDepthProb?: number, numClasses?: number, isSecond?: boolean);
  constructor(patchSize: number, embedDim: number, depths: number | readonly number[], numHeads: number | readonly number[], windowSize: number, options?: { mlpRatio?: number; dropout?: number; stochasticDepthProb?: number; numClasses?: number; isSecond?: boolean });
  constructor(options: { patchSize: number; embedDim: number; depths: number | readonly number[]; numHeads: number | readonly number[]; windowSize: number; mlpRatio?: number; dropout?: number; stochasticDepthProb?: number; numClasses?: number; isSecond?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [patchSize, embedDim, depths, numHeads, windowSize, mlpRatio = 4, dropout = 0, stochasticDepthProb = 0.1, numClasses = 1000, isSecond = false] = bind('SwinTransformer patchSize:int embedDim:int depths:ints numHeads:ints windowSize:int mlpRatio:number? dropout:number? stochasticDepthProb:number? numClasses:int? isSecond:bool?', args) as [number, number, readonly number[], readonly number[], number, number | undefined, number | undefined, number | undefined, number | undefined, boolean | undefined];
    Object.assign(this, SwinTransformer.of(patchSize, embedDim, depths, numHeads, windowSize, mlpRatio, dropout, stochasticDepthProb, numClasses, isSecond));
  }

  /** @internal */
  static of(patchSize: number, embedDim: number, depths: readonly number[], numHeads: readonly number[], windowSize: number, mlpRatio: number, dropout: number, stochasticDepthProb: number, numClasses: number, isSecond: boolean): SwinTransformer {
    if (depths.length === 0 || depths.length !== numHeads.length) {
      const message = `takes depths and num_heads of one length, not [${depths.join(', ')}] and [${numHeads.join(', ')}]`;
      throw failure('argument', 'SwinTransformer', message);
    }
    let total = 0;
    for (const depth of depths) {
      total += depth;
    }
    const layers: nn.Module[] = [
      new nn.Sequential(
        new nn.Conv2d(3, embedDim, patchSize, { stride: patchSize }),
        PermuteLayer.of([0, 2, 3, 1]),
        new nn.LayerNorm(embedDim),
      ),
    ];
    let done = 0;
    let channels = embedDim;
    for (let index = 0; index < depths.length; index++) {
      const stage: nn.Module[] = [];
      for (let layer = 0; layer < depths[index]!; layer++) {
        const shift = layer % 2 === 0 ? 0 : Math.trunc(windowSize / 2);
        const probability = stochasticDepthProb * done / Math.max(total - 1, 1);
        const hidden = Math.trunc(channels * mlpRatio);
        stage.push(makeModule(
          SwinBlock,
          {
            norm1: new nn.LayerNorm(channels),
            attn: WindowAttention.of(
              channels,
              numHeads[index]!,
              windowSize,
              shift,
              dropout,
              isSecond,
            ),
            stochasticDepth: StochasticDepth.of(probability),
            norm2: new nn.LayerNorm(channels),
            mlp: mlpLayers(channels, hidden, dropout),
            isSecond,
          },
        ));
        done += 1;
      }
      layers.push(new nn.Sequential(...stage));
      if (index + 1 < depths.length) {
        layers.push(PatchMerging.of(channels, isSecond));
        channels *= 2;
      }
    }
    const model = makeModule(
      SwinTransformer,
      {
        features: new nn.Sequential(...layers),
        norm: new nn.LayerNorm(channels),
        permute: PermuteLayer.of([0, 3, 1, 2]),
        avgpool: new nn.AdaptiveAvgPool2d([1, 1]),
        flatten: new nn.Flatten(),
        head: new nn.Linear(channels, numClasses),
      },
    );
    for (const [name, parameter] of [...model.namedParameters()]) {
      if (name.endsWith('.weight') && parameter.ndim === 2) {
        nn.init.truncNormal_(parameter, 0, 0.02, -2, 2);
      } else if (name.endsWith('.bias') && name !== 'features.0.0.bias') nn.init.zeros_(parameter);
    }
    return model;
  }

  override forward(input: TensorLike): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input] = bind('SwinTransformer.forward input:tensor', args) as [Tensor];
    return scope(() => {
      checkPictures('SwinTransformer', input);
      const output = this.permute.call(this.norm.call(this.features.call(input)));
      return this.head.call(this.flatten.call(this.avgpool.call(output)));
    });
  }
}

/** A network with patches of 4 × 4 pixels. */
function swin(width: number, depth: number, heads: number, probability: number, numClasses: number, isSecond: boolean): SwinTransformer {
  const [depths, window] = [[2, 2, depth, 2], isSecond ? 8 : 7];
  const allHeads: [number, number, number, number] = [heads, 2 * heads, 4 * heads, 8 * heads];
  return SwinTransformer.of(
    4,
    width,
    depths,
    allHeads,
    window,
    4,
    0,
    probability,
    numClasses,
    isSecond,
  );
}

/**
 * Swin-T of Liu et al. (2021).
 *
 * @throws `argument` for values that `SwinTransformer` does not take.
 *
 * @example
 * const model = models.swinT(10, 0.2);
 * [...model.namedParameters()].length; // 173
 */
export function swinT(numClasses?: number, stochasticDepthProb?: number): SwinTransformer;
export function swinT(options?: { numClasses?: number; stochasticDepthProb?: number }): SwinTransformer;
export function swinT(...args: unknown[]): SwinTransformer {
  const [numClasses = 1000, stochasticDepthProb = 0.2] = bind('swinT numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return swin(96, 6, 3, stochasticDepthProb, numClasses, false);
}

/**
 * Swin-S of Liu et al. (2021).
 *
 * @throws `argument` for values that `SwinTransformer` does not take.
 *
 * @example
 * const model = models.swinS(10, 0.3);
 * [...model.namedParameters()].length; // 329
 */
export function swinS(numClasses?: number, stochasticDepthProb?: number): SwinTransformer;
export function swinS(options?: { numClasses?: number; stochasticDepthProb?: number }): SwinTransformer;
export function swinS(...args: unknown[]): SwinTransformer {
  const [numClasses = 1000, stochasticDepthProb = 0.3] = bind('swinS numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return swin(96, 18, 3, stochasticDepthProb, numClasses, false);
}

/**
 * Swin-B of Liu et al. (2021).
 *
 * @throws `argument` for values that `SwinTransformer` does not take.
 *
 * @example
 * const model = models.swinB(10, 0.5);
 * [...model.namedParameters()].length; // 329
 */
export function swinB(numClasses?: number, stochasticDepthProb?: number): SwinTransformer;
export function swinB(options?: { numClasses?: number; stochasticDepthProb?: number }): SwinTransformer;
export function swinB(...args: unknown[]): SwinTransformer {
  const [numClasses = 1000, stochasticDepthProb = 0.5] = bind('swinB numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return swin(128, 18, 4, stochasticDepthProb, numClasses, false);
}

/**
 * Swin-T of the second version, of Liu et al. (2021).
 *
 * @throws `argument` for values that `SwinTransformer` does not take.
 *
 * @example
 * const model = models.swinV2T(10, 0.2);
 * [...model.namedParameters()].length; // 209
 */
export function swinV2T(numClasses?: number, stochasticDepthProb?: number): SwinTransformer;
export function swinV2T(options?: { numClasses?: number; stochasticDepthProb?: number }): SwinTransformer;
export function swinV2T(...args: unknown[]): SwinTransformer {
  const [numClasses = 1000, stochasticDepthProb = 0.2] = bind('swinV2T numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return swin(96, 6, 3, stochasticDepthProb, numClasses, true);
}

/**
 * Swin-S of the second version, of Liu et al. (2021).
 *
 * @throws `argument` for values that `SwinTransformer` does not take.
 *
 * @example
 * const model = models.swinV2S(10, 0.3);
 * [...model.namedParameters()].length; // 401
 */
export function swinV2S(numClasses?: number, stochasticDepthProb?: number): SwinTransformer;
export function swinV2S(options?: { numClasses?: number; stochasticDepthProb?: number }): SwinTransformer;
export function swinV2S(...args: unknown[]): SwinTransformer {
  const [numClasses = 1000, stochasticDepthProb = 0.3] = bind('swinV2S numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return swin(96, 18, 3, stochasticDepthProb, numClasses, true);
}

/**
 * Swin-B of the second version, of Liu et al. (2021).
 *
 * @throws `argument` for values that `SwinTransformer` does not take.
 *
 * @example
 * const model = models.swinV2B(10, 0.5);
 * [...model.namedParameters()].length; // 401
 */
export function swinV2B(numClasses?: number, stochasticDepthProb?: number): SwinTransformer;
export function swinV2B(options?: { numClasses?: number; stochasticDepthProb?: number }): SwinTransformer;
export function swinV2B(...args: unknown[]): SwinTransformer {
  const [numClasses = 1000, stochasticDepthProb = 0.5] = bind('swinV2B numClasses:int? stochasticDepthProb:number?', args) as [number | undefined, number | undefined];
  return swin(128, 18, 4, stochasticDepthProb, numClasses, true);
}
