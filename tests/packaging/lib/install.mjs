/** Installs the packages that the test suite uses, for pkg-scripts/setup. */
import { ROWS } from '../matrix/rows.mjs';
import { installTools, LINTERS, nodeOfThreads, WORKFLOW_LINTER } from './tools.mjs';

for (const tools of [LINTERS, WORKFLOW_LINTER, ...ROWS.filter(({ sample }) => sample).map((row) => row.tools ?? {})]) await installTools(tools);
await nodeOfThreads();
