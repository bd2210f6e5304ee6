import { nn, type Tensor } from 'lanthorn';

export class Mlp extends nn.Module {
  hidden = new nn.Linear(64, 128);
  output = new nn.Linear(128, 10);

  // x: [batch, 64]
  forward(x: Tensor): Tensor {
    return this.output.call(this.hidden.call(x).relu());
  }
}
