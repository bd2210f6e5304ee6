/**
 * The pages of the reference: one for each entry, made from the page src/reference/entry, and the list
 * that its search reads.
 */
import type { Plugin } from 'vite';
import { escapeHtml } from '../html';
import { madeFrom } from '../made';
import { contentOf } from './content';
import type { Rust } from './rust';
import { type Entry, slugOf } from './entries';

/** What the page src/reference/entry has in place of an entry. */
const TEMPLATE = 'reference/entry';
const PLACES = { title: 'ENTRY-NAME', description: 'ENTRY-SUMMARY', content: '<div id="entry"></div>', version: 'PACKAGE-VERSION', rust: 'RUST-DOCUMENTATION' };

export function reference(entries: readonly Entry[], rust: Rust): Plugin {
  const names = namesOf(entries);
  const pages = entries.map((entry) => ({ folder: `reference/${slugOf(entry.name)}`, fill: (page: string) => filled(page, entry, names, rust) }));
  return {
    name: 'lanthorn:reference',
    ...madeFrom(TEMPLATE, pages),
    resolveId: (id) => (id === 'virtual:reference' ? '\0reference' : undefined),
    load: (id) => (id === '\0reference' ? `export default ${JSON.stringify(listOf(entries))}` : undefined),
    // `<a data-reference="matmul">` is a link to its page.
    transformIndexHtml: {
      order: 'pre',
      handler(content, { filename, path }) {
        const depth = path.split('/').length - 2;
        const versioned = content.replace(PLACES.version, rust.version).replace(PLACES.rust, rust.address);
        return versioned.replace(/<a data-reference="([^"]+)">/g, (_, name: string) => {
          const entry = names.get(name);
          if (!entry) {
            throw new Error(`${filename}: the reference has no ${name}`);
          }
          return `<a href="${'../'.repeat(depth) || './'}reference/${slugOf(entry.name)}/index.html">`;
        });
      },
    },
  };
}

/** The entries by their names; those of JavaScript lead to the same pages: `linalg.svd`. The tables come first. */
export function namesOf(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map([...entries].reverse().flatMap((entry) => [entry.javascript, entry.name].map((name) => [name, entry] as const)));
}

/** What the search reads of each entry. */
function listOf(entries: readonly Entry[]) {
  return entries.map(({ kind, name, javascript, summary }) => ({ kind, name, javascript, summary, page: slugOf(name) }));
}

function filled(page: string, entry: Entry, names: ReadonlyMap<string, Entry>, rust: Rust): string {
  return page
    .replaceAll(PLACES.title, () => escapeHtml(entry.name))
    .replaceAll(PLACES.description, () => escapeHtml(entry.summary))
    .replace(PLACES.content, () => contentOf(entry, names, rust.searchFor(entry)));
}
