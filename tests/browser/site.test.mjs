/**
 * Every page of the site, on a phone and on a desk, in light and in dark, under a path of its host:
 * without violations of accessibility that axe finds, without an error in the console, without a
 * request to another host. Nothing of it moves while it is loaded.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHAPTERS, SHORT, TRAINING_CHAPTERS } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { readWorkers } from './lib/chunks.mjs';
import { rotate, rotation } from './lib/rotation.mjs';
import { collectProblems, SITE } from './lib/site.mjs';
import { loadSource, vite } from './lib/source.mjs';
import { serveFolder } from './lib/static-server.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const AXE = readFileSync(here('../../www/node_modules/axe-core/axe.min.js'), 'utf8');
const PAGES = ['', 'begin/', 'guides/', 'guides/troubleshooting/', 'reference/', 'reference/conv2d/', 'playground/', ...CHAPTERS.map((name) => `chapters/${name}/`)];
const VIEWS = [
  { name: 'phone, light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'desk, dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
];

/**
 * axe takes two minutes for the list of the reference, whose entries are made by one function. A
 * rotation shows it one entry in `ONE_ENTRY_IN`.
 */
const ONE_ENTRY_IN = 20;

/** A common small window; most of its height is the page's own. */
const SMALL = { width: 1366, height: 650 };

/** Pictures that a training changes, within the stage of a chapter. */
const PICTURE = '.stage .picture :is(canvas.plane, canvas.square, canvas.map, .chart, .curve, .losses, .samples, .layers, #tree)';

/** Of the layout, while a page is loaded: 0.1 is what web vitals still call good. */
const MAX_SHIFT = 0.05;

