/**
 * The loop that everyone writes: no scope, no dispose, one read per step. Each model is a function of the
 * package that returns a step, which returns its loss. For pages and Node alike.
 */

/** A residual block of two convolutions. */
const block = (nn) => class extends nn.Module {
  constructor(before, after, stride) {
    super();
    this.conv1 = new nn.Conv2d(before, after, 3, { stride, padding: 1, bias: false });
    this.norm1 = new nn.BatchNorm2d(after);
    this.conv2 = new nn.Conv2d(after, after, 3, { padding: 1, bias: false });
    this.norm2 = new nn.BatchNorm2d(after);
    if (stride > 1) this.down = new nn.Conv2d(before, after, 1, { stride, bias: false });
  }
  forward(x) {
    const y = this.norm2.call(this.conv2.call(this.norm1.call(this.conv1.call(x)).relu()));
    return y.add(this.down ? this.down.call(x) : x).relu();
  }
};

/** A transformer block before its residual sums. */
const layer = ({ nn, scaledDotProductAttention }) => class extends nn.Module {
  constructor(width, heads) {
    super();
    this.heads = heads;
    this.norm1 = new nn.LayerNorm(width);
    this.projection = new nn.Linear(width, 3 * width);
    this.output = new nn.Linear(width, width);
    this.norm2 = new nn.LayerNorm(width);
    this.up = new nn.Linear(width, 4 * width);
    this.down = new nn.Linear(4 * width, width);
  }
  forward(x) {
    const [batch, length, width] = x.shape;
    const [q, k, v] = this.projection.call(this.norm1.call(x)).reshape(batch, length, 3, this.heads, width / this.heads)
      .permute(2, 0, 3, 1, 4).unbind(0);
    const mixed = scaledDotProductAttention(q, k, v, { isCausal: true }).transpose(1, 2).reshape(batch, length, width);
    const y = x.add(this.output.call(mixed));
    return y.add(this.down.call(this.up.call(this.norm2.call(y)).gelu()));
  }
};

/** Training steps of a model on one batch of random data. */
function training({ nn, optim }, forward, parameters, x, y) {
  const optimizer = new optim.Adam(parameters, { lr: 1e-3 });
  const criterion = new nn.CrossEntropyLoss();
  return () => {
    optimizer.zeroGrad();
    const loss = criterion.call(forward(x), y);
    loss.backward();
    optimizer.step();
    return loss;
  };
}

const labels = ({ tensor }, count, classes) => tensor(Array.from({ length: count }, (_, row) => row % classes), { dtype: 'int64' });

export const models = {
  mlp(lanthorn) {
    const { nn, randn } = lanthorn;
    const net = new nn.Sequential(new nn.Linear(784, 128), new nn.ReLU(), new nn.Linear(128, 10));
    return training(lanthorn, (x) => net.call(x.reshape(64, -1).mul(2).sub(1)), net.parameters(), randn(64, 1, 28, 28), labels(lanthorn, 64, 10));
  },
  cnn(lanthorn) {
    const { nn, randn } = lanthorn;
    const [first, second, last] = [new nn.Conv2d(1, 8, 3, { padding: 1 }), new nn.Conv2d(8, 16, 3, { padding: 1 }), new nn.Linear(784, 10)];
    const forward = (x) => {
      const y = first.call(x).relu().maxPool2d(2);
      return last.call(second.call(y).relu().maxPool2d(2).flatten(1));
    };
    const parameters = [first, second, last].flatMap((module) => [...module.parameters()]);
    return training(lanthorn, forward, parameters, randn(32, 1, 28, 28), labels(lanthorn, 32, 10));
  },
  resnet(lanthorn) {
    const { nn, randn } = lanthorn;
    const Block = block(nn);
    const [stem, head] = [new nn.Conv2d(3, 16, 3, { padding: 1 }), new nn.Linear(64, 10)];
    const blocks = [new Block(16, 16, 1), new Block(16, 32, 2), new Block(32, 64, 2)];
    const forward = (x) => head.call(blocks.reduce((y, module) => module.call(y), stem.call(x).relu()).mean([2, 3]));
    const parameters = [stem, ...blocks, head].flatMap((module) => [...module.parameters()]);
    return training(lanthorn, forward, parameters, randn(16, 3, 32, 32), labels(lanthorn, 16, 10));
  },
  gpt(lanthorn) {
    const { nn, arange } = lanthorn;
    const Layer = layer(lanthorn);
    const [tokens, positions, norm, head] = [new nn.Embedding(256, 128), new nn.Embedding(64, 128), new nn.LayerNorm(128), new nn.Linear(128, 256)];
    const layers = [new Layer(128, 4), new Layer(128, 4)];
    const forward = (ids) => {
      const start = tokens.call(ids).add(positions.call(arange(64, { dtype: 'int64' })));
      const last = layers.reduce((y, module) => module.call(y), start);
      return head.call(norm.call(last)).reshape(-1, 256);
    };
    const parameters = [tokens, positions, ...layers, norm, head].flatMap((module) => [...module.parameters()]);
    return training(lanthorn, forward, parameters, labels(lanthorn, 512, 256).reshape(8, 64), labels(lanthorn, 512, 256));
  },
  /** Little work and many bytes: 20 MB of intermediates a step. */
  wide(lanthorn) {
    const { optim, randn } = lanthorn;
    const weight = randn(1024, 1024).requiresGrad_();
    const optimizer = new optim.SGD([weight], { lr: 1e-3 });
    return () => {
      const loss = weight.mul(2).relu().add(1).mul(weight).sub(weight).mean();
      loss.backward();
      optimizer.step();
      optimizer.zeroGrad();
      return loss;
    };
  },
};

/**
 * Runs steps, in a scope each or without. Returns the milliseconds a step (median), and the bytes of live
 * tensors: the most after a step, and those after the last one.
 */
export async function run(lanthorn, step, steps, scoped) {
  const { memory, scope } = lanthorn;
  const times = [];
  let peak = 0;
  for (let index = 0; index < steps; index += 1) {
    const begin = performance.now();
    if (scoped) await scope(async () => step().item());
    else await step().item();
    times.push(performance.now() - begin);
    peak = Math.max(peak, memory().bytes);
  }
  const mean = times.reduce((sum, time) => sum + time, 0) / steps;
  times.sort((a, b) => a - b);
  return { mean, median: times[steps >> 1], peak, bytes: memory().bytes };
}
