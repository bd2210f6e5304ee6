/** The page's side of the worker that has the model. */
import type { FromModel, ToModel } from './protocol';

export class Connection {
  private readonly worker = new Worker(new URL('./model.worker.ts', import.meta.url), { type: 'module', name: 'model' });

  constructor(hear: (message: FromModel) => void) {
    this.worker.addEventListener('message', (event: MessageEvent<FromModel>) => hear(event.data));
    this.worker.addEventListener('error', (event) => {
      hear({ type: 'failed', doing: 'open', kind: 'worker', message: event.message || 'the worker could not be loaded' });
    });
  }

  post(message: ToModel): void {
    this.worker.postMessage(message, message.type === 'load' ? [message.bytes] : []);
  }

  /** Ends the worker and everything in it. No message follows. */
  end(): void {
    this.worker.terminate();
  }
}
