/** The options and the result of encoding. */
import { checkFlag, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';

/**
 * How texts that are too long are shortened. Options of a call take precedence over options of the
 * file, one by one; the defaults are for what neither has.
 */
export interface TruncationOptions {
  /** Whether texts are shortened (default: with a `maxLength` of the call or of the file). */
  truncation?: boolean;
  /** The most tokens, with special ones. Longer texts are shortened. */
  maxLength?: number;
  /** Which end is dropped (default: as the file says, else `'right'`). */
  truncationSide?: 'left' | 'right';
  /** Which of two texts is shortened (default: as the file says, else the longer one). */
  truncationStrategy?: 'longestFirst' | 'onlyFirst' | 'onlySecond';
}

/**
 * How encodings are made equally long. Options of a call take precedence over options of the file,
 * one by one.
 */
export interface PaddingOptions {
  /**
   * Padding up to the longest text of a batch (true), to a length, or none (false) (default: as the
   * file says).
   */
  padding?: boolean | number;
  /** The length is rounded up to a multiple of this (default: as the file says, else 1). */
  padToMultipleOf?: number;
  /** Where padding goes (default: as the file says, else `'right'`). */
  paddingSide?: 'left' | 'right';
  /** The token of padding (default: from the file or the configuration, else 0). */
  padId?: number;
  /** The type id of padding (default: as the file says, else 0). */
  padTypeId?: number;
}

/** Options of {@link Tokenizer.encode}. */
export interface EncodeOptions extends TruncationOptions, PaddingOptions {
  /** A second text, as the context of a question. */
  pair?: string;
  /** Whether tokens as `[CLS]` are added (default: true). */
  addSpecialTokens?: boolean;
}

/** Options of {@link Tokenizer.batch}. */
export interface BatchOptions extends TruncationOptions, PaddingOptions {
  /** A second text for each. */
  pairs?: readonly string[];
  /** Whether tokens as `[CLS]` are added (default: true). */
  addSpecialTokens?: boolean;
}

/** Options of {@link Tokenizer.decode}. */
export interface DecodeOptions {
  /** Whether tokens as `[CLS]` are left out (default: true). */
  skipSpecialTokens?: boolean;
}

/** The tokens of a text: arrays of the same length. */
export interface Encoding {
  /** The ids of the tokens. */
  ids: Int32Array;
  /** Which text a token is of, as the model numbers them. */
  typeIds: Int32Array;
  /** 1 for a token, 0 for padding. */
  attentionMask: Int32Array;
  /** 1 for a token that was added, or padding. */
  specialTokensMask: Int32Array;
  /** The first and the last but one index in the text, of each token: `text.slice(offsets[2 * i], offsets[2 * i + 1])`. */
  offsets: Uint32Array;
  /** The part of the text, as it was split for the model, that a token is of; -1 for one that was added. */
  wordIds: Int32Array;
}

/** Texts of one length, in rows: `tensor(batch.inputIds, { shape: batch.shape })`. */
export interface BatchEncoding {
  /** The ids of the tokens. */
  inputIds: Int32Array;
  /** 1 for a token, 0 for padding. */
  attentionMask: Int32Array;
  /** Which text a token is of. */
  tokenTypeIds: Int32Array;
  /** The number of texts, and their length. */
  shape: [number, number];
}

const STRATEGIES = ['longestFirst', 'onlyFirst', 'onlySecond'] as const;
const LENGTHS = ['addSpecialTokens', 'truncation', 'maxLength', 'truncationSide', 'truncationStrategy', 'padding', 'padToMultipleOf', 'paddingSide', 'padId', 'padTypeId'];

/**
 * The module's number for an option that a call does not have, and for truncation or padding that
 * is off.
 */
const [NOT_GIVEN, OFF] = [-1, -2];

/** A whole number that 32 bits hold. */
function count(op: string, name: string, value: unknown, least = 0): number {
  if (value === undefined || value === null) return NOT_GIVEN;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value >= 2 ** 31) {
    const given = typeof value === 'number' ? String(value) : describe(value);
    throw wrongArgument(op, name, `a whole number from ${least} on`, given);
  }
  return value;
}

/** Whether a side is the left one. */
function isLeft(op: string, name: string, value: unknown): number {
  if (value === undefined || value === null) return NOT_GIVEN;
  if (value === 'right') return 0;
  if (value === 'left') return 1;
  throw wrongArgument(op, name, "'left' or 'right'", typeof value === 'string' ? `'${value}'` : describe(value));
}

/** A flag that is on unless it is said otherwise. */
export function flagOn(op: string, name: string, value: unknown): boolean {
  return value === undefined || value === null ? true : checkFlag(op, name, value);
}

/** The most tokens: of the call, none for `truncation: false`, else of the file. */
function truncationLength(op: string, { truncation, maxLength }: TruncationOptions): number {
  const length = count(op, 'maxLength', maxLength);
  if (truncation == null || checkFlag(op, 'truncation', truncation)) return length;
  if (length !== NOT_GIVEN) throw new LanthornError('argument', op, `maxLength is ${length}, and truncation: false shortens nothing`);
  return OFF;
}

/** The options of a call as the module takes them. */
export function encodeNumbers(op: string, options: EncodeOptions & BatchOptions, other: string): Float64Array {
  const given = checkOptions<EncodeOptions & BatchOptions>(op, options, [other, ...LENGTHS]);
  const strategy = given.truncationStrategy == null ? NOT_GIVEN : STRATEGIES.indexOf(given.truncationStrategy);
  if (given.truncationStrategy != null && strategy < 0) throw new LanthornError('argument', op, `the argument truncationStrategy takes ${STRATEGIES.join(', ')}`);
  const padding = given.padding === true ? 0 : given.padding === false ? OFF : count(op, 'padding', given.padding, 1);
  return new Float64Array([
    flagOn(op, 'addSpecialTokens', given.addSpecialTokens) ? 1 : 0,
    truncationLength(op, given),
    isLeft(op, 'truncationSide', given.truncationSide),
    strategy,
    padding,
    count(op, 'padToMultipleOf', given.padToMultipleOf, 1),
    isLeft(op, 'paddingSide', given.paddingSide),
    count(op, 'padId', given.padId),
    count(op, 'padTypeId', given.padTypeId),
  ]);
}

/** A text. Halves of characters become replacement characters, as in every text that leaves JavaScript. */
export function checkText(op: string, name: string, value: unknown): string {
  if (typeof value !== 'string') throw new LanthornError('argument', op, `${name} is text, not ${describe(value)}`);
  return value;
}

/** Ids, from an array or a typed array. */
export function checkIds(op: string, ids: unknown): Uint32Array {
  const all = Array.isArray(ids) || (ArrayBuffer.isView(ids) && !(ids instanceof DataView)) ? Array.from(ids as ArrayLike<number | bigint>, Number) : undefined;
  if (all === undefined) throw new LanthornError('argument', op, `takes an array of ids, not ${describe(ids)}`);
  const odd = all.find((id) => !Number.isInteger(id) || id < 0 || id >= 2 ** 32);
  if (odd !== undefined) throw new LanthornError('index', op, `an id is a whole number of 32 bits, not ${odd}`);
  return Uint32Array.from(all);
}
