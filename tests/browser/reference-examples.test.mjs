/**
 * The examples of the reference: all run, examples from PyTorch's samples return PyTorch's answers,
 * and a page runs its own.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as call from './golden/call.mjs';
import * as file from './golden/file.mjs';
import { differs, tolerance } from './golden/tolerance.mjs';
import { SHORT, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { importModule } from './lib/package-modules.mjs';
import { serveSite } from './lib/site.mjs';
import { loadSource } from './lib/source.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const ROOT = path('../..');
/** Features that a browser has and Node has not: these examples run in their pages. */
const IN_PAGE = /\b(?:ImageData|OffscreenCanvas|toBlob|toImageData|opfs|pageStorage)\b/;

/** The entries of the reference, which one test shares with another, and their examples. */
const { slugOf } = await loadSource('reference/entries.ts');
const catalogue = await loadSource('reference/catalogue.ts');
const entries = catalogue.readCatalogue(ROOT, { ...call, ...file });
const inPage = entries.filter(({ program }) => program && program.needs === undefined && IN_PAGE.test(program.source));

describe('the examples of the reference', () => {
  let lanthorn;
  let compile;
  let createNames;
  let examples;
  before(async () => {
    ({ compile } = await loadSource('src/parts/run/program.ts'));
    ({ createNames } = await loadSource('src/parts/run/names.ts'));
    ({ examples } = catalogue.readExamples(ROOT, { ...call, ...file }));
    lanthorn = await importModule('lanthorn');
    await lanthorn.init({ device: 'cpu', threads: 1 });
  });

  /** Runs a program with the names that the page's worker has, and resolves to the printed text. */
  async function run(source) {
    const printed = [];
    const print = (...values) => printed.push(values.flat(9));
    const names = createNames({ ...lanthorn, lanthorn, importModule, console: { log: print, warn: print }, plot: print, draw: print });
    await lanthorn.scope(async () => {
      const { run: runProgram } = await compile(source);
      await runProgram(names);
      for (const [index, values] of printed.entries()) printed[index] = await Promise.all(values.map(read));
    });
    return printed;
  }
  const read = async (value) => (lanthorn.isTensor(value) ? { shape: value.shape, dtype: value.dtype, values: await value.data() } : value);

  test('every entry has one or says what it needs, and all run on the CPU', async () => {
    const wrong = [];
    for (const { name, program } of entries.filter((entry) => !inPage.includes(entry) && entry.program?.needs === undefined)) {
      if (!program) {
        wrong.push(`${name}: has no example; write one in www/reference/examples/written`);
        continue;
      }
      const printed = await run(program.source).catch((error) => wrong.push(`${name}: ${error.message}`));
      if (Array.isArray(printed) && printed.length === 0) wrong.push(`${name}: prints nothing`);
    }
    assert.deepEqual(wrong, []);
  });

  test('those of PyTorch’s samples give its answers, with all digits', async () => {
    const table = JSON.parse(readFileSync(path('../../crates/conformance/src/golden/tolerance.json'), 'utf8'));
    const wrong = [];
    let count = 0;
    for (const entry of entries) {
      const exact = examples.exact(entry);
      // A sample of thousands of numbers is longer than a program may be.
      if (!exact || exact.source.length > 100_000) continue;
      count += 1;
      const [results] = await run(exact.source);
      const why = compare(results, exact, table);
      if (why) wrong.push(`${entry.name}, ${exact.file.name}/${exact.sample.id}: ${why}`);
    }
    assert.deepEqual(wrong, []);
    assert.ok(count > 400, `${count} operations have a sample`);
  });
});

/**
 * The differences between the results and the sample. Factors are unique up to a sign, so only
 * their shapes are compared.
 */
function compare(got, { sample, file: { document, tensors } }, table) {
  const wanted = file.leaves(sample.out);
  if (got.length !== wanted.length) return `${got.length} results, not ${wanted.length}`;
  return wanted.map((want, index) => {
    if (want?.$ !== 'tensor') return got[index] === (want?.v ?? want) ? undefined : `${got[index]}, not ${JSON.stringify(want)}`;
    const { shape, values } = tensors()[want.ref];
    const allowed = tolerance(table, document, sample, 'value', index, got[index].dtype, false);
    if (String(got[index].shape) !== String(shape)) return `shape [${got[index].shape}], not [${shape}]`;
    return sample.compare === 'gauge' || sample.ties ? undefined : differs(got[index].values, values, allowed);
  }).find(Boolean);
}

