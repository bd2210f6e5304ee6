/** A worker that trains on the CPU in one loop, and answers each message. */
import { L } from './package.mjs';

await L.init({ device: 'cpu' });
let steps = 0;
self.onmessage = ({ data }) => self.postMessage({ answers: data, steps });
const net = new L.nn.Sequential(new L.nn.Linear(64, 64), new L.nn.ReLU(), new L.nn.Linear(64, 10));
const optimizer = new L.optim.Adam(net.parameters());
const [x, y] = [L.randn(64, 64), L.randint(0, 10, [64])];
self.postMessage('begins');
for (;;) {
  await L.scope(async () => {
    const loss = L.nn.functional.crossEntropy(net.call(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    await loss.item();
  });
  steps += 1;
}
