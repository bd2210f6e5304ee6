/**
 * Events, locks, semaphores and barriers for workers, with the names of Python's `multiprocessing`. Their state is
 * a few words of shared memory, `buffer`, which `postMessage` sends; a worker makes the same object of it.
 *
 * Every function that waits has two forms: one blocks the thread, which the main thread of a page
 * may not, and one whose name ends in `Async` returns a promise. A time limit is in milliseconds.
 */
import { LanthornError } from '../core/errors.js';

/** A time limit. */
export interface WaitOptions {
  /** In milliseconds; without it there is none. */
  timeout?: number;
}

/**
 * A step of waiting: until the word at an index has another value than this one, or another thread
 * notifies. Returns whether the time is up.
 */
type Waiting<T> = Generator<readonly [index: number, value: number], T, boolean>;

function limit(op: string, { timeout }: WaitOptions): number {
  if (timeout === undefined) return Infinity;
  if (typeof timeout !== 'number' || !(timeout >= 0)) {
    throw new LanthornError('argument', op, `a time limit is a number of milliseconds, not ${String(timeout)}`);
  }
  return performance.now() + timeout;
}

/** The longest that one wait takes: a time limit of the engine, which is checked again. */
const STEP = 60_000;

const left = (end: number): number => Math.max(0, Math.min(STEP, end - performance.now()));

/** Runs a wait on this thread. */
function block<T>(op: string, words: Int32Array, end: number, waiting: Waiting<T>): T {
  for (let step = waiting.next(); ; ) {
    if (step.done) return step.value;
    const [index, value] = step.value;
    try {
      Atomics.wait(words, index, value, left(end));
    } catch (cause) {
      throw new LanthornError('argument', op, `this thread may not block: await ${op}Async()`, { cause });
    }
    step = waiting.next(performance.now() >= end);
  }
}

/** Runs a wait without blocking. */
async function suspend<T>(words: Int32Array, end: number, waiting: Waiting<T>): Promise<T> {
  for (let step = waiting.next(); ; ) {
    if (step.done) return step.value;
    const [index, value] = step.value;
    const { waitAsync } = Atomics as unknown as { waitAsync?: typeof waitFor };
    if (waitAsync) await waitAsync.call(Atomics, words, index, value, left(end)).value;
    else if (Atomics.load(words, index) === value) await new Promise((resolve) => setTimeout(resolve, Math.min(4, left(end))));
    step = waiting.next(performance.now() >= end);
  }
}

declare function waitFor(words: Int32Array, index: number, value: number, timeout: number): { value: Promise<string> | string };

/** What all of them are: words of shared memory. */
class Shared {
  /** The state, to send to a worker. */
  readonly buffer: SharedArrayBuffer;
  /** @internal */
  protected readonly words: Int32Array;

  constructor(op: string, buffer: SharedArrayBuffer | undefined, initial: readonly number[]) {
    if (typeof SharedArrayBuffer !== 'function') {
      throw new LanthornError('device', op, 'there is no shared memory here: a page is cross-origin isolated, see Threads in the README');
    }
    if (buffer !== undefined && (!(buffer instanceof SharedArrayBuffer) || buffer.byteLength !== 4 * initial.length)) {
      throw new LanthornError('argument', op, `takes the buffer of another ${op}`);
    }
    this.buffer = buffer ?? new SharedArrayBuffer(4 * initial.length);
    this.words = new Int32Array(this.buffer);
    if (!buffer) this.words.set(initial);
  }
}

/**
 * A flag that workers wait for, as `multiprocessing.Event`.
 *
 * @example
 * const ready = new Event();
 * worker.postMessage(ready.buffer);
 * await ready.waitAsync({ timeout: 1000 }); // in the worker: new Event(data).set()
 */
export class Event extends Shared {
  constructor(buffer?: SharedArrayBuffer) {
    super('Event', buffer, [0]);
  }

  /** Whether it is set. */
  isSet(): boolean {
    return Atomics.load(this.words, 0) === 1;
  }

  /** Sets it; all waiting threads continue. */
  set(): void {
    Atomics.store(this.words, 0, 1);
    Atomics.notify(this.words, 0);
  }

  /** Takes it back. */
  clear(): void {
    Atomics.store(this.words, 0, 0);
  }

