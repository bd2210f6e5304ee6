/**
 * The table of families and the names of types; the counterpart of `crates/models/src/decoder/host`.
 * The readers of configurations are printed from Rust.
 */
import type { DType } from '../core/types.js';
import { FAMILIES } from '../generated/families.js';
import type { Family, Table } from '../generated/models/decoder/family.js';

type Row = Partial<Family> & Pick<Family, 'name'> & { readonly extends?: string };

const rows = FAMILIES.families as unknown as readonly Row[];

/** The values of fields that a row may leave out. */
const ABSENT = { gguf_permuted: false, gguf_defaults: {}, optional_prefix: '', renamed: {}, fixed: {}, embedding_scale: false };

/** A row with the fields that it inherits from another. */
function complete({ extends: base, ...row }: Row): Family {
  const inherited = rows.find(({ name }) => name === base);
  if (inherited === undefined) return { ...ABSENT, ...row } as unknown as Family;
  const { fields, names, ...others } = complete(inherited);
  return { ...others, ...row, fields: { ...fields, ...row.fields }, names: { ...names, ...row.names } };
}

let completed: Table | undefined;

/** The table of families, `families.json`. */
export const table = (): Table => (completed ??= { ...FAMILIES, families: rows.map(complete) } as unknown as Table);

/** The types that weights have, the widest last. */
export const FLOATS = ['float16', 'bfloat16', 'float32', 'float64'] as const satisfies readonly DType[];

/** PyTorch's other names of them. */
const ALIASES: Readonly<Record<string, string>> = { half: 'float16', float: 'float32', double: 'float64' };

/** The floating-point type that a name of PyTorch means. */
export const floatType = (name: string): DType | undefined => FLOATS.find((dtype) => dtype === (ALIASES[name] ?? name));
