// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The configuration of a decoder, read from Hugging Face's `config.json`. */
import {
  asInteger, asList, asNumber, asText, getOwn, make, mapValue, sortedEntries, type Json,
} from '../../../library/support.js';
import type { DType } from '../../../core/types.js';
import { isBound, type Activation, type Family } from '../decoder/family.js';
import { Fields, refuse } from '../decoder/fields.js';
import { Which, readRope, type Rope } from '../decoder/rope.js';
import { floatType, table } from '../../../models/host.js';

/** The bound of the number of layers: a file may name any. */
const MAX_LAYERS = 10000;

/** A layer's attention: its window, and its rotary embedding. */
export interface LayerAttention {
  /** The number of the last positions that a query sees, its own included; none for all. */
  readonly window: number | null;
  /** The index of the rotary embedding in `ropes`; none where positions are learned. */
  readonly rope: number | null;
}

/** Which linear layers have biases. */
export interface HasBias {
  readonly qkv: boolean;
  readonly output: boolean;
  readonly mlp: boolean;
}

/** The configuration of a decoder. */
export interface DecoderConfig {
  /** The family, a row of the table. */
  readonly family: Family;
  /** The number of tokens. */
  readonly vocabSize: number;
  /** The width of the residual stream. */
  readonly hiddenSize: number;
  /** The width of the layers between attentions. */
  readonly intermediateSize: number;
  /** The number of attention heads. */
  readonly heads: number;
  /** The number of key and value heads, which attention heads share. */
  readonly kvHeads: number;
  /** The width of a head. */
  readonly headDim: number;
  /** The number of positions that the model was made for. */
  readonly maxPositions: number;
  /** The activation function between linear layers. */
  readonly activation: Activation;
  /** Added to a variance before its root is taken. */
  readonly eps: number;
  /** Which linear layers have biases. */
  readonly biases: HasBias;
  /** The factor of attention scores. */
  readonly scale: number;
  /** The factor of embeddings. */
  readonly embeddingScale: number;
  /** The bound of scores, as `cap * tanh(x / cap)`; none for no bound. */
  readonly attentionSoftCap: number | null;
  /** The bound of logits; none for no bound. */
  readonly finalSoftCap: number | null;
  /** The rotary embeddings. */
  readonly ropes: readonly Rope[];
  /** The attention of each layer. */
  readonly layers: readonly LayerAttention[];
  /** Whether the output layer has the embedding's weights. */
  readonly tieWordEmbeddings: boolean;
  /** The ids that end a text. */
  readonly eosTokenIds: readonly number[];
  /** The type of the weights that `config.json` names; none where it names none. */
  readonly dtype: DType | null;
}

/** The family of a configuration. */
function familyFor(json: Readonly<Record<string, Json>>): Family {
  const families = table().families;
  const modelType = getOwn(json, 'model_type') ?? null;
  const names = asList(getOwn(json, 'architectures') ?? null) ?? [];
  const isNamed: (a: Family) => boolean = (family) => {
    if (names.length === 0) {
      const name = asText(modelType) ?? '';
      return family.name
        === ((name.endsWith('_text') ? name.slice(0, -'_text'.length) : undefined) ?? name);
    }
    return family.architectures.some((known) => names.some((name) => (asText(name) ?? '') === known));
  };
  const family = families.find((family) => isNamed(family));
  if (family === undefined) {
    const texts = names.map((name) => JSON.stringify(name));
    const given = names.length === 0
      ? `the model type ${JSON.stringify(modelType)}`
      : `the architecture ${texts.join(', ')}`;
    const known = families.flatMap((family2) => family2.architectures);
    throw refuse(`${given} is not known; there are ${known.join(', ')}`);
  }
  return family;
}

/** Whether values are equal, numbers of any type. */
export function isSame(a: Json, b: Json): boolean {
  const value = asNumber(a);
  const value2 = asNumber(b);
  if (value !== undefined && value2 !== undefined) return value === value2;
  return a === b;
}

/** The values by the table's names. */
function renameFields(family: Family, json: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const [name, value] of sortedEntries(json)) {
    values[getOwn(family.renamed, name) ?? name] = value;
  }
  return values;
}

