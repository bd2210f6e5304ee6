/**
 * Operations from outside: the example as a user runs it, in a page on both devices and in Node,
 * and the cases of custom-op/. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser, withoutWebGPU } from './lib/browser.mjs';
import { DEVICES, PACKAGE, describeCases, inPage, servePackage, withPackage } from './lib/package-page.mjs';
import { collectProblems } from './lib/site.mjs';
import { serveFolder } from './lib/static-server.mjs';

const EXAMPLE = fileURLToPath(new URL('../../examples/custom-op-js', import.meta.url));
const LINES = [
  /^OK \w+ squareplus: values and gradient$/,
  /^OK \w+ squareplus: opcheck, \d\d+ checks$/,
  /^OK \w+ swiglu: values and gradient$/,
  /^OK \w+ swiglu: opcheck, \d\d+ checks$/,
  /^OK \w+ Softplus: values and gradient$/,
  /^OK \w+ Softplus: opcheck, \d+ checks$/,
  /^OK \w+ ops\(\) lists .* among \d{3}/,
];

function checkLines(text, device) {
  const lines = text.trim().split('\n');
  assert.equal(lines.length, LINES.length, text);
  lines.forEach((line, index) => assert.match(line, LINES[index]));
  assert.ok(lines.every((line) => line.startsWith(`OK ${device} `)), text);
}

describe('examples/custom-op-js', () => {
  let folder;
  before(async () => {
    // The package beside the example, as `npm install` installs it.
    folder = await mkdtemp(join(tmpdir(), 'custom-op-js-'));
    await cp(EXAMPLE, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
    await mkdir(join(folder, 'node_modules'));
    await symlink(PACKAGE, join(folder, 'node_modules', 'lanthorn'));
  });
  after(() => rm(folder, { recursive: true }));

  test('in Node', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    checkLines(stdout, 'cpu');
  });

  for (const device of DEVICES) {
    test(`as a page on ${device}`, async () => {
      const site = await serveFolder(folder);
      const browser = await launchBrowser({ webgpu: device === 'webgpu' });
      try {
        const page = await browser.newPage();
        const problems = collectProblems(page);
        await page.goto(`${site.origin}/index.html?device=${device}`);
        await page.waitForFunction(() => document.documentElement.dataset.state !== undefined, undefined, { timeout: 120_000 });
        checkLines(await page.locator('#lines').innerText(), device);
        assert.deepEqual(problems, []);
      } finally {
        await browser.close();
        await site.close();
      }
    });
  }
});

test('an operation registered on one device is there on the other', { skip: withoutWebGPU }, async () => {
  const site = await servePackage();
  const browser = await launchBrowser({ webgpu: true });
  try {
    await withPackage(browser, site, (page) =>
      inPage(page, async () => {
        const { init, library, ops, tensor } = window.lanthorn;
        const { equal, refuses } = window.expect;
        await refuses(() => library.pointwise('both::early', 'x -> x'), 'device', /await init\(\) first/);
        await init({ device: 'cpu' });
        const first = library.pointwise('both::first', 'x, by=1.0 -> x + by');
        const second = library.customOp('both::second(Tensor x) -> Tensor', { fallback: (x) => first(x, 2).mul(10) });
        equal(await second(tensor([1])).data(), [30]);
        await init({ device: 'webgpu' });
        equal(await second(tensor([1])).data(), [30]);
        await refuses(() => library.pointwise('both::first', 'x -> x'), 'argument', /registered already/);
        const third = library.pointwise('both::third', 'x -> -x');
        await init({ device: 'cpu' });
        equal([await third(tensor([1])).data(), await first(tensor([1])).data()], [[-1], [2]]);
        equal(ops().filter((op) => op.isCustom).length, 3);
      }));
  } finally {
    await browser.close();
    await site.close();
  }
});

await describeCases('custom-op', ['functions', 'registration', 'kernels', 'checks'], {
  prints: { firefox: { 'WGSL that does not compile points into the text of its author': /creating shader module|parsing error|^console: \n/ } },
});
