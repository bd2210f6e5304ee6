/** Which steps a change needs, from the files that it touches. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, gitLines, listUntracked } from './git.mjs';

/**
 * The files that differ from a revision. Without a revision: the uncommitted files, or if there are
 * none, the files of the last commit.
 */
export function changedFiles(root, revision) {
  const since = (base) => [...new Set([...gitLines(root, 'diff', '--name-only', base), ...listUntracked(root)])];
  if (revision) return since(git(root, 'merge-base', revision, 'HEAD'));
  const uncommitted = since('HEAD');
  return uncommitted.length > 0 ? uncommitted : since('HEAD~1');
}

/** Folders whose files other crates read. The folder `shaders` is a link to the first one. */
const SHARED = [
  { folder: 'crates/kernels/shaders/', crates: ['wgpu', 'cuda'] },
  { folder: 'tests/golden/', crates: ['conformance'] },
  { folder: 'tests/onnx/', crates: ['onnx'] },
  { folder: 'tests/models/', crates: ['models', 'program'] },
  { folder: 'tests/tokenizer/', crates: ['tokenizer'] },
];

/** The packages of cargo that the files belong to, by the folders of their manifests. */
export function cratesOf(root, files) {
  const folders = files.flatMap((file) => {
    const [, own] = /^((?:crates|examples)\/[^/]+)\//.exec(file) ?? [];
    const readers = SHARED.filter(({ folder }) => file.startsWith(folder)).flatMap(({ crates }) => crates);
    return [...(own ? [own] : []), ...readers.map((name) => `crates/${name}`)];
  });
  const manifests = [...new Set(folders)].map((folder) => join(root, folder, 'Cargo.toml')).filter(existsSync);
  return manifests.map((manifest) => /^name = "([^"]+)"/m.exec(readFileSync(manifest, 'utf8'))[1]);
}

/**
 * Names of functions in the changed files of operations: those that are ops select the checks of
 * conformance.
 */
export function opsOf(root, files) {
  const sources = files.filter((file) => /^crates\/tensor\/src\/ops\/.*\.rs$/.test(file) && existsSync(join(root, file)));
  return [...new Set(sources.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/\bfn (\w+)/g)].map(([, name]) => name)))];
}

/**
 * Tests in JavaScript of the folders and files of the package, of the site and of documents. The
 * first pattern that fits decides.
 */
const TESTS = [
  [/^tests\/(.*\.test\.mjs)$/, (name) => [name]],
  [/^tests\/browser\/(lib|pages)\//, () => ['browser/api.test.mjs', 'browser/page.test.mjs']],
  [/^tests\/browser\/libraries\/train/, () => ['browser/train.test.mjs']],
  [/^tests\/browser\/libraries\/(?:einops|metrics)/, () => ['browser/metrics.test.mjs']],
  [/^tests\/browser\/([^/]+)\//, (name) => [`browser/${name}.test.mjs`, `browser/${name}-chapter.test.mjs`]],
  [/^tests\/([^/]+)\//, (name) => [`${name}/`]],
  [/^npm\/src\/data\//, () => ['data/']],
  [/^npm\/src\/tokenizer\//, () => ['tokenizer/']],
  [/^npm\/src\/models\//, () => ['browser/models.test.mjs', 'models/']],
  [/^npm\/src\/(?:generated\/)?distributions\//, () => ['browser/distributions.test.mjs']],
  [/^npm\/src\/(?:generated\/)?(?:audio|vision)\//, () => ['browser/libraries.test.mjs']],
  [/^npm\/src\/(?:generated\/)?(?:einops|metrics)\//, () => ['browser/metrics.test.mjs']],
  [/^npm\/src\/train\//, () => ['browser/train.test.mjs']],
  [/^npm\/src\/quantization\//, () => ['browser/quantization.test.mjs']],
  [/^npm\/src\/workers\//, () => ['browser/workers.test.mjs']],
  [/^npm\/src\/(?:datasets|hub)\//, () => ['browser/hub.test.mjs', 'data/']],
  [/^npm\/src\/io\//, () => ['browser/io.test.mjs', 'browser/disk.test.mjs']],
  [/^npm\/src\/program\//, () => ['browser/program.test.mjs']],
  [/^npm\/src\//, () => ['browser/api.test.mjs', 'browser/bad-input.test.mjs']],
  [/^npm\/README\.md|^README\.md/, () => ['packaging/readme.test.mjs']],
  [/^npm\//, () => ['packaging/package.test.mjs']],
  [/^docs\/guides\//, () => ['browser/guides.test.mjs']],
  [/^docs\/(?:operations|modules|optimizers)\.md/, () => ['browser/reference-examples.test.mjs']],
  [/^docs\/faults\.md/, () => ['faults/']],
  [/^pkg-scripts\/suite\//, () => ['suite/']],
  [/^\.github\//, () => ['style/']],
  [/^www\/src\/chapters\/([^/]+)\//, (name) => [`browser/${name}.test.mjs`, `browser/${name}-chapter.test.mjs`, ...(name === 'digits' ? ['browser/page.test.mjs'] : [])]],
  [/^www\/src\/playground\//, () => ['browser/playground.test.mjs']],
  [/^www\/(?:src\/)?reference\//, () => ['browser/reference.test.mjs', 'browser/reference-examples.test.mjs']],
  [/^www\/blocks/, () => ['browser/blocks.test.mjs']],
  [/^www\//, () => ['browser/site.test.mjs', 'browser/page.test.mjs']],
  [/^examples\//, () => ['packaging/examples.test.mjs']],
];

/** The test files for the changed files, of those in `all`. */
export function testsOf(files, all) {
  const wanted = files.flatMap((file) => {
    for (const [pattern, name] of TESTS) {
      const found = pattern.exec(file);
      if (found) return name(found[1]).map((path) => `tests/${path}`);
    }
    return [];
  });
  return all.filter((file) => wanted.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path)));
}

/** Whether one of the files is below one of the folders, or is one of these files. */
export const touches = (files, ...paths) => files.some((file) => paths.some((path) => file === path || (path.endsWith('/') && file.startsWith(path))));

