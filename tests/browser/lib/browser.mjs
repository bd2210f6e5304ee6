/**
 * Finds a browser of this machine and starts it: Chromium and Firefox through Playwright, which
 * downloads no browser here, and WebKit through WebDriver.
 */
import { accessSync, appendFileSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { launchWebKit } from './webkit/browser.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const QUIET = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** WebGPU in software: the same on every machine, with or without a graphics card. */
const SWIFTSHADER = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
/**
 * Further flags for a canvas with a context `webgpu`: the GPU process dies at its first frame if
 * the compositor and WebGPU do not share a driver.
 */
export const WEBGPU_CANVAS = ['--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-angle=vulkan'];
/**
 * Playwright's flags that keep hidden tabs from being throttled. A test of hidden tabs needs them
 * throttled.
 */
const KEEPS_HIDDEN_TABS_FAST = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

/** The path of a Chromium: the environment variable CHROMIUM, or the first on PATH. */
export const findChromium = () => find('Chromium', 'CHROMIUM', NAMES);

/** The path of a Firefox: the environment variable FIREFOX, or the first on PATH. */
export const findFirefox = () => find('Firefox', 'FIREFOX', ['firefox-esr', 'firefox']);

function find(browser, variable, names) {
  const given = process.env[variable];
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const candidates = given ? [given] : names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = candidates.find(isExecutable);
  if (found) return found;
  throw new Error(
    given
      ? `${variable} names ${given}, which cannot be run`
      : `no ${browser} found (${names.join(', ')}): install one, or name it in the environment variable ${variable}`,
  );
}

/** How each browser is started, by the name that LANTHORN_BROWSER has. */
const LAUNCHES = {
  chromium: ({ webgpu, slowHiddenTabs = false, flags }) =>
    playwright().chromium.launch({ ...launchOptions(webgpu, flags), ignoreDefaultArgs: slowHiddenTabs ? KEEPS_HIDDEN_TABS_FAST : [] }),
  firefox: ({ webgpu }) => launchFirefox(webgpu),
  webkit({ webgpu }) {
    if (webgpu) throw new Error('WebKitGTK has no WebGPU');
    logLine('a browser is launched');
    return launchWebKit();
  },
};

/** The browser of the tests: the environment variable LANTHORN_BROWSER, or Chromium. */
export const BROWSER = process.env.LANTHORN_BROWSER ?? 'chromium';
if (!Object.hasOwn(LAUNCHES, BROWSER)) throw new Error(`LANTHORN_BROWSER is ${BROWSER}, expected ${Object.keys(LAUNCHES).join(', ')}`);

/** The devices of the browser's pages. WebKitGTK has no WebGPU. */
export const DEVICES = BROWSER === 'webkit' ? ['cpu'] : ['webgpu', 'cpu'];

/**
 * Of reasons by browser the one of {@link BROWSER}, for a test's option `skip`: the test cannot run
 * there, or fails for a reason that is not the package's.
 */
export const missing = (reasons) => reasons[BROWSER] ?? false;

/** Of a test that ends a process, hides a tab or counts memory by Chromium's own protocol. */
export const withoutProtocol = missing({ firefox: 'Firefox lacks the protocol of Chromium', webkit: 'WebKit lacks the protocol of Chromium' });

/** Of a test on both devices. */
export const withoutWebGPU = missing({ webkit: 'WebKitGTK has no WebGPU' });

/**
 * Starts the headless browser {@link BROWSER}, with software WebGPU or without WebGPU. `flags` are
 * added to Chromium's command line.
 */
export async function launchBrowser(options) {
  const browser = await LAUNCHES[BROWSER](options);
  const { newContext } = browser;
  // `newPage` calls this function, too.
  browser.newContext = async (...given) => {
    const context = await newContext.apply(browser, given);
    logConsoles(context);
    if (Object.hasOwn(GC, BROWSER)) await context.addInitScript(GC[BROWSER]);
    return context;
  };
  return browser;
}

/**
 * Starts a headless Chromium whose pages store in the folder `profile`. Pages of `launchBrowser`
 * store in memory, with smaller limits: there a service worker's scripts have at most 7 MB.
 */
export async function launchWithProfile(profile, { webgpu }) {
  const context = await playwright().chromium.launchPersistentContext(profile, launchOptions(webgpu));
  logConsoles(context);
  return context;
}

/** Firefox of the system, which Playwright drives by WebDriver BiDi. */
function launchFirefox(webgpu) {
  logLine('a browser is launched');
  return playwright().firefox.launch({
    channel: 'moz-firefox',
    executablePath: findFirefox(),
    headless: true,
    firefoxUserPrefs: {
      'dom.webgpu.enabled': webgpu,
      'dom.webgpu.workers.enabled': webgpu,
      // Firefox has no list of software adapters that it trusts.
      'gfx.webgpu.ignore-blocklist': true,
      'dom.max_script_run_time': 0,
      // A garbage collection for tests.
      'dom.testing.testutils.enabled': true,
    },
  });
}

/** In a page of another browser: the function `gc` of Chromium's `--expose-gc`. */
const GC = {
  firefox: 'globalThis.gc ??= () => new Promise((done) => TestUtils.gc().then(done));',
  // It has none, but collects before it takes more memory.
  webkit: 'globalThis.gc ??= () => { for (let count = 0; count < 8; count += 1) new ArrayBuffer(2 ** 26); };',
};

function launchOptions(webgpu, flags = []) {
  logLine('a browser is launched');
  return { executablePath: findChromium(), headless: true, args: [...QUIET, ...(webgpu ? SWIFTSHADER : []), ...flags] };
}

/**
 * Writes the consoles of all pages to the file that LANTHORN_CONSOLE_LOG names, where the suite's
 * runner sets it: a test that hangs has no other output. From the file the runner knows that the
 * tests have a browser.
 */
function logConsoles(context) {
  context.on('page', (page) => {
    page.on('console', (message) => logLine(`${page.url()} ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => logLine(`${page.url()} exception: ${error.stack ?? error.message}`));
    page.on('crash', () => logLine(`${page.url()} crashed`));
  });
}

function logLine(line) {
  const file = process.env.LANTHORN_CONSOLE_LOG;
  if (file) appendFileSync(file, `${new Date().toISOString()} ${line}\n`);
}

function playwright() {
  const fromSite = createRequire(new URL('../../../www/package.json', import.meta.url));
  try {
    return fromSite('playwright-core');
  } catch (cause) {
    throw new Error('playwright-core is not installed: run `npm ci` in www/', { cause });
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
