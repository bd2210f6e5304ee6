/** The pages of the guides, made from the page src/guides/guide, and their list in src/guides. */
import type { Plugin } from 'vite';
import { escapeHtml } from '../html';
import { madeFrom } from '../made';
import type { Guide } from './guide';

const TEMPLATE = 'guides/guide';
/** What the pages have in place of a guide, and of the list. */
const PLACES = { title: 'GUIDE-TITLE', description: 'GUIDE-SUMMARY', content: '<div id="guide"></div>', list: '<ol id="guides"></ol>' };

export function guides(all: readonly Guide[]): Plugin {
  return {
    name: 'lanthorn:guides',
    ...madeFrom(TEMPLATE, all.map((guide) => ({ folder: `guides/${guide.name}`, fill: (page: string) => filled(page, guide) }))),
    transformIndexHtml: { order: 'pre', handler: (content) => content.replace(PLACES.list, () => listOf(all)) },
  };
}

function listOf(all: readonly Guide[]): string {
  const items = all.map(({ name, title, summary }) =>
    `<li><a href="./${name}/index.html">${escapeHtml(title)}</a><span class="soft">${escapeHtml(summary)}</span></li>`);
  return `<ol id="guides" class="guides">\n${items.join('\n')}\n</ol>`;
}

function filled(page: string, { title, summary, html }: Guide): string {
  return page
    .replaceAll(PLACES.title, () => escapeHtml(title))
    .replaceAll(PLACES.description, () => escapeHtml(summary))
    .replace(PLACES.content, () => html);
}
