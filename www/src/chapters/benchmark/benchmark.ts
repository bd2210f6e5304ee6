/** The order of a benchmark: each library in a separate worker, one library after another. */
import { CASES, type CaseName } from './cases/list';
import { EngineConnection, EngineError } from './engine-connection';
import type { Device } from './engines/engine';
import { LIBRARIES, type LibraryName } from './engines/list';
import { type Cell, differenceOf, type Results } from './results';

/**
 * The time of a case is divided into turns, so that a disturbance does not affect only one library.
 */
const TURNS = 3;

export interface Watch {
  /** Receives a description of the current work. */
  progress: (words: string) => void;
  onLoad: (library: LibraryName, kilobytes: number) => void;
  onChange: () => void;
}

/** The reference for the answers of the other libraries. */
interface Reference {
  library: LibraryName;
  answer: Float32Array;
}

export class Benchmark {
  private readonly workers = new Map<LibraryName, EngineConnection>();
  private reference: Reference | undefined;

  constructor(
    private readonly results: Results,
    private readonly device: Device,
    private readonly seconds: number,
    private readonly watch: Watch,
    private readonly signal: AbortSignal,
  ) {}

  /** Rejects if it is stopped. An error of a library is in its cells instead. */
  async run(): Promise<void> {
    try {
      for (const library of this.results.libraries) {
        await this.open(library);
      }
      for (const [index, name] of this.results.cases.entries()) {
        await this.measure(name, `Case ${index + 1} of ${this.results.cases.length}`);
      }
    } finally {
      this.workers.forEach((worker) => worker.end());
    }
  }

  private async measure(name: CaseName, position: string): Promise<void> {
    this.reference = undefined;
    for (const library of this.results.libraries) {
      await this.attempt(name, library, `${position}, ${CASES[name].title}: first run of ${LIBRARIES[library].title}…`, (worker, cell) =>
        this.prepare(name, library, worker, cell));
    }
    for (let turn = 1; turn <= TURNS; turn += 1) {
      for (const library of this.results.libraries) {
        await this.attempt(name, library, `${position}, ${CASES[name].title}: measured in turn…`, async (worker, cell) => {
          const { times } = await worker.ask({ type: 'measure', seconds: this.seconds / TURNS }, this.signal);
          cell.times.push(...times);
          cell.state = turn === TURNS ? 'measured' : 'measuring';
        });
      }
    }
  }

  private async prepare(name: CaseName, library: LibraryName, worker: EngineConnection, cell: Cell): Promise<void> {
    const { first, answer } = await worker.ask({ type: 'prepare', name }, this.signal);
    cell.first = first;
    if (this.reference) {
      cell.difference = differenceOf(answer, this.reference.answer);
      cell.comparedWith = this.reference.library;
    } else {
      this.reference = { library, answer };
    }
  }

  /**
   * Works on a cell that has not failed. A library that fails continues with the next case, in a
   * new worker.
   */
  private async attempt(
    name: CaseName, library: LibraryName, words: string, work: (worker: EngineConnection, cell: Cell) => Promise<void>,
  ): Promise<void> {
    const cell = this.results.cell(name, library);
    if (cell.state === 'failed') {
      return;
    }
    this.watch.progress(words);
    try {
      const worker = this.workers.get(library) ?? (await this.start(library));
      cell.state = 'measuring';
      await work(worker, cell);
    } catch (error) {
      this.give(library, [cell], error);
    }
    this.watch.onChange();
  }

  /** Loads a library; if that fails, all of its cells have failed. */
  private async open(library: LibraryName): Promise<void> {
    this.watch.progress(`Loading ${LIBRARIES[library].title}…`);
    try {
      await this.start(library);
    } catch (error) {
      this.give(library, this.results.cases.map((name) => this.results.cell(name, library)), error);
    }
    this.watch.onChange();
  }

  private async start(library: LibraryName): Promise<EngineConnection> {
    const worker = new EngineConnection();
    this.workers.set(library, worker);
    const { kilobytes } = await worker.ask({ type: 'open', library, device: this.device }, this.signal);
    this.watch.onLoad(library, kilobytes);
    return worker;
  }

  private give(library: LibraryName, cells: readonly Cell[], error: unknown): void {
    this.signal.throwIfAborted();
    this.workers.get(library)?.end();
    this.workers.delete(library);
    for (const cell of cells) {
      cell.state = 'failed';
      cell.error = wordsOf(error);
    }
  }
}

/** The description of an error, for the table. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const kind = error instanceof EngineError ? error.kind : '';
  if (/lost/i.test(kind + message)) {
    return `The graphics device was lost: ${message}`;
  }
  return /dynamically imported|failed to fetch|import/i.test(message) || kind === 'worker' ? `It could not be loaded: ${message}` : message;
}
