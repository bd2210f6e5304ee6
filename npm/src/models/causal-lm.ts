/** A decoder that predicts the next token: every family of the table. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { tensor } from '../tensor/from-data.js';
import { Module } from '../nn/module.js';
import { ModuleList } from '../nn/containers.js';
import { arange, randn, where } from '../generated/operations.js';
import type { BlockFormat, QuantizedTensor } from '../tensor/quantized-tensor.js';
import { scope } from '../tensor/scope.js';
import { Tensor } from '../tensor/tensor.js';
import { itemsize } from '../tensor/views.js';
import type { CacheTensors, KVCache } from './cache.js';
import type { DecoderConfig } from './config.js';
import { DecoderLayer, MatrixModule, Norm, Projection, Table, type Pass, type Weights } from './layers.js';
import { role } from '../generated/models/decoder/family.js';
import { rotations, withNegatives, type Rope } from '../generated/models/decoder/rope.js';
import { FLOATS } from './host.js';

/** Options of {@link CausalLM.forward}. */
export interface ForwardOptions {
  /**
   * The keys and values of the previous tokens, to which the keys and values of `ids` are added.
   */
  cache?: KVCache | null;
  /** With a cache, the number of ids of each row that count; the others are padding, for which the cache has room (default: all). */
  lengths?: readonly number[];
  /** Whether to compute only the logits of each row's last id, `[batch, vocabSize]` (default: false). */
  lastOnly?: boolean;
}

/** A module that has others, under a name with dots: `model.layers`. */
class Group extends Module {
  static override readonly name: string = 'Group';

  forward(): never {
    throw new LanthornError('argument', 'CausalLM', 'call the model, not a part of it');
  }
}

/** Puts a module at a path, with groups between. */
function addModule(root: Module, path: string, module: Module): void {
  const names = path.split('.');
  const last = names.pop()!;
  let owner: Module = root;
  for (const name of names) {
    const known = (owner as unknown as Record<string, Module | undefined>)[name];
    if (known === undefined) owner.registerModule(name, new Group());
    owner = known ?? (owner as unknown as Record<string, Module>)[name]!;
  }
  owner.registerModule(last, module);
}

const randomWeights: Weights = (name, shape) => {
  if (name.endsWith('.bias')) return randn([...shape]).mul(0);
  return shape.length === 1 ? randn([...shape]).mul(0).add(1) : randn([...shape]).mul(0.02);
};

/**
 * A decoder of any family of the table. Its submodules have the names of Hugging Face's models, so
 * `stateDict()` has the names of their files.
 *
 * @example
 * const model = await fromPretrained('https://example.org/llama/');
 * const logits = model.call(tensor([[1, 5, 8]]));
 */
export class CausalLM extends Module {
  static override readonly name: string = 'CausalLM';
  declare readonly config: DecoderConfig;
  readonly #embedding: Table;
  readonly #positions: Table | null;
  readonly #layers: DecoderLayer[];
  readonly #norm: Norm;
  readonly #head: Projection | null;
  readonly #frequencies: readonly { short: Tensor; long: Tensor | null }[];

