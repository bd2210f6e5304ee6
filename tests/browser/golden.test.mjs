/**
 * The npm package against PyTorch's recorded answers: all of them on the CPU, a sample of them on
 * software WebGPU, where all would take minutes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

for (const { device, every, least } of [{ device: 'cpu', every: 1, least: 11_000 }, { device: 'webgpu', every: 8, least: 1_300 }]) {
  test(`${every === 1 ? 'every answer' : `one answer in ${every}`} on ${device}`, () => {
    const argv = [here('../../pkg-scripts/lib/conformance.mjs'), '--golden', here('../golden'), '--device', device, '--every', String(every)];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    const [, passed] = /^(\d+) passed, 0 failed/m.exec(stdout);
    assert.ok(Number(passed) >= least, `${passed} checks passed, expected ${least}`);
  });
}
