/** The check of words: each pattern, the separation of prose and code, and the budgets. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compare, folderOf, parse, print, refuse } from './words/budgets.mjs';
import { PATTERNS, isParticipleName } from './words/patterns.mjs';
import { languageOf, separate } from './words/source.mjs';

const SCRIPT = fileURLToPath(new URL('words.mjs', import.meta.url));

/** The number of matches of a pattern in a text. */
function count(key, text, path = 'a.rs') {
  const { find } = PATTERNS.find((pattern) => pattern.key === key);
  return [...find(separate(path, text))].length;
}

/** For each pattern, lines that match once, and lines without a match. */
const EXAMPLES = {
  banned: {
    match: ['// A keeper of rows.', 'let first_wish = 1;', 'struct Trouble;', 'const WISHES: u32 = 3;', 'fn unite() {}'],
    pass: ['// The united list.', 'let prejudged = 1;', 'let x = "judge";'],
  },
  'nominal-what': {
    match: ['// What waits then rejects.', '/// Returns what is left.', 'let x = "a part of what a program reads";'],
    pass: ['// What is the shape of the result?', '// Names the subject.', 'let what = is_the(what);'],
  },
  'that-of': {
    match: ['// The order is that of the list.', '/// Those of the rows.', '// The type is that\n// of the input.'],
    pass: ['// that\nlet of = 1;', '// The type of the input.', '// that\n\n// of'],
  },
  'gives-tells': {
    match: ['// Gives the shape.', '// The caller is told.', '// It tells the kernel.'],
    pass: ['// Returns the shape.', 'fn gives() {}', '// See `gives`.'],
  },
  particles: {
    match: ['// All but for one.', '// Nobody reads it.', '// A buffer of its own.', '// so many rows', '// gone for good.'],
    pass: ['// All except one.', '// It holds no buffer, so many plans share it.', '// for good speed'],
  },
  'acts-without-hands': {
    match: ['// A token makes no plan.', '// The server knows it.'],
    pass: ['// Decoding a token creates no plan.', '// The caller makes a token.'],
  },
  'stands-lies-home': {
    match: ['// It stands in the table.', '// The file lies beside it.', '// The value goes home.'],
    pass: ['// Opens the home page.', '// It is stored in the table.', 'let home = 1;'],
  },
  place: {
    match: ['// The place of an element.', 'let place = 1;', 'let first_place = 1;', 'let heldPlaces = 1;', '// in places'],
    pass: [
      ...['// in place', 'fn write_in_place() {}', 'let inPlace = 1;', 'let placeholder = 1;', 'replace(x)'],
      ...['// two decimal places', '// off by one unit in the last place'],
    ],
  },
  behind: {
    match: ['// The bytes behind the header.', '// An offset behind\n// it.'],
    pass: ['// The bytes after the header.', '// It is behind the feature `cuda`.', 'behind(the, it)'],
  },
  'most-way': {
    match: ['const MOST_BYTES: u32 = 1;', 'enum Way { A }', 'if n < LEAST_ROWS {}'],
    pass: ['const MAX_BYTES: u32 = 1;', '// MOST_BYTES', 'enum Wayland {}', 'let ALMOST_ALL = 1;'],
  },
  'home-words': {
    match: ['// The likeliest token.', 'struct Drafter;', 'let fours = 1;'],
    pass: ['// The most likely token.', 'let four = 1;', 'let steam = 1;'],
  },
  participles: {
    match: ['fn named() {}', 'pub async fn made_from(x: u32) {}', 'fn filled_with_zeros() {}', 'fn given<T>() {}'],
    pass: [
      ...['fn embed() {}', 'fn sorted() {}', 'fn named_parameters() {}', 'fn read() {}', 'named(x)', '// fn named() {}'],
      'fn stored_in_float16_and_read_back() {}',
    ],
  },
  'long-lines': {
    match: [`// ${'word '.repeat(20)}`, `let x = 1; ${' '.repeat(60)}// ${'word '.repeat(8)}`],
    pass: [`let x = "${'word '.repeat(30)}";`, `// https://example.org/${'a'.repeat(100)}`, `// ${'word '.repeat(18)}`],
  },
};

