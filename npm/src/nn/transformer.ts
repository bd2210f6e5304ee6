/** Transformer layers and stacks of them: modules that call their child modules, as in PyTorch. */
import { isArray } from '../tensor/arguments.js';
import { BuiltinModule } from './builtin.js';
import { describe, wrongArgument } from '../core/check.js';
import { ModuleList } from './containers.js';
import { LanthornError } from '../core/errors.js';
import { xavierUniform_ } from '../generated/init.js';
import { Module } from './module.js';
import * as printed from '../generated/modules.js';
import { MultiheadAttention } from './static.js';
import { full } from '../generated/operations.js';
import { scope } from '../tensor/scope.js';
import { handleOf, Tensor } from '../tensor/tensor.js';
import { upload } from '../tensor/upload.js';

/** An activation: its name, a module or a function. */
export type Activation = 'relu' | 'gelu' | Module | ((x: Tensor) => Tensor);

/** The result of an activation. */
function activate(activation: Activation, x: Tensor): Tensor {
  if (activation === 'relu') return x.relu();
  if (activation === 'gelu') return x.gelu();
  return activation instanceof Module ? (activation.call(x) as Tensor) : activation(x);
}

/** An argument of `forward` that is a tensor, or an array of numbers. */
function tensorOf(op: string, name: string, value: unknown): Tensor {
  if (isArray(value)) return Tensor.fromCore(upload(value));
  handleOf(op, name, value);
  return value as Tensor;
}

/** An activation as an argument of a constructor. */
function activationOf(op: string, value: unknown): Activation {
  if (value === undefined || value === null) return 'relu';
  if (value === 'relu' || value === 'gelu' || value instanceof Module || typeof value === 'function') return value as Activation;
  throw wrongArgument(op, 'activation', '"relu", "gelu", a module or a function', typeof value === 'string' ? JSON.stringify(value) : describe(value));
}

function moduleOf(op: string, name: string, value: unknown): Module {
  if (value instanceof Module) return value;
  throw wrongArgument(op, name, 'a module', describe(value));
}

/** The sizes and options of a layer, with PyTorch's defaults. */
type LayerValues = [
  dModel: number, nhead: number, dimFeedforward: number | undefined, dropout: number | undefined, activation: unknown,
  layerNormEps: number | undefined, batchFirst: boolean | undefined, normFirst: boolean | undefined, bias: boolean | undefined,
];

/** What encoder and decoder layers share. */
interface Layer {
  readonly linear1: printed.Linear;
  readonly linear2: printed.Linear;
  readonly dropout: printed.Dropout;
  activation: Activation;
  normFirst: boolean;
}

/** The classes whose modules keep no results. */
const KNOWN = new Set<Function>([MultiheadAttention, printed.Linear, printed.LayerNorm, printed.Dropout]);

/**
 * Runs the layers of a module so that intermediate results end with the call, which lets operations
 * be fused; not where a hook or a class of the program sees them.
 */
function within(activation: Activation, children: readonly Module[], run: () => Tensor): Tensor {
  if (typeof activation !== 'string') return run();
  for (const child of children) if (!KNOWN.has(child.constructor) || child.hookCount > 0) return run();
  return scope(run);
}

/** The residual block `x + dropout(f(x))`, with the norm applied before `f` or to the sum. */
function residual(layer: Layer, x: Tensor, norm: printed.LayerNorm, dropout: printed.Dropout, f: (x: Tensor) => Tensor): Tensor {
  return layer.normFirst ? x.add(dropout.call(f(norm.call(x)))) : norm.call(x.add(dropout.call(f(x))));
}

/** Two linear layers, with an activation and dropout between them. */
function feedForward({ linear1, linear2, dropout, activation }: Layer, x: Tensor): Tensor {
  return linear2.call(dropout.call(activate(activation, linear1.call(x))));
}

/**
 * The children of a layer by their names in state dicts, in the order in which their parameters are
 * drawn.
 */
