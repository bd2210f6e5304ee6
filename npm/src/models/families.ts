/** The table of model families, with inherited entries filled in. */
import { FAMILIES } from '../generated/families.js';

/** A value of a configuration file. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A flag, or the name of the configuration's field that has it. */
export type Flag = boolean | string;

/** An activation function. */
export type Activation = 'silu' | 'gelu' | 'gelu_tanh' | 'relu';

/** The roles of tensors that have names in the table. */
export type Names = Readonly<Record<string, string | null>>;

/** A family of models: which parts a decoder has, and what its files call them. */
export interface Family {
  readonly name: string;
  readonly extends?: string;
  readonly architectures: readonly string[];
  /** The value of `general.architecture` in GGUF, if there is one for this family. */
  readonly gguf: string | null;
  /** Whether GGUF has the rows of queries and keys in the order of neighbouring pairs. */
  readonly gguf_permuted?: boolean;
  /** Values of metadata that files of the family may lack, where they differ from the table's. */
  readonly gguf_defaults?: Readonly<Record<string, Json>>;
  /** A beginning of names that folders may leave out. */
  readonly optional_prefix?: string;
  /** Names of fields in `config.json`, and the table's names for them. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The known fields with their defaults. */
  readonly fields: Readonly<Record<string, Json>>;
  /** The only values of fields that are supported. */
  readonly fixed?: Readonly<Record<string, readonly Json[]>>;
  readonly norm: { readonly kind: string; readonly eps: string; readonly offset: number };
  /** The field with the name of the activation. */
  readonly activation: string;
  readonly gated: boolean;
  /** `rows`: weights are `[out, in]`; `columns`: `[in, out]`. */
  readonly linear: string;
  readonly biases: { readonly qkv: Flag; readonly output: Flag; readonly mlp: Flag };
  readonly rope?: { readonly theta: string; readonly sliding_theta?: string };
  /** The field whose inverse square root scales the scores, instead of the width of a head. */
  readonly scale?: string;
  readonly embedding_scale?: boolean;
  readonly soft_caps?: { readonly attention: string; readonly final: string };
  readonly window?: { readonly size: string; readonly period?: number | string; readonly if?: string; readonly from?: string };
  readonly names: Names;
}

type Row = Partial<Family> & Pick<Family, 'name'>;

const rows = FAMILIES.families as unknown as readonly Row[];

/** The known fields that change nothing. */
export const IGNORED: ReadonlySet<string> = new Set(FAMILIES.ignored);
/** The fields of `config.json` by the metadata of GGUF, whose names begin with the architecture. */
export const GGUF_FIELDS: Readonly<Record<string, string>> = FAMILIES.gguf_fields;
/** Metadata of these that a file has to have, if the family has the field. */
export const GGUF_REQUIRED: ReadonlySet<string> = new Set(FAMILIES.gguf_required);
/** Values of these that llama.cpp takes where a file has none, if the family has the field. */
export const GGUF_DEFAULTS: Readonly<Record<string, Json>> = FAMILIES.gguf_defaults;
/** Metadata that no field has, and that is read. */
export const GGUF_READ: ReadonlySet<string> = new Set(FAMILIES.gguf_read);
/** Metadata that changes no number. */
export const GGUF_IGNORED: ReadonlySet<string> = new Set(FAMILIES.gguf_ignored);
/** Metadata that changes numbers, with the values that do not. */
export const GGUF_WITHOUT_EFFECT: Readonly<Record<string, readonly Json[]>> = FAMILIES.gguf_without_effect;
/** The names of tensors in GGUF by role. */
export const GGUF_NAMES: Names = FAMILIES.gguf_names;
/** Tensors of GGUF that only the rotary embedding reads. */
export const GGUF_FACTORS: ReadonlySet<string> = new Set(FAMILIES.gguf_factors);
/** The roles of tensors within attention. */
export const IN_ATTENTION: ReadonlySet<string> = new Set(FAMILIES.in_attention);
/** The roles of tensors within the MLP. */
export const IN_MLP: ReadonlySet<string> = new Set(FAMILIES.in_mlp);
/** Activations by their names in files. */
export const ACTIVATIONS: Readonly<Record<string, Activation>> = FAMILIES.activations;

/** A row with the fields that it inherits from another. */
function complete({ extends: base, ...row }: Row): Family {
  const inherited = rows.find(({ name }) => name === base);
  if (inherited === undefined) return row as Family;
  const { fields, names, ...others } = complete(inherited);
  return { ...others, ...row, fields: { ...fields, ...row.fields }, names: { ...names, ...row.names } };
}

/** All families, in the order of the table. */
export const families = (): Family[] => rows.map(complete);

/** The fields of bounds, of a window and of soft caps, which null removes. */
export function boundsOf({ window, soft_caps: caps }: Family): string[] {
  return [window?.size, caps?.attention, caps?.final].filter((name) => name !== undefined);
}
