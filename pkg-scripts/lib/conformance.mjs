/**
 * Compares the npm package with PyTorch's recorded answers, in a headless Chromium and through the
 * package's public API:
 *
 *     node pkg-scripts/lib/conformance.mjs --golden DIR [--device webgpu|cpu] [--filter GLOB]...
 *       [--every N | --rotation N] [--part K/N] [--least] [--threads N] [--tolerance strict|device]
 *       [--json FILE] [--verbose]
 *
 * `--every N` runs one sample in N. `--rotation N` runs one sample and one error of every op and
 * module, the N-th modulo their number. Of every fourth op it also runs second derivatives and the
 * in-place form, and it runs one in four of the optimizers and trainings. `--part K/N` runs every
 * N-th file, from the K-th on. `--least` restricts WebGPU to the least limits and no features.
 *
 * Prints a line for each file that fails and, at the end, `N passed, N failed, N skipped`. Exits
 * with 1 if a check failed. The package must be built.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../../tests/browser/lib/browser.mjs';
import { offerTheLeast } from '../../tests/browser/lib/least-limits.mjs';
import { collectProblems } from '../../tests/browser/lib/site.mjs';
import { ISOLATED, serveFolder } from '../../tests/browser/lib/static-server.mjs';
import { PACKAGE } from '../../tests/browser/lib/package-page.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SHARED = here('../../crates/conformance/src/golden');

/** The most browsers at once: two on SwiftShader take 0.62 of the time of one. */
const BROWSERS = 2;

/** A rotation runs one in `FILES` of the files without samples, and of the longer checks. */
const FILES = 4;