function checkFields(family: Family, values: Readonly<Record<string, Json>>, strict: boolean): void {
  if (!((getOwn(values, 'quantization_config') ?? null) === null)) {
    const message = 'its weights are quantized (quantization_config), which is not supported; GGUF files may be quantized';
    throw refuse(message);
  }
  const unknown: string[] = [];
  for (const name of Object.keys(values).sort()) {
    const isKnown = Object.hasOwn(family.fields, name) || table().ignored.includes(name);
    if (!isKnown && name !== 'quantization_config') unknown.push(name);
  }
  if (strict && !(unknown.length === 0)) throw refuse(unknownFields(unknown, family));
  for (const [name, allowed] of sortedEntries(family.fixed)) {
    const given = getOwn(values, name) ?? null;
    const value = given === null ? getOwn(family.fields, name) ?? null : given;
    if (!allowed.some((other) => isSame(other, value))) {
      throw refuse(
        `${name} is ${JSON.stringify(value)}, which is not supported for ${family.name}`,
      );
    }
  }
}

/** The error of fields that no row of the table has. */
export function unknownFields(names: readonly string[], family: Family): string {
  const fields = names.join(', ');
  return `the fields ${fields} are not known for ${family.name}; with strict: false they are ignored`;
}

/**
 * The values with defaults. A null of the file means no window and no soft cap, where the default
 * is a number.
 */
function addDefaults(family: Family, values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const all: Record<string, Json> = { ...family.fields };
  for (const [name, value] of sortedEntries(values)) {
    if (!(value === null) || isBound(family, name)) all[name] = value;
  }
  return all;
}

/** Which layers have a window: those that `layerTypes` names, or by the family's rule. */
function slidingLayers(family: Family, fields: Fields): readonly boolean[] {
  const count = fields.count('num_hidden_layers');
  if (count > MAX_LAYERS) throw refuse(`num_hidden_layers is ${count}, more than ${MAX_LAYERS}`);
  const types = fields.get('layer_types');
  if (!(types === null)) {
    const known: [string, string] = ['full_attention', 'sliding_attention'];
    const kinds = asList(types) ?? [];
    const kinds2 = kinds.map((kind) => asText(kind) ?? '');
    if (kinds2.length !== count || kinds2.some((kind) => !known.includes(kind))) {
      const known2 = known.join(' or ');
      throw refuse(`layer_types has to name ${known2} for each of ${count} layers`);
    }
    return kinds2.map((kind) => kind === 'sliding_attention');
  }
  const window = family.window ?? undefined;
  if (window === undefined) return Array.from({ length: count }, () => false);
  const condition = window.if ?? undefined;
  if (condition !== undefined && !fields.flag(condition)) {
    return Array.from({ length: count }, () => false);
  }
  let first: number;
  const name = window.from ?? undefined;
  if (name !== undefined) first = fields.number(name);
  else {
    first = 0;
  }
  let period: number;
  const name2 = asText(window.period);
  if (name2 !== undefined) period = fields.count(name2);
  else {
    period = Math.trunc(asNumber(window.period) ?? 0);
  }
  const isSliding: (a: number) => boolean = (index) => index >= first
    && (period === 0 || (index + 1) % period !== 0);
  return Array.from({ length: count }, (_, index) => index).map(isSliding);
}

/** The size of the windows, if the family has any. */
function windowSize(family: Family, fields: Fields): number | undefined {
  const window = family.window ?? undefined;
  if (window === undefined) return undefined;
  if (fields.get(window.size) === null) return undefined;
  return fields.count(window.size);
}

/** The rotary embeddings: one of all layers, or one more of those with a window. */
function readRopes(family: Family, fields: Fields, headDim: number, maxPositions: number): readonly Rope[] {
  const row = family.rope ?? undefined;
  if (row === undefined) return [];
  const which = make(
    Which,
    { kind: 'full_attention', theta: row.theta, plain: false, headDim, maxPositions },
  );
  const ropes = [readRope(fields, which)];
  const theta = row.sliding_theta ?? undefined;
  if (theta !== undefined) {
    const kind = 'sliding_attention';
    const which2 = make(Which, { kind, theta, plain: true, headDim, maxPositions });
    ropes.push(readRope(fields, which2));
  }
  return ropes;
}

