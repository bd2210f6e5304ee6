/** The programs of `examples/`, as their users run them, with the packed package. */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser, WEBGPU_CANVAS } from '../browser/lib/browser.mjs';
import { DEVICES } from '../browser/lib/package-page.mjs';
import { isTaken } from '../browser/lib/rotation.mjs';
import { collectProblems } from '../browser/lib/site.mjs';
import { ISOLATED, serveFolder } from '../browser/lib/static-server.mjs';
import { usePacked } from './lib/drive.mjs';
import { run } from './lib/packed.mjs';

const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url));
const EXAMPLES = fromHere('../../examples');
const LATE = 60_000;

const used = usePacked();

/** A copy of an example with the package installed, and with these packages from another folder. */
async function project(name, borrowed = {}) {
  const folder = await used.packed.createProject(`example-${name}`, {});
  await cp(join(EXAMPLES, name), folder, { recursive: true, filter: (path) => !/node_modules|package-lock/.test(path) });
  for (const [module, source] of Object.entries(borrowed)) {
    await symlink(fromHere(`../../${source}/node_modules/${module}`), join(folder, 'node_modules', module));
  }
  return folder;
}

/** Runs a program of Node in a folder; nothing may be on its standard error. */
async function node(folder, ...args) {
  const { stdout, stderr } = await run(process.execPath, args, { cwd: folder });
  assert.equal(stderr, '');
  return stdout;
}

/** Opens a page of a folder on a device, and runs `check` when `ready` holds in it. */
async function visit(folder, device, ready, check, browser = used.browsers[device], headers = {}) {
  const site = await serveFolder(folder, {}, headers);
  const page = await browser.newPage();
  try {
    const problems = collectProblems(page);
    await page.goto(`${site.origin}/?device=${device}`);
    const hasFailed = () => document.documentElement.dataset.state === 'error';
    await page.waitForFunction(`(${hasFailed})() || (${ready})()`, null, { timeout: LATE });
    const status = await page.locator('#status').innerText();
    assert.equal(await page.evaluate(hasFailed), false, status);
    await check(page, status);
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
    await site.close();
  }
}

/** Declares the test of an example, of which a rotation runs one in two. */
let examples = 0;
const testExample = (title, run) => isTaken(examples++, 2) && test(title, run);

const isDone = () => document.documentElement.dataset.state === 'done';

