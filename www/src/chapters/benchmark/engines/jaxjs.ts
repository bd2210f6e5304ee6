/** The cases in jax-js, each compiled by `jit`, as its guides show. */
import { type Array as JaxArray, defaultDevice, init, jit, lax, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import { numbers } from '../cases/case';
import { convolution } from '../cases/convolution';
import { elementwise } from '../cases/elementwise';
import { matmul } from '../cases/matmul';
import { softmax } from '../cases/softmax';
import { examples, oneHotLabels, training, weightsOf } from '../cases/training';
import type { Engine, Subject } from './engine';
import { createTraining } from './losses';

const arrayOf = (values: Float32Array<ArrayBuffer>, shape: number[]) => np.array(values).reshape(shape);
const create = (shape: number[], seed: number) => arrayOf(numbers(shape.reduce((one, other) => one * other), seed), shape);

/** A call consumes its arguments, so it receives further references to them (`ref`). */
function forward(compute: (...inputs: JaxArray[]) => JaxArray, ...inputs: JaxArray[]): Subject {
  const compiled = jit(compute);
  const result = () => compiled(...inputs.map((each) => each.ref));
  return {
    run: async () => void (await result().reshape([-1]).slice([0, 1]).data()),
    answer: async () => (await result().data()) as Float32Array,
  };
}

/** The parameters in order, with Adam's averages of each, and the powers of its two decays. */
type State = {
  parameters: JaxArray[];
  means: JaxArray[];
  squares: JaxArray[];
  powers: JaxArray[];
};

function trainingStep(): Subject {
  const x = arrayOf(examples(), [training.batch, training.layers[0]!.inputs]);
  const y = arrayOf(oneHotLabels(), [training.batch, training.classes]);
  const lossOf = (parameters: JaxArray[]) => {
    const scores = training.layers.reduce((hidden, _, layer) => {
      const sums = np.matmul(hidden, parameters[2 * layer]!).add(parameters[2 * layer + 1]!);
      return layer + 1 < training.layers.length ? nn.relu(sums) : sums;
    }, x.ref);
    return np.mean(np.sum(nn.logSoftmax(scores, -1).mul(y.ref), -1)).mul(-1);
  };
  const step = jit((state: State) => {
    const [loss, gradients] = valueAndGrad(lossOf)(tree.ref(state.parameters) as JaxArray[]);
    return [loss, adam(state, gradients as JaxArray[])] as [JaxArray, State];
  });
  let state = beginning();
  return createTraining(async () => {
    const [loss, next] = step(state) as [JaxArray, State];
    state = next;
    return (await loss.data())[0]!;
  });
}

function beginning(): State {
  const parameters = training.layers.flatMap(({ inputs, outputs }, layer) => [arrayOf(weightsOf(layer), [inputs, outputs]), np.zeros([outputs])]);
  const zeros = () => parameters.map(({ shape }) => np.zeros(shape));
  return { parameters, means: zeros(), squares: zeros(), powers: [np.array(1), np.array(1)] };
}

/**
 * A step of Adam, as in the paper of D. Kingma and J. Ba; jax-js has optimizers in another package.
 */
function adam({ parameters, means, squares, powers }: State, gradients: readonly JaxArray[]): State {
  const { lr, beta1, beta2, eps } = training.adam;
  const decays = [beta1, beta2];
  const next: State = { parameters: [], means: [], squares: [], powers: powers.map((power, index) => power.mul(decays[index]!)) };
  const [first, second] = next.powers.map((power) => power.ref.mul(-1).add(1));
  parameters.forEach((parameter, index) => {
    const gradient = gradients[index]!;
    const mean = means[index]!.mul(beta1).add(gradient.ref.mul(1 - beta1));
    const square = squares[index]!.mul(beta2).add(np.square(gradient).mul(1 - beta2));
    const deviation = np.sqrt(square.ref.div(second!.ref)).add(eps);
    next.parameters.push(parameter.sub(mean.ref.div(first!.ref).div(deviation).mul(lr)));
    next.means.push(mean);
    next.squares.push(square);
  });
  first!.dispose();
  second!.dispose();
  return next;
}

export const engine: Engine = {
  async open(device) {
    const backend = device === 'cpu' ? 'wasm' : 'webgpu';
    if (!(await init(backend)).includes(backend)) {
      throw new Error(`jax-js could not start its backend ${backend}`);
    }
    defaultDevice(backend);
  },
  subjects: {
    matmul() {
      const { size } = matmul;
      return forward((a, b) => np.matmul(a!, b!), create([size, size], 1), create([size, size], 2));
    },
    elementwise() {
      const chain = (a: JaxArray, b: JaxArray) => nn.relu(a.ref.mul(0.5).add(b)).mul(nn.sigmoid(a));
      return forward((a, b) => chain(a!, b!), create([elementwise.count], 3), create([elementwise.count], 4));
    },
    softmax: () => forward((x) => nn.softmax(x!, -1), create([softmax.rows, softmax.columns], 5)),
    convolution() {
      const { batch, channels, side, kernel } = convolution;
      const padding: [number, number][] = [[1, 1], [1, 1]];
      return forward(
        (x, weight) => lax.conv(x!, weight!, [1, 1], padding),
        create([batch, channels, side, side], 6), create([channels, channels, kernel, kernel], 7),
      );
    },
    training: trainingStep,
  },
};
