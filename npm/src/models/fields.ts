/** The fields of a configuration's file. */
import type { Flag, Json } from './families.js';
import { refuse } from './refuse.js';

/** The fields of a configuration, with defaults, and errors that name them. */
export class Fields {
  readonly #values: Readonly<Record<string, Json>>;

  constructor(values: Readonly<Record<string, Json>>) {
    this.#values = values;
  }

  get(name: string): Json {
    return this.#values[name] ?? null;
  }

  #number(name: string, value: Json): number {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(`${name} is ${JSON.stringify(value)}, not a number`);
    return value;
  }

  number(name: string): number {
    return this.#number(name, this.get(name));
  }

  optional(name: string): number | null {
    return this.get(name) === null ? null : this.number(name);
  }

  count(name: string, otherwise?: number): number {
    const value = this.#number(name, this.get(name) ?? otherwise ?? null);
    if (!Number.isSafeInteger(value) || value < 1) throw refuse(`${name} is ${value}, not a positive integer`);
    return value;
  }

  optionalCount(name: string): number | null {
    return this.get(name) === null ? null : this.count(name);
  }

  flag(flag: Flag): boolean {
    if (typeof flag === 'boolean') return flag;
    const value = this.get(flag);
    if (typeof value !== 'boolean' && value !== null) throw refuse(`${flag} is ${JSON.stringify(value)}, not true or false`);
    return value ?? false;
  }
}
