/** What is tried in Node and in the page: the recorded answers of Rust and of other programs. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const read = async (name) => JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'));

/** What Rust answers (`crates/data/tests/shared.rs`). */
export const shared = await read('./shared.json');
/** What Pillow and Hugging Face's tokenizers answer. */
export const references = await read('./references.json');

/** That numbers are the same, exactly. */
export function same(actual, expected, what) {
  assert.deepEqual(Array.from(actual), expected, what);
}
