/**
 * The guides: their whole programs run in Node on the CPU and print what their comments say, the
 * messages of the troubleshooting guide occur in the sources, other code is parsed and imports only
 * existing names, every link has a target, and a real browser shows the pages.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { importModule } from './lib/package-modules.mjs';
import { serveSite } from './lib/site.mjs';
import { loadSource, vite } from './lib/source.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const FOLDER = path('../../docs/guides');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.md'));
const texts = new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(FOLDER, name), 'utf8')])));

/** The files of a folder that end in `ending`, joined; the lines of a string are one line. */
async function sourcesOf(folder, ending) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(ending));
  const all = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
  return all.join('\n').replace(/\\\n\s*/g, '');
}

describe('programs of the guides, in Node', () => {
  /** The mark of a whole program: the second word after the backquotes. */
  const PROGRAM = /^```js run\n(.*?)^```$/gms;
  let project;
  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'lanthorn-guides-'));
    await mkdir(join(project, 'node_modules'));
    await symlink(path('../../target/npm'), join(project, 'node_modules/lanthorn'));
    await copyFile(path('../models/training_encoder/model.onnx'), join(project, 'model.onnx'));
    await cp(path('../models/lm/llama3'), join(project, 'model'), { recursive: true });
  });
  after(() => rm(project, { recursive: true, force: true }));

  for (const [name, text] of texts) {
    const programs = [...text.matchAll(PROGRAM)].map(([, program]) => program);
    if (programs.length === 0) continue;
    test(name, async () => {
      const files = programs.map((program, index) => [`${name}.${index}.mjs`, program]);
      await Promise.all(files.map(([file, program]) => writeFile(join(project, file), program)));
      // One process for a guide, whose programs are modules of it.
      const all = `for (const file of ${JSON.stringify(files.map(([file]) => file))}) await import(\`./\${file}\`);`;
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', all], { cwd: project });
      const expected = programs.flatMap((program) => [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, shown]) => shown));
      assert.ok(expected.length > 0);
      assert.equal(stdout.replace(/\s+/g, ''), expected.join('').replace(/\s+/g, ''));
      assert.equal(stderr, '');
    });
  }
});

