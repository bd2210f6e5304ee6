// A small language model of characters, with a module of one's own: types follow through the
// network.
import { arange, init, LanthornError, manualSeed, nn, optim, scope, tensor, type Tensor } from 'lanthorn';

const TEXT = 'the quick brown fox jumps over the lazy dog. '.repeat(8);
const LETTERS = [...new Set(TEXT)].sort();
const CONTEXT = 16;

class Block extends nn.Module {
  readonly norm = new nn.LayerNorm([32]);
  readonly attention = new nn.MultiheadAttention(32, 4, { batchFirst: true });
  readonly mlp = new nn.Sequential(new nn.Linear(32, 64), new nn.GELU(), new nn.Linear(64, 32));

  override forward(x: Tensor, mask: Tensor): Tensor {
    const y = this.norm.call(x);
    const [attended] = this.attention.call(y, y, y, { attnMask: mask, needWeights: false });
    const sum = x.add(attended);
    return sum.add(this.mlp.call(sum));
  }
}

class Model extends nn.Module {
  readonly token = new nn.Embedding(LETTERS.length, 32);
  readonly position = new nn.Embedding(CONTEXT, 32);
  readonly block = new Block();
  readonly head = new nn.Linear(32, LETTERS.length);

  override forward(ids: Tensor, mask: Tensor): Tensor {
    const length = ids.size(1);
    const x = this.token.call(ids).add(this.position.call(arange(length, { dtype: 'int32' })));
    return this.head.call(this.block.call(x, mask));
  }
}

/** Batches of windows of the text, and of the letter after each letter. */
function batch(size: number, step: number): [Tensor, Tensor] {
  const rows = Array.from({ length: size }, (_, row) => (step * 37 + row * 11) % (TEXT.length - CONTEXT - 1));
  const ids = (shift: number): Tensor => {
    const texts = rows.map((start) => TEXT.slice(start + shift, start + shift + CONTEXT));
    return tensor(texts.map((text) => [...text].map((letter) => LETTERS.indexOf(letter))), { dtype: 'int32' });
  };
  return [ids(0), ids(1)];
}

async function main(): Promise<void> {
  const { device } = await init({ device: 'cpu' });
  manualSeed(1);
  const model = new Model();
  const optimizer = new optim.AdamW(model.parameters(), { lr: 5e-3 });
  // True where attention is not allowed: of letters to come.
  const steps = [...Array(CONTEXT).keys()];
  const mask = tensor(steps.map((row) => steps.map((column) => column > row)));
  let last = Infinity;
  for (let step = 0; step < 120; step += 1) {
    last = await scope(async () => {
      const [x, y] = batch(16, step);
      const loss = model.call(x, mask).reshape(-1, LETTERS.length).crossEntropy(y.reshape(-1));
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      return loss.item();
    });
    if (step % 40 === 0) console.log(`step ${step} on ${device}: ${last.toFixed(3)}`);
  }
  console.log(`last loss ${last.toFixed(3)}`);
  try {
    model.call(tensor([[1.5]]), mask);
  } catch (error) {
    if (error instanceof LanthornError) console.log(`an error of kind ${error.kind}: ${error.message}`);
  }
}

await main();
