import { compile, nn, optim, type Tensor } from 'lanthorn';

export function createStep(model: nn.Module) {
  const optimizer = new optim.AdamW(model.parameters(), { lr: 1e-3 });
  const criterion = new nn.CrossEntropyLoss();

  function step(x: Tensor, labels: Tensor): Tensor {
    optimizer.zeroGrad();
    const loss = criterion.call(model.call(x), labels);
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { optimizer, criterion, step, compiled: compile(step) };
}
