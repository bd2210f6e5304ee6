// Trains a classifier of two spirals on the CPU, saves it, and loads it into another network.
import { rm, writeFile } from 'node:fs/promises';
import { init, manualSeed, nn, noGrad, optim, tensor } from 'lanthorn';
import { load, save } from 'lanthorn/io';

const { device, adapter } = await init({ device: 'cpu' });
console.log(`training on ${device} (${adapter})`);
manualSeed(0);

const points = [];
const labels = [];
for (let index = 0; index < 200; index += 1) {
  const [arm, t] = [index % 2, 0.5 + (index / 200) * 4];
  points.push([t * Math.cos(2 * t + Math.PI * arm) / 5, t * Math.sin(2 * t + Math.PI * arm) / 5]);
  labels.push(arm);
}
const x = tensor(points);
const y = tensor(labels, { dtype: 'int32' });

const network = () => new nn.Sequential(new nn.Linear(2, 64), new nn.Tanh(), new nn.Linear(64, 64), new nn.Tanh(), new nn.Linear(64, 2));
const net = network();
console.log(`${net}`);
const optimizer = new optim.Adam(net.parameters(), { lr: 0.01 });
for (let step = 1; step <= 300; step += 1) {
  const loss = net.call(x).crossEntropy(y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  if (step % 100 === 0) console.log(`step ${step}: loss ${(await loss.item()).toFixed(4)}`);
}

const file = process.argv[2] ?? 'spirals.safetensors';
await writeFile(file, Buffer.from(await (await save(net.stateDict(), { format: 'safetensors' })).arrayBuffer()));
const copy = network();
copy.loadStateDict(await load(file));
const accuracy = await noGrad(() => copy.call(x).argmax(1).eq(y).to('float32').mean()).item();
console.log(`accuracy of the saved network: ${accuracy.toFixed(3)}`);
await rm(file);