function* childrenOf(values: LayerValues, attentions: readonly string[]): Generator<[string, Module]> {
  const [dModel, nhead, dimFeedforward = 2048, p = 0.1, , eps = 1e-5, batchFirst = false, , bias = true] = values;
  for (const name of attentions) yield [name, new MultiheadAttention(dModel, nhead, { dropout: p, bias, batchFirst })];
  yield ['linear1', new printed.Linear(dModel, dimFeedforward, { bias })];
  yield ['dropout', new printed.Dropout({ p })];
  yield ['linear2', new printed.Linear(dimFeedforward, dModel, { bias })];
  const numbers = Array.from({ length: attentions.length + 1 }, (_, index) => index + 1);
  for (const number of numbers) yield [`norm${number}`, new printed.LayerNorm(dModel, { eps, bias })];
  for (const number of numbers) yield [`dropout${number}`, new printed.Dropout({ p })];
}

export class TransformerEncoderLayer extends printed.TransformerEncoderLayer {
  static override readonly name: string = 'TransformerEncoderLayer';
  declare readonly selfAttn: MultiheadAttention;
  declare readonly linear1: printed.Linear;
  declare readonly dropout: printed.Dropout;
  declare readonly linear2: printed.Linear;
  declare readonly norm1: printed.LayerNorm;
  declare readonly norm2: printed.LayerNorm;
  declare readonly dropout1: printed.Dropout;
  declare readonly dropout2: printed.Dropout;
  /** The activation of the feed-forward network. */
  declare activation: Activation;
  /** Whether a norm is applied before a block, and not after its residual connection. */
  declare normFirst: boolean;

  /** @internal */
  protected override build(values: readonly unknown[]): void {
    for (const [name, module] of childrenOf(values as unknown as LayerValues, ['self_attn'])) this.addChild(name, module);
    this.activation = activationOf(this.constructor.name, values[4]);
    this.normFirst = values[7] === true;
  }

  /** @internal */
  protected override compute([src, attnMask, keyPaddingMask, isCausal]: readonly unknown[]): Tensor {
    const masks = { attnMask, keyPaddingMask, isCausal, needWeights: false } as never;
    const { selfAttn, linear1, dropout, linear2, norm1, norm2, dropout1, dropout2 } = this;
    return within(this.activation, [selfAttn, linear1, dropout, linear2, norm1, norm2, dropout1, dropout2], () => {
      const x = residual(this, tensorOf(this.constructor.name, 'src', src), this.norm1, this.dropout1, (x) => this.selfAttn.call(x, x, x, masks)[0]);
      return residual(this, x, this.norm2, this.dropout2, (x) => feedForward(this, x));
    });
  }
}

export class TransformerDecoderLayer extends printed.TransformerDecoderLayer {
  static override readonly name: string = 'TransformerDecoderLayer';
  declare readonly selfAttn: MultiheadAttention;
  declare readonly multiheadAttn: MultiheadAttention;
  declare readonly linear1: printed.Linear;
  declare readonly dropout: printed.Dropout;
  declare readonly linear2: printed.Linear;
  declare readonly norm1: printed.LayerNorm;
  declare readonly norm2: printed.LayerNorm;
  declare readonly norm3: printed.LayerNorm;
  declare readonly dropout1: printed.Dropout;
  declare readonly dropout2: printed.Dropout;
  declare readonly dropout3: printed.Dropout;
  /** The activation of the feed-forward network. */
  declare activation: Activation;
  /** Whether a norm is applied before a block, and not after its residual connection. */
  declare normFirst: boolean;

  /** @internal */
  protected override build(values: readonly unknown[]): void {
    const children = childrenOf(values as unknown as LayerValues, ['self_attn', 'multihead_attn']);
    for (const [name, module] of children) this.addChild(name, module);
    this.activation = activationOf(this.constructor.name, values[4]);
    this.normFirst = values[7] === true;
  }