  /** A model with these weights, or random ones. */
  constructor(config: DecoderConfig, weights: Weights = randomWeights) {
    super();
    // Not enumerable: it has no tensors.
    Object.defineProperty(this, 'config', { value: config });
    const { hiddenSize, vocabSize } = config;
    const name = (part: string) => role(config.family, part)!;
    const positions = role(config.family, 'positions');
    this.#embedding = new Table(name('embedding'), vocabSize, hiddenSize, weights);
    addModule(this, name('embedding'), this.#embedding);
    this.#positions = positions ? new Table(positions, config.maxPositions, hiddenSize, weights) : null;
    if (this.#positions) addModule(this, positions!, this.#positions);
    this.#layers = config.layers.map((kind, index) => new DecoderLayer(`${name('layers')}.${index}`, config, kind, weights));
    addModule(this, name('layers'), new ModuleList(this.#layers));
    this.#norm = new Norm(name('norm'), hiddenSize, config, weights);
    addModule(this, name('norm'), this.#norm);
    this.#head = config.tieWordEmbeddings ? null : new Projection(name('head'), [hiddenSize, vocabSize], false, false, weights);
    if (this.#head) addModule(this, name('head'), this.#head);
    this.#frequencies = config.ropes.map(({ inverseFrequencies, longInverseFrequencies }) => ({
      short: tensor(Float32Array.from(withNegatives(inverseFrequencies))),
      long: longInverseFrequencies && tensor(Float32Array.from(withNegatives(longInverseFrequencies))),
    }));
  }

  /**
   * The type that is computed in, which caches have: the weights' type, or the widest one where
   * files mix them, as float32 norms with float16 matrices. Matrices stay in their type, and
   * products convert them.
   */
  get dtype(): Tensor['dtype'] {
    const dtypes = new Set<Tensor['dtype']>();
    for (const [, module] of this.namedModules()) {
      if (module instanceof MatrixModule) dtypes.add(module.dtype);
      if (module instanceof Norm) dtypes.add(module.weight.dtype);
      if ((module instanceof Norm || module instanceof Projection) && module.bias) dtypes.add(module.bias.dtype);
    }
    // float16 and bfloat16 have float32 in common.
    if (dtypes.has('float16') && dtypes.has('bfloat16')) dtypes.add('float32');
    return FLOATS.findLast((dtype) => dtypes.has(dtype)) ?? 'float32';
  }

  /**
   * The logits of every id, `[batch, L, vocabSize]`, for `ids: [batch, L]` of an integer type; with
   * `lastOnly`, `[batch, vocabSize]`.
   *
   * @throws a LanthornError of kind `shape`, if the ids are no matrix or have another number of rows than
   * the cache; of kind `limit`, if they do not fit in the cache or beyond the learned positions, and
   * nothing is changed then; of kind `index`, when the result is read, if an id is not in the vocabulary.
   */
  override forward(ids: Tensor, options: ForwardOptions = {}): Tensor {
    const op = 'CausalLM';
    const { cache = null, lengths, lastOnly = false } = checkOptions(op, options, ['cache', 'lengths', 'lastOnly']);
    if (!(ids instanceof Tensor)) throw new LanthornError('argument', op, `ids takes a tensor, not ${describe(ids)}`);
    if (ids.ndim !== 2 || ids.shape[1] === 0) throw new LanthornError('shape', op, `ids takes [batch, length], not [${ids.shape.join(', ')}]`);
    const [batch, length] = ids.shape as [number, number];
    const counts = lengths ?? Array.from({ length: batch }, () => length);
    if (counts.length !== batch || !counts.every((count) => Number.isInteger(count) && count >= 0 && count <= length)) {
      throw new LanthornError('argument', op, `lengths takes ${batch} numbers from 0 to ${length}, not [${counts.join(', ')}]`);
    }
    if (cache === null) {
      if (this.#positions && length > this.config.maxPositions) {
        throw new LanthornError('limit', op, `${length} ids are more than the model's ${this.config.maxPositions} positions`);
      }
      return scope(() => this.run(ids, tensor(Int32Array.from(counts)), null, 0, lastOnly));
    }
    // Queries are the last keys of a cache, so their padding has to fit, too.
    cache.check(op, counts.map((count) => (count > 0 ? length : 0)));
    const logits = scope(() => this.run(ids, tensor(Int32Array.from(counts)), cache.tensors, cache.capacity, lastOnly));
    cache.advance(counts);
    return logits;
  }

  /**
   * @internal The computation alone, which can be compiled: `counts: [batch]` int32, a cache as tensors,
   * which is written in place.
   */
  run(ids: Tensor, counts: Tensor, cache: CacheTensors | null, capacity: number, lastOnly: boolean): Tensor {
    const length = ids.shape[1]!;
    const offsets = arange(length, { dtype: 'int32' });
    const positions = cache ? cache.position.unsqueeze(-1).add(offsets) : offsets.unsqueeze(0);
    const pass: Pass = { rotations: this.#rotations(positions, cache ? capacity : length) };
    if (cache) {
      // Padding is stored nowhere.
      const slots = where(offsets.lt(counts.unsqueeze(-1)), positions, -1);
      pass.write = { keys: cache.keys, values: cache.values, slots, keyLengths: cache.position.add(length) };
    }
    let x = this.#embedding.call(ids).to(this.dtype);
    if (this.config.embeddingScale !== 1) x = x.mul(this.config.embeddingScale);
    if (this.#positions) x = x.add(this.#positions.call(positions.clamp(0, this.config.maxPositions - 1)).to(x.dtype));
    this.#layers.forEach((layer, index) => { x = layer.call(x, index, pass); });
    if (lastOnly) x = lastOf(x, counts);
    const logits = this.#logits(this.#norm.call(x));
    cache?.position.add_(counts);
    return logits;
  }

  #logits(x: Tensor): Tensor {
    const logits = this.#head ? this.#head.call(x) : this.#embedding.project(x);
    const { finalSoftCap: cap } = this.config;
    return cap === null ? logits : logits.div(cap).tanh().mul(cap);
  }

  /** Long texts have other frequencies in some models; with a cache, its capacity decides, because keys are rotated once. */
  #rotations(positions: Tensor, most: number): [Tensor, Tensor][] {
    return this.config.ropes.map((rope: Rope, index) => {
      const { short, long } = this.#frequencies[index]!;
      return rotations(positions, long && most > rope.originalLength ? long : short, rope.attentionFactor);
    });
  }

  /**
   * Puts the weights of the embedding and of all linear layers in blocks of low-bit integers;
   * norms, biases and learned positions stay as they are. Products read the blocks, and gradients
   * pass through them to the other factors. Without a format nothing is changed.
   *
   * @throws a LanthornError of kind `shape`, if rows have not whole blocks, naming the layer; of kind `argument`, for a
   * format that is not known or only read. Nothing is changed then.
   *
   * @example
   * await model.quantize('q4_0');
   * console.log(model.weightBytes());
   */
  async quantize(format?: BlockFormat | null): Promise<this> {
    if (format === undefined || format === null) return this;
    const matrices = Array.from(this.namedModules()).filter((entry): entry is [string, MatrixModule] => entry[1] instanceof MatrixModule && entry[1] !== this.#positions);
    const made: QuantizedTensor[] = [];
    try {
      for (const [name, module] of matrices) made.push(await module.quantized(name, format));
    } catch (error) {
      for (const tensor of made) tensor.dispose();
      throw error;
    }
    matrices.forEach(([, module], index) => {
      module.replaceWeight(made[index]!);
      made[index]!.dispose();
    });
    return this;
  }

  /** The bytes of all weights, as they are held. */
  weightBytes(): number {
    return Object.values(this.stateDict()).reduce((sum, { numel, dtype }) => sum + numel * itemsize(dtype), 0);
  }

  /** Disposes of all weights. */
  override dispose(): void {
    super.dispose();
    for (const { short, long } of this.#frequencies) {
      short.dispose();
      long?.dispose();
    }
  }
}

/** The rows' last elements that count: `[batch, hidden]` of `x: [batch, L, hidden]`. */
function lastOf(x: Tensor, counts: Tensor): Tensor {
  const [batch, length, width] = x.shape as [number, number, number];
  if (length === 1) return x.select(1, 0);
  const index = counts.sub(1).clamp(0, length - 1).reshape([batch, 1, 1]).expand([batch, 1, width]);
  return x.gather(1, index).select(1, 0);
}
