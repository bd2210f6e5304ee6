/**
 * The stack of an error begins at the user's call: in Node, on a development server, and in
 * bundles. Needs target/npm, npm/node_modules and www/node_modules.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launchBrowser } from '../browser/lib/browser.mjs';
import { serveFolder } from '../browser/lib/static-server.mjs';
import { packPackage, run } from './lib/packed.mjs';
import { FAILING } from './lib/programs.mjs';

const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url));
const ESBUILD = fromHere('../../npm/node_modules/.bin/esbuild');

let packed;
let project;
let vite;
before(async () => {
  packed = await packPackage();
  vite = await import(pathToFileURL(createRequire(fromHere('../../www/package.json')).resolve('vite')));
  project = await packed.createProject('stack', {
    'failing.js': FAILING,
    'node.js': `
import { failures } from './failing.js';
const url = (name) => new URL(\`./node_modules/lanthorn/wasm/lanthorn_\${name}_bg.wasm\`, import.meta.url);
console.log(JSON.stringify(await failures({ wasmUrl: url('cpu'), programUrl: url('program') })));
`,
    'index.html': '<!doctype html>\n<link rel="icon" href="data:,">\n<script type="module" src="./main.js"></script>\n',
    'main.js': "import { failures } from './failing.js';\nwindow.failures = failures;\n",
  });
});
after(() => packed?.remove());

/** Fails unless the first frame of every stack is the user's. */
function assertFirstIsUsers(found) {
  assert.ok(found.length > 20);
  for (const { name, header, first, frames } of found) {
    assert.match(header, /^LanthornError: /, name);
    assert.match(first, /^ +at (async )?(Object\.|HTML\w+\.)?(user|userForward)\b/, `${name}: ${header}`);
    assert.ok(frames <= 10, `${name} has ${frames} frames`);
  }
  for (const name of ['method', 'read']) assert.ok(found.find((failure) => failure.name === name).fromCore, `${name} has the core's error as its cause`);
}

const inNode = async (file) => JSON.parse((await run(process.execPath, [file], { cwd: project })).stdout);

test('in Node', async () => assertFirstIsUsers(await inNode('node.js')));

test('in a bundle, minified and as it is', async () => {
  for (const options of [[], ['--minify', '--keep-names']]) {
    await run(ESBUILD, ['node.js', '--bundle', '--format=esm', '--external:node:*', '--outfile=bundled.js', '--allow-overwrite', ...options], { cwd: project });
    assertFirstIsUsers(await inNode('bundled.js'));
  }
});

test("on Vite's development server, and in what it builds", async () => {
  const browser = await launchBrowser({ webgpu: false });
  const inPage = async (address) => {
    const page = await browser.newPage();
    await page.goto(address);
    await page.waitForFunction(() => window.failures !== undefined);
    return page.evaluate(() => window.failures());
  };
  const root = { root: project, logLevel: 'error', configFile: false };
  const server = await vite.createServer({ ...root, server: { host: '127.0.0.1', port: 0 } });
  try {
    await server.listen();
    assertFirstIsUsers(await inPage(`http://127.0.0.1:${server.httpServer.address().port}/`));
    await vite.build({ ...root, build: { minify: false } });
    const built = await serveFolder(join(project, 'dist'));
    try {
      assertFirstIsUsers(await inPage(`${built.origin}/`));
    } finally {
      await built.close();
    }
  } finally {
    await server.close();
    await browser.close();
  }
});
