/** The example in the two READMEs, the package's and the repository's, does what its comments say, in Node and in a page. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEVICES, PACKAGE } from '../browser/lib/package-page.mjs';
import { collectProblems } from '../browser/lib/site.mjs';
import { serveFolder } from '../browser/lib/static-server.mjs';
import { launchBrowsers } from './lib/drive.mjs';
import { packPackage, run } from './lib/packed.mjs';

let packed;
let project;
before(async () => {
  packed = await packPackage();
  const examples = [join(PACKAGE, 'README.md'), new URL('../../README.md', import.meta.url)].map(async (readme) => {
    const [, example] = /^```js\n(.*?)^```$/ms.exec(await readFile(readme, 'utf8')) ?? [];
    assert.ok(example, 'the README has an example');
    return example;
  });
  const [example, same] = await Promise.all(examples);
  assert.equal(example, same);
  assert.match(example, /from 'lanthorn'/);
  project = await packed.createProject('readme', {
    'example.js': example,
    'index.html': `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "lanthorn": "./node_modules/lanthorn/js/index.js" } }</script>
<script type="module" src="./example.js"></script>
`,
  });
});
after(() => packed?.remove());

test('in Node, on the CPU', async () => {
  const { stdout, stderr } = await run(process.execPath, ['example.js'], { cwd: project });
  assert.match(stdout, /^cpu Int32Array\(4\) \[ 0, 1, 1, 0 \]\s*$/);
  assert.equal(stderr, '');
});

test('in a page, on every device', async () => {
  const { origin, close } = await serveFolder(project);
  const opened = await launchBrowsers();
  try {
    for (const device of DEVICES) {
      const page = await opened.browsers[device].newPage();
      const problems = collectProblems(page);
      const [message] = await Promise.all([
        page.waitForEvent('console', { predicate: (shown) => shown.type() === 'log', timeout: 20_000 }),
        page.goto(`${origin}/`),
      ]);
      const shown = await Promise.all(message.args().map((value) => value.evaluate((part) => (ArrayBuffer.isView(part) ? [part.constructor.name, ...part] : part))));
      assert.deepEqual(shown, [device, ['Int32Array', 0, 1, 1, 0]]);
      assert.deepEqual(problems, []);
      await page.close();
    }
  } finally {
    await opened.close();
    await close();
  }
});
