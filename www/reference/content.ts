/** The content of an entry's page: its declarations, its text, and its example. */
import { deflateRawSync } from 'node:zlib';
import { Marked } from 'marked';
import { escapeHtml } from '../html';
import { type Entry, type Program, slugOf } from './entries';

type Names = ReadonlyMap<string, Entry>;

const markdown = new Marked({ gfm: true });

/** `rust` is the address of the entry in Rust's documentation. */
export function contentOf(entry: Entry, names: Names, rust?: string): string {
  const { kind, name, imported, signature, declared, types, text, facts, program } = entry;
  return `<p class="soft kind">${kind}</p>
      <h1><code>${escapeHtml(name)}</code></h1>
      ${imported ? `<p class="soft"><code>${escapeHtml(imported)}</code></p>` : ''}
      ${declared.length > 0 ? code('In JavaScript', joinDeclarations(declared)) : ''}
      ${signature ? code('In PyTorch’s notation', signature) : ''}
      ${text ? `<div class="card prose">${htmlOf(text, names)}</div>` : ''}
      ${types.length > 0 ? code('Types', types.join('\n\n')) : ''}
      ${program ? exampleOf(program) : ''}
      ${rust ? `<p class="soft"><a href="${escapeHtml(rust)}">The same in Rust’s documentation</a></p>` : ''}
      ${facts ? `<div class="soft facts">${htmlOf(facts, names)}</div>` : ''}`;
}

/** One declaration a line, with empty lines between them if one has a note. */
function joinDeclarations(declared: readonly string[]): string {
  return declared.join(declared.some((each) => each.startsWith('//')) ? '\n\n' : '\n');
}

function code(title: string, text: string): string {
  return `<section class="signature"><h2>${title}</h2><pre class="code" tabindex="0" aria-label="${title}"><code>${escapeHtml(text)}</code></pre></section>`;
}

function exampleOf({ source, needs, isRecorded }: Program): string {
  if (needs !== undefined) {
    return source && `${code('Example', source)}<p class="soft">It does not run in this page. It needs ${escapeHtml(needs)}.</p>`;
  }
  const origin = isRecorded ? 'The call is a sample of PyTorch’s own tests; its numbers are rounded, or random where there are many. ' : '';
  // The same form as playground/link.ts, which makes the link after an edit.
  const packed = deflateRawSync(source).toString('base64url');
  return `<section class="card example" aria-labelledby="example">
        <h2 id="example">Example</h2>
        <p class="soft" id="keys">${origin}Change it and run it again: Control and Enter runs it too.</p>
        <textarea class="code" id="program" rows="${source.trimEnd().split('\n').length + 1}" spellcheck="false" autocapitalize="off" autocomplete="off"
          aria-label="Program" aria-describedby="keys">${escapeHtml(source)}</textarea>
        <div class="buttons">
          <button type="button" class="primary" id="run">Run</button>
          <button type="button" id="stop" disabled>Stop</button>
          <a id="open" href="../../playground/index.html#code=${packed}">Open in the playground</a>
        </div>
        <p class="soft" id="status" role="status" aria-live="polite">Runs in this page, on WebGPU or on the CPU.</p>
        <div class="output" id="output" role="log" aria-live="polite" aria-label="Output" tabindex="0"></div>
      </section>`;
}

/**
 * Names in code become links to their pages, which are in the folder `at` as seen from the page.
 */
export function linkNames(html: string, names: Names, at = '..'): string {
  return html
    .replaceAll('<pre>', '<pre class="code" tabindex="0">')
    // Names within a link are left unchanged.
    .replace(/<a [^>]*>.*?<\/a>|<code>([\w.]+)<\/code>/gs, (text, name?: string) => (name === undefined ? text : linkTo(names.get(name), text, at)));
}

function linkTo(entry: Entry | undefined, text: string, at = '..'): string {
  return entry ? `<a href="${at}/${slugOf(entry.name)}/index.html">${text}</a>` : text;
}

/**
 * A text of Rust's documentation. Its links `[x](Tensor::x)` and `[x](#x)` lead to the entries;
 * `[Tensor::x]` is code.
 */
function htmlOf(text: string, names: Names): string {
  const html = markdown.parse(text.replace(/\[(`[^`\]]+`)\](?![[(])/g, '$1'), { async: false });
  const ours = html
    .replaceAll('<pre><code class="language-rust">', '<p class="soft">In Rust:</p><pre><code>')
    .replace(/<a href="(?:#|[\w:]*::)([\w.]+)">(.*?)<\/a>/gs, (_, name: string, inside: string) => linkTo(names.get(name), inside));
  return linkNames(ours, names);
}
