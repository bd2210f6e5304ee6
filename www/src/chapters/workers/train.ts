import { nn, noGrad, optim, randint, scope, Tensor, type SharedHandle } from 'lanthorn';
import { Event as Flag, type WorkerContext } from 'lanthorn/workers';
import { yieldToMessages } from '../../parts/training/pace';

export const network = () => new nn.Sequential(
  new nn.Linear(64, 64), new nn.ReLU(), new nn.Linear(64, 10),
);

/** What a worker is given: settings, and handles of tensors, not their elements. */
export interface Task {
  images: SharedHandle; // [count, 64]
  labels: SharedHandle; // [count]
  rate: number;
  batch: number;
  steps: number;
  every: number; // steps between two reports
  copies?: SharedHandle[]; // the page's parameters, for a worker that has a copy of them
  fault: SharedArrayBuffer | undefined; // an error on request
}

export interface Report {
  step: number;
  loss: number; // the mean since the last report
  time: number; // milliseconds of the worker's clock
}

export async function train({ model, data, backward, send }: WorkerContext<nn.Sequential, Task>) {
  const { rate, batch, steps, every } = data;
  const images = Tensor.fromHandle(data.images); // the same memory as the page's
  const labels = Tensor.fromHandle(data.labels);
  const copies = (data.copies ?? []).map((handle) => Tensor.fromHandle(handle));
  const fault = data.fault && new Flag(data.fault);
  const parameters = model.parameters();
  const optimizer = new optim.SGD(parameters, { lr: rate });

  let sum = 0;
  for (let step = 1; step <= steps; step += 1) {
    sum += scope(() => {
      const chosen = randint(0, images.shape[0]!, [batch]); // others in each worker
      optimizer.zeroGrad();
      const scores = model.call(images.indexSelect(0, chosen));
      const loss = scores.crossEntropy(labels.indexSelect(0, chosen));
      backward(loss); // data parallel: and the mean of all workers' gradients
      optimizer.step(); // Hogwild: into the memory that the others read
      return loss.dataSync()[0] as number;
    });
    if (step % every === 0) {
      noGrad(() => copies.forEach((copy, index) => copy.copy_(parameters[index]!)));
      send({ step, loss: sum / every, time: performance.now() } satisfies Report);
      sum = 0;
      if (fault?.isSet()) throw new Error(`step ${step} failed on request`);
      await yieldToMessages(); // an idle moment, in which it can be ended
    }
  }
}
