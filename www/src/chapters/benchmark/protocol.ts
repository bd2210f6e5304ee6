/** The messages between the page and the worker of a library: each question has one answer. */
import type { CaseName } from './cases/list';
import type { Device } from './engines/engine';
import type { LibraryName } from './engines/list';

export type ToEngine =
  | { type: 'open'; library: LibraryName; device: Device }
  | { type: 'prepare'; name: CaseName }
  | { type: 'measure'; seconds: number };

/** `kilobytes` were loaded, before they were decompressed. */
export interface Opened {
  type: 'opened';
  kilobytes: number;
}

/** The milliseconds of the first run, and the answer. */
export interface Prepared {
  type: 'prepared';
  first: number;
  answer: Float32Array;
}

/** The milliseconds of each timing. */
export interface Measured {
  type: 'measured';
  times: number[];
}

export type FromEngine = Opened | Prepared | Measured | { type: 'failed'; kind: string; message: string };
