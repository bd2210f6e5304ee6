// The site is one page a chapter: src/index.html lists them, src/chapters/NAME/index.html is one. A new folder is picked up here
// by itself; only its row in src/chapters/table.ts is to be added.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const chapters = readdirSync(path('src/chapters'), { withFileTypes: true }).filter((entry) => entry.isDirectory());

export default defineConfig({
  root: path('src'),
  // Relative addresses, so that the built folder works under any path of any host.
  base: './',
  resolve: {
    // The package as built in this checkout; in a project of one's own it comes from npm under the same name.
    alias: { lanthorn: path('../target/npm/js/index.js') },
  },
  // The package and the data set lie outside www/.
  server: { fs: { allow: [path('..')] } },
  worker: { format: 'es' },
  build: {
    outDir: path('../target/www'),
    emptyOutDir: true,
    target: 'es2022',
    rollupOptions: {
      input: [path('src/index.html'), ...chapters.map(({ name }) => path(`src/chapters/${name}/index.html`))],
    },
  },
});
