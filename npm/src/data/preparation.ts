/** Work done ahead: in a separate turn of the event loop, or as soon as somebody waits for it. */

/** Starts `make` later, or when the result is requested; at once, if `now`. */
export class Preparation<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;
  #cancelled = false;

  constructor(make: () => Promise<T>, now: boolean) {
    this.#make = make;
    if (now) this.#start();
    else void nextTask().then(() => this.#start());
  }

  #start(): void {
    if (this.#made || this.#cancelled) return;
    this.#made = this.#make();
    // An exception is reported to the caller that requests the result, if there is one.
    this.#made.catch(() => {});
  }

  /** The result. */
  result(): Promise<T> {
    this.#start();
    return this.#made!;
  }

  /** Cancels it if it has not started. */
  cancel(): void {
    this.#cancelled = true;
  }
}

/** The next turn of the event loop. Unlike timers, messages are not throttled in a hidden tab. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
