// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Models in GGUF files: their metadata as a `config.json`, and Hugging Face's names of their
 * tensors.
 */
import type { LanthornError } from '../../../core/errors.js';
import {
  asFlag, asList, asNumber, asText, failure, getOwn, make, sortedEntries, zip, type Json,
} from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { isSame, readFields, unknownFields, type DecoderConfig } from '../decoder/config.js';
import { isBound, role, type Family } from '../decoder/family.js';
import { table } from '../../../models/host.js';

/**
 * The number of layers of Gemma 2 with 27 billion parameters, whose scores have another scale.
 */
const GEMMA2_27B_LAYERS = 46;

function refuse(message: string): LanthornError {
  return failure('file', 'GGUF', message);
}

/** The name of a role's tensor in GGUF. */
function shortName(role2: string): string {
  return getOwn(table().gguf_names, role2) ?? '';
}

function familyOf(architecture: Json): Family {
  const name = asText(architecture) ?? '';
  const known: string[] = [];
  for (const family of table().families) {
    const gguf = family.gguf ?? undefined;
    if (gguf !== undefined) {
      if (gguf === name) return family;
      known.push(gguf);
    }
  }
  throw refuse(
    `the architecture ${JSON.stringify(architecture)} is not known; there are ${known.join(', ')}`,
  );
}

/** The tensors of a file, by GGUF's names. */
export class Tensors {
  /** @internal */
  readonly shapes!: Readonly<Record<string, readonly number[]>>;
  /** @internal */
  readonly factors!: Readonly<Record<string, readonly number[]>>;

  static of(shapes: Readonly<Record<string, readonly number[]>>, factors: Readonly<Record<string, readonly number[]>>): Tensors {
    return make(Tensors, { shapes, factors });
  }

  has(name: string): boolean {
    return Object.hasOwn(this.shapes, `${name}.weight`);
  }

  /** The factors of frequencies of a tensor. */
  factorsOf(name: string): Json {
    const name2 = `${name}.weight`;
    const factors = getOwn(this.factors, name2);
    if (factors === undefined) throw refuse(`the factors ${name2} are quantized`);
    return factors;
  }
}

/** The metadata of a file's architecture. */
export class Metadata {
  /** @internal */
  readonly all!: Readonly<Record<string, Json>>;
  /** @internal */
  readonly prefix!: string;
  /** @internal */
  readonly family!: Family;

  get(key: string): Json {
    return getOwn(this.all, `${this.prefix}${key}`) ?? null;
  }

  /** A number that is not 0, which says nothing. */
  number(key: string): number | undefined {
    const value = this.get(key);
    if (value === null) return undefined;
    const number = asNumber(value);
    if (number === undefined) throw this.refuse(key, JSON.stringify(value), 'is no number');
    return number === 0 ? undefined : number;
  }

  refuse(key: string, value: string, what: string): LanthornError {
    return refuse(`${this.prefix}${key} is ${value}, which ${what}`);
  }

  /**
   * A value of the architecture's own field; a list for each layer counts where all are the
   * same.
   */
  field(key: string): Json {
    const value = this.get(key);
    const layers = asList(value);
    if (layers === undefined) return value;
    if (layers.length === 0 || layers.some((layer) => layer !== layers[0]!)) {
      throw this.refuse(key, JSON.stringify(value), 'differs by layer, and is not supported');
    }
    return layers[0]!;
  }

  /** Whether the family reads a value. */
  isRead(key: string): boolean {
    if (key.startsWith('rope.') && this.family.rope == null) return true;
    const field = getOwn(table().gguf_fields, key);
    if (field !== undefined && Object.hasOwn(this.family.fields, field)) return true;
    if (table().gguf_ignored.some((other) => other === key)) return true;
    const isPattern = key === 'attention.sliding_window_pattern';
    return table().gguf_read.some((other) => other === key)
      && (!isPattern || this.family.window != null);
  }

