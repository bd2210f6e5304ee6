import { nn, type Tensor } from 'lanthorn';

const { scaledDotProductAttention } = nn.functional;

export class AttentionBlock extends nn.Module {
  norm = new nn.LayerNorm(64);
  query = new nn.Linear(64, 64);
  key = new nn.Linear(64, 64);
  value = new nn.Linear(64, 64);
  project = new nn.Linear(64, 64);
  output = new nn.Linear(64, 10);

  // x: [batch, length, 64]
  forward(x: Tensor): Tensor {
    const y = this.norm.call(x);
    const heads = [this.query, this.key, this.value].map((layer) =>
      layer.call(y).unflatten(2, [4, 16]).transpose(1, 2));
    const [query, key, value] = heads as [Tensor, Tensor, Tensor];
    const found = scaledDotProductAttention(query, key, value);
    const joined = this.project.call(found.transpose(1, 2).flatten(2));
    return this.output.call(x.add(joined).mean(1));
  }
}
