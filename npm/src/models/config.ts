/** The configuration of a decoder, read from Hugging Face's `config.json`. */
import { checkOptions, describe, isPlainObject } from '../core/check.js';
import { ACTIVATIONS, boundsOf, families, IGNORED, type Activation, type Family, type Json } from './families.js';
import { Fields } from './fields.js';
import { refuse } from './refuse.js';
import type { DType } from '../core/types.js';
import { readRope, type Rope } from './rope.js';

/** A layer's attention: its window, and the rotary embedding that it has. */
export interface LayerAttention {
  /** The number of the last positions that a query sees, its own included; null for all. */
  window: number | null;
  /** The index of the rotary embedding in {@link DecoderConfig.ropes}; null where positions are learned. */
  rope: number | null;
}

/** The configuration of a decoder. */
export interface DecoderConfig {
  /** The family, a row of the table. */
  family: Family;
  vocabSize: number;
  hiddenSize: number;
  intermediateSize: number;
  /** The number of attention heads, and of key and value heads, which query heads share. */
  heads: number;
  kvHeads: number;
  headDim: number;
  /** The number of positions that the model was made for. */
  maxPositions: number;
  activation: Activation;
  /** Added to a variance before its root is taken. */
  eps: number;
  biases: { qkv: boolean; output: boolean; mlp: boolean };
  /** The factor of attention scores. */
  scale: number;
  /** The factor of embeddings. */
  embeddingScale: number;
  /** The bounds of scores and logits, as `cap * tanh(x / cap)`; null for none. */
  attentionSoftCap: number | null;
  finalSoftCap: number | null;
  ropes: Rope[];
  layers: LayerAttention[];
  /** Whether the output layer has the embedding's weights. */
  tieWordEmbeddings: boolean;
  /** The ids that end a text. */
  eosTokenIds: number[];
  /** The type of the weights that `config.json` names; null for none. */
  dtype: DType | null;
}

/** Options of {@link readConfig}. */
export interface ConfigOptions {
  /** Whether a field that is not known is an error (default: true). */
  strict?: boolean;
}

/** The bound of the number of layers: a file may name any. */
const MAX_LAYERS = 10_000;

/** The types that weights have, the widest last. */
export const FLOATS = ['float16', 'bfloat16', 'float32', 'float64'] as const satisfies readonly DType[];

/** The family of a configuration. */
function familyFor(json: Readonly<Record<string, Json>>): Family {
  const known = families();
  const named = json['architectures'];
  const names = Array.isArray(named) && named.length > 0 ? (named as Json[]) : null;
  const found = names
    ? known.find((family) => family.architectures.some((name) => names.includes(name)))
    : known.find((family) => family.name === String(json['model_type']).replace(/_text$/, ''));
  if (found) return found;
  const given = names ? `the architecture ${names.map((name) => JSON.stringify(name)).join(', ')}` : `the model type ${JSON.stringify(json['model_type'] ?? null)}`;
  throw refuse(`${given} is not known; there are ${known.flatMap((family) => family.architectures).join(', ')}`);
}

function renameKeys(family: Family, json: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [family.renamed?.[name] ?? name, value]));
}

/** The error of fields that no row of the table has. */
export function unknownFields(names: readonly string[], family: Family): string {
  return `the fields ${[...names].sort().join(', ')} are not known for ${family.name}; with strict: false they are ignored`;
}

function checkFields(family: Family, json: Readonly<Record<string, Json>>, strict: boolean): void {
  if (json['quantization_config'] != null) {
    throw refuse('its weights are quantized (quantization_config), which is not supported; GGUF files may be quantized');
  }
  const unknown = Object.keys(json).filter((name) => !Object.hasOwn(family.fields, name) && !IGNORED.has(name) && name !== 'quantization_config');
  if (strict && unknown.length > 0) throw refuse(unknownFields(unknown, family));
  for (const [name, values] of Object.entries(family.fixed ?? {})) {
    const value = json[name] ?? family.fields[name] ?? null;
    if (!values.includes(value)) throw refuse(`${name} is ${JSON.stringify(value)}, which is not supported for ${family.name}`);
  }
}

/** Which layers have a window: those that `layer_types` names, or by the family's rule. */
function slidingLayers(family: Family, fields: Fields): boolean[] {
  const count = fields.count('num_hidden_layers');
  if (count > MAX_LAYERS) throw refuse(`num_hidden_layers is ${count}, more than ${MAX_LAYERS}`);
  const types = fields.get('layer_types');
  if (types !== null) {
    const known = ['full_attention', 'sliding_attention'];
    if (!Array.isArray(types) || types.length !== count || !types.every((type) => known.includes(type as string))) {
      throw refuse(`layer_types has to name ${known.join(' or ')} for each of ${count} layers`);
    }
    return (types as Json[]).map((type) => type === 'sliding_attention');
  }
  const { window } = family;
  const all = Array.from({ length: count }, (_, index) => index);
  if (window === undefined || (window.if !== undefined && !fields.flag(window.if))) return all.map(() => false);
  const from = window.from === undefined ? 0 : fields.number(window.from);
  const period = typeof window.period === 'string' ? fields.count(window.period) : (window.period ?? 0);
  return all.map((index) => index >= from && (period === 0 || (index + 1) % period !== 0));
}