  /**
   * Refuses a part of a model, values that are not supported and, if `strict`, those that are
   * not known.
   */
  check(strict: boolean): void {
    const count = asNumber(getOwn(this.all, 'split.count') ?? null) ?? 1;
    if (count > 1) {
      const message = `split.count is ${count}: the file is a part of a model; merge the parts first`;
      throw refuse(message);
    }
    const unknown: string[] = [];
    for (const [name, value] of sortedEntries(this.all)) {
      const key = (name.startsWith(this.prefix) ? name.slice(this.prefix.length) : undefined) ?? '';
      if (!name.startsWith(this.prefix) || this.isRead(key)) continue;
      const allowed = getOwn(table().gguf_without_effect, key);
      if (allowed === undefined) unknown.push(name);
      else if (!allowed.some((other) => isSame(other, value))) {
        const what = `is not supported for ${this.family.name}`;
        throw this.refuse(key, JSON.stringify(value), what);
      }
    }
    if (strict && !(unknown.length === 0)) throw refuse(unknownFields(unknown, this.family));
  }

  /** The default of a value of metadata; null without one. */
  defaultOf(key: string): Json | undefined {
    const own = getOwn(this.family.gguf_defaults, key);
    if (own !== undefined) return own;
    return getOwn(table().gguf_defaults, key);
  }

  /** The fields of `config.json` that the table names. */
  fields(): Readonly<Record<string, Json>> {
    const fields: Record<string, Json> = {};
    for (const [key, field] of sortedEntries(table().gguf_fields)) {
      if (!Object.hasOwn(this.family.fields, field)) continue;
      const value = this.field(key);
      if (value === null) {
        if (table().gguf_required.includes(key)) throw refuse(`there is no ${this.prefix}${key}`);
        const default_ = this.defaultOf(key);
        if (default_ !== undefined) fields[field] = default_;
        continue;
      }
      const isNone = isBound(this.family, field) && isSame(value, 0);
      fields[field] = isNone ? null : value;
    }
    return fields;
  }

  /** The width of heads, which keys and values share. */
  headDim(fields: Readonly<Record<string, Json>>): number {
    const usual = Math.floor(scoreWidth(fields));
    const own = this.number('attention.key_length') ?? usual;
    if (own !== usual && !Object.hasOwn(this.family.fields, 'head_dim')) {
      const what = `is not supported: heads have ${usual}`;
      throw this.refuse('attention.key_length', String(own), what);
    }
    const values = this.number('attention.value_length') ?? usual;
    if (values !== own) {
      const what = `is not supported: keys have ${own}`;
      throw this.refuse('attention.value_length', String(values), what);
    }
    return own;
  }

  /** The field and the value of the layers with a window, by a period or by a list of flags. */
  windowPattern(): [string, Json] | undefined {
    const key = 'attention.sliding_window_pattern';
    const pattern = this.get(key);
    const window = this.family.window ?? undefined;
    if (window === undefined) return undefined;
    if (pattern === null) return undefined;
    const flags = asList(pattern);
    if (flags !== undefined) {
      const isSliding: (a: Json) => boolean = (flag) => (asFlag(flag) ?? false) || isSame(flag, 1);
      const kind: (a: Json) => string = (flag) => isSliding(flag)
        ? 'sliding_attention'
        : 'full_attention';
      const kinds = flags.map(kind);
      return ['layer_types', kinds];
    }
    const name = asText(window.period);
    if (name !== undefined) return [name, pattern];
    if (!isSame(pattern, window.period)) {
      throw this.refuse(key, JSON.stringify(pattern), 'is not supported');
    }
    return undefined;
  }

  scalingNumber(key: string): number | undefined {
    return this.number(`rope.scaling.${key}`);
  }