test('each example is listed, and run here or by another test', async () => {
  const listed = [...(await readFile(join(EXAMPLES, 'README.md'), 'utf8')).matchAll(/^\| \[([\w-]+)\]/gm)].map(([, name]) => name);
  const folders = (await readdir(EXAMPLES, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(listed.toSorted(), folders.toSorted());
  // This file and another one, and the members of the workspace, which have tests.
  const files = ['tests/packaging/examples.test.mjs', 'tests/browser/custom-op.test.mjs', 'Cargo.toml'];
  const texts = await Promise.all(files.map((file) => readFile(fromHere(`../../${file}`), 'utf8')));
  const isRun = (name) => texts.some((text) => text.includes(`project('${name}'`) || new RegExp(`examples/${name}(?![\\w-])`).test(text));
  for (const name of listed) assert.ok(isRun(name), `${name} is not run`);
});

testExample('node: trains, saves and loads', async () => {
  const shown = await node(await project('node'), 'train.mjs');
  assert.match(shown, /^training on cpu/);
  assert.match(shown, /Sequential\(\n {2}\(0\): Linear\(/);
  assert.ok(Number(/accuracy of the saved network: ([\d.]+)/.exec(shown)[1]) > 0.95, shown);
});

testExample('typescript: compiles in strict mode, trains, and shows the kind of an error', async () => {
  const folder = await project('typescript');
  await run(fromHere('../../npm/node_modules/.bin/tsc'), [], { cwd: folder });
  const shown = await node(folder, 'build/main.js');
  assert.ok(Number(/last loss ([\d.]+)/.exec(shown)[1]) < 1, shown);
  assert.match(shown, /an error of kind dtype: /);
});

testExample('s4: a state-space layer learns an oscillator', async () => {
  const shown = await node(await project('s4'), 's4.mjs');
  assert.ok(Number(/error on longer signals: ([\d.]+)/.exec(shown)[1]) < 0.2, shown);
});

testExample('fine-tune: a checkpoint of PyTorch learns other classes', async () => {
  const shown = await node(await project('fine-tune'), 'fine-tune.mjs', fromHere('../pytorch/files/resnet.pt'));
  assert.ok(Number(/accuracy ([\d.]+)/.exec(shown)[1]) > 0.95, shown);
});

testExample('generate: continues ids and texts as transformers does, alone and in a batch', async () => {
  const folder = await project('generate');
  const model = fromHere('../models/lm/llama3');
  const { prompts, tokens } = JSON.parse(await readFile(join(model, 'expected.json'), 'utf8'));
  const [first, second] = prompts.map((ids) => ['--ids', ids.join()]);
  const short = ['--max-new-tokens', '6'];
  const alone = await run(process.execPath, ['generate.mjs', `${model}.gguf`, ...first, ...short], { cwd: folder });
  const [one, other] = tokens.map((row) => `${row.slice(0, 6).join(' ')} `);
  assert.equal(alone.stdout, `${one}\n`);
  assert.match(alone.stderr, /^6 tokens, [\d.]+ tokens a second \(prompt: [\d.]+\)\n$/);
  const both = await run(process.execPath, ['generate.mjs', model, ...first, ...second, ...short], { cwd: folder });
  assert.equal(both.stdout, `== 1 ==\n${one}\n== 2 ==\n${other}\n`);

  // A folder with a tokenizer, whose words are the ids.
  await cp(model, join(folder, 'model'), { recursive: true });
  const vocab = Object.fromEntries(Array.from({ length: 96 }, (_, id) => [`w${id} `, id]));
  const pattern = { String: ' ' };
  const tokenizer = {
    pre_tokenizer: { type: 'Split', pattern, behavior: 'MergedWithPrevious', invert: false },
    model: { type: 'WordLevel', vocab, unk_token: 'w0 ' },
    decoder: { type: 'Fuse' },
  };
  await writeFile(join(folder, 'model/tokenizer.json'), JSON.stringify(tokenizer));
  const words = (ids) => ids.map((id) => `w${id} `).join('');
  const text = await run(process.execPath, ['generate.mjs', 'model', '--prompt', words(prompts[0]), ...short], { cwd: folder });
  assert.equal(text.stdout, `${words(tokens[0].slice(0, 6))}\n`);
  const absent = run(process.execPath, ['generate.mjs', 'absent', '--prompt', 'w1 '], { cwd: folder });
  await assert.rejects(absent, ({ cause }) => cause.code === 1 && /^error: .*absent/.test(cause.stderr));
});

describe('vite', () => {
  let folder;
  before(async () => {
    folder = await project('vite', { vite: 'www' });
    await run(process.execPath, [fromHere('../../www/node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], { cwd: folder });
  });
  for (const device of DEVICES) {
    test(`learns the curve and draws it, on ${device}`, () =>
      visit(join(folder, 'dist'), device, isDone, async (page, status) => {
        assert.match(status, new RegExp(`Step 200 on ${device}: loss 0\\.[01]`));
        const isDrawn = await page.evaluate(() => document.querySelector('canvas').getContext('2d').getImageData(0, 0, 800, 300).data.some(Boolean));
        assert.ok(isDrawn);
      }));
  }
});

describe('worker', () => {
  for (const device of DEVICES) {
    test(`trains beside the page, on ${device}`, async () => {
      await visit(await project('worker'), device, isDone, (page, status) => assert.match(status, new RegExp(`Step 100 on ${device}: loss`)));
    });
  }
});

testExample('workers: two workers train one model on shared memory, without locks and in step', async () => {
  const check = (page, status) => {
    for (const name of ['hogwild', 'dataParallel']) {
      assert.ok(Number(new RegExp(`${name}: accuracy ([\\d.]+)`).exec(status)?.[1]) > 0.95, status);
    }
  };
  await visit(await project('workers'), 'cpu', isDone, check, used.browsers.cpu, ISOLATED);
});

testExample('shader: frames of a video go through a network and to the screen on the GPU', async () => {
  const browser = await launchBrowser({ webgpu: true, flags: WEBGPU_CANVAS });
  try {
    const hasDrawn = () => Number(document.documentElement.dataset.frames) >= 10;
    const check = async (page, status) => {
      assert.match(status, /^\d+ frames/);
      const picture = await page.locator('canvas').screenshot();
      assert.ok(picture.length > 2000, `a picture of one colour has fewer than ${picture.length} bytes`);
    };
    await visit(await project('shader'), 'webgpu', hasDrawn, check, browser);
  } finally {
    await browser.close();
  }
});
