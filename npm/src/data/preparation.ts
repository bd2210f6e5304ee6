/** Work done ahead: in a later task of the event loop, or when its result is requested. */
import { nextTask } from '../core/event-loop.js';

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
