/**
 * Every page of the site, on a phone and on a desk, in light and in dark, under a path of its host: without violations of
 * accessibility that axe finds, without an error in the console, without a request to another host. Nothing of it moves
 * while it is loaded.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SHORT } from './lib/chapter.mjs';
import { launchChromium } from './lib/chromium.mjs';
import { collectProblems, SITE } from './lib/site.mjs';
import { loadSource, vite } from './lib/source.mjs';
import { serveFolder } from './lib/static-server.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const AXE = readFileSync(here('../../www/node_modules/axe-core/axe.min.js'), 'utf8');
const CHAPTERS = readdirSync(here('../../www/src/chapters'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
const PAGES = ['', 'guides/', 'guides/troubleshooting/', 'reference/', 'reference/conv2d/', 'playground/', ...CHAPTERS.map((name) => `chapters/${name}/`)];
const VIEWS = [
  { name: 'phone, light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'desk, dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
];

/**
 * axe takes two minutes for the list of the reference, whose entries are made by one function: it is shown one in so many,
 * or with the environment variable LANTHORN_EVERY_ENTRY all of them.
 */
const ONE_ENTRY_IN = process.env.LANTHORN_EVERY_ENTRY ? 1 : 20;

/** Of the layout, while a page is loaded: 0.1 is what web vitals still call good. */
const MOST_SHIFT = 0.05;

let server;
let browser;
before(async () => {
  // Below a folder, as static hosts of projects have it.
  server = await serveFolder(here('./pages'), { below: SITE });
  browser = await launchChromium({ webgpu: false });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens a page of the site and waits until its device is ready, where it has one. */
async function withPage(path, view, check) {
  const context = await browser.newContext({ ...view, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems = collectProblems(page);
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (origin !== server.origin && origin !== 'null') problems.push(`request to ${origin}`);
  });
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: 'layout-shift', buffered: true });
  });
  try {
    await page.goto(`${server.origin}/below/${path}index.html?device=cpu`);
    await page.waitForFunction(() => document.documentElement.dataset.state !== 'loading', null, { timeout: SHORT });
    // The chapter on tensors runs code at once, and what that draws is part of the page.
    if (path.includes('tensors')) await page.waitForFunction(() => window.lanthornDemo.runs > 0, null, { timeout: SHORT });
    await check(page);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

describe('every page', () => {
  for (const path of PAGES) {
    for (const { name, ...view } of VIEWS) {
      test(`${path || 'the first page'} (${name})`, () =>
        withPage(path, view, async (page) => {
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'the page is as wide as the window');
          const shift = await page.evaluate(() => window.shift);
          assert.ok(shift < MOST_SHIFT, `the layout shifts by ${shift}`);
          const firstRules = await page.evaluate(() => {
            const first = [...document.styleSheets].find(({ href }) => href);
            return [...first.cssRules].map(({ selectorText }) => selectorText);
          });
          assert.ok(['.wrap', '.tiles', '.code', '.grid'].every((rule) => firstRules.includes(rule)), 'the rules of all pages come before its own');
          assert.equal(await page.locator('h1').count(), 1);
          assert.ok((await page.locator('meta[name=description]').getAttribute('content')).length > 40);
          await page.evaluate((one) => document.querySelectorAll('.entries > li').forEach((entry, at) => at % one && entry.remove()), ONE_ENTRY_IN);
          await page.evaluate(AXE);
          const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
          assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`), []);
        }));
    }
  }
});

test('the first page leads to every chapter, and each to the next', () =>
  withPage('', VIEWS[1], async (page) => {
    const links = await page.locator('#chapters a').evaluateAll((all) => all.map(({ href }) => href));
    assert.equal(links.length, CHAPTERS.length);
    for (const [index, link] of links.entries()) {
      const [, next] = /rel="next" href="([^"]+)"/.exec(await (await page.request.get(link)).text()) ?? [];
      assert.equal(next && new URL(next, link).href, links[index + 1]);
    }
  }));

test('says that it needs scripts, where there are none', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.goto(`${server.origin}/below/index.html`);
    assert.match(await page.locator('noscript').innerText(), /Allow scripts/);
  } finally {
    await context.close();
  }
});

test('where the site has an address, pages and those that are made of a template have their own, and the site map has all', async () => {
  const root = await mkdtemp(join(tmpdir(), 'lanthorn-site-'));
  try {
    for (const [folder, about] of [['', {}], ['shelf/book', { isTemplate: true }]]) {
      await mkdir(join(root, folder), { recursive: true });
      await writeFile(join(root, folder, 'about.json'), JSON.stringify({ title: 'A', summary: 'B.', description: 'C.', ...about }));
      await writeFile(join(root, folder, 'index.html'), '<main class="wrap"></main>');
      await writeFile(join(root, folder, 'page.ts'), '');
    }
    await cp(here('../../www/src/parts/lantern.svg'), join(root, 'parts/lantern.svg'));
    const [{ build }, { frame }, { madeFrom }] = [await vite(), await loadSource('frame.ts'), await loadSource('made.ts')];
    const made = { name: 'made', ...madeFrom('shelf/book', [{ folder: 'shelf/one', fill: (page) => page }]) };
    const input = [join(root, 'index.html'), join(root, 'shelf/book/index.html')];
    const plugins = [made, frame(root, 'https://example.org/site/', ['shelf/one'])];
    await build({ root, base: './', configFile: false, logLevel: 'error', plugins, build: { outDir: 'built', rollupOptions: { input } } });
    const read = (file) => readFile(join(root, 'built', file), 'utf8');
    const addresses = [];
    for (const folder of ['', 'shelf/one/']) {
      const page = await read(`${folder}index.html`);
      for (const pattern of [/rel="canonical" href="([^"]*)"/, /og:url" content="([^"]*)"/]) {
        assert.equal(pattern.exec(page)?.[1], `https://example.org/site/${folder}index.html`);
      }
      addresses.push(`https://example.org/site/${folder}index.html`);
    }
    assert.deepEqual([...(await read('sitemap.xml')).matchAll(/<loc>(.*)<\/loc>/g)].map(([, address]) => address), addresses);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
