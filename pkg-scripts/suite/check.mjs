/**
 * Checks a change: formatting, lints and types, and the tests of the crates, packages and pages
 * that the change touches. pkg-scripts/check starts it after the setup.
 *
 *     node pkg-scripts/suite/check.mjs [--list] [REV]
 *
 * Rejected: the tests of everything that depends on a changed crate, which is the suite for most
 * crates. Instead all that depends on it is compiled, and a change of operations runs their checks
 * in `crates/conformance`.
 */
import { parseArgs } from 'node:util';
import { changedFiles, cratesOf, opsOf, testsOf, touches } from './changes.mjs';
import { createContext } from './context.mjs';
import { longestFirst, testFiles } from './files.mjs';
import { runSteps } from './run.mjs';
import { EVERY_FEATURE, FEATURES, LINT } from './stages.mjs';
import { command, nextest, nodeTests } from './steps.mjs';
import { printSummary } from './summary.mjs';

/** The tests that run the operations that LANTHORN_OPS selects. */
const OF_OPS = 'package(lanthorn-conformance) & test(/^(cpu|wgpu|golden|cuda|empties|shapes|export)::/)';

/** The steps for the changed files. */
function stepsFor(root, files) {
  const steps = [];
  const crates = cratesOf(root, files);
  const isWorkspace = touches(files, 'Cargo.toml', 'Cargo.lock');
  if (crates.length > 0 || isWorkspace) {
    const selected = isWorkspace ? '--workspace' : crates.map((name) => `-p ${name}`).join(' ');
    steps.push(command('formatting', 'cargo fmt --all --check'));
    steps.push(command('clippy', `cargo clippy ${selected} --all-targets ${isWorkspace ? EVERY_FEATURE : ''} -- -D warnings`));
    steps.push(command('all crates compile', `cargo check --workspace ${FEATURES}`));
    steps.push(command('the printed TypeScript is current', 'cargo run -q -p lanthorn-bindings -- --check npm/src/generated'));
    if (crates.length > 0) {
      const ops = opsOf(root, files);
      // The features of the whole workspace, so that nothing is compiled for this run alone.
      const test = (name, filter, env) => steps.push(nextest(name, `--workspace ${FEATURES} --no-tests=pass -E '${filter}'`, '', env));
      test(`tests of ${crates.join(', ')}`, crates.map((name) => `package(${name})`).join(' | '));
      if (ops.length > 0) test('checks of the changed operations', OF_OPS, { LANTHORN_OPS: ops.join() });
    }
  }
  if (touches(files, 'npm/', 'www/', 'tests/', 'pkg-scripts/', 'examples/', 'biome.jsonc')) steps.push(LINT);
  const tests = testsOf(files, testFiles(root));
  if (touches(files, 'npm/', 'crates/bindings/')) steps.push(command('the package compiles', 'npm_package --for-tests'));
  if (touches(files, 'www/', 'npm/') || tests.length > 0) steps.push({ ...command('the site builds', 'npm_package --for-tests\nnpm --prefix www run build'), isRequired: true });
  if (touches(files, 'www/')) steps.push(command('types of the site', 'npm --prefix www run check'));
  if (tests.length > 0) steps.push(nodeTests(`tests of ${tests.length} files`, () => longestFirst(tests)));
  steps.push(command('words and prose', 'node tests/style/words.mjs'));
  return steps;
}

try {
  const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true });
  const context = createContext({ all: false });
  const files = changedFiles(context.root, positionals[0]);
  const steps = stepsFor(context.root, files);
  console.log(`== ${files.length} changed files`);
  if (values.list) {
    for (const { name } of steps) console.log(name);
  } else {
    process.exitCode = printSummary(await runSteps(steps.map((step) => ({ stage: 'check', step })), context), context) ? 0 : 1;
  }
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
