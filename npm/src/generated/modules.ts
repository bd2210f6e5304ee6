// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { BuiltinModule, UnaryModule, type Inferred } from '../nn/builtin.js';
import type { Module } from '../nn/module.js';
import type { Tensor, TensorLike } from '../tensor/tensor.js';
import type { DType, Scalar } from '../core/types.js';

/**
 * `x @ weight.T + bias`. `x: [.., in_features]`, the result `[.., out_features]`.
 * @param bias default true
 */
export class Linear extends UnaryModule {
  static override readonly name: string = 'Linear';
  /** @internal */
  static override readonly layer: string = '0;Linear inFeatures outFeatures bias=true;^input;;423 0 .weight .bias';
  declare inFeatures: number;
  declare outFeatures: number;
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(inFeatures: number, outFeatures: number, bias?: boolean, options?: { dtype?: DType | null });
  constructor(inFeatures: number, outFeatures: number, options?: { bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `Linear` that takes `inFeatures` from the input of its first call, which makes its parameters.
 * @param bias default true
 */
export class LazyLinear extends Linear {
  static override readonly name: string = 'LazyLinear';
  /** @internal */
  static override readonly inferred: Inferred = ['inFeatures', 0];
  constructor(outFeatures: number, bias?: boolean, options?: { dtype?: DType | null });
  constructor(outFeatures: number, options?: { bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof Linear>)); }
}

/**
 * `x1 @ weight[i] @ x2 + bias[i]` for each output `i`.
 * @param bias default true
 */
export class Bilinear extends BuiltinModule {
  static override readonly name: string = 'Bilinear';
  /** @internal */
  static override readonly layer: string = '1;Bilinear in1Features in2Features outFeatures bias=true;^input1 ^input2;;327 0 1 .weight .bias';
  declare in1Features: number;
  declare in2Features: number;
  declare outFeatures: number;
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(in1Features: number, in2Features: number, outFeatures: number, bias?: boolean, options?: { dtype?: DType | null });
  constructor(in1Features: number, in2Features: number, outFeatures: number, options?: { bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface Bilinear {
  forward(input1: TensorLike, input2: TensorLike): Tensor;
}

/**
 * The rows of a table at the indices (int32). `x: [..]`, the result `[.., embeddingDim]`.
 * @param paddingIdx default null
 * @param maxNorm default null
 * @param normType default 2.0
 * @param scaleGradByFreq default false
 * @param sparse default false
 * @param _weight default null
 * @param _freeze default false
 */
export class Embedding extends UnaryModule {
  static override readonly name: string = 'Embedding';
  /** @internal */
  static override readonly layer: string = '2;Embedding numEmbeddings embeddingDim paddingIdx=null maxNorm=null normType=2.0 scaleGradByFreq=false sparse=false ^_weight=null _freeze=false;^input;;328 .weight 0 .paddingIdx .maxNorm .normType .scaleGradByFreq';
  declare numEmbeddings: number;
  declare embeddingDim: number;
  declare paddingIdx: number | null;
  declare maxNorm: number | null;
  declare normType: number;
  declare scaleGradByFreq: boolean;
  declare sparse: boolean;
  declare weight: Tensor;
  constructor(numEmbeddings: number, embeddingDim: number, paddingIdx?: number | null, maxNorm?: number | null, normType?: number, scaleGradByFreq?: boolean, sparse?: boolean, _weight?: TensorLike | null, _freeze?: boolean, options?: { dtype?: DType | null });
  constructor(numEmbeddings: number, embeddingDim: number, options?: { paddingIdx?: number | null; maxNorm?: number | null; normType?: number; scaleGradByFreq?: boolean; sparse?: boolean; _weight?: TensorLike | null; _freeze?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The sum, the mean or the maximum of the rows of a table in each bag of indices (int32). Each row of `input: [B, n]` is a bag. If `input` is a vector `[n]`, bag `i` begins at position `offsets[i]`, with `offsets: [B]`. The result is `[B, embeddingDim]`.
 * @param maxNorm default null
 * @param normType default 2.0
 * @param scaleGradByFreq default false
 * @param mode default "mean"
 * @param sparse default false
 * @param _weight default null
 * @param includeLastOffset default false
 * @param paddingIdx default null
 * @param _freeze default false
 */
export class EmbeddingBag extends BuiltinModule {
  static override readonly name: string = 'EmbeddingBag';
  /** @internal */
  static override readonly layer: string = '3;EmbeddingBag numEmbeddings embeddingDim maxNorm=null normType=2.0 scaleGradByFreq=false mode="mean" sparse=false ^_weight=null includeLastOffset=false paddingIdx=null _freeze=false;^input ^offsets ^perSampleWeights;';
  declare numEmbeddings: number;
  declare embeddingDim: number;
  declare maxNorm: number | null;
  declare normType: number;
  declare scaleGradByFreq: boolean;
  declare mode: 'sum' | 'mean' | 'max';
  declare sparse: boolean;
  declare includeLastOffset: boolean;
  declare paddingIdx: number | null;
  declare weight: Tensor;
  constructor(numEmbeddings: number, embeddingDim: number, maxNorm?: number | null, normType?: number, scaleGradByFreq?: boolean, mode?: 'sum' | 'mean' | 'max', sparse?: boolean, _weight?: TensorLike | null, includeLastOffset?: boolean, paddingIdx?: number | null, _freeze?: boolean, options?: { dtype?: DType | null });
  constructor(numEmbeddings: number, embeddingDim: number, options?: { maxNorm?: number | null; normType?: number; scaleGradByFreq?: boolean; mode?: 'sum' | 'mean' | 'max'; sparse?: boolean; _weight?: TensorLike | null; includeLastOffset?: boolean; paddingIdx?: number | null; _freeze?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface EmbeddingBag {
  forward(input: TensorLike, offsets?: TensorLike | null, perSampleWeights?: TensorLike | null): Tensor;
  forward(input: TensorLike, options?: { offsets?: TensorLike | null; perSampleWeights?: TensorLike | null }): Tensor;
}

/**
 * Layers of an Elman network. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`, or the data of packed sequences with their `batchSizes`; `hx`, and the last states: `[numLayers * D, B, hiddenSize]` with D directions.
 * @param numLayers default 1
 * @param nonlinearity default "tanh"
 * @param bias default true
 * @param batchFirst default false
 * @param dropout default 0.0
 * @param bidirectional default false
 */
export class RNN extends BuiltinModule {
  static override readonly name: string = 'RNN';
  /** @internal */
  static override readonly layer: string = '4;RNN inputSize hiddenSize numLayers=1 nonlinearity="tanh" bias=true batchFirst=false dropout=0.0 bidirectional=false;^input ^hx|batchSizes;output,hN';
  declare inputSize: number;
  declare hiddenSize: number;
  declare numLayers: number;
  declare nonlinearity: 'tanh' | 'relu';
  declare bias: boolean;
  declare batchFirst: boolean;
  declare dropout: number;
  declare bidirectional: boolean;
  constructor(inputSize: number, hiddenSize: number, numLayers?: number, nonlinearity?: 'tanh' | 'relu', bias?: boolean, batchFirst?: boolean, dropout?: number, bidirectional?: boolean);
  constructor(inputSize: number, hiddenSize: number, options?: { numLayers?: number; nonlinearity?: 'tanh' | 'relu'; bias?: boolean; batchFirst?: boolean; dropout?: number; bidirectional?: boolean });
  constructor(...args: unknown[]) { super(args); }
}
export interface RNN {
  forward(input: TensorLike, hx?: TensorLike | null, options?: { batchSizes?: number | readonly number[] | null }): [Tensor, Tensor] & { output: Tensor; hN: Tensor };
  forward(input: TensorLike, options?: { hx?: TensorLike | null; batchSizes?: number | readonly number[] | null }): [Tensor, Tensor] & { output: Tensor; hN: Tensor };
}

/**
 * Layers of long short-term memory. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`, or the data of packed sequences with their `batchSizes`; `hx`, and the last states: `[h, c]`, each `[numLayers * D, B, hiddenSize]` with D directions; h has `projSize` instead of `hiddenSize` if that is not 0.
 * @param numLayers default 1
 * @param bias default true
 * @param batchFirst default false
 * @param dropout default 0.0
 * @param bidirectional default false
 * @param projSize default 0
 */
export class LSTM extends BuiltinModule {
  static override readonly name: string = 'LSTM';
  /** @internal */
  static override readonly layer: string = '5;LSTM inputSize hiddenSize numLayers=1 bias=true batchFirst=false dropout=0.0 bidirectional=false projSize=0;^input hx|batchSizes;output,states[2]';
  declare inputSize: number;
  declare hiddenSize: number;
  declare numLayers: number;
  declare bias: boolean;
  declare batchFirst: boolean;
  declare dropout: number;
  declare bidirectional: boolean;
  declare projSize: number;
  constructor(inputSize: number, hiddenSize: number, numLayers?: number, bias?: boolean, batchFirst?: boolean, dropout?: number, bidirectional?: boolean, projSize?: number);
  constructor(inputSize: number, hiddenSize: number, options?: { numLayers?: number; bias?: boolean; batchFirst?: boolean; dropout?: number; bidirectional?: boolean; projSize?: number });
  constructor(...args: unknown[]) { super(args); }
}
export interface LSTM {
  forward(input: TensorLike, hx?: readonly Tensor[] | null, options?: { batchSizes?: number | readonly number[] | null }): [Tensor, [Tensor, Tensor]] & { output: Tensor; states: [Tensor, Tensor] };
  forward(input: TensorLike, options?: { hx?: readonly Tensor[] | null; batchSizes?: number | readonly number[] | null }): [Tensor, [Tensor, Tensor]] & { output: Tensor; states: [Tensor, Tensor] };
}

/**
 * Layers of gated recurrent units. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`, or the data of packed sequences with their `batchSizes`; `hx`, and the last states: `[numLayers * D, B, hiddenSize]` with D directions.
 * @param numLayers default 1
 * @param bias default true
 * @param batchFirst default false
 * @param dropout default 0.0
 * @param bidirectional default false
 */
export class GRU extends BuiltinModule {
  static override readonly name: string = 'GRU';
  /** @internal */
  static override readonly layer: string = '6;GRU inputSize hiddenSize numLayers=1 bias=true batchFirst=false dropout=0.0 bidirectional=false;^input ^hx|batchSizes;output,hN';
  declare inputSize: number;
  declare hiddenSize: number;
  declare numLayers: number;
  declare bias: boolean;
  declare batchFirst: boolean;
  declare dropout: number;
  declare bidirectional: boolean;
  constructor(inputSize: number, hiddenSize: number, numLayers?: number, bias?: boolean, batchFirst?: boolean, dropout?: number, bidirectional?: boolean);
  constructor(inputSize: number, hiddenSize: number, options?: { numLayers?: number; bias?: boolean; batchFirst?: boolean; dropout?: number; bidirectional?: boolean });
  constructor(...args: unknown[]) { super(args); }
}
export interface GRU {
  forward(input: TensorLike, hx?: TensorLike | null, options?: { batchSizes?: number | readonly number[] | null }): [Tensor, Tensor] & { output: Tensor; hN: Tensor };
  forward(input: TensorLike, options?: { hx?: TensorLike | null; batchSizes?: number | readonly number[] | null }): [Tensor, Tensor] & { output: Tensor; hN: Tensor };
}

/**
 * One step of an `RNN`. `input: [B, inputSize]`, `hx` and the result `[B, hiddenSize]`, or all without B.
 * @param bias default true
 * @param nonlinearity default "tanh"
 */
export class RNNCell extends BuiltinModule {
  static override readonly name: string = 'RNNCell';
  /** @internal */
  static override readonly layer: string = '7;RNNCell inputSize hiddenSize bias=true nonlinearity="tanh";^input ^hx;';
  declare inputSize: number;
  declare hiddenSize: number;
  declare bias: boolean;
  declare nonlinearity: 'tanh' | 'relu';
  constructor(inputSize: number, hiddenSize: number, bias?: boolean, nonlinearity?: 'tanh' | 'relu');
  constructor(inputSize: number, hiddenSize: number, options?: { bias?: boolean; nonlinearity?: 'tanh' | 'relu' });
  constructor(...args: unknown[]) { super(args); }
}
export interface RNNCell {
  forward(input: TensorLike, hx?: TensorLike | null): Tensor;
  forward(input: TensorLike, options?: { hx?: TensorLike | null }): Tensor;
}

/**
 * One step of an `LSTM`. `input: [B, inputSize]`, `hx` and the result `[h, c]`, each `[B, hiddenSize]`, or all without B.
 * @param bias default true
 */
export class LSTMCell extends BuiltinModule {
  static override readonly name: string = 'LSTMCell';
  /** @internal */
  static override readonly layer: string = '8;LSTMCell inputSize hiddenSize bias=true;^input hx;h,c';
  declare inputSize: number;
  declare hiddenSize: number;
  declare bias: boolean;
  constructor(inputSize: number, hiddenSize: number, bias?: boolean);
  constructor(inputSize: number, hiddenSize: number, options?: { bias?: boolean });
  constructor(...args: unknown[]) { super(args); }
}
export interface LSTMCell {
  forward(input: TensorLike, hx?: readonly Tensor[] | null): [Tensor, Tensor] & { h: Tensor; c: Tensor };
  forward(input: TensorLike, options?: { hx?: readonly Tensor[] | null }): [Tensor, Tensor] & { h: Tensor; c: Tensor };
}

/**
 * One step of a `GRU`. `input: [B, inputSize]`, `hx` and the result `[B, hiddenSize]`, or all without B.
 * @param bias default true
 */
export class GRUCell extends BuiltinModule {
  static override readonly name: string = 'GRUCell';
  /** @internal */
  static override readonly layer: string = '9;GRUCell inputSize hiddenSize bias=true;^input ^hx;';
  declare inputSize: number;
  declare hiddenSize: number;
  declare bias: boolean;
  constructor(inputSize: number, hiddenSize: number, bias?: boolean);
  constructor(inputSize: number, hiddenSize: number, options?: { bias?: boolean });
  constructor(...args: unknown[]) { super(args); }
}
export interface GRUCell {
  forward(input: TensorLike, hx?: TensorLike | null): Tensor;
  forward(input: TensorLike, options?: { hx?: TensorLike | null }): Tensor;
}

/**
 * Multi-head attention with input and output projections. `query: [L, N, embedDim]`, `key: [S, N, kdim]`, `value: [S, N, vdim]`, with `batchFirst` N first, or all without N. The output has the shape of the query; the weights are `[N, L, S]`, and null without `needWeights`.
 * @param dropout default 0.0
 * @param bias default true
 * @param addBiasKv default false
 * @param addZeroAttn default false
 * @param kdim default null
 * @param vdim default null
 * @param batchFirst default false
 */
export class MultiheadAttention extends BuiltinModule {
  static override readonly name: string = 'MultiheadAttention';
  /** @internal */
  static override readonly layer: string = '10;MultiheadAttention embedDim numHeads dropout=0.0 bias=true addBiasKv=false addZeroAttn=false kdim=null vdim=null batchFirst=false;^query ^key ^value ^keyPaddingMask needWeights ^attnMask averageAttnWeights isCausal;output,weights?';
  declare embedDim: number;
  declare numHeads: number;
  declare dropout: number;
  declare bias: boolean;
  declare addBiasKv: boolean;
  declare addZeroAttn: boolean;
  declare kdim: number | null;
  declare vdim: number | null;
  declare batchFirst: boolean;
  declare inProjWeight: Tensor | undefined;
  declare qProjWeight: Tensor | undefined;
  declare kProjWeight: Tensor | undefined;
  declare vProjWeight: Tensor | undefined;
  declare inProjBias: Tensor | undefined;
  declare biasK: Tensor | undefined;
  declare biasV: Tensor | undefined;
  constructor(embedDim: number, numHeads: number, dropout?: number, bias?: boolean, addBiasKv?: boolean, addZeroAttn?: boolean, kdim?: number | null, vdim?: number | null, batchFirst?: boolean, options?: { dtype?: DType | null });
  constructor(embedDim: number, numHeads: number, options?: { dropout?: number; bias?: boolean; addBiasKv?: boolean; addZeroAttn?: boolean; kdim?: number | null; vdim?: number | null; batchFirst?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface MultiheadAttention {
  forward(query: TensorLike, key: TensorLike, value: TensorLike, keyPaddingMask?: TensorLike | null, needWeights?: boolean, attnMask?: TensorLike | null, averageAttnWeights?: boolean, isCausal?: boolean): [Tensor, Tensor | null] & { output: Tensor; weights: Tensor | null };
  forward(query: TensorLike, key: TensorLike, value: TensorLike, options?: { keyPaddingMask?: TensorLike | null; needWeights?: boolean; attnMask?: TensorLike | null; averageAttnWeights?: boolean; isCausal?: boolean }): [Tensor, Tensor | null] & { output: Tensor; weights: Tensor | null };
}

/**
 * Self-attention and a feed-forward network, each with a residual connection and a norm. `src`, and the result: `[S, N, dModel]`, `[N, S, dModel]` with `batchFirst`, or `[S, dModel]`.
 * @param dimFeedforward default 2048
 * @param dropout default 0.1
 * @param activation default "relu"
 * @param layerNormEps default 1e-5
 * @param batchFirst default false
 * @param normFirst default false
 * @param bias default true
 */
export class TransformerEncoderLayer extends BuiltinModule {
  static override readonly name: string = 'TransformerEncoderLayer';
  /** @internal */
  static override readonly layer: string = '11;TransformerEncoderLayer dModel nhead dimFeedforward=2048 dropout=0.1 activation="relu" layerNormEps=1e-5 batchFirst=false normFirst=false bias=true;^src ^srcMask ^srcKeyPaddingMask isCausal;';
  constructor(dModel: number, nhead: number, dimFeedforward?: number, dropout?: number, activation?: Module | 'relu' | 'gelu' | ((x: Tensor) => Tensor), layerNormEps?: number, batchFirst?: boolean, normFirst?: boolean, bias?: boolean);
  constructor(dModel: number, nhead: number, options?: { dimFeedforward?: number; dropout?: number; activation?: Module | 'relu' | 'gelu' | ((x: Tensor) => Tensor); layerNormEps?: number; batchFirst?: boolean; normFirst?: boolean; bias?: boolean });
  constructor(...args: unknown[]) { super(args, false); }
}
export interface TransformerEncoderLayer {
  forward(src: TensorLike, srcMask?: TensorLike | null, srcKeyPaddingMask?: TensorLike | null, isCausal?: boolean): Tensor;
  forward(src: TensorLike, options?: { srcMask?: TensorLike | null; srcKeyPaddingMask?: TensorLike | null; isCausal?: boolean }): Tensor;
}

/**
 * Self-attention, attention to an encoder's memory, and a feed-forward network, each with a residual connection and a norm. `tgt`, and the result: `[T, N, dModel]`, `[N, T, dModel]` with `batchFirst`, or `[T, dModel]`; `memory` has S instead of T.
 * @param dimFeedforward default 2048
 * @param dropout default 0.1
 * @param activation default "relu"
 * @param layerNormEps default 1e-5
 * @param batchFirst default false
 * @param normFirst default false
 * @param bias default true
 */
export class TransformerDecoderLayer extends BuiltinModule {
  static override readonly name: string = 'TransformerDecoderLayer';
  /** @internal */
  static override readonly layer: string = '12;TransformerDecoderLayer dModel nhead dimFeedforward=2048 dropout=0.1 activation="relu" layerNormEps=1e-5 batchFirst=false normFirst=false bias=true;^tgt ^memory ^tgtMask ^memoryMask ^tgtKeyPaddingMask ^memoryKeyPaddingMask tgtIsCausal memoryIsCausal;';
  constructor(dModel: number, nhead: number, dimFeedforward?: number, dropout?: number, activation?: Module | 'relu' | 'gelu' | ((x: Tensor) => Tensor), layerNormEps?: number, batchFirst?: boolean, normFirst?: boolean, bias?: boolean);
  constructor(dModel: number, nhead: number, options?: { dimFeedforward?: number; dropout?: number; activation?: Module | 'relu' | 'gelu' | ((x: Tensor) => Tensor); layerNormEps?: number; batchFirst?: boolean; normFirst?: boolean; bias?: boolean });
  constructor(...args: unknown[]) { super(args, false); }
}
export interface TransformerDecoderLayer {
  forward(tgt: TensorLike, memory: TensorLike, tgtMask?: TensorLike | null, memoryMask?: TensorLike | null, tgtKeyPaddingMask?: TensorLike | null, memoryKeyPaddingMask?: TensorLike | null, tgtIsCausal?: boolean, memoryIsCausal?: boolean): Tensor;
  forward(tgt: TensorLike, memory: TensorLike, options?: { tgtMask?: TensorLike | null; memoryMask?: TensorLike | null; tgtKeyPaddingMask?: TensorLike | null; memoryKeyPaddingMask?: TensorLike | null; tgtIsCausal?: boolean; memoryIsCausal?: boolean }): Tensor;
}

/**
 * A stack of copies of a `TransformerEncoderLayer`, and an optional norm. `enableNestedTensor` and `maskCheck` select among equivalent implementations in PyTorch, and have no effect here.
 * @param norm default null
 * @param enableNestedTensor default true
 * @param maskCheck default true
 */
export class TransformerEncoder extends BuiltinModule {
  static override readonly name: string = 'TransformerEncoder';
  /** @internal */
  static override readonly layer: string = '13;TransformerEncoder encoderLayer numLayers norm=null enableNestedTensor=true maskCheck=true;^src ^mask ^srcKeyPaddingMask isCausal;';
  constructor(encoderLayer: Module, numLayers: number, norm?: Module | null, enableNestedTensor?: boolean, maskCheck?: boolean);
  constructor(encoderLayer: Module, numLayers: number, options?: { norm?: Module | null; enableNestedTensor?: boolean; maskCheck?: boolean });
  constructor(...args: unknown[]) { super(args, false); }
}
export interface TransformerEncoder {
  forward(src: TensorLike, mask?: TensorLike | null, srcKeyPaddingMask?: TensorLike | null, isCausal?: boolean | null): Tensor;
  forward(src: TensorLike, options?: { mask?: TensorLike | null; srcKeyPaddingMask?: TensorLike | null; isCausal?: boolean | null }): Tensor;
}

/**
 * A stack of copies of a `TransformerDecoderLayer`, and an optional norm.
 * @param norm default null
 */
export class TransformerDecoder extends BuiltinModule {
  static override readonly name: string = 'TransformerDecoder';
  /** @internal */
  static override readonly layer: string = '14;TransformerDecoder decoderLayer numLayers norm=null;^tgt ^memory ^tgtMask ^memoryMask ^tgtKeyPaddingMask ^memoryKeyPaddingMask tgtIsCausal memoryIsCausal;';
  constructor(decoderLayer: Module, numLayers: number, norm?: Module | null);
  constructor(decoderLayer: Module, numLayers: number, options?: { norm?: Module | null });
  constructor(...args: unknown[]) { super(args, false); }
}
export interface TransformerDecoder {
  forward(tgt: TensorLike, memory: TensorLike, tgtMask?: TensorLike | null, memoryMask?: TensorLike | null, tgtKeyPaddingMask?: TensorLike | null, memoryKeyPaddingMask?: TensorLike | null, tgtIsCausal?: boolean | null, memoryIsCausal?: boolean): Tensor;
  forward(tgt: TensorLike, memory: TensorLike, options?: { tgtMask?: TensorLike | null; memoryMask?: TensorLike | null; tgtKeyPaddingMask?: TensorLike | null; memoryKeyPaddingMask?: TensorLike | null; tgtIsCausal?: boolean | null; memoryIsCausal?: boolean }): Tensor;
}

/**
 * An encoder, and a decoder that attends to its result. `src: [S, N, dModel]`, `tgt`, and the result: `[T, N, dModel]`, with `batchFirst` N first, or all without N.
 * @param dModel default 512
 * @param nhead default 8
 * @param numEncoderLayers default 6
 * @param numDecoderLayers default 6
 * @param dimFeedforward default 2048
 * @param dropout default 0.1
 * @param activation default "relu"
 * @param customEncoder default null
 * @param customDecoder default null
 * @param layerNormEps default 1e-5
 * @param batchFirst default false
 * @param normFirst default false
 * @param bias default true
 */
export class Transformer extends BuiltinModule {
  static override readonly name: string = 'Transformer';
  /** @internal */
  static override readonly layer: string = '15;Transformer dModel=512 nhead=8 numEncoderLayers=6 numDecoderLayers=6 dimFeedforward=2048 dropout=0.1 activation="relu" customEncoder=null customDecoder=null layerNormEps=1e-5 batchFirst=false normFirst=false bias=true;^src ^tgt ^srcMask ^tgtMask ^memoryMask ^srcKeyPaddingMask ^tgtKeyPaddingMask ^memoryKeyPaddingMask srcIsCausal tgtIsCausal memoryIsCausal;';
  constructor(dModel?: number, nhead?: number, numEncoderLayers?: number, numDecoderLayers?: number, dimFeedforward?: number, dropout?: number, activation?: Module | 'relu' | 'gelu' | ((x: Tensor) => Tensor), customEncoder?: Module | null, customDecoder?: Module | null, layerNormEps?: number, batchFirst?: boolean, normFirst?: boolean, bias?: boolean);
  constructor(options?: { dModel?: number; nhead?: number; numEncoderLayers?: number; numDecoderLayers?: number; dimFeedforward?: number; dropout?: number; activation?: Module | 'relu' | 'gelu' | ((x: Tensor) => Tensor); customEncoder?: Module | null; customDecoder?: Module | null; layerNormEps?: number; batchFirst?: boolean; normFirst?: boolean; bias?: boolean });
  constructor(...args: unknown[]) { super(args, false); }
}
export interface Transformer {
  forward(src: TensorLike, tgt: TensorLike, srcMask?: TensorLike | null, tgtMask?: TensorLike | null, memoryMask?: TensorLike | null, srcKeyPaddingMask?: TensorLike | null, tgtKeyPaddingMask?: TensorLike | null, memoryKeyPaddingMask?: TensorLike | null, srcIsCausal?: boolean | null, tgtIsCausal?: boolean | null, memoryIsCausal?: boolean): Tensor;
  forward(src: TensorLike, tgt: TensorLike, options?: { srcMask?: TensorLike | null; tgtMask?: TensorLike | null; memoryMask?: TensorLike | null; srcKeyPaddingMask?: TensorLike | null; tgtKeyPaddingMask?: TensorLike | null; memoryKeyPaddingMask?: TensorLike | null; srcIsCausal?: boolean | null; tgtIsCausal?: boolean | null; memoryIsCausal?: boolean }): Tensor;
}

/**
 * A convolution. `x: [N, in_channels, L]`; `padding` may be `"same"` or `"valid"`.
 * @param stride default 1
 * @param padding default 0
 * @param dilation default 1
 * @param groups default 1
 * @param bias default true
 * @param paddingMode default "zeros"
 */
export class Conv1d extends UnaryModule {
  static override readonly name: string = 'Conv1d';
  /** @internal */
  static override readonly layer: string = '16;Conv1d inChannels outChannels kernelSize:1 stride:1=1 padding:1=0 dilation:1=1 groups=1 bias=true paddingMode="zeros";^input;;299 ?paddingMode="zeros" 0 .weight .bias .stride .padding .dilation .groups';
  declare inChannels: number;
  declare outChannels: number;
  declare kernelSize: readonly number[];
  declare stride: readonly number[];
  declare padding: readonly number[] | 'valid' | 'same';
  declare dilation: readonly number[];
  declare groups: number;
  declare paddingMode: 'zeros' | 'reflect' | 'replicate' | 'circular';
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number, bias?: boolean, paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular', options?: { dtype?: DType | null });
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number; bias?: boolean; paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `Conv1d` that takes `inChannels` from the input of its first call, which makes its parameters.
 * @param stride default 1
 * @param padding default 0
 * @param dilation default 1
 * @param groups default 1
 * @param bias default true
 * @param paddingMode default "zeros"
 */
export class LazyConv1d extends Conv1d {
  static override readonly name: string = 'LazyConv1d';
  /** @internal */
  static override readonly inferred: Inferred = ['inChannels', 1];
  constructor(outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number, bias?: boolean, paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular', options?: { dtype?: DType | null });
  constructor(outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number; bias?: boolean; paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof Conv1d>)); }
}

/**
 * A transposed convolution, the gradient of a convolution with respect to its input. `x: [N, in_channels, L]`.
 * @param stride default 1
 * @param padding default 0
 * @param outputPadding default 0
 * @param groups default 1
 * @param bias default true
 * @param dilation default 1
 * @param paddingMode default "zeros"
 */
export class ConvTranspose1d extends BuiltinModule {
  static override readonly name: string = 'ConvTranspose1d';
  /** @internal */
  static override readonly layer: string = '17;ConvTranspose1d inChannels outChannels kernelSize:1 stride:1=1 padding:1=0 outputPadding:1=0 groups=1 bias=true dilation:1=1 paddingMode="zeros";^input outputSize;';
  declare inChannels: number;
  declare outChannels: number;
  declare kernelSize: readonly number[];
  declare stride: readonly number[];
  declare padding: readonly number[];
  declare outputPadding: readonly number[];
  declare groups: number;
  declare dilation: readonly number[];
  declare paddingMode: 'zeros';
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, bias?: boolean, dilation?: number | readonly number[], paddingMode?: 'zeros', options?: { dtype?: DType | null });
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; bias?: boolean; dilation?: number | readonly number[]; paddingMode?: 'zeros'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface ConvTranspose1d {
  forward(input: TensorLike, outputSize?: number | readonly number[] | null): Tensor;
  forward(input: TensorLike, options?: { outputSize?: number | readonly number[] | null }): Tensor;
}

/**
 * A `ConvTranspose1d` that takes `inChannels` from the input of its first call, which makes its parameters.
 * @param stride default 1
 * @param padding default 0
 * @param outputPadding default 0
 * @param groups default 1
 * @param bias default true
 * @param dilation default 1
 * @param paddingMode default "zeros"
 */
export class LazyConvTranspose1d extends ConvTranspose1d {
  static override readonly name: string = 'LazyConvTranspose1d';
  /** @internal */
  static override readonly inferred: Inferred = ['inChannels', 1];
  constructor(outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, bias?: boolean, dilation?: number | readonly number[], paddingMode?: 'zeros', options?: { dtype?: DType | null });
  constructor(outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; bias?: boolean; dilation?: number | readonly number[]; paddingMode?: 'zeros'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof ConvTranspose1d>)); }
}

/**
 * A convolution. `x: [N, in_channels, H, W]`; `padding` may be `"same"` or `"valid"`.
 * @param stride default 1
 * @param padding default 0
 * @param dilation default 1
 * @param groups default 1
 * @param bias default true
 * @param paddingMode default "zeros"
 */
export class Conv2d extends UnaryModule {
  static override readonly name: string = 'Conv2d';
  /** @internal */
  static override readonly layer: string = '18;Conv2d inChannels outChannels kernelSize:2 stride:2=1 padding:2=0 dilation:2=1 groups=1 bias=true paddingMode="zeros";^input;;300 ?paddingMode="zeros" 0 .weight .bias .stride .padding .dilation .groups';
  declare inChannels: number;
  declare outChannels: number;
  declare kernelSize: readonly number[];
  declare stride: readonly number[];
  declare padding: readonly number[] | 'valid' | 'same';
  declare dilation: readonly number[];
  declare groups: number;
  declare paddingMode: 'zeros' | 'reflect' | 'replicate' | 'circular';
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number, bias?: boolean, paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular', options?: { dtype?: DType | null });
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number; bias?: boolean; paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `Conv2d` that takes `inChannels` from the input of its first call, which makes its parameters.
 * @param stride default 1
 * @param padding default 0
 * @param dilation default 1
 * @param groups default 1
 * @param bias default true
 * @param paddingMode default "zeros"
 */
export class LazyConv2d extends Conv2d {
  static override readonly name: string = 'LazyConv2d';
  /** @internal */
  static override readonly inferred: Inferred = ['inChannels', 2];
  constructor(outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number, bias?: boolean, paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular', options?: { dtype?: DType | null });
  constructor(outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number; bias?: boolean; paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof Conv2d>)); }
}

/**
 * A transposed convolution, the gradient of a convolution with respect to its input. `x: [N, in_channels, H, W]`.
 * @param stride default 1
 * @param padding default 0
 * @param outputPadding default 0
 * @param groups default 1
 * @param bias default true
 * @param dilation default 1
 * @param paddingMode default "zeros"
 */
export class ConvTranspose2d extends BuiltinModule {
  static override readonly name: string = 'ConvTranspose2d';
  /** @internal */
  static override readonly layer: string = '19;ConvTranspose2d inChannels outChannels kernelSize:2 stride:2=1 padding:2=0 outputPadding:2=0 groups=1 bias=true dilation:2=1 paddingMode="zeros";^input outputSize;';
  declare inChannels: number;
  declare outChannels: number;
  declare kernelSize: readonly number[];
  declare stride: readonly number[];
  declare padding: readonly number[];
  declare outputPadding: readonly number[];
  declare groups: number;
  declare dilation: readonly number[];
  declare paddingMode: 'zeros';
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, bias?: boolean, dilation?: number | readonly number[], paddingMode?: 'zeros', options?: { dtype?: DType | null });
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; bias?: boolean; dilation?: number | readonly number[]; paddingMode?: 'zeros'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface ConvTranspose2d {
  forward(input: TensorLike, outputSize?: number | readonly number[] | null): Tensor;
  forward(input: TensorLike, options?: { outputSize?: number | readonly number[] | null }): Tensor;
}

/**
 * A `ConvTranspose2d` that takes `inChannels` from the input of its first call, which makes its parameters.
 * @param stride default 1
 * @param padding default 0
 * @param outputPadding default 0
 * @param groups default 1
 * @param bias default true
 * @param dilation default 1
 * @param paddingMode default "zeros"
 */
export class LazyConvTranspose2d extends ConvTranspose2d {
  static override readonly name: string = 'LazyConvTranspose2d';
  /** @internal */
  static override readonly inferred: Inferred = ['inChannels', 2];
  constructor(outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, bias?: boolean, dilation?: number | readonly number[], paddingMode?: 'zeros', options?: { dtype?: DType | null });
  constructor(outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; bias?: boolean; dilation?: number | readonly number[]; paddingMode?: 'zeros'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof ConvTranspose2d>)); }
}

/**
 * A convolution. `x: [N, in_channels, D, H, W]`; `padding` may be `"same"` or `"valid"`.
 * @param stride default 1
 * @param padding default 0
 * @param dilation default 1
 * @param groups default 1
 * @param bias default true
 * @param paddingMode default "zeros"
 */
export class Conv3d extends UnaryModule {
  static override readonly name: string = 'Conv3d';
  /** @internal */
  static override readonly layer: string = '20;Conv3d inChannels outChannels kernelSize:3 stride:3=1 padding:3=0 dilation:3=1 groups=1 bias=true paddingMode="zeros";^input;;301 ?paddingMode="zeros" 0 .weight .bias .stride .padding .dilation .groups';
  declare inChannels: number;
  declare outChannels: number;
  declare kernelSize: readonly number[];
  declare stride: readonly number[];
  declare padding: readonly number[] | 'valid' | 'same';
  declare dilation: readonly number[];
  declare groups: number;
  declare paddingMode: 'zeros' | 'reflect' | 'replicate' | 'circular';
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number, bias?: boolean, paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular', options?: { dtype?: DType | null });
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number; bias?: boolean; paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `Conv3d` that takes `inChannels` from the input of its first call, which makes its parameters.
 * @param stride default 1
 * @param padding default 0
 * @param dilation default 1
 * @param groups default 1
 * @param bias default true
 * @param paddingMode default "zeros"
 */
export class LazyConv3d extends Conv3d {
  static override readonly name: string = 'LazyConv3d';
  /** @internal */
  static override readonly inferred: Inferred = ['inChannels', 3];
  constructor(outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[] | 'valid' | 'same', dilation?: number | readonly number[], groups?: number, bias?: boolean, paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular', options?: { dtype?: DType | null });
  constructor(outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[] | 'valid' | 'same'; dilation?: number | readonly number[]; groups?: number; bias?: boolean; paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof Conv3d>)); }
}

/**
 * A transposed convolution, the gradient of a convolution with respect to its input. `x: [N, in_channels, D, H, W]`.
 * @param stride default 1
 * @param padding default 0
 * @param outputPadding default 0
 * @param groups default 1
 * @param bias default true
 * @param dilation default 1
 * @param paddingMode default "zeros"
 */
export class ConvTranspose3d extends BuiltinModule {
  static override readonly name: string = 'ConvTranspose3d';
  /** @internal */
  static override readonly layer: string = '21;ConvTranspose3d inChannels outChannels kernelSize:3 stride:3=1 padding:3=0 outputPadding:3=0 groups=1 bias=true dilation:3=1 paddingMode="zeros";^input outputSize;';
  declare inChannels: number;
  declare outChannels: number;
  declare kernelSize: readonly number[];
  declare stride: readonly number[];
  declare padding: readonly number[];
  declare outputPadding: readonly number[];
  declare groups: number;
  declare dilation: readonly number[];
  declare paddingMode: 'zeros';
  declare weight: Tensor;
  declare bias: Tensor | undefined;
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, bias?: boolean, dilation?: number | readonly number[], paddingMode?: 'zeros', options?: { dtype?: DType | null });
  constructor(inChannels: number, outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; bias?: boolean; dilation?: number | readonly number[]; paddingMode?: 'zeros'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface ConvTranspose3d {
  forward(input: TensorLike, outputSize?: number | readonly number[] | null): Tensor;
  forward(input: TensorLike, options?: { outputSize?: number | readonly number[] | null }): Tensor;
}

/**
 * A `ConvTranspose3d` that takes `inChannels` from the input of its first call, which makes its parameters.
 * @param stride default 1
 * @param padding default 0
 * @param outputPadding default 0
 * @param groups default 1
 * @param bias default true
 * @param dilation default 1
 * @param paddingMode default "zeros"
 */
export class LazyConvTranspose3d extends ConvTranspose3d {
  static override readonly name: string = 'LazyConvTranspose3d';
  /** @internal */
  static override readonly inferred: Inferred = ['inChannels', 3];
  constructor(outChannels: number, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], groups?: number, bias?: boolean, dilation?: number | readonly number[], paddingMode?: 'zeros', options?: { dtype?: DType | null });
  constructor(outChannels: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; groups?: number; bias?: boolean; dilation?: number | readonly number[]; paddingMode?: 'zeros'; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof ConvTranspose3d>)); }
}

/**
 * The largest value of each window and, with `return_indices`, its index. `x: [N, C, L]`; `stride`
 * defaults to `kernel_size`.
 * @param stride default null
 * @param padding default 0
 * @param dilation default 1
 * @param returnIndices default false
 * @param ceilMode default false
 */
export class MaxPool1d extends UnaryModule {
  static override readonly name: string = 'MaxPool1d';
  /** @internal */
  static override readonly layer: string = '22;MaxPool1d kernelSize stride=null padding=0 dilation=1 returnIndices=false ceilMode=false;^input;;154 ?returnIndices=false 0 .kernelSize .stride .padding .dilation .ceilMode';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  declare dilation: number | readonly number[];
  declare returnIndices: boolean;
  declare ceilMode: boolean;
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[], dilation?: number | readonly number[], returnIndices?: boolean, ceilMode?: boolean);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[]; dilation?: number | readonly number[]; returnIndices?: boolean; ceilMode?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The largest value of each window and, with `return_indices`, its index. `x: [N, C, H, W]`;
 * `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param padding default 0
 * @param dilation default 1
 * @param returnIndices default false
 * @param ceilMode default false
 */
export class MaxPool2d extends UnaryModule {
  static override readonly name: string = 'MaxPool2d';
  /** @internal */
  static override readonly layer: string = '23;MaxPool2d kernelSize stride=null padding=0 dilation=1 returnIndices=false ceilMode=false;^input;;155 ?returnIndices=false 0 .kernelSize .stride .padding .dilation .ceilMode';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  declare dilation: number | readonly number[];
  declare returnIndices: boolean;
  declare ceilMode: boolean;
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[], dilation?: number | readonly number[], returnIndices?: boolean, ceilMode?: boolean);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[]; dilation?: number | readonly number[]; returnIndices?: boolean; ceilMode?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The largest value of each window and, with `return_indices`, its index. `x: [N, C, D, H, W]`;
 * `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param padding default 0
 * @param dilation default 1
 * @param returnIndices default false
 * @param ceilMode default false
 */
export class MaxPool3d extends UnaryModule {
  static override readonly name: string = 'MaxPool3d';
  /** @internal */
  static override readonly layer: string = '24;MaxPool3d kernelSize stride=null padding=0 dilation=1 returnIndices=false ceilMode=false;^input;;156 ?returnIndices=false 0 .kernelSize .stride .padding .dilation .ceilMode';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  declare dilation: number | readonly number[];
  declare returnIndices: boolean;
  declare ceilMode: boolean;
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[], dilation?: number | readonly number[], returnIndices?: boolean, ceilMode?: boolean);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[]; dilation?: number | readonly number[]; returnIndices?: boolean; ceilMode?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Puts the values of a `MaxPool1d` back at their indices, with zeros elsewhere.
 * @param stride default null
 * @param padding default 0
 */
export class MaxUnpool1d extends BuiltinModule {
  static override readonly name: string = 'MaxUnpool1d';
  /** @internal */
  static override readonly layer: string = '25;MaxUnpool1d kernelSize stride=null padding=0;^input ^indices outputSize;;160 0 1 .kernelSize .stride .padding 2';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[]);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[] });
  constructor(...args: unknown[]) { super(args); }
}
export interface MaxUnpool1d {
  forward(input: TensorLike, indices: TensorLike, outputSize?: number | readonly number[] | null): Tensor;
  forward(input: TensorLike, indices: TensorLike, options?: { outputSize?: number | readonly number[] | null }): Tensor;
}

/**
 * Puts the values of a `MaxPool2d` back at their indices, with zeros elsewhere.
 * @param stride default null
 * @param padding default 0
 */
export class MaxUnpool2d extends BuiltinModule {
  static override readonly name: string = 'MaxUnpool2d';
  /** @internal */
  static override readonly layer: string = '26;MaxUnpool2d kernelSize stride=null padding=0;^input ^indices outputSize;;161 0 1 .kernelSize .stride .padding 2';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[]);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[] });
  constructor(...args: unknown[]) { super(args); }
}
export interface MaxUnpool2d {
  forward(input: TensorLike, indices: TensorLike, outputSize?: number | readonly number[] | null): Tensor;
  forward(input: TensorLike, indices: TensorLike, options?: { outputSize?: number | readonly number[] | null }): Tensor;
}

/**
 * Puts the values of a `MaxPool3d` back at their indices, with zeros elsewhere.
 * @param stride default null
 * @param padding default 0
 */
export class MaxUnpool3d extends BuiltinModule {
  static override readonly name: string = 'MaxUnpool3d';
  /** @internal */
  static override readonly layer: string = '27;MaxUnpool3d kernelSize stride=null padding=0;^input ^indices outputSize;;162 0 1 .kernelSize .stride .padding 2';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[]);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[] });
  constructor(...args: unknown[]) { super(args); }
}
export interface MaxUnpool3d {
  forward(input: TensorLike, indices: TensorLike, outputSize?: number | readonly number[] | null): Tensor;
  forward(input: TensorLike, indices: TensorLike, options?: { outputSize?: number | readonly number[] | null }): Tensor;
}

