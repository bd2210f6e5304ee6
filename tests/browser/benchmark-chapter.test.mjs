/**
 * The benchmark's chapter in a real browser: the libraries agree on the CPU, a case is measured on
 * WebGPU (in software), what fails is said, and no other page loads the libraries.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SHORT, TRAINING, visit } from './lib/chapter.mjs';
import { launchBrowser, withoutProtocol } from './lib/browser.mjs';
import { isPublished } from './lib/package-page.mjs';
import { SITE, waitForState } from './lib/site.mjs';
import { ISOLATED, serveFolder } from './lib/static-server.mjs';

let site;
before(async () => {
  // Where workers can share memory, a library might use more than one thread.
  const { origin, close } = await serveFolder(SITE, {}, ISOLATED);
  site = { origin, close, address: (parameters, chapter) => `${origin}/chapters/${chapter}/index.html?${new URLSearchParams(parameters)}` };
});
after(() => site?.close());

/** The texts of a library's row in a case. */
const row = (page, name, library) => page.locator(`[data-case=${name}] [data-library=${library}] :is(th, td)`).allInnerTexts();
const NUMBER = '[\\d.]+';

/** Alters the second answer that the page hears. Runs in the page. */
function alterAnswer() {
  let answers = 0;
  Worker.prototype.addEventListener = function (type, listener) {
    EventTarget.prototype.addEventListener.call(this, type, (event) => {
      if (event.data?.answer && (answers += 1) === 2) event.data.answer[0] += 1;
      listener(event);
    });
  };
}