function readLayers(family: Family, fields: Fields, headDim: number, maxPositions: number): Pick<DecoderConfig, 'layers' | 'ropes'> {
  const sliding = slidingLayers(family, fields);
  const size = family.window === undefined ? null : fields.optionalCount(family.window.size);
  const windowOf = (isSliding: boolean) => (isSliding ? size : null);
  if (family.rope === undefined) return { ropes: [], layers: sliding.map((is) => ({ window: windowOf(is), rope: null })) };
  const read = (kind: string, theta: string, plain: boolean) => readRope(fields, kind, theta, plain, headDim, maxPositions);
  const ropes = [read('full_attention', family.rope.theta, false)];
  if (family.rope.sliding_theta !== undefined) ropes.push(read('sliding_attention', family.rope.sliding_theta, true));
  return { ropes, layers: sliding.map((is) => ({ window: windowOf(is), rope: is ? ropes.length - 1 : 0 })) };
}

function readActivation(family: Family, fields: Fields): Activation {
  // Gemma's older configurations have `hidden_act`, and the newer field is null.
  const name = fields.get(family.activation) ?? fields.get('hidden_act');
  const found = typeof name === 'string' && Object.hasOwn(ACTIVATIONS, name) ? ACTIVATIONS[name] : undefined;
  if (found === undefined) throw refuse(`${family.activation} is ${JSON.stringify(name)}; there are ${Object.keys(ACTIVATIONS).join(', ')}`);
  return found;
}

function readEos(json: Readonly<Record<string, Json>>): number[] {
  const value = json['eos_token_id'] ?? [];
  const ids = Array.isArray(value) ? (value as Json[]) : [value];
  if (!ids.every((id) => Number.isInteger(id))) throw refuse(`eos_token_id is ${JSON.stringify(value)}, not an id or several`);
  return ids as number[];
}

/** The type that `dtype`, or `torch_dtype` in older files, names. */
function readDType(json: Readonly<Record<string, Json>>): DType | null {
  const name = String(json['dtype'] ?? json['torch_dtype']).replace(/^torch\./, '');
  return FLOATS.find((dtype) => dtype === name) ?? null;
}

/**
 * Reads the content of a `config.json`, in the form of any version of transformers.
 *
 * @throws a LanthornError of kind `file`, which names the architecture or the fields that are not known,
 * or the field whose value is not supported.
 *
 * @example
 * const config = readConfig(await (await fetch('model/config.json')).json());
 */
export function readConfig(json: unknown, options: ConfigOptions = {}): DecoderConfig {
  const { strict = true } = checkOptions('readConfig', options, ['strict']);
  if (!isPlainObject(json)) throw refuse(`takes an object, not ${describe(json)}`);
  const given = json as Record<string, Json>;
  const family = familyFor(given);
  const values = renameKeys(family, given);
  checkFields(family, values, strict);
  // A null of the file means no window and no soft cap, where the default is a number.
  const present = Object.entries(values).filter(([name, value]) => value !== null || boundsOf(family).includes(name));
  const fields = new Fields({ ...family.fields, ...Object.fromEntries(present) });
  const [hiddenSize, heads] = [fields.count('hidden_size'), fields.count('num_attention_heads')];
  const headDim = fields.count('head_dim', Math.floor(hiddenSize / heads));
  const kvHeads = fields.count('num_key_value_heads', heads);
  if (heads % kvHeads !== 0) throw refuse(`${heads} attention heads cannot share ${kvHeads} key and value heads`);
  const maxPositions = fields.count('max_position_embeddings');
  return {
    family, hiddenSize, heads, kvHeads, headDim, maxPositions,
    vocabSize: fields.count('vocab_size'),
    intermediateSize: fields.count('intermediate_size', 4 * hiddenSize),
    activation: readActivation(family, fields),
    eps: fields.number(family.norm.eps),
    biases: { qkv: fields.flag(family.biases.qkv), output: fields.flag(family.biases.output), mlp: fields.flag(family.biases.mlp) },
    scale: 1 / Math.sqrt(family.scale === undefined ? headDim : fields.number(family.scale)),
    embeddingScale: family.embedding_scale ? Math.sqrt(hiddenSize) : 1,
    attentionSoftCap: family.soft_caps ? fields.optional(family.soft_caps.attention) : null,
    finalSoftCap: family.soft_caps ? fields.optional(family.soft_caps.final) : null,
    ...readLayers(family, fields, headDim, maxPositions),
    tieWordEmbeddings: fields.flag('tie_word_embeddings'),
    eosTokenIds: readEos(given),
    dtype: readDType(given),
  };
}
