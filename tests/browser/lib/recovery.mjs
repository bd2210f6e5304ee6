/**
 * A small training whose every step can be checked, and a page's recovery when its device is lost
 * in the middle. Runs in the page.
 */
import { ok } from './expect.mjs';

/**
 * A network with initial numbers written here, so that each device and each run trains the same.
 */
export function createTraining({ nn, optim, tensor }) {
  const wave = (count, pace) => Array.from({ length: count }, (_, index) => Math.sin(pace * (index + 1)));
  const net = new nn.Sequential(new nn.Linear(3, 8), new nn.Tanh(), new nn.Linear(8, 2));
  net.loadStateDict({
    '0.weight': tensor(wave(24, 0.7), { shape: [8, 3] }),
    '0.bias': tensor(wave(8, 1.1)),
    '2.weight': tensor(wave(16, 1.3), { shape: [2, 8] }),
    '2.bias': tensor(wave(2, 1.7)),
  });
  const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
  const [x, y] = [tensor(wave(30, 2.3), { shape: [10, 3] }), tensor(wave(10, 3.1).map((value) => Number(value > 0)), { dtype: 'int32' })];
  const step = () => {
    const loss = net.call(x).crossEntropy(y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss;
  };
  return { net, step };
}

/** The parameters as plain arrays, which do not depend on a device. */
export async function checkpoint(net) {
  const saved = {};
  for (const [name, value] of Object.entries(net.stateDict())) {
    saved[name] = { shape: value.shape, data: await value.data() };
  }
  return saved;
}

/** The losses of `count` steps. */
export async function train({ step }, count) {
  const losses = [];
  for (let time = 0; time < count; time += 1) {
    losses.push(await step().item());
  }
  return losses;
}

/** The rejections that a running training sees when the device is lost. */
export async function trainUntilLost(training) {
  for (let time = 0; time < 100_000; time += 1) {
    const pending = [training.step().item(), training.step().item()];
    const settled = await Promise.allSettled(pending);
    const failed = settled.filter(({ status }) => status === 'rejected');
    if (failed.length > 0) {
      return failed.map(({ reason }) => ({ name: reason.name, kind: reason.kind, message: reason.message }));
    }
  }
  throw new Error('the device was not lost');
}

/** Opens a device again and resumes from a checkpoint. */
export async function recover(lanthorn, saved, device = 'webgpu') {
  const info = await lanthorn.init({ device });
  ok(info.device === device, `recovered on ${info.device}`);
  const training = createTraining(lanthorn);
  training.net.loadStateDict(Object.fromEntries(Object.entries(saved).map(([name, { shape, data }]) => [name, lanthorn.tensor(data, { shape })])));
  return training;
}
