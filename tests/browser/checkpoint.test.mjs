/**
 * Saving, reloading and resuming in every chapter that trains: bit-identical to uninterrupted
 * training, on either device; and a steady step creates nothing.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SHORT, TRAINING, untilSaved, visit } from './lib/chapter.mjs';
import { DEVICES, launchBrowser } from './lib/browser.mjs';
import { rotate } from './lib/rotation.mjs';
import { readDemo, serveSite, waitForState } from './lib/site.mjs';

const CHAPTERS = ['digits', 'convolution'];
/**
 * The steps before the interruption and at the end. An epoch has 22 batches: one is over before the
 * interruption, except for the network whose steps take longest on software WebGPU.
 */
const stepsOf = (chapter, device) => (chapter === 'convolution' && device === 'webgpu' ? [3, 5] : [30, 50]);

let site;
let folder;
before(async () => {
  site = await serveSite();
  folder = await mkdtemp(join(tmpdir(), 'lanthorn-checkpoint-'));
});
after(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

for (const device of DEVICES) {
  describe(`on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());

    // On the CPU both, on software WebGPU one of them by rotation.
    for (const chapter of device === 'webgpu' ? rotate(CHAPTERS, CHAPTERS.length) : CHAPTERS) {
      const [interruption, end] = stepsOf(chapter, device);
      const address = (parameters) => site.address({ device, seed: 4, ...parameters }, chapter);
      const train = async (page) => {
        await page.click('#start');
        return waitForState(page, 'done', TRAINING);
      };

      test(`${chapter}: goes on after a reload, and from a file, as if there had been no break`, async () => {
        const file = join(folder, `${chapter}-${device}.pt`);
        let whole;
        await visit(browser, address({ autostart: 1, steps: end }), async (page) => {
          whole = await waitForState(page, 'done', TRAINING);
        });

        await visit(browser, address({ autostart: 1, steps: interruption }), async (page) => {
          await waitForState(page, 'done', TRAINING);
          await untilSaved(page, interruption);
          const downloading = page.waitForEvent('download');
          await page.click('#download');
          await (await downloading).saveAs(file);

          await page.goto(address({ steps: end - interruption }));
          const back = await waitForState(page, 'ready', SHORT);
          assert.equal(back.step, interruption);
          assert.match(back.status, new RegExp(`^Back at step ${interruption}`));
          const resumed = await train(page);
          assert.equal(resumed.step, end);
          assert.equal(resumed.loss, whole.loss, 'after a reload');
          assert.equal(resumed.accuracy, whole.accuracy);
        });

        // PyTorch's checkpoints are archives.
        assert.equal((await readFile(file)).subarray(0, 2).toString(), 'PK');
        await visit(browser, address({ steps: end - interruption }), async (page) => {
          assert.equal((await waitForState(page, 'ready', SHORT)).step, 0);
          await page.setInputFiles('#file', file);
          await page.waitForFunction(() => /^Opened a file/.test(document.getElementById('status').textContent), null, { timeout: SHORT });
          assert.equal((await page.evaluate(readDemo)).step, interruption);
          const resumed = await train(page);
          assert.equal(resumed.loss, whole.loss, 'from a file');
          assert.equal(resumed.accuracy, whole.accuracy);
        });
      });

      test(`${chapter}: resets what it saved, and refuses a file that is none of its own`, () =>
        visit(browser, address({ autostart: 1, steps: 3 }), async (page) => {
          await waitForState(page, 'done', TRAINING);
          await untilSaved(page, 3);
          await page.click('#reset');
          await waitForState(page, 'ready', SHORT);
          await page.goto(address({ steps: 3 }));
          assert.equal((await waitForState(page, 'ready', SHORT)).step, 0);

          const odd = join(folder, 'odd.pt');
          await writeFile(odd, 'no checkpoint');
          await page.setInputFiles('#file', odd);
          await page.waitForFunction(() => /cannot be opened/.test(document.getElementById('kept').textContent), null, { timeout: SHORT });
          assert.equal((await train(page)).step, 3, 'training goes on');
        }));

      test(`${chapter}: a steady step makes nothing${device === 'webgpu' ? ', and is one submit' : ''}`, () =>
        visit(browser, address({ autostart: 1, steps: 40 }), async (page) => {
          const { made, submits, dispatches, launches } = await waitForState(page, 'done', TRAINING);
          assert.equal(made, 0, 'buffers, bind groups, pipelines and plans of the last steps');
          assert.ok(launches > 0);
          const words = await page.locator('#work').innerText();
          if (device === 'webgpu') {
            assert.equal(submits, 1);
            assert.equal(words, `Each step: ${dispatches} dispatches, 1 submit, nothing created.`);
          } else {
            assert.equal(words, `Each step: ${launches} kernels, nothing created.`);
          }
        }));
    }
  });
}
