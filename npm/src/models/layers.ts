/** The layers of a decoder, with the names of submodules that Hugging Face's models have. */
import { LanthornError } from '../core/errors.js';
import { buffer, Module, parameter } from '../nn/module.js';
import { gelu, layerNorm, linear, relu, rmsNorm, silu } from '../generated/operations.js';
import { QuantizedTensor, rowsOf, type BlockFormat } from '../tensor/quantized-tensor.js';
import { scope } from '../tensor/scope.js';
import type { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';
import { attend } from './attend.js';
import type { DecoderConfig, LayerAttention } from '../generated/models/decoder/config.js';
import { role as nameOf, type Activation } from '../generated/models/decoder/family.js';
import { rotate } from '../generated/models/decoder/rope.js';

/**
 * Returns the weight with a name and a shape. Quantized weights of linear layers are `[out, in]`,
 * also if `columns` and other weights are `[in, out]`.
 */
export type Weights = (name: string, shape: readonly number[], columns?: boolean) => Tensor | QuantizedTensor;

/** A tensor in the type that is computed in. */
function as(tensor: Tensor, dtype: DType | undefined): Tensor {
  return dtype === undefined || tensor.dtype === dtype ? tensor : tensor.to(dtype);
}

/** A vector, of which a file may have blocks, too. */
function vector(weight: Tensor | QuantizedTensor): Tensor {
  return parameter(weight instanceof QuantizedTensor ? weight.dequantize() : weight);
}

/** A module with a matrix: a parameter, or blocks of low-bit integers in a buffer. */
export abstract class MatrixModule extends Module {
  weight!: Tensor;
  /** The format of the blocks; null for a parameter. */
  format: BlockFormat | null = null;

  protected setWeight(weight: Tensor | QuantizedTensor): void {
    const isQuantized = weight instanceof QuantizedTensor;
    this.format = isQuantized ? weight.format : null;
    this.weight = isQuantized ? buffer(weight.blocks) : parameter(weight);
  }

  /** The type of the numbers, float32 for blocks. */
  get dtype(): DType {
    return this.format === null ? this.weight.dtype : 'float32';
  }

  /**
   * All numbers, in a type if there is one. A product that takes them reads the blocks, or converts
   * while it reads.
   */
  protected numbers(dtype?: DType): Tensor {
    return as(this.format === null ? this.weight : this.weight.dequantize(this.format), dtype);
  }

  /** `[out, in]` of the numbers, contiguous, for blocks of rows. */
  protected rowsOfNumbers(): Tensor {
    return this.numbers();
  }

  /** @internal The blocks of the nearest numbers; `path` names the layer in errors. */
  async quantized(path: string, format: BlockFormat): Promise<QuantizedTensor> {
    const numbers = scope(() => this.rowsOfNumbers().detach());
    try {
      return await QuantizedTensor.fromFloat(numbers, format);
    } catch (error) {
      throw error instanceof LanthornError ? new LanthornError(error.kind, error.op, `${path}: ${error.message.replace(`${error.op}: `, '')}`) : error;
    } finally {
      numbers.dispose();
    }
  }

  /** @internal Replaces the weight, which is disposed of. */
  replaceWeight(weight: QuantizedTensor): void {
    this.weight.dispose();
    this.setWeight(weight);
  }
}

/** What all layers of one forward pass share. */
export interface Pass {
  /** By rotary embedding: cosines and sines of the positions. */
  rotations: readonly [Tensor, Tensor][];
  /** Where the keys and values of the tokens go; absent without a cache. */
  write?: { keys: Tensor[]; values: Tensor[]; slots: Tensor; keyLengths: Tensor };
}

const ACTIVATIONS: Readonly<Record<Activation, (x: Tensor) => Tensor>> = {
  silu: (x) => silu(x),
  gelu: (x) => gelu(x),
  gelu_tanh: (x) => gelu(x, { approximate: 'tanh' }),
  relu: (x) => relu(x),
};

/** A table of rows by id. */
export class Table extends MatrixModule {
  static override readonly name: string = 'Table';
  constructor(path: string, rows: number, width: number, weights: Weights) {
    super();
    this.setWeight(weights(`${path}.weight`, [rows, width]));
  }

  forward(ids: Tensor): Tensor {
    const index = ids.reshape([-1]);
    const rows = this.format === null ? this.weight.indexSelect(0, index) : rowsOf(this.weight, this.format, index);
    return rows.reshape([...ids.shape, -1]);
  }

  /** The products of `x` with all rows, as of an output layer that has the embedding's weights. */
  project(x: Tensor): Tensor {
    return linear(x, this.numbers(x.dtype));
  }
}

/** A linear layer. Its weight is `[out, in]`, or `[in, out]` in GPT-2 unless it is quantized. */
export class Projection extends MatrixModule {
  static override readonly name: string = 'Projection';
  bias?: Tensor;
  readonly columns: boolean;

  constructor(path: string, sizes: readonly [input: number, output: number], bias: boolean, columns: boolean, weights: Weights) {
    super();
    const [input, output] = sizes;
    this.columns = columns;
    this.setWeight(weights(`${path}.weight`, columns ? [input, output] : [output, input], columns));
    if (bias) this.bias = vector(weights(`${path}.bias`, [output]));
  }

  forward(x: Tensor): Tensor {
    return linear(x, this.#rows(x.dtype), this.bias ? as(this.bias, x.dtype) : null);
  }

  #rows(dtype?: DType): Tensor {
    return this.columns && this.format === null ? as(this.weight, dtype).t() : this.numbers(dtype);
  }

  protected override rowsOfNumbers(): Tensor {
    return this.#rows().contiguous();
  }
}

/** A norm over the last dimension, of either kind. */
export class Norm extends Module {
  static override readonly name: string = 'Norm';
  weight: Tensor;
  bias?: Tensor;
  readonly eps: number;
  readonly offset: number;

  constructor(path: string, width: number, config: DecoderConfig, weights: Weights) {
    super();
    const { kind, offset } = config.family.norm;
    this.weight = vector(weights(`${path}.weight`, [width]));
    if (kind === 'layer') this.bias = vector(weights(`${path}.bias`, [width]));
    this.eps = config.eps;
    this.offset = offset;
  }

  forward(x: Tensor): Tensor {
    const [shape, weight] = [this.weight.shape, as(this.weight, x.dtype)];
    if (this.bias) return layerNorm(x, shape, weight, as(this.bias, x.dtype), this.eps);
    return rmsNorm(x, shape, this.offset === 0 ? weight : weight.add(this.offset), this.eps);
  }
}

/** Adds submodules by the names that the family's files have for their roles. */
abstract class Named extends Module {
  protected readonly config: DecoderConfig;
  readonly #path: string;
  readonly #weights: Weights;

  constructor(path: string, config: DecoderConfig, weights: Weights) {
    super();
    Object.defineProperty(this, 'config', { enumerable: false });
    this.config = config;
    this.#path = path;
    this.#weights = weights;
  }

  protected has(role: string): boolean {
    return nameOf(this.config.family, role) !== undefined;
  }

  #add<M extends Module>(role: string, make: (path: string) => M): M {
    const name = nameOf(this.config.family, role)!;
    const made = make(`${this.#path}.${name}`);
    this.registerModule(name, made);
    return made;
  }

  protected linear(role: string, sizes: readonly [number, number], bias: boolean): Projection {
    return this.#add(role, (path) => new Projection(path, sizes, bias, this.config.family.linear === 'columns', this.#weights));
  }

  protected norm(role: string, width: number): Norm | null {
    return this.has(role) ? this.#add(role, (path) => new Norm(path, width, this.config, this.#weights)) : null;
  }

  protected part<M extends Module>(role: string, make: (path: string, weights: Weights) => M): M {
    return this.#add(role, (path) => make(path, this.#weights));
  }
}

