// Loads a network that PyTorch trained, replaces its last layer, and trains that on two classes.
import { init, manualSeed, nn, noGrad, optim, randn, tensor } from 'lanthorn';
import { load } from 'lanthorn/io';

class Block extends nn.Module {
  constructor(width, out, stride) {
    super();
    this.conv1 = new nn.Conv2d(width, out, 3, { stride, padding: 1, bias: false });
    this.bn1 = new nn.BatchNorm2d(out);
    this.conv2 = new nn.Conv2d(out, out, 3, { padding: 1, bias: false });
    this.bn2 = new nn.BatchNorm2d(out);
    this.downsample = new nn.Sequential(new nn.Conv2d(width, out, 1, { stride, bias: false }), new nn.BatchNorm2d(out));
  }

  forward(x) {
    const y = this.bn2.call(this.conv2.call(this.bn1.call(this.conv1.call(x)).relu()));
    return y.add(this.downsample.call(x)).relu();
  }
}

class ResNet extends nn.Module {
  constructor() {
    super();
    this.conv1 = new nn.Conv2d(3, 4, 3, { padding: 1, bias: false });
    this.bn1 = new nn.BatchNorm2d(4);
    this.layer1 = new nn.Sequential(new Block(4, 6, 1), new Block(6, 8, 2));
    this.fc = new nn.Linear(8, 10);
  }

  forward(x) {
    return this.fc.call(this.layer1.call(this.bn1.call(this.conv1.call(x)).relu()).mean([2, 3]));
  }
}

const [path] = process.argv.slice(2);
if (!path) throw new Error('which checkpoint? node fine-tune.mjs resnet.pt, which make_checkpoint.py writes');

await init({ device: 'cpu' });
manualSeed(0);
const model = new ResNet();
model.loadStateDict(await load(path));
console.log(`loaded ${path}`);

// The body stays as it is; the new head has two classes.
model.requiresGrad_(false);
model.fc = new nn.Linear(8, 2);
model.eval();

// Pictures of stripes, upright and lying.
const line = [...Array(16).keys()];
const picture = (isLying) => line.map((row) => line.map((column) => ((isLying ? row : column) % 4 < 2 ? 1 : -1)));
const stripes = Array.from({ length: 32 }, (_, index) => picture(index % 2 === 1));
const x = tensor(stripes).unsqueeze(1).expand(32, 3, 16, 16).add(randn(32, 3, 16, 16).mul(0.1));
const y = tensor(stripes.map((_, index) => index % 2), { dtype: 'int32' });

const optimizer = new optim.Adam(model.fc.parameters(), { lr: 0.1 });
for (let step = 1; step <= 60; step += 1) {
  const loss = model.call(x).crossEntropy(y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  if (step % 20 === 0) console.log(`step ${step}: loss ${(await loss.item()).toFixed(4)}`);
}
const accuracy = await noGrad(() => model.call(x).argmax(1).eq(y).to('float32').mean()).item();
console.log(`accuracy ${accuracy.toFixed(3)}`);
