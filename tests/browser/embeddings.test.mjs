/** The chapter on word embeddings in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, hasInk, SHORT, TRAINING, untilSaved, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

const ANIMALS = ['dog', 'horse', 'sheep', 'goat', 'hen', 'duck', 'mouse'];
/** By chance a word's nearest is of its kind one time in six. */
const TRAINED = { webgpu: { steps: 150, alike: 0.7 }, cpu: { steps: 400, alike: 0.9 } };

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('embeddings')) {
  describe(`the chapter on embeddings on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const address = (parameters) => site.address({ device, ...parameters }, 'embeddings');
    const withPage = (parameters, check) => visit(browser, address(parameters), check);
    const { steps, alike } = TRAINED[device];

    test('brings words of a kind together, and names neighbours and analogies', () =>
      withPage({ autostart: 1, steps, seed: 1 }, async (page) => {
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.equal(shown.made, 0, 'a steady step makes no buffer, bind group, pipeline or plan');
        assert.ok(shown.alike >= alike, `share of words that are nearest to one of their kind: ${shown.alike}`);
        assert.ok(await hasInk(page, '#map'), 'the map is drawn');
        await page.fill('#word', 'cat');
        await page.waitForFunction(() => document.querySelectorAll('#near li').length === 10, null, { timeout: SHORT });
        const [nearest] = await page.locator('#near b').allInnerTexts();
        assert.ok(ANIMALS.includes(nearest), `the nearest to cat is ${nearest}`);
        await page.fill('#word', 'submarine');
        await page.waitForFunction(() => /has no “submarine”/.test(document.getElementById('said').textContent), null, { timeout: SHORT });
        await page.click('#analogy button');
        await page.waitForFunction(() => document.querySelectorAll('#analogy-near li').length === 10, null, { timeout: SHORT });
      }));

    test('learns a text that is pasted, and says what is too little', () =>
      withPage({ steps: 20, rate: 0.01 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        assert.equal(await page.inputValue('#rate'), '0.01', 'a setting of the address');
        await page.click('#use');
        assert.match(await page.locator('#text-said').innerText(), /no text yet/);
        await page.fill('#text', 'word');
        await page.click('#use');
        assert.match(await page.locator('#text-said').innerText(), /has 0 different words that occur at least 3 times, and at least 8 are needed/);
        await page.fill('#text', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n'.repeat(5));
        await page.click('#use');
        assert.match(await page.locator('#text-said').innerText(), /30 words in sentences of two or more/, 'a list of single words');
        await page.fill('#text', 'One two three four five six seven eight nine ten. '.repeat(20_000));
        await page.click('#use');
        await page.waitForFunction(() => window.lanthornDemo.words === 10, null, { timeout: SHORT });
        await page.click('#start');
        await waitForState(page, 'done', TRAINING);
        await untilSaved(page, 20);
        await page.reload();
        assert.equal((await waitForState(page, 'ready', SHORT)).step, 20);
        await page.waitForFunction(() => window.lanthornDemo.words === 10, null, { timeout: SHORT });
        assert.match(await page.inputValue('#text'), /^One two three/, 'the text is back too');
      }));
  });
}
