// The site is made of pages: each folder below src/ with an index.html and an about.json is one,
// and is found automatically. frame.ts writes the header and the links around them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { blocks } from './blocks';
import { frame, pagesOf } from './frame';
import { readGuides } from './guides/guide';
import { guides } from './guides/plugin';
import { readCatalogue } from './reference/catalogue';
import { slugOf } from './reference/entries';
import type { GoldenCalls } from './reference/examples/golden';
import { namesOf, reference } from './reference/plugin';
import { Rust } from './reference/rust';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * The package built in this checkout, and its entries; in another project they come from npm under
 * the same names.
 */
function aliases() {
  const { exports } = JSON.parse(readFileSync(path('../target/npm/package.json'), 'utf8')) as { exports: Record<string, { default?: string }> };
  const modules = Object.entries(exports).filter(([, target]) => target.default);
  return modules.map(([name, target]) => ({ find: new RegExp(`^lanthorn${name.slice(1)}$`), replacement: path(`../target/npm/${target.default}`) }));
}

/** Makes pages cross-origin isolated, so that the CPU's kernels have threads. */
const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** Modules of the tests that turn PyTorch's samples into calls. They are not part of the site. */
async function goldenCalls(): Promise<GoldenCalls> {
  const parts = ['call', 'file'].map((name) => import(new URL(`../tests/browser/golden/${name}.mjs`, import.meta.url).href) as Promise<object>);
  return Object.assign({}, ...(await Promise.all(parts))) as GoldenCalls;
}

const entries = readCatalogue(path('..'), await goldenCalls());
const allGuides = readGuides(path('..'), namesOf(entries));
const made = [...entries.map(({ name }) => `reference/${slugOf(name)}`), ...allGuides.map(({ name }) => `guides/${name}`)];

/**
 * The chunk of the modules that a worker's entry imports. WebKit evaluates an entry twice if a
 * chunk imports it, and the worker then has two listeners and two cores: so every
 * module of an entry is in this chunk.
 */
const BASE = { name: 'base', tags: ['$initial' as const], test: (id: string) => !/worker\.ts(\?|$)/.test(id) };

export default defineConfig({
  root: path('src'),
  // Relative URLs, so that the built folder works under any path of any host.
  base: './',
  // The order: the blocks of a page, then links to the reference within its content, then the frame
  // around it.
  plugins: [blocks(), reference(entries, Rust.of(path('..'))), guides(allGuides), frame(path('src'), process.env['SITE_ADDRESS'], made)],
  resolve: {
    alias: aliases(),
  },
  // The package and the data set are outside of www/.
  server: { fs: { allow: [path('..')] }, headers },
  preview: { headers },
  worker: { format: 'es', rollupOptions: { output: { codeSplitting: { groups: [BASE] } } } },
  build: {
    outDir: path('../target/www'),
    emptyOutDir: true,
    target: 'es2022',
    rollupOptions: {
      input: pagesOf(path('src')).map(({ folder }) => path(`src/${folder}/index.html`)),
    },
  },
});
