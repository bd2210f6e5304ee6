/**
 * `lanthorn/io` in a real browser, on WebGPU (in software) and on the CPU, with files written by
 * PyTorch and a misbehaving server. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { launchBrowser, missing } from './lib/browser.mjs';
import { serveFiles } from './lib/file-server.mjs';
import { DEVICES, inPage, openPackage, servePackage, useBrowser } from './lib/package-page.mjs';
import { cases } from './io/cases.mjs';

for (const device of DEVICES) {
  describe(`on ${device}`, () => {
    let site, files, browser, opened;
    before(async () => {
      [site, files] = [await servePackage(), await serveFiles()];
      browser = await launchBrowser({ webgpu: device === 'webgpu', flags: ['--js-flags=--expose-gc'] });
      opened = await openPackage(browser, site);
      await opened.page.exposeFunction('bytesSent', () => files.sent());
      const info = await inPage(opened.page, async (wanted) => {
        window.io = await import('/npm/js/io/index.js');
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

    const withoutDownloads = missing({ firefox: 'WebDriver BiDi lacks downloads' });
    test('a download has the name and the bytes', { skip: withoutDownloads }, async () => {
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

describe('files of a page', () => {
  const used = useBrowser({ webgpu: false });

  /** Runs a case of io/cases.mjs in a page. */
  const runCase = (page, name) => inPage(page, async (name) => {
    await window.lanthorn.init({ device: 'cpu' });
    const [io, { cases }] = await Promise.all([import('/npm/js/io/index.js'), import('/tests/io/cases.mjs')]);
    await cases[name]({ lanthorn: window.lanthorn, io });
  }, name);

  test('are in a database where the browser refuses its private file system, and the console says so once', () =>
    used.withPage(async (page) => {
      const warnings = [];
      page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
      await runCase(page, 'files of the page stay, are listed, replaced and removed');
      await runCase(page, 'a file that is saved and loaded at once is whole');
      assert.equal(warnings.length, 1, warnings.join('\n'));
      assert.match(warnings[0], /kept in IndexedDB, .*unknown transient reason/);
    }, {
      beforehand: () => {
        const getDirectory = async () => {
          throw new DOMException('The operation failed for an unknown transient reason (e.g. out of memory).', 'UnknownError');
        };
        Object.defineProperty(navigator, 'storage', { value: { getDirectory } });
      },
    }));

  test('are whole where two tabs save and load one name', async () => {
    const context = await used.browser.newContext();
    try {
      const tabs = [await openPackage(context, used.site), await openPackage(context, used.site)];
      await Promise.all(tabs.map(({ page }, tab) => inPage(page, async (tab) => {
        await window.lanthorn.init({ device: 'cpu' });
        const { opfs } = await import('/npm/js/io/index.js');
        for (let time = 0; time < 10; time += 1) {
          await opfs.save('both.safetensors', { x: window.lanthorn.full([1 << 18], tab + 0.5) });
          const { x } = await opfs.load('both.safetensors');
          window.expect.equal(await x.min().item(), await x.max().item());
        }
      }, tab)));
      assert.deepEqual(tabs.flatMap(({ problems }) => problems), []);
    } finally {
      await context.close();
    }
  });
});
