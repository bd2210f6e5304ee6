/** The page's end of the training worker. */
import type { FromTrainer, ToTrainer } from './protocol';

export class Trainer {
  private readonly worker: Worker;

  constructor(heard: (message: FromTrainer) => void) {
    this.worker = new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' });
    this.worker.addEventListener('message', (event: MessageEvent<FromTrainer>) => heard(event.data));
    this.worker.addEventListener('error', (event) => {
      heard({ type: 'error', kind: 'worker', message: event.message || 'the training worker could not be loaded' });
    });
  }

  post(message: ToTrainer): void {
    this.worker.postMessage(message);
  }

  /** Ends the worker with all it holds, also in the middle of a step. Nothing is heard of it afterwards. */
  end(): void {
    this.worker.terminate();
  }
}
