/** Bundlers and runtimes from npm, installed once: a folder for each set of versions, outside of the clone. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { run } from './packed.mjs';

/** As in pkg-scripts/lib/common.sh. */
const CACHE = process.env.LANTHORN_CACHE ?? join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lanthorn');
const INSTALL_LIMIT = 300_000;

/** What examines the package as npm would publish it. */
export const LINTERS = { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' };

/** GitHub's own checks of workflows, for tests/style/workflows.mjs. */
export const WORKFLOW_LINTER = { '@actions/languageservice': '0.3.61', '@actions/workflow-parser': '0.3.61', '@actions/expressions': '0.3.61' };

/** Node of a version whose threads share memory, which the system's need not be. */
export const NODE = { [`node-${process.platform}-${process.arch}`]: '22.23.3' };

/** The folder of these packages, by name and version; a project inside of it finds them. */
export function toolFolder(tools) {
  const name = Object.entries(tools).map(([tool, version]) => `${tool.replace('/', '-')}-${version}`);
  return join(CACHE, 'npm', name.join('+') || 'none');
}

/** Installs the packages, if that was not done yet, and resolves to their folder. */
export async function installTools(tools) {
  const folder = toolFolder(tools);
  if (existsSync(folder)) return folder;
  console.error(`== installing ${basename(folder)} (once; kept in ${folder})`);
  await mkdir(dirname(folder), { recursive: true });
  // Renamed when it is complete, so that an interrupted installation starts over.
  const made = await mkdtemp(`${folder}.`);
  await writeFile(join(made, 'package.json'), JSON.stringify({ private: true, dependencies: tools }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--save-exact'], { cwd: made, timeout: INSTALL_LIMIT });
  await rename(made, folder).catch((error) => {
    if (!existsSync(folder)) throw error;
    return rm(made, { recursive: true });
  });
  return folder;
}

/** The program of {@link NODE}, or this one if its version is as new. */
export async function nodeOfThreads() {
  if (parseInt(process.versions.node) >= 22) return process.execPath;
  return join(await installTools(NODE), 'node_modules', Object.keys(NODE)[0], 'bin', 'node');
}
