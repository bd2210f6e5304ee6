/** The class of all errors, and the kinds of errors. */
import { locate, registerHelpers } from './stack.js';

/** The kinds of errors. */
export type ErrorKind =
  | 'shape' | 'dtype' | 'index' | 'argument' | 'autograd' | 'device' | 'device_lost' | 'out_of_memory' | 'limit' | 'kernel'
  | 'linalg' | 'data' | 'file' | 'disposed' | 'distributed' | 'poisoned';

/**
 * Every error that lanthorn throws on purpose. Its stack begins at the call in the user's code; an
 * error of the core has the stack inside of the core in its `cause`.
 */
export class LanthornError extends Error {
  /** The kind of error, for programs. */
  readonly kind: ErrorKind;
  /** The operation that failed. */
  readonly op: string;

  constructor(kind: ErrorKind, op: string, message: string, options?: ErrorOptions) {
    super(message.startsWith(`${op}: `) ? message : `${op}: ${message}`, options);
    this.name = 'LanthornError';
    this.kind = kind;
    this.op = op;
    locate(this);
  }
}

registerHelpers([LanthornError]);
