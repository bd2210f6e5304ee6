/**
 * The snippets of the READMEs, the guides and the sources' examples type-check, as programs of the
 * built package under a strict compiler.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { moduleOf, snippets } from './lib/snippets.mjs';

const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url));

const OPTIONS = {
  strict: true, noEmit: true, skipLibCheck: true, jsx: 'preserve',
  target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'], types: ['node'],
};

/**
 * Errors of types that cannot be inferred, such as the types of parameters: the snippets are
 * JavaScript, which has no annotations.
 */
const IMPLICIT = /^.*error TS70\d\d: .*\n(?: .*\n)*/gm;

/** Modules of others that snippets import. */
const OTHERS = `
declare module 'react';
declare module 'webgpu';
declare module '*.js';
declare module '*.wasm' { const url: string; export default url; }
declare namespace JSX { interface IntrinsicElements { [name: string]: any } }
`;

/** The entries of the package, whose names a snippet may use without their import. */
const ENTRIES = ['.', './io', './program', './tokenizer', './models', './quantization', './audio', './distributions', './einops', './metrics', './vision', './train', './data', './datasets', './hub', './workers', './testing'];

/** The names that each entry exports. */
async function exportedNames() {
  const { exports } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  const namesOf = async (entry) => Object.keys(await import(pathToFileURL(resolve(PACKAGE, exports[entry].default))));
  return new Map(await Promise.all(ENTRIES.map(async (entry) => [entry.replace('.', 'lanthorn'), await namesOf(entry)])));
}

test('every snippet type-checks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lanthorn-snippets-'));
  try {
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
    await symlink(resolve(PACKAGE), join(folder, 'node_modules/lanthorn'));
    await symlink(fromHere('../../www/node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
    await writeFile(join(folder, 'others.d.ts'), OTHERS);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['.'] }));
    const exported = await exportedNames();
    const all = await snippets();
    assert.ok(all.length > 150, `${all.length} snippets`);
    const written = all.map(async (snippet, index) => {
      await writeFile(join(folder, `${index}.${snippet.isJsx ? 'tsx' : 'ts'}`), await moduleOf(snippet, exported));
    });
    await Promise.all(written);
    const output = await new Promise((done) => {
      execFile(fromHere('../../npm/node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], { cwd: folder, maxBuffer: 1 << 24 }, (_, stdout) => done(stdout));
    });
    // A snippet's first line is the second of its module.
    const wrong = output.replace(IMPLICIT, '').replace(/^(\d+)\.tsx?\((\d+),\d+\)/gm, (_, index, line) => {
      return `${all[index].file}:${all[index].line + Number(line) - 1}`;
    });
    if (wrong !== '') assert.fail(wrong);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
