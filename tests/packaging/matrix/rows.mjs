/**
 * Where the package runs: one row for each bundler, runtime and kind of page. A row is a project
 * with only the files that a user of that tool writes:
 *
 * - `tools`: the packages it needs, with their versions;
 * - `files`: its files, by name;
 * - `build`: a command that must succeed without warnings;
 * - and then one of: `serves`, the built folder with a page that trains, and optionally the
 *   `headers` of its server; `server`, the command of a server with such a page, which has the text
 *   `renders` before any script runs; `prints`, the devices that `run` prints results of.
 *
 * `sample` rows belong to the test suite, the others to pkg-scripts/matrix. `targets` names what
 * trains in a page; the default is the page itself and a worker. Rows with
 * `hasProfile` run in a browser that stores in a folder.
 */
import { PAGE, TRAINING } from '../lib/programs.mjs';
import { NEXT, NEXT_RENDERS } from './next.mjs';
import { AT_ANOTHER_ORIGIN, POLICY, STRICT } from './pages.mjs';
import { WORKERS } from './workers.mjs';

const ESBUILD = { esbuild: '0.28.2' };
const VITE = { 6: '6.4.6', 7: '7.3.8', 8: '8.3.8' };

/** The command of esbuild for a page and its workers; it prints nothing but warnings. */
const esbuild = (...args) => ['esbuild', 'main.js', 'worker.js', ...args, '--bundle', '--format=esm', '--outdir=dist', '--log-level=warning'];

/** A page whose bundler writes main.js and worker.js into dist. */
const BUNDLED = { ...PAGE, 'dist/index.html': PAGE['index.html'] };

/** The modules as files that the bundler copies, where importing a file returns its URL. */
const BY_URL = {
  'steps.js': TRAINING,
  'training.js': `
import { initIo } from 'lanthorn/io';
import cpu from 'lanthorn/lanthorn_cpu_bg.wasm';
import io from 'lanthorn/lanthorn_io_bg.wasm';
import webgpu from 'lanthorn/lanthorn_webgpu_bg.wasm';
import { trainSomeSteps as train } from './steps.js';

export async function trainSomeSteps(device) {
  await initIo({ wasmUrl: io });
  return train(device, { wasmUrl: { cpu, webgpu } });
}
`,
};

/** The modules as a part of the program. */
const INLINE = {
  'steps.js': TRAINING,
  'training.js': "import 'lanthorn/inline';\nexport { trainSomeSteps } from './steps.js';\n",
};

/** A program that trains on devices and prints the results. */
const program = (devices, before = '') => `${before}
import { trainSomeSteps } from './training.js';
for (const device of ${JSON.stringify(devices)}) console.log(JSON.stringify(await trainSomeSteps(device)));
`;

/** What Vite's users configure before version 8. */
const viteConfig = (config) => ({ ...PAGE, 'vite.config.js': `export default ${config};\n` });
// Its bundle of dependencies moves modules away from their files.
const VITE_IN_DEVELOPMENT = viteConfig("{ optimizeDeps: { exclude: ['lanthorn'] } }");
// A worker is a classic one, which cannot be split, unless this is set.
const VITE_BUILT = viteConfig("{ worker: { format: 'es' } }");

const viteRows = Object.entries(VITE).flatMap(([major, version]) => [
  { name: `Vite ${major}, built`, tools: { vite: version }, files: major < 8 ? VITE_BUILT : PAGE, build: ['vite', 'build'], serves: 'dist' },
  {
    name: `Vite ${major}, in development`,
    tools: { vite: version },
    files: major < 8 ? VITE_IN_DEVELOPMENT : PAGE,
    server: (port) => ['vite', '--host', '127.0.0.1', '--port', port],
  },
]);

/** Next with either of its bundlers. */
const nextRows = [['Turbopack'], ['webpack', '--webpack']].map(([bundler, ...flags]) => ({
  name: `Next with ${bundler}`,
  tools: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
  files: NEXT,
  build: ['next', 'build', ...flags],
  server: (port) => ['next', 'start', '--hostname', '127.0.0.1', '--port', port],
  renders: NEXT_RENDERS,
}));

