// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The fields of a configuration's file. */
import type { LanthornError } from '../../../core/errors.js';
import {
  asFlag, asNumber, asText, failure, getOwn, make, type Json,
} from '../../../library/support.js';

/**
 * The largest integer of a configuration that float64 represents exactly, as all smaller ones.
 */
const MAX_COUNT = 9007199254740991;

/** The error of a configuration. */
export function refuse(message: string): LanthornError {
  return failure('file', 'config.json', message);
}

/** The fields of a configuration, with defaults, and errors that name them. */
export class Fields {
  /** @internal */
  readonly values!: Readonly<Record<string, Json>>;

  static of(values: Readonly<Record<string, Json>>): Fields {
    return make(Fields, { values });
  }

  /** The value of a field; null where there is none. */
  get(name: string): Json {
    return getOwn(this.values, name) ?? null;
  }

  /** A number, or none where the field is null. */
  optional(name: string): number | undefined {
    const value = this.get(name);
    if (value === null) return undefined;
    const number = asNumber(value);
    if (number === undefined) throw refuse(`${name} is ${JSON.stringify(value)}, not a number`);
    return number;
  }

  /** A number. */
  number(name: string): number {
    const number = this.optional(name);
    if (number === undefined) throw refuse(`${name} is null, not a number`);
    return number;
  }

  positive(name: string, count: number): number {
    if (count < 1 || count % 1 !== 0 || count > MAX_COUNT) {
      throw refuse(`${name} is ${count}, not a positive integer`);
    }
    return Math.trunc(count);
  }

  /** A positive integer. */
  count(name: string): number {
    return this.positive(name, this.number(name));
  }

  /** A positive integer; `otherwise` where there is none. */
  countOr(name: string, otherwise: number): number {
    return this.positive(name, this.optional(name) ?? otherwise);
  }

  /** A flag, which is false where the field is null. */
  flag(name: string): boolean {
    const value = this.get(name);
    if (value === null) return false;
    const flag = asFlag(value);
    if (flag === undefined) throw refuse(`${name} is ${JSON.stringify(value)}, not true or false`);
    return flag;
  }

  /** A flag of the table, or the flag of the field that the table names. */
  either(flag: Json): boolean {
    const name = asText(flag);
    if (name !== undefined) return this.flag(name);
    return asFlag(flag) ?? false;
  }
}