  /** @internal */
  protected override compute(inputs: readonly unknown[]): Tensor {
    const [tgt, memory, tgtMask, memoryMask, tgtPadding, memoryPadding, tgtIsCausal, memoryIsCausal] = inputs;
    const own = { attnMask: tgtMask, keyPaddingMask: tgtPadding, isCausal: tgtIsCausal, needWeights: false } as never;
    const other = { attnMask: memoryMask, keyPaddingMask: memoryPadding, isCausal: memoryIsCausal, needWeights: false } as never;
    const source = tensorOf(this.constructor.name, 'memory', memory);
    const target = tensorOf(this.constructor.name, 'tgt', tgt);
    const { selfAttn, multiheadAttn, linear1, dropout, linear2, norm1, norm2, norm3, dropout1, dropout2, dropout3 } = this;
    const children = [selfAttn, multiheadAttn, linear1, dropout, linear2, norm1, norm2, norm3, dropout1, dropout2, dropout3];
    return within(this.activation, children, () => {
      let x = residual(this, target, this.norm1, this.dropout1, (x) => this.selfAttn.call(x, x, x, own)[0]);
      x = residual(this, x, this.norm2, this.dropout2, (x) => this.multiheadAttn.call(x, source, source, other)[0]);
      return residual(this, x, this.norm3, this.dropout3, (x) => feedForward(this, x));
    });
  }
}

/** Copies of a layer: of this class, or a module that takes its arguments. */
function copies(op: string, name: string, Layer: abstract new (...args: never[]) => Module, layer: unknown, count: unknown): ModuleList {
  const first = moduleOf(op, name, layer);
  if (first instanceof BuiltinModule && !(first instanceof Layer)) {
    throw wrongArgument(op, name, `a ${Layer.name}`, describe(layer));
  }
  if (!Number.isInteger(count) || (count as number) < 0) throw wrongArgument(op, 'numLayers', 'a whole number', typeof count === 'number' ? count : describe(count));
  return new ModuleList(Array.from({ length: count as number }, () => first.clone()));
}

/** A stack's result, after its norm if it has one. */
const normalize = (norm: Module | null, x: Tensor): Tensor => (norm ? (norm.call(x) as Tensor) : x);

export class TransformerEncoder extends printed.TransformerEncoder {
  static override readonly name: string = 'TransformerEncoder';
  declare readonly layers: ModuleList<TransformerEncoderLayer>;
  /** The number of layers. */
  declare readonly numLayers: number;
  declare norm: Module | null;

  /** @internal */
  protected override build([layer, count, norm]: readonly unknown[]): void {
    const op = this.constructor.name;
    this.addChild('layers', copies(op, 'encoderLayer', TransformerEncoderLayer, layer, count));
    Object.assign(this, { numLayers: count, norm: norm === undefined || norm === null ? null : moduleOf(op, 'norm', norm) });
  }

  /** @internal */
  protected override compute([src, srcMask, srcKeyPaddingMask, isCausal]: readonly unknown[]): Tensor {
    let x = tensorOf(this.constructor.name, 'src', src);
    // Without the argument PyTorch inspects the mask; the result is the same.
    const masks = { srcMask, srcKeyPaddingMask, isCausal: isCausal ?? false } as never;
    for (const layer of this.layers) x = layer.call(x, masks);
    return normalize(this.norm, x);
  }
}

export class TransformerDecoder extends printed.TransformerDecoder {
  static override readonly name: string = 'TransformerDecoder';
  declare readonly layers: ModuleList<TransformerDecoderLayer>;
  /** The number of layers. */
  declare readonly numLayers: number;
  declare norm: Module | null;

  /** @internal */
  protected override build([layer, count, norm]: readonly unknown[]): void {
    const op = this.constructor.name;
    this.addChild('layers', copies(op, 'decoderLayer', TransformerDecoderLayer, layer, count));
    Object.assign(this, { numLayers: count, norm: norm === undefined || norm === null ? null : moduleOf(op, 'norm', norm) });
  }

