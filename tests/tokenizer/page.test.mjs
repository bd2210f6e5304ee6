/** `lanthorn/tokenizer` in a page, with files from a server. Needs the package built into target/npm. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { launchBrowser } from '../browser/lib/browser.mjs';
import { inPage, openPackage, servePackage } from '../browser/lib/package-page.mjs';

test('a page reads a tokenizer, and tensors are made of its batches', async () => {
  const bytes = gunzipSync(await readFile(new URL('files/bert-uncased.json.gz', import.meta.url)));
  const browser = await launchBrowser({ webgpu: false });
  let site;
  try {
    site = await servePackage();
    const { page, problems } = await openPackage(browser, site);
    const result = await inPage(page, async (text) => {
      const { Tokenizer } = await import('/npm/js/tokenizer/index.js');
      await window.lanthorn.init({ device: 'cpu' });
      const url = URL.createObjectURL(new Blob([text]));
      const tokenizer = await Tokenizer.fromFile(url);
      const { inputIds, attentionMask, shape } = tokenizer.batch(['Hello world', 'a'], { padding: true });
      const ids = window.lanthorn.tensor(inputIds, { shape });
      const count = window.lanthorn.tensor(attentionMask, { shape }).sum();
      const refused = await Tokenizer.fromFile(new Blob(['{}'])).catch((error) => [error.name, error.kind]);
      return { shape: ids.shape, dtype: ids.dtype, count: await count.item(), text: tokenizer.decode((await ids.tolist())[0]), refused };
    }, bytes.toString());
    assert.equal(result.text, 'hello world');
    assert.equal(result.dtype, 'int32');
    assert.equal(result.shape[0], 2);
    assert.equal(result.count, result.shape[1] + 3);
    assert.deepEqual(result.refused, ['LanthornError', 'file']);
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
    await site?.close();
  }
});