/** The attention of each layer, with a number of rotary embeddings. */
function readLayers(family: Family, fields: Fields, ropes: number): readonly LayerAttention[] {
  const sliding = slidingLayers(family, fields);
  const size = windowSize(family, fields);
  const layers: LayerAttention[] = [];
  for (const isSliding of sliding) {
    const window = isSliding ? size : undefined;
    const rope = isSliding ? Math.max(ropes - 1, 0) : 0;
    layers.push({ window: window ?? null, rope: (ropes > 0 ? rope : undefined) ?? null });
  }
  return layers;
}

function readActivation(family: Family, fields: Fields): Activation {
  const own = fields.get(family.activation);
  const value = own === null ? fields.get('hidden_act') : own;
  const activation = getOwn(table().activations, asText(value) ?? '');
  if (activation === undefined) {
    const names = Object.keys(table().activations).sort();
    throw refuse(`${family.activation} is ${JSON.stringify(value)}; there are ${names.join(', ')}`);
  }
  return activation;
}

function readEos(json: Readonly<Record<string, Json>>): readonly number[] {
  const value = getOwn(json, 'eos_token_id') ?? null;
  if (value === null) return [];
  const ids = asList(value) ?? [value];
  if (ids.some((id) => asInteger(id) === undefined)) {
    throw refuse(`eos_token_id is ${JSON.stringify(value)}, not an id or several`);
  }
  return ids.map((id) => asInteger(id) ?? 0);
}

/** The type that `dtype`, or `torchDtype` in older files, names. */
function readDtype(json: Readonly<Record<string, Json>>): DType | undefined {
  const named = getOwn(json, 'dtype') ?? null;
  const named2 = named === null ? getOwn(json, 'torch_dtype') ?? null : named;
  const name = asText(named2) ?? '';
  return floatType((name.startsWith('torch.') ? name.slice('torch.'.length) : undefined) ?? name);
}

/** A soft cap, if the family has the field. */
function readCap(fields: Fields, name: string | undefined): number | undefined {
  if (name !== undefined) return fields.optional(name);
  return undefined;
}

/** The configuration of the fields of a `config.json`. */
export function readFields(json: Readonly<Record<string, Json>>, strict: boolean): DecoderConfig {
  const family = familyFor(json);
  const values = renameFields(family, json);
  checkFields(family, values, strict);
  const fields = Fields.of(addDefaults(family, values));
  const hiddenSize = fields.count('hidden_size');
  const heads = fields.count('num_attention_heads');
  const headDim = fields.countOr('head_dim', Math.trunc(hiddenSize / heads));
  const kvHeads = fields.countOr('num_key_value_heads', heads);
  if (heads % kvHeads !== 0) {
    throw refuse(`${heads} attention heads cannot share ${kvHeads} key and value heads`);
  }
  const maxPositions = fields.count('max_position_embeddings');
  let width: number;
  const name = family.scale ?? undefined;
  if (name !== undefined) width = fields.number(name);
  else {
    width = headDim;
  }
  const ropes = readRopes(family, fields, headDim, maxPositions);
  const caps = family.soft_caps ?? undefined;
  return {
    family,
    vocabSize: fields.count('vocab_size'),
    hiddenSize,
    intermediateSize: fields.countOr('intermediate_size', 4 * hiddenSize),
    heads,
    kvHeads,
    headDim,
    maxPositions,
    activation: readActivation(family, fields),
    eps: fields.number(family.norm.eps),
    biases: {
      qkv: fields.either(family.biases.qkv),
      output: fields.either(family.biases.output),
      mlp: fields.either(family.biases.mlp),
    },
    scale: 1 / Math.sqrt(width),
    embeddingScale: family.embedding_scale ? Math.sqrt(hiddenSize) : 1,
    attentionSoftCap: readCap(fields, mapValue(caps, (caps2) => caps2.attention)) ?? null,
    finalSoftCap: readCap(fields, mapValue(caps, (caps2) => caps2.final)) ?? null,
    layers: readLayers(family, fields, ropes.length),
    ropes,
    tieWordEmbeddings: fields.flag('tie_word_embeddings'),
    eosTokenIds: readEos(json),
    dtype: readDtype(json) ?? null,
  };
}
