/** Loggers: the console, lines of JSON, and event files of TensorBoard. */
import { nodeModule } from '../core/source.js';
import type { Logger } from './callback.js';
import type { Values } from './task.js';
import { eventOf, recordOf } from './tensorboard.js';

/** Takes the bytes of a file, one part after the other. */
export type Sink = (bytes: Uint8Array) => void | Promise<void>;

interface FileSystem {
  appendFile(path: string, data: Uint8Array): Promise<void>;
  mkdir(path: string, options: { recursive: boolean }): Promise<unknown>;
}

/** A function that appends to a file, whose folder is made. */
function fileSink(path: string): Sink {
  const folder = path.replace(/[^/\\]*$/, '');
  let isMade = folder === '';
  return async (bytes) => {
    const { appendFile, mkdir } = await nodeModule<FileSystem>('node:fs/promises');
    if (!isMade) await mkdir(folder, { recursive: true });
    isMade = true;
    await appendFile(path, bytes);
  };
}

const sinkOf = (target: Sink | string): Sink => (typeof target === 'string' ? fileSink(target) : target);

/** A number with as many digits as a reader compares. */
export const format = (value: number): string => (Number.isInteger(value) ? String(value) : value.toPrecision(4));

/**
 * Writes a line for each logged step, to the console by default.
 *
 * @example
 * const trainer = new Trainer({ loggers: [new ConsoleLogger()], logEveryNSteps: 10 });
 */
export class ConsoleLogger implements Logger {
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void = (line) => console.log(line)) {
    this.#write = write;
  }

  log(values: Values, step: number): void {
    this.#write([`step ${step}`, ...Object.entries(values).map(([name, value]) => `${name} ${format(value)}`)].join('  '));
  }
}

/**
 * Writes an object of JSON in a line for each logged step, with `step`, `time` in seconds, and the
 * values: to a file of Node by its path, or to a function. Numbers that are not finite are texts.
 *
 * @example
 * const trainer = new Trainer({ loggers: [new JSONLinesLogger('runs/metrics.jsonl')] });
 */
export class JSONLinesLogger implements Logger {
  readonly #sink: Sink;

  constructor(target: Sink | string) {
    this.#sink = sinkOf(target);
  }

  async log(values: Values, step: number): Promise<void> {
    const entries = Object.entries(values).map(([name, value]) => [name, Number.isFinite(value) ? value : String(value)]);
    const line = JSON.stringify({ step, time: Date.now() / 1000, ...Object.fromEntries(entries) });
    await this.#sink(new TextEncoder().encode(`${line}\n`));
  }
}

/**
 * Writes an event file of TensorBoard, with a scalar for each value: to a file of Node, whose name
 * needs `tfevents`, or to a function.
 *
 * @example
 * const logger = new TensorBoardLogger('runs/digits/events.out.tfevents.1');
 * const trainer = new Trainer({ loggers: [logger] });
 */
export class TensorBoardLogger implements Logger {
  readonly #sink: Sink;
  #hasHeader = false;

  constructor(target: Sink | string) {
    this.#sink = sinkOf(target);
  }

  async log(values: Values, step: number): Promise<void> {
    const time = Date.now() / 1000;
    if (!this.#hasHeader) await this.#sink(recordOf(eventOf({ time, version: 'brain.Event:2' })));
    this.#hasHeader = true;
    await this.#sink(recordOf(eventOf({ time, step, values })));
  }
}
