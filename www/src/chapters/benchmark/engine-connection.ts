/** The page's side of a library's worker: a question, and the promise of its answer. */
import { Connection } from '../../parts/connection';
import type { FromEngine, Measured, Opened, Prepared, ToEngine } from './protocol';

/** A library that is silent for this long is given up, such as after the loss of its device. */
const PATIENCE_MS = 120_000;

type AnswerTo<Question extends ToEngine> = { open: Opened; prepare: Prepared; measure: Measured }[Question['type']];

export class EngineError extends Error {
  constructor(readonly kind: string, message: string) {
    super(message);
  }
}

export class EngineConnection {
  private readonly connection: Connection<ToEngine, FromEngine>;
  private settle: (answer: FromEngine) => void = () => {};

  constructor() {
    const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module', name: 'benchmark' });
    const describeCrash = (message: string): FromEngine => ({ type: 'failed', kind: 'worker', message });
    this.connection = new Connection(worker, (answer) => this.settle(answer), describeCrash);
  }

  /** Rejects with an `EngineError` if the library fails, or if `signal` ends the benchmark. */
  async ask<Question extends ToEngine>(question: Question, signal: AbortSignal): Promise<AnswerTo<Question>> {
    signal.throwIfAborted();
    const answer = await new Promise<FromEngine>((resolve) => {
      const give = (kind: string, message: string) => () => resolve({ type: 'failed', kind, message });
      const timer = setTimeout(give('silent', `no answer within ${PATIENCE_MS / 1000} seconds`), PATIENCE_MS);
      const stop = give('stopped', 'stopped');
      signal.addEventListener('abort', stop, { once: true });
      this.settle = (message) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        resolve(message);
      };
      this.connection.post(question);
    });
    signal.throwIfAborted();
    if (answer.type === 'failed') {
      throw new EngineError(answer.kind, answer.message);
    }
    return answer as AnswerTo<Question>;
  }

  end(): void {
    this.connection.end();
  }
}
