/**
 * The kinds of steps of a stage. A step runs and resolves to `{ passed, failed }` and, where its
 * runner reports them, `times`, `flaky` and `failures`.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJunit, sumClosings } from './counts.mjs';
import { runNodeTests } from './node-tests.mjs';
import { runCommand } from './process.mjs';

/** The lines that are shown of a command that fails. */
const LINES = 80;

const slug = (name) => name.replace(/[^\w.]+/g, '-');

/** Runs a text of bash in the checkout, with the functions of pkg-scripts/lib. */
function runShell(text, { root, logs, env }, name, options) {
  const libraries = ['common', 'packages', 'toolchain', 'onnx', 'npm', 'publish'].map((library) => `source pkg-scripts/lib/${library}.sh`);
  return runCommand('bash', ['-euo', 'pipefail', '-c', [...libraries, text].join('\n')], { log: join(logs, `${slug(name)}.log`), cwd: root, env, ...options });
}

/** A command that is one test: it passes if the command ends with 0. */
export const command = (name, text, env = {}) => ({
  name,
  async run(context) {
    const { code, text: output } = await runShell(text, { ...context, env: { ...context.env, ...env } }, name, { show: false });
    if (code !== 0) console.log(output.split('\n').slice(-LINES).join('\n'));
    return { passed: Number(code === 0), failed: Number(code !== 0) };
  },
});

/**
 * A runner of tests, whose closing lines are summed. One without tests, or one that fails without a
 * failed test, counts as failed.
 */
export const runner = (name, text, env = {}) => ({
  name,
  async run(context) {
    const { code, text: output } = await runShell(text, { ...context, env: { ...context.env, ...env } }, name);
    return orFailure(sumClosings(output), code);
  },
});

/**
 * Tests of cargo-nextest, which writes their times. `before` is a text of bash that prepares them.
 */
export const nextest = (name, options, before = '', env = {}) => ({
  name,
  async run(context) {
    const junit = join(context.target, 'nextest/default/junit.xml');
    rmSync(junit, { force: true });
    const text = `${before}\ncargo nextest run --no-fail-fast --status-level slow --final-status-level fail ${options}`;
    const { code, text: output } = await runShell(text, { ...context, env: { ...context.env, ...env } }, name);
    return { ...orFailure(sumClosings(output), code), times: existsSync(junit) ? readJunit(readFileSync(junit, 'utf8')) : [] };
  },
});

/** Files of node's test runner: `list` returns them for a context. */
export const nodeTests = (name, list, { atOnce = 2, env = {} } = {}) => ({
  name,
  async run(context) {
    return runNodeTests(await list(context), { root: context.root, logs: join(context.logs, slug(name)), atOnce, env: { ...context.env, ...env } });
  },
});

function orFailure({ passed, failed }, code) {
  const isSilent = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: isSilent ? 1 : failed };
}
