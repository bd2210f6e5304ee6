/** Work in chunks, between which a worker reads its messages. */

/**
 * The duration of a chunk of steps: short enough to answer the page at once, long enough to keep
 * the device busy.
 */
const CHUNK_MS = 30;
const MAX_CHUNK = 64;

const channel = new MessageChannel();

/** The number of steps to take next, after `chunk` of them took `took` ms. */
export function nextChunk(chunk: number, took: number): number {
  if (took < CHUNK_MS / 2) {
    return Math.min(chunk * 2, MAX_CHUNK);
  }
  return took > CHUNK_MS * 2 ? Math.max(chunk >> 1, 1) : chunk;
}

/**
 * Lets the waiting messages in, and returns right after them. Timers and animation frames would not
 * work: browsers throttle or stop them in a hidden tab.
 */
export function yieldToMessages(): Promise<void> {
  return new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
  });
}