describe('patterns', () => {
  test('have examples', () => {
    const keys = PATTERNS.map(({ key }) => key);
    assert.deepEqual(Object.keys(EXAMPLES), keys);
  });
  for (const [key, { match, pass }] of Object.entries(EXAMPLES)) {
    test(key, () => {
      for (const line of match) assert.equal(count(key, line), 1, line);
      for (const line of pass) assert.equal(count(key, line), 0, line);
    });
  }

  test('functions of JavaScript', () => {
    const matches = [
      'function joined() {}',
      'class A {\n  stored(x) { return x; }\n}',
      'class A {\n  private async moved(x: number): Promise<void> {\n  }\n}',
      'const described = (x) => x;',
      'const described = async x => x;',
      'const table = {\n  refused(error) {\n  },\n};',
    ];
    const passes = [
      'joined();',
      'refused(() => {\n});',
      'const joined = list.map((x) => x);',
      'class A {\n  get stored() { return 1; }\n}',
      'const needed = 1;',
      'x = a ? joined(b) : other;',
      'function feedTensor() {}',
    ];
    for (const text of matches) assert.equal(count('participles', text, 'a.ts'), 1, text);
    for (const text of passes) assert.equal(count('participles', text, 'a.ts'), 0, text);
  });

  test('names', () => {
    const participles = ['written', 'kept', 'madeFrom', '#joined', 'refused', 'used_by'];
    const others = ['seed', 'proceed', 'is_named', 'to_owned', 'cloned', 'sharedMemory', 'unfold'];
    for (const name of participles) assert.ok(isParticipleName(name), name);
    for (const name of others) assert.ok(!isParticipleName(name), name);
  });

  test('long lines of Markdown', () => {
    const long = 'word '.repeat(25);
    assert.equal(count('long-lines', `${long}\n`, 'a.md'), 1);
    assert.equal(count('long-lines', `| ${long} |\n`, 'a.md'), 0);
    assert.equal(count('long-lines', `\`\`\`\n${long}\n\`\`\`\n`, 'a.md'), 0);
  });
});

describe('prose and code', () => {
  const proseOf = (path, text) => separate(path, text).prose.replace(/[\0\x01\s]+/g, ' ').trim();
  const codeOf = (path, text) => separate(path, text).code.replace(/\s+/g, ' ').trim();

  test('Rust', () => {
    const code = 'fn add<\'a>(x: &\'a str) { let q = \'"\'; let s = r#"a // b"#; }';
    const text = `/// Adds \`x\`.\n${code} // End.\n/* Block. */`;
    assert.equal(proseOf('a.rs', text), 'Adds . End. Block.');
    assert.equal(codeOf('a.rs', text), "fn add<'a>(x: &'a str) { let q = ; let s = ; }");
  });

  test('TypeScript', () => {
    const lines = ['const a = /["\'`/]\\//g; // One.', 'const b = `x ${c(`// ${d}`)} y`; /* Two. */ const e = f / g; // Three.'];
    const text = lines.join('\n');
    assert.equal(proseOf('a.ts', text), 'One. Two. Three.');
    assert.equal(codeOf('a.ts', text), 'const a = ; const b = ` ${c(` ${d}`)} `; const e = f / g;');
  });

  test('a regular expression after a comment', () => {
    assert.equal(proseOf('a.ts', 'const a = [\n  /b/, // One.\n  /c\\/\\//, // Two.\n];'), 'One. Two.');
  });

  test('a string is prose if it has a phrase of four words', () => {
    assert.equal(proseOf('a.mjs', "test('reads a file of rows', () => open('a file'));"), 'reads a file of rows');
  });

  test('HTML, CSS, Markdown and the shell', () => {
    const html = '<p title="short">Text <code>code</code></p><script>let x;</script><!-- Note. -->';
    assert.equal(proseOf('a.html', html), 'Text Note.');
    assert.equal(proseOf('a.css', 'a { color: red; } /* Red. */'), 'Red.');
    assert.equal(proseOf('a.md', 'Text `code`.\n```js\n// code\n```\n[link](https://example.org)'), 'Text . [link]');
    assert.equal(proseOf('pkg-scripts/test', '#!/bin/sh\nx=${#a} # Note.'), 'Note.');
  });

  test('an example in a comment is code', () => {
    assert.equal(proseOf('a.rs', '/// Text.\n/// ```\n/// let x = 1;\n/// ```\n/// More.'), 'Text. More.');
  });

  test('offsets stay valid', () => {
    const text = '// One.\nlet a = "two three four five";\n';
    const { prose, code } = separate('a.rs', text);
    assert.equal(prose.length, text.length);
    assert.equal(code.length, text.length);
    assert.equal(prose.indexOf('One'), text.indexOf('One'));
    assert.equal(code.indexOf('let'), text.indexOf('let'));
  });

  test('other files have no language', () => {
    assert.deepEqual(['a.json', 'LICENSE-MIT', 'a.png', 'x.constructor'].map(languageOf), Array(4).fill(undefined));
  });
});

