// The worker: it trains. An import map holds for pages only, so the worker imports by address.
import { init, manualSeed, nn, optim, randn } from './node_modules/lanthorn/js/index.js';

self.onmessage = async ({ data: { device: wanted, steps } }) => {
  try {
    const { device } = await init({ device: wanted });
    manualSeed(0);
    const x = randn(256, 8);
    const y = x.pow(2).sum(1, true).sqrt();
    const net = new nn.Sequential(new nn.Linear(8, 64), new nn.ReLU(), new nn.Linear(64, 1));
    const optimizer = new optim.Adam(net.parameters(), { lr: 0.01 });
    for (let step = 1; step <= steps; step += 1) {
      const loss = net.call(x).mseLoss(y);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      if (step % 20 === 0) self.postMessage({ device, step, loss: await loss.item(), isLast: step === steps });
    }
  } catch (error) {
    self.postMessage({ error: error.message });
  }
};
