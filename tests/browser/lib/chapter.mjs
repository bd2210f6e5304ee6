/** Opening a chapter of the demo site, and waiting for its state. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { DEVICES } from './browser.mjs';
import { rotate } from './rotation.mjs';
import { collectProblems, readDemo } from './site.mjs';

export const TRAINING = 120_000;
export const SHORT = 30_000;

/** The chapters of the site. */
export const CHAPTERS = readdirSync(new URL('../../../www/src/chapters', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();

/** Those that begin with something else than a training. */
const OTHERS = ['autograd', 'benchmark', 'compile', 'model', 'tensors'];

/** The chapters with a start button, and a picture that the training changes. */
export const TRAINING_CHAPTERS = CHAPTERS.filter((name) => !OTHERS.includes(name));

/** A rotation runs one chapter in `EVERY_ON_WEBGPU` on software WebGPU. */
const EVERY_ON_WEBGPU = 3;

/** The devices on which a run tests a chapter: the CPU always, and WebGPU by rotation. */
export function devicesOf(chapter) {
  if (!CHAPTERS.includes(chapter)) throw new Error(`there is no chapter ${chapter}`);
  return rotate(CHAPTERS, EVERY_ON_WEBGPU).includes(chapter) ? DEVICES : ['cpu'];
}

/**
 * Opens the page, runs `check`, and fails on any message in the browser's console. `beforehand`
 * runs in the page first.
 */
export async function visit(browser, address, check, beforehand) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  try {
    const problems = collectProblems(page);
    if (beforehand) {
      await page.addInitScript(beforehand);
    }
    await page.goto(address);
    await check(page);
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
}

/** Waits until `step` is reached. */
export async function untilStep(page, step) {
  await page.waitForFunction((wanted) => window.lanthornDemo?.step >= wanted || document.documentElement.dataset.state === 'error', step, {
    timeout: SHORT,
    polling: 20,
  });
  const shown = await page.evaluate(readDemo);
  assert.notEqual(shown.state, 'error', shown.notice);
}

/** Waits until the page says that it saved the checkpoint of `step` in the browser. */
export async function untilSaved(page, step) {
  await page.waitForFunction((words) => document.getElementById('kept').textContent === words, `Saved in this browser at step ${step}.`, {
    timeout: SHORT,
  });
}

/** Whether anything is drawn on the canvas. */
export function hasInk(page, selector) {
  return page.locator(selector).evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value) => value !== 0);
  });
}
