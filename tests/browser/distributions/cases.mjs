/** `lanthorn/distributions`, in a page and in Node. The classes are printed from Rust. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** The numbers of a value; the file has `inf` and `nan` as texts. */
const numbers = ({ data }) => data.map((number) => Number(String(number).replace('inf', 'Infinity')));

/** A value of the answers as a tensor, and numbers as they are. */
function valueOf({ tensor }, value, options = {}) {
  if (typeof value === 'number') return value;
  const data = Float32Array.from(numbers(value));
  return tensor(data, options).reshape(value.shape);
}

/** The arguments by JavaScript's names. */
function argumentsOf({ lanthorn }, { name, args }) {
  const entries = Object.entries(args).map(([name, value]) => [camel(name), valueOf(lanthorn, value)]);
  const counts = { LKJCholesky: { dim: 3 }, Multinomial: { totalCount: 4 } };
  return { ...counts[name], ...Object.fromEntries(entries) };
}

/** Checks the shape and the numbers of a tensor, which are float32. */
async function checkAnswer(found, wanted, message) {
  equal([...found.shape], wanted.shape, message);
  const data = Array.from(await found.data());
  const want = numbers(wanted).map(Math.fround);
  const differs = (value, index) => !Object.is(value, want[index]) && value !== want[index] && !(Math.abs(value - want[index]) <= 3e-4 * (1 + Math.abs(want[index])));
  equal(data.filter(differs), [], `${message}: ${data} instead of ${want}`);
}

const METHODS = ['log_prob', 'cdf', 'icdf', 'entropy', 'mean', 'mode', 'variance'];

export const cases = {
  'distributions have PyTorch\'s answers': async (given) => {
    const { distributions, golden, lanthorn } = given;
    const units = lanthorn.tensor([0.125, 0.5, 0.75]);
    let compared = 0;
    for (const row of golden.distributions) {
      const distribution = new distributions[row.name](argumentsOf(given, row));
      equal(distribution.name, row.name);
      const value = valueOf(lanthorn, row.value);
      for (const method of METHODS.filter((method) => row[method])) {
        const member = distribution[camel(method)];
        const result = typeof member === 'function' ? member.call(distribution, method === 'icdf' ? units : value) : member;
        await checkAnswer(result, row[method], `${row.name}.${method}`);
        compared++;
      }
    }
    ok(compared > 250, `${compared} answers`);
  },

  'divergences have PyTorch\'s answers': async (given) => {
    const { distributions: { klDivergence, ...classes }, golden } = given;
    const built = golden.distributions.map((row) => new classes[row.name](argumentsOf(given, row)));
    for (const { p, q, value } of golden.divergences) {
      await checkAnswer(klDivergence(built[p], built[q]), value, `${built[p].name}, ${built[q].name}`);
    }
  },

  'transforms have PyTorch\'s answers': async ({ distributions, golden, lanthorn }) => {
    for (const row of golden.transforms) {
      const transform = new distributions[row.name](...row.args);
      const x = valueOf(lanthorn, row.x);
      const y = transform.forward(x);
      await checkAnswer(y, row.y, row.name);
      if (row.log_abs_det_jacobian) await checkAnswer(transform.logAbsDetJacobian(x, y), row.log_abs_det_jacobian, `the Jacobian of ${row.name}`);
    }
  },

  'samples have the shape, the gradient and the moments of the distribution': async ({ distributions: { Beta, Gamma, Normal }, lanthorn: { manualSeed, tensor } }) => {
    manualSeed(1);
    const loc = tensor([0, 10], { requiresGrad: true });
    const normal = new Normal(loc, 2);
    const sample = normal.rsample([4000]);
    equal([...sample.shape], [4000, 2]);
    sample.sum().backward();
    equal(await loc.grad.tolist(), [4000, 4000]);
    close(await sample.mean(0).tolist(), [0, 10], { absolute: 0.2, relative: 0 });
    equal([...normal.sample().shape], [2]);
    equal(normal.sample({ sampleShape: [3] }).requiresGrad, false);
    close(await new Gamma(3, 2).sample([4000]).mean().item(), 1.5, { absolute: 0.1, relative: 0 });
    close(await new Beta(2, 6).sample([4000]).mean().item(), 0.25, { absolute: 0.02, relative: 0 });
  },

  'arguments are given by position or by name': async ({ distributions: { Bernoulli, Normal }, lanthorn: { tensor } }) => {
    close(await new Normal({ loc: 1, scale: 2 }).logProb([1, 3]).tolist(), [-1.6120857, -2.1120857], { absolute: 1e-5, relative: 0 });
    close(await new Bernoulli(0.25).logits.item(), Math.log(1 / 3), { absolute: 1e-6, relative: 0 });
    close(await new Bernoulli({ logits: tensor([0]) }).probs.tolist(), [0.5], { absolute: 1e-6, relative: 0 });
    await refuses(() => new Bernoulli({ probs: 0.5, logits: 0 }), 'argument', /takes exactly one of probs, logits/);
  },

  'wrong arguments are errors at the call': async ({ distributions: { Bernoulli, checkArgs, checkSample, Distribution, klDivergence, Normal }, lanthorn: { tensor } }) => {
    await refuses(() => new Normal(0, -1), 'argument', /Normal: scale must be greater than 0, and is -1/);
    await refuses(() => new Normal('0', 1), 'argument', /Normal: the argument loc takes a tensor, an array of numbers or a number, not a string/);
    await refuses(() => new Normal([0, 1], [1, 1, 1]), 'shape', /Normal: /);
    await refuses(() => new Normal(0, 1).logProb('x'), 'argument', /Normal\.logProb: the argument value takes a tensor or an array of numbers, not a string/);
    await refuses(() => new Normal(0, 1).enumerateSupport(true), 'argument', /Normal\.enumerateSupport is not implemented/);
    await refuses(() => klDivergence(new Normal(0, 1), 3), 'argument', /klDivergence: the argument q takes an object of class Distribution, not a number/);
    await refuses(() => checkArgs(new Normal(0, tensor([1, -1]))), 'argument', /every element of scale must be greater than 0/);
    await refuses(() => checkSample(new Bernoulli(0.5), [0.5]), 'argument', /every element of value must be 0 or 1/);
    await checkArgs(new Normal(0, tensor([1])));
    ok(new Normal(0, 1) instanceof Distribution);
  },

  'intermediate tensors are freed at once': async ({ distributions: { Normal, StudentT }, lanthorn }) => {
    const { memory, tensor } = lanthorn;
    const value = tensor([1, 2, 3]);
    const one = new StudentT(tensor([3, 4, 5]), 0, 1);
    const other = new Normal(tensor([0, 0, 0]), 1);
    one.logProb(value).dispose();
    const before = await settled(memory);
    for (let step = 0; step < 10; step++) {
      one.logProb(value).dispose();
      other.entropy().dispose();
      one.variance.dispose();
    }
    equal(memory().tensors, before);
  },
};
