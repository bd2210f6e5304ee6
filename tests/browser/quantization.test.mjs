/**
 * `lanthorn/quantization` in Node on the CPU, and in a real browser on WebGPU (in software) and on the CPU,
 * against torchao and PyTorch (`tests/golden/quantization.json`). Needs the package built into target/npm.
 */
import { readFile } from 'node:fs/promises';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';
import { cases } from './quantization/cases.mjs';

const golden = JSON.parse(await readFile(new URL('../golden/quantization.json', import.meta.url), 'utf8'));

describeEnvironments({
  cases,
  address: '/tests/quantization/cases.mjs',
  givenInNode: async () => {
    const [lanthorn, io, quantization] = await Promise.all(['index', 'io/index', 'quantization/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    return { lanthorn, io, quantization, golden };
  },
  givenInPage: async (golden) => {
    const [io, quantization] = await Promise.all([import('/npm/js/io/index.js'), import('/npm/js/quantization/index.js')]);
    return { io, quantization, golden };
  },
  argument: golden,
});
