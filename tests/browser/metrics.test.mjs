/**
 * `lanthorn/metrics` and `lanthorn/einops` in Node on the CPU, and in a real browser on WebGPU (in
 * software) and on the CPU, against torchmetrics (`tests/golden/metrics.json`) and einops
 * (`einops.json`). Needs the package built into target/npm.
 */
import { readFile } from 'node:fs/promises';
import { cases as patterns } from './libraries/einops.mjs';
import { cases as metrics } from './libraries/metrics.mjs';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';

const read = async (name) => JSON.parse(await readFile(new URL(`../golden/${name}.json`, import.meta.url), 'utf8'));
const golden = { metricsGolden: await read('metrics'), einopsGolden: await read('einops') };

for (const [name, cases] of Object.entries({ metrics, einops: patterns })) {
  describeEnvironments({
    cases,
    address: `/tests/libraries/${name}.mjs`,
    givenInNode: async () => {
      const names = ['index', 'metrics/index', 'einops/index'];
      const [lanthorn, metrics, einops] = await Promise.all(names.map((module) => import(`${PACKAGE}/js/${module}.js`)));
      return { lanthorn, metrics, einops, ...golden };
    },
    givenInPage: async (golden) => {
      const [metrics, einops] = await Promise.all([import('/npm/js/metrics/index.js'), import('/npm/js/einops/index.js')]);
      return { metrics, einops, ...golden };
    },
    argument: golden,
  });
}
