/** The worker's side of a training by several workers. */
import { checkFunction } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { buffer, isParameter, Module, parameter } from '../nn/module.js';
import { noGrad } from '../autograd/mode.js';
import { init, manualSeed, synchronize } from '../core/runtime.js';
import type { Tensor } from '../tensor/tensor.js';
import { attachment } from './end.js';
import { workerScope, type Start } from './port.js';
import { ProcessGroup } from './process-group.js';
import { receive } from './transfer.js';

/** The context of a worker's training. */
export interface WorkerContext<M extends Module = Module, D = unknown> {
  /** The number of this worker, from 0 on, and the number of workers. */
  rank: number;
  size: number;
  /**
   * The worker's model. With `hogwild` all workers share its parameters; with `dataParallel` each
   * has its own.
   */
  model: M;
  /** The option `data` of the caller. */
  data: D;
  /** The workers that compute together. */
  group: ProcessGroup;
  /**
   * Computes gradients as `loss.backward()`, and with `dataParallel` sets them to the mean of all
   * workers.
   */
  backward(loss: Tensor): void;
  /** Sends a message to the caller's `onMessage`. */
  send(message: unknown): void;
}

/**
 * Serves a training to the thread that started this worker with {@link hogwild} or {@link dataParallel}; called by the
 * worker's module. `model` makes the model as the caller made it, and `train` trains it. What `train` returns is the
 * worker's result.
 *
 * @example
 * import { nn, optim } from 'lanthorn';
 * import { serveTraining } from 'lanthorn/workers';
 * serveTraining(() => new nn.Linear(64, 10), async ({ model, data, backward }) => {
 *   const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
 *   for (const [x, y] of data) {
 *     optimizer.zeroGrad();
 *     backward(nn.functional.crossEntropy(model.call(x), y));
 *     optimizer.step();
 *   }
 * });
 */
// biome-ignore lint/suspicious/noExplicitAny: the data of another module.
export function serveTraining<M extends Module, D = any>(model: () => M, train: (context: WorkerContext<M, D>) => unknown): void {
  checkFunction('serveTraining', model);
  checkFunction('serveTraining', train);
  void serve(model, train as (context: WorkerContext) => unknown);
}

async function serve(makeModel: () => Module, train: (context: WorkerContext) => unknown): Promise<void> {
  const scope = await workerScope('serveTraining');
  scope.hear(async (message) => {
    const start = message as Start;
    if (start?.lanthorn !== 'start') return;
    try {
      await init({ memory: start.memory });
      scope.post({ lanthorn: 'attached', ...attachment() });
      manualSeed(start.seed);
      const group = new ProcessGroup(start.group);
      const { rank, size } = group;
      const model = makeModel();
      if (!(model instanceof Module)) throw new LanthornError('argument', 'serveTraining', 'the first function makes a model');
      adopt(model, start);
      const parameters = model.parameters();
      const backward = (loss: Tensor): void => {
        loss.backward();
        if (start.shares) return;
        group.allReduce(parameters.flatMap(({ grad }) => grad ?? []), { op: 'avg' });
      };
      const send = (told: unknown): void => scope.post({ lanthorn: 'message', message: told });
      // Of another seed for each, as their samples are.
      manualSeed(start.seed + 1 + rank);
      const result = await train({ rank, size, model, data: start.data, group, backward, send });
      if (!start.shares && rank === 0) publish(model, start);
      await synchronize();
      scope.post({ lanthorn: 'result', result });
    } catch (thrown) {
      const error = thrown instanceof LanthornError ? thrown : new LanthornError('data', 'serveTraining', String((thrown as Error)?.message ?? thrown), { cause: thrown });
      const cause = error.cause instanceof Error ? error.cause : error;
      const { name, message: text, stack } = cause;
      scope.post({ lanthorn: 'failed', kind: error.kind, op: error.op, message: error.message, cause: { name, message: text, stack } });
    }
  });
  const alive = await holdLock();
  scope.post({ lanthorn: 'ready', ...(alive && { alive }) });
}

/** Takes a lock for as long as the worker lives, by which others learn of its end. */
function holdLock(): Promise<string | undefined> {
  const { locks } = (globalThis.navigator ?? {}) as { locks?: LockManager };
  // Node itself reports the end of a worker.
  if (!locks || typeof postMessage !== 'function') return Promise.resolve(undefined);
  const name = `lanthorn-${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    void locks.request(name, () => {
      resolve(name);
      return new Promise(() => { /* until the end */ });
    }).catch(() => resolve(undefined));
  });
}

/** The model's parameters and buffers with their names, which must equal the caller's. */
function nameTensors(model: Module, start: Start): Map<Tensor, string> {
  const names = new Map([...model.namedParameters(), ...model.namedBuffers()].map(([name, tensor]) => [tensor, name]));
  const own = new Set(names.values());
  const missing = Object.keys(start.state).find((name) => !own.has(name));
  if (missing !== undefined) throw new LanthornError('argument', 'serveTraining', `the caller's model has ${missing}, which the worker's has not`);
  return names;
}

function tensorFor(name: string, own: Tensor, start: Start): Tensor {
  const message = start.state[name];
  if (!message) throw new LanthornError('argument', 'serveTraining', `the worker's model has ${name}, which the caller's has not`);
  const found = receive(message);
  if (found.dtype !== own.dtype || found.shape.join() !== own.shape.join()) {
    throw new LanthornError('shape', 'serveTraining', `${name} has shape [${own.shape.join(', ')}] in the worker's model, and [${found.shape.join(', ')}] in the caller's`);
  }
  return found;
}

/** Sets the model's tensors to the caller's, or to copies of them. */
function adopt(model: Module, start: Start): void {
  const taken = new Map<Tensor, Tensor>();
  for (const [own, name] of nameTensors(model, start)) {
    const shared = tensorFor(name, own, start);
    if (!start.shares) noGrad(() => own.copy_(shared));
    else taken.set(own, isParameter(own) ? parameter(shared).requiresGrad_(own.requiresGrad) : buffer(shared));
  }
  for (const module of model.modules()) {
    for (const [name, own] of [...module.ownParameters(), ...module.ownBuffers()]) {
      const shared = taken.get(own);
      if (shared) module.replaceTensor(name, shared);
    }
  }
}

/** Sends the elements of the model to the caller. */
function publish(model: Module, start: Start): void {
  for (const [own, name] of nameTensors(model, start)) noGrad(() => tensorFor(name, own, start).detach().copy_(own.detach()));
}
