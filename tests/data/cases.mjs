/** Cases for Node and the page: the recorded answers of Rust and of other programs. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const read = async (name) => JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'));

/** Rust's answers (`crates/data/tests/shared.rs`). */
export const shared = await read('./shared.json');
/** The answers of Pillow and of Hugging Face's tokenizers. */
export const references = await read('./references.json');

/** Checks that numbers are equal, exactly. */
export function same(actual, expected, what) {
  assert.deepEqual(Array.from(actual), expected, what);
}
