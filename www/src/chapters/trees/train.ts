import { cat, nn, optim, stack, tensor, type Tensor } from 'lanthorn';
import type { Tree } from './trees';

export class TreeNet extends nn.Module {
  words: nn.Embedding;
  left: nn.Linear;
  right: nn.Linear;
  gate: nn.Linear;
  output: nn.Linear;

  constructor(vocabulary: number, width: number) {
    super();
    this.words = new nn.Embedding(vocabulary, width);
    this.left = new nn.Linear(width, width);
    this.right = new nn.Linear(width, width, { bias: false });
    this.gate = new nn.Linear(2 * width, width);
    this.output = new nn.Linear(width, 2);
  }

  // The state of a tree, [width]; the states of all its phrases are added to the list.
  state(tree: Tree, states: Tensor[]): Tensor {
    const state = tree.word === undefined ? this.compose(this.state(tree.left, states), this.state(tree.right, states)) : this.words.weight.at(tree.word);
    states.push(state);
    return state;
  }

  // Two phrases become one: a new state, and a gate that keeps a share of the right one.
  compose(left: Tensor, right: Tensor): Tensor {
    const fresh = this.left.call(left).add(this.right.call(right)).tanh();
    const kept = this.gate.call(cat([left, right])).sigmoid();
    return kept.mul(right).add(kept.neg().add(1).mul(fresh));
  }

  // The scores of bad and good for each phrase, [phrases, 2].
  forward(trees: Tree[]): Tensor {
    const states: Tensor[] = [];
    trees.forEach((tree) => this.state(tree, states));
    return this.output.call(stack(states));
  }
}

export function createTreeNet(vocabulary: number, width: number, lr: number) {
  const model = new TreeNet(vocabulary, width);
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const lossFunction = new nn.CrossEntropyLoss({ ignoreIndex: -1 });

  // labels: one per phrase in the order of the recursion, 1 for good, 0 for bad, -1 for neither
  function trainStep(trees: Tree[], labels: number[]): Tensor {
    optimizer.zeroGrad();
    const loss = lossFunction.call(model.call(trees), tensor(Int32Array.from(labels), { dtype: 'int32' }));
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}
