// A layer of a state-space model, as S4D (A. Gu et al., 2022), learns the response of a damped
// oscillator. All steps of a sequence are computed at once by associativeScan.
import { arange, associativeScan, init, manualSeed, nn, noGrad, optim, rand, randn, tensor, zeros } from 'lanthorn';

await init({ device: 'cpu' });
manualSeed(0);

/** The product of two complex numbers, each a real and an imaginary part. */
const times = ([a, b], [c, d]) => [a.mul(c).sub(b.mul(d)), a.mul(d).add(b.mul(c))];

/**
 * The states h = a h + b at every step. An element is a pair (a, b): a step, or several steps as
 * one.
 */
function states(a, b) {
  const then = (first, second) => {
    const [re, im] = times(second.a, first.b);
    return { a: times(second.a, first.a), b: [re.add(second.b[0]), im.add(second.b[1])] };
  };
  return associativeScan(then, { a, b }, 0).b;
}

/** A signal through states with decays and frequencies of their own. */
class StateSpace extends nn.Module {
  constructor(count) {
    super();
    this.logDecay = nn.parameter(zeros(count).sub(2.5));
    this.frequency = nn.parameter(arange(count).mul(0.15));
    this.output = nn.parameter(randn(2, count).mul(0.2));
    this.direct = nn.parameter(zeros(1));
  }

  /** From [length, batch] to [length, batch]. */
  forward(u) {
    const size = this.logDecay.exp().neg().exp();
    const step = [size.mul(this.frequency.cos()), size.mul(this.frequency.sin())];
    const [length, batch] = u.shape;
    const a = step.map((part) => part.expand(length, 1, -1));
    const input = u.unsqueeze(2).expand(length, batch, size.shape[0]);
    const [re, im] = states(a, [input, input.mul(0)]);
    const seen = re.mul(this.output.select(0, 0)).sub(im.mul(this.output.select(0, 1)));
    return seen.sum(2).add(u.mul(this.direct));
  }
}

/** The response of the oscillator, step by step. */
async function respond(signals) {
  const rows = await signals.tolist();
  const decay = 0.95;
  let [re, im] = [rows[0].map(() => 0), rows[0].map(() => 0)];
  return rows.map((row) => {
    const [c, s] = [decay * Math.cos(0.4), decay * Math.sin(0.4)];
    const next = row.map((x, i) => [c * re[i] - s * im[i] + x, c * im[i] + s * re[i]]);
    [re, im] = [next.map(([value]) => value), next.map(([, value]) => value)];
    return im.map((value) => 0.5 * value);
  });
}

const u = rand(128, 4).sub(0.5);
const wanted = tensor(await respond(u));
const layer = new StateSpace(8);
const optimizer = new optim.Adam(layer.parameters(), { lr: 0.05 });
const power = await wanted.square().mean().item();
for (let step = 0; step <= 40; step += 1) {
  const loss = layer.call(u).sub(wanted).square().mean();
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  if (step % 20 === 0) console.log(`step ${step}: error ${((await loss.item()) / power).toFixed(4)}`);
}

// Another signal, four times as long.
const longer = rand(512, 4).sub(0.5);
const target = tensor(await respond(longer));
const error = await noGrad(() => layer.call(longer).sub(target).square().mean()).item();
console.log(`error on longer signals: ${(error / (await target.square().mean().item())).toFixed(4)}`);
