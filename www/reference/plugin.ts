/**
 * The pages of the reference: one for each entry, made from the page src/reference/entry, and the list
 * that its search reads.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { escapeHtml } from '../html';
import { contentOf } from './content';
import { type Entry, slugOf } from './entries';

/** What the page src/reference/entry has in place of an entry. */
const TEMPLATE = 'reference/entry';
const PLACES = { title: 'ENTRY-NAME', description: 'ENTRY-SUMMARY', content: '<div id="entry"></div>' };

export function reference(entries: readonly Entry[]): Plugin {
  // The names of JavaScript lead to the same pages: `linalg.svd`. The tables come first.
  const names = new Map([...entries].reverse().flatMap((entry) => [entry.javascript, entry.name].map((name) => [name, entry] as const)));
  let folder = '';
  return {
    name: 'lanthorn:reference',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    resolveId: (id) => (id === 'virtual:reference' ? '\0reference' : undefined),
    load: (id) => (id === '\0reference' ? `export default ${JSON.stringify(listOf(entries))}` : undefined),
    // `<a data-reference="matmul">` is a link to its page.
    transformIndexHtml: {
      order: 'pre',
      handler(content, { filename, path }) {
        const depth = path.split('/').length - 2;
        return content.replace(/<a data-reference="([^"]+)">/g, (_, name: string) => {
          const entry = names.get(name);
          if (!entry) {
            throw new Error(`${filename}: the reference has no ${name}`);
          }
          return `<a href="${'../'.repeat(depth) || './'}reference/${slugOf(entry.name)}/index.html">`;
        });
      },
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const slug = /\/reference\/([^/]+)\/(?:index\.html)?(?:\?.*)?$/.exec(request.url ?? '')?.[1];
        const entry = entries.find(({ name }) => slugOf(name) === slug);
        if (!entry) {
          return next();
        }
        const template = readFileSync(join(server.config.root, TEMPLATE, 'index.html'), 'utf8');
        server
          .transformIndexHtml(`/${TEMPLATE}/index.html`, template)
          .then((page) => response.setHeader('content-type', 'text/html').end(filled(page, entry, names)))
          .catch(next);
      });
    },
    writeBundle() {
      const template = readFileSync(join(folder, TEMPLATE, 'index.html'), 'utf8');
      rmSync(join(folder, TEMPLATE), { recursive: true });
      for (const entry of entries) {
        const place = join(folder, 'reference', slugOf(entry.name));
        mkdirSync(place, { recursive: true });
        writeFileSync(join(place, 'index.html'), filled(template, entry, names));
      }
    },
  };
}

/** What the search reads of each entry. */
function listOf(entries: readonly Entry[]) {
  return entries.map(({ kind, name, javascript, summary }) => ({ kind, name, javascript, summary, page: slugOf(name) }));
}

function filled(page: string, entry: Entry, names: ReadonlyMap<string, Entry>): string {
  return page
    .replaceAll(PLACES.title, () => escapeHtml(entry.name))
    .replaceAll(PLACES.description, () => escapeHtml(entry.summary))
    .replace(PLACES.content, () => contentOf(entry, names));
}
