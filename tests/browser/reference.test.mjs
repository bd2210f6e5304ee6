/** The reference in a real browser: its list, its search, its pages and the links between them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite } from './lib/site.mjs';

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
const address = (path) => `${site.origin}/reference/${path}index.html`;

test('lists every entry of the pages that are printed from the tables, and the functions and classes of no table', () =>
  visit(browser, address(''), async (page) => {
    const headings = (file, pattern) => readFileSync(new URL(`../../docs/${file}.md`, import.meta.url), 'utf8').match(pattern).length;
    const entries = headings('operations', /^## /gm) + headings('modules', /^### /gm) + headings('optimizers', /^### /gm);
    const kinds = await page.locator('#found .kind').allTextContents();
    const others = kinds.filter((kind) => kind === 'Function' || kind === 'Class');
    assert.equal(kinds.length - others.length, entries);
    assert.equal(await page.locator('#count').innerText(), `${kinds.length} entries.`);
    const names = await page.locator('#found code').allTextContents();
    const some = ['grad', 'scope', 'nn.init.zeros_', 'io.load', 'data.DataLoader', 'models.generate', 'workers.ProcessGroup', 'tokenizer.Tokenizer', 'Tensor'];
    assert.deepEqual(some.filter((name) => !names.includes(name)), []);
  }));

test('finds an entry by a part of its name, and opens it with the keyboard', () =>
  visit(browser, address(''), async (page) => {
    await page.fill('#words', 'indexSelect');
    assert.equal(await page.locator('#found a').first().textContent(), 'index_select');
    assert.match(page.url(), /q=indexSelect/);
    await page.fill('#words', 'Conv2d');
    const found = await page.locator('#found a').allTextContents();
    assert.ok(found.includes('nn.Conv2d') && found.includes('conv2d'), found.join());
    await page.fill('#words', 'nothing is called so');
    assert.equal(await page.locator('#count').innerText(), '0 entries.');
    await page.fill('#words', 'layer_norm');
    await page.press('#words', 'Enter');
    await page.waitForURL(/\/layer_norm\//);
    assert.equal(await page.locator('h1').innerText(), 'layer_norm');
    assert.equal(await page.title(), 'layer_norm – lanthorn');
  }));

test('has a page for each, whose links lead to pages', () =>
  visit(browser, address('nn-LSTM/'), async (page) => {
    assert.match(await page.locator('pre').nth(0).innerText(), /^new nn\.LSTM\(inputSize: number/);
    assert.match(await page.locator('pre').nth(1).innerText(), /^LSTM\(int input_size/);
    // The text of `setitem` has links of Rust's documentation.
    for (const entry of ['max_pool1d', 'setitem']) {
      await page.goto(address(`${entry}/`));
      const seen = await page.locator('main a, header a').evaluateAll((all) => all.map(({ href, textContent }) => [href, textContent.trim()]));
      const links = seen.map(([link, words]) => [link.replace(/#.*/, ''), words]);
      assert.ok(links.length >= 3);
      for (const [link, words] of links) {
        assert.notEqual(words, '', link);
        if (link.startsWith(site.origin)) assert.equal((await page.request.get(link)).status(), 200, link);
        else assert.match(link, /^https:\/\/docs\.rs\/lanthorn\/\d+\.\d+\.\d+\/lanthorn\/index\.html\?search=\w+$/, 'the documentation of the crate is on another host');
      }
    }
  }));
