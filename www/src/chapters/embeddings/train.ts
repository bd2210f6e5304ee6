import { nn, optim, type Tensor } from 'lanthorn';

export class SkipGram extends nn.Module {
  words: nn.Embedding;
  contexts: nn.Embedding;

  constructor(vocabulary: number, dimension: number) {
    super();
    this.words = new nn.Embedding(vocabulary, dimension);
    this.contexts = new nn.Embedding(vocabulary, dimension);
  }

  // centers: [batch], contexts: [batch, 1 + negatives], of which the first stood beside the word
  forward(centers: Tensor, contexts: Tensor): Tensor {
    const words = this.words.call(centers).unsqueeze(2);
    return this.contexts.call(contexts).bmm(words).squeeze(2);
  }
}

export function createSkipGram(vocabulary: number, dimension: number, lr: number) {
  const model = new SkipGram(vocabulary, dimension);
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const lossFunction = new nn.BCEWithLogitsLoss();

  // targets: [batch, 1 + negatives], 1 for the word that stood there and 0 for those that did not
  function trainStep(centers: Tensor, contexts: Tensor, targets: Tensor): Tensor {
    optimizer.zeroGrad();
    const loss = lossFunction.call(model.call(centers, contexts), targets);
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}
