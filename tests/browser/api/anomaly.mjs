/** The search for the operation that makes the first NaN. */
import { equal, firstFrame, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'the operation that makes the first NaN is named': async ({ autograd, nn, tensor, scope, memory }) => {
    const x = tensor([1, -1], { requiresGrad: true });
    const step = () => scope(() => x.mul(2).log().exp().sum().backward());
    const named = /^log: the result of shape \[2\] has a NaN/;
    const forward = await refuses(() => autograd.detectAnomaly(step), 'autograd', named);
    ok(forward.stack.includes('anomaly.mjs'), forward.stack);
    // The derivative of a root at 0 is infinite, and 0 times that is not a number.
    const zero = tensor([0, 1], { requiresGrad: true });
    await refuses(() => autograd.detectAnomaly(async () => zero.mul(1).sqrt().mul(0).sum().backward()), 'autograd',
      /^sqrt: its derivative gives a NaN/);
    await refuses(() => autograd.detectAnomaly(() => zero.sqrt().mul(0).sum().backward()), 'autograd', /^sqrt: /);
    const layer = new nn.Linear(2, 1);
    await refuses(() => autograd.detectAnomaly(() => layer.call(tensor([[NaN, 1]]))), 'autograd',
      /^Linear: the result/);
    zero.grad = null;
    const count = memory().tensors;
    const value = () => scope(async () => zero.add(1).log().sum().item());
    equal(await autograd.detectAnomaly(value), await value());
    ok(memory().tensors <= count, 'nothing is left');
    await refuses(() => autograd.detectAnomaly(3), 'argument', /^detectAnomaly/);
    const failure = new Error('of the user');
    ok((await autograd.detectAnomaly(() => { throw failure; }).catch((error) => error)) === failure,
      "the user's error arrives");
  },

  'work that fails on the device has the stack of the call that recorded it': async ({ autograd, tensor, scope }) => {
    const table = tensor([[1, 2], [3, 4]]);
    // WebKit leaves out the frame of a function that ends in a call.
    const recordHere = () => {
      const rows = table.indexSelect(0, tensor([0, 7], { dtype: 'int32' }));
      return rows;
    };
    const use = () => recordHere().mul(2).sum();
    const named = /^indexSelect: .*out of range/;
    const plain = await refuses(() => use().item(), 'index', named);
    ok(!plain.stack.includes('recordHere'), plain.stack);
    for (const step of [() => scope(() => { use(); }), () => scope(() => use().item())]) {
      const error = await refuses(() => autograd.detectAnomaly(step), 'index', named);
      ok(/recordHere/.test(firstFrame(error.stack)), error.stack);
    }
  },

  'steps in a training with a learning rate beyond all bounds are told where they fail': async ({ autograd, nn, optim,
    tensor, manualSeed }) => {
    manualSeed(1);
    const net = new nn.Sequential(new nn.Linear(2, 4), new nn.Tanh(), new nn.Linear(4, 1));
    const optimizer = new optim.SGD(net.parameters(), { lr: 1e30 });
    const step = () => {
      const loss = net.call(tensor([[0, 1], [1, 0]])).sub(3).pow(2).mean();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
    };
    let error;
    let count = 0;
    for (; count < 6 && !error; count += 1) await autograd.detectAnomaly(step).catch((thrown) => { error = thrown; });
    ok(count > 1 && error?.kind === 'autograd', `after ${count} steps: ${error}`);
  },
};
