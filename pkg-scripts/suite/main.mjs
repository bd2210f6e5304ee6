/**
 * Runs the stages of the test suite; pkg-scripts/test starts it after the setup.
 *
 *     node pkg-scripts/suite/main.mjs [--all] [--fresh] [STAGE...]
 *
 * With `--all`, steps that passed on the same state of the checkout do not run again, so a run that
 * was interrupted continues; `--fresh` runs them anyway. The last line is `N passed, N failed`.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createContext } from './context.mjs';
import { stateOf } from './git.mjs';
import { Kept } from './kept.mjs';
import { runSteps } from './run.mjs';
import { STAGES } from './stages.mjs';
import { printSummary } from './summary.mjs';

try {
  const { values, positionals } = parseArgs({ options: { all: { type: 'boolean' }, fresh: { type: 'boolean' } }, allowPositionals: true });
  const unknown = positionals.find((name) => !STAGES[name]);
  if (unknown) throw new Error(`there is no stage ${unknown}; choose from ${Object.keys(STAGES).join(' ')}`);
  const stages = positionals.length > 0 ? positionals : Object.keys(STAGES);
  const context = createContext({ all: values.all ?? false, stages });
  const kept = context.all ? new Kept(join(context.logs, 'passed.json'), stateOf(context.root)) : undefined;
  if (values.fresh) kept?.clear();
  console.log(context.all ? '== every test' : `== a cross-section: part ${context.rotation} of long tables (LANTHORN_ROTATION=${context.rotation} repeats it)`);
  const steps = stages.flatMap((stage) => STAGES[stage](context).map((step) => ({ stage, step })));
  process.exitCode = printSummary(await runSteps(steps, context, kept), context) ? 0 : 1;
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
