import { nn, type Tensor } from 'lanthorn';

export class ConvNet extends nn.Module {
  conv = new nn.Conv2d(1, 8, 3, { padding: 1 });
  norm = new nn.BatchNorm2d(8);
  pool = new nn.MaxPool2d(2);
  output = new nn.Linear(8 * 4 * 4, 10);

  // x: [batch, 1, 8, 8]
  forward(x: Tensor): Tensor {
    const maps = this.norm.call(this.conv.call(x)).relu();
    return this.output.call(this.pool.call(maps).flatten(1));
  }
}
