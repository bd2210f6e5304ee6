/**
 * Pages that are generated from a template page. In the built site each is a copy of the built
 * template with its own content. The development server fills the template at each request.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

export interface GeneratedPage {
  /** Its folder below the root, at the same depth as the template's folder. */
  folder: string;
  /** Returns the page for the template's text. */
  fill(template: string): string;
}

/**
 * The hooks that generate `pages` from the page in the folder `template`, and remove the template.
 */
export function generatePages(
  template: string, pages: readonly GeneratedPage[],
): Pick<Plugin, 'configResolved' | 'configureServer' | 'writeBundle'> {
  const byFolder = new Map(pages.map((page) => [page.folder, page]));
  let built = '';
  // The canonical address, which the frame wrote, is the template's.
  const pageOf = (text: string, { folder, fill }: GeneratedPage) => fill(text.replaceAll(`/${template}/index.html"`, `/${folder}/index.html"`));
  return {
    configResolved(config) {
      built = resolve(config.root, config.build.outDir);
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const folder = /^\/(.+?)\/(?:index\.html)?(?:\?.*)?$/.exec(request.url ?? '')?.[1];
        const page = byFolder.get(folder ?? '');
        if (!page) {
          return next();
        }
        server
          .transformIndexHtml(`/${template}/index.html`, readFileSync(join(server.config.root, template, 'index.html'), 'utf8'))
          // The script is in the template's folder.
          .then((text) => pageOf(text.replace('src="./', `src="/${template}/`), page))
          .then((text) => response.setHeader('content-type', 'text/html').end(text))
          .catch(next);
      });
    },
    writeBundle() {
      const text = readFileSync(join(built, template, 'index.html'), 'utf8');
      rmSync(join(built, template), { recursive: true });
      for (const page of pages) {
        mkdirSync(join(built, page.folder), { recursive: true });
        writeFileSync(join(built, page.folder, 'index.html'), pageOf(text, page));
      }
    },
  };
}
