/** The page's side of the training worker. */
import type { FromTrainer, Lesson, ToTrainer } from './protocol';

export class Trainer<L extends Lesson> {
  private readonly worker: Worker;

  constructor(worker: Worker, heard: (message: FromTrainer<L>) => void) {
    this.worker = worker;
    worker.addEventListener('message', (event: MessageEvent<FromTrainer<L>>) => heard(event.data));
    worker.addEventListener('error', (event) => {
      heard({ type: 'error', kind: 'worker', message: event.message || 'the training worker could not be loaded' });
    });
  }

  post(message: ToTrainer<L>): void {
    this.worker.postMessage(message);
  }

  /** Ends the worker and everything in it, even in the middle of a step. No message follows. */
  end(): void {
    this.worker.terminate();
  }
}
