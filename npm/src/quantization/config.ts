/**
 * Configurations of quantization. The functions that make configurations are printed from the
 * core's table.
 */
import { wrongArgument } from '../core/check.js';
import { gather } from '../tensor/arguments.js';
import { BLOCK_FORMATS } from '../generated/block-formats.js';
import { specOf } from '../tensor/spec.js';
import type { BlockFormat, ConfigName } from '../generated/quantization-types.js';

/** A configuration of {@link quantize_}, made by one of the functions of this module. */
export class QuantizationConfig {
  /** The name of the function that made it. */
  readonly name: ConfigName;
  /** The neighbours in a row of the weight that share a scale; null for a whole row. */
  readonly groupSize: number | null;
  /** The format of blocks, if weights are written in one. */
  readonly format: BlockFormat | null;
  /**
   * @internal The configuration as the core has it: the number of its row in the table, and its
   * argument.
   */
  readonly row: readonly [number: number, argument: number];

  /** @internal */
  constructor(name: ConfigName, groupSize: number | null, format: BlockFormat | null, row: readonly [number, number]) {
    [this.name, this.groupSize, this.format, this.row] = [name, groupSize, format, row];
    Object.freeze(this);
  }

  /** The configuration as a module's line shows it: `Int4WeightOnly(groupSize=32)`. */
  toString(): string {
    const options = this.format ? `format=${this.format}` : this.groupSize === null ? '' : `groupSize=${this.groupSize}`;
    return `${this.name}(${options})`;
  }
}

/**
 * @internal The configuration of a row of the table. Its argument is one of the choices, or a whole
 * number above 0 or null if there are none. A page may make a configuration before it loads a core,
 * so the core checks nothing here.
 */
export function configure(number: number, text: string, args: readonly unknown[], initial: unknown, choices?: readonly unknown[]): QuantizationConfig {
  const spec = specOf(text);
  const [value = initial] = gather(spec, args);
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value > 0;
  if (choices ? !choices.includes(value) : value !== null && !isWhole) {
    const wanted = choices?.join(', ') ?? 'a whole number above 0 or null';
    const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
    throw wrongArgument(spec.name, spec.params[0]!, wanted, given);
  }
  const name = spec.name as ConfigName;
  if (typeof value !== 'string') return new QuantizationConfig(name, value as number | null, null, [number, Number(value)]);
  const format = value as BlockFormat;
  return new QuantizationConfig(name, BLOCK_FORMATS[format][0], format, [number, choices!.indexOf(format)]);
}
