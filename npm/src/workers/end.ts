/** The end of a worker that is attached to the memory of this thread. */
import { LanthornError } from '../core/errors.js';
import { attachedThread, enterShared } from '../core/runtime.js';
import { Port, type AnyWorker } from './port.js';

/** Identifies an attached worker for the thread that ends it: plain data. */
export interface Attachment {
  /** The number by which its references to tensors are counted. */
  holder: number;
  /** The number of its thread. */
  thread: number;
}

/** How long a worker may take to leave the core, before it is terminated. */
const LEAVING = 100;

/**
 * In a worker that is attached to the memory of another thread: what {@link endWorker} takes there.
 *
 * @example
 * await init({ memory });
 * postMessage(attachment());
 */
export function attachment(): Attachment {
  const thread = attachedThread();
  if (thread < 0) throw new LanthornError('device', 'attachment', 'this thread is not attached to the memory of another: init({ memory })');
  return { holder: enterShared('attachment', (wasm) => wasm.sharedHolder()) ?? 0, thread };
}

/**
 * Ends an attached worker, whatever it does, and drops its references to tensors. `terminate` alone ends it too, but
 * its references stay, and if it happens to be allocating memory, all threads of the core get an error of kind
 * `poisoned` some seconds later.
 *
 * @example
 * worker.addEventListener('message', async ({ data }) => await endWorker(worker, data));
 */
export async function endWorker(worker: AnyWorker, { holder, thread }: Attachment): Promise<void> {
  const port = new Port(worker, () => {}, () => {});
  await end('endWorker', port, { holder, thread }, false);
}

/** @internal {@link endWorker} of a worker with a port; it is idle if it `isDone`. */
export async function end(op: string, port: Port | undefined, attached: Attachment | undefined, isDone: boolean): Promise<void> {
  if (attached) {
    // From here on it has no lock of the core, and can be terminated at any time.
    enterShared(op, (wasm) => wasm.cancelThread(attached.thread));
    if (!isDone) await new Promise((resolve) => setTimeout(resolve, LEAVING));
  }
  await port?.end();
  if (attached) enterShared(op, (wasm) => wasm.releaseHolder(attached.holder));
}
