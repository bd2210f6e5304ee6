/**
 * The npm package against PyTorch's recorded answers. The CPU runs all of them. Two threads and
 * software WebGPU, which would take minutes, run one sample of every op and module by rotation;
 * without a rotation they run all as well.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BROWSER } from './lib/browser.mjs';
import { rotation } from './lib/rotation.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Kernels of every kind: those that depend on limits. */
const LEAST = ['add', 'cat', 'stack', 'where', 'sum', 'softmax', 'layer_norm', 'matmul', 'conv2d', 'max_pool2d', 'gather', 'scatter*', 'sort', 'cumsum', 'cross_entropy', 'lstm', 'svd'];

/** The least numbers of checks that pass, of all samples and by rotation. */
const IN_CHROMIUM = [
  { where: 'the cpu', device: 'cpu', all: 11_000, isWhole: true },
  { where: 'the cpu with two threads', device: 'cpu', all: 11_000, rotated: 700, flags: ['--threads', '2'] },
  { where: 'webgpu', device: 'webgpu', all: 10_000, rotated: 700 },
  { where: 'webgpu with the least limits', device: 'webgpu', all: 500, rotated: 40, flags: ['--least', ...LEAST.flatMap((name) => ['--filter', name])] },
];

/** All browsers have the same core: a part of the answers shows that they run it alike. */
const RUNS = {
  chromium: IN_CHROMIUM,
  firefox: [
    { where: 'the cpu in Firefox', device: 'cpu', all: 150, isWhole: true, flags: ['--every', '60'] },
    { where: 'webgpu in Firefox', device: 'webgpu', all: 40, isWhole: true, flags: ['--every', '240'] },
  ],
  webkit: [{ where: 'the cpu in WebKit', device: 'cpu', all: 150, isWhole: true, flags: ['--every', '60'] }],
};

for (const { where, device, all, rotated, isWhole = rotation === undefined, flags = [] } of RUNS[BROWSER]) {
  test(`PyTorch's answers on ${where}`, () => {
    const part = isWhole ? [] : ['--rotation', String(rotation)];
    const argv = [here('../../pkg-scripts/lib/conformance.mjs'), '--golden', here('../golden'), '--device', device, ...part, ...flags];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    const [, passed] = /^(\d+) passed, 0 failed/m.exec(stdout);
    const least = isWhole ? all : rotated;
    assert.ok(Number(passed) >= least, `${passed} checks passed, expected ${least}`);
  });
}
