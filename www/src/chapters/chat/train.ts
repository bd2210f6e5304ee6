import { compile, nn, ones, optim, rand, type Tensor } from 'lanthorn';
import { CausalLM, readConfig, type Weights } from 'lanthorn/models';

export interface Sizes {
  width: number; // numbers for each byte of text
  layers: number;
  context: number; // bytes that it sees at once
}

// Matrices begin with random numbers from -0.04 to 0.04, and norms with 1
const initialize: Weights = (_, shape) => {
  const isNorm = shape.length === 1;
  return isNorm ? ones([...shape]) : rand([...shape]).sub(0.5).mul(0.08);
};

// A small Llama. It reads a text byte by byte, and predicts the next byte.
export function createModel({ width, layers, context }: Sizes): CausalLM {
  const config = readConfig({
    model_type: 'llama',
    vocab_size: 256,
    hidden_size: width,
    intermediate_size: 3 * width,
    num_hidden_layers: layers,
    num_attention_heads: width / 32,
    max_position_embeddings: context,
  });
  return new CausalLM(config, initialize);
}

// The cross entropy of the next byte, for bytes: [batch, context + 1]
export function lossOf(model: CausalLM, bytes: Tensor): Tensor {
  const context = bytes.shape[1]! - 1;
  const logits = model.call(bytes.narrow(1, 0, context));
  const next = bytes.narrow(1, 1, context);
  return logits.flatten(0, 1).crossEntropy(next.flatten());
}

export function createTraining(model: CausalLM, lr: number) {
  const parameters = model.parameters();
  const optimizer = new optim.AdamW(parameters, { lr, betas: [0.9, 0.99] });

  // Recorded at its first call, and replayed from then on
  const trainStep = compile((bytes: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = lossOf(model, bytes);
    loss.backward();
    nn.utils.clipGradNorm_(parameters, 1);
    optimizer.step();
    return loss;
  });

  return { optimizer, trainStep };
}
