/** Work that is done ahead: in a turn of the event loop of its own, or as soon as somebody waits for it. */

/** Starts `make` later, or when the result is asked for; at once, if `now`. */
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
    // It is told to whoever asks for the result, if anybody does.
    this.#made.catch(() => {});
  }

  /** What was made. */
  result(): Promise<T> {
    this.#start();
    return this.#made!;
  }

  /** Does not start what has not been. */
  cancel(): void {
    this.#cancelled = true;
  }
}

/** The next turn of the event loop. A message is not held back where timers are, in a hidden tab. */
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
