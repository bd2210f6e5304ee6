import { arange, nn, optim, type Tensor } from 'lanthorn';

export interface Sizes {
  characters: number; // number of different characters
  length: number; // of a text
  width: number; // numbers for each character
  heads: number;
  layers: number;
}

// Each character attends to itself and to those before it.
class CausalAttention extends nn.Module {
  query: nn.Linear;
  key: nn.Linear;
  value: nn.Linear;
  output: nn.Linear;

  constructor(width: number, readonly heads: number) {
    super();
    this.query = new nn.Linear(width, width, { bias: false });
    this.key = new nn.Linear(width, width, { bias: false });
    this.value = new nn.Linear(width, width, { bias: false });
    this.output = new nn.Linear(width, width);
  }

  // The attention of each character to each:
  // [batch, heads, length, length], rows sum to 1
  weights(x: Tensor): Tensor {
    const query = this.split(this.query.call(x));
    const key = this.split(this.key.call(x));
    const scores = query.matmul(key.mT).div(Math.sqrt(query.shape[3]!));
    const index = arange(x.shape[1]!);
    const isLater = index.gt(index.unsqueeze(1));
    return scores.maskedFill(isLater, -Infinity).softmax(-1);
  }

  // x: [batch, length, width]
  forward(x: Tensor): Tensor {
    const value = this.split(this.value.call(x));
    const found = this.weights(x).matmul(value);
    return this.output.call(found.transpose(1, 2).reshape(x.shape));
  }

  // [batch, length, width] to [batch, heads, length, width / heads]
  split(x: Tensor): Tensor {
    const [batch, length, width] = x.shape;
    const shape = [batch!, length!, this.heads, width! / this.heads];
    return x.reshape(shape).transpose(1, 2);
  }
}

class Block extends nn.Module {
  norm1: nn.LayerNorm;
  attention: CausalAttention;
  norm2: nn.LayerNorm;
  mlp: nn.Sequential;

  constructor(width: number, heads: number) {
    super();
    this.norm1 = new nn.LayerNorm(width);
    this.attention = new CausalAttention(width, heads);
    this.norm2 = new nn.LayerNorm(width);
    this.mlp = new nn.Sequential(
      new nn.Linear(width, 4 * width), new nn.GELU(),
      new nn.Linear(4 * width, width),
    );
  }

  forward(x: Tensor): Tensor {
    const y = x.add(this.attention.call(this.norm1.call(x)));
    return y.add(this.mlp.call(this.norm2.call(y)));
  }
}

export class GPT extends nn.Module {
  character: nn.Embedding;
  position: nn.Embedding;
  blocks: Block[];
  norm: nn.LayerNorm;
  head: nn.Linear;

  constructor({ characters, length, width, heads, layers }: Sizes) {
    super();
    this.character = new nn.Embedding(characters, width);
    this.position = new nn.Embedding(length, width);
    const block = () => new Block(width, heads);
    this.blocks = Array.from({ length: layers }, block);
    this.norm = new nn.LayerNorm(width);
    this.head = new nn.Linear(width, characters, { bias: false });
    // Small, so that the blocks matter from the beginning.
    for (const table of [this.character, this.position]) {
      for (const rows of table.parameters()) nn.init.normal_(rows, 0, 0.1);
    }
  }

  // text: [batch, length], character indices
  embed(text: Tensor): Tensor {
    const indices = arange(text.shape[1]!, { dtype: 'int32' });
    const characters = this.character.call(text);
    return characters.add(this.position.call(indices));
  }

  // Logits of the next character at each position:
  // [batch, length, characters]
  forward(text: Tensor): Tensor {
    let x = this.embed(text);
    for (const block of this.blocks) x = block.call(x);
    return this.head.call(this.norm.call(x));
  }

  // The attention of each character, in every block
  attention(text: Tensor): Tensor[] {
    let x = this.embed(text);
    return this.blocks.map((block) => {
      const weights = block.attention.weights(block.norm1.call(x));
      x = block.call(x);
      return weights;
    });
  }
}

// The factor of the learning rate at a step: up in 50 steps, then down along a cosine, to a tenth
// at step 600.
function warmUpThenCosine(step: number): number {
  const done = Math.min(1, Math.max(0, (step - 50) / 550));
  const falling = 0.55 + 0.45 * Math.cos(Math.PI * done);
  return Math.min((step + 1) / 50, falling);
}

export function createGPT(sizes: Sizes, lr: number) {
  const model = new GPT(sizes);
  const parameters = model.parameters();
  const optimizer = new optim.AdamW(parameters, { lr, betas: [0.9, 0.99] });
  const { LambdaLR } = optim.lrScheduler;
  const schedule = new LambdaLR(optimizer, warmUpThenCosine);
  const lossFunction = new nn.CrossEntropyLoss();

  // text: [batch, length]; next: [batch, length], the right characters, or -100 where it does not
  // matter
  function trainStep(text: Tensor, next: Tensor): Tensor {
    optimizer.zeroGrad();
    const guesses = model.call(text).flatten(0, 1);
    const loss = lossFunction.call(guesses, next.flatten());
    loss.backward();
    nn.utils.clipGradNorm_(parameters, 1);
    optimizer.step();
    schedule.step();
    return loss;
  }

  return { model, optimizer, schedule, trainStep };
}
