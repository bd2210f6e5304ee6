/**
 * The chapter "Chat" in a real browser, on WebGPU (in software) and on the CPU: a model learns the
 * text of the page and answers, is compared with its copies of 8 and 4 bits, and models are opened
 * from files.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { devicesOf, hasInk, SHORT, TRAINING, untilStep, visit } from './lib/chapter.mjs';
import { launchBrowser, withoutProtocol } from './lib/browser.mjs';
import { readDemo, serveSite, waitForState } from './lib/site.mjs';
import { serveFolder } from './lib/static-server.mjs';

/**
 * A small model, and the loss that it reaches: guessing bytes has one of 5.55, the logarithm of
 * 256.
 */
const SIZE = { width: '64', layers: '1', batch: '8' };
const TRAINED = { webgpu: { steps: '20', loss: 3.2 }, cpu: { steps: '50', loss: 2 } };

const models = new URL('../models/lm/', import.meta.url);
const pathOf = (name) => fileURLToPath(new URL(name, models));

let site;
/** The models, at an address of another origin. */
let files;
before(async () => {
  site = await serveSite();
  files = await serveFolder(fileURLToPath(models), {}, { 'access-control-allow-origin': '*' });
});
after(() => Promise.all([site?.close(), files?.close()]));

/** Chooses the size of the model, the number of steps, and more. */
async function choose(page, { rate, ...choices }) {
  for (const [id, value] of Object.entries({ ...SIZE, ...choices })) {
    await page.selectOption(`#${id}`, value);
  }
  if (rate) await page.fill('#rate', rate);
}

/** Sends a message and waits for the reply: its text, and the page's numbers. */
async function ask(page, message, options = {}) {
  for (const [id, value] of Object.entries(options)) {
    await page.fill(`#${id}`, String(value));
  }
  const before = (await page.evaluate(() => window.lanthornDemo.replies)) ?? 0;
  await page.fill('#message', message);
  await page.click('#send');
  await page.waitForFunction((count) => (window.lanthornDemo.replies ?? 0) > count, before, { timeout: SHORT });
  const text = await page.locator('#transcript .assistant').last().locator('.content').innerText();
  return { text, ...(await page.evaluate(readDemo)) };
}

/** Opens files by the page's file input. */
async function openFiles(page, paths) {
  await page.setInputFiles('#file', paths);
  await page.waitForFunction(() => document.documentElement.dataset.state === 'ready', null, { timeout: SHORT });
  return page.evaluate(readDemo);
}

/**
 * The model that is open is llama3, which has no tokenizer: it continues ids as transformers does.
 */
async function continuesIds(page) {
  assert.match(await page.locator('#speaker-words').innerText(), /no tokenizer/);
  const { prompts, tokens } = JSON.parse(await readFile(new URL('llama3/expected.json', models), 'utf8'));
  const { text } = await ask(page, prompts[0].join(', '), { 'max-tokens': 12, temperature: 0 });
  assert.equal(text, tokens[0].slice(0, 12).join(' '));
}