  /** The dictionary of scaled rotary embeddings, of the metadata and the tensors of factors. */
  ropeScaling(tensors: Tensors): Json {
    const factor = this.scalingNumber('factor') ?? this.number('rope.scale_linear');
    const original = this.scalingNumber('original_context_length');
    const ownAttention = this.scalingNumber('attn_factor') ?? 1;
    const attention = ownAttention * (this.scalingNumber('yarn_attn_factor') ?? 1);
    const hasLong = tensors.has('rope_factors_long');
    const hasShort = tensors.has('rope_factors_short');
    const scales = (factor ?? 1) !== 1;
    const usual = hasLong ? 'longrope' : 'linear';
    const named = this.get('rope.scaling.type');
    const named2 = named === null ? usual : asText(named) ?? '';
    const kind = named2 === 'linear' && !scales ? 'none' : named2;
    const kinds: [string, string, string, string] = ['none', 'linear', 'yarn', 'longrope'];
    if (!kinds.includes(kind)) {
      throw refuse(`rope.scaling.type is not known; there are ${kinds.join(', ')}`);
    }
    if (kind === 'longrope') {
      if (!hasLong || !hasShort) throw refuse('longrope has no rope_factors_long and _short');
      if (scales) throw refuse('longrope with rope.scaling.factor is not supported');
      return object(
        [
          ['rope_type', 'longrope'],
          ['original_max_position_embeddings', original ?? null],
          ['attention_factor', attention],
          ['long_factor', tensors.factorsOf('rope_factors_long')],
          ['short_factor', tensors.factorsOf('rope_factors_short')],
        ],
      );
    }
    const hasFactors = hasLong || hasShort || tensors.has('rope_freqs');
    if (kind === 'yarn' && factor === undefined) throw refuse('yarn has no rope.scaling.factor');
    if (kind !== 'none' && hasFactors) {
      throw refuse(`${kind} with factors of frequencies is not supported`);
    }
    if (kind !== 'yarn' && attention !== 1) {
      throw refuse(`rope.scaling.attn_factor ${attention} needs yarn or longrope`);
    }
    if (kind === 'yarn') {
      const factor2 = factor ?? 1;
      const grown = factor2 <= 1 ? 1 : 0.1 * Math.log(factor2) + 1;
      return object(
        [
          ['rope_type', 'yarn'],
          ['factor', factor2],
          ['original_max_position_embeddings', original ?? null],
          ['attention_factor', attention * grown],
          ['beta_fast', this.scalingNumber('yarn_beta_fast') ?? null],
          ['beta_slow', this.scalingNumber('yarn_beta_slow') ?? null],
        ],
      );
    }
    if (kind === 'linear') return object([['rope_type', 'linear'], ['factor', factor ?? null]]);
    if (!tensors.has('rope_freqs')) return null;
    return object([['rope_type', 'factors'], ['factors', tensors.factorsOf('rope_freqs')]]);
  }
}

function object(entries: readonly [string, Json][]): Json {
  const object2: Record<string, Json> = {};
  for (const [name, value] of entries) {
    object2[name] = value;
  }
  return object2;
}

/** The width of the residual stream for each head. */
function scoreWidth(fields: Readonly<Record<string, Json>>): number {
  const hiddenSize = asNumber(getOwn(fields, 'hidden_size') ?? null) ?? 0;
  return hiddenSize / (asNumber(getOwn(fields, 'num_attention_heads') ?? null) ?? 0);
}

/** The ids that end a text, a turn or a message. */
function ends(all: Readonly<Record<string, Json>>): readonly Json[] {
  const ends2: Json[] = [];
  for (const role2 of ['eos', 'eot', 'eom']) {
    const id = getOwn(all, `tokenizer.ggml.${role2}_token_id`);
    if (id !== undefined && !ends2.includes(id)) ends2.push(id);
  }
  return ends2;
}

/**
 * The configuration of a file with these tensors. `strict` says whether metadata that is not known
 * is an error.
 */
export function readMetadata(all: Readonly<Record<string, Json>>, tensors: Tensors, strict: boolean): DecoderConfig {
  const family = familyOf(getOwn(all, 'general.architecture') ?? null);
  const prefix = `${family.gguf ?? ''}.`;
  const metadata = make(Metadata, { all, prefix, family });
  metadata.check(strict);
  const embedding = `${shortName('embedding')}.weight`;
  const shape = getOwn(tensors.shapes, embedding);
  if (shape === undefined) throw refuse(`there is no tensor ${embedding}`);
  const fields: Record<string, Json> = { ...metadata.fields() };
  fields['architectures'] = [family.architectures[0]!];
  fields['vocab_size'] = shape[0]!;
  fields['tie_word_embeddings'] = !tensors.has(shortName('head'));
  fields['eos_token_id'] = ends(all);
  const headDim = metadata.headDim(fields);
  if (Object.hasOwn(family.fields, 'head_dim')) fields['head_dim'] = headDim;
  if (family.rope != null) {
    fields['rope_scaling'] = metadata.ropeScaling(tensors);
    const rotated = metadata.number('rope.dimension_count') ?? headDim;
    if (rotated > headDim) {
      const what = `is not supported: heads have ${headDim}`;
      throw metadata.refuse('rope.dimension_count', String(rotated), what);
    }
    fields['partial_rotary_factor'] = rotated / headDim;
  }
  const windowPattern = metadata.windowPattern();
  if (windowPattern !== undefined) fields[windowPattern[0]] = windowPattern[1];
  const scale = family.scale ?? undefined;
  if (scale !== undefined) {
    const layers = asNumber(getOwn(fields, 'num_hidden_layers') ?? null) ?? 0;
    const is27b = family.name === 'gemma2' && layers === GEMMA2_27B_LAYERS;
    const width = is27b ? scoreWidth(fields) : headDim;
    fields[scale] = width;
  }
  const flags: [Json, Json, Json] = [family.biases.qkv, family.biases.output, family.biases.mlp];
  for (const [flag, part] of zip(flags, ['query', 'output', 'down'])) {
    const name = asText(flag);
    if (name !== undefined) {
      const hasBias = Object.hasOwn(tensors.shapes, `blk.0.${shortName(part)}.bias`);
      fields[name] = hasBias;
    }
  }
  const config = readFields(fields, true);
  const scale2 = metadata.number('attention.scale') ?? config.scale;
  return { ...config, scale: scale2 };
}

