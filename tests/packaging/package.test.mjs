/**
 * The package as a user gets it: packed with npm, installed, and used from Vite, Node, a plain page
 * and TypeScript. Needs target/npm and www/node_modules.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readWorkers } from '../browser/lib/chunks.mjs';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { serveFolder } from '../browser/lib/static-server.mjs';
import { assertPageTrains, assertTrained, usePacked } from './lib/drive.mjs';
import { run } from './lib/packed.mjs';
import { PAGE, TRAINING, TYPED } from './lib/programs.mjs';

const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url));
const TSC = fromHere('../../npm/node_modules/.bin/tsc');

const used = usePacked();

describe('the tarball', () => {
  test('has what it should, and nothing else', async () => {
    const entries = await readdir(fromHere('../../npm/src'), { recursive: true });
    const modules = entries.filter((file) => file.endsWith('.ts')).map((file) => file.replace(/\.ts$/, ''));
    const expected = [
      'AGENTS.md', 'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'llms.txt', 'package.json',
      ...['cpu', 'cpu_threads', 'webgpu', 'io', 'onnx', 'onnx_writer', 'program', 'tokenizer'].flatMap((name) => ['.d.ts', '.js', '_bg.wasm', '_bg.wasm.d.ts', '_inline.d.ts', '_inline.js'].map((end) => `wasm/lanthorn_${name}${end}`)),
      ...['fused', 'thread'].flatMap((name) => ['.d.ts', '.js'].map((end) => `wasm/lanthorn_${name}${end}`)),
      ...modules.flatMap((name) => [`src/${name}.ts`, `js/${name}.js`, `js/${name}.js.map`, `js/${name}.d.ts`, `js/${name}.d.ts.map`]),
    ];
    assert.deepEqual(used.packed.files.toSorted(), expected.toSorted());
  });

  test('it lists the reference for programs that write code', async () => {
    const [list, rules] = await Promise.all(['llms.txt', 'AGENTS.md'].map((file) => readFile(join(PACKAGE, file), 'utf8')));
    const { version, exports } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
    assert.match(list, new RegExp(`^# lanthorn ${version}\n\n> `));
    for (const line of [/^- `matmul` `matmul\(/m, /^- `nn\.Linear` `Linear\(/m, /^- `optim\.Adam`/m, /^- `DataLoader`.*: Batches of a data set/m, /guides\/data\.md/]) assert.match(list, line);
    assert.match(rules, new RegExp(`npm/lanthorn@${version}/js/index\\.js`));
    assert.doesNotMatch(rules, /VERSION|ENTRIES/);
    const entries = Object.entries(exports).filter(([name, { types }]) => types && !/inline/.test(name));
    for (const [name] of entries) assert.ok(rules.includes(`\`lanthorn${name.slice(1)}\``), name);
  });

  test('its maps lead to sources that are in it', async () => {
    const maps = used.packed.files.filter((file) => file.endsWith('.map'));
    assert.ok(maps.length > 0);
    for (const file of maps) {
      const { sources, sourceRoot = '' } = JSON.parse(await readFile(join(PACKAGE, file), 'utf8'));
      for (const source of sources) {
        assert.ok(used.packed.files.includes(join(file, '..', sourceRoot, source)), `${file} leads to ${source}`);
      }
      const described = await readFile(join(PACKAGE, file.slice(0, -'.map'.length)), 'utf8');
      assert.match(described, /\/\/# sourceMappingURL=\S+\.map\s*$/);
      assert.ok(sources.length > 0, file);
    }
  });

  test('no class has the key Symbol.dispose, which WebKit lacks', async () => {
    const files = used.packed.files.filter((name) => /^js\/.*\.js$/.test(name));
    for (const file of files) assert.doesNotMatch(await readFile(join(PACKAGE, file), 'utf8'), /\[Symbol\.dispose\]/, file);
  });

  test('no file names the machine that built it', async () => {
    for (const file of used.packed.files.filter((name) => !name.endsWith('.wasm'))) {
      assert.doesNotMatch(await readFile(join(PACKAGE, file), 'utf8'), /\/home\/|\/root\/|\/Users\/|file:\/\/\//, file);
    }
  });

  test('its manifest tells runtimes and compilers what they need', async () => {
    const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
    assert.equal(manifest.name, 'lanthorn');
    assert.equal(manifest.type, 'module');
    assert.match(manifest.version, /^\d+\.\d+\.\d+/);
    assert.equal(manifest.license, 'MIT OR Apache-2.0');
    for (const absent of ['devDependencies', 'dependencies', 'scripts']) {
      assert.equal(manifest[absent], undefined, absent);
    }
    const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? target : Object.values(target)));
    for (const target of [...targets, ...manifest.sideEffects, manifest.types]) {
      assert.ok(used.packed.files.includes(target.replace('./', '')), target);
    }
    assert.equal(manifest.main, manifest.exports['.'].default, 'for those that do not read exports');
    assert.equal(Object.keys(manifest.exports['.'])[0], 'types', 'TypeScript takes the first condition that fits');
  });
});

describe('Node', () => {
  let project;
  before(async () => {
    project = await used.packed.createProject('node', {
      'training.js': TRAINING,
      'train.js': `
import { trainSomeSteps } from './training.js';
for (const device of ['cpu', 'auto']) console.log(JSON.stringify(await trainSomeSteps(device)));
`,
      'import-only.js': `
const before = new Set(Reflect.ownKeys(globalThis));
globalThis.fetch = () => { throw new Error('fetched'); };
const read = WebAssembly.instantiate;
WebAssembly.instantiate = () => { throw new Error('compiled'); };
const lanthorn = await import('lanthorn');
const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key));
try { lanthorn.tensor([1]); } catch (error) { console.log(JSON.stringify({ kind: error.kind, message: error.message, added: added.map(String) })); }
`,
      'entries.js': `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const outcome = (name) => import.meta.resolve ? Promise.resolve().then(() => import(name)).then(() => 'loads', (error) => error.code) : 'no resolve';
console.log(JSON.stringify({
  wasm: require.resolve('lanthorn/lanthorn_webgpu_bg.wasm').endsWith('.wasm'),
  version: require('lanthorn/package.json').version,
  data: await outcome('lanthorn/data'),
  inside: await outcome('lanthorn/js/core/runtime.js'),
  core: await outcome('lanthorn/wasm/lanthorn_cpu.js'),
}));
`,
      'webgpu.js': `
import { init, LanthornError, tensor } from 'lanthorn';
const error = await init({ device: 'webgpu' }).catch((caught) => caught);
await init();
console.log(JSON.stringify({ ours: error instanceof LanthornError, kind: error.kind, sum: await tensor([1, 2]).sum().item() }));
`,
      'bundled.js': `
import { init } from 'lanthorn';
const { kind, message } = await init({ device: 'cpu', wasmUrl: '/static/core.wasm' }).catch((caught) => caught);
console.log(JSON.stringify({ kind, message }));
`,
    });
  });
  const node = async (file) => (await run(process.execPath, [file], { cwd: project })).stdout.trim().split('\n').map((line) => JSON.parse(line));

  test('trains on the CPU', async () => {
    const results = await node('train.js');
    assert.equal(results.length, 2);
    for (const result of results) {
      assertTrained(result, 'cpu');
    }
  });

  test('importing it does nothing, as rendering on a server needs', async () => {
    const [{ kind, message, added }] = await node('import-only.js');
    assert.equal(kind, 'device');
    assert.match(message, /await init\(\) first/);
    assert.deepEqual(added, []);
  });

  test('only what the exports name can be imported', async () => {
    const [{ wasm, version, data, inside, core }] = await node('entries.js');
    assert.ok(wasm);
    assert.equal(data, 'loads');
    assert.equal(version, JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')).version);
    assert.deepEqual([inside, core], ['ERR_PACKAGE_PATH_NOT_EXPORTED', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
  });

  test('a core that only the page could fetch is an error with a remedy', async () => {
    const [{ kind, message }] = await node('bundled.js');
    assert.equal(kind, 'device');
    assert.match(message, /static\/core\.wasm is no address here.*serverExternalPackages.*lanthorn\/inline/);
  });

  test('WebGPU is refused where there is none, and the CPU works on', async () => {
    assert.deepEqual(await node('webgpu.js'), [{ ours: true, kind: 'device', sum: 3 }]);
  });
});

describe('Vite', () => {
  let project;
  let vite;
  before(async () => {
    // Vite comes from the demo site, so that this needs no network.
    vite = await import(pathToFileURL(createRequire(fromHere('../../www/package.json')).resolve('vite')));
    project = await used.packed.createProject('vite', PAGE);
  });

  test('builds a page and a module worker that train', async () => {
    await vite.build({ root: project, logLevel: 'error', configFile: false });
    const built = join(project, 'dist');
    assert.ok(existsSync(join(built, 'index.html')));
    const { entries, importers } = await readWorkers(join(built, 'assets'));
    assert.equal(entries.length, 1);
    assert.deepEqual(importers, []);
    const { origin, close } = await serveFolder(built);
    try {
      await assertPageTrains(used.browsers, `${origin}/`);
    } finally {
      await close();
    }
  });

  test('serves them in development', async () => {
    const server = await vite.createServer({ root: project, logLevel: 'error', configFile: false, server: { host: '127.0.0.1', port: 0 } });
    await server.listen();
    try {
      await assertPageTrains(used.browsers, `http://127.0.0.1:${server.httpServer.address().port}/`);
    } finally {
      await server.close();
    }
  });
});

describe('a plain page', () => {
  test('imports the files by their address, and by name with an import map', async () => {
    const project = await used.packed.createProject('plain', {
      'index.html': `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "lanthorn": "./node_modules/lanthorn/js/index.js", "lanthorn/io": "./node_modules/lanthorn/js/io/index.js" } }</script>
<script type="module">
  import { trainSomeSteps } from './training.js';
  import * as byName from 'lanthorn';
  import * as byAddress from './node_modules/lanthorn/js/index.js';
  if (byName.Tensor !== byAddress.Tensor) throw new Error('two copies');
  window.train = { page: trainSomeSteps };
</script>
`,
      'training.js': TRAINING,
    });
    const { origin, close } = await serveFolder(project);
    try {
      await assertPageTrains(used.browsers, `${origin}/`, ['page']);
    } finally {
      await close();
    }
  });
});

describe('TypeScript', () => {
  const options = (module, moduleResolution, lib) =>
    JSON.stringify({ compilerOptions: { target: 'es2022', module, moduleResolution, lib, types: [], strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }, files: ['main.ts'] });

  test('a program that uses the API type-checks, and mistakes do not', async () => {
    assert.ok(existsSync(TSC), 'the TypeScript compiler of the folder npm is installed');
    const project = await used.packed.createProject('typescript', {
      'main.ts': TYPED,
      'bundler.json': options('es2022', 'bundler', ['es2022', 'dom']),
      'nodenext.json': options('nodenext', 'nodenext', ['es2022', 'dom']),
      'newest.json': options('esnext', 'bundler', ['esnext', 'dom']),
    });
    for (const config of ['bundler.json', 'nodenext.json', 'newest.json']) {
      await run(TSC, ['-p', config], { cwd: project });
    }
  });
});