let server;
let browser;
before(async () => {
  // Below a folder, as static hosts of projects have it.
  server = await serveFolder(here('./pages'), { below: SITE });
  browser = await launchBrowser({ webgpu: false });
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
  for (const [index, path] of PAGES.entries()) {
    // A rotation shows each page in one of the views.
    for (const { name, ...view } of rotate(VIEWS, VIEWS.length, index)) {
      test(`${path || 'the first page'} (${name})`, () =>
        withPage(path, view, async (page) => {
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'the page is as wide as the window');
          const shift = await page.evaluate(() => window.shift);
          assert.ok(shift < MAX_SHIFT, `the layout shifts by ${shift}`);
          const firstRules = await page.evaluate(() => {
            const first = [...document.styleSheets].find(({ href }) => href);
            return [...first.cssRules].map(({ selectorText }) => selectorText);
          });
          assert.ok(['.wrap', '.tiles', '.code', '.grid'].every((rule) => firstRules.includes(rule)), 'the rules of all pages come before its own');
          assert.equal(await page.locator('body.held').count(), 0, 'the script has shown all content');
          assert.equal(await page.locator('h1').count(), 1);
          assert.ok((await page.locator('meta[name=description]').getAttribute('content')).length > 40);
          if (rotation !== undefined) {
            await page.evaluate(([every, first]) => {
              document.querySelectorAll('.entries > li').forEach((entry, at) => at % every !== first && entry.remove());
            }, [ONE_ENTRY_IN, rotation % ONE_ENTRY_IN]);
          }
          await page.evaluate(AXE);
          const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
          assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`), []);
          if (TRAINING_CHAPTERS.some((name) => path === `chapters/${name}/`)) await showsStartAndPicture(page);
        }));
    }
  }
});

/** In a small window the start button and its picture are visible without scrolling. */
async function showsStartAndPicture(page) {
  await page.setViewportSize(SMALL);
  await page.evaluate(() => new Promise((resolve) => {
    scrollTo(0, 0);
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  }));
  for (const selector of ['#start, #train', PICTURE]) {
    const { top, bottom, width } = await page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().toJSON());
    assert.ok(width > 0 && top >= 0 && bottom <= SMALL.height, `${selector} is from ${top} to ${bottom}, in a window of ${SMALL.height}`);
  }
}

test('no chunk imports the entry of a worker, which WebKit would evaluate twice', async () => {
  const { entries, importers } = await readWorkers(join(SITE, 'assets'));
  assert.ok(entries.length >= CHAPTERS.length - 2, `${entries.length} workers`);
  assert.deepEqual(importers, []);
});

test('the install line is copied, and the first page leads to the beginning', () =>
  withPage('', VIEWS[1], async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#copy-install');
    await page.waitForFunction(() => document.getElementById('copy-install').textContent === 'Copied', null, { timeout: SHORT });
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'npm install lanthorn');
    await page.click('.way.first');
    await page.waitForURL(/begin\/index\.html$/);
  }));

test('the page for beginners: a hand turns the knob, and the machine finds the slope', () =>
  withPage('begin/', VIEWS[1], async (page) => {
    const number = async (id) => Number(await page.locator(id).innerText());
    await page.fill('#knob', '3');
    // The mean of (3 x - y)² over the receipts (1, 2.1), (2, 3.8), (3, 6.2), (4, 7.9).
    assert.equal(await number('#loss-number'), 7.57);
    await page.click('#back');
    await page.click('#step');
    await page.waitForFunction(() => /falls when the knob goes up/.test(document.getElementById('said').innerText), null, { timeout: SHORT });
    // The gradient is 15 · 0.6 - 29.95, and the step 0.02 of it.
    assert.equal(await number('#knob-number'), 1.02);
    await page.click('#learn');
    await page.waitForFunction(() => /^Found/.test(document.getElementById('said').innerText), null, { timeout: SHORT });
    assert.ok(Math.abs((await number('#knob-number')) - 59.9 / 30) < 0.02);
  }));

test('one control forgets everything that the site stored, after a question, and nothing of others', () =>
  withPage('chapters/digits/', VIEWS[1], async (page) => {
    await page.evaluate(() => {
      localStorage.setItem('lanthorn:draft', 'zeros([2])');
      localStorage.setItem('of another site', '1');
    });
    const files = () => page.evaluate(async () => {
      const names = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
      return names;
    });
    await page.click('#step');
    await page.waitForFunction(() => /^Saved/.test(document.getElementById('kept').textContent), null, { timeout: SHORT });
    await page.click('#fresh-start');
    assert.match(await page.locator('dialog').innerText(), /digits\.pt.*draft of the playground/s);
    await page.click('#keep-stored');
    await page.waitForFunction(() => !document.querySelector('dialog'), null, { timeout: SHORT });
    assert.deepEqual(await files(), ['digits.pt']);
    // A page that trains would store again.
    await page.click('#start');
    await page.click('#fresh-start');
    await Promise.all([page.waitForEvent('load'), page.click('#forget')]);
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready', null, { timeout: SHORT });
    assert.match(await page.locator('#forgotten').innerText(), /is forgotten/);
    assert.equal(await page.locator('#step-number').innerText(), '0');
    assert.deepEqual(await files(), []);
    assert.deepEqual(await page.evaluate(() => [...Object.keys(localStorage), location.hash]), ['of another site', '']);
  }));

test('files in a database are listed and forgotten, where there is no private file system', async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(() => {
      const getDirectory = async () => { throw new DOMException('unknown transient reason', 'UnknownError'); };
      Object.defineProperty(navigator, 'storage', { value: { getDirectory } });
    });
    const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
    await page.goto(`${server.origin}/below/chapters/digits/index.html?device=cpu`);
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready', null, { timeout: SHORT });
    await page.click('#fresh-start');
    assert.match(await page.locator('dialog').innerText(), /no checkpoint/);
    await page.click('#keep-stored');
    assert.ok(!(await databases()).includes('lanthorn-files'), 'the question makes no database');
    // The package stores a file in a page whose private file system is refused.
    await page.evaluate(() => new Promise((resolve, reject) => {
      const opening = indexedDB.open('lanthorn-files', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('files');
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction('files', 'readwrite');
        transaction.objectStore('files').put(new ArrayBuffer(8), 'kept.pt');
        transaction.oncomplete = () => resolve(opening.result.close());
      };
    }));
    await page.click('#fresh-start');
    assert.match(await page.locator('dialog').innerText(), /a file \(kept\.pt\)/);
    await Promise.all([page.waitForEvent('load'), page.click('#forget')]);
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready', null, { timeout: SHORT });
    assert.ok(!(await databases()).includes('lanthorn-files'), 'the database is forgotten');
  } finally {
    await context.close();
  }
});

test('pictures take a part of the time only, however slow the machine paints', async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(() => {
      const { clearRect } = CanvasRenderingContext2D.prototype;
      window.painting = 0;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        const start = performance.now();
        while (performance.now() - start < 30);
        window.painting += performance.now() - start;
        return clearRect.apply(this, box);
      };
    });
    await page.goto(`${server.origin}/below/chapters/classification/index.html?device=cpu&autostart=1&steps=1000000&speed=fast`);
    await page.waitForFunction(() => window.lanthornDemo?.step > 20, null, { timeout: SHORT });
    const share = await page.evaluate(() => new Promise((resolve) => {
      const [start, before] = [performance.now(), window.painting];
      setTimeout(() => resolve((window.painting - before) / (performance.now() - start)), 6000);
    }));
    assert.ok(share > 0 && share < 0.4, `painting takes ${share} of the time`);
  } finally {
    await context.close();
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
    await writeFile(join(root, 'parts/every-page.ts'), '');
    const [{ build }, { frame }, { generatePages }] = [await vite(), await loadSource('frame.ts'), await loadSource('generated-pages.ts')];
    const made = { name: 'made', ...generatePages('shelf/book', [{ folder: 'shelf/one', fill: (page) => page }]) };
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