/** A pattern with a budget, its matches in a comment and in Markdown, and a row of its table. */
const KEY = 'place';
const MATCH = `// The ${KEY} of a row.\n`;
const OTHER = `// Another ${KEY}.\n`;
const PROSE = `A ${KEY}.\n`;
const row = (folder, budget) => `${KEY}\t${folder}\t${budget}\n`;

describe('budgets', () => {
  const toMap = (entries) => new Map(Object.entries(entries));
  const table = (entries) => parse(print(new Map(Object.entries(entries).map(([key, value]) => [key, toMap(value)]))));

  test('the folder of a path', () => {
    assert.equal(folderOf('crates/io/src/lib.rs'), 'crates/io');
    assert.equal(folderOf('crates/kernels/shaders/a.wgsl'), 'shaders');
    assert.equal(folderOf('npm/src/a.ts'), 'npm');
    for (const path of ['README.md', '.ci/run', 'fuzz/a.rs']) assert.equal(folderOf(path), 'root');
  });

  test('a table is read as it was printed, and a conflict of a merge is refused', () => {
    assert.deepEqual(table({ [KEY]: { npm: 2, docs: 0 } }), new Map([[KEY, new Map([['npm', 2]])]]));
    for (const text of ['<<<<<<< HEAD\n', row('npm', 2) + row('npm', 1)]) {
      assert.throws(() => parse(text), /keep either side/);
    }
  });

  test('differences', () => {
    const differences = compare(table({ [KEY]: { npm: 2, docs: 1 } }), table({ [KEY]: { npm: 1 } }));
    assert.deepEqual(differences, [
      { key: KEY, folder: 'docs', figure: 1, budget: 0 },
      { key: KEY, folder: 'npm', figure: 2, budget: 1 },
    ]);
  });

  test('only a move raises a budget, and no total', () => {
    const before = table({ [KEY]: { npm: 3, docs: 1 } });
    assert.equal(refuse(table({ [KEY]: { npm: 2, docs: 2 } }), before, false).length, 1);
    assert.equal(refuse(table({ [KEY]: { npm: 2, docs: 2 } }), before, true).length, 0);
    assert.equal(refuse(table({ [KEY]: { npm: 3, docs: 2 } }), before, true).length, 1);
    const withPattern = table({ [KEY]: { npm: 3, docs: 1 }, behind: { npm: 1 } });
    assert.equal(refuse(withPattern, before, false).length, 0, 'a new pattern');
  });
});

