import {
  releaseHandle, type nn, type SharedHandle, type Tensor,
} from 'lanthorn';
import { dataParallel, hogwild } from 'lanthorn/workers';
import type { Report, Task } from './train';

const WAYS = { dataParallel, hogwild };
export type Way = keyof typeof WAYS;

type Numbers = Pick<Task, 'rate' | 'batch' | 'steps' | 'every'>;

export interface Options extends Numbers {
  way: Way;
  workers: number;
  seed: number;
  signal: AbortSignal; // ends the workers
  fault: SharedArrayBuffer;
  report: (report: Report, rank: number) => void;
}

// images and labels are in shared memory, as the model will be.
export async function run(
  model: nn.Module, images: Tensor, labels: Tensor,
  { way, workers, seed, signal, fault, report, ...numbers }: Options,
) {
  const handles: SharedHandle[] = [];
  const handleOf = (tensor: Tensor) => {
    const handle = tensor.handle();
    handles.push(handle);
    return handle;
  };
  const data = (rank: number): Task => {
    const task: Task = {
      ...numbers, images: handleOf(images), labels: handleOf(labels),
    };
    // In step, each worker has a copy, and all copies are equal:
    // the first worker writes its own where the page looks.
    if (way === 'dataParallel' && rank === 0) {
      task.shown = model.parameters().map(handleOf);
    }
    if (rank === workers - 1) task.fault = fault;
    return task;
  };

  model.shareMemory();
  const worker = () => new Worker(
    new URL('./worker.ts', import.meta.url), { type: 'module' },
  );
  const train = WAYS[way];
  try {
    await train(model, {
      workers, worker, seed, signal, data, onMessage: report,
    });
  } finally {
    // Handles that no worker received hold their tensors.
    handles.forEach(releaseHandle);
  }
}
