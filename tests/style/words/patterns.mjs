/**
 * The words and patterns that `tests/style/words.mjs` counts, each with its replacement.
 *
 * `find` yields the offsets `[start, end]` of matches in a file that `separate` returned. A pattern
 * with `isBanned` has no budget: one match fails the check.
 */
import { GAP } from './source.mjs';

/** A space of a phrase: it may be the end of a line of a comment. */
const SPACE = '(?:[ \\t]+|[ \\t]*\\n[ \\t]*)';
const phrase = (source) => new RegExp(source.replaceAll(' ', SPACE), 'g');

function* findAll(text, expression) {
  for (const { 0: match, index } of text.matchAll(expression)) yield [index, index + match.length];
}
const inProse = (...parts) => {
  const expression = phrase(parts.join(''));
  return ({ prose }) => findAll(prose, expression);
};
const inCode = (expression) => ({ code }) => findAll(code, expression);

const capitalize = (word) => word[0].toUpperCase() + word.slice(1);

/** Yields the words in a text. An identifier in snake case, camel case or capitals has several. */
function* findWords(text, expression) {
  for (const [start, end] of findAll(text, expression)) {
    const isUpper = /[A-Z]/.test(text[start + 1]);
    const isCamel = !isUpper && /[A-Z]/.test(text[start]);
    const before = text[start - 1] ?? ' ';
    const after = text[end] ?? ' ';
    if ((isCamel ? /[A-Z]/ : /[A-Za-z]/).test(before)) continue;
    if ((isUpper ? /[A-Za-z]/ : /[a-z]/).test(after)) continue;
    yield [start, end];
  }
}
const inWords = (list) => {
  const words = list.split(' ');
  const forms = [...words, ...words.map(capitalize), ...words.map((word) => word.toUpperCase())];
  const expression = new RegExp(forms.join('|'), 'g');
  return function* ({ code, prose }) {
    yield* findWords(code, expression);
    yield* findWords(prose, expression);
  };
};

const PLACES = /places?|Places?|PLACES?/g;
/** Terms of the field: in place, decimal places, units in the last place, and to take place. */
const TERM_IN_CODE = /(?:^|[^A-Za-z])in_?$|[a-z]In$|(?:^|[^A-Z])IN_$/i;
const TERM_IN_PROSE = /\b(?:in|decimal|in the last|takes?|took|taken)[\s-]+$/i;

function* findPlaces({ code, prose }) {
  const isTerm = (text, start, term) => term.test(text.slice(Math.max(0, start - 40), start));
  for (const [start, end] of findWords(code, PLACES)) if (!isTerm(code, start, TERM_IN_CODE)) yield [start, end];
  for (const [start, end] of findWords(prose, PLACES)) {
    const isPlural = /s/i.test(prose[end - 1]);
    if (!(isTerm(prose, start, TERM_IN_PROSE) && !(isPlural && isTerm(prose, start, /\bin\s+$/i)))) yield [start, end];
  }
}

const toSet = (...lines) => new Set(lines.join(' ').split(' '));
/** Words that end in -ed and are verbs, nouns or adjectives. */
const NO_PARTICIPLES = toSet(
  'bed bleed breed deed embed exceed feed heed hundred indeed need proceed red reed seed shed shred sled',
  'speed succeed unembed weed',
);
/** Participles that libraries of Rust and JavaScript or PyTorch use as names of functions. */
const ESTABLISHED = toSet(
  'bounded cloned copied elapsed normalized reversed searchsorted sorted unbounded undefined unexpected',
  'unsupported',
);
const IRREGULAR = toSet(
  'begun bent blown born bound broken brought built burnt caught chosen dealt drawn driven fallen fought found',
  'frozen given gone grown held hidden kept known laid led lent made meant met overridden paid rebuilt rewritten',
  'ridden risen said seen sent shot shown slept sold sought spent spoken stolen stuck sunk swept taken taught',
  'thought thrown told torn understood undone withdrawn won worn woven written',
);
const PARTICLES = toSet(
  'again anywhere around as at away back by for from in into like of off on once out over through to together',
  'under with',
);

const isParticiple = (word) =>
  !NO_PARTICIPLES.has(word) && !ESTABLISHED.has(word) && (IRREGULAR.has(word) || /^[a-z]{2,}ed$/.test(word));

/**
 * Whether a function's name is a participle: one word, or a participle with a particle and at most
 * one more word. `named_parameters` is a noun with an adjective; a test's name is a sentence.
 */