describe('troubleshooting', () => {
  const text = texts.get('troubleshooting.md');

  test('has messages of the sources', async () => {
    const parts = await Promise.all([sourcesOf(path('../../npm/src'), '.ts'), sourcesOf(path('../../crates'), '.rs')]);
    const sources = parts.join('\n');
    const messages = [...text.matchAll(/^### `(.*)`$/gm)].map(([, message]) => message);
    assert.ok(messages.length >= 15, `${messages.length} messages`);
    // `…` stands for what differs from one error to another.
    const absent = messages.flatMap((message) => message.split('…').map((part) => part.trim()).filter((part) => part && !sources.includes(part)));
    assert.deepEqual(absent, []);
  });

  test('has every kind of error', async () => {
    const [, union] = /export type ErrorKind =([^;]*);/.exec(await readFile(path('../../npm/src/core/errors.ts'), 'utf8'));
    const kinds = [...union.matchAll(/'(\w+)'/g)].map(([, kind]) => kind).sort();
    assert.deepEqual([...text.matchAll(/^\| `'(\w+)'` \|/gm)].map(([, kind]) => kind).sort(), kinds);
  });
});

/**
 * Fragments, and code that cannot run here, must parse and import only names that the package
 * exports.
 */
describe('code of the guides that is not run', () => {
  for (const [name, text] of texts) {
    const parts = [...text.matchAll(/^```(js|jsx)\n(.*?)^```$/gms)];
    if (parts.length === 0) continue;
    test(name, async () => {
      const { parseAst } = await vite();
      const wrong = [];
      for (const [, lang, source] of parts) {
        const { body } = parseAst(source, { lang, sourceType: 'module' });
        for (const { source: from, specifiers } of body.filter(({ type }) => type === 'ImportDeclaration')) {
          if (!from.value.startsWith('lanthorn')) continue;
          const names = Object.keys(await importModule(from.value));
          const imported = specifiers.flatMap((specifier) => specifier.imported?.name ?? []);
          wrong.push(...imported.filter((each) => !names.includes(each)).map((each) => `${from.value} has no ${each}`));
        }
      }
      assert.deepEqual(wrong, []);
    });
  }

  test('in Rust is that of a document that the crates’ tests compile and run', async () => {
    const documentsOf = async (crate) => {
      const library = await readFile(path(`../../crates/${crate}/src/lib.rs`), 'utf8');
      return [...library.matchAll(/include_str!\("(.*?)"\)/g)].map(([, file]) => path(`../../crates/${crate}/src/${file}`));
    };
    const documents = (await Promise.all(['lanthorn', 'audio', 'distributions', 'einops', 'metrics', 'vision'].map(documentsOf))).flat();
    const compiled = (await Promise.all(documents.map((file) => readFile(file, 'utf8')))).join('\n');
    const programs = [...texts.values()].flatMap((text) => text.match(/^```rust\n.*?^```$/gms) ?? []);
    assert.ok(programs.length > 0);
    assert.deepEqual(programs.filter((program) => !compiled.includes(program)), []);
  });
});

test('links between files lead somewhere, and to headings that are there', async () => {
  const { idOf } = await loadSource('guides/guide.ts');
  const idsOf = (text) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, words]) => idOf(words));
  const wrong = [];
  for (const [name, text] of texts) {
    for (const [, href] of text.matchAll(/\]\(([^)]+)\)/g)) {
      if (href.startsWith('https:')) continue;
      const [file, anchor] = href.split('#');
      const target = file ? join(FOLDER, file) : join(FOLDER, name);
      const known = texts.get(file || name);
      if (!existsSync(target) || (anchor && known && !idsOf(known).includes(anchor))) wrong.push(`${name}: ${href}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...texts.get('README.md').matchAll(/\]\((.*?)\)/g)].map(([, file]) => file).sort(), names.filter((name) => name !== 'README.md').sort());
});

describe('pages', () => {
  let site;
  let browser;
  before(async () => {
    site = await serveSite();
    browser = await launchBrowser({ webgpu: false });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });
  const address = (name = '') => `${site.origin}/guides/${name && `${name}/`}index.html`;

  test('the list leads to every guide, on a phone too', () =>
    visit(browser, address(), async (page) => {
      assert.equal(await page.locator('nav [aria-current=page]').innerText(), 'Guides');
      const links = await page.locator('#guides a').evaluateAll((all) => all.map(({ href }) => href));
      assert.equal(links.length, names.length - 1);
      await page.setViewportSize({ width: 390, height: 844 });
      for (const link of links) {
        await page.goto(link);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, link);
        assert.equal(await page.locator('h1').count(), 1, link);
      }
    }));

  test('a guide has a table of contents, code with colours, and links that lead somewhere', () =>
    visit(browser, address('memory'), async (page) => {
      assert.equal(await page.title(), 'Memory – lanthorn');
      const sections = await page.locator('.prose > h2').evaluateAll((all) => all.map(({ id, innerText }) => [`#${id}`, innerText]));
      assert.ok(sections.length >= 4);
      const contents = page.locator('.contents a');
      assert.deepEqual(await contents.evaluateAll((all) => all.map((link) => [link.hash, link.innerText])), sections);
      await contents.last().click();
      assert.ok(await page.locator('.prose > h2').last().evaluate((heading) => heading.getBoundingClientRect().top < innerHeight));
      assert.ok((await page.locator('.code-keyword').count()) > 0);
    }));

  test('links of all guides within the site lead to pages and headings', () =>
    visit(browser, address(), async (page) => {
      const pages = new Map();
      const read = async (link) => {
        if (!pages.has(link)) pages.set(link, page.request.get(link).then(async (answer) => (answer.ok() ? answer.text() : undefined)));
        return pages.get(link);
      };
      const wrong = [];
      for (const name of names.filter((each) => each !== 'README.md').map((each) => each.replace('.md', ''))) {
        const text = await read(address(name));
        for (const [, href] of text.matchAll(/<a (?:class="\w+" )?href="([^"]+)"/g)) {
          const url = new URL(href, address(name));
          const anchor = url.hash.slice(1);
          url.hash = '';
          if (url.origin !== site.origin) continue;
          const target = await read(url.href);
          if (target === undefined || (anchor && !target.includes(`id="${decodeURIComponent(anchor)}"`))) wrong.push(`${name}: ${href}`);
        }
      }
      assert.ok(pages.size > names.length);
      assert.deepEqual(wrong, []);
    }));
});
