/** Workers that share tensors: handles, locks, Hogwild and synchronous data parallel training. */
export { attachment, endWorker, type Attachment } from './end.js';
export type { AnyWorker, NodeWorker } from './port.js';
export { ProcessGroup, type ReduceOptions } from './process-group.js';
export { dataParallel, hogwild, type TrainingOptions } from './run.js';
export { serveTraining, type WorkerContext } from './serve.js';
export { Barrier, Event, Lock, Semaphore, type WaitOptions } from './sync.js';
export { receive, transfer, type TensorCopy, type TensorMessage } from './transfer.js';