export function isParticipleName(name) {
  const words = name
    .replace(/^[#_$]+|_+$/g, '')
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split('_');
  if (!isParticiple(words[0])) return false;
  return words.length === 1 || (words.length <= 3 && PARTICLES.has(words[1]));
}

/** The offset after the bracket that closes the bracket at `open`. */
function closeBracket(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if ('([{'.includes(code[at])) depth += 1;
    else if (')]}'.includes(code[at])) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
}

const BODY = /\s*(?::\s*[\w$][\w$.<>[\]|&, ]*)?\{/y;
const ARROW = /\s*(?::\s*[\w$][\w$.<>[\]|&, ]*)?=>/y;
const isFollowedBy = (expression, code, at) => {
  expression.lastIndex = at;
  return expression.test(code);
};

const DEFINED = /(?:^|[{};,\n])\s*(?:(?:public|private|protected|static|async|override)\s+)*\*?\s*#?$/;

/** Yields `[name, start]` for each function of JavaScript and TypeScript, without getters. */
function* scriptFunctions(code) {
  for (const match of code.matchAll(/\bfunction\b\s*\*?\s*([\w$]+)/g)) yield [match[1], match.index];
  for (const match of code.matchAll(/\b([\w$]+)(?:<[^(){}]*>)?\(/g)) {
    if (!isParticipleName(match[1])) continue;
    const { index } = match;
    if (!DEFINED.test(code.slice(Math.max(0, index - 60), index))) continue;
    if (isFollowedBy(BODY, code, closeBracket(code, index + match[0].length - 1))) yield [match[1], index];
  }
  const assigned = /\b(?:const|let) ([\w$]+)(?::[^=;{}]*)? = (?:async )?(?:[\w$]+ =>|(?:<[^(){}]*>)?\()/g;
  for (const match of code.matchAll(assigned)) {
    if (!isParticipleName(match[1])) continue;
    const end = match.index + match[0].length;
    const isArrow = match[0].endsWith('=>') || isFollowedBy(ARROW, code, closeBracket(code, end - 1));
    if (isArrow) yield [match[1], match.index];
  }
}

/** Yields the functions whose names are participles. */
function* findParticiples({ language, code }) {
  let functions = [];
  const search = (expression) => Array.from(code.matchAll(expression), (match) => [match[1], match.index]);
  if (['ts', 'mjs', 'js'].includes(language)) functions = scriptFunctions(code);
  else if (['rs', 'wgsl'].includes(language)) functions = search(/\bfn\s+(\w+)/g);
  else if (language === 'py') functions = search(/\bdef\s+(\w+)/g);
  for (const [name, start] of functions) if (isParticipleName(name)) yield [start, start + name.length];
}

const WIDTH = 100;

/** Yields long lines of comments and Markdown, without tables, code blocks and addresses. */
function* findLongLines({ text, prose, comments, language }) {
  for (const [from, to] of comments) {
    for (let start = text.lastIndexOf('\n', from - 1) + 1; start < to; ) {
      const end = text.indexOf('\n', start) === -1 ? text.length : text.indexOf('\n', start);
      const line = text.slice(start, end);
      const isCode = language === 'md' && (/^\s*\|/.test(line) || prose.startsWith(GAP, start));
      const isLong = line.length > WIDTH && to > start + WIDTH;
      const length = () => [...line.replace(/https?:\/\/\S+|\]\([^)]*\)/g, '')].length;
      if (isLong && !isCode && length() > WIDTH) yield [start, end];
      start = end + 1;
    }
  }
}

export const PATTERNS = [
  {
    key: 'banned',
    isBanned: true,
    say: 'name the thing by its term in the field: `join`, `owner`, `error`, `compare`, `request`',
    find: inWords('unites unite keepers keeper troubles trouble judges judge wishes wish'),
  },
  {
    key: 'nominal-what',
    say: 'name the subject: `pending promises reject`, not `what waits rejects`',
    find: inProse(
      String.raw`\b[Ww]hat (?:is|are|was|were|has|have|does|do|a|an|the|it|they`,
      String.raw`|follows|comes|waits|runs|happens|needs|can|makes|gives|reads)\b(?![^.?\0]*\?)`,
    ),
  },
  { key: 'that-of', say: 'repeat the noun', find: inProse(String.raw`\b(?:[Tt]hat|[Tt]hose) of\b(?! course)`) },
  {
    key: 'gives-tells',
    say: '`returns`, `reports`, `specifies`, `notifies`',
    find: inProse(String.raw`\b(?:[Gg]ives|[Tt]ells|(?:is|are|was|were|be) told)\b`),
  },
  {
    key: 'particles',
    say: '`except`, `N`, `permanently`, `continues`, `again`, `no caller`, `each`, `separate`',
    find: inProse(
      String.raw`\b(?:[Bb]ut for|(?<!, )so many|So many|for good(?! [a-z])|goes on|go on|anew|[Nn]obody|[Ww]hoever`,
      String.raw`|in turn|by itself|of its own|[Bb]eside (?:it|them))\b`,
    ),
  },
  {
    key: 'acts-without-hands',
    say: 'say who acts: `decoding a token creates no plan`, not `a token makes no plan`',
    find: inProse(
      String.raw`\b(?:[Aa]|[Tt]he|[Ee]very|[Ee]ach) (?:token|line|row|server|kernel|page|tensor|test|call|plan)`,
      String.raw` (?:makes|brings|knows|says|wants|asks|hands|forgets)\b`,
    ),
  },
  {
    key: 'stands-lies-home',
    say: '`is stored in`, `is defined in`, `is written back to`',
    find: inProse(
      String.raw`\b(?:stands? (?:in|at|beside|behind|after|before|elsewhere|there|here)`,
      String.raw`|lies? (?:in|at|beside|elsewhere|there)|homes?(?! (?:page|directory|folder))(?![/-]))\b`,
    ),
  },
  { key: 'place', say: '`index`, `offset`, `position`, `element`, `slot`, `argument`', find: findPlaces },
  {
    key: 'behind',
    say: '`after`',
    find: inProse(String.raw`\b[Bb]ehind (?:it|them|that|the(?! (?:feature|scenes)))\b`),
  },
  {
    key: 'most-way',
    say: '`MAX_`, `MIN_`; `Algorithm`, `Variant`',
    find: inCode(/\b(?:MOST|FEWEST|ENOUGH|LEAST)_[A-Z0-9_]+\b|\benum\s+Ways?\b/g),
  },
  {
    key: 'home-words',
    say: '`manufacturer`, `chunks of four`, `group`, `most likely`, `draft model`, `predicted`',
    find: inWords('makers maker fours teams team likeliest drafters drafter foretold'),
  },
  {
    key: 'participles',
    say: 'a function is a verb: `concat` or `describe`, not `joined` or `described`',
    find: findParticiples,
  },
  { key: 'long-lines', say: 'wrap comments and Markdown at 100 columns', find: findLongLines },
];
