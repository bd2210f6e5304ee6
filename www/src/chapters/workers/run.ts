import { releaseHandle, type nn, type SharedHandle, type Tensor } from 'lanthorn';
import { dataParallel, hogwild } from 'lanthorn/workers';
import type { Report, Task } from './train';

const WAYS = { dataParallel, hogwild };
export type Way = keyof typeof WAYS;

export interface Options extends Pick<Task, 'rate' | 'batch' | 'steps' | 'every'> {
  way: Way;
  workers: number;
  seed: number;
  signal: AbortSignal; // ends the workers
  fault: SharedArrayBuffer;
  report: (report: Report, rank: number) => void;
}

/** Trains `model` by workers. `images` and `labels` are in shared memory. */
export async function run(model: nn.Module, images: Tensor, labels: Tensor, options: Options) {
  const { way, workers, seed, signal, fault, report, rate, batch, steps, every } = options;
  const handles: SharedHandle[] = [];
  const handleOf = (tensor: Tensor) => {
    const handle = tensor.handle();
    handles.push(handle);
    return handle;
  };
  const taskOf = (rank: number): Task => ({
    images: handleOf(images), labels: handleOf(labels), rate, batch, steps, every,
    // In step, every worker has a copy, and all copies are equal: the first one shows its own.
    ...(way === 'dataParallel' && rank === 0 && { copies: model.parameters().map(handleOf) }),
    fault: rank === workers - 1 ? fault : undefined,
  });
  model.shareMemory(); // from here on its parameters have handles
  try {
    await WAYS[way](model, {
      workers, seed, signal, data: taskOf, onMessage: report,
      worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
    });
  } finally {
    handles.forEach(releaseHandle); // those that no worker received
  }
}
