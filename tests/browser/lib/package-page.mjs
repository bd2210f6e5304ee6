/** Pages that import the built package by URL, and the cases that run in them. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bundlePackage } from './bundled.mjs';
import { BROWSER, DEVICES, launchBrowser } from './browser.mjs';
import { rotate } from './rotation.mjs';
import { collectProblems } from './site.mjs';
import { serveFolder } from './static-server.mjs';

export { DEVICES };
/** Long for a case, short for a person: a promise that never settles fails soon. */
const CASE_LIMIT = 30_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** The package built by `pkg-scripts/build-npm`; a test may be given another one. */
export const PACKAGE = process.env.LANTHORN_PACKAGE ?? here('../../../target/npm');

/**
 * Whether the package is built as it is published; `build-npm --for-tests` marks its own as
 * private.
 */
export const isPublished = () => !JSON.parse(readFileSync(`${PACKAGE}/package.json`, 'utf8')).private;

/**
 * Serves an empty page at /, the package at /npm/, the tests at /tests/ and models at /models/,
 * with these headers. The package is bundled, or with `isBundled: false` as it is published.
 */
export async function servePackage(headers = {}, { isBundled = true } = {}) {
  if (!existsSync(`${PACKAGE}/js/index.js`)) {
    throw new Error('the npm package is not built: run pkg-scripts/build-npm');
  }
  return serveFolder(here('../pages'), { npm: isBundled ? await bundlePackage(PACKAGE) : PACKAGE, tests: here('..'), models: here('../../models') }, headers);
}

/**
 * Opens a page that has the package as `window.lanthorn`, before any device is opened. `beforehand`
 * runs in it first.
 */
export async function openPackage(browser, site, beforehand) {
  const page = await browser.newPage();
  const problems = collectProblems(page);
  if (beforehand) {
    await page.addInitScript(beforehand);
  }
  await page.goto(site.origin);
  await page.evaluate(async () => {
    window.lanthorn = await import('/npm/js/index.js');
    window.expect = await import('/tests/lib/expect.mjs');
  });
  return { page, problems };
}

/** Runs a function in the page; its exception is thrown here, with its stack. */
export async function inPage(page, action, argument) {
  const failure = page.evaluate(action, argument);
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer from the page within ${CASE_LIMIT / 1000} s`)), CASE_LIMIT);
  });
  return Promise.race([failure, late]).finally(() => clearTimeout(timer));
}

/**
 * Runs `check` in a fresh page. Every console message must match `expected`; `beforehand` runs in
 * the page first.
 */
export async function withPackage(browser, site, check, { beforehand, expected } = {}) {
  const { page, problems } = await openPackage(browser, site, beforehand);
  try {
    await check(page);
    assert.deepEqual(problems.filter((problem) => !expected?.test(problem)), []);
  } finally {
    await page.close();
  }
}

/**
 * The package's site, with these headers, and a browser with these options of `launchBrowser`, for
 * the tests of a file: both are open while they run. `withPage` is {@link withPackage} in them.
 */
export function useBrowser(options, headers) {
  const used = { withPage: (check, given) => withPackage(used.browser, used.site, check, given) };
  before(async () => {
    used.site = await servePackage(headers);
    used.browser = await launchBrowser(options);
  });
  after(async () => {
    await used.browser?.close();
    await used.site?.close();
  });
  return used;
}

/** A rotation runs one case in `EVERY_ON_WEBGPU` on software WebGPU. */
const EVERY_ON_WEBGPU = 3;

/**
 * Declares a test for every case of the files, on every device. A file exports `cases`: functions
 * by the name of the tested behaviour, which get the package. One page runs all cases of a file.
 * After each case the device must still compute, and the console must be empty. A rotation runs all
 * cases on the CPU and one in three on WebGPU. `misses` has the cases that fail in a browser, by
 * browser and name, with the reason. `prints` has the console messages that a browser itself
 * prints in a case, by browser and name.
 */
export async function describeCases(folder, files, { misses = {}, prints = {} } = {}) {
  const site = {};
  before(async () => Object.assign(site, await servePackage()));
  after(() => site.close?.());
  const modules = await Promise.all(files.map((file) => import(`../${folder}/${file}.mjs`)));

  for (const device of DEVICES) {
    describe(`on ${device}`, () => {
      let browser;
      before(async () => {
        browser = await launchBrowser({ webgpu: device === 'webgpu', flags: ['--js-flags=--expose-gc'] });
      });
      after(() => browser?.close());

      for (const [index, file] of files.entries()) {
        describe(file, () => {
          let opened;
          before(async () => {
            opened = await openPackage(browser, site);
            const info = await inPage(opened.page, (wanted) => window.lanthorn.init({ device: wanted }), device);
            assert.equal(info.device, device);
          });
          after(() => opened?.page.close());

          const names = Object.keys(modules[index].cases);
          for (const name of device === 'webgpu' ? rotate(names, EVERY_ON_WEBGPU, index) : names) {
            test(name, { skip: misses[BROWSER]?.[name] }, async () => {
              await inPage(opened.page, runCase, { address: `/tests/${folder}/${file}.mjs`, name, device });
              const expected = prints[BROWSER]?.[name];
              assert.deepEqual(opened.problems.splice(0).filter((problem) => !expected?.test(problem)), []);
            });
          }
        });
      }
    });
  }
}

/** Runs in the page. */
async function runCase({ address, name, device }) {
  const { cases } = await import(address);
  await cases[name](window.lanthorn, device);
  const { tensor } = window.lanthorn;
  const [a, b] = [tensor([[1, 2], [3, 4]]), tensor([[0, 1], [1, 0]])];
  window.expect.equal(await a.matmul(b).add(1).tolist(), [[3, 2], [5, 4]], 'a small computation afterwards');
}