describe('the page of an entry', () => {
  let site;
  let browser;
  before(async () => {
    site = await serveSite();
    browser = await launchBrowser({ webgpu: false });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });
  const untilEnded = (page) => page.waitForFunction(() => /Done|not come/.test(document.getElementById('status').textContent), null, { timeout: SHORT });
  const output = (page) => page.locator('#output').innerText();

  test('runs its example, says in which line a change is wrong, and opens it in the playground', () =>
    visit(browser, `${site.origin}/reference/relu/index.html?device=cpu`, async (page) => {
      assert.match(await page.locator('pre').first().innerText(), /^x\.relu\(\): Tensor\nrelu\(input: TensorLike\): Tensor$/);
      assert.deepEqual(await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.wasm')).length), 0);
      await page.click('#run');
      await untilEnded(page);
      assert.match(await output(page), /tensor\(\[0\., 0\., 0\., 1\., 2\.\], gradFn=[^]*tensor\(\[0\., 0\., 0\., 1\., 1\.\]\)/);
      const source = "const a = zeros([2, 3]);\nconst word = 'Größe';\na.matmul(a);\n";
      await page.fill('#program', source);
      await page.press('#program', 'ControlOrMeta+Enter');
      await page.waitForFunction(() => /line 3/.test(document.getElementById('output').innerText), null, { timeout: SHORT });
      assert.match(await output(page), /LanthornError, shape: matmul: inner dimensions differ/);
      await page.fill('#program', 'console.log(ones([2]).add(1));');
      await page.click('#run');
      await page.waitForFunction(() => /tensor\(\[2\., 2\.\]\)/.test(document.getElementById('output').innerText), null, { timeout: SHORT });
      const before = await page.evaluate(() => document.getElementById('open').href);
      await page.fill('#program', source);
      await page.waitForFunction((old) => document.getElementById('open').href !== old, before, { timeout: SHORT });
      await page.click('#open');
      await page.waitForFunction(() => /Größe/.test(document.querySelector('.cm-content')?.innerText), null, { timeout: SHORT });
    }));

  test('runs what only a browser has: pictures, and files that it keeps', () =>
    visit(browser, `${site.origin}/reference/index.html`, async (page) => {
      assert.ok(inPage.length >= 9, `${inPage.length} examples`);
      for (const { name } of inPage) {
        await page.goto(`${site.origin}/reference/${slugOf(name)}/index.html?device=cpu`);
        await page.click('#run');
        await untilEnded(page);
        assert.match(await page.locator('#status').innerText(), /^Done/, `${name}: ${await output(page)}`);
        assert.ok((await output(page)).length > 0, name);
      }
    }));

  test('loads what a module of the package needs, and says what an example needs that does not run', () =>
    visit(browser, `${site.origin}/reference/program-exportProgram/index.html?device=cpu`, async (page) => {
      await page.click('#run');
      await untilEnded(page);
      assert.match(await output(page), /aten\.linear/);
      await page.goto(`${site.origin}/reference/workers-hogwild/index.html`);
      assert.match(await page.locator('main').innerText(), /It does not run in this page\. It needs a worker/);
      assert.equal(await page.locator('#run').count(), 0);
    }));

  test('of a class has its declarations, and the link of an example that was not changed has it', () =>
    visit(browser, `${site.origin}/reference/data-DataLoader/index.html`, async (page) => {
      assert.match(await page.locator('main').innerText(), /import \{ DataLoader \} from 'lanthorn\/data';[^]*new DataLoader\([^]*batchSize\?: number/);
      await page.goto(`${site.origin}/reference/matmul/index.html`);
      const source = await page.locator('#program').inputValue();
      await page.click('#open');
      await page.waitForFunction((line) => document.querySelector('.cm-content')?.innerText.includes(line), source.split('\n')[0], { timeout: SHORT });
    }));
});
