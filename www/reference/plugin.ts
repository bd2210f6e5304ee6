/**
 * The pages of the reference: one for each entry, generated from the page src/reference/entry, and
 * the list for the search.
 */
import type { Plugin } from 'vite';
import { escapeHtml } from '../html';
import { generatePages } from '../generated-pages';
import { contentOf } from './content';
import type { Rust } from './rust';
import { type Entry, slugOf } from './entries';

/** The markers in the page src/reference/entry that an entry's content replaces. */
const TEMPLATE = 'reference/entry';
const MARKERS = { title: 'ENTRY-NAME', description: 'ENTRY-SUMMARY', content: '<div id="entry"></div>', version: 'PACKAGE-VERSION', rust: 'RUST-DOCUMENTATION' };

export function reference(entries: readonly Entry[], rust: Rust): Plugin {
  const names = namesOf(entries);
  const pages = entries.map((entry) => ({ folder: `reference/${slugOf(entry.name)}`, fill: (page: string) => fillPage(page, entry, names, rust) }));
  return {
    name: 'lanthorn:reference',
    ...generatePages(TEMPLATE, pages),
    resolveId: (id) => (id === 'virtual:reference' ? '\0reference' : undefined),
    load: (id) => (id === '\0reference' ? `export default ${JSON.stringify(listOf(entries))}` : undefined),
    // `<a data-reference="matmul">` is a link to its page.
    transformIndexHtml: {
      order: 'pre',
      handler(content, { filename, path }) {
        const depth = path.split('/').length - 2;
        const versioned = content.replace(MARKERS.version, rust.version).replace(MARKERS.rust, rust.address);
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

/**
 * The entries by their names, and by JavaScript's names such as `linalg.svd`. The tables come
 * first.
 */
export function namesOf(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map([...entries].reverse().flatMap((entry) => [entry.javascript, entry.name].map((name) => [name, entry] as const)));
}

/** The list of entries that the search reads. */
function listOf(entries: readonly Entry[]) {
  return entries.map(({ kind, name, javascript, summary }) => ({ kind, name, javascript, summary, page: slugOf(name) }));
}

function fillPage(page: string, entry: Entry, names: ReadonlyMap<string, Entry>, rust: Rust): string {
  return page
    .replaceAll(MARKERS.title, () => escapeHtml(entry.name))
    .replaceAll(MARKERS.description, () => escapeHtml(entry.summary))
    .replace(MARKERS.content, () => contentOf(entry, names, rust.searchFor(entry)));
}