/**
 * The mean of each window. `x: [N, C, L]`; `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param padding default 0
 * @param ceilMode default false
 * @param countIncludePad default true
 */
export class AvgPool1d extends UnaryModule {
  static override readonly name: string = 'AvgPool1d';
  /** @internal */
  static override readonly layer: string = '28;AvgPool1d kernelSize stride=null padding=0 ceilMode=false countIncludePad=true;^input;;479 0 .kernelSize .stride .padding .ceilMode .countIncludePad';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  declare ceilMode: boolean;
  declare countIncludePad: boolean;
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The mean of each window. `x: [N, C, H, W]`; `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param padding default 0
 * @param ceilMode default false
 * @param countIncludePad default true
 * @param divisorOverride default null
 */
export class AvgPool2d extends UnaryModule {
  static override readonly name: string = 'AvgPool2d';
  /** @internal */
  static override readonly layer: string = '29;AvgPool2d kernelSize stride=null padding=0 ceilMode=false countIncludePad=true divisorOverride=null;^input;;480 0 .kernelSize .stride .padding .ceilMode .countIncludePad .divisorOverride';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  declare ceilMode: boolean;
  declare countIncludePad: boolean;
  declare divisorOverride: number | null;
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean, divisorOverride?: number | null);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean; divisorOverride?: number | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The mean of each window. `x: [N, C, D, H, W]`; `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param padding default 0
 * @param ceilMode default false
 * @param countIncludePad default true
 * @param divisorOverride default null
 */
export class AvgPool3d extends UnaryModule {
  static override readonly name: string = 'AvgPool3d';
  /** @internal */
  static override readonly layer: string = '30;AvgPool3d kernelSize stride=null padding=0 ceilMode=false countIncludePad=true divisorOverride=null;^input;;481 0 .kernelSize .stride .padding .ceilMode .countIncludePad .divisorOverride';
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare padding: number | readonly number[];
  declare ceilMode: boolean;
  declare countIncludePad: boolean;
  declare divisorOverride: number | null;
  constructor(kernelSize: number | readonly number[], stride?: number | readonly number[] | null, padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean, divisorOverride?: number | null);
  constructor(kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean; divisorOverride?: number | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The `norm_type`-norm of each window. `x: [N, C, L]`; `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param ceilMode default false
 */
export class LPPool1d extends UnaryModule {
  static override readonly name: string = 'LPPool1d';
  /** @internal */
  static override readonly layer: string = '31;LPPool1d normType kernelSize stride=null ceilMode=false;^input;;482 0 .normType .kernelSize .stride .ceilMode';
  declare normType: number;
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare ceilMode: boolean;
  constructor(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null, ceilMode?: boolean);
  constructor(normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; ceilMode?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The `norm_type`-norm of each window. `x: [N, C, H, W]`; `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param ceilMode default false
 */
export class LPPool2d extends UnaryModule {
  static override readonly name: string = 'LPPool2d';
  /** @internal */
  static override readonly layer: string = '32;LPPool2d normType kernelSize stride=null ceilMode=false;^input;;483 0 .normType .kernelSize .stride .ceilMode';
  declare normType: number;
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare ceilMode: boolean;
  constructor(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null, ceilMode?: boolean);
  constructor(normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; ceilMode?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The `norm_type`-norm of each window. `x: [N, C, D, H, W]`; `stride` defaults to `kernel_size`.
 * @param stride default null
 * @param ceilMode default false
 */
export class LPPool3d extends UnaryModule {
  static override readonly name: string = 'LPPool3d';
  /** @internal */
  static override readonly layer: string = '33;LPPool3d normType kernelSize stride=null ceilMode=false;^input;;484 0 .normType .kernelSize .stride .ceilMode';
  declare normType: number;
  declare kernelSize: number | readonly number[];
  declare stride: number | readonly number[] | null;
  declare ceilMode: boolean;
  constructor(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null, ceilMode?: boolean);
  constructor(normType: number, kernelSize: number | readonly number[], options?: { stride?: number | readonly number[] | null; ceilMode?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Means of windows chosen so that the result has `output_size`. `x: [N, C, L]`.
 */
export class AdaptiveAvgPool1d extends UnaryModule {
  static override readonly name: string = 'AdaptiveAvgPool1d';
  /** @internal */
  static override readonly layer: string = '34;AdaptiveAvgPool1d *outputSize;^input;;287 0 .outputSize';
  declare outputSize: number | readonly number[];
  constructor(outputSize: number | readonly number[]);
  constructor(...outputSize: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Means of windows chosen so that the result has `output_size`. `x: [N, C, H, W]`.
 */
export class AdaptiveAvgPool2d extends UnaryModule {
  static override readonly name: string = 'AdaptiveAvgPool2d';
  /** @internal */
  static override readonly layer: string = '35;AdaptiveAvgPool2d *outputSize;^input;;288 0 .outputSize';
  declare outputSize: number | readonly (number | null)[];
  constructor(outputSize: number | readonly (number | null)[]);
  constructor(...outputSize: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Means of windows chosen so that the result has `output_size`. `x: [N, C, D, H, W]`.
 */
export class AdaptiveAvgPool3d extends UnaryModule {
  static override readonly name: string = 'AdaptiveAvgPool3d';
  /** @internal */
  static override readonly layer: string = '36;AdaptiveAvgPool3d *outputSize;^input;;289 0 .outputSize';
  declare outputSize: number | readonly (number | null)[];
  constructor(outputSize: number | readonly (number | null)[]);
  constructor(...outputSize: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The largest values of windows chosen so that the result has `output_size`. `x: [N, C, L]`.
 * @param returnIndices default false
 */
export class AdaptiveMaxPool1d extends UnaryModule {
  static override readonly name: string = 'AdaptiveMaxPool1d';
  /** @internal */
  static override readonly layer: string = '37;AdaptiveMaxPool1d outputSize returnIndices=false;^input;;290 ?returnIndices=false 0 .outputSize';
  declare outputSize: number | readonly number[];
  declare returnIndices: boolean;
  constructor(outputSize: number | readonly number[], returnIndices?: boolean);
  constructor(outputSize: number | readonly number[], options?: { returnIndices?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The largest values of windows chosen so that the result has `output_size`. `x: [N, C, H, W]`.
 * @param returnIndices default false
 */
export class AdaptiveMaxPool2d extends UnaryModule {
  static override readonly name: string = 'AdaptiveMaxPool2d';
  /** @internal */
  static override readonly layer: string = '38;AdaptiveMaxPool2d outputSize returnIndices=false;^input;;291 ?returnIndices=false 0 .outputSize';
  declare outputSize: number | readonly (number | null)[];
  declare returnIndices: boolean;
  constructor(outputSize: number | readonly (number | null)[], returnIndices?: boolean);
  constructor(outputSize: number | readonly (number | null)[], options?: { returnIndices?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The largest values of windows chosen so that the result has `output_size`. `x: [N, C, D, H, W]`.
 * @param returnIndices default false
 */
export class AdaptiveMaxPool3d extends UnaryModule {
  static override readonly name: string = 'AdaptiveMaxPool3d';
  /** @internal */
  static override readonly layer: string = '39;AdaptiveMaxPool3d outputSize returnIndices=false;^input;;292 ?returnIndices=false 0 .outputSize';
  declare outputSize: number | readonly (number | null)[];
  declare returnIndices: boolean;
  constructor(outputSize: number | readonly (number | null)[], returnIndices?: boolean);
  constructor(outputSize: number | readonly (number | null)[], options?: { returnIndices?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, L]` with zeros: one number for all ends, or two for each dimension, the last first.
 */
export class ZeroPad1d extends UnaryModule {
  static override readonly name: string = 'ZeroPad1d';
  /** @internal */
  static override readonly layer: string = '40;ZeroPad1d *padding:2;^input;;140 0 .padding - -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, H, W]` with zeros: one number for all ends, or two for each dimension, the last
 * first.
 */
export class ZeroPad2d extends UnaryModule {
  static override readonly name: string = 'ZeroPad2d';
  /** @internal */
  static override readonly layer: string = '41;ZeroPad2d *padding:4;^input;;140 0 .padding - -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, D, H, W]` with zeros: one number for all ends, or two for each dimension, the last
 * first.
 */
export class ZeroPad3d extends UnaryModule {
  static override readonly name: string = 'ZeroPad3d';
  /** @internal */
  static override readonly layer: string = '42;ZeroPad3d *padding:6;^input;;140 0 .padding - -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, L]` with its reflection: one number for all ends, or two for each dimension, the
 * last first.
 */
export class ReflectionPad1d extends UnaryModule {
  static override readonly name: string = 'ReflectionPad1d';
  /** @internal */
  static override readonly layer: string = '43;ReflectionPad1d *padding:2;^input;;140 0 .padding ="reflect" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, H, W]` with its reflection: one number for all ends, or two for each dimension, the
 * last first.
 */
export class ReflectionPad2d extends UnaryModule {
  static override readonly name: string = 'ReflectionPad2d';
  /** @internal */
  static override readonly layer: string = '44;ReflectionPad2d *padding:4;^input;;140 0 .padding ="reflect" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, D, H, W]` with its reflection: one number for all ends, or two for each dimension,
 * the last first.
 */
export class ReflectionPad3d extends UnaryModule {
  static override readonly name: string = 'ReflectionPad3d';
  /** @internal */
  static override readonly layer: string = '45;ReflectionPad3d *padding:6;^input;;140 0 .padding ="reflect" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, L]` with copies of its border: one number for all ends, or two for each dimension,
 * the last first.
 */
export class ReplicationPad1d extends UnaryModule {
  static override readonly name: string = 'ReplicationPad1d';
  /** @internal */
  static override readonly layer: string = '46;ReplicationPad1d *padding:2;^input;;140 0 .padding ="replicate" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, H, W]` with copies of its border: one number for all ends, or two for each
 * dimension, the last first.
 */
export class ReplicationPad2d extends UnaryModule {
  static override readonly name: string = 'ReplicationPad2d';
  /** @internal */
  static override readonly layer: string = '47;ReplicationPad2d *padding:4;^input;;140 0 .padding ="replicate" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, D, H, W]` with copies of its border: one number for all ends, or two for each
 * dimension, the last first.
 */
export class ReplicationPad3d extends UnaryModule {
  static override readonly name: string = 'ReplicationPad3d';
  /** @internal */
  static override readonly layer: string = '48;ReplicationPad3d *padding:6;^input;;140 0 .padding ="replicate" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, L]` circularly: one number for all ends, or two for each dimension, the last first.
 */
export class CircularPad1d extends UnaryModule {
  static override readonly name: string = 'CircularPad1d';
  /** @internal */
  static override readonly layer: string = '49;CircularPad1d *padding:2;^input;;140 0 .padding ="circular" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, H, W]` circularly: one number for all ends, or two for each dimension, the last
 * first.
 */
export class CircularPad2d extends UnaryModule {
  static override readonly name: string = 'CircularPad2d';
  /** @internal */
  static override readonly layer: string = '50;CircularPad2d *padding:4;^input;;140 0 .padding ="circular" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, D, H, W]` circularly: one number for all ends, or two for each dimension, the last
 * first.
 */
export class CircularPad3d extends UnaryModule {
  static override readonly name: string = 'CircularPad3d';
  /** @internal */
  static override readonly layer: string = '51;CircularPad3d *padding:6;^input;;140 0 .padding ="circular" -';
  declare padding: readonly number[];
  constructor(padding: number | readonly number[]);
  constructor(...padding: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, L]` with `value`: one number for all ends, or two for each dimension, the last
 * first.
 */
export class ConstantPad1d extends UnaryModule {
  static override readonly name: string = 'ConstantPad1d';
  /** @internal */
  static override readonly layer: string = '52;ConstantPad1d padding:2 value;^input;;140 0 .padding - .value';
  declare padding: readonly number[];
  declare value: Scalar;
  constructor(padding: number | readonly number[], value: Scalar);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, H, W]` with `value`: one number for all ends, or two for each dimension, the last
 * first.
 */
export class ConstantPad2d extends UnaryModule {
  static override readonly name: string = 'ConstantPad2d';
  /** @internal */
  static override readonly layer: string = '53;ConstantPad2d padding:4 value;^input;;140 0 .padding - .value';
  declare padding: readonly number[];
  declare value: Scalar;
  constructor(padding: number | readonly number[], value: Scalar);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Pads `[N, C, D, H, W]` with `value`: one number for all ends, or two for each dimension, the
 * last first.
 */
export class ConstantPad3d extends UnaryModule {
  static override readonly name: string = 'ConstantPad3d';
  /** @internal */
  static override readonly layer: string = '54;ConstantPad3d padding:6 value;^input;;140 0 .padding - .value';
  declare padding: readonly number[];
  declare value: Scalar;
  constructor(padding: number | readonly number[], value: Scalar);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Normalization of each channel over the batch and all positions. `x: [N, C]` or `[N, C, L]`.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default true
 * @param trackRunningStats default true
 * @param bias default true
 */
export class BatchNorm1d extends UnaryModule {
  static override readonly name: string = 'BatchNorm1d';
  /** @internal */
  static override readonly layer: string = '55;BatchNorm1d numFeatures eps=1e-5 momentum=0.1 affine=true trackRunningStats=true bias=true;^input;';
  declare numFeatures: number;
  declare eps: number;
  declare momentum: number | null;
  declare affine: boolean;
  declare trackRunningStats: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  declare runningMean: Tensor | undefined;
  declare runningVar: Tensor | undefined;
  declare numBatchesTracked: Tensor | undefined;
  constructor(numFeatures: number, eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(numFeatures: number, options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `BatchNorm1d` that takes `numFeatures` from the input of its first call, which makes its parameters.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default true
 * @param trackRunningStats default true
 * @param bias default true
 */
export class LazyBatchNorm1d extends BatchNorm1d {
  static override readonly name: string = 'LazyBatchNorm1d';
  /** @internal */
  static override readonly inferred: Inferred = ['numFeatures', -1];
  constructor(eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof BatchNorm1d>)); }
}

/**
 * Normalization of each channel over the batch and all positions. `x: [N, C, H, W]`.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default true
 * @param trackRunningStats default true
 * @param bias default true
 */
export class BatchNorm2d extends UnaryModule {
  static override readonly name: string = 'BatchNorm2d';
  /** @internal */
  static override readonly layer: string = '56;BatchNorm2d numFeatures eps=1e-5 momentum=0.1 affine=true trackRunningStats=true bias=true;^input;';
  declare numFeatures: number;
  declare eps: number;
  declare momentum: number | null;
  declare affine: boolean;
  declare trackRunningStats: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  declare runningMean: Tensor | undefined;
  declare runningVar: Tensor | undefined;
  declare numBatchesTracked: Tensor | undefined;
  constructor(numFeatures: number, eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(numFeatures: number, options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `BatchNorm2d` that takes `numFeatures` from the input of its first call, which makes its parameters.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default true
 * @param trackRunningStats default true
 * @param bias default true
 */
export class LazyBatchNorm2d extends BatchNorm2d {
  static override readonly name: string = 'LazyBatchNorm2d';
  /** @internal */
  static override readonly inferred: Inferred = ['numFeatures', -1];
  constructor(eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof BatchNorm2d>)); }
}

/**
 * Normalization of each channel over the batch and all positions. `x: [N, C, D, H, W]`.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default true
 * @param trackRunningStats default true
 * @param bias default true
 */
export class BatchNorm3d extends UnaryModule {
  static override readonly name: string = 'BatchNorm3d';
  /** @internal */
  static override readonly layer: string = '57;BatchNorm3d numFeatures eps=1e-5 momentum=0.1 affine=true trackRunningStats=true bias=true;^input;';
  declare numFeatures: number;
  declare eps: number;
  declare momentum: number | null;
  declare affine: boolean;
  declare trackRunningStats: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  declare runningMean: Tensor | undefined;
  declare runningVar: Tensor | undefined;
  declare numBatchesTracked: Tensor | undefined;
  constructor(numFeatures: number, eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(numFeatures: number, options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `BatchNorm3d` that takes `numFeatures` from the input of its first call, which makes its parameters.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default true
 * @param trackRunningStats default true
 * @param bias default true
 */
export class LazyBatchNorm3d extends BatchNorm3d {
  static override readonly name: string = 'LazyBatchNorm3d';
  /** @internal */
  static override readonly inferred: Inferred = ['numFeatures', -1];
  constructor(eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof BatchNorm3d>)); }
}

/**
 * Normalization of each channel of each example over all positions. `x: [N, C, L]`, or without `N`.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default false
 * @param trackRunningStats default false
 * @param bias default true
 */
export class InstanceNorm1d extends UnaryModule {
  static override readonly name: string = 'InstanceNorm1d';
  /** @internal */
  static override readonly layer: string = '58;InstanceNorm1d numFeatures eps=1e-5 momentum=0.1 affine=false trackRunningStats=false bias=true;^input;';
  declare numFeatures: number;
  declare eps: number;
  declare momentum: number | null;
  declare affine: boolean;
  declare trackRunningStats: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  declare runningMean: Tensor | undefined;
  declare runningVar: Tensor | undefined;
  declare numBatchesTracked: Tensor | undefined;
  constructor(numFeatures: number, eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(numFeatures: number, options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `InstanceNorm1d` that takes `numFeatures` from the input of its first call, which makes its parameters.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default false
 * @param trackRunningStats default false
 * @param bias default true
 */
export class LazyInstanceNorm1d extends InstanceNorm1d {
  static override readonly name: string = 'LazyInstanceNorm1d';
  /** @internal */
  static override readonly inferred: Inferred = ['numFeatures', 1];
  constructor(eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof InstanceNorm1d>)); }
}

/**
 * Normalization of each channel of each example over all positions. `x: [N, C, H, W]`, or without `N`.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default false
 * @param trackRunningStats default false
 * @param bias default true
 */
export class InstanceNorm2d extends UnaryModule {
  static override readonly name: string = 'InstanceNorm2d';
  /** @internal */
  static override readonly layer: string = '59;InstanceNorm2d numFeatures eps=1e-5 momentum=0.1 affine=false trackRunningStats=false bias=true;^input;';
  declare numFeatures: number;
  declare eps: number;
  declare momentum: number | null;
  declare affine: boolean;
  declare trackRunningStats: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  declare runningMean: Tensor | undefined;
  declare runningVar: Tensor | undefined;
  declare numBatchesTracked: Tensor | undefined;
  constructor(numFeatures: number, eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(numFeatures: number, options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `InstanceNorm2d` that takes `numFeatures` from the input of its first call, which makes its parameters.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default false
 * @param trackRunningStats default false
 * @param bias default true
 */
export class LazyInstanceNorm2d extends InstanceNorm2d {
  static override readonly name: string = 'LazyInstanceNorm2d';
  /** @internal */
  static override readonly inferred: Inferred = ['numFeatures', 2];
  constructor(eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof InstanceNorm2d>)); }
}

/**
 * Normalization of each channel of each example over all positions. `x: [N, C, D, H, W]`, or without `N`.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default false
 * @param trackRunningStats default false
 * @param bias default true
 */
export class InstanceNorm3d extends UnaryModule {
  static override readonly name: string = 'InstanceNorm3d';
  /** @internal */
  static override readonly layer: string = '60;InstanceNorm3d numFeatures eps=1e-5 momentum=0.1 affine=false trackRunningStats=false bias=true;^input;';
  declare numFeatures: number;
  declare eps: number;
  declare momentum: number | null;
  declare affine: boolean;
  declare trackRunningStats: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  declare runningMean: Tensor | undefined;
  declare runningVar: Tensor | undefined;
  declare numBatchesTracked: Tensor | undefined;
  constructor(numFeatures: number, eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(numFeatures: number, options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * A `InstanceNorm3d` that takes `numFeatures` from the input of its first call, which makes its parameters.
 * @param eps default 1e-5
 * @param momentum default 0.1
 * @param affine default false
 * @param trackRunningStats default false
 * @param bias default true
 */
export class LazyInstanceNorm3d extends InstanceNorm3d {
  static override readonly name: string = 'LazyInstanceNorm3d';
  /** @internal */
  static override readonly inferred: Inferred = ['numFeatures', 3];
  constructor(eps?: number, momentum?: number | null, affine?: boolean, trackRunningStats?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(options?: { eps?: number; momentum?: number | null; affine?: boolean; trackRunningStats?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(...([undefined, ...args] as unknown as ConstructorParameters<typeof InstanceNorm3d>)); }
}

/**
 * Normalization over the last dimensions, whose sizes are `normalizedShape`.
 * @param eps default 1e-5
 * @param elementwiseAffine default true
 * @param bias default true
 */
export class LayerNorm extends UnaryModule {
  static override readonly name: string = 'LayerNorm';
  /** @internal */
  static override readonly layer: string = '61;LayerNorm normalizedShape:1 eps=1e-5 elementwiseAffine=true bias=true;^input;;460 0 .normalizedShape .weight .bias .eps';
  declare normalizedShape: readonly number[];
  declare eps: number;
  declare elementwiseAffine: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  constructor(normalizedShape: number | readonly number[], eps?: number, elementwiseAffine?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(normalizedShape: number | readonly number[], options?: { eps?: number; elementwiseAffine?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Normalization by the root mean square of the last dimensions, whose sizes are `normalizedShape`.
 * @param eps default null
 * @param elementwiseAffine default true
 */
export class RMSNorm extends UnaryModule {
  static override readonly name: string = 'RMSNorm';
  /** @internal */
  static override readonly layer: string = '62;RMSNorm normalizedShape:1 eps=null elementwiseAffine=true;^input;;462 0 .normalizedShape .weight .eps';
  declare normalizedShape: readonly number[];
  declare eps: Scalar | null;
  declare elementwiseAffine: boolean;
  declare weight: Tensor | undefined;
  constructor(normalizedShape: number | readonly number[], eps?: Scalar | null, elementwiseAffine?: boolean, options?: { dtype?: DType | null });
  constructor(normalizedShape: number | readonly number[], options?: { eps?: Scalar | null; elementwiseAffine?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Normalization over groups of channels and all positions. `x: [N, C, ..]`.
 * @param eps default 1e-5
 * @param affine default true
 * @param bias default true
 */
export class GroupNorm extends UnaryModule {
  static override readonly name: string = 'GroupNorm';
  /** @internal */
  static override readonly layer: string = '63;GroupNorm numGroups numChannels eps=1e-5 affine=true bias=true;^input;;463 0 .numGroups .weight .bias .eps';
  declare numGroups: number;
  declare numChannels: number;
  declare eps: number;
  declare affine: boolean;
  declare weight: Tensor | undefined;
  declare bias: Tensor | undefined;
  constructor(numGroups: number, numChannels: number, eps?: number, affine?: boolean, bias?: boolean, options?: { dtype?: DType | null });
  constructor(numGroups: number, numChannels: number, options?: { eps?: number; affine?: boolean; bias?: boolean; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Division by the squares of neighbouring channels (Krizhevsky et al., 2012). `x: [N, C, ..]`.
 * @param alpha default 0.0001
 * @param beta default 0.75
 * @param k default 1.0
 */
export class LocalResponseNorm extends UnaryModule {
  static override readonly name: string = 'LocalResponseNorm';
  /** @internal */
  static override readonly layer: string = '64;LocalResponseNorm size alpha=0.0001 beta=0.75 k=1.0;^input;;467 0 .size .alpha .beta .k';
  declare size: number;
  declare alpha: number;
  declare beta: number;
  declare k: number;
  constructor(size: number, alpha?: number, beta?: number, k?: number);
  constructor(size: number, options?: { alpha?: number; beta?: number; k?: number });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * In training, sets each element to 0 with probability `p` and divides the others by `1 - p`.
 * @param p default 0.5
 */
export class Dropout extends UnaryModule {
  static override readonly name: string = 'Dropout';
  /** @internal */
  static override readonly layer: string = '65;Dropout p=0.5;^input;;323 0 .p !';
  declare p: number;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(p?: number, inplace?: boolean);
  constructor(options?: { p?: number; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * In training, sets each channel to 0 with probability `p` and divides the others by `1 - p`.
 * `x: [N, C, L]` or `[C, L]`.
 * @param p default 0.5
 */
export class Dropout1d extends UnaryModule {
  static override readonly name: string = 'Dropout1d';
  /** @internal */
  static override readonly layer: string = '66;Dropout1d p=0.5;^input;';
  declare p: number;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(p?: number, inplace?: boolean);
  constructor(options?: { p?: number; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * In training, sets each channel to 0 with probability `p` and divides the others by `1 - p`.
 * `x: [N, C, H, W]` or `[C, H, W]`.
 * @param p default 0.5
 */
export class Dropout2d extends UnaryModule {
  static override readonly name: string = 'Dropout2d';
  /** @internal */
  static override readonly layer: string = '67;Dropout2d p=0.5;^input;';
  declare p: number;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(p?: number, inplace?: boolean);
  constructor(options?: { p?: number; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * In training, sets each channel to 0 with probability `p` and divides the others by `1 - p`.
 * `x: [N, C, D, H, W]` or `[C, D, H, W]`.
 * @param p default 0.5
 */
export class Dropout3d extends UnaryModule {
  static override readonly name: string = 'Dropout3d';
  /** @internal */
  static override readonly layer: string = '68;Dropout3d p=0.5;^input;';
  declare p: number;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(p?: number, inplace?: boolean);
  constructor(options?: { p?: number; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Dropout that keeps mean and variance of normally distributed inputs, for networks with SELU.
 * @param p default 0.5
 */
export class AlphaDropout extends UnaryModule {
  static override readonly name: string = 'AlphaDropout';
  /** @internal */
  static override readonly layer: string = '69;AlphaDropout p=0.5;^input;';
  declare p: number;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(p?: number, inplace?: boolean);
  constructor(options?: { p?: number; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * [`AlphaDropout`] of whole channels. `x: [N, C, ..]`.
 * @param p default 0.5
 */
export class FeatureAlphaDropout extends UnaryModule {
  static override readonly name: string = 'FeatureAlphaDropout';
  /** @internal */
  static override readonly layer: string = '70;FeatureAlphaDropout p=0.5;^input;';
  declare p: number;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(p?: number, inplace?: boolean);
  constructor(options?: { p?: number; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` where it is positive, else `weight * x` with a trained weight, either a single one or one per channel. `x: [N, C, ..]`.
 * @param numParameters default 1
 * @param init default 0.25
 */
export class PReLU extends UnaryModule {
  static override readonly name: string = 'PReLU';
  /** @internal */
  static override readonly layer: string = '71;PReLU numParameters=1 init=0.25;^input;;20 0 .weight';
  declare numParameters: number;
  declare init: number;
  declare weight: Tensor;
  constructor(numParameters?: number, init?: number, options?: { dtype?: DType | null });
  constructor(options?: { numParameters?: number; init?: number; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `max(x, 0)`, elementwise.
 */
export class ReLU extends UnaryModule {
  static override readonly name: string = 'ReLU';
  /** @internal */
  static override readonly layer: string = '72;ReLU;^input;;0 0';
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(inplace?: boolean);
  constructor(options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `min(max(x, 0), 6)`, elementwise.
 */
export class ReLU6 extends UnaryModule {
  static override readonly name: string = 'ReLU6';
  /** @internal */
  static override readonly layer: string = '73;ReLU6;^input;;12 0';
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(inplace?: boolean);
  constructor(options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `1 / (1 + exp(-x))`, elementwise.
 */
export class Sigmoid extends UnaryModule {
  static override readonly name: string = 'Sigmoid';
  /** @internal */
  static override readonly layer: string = '74;Sigmoid;^input;;1 0';
  constructor();
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `log(1 / (1 + exp(-x)))`, elementwise.
 */
export class LogSigmoid extends UnaryModule {
  static override readonly name: string = 'LogSigmoid';
  /** @internal */
  static override readonly layer: string = '75;LogSigmoid;^input;;9 0';
  constructor();
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `min(max(x + 3, 0), 6) / 6`, elementwise.
 */
export class Hardsigmoid extends UnaryModule {
  static override readonly name: string = 'Hardsigmoid';
  /** @internal */
  static override readonly layer: string = '76;Hardsigmoid;^input;;13 0';
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(inplace?: boolean);
  constructor(options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The hyperbolic tangent, elementwise.
 */
export class Tanh extends UnaryModule {
  static override readonly name: string = 'Tanh';
  /** @internal */
  static override readonly layer: string = '77;Tanh;^input;;99 0';
  constructor();
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` clamped to `min_val` and `max_val`, elementwise.
 * @param minVal default -1.0
 * @param maxVal default 1.0
 */
export class Hardtanh extends UnaryModule {
  static override readonly name: string = 'Hardtanh';
  /** @internal */
  static override readonly layer: string = '78;Hardtanh minVal=-1.0 maxVal=1.0;^input;;11 0 .minVal .maxVal';
  declare minVal: Scalar;
  declare maxVal: Scalar;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(minVal?: Scalar, maxVal?: Scalar, inplace?: boolean);
  constructor(options?: { minVal?: Scalar; maxVal?: Scalar; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x - tanh(x)`, elementwise.
 */
export class Tanhshrink extends UnaryModule {
  static override readonly name: string = 'Tanhshrink';
  /** @internal */
  static override readonly layer: string = '79;Tanhshrink;^input;;16 0';
  constructor();
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x * sigmoid(x)`, elementwise.
 */
export class SiLU extends UnaryModule {
  static override readonly name: string = 'SiLU';
  /** @internal */
  static override readonly layer: string = '80;SiLU;^input;;2 0';
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(inplace?: boolean);
  constructor(options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x * hardsigmoid(x)`, elementwise.
 */
export class Hardswish extends UnaryModule {
  static override readonly name: string = 'Hardswish';
  /** @internal */
  static override readonly layer: string = '81;Hardswish;^input;;14 0';
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(inplace?: boolean);
  constructor(options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x * tanh(softplus(x))`, elementwise.
 */
export class Mish extends UnaryModule {
  static override readonly name: string = 'Mish';
  /** @internal */
  static override readonly layer: string = '82;Mish;^input;;10 0';
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(inplace?: boolean);
  constructor(options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Gaussian error linear unit, elementwise; `approximate` may be `"tanh"`.
 * @param approximate default "none"
 */
export class GELU extends UnaryModule {
  static override readonly name: string = 'GELU';
  /** @internal */
  static override readonly layer: string = '83;GELU approximate="none";^input;;3 0 .approximate';
  declare approximate: 'none' | 'tanh';
  constructor(approximate?: 'none' | 'tanh');
  constructor(options?: { approximate?: 'none' | 'tanh' });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` where it is positive, else `alpha * (exp(x) - 1)`.
 * @param alpha default 1.0
 */
export class ELU extends UnaryModule {
  static override readonly name: string = 'ELU';
  /** @internal */
  static override readonly layer: string = '84;ELU alpha=1.0;^input;;5 0 .alpha - -';
  declare alpha: Scalar;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(alpha?: Scalar, inplace?: boolean);
  constructor(options?: { alpha?: Scalar; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` where it is positive, else `alpha * (exp(x / alpha) - 1)`.
 * @param alpha default 1.0
 */
export class CELU extends UnaryModule {
  static override readonly name: string = 'CELU';
  /** @internal */
  static override readonly layer: string = '85;CELU alpha=1.0;^input;;6 0 .alpha';
  declare alpha: Scalar;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(alpha?: Scalar, inplace?: boolean);
  constructor(options?: { alpha?: Scalar; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The scaled ELU of self-normalizing networks, elementwise.
 */
export class SELU extends UnaryModule {
  static override readonly name: string = 'SELU';
  /** @internal */
  static override readonly layer: string = '86;SELU;^input;;7 0';
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(inplace?: boolean);
  constructor(options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` where it is positive, else `negative_slope * x`.
 * @param negativeSlope default 0.01
 */
export class LeakyReLU extends UnaryModule {
  static override readonly name: string = 'LeakyReLU';
  /** @internal */
  static override readonly layer: string = '87;LeakyReLU negativeSlope=0.01;^input;;4 0 .negativeSlope';
  declare negativeSlope: Scalar;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(negativeSlope?: Scalar, inplace?: boolean);
  constructor(options?: { negativeSlope?: Scalar; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * In training, `x` where it is positive, else `x` times a uniform number from `lower` to `upper`;
 * otherwise times their mean.
 * @param lower default 0.125
 * @param upper default 0.3333333333333333
 */
export class RReLU extends UnaryModule {
  static override readonly name: string = 'RReLU';
  /** @internal */
  static override readonly layer: string = '88;RReLU lower=0.125 upper=0.3333333333333333;^input;;455 0 .lower .upper !';
  declare lower: Scalar;
  declare upper: Scalar;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(lower?: Scalar, upper?: Scalar, inplace?: boolean);
  constructor(options?: { lower?: Scalar; upper?: Scalar; inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `log(1 + exp(beta * x)) / beta`, and `x` where `beta * x` is above `threshold`.
 * @param beta default 1.0
 * @param threshold default 20.0
 */
export class Softplus extends UnaryModule {
  static override readonly name: string = 'Softplus';
  /** @internal */
  static override readonly layer: string = '89;Softplus beta=1.0 threshold=20.0;^input;;8 0 .beta .threshold';
  declare beta: Scalar;
  declare threshold: Scalar;
  constructor(beta?: Scalar, threshold?: Scalar);
  constructor(options?: { beta?: Scalar; threshold?: Scalar });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` moved towards 0 by `lambd`, elementwise.
 * @param lambd default 0.5
 */
export class Softshrink extends UnaryModule {
  static override readonly name: string = 'Softshrink';
  /** @internal */
  static override readonly layer: string = '90;Softshrink lambd=0.5;^input;;18 0 .lambd';
  declare lambd: Scalar;
  constructor(lambd?: Scalar);
  constructor(options?: { lambd?: Scalar });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` where it is farther than `lambd` from 0, else 0.
 * @param lambd default 0.5
 */
export class Hardshrink extends UnaryModule {
  static override readonly name: string = 'Hardshrink';
  /** @internal */
  static override readonly layer: string = '91;Hardshrink lambd=0.5;^input;;17 0 .lambd';
  declare lambd: Scalar;
  constructor(lambd?: Scalar);
  constructor(options?: { lambd?: Scalar });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x / (1 + abs(x))`, elementwise.
 */
export class Softsign extends UnaryModule {
  static override readonly name: string = 'Softsign';
  /** @internal */
  static override readonly layer: string = '92;Softsign;^input;;15 0';
  constructor();
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `x` where it is above `threshold`, else `value`.
 */
export class Threshold extends UnaryModule {
  static override readonly name: string = 'Threshold';
  /** @internal */
  static override readonly layer: string = '93;Threshold threshold value;^input;;19 0 .threshold .value';
  declare threshold: Scalar;
  declare value: Scalar;
  declare inplace: boolean;
  /** @internal */
  static override readonly overwrites: boolean = true;
  constructor(threshold: Scalar, value: Scalar, inplace?: boolean);
  constructor(threshold: Scalar, value: Scalar, options?: { inplace?: boolean });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The first half along `dim` times the sigmoid of the second half.
 * @param dim default -1
 */
export class GLU extends UnaryModule {
  static override readonly name: string = 'GLU';
  /** @internal */
  static override readonly layer: string = '94;GLU dim=-1;^input;;21 0 .dim';
  declare dim: number;
  constructor(dim?: number);
  constructor(options?: { dim?: number });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `exp(x) / sum(exp(x))` along `dim`; without `dim`, along dimension 0 of inputs with no, one or
 * three dimensions, and along dimension 1 of others.
 * @param dim default null
 */
export class Softmax extends UnaryModule {
  static override readonly name: string = 'Softmax';
  /** @internal */
  static override readonly layer: string = '95;Softmax dim=null;^input;';
  declare dim: number | null;
  constructor(dim?: number | null);
  constructor(options?: { dim?: number | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * `exp(-x) / sum(exp(-x))` along `dim`, or the dimension of [`Softmax`].
 * @param dim default null
 */
export class Softmin extends UnaryModule {
  static override readonly name: string = 'Softmin';
  /** @internal */
  static override readonly layer: string = '96;Softmin dim=null;^input;';
  declare dim: number | null;
  constructor(dim?: number | null);
  constructor(options?: { dim?: number | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The logarithm of the softmax along `dim`, or the dimension of [`Softmax`].
 * @param dim default null
 */
export class LogSoftmax extends UnaryModule {
  static override readonly name: string = 'LogSoftmax';
  /** @internal */
  static override readonly layer: string = '97;LogSoftmax dim=null;^input;';
  declare dim: number | null;
  constructor(dim?: number | null);
  constructor(options?: { dim?: number | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The softmax over the channels of images `[N, C, H, W]` or `[C, H, W]`.
 */
export class Softmax2d extends UnaryModule {
  static override readonly name: string = 'Softmax2d';
  /** @internal */
  static override readonly layer: string = '98;Softmax2d;^input;;552 0 =-3 -';
  constructor();
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Returns its input.
 */
export class Identity extends UnaryModule {
  static override readonly name: string = 'Identity';
  /** @internal */
  static override readonly layer: string = '99;Identity;^input;';
  constructor();
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Flattens dimensions `start_dim` to `end_dim`; by default all but the batch.
 * @param startDim default 1
 * @param endDim default -1
 */
export class Flatten extends UnaryModule {
  static override readonly name: string = 'Flatten';
  /** @internal */
  static override readonly layer: string = '100;Flatten startDim=1 endDim=-1;^input;;548 0 .startDim .endDim';
  declare startDim: number;
  declare endDim: number;
  constructor(startDim?: number, endDim?: number);
  constructor(options?: { startDim?: number; endDim?: number });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Splits dimension `dim` into dimensions of sizes `unflattened_size`.
 */
export class Unflatten extends UnaryModule {
  static override readonly name: string = 'Unflatten';
  /** @internal */
  static override readonly layer: string = '101;Unflatten dim *unflattenedSize;^input;;549 0 .dim .unflattenedSize';
  declare dim: number;
  declare unflattenedSize: number | readonly number[];
  constructor(dim: number, unflattenedSize: number | readonly number[]);
  constructor(dim: number, ...unflattenedSize: number[]);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Sums the columns `[N, C * kernel taps, windows]` of an image into `[N, C, H, W]`.
 * @param dilation default 1
 * @param padding default 0
 * @param stride default 1
 */
export class Fold extends UnaryModule {
  static override readonly name: string = 'Fold';
  /** @internal */
  static override readonly layer: string = '102;Fold outputSize kernelSize dilation=1 padding=0 stride=1;^input;;270 0 .outputSize .kernelSize .dilation .padding .stride';
  declare outputSize: number | readonly number[];
  declare kernelSize: number | readonly number[];
  declare dilation: number | readonly number[];
  declare padding: number | readonly number[];
  declare stride: number | readonly number[];
  constructor(outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]);
  constructor(outputSize: number | readonly number[], kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The windows of an image `[N, C, H, W]` as columns, `[N, C * kernel taps, windows]`.
 * @param dilation default 1
 * @param padding default 0
 * @param stride default 1
 */
export class Unfold extends UnaryModule {
  static override readonly name: string = 'Unfold';
  /** @internal */
  static override readonly layer: string = '103;Unfold kernelSize dilation=1 padding=0 stride=1;^input;;269 0 .kernelSize .dilation .padding .stride';
  declare kernelSize: number | readonly number[];
  declare dilation: number | readonly number[];
  declare padding: number | readonly number[];
  declare stride: number | readonly number[];
  constructor(kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]);
  constructor(kernelSize: number | readonly number[], options?: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Rearranges channels `[.., C * r * r, H, W]` into an image `r` times as large.
 */
export class PixelShuffle extends UnaryModule {
  static override readonly name: string = 'PixelShuffle';
  /** @internal */
  static override readonly layer: string = '104;PixelShuffle upscaleFactor;^input;;477 0 .upscaleFactor';
  declare upscaleFactor: number;
  constructor(upscaleFactor: number);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Rearranges an image into channels `[.., C * r * r, H / r, W / r]`.
 */
export class PixelUnshuffle extends UnaryModule {
  static override readonly name: string = 'PixelUnshuffle';
  /** @internal */
  static override readonly layer: string = '105;PixelUnshuffle downscaleFactor;^input;;478 0 .downscaleFactor';
  declare downscaleFactor: number;
  constructor(downscaleFactor: number);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Interleaves the channels of `groups` groups: the first of each, the second of each, and so on.
 */
export class ChannelShuffle extends UnaryModule {
  static override readonly name: string = 'ChannelShuffle';
  /** @internal */
  static override readonly layer: string = '106;ChannelShuffle groups;^input;;476 0 .groups';
  declare groups: number;
  constructor(groups: number);
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Resizes `[N, C, ..]` by a factor or to `size`, with the modes of
 * [`Tensor::interpolate`](lanthorn_tensor::Tensor::interpolate).
 * @param size default null
 * @param scaleFactor default null
 * @param mode default "nearest"
 * @param alignCorners default null
 * @param recomputeScaleFactor default null
 */
export class Upsample extends UnaryModule {
  static override readonly name: string = 'Upsample';
  /** @internal */
  static override readonly layer: string = '107;Upsample size=null scaleFactor=null mode="nearest" alignCorners=null recomputeScaleFactor=null;^input;;519 0 .size .scaleFactor .mode .alignCorners .recomputeScaleFactor -';
  declare size: number | readonly number[] | null;
  declare scaleFactor: number | readonly number[] | null;
  declare mode: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact';
  declare alignCorners: boolean | null;
  declare recomputeScaleFactor: boolean | null;
  constructor(size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null, mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact', alignCorners?: boolean | null, recomputeScaleFactor?: boolean | null);
  constructor(options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null; mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact'; alignCorners?: boolean | null; recomputeScaleFactor?: boolean | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Enlarges images by repeating the nearest element.
 * @param size default null
 * @param scaleFactor default null
 */
export class UpsamplingNearest2d extends UnaryModule {
  static override readonly name: string = 'UpsamplingNearest2d';
  /** @internal */
  static override readonly layer: string = '108;UpsamplingNearest2d size=null scaleFactor=null;^input;;519 0 .size .scaleFactor ="nearest" - - -';
  declare size: number | readonly number[] | null;
  declare scaleFactor: number | readonly number[] | null;
  constructor(size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null);
  constructor(options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * Enlarges images by bilinear interpolation, with corners aligned.
 * @param size default null
 * @param scaleFactor default null
 */
export class UpsamplingBilinear2d extends UnaryModule {
  static override readonly name: string = 'UpsamplingBilinear2d';
  /** @internal */
  static override readonly layer: string = '109;UpsamplingBilinear2d size=null scaleFactor=null;^input;;519 0 .size .scaleFactor ="bilinear" =true - -';
  declare size: number | readonly number[] | null;
  declare scaleFactor: number | readonly number[] | null;
  constructor(size?: number | readonly number[] | null, scaleFactor?: number | readonly number[] | null);
  constructor(options?: { size?: number | readonly number[] | null; scaleFactor?: number | readonly number[] | null });
  constructor(...args: unknown[]) { super(args); }
}

/**
 * The cosine of the angle of vectors along `dim`.
 * @param dim default 1
 * @param eps default 1e-8
 */
export class CosineSimilarity extends BuiltinModule {
  static override readonly name: string = 'CosineSimilarity';
  /** @internal */
  static override readonly layer: string = '110;CosineSimilarity dim=1 eps=1e-8;^x1 ^x2;;429 0 1 .dim .eps';
  declare dim: number;
  declare eps: number;
  constructor(dim?: number, eps?: number);
  constructor(options?: { dim?: number; eps?: number });
  constructor(...args: unknown[]) { super(args); }
}
export interface CosineSimilarity {
  forward(x1: TensorLike, x2: TensorLike): Tensor;
}

/**
 * The `p`-norm of the difference of vectors along the last dimension.
 * @param p default 2.0
 * @param eps default 1e-6
 * @param keepdim default false
 */
export class PairwiseDistance extends BuiltinModule {
  static override readonly name: string = 'PairwiseDistance';
  /** @internal */
  static override readonly layer: string = '111;PairwiseDistance p=2.0 eps=1e-6 keepdim=false;^x1 ^x2;;430 0 1 .p .eps .keepdim';
  declare p: number;
  declare eps: number;
  declare keepdim: boolean;
  constructor(p?: number, eps?: number, keepdim?: boolean);
  constructor(options?: { p?: number; eps?: number; keepdim?: boolean });
  constructor(...args: unknown[]) { super(args); }
}
export interface PairwiseDistance {
  forward(x1: TensorLike, x2: TensorLike): Tensor;
}

/**
 * The cross entropy of a linear layer's logits, `num_classes` for each of `out_features`.
 * @param outFeatures default []
 * @param bias default false
 * @param reduction default "mean"
 * @param weight default null
 * @param ignoreIndex default null
 * @param labelSmoothing default 0.0
 */
export class LinearCrossEntropyLoss extends BuiltinModule {
  static override readonly name: string = 'LinearCrossEntropyLoss';
  /** @internal */
  static override readonly layer: string = '112;LinearCrossEntropyLoss inFeatures numClasses|outFeatures=[] bias=false reduction="mean" ^weight=null ignoreIndex=null labelSmoothing=0.0;^input ^target;';
  declare inFeatures: number;
  declare numClasses: number;
  declare outFeatures: number | readonly number[];
  declare bias: boolean;
  declare reduction: 'none' | 'mean' | 'sum';
  declare weight: Tensor | null;
  declare ignoreIndex: number | null;
  declare labelSmoothing: number;
  constructor(inFeatures: number, numClasses: number, options?: { outFeatures?: number | readonly number[]; bias?: boolean; reduction?: 'none' | 'mean' | 'sum'; weight?: TensorLike | null; ignoreIndex?: number | null; labelSmoothing?: number; dtype?: DType | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface LinearCrossEntropyLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Cross entropy of logits `[N, C, ..]` with class indices (int32) or class probabilities.
 * @param weight default null
 * @param ignoreIndex default -100
 * @param reduction default "mean"
 * @param labelSmoothing default 0.0
 */
export class CrossEntropyLoss extends BuiltinModule {
  static override readonly name: string = 'CrossEntropyLoss';
  /** @internal */
  static override readonly layer: string = '113;CrossEntropyLoss ^weight=null|ignoreIndex=-100 reduction="mean" labelSmoothing=0.0;^input ^target;;427 0 1 .weight .reduction .ignoreIndex .labelSmoothing';
  declare weight: Tensor | null;
  declare ignoreIndex: number;
  declare reduction: 'none' | 'mean' | 'sum';
  declare labelSmoothing: number;
  constructor(weight?: TensorLike | null, options?: { ignoreIndex?: number; reduction?: 'none' | 'mean' | 'sum'; labelSmoothing?: number });
  constructor(options?: { weight?: TensorLike | null; ignoreIndex?: number; reduction?: 'none' | 'mean' | 'sum'; labelSmoothing?: number });
  constructor(...args: unknown[]) { super(args); }
}
export interface CrossEntropyLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Squared differences of two tensors of the same shape.
 * @param reduction default "mean"
 */
export class MSELoss extends BuiltinModule {
  static override readonly name: string = 'MSELoss';
  /** @internal */
  static override readonly layer: string = '114;MSELoss|reduction="mean";^input ^target;;439 0 1 .reduction -';
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface MSELoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Absolute differences of two tensors of the same shape.
 * @param reduction default "mean"
 */
export class L1Loss extends BuiltinModule {
  static override readonly name: string = 'L1Loss';
  /** @internal */
  static override readonly layer: string = '115;L1Loss|reduction="mean";^input ^target;;440 0 1 .reduction -';
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface L1Loss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Absolute differences, squared below `beta`.
 * @param reduction default "mean"
 * @param beta default 1.0
 */
export class SmoothL1Loss extends BuiltinModule {
  static override readonly name: string = 'SmoothL1Loss';
  /** @internal */
  static override readonly layer: string = '116;SmoothL1Loss|reduction="mean" beta=1.0;^input ^target;;441 0 1 .reduction .beta';
  declare reduction: 'none' | 'mean' | 'sum';
  declare beta: number;
  constructor(options?: { reduction?: 'none' | 'mean' | 'sum'; beta?: number });
  constructor(...args: unknown[]) { super(args); }
}
export interface SmoothL1Loss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Half of the squared differences, and `delta` times the absolute ones above `delta`.
 * @param reduction default "mean"
 * @param delta default 1.0
 */
export class HuberLoss extends BuiltinModule {
  static override readonly name: string = 'HuberLoss';
  /** @internal */
  static override readonly layer: string = '117;HuberLoss|reduction="mean" delta=1.0;^input ^target;;442 0 1 .reduction .delta -';
  declare reduction: 'none' | 'mean' | 'sum';
  declare delta: number;
  constructor(options?: { reduction?: 'none' | 'mean' | 'sum'; delta?: number });
  constructor(...args: unknown[]) { super(args); }
}
export interface HuberLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Binary cross entropy of probabilities, with targets of the same shape.
 * @param weight default null
 * @param reduction default "mean"
 */
export class BCELoss extends BuiltinModule {
  static override readonly name: string = 'BCELoss';
  /** @internal */
  static override readonly layer: string = '118;BCELoss ^weight=null|reduction="mean";^input ^target;;443 0 1 .weight .reduction';
  declare weight: Tensor | null;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface BCELoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Binary cross entropy of logits, with targets of the same shape.
 * @param weight default null
 * @param reduction default "mean"
 * @param posWeight default null
 */
export class BCEWithLogitsLoss extends BuiltinModule {
  static override readonly name: string = 'BCEWithLogitsLoss';
  /** @internal */
  static override readonly layer: string = '119;BCEWithLogitsLoss ^weight=null|reduction="mean" ^posWeight=null;^input ^target;;444 0 1 .weight .reduction .posWeight';
  declare weight: Tensor | null;
  declare reduction: 'none' | 'mean' | 'sum';
  declare posWeight: Tensor | null;
  constructor(weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; posWeight?: TensorLike | null });
  constructor(options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; posWeight?: TensorLike | null });
  constructor(...args: unknown[]) { super(args); }
}
export interface BCEWithLogitsLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Negative log likelihood of log probabilities `[N, C, ..]` with class indices (int32).
 * @param weight default null
 * @param reduction default "mean"
 * @param ignoreIndex default -100
 */
export class NLLLoss extends BuiltinModule {
  static override readonly name: string = 'NLLLoss';
  /** @internal */
  static override readonly layer: string = '120;NLLLoss ^weight=null|reduction="mean" ignoreIndex=-100;^input ^target;;426 0 1 .weight .reduction .ignoreIndex';
  declare weight: Tensor | null;
  declare reduction: 'none' | 'mean' | 'sum';
  declare ignoreIndex: number;
  constructor(weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number });
  constructor(options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum'; ignoreIndex?: number });
  constructor(...args: unknown[]) { super(args); }
}
export interface NLLLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Kullback-Leibler divergence of log probabilities from target probabilities; `reduction` may also
 * be `"batchmean"`.
 * @param reduction default "mean"
 * @param logTarget default false
 */
export class KLDivLoss extends BuiltinModule {
  static override readonly name: string = 'KLDivLoss';
  /** @internal */
  static override readonly layer: string = '121;KLDivLoss|reduction="mean" logTarget=false;^input ^target;;446 0 1 .reduction .logTarget';
  declare reduction: 'none' | 'batchmean' | 'mean' | 'sum';
  declare logTarget: boolean;
  constructor(options?: { reduction?: 'none' | 'batchmean' | 'mean' | 'sum'; logTarget?: boolean });
  constructor(...args: unknown[]) { super(args); }
}
export interface KLDivLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * Negative log likelihood of Poisson distributions.
 * @param logInput default true
 * @param full default false
 * @param eps default 1e-8
 * @param reduction default "mean"
 */
export class PoissonNLLLoss extends BuiltinModule {
  static override readonly name: string = 'PoissonNLLLoss';
  /** @internal */
  static override readonly layer: string = '122;PoissonNLLLoss|logInput=true full=false eps=1e-8 reduction="mean";^logInput ^target;;447 0 1 .logInput .full .eps .reduction';
  declare logInput: boolean;
  declare full: boolean;
  declare eps: number;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(options?: { logInput?: boolean; full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface PoissonNLLLoss {
  forward(logInput: TensorLike, target: TensorLike): Tensor;
}

/**
 * `log(1 + exp(-target * input))`, for targets 1 and -1.
 * @param reduction default "mean"
 */
export class SoftMarginLoss extends BuiltinModule {
  static override readonly name: string = 'SoftMarginLoss';
  /** @internal */
  static override readonly layer: string = '123;SoftMarginLoss|reduction="mean";^input ^target;;445 0 1 .reduction';
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface SoftMarginLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * The distance for similar pairs (1), and its shortfall below `margin` for dissimilar pairs (-1).
 * @param margin default 1.0
 * @param reduction default "mean"
 */
export class HingeEmbeddingLoss extends BuiltinModule {
  static override readonly name: string = 'HingeEmbeddingLoss';
  /** @internal */
  static override readonly layer: string = '124;HingeEmbeddingLoss margin=1.0|reduction="mean";^input ^target;;432 0 1 .margin .reduction';
  declare margin: number;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(margin?: number, options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(options?: { margin?: number; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface HingeEmbeddingLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * The sum over the other classes of the shortfall of the target's score (class index, int32) below
 * the margin. `[N, C]` and `[N]`.
 * @param p default 1
 * @param margin default 1
 * @param weight default null
 * @param reduction default "mean"
 */
export class MultiMarginLoss extends BuiltinModule {
  static override readonly name: string = 'MultiMarginLoss';
  /** @internal */
  static override readonly layer: string = '125;MultiMarginLoss p=1 margin=1 ^weight=null|reduction="mean";^input ^target;;434 0 1 .p .margin .weight .reduction';
  declare p: Scalar;
  declare margin: Scalar;
  declare weight: Tensor | null;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(p?: Scalar, margin?: Scalar, weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(options?: { p?: Scalar; margin?: Scalar; weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface MultiMarginLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * The shortfall of the target classes' scores below the margin over the others (class indices,
 * int32, up to the first negative one). `[N, C]` both.
 * @param reduction default "mean"
 */
export class MultiLabelMarginLoss extends BuiltinModule {
  static override readonly name: string = 'MultiLabelMarginLoss';
  /** @internal */
  static override readonly layer: string = '126;MultiLabelMarginLoss|reduction="mean";^input ^target;;435 0 1 .reduction';
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface MultiLabelMarginLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * The mean over classes of binary cross entropies of logits. `[N, C]` both.
 * @param weight default null
 * @param reduction default "mean"
 */
export class MultiLabelSoftMarginLoss extends BuiltinModule {
  static override readonly name: string = 'MultiLabelSoftMarginLoss';
  /** @internal */
  static override readonly layer: string = '127;MultiLabelSoftMarginLoss ^weight=null|reduction="mean";^input ^target;;436 0 1 .weight .reduction';
  declare weight: Tensor | null;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(weight?: TensorLike | null, options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(options?: { weight?: TensorLike | null; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface MultiLabelSoftMarginLoss {
  forward(input: TensorLike, target: TensorLike): Tensor;
}

/**
 * One minus the cosine for similar pairs (1), and the excess of the cosine over `margin` for
 * dissimilar pairs (-1).
 * @param margin default 0.0
 * @param reduction default "mean"
 */
export class CosineEmbeddingLoss extends BuiltinModule {
  static override readonly name: string = 'CosineEmbeddingLoss';
  /** @internal */
  static override readonly layer: string = '128;CosineEmbeddingLoss margin=0.0|reduction="mean";^input1 ^input2 ^target;;438 0 1 2 .margin .reduction';
  declare margin: number;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(margin?: number, options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(options?: { margin?: number; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface CosineEmbeddingLoss {
  forward(input1: TensorLike, input2: TensorLike, target: TensorLike): Tensor;
}

/**
 * The shortfall of the required margin by which `input1` (target 1) or `input2` (target -1) should
 * be larger.
 * @param margin default 0.0
 * @param reduction default "mean"
 */
export class MarginRankingLoss extends BuiltinModule {
  static override readonly name: string = 'MarginRankingLoss';
  /** @internal */
  static override readonly layer: string = '129;MarginRankingLoss margin=0.0|reduction="mean";^input1 ^input2 ^target;;433 0 1 2 .margin .reduction';
  declare margin: number;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(margin?: number, options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(options?: { margin?: number; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface MarginRankingLoss {
  forward(input1: TensorLike, input2: TensorLike, target: TensorLike): Tensor;
}

/**
 * The shortfall of the margin by which the negative should be farther from the anchor than the
 * positive. `[N, D]` or `[D]` each.
 * @param margin default 1.0
 * @param p default 2.0
 * @param eps default 1e-6
 * @param swap default false
 * @param reduction default "mean"
 */
export class TripletMarginLoss extends BuiltinModule {
  static override readonly name: string = 'TripletMarginLoss';
  /** @internal */
  static override readonly layer: string = '130;TripletMarginLoss margin=1.0 p=2.0 eps=1e-6 swap=false|reduction="mean";^anchor ^positive ^negative;;437 0 1 2 .margin .p .eps .swap .reduction';
  declare margin: number;
  declare p: number;
  declare eps: number;
  declare swap: boolean;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(margin?: number, p?: number, eps?: number, swap?: boolean, options?: { reduction?: 'none' | 'mean' | 'sum' });
  constructor(options?: { margin?: number; p?: number; eps?: number; swap?: boolean; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface TripletMarginLoss {
  forward(anchor: TensorLike, positive: TensorLike, negative: TensorLike): Tensor;
}

/**
 * Negative log likelihood of normal distributions with means `input` and variances `var`.
 * @param full default false
 * @param eps default 1e-6
 * @param reduction default "mean"
 */
export class GaussianNLLLoss extends BuiltinModule {
  static override readonly name: string = 'GaussianNLLLoss';
  /** @internal */
  static override readonly layer: string = '131;GaussianNLLLoss|full=false eps=1e-6 reduction="mean";^input ^target ^var;;448 0 1 2 .full .eps .reduction';
  declare full: boolean;
  declare eps: number;
  declare reduction: 'none' | 'mean' | 'sum';
  constructor(options?: { full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' });
  constructor(...args: unknown[]) { super(args); }
}
export interface GaussianNLLLoss {
  forward(input: TensorLike, target: TensorLike, var_: TensorLike): Tensor;
}

/**
 * Connectionist temporal classification. `log_probs: [T, N, C]` or `[T, C]`, `targets: [N, S]` or
 * all concatenated.
 * @param blank default 0
 * @param reduction default "mean"
 * @param zeroInfinity default false
 */
export class CTCLoss extends BuiltinModule {
  static override readonly name: string = 'CTCLoss';
  /** @internal */
  static override readonly layer: string = '132;CTCLoss blank=0 reduction="mean" zeroInfinity=false;^logProbs ^targets inputLengths targetLengths;;428 0 1 2 3 .blank .reduction .zeroInfinity';
  declare blank: number;
  declare reduction: 'none' | 'mean' | 'sum';
  declare zeroInfinity: boolean;
  constructor(blank?: number, reduction?: 'none' | 'mean' | 'sum', zeroInfinity?: boolean);
  constructor(options?: { blank?: number; reduction?: 'none' | 'mean' | 'sum'; zeroInfinity?: boolean });
  constructor(...args: unknown[]) { super(args); }
}
export interface CTCLoss {
  forward(logProbs: TensorLike, targets: TensorLike, inputLengths: Tensor | number | readonly number[], targetLengths: Tensor | number | readonly number[]): Tensor;
}

