// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The table of model families, `families.json`. */
import { asText, getOwn, mapValue, type Json } from '../../../library/support.js';

/** A norm of a family. */
export interface NormRow {
  /** `layer` or `rms`. */
  readonly kind: string;
  /** The field with the number that is added to a variance. */
  readonly eps: string;
  /** Added to the weights. */
  readonly offset: number;
}

/**
 * Which linear layers have biases: flags, or names of the configuration's fields that have them.
 */
export interface Biases {
  readonly qkv: Json;
  readonly output: Json;
  readonly mlp: Json;
}

/** The fields with the bases of the rotary embeddings' frequencies. */
export interface RopeRow {
  readonly theta: string;
  readonly sliding_theta?: string | null;
}

/** The fields with the bounds of scores and logits. */
export interface SoftCaps {
  readonly attention: string;
  readonly final: string;
}

/** Which layers have a window, and of which size. */
export interface WindowRow {
  /** The field with the size. */
  readonly size: string;
  /** The last layer of each period has no window: a number, or the field that has it. */
  readonly period: Json;
  /** The field with the flag without which no layer has a window. */
  readonly if?: string | null;
  /** The field with the number of the first layer that has a window. */
  readonly from?: string | null;
}

/** A row of the table: which parts a decoder has, and what its files call them. */
export interface Family {
  readonly name: string;
  readonly architectures: readonly string[];
  /** The value of `general.architecture` in GGUF, if there is one for this family. */
  readonly gguf?: string | null;
  /** Whether GGUF has the rows of queries and keys in the order of neighbouring pairs. */
  readonly gguf_permuted: boolean;
  /**
   * Values of metadata that files of the family may lack, where they differ from the table's.
   */
  readonly gguf_defaults: Readonly<Record<string, Json>>;
  /** A beginning of names that folders may leave out. */
  readonly optional_prefix: string;
  /** Names of fields in `config.json`, and the table's names for them. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The known fields with their defaults. */
  readonly fields: Readonly<Record<string, Json>>;
  /** The only values of fields that are supported. */
  readonly fixed: Readonly<Record<string, readonly Json[]>>;
  readonly norm: NormRow;
  /** The field with the name of the activation. */
  readonly activation: string;
  /** Whether the MLP has a gate. */
  readonly gated: boolean;
  /** `rows`: weights are `[out, in]`; `columns`: `[in, out]`. */
  readonly linear: string;
  readonly biases: Biases;
  readonly rope?: RopeRow | null;
  /** The field whose inverse square root scales the scores, instead of the width of a head. */
  readonly scale?: string | null;
  /** Whether embeddings are multiplied by the root of their width. */
  readonly embedding_scale: boolean;
  readonly soft_caps?: SoftCaps | null;
  readonly window?: WindowRow | null;
  /** The names of modules in Hugging Face's files by their roles. */
  readonly names: Readonly<Record<string, Json>>;
}

/** The table. */
export interface Table {
  /** The known fields that change nothing. */
  readonly ignored: readonly string[];
  /**
   * The fields of `config.json` by the metadata of GGUF, whose names begin with the
   * architecture.
   */
  readonly gguf_fields: Readonly<Record<string, string>>;
  /** Metadata of these that a file has to have, if the family has the field. */
  readonly gguf_required: readonly string[];
  /**
   * Values of these that llama.cpp takes where a file has none, if the family has the field.
   */
  readonly gguf_defaults: Readonly<Record<string, Json>>;
  /** Metadata that no field has, and that is read. */
  readonly gguf_read: readonly string[];
  /** Metadata that changes no number. */
  readonly gguf_ignored: readonly string[];
  /** Metadata that changes numbers, with the values that do not. */
  readonly gguf_without_effect: Readonly<Record<string, readonly Json[]>>;
  /** The names of tensors in GGUF by role. */
  readonly gguf_names: Readonly<Record<string, string>>;
  /** Tensors of GGUF that only the rotary embedding reads. */
  readonly gguf_factors: readonly string[];
  /** The roles of tensors within attention. */
  readonly in_attention: readonly string[];
  /** The roles of tensors within the MLP. */
  readonly in_mlp: readonly string[];
  /** Activations by their names in files. */
  readonly activations: Readonly<Record<string, Activation>>;
  /** The rows in the order of the table, with the fields that they inherit. */
  readonly families: readonly Family[];
}

/** An activation function. */
export type Activation = 'silu' | 'gelu' | 'gelu_tanh' | 'relu';

/** The name of a role in Hugging Face's files, if the family has it. */
export function role(family: Family, name: string): string | undefined {
  return mapValue(getOwn(family.names, name), (found) => asText(found));
}

/** Whether a field is a bound, of a window or of a soft cap, which null removes. */
export function isBound(family: Family, field: string): boolean {
  const window = family.window ?? undefined;
  if (window !== undefined && window.size === field) return true;
  const caps = family.soft_caps ?? undefined;
  if (caps !== undefined) return caps.attention === field || caps.final === field;
  return false;
}
