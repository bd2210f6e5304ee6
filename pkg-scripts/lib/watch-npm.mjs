/**
 * Compiles the TypeScript of the npm package into target/npm after each change of npm/src, with the
 * WebAssembly modules of the last build:
 *
 *     node pkg-scripts/lib/watch-npm.mjs
 *
 * Rejected: the compiler's own watching. Published maps lead to the sources in the package, so the
 * build compiles a copy of npm/src, and the copy must follow each change first.
 */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const [SOURCES, BUILT] = [path('npm/src'), path('target/npm')];

/** The text of a thread is a part of the modules, which the build writes. */
const THREAD = join('core', 'thread.ts');

/** The compiler's notes, by which it skips unchanged files. */
const NOTES = path('target/npm.tsbuildinfo');

/** Builds all TypeScript again; false if it has errors. */
function build() {
  rmSync(NOTES, { force: true });
  return spawnSync(path('pkg-scripts/build-npm'), ['--types-only', '--for-tests'], { stdio: 'inherit' }).status === 0;
}

/** Copies the changed files, and removes the output of those that were removed. */
function copy(names) {
  for (const name of names) {
    const target = join(BUILT, 'src', name);
    if (existsSync(join(SOURCES, name))) {
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(SOURCES, name), target);
    } else {
      const output = join(BUILT, 'js', name.replace(/\.ts$/, ''));
      for (const file of [target, ...['.js', '.js.map', '.d.ts', '.d.ts.map'].map((end) => output + end)]) rmSync(file, { force: true });
    }
  }
}

/** Runs the compiler; resolves when it has ended. */
function compile() {
  const config = join(BUILT, 'tsconfig.json');
  copyFileSync(path('npm/tsconfig.json'), config);
  return new Promise((resolve) => {
    const compiler = spawn(path('npm/node_modules/.bin/tsc'), ['-p', config, '--incremental', '--tsBuildInfoFile', NOTES], { stdio: 'inherit' });
    compiler.on('close', (code) => {
      rmSync(config, { force: true });
      resolve(code === 0);
    });
  });
}

const changed = new Set();
let isBusy = false;

/** Compiles until no change is left. */
async function update() {
  if (isBusy) return;
  isBusy = true;
  while (changed.size > 0) {
    const names = [...changed];
    changed.clear();
    const begin = performance.now();
    copy(names);
    const isDone = (!names.includes(THREAD) || build()) && (await compile());
    console.log(`${names.join(', ')}: ${isDone ? 'compiled' : 'errors'} after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  }
  isBusy = false;
}

if (!existsSync(join(BUILT, 'wasm'))) {
  console.error('there are no WebAssembly modules yet: run ./pkg-scripts/build-npm --for-tests first');
  process.exit(1);
}
build();
await compile();
console.log('waiting for changes of npm/src');
watch(SOURCES, { recursive: true }, (_, name) => {
  if (!name?.endsWith('.ts')) return;
  changed.add(name);
  // Editors write a file in several steps.
  setTimeout(update, 20);
});