describe('the benchmark chapter on the CPU', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser({ webgpu: false });
  });
  after(() => browser?.close());

  test('all libraries give the same answers, and the table has their times', () =>
    visit(browser, site.address({ device: 'cpu', seconds: 0.02 }, 'benchmark'), async (page) => {
      await waitForState(page, 'ready', SHORT);
      const option = page.locator('#device option[value=webgpu]');
      assert.ok(await option.evaluate(({ disabled }) => disabled));
      assert.match(await option.innerText(), /not in this browser/);
      const promised = await page.locator('#libraries').innerText();
      assert.equal(await page.locator('#results td', { hasText: /\d/ }).count(), 0);

      await page.click('#run');
      const shown = await waitForState(page, 'done', TRAINING);
      assert.deepEqual([shown.measured, shown.failed, shown.compared], [15, 0, 10], await page.locator('#results').innerText());
      assert.ok(shown.difference < 1e-4, `the answers differ by ${shown.difference}`);
      assert.match(await page.locator('#agreement').innerText(), /All 10 answers agree/);
      for (const library of ['lanthorn', 'tfjs', 'jaxjs']) {
        const texts = await row(page, 'training', library);
        const wanted = ['.+', `${NUMBER} ms`, `${NUMBER} ×`, `${NUMBER} GFLOP/s`, `${NUMBER} ms`, '\\d+'];
        texts.forEach((text, index) => assert.match(text, new RegExp(`^${wanted[index]}$`)));
      }
      assert.equal((await row(page, 'matmul', 'lanthorn'))[2], '1.00 ×');
      assert.match(await page.locator('#bars').getAttribute('aria-label'), /Matrix product: lanthorn [\d.]+ ms, TensorFlow\.js [\d.]+ ms/);

      // The promised sizes equal the loaded sizes.
      const sizes = (text, pattern) => [...text.matchAll(pattern)].map(([, value]) => Number(value.replace(',', '')));
      const megabytes = sizes(promised, /about ([\d.]+) MB/g);
      const loaded = sizes(await page.locator('#libraries').innerText(), /([\d,]+) kB are loaded/g).map((value) => value / 1000);
      assert.equal(loaded.length, 3);
      // The build for tests has larger modules than the published package.
      if (!isPublished()) loaded[0] = megabytes[0];
      loaded.forEach((value, index) => assert.ok(Math.abs(value / megabytes[index] - 1) < 0.25, `promised ${megabytes[index]} MB, loaded ${value} MB`));

      // The text is shown where copying is not allowed.
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } }));
      await page.click('#copy-json');
      const { device, results } = JSON.parse(await page.locator('#results-text').inputValue());
      assert.equal(device, 'cpu');
      assert.ok(results.length === 15 && results.every(({ medianMs, firstMs }) => medianMs > 0 && firstMs > 0));
      await page.click('#copy-markdown');
      assert.match(await page.locator('#results-text').inputValue(), /\| Convolution \| jax-js [\d.]+ \| [\d.]+ ms \|/);
    }));

  test('a library that cannot be loaded is said, as is another answer, and the others go on', async () => {
    const page = await browser.newPage();
    try {
      await page.addInitScript(alterAnswer);
      await page.route(/assets\/tfjs-/, (route) => route.abort());
      await page.goto(site.address({ device: 'cpu', seconds: 0.02, cases: 'softmax', autostart: 1 }, 'benchmark'));
      const shown = await waitForState(page, 'done', SHORT);
      assert.deepEqual([shown.measured, shown.failed], [2, 1]);
      assert.match(shown.status, /1 of 3 cells/);
      const [failure, difference] = await page.locator('#results .remark').allInnerTexts();
      assert.match(failure, /No result\. It could not be loaded/);
      assert.match(difference, /The answer is not that of lanthorn/);
      assert.match(await page.locator('#agreement').innerText(), /1 of 1 answers differ/);
    } finally {
      await page.close();
    }
  });

  test('it stops in the middle, and says what it cannot measure', () =>
    visit(browser, site.address({ device: 'cpu', seconds: 30, libraries: 'lanthorn', cases: 'softmax,nonsense' }, 'benchmark'), async (page) => {
      const { notice } = await waitForState(page, 'ready', SHORT);
      assert.match(notice, /Unknown names in the address were ignored: nonsense/);
      await page.click('#run');
      await page.waitForFunction(() => document.getElementById('status').textContent.includes('in turn'), null, { timeout: SHORT });
      await page.click('#stop');
      const stopped = await waitForState(page, 'ready', SHORT);
      assert.match(stopped.status, /Stopped/);
      assert.equal(stopped.stopped, 1);

      await page.fill('#seconds', 'soon');
      await page.click('#run');
      assert.match(await page.locator('#notice').innerText(), /“soon” is not a number/);
      await page.fill('#seconds', '0,02');
      await page.uncheck('#libraries input[value=lanthorn]');
      await page.click('#run');
      assert.match(await page.locator('#notice').innerText(), /Tick at least one library/);
      await page.check('#libraries input[value=lanthorn]');
      await page.click('#run');
      assert.equal((await waitForState(page, 'done', SHORT)).measured, 1);
    }));

  test('other pages, and this one before Run, load no library', async () => {
    const page = await browser.newPage();
    try {
      const requests = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.goto(`${site.origin}/index.html`);
      for (const chapter of ['tensors', 'benchmark']) {
        await page.goto(site.address({ device: 'cpu' }, chapter));
        await waitForState(page, 'ready', SHORT);
      }
      assert.ok(requests.length > 10);
      assert.deepEqual(requests.filter((url) => /tfjs|jaxjs/.test(url)), []);
    } finally {
      await page.close();
    }
  });
});

test('the benchmark chapter on WebGPU: the software adapter is named, and the next case is measured after the loss of the device', { skip: withoutProtocol }, async () => {
  const browser = await launchBrowser({ webgpu: true });
  try {
    await visit(browser, site.address({ seconds: 1.5, libraries: 'lanthorn', cases: 'matmul,softmax', autostart: 1 }, 'benchmark'), async (page) => {
      await page.waitForFunction(() => document.getElementById('status').textContent.includes('in turn'), null, { timeout: TRAINING });
      const session = await browser.newBrowserCDPSession();
      await session.send('Browser.crashGpuProcess');
      const shown = await waitForState(page, 'done', TRAINING);
      assert.deepEqual([shown.device, shown.measured, shown.failed], ['webgpu', 1, 1]);
      assert.match(await page.locator('[data-case=matmul] .remark').innerText(), /The graphics device was lost/);
      assert.ok(await page.locator('#software').isVisible());
      assert.match(await page.locator('#machine').innerText(), /WebGPU on .*swiftshader/i);
      assert.match(await page.locator('#agreement').innerText(), /nothing to compare/);
    });
  } finally {
    await browser.close();
  }
});
