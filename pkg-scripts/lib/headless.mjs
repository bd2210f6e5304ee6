/**
 * Trains the demo site's network in a headless Chromium and prints the result:
 *
 *     node pkg-scripts/lib/headless.mjs [--device webgpu|cpu|auto] [--steps N] [--seed N]
 *       [--time-limit SECONDS] [--screenshot FILE]
 *
 * Prints `device: webgpu` and `accuracy: 0.972`. Exits with 1 and a message if training does not
 * end in time, or ran on another device than the requested one. The site must be built.
 */
import { parseArgs } from 'node:util';
import { launchBrowser } from '../../tests/browser/lib/browser.mjs';
import { collectProblems, serveSite, waitForState } from '../../tests/browser/lib/site.mjs';

const DEVICES = ['webgpu', 'cpu', 'auto'];

function readOptions() {
  const { values } = parseArgs({
    options: {
      device: { type: 'string', default: 'webgpu' },
      steps: { type: 'string', default: '600' },
      seed: { type: 'string', default: '1' },
      'time-limit': { type: 'string', default: '180' },
      screenshot: { type: 'string' },
    },
  });
  if (!DEVICES.includes(values.device)) {
    throw new Error(`--device ${values.device}: expected ${DEVICES.join(', ')}`);
  }
  for (const name of ['steps', 'seed', 'time-limit']) {
    if (!/^\d+$/.test(values[name])) {
      throw new Error(`--${name} ${values[name]}: expected a whole number`);
    }
  }
  return { ...values, timeout: 1000 * Number(values['time-limit']) };
}

/** Trains to the end and resolves to the page's visible state. */
async function train({ device, steps, seed, timeout, screenshot }) {
  const site = await serveSite();
  let browser;
  try {
    browser = await launchBrowser({ webgpu: device !== 'cpu' });
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const problems = collectProblems(page);
    await page.goto(site.address({ device, autostart: 1, steps, seed }));
    const shown = await waitForState(page, 'done', timeout).catch((error) => {
      throw new Error([error.message, ...problems].join('\n  '), { cause: error });
    });
    if (screenshot) {
      await page.screenshot({ path: screenshot, fullPage: true });
    }
    return shown;
  } finally {
    await browser?.close();
    await site.close();
  }
}

try {
  const options = readOptions();
  const { device, accuracy } = await train(options);
  console.log(`device: ${device}`);
  console.log(`accuracy: ${accuracy.toFixed(3)}`);
  if (options.device !== 'auto' && device !== options.device) {
    throw new Error(`asked for ${options.device}, but training ran on ${device}`);
  }
} catch (error) {
  console.error(`headless: ${error.message}`);
  process.exitCode = 1;
}
