/**
 * The libraries that are printed from Rust, in Node on the CPU, and in a real browser on WebGPU (in
 * software) and on the CPU. A library has its cases in `libraries/NAME.mjs`, which
 * `libraries/cases.mjs` lists, and may have recorded answers in `tests/golden/NAME.json`. Needs the
 * package built into target/npm.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cases, NAMES } from './libraries/cases.mjs';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';

const fileOf = (name) => new URL(`../golden/${name}.json`, import.meta.url);
const read = async (name) => [name, JSON.parse(await readFile(fileOf(name), 'utf8'))];
const golden = Object.fromEntries(await Promise.all(NAMES.filter((name) => existsSync(fileOf(name))).map(read)));

describeEnvironments({
  cases,
  address: '/tests/libraries/cases.mjs',
  givenInNode: async () => {
    const load = async (name) => [name, await import(`${PACKAGE}/js/${name}/index.js`)];
    const lanthorn = await import(`${PACKAGE}/js/index.js`);
    return { lanthorn, golden, ...Object.fromEntries(await Promise.all(NAMES.map(load))) };
  },
  givenInPage: async ({ golden, names }) => {
    const load = async (name) => [name, await import(`/npm/js/${name}/index.js`)];
    return { golden, ...Object.fromEntries(await Promise.all(names.map(load))) };
  },
  argument: { golden, names: NAMES },
});
