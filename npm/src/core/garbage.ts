/**
 * The memory of dropped tensors.
 *
 * A JavaScript engine counts the bytes of a tensor's wrapper, not the bytes of its elements, so it
 * has no reason to collect dropped tensors while the device's memory fills. A read therefore now
 * and then makes the engine collect: it allocates short-lived ArrayBuffers, whose bytes engines do
 * count, and waits in the event loop until the finalizer of a fresh object has run.
 *
 * Rejected: disposing of the intermediates of a step at `optimizer.step()`. A program may still read
 * its predictions then, as in PyTorch, and nothing but a collection can tell that it will not.
 */
import { nextTask } from './event-loop.js';
import { enter } from './runtime.js';

/** No collection for less garbage than this, in bytes. */
const FEW_BYTES = 1 << 20;
/** So much garbage, in bytes, is collected though it takes more time. */
const MANY_BYTES = 64 << 20;
/** So much garbage, in bytes, is collected whatever it takes. */
const MAX_BYTES = 512 << 20;
/** The part of the time that may be spent in collections, with little garbage and with much. */
const SHARE = { few: 1 / 25, many: 1 / 4 };
/** The sizes of the allocated buffers, in bytes: the first, and the largest. */
const PRESSURE = { first: 16 << 20, largest: 256 << 20 };
/**
 * An engine that has not collected after this many buffers does not collect because of
 * ArrayBuffers.
 */
const MAX_BUFFERS = 32;

/** The bytes of tensors right after the last collection, all of them in use. */
let used = 0;
/** The time in ms at which the last collection ended, and how long it took. */
let [ended, duration] = [0, 0];
let collecting = false;

/** Resolves when the finalizer of an object that is dropped here has run, or the engine does not collect. */
async function waitForCollection(): Promise<void> {
  let isCollected = false;
  const registry = new FinalizationRegistry(() => { isCollected = true; });
  // A separate function, so that no variable of the caller holds the object.
  (() => registry.register({}, undefined))();
  let size = PRESSURE.first;
  for (let count = 0; count < MAX_BUFFERS && !isCollected; count++) {
    try {
      new ArrayBuffer(size);
      size = Math.min(2 * size, PRESSURE.largest);
    } catch {
      size = PRESSURE.first;
    }
    await nextTask();
  }
}

/** Whether so much memory may be garbage that a collection is worth its time. */
function isDue(bytes: number, now: number): boolean {
  const garbage = bytes - used;
  const share = garbage > MANY_BYTES + used ? SHARE.many : SHARE.few;
  const isWorthIt = garbage > Math.max(FEW_BYTES, used / 4) && now - ended > duration / share;
  return isWorthIt || garbage > MAX_BYTES + used;
}

/**
 * Lets dropped tensors be collected, if they may occupy much memory. Called by functions that wait
 * anyway.
 */
export async function collectGarbage(): Promise<void> {
  const begin = performance.now();
  if (collecting || !isDue(enter((wasm) => wasm.liveBytes()), begin)) return;
  collecting = true;
  try {
    await waitForCollection();
    used = enter((wasm) => wasm.liveBytes());
  } finally {
    ended = performance.now();
    duration = ended - begin;
    collecting = false;
  }
}
