/** Control flow whose functions are compiled once. */
export const CONTROL: Readonly<Record<string, string>> = {
  associativeScan: `// h = a h + b at every step: pairs combine in any grouping.
const xs = { a: tensor([0.5, 0.5, 0.5, 0.5]), b: tensor([1, 2, 4, 8]) };
const states = associativeScan((x, y) => ({ a: x.a.mul(y.a), b: x.b.mul(y.a).add(y.b) }), xs, 0);

console.log(states.b);
`,
  cond: `const x = tensor([1, -2], { requiresGrad: true });
const y = await cond(x.sum().lt(0), (v) => v.neg(), (v) => v.exp(), [x]);
y.sum().backward();

console.log(y);
console.log(x.grad);
`,
  scan: `// A moving average, and all of its values.
const step = (average, x) => {
  const next = average.mul(0.5).add(x.mul(0.5));
  return [next, next];
};
const xs = tensor([4, 8, 2, 6], { requiresGrad: true });
const [last, averages] = scan(step, tensor(0), xs);
last.backward();

console.log(averages);
console.log(xs.grad);
`,
  whileLoop: `// The square root of 2 by Newton's method.
const goesOn = (_, x) => x.square().sub(2).abs().gt(1e-6);
const step = (n, x) => [n.add(1), x.add(x.reciprocal().mul(2)).div(2)];
const [steps, root] = await whileLoop(goesOn, step, [tensor(0), tensor(1)]);

console.log(steps, root);
`,
};
