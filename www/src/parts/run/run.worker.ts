/**
 * The worker that runs a visitor's code with lanthorn in scope. One run follows another. It cannot
 * stop a run itself: the page ends the worker.
 */
import * as lanthorn from 'lanthorn';
import { messageOf } from '../training/worker';
import { createNames } from './names';
import { compile, type Program } from './program';
import { refusePromises } from './promises';
import type { Ended, FromRunner, Level, Shown, Thrown, ToRunner } from './protocol';
import { showResult, snapshot } from './show';

/** More lines than this are counted instead. */
const MAX_LINES = 200;
const MODULES: Readonly<Record<string, () => Promise<unknown>>> = {
  lanthorn: async () => lanthorn,
  'lanthorn/io': () => import('lanthorn/io'),
  'lanthorn/data': () => import('lanthorn/data'),
  'lanthorn/datasets': () => import('lanthorn/datasets'),
  'lanthorn/hub': () => import('lanthorn/hub'),
  'lanthorn/audio': () => import('lanthorn/audio'),
  'lanthorn/distributions': () => import('lanthorn/distributions'),
  'lanthorn/einops': () => import('lanthorn/einops'),
  'lanthorn/metrics': () => import('lanthorn/metrics'),
  'lanthorn/vision': () => import('lanthorn/vision'),
  'lanthorn/models': () => import('lanthorn/models'),
  'lanthorn/program': () => import('lanthorn/program'),
  'lanthorn/quantization': () => import('lanthorn/quantization'),
  'lanthorn/testing': () => import('lanthorn/testing'),
  'lanthorn/tokenizer': () => import('lanthorn/tokenizer'),
  'lanthorn/train': () => import('lanthorn/train'),
  'lanthorn/workers': () => import('lanthorn/workers'),
};

class RunLoop {
  private last: Promise<unknown> = Promise.resolve();
  /** The lines of the run in progress, in order; each waits for the elements of its tensors. */
  private lines: Promise<unknown> = Promise.resolve();
  private count = 0;
  private readonly names = createNames({ ...lanthorn, lanthorn, console: this.console(), importModule, ...this.pictures() });

  constructor() {
    self.addEventListener('message', ({ data }: MessageEvent<ToRunner>) => {
      this.last = this.last.then(() => (data.type === 'open' ? this.open(data.device) : this.run(data.source)));
    });
    // A promise that is not awaited: its error is a line of the console.
    self.addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      this.print('error', [messageOf(event.reason)]);
    });
  }

  private async open(wanted: Extract<ToRunner, { type: 'open' }>['device']): Promise<void> {
    try {
      const { device, adapter } = await lanthorn.init({ device: wanted });
      post({ type: 'opened', device: device === 'webgpu' ? 'webgpu' : 'cpu', adapter });
    } catch (error) {
      post({ type: 'failed', kind: error instanceof lanthorn.LanthornError ? error.kind : 'unexpected', message: messageOf(error) });
    }
  }

  private async run(source: string): Promise<void> {
    this.count = 0;
    const ended = await this.evaluate(source);
    await this.lines;
    if (this.count > MAX_LINES) {
      post({ type: 'printed', level: 'warn', shown: { text: `… ${this.count - MAX_LINES} more lines are not shown.`, tensors: [] } });
    }
    post({ type: 'ended', ended });
  }

  private async evaluate(source: string): Promise<Ended> {
    let program: Program | undefined;
    try {
      const start = performance.now();
      program = await compile(source);
      const value = await program.run(this.names);
      const shown = await showResult(value);
      return { type: 'value', shown, milliseconds: performance.now() - start };
    } catch (error) {
      return { type: 'threw', thrown: describeError(error, program) };
    }
  }

  private print(level: Level, values: readonly unknown[]): void {
    this.count += 1;
    if (this.count > MAX_LINES) {
      return;
    }
    let read: () => Promise<Shown>;
    try {
      read = snapshot(values);
    } catch (error) {
      read = async () => ({ text: messageOf(error), tensors: [] });
    }
    const line = read().catch((error: unknown): Shown => ({ text: messageOf(error), tensors: [] }));
    this.lines = Promise.all([this.lines, line]).then(([, shown]) => post({ type: 'printed', level, shown }));
  }

  /**
   * `plot(...curves)`, each a list of numbers or a tensor of one dimension, and `draw(image)`,
   * `[height, width]`.
   */
  private pictures() {
    const picture = (level: Level) => (...values: unknown[]) => {
      // Tensors that are made here live until they are read.
      this.print(level, lanthorn.noGrad(() => values.map(asTensor)));
    };
    return { plot: picture('plot'), draw: picture('draw') };
  }

  private console(): Partial<Console> {
    const print = (level: Level) => (...values: unknown[]) => this.print(level, values);
    return { log: print('log'), info: print('log'), debug: print('log'), table: print('log'), warn: print('warn'), error: print('error') };
  }
}

/** Numbers as a tensor. */
function asTensor(value: unknown): unknown {
  return lanthorn.isTensor(value) ? value : lanthorn.tensor(Array.isArray(value) ? value : Array.from(value as ArrayLike<number>));
}

async function importModule(name: string): Promise<unknown> {
  const load = MODULES[name];
  if (!load) {
    throw new Error(`${name} cannot be imported here: only ${Object.keys(MODULES).join(', ')}`);
  }
  return load();
}

function describeError(error: unknown, program: Program | undefined): Thrown {
  const kind = error instanceof lanthorn.LanthornError ? error.kind : '';
  const isError = error instanceof Error;
  return { name: isError ? error.name : 'thrown', kind, message: messageOf(error), line: isError ? lineIn(error, program) : undefined };
}

/** The line of an error, by its stack. If nothing ran, the line in which the parser stopped. */
function lineIn(error: Error & { at?: number }, program: Program | undefined): number | undefined {
  return program ? program.lineOf(error.stack ?? '') : error.at;
}

function post(message: FromRunner): void {
  self.postMessage(message);
}

refusePromises();
new RunLoop();
