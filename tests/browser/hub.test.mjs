/**
 * `lanthorn/hub` and `lanthorn/datasets` in a page, and the package from a CDN. Needs the package
 * built into target/npm.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serveHub } from '../data/hub-server.mjs';
import { withoutProtocol } from './lib/browser.mjs';
import { inPage, PACKAGE, useBrowser } from './lib/package-page.mjs';
import { collectProblems } from './lib/site.mjs';
import { serveFolder } from './lib/static-server.mjs';

const FILES = new URL('../data/files/', import.meta.url);
/** The browser itself reports answers other than 200, refused origins and broken connections. */
const NETWORK = /Failed to load resource|net::ERR|CORS|^request: \S+ NS_|Cross-Origin|access control/i;
const used = useBrowser({ webgpu: false });
let hub;
before(async () => {
  const files = await Promise.all((await readdir(FILES)).map(async (name) => [`files/${name}`, await readFile(new URL(name, FILES))]));
  hub = await serveHub(Object.fromEntries(files));
});
after(() => hub?.close());

describe('in a page', () => {
  test('files are stored, continued after a break, listed and removed', () =>
    used.withPage(async (page) => {
      const bytes = Buffer.from(Uint8Array.from({ length: 400_000 }, (_, index) => index % 251));
      hub.files['big.bin'] = hub.breaking(bytes, 150_000, 1);
      hub.files['me/net/resolve/main/a.txt'] = Buffer.from('hello');
      await inPage(page, async (origin) => {
        const { expect } = window;
        const { download, downloadSize, listDownloads, removeDownloads } = await import('/npm/js/hub/index.js');
        const failure = await download(`${origin}/big.bin`, { name: 'big.bin', retries: 0 }).catch((error) => error);
        expect.equal([failure.reason, failure.kind], ['network', 'file']);
        const [half] = await listDownloads();
        expect.ok(half.size > 0 && half.size < 400_000 && !half.isComplete, JSON.stringify(half));
        const file = await download(`${origin}/big.bin`, { name: 'big.bin' });
        const read = new Uint8Array(await file.arrayBuffer());
        expect.ok(file instanceof Blob && read.length === 400_000 && read.every((byte, index) => byte === index % 251), 'the parts are in order');
        expect.equal((await listDownloads()).map(({ name, size, isComplete }) => [name, size, isComplete]), [['big.bin', 400_000, true]]);
        expect.equal([await downloadSize(), await removeDownloads(), await downloadSize()], [400_000, 1, 0]);
      }, hub.origin);
      const ranges = hub.requests.splice(0).map(({ range }) => range);
      assert.ok(ranges.length === 2 && /^bytes=\d+-$/.test(ranges[1]), String(ranges));
    }, { expected: NETWORK }));

  test('a server that refuses the origin, and one that does not answer', () =>
    used.withPage(async (page) => {
      hub.files['closed.bin'] = Buffer.from('x');
      hub.isClosed = true;
      try {
        await inPage(page, async (origin) => {
          const { download } = await import('/npm/js/hub/index.js');
          const failure = await download(`${origin}/closed.bin`).catch((error) => error);
          window.expect.equal(failure.reason, 'cors');
          window.expect.ok(/CORS/.test(failure.message), failure.message);
        }, hub.origin);
      } finally {
        hub.isClosed = false;
      }
    }, { expected: NETWORK }));

  test('a full storage', { skip: withoutProtocol }, () =>
    used.withPage(async (page) => {
      const protocol = await page.context().newCDPSession(page);
      hub.files['large.bin'] = Buffer.alloc(3_000_000, 7);
      await protocol.send('Storage.overrideQuotaForOrigin', { origin: used.site.origin, quotaSize: 1_000_000 });
      try {
        await inPage(page, async (origin) => {
          const { download } = await import('/npm/js/hub/index.js');
          const failure = await download(`${origin}/large.bin`).catch((error) => error);
          window.expect.equal(failure.reason, 'storage', failure.message);
          window.expect.ok(/full/.test(failure.message), failure.message);
        }, hub.origin);
      } finally {
        await protocol.send('Storage.overrideQuotaForOrigin', { origin: used.site.origin });
      }
    }, { expected: NETWORK }));

  test('a data set is downloaded once, and trains without the server', () =>
    used.withPage(async (page) => {
      hub.requests.splice(0);
      const open = (origin) => inPage(page, async (mirror) => {
        await window.lanthorn.init({ device: 'cpu' });
        const [{ MNIST }, { DataLoader }] = await Promise.all([import('/npm/js/datasets/index.js'), import('/npm/js/data/index.js')]);
        const train = await MNIST.open('data', { download: mirror !== undefined, mirror, verify: false });
        for await (const [x, y] of new DataLoader(train, { batchSize: 3 })) window.expect.equal([x.shape, y.dtype, await y.tolist()], [[3, 1, 28, 28], 'int32', [7, 6, 5]]);
      }, origin);
      await open(`${hub.origin}/files`);
      assert.equal(hub.requests.length, 2);
      await page.reload();
      await page.evaluate(async () => {
        window.lanthorn = await import('/npm/js/index.js');
        window.expect = await import('/tests/lib/expect.mjs');
      });
      await open(undefined);
      assert.equal(hub.requests.length, 2, 'nothing is requested again');
    }));

  test('a chosen folder, files with paths, and pictures that are decoded', () =>
    used.withPage((page) => inPage(page, async () => {
      const { expect } = window;
      const { ImageFolder } = await import('/npm/js/datasets/index.js');
      const picture = async (colour) => {
        const canvas = new OffscreenCanvas(1, 1);
        const context = canvas.getContext('2d');
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        return canvas.convertToBlob({ type: 'image/png' });
      };
      const [red, blue] = [await picture('rgb(255 0 0)'), await picture('rgb(0 0 255)')];
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('pictures', { create: true });
      for (const [name, file] of [['dog', red], ['cat', blue]]) {
        const handle = await (await root.getDirectoryHandle(name, { create: true })).getFileHandle('1.png', { create: true });
        const writable = await handle.createWritable();
        await writable.write(file);
        await writable.close();
      }
      const chosen = [['dog', red], ['cat', blue]].map(([name, file]) => {
        const each = new File([file], '1.png');
        Object.defineProperty(each, 'webkitRelativePath', { value: `pictures/${name}/1.png` });
        return each;
      });
      for (const source of [root, chosen, new Map([['dog/1.png', red], ['cat/1.png', blue]])]) {
        const pictures = await ImageFolder.open(source);
        const [image, label] = await pictures.get(0);
        expect.equal([pictures.classes, Array.from(image.data), label], [['cat', 'dog'], [0, 0, 255], 0]);
      }
      await expect.refuses(() => ImageFolder.open([new File([red], '1.png')]), 'file', /no folder of a class/);
      await expect.refuses(() => ImageFolder.open('pictures'), 'argument', /no paths/);
    })));
});

