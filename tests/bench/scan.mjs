/**
 * The first and the second call of scans on the CPU with one thread, each in a separate process:
 * a recurrent network with its gradients, by `scan` and by a loop, and an associative scan.
 *
 *   ./pkg-scripts/build-npm && node tests/bench/scan.mjs
 *
 * Prints milliseconds. The first call contains the compilation.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { associativeScan, init, manualSeed, nn, rand, randn, scan, scope, stack, zeros } from '../../target/npm/js/index.js';

const recurrent = (steps, isScanned) => {
  const cell = new nn.RNNCell(16, 64);
  const xs = randn(steps, 4, 16);
  const step = (h, x) => {
    const next = cell.call(x, h);
    return [next, next];
  };
  const runLoop = () => {
    let h = zeros(4, 64);
    return stack(Array.from({ length: steps }, (_, t) => { h = cell.call(xs.select(0, t), h); return h; }));
  };
  return async () => {
    cell.zeroGrad();
    (isScanned ? scan(step, zeros(4, 64), xs)[1] : runLoop()).square().mean().backward();
    await cell.weightHh.grad.data();
  };
};

const layer = (steps) => {
  const [a, b] = [rand(steps, 64).requiresGrad_(true), randn(steps, 64).requiresGrad_(true)];
  return async () => {
    a.grad = null;
    const then = (x, y) => [x[0].mul(y[0]), x[1].mul(y[0]).add(y[1])];
    associativeScan(then, [a, b], 0)[1].square().mean().backward();
    await a.grad.data();
  };
};

const CASES = {
  'scan, 10 steps': () => recurrent(10, true),
  'scan, 1,000 steps': () => recurrent(1000, true),
  'loop, 10 steps': () => recurrent(10, false),
  'loop, 1,000 steps': () => recurrent(1000, false),
  'associative scan of 4,096': () => layer(4096),
};

const [, , name] = process.argv;
if (name === undefined) {
  console.log('case | first call | second call');
  for (const each of Object.keys(CASES)) process.stdout.write(execFileSync(process.execPath, [fileURLToPath(import.meta.url), each]));
} else {
  await init({ device: 'cpu', threads: 1 });
  manualSeed(0);
  const run = CASES[name]();
  const times = [];
  for (let call = 0; call < 3; call += 1) {
    const begin = performance.now();
    await scope(run);
    times.push(performance.now() - begin);
  }
  console.log(`${name} | ${times[0].toFixed(1)} | ${Math.min(...times.slice(1)).toFixed(1)}`);
}
process.exit(0);
