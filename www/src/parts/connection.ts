/** The page's side of a worker. */
export class Connection<To, From> {
  private isEnded = false;

  /** `broken` makes a message of the words on a worker that could not be loaded, or that stopped on an error. */
  constructor(private readonly worker: Worker, hear: (message: From) => void, broken: (words: string) => From) {
    // A message of an ended worker may still arrive.
    const pass = (message: From) => !this.isEnded && hear(message);
    worker.addEventListener('message', (event: MessageEvent<From>) => pass(event.data));
    worker.addEventListener('error', (event) => pass(broken(event.message || 'the worker could not be loaded')));
  }

  post(message: To, transferred: Transferable[] = []): void {
    this.worker.postMessage(message, transferred);
  }

  /** Ends the worker and everything in it, even in the middle of a step. No message follows. */
  end(): void {
    this.isEnded = true;
    this.worker.terminate();
  }
}