  *#waiting(): Waiting<boolean> {
    while (!this.isSet()) if (yield [0, 0]) return this.isSet();
    return true;
  }

  /** Blocks until it is set. Returns whether it is: `false` if the time is up. */
  wait(options: WaitOptions = {}): boolean {
    return block('wait', this.words, limit('wait', options), this.#waiting());
  }

  /** {@link Event.wait} without blocking. */
  waitAsync(options: WaitOptions = {}): Promise<boolean> {
    return suspend(this.words, limit('waitAsync', options), this.#waiting());
  }
}

/**
 * A counter of free permits, as `multiprocessing.Semaphore`.
 *
 * @example
 * const permits = new Semaphore(2);
 * if (permits.acquire({ timeout: 100 })) permits.release();
 */
export class Semaphore extends Shared {
  constructor(value: number | SharedArrayBuffer = 1) {
    const isNumber = typeof value === 'number';
    if (isNumber && !(Number.isInteger(value) && value >= 0 && value < 2 ** 31)) {
      throw new LanthornError('argument', 'Semaphore', `the number of permits is a whole number from 0 on, not ${value}`);
    }
    super('Semaphore', isNumber ? undefined : value, [isNumber ? value : 0]);
  }

  *#acquiring(): Waiting<boolean> {
    for (let isLate = false; ; ) {
      const free = Atomics.load(this.words, 0);
      if (free > 0) {
        if (Atomics.compareExchange(this.words, 0, free, free - 1) === free) return true;
      } else if (isLate) {
        return false;
      } else {
        isLate = yield [0, free];
      }
    }
  }

  /**
   * Blocks until a permit is free, and takes it. Returns whether it did: `false` if the time is up.
   */
  acquire(options: WaitOptions = {}): boolean {
    return block('acquire', this.words, limit('acquire', options), this.#acquiring());
  }

  /** {@link Semaphore.acquire} without blocking. */
  acquireAsync(options: WaitOptions = {}): Promise<boolean> {
    return suspend(this.words, limit('acquireAsync', options), this.#acquiring());
  }

  /** Returns a permit. */
  release(): void {
    Atomics.add(this.words, 0, 1);
    Atomics.notify(this.words, 0, 1);
  }
}

/**
 * A lock, as `multiprocessing.Lock`: one worker at a time has it.
 *
 * @example
 * const lock = new Lock();
 * lock.with(() => console.log('one at a time'), { timeout: 1000 });
 */
export class Lock extends Semaphore {
  constructor(buffer?: SharedArrayBuffer) {
    super(buffer ?? 1);
  }

  /** Releases the lock. */
  override release(): void {
    if (Atomics.compareExchange(this.words, 0, 0, 1) !== 0) {
      throw new LanthornError('argument', 'release', 'nobody has the lock');
    }
    Atomics.notify(this.words, 0, 1);
  }

  /** Calls a function with the lock. It is an error of kind `distributed` if the time is up before. */
  with<T>(run: () => T, options: WaitOptions = {}): T {
    if (!this.acquire(options)) throw late('with', options);
    try {
      return run();
    } finally {
      this.release();
    }
  }
}

function late(op: string, { timeout }: WaitOptions): LanthornError {
  return new LanthornError('distributed', op, `not within ${timeout} ms: a worker ended, or works on`);
}

const [COUNT, ROUND, STATE, PARTIES] = [0, 1, 2, 3] as const;

/**
 * A barrier at which a number of workers wait for one another, as `multiprocessing.Barrier`. When
 * one of them is late, or calls `abort`, it is broken: all waiting and later workers get an error
 * of kind `distributed`.
 *
 * @example
 * const barrier = new Barrier(4);
 * barrier.wait({ timeout: 10_000 });
 */
export class Barrier extends Shared {
  constructor(parties: number | SharedArrayBuffer) {
    const isNumber = typeof parties === 'number';
    if (isNumber && !(Number.isInteger(parties) && parties >= 1 && parties < 2 ** 31)) {
      throw new LanthornError('argument', 'Barrier', `the number of workers is a whole number from 1 on, not ${parties}`);
    }
    super('Barrier', isNumber ? undefined : parties, [0, 0, 0, isNumber ? parties : 0]);
  }

  /** The number of workers that wait for one another. */
  get parties(): number {
    return Atomics.load(this.words, PARTIES);
  }

  /** Whether it is broken. */
  get isBroken(): boolean {
    return Atomics.load(this.words, STATE) !== 0;
  }

  *#waiting(op: string, options: WaitOptions): Waiting<number> {
    this.#check(op);
    const round = Atomics.load(this.words, ROUND);
    const arrival = Atomics.add(this.words, COUNT, 1);
    if (arrival + 1 === this.parties) {
      Atomics.store(this.words, COUNT, 0);
      Atomics.add(this.words, ROUND, 1);
      Atomics.notify(this.words, ROUND);
      return arrival;
    }
    while (Atomics.load(this.words, ROUND) === round) {
      if ((yield [ROUND, round]) && Atomics.load(this.words, ROUND) === round) {
        this.abort();
        throw late(op, options);
      }
    }
    this.#check(op);
    return arrival;
  }

  #check(op: string): void {
    if (this.isBroken) throw new LanthornError('distributed', op, 'the barrier is broken: a worker ended or was late');
  }

  /** Blocks until all are here. Returns how many were here before this one. */
  wait(options: WaitOptions = {}): number {
    return block('wait', this.words, limit('wait', options), this.#waiting('wait', options));
  }

  /** {@link Barrier.wait} without blocking. */
  waitAsync(options: WaitOptions = {}): Promise<number> {
    return suspend(this.words, limit('waitAsync', options), this.#waiting('waitAsync', options));
  }

  /** Breaks it. */
  abort(): void {
    Atomics.store(this.words, STATE, 1);
    Atomics.add(this.words, ROUND, 1);
    Atomics.notify(this.words, ROUND);
  }
}