describe('from a CDN', () => {
  let cdn, site, folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanthorn-cdn-'));
    const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
    await mkdir(join(folder, 'npm'));
    await mkdir(join(folder, 'page'));
    await symlink(resolve(PACKAGE), join(folder, `npm/lanthorn@${version}`));
    // As jsDelivr sends them: any page may load the files.
    cdn = await serveFolder(folder, {}, { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });
    const address = `${cdn.origin}/npm/lanthorn@${version}/js`;
    const imports = { lanthorn: `${address}/index.js`, 'lanthorn/io': `${address}/io/index.js` };
    const program = (core, io) => `import { init, nn, tensor } from '${core}';
      import { load, save } from '${io}';
      await init({ device: 'cpu' });
      const net = new nn.Linear(2, 1);
      net.loadStateDict(await load(await save(net.stateDict())));
      net.call(tensor([[1, 2]])).sum().backward();
      document.title = (await net.weight.grad.tolist()).join();`;
    const pages = {
      'plain.html': `<script type="module">${program(imports.lanthorn, imports['lanthorn/io'])}</script>`,
      'map.html': `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${program('lanthorn', 'lanthorn/io')}</script>`,
    };
    for (const [name, page] of Object.entries(pages)) await writeFile(join(folder, 'page', name), `<!doctype html><link rel="icon" href="data:,">${page}`);
    site = await serveFolder(join(folder, 'page'));
  });
  after(async () => {
    await site?.close();
    await cdn?.close();
    await rm(folder, { recursive: true });
  });

  for (const name of ['plain.html', 'map.html']) {
    test(`a page without a bundler trains: ${name}`, async () => {
      const page = await used.browser.newPage();
      const problems = collectProblems(page);
      try {
        await page.goto(`${site.origin}/${name}`);
        await page.waitForFunction(() => document.title !== '', null, { timeout: 20_000 });
        assert.deepEqual([await page.title(), problems], ['1,2', []]);
      } finally {
        await page.close();
      }
    });
  }
});