/**
 * The rows of queries or keys in Hugging Face's order, whose halves are rotated, from neighbouring
 * pairs. The first `rotated` rows of each head are rotated.
 */
export function unpermute(weight: Tensor, heads: number, rotated: number): Tensor {
  return scope(() => {
    const shape = weight.shape;
    const [width, rest] = [Math.trunc(shape[0]! / heads), shape.slice(1)];
    const sizes: (a: readonly number[]) => readonly number[] = (first) => first.concat(rest);
    const apart = weight.reshape(sizes([heads, width]));
    const turned = apart.narrow(1, 0, rotated).reshape(sizes([heads, Math.trunc(rotated / 2), 2]));
    const turned2 = turned.transpose(1, 2).reshape(sizes([heads, rotated]));
    if (width === rotated) return turned2.reshape(shape);
    const left = apart.narrow(1, rotated, width - rotated);
    return torch.cat([turned2, left], 1).reshape(shape);
  });
}

/** The meaning of a tensor's name in GGUF. */
export interface TensorName {
  /** The role: `query` of `blk.3.attn_q.weight`. */
  readonly role: string;
  /** Hugging Face's name. */
  readonly long: string;
}

/** Whether a role is of a linear layer, or of a norm of queries or keys. */
export function isLinear(role2: string): boolean {
  const roles = table().in_attention.concat(table().in_mlp);
  return roles.some((other) => other === role2);
}

/** Whether only the rotary embedding reads a tensor. */
export function isFactor(name: string): boolean {
  const short = (name.endsWith('.weight') ? name.slice(0, -'.weight'.length) : undefined) ?? '';
  return table().gguf_factors.some((factor) => factor === short);
}

/** The name of a module in a layer or outside of one, for a role. */
function moduleName(family: Family, layer: string | undefined, part: string): string {
  const own = role(family, part) ?? '';
  if (layer === undefined) return own;
  const layers = role(family, 'layers') ?? '';
  const name = `${layers}.${layer}`;
  if (table().in_attention.some((other) => other === part)) {
    return `${name}.${role(family, 'attention') ?? ''}.${own}`;
  }
  if (table().in_mlp.some((other) => other === part)) {
    return `${name}.${role(family, 'mlp') ?? ''}.${own}`;
  }
  return `${name}.${own}`;
}

/**
 * The role of a tensor and Hugging Face's name for it: `blk.3.attn_q.weight` is of layer 3 and of
 * the role `query`.
 */
export function nameTensor(name: string, family: Family): TensorName {
  const parts = name.split('.');
  const isIndex: (a: string) => boolean = (text) => !(text === '')
    && [...text].every((letter) => '0123456789'.includes(letter));
  const layer = parts.length > 3 && parts[0]! === 'blk' && isIndex(parts[1]!)
    ? parts[1]!
    : undefined;
  const first = layer !== undefined ? 2 : 0;
  const last = parts.length - 1;
  const short = last > first ? parts.slice(first, last).join('.') : '';
  const end = parts[last]!;
  for (const [known, gguf] of sortedEntries(table().gguf_names)) {
    if (role(family, known) !== undefined && gguf === short
      && (end === 'weight' || end === 'bias')) {
      const long = `${moduleName(family, layer, known)}.${end}`;
      return { role: known, long };
    }
  }
  throw refuse(`the tensor ${name} is not known for ${family.name}`);
}