/** Attention with grouped heads, of one layer. */
export class Attention extends Named {
  static override readonly name: string = 'Attention';
  readonly #project: readonly Projection[];
  readonly #output: Projection;
  readonly #queryNorm: Norm | null;
  readonly #keyNorm: Norm | null;
  readonly #kind: LayerAttention;

  constructor(path: string, config: DecoderConfig, kind: LayerAttention, weights: Weights) {
    super(path, config, weights);
    const { hiddenSize, headDim, biases } = config;
    const [queries, keys] = [config.heads * headDim, config.kvHeads * headDim];
    this.#project = this.has('qkv')
      ? [this.linear('qkv', [hiddenSize, queries + 2 * keys], biases.qkv)]
      : [['query', queries] as const, ['key', keys] as const, ['value', keys] as const]
        .map(([role, width]) => this.linear(role, [hiddenSize, width], biases.qkv));
    this.#output = this.linear('output', [queries, hiddenSize], biases.output);
    this.#queryNorm = this.norm('query_norm', headDim);
    this.#keyNorm = this.norm('key_norm', headDim);
    this.#kind = kind;
  }

  /** Queries, keys and values of `x: [batch, L, hidden]`, as `[batch, heads, L, headDim]`. */
  #heads(x: Tensor): [Tensor, Tensor, Tensor] {
    const { heads, kvHeads, headDim } = this.config;
    const [batch, length] = x.shape as [number, number];
    const counts = [heads, kvHeads, kvHeads];
    const parts = this.#project.map((layer) => layer.call(x));
    const split = parts.length === 3 ? parts : parts[0]!.split(counts.map((count) => count * headDim), -1);
    return split.map((part, index) => part.reshape([batch, length, counts[index]!, headDim]).transpose(1, 2)) as [Tensor, Tensor, Tensor];
  }

  forward(x: Tensor, layer: number, pass: Pass): Tensor {
    const [batch, length] = x.shape as [number, number];
    let [query, key, value] = this.#heads(x);
    if (this.#queryNorm) query = this.#queryNorm.call(query);
    if (this.#keyNorm) key = this.#keyNorm.call(key);
    if (this.#kind.rope !== null) {
      const turned = pass.rotations[this.#kind.rope]!;
      [query, key] = [rotate(query, turned), rotate(key, turned)];
    }
    const { write } = pass;
    if (write) {
      const slots = write.slots.unsqueeze(1).unsqueeze(-1).expand(key.shape);
      // A cache may have another type than the model.
      const [keys, values] = [write.keys[layer]!, write.values[layer]!];
      key = as(keys.store_(2, slots, as(key, keys.dtype)), query.dtype);
      value = as(values.store_(2, slots, as(value, values.dtype)), query.dtype);
    }
    const { scale, attentionSoftCap: softCap } = this.config;
    const mixed = attend(query, key, value, { keyLengths: write?.keyLengths ?? null, window: this.#kind.window, softCap, scale });
    return this.#output.call(mixed.transpose(1, 2).reshape([batch, length, -1]));
  }
}

/** The two or three linear layers between attentions. */
export class MLP extends Named {
  static override readonly name: string = 'MLP';
  readonly #in: readonly Projection[];
  readonly #down: Projection;

  constructor(path: string, config: DecoderConfig, weights: Weights) {
    super(path, config, weights);
    const { hiddenSize, intermediateSize, biases: { mlp } } = config;
    const roles = this.has('gate_up') ? ['gate_up'] : config.family.gated ? ['gate', 'up'] : ['up'];
    const width = roles[0] === 'gate_up' ? 2 * intermediateSize : intermediateSize;
    this.#in = roles.map((role) => this.linear(role, [hiddenSize, width], mlp));
    this.#down = this.linear('down', [intermediateSize, hiddenSize], mlp);
  }

  forward(x: Tensor): Tensor {
    const activate = ACTIVATIONS[this.config.activation];
    const parts = this.#in.map((layer) => layer.call(x));
    if (!this.config.family.gated) return this.#down.call(activate(parts[0]!));
    const [gate, up] = parts.length === 2 ? parts : parts[0]!.chunk(2, -1);
    return this.#down.call(activate(gate!).mul(up!));
  }
}

/** A layer: attention and MLP, with norms before them and, in some families, after them. */
export class DecoderLayer extends Named {
  static override readonly name: string = 'DecoderLayer';
  readonly #attention: Attention;
  readonly #mlp: MLP;
  readonly #norms: readonly (Norm | null)[];

  constructor(path: string, config: DecoderConfig, kind: LayerAttention, weights: Weights) {
    super(path, config, weights);
    this.#attention = this.part('attention', (at, from) => new Attention(at, config, kind, from));
    this.#mlp = this.part('mlp', (at, from) => new MLP(at, config, from));
    this.#norms = ['attention_norm', 'post_attention_norm', 'mlp_norm', 'post_mlp_norm'].map((role) => this.norm(role, config.hiddenSize));
  }

  forward(x: Tensor, layer: number, pass: Pass): Tensor {
    const [before, after, beforeMlp, afterMlp] = this.#norms;
    const apply = (norm: Norm | null | undefined, value: Tensor) => (norm ? norm.call(value) : value);
    const attended = x.add(apply(after, this.#attention.call(apply(before, x), layer, pass)));
    return attended.add(apply(afterMlp, this.#mlp.call(apply(beforeMlp, attended))));
  }
}
