/** The page's side of the worker that compiles. */
import type { FromCompiler, ToCompiler } from './protocol';

export class Connection {
  private readonly worker = new Worker(new URL('./compile.worker.ts', import.meta.url), { type: 'module', name: 'compile' });

  constructor(hear: (message: FromCompiler) => void) {
    this.worker.addEventListener('message', (event: MessageEvent<FromCompiler>) => hear(event.data));
    this.worker.addEventListener('error', (event) => {
      hear({ type: 'failed', kind: 'worker', message: event.message || 'the worker could not be loaded' });
    });
  }

  post(message: ToCompiler): void {
    this.worker.postMessage(message);
  }

  /** Ends the worker and everything in it. No message follows. */
  end(): void {
    this.worker.terminate();
  }
}