for (const device of devicesOf('chat')) {
  describe(`the chapter on language models on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const withPage = (check) => visit(browser, site.address({ device }, 'chat'), check);

    test('learns the text, answers, and is compared with 8 and 4 bits', () =>
      withPage(async (page) => {
        await waitForState(page, 'ready', SHORT);
        assert.ok(await page.locator('#send').isDisabled(), 'nobody can answer yet');
        const { steps, loss } = TRAINED[device];
        await page.evaluate((count) => document.getElementById('steps').add(new Option(count, count)), steps);
        await choose(page, { steps });
        await page.click('#train');
        const trained = await waitForState(page, 'done', TRAINING);
        assert.deepEqual([trained.device, trained.step], [device, Number(steps)]);
        assert.ok(trained.heldLoss < loss, `a loss of ${trained.heldLoss} on the text held back`);
        assert.ok(trained.replays >= Number(steps) - 3, `${trained.replays} of ${steps} steps are replayed`);
        assert.ok(await hasInk(page, '#loss-curve canvas'), 'the loss curve is drawn');

        const { text, tokens, reason } = await ask(page, 'Where does the fox live?', { 'max-tokens': 12, temperature: 0 });
        assert.ok(text.length > 0 && tokens <= 12, `${tokens} tokens: ${text}`);
        assert.ok(reason === 'length' || reason === 'stop', reason);
        assert.match(await page.locator('#tokens-a-second').innerText(), /^[\d.]+$/);
        assert.match(await page.locator('#weights-size').innerText(), /^[\d.]+ kB$/);

        await page.click('#compare');
        const compared = await waitForState(page, 'ready', TRAINING);
        assert.equal(await page.locator('#comparison tbody tr').count(), 3);
        assert.ok(compared.q8_0Bytes < 0.4 * compared.learnedBytes && compared.q4_0Bytes < 0.7 * compared.q8_0Bytes, JSON.stringify(compared));
        assert.ok(Math.abs(compared.q8_0Loss - compared.learnedLoss) < 0.02, `${compared.q8_0Loss} with 8 bits, ${compared.learnedLoss} with 32`);
        assert.ok(Math.abs(compared.q4_0Loss - compared.learnedLoss) < 0.3, `${compared.q4_0Loss} with 4 bits, ${compared.learnedLoss} with 32`);
        await page.selectOption('#speaker', 'q4_0');
        assert.ok((await ask(page, 'What does the cow eat?')).tokens > 0);
      }));

    test('opens a GGUF file and a folder, and continues ids as transformers does', () =>
      withPage(async (page) => {
        await waitForState(page, 'ready', SHORT);
        for (const files of [['llama3.gguf'], ['llama3/config.json', 'llama3/model.safetensors']]) {
          assert.equal((await openFiles(page, files.map(pathOf))).notice, '');
          await continuesIds(page);
        }
      }));
  });
}

describe('the chat', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser({ webgpu: false });
  });
  after(() => browser?.close());
  const withPage = (check) => visit(browser, site.address({ device: 'cpu' }, 'chat'), check);

  test('with a tokenizer, a message is text, and a chat template writes the conversation', () =>
    withPage(async (page) => {
      await waitForState(page, 'ready', SHORT);
      const vocab = Object.fromEntries(Array.from({ length: 96 }, (_, id) => [`w${id} `, id]));
      const tokenizer = {
        pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false },
        model: { type: 'WordLevel', vocab, unk_token: 'w0 ' },
        decoder: { type: 'Fuse' },
      };
      const weights = await Promise.all(['config.json', 'model.safetensors'].map(async (name) =>
        ({ name, mimeType: '', buffer: await readFile(new URL(`llama3/${name}`, models)) })));
      const json = (name, content) => ({ name, mimeType: '', buffer: Buffer.from(JSON.stringify(content)) });
      const { prompts, tokens } = JSON.parse(await readFile(new URL('llama3/expected.json', models), 'utf8'));
      const words = (ids) => ids.map((id) => `w${id} `).join('');
      assert.equal((await openFiles(page, [...weights, json('tokenizer.json', tokenizer)])).notice, '');
      assert.match(await page.locator('#speaker-words').innerText(), /no chat template/);
      const { text } = await ask(page, words(prompts[0]), { 'max-tokens': 6, temperature: 0 });
      assert.equal(text.trim(), words(tokens[0].slice(0, 6)).trim());

      // The template adds the missing words to the message.
      const template = { chat_template: `{% for message in messages %}{{ message.content }}{% endfor %}${words(prompts[0].slice(4))}` };
      await openFiles(page, [...weights, json('tokenizer.json', tokenizer), json('tokenizer_config.json', template)]);
      assert.match(await page.locator('#speaker-words').innerText(), /by the chat template/);
      const chatted = await ask(page, words(prompts[0].slice(0, 4)), { 'max-tokens': 6, temperature: 0 });
      assert.equal(chatted.text.trim(), words(tokens[0].slice(0, 6)).trim());
    }));

  test('opens the address of a file, and says if there is none', async () => {
    // The browser's console has the requests that a reader ended, and a server's 404; both are
    // expected here.
    const page = await browser.newPage();
    try {
      await page.goto(site.address({ device: 'cpu' }, 'chat'));
      await waitForState(page, 'ready', SHORT);
      const NOTHING = /Nothing could be loaded from this address/;
      for (const [address, notice] of [
        [`${files.origin}/llama3.gguf`, ''],
        [`${files.origin}/absent.gguf`, NOTHING],
        [`${files.origin}/absent`, /Nothing could be loaded[^]*the model could not be loaded/],
        // The discard port, on which nothing listens.
        ['http://127.0.0.1:9/model.gguf', NOTHING],
        ['http://127.0.0.1:9/folder', /Nothing could be loaded[^]*nothing answers at/],
      ]) {
        await page.fill('#address', address);
        await page.click('#load-address');
        await page.waitForFunction(() => document.documentElement.dataset.state === 'ready', null, { timeout: SHORT });
        const shown = await page.evaluate(readDemo);
        if (notice) assert.match(shown.notice, notice);
        else assert.equal(shown.notice, '');
        await continuesIds(page);
      }
    } finally {
      await page.close();
    }
  });

  test('a reply is stopped, training is paused, and both go on', () =>
    withPage(async (page) => {
      await waitForState(page, 'ready', SHORT);
      await page.fill('#text', 'A text without questions: its continuation has no end. '.repeat(50));
      await choose(page, { steps: '2000' });
      await page.click('#train');
      await untilStep(page, 5);
      // While it learns, and longer than the 128 bytes that it sees at once.
      await page.fill('#max-tokens', '100000');
      await page.fill('#message', 'A text');
      await page.click('#send');
      await page.waitForFunction(() => window.lanthornDemo.tokens >= 150, null, { timeout: SHORT });
      await page.click('#stop');
      await page.waitForFunction(() => window.lanthornDemo.replies === 1, null, { timeout: SHORT });
      assert.equal((await page.evaluate(readDemo)).reason, 'stopped');
      await page.click('#pause');
      const paused = await waitForState(page, 'ready', SHORT);
      assert.ok(paused.step < 2000 && /^Paused at step/.test(paused.status), paused.status);
      assert.equal((await ask(page, 'A text', { 'max-tokens': 3 })).tokens, 3);
      await page.selectOption('#steps', '50');
      await page.click('#train');
      assert.equal((await waitForState(page, 'done', TRAINING)).step, paused.step + 50);
      await page.click('#reset');
      await waitForState(page, 'ready', SHORT);
      assert.ok(await page.locator('#send').isDisabled(), 'the model is gone');
    }));

  test('texts of one word and of a megabyte, a step that is too large, and files that are no model', () =>
    withPage(async (page) => {
      await waitForState(page, 'ready', SHORT);
      const train = async (text, choices = {}) => {
        await page.evaluate((content) => {
          const field = document.getElementById('text');
          field.value = content;
          field.dispatchEvent(new Event('input'));
        }, text);
        await choose(page, { steps: '50', ...choices });
        await page.click('#train');
        return waitForState(page, ['done', 'ready'], TRAINING);
      };
      const word = await train('lanthorn', { rate: '0.01' });
      assert.ok(word.loss < 1, `loss ${word.loss}`);
      assert.match(await page.locator('#begun-words').innerText(), /too short to hold a part back.*continues what you write/);
      assert.match((await ask(page, 'lant', { 'max-tokens': 8, temperature: 0 })).text, /horn/);
      await train('It was a bright cold day in April. '.repeat(30_000));
      assert.match(await page.locator('#begun-words').innerText(), /learns 945,000 bytes/);

      const diverged = await train('A text for a step that is too large. '.repeat(99), { rate: '1e30' });
      assert.match(diverged.notice, /no longer a number[\s\S]*smaller learning rate/);
      assert.ok(await page.locator('#send').isDisabled(), 'the model is gone');
      await train('', { rate: '0.002' }).catch(() => {});
      assert.equal(await page.evaluate(() => document.getElementById('text').validationMessage), 'Paste a text first.');

      const drop = (name, content) => page.evaluate(([name, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], name));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }, [name, Buffer.from(content).toString('base64')]);
      const whole = await readFile(new URL('llama3.gguf', models));
      for (const [name, content, words] of [
        ['notes.txt', 'a text', /There is no model: choose a \.gguf file/],
        ['notes.gguf', 'a text', /no model that can be opened here/],
        ['short.gguf', whole.subarray(0, whole.length / 2), /no model that can be opened here/],
      ]) {
        await page.evaluate(() => document.querySelector('#notice button')?.click());
        await drop(name, content);
        await page.waitForFunction(() => !document.getElementById('notice').hidden, null, { timeout: SHORT });
        const { notice, state } = await page.evaluate(readDemo);
        assert.match(notice, words, name);
        assert.equal(state, 'ready');
      }
      await openFiles(page, [pathOf('llama3.gguf')]);
      assert.match((await page.evaluate(readDemo)).status, /llama3\.gguf is open/);
      await page.fill('#message', 'words');
      await page.click('#send');
      await page.waitForFunction(() => /write ids of tokens/.test(document.getElementById('notice').innerText), null, { timeout: SHORT });
      assert.equal(await page.locator('#message').inputValue(), 'words');
      assert.ok((await ask(page, '5 17 42', { 'max-tokens': 4 })).tokens > 0, 'the model works on');
    }));
});

test('a crash of the GPU process while a reply is written is explained, and the page goes on', { skip: withoutProtocol }, async () => {
  const browser = await launchBrowser({ webgpu: true });
  try {
    const page = await browser.newPage();
    await page.goto(site.address({ device: 'webgpu' }, 'chat'));
    await waitForState(page, 'ready', SHORT);
    await openFiles(page, [pathOf('llama3.gguf')]);
    await page.fill('#max-tokens', '2000');
    await page.fill('#message', '5, 17, 42');
    await page.click('#send');
    await page.waitForFunction(() => window.lanthornDemo.tokens >= 2, null, { timeout: SHORT });
    const session = await browser.newBrowserCDPSession();
    // The browser does not answer this call: the process that would is gone.
    session.send('Browser.crashGpuProcess').catch(() => {});
    const failed = await waitForState(page, 'error', SHORT);
    assert.match(failed.notice, /graphics device was lost/);
    await page.getByRole('button', { name: 'Start again' }).click();
    assert.equal((await waitForState(page, 'ready', SHORT)).device, 'webgpu');
    await openFiles(page, [pathOf('llama3.gguf')]);
    await continuesIds(page);
  } finally {
    await browser.close();
  }
});
