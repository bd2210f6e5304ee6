// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The kinds of arguments, which are the tags of encoded ones. */
export const MISSING = 0;
export const NULL = 1;
export const TENSOR = 2;
export const TENSORS = 3;
export const OPTIONAL_TENSORS = 4;
export const BOOL = 5;
export const INT = 6;
export const FLOAT = 7;
export const INTS = 8;
export const FLOATS = 9;
export const PARTIAL_INTS = 10;
export const EMPTY = 11;
export const NULLS = 12;
export const STR = 13;
export const MODULE = 14;
export const DTYPE = 15;
export const DEVICE = 16;
export const ARRAY = 17;
export const FOREIGN = 18;

/** The tag before an argument that is given by name. */
export const NAME = -1;

/** The name of the operation in an error of the core, in place of the caller's name of it. */
export const CALLER = '\x1a';

/** The texts of errors, with parts in braces; see `fill`. */
export const TEXTS = {
  missing: 'the argument {name} is missing: {signature}',
  wrong: 'the argument {name} takes {accepted}, not {found}',
  unknown: 'there is no argument {name}',
  known: '; there are {names}',
  twice: 'the argument {name} is given twice',
  tooMany: 'takes at most {limit} positional arguments, {count} were given',
  byName: '; give {names} {form}',
  nothingObserved: 'has observed no numbers: run the model on calibration data first',
} as const;