export const ROWS = [
  ...viteRows,
  {
    name: 'webpack 5',
    sample: true,
    tools: { webpack: '5.112.2', 'webpack-cli': '7.3.1' },
    files: {
      ...BUNDLED,
      // Its limit of an asset's size is below the size of a core.
      'webpack.config.js': "export default { mode: 'production', entry: './main.js', performance: false };\n",
    },
    build: ['webpack', '--fail-on-warnings'],
    serves: 'dist',
  },
  {
    name: 'esbuild with splitting, the modules as files',
    sample: true,
    tools: ESBUILD,
    files: { ...BUNDLED, ...BY_URL },
    build: esbuild('--splitting', '--loader:.wasm=file', '--minify'),
    serves: 'dist',
  },
  {
    name: 'esbuild, the modules in the bundle',
    tools: ESBUILD,
    files: { ...BUNDLED, ...INLINE },
    build: esbuild('--minify'),
    serves: 'dist',
  },
  {
    name: 'Rollup',
    tools: { rollup: '4.68.7', '@rollup/plugin-node-resolve': '16.0.3' },
    files: {
      ...BUNDLED,
      ...INLINE,
      'rollup.config.js': `
import resolve from '@rollup/plugin-node-resolve';

export default { input: ['main.js', 'worker.js'], output: { dir: 'dist' }, plugins: [resolve()] };
`,
    },
    build: ['rollup', '--config', '--failAfterWarnings'],
    serves: 'dist',
  },
  {
    name: 'Parcel',
    sample: true,
    tools: { parcel: '2.16.4' },
    files: {
      ...PAGE,
      // It reads package.json of the folder with a lock file.
      'yarn.lock': '',
      'package.json': JSON.stringify({ name: 'parcel', private: true, type: 'module', '@parcel/resolver-default': { packageExports: true } }),
    },
    build: ['parcel', 'build', 'index.html', '--no-cache'],
    serves: 'dist',
  },
  ...nextRows,
  {
    name: 'a policy with trusted types',
    sample: true,
    tools: ESBUILD,
    files: { ...BUNDLED, ...BY_URL, ...STRICT },
    build: esbuild('--splitting', '--loader:.wasm=file'),
    serves: 'dist',
    headers: { 'content-security-policy': POLICY },
  },
  { name: 'an import map, from another origin', sample: true, files: AT_ANOTHER_ORIGIN, serves: '.', elsewhere: 'node_modules', targets: ['page'] },
  {
    name: 'dedicated, shared and service workers',
    sample: true,
    tools: ESBUILD,
    files: { ...BUNDLED, ...INLINE, ...WORKERS },
    build: esbuild('shared.js', 'service.js', '--minify'),
    serves: 'dist',
    hasProfile: true,
    targets: ['worker', 'shared', 'service'],
  },
  { name: 'Node, an ES module', sample: true, files: { 'training.js': TRAINING, 'main.js': program(['cpu', 'auto']) }, run: ['node', 'main.js'], prints: ['cpu', 'cpu'] },
  {
    name: 'Node, CommonJS',
    sample: true,
    files: {
      'package.json': JSON.stringify({ name: 'commonjs', private: true }),
      'training.mjs': TRAINING,
      'main.js': `
// Node warns of require() of an ES module, as long as that is experimental.
process.removeAllListeners('warning');
const assert = require('node:assert');
assert.equal(require('lanthorn').Tensor.name, 'Tensor');

import('lanthorn').then(async (lanthorn) => {
  assert.equal(lanthorn.Tensor, require('lanthorn').Tensor);
  const { trainSomeSteps } = require('./training.mjs');
  console.log(JSON.stringify(await trainSomeSteps('cpu')));
});
`,
    },
    run: ['node', 'main.js'],
    prints: ['cpu'],
  },
  {
    name: 'Node on WebGPU',
    tools: { webgpu: '0.6.2' },
    files: {
      'training.js': TRAINING,
      'main.js': program(
        ['webgpu', 'auto'],
        `
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
Object.assign((globalThis.navigator ??= {}), { gpu: create([]) });
`,
      ),
    },
    run: ['node', 'main.js'],
    prints: ['webgpu', 'webgpu'],
  },
  {
    name: 'Deno',
    tools: { deno: '2.9.6' },
    files: { 'training.js': TRAINING, 'main.js': program(['cpu']) },
    run: ['deno', 'run', '--allow-read', 'main.js'],
    prints: ['cpu'],
  },
  {
    name: 'Deno on WebGPU',
    tools: { deno: '2.9.6' },
    files: { 'training.js': TRAINING, 'main.js': program(['webgpu', 'auto']) },
    run: ['deno', 'run', '--allow-read', 'main.js'],
    prints: ['webgpu', 'webgpu'],
  },
  { name: 'Bun', tools: { bun: '1.4.5' }, files: { 'training.js': TRAINING, 'main.js': program(['cpu', 'auto']) }, run: ['bun', 'main.js'], prints: ['cpu', 'cpu'] },
  {
    name: 'Bun on WebGPU',
    tools: { bun: '1.4.5', webgpu: '0.6.2' },
    files: {
      'training.js': TRAINING,
      'main.js': program(['webgpu'], `
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
Object.assign(globalThis.navigator, { gpu: create([]) });
`),
    },
    run: ['bun', 'main.js'],
    prints: ['webgpu'],
  },
];
