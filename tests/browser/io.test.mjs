/**
 * `lanthorn/io` in a real browser, on WebGPU (in software) and on the CPU, with files written by
 * PyTorch and a misbehaving server. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { BROWSER, launchBrowser } from './lib/browser.mjs';
import { serveFiles } from './lib/file-server.mjs';
import { DEVICES, inPage, openPackage, servePackage } from './lib/package-page.mjs';
import { cases } from './io/cases.mjs';

for (const device of DEVICES) {
  describe(`on ${device}`, () => {
    let site, files, browser, opened;
    before(async () => {
      [site, files] = [await servePackage(), await serveFiles()];
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
      opened = await openPackage(browser, site);
      await opened.page.exposeFunction('bytesSent', () => files.sent());
      const info = await inPage(opened.page, async (wanted) => {
        window.io = await import('/npm/js/io.js');
        return window.lanthorn.init({ device: wanted });
      }, device);
      assert.equal(info.device, device);
    });
    after(async () => {
      await browser?.close();
      await files?.close();
      await site?.close();
    });

    for (const name of Object.keys(cases)) {
      test(name, async () => {
        await inPage(opened.page, async ({ name, device, files }) => {
          const { cases } = await import('/tests/io/cases.mjs');
          await cases[name]({ lanthorn: window.lanthorn, io: window.io, device, files, sent: window.bytesSent });
        }, { name, device, files: files.origin });
        // The browser itself reports responses other than 200 and broken connections.
        assert.deepEqual(opened.problems.splice(0).filter((problem) => !/Failed to load resource|net::ERR|^request: \S+ NS_/.test(problem)), []);
      });
    }

    // Playwright does not see downloads by WebDriver BiDi, which it drives Firefox by.
    const hasDownloads = BROWSER !== 'firefox';
    if (hasDownloads) test('a download has the name and the bytes', async () => {
      const waiting = opened.page.waitForEvent('download');
      await inPage(opened.page, async () => window.io.download({ x: window.lanthorn.tensor([1, 2]) }, 'state.npz'));
      const download = await waiting;
      assert.equal(download.suggestedFilename(), 'state.npz');
      const bytes = await readFile(await download.path());
      const expected = await inPage(opened.page, async () => Array.from(new Uint8Array(await (await window.io.save({ x: window.lanthorn.tensor([1, 2]) }, { format: 'npz' })).arrayBuffer())));
      assert.deepEqual(Array.from(bytes), expected);
    });
  });
}
