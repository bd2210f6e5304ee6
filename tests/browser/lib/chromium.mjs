/**
 * Finds the Chromium of this machine and starts it through Playwright, which only drives it here:
 * it downloads no browser.
 */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

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
 * What a canvas with a context `webgpu` needs besides: the GPU process dies at its first frame where the
 * compositor and WebGPU do not share a driver.
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
export function findChromium() {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM] : NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = candidates.find(isExecutable);
  if (!found) {
    throw new Error(
      process.env.CHROMIUM
        ? `CHROMIUM names ${process.env.CHROMIUM}, which cannot be run`
        : `no Chromium found (${NAMES.join(', ')}): install one, or name it in the environment variable CHROMIUM`,
    );
  }
  return found;
}

/**
 * Starts a headless Chromium, with software WebGPU or without WebGPU. `flags` are added to its
 * command line.
 */
export async function launchChromium({ webgpu, slowHiddenTabs = false, flags = [] }) {
  return playwright().launch({
    executablePath: findChromium(),
    headless: true,
    args: [...QUIET, ...(webgpu ? SWIFTSHADER : []), ...flags],
    ignoreDefaultArgs: slowHiddenTabs ? KEEPS_HIDDEN_TABS_FAST : [],
  });
}

function playwright() {
  const fromSite = createRequire(new URL('../../../www/package.json', import.meta.url));
  try {
    return fromSite('playwright-core').chromium;
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
