/**
 * The event loop. Reads on the CPU resolve in microtasks, so a program that awaits nothing else
 * never returns to the event loop, where a page draws and a worker receives messages. A read
 * therefore ends in a later task when the last task is {@link LONGEST} ms ago.
 */

/** The time in ms after which a read returns to the event loop. */
const LONGEST = 8;

/** Node's, which is faster than a message. */
const immediately = (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate;

/** The promises that the next task resolves. */
let pending: (() => void)[] = [];
let lastTask = 0;
let channel: MessageChannel | undefined;

function runTask(): void {
  lastTask = performance.now();
  const now = pending;
  pending = [];
  for (const resolve of now) resolve();
}

/** Posts a message to itself: timers wait for 4 ms, and longer in hidden pages. */
function requestTask(): void {
  if (immediately) {
    immediately(runTask);
    return;
  }
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = runTask;
  }
  channel.port2.postMessage(null);
}

/** Resolves in a later task of the event loop. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (pending.push(resolve) === 1) requestTask();
  });
}

/** Whether a read returns to the event loop before it resolves. */
export function isTaskDue(): boolean {
  return performance.now() - lastTask > LONGEST;
}
