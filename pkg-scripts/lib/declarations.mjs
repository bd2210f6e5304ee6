/**
 * Writes the declarations of the WebAssembly modules into the folder npm/wasm, from those that
 * wasm-bindgen wrote beside the modules:
 *
 *     node declarations.mjs [--check] MODULES FOLDER
 *
 * With `--check` it compares them and fails. Comments are left out, because the Rust code has them.
 * So is the list of a module's own exports, except the memory: names of closures in it differ from
 * one build to another, and nothing calls them.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const [modules, folder] = positionals;

const OUTPUT = /(export interface InitOutput \{\n)([^}]*)(\})/;

/** The declarations without comments and the exports that vary. */
function normalize(text) {
  return text.replace(/^ *\/\*\*[^]*?\*\/\n/gm, '').replace(/\n{3,}/g, '\n\n').replace(OUTPUT, (_, begin, members, end) => begin + members.split('\n').filter((line) => line.includes(' memory: ')).join('\n') + `\n${end}`);
}

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const names = readdirSync(modules).filter((name) => /^lanthorn_[a-z_]+\.d\.ts$/.test(name) && existsSync(join(modules, name.replace('.d.ts', '_bg.wasm'))));
const changed = names.map((name) => ({ file: join(folder, name), text: normalize(read(join(modules, name))) })).filter(({ file, text }) => read(file) !== text);
if (values.check && changed.length > 0) {
  console.error(`${changed.map(({ file }) => file).join(', ')}: not the declarations of the modules; run ./pkg-scripts/build-npm --for-tests`);
  process.exitCode = 1;
} else {
  for (const { file, text } of changed) writeFileSync(file, text);
}
