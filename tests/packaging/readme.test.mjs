/**
 * The examples of the two READMEs, the package's and the repository's, run as their comments say:
 * in Node, and the first one in a page.
 */
import assert from 'node:assert/strict';
import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { DEVICES, PACKAGE } from '../browser/lib/package-page.mjs';
import { collectProblems } from '../browser/lib/site.mjs';
import { serveFolder } from '../browser/lib/static-server.mjs';
import { launchBrowsers } from './lib/drive.mjs';
import { packPackage, run } from './lib/packed.mjs';

let packed;
let project;
before(async () => {
  packed = await packPackage();
  const examples = [join(PACKAGE, 'README.md'), new URL('../../README.md', import.meta.url)].map(async (readme) => {
    const found = [...(await readFile(readme, 'utf8')).matchAll(/^```js\n(.*?)^```$/gms)].map(([, example]) => example);
    assert.ok(found.length >= 1, 'the README has an example');
    return found;
  });
  const [[example, surface], [same]] = await Promise.all(examples);
  assert.equal(example, same);
  assert.match(example, /from 'lanthorn'/);
  const text = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const program = /^```js\n([^`]*from 'lanthorn\/program'.*?)^```$/ms.exec(text)?.[1];
  const compiled = /^```js\n([^`]*import \{ compile, .*?)^```$/ms.exec(text)?.[1];
  const onnx = /^```js\n([^`]*import \{ exportOnnx, .*?)^```$/ms.exec(text)?.[1];
  const tokenizer = /^```js\n([^`]*from 'lanthorn\/tokenizer'.*?)^```$/ms.exec(text)?.[1];
  const models = /^```js\n([^`]*from 'lanthorn\/models'.*?)^```$/ms.exec(text)?.[1];
  const quantization = /^```js\n([^`]*from 'lanthorn\/quantization'.*?)^```$/ms.exec(text)?.[1];
  const all = program && compiled && onnx && tokenizer && models && quantization;
  assert.ok(all, 'the README has an example of a program, of a compiled function, of ONNX, of a tokenizer, of a language model, and of quantization');
  project = await packed.createProject('readme', {
    'program.js': program,
    'onnx.js': onnx,
    'tokenizer.js': tokenizer,
    'models.js': models,
    'quantization.js': quantization,
    'compiled.js': compiled,
    'example.js': example,
    'surface.js': `import { init } from 'lanthorn';\nawait init({ device: 'cpu' });\n${surface}console.log(Q.shape, values.shape, fft.rfft(x).shape, await positions.tolist());\n`,
    'index.html': `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "lanthorn": "./node_modules/lanthorn/js/index.js" } }</script>
<script type="module" src="./example.js"></script>
`,
  });
});
after(() => packed?.remove());

test('the example in Rust is that of the crate, whose documentation runs it', async () => {
  const blocks = ['../../README.md', '../../crates/lanthorn/README.md'].map(async (readme) => {
    const text = await readFile(new URL(readme, import.meta.url), 'utf8');
    return ['toml', 'rust'].map((language) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1]);
  });
  const [front, crate] = await Promise.all(blocks);
  assert.match(front[1], /^use lanthorn::/);
  assert.deepEqual(front, crate);
});

test('in Node, on the CPU', async () => {
  const { stdout, stderr } = await run(process.execPath, ['example.js'], { cwd: project });
  assert.match(stdout, /^cpu Int32Array\(4\) \[ 0, 1, 1, 0 \]\s*$/);
  assert.equal(stderr, '');
});

test('a program, in Node', async () => {
  await copyFile(new URL('../models/espcn/dynamic.pt2', import.meta.url), join(project, 'model.pt2'));
  const { stdout, stderr } = await run(process.execPath, ['program.js'], { cwd: project });
  assert.match(stdout.replace(/\s+/g, ''), /^\['x'\]\[1,2,3\]$/);
  assert.equal(stderr, '');
});

test('a model of ONNX, in Node', async () => {
  await copyFile(new URL('../models/training_encoder/model.onnx', import.meta.url), join(project, 'model.onnx'));
  const { stdout, stderr } = await run(process.execPath, ['onnx.js'], { cwd: project });
  assert.match(stdout, /^\[ 1, 3 \]\s*$/);
  assert.equal(stderr, '');
});

test('a tokenizer, in Node', async () => {
  const file = await readFile(new URL('../tokenizer/files/qwen2.json.gz', import.meta.url));
  await writeFile(join(project, 'tokenizer.json'), gunzipSync(file));
  const { stdout, stderr } = await run(process.execPath, ['tokenizer.js'], { cwd: project });
  assert.match(stdout, /^Zürich 2026 true\ntrue 1\n<\|im_start\|>Hi<\|im_end\|>\n(false\n)+$/);
  assert.equal(stderr, '');
});

test('a language model, in Node', async () => {
  await cp(new URL('../models/lm/llama3', import.meta.url), join(project, 'model'), { recursive: true });
  const { stdout, stderr } = await run(process.execPath, ['models.js'], { cwd: project });
  assert.match(stdout, /^\[ 1, 3, 96 \]\n(0 true\n){20}\[ 22 \]\s*$/);
  assert.equal(stderr, '');
});

test('quantization, in Node', async () => {
  const { stdout, stderr } = await run(process.execPath, ['quantization.js'], { cwd: project });
  assert.match(stdout, /^\[ 2, 10 \]\n0 131072 20480 true\s*$/);
  assert.equal(stderr, '');
});

test('a compiled function, in Node', async () => {
  const { stdout, stderr } = await run(process.execPath, ['compiled.js'], { cwd: project });
  assert.match(stdout, /^true 199\s*$/);
  assert.equal(stderr, '');
});

test('the wider surface, in Node', async () => {
  const { stdout, stderr } = await run(process.execPath, ['surface.js'], { cwd: project });
  assert.match(stdout.replace(/\s+/g, ''), /^\[3,3\]\[3,2\]\[3,2,2\]\[\[0,0\],\[0,1\],\[1,0\],\[1,1\],\[2,1\]\]$/);
  assert.equal(stderr, '');
});

test('in a page, on every device', async () => {
  const { origin, close } = await serveFolder(project);
  const opened = await launchBrowsers();
  try {
    for (const device of DEVICES) {
      const page = await opened.browsers[device].newPage();
      const problems = collectProblems(page);
      const [message] = await Promise.all([
        page.waitForEvent('console', { predicate: (shown) => shown.type() === 'log', timeout: 20_000 }),
        page.goto(`${origin}/`),
      ]);
      const shown = await Promise.all(message.args().map((value) => value.evaluate((part) => (ArrayBuffer.isView(part) ? [part.constructor.name, ...part] : part))));
      assert.deepEqual(shown, [device, ['Int32Array', 0, 1, 1, 0]]);
      assert.deepEqual(problems, []);
      await page.close();
    }
  } finally {
    await opened.close();
    await close();
  }
});
