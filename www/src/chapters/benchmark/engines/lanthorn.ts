/** The cases in lanthorn: operations as they are called, and the training step compiled. */
import { compile, init, nn, noGrad, optim, scope, tensor, type Tensor } from 'lanthorn';
import { numbers } from '../cases/case';
import { convolution } from '../cases/convolution';
import { elementwise } from '../cases/elementwise';
import { matmul } from '../cases/matmul';
import { softmax } from '../cases/softmax';
import { examples, labels, training, weightsOf } from '../cases/training';
import type { Engine, Subject } from './engine';
import { createTraining } from './losses';

const create = (shape: readonly number[], seed: number) => tensor(numbers(shape.reduce((one, other) => one * other), seed), { shape });

function forward(compute: () => Tensor): Subject {
  return {
    run: () => scope(async () => void (await noGrad(compute).flatten().narrow(0, 0, 1).data())),
    answer: () => scope(async () => (await noGrad(compute).data()) as Float32Array),
  };
}

function trainingStep(): Subject {
  const net = new nn.Sequential(...training.layers.flatMap(({ inputs, outputs }, index) =>
    [new nn.Linear(inputs, outputs), ...(index + 1 < training.layers.length ? [new nn.ReLU()] : [])]));
  const linear = [...net.children()].filter((each) => each instanceof nn.Linear);
  noGrad(() => linear.forEach(({ weight, bias }, layer) => {
    const { inputs, outputs } = training.layers[layer]!;
    weight.copy_(tensor(weightsOf(layer), { shape: [inputs, outputs] }).t());
    bias!.zero_();
  }));
  const { lr, beta1, beta2, eps } = training.adam;
  const optimizer = new optim.Adam(net.parameters(), { lr, betas: [beta1, beta2], eps });
  const x = tensor(examples(), { shape: [training.batch, training.layers[0]!.inputs] });
  const y = tensor(labels());
  const step = compile((inputs: Tensor, classes: Tensor) => {
    optimizer.zeroGrad();
    const loss = net.call(inputs).crossEntropy(classes);
    loss.backward();
    optimizer.step();
    return loss;
  });
  return createTraining(() => scope(async () => Number(await step(x, y).item())));
}

export const engine: Engine = {
  async open(device) {
    // One thread, as the others have: by default there are as many as the processor has cores.
    await init(device === 'cpu' ? { device, threads: 1 } : { device });
  },
  subjects: {
    matmul() {
      const { size } = matmul;
      const [a, b] = [create([size, size], 1), create([size, size], 2)];
      return forward(() => a.matmul(b));
    },
    elementwise() {
      const [a, b] = [create([elementwise.count], 3), create([elementwise.count], 4)];
      return forward(() => a.mul(0.5).add(b).relu().mul(a.sigmoid()));
    },
    softmax() {
      const x = create([softmax.rows, softmax.columns], 5);
      return forward(() => x.softmax(-1));
    },
    convolution() {
      const { batch, channels, side, kernel } = convolution;
      const [x, weight] = [create([batch, channels, side, side], 6), create([channels, channels, kernel, kernel], 7)];
      return forward(() => x.conv2d(weight, null, 1, 1));
    },
    training: trainingStep,
  },
};
