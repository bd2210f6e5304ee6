/**
 * The npm package against PyTorch's recorded answers. The CPU runs all of them. Two threads run one
 * sample of every op and module by rotation, and software WebGPU, which would take minutes, of half
 * of them; without a rotation they run all as well.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BROWSER } from './lib/browser.mjs';
import { hashedPart, rotation } from './lib/rotation.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Kernels of every kind: those that depend on limits. */
const LEAST = ['add', 'cat', 'stack', 'where', 'sum', 'softmax', 'layer_norm', 'matmul', 'conv2d', 'max_pool2d', 'gather', 'scatter*', 'sort', 'cumsum', 'cross_entropy', 'lstm', 'svd'];

/** The least numbers of checks that pass, of all samples and by rotation. */
const IN_CHROMIUM = [
  { where: 'the cpu', device: 'cpu', all: 11_000, isWhole: true },
  { where: 'the cpu with two threads', device: 'cpu', all: 11_000, rotated: 700, flags: ['--threads', '2'] },
  { where: 'webgpu', device: 'webgpu', all: 10_000, rotated: 350, flags: ['--part', hashedPart(2)] },
  { where: 'webgpu with the least limits', device: 'webgpu', all: 500, rotated: 40, flags: ['--least', ...LEAST.flatMap((name) => ['--filter', name])] },
];

/** All browsers have the same core: a part of the answers shows that they run it alike. */
const RUNS = {
  chromium: IN_CHROMIUM,
  firefox: [
    { where: 'the cpu in Firefox', device: 'cpu', all: 150, isWhole: true, flags: ['--every', '60', '--part', hashedPart(2)] },
    { where: 'webgpu in Firefox', device: 'webgpu', all: 40, isWhole: true, flags: ['--every', '240', '--part', hashedPart(4)] },
  ],
  webkit: [{ where: 'the cpu in WebKit', device: 'cpu', all: 150, isWhole: true, flags: ['--every', '60'] }],
};

/** A run of `MANY` checks has parts: the suite kills a file that is silent for six minutes. */
const MANY = 5_000;
const PARTS = 8;

/** The number of checks that pass; a check that fails is thrown. */
async function countPassed(argv) {
  const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: 1 << 26 }).catch((error) => {
    throw new Error(error.stdout + error.stderr || error.message);
  });
  const [, passed] = /^(\d+) passed, 0 failed/m.exec(stdout) ?? assert.fail(stdout);
  return Number(passed);
}

for (const { where, device, all, rotated, isWhole = rotation === undefined, flags = [] } of RUNS[BROWSER]) {
  const least = isWhole ? all : rotated;
  const taken = isWhole ? [] : ['--rotation', String(rotation)];
  const argv = [here('../../pkg-scripts/lib/conformance.mjs'), '--golden', here('../golden'), '--device', device, ...taken, ...flags];
  test(`PyTorch's answers on ${where}`, async (t) => {
    let passed = 0;
    if (least < MANY) passed = await countPassed(argv);
    else {
      for (let part = 1; part <= PARTS; part += 1) {
        await t.test(`part ${part} of ${PARTS}`, async () => {
          passed += await countPassed([...argv, '--part', `${part}/${PARTS}`]);
        });
      }
    }
    assert.ok(passed >= least, `${passed} checks passed, expected ${least}`);
  });
}
