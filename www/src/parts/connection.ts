import { costOf } from './painting';

/** The workers of this page that have not been ended. */
const open = new Set<{ end(): void }>();

/** Ends all workers of this page, as before everything that they store is deleted. */
export function endWorkers(): void {
  open.forEach((connection) => connection.end());
}

/** The page's side of a worker. */
export class Connection<To, From> {
  private isEnded = false;

  /**
   * `describeCrash` creates the message for a worker that could not be loaded, or that stopped on
   * an error. With `painted` the worker receives after each message how long the page painted.
   */
  constructor(
    private readonly worker: Worker, hear: (message: From) => void, describeCrash: (words: string) => From, painted?: (milliseconds: number) => To,
  ) {
    open.add(this);
    // A message of an ended worker may still arrive.
    const pass = (message: From) => {
      if (!this.isEnded) {
        hear(message);
      }
    };
    worker.addEventListener('message', ({ data }: MessageEvent<From>) => {
      if (!painted) {
        return pass(data);
      }
      void costOf(() => pass(data)).then((milliseconds) => this.post(painted(milliseconds)));
    });
    worker.addEventListener('error', (event) => pass(describeCrash(event.message || 'the worker could not be loaded')));
  }

  post(message: To, transferred: Transferable[] = []): void {
    this.worker.postMessage(message, transferred);
  }

  /** Ends the worker and everything in it, even in the middle of a step. No message follows. */
  end(): void {
    this.isEnded = true;
    open.delete(this);
    this.worker.terminate();
  }
}
