/**
 * The frame of every page. A page's `index.html` holds its content alone, `<main>` and perhaps
 * `<footer>`; this module writes title, header, navigation and scripts around it, from the
 * `about.json` in the same folder.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { escapeHtml } from './html';

/** The contents of an `about.json`. */
export interface About {
  title: string;
  /** A sentence for the card of the front page. */
  summary: string;
  /** A sentence for search engines. */
  description: string;
  /** The position among the chapters; only chapters have one. */
  order?: number;
  /** Whether the page computes, and shows its device; chapters do. */
  hasDevice?: boolean;
  /** A template of other pages, which is not published itself. */
  isTemplate?: boolean;
}

/** A page: its folder below the root, with `/` between names, and its `about.json`. */
export interface Page {
  folder: string;
  about: About;
}

/** The sections of the site, by their folders, in the order of the header. */
const SECTIONS: Readonly<Record<string, string>> = { begin: 'Begin here', guides: 'Guides', reference: 'Reference', playground: 'Playground' };

const FOOTER = '<footer class="site-footer wrap">Everything on this site is computed in your browser.</footer>';

/** The control of `parts/fresh-start.ts`. */
const FRESH_START = `
  <p class="stored"><button type="button" class="plain" id="fresh-start">Forget everything stored in this browser…</button> <span id="forgotten" role="status"></span></p>
`;

/** Elements that the script of a page fills. The content after them is hidden until then. */
const AWAITED = /id="training"|class="fields[^"]*"[^>]*><\/div>/;

/** Every page below `root`, which are the folders with an `index.html` and an `about.json`. */
export function pagesOf(root: string): Page[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'about.json' && existsSync(join(entry.parentPath, 'index.html')))
    .map(({ parentPath }) => ({
      folder: relative(root, parentPath).replaceAll('\\', '/'),
      about: JSON.parse(readFileSync(join(parentPath, 'about.json'), 'utf8')) as About,
    }));
}

/** The chapters among `pages`, in reading order. */
export function chaptersOf(pages: readonly Page[]): Page[] {
  return pages.filter(({ about }) => about.order !== undefined).sort((a, b) => a.about.order! - b.about.order!);
}

/**
 * Writes the frame around each page. `address` is where the site is published, such as
 * `https://example.org/lanthorn/`; without it the page has no absolute links, which the image of a
 * preview and the canonical address need. `others` are the folders of generated pages.
 */
export function frame(root: string, address?: string, others: readonly string[] = []): Plugin[] {
  const around: Plugin = {
    name: 'lanthorn:frame',
    transformIndexHtml: {
      order: 'pre',
      handler(content, { filename }) {
        const pages = pagesOf(root);
        const folder = relative(root, dirname(filename)).replaceAll('\\', '/');
        const page = pages.find((each) => each.folder === folder);
        return page ? writeFrame(content, page, pages, address) : content;
      },
    },
    generateBundle() {
      if (address) {
        const folders = pagesOf(root).filter(({ about }) => !about.isTemplate).map(({ folder }) => folder);
        this.emitFile({ type: 'asset', fileName: 'sitemap.xml', source: siteMap([...folders, ...others], address) });
      }
    },
  };
  return [around, stylesFirst()];
}

/**
 * Puts a page's style sheets before its scripts. A browser shows a page when its styles have
 * arrived, and on a slow connection they would wait for the scripts.
 */
function stylesFirst(): Plugin {
  const sheet = /\s*<link rel="stylesheet"[^>]*>/g;
  return {
    name: 'lanthorn:styles-first',
    transformIndexHtml: {
      order: 'post',
      handler: (content) => content.replace(sheet, '').replace(/\s*<script type="module"/, (script) => (content.match(sheet) ?? []).join('') + script),
    },
  };
}

function writeFrame(content: string, page: Page, pages: readonly Page[], address?: string): string {
  const { about, folder } = page;
  // Relative to the page, so that the site works under any path.
  const top = folder === '' ? './' : '../'.repeat(folder.split('/').length);
  const isChapter = about.order !== undefined;
  const title = folder === '' ? `lanthorn – ${about.title}` : `${about.title} – lanthorn`;
  const hasDevice = about.hasDevice ?? isChapter;
  const [main, footer] = splitFooter(content);
  return `<!doctype html>
<html lang="en"${hasDevice ? ' data-state="loading"' : ''}>
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escapeHtml(title)}</title>
    <meta name="description" content="${escapeHtml(about.description)}" />
    <meta name="color-scheme" content="light dark" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${escapeHtml(title)}" />
    <meta property="og:description" content="${escapeHtml(about.description)}" />${address ? absolute(address, folder) : ''}
    <link rel="icon" href="${top}parts/lantern.svg" />
    <script type="module" src="./page.ts"></script>
    <script type="module" src="${top}parts/every-page.ts"></script>
  </head>
  <body${AWAITED.test(main) ? ' class="held"' : ''}>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="site-header wrap">
      <a class="brand" href="${top}index.html"><img src="${top}parts/lantern.svg" alt="" width="28" height="28" />lanthorn</a>
      <nav class="site-nav" aria-label="Site">
${sections(folder, top, ['begin'])}
        <a href="${top}index.html#chapters">Chapters</a>
${sections(folder, top, Object.keys(SECTIONS).slice(1))}
      </nav>
      ${hasDevice ? '<div class="badge" id="badge"><span>Looking for a device…</span></div>' : ''}
    </header>
    <noscript><p class="wrap no-script">Everything on this site is computed in your browser, by JavaScript and WebAssembly. Allow scripts to use it.</p></noscript>
${main}
${isChapter ? pager(page, pages, top) : ''}
${footer.replace('</footer>', `${FRESH_START}</footer>`)}
  </body>
</html>
`;
}

/** The content up to the footer, and the footer. */
function splitFooter(content: string): [string, string] {
  const at = content.lastIndexOf('<footer');
  const [main, footer] = at < 0 ? [content, FOOTER] : [content.slice(0, at), content.slice(at)];
  return [main.replace('<main ', '<main id="content" '), footer];
}

/** The addresses of all pages, for search engines. */
function siteMap(folders: readonly string[], address: string): string {
  const urls = folders.map((folder) => `  <url><loc>${new URL(`${folder ? `${folder}/` : ''}index.html`, address).href}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`;
}

function absolute(address: string, folder: string): string {
  const here = new URL(folder === '' ? './' : `${folder}/`, address).href;
  return `
    <link rel="canonical" href="${here}index.html" />
    <meta property="og:url" content="${here}index.html" />
    <meta property="og:image" content="${new URL('social.png', address).href}" />
    <meta name="twitter:card" content="summary_large_image" />`;
}

function sections(folder: string, top: string, some: readonly string[]): string {
  return some
    .map((section) => {
      const here = folder === section || folder.startsWith(`${section}/`) ? ' aria-current="page"' : '';
      return `        <a href="${top}${section}/index.html"${here}>${SECTIONS[section]}</a>`;
    })
    .join('\n');
}

/** Links to the chapters before and after. */
function pager(page: Page, pages: readonly Page[], top: string): string {
  const chapters = chaptersOf(pages);
  const at = chapters.indexOf(page);
  const link = (to: Page | undefined, rel: string, words: string) =>
    to ? `<a rel="${rel}" href="${top}${to.folder}/index.html"><span class="soft">${words}</span>${escapeHtml(to.about.title)}</a>` : '<span></span>';
  return `    <nav class="pager wrap" aria-label="Chapters">
      ${link(chapters[at - 1], 'prev', '← Before')}
      ${link(chapters[at + 1], 'next', 'Next →')}
    </nav>`;
}
