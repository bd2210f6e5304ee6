/** What others' linters of packages say about the package that is published. */
import { readFile } from 'node:fs/promises';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { packPackage, run } from './lib/packed.mjs';
import { installTools, LINTERS } from './lib/tools.mjs';

let packed;
let linter;
before(async () => {
  const folder = await installTools(LINTERS);
  linter = (name, args) => run(join(folder, 'node_modules/.bin', name), args);
  packed = await packPackage();
});
after(() => packed?.remove());

test('publint finds nothing', async () => {
  const { stdout } = await linter('publint', ['run', PACKAGE, '--strict']);
  assert.match(stdout, /All good!/);
});

test('Are The Types Wrong? finds the types of every entry of ES modules', async () => {
  const { exports } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  const [files, modules] = [true, false].map((isFile) => Object.keys(exports).filter((entry) => entry.endsWith('.wasm') === isFile));
  // It fails where it finds a problem.
  const { stdout } = await linter('attw', [packed.tarball, '--profile', 'esm-only', '--format', 'ascii', '--exclude-entrypoints', ...files]);
  for (const entry of modules) assert.ok(stdout.includes(`"${join('lanthorn', entry)}"`), entry);
});