function readOptions() {
  const { values } = parseArgs({
    options: {
      golden: { type: 'string' },
      device: { type: 'string', default: 'webgpu' },
      threads: { type: 'string', default: '1' },
      filter: { type: 'string', multiple: true, default: [] },
      every: { type: 'string', default: '1' },
      rotation: { type: 'string' },
      part: { type: 'string', default: '1/1' },
      least: { type: 'boolean', default: false },
      tolerance: { type: 'string' },
      'known-misses': { type: 'string', default: join(SHARED, 'known_misses.txt') },
      json: { type: 'string' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const { golden, device, tolerance = device === 'cpu' ? 'strict' : 'device' } = values;
  if (!golden) throw new Error('--golden DIR: expected the folder of golden files, or the one that has them in ops and modules');
  if (!['webgpu', 'cpu'].includes(device)) throw new Error(`--device ${device}: expected webgpu or cpu`);
  if (!['strict', 'device'].includes(tolerance)) throw new Error(`--tolerance ${tolerance}: expected strict or device`);
  const every = Number(values.every);
  if (!(Number.isInteger(every) && every > 0)) throw new Error(`--every ${values.every}: expected a whole number above 0`);
  const rotation = values.rotation === undefined ? undefined : Number(values.rotation);
  if (rotation !== undefined && !(Number.isSafeInteger(rotation) && rotation >= 0)) throw new Error(`--rotation ${values.rotation}: expected a whole number`);
  const [, first, parts] = (/^(\d+)\/(\d+)$/.exec(values.part) ?? []).map(Number);
  if (!(first >= 1 && first <= parts)) throw new Error(`--part ${values.part}: expected K/N with K from 1 to N`);
  return { ...values, tolerance, every, rotation, part: { first: first - 1, parts } };
}

/** A pattern with `*` and `?`. */
const glob = (pattern) => new RegExp(`^${pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.')}$`);

/**
 * Whether a filter selects a file by its name, without the variant, or without PyTorch's module.
 */
function selects(filter, name) {
  const base = name.startsWith('__') ? name : name.replace(/__.*$/, '');
  return [name, base, base.split('.').pop()].some((text) => glob(filter).test(text));
}

/** The lines of the list of known misses that apply to the page and to this device. */
function readKnown(path, device) {
  const backend = device === 'cpu' ? 'cpu' : 'wgpu';
  let section = 'any';
  const lines = [];
  for (const line of readFileSync(path, 'utf8').split('\n').map((text) => text.trim())) {
    const header = /^\[(.*)\]$/.exec(line);
    if (header) section = header[1];
    else if (line && !line.startsWith('#') && ['any', 'page', backend, `page ${backend}`].includes(section)) {
      const at = line.indexOf(': ');
      lines.push({ line, pattern: glob(line.slice(0, at)), reason: line.slice(at + 2) });
    }
  }
  return lines;
}

/** Skips known failures, and fails a known failure that passes. */
function apply(known, name, check) {
  const miss = known.find(({ pattern }) => pattern.test(`${name}/${check.sample}/${check.aspect}`));
  if (!miss || check.outcome === 'skipped') return check;
  if (check.outcome === 'failed') return { ...check, outcome: 'skipped', reason: `known miss: ${miss.reason}` };
  return { ...check, outcome: 'failed', reason: `passes now; remove it from the list of known misses: ${miss.line}` };
}

async function run(options) {
  const { golden, device } = options;
  if (!existsSync(`${PACKAGE}/js/index.js`)) throw new Error('the npm package is not built: run pkg-scripts/build-npm');
  // A module and an op can have the same name: as in PyTorch, a module is `nn.NAME`.
  const kinds = {
    ops: { prefix: '', check: 'checkFile', hasSamples: true },
    modules: { prefix: 'nn.', check: 'checkFile', hasSamples: true },
    optim: { prefix: '', check: 'checkOptim' },
    e2e: { prefix: '', check: 'checkTraining' },
  };
  const held = Object.keys(kinds).filter((kind) => existsSync(join(golden, kind)));
  const folders = held.length > 0 ? held : [''];
  const found = folders.flatMap((folder) => {
    const files = readdirSync(join(golden, folder)).filter((file) => file.endsWith('.json') && file !== 'index.json');
    const { prefix, check, hasSamples } = kinds[folder || basename(resolve(golden))] ?? kinds.ops;
    const isTaken = (_, index) => hasSamples || options.rotation === undefined || index % FILES === options.rotation % FILES;
    return files.map((file) => file.slice(0, -5)).sort().filter(isTaken).map((file) => ({ file, base: join('/golden', folder), name: prefix + file, check }));
  });
  const { first, parts } = options.part;
  const chosen = found
    .filter(({ name }) => options.filter.length === 0 || options.filter.some((filter) => selects(filter, name)))
    .filter((_, index) => index % parts === first);
  if (chosen.length === 0) throw new Error(`${golden}: no golden file${found.length > 0 ? ' matches the filter' : 's here'}`);
  const known = readKnown(options['known-misses'], device);
  const site = await serveFolder(here('../../tests/browser/pages'), { npm: PACKAGE, tests: here('../../tests/browser'), golden }, ISOLATED);
  try {
    const queue = chosen.map((file, number) => ({ ...file, number }));
    const checked = [];
    // A browser compiles the kernels of all its pages in one thread.
    const browsers = Array.from({ length: Math.min(BROWSERS, availableParallelism()) }, () => work(site.origin, options, queue, checked));
    await Promise.all(browsers);
    return checked.map(({ name, checks }) => report(name, checks.map((check) => apply(known, name, check)), options));
  } finally {
    await site.close();
  }
}

/**
 * Checks files of a queue in a separate browser until none is left; the results are put at the
 * files' numbers.
 */
async function work(origin, { device, tolerance, least, threads, every, rotation }, queue, results) {
  const table = JSON.parse(readFileSync(join(SHARED, 'tolerance.json'), 'utf8'));
  const browser = await launchBrowser({ webgpu: device === 'webgpu' });
  const open = async () => {
    const page = await browser.newPage();
    if (least) await page.addInitScript(offerTheLeast);
    collectProblems(page);
    await page.goto(origin);
    const info = await page.evaluate(async (wanted) => {
      window.lanthorn = await import('/npm/js/index.js');
      const parts = ['check', 'optim', 'e2e'].map((part) => import(`/tests/golden/${part}.mjs`));
      window.golden = Object.assign({}, ...(await Promise.all(parts)));
      return window.lanthorn.init(wanted);
    }, { device, threads: Number(threads) });
    if (info.device !== device) throw new Error(`asked for ${device}, got ${info.device}`);
    return page;
  };
  try {
    let page = await open();
    for (let done = 1, next = queue.shift(); next; done += 1, next = queue.shift()) {
      const { file, base, name, check, number } = next;
      // Reloading the page from time to time frees everything that files left behind.
      if (done % 60 === 0) {
        await page.close();
        page = await open();
      }
      const checks = await page
        .evaluate((argument) => window.golden[argument.check](argument), {
          check, base, name: file, table, strict: tolerance === 'strict', single: device === 'webgpu', part: { first: number % every, every, rotation, isShort: rotation !== undefined && number % FILES !== rotation % FILES },
        })
        .catch((error) => [{ sample: 0, aspect: 'file', outcome: 'failed', reason: error.message }]);
      results[number] = { name, checks };
    }
  } finally {
    await browser.close();
  }
}

/** Prints what failed of a file. */
function report(name, checks, { verbose }) {
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  for (const { sample, aspect, reason } of verbose ? failed : failed.slice(0, 1)) {
    console.log(verbose ? `${name}/${sample}/${aspect}: ${reason}` : `${name}: ${failed.length} of ${checks.length} failed; sample ${sample}, ${aspect}: ${reason}`);
  }
  return { name, checks };
}

try {
  const options = readOptions();
  const files = await run(options);
  const all = files.flatMap(({ checks }) => checks);
  const count = (wanted) => all.filter(({ outcome }) => outcome === wanted).length;
  const skips = new Map();
  for (const { reason } of all.filter(({ outcome }) => outcome === 'skipped')) skips.set(reason, (skips.get(reason) ?? 0) + 1);
  for (const [reason, number] of [...skips].sort()) console.log(`skipped ${number}: ${reason}`);
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map(count);
  if (options.json) {
    writeFileSync(options.json, JSON.stringify({ device: options.device, tolerance: options.tolerance, passed, failed, skipped, files }));
  }
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  console.error(`conformance: ${error.message}`);
  process.exitCode = 2;
}
