/** The features in the README's table of browsers: the claimed and the found ones. */
import { readFileSync } from 'node:fs';

const README = new URL('../../../npm/README.md', import.meta.url);

/** The versions of Safari that have the engine of a version of WebKitGTK. */
const SAFARI = { '2.50': 26, '2.52': 26.4, '2.54': 27 };

/** The name of a tested browser in the table, and the version that the table speaks of. */
export function rowOf(browser, version) {
  if (browser !== 'webkit') return [{ chromium: 'Chrome', firefox: 'Firefox' }[browser], parseInt(version, 10)];
  const [short] = /^\d+\.\d+/.exec(version);
  if (!Object.hasOwn(SAFARI, short)) throw new Error(`which Safari has the engine of WebKitGTK ${short}?`);
  return ['Safari', SAFARI[short]];
}

const cellsOf = (line) => line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', ''));

/**
 * Whether a version of a browser has each feature of the table, by the feature's name. A cell is the
 * first version with the feature, or `all`.
 */
export function claimedFeatures(browser, version) {
  const lines = readFileSync(README, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('| browser |'));
  const [, first, ...names] = cellsOf(lines[start]);
  if (first !== 'from version') throw new Error('the README has no table of browsers');
  const row = lines.slice(start + 2).map(cellsOf).find(([name]) => name?.includes(browser));
  const has = (cell) => cell === 'all' || version >= Number(/^\d+(\.\d+)?/.exec(cell)[0]);
  return Object.fromEntries(names.map((name, index) => [name, has(row[index + 2])]));
}

/** Whether this page's browser has each of the features. Runs in the page. */
export function findFeatures() {
  // A function of `i32.const 1, i8x16.splat` three times, and `f32x4.relaxed_madd`.
  const one = [0x41, 1, 0xfd, 0x0f];
  const code = [0x0a, 0x13, 1, 0x11, 0, ...one, ...one, ...one, 0xfd, 0x85, 2, 0x0b];
  const relaxed = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, ...code);
  const compiles = (text) => {
    try {
      return Boolean(new Function(text));
    } catch {
      return false;
    }
  };
  return {
    WebGPU: 'gpu' in navigator,
    threads: crossOriginIsolated && typeof SharedArrayBuffer === 'function',
    'relaxed SIMD': WebAssembly.validate(relaxed),
    'private file system': typeof FileSystemFileHandle === 'function' && 'createWritable' in FileSystemFileHandle.prototype,
    using: compiles('{ using nothing = null; }'),
  };
}
