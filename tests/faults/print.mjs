/**
 * Prints `docs/faults.md` from the table of faults:
 *
 *     node tests/faults/print.mjs > docs/faults.md
 */
import { fileURLToPath } from 'node:url';
import { faults } from './faults.mjs';

/** The page. */
export function print() {
  const short = (file) => file.replace(/^tests\/browser\/|^tests\/|^crates\//, '');
  const links = (tests) => [...new Set(tests.map(({ file }) => `[${short(file)}](../${file})`))].join(', ');
  const rows = faults.map(({ number, fault, passes, tests }) => `| ${[number, fault, passes, links(tests)].join(' | ')} |`);
  return `# Faults, and their tests

Each row has a fault, the behaviour that the tests require, and the files of the tests.
[tests/faults/faults.mjs](../tests/faults/faults.mjs) names every test.
\`node tests/faults/print.mjs\` prints this page.

| # | fault | required behaviour | tests |
|---|---|---|---|
${rows.join('\n')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(print());
