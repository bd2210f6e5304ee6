/** Drives the pages of lib/programs.mjs in browsers with and without WebGPU. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { launchBrowser, launchWithProfile } from '../../browser/lib/browser.mjs';
import { DEVICES, inPage } from '../../browser/lib/package-page.mjs';
import { collectProblems } from '../../browser/lib/site.mjs';
import { packPackage } from './packed.mjs';

/** The expected result of a training of lib/programs.mjs. */
export function assertTrained(result, device) {
  assert.equal(result.error, undefined);
  assert.equal(result.device, device);
  // Bundlers rename classes.
  assert.match(result.printed, /^Sequential\(\s+\(0\): Linear\(inFeatures=2/);
  assert.ok(result.last < 0.2 && result.first > 0.5, `the loss went from ${result.first} to ${result.last}`);
  assert.deepEqual(result.predicted, [0, 1, 1, 0]);
}

/** A browser for each device. */
export async function launchBrowsers() {
  const browsers = {};
  for (const device of DEVICES) {
    browsers[device] = await launchBrowser({ webgpu: device === 'webgpu' });
  }
  return { browsers, close: () => Promise.all(Object.values(browsers).map((browser) => browser.close())) };
}

/** Calls `action` with a browser for each device, whose pages store in a folder. */
export async function withProfiles(action) {
  const folder = await mkdtemp(join(tmpdir(), 'lanthorn-profiles-'));
  const browsers = {};
  try {
    for (const device of DEVICES) {
      browsers[device] = await launchWithProfile(join(folder, device), { webgpu: device === 'webgpu' });
    }
    await action(browsers);
  } finally {
    await Promise.all(Object.values(browsers).map((browser) => browser.close()));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The packed package and a browser for each device, for the tests of a file: both are there while they run. */
export function usePacked() {
  const used = {};
  let opened;
  before(async () => {
    used.packed = await packPackage();
    opened = await launchBrowsers();
    used.browsers = opened.browsers;
  });
  after(async () => {
    await opened?.close();
    await used.packed?.remove();
  });
  return used;
}

/** Trains in the page at `address` and in its worker, on every device. */
export async function assertPageTrains(browsers, address, targets = ['page', 'worker']) {
  for (const device of DEVICES) {
    const page = await browsers[device].newPage();
    try {
      const problems = collectProblems(page);
      await page.goto(address);
      await page.waitForFunction(() => window.train !== undefined, null, { timeout: 20_000 });
      for (const target of targets) {
        assertTrained(await inPage(page, ([where, wanted]) => window.train[where](wanted), [target, device]), device);
      }
      assert.deepEqual(problems, []);
    } finally {
      await page.close();
    }
  }
}
