/**
 * Finished work on the GPU in Firefox, which looks for it every 100 ms and at each submission.
 * Empty submissions let a read resolve when its work is done: with Firefox 153, a training step
 * with a read took 2.1 ms with these submissions.
 */
import { nextTask } from './event-loop.js';

/** The part of a device used here. */
export interface SubmittingDevice {
  readonly queue: { submit(commands: readonly never[]): void };
}

/** Submissions a message apart, before those that timers delay. */
const AT_ONCE = 16;
/** The longest delay in ms. */
const LONGEST = 32;

const isFirefox = /\bFirefox\//.test((globalThis.navigator as { userAgent?: string } | undefined)?.userAgent ?? '');

/** Submits nothing, again and again, until the answer is there; in Firefox only. */
export function hasten(device: SubmittingDevice | undefined, answer: Promise<unknown>): void {
  if (isFirefox && device) void submitUntil(device, answer);
}

async function submitUntil({ queue }: SubmittingDevice, answer: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const end = (): void => { isSettled = true; };
  answer.then(end, end);
  for (let count = 0, delay = 1; ; count++) {
    if (count < AT_ONCE) await nextTask();
    else await new Promise((resolve) => { setTimeout(resolve, delay = Math.min(2 * delay, LONGEST)); });
    if (isSettled) return;
    try {
      queue.submit([]);
    } catch {
      // The device is lost, which the answer reports.
      return;
    }
  }
}
