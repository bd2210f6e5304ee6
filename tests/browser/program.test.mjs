/**
 * `lanthorn/program` in Node on the CPU, and in a real browser on WebGPU (in software) and on the CPU,
 * with files written by PyTorch. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';
import { cases } from './program/cases.mjs';

const MODELS = fileURLToPath(new URL('../models', import.meta.url));

describeEnvironments({
  cases,
  misses: {
    firefox: { webgpu: { "pointnet/train.pt2 gives PyTorch's values": 'a gradient of 0 is 2e-6 by rounding, where 1e-6 is allowed' } },
  },
  address: '/tests/program/cases.mjs',
  givenInNode: async () => {
    const [lanthorn, io, program] = await Promise.all(['index', 'io/index', 'program/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    return { lanthorn, io, program, read: (path) => readFile(`${MODELS}/${path}`) };
  },
  givenInPage: async () => ({
    io: await import('/npm/js/io/index.js'),
    program: await import('/npm/js/program/index.js'),
    read: async (path) => (await fetch(`/models/${path}`)).arrayBuffer(),
  }),
});

test('a planned call of a small model enters the core three times', () => {
  const run = fileURLToPath(new URL('../bench/programs/run.mjs', import.meta.url));
  const counts = JSON.parse(execFileSync(process.execPath, [run, '--count'], { encoding: 'utf8' }));
  assert.deepEqual([counts.wakeWord[0], counts.denoiser[0]], [3, 3]);
  assert.ok(counts.voice[0] <= 24, `a detector with a branch enters the core ${counts.voice[0]} times`);
});
