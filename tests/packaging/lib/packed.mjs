/**
 * The package as its users get it: packed by npm, and installed into projects in a temporary
 * folder.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE } from '../../browser/lib/package-page.mjs';

const execute = promisify(execFile);

/** Runs a program and resolves to its output; a failure has the output in its message. */
export async function run(program, args, options = {}) {
  try {
    const { stdout, stderr } = await execute(program, args, { timeout: 60_000, ...options });
    return { stdout, stderr };
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')} failed (${error.code ?? error.signal}):\n${error.stdout}${error.stderr}`, { cause: error });
  }
}

/**
 * Packs target/npm. Resolves to the packed files, and to functions that make projects with the
 * package installed.
 */
export async function packPackage() {
  if (!existsSync(join(PACKAGE, 'js/index.js'))) {
    throw new Error('the npm package is not built: run pkg-scripts/build-npm');
  }
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lanthorn-package-')));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  const [{ filename, files }] = JSON.parse(stdout);
  const tarball = join(folder, filename);

  /** The package as npm installs it without network access, once. */
  let installed;
  async function installOnce() {
    const project = join(folder, 'installed');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-save', '--no-package-lock', tarball], { cwd: project });
    return join(project, 'node_modules');
  }

  /**
   * Creates a project with these files, by name, and a copy of the installed package in its
   * node_modules. The project is in a temporary folder, or in `parent`, whose packages it finds.
   */
  async function createProject(name, contents, parent = folder) {
    const project = join(parent, name);
    const all = { 'package.json': JSON.stringify({ name, private: true, type: 'module' }), ...contents };
    for (const [file, text] of Object.entries(all)) {
      await mkdir(dirname(join(project, file)), { recursive: true });
      await writeFile(join(project, file), text);
    }
    await cp(await (installed ??= installOnce()), join(project, 'node_modules'), { recursive: true });
    return project;
  }

  return { tarball, files: files.map(({ path }) => path), createProject, remove: () => rm(folder, { recursive: true, force: true }) };
}
