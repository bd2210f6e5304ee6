/** The configuration of a decoder, read from Hugging Face's `config.json`. */
import { checkOptions, describe, isPlainObject } from '../core/check.js';
import { readFields, type DecoderConfig } from '../generated/models/decoder/config.js';
import { refuse } from '../generated/models/decoder/fields.js';
import type { Json } from '../library/support.js';

export type { DecoderConfig } from '../generated/models/decoder/config.js';

/** Options of {@link readConfig}. */
export interface ConfigOptions {
  /** Whether a field that is not known is an error (default: true). */
  strict?: boolean;
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
  return readFields(json as Record<string, Json>, strict);
}
