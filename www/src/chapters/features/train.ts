import { nn, optim, type Tensor } from 'lanthorn';

export class Trunk extends nn.Module {
  conv1 = new nn.Conv2d(1, 8, 3, { padding: 1 });
  norm1 = new nn.BatchNorm2d(8);
  pool = new nn.MaxPool2d(2);
  conv2 = new nn.Conv2d(8, 16, 3, { padding: 1 });
  norm2 = new nn.BatchNorm2d(16);

  // images: [batch, 1, 8, 8], features: [batch, 256]
  forward(images: Tensor): Tensor {
    const maps = this.pool.call(this.norm1.call(this.conv1.call(images)).relu());
    return this.norm2.call(this.conv2.call(maps)).relu().flatten(1);
  }
}

export function createTransfer(lr: number) {
  const trunk = new Trunk();
  const firstHead = new nn.Linear(256, 5); // digits 0 to 4
  const newHead = new nn.Linear(256, 5); // digits 5 to 9
  const scratch = new nn.Sequential(new Trunk(), new nn.Linear(256, 5));

  const lossFunction = new nn.CrossEntropyLoss();
  const optimizers = {
    first: new optim.Adam([...trunk.parameters(), ...firstHead.parameters()], { lr }),
    head: new optim.Adam(newHead.parameters(), { lr }),
    scratch: new optim.Adam(scratch.parameters(), { lr }),
  };

  function step(optimizer: optim.Optimizer, scores: Tensor, labels: Tensor): Tensor {
    optimizer.zeroGrad();
    const loss = lossFunction.call(scores, labels);
    loss.backward();
    optimizer.step();
    return loss;
  }

  // Many images of the digits 0 to 4: trunk and first head learn.
  function trainTrunk(images: Tensor, labels: Tensor): Tensor {
    return step(optimizers.first, firstHead.call(trunk.call(images)), labels);
  }

  // From now on the trunk has no gradients, and its batch norms use fixed statistics.
  function freeze(): void {
    trunk.requiresGrad_(false);
    trunk.eval();
  }

  // A few images of the digits 5 to 9: only the new head learns.
  function trainHead(images: Tensor, labels: Tensor): Tensor {
    return step(optimizers.head, newHead.call(trunk.call(images)), labels);
  }

  // The same images, and a network that has seen nothing before.
  function trainScratch(images: Tensor, labels: Tensor): Tensor {
    return step(optimizers.scratch, scratch.call(images), labels);
  }

  return { trunk, firstHead, newHead, scratch, optimizers, trainTrunk, freeze, trainHead, trainScratch };
}
