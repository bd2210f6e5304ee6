import { compile, nn, optim, type Tensor } from 'lanthorn';
import type { Program } from 'lanthorn/program';

// `layer`: the names of the parameters to train, such as head.weight and head.bias
export function createFineTuning(model: Program, layer: readonly string[], lr: number) {
  model.requiresGrad_(false);
  const parameters = [...model.namedParameters()].filter(([name]) => layer.includes(name));
  const trained = parameters.map(([, parameter]) => parameter.requiresGrad_());
  const optimizer = new optim.AdamW(trained, { lr });
  const lossFunction = new nn.CrossEntropyLoss();

  // images: [batch, …], pixels from 0 to 1; labels: [batch]
  const trainStep = compile((images: Tensor, labels: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = lossFunction.call(firstTensor(model.call(images)), labels);
    loss.backward();
    optimizer.step();
    return loss;
  });

  return { optimizer, trainStep };
}

// A program may return its scores alone, or first in a list or an object.
export function firstTensor(result: any): Tensor {
  const isNested = Array.isArray(result) || Object.getPrototypeOf(result) === Object.prototype;
  return isNested ? firstTensor(Object.values(result)[0]) : result;
}
