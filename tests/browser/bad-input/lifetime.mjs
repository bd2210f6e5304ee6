/** Use after disposal. */
import { equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'use after dispose': async ({ tensor, ones, nn, cat, optim, grad }) => {
    const gone = tensor([1, 2]);
    gone.dispose();
    const x = ones(2);
    for (const use of [
      () => gone.add(1), () => x.add(gone), () => gone.add_(1), () => gone.data(), () => gone.item(), () => gone.tolist(), () => gone.shape, () => gone.dtype,
      () => gone.backward(), () => gone.detach(), () => gone.requiresGrad_(), () => gone.grad, () => x.copy_(gone), () => cat([x, gone]),
      () => new nn.ReLU().call(gone), () => new optim.SGD([gone]), () => grad([x], [gone]), () => gone.registerHook(() => {}),
    ]) {
      await refuses(use, 'disposed', /dispose/);
    }
  },

  'dispose twice': async ({ tensor, memory }) => {
    const [gone, other] = [tensor([1]), tensor([2])];
    gone.dispose();
    const { tensors } = memory();
    gone.dispose();
    gone[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
    equal(memory().tensors, tensors, 'nothing else was let go of');
    equal(await other.data(), [2]);
  },

  'a module that was disposed of': async ({ nn, ones }) => {
    const net = new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU());
    net.dispose();
    net.dispose();
    await refuses(() => net.call(ones(1, 2)), 'disposed', /module|dispose/);
  },

  'an optimizer that was disposed of': async ({ nn, optim, ones }) => {
    const net = new nn.Linear(2, 2);
    const optimizer = new optim.SGD(net.parameters(), { lr: 1 });
    optimizer.dispose();
    optimizer.dispose();
    await refuses(() => optimizer.step(), 'disposed', /optimizer/);
    await refuses(() => optimizer.zeroGrad(), 'disposed', /optimizer/);
    await refuses(() => optimizer.lr, 'disposed', /optimizer/);
    equal(net.call(ones(1, 2)).shape, [1, 2], 'its parameters live');
  },

  'what an optimizer still holds': async ({ tensor, optim }) => {
    const x = tensor([1], { requiresGrad: true });
    const optimizer = new optim.SGD([x], { lr: 1 });
    x.sum().backward();
    x.dispose();
    optimizer.step();
    ok(x.isDisposed, 'a step over a parameter that the page let go of does no harm');
  },
};
