/** The runner of the suite: repeated tests, hooks that fail, files that end or hang. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runNodeTests } from '../../pkg-scripts/suite/node-tests.mjs';

let root;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'lanthorn-suite-'));
});
after(() => rm(root, { recursive: true, force: true }));

/**
 * The start of every file: a browser is a line in the log of consoles, and `count` counts runs of a
 * test in a file.
 */
const START = `
import { appendFileSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
const launch = () => appendFileSync(process.env.LANTHORN_CONSOLE_LOG, 'a line of a page\\n');
const count = (name) => {
  appendFileSync('${'${ROOT}'}/' + name, '.');
  return readFileSync('${'${ROOT}'}/' + name, 'utf8').length;
};
`;

/** Runs one file with this source. */
async function run(name, source, options = {}) {
  await mkdir(join(root, 'tests'), { recursive: true });
  await writeFile(join(root, `tests/${name}.test.mjs`), START.replaceAll('${ROOT}', root) + source);
  const old = process.env.NODE_TEST_CONTEXT;
  delete process.env.NODE_TEST_CONTEXT;
  try {
    return await runNodeTests([`tests/${name}.test.mjs`], { root, logs: join(root, 'logs'), ...options });
  } finally {
    if (old !== undefined) process.env.NODE_TEST_CONTEXT = old;
  }
}

test('a browser test that passes the second time is flaky and counts as passed', async () => {
  const found = await run('flaky', `
    launch();
    describe('a page', () => {
      test('works at the second try (1 + 1)', () => { if (count('flaky') === 1) throw new Error('the first time'); });
      test('works', () => { count('steady'); });
    });`);
  assert.deepEqual([found.passed, found.failed, found.failures], [2, 0, []]);
  assert.deepEqual(found.flaky.map(({ name }) => name), ['flaky > a page > works at the second try (1 + 1)']);
  assert.match(await readFile(found.flaky[0].logs[0], 'utf8'), /the first time/);
  assert.equal((await readFile(join(root, 'steady'), 'utf8')).length, 1, 'only the failed test runs again');
});

test('a browser test that fails twice fails, and never runs a third time', async () => {
  const found = await run('broken', `launch(); test('fails', () => { count('broken'); throw new Error('every time'); });`);
  assert.deepEqual([found.passed, found.failed, found.failures, found.flaky], [0, 1, ['broken > fails'], []]);
  assert.equal((await readFile(join(root, 'broken'), 'utf8')).length, 2);
});

test('a test without a browser never runs again', async () => {
  const found = await run('plain', `test('fails once', () => { if (count('plain') === 1) throw new Error('no luck'); });`);
  assert.deepEqual([found.passed, found.failed], [0, 1]);
  assert.equal((await readFile(join(root, 'plain'), 'utf8')).length, 1);
});

test('after a hook that fails the whole file runs again', async () => {
  const found = await run('hook', `
    launch();
    describe('a page', () => {
      before(() => { if (count('hook') === 1) throw new Error('no browser'); });
      test('works', () => {});
      test('works, too', () => {});
    });`);
  assert.deepEqual([found.passed, found.failed], [2, 0]);
  assert.ok(found.flaky.length > 0);
});

test('a process that ends early, and one that hangs, fail with the console of the page', async () => {
  const ended = await run('ended', `launch(); test('ends the process', () => process.exit(3));`);
  assert.deepEqual([ended.failed > 0, ended.failures], [true, ['ended.test.mjs as a whole']]);
  const hung = await run('hung', `launch(); test('hangs', () => new Promise(() => setInterval(() => {}, 1000)));`, { silence: 3000 });
  assert.deepEqual(hung.failures, ['hung.test.mjs as a whole']);
  assert.match(hung.reports.join('\n'), /a line of a page/);
});

test('skipped tests do not count, and a file without tests that ends well passes nothing', async () => {
  const found = await run('skipped', `test('is skipped', { skip: 'no reason' }, () => {}); test('runs', () => {});`);
  assert.deepEqual([found.passed, found.failed], [1, 0]);
});