describe('the command', () => {
  // Without the variables of a hook of git, which name another repository.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const TABLE = 'tests/style/words.tsv';

  /** Runs `use` with a repository that has one match of `KEY` and its budget. */
  function withRepository(use) {
    const root = mkdtempSync(join(tmpdir(), 'words-'));
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    const git = (...args) => execFileSync('git', [...identity, ...args], { cwd: root, env, stdio: 'pipe' });
    const write = (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const run = (...args) => {
      const options = { cwd: root, env, encoding: 'utf8' };
      const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], options);
      return { status, text: stdout + stderr };
    };
    const commit = () => {
      git('add', '-A');
      git('commit', '-q', '-m', 'a');
    };
    try {
      git('init', '-q');
      write('npm/a.ts', MATCH);
      write(TABLE, row('npm', 1));
      commit();
      use({ root, git, write, run, commit, readTable: () => readFileSync(join(root, TABLE), 'utf8') });
    } finally {
      rmSync(root, { recursive: true });
    }
  }

  test('passes at the budget', () =>
    withRepository(({ run }) => {
      assert.deepEqual(run(), { status: 0, text: 'words: 1 matches of 12 patterns, each at its budget\n' });
    }));

  test('fails above the budget, and names the added line and the replacement', () =>
    withRepository(({ run, write, commit, readTable }) => {
      write('npm/a.ts', `${MATCH}\n${OTHER}`);
      for (const step of [() => {}, commit]) {
        step();
        const { status, text } = run();
        assert.equal(status, 1);
        assert.match(text, new RegExp(`npm: ${KEY} 2, budget 1\\. Write instead: .index.`));
        assert.match(text, new RegExp(`npm/a\\.ts:3 {2}${OTHER.trim()}`));
        assert.doesNotMatch(text, /a\.ts:1/);
      }
      assert.equal(run('--write').status, 1);
      assert.equal(readTable(), row('npm', 1));
    }));

  test('names the added line when the same commit lowers another budget', () =>
    withRepository(({ run, write, commit }) => {
      write('docs/b.md', PROSE);
      write('npm/a.ts', MATCH + OTHER);
      write(TABLE, row('npm', 1) + row('docs', 1));
      commit();
      assert.match(run().text, new RegExp(`npm: ${KEY} 2, budget 1[^]*a\\.ts:2`));
      assert.doesNotMatch(run().text, /a\.ts:1/);
    }));

  test('fails below the budget until the table is lowered', () =>
    withRepository(({ run, write, readTable }) => {
      write('npm/a.ts', '// The index of a row.\n');
      const { status, text } = run();
      assert.equal(status, 1);
      assert.match(text, new RegExp(`npm: ${KEY} 0, budget 1\n\nFewer than the budget\\..* --write`));
      assert.equal(run('--write').status, 0);
      assert.match(readTable(), new RegExp(`^${row('root', 0).trim()}$`, 'm'));
      assert.equal(run().status, 0);
      write('npm/a.ts', MATCH);
      assert.equal(run().status, 1);
      assert.equal(run('--write').status, 1, 'a pattern at 0 is not new');
    }));

  test('a file that moves to another folder takes its budget along', () =>
    withRepository(({ git, run, readTable }) => {
      git('mv', 'npm/a.ts', 'a.ts');
      assert.equal(run().status, 1);
      assert.equal(run('--write').status, 1);
      assert.equal(run('--write', '--move').status, 0);
      assert.match(readTable(), new RegExp(`^${row('root', 1).trim()}$`, 'm'));
      assert.equal(run().status, 0);
    }));

  test('a banned word fails, and no table allows it', () =>
    withRepository(({ run, write, readTable }) => {
      write('npm/a.ts', `${MATCH}const keeper = 1;\n`);
      assert.match(run().text, /npm: banned 1, banned[^]*npm\/a\.ts:2 {2}const keeper = 1;/);
      assert.equal(run('--write').status, 1);
      assert.equal(readTable(), row('npm', 1));
    }));

  test('creates a table that is not there', () =>
    withRepository(({ root, run, readTable }) => {
      rmSync(join(root, TABLE));
      assert.equal(run('--write').status, 0);
      assert.match(readTable(), new RegExp(`^${row('npm', 1).trim()}$`, 'm'));
    }));

  test('counts and lists', () =>
    withRepository(({ run, write, git }) => {
      write('docs/b.md', PROSE);
      git('add', '-A');
      assert.match(run('--count').text, new RegExp(`^${KEY} +2 +1000\\.0`, 'm'));
      assert.match(run('--count', 'docs').text, new RegExp(`^${KEY} +1 +1000\\.0`, 'm'));
      assert.equal(run('--list', KEY, 'docs').text, `docs/b.md:1  ${PROSE}`);
      assert.match(run('--list', 'nothing').text, /there is no pattern nothing; choose from banned/);
    }));

  test('excludes printed pages and history', () =>
    withRepository(({ run, write, git }) => {
      const paths = ['docs/operations.md', 'docs/performance/log-2026-11.md', 'CHANGELOG.md', 'npm/a.generated.ts', 'tests/golden/a.js'];
      for (const path of paths) write(path, OTHER);
      git('add', '-A');
      assert.equal(run().status, 0);
    }));
});
