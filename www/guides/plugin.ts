/**
 * The pages of the guides, generated from the page src/guides/guide, and their list in src/guides.
 */
import type { Plugin } from 'vite';
import { escapeHtml } from '../html';
import { generatePages } from '../generated-pages';
import type { Guide } from './guide';

const TEMPLATE = 'guides/guide';
/** The markers in the pages that a guide's content and the list replace. */
const MARKERS = { title: 'GUIDE-TITLE', description: 'GUIDE-SUMMARY', content: '<div id="guide"></div>', list: '<ol id="guides"></ol>' };

export function guides(all: readonly Guide[]): Plugin {
  return {
    name: 'lanthorn:guides',
    ...generatePages(TEMPLATE, all.map((guide) => ({ folder: `guides/${guide.name}`, fill: (page: string) => fillPage(page, guide) }))),
    transformIndexHtml: { order: 'pre', handler: (content) => content.replace(MARKERS.list, () => listOf(all)) },
  };
}

function listOf(all: readonly Guide[]): string {
  const items = all.map(({ name, title, summary }) =>
    `<li><a href="./${name}/index.html">${escapeHtml(title)}</a><span class="soft">${escapeHtml(summary)}</span></li>`);
  return `<ol id="guides" class="guides">\n${items.join('\n')}\n</ol>`;
}

function fillPage(page: string, { title, summary, html }: Guide): string {
  return page
    .replaceAll(MARKERS.title, () => escapeHtml(title))
    .replaceAll(MARKERS.description, () => escapeHtml(summary))
    .replace(MARKERS.content, () => html);
}
