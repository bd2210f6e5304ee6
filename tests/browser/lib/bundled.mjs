/**
 * The built package with few modules, for pages that do not test how the package is loaded: a page
 * loads its hundred and sixty modules in half a second, and the bundles in a tenth.
 * `tests/packaging` tests the package as it is published.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/**
 * Keeps the module of stacks apart: the package knows its own frames by the folder of that module.
 */
const STACK = {
  name: 'stack',
  setup: ({ onResolve }) => onResolve({ filter: /\/stack\.js$/ }, () => ({ path: '/npm/js/core/stack.js', external: true })),
};

/** Makes the addresses of WebAssembly files absolute: a chunk is not in its modules' folders. */
const WASM = {
  name: 'wasm',
  setup({ onLoad }) {
    const load = (path) => readFileSync(path, 'utf8').replaceAll(/'(?:\.\.\/)+wasm\//g, "'/npm/wasm/");
    onLoad({ filter: /\/js\/.*\.js$/ }, ({ path }) => ({ contents: load(path), loader: 'js' }));
  },
};

/**
 * Bundles the package in `folder`, if that was not done since it was built, for pages that get it
 * at /npm/. Resolves to the folder of the bundles.
 */
export async function bundlePackage(folder) {
  const bundled = `${resolve(folder)}-bundled`;
  const built = String(statSync(join(folder, 'js/index.js')).mtimeMs);
  const stamp = join(bundled, 'bundled-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === built) return bundled;
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entryPoints = Object.values(exports).map((entry) => entry.default).filter(Boolean);
  const { build } = createRequire(new URL('../../../npm/package.json', import.meta.url))('esbuild');
  // Test files run in parallel: each process makes its own folder, and the last rename wins.
  const made = mkdtempSync(`${bundled}-`);
  await build({
    absWorkingDir: resolve(folder),
    entryPoints,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    outdir: join(made, 'js'),
    outbase: 'js',
    external: ['/npm/wasm/*'],
    plugins: [STACK, WASM],
    logLevel: 'error',
  });
  mkdirSync(join(made, 'js/core'), { recursive: true });
  copyFileSync(join(folder, 'js/core/stack.js'), join(made, 'js/core/stack.js'));
  symlinkSync(join(resolve(folder), 'wasm'), join(made, 'wasm'));
  writeFileSync(join(made, 'bundled-from'), built);
  replace(made, bundled);
  return bundled;
}

/** Renames a folder, in place of one that another process may have made meanwhile. */
function replace(made, folder) {
  for (;;) {
    rmSync(folder, { recursive: true, force: true });
    try {
      renameSync(made, folder);
      return;
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    }
  }
}
