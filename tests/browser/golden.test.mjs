/**
 * The npm package against PyTorch's recorded answers: all of them on the CPU; samples of them on two threads, and on
 * software WebGPU, where all would take minutes. `pkg-scripts/conformance` compares all of them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Kernels of every kind: those that depend on limits. */
const LEAST = ['add', 'cat', 'stack', 'where', 'sum', 'softmax', 'layer_norm', 'matmul', 'conv2d', 'max_pool2d', 'gather', 'scatter*', 'sort', 'cumsum', 'cross_entropy', 'lstm', 'svd'];

const RUNS = [
  { where: 'cpu', device: 'cpu', every: 1, least: 11_000 },
  { where: 'cpu with two threads', device: 'cpu', every: 4, least: 2_700, flags: ['--threads', '2'] },
  { where: 'webgpu', device: 'webgpu', every: 40, least: 260 },
  { where: 'webgpu with the least limits', device: 'webgpu', every: 16, least: 50, flags: ['--least', ...LEAST.flatMap((name) => ['--filter', name])] },
];

for (const { where, device, every, least, flags = [] } of RUNS) {
  test(`${every === 1 ? 'every answer' : `one answer in ${every}`} on ${where}`, () => {
    const argv = [here('../../pkg-scripts/lib/conformance.mjs'), '--golden', here('../golden'), '--device', device, '--every', String(every), ...flags];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    const [, passed] = /^(\d+) passed, 0 failed/m.exec(stdout);
    assert.ok(Number(passed) >= least, `${passed} checks passed, expected ${least}`);
  });
}
