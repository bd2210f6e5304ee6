/**
 * Which part of a long table a run takes.
 *
 * A default run takes one part in N of each long table, and neighbouring commits take neighbouring
 * parts, so N commits in a row run the whole table. The number of the part is the number of commits
 * up to this one. A shallow clone does not know that number and takes the commit's hash instead.
 * Tests read the number from LANTHORN_ROTATION; without the variable a test runs its whole table.
 */
import { git } from './git.mjs';

/** The number of this checkout's part, as a decimal text. */
export function rotationOf(root) {
  if (git(root, 'rev-parse', '--is-shallow-repository') === 'true') return String(Number.parseInt(git(root, 'rev-parse', '--short=8', 'HEAD').slice(0, 8), 16));
  return git(root, 'rev-list', '--count', 'HEAD');
}
