/** Models in GGUF files: their metadata as a `config.json`, and their tensors by Hugging Face's names. */
import { LanthornError } from '../core/errors.js';
import { cat } from '../generated/operations.js';
import { QuantizedTensor } from '../tensor/quantized-tensor.js';
import type { Tensor } from '../tensor/tensor.js';
import { readConfig, unknownFields, type DecoderConfig } from './config.js';
import {
  boundsOf, families, GGUF_DEFAULTS, GGUF_FACTORS, GGUF_FIELDS, GGUF_IGNORED, GGUF_NAMES, GGUF_READ, GGUF_REQUIRED, GGUF_WITHOUT_EFFECT,
  IN_ATTENTION, IN_MLP, type Family, type Json,
} from './families.js';

/** The number of layers of Gemma 2 with 27 billion parameters, whose scores have another scale. */
const GEMMA2_27B_LAYERS = 46;

type Metadata = Readonly<Record<string, Json>>;

function refuse(message: string): LanthornError {
  return new LanthornError('file', 'GGUF', message);
}

/** The tensors of a file, by GGUF's names. */
type Tensors = Readonly<Record<string, Tensor | QuantizedTensor>>;

function familyOf(architecture: Json | undefined): Family {
  const known = families().filter((family) => family.gguf !== null);
  const found = known.find((family) => family.gguf === architecture);
  if (found) return found;
  throw refuse(`the architecture ${JSON.stringify(architecture ?? null)} is not known; there are ${known.map((family) => family.gguf).join(', ')}`);
}

/** The metadata of a file's architecture. */
class Fields {
  readonly #all: Metadata;
  readonly #prefix: string;
  readonly #family: Family;

  constructor(all: Metadata, family: Family) {
    this.#all = all;
    this.#prefix = `${family.gguf}.`;
    this.#family = family;
  }

  get(key: string): Json | undefined {
    return this.#all[this.#prefix + key];
  }

  /** A number that is not 0, which says nothing. */
  number(key: string): number | null {
    const value = this.get(key);
    if (value === undefined) return null;
    if (typeof value !== 'number') throw this.refuse(key, value, 'is no number');
    return value === 0 ? null : value;
  }

  refuse(key: string, value: Json, what: string): LanthornError {
    return refuse(`${this.#prefix}${key} is ${JSON.stringify(value)}, which ${what}`);
  }

