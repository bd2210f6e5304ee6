/**
 * `lanthorn/train` in Node on the CPU, and in a real browser on WebGPU (in software) and on the
 * CPU.
 * Needs the package built into target/npm.
 */
import { cases } from './libraries/train.mjs';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';

describeEnvironments({
  cases,
  address: '/tests/libraries/train.mjs',
  givenInNode: async () => {
    const [lanthorn, data, train] = await Promise.all(['index', 'data/index', 'train/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    return { lanthorn, data, train };
  },
  givenInPage: async () => ({ data: await import('/npm/js/data/index.js'), train: await import('/npm/js/train/index.js') }),
});