  /** @internal */
  protected override compute(inputs: readonly unknown[]): Tensor {
    const [tgt, memory, tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal] = inputs;
    const masks = { tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal: tgtIsCausal ?? false, memoryIsCausal } as never;
    const source = tensorOf(this.constructor.name, 'memory', memory);
    let x = tensorOf(this.constructor.name, 'tgt', tgt);
    for (const layer of this.layers) x = layer.call(x, source, masks);
    return normalize(this.norm, x);
  }
}

export class Transformer extends printed.Transformer {
  static override readonly name: string = 'Transformer';
  declare readonly encoder: TransformerEncoder;
  declare readonly decoder: TransformerDecoder;
  declare readonly dModel: number;
  declare readonly nhead: number;
  declare readonly batchFirst: boolean;

  /**
   * The causal mask `[size, size]`: 0 for a position itself and those before it, minus infinity
   * elsewhere.
   */
  static generateSquareSubsequentMask(size: number): Tensor {
    return full([size, size], -Infinity).triu(1);
  }

  /** @internal */
  protected override build(values: readonly unknown[]): void {
    const [dModel = 512, nhead = 8, encoderLayers = 6, decoderLayers = 6, dimFeedforward, dropout, activation, encoder, decoder, ...rest] = values as number[];
    const op = this.constructor.name;
    const [layerNormEps = 1e-5, batchFirst, normFirst, bias] = rest as unknown as [number | undefined, ...(boolean | undefined)[]];
    const options = { dimFeedforward, dropout, activation: activation as unknown as 'relu', layerNormEps, batchFirst, normFirst, bias };
    const norm = (): printed.LayerNorm => new printed.LayerNorm(dModel, { eps: layerNormEps, bias });
    const own = (name: string, given: unknown, make: () => Module): Module => (given === undefined || given === null ? make() : moduleOf(op, name, given));
    this.addChild('encoder', own('customEncoder', encoder, () => new TransformerEncoder(new TransformerEncoderLayer(dModel, nhead, options), encoderLayers, { norm: norm() })));
    this.addChild('decoder', own('customDecoder', decoder, () => new TransformerDecoder(new TransformerDecoderLayer(dModel, nhead, options), decoderLayers, { norm: norm() })));
    Object.assign(this, { dModel, nhead, batchFirst: batchFirst === true });
    for (const weight of this.parameters()) if (weight.shape.length > 1) xavierUniform_(weight);
  }

  /** @internal */
  protected override compute(inputs: readonly unknown[]): Tensor {
    const [given, wanted, srcMask, tgtMask, memoryMask, srcKeyPaddingMask, tgtKeyPaddingMask, memoryKeyPaddingMask, ...causal] = inputs;
    const op = this.constructor.name;
    const [src, tgt] = [tensorOf(op, 'src', given), tensorOf(op, 'tgt', wanted)];
    const [srcIsCausal, tgtIsCausal, memoryIsCausal] = causal;
    const [rank, batch] = [src.shape.length, this.batchFirst ? 0 : 1];
    const isAlike = rank === tgt.shape.length && (rank === 2 || rank === 3)
      && [src, tgt].every(({ shape }) => shape.at(-1) === this.dModel) && (rank === 2 || src.shape[batch] === tgt.shape[batch]);
    if (!isAlike) {
      throw new LanthornError('shape', op, `src and tgt need the same batch and a last size of ${this.dModel}, not shapes [${src.shape.join(', ')}] and [${tgt.shape.join(', ')}]`);
    }
    const memory = this.encoder.call(src, { mask: srcMask, srcKeyPaddingMask, isCausal: srcIsCausal } as never);
    const masks = { tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal } as never;
    return this.decoder.call(tgt, memory, masks);
  }
}
