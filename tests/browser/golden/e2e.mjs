/**
 * Runs whole trainings through the package's public API: models, batches, optimizer and loss as in
 * PyTorch, for thirty steps. Runs in the page.
 *
 * The same checks as the native runner's (crates/conformance/src/golden/e2e.rs): the losses, the
 * final state, and the final model's output for the first batch.
 */
import { build, Loader, readFile } from './file.mjs';
import { optionsOf } from './optim.mjs';
import { differs } from './tolerance.mjs';

/** The models that are not a `Sequential`, written as user code. */
const MODELS = {
  GPT: ({ nn, arange, ones }, { V: words, T: indices, d: width, h: heads, L: depth }) => {
    class Block extends nn.Module {
      ln1 = new nn.LayerNorm([width]);
      qkv = new nn.Linear(width, 3 * width);
      proj = new nn.Linear(width, width);
      ln2 = new nn.LayerNorm([width]);
      fc = new nn.Linear(width, 4 * width);
      out = new nn.Linear(4 * width, width);

      forward(x) {
        const [batch, time] = x.shape;
        const size = width / heads;
        const qkv = this.qkv.call(this.ln1.call(x));
        const [q, k, v] = [0, 1, 2].map((part) => qkv.narrow(2, part * width, width).reshape([batch, time, heads, size]).transpose(1, 2));
        const later = ones([time, time]).triu(1).ne(0);
        const scores = q.matmul(k.transpose(-2, -1)).mul(1 / Math.sqrt(size)).maskedFill(later, -Infinity);
        const merged = scores.softmax(-1).matmul(v).transpose(1, 2).reshape([batch, time, width]);
        const attended = x.add(this.proj.call(merged));
        return attended.add(this.out.call(this.fc.call(this.ln2.call(attended)).gelu({ approximate: 'tanh' })));
      }
    }
    return new (class extends nn.Module {
      tok = new nn.Embedding(words, width);
      pos = new nn.Embedding(indices, width);
      lnf = new nn.LayerNorm([width]);
      blocks = Array.from({ length: depth }, () => new Block());

      forward(tokens) {
        const x = this.tok.call(tokens).add(this.pos.call(arange(tokens.shape[1])));
        return this.lnf.call(this.blocks.reduce((value, block) => block.call(value), x)).matmul(this.tok.weight.t());
      }
    })();
  },

  RNNClassifier: ({ nn }, { kind, input, hidden, out }) => new (class extends nn.Module {
    rnn = new nn[kind](input, hidden, { batchFirst: true });
    head = new nn.Linear(hidden, out);

    forward(x) {
      const [states] = this.rnn.call(x);
      return this.head.call(states.select(1, -1));
    }
  })(),

  ResNetTiny: ({ nn }) => new (class extends nn.Module {
    c1 = new nn.Conv2d(3, 8, 3, { stride: 2, padding: 1, bias: false });
    c2 = new nn.Conv2d(8, 8, 3, { padding: 1, bias: false });
    c3 = new nn.Conv2d(8, 8, 3, { padding: 1, bias: false });
    bn1 = new nn.BatchNorm2d(8);
    bn2 = new nn.BatchNorm2d(8);
    bn3 = new nn.BatchNorm2d(8);
    fc = new nn.Linear(8, 4);

    forward(image) {
      const x = this.bn1.call(this.c1.call(image)).relu();
      const inner = this.bn2.call(this.c2.call(x)).relu();
      return this.fc.call(x.add(this.bn3.call(this.c3.call(inner))).relu().mean([2, 3]));
    }
  })(),
};

const LOSSES = {
  cross_entropy: (output, target) => output.crossEntropy(target),
  cross_entropy_flat: (output, target) => output.reshape([-1, output.shape.at(-1)]).crossEntropy(target.reshape(-1)),
  mse_loss: (output, target) => output.mseLoss(target),
};

function create(lanthorn, { type, layers, config }, loader) {
  if (type === 'Sequential') return new lanthorn.nn.Sequential(...layers.map(([name, args, kwargs]) => build(lanthorn, name, args, Object.entries(kwargs), null, loader)));
  if (!MODELS[type]) throw new Error(`there is no model ${type}`);
  return MODELS[type](lanthorn, config);
}

/**
 * PyTorch's tolerance and four times its own error; on a device also the units in the last place of
 * a sum of products, for rounding that accumulates over thirty steps.
 */
const allowed = (error, strict) => ({ atol: Math.max(strict ? 1e-5 : 4e-5, 4 * error), rtol: Math.max(1.3e-6, strict ? 0 : 512 * 2 ** -24) });

/** The results of a training, on the host. */
async function train(lanthorn, { document, tensors }) {
  const loader = new Loader(lanthorn, { tensors }, 'float32');
  const model = create(lanthorn, document.model, loader);
  const given = Object.fromEntries(Object.entries(document.state).map(([name, { ref }]) => [name, loader.tensor(ref)]));
  const { missingKeys } = model.loadStateDict(given, { strict: false });
  if (missingKeys.length > 0) throw new Error(`there is no ${missingKeys} in the state`);
  const parameters = model.parameters();
  const optimizer = new lanthorn.optim[document.optimizer](parameters, optionsOf(document.kwargs, loader));
  const losses = [];
  for (const [step, [x, y]] of document.batches.entries()) {
    if (document.lrs) optimizer.lr = document.lrs[step];
    losses.push(await lanthorn.scope(async () => {
      optimizer.zeroGrad();
      const loss = LOSSES[document.loss](model.call(loader.value(x)), loader.value(y));
      loss.backward();
      if (document.clip_grad_norm) lanthorn.nn.utils.clipGradNorm_(parameters, document.clip_grad_norm);
      optimizer.step();
      return loss.item();
    }));
  }
  const state = {};
  for (const [name, tensor] of Object.entries(model.stateDict())) state[name] = await tensor.data();
  const evaluated = lanthorn.noGrad(() => model.eval().call(loader.value(document.batches[0][0])));
  return { losses, state, evaluated: await evaluated.data() };
}

/** One file: its checks, each `{ sample, aspect, outcome, reason }`. */
export async function checkTraining({ base, name, strict }) {
  const file = await readFile(base, name);
  const { document, tensors } = file;
  const [checks, hold] = [[], (got, want, error, what = '') => {
    const why = differs(got, want, allowed(error, strict));
    if (why) throw new Error(what + why);
  }];
  let trained;
  const add = async (sample, aspect, check) => {
    try {
      await check();
      checks.push({ sample, aspect, outcome: 'passed' });
    } catch (error) {
      checks.push({ sample, aspect, outcome: 'failed', reason: error?.message ?? String(error) });
    }
  };
  await add(0, 'value', async () => {
    trained = await window.lanthorn.scope(() => train(window.lanthorn, file));
    hold(trained.losses, document.losses, document.f32_loss_err);
  });
  await add(0, 'state', () => {
    for (const [key, { ref }] of Object.entries(document.final_state)) {
      if (document.noisy_weights.includes(key)) continue;
      if (!trained.state[key]) throw new Error(`the model has no ${key}`);
      hold(trained.state[key], tensors[ref].values, document.f32_weight_err, `${key}: `);
    }
  });
  await add(1, 'value', () => hold(trained.evaluated, tensors[document.eval_out.ref].values, document.f32_eval_err));
  return checks;
}
