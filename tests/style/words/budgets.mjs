/**
 * The table of budgets, `tests/style/words.tsv`: one line `PATTERN FOLDER FIGURE` for each figure
 * above 0, so that changes to different figures merge without a conflict. A pattern without a match
 * keeps a line: a pattern that the table lacks is new, and may have any figure.
 *
 * A table is a map from a pattern's key to a map from a folder to a figure.
 */

const HEADER = '# Written by `node tests/style/words.mjs --write`. Columns: pattern, folder, matches.';

/** The folder whose budget counts the matches of a path. */
export function folderOf(path) {
  const [first, second] = path.split('/');
  if (path.startsWith('crates/kernels/shaders/')) return 'shaders';
  if (first === 'crates' && path.split('/').length > 2) return `crates/${second}`;
  return ['npm', 'www', 'tests', 'docs', 'examples', 'pkg-scripts'].includes(first) ? first : 'root';
}

export const sum = (folders = new Map()) => [...folders.values()].reduce((total, figure) => total + figure, 0);

export function parse(text) {
  const table = new Map();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [key, folder, figure, ...rest] = line.split('\t');
    if (rest.length > 0 || !/^\d+$/.test(figure ?? '') || table.get(key)?.has(folder)) {
      throw new Error(
        `words.tsv: the line ${JSON.stringify(line)} is not one pattern, folder and figure. ` +
          'After a merge, keep either side and run --write.',
      );
    }
    if (!table.has(key)) table.set(key, new Map());
    table.get(key).set(folder, Number(figure));
  }
  return table;
}

export function print(table) {
  const lines = [...table].flatMap(([key, folders]) => {
    const rows = sum(folders) === 0 ? [['root', 0]] : [...folders].filter(([, figure]) => figure > 0);
    return rows.map(([folder, figure]) => `${key}\t${folder}\t${figure}`);
  });
  return `${[HEADER, ...lines.sort()].join('\n')}\n`;
}

/** The figures that differ from their budgets: `{key, folder, figure, budget}`. */
export function compare(figures, budgets) {
  const differences = [];
  for (const key of new Set([...figures.keys(), ...budgets.keys()])) {
    const now = figures.get(key) ?? new Map();
    const before = budgets.get(key) ?? new Map();
    for (const folder of new Set([...now.keys(), ...before.keys()])) {
      const [figure, budget] = [now.get(folder) ?? 0, before.get(folder) ?? 0];
      if (figure !== budget) differences.push({ key, folder, figure, budget });
    }
  }
  return differences;
}

/**
 * The growth that `--write` refuses. A pattern that is new to the table has no budget yet. With
 * `isMove`, a folder may grow while the pattern's total does not: files came from another folder.
 */
export function refuse(figures, budgets, isMove) {
  return compare(figures, budgets).filter(({ key, figure, budget }) => {
    if (figure < budget || !budgets.has(key)) return false;
    return !(isMove && sum(figures.get(key)) <= sum(budgets.get(key)));
  });
}
