/**
 * The guides: the Markdown files of docs/guides, which are also read on GitHub. The list in
 * README.md there has their order and a sentence on each.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../html';
import { linkNames } from '../reference/content';
import type { Entry } from '../reference/entries';

const FOLDER = 'docs/guides';
/** `- [Memory](memory.md): a sentence.` */
const ITEM = /^- \[([^\]]+)\]\(([\w-]+)\.md\): (.+)$/gm;

export interface Guide {
  /** The name of its file and of its page. */
  name: string;
  title: string;
  summary: string;
  /** The page's content: heading, table of contents, text. */
  html: string;
}

interface Heading {
  id: string;
  html: string;
}

/**
 * The guides of the checkout in `root`, whose names of operations and modules become links to
 * `names`.
 */
export function readGuides(root: string, names: ReadonlyMap<string, Entry>): Guide[] {
  const known = unambiguous(names);
  const list = readFileSync(join(root, FOLDER, 'README.md'), 'utf8');
  return [...list.matchAll(ITEM)].map(([, title = '', name = '', summary = '']) => {
    const text = readFileSync(join(root, FOLDER, `${name}.md`), 'utf8');
    return { name, title, summary, html: linkNames(pageOf(text, `${FOLDER}/${name}.md`, root), known, '../../reference') };
  });
}

/** Without names that several entries share in JavaScript, such as `load`. */
function unambiguous(names: ReadonlyMap<string, Entry>): Map<string, Entry> {
  const counts = new Map<string, number>();
  for (const { javascript } of new Set(names.values())) {
    counts.set(javascript, (counts.get(javascript) ?? 0) + 1);
  }
  return new Map([...names].filter(([name, entry]) => name === entry.name || counts.get(name) === 1));
}

function pageOf(text: string, file: string, root: string): string {
  const headings: Heading[] = [];
  const markdown = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens);
        if (depth === 1) {
          return `<h1>${html}</h1>\n`;
        }
        const id = idOf(plainOf(tokens));
        if (depth === 2) {
          headings.push({ id, html });
        }
        return `<h${depth} id="${id}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(addressOf(href, file, root))}">${this.parser.parseInline(tokens)}</a>`;
      },
      code({ text: source, lang = '' }: Tokens.Code) {
        // The second word marks a complete program for the tests.
        const [language = ''] = lang.split(' ');
        return `<pre class="code" tabindex="0"><code data-language="${escapeHtml(language)}">${escapeHtml(source)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const cellOf = ({ tokens }: Tokens.TableCell, tag: string) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        const row = (cells: Tokens.TableCell[], tag: string) => `<tr>${cells.map((cell) => cellOf(cell, tag)).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const html = markdown.parse(text, { async: false });
  const start = html.indexOf('<h2');
  return `${html.slice(0, start)}${contentsOf(headings)}${html.slice(start)}`;
}

function contentsOf(headings: readonly Heading[]): string {
  // A link contains no link, so names in headings do not link to the reference here.
  const wordsOf = (html: string) => html.replace(/<\/?a\b[^>]*>/g, '').replaceAll('<code>', '<code class="name">');
  const items = headings.map(({ id, html }) => `<li><a href="#${id}">${wordsOf(html)}</a></li>`);
  return `<nav class="contents" aria-labelledby="contents"><h2 id="contents">On this page</h2><ul>${items.join('\n')}</ul></nav>\n`;
}

function plainOf(tokens: readonly Token[]): string {
  return tokens.map((token) => ('tokens' in token && token.tokens ? plainOf(token.tokens) : 'text' in token ? token.text : token.raw)).join('');
}

/** The fragment of a heading, the same as on GitHub, so that links work there too. */
export function idOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
}

/**
 * The site's address of a guide's link: a guide's page, the reference for printed tables, otherwise
 * a file of the repository.
 */
function addressOf(href: string, file: string, root: string): string {
  if (/^(?:https?:|#)/.test(href)) {
    return href;
  }
  const [path = '', fragment] = href.split('#');
  const target = normalize(join(dirname(file), path)).replaceAll('\\', '/');
  if (!existsSync(join(root, target))) {
    throw new Error(`${file}: there is no ${target}`);
  }
  const [, guide] = /^docs\/guides\/([\w-]+)\.md$/.exec(target) ?? [];
  if (guide) {
    return `${guide === 'README' ? '../' : `../${guide}/`}index.html${fragment ? `#${fragment}` : ''}`;
  }
  if (/^docs\/(?:operations|modules|optimizers)\.md$/.test(target)) {
    return '../../reference/index.html';
  }
  return `${repositoryOf(root)}/blob/main/${target}`;
}

function repositoryOf(root: string): string {
  const { repository } = JSON.parse(readFileSync(join(root, 'target/npm/package.json'), 'utf8')) as { repository: { url: string } };
  return repository.url.replace(/^git\+|\.git$/g, '');
}
