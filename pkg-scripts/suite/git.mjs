/** Answers of git about a checkout. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The output of a git command, without the last line break; an error has git's message. */
export function git(root, ...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
}

/** The lines of a git command's output. */
export const gitLines = (root, ...args) => git(root, ...args).split('\n').filter(Boolean);

/** Files that git does not ignore and does not track. */
export const listUntracked = (root) => gitLines(root, 'ls-files', '--others', '--exclude-standard');

/** A name for the content of a checkout: its commit and its uncommitted changes. */
export function stateOf(root) {
  const hash = createHash('sha256').update(git(root, 'rev-parse', 'HEAD')).update(git(root, 'diff', '--binary', 'HEAD'));
  for (const file of listUntracked(root)) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
