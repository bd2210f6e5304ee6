/** The built demo site: its folder, its server, and the state of a chapter as a driver reads it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveFolder } from './static-server.mjs';

/** The built site; a test may be given another build. */
export const SITE = process.env.LANTHORN_SITE ?? fileURLToPath(new URL('../../../target/www', import.meta.url));
const addressOf = (chapter) => `/chapters/${chapter}/index.html`;

/** Serves target/www, which has to be built. */
export async function serveSite() {
  if (!existsSync(`${SITE}${addressOf('digits')}`)) {
    throw new Error('the demo site is not built: build the npm package, then run `npm run build` in www/');
  }
  const { origin, close } = await serveFolder(SITE);
  const address = (parameters = {}, chapter = 'digits') => `${origin}${addressOf(chapter)}?${new URLSearchParams(parameters)}`;
  return { origin, address, close };
}

/** The page's state, metrics, and visible text. Runs in the page. */
export function readDemo() {
  const words = (id) => document.getElementById(id)?.innerText ?? '';
  return {
    state: document.documentElement.dataset.state,
    ...window.lanthornDemo,
    status: words('status'),
    notice: words('notice'),
  };
}

/**
 * Waits until the page is in one of `states`, and resolves to its visible state. An error of the
 * page is an error here.
 */
export async function waitForState(page, states, timeout) {
  const wanted = [states].flat();
  await page
    .waitForFunction((names) => names.includes(document.documentElement.dataset.state), [...wanted, 'error'], { timeout, polling: 50 })
    .catch(async (cause) => {
      const { state, step, accuracy, status } = await page.evaluate(readDemo);
      const seen = `it is '${state}' at step ${step}, accuracy ${accuracy}: ${status}`;
      throw new Error(`the page did not become ${wanted.join(' or ')} within ${timeout / 1000} s; ${seen}`, { cause });
    });
  const shown = await page.evaluate(readDemo);
  if (shown.state === 'error' && !wanted.includes('error')) {
    throw new Error(`the page shows an error: ${shown.notice}`);
  }
  return shown;
}

/**
 * Whether this request was ended and did not fail: by the browser, as the page was left before its
 * pictures or its icon (`other`) came, or by the page. `init` begins to download the core of WebGPU while it asks for an
 * adapter, and ends the download where there is none.
 */
const wasEnded = (request) =>
  ['net::ERR_ABORTED', 'NS_BINDING_ABORTED'].includes(request.failure()?.errorText) && (['image', 'other'].includes(request.resourceType()) || /\/lanthorn_webgpu_bg[^/]*\.wasm$/.test(request.url()));

/**
 * Collects problems that no page should have: errors in its console, uncaught exceptions, failed
 * requests.
 */
export function collectProblems(page) {
  const problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => {
    if (!wasEnded(request)) problems.push(`request: ${request.url()} ${request.failure()?.errorText}`);
  });
  return problems;
}