  /**
   * A value of the architecture's own field; a list for each layer counts where all are the same.
   */
  #field(key: string): Json | undefined {
    const value = this.get(key);
    if (!Array.isArray(value)) return value;
    if (value.length === 0 || value.some((other) => other !== value[0])) throw this.refuse(key, value, 'differs by layer, and is not supported');
    return value[0] as Json;
  }

  /** Whether the family reads a value. */
  #isRead(key: string): boolean {
    const { fields, rope, window } = this.#family;
    const field = Object.hasOwn(GGUF_FIELDS, key) ? GGUF_FIELDS[key] : undefined;
    return (key.startsWith('rope.') && rope === undefined)
      || (field !== undefined && Object.hasOwn(fields, field))
      || (GGUF_READ.has(key) && (key !== 'attention.sliding_window_pattern' || window !== undefined))
      || GGUF_IGNORED.has(key);
  }

  /**
   * Refuses a part of a model, values that are not supported and, if `strict`, those that are not
   * known.
   */
  check(strict: boolean): void {
    const count = this.#all['split.count'];
    if (typeof count === 'number' && count > 1) throw refuse(`split.count is ${count}: the file is a part of a model; merge the parts first`);
    const unknown: string[] = [];
    for (const [name, value] of Object.entries(this.#all)) {
      const key = name.slice(this.#prefix.length);
      if (!name.startsWith(this.#prefix) || this.#isRead(key)) continue;
      if (!Object.hasOwn(GGUF_WITHOUT_EFFECT, key)) unknown.push(name);
      else if (!GGUF_WITHOUT_EFFECT[key]!.includes(value)) throw this.refuse(key, value, `is not supported for ${this.#family.name}`);
    }
    if (strict && unknown.length > 0) throw refuse(unknownFields(unknown, this.#family));
  }

  /** The fields of `config.json` that the table names. */
  fields(): Record<string, Json> {
    const json: Record<string, Json> = {};
    for (const [key, field] of Object.entries(GGUF_FIELDS)) {
      if (!Object.hasOwn(this.#family.fields, field)) continue;
      const value = this.#field(key);
      if (value === undefined && GGUF_REQUIRED.has(key)) throw refuse(`there is no ${this.#prefix}${key}`);
      const defaults = [this.#family.gguf_defaults ?? {}, GGUF_DEFAULTS].find((table) => Object.hasOwn(table, key));
      // Files have 0 for no window and no soft cap.
      if (value !== undefined) json[field] = value === 0 && boundsOf(this.#family).includes(field) ? null : value;
      else if (defaults) json[field] = defaults[key]!;
    }
    return json;
  }

  /** The width of heads, which keys and values share. */
  headDim(json: Readonly<Record<string, Json>>): number {
    const usual = Math.floor(Number(json['hidden_size']) / Number(json['num_attention_heads']));
    const own = this.number('attention.key_length') ?? usual;
    if (own !== usual && !Object.hasOwn(this.#family.fields, 'head_dim')) throw this.refuse('attention.key_length', own, `is not supported: heads have ${usual}`);
    const values = this.number('attention.value_length') ?? usual;
    if (values !== own) throw this.refuse('attention.value_length', values, `is not supported: keys have ${own}`);
    return own;
  }

  /** Which layers have a window, by a period or by a list of flags. */
  windowPattern(json: Record<string, Json>): void {
    const key = 'attention.sliding_window_pattern';
    const { window } = this.#family;
    const pattern = this.get(key);
    if (pattern === undefined || window === undefined) return;
    if (Array.isArray(pattern)) json['layer_types'] = pattern.map((flag) => (flag === true || flag === 1 ? 'sliding_attention' : 'full_attention'));
    else if (typeof window.period === 'string') json[window.period] = pattern;
    else if (pattern !== window.period) throw this.refuse(key, pattern, 'is not supported');
  }

  /** A dictionary `rope_scaling` of the metadata and the tensors of factors. */
  async ropeScaling(tensors: Tensors): Promise<Json> {
    const get = (key: string) => this.number(`rope.scaling.${key}`);
    const factor = get('factor') ?? this.number('rope.scale_linear');
    const original = get('original_context_length');
    const attention = (get('attn_factor') ?? 1) * (get('yarn_attn_factor') ?? 1);
    const [long, short, one] = ['rope_factors_long', 'rope_factors_short', 'rope_freqs'].map((name) => tensors[`${name}.weight`]);
    const scales = factor !== null && factor !== 1;
    // Without a kind, llama.cpp divides positions by the factor.
    const named = this.get('rope.scaling.type') ?? (long ? 'longrope' : 'linear');
    const kind = named === 'linear' && !scales ? 'none' : named;
    const kinds = ['none', 'linear', 'yarn', 'longrope'];
    if (!kinds.includes(kind as string)) throw refuse(`rope.scaling.type is not known; there are ${kinds.join(', ')}`);
    if (kind === 'longrope' && !(long && short)) throw refuse('longrope has no rope_factors_long and _short');
    if (kind === 'longrope' && scales) throw refuse('longrope with rope.scaling.factor is not supported');
    if (kind === 'yarn' && factor === null) throw refuse('yarn has no rope.scaling.factor');
    if ((kind === 'yarn' || kind === 'linear') && (one || long || short)) throw refuse(`${kind} with factors of frequencies is not supported`);
    if ((kind === 'none' || kind === 'linear') && attention !== 1) throw refuse(`rope.scaling.attn_factor ${attention} needs yarn or longrope`);
    if (kind === 'longrope') {
      return {
        rope_type: 'longrope', original_max_position_embeddings: original, attention_factor: attention,
        long_factor: await factors('rope_factors_long.weight', long!), short_factor: await factors('rope_factors_short.weight', short!),
      };
    }
    if (kind === 'yarn') {
      const grown = factor! <= 1 ? 1 : 0.1 * Math.log(factor!) + 1;
      return {
        rope_type: 'yarn', factor: factor!, original_max_position_embeddings: original, attention_factor: attention * grown,
        beta_fast: get('yarn_beta_fast'), beta_slow: get('yarn_beta_slow'),
      };
    }
    if (kind === 'linear') return { rope_type: 'linear', factor: factor! };
    return one ? { rope_type: 'factors', factors: await factors('rope_freqs.weight', one) } : null;
  }
}

/** Factors of frequencies, which are tensors in these files. */
async function factors(name: string, tensor: Tensor | QuantizedTensor): Promise<number[]> {
  if (tensor instanceof QuantizedTensor) throw refuse(`the factors ${name} are quantized`);
  return Array.from((await tensor.data()) as Float32Array);
}

/** llama.cpp scales by the width of a head, except in one model. */
function scoreWidth(family: Family, json: Readonly<Record<string, Json>>, headDim: number): number {
  if (family.name === 'gemma2' && json['num_hidden_layers'] === GEMMA2_27B_LAYERS) return Number(json['hidden_size']) / Number(json['num_attention_heads']);
  return headDim;
}

/** The ids that end a text, a turn or a message. */
function ends(metadata: Metadata): Json[] {
  const ids = ['eos', 'eot', 'eom'].map((role) => metadata[`tokenizer.ggml.${role}_token_id`]).filter((id) => id !== undefined);
  return [...new Set(ids)];
}

/**
 * The configuration of a file. `tensors` are its tensors, by GGUF's names; `strict` says whether
 * metadata that is not known is an error.
 */
export async function ggufConfig(metadata: Metadata, tensors: Tensors, strict: boolean): Promise<DecoderConfig> {
  const family = familyOf(metadata['general.architecture']);
  const fields = new Fields(metadata, family);
  fields.check(strict);
  const embedding = tensors[`${GGUF_NAMES['embedding']}.weight`];
  if (embedding === undefined) throw refuse(`there is no tensor ${GGUF_NAMES['embedding']}.weight`);
  const json: Record<string, Json> = { ...fields.fields(), architectures: [family.architectures[0]!], vocab_size: embedding.shape[0]!, eos_token_id: ends(metadata) };
  json['tie_word_embeddings'] = tensors[`${GGUF_NAMES['head']}.weight`] === undefined;
  const headDim = fields.headDim(json);
  if (Object.hasOwn(family.fields, 'head_dim')) json['head_dim'] = headDim;
  if (family.rope) {
    json['rope_scaling'] = await fields.ropeScaling(tensors);
    const rotated = fields.number('rope.dimension_count') ?? headDim;
    if (rotated > headDim) throw fields.refuse('rope.dimension_count', rotated, `is not supported: heads have ${headDim}`);
    json['partial_rotary_factor'] = rotated / headDim;
  }
  fields.windowPattern(json);
  if (family.scale !== undefined) json[family.scale] = scoreWidth(family, json, headDim);
  for (const [kind, role] of [['qkv', 'query'], ['output', 'output'], ['mlp', 'down']] as const) {
    const flag = family.biases[kind];
    if (typeof flag === 'string') json[flag] = tensors[`blk.0.${GGUF_NAMES[role]}.bias`] !== undefined;
  }
  const config = readConfig(json);
  return { ...config, scale: fields.number('attention.scale') ?? config.scale };
}

/**
 * The rows of queries or keys in Hugging Face's order, whose halves are rotated, from neighbouring
 * pairs. The first
 * `rotated` rows of each head are rotated.
 */
function unpermute(weight: Tensor, heads: number, rotated: number): Tensor {
  const [rows, ...others] = weight.shape as [number, ...number[]];
  const width = rows / heads;
  const apart = weight.reshape([heads, width, ...others]);
  const turned = apart.narrow(1, 0, rotated).reshape([heads, rotated / 2, 2, ...others]).transpose(1, 2).reshape([heads, rotated, ...others]);
  return (width === rotated ? turned : cat([turned, apart.narrow(1, rotated, width - rotated)], 1)).reshape(weight.shape);
}

/** The role of a tensor and its end: `blk.3.attn_q.weight` is `[3, 'query', 'weight']`. */
function roleOf(name: string, family: Family): { layer: string | null; role: string; end: string } {
  const [, layer = null, short, end] = /^(?:blk\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(name) ?? [];
  const isOf = (role: string) => family.names[role] != null && GGUF_NAMES[role] === short;
  const role = Object.keys(GGUF_NAMES).find(isOf);
  if (role === undefined || end === undefined) throw refuse(`the tensor ${name} is not known for ${family.name}`);
  return { layer, role, end };
}

/** Hugging Face's name for a tensor of a GGUF file; null for one that only its configuration reads. */
export function longName(name: string, family: Family): string | null {
  if (name.endsWith('.weight') && GGUF_FACTORS.has(name.slice(0, -'.weight'.length))) return null;
  const { layer, role, end } = roleOf(name, family);
  const { names } = family;
  if (layer === null) return `${names[role]}.${end}`;
  const part = IN_ATTENTION.has(role) ? `${names['attention']}.` : IN_MLP.has(role) ? `${names['mlp']}.` : '';
  return `${names['layers']}.${layer}.${part}${names[role]}.${end}`;
}

/** A tensor as Hugging Face's folder has it. Blocks of linear layers stay as they are: `[out, in]`. */
function convert(name: string, value: Tensor | QuantizedTensor, config: DecoderConfig): Tensor | QuantizedTensor {
  const { family } = config;
  const { role } = roleOf(name, family);
  if (family.gguf_permuted && (role === 'query' || role === 'key')) {
    const heads = role === 'query' ? config.heads : config.kvHeads;
    const rotated = 2 * (config.ropes[0]?.inverseFrequencies.length ?? config.headDim / 2);
    return value instanceof QuantizedTensor
      ? new QuantizedTensor(unpermute(value.blocks, heads, rotated).contiguous(), value.format)
      : unpermute(value, heads, rotated);
  }
  if (value instanceof QuantizedTensor) return role.endsWith('norm') ? convert(name, value.dequantize(), config) : value;
  if (family.norm.offset !== 0 && role.endsWith('norm')) return value.sub(family.norm.offset);
  if (family.linear === 'columns' && value.ndim === 2 && (IN_ATTENTION.has(role) || IN_MLP.has(role))) return value.t().contiguous();
  return value;
}

/** The tensors of a file by Hugging Face's names, as its folders have them. */
export function ggufState(tensors: Tensors, config: DecoderConfig): Record<string, Tensor | QuantizedTensor> {
  const state: Record<string, Tensor | QuantizedTensor> = {};
  for (const [name, value] of Object.entries(tensors)) {
    const long = longName(name, config.family);
    const made = long === null ? null : convert(name, value, config);
    if (made !== value) value.dispose();
    if (made) state[long!] = made;
  }
  return state;
}
