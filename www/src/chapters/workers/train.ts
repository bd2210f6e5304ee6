import {
  nn, noGrad, optim, randint, scope, Tensor, type SharedHandle,
} from 'lanthorn';
import { Event as Flag, type WorkerContext } from 'lanthorn/workers';
import { yieldToMessages } from '../../parts/training/pace';

export const network = () => new nn.Sequential(
  new nn.Linear(64, 64), new nn.ReLU(), new nn.Linear(64, 10),
);

// The message to a worker: numbers, and handles of tensors.
export interface Task {
  images: SharedHandle; // [count, 64]
  labels: SharedHandle; // [count]
  rate: number;
  batch: number;
  steps: number;
  every: number; // steps between two reports
  shown?: SharedHandle[]; // the parameters that the page shows
  fault?: SharedArrayBuffer; // asks for an error
}

export interface Report {
  step: number;
  loss: number; // the mean since the last report
  time: number; // of the worker's clock, in ms
}

const mean = (all: number[]) =>
  all.reduce((sum, each) => sum + each, 0) / all.length;

type Context = WorkerContext<nn.Sequential, Task>;

export async function train({ model, data, backward, send }: Context) {
  const { rate, batch, steps, every } = data;
  // The page's elements: nothing is copied.
  const images = Tensor.fromHandle(data.images);
  const labels = Tensor.fromHandle(data.labels);
  const shown = data.shown?.map((handle) => Tensor.fromHandle(handle));
  const fault = data.fault && new Flag(data.fault);
  const parameters = model.parameters();
  const optimizer = new optim.SGD(parameters, { lr: rate });

  const trainStep = () => {
    // Other random numbers in each worker.
    const chosen = randint(0, images.shape[0]!, [batch]);
    const scores = model.call(images.indexSelect(0, chosen));
    const loss = scores.crossEntropy(labels.indexSelect(0, chosen));
    optimizer.zeroGrad();
    // Data parallel: grad becomes the mean of all workers.
    backward(loss);
    // Hogwild: into the memory that the others read.
    optimizer.step();
    return loss.dataSync()[0] as number;
  };

  let losses: number[] = [];
  for (let step = 1; step <= steps; step += 1) {
    losses.push(scope(trainStep));
    if (step % every === 0 || step === steps) {
      noGrad(() => shown?.forEach((tensor, index) => tensor.copy_(parameters[index]!)));
      send({ step, loss: mean(losses), time: performance.now() } satisfies Report);
      losses = [];
      if (fault?.isSet()) throw new Error(`step ${step} failed on request`);
      // Idle for a moment, in which the worker can be ended.
      await yieldToMessages();
    }
  }
}
