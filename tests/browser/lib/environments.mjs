/** Cases that run in Node and in pages. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BROWSER, DEVICES, launchBrowser } from './browser.mjs';
import { inPage, openPackage, servePackage } from './package-page.mjs';
import { rotate } from './rotation.mjs';

/** A rotation runs one case in `EVERY[device]` in a page. Compiling pipelines takes longest. */
const EVERY = { webgpu: 4, cpu: 2 };

/**
 * Declares a test for every case in Node on the CPU and, in a page, on every device. A rotation
 * runs all cases in Node, and a part of them on each device of a page. Another browser runs the
 * files of WebKit, too, so WebKit skips the tests in Node. After a case the page's console must be
 * empty, except for lines that match `expected`.
 *
 * `cases` are functions by the name of the tested behaviour, and `address` is their module in a
 * page. They get the object that `givenInNode()` resolves to, or in a page
 * `givenInPage(argument)`, which runs there; each with `device`. `misses` has the cases that fail
 * in a browser, by browser, device and name, with the reason.
 */
export function describeEnvironments({ cases, address, givenInNode, givenInPage, argument, expected, misses = {} }) {
  const names = Object.keys(cases);

  describe('in Node', { skip: BROWSER === 'webkit' }, () => {
    const given = { device: 'cpu' };
    before(async () => {
      setFlagsFromString('--expose-gc');
      globalThis.gc = runInNewContext('gc');
      Object.assign(given, await givenInNode());
      await given.lanthorn.init({ device: 'cpu' });
    });
    for (const name of names) test(name, () => cases[name](given));
  });

  for (const [index, device] of DEVICES.entries()) {
    describe(`on ${device}`, () => {
      let site, browser, opened;
      before(async () => {
        site = await servePackage();
        browser = await launchBrowser({ webgpu: device === 'webgpu', flags: ['--js-flags=--expose-gc'] });
        opened = await openPackage(browser, site);
        await opened.page.evaluate(`window.makeGiven = ${givenInPage}`);
        const info = await inPage(opened.page, async ({ device, argument }) => {
          window.given = { lanthorn: window.lanthorn, device, ...(await window.makeGiven(argument)) };
          return window.lanthorn.init({ device });
        }, { device, argument });
        assert.equal(info.device, device);
      });
      after(async () => {
        await browser?.close();
        await site?.close();
      });

      // The devices take different cases, so that the page runs all of them.
      for (const name of rotate(names, EVERY[device], index)) {
        test(name, { skip: misses[BROWSER]?.[device]?.[name] }, async () => {
          await inPage(opened.page, async ({ address, name }) => {
            const { cases } = await import(address);
            await cases[name](window.given);
          }, { address, name });
          assert.deepEqual(opened.problems.splice(0).filter((problem) => !expected?.test(problem)), []);
        });
      }
    });
  }
}
