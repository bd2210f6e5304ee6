/**
 * Pages that are made from another one, their template: in the built site each is a copy of the built
 * template with its own content, and the development server fills the template as a page is asked for.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

export interface MadePage {
  /** Its folder below the root, as deep as that of the template. */
  folder: string;
  /** The page, of the template's text. */
  fill(template: string): string;
}

/** The hooks that make `pages` from the page in the folder `template`, which is none itself. */
export function madeFrom(template: string, pages: readonly MadePage[]): Pick<Plugin, 'configResolved' | 'configureServer' | 'writeBundle'> {
  const byFolder = new Map(pages.map((page) => [page.folder, page]));
  let built = '';
  // The frame wrote the address of the template, as the canonical one.
  const pageOf = (text: string, { folder, fill }: MadePage) => fill(text.replaceAll(`/${template}/index.html"`, `/${folder}/index.html"`));
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
