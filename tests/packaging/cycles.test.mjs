/** The graph of the package's imports: no module imports itself through others. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE } from '../browser/lib/package-page.mjs';

const { build } = createRequire(new URL('../../npm/package.json', import.meta.url))('esbuild');

/** The modules that each module imports, without those that are imported when they are needed. */
async function importsOf(entries) {
  const options = { bundle: true, write: false, outdir: 'unused', metafile: true, format: 'esm', external: ['../wasm/*', '../../wasm/*'], absWorkingDir: PACKAGE };
  // Without tree shaking, as where modules are loaded one by one.
  const { metafile } = await build({ ...options, treeShaking: false, entryPoints: entries });
  const statically = ({ kind, external }) => kind === 'import-statement' && !external;
  return new Map(Object.entries(metafile.inputs).map(([file, { imports }]) => [file, imports.filter(statically).map(({ path }) => path)]));
}

/** A path from a module back to itself, or undefined. */
function cycleIn(imports) {
  const done = new Set();
  const search = (path) => {
    const file = path.at(-1);
    const begin = path.indexOf(file);
    if (begin < path.length - 1) return path.slice(begin);
    if (done.has(file)) return undefined;
    for (const next of imports.get(file)) {
      const found = search([...path, next]);
      if (found) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const found = search([file]);
    if (found) return found;
  }
  return undefined;
}

test('no module imports itself through others', async () => {
  const imports = await importsOf(['index', 'io/index', 'program/index', 'testing/index', 'data/index'].map((name) => join(PACKAGE, 'js', `${name}.js`)));
  assert.ok(imports.size > 60, `${imports.size} modules`);
  assert.equal(cycleIn(imports)?.join(' -> '), undefined);
});

test('a cycle would be found', () => {
  assert.deepEqual(cycleIn(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]])), ['b', 'c', 'b']);
  assert.equal(cycleIn(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]])), undefined);
});
