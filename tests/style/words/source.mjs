/**
 * Separates a source file into prose and code.
 *
 * `separate` returns two texts with the length and the lines of the file. `prose` contains
 * comments, Markdown, HTML text, and string literals that contain a phrase of four words. `code`
 * contains everything except comments, string literals and regular expressions. A removed character
 * becomes `GAP` in `prose` and a space in `code`, so an offset is valid in all three texts.
 *
 * The lexers know comments and literals only. A parser for each language would need dependencies.
 */

/** Replaces code between two pieces of prose, so that no phrase matches across code. */
export const GAP = '\0';
/** Replaces inline code and addresses inside a sentence. */
const NAME = '\x01';

const fill = (text, character) => text.replace(/[^\n]/g, character);
const PHRASE = /[a-z'’]+(?:,? [a-z'’]+){3}/i;

const C = /\/\/[^\n]*|\/\*[^]*?\*\/|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"|'(?:\\[^]|[^'\\\n])'/g;
const RUST =
  /\/\/[^\n]*|\/\*[^]*?\*\/|\bb?c?r(#+)"[^]*?"\1|\bb?c?r"[^"]*"|"[^"\\]*(?:\\[^][^"\\]*)*"|'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])'/g;
const SCRIPT = /\/\/[^\n]*|\/\*[^]*?\*\/|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'|[`/{}]/g;
const HASH = /(?<![^\s])#(?!!)[^\n]*/g;
const PYTHON = /#[^\n]*|"""[^]*?"""|'''[^]*?'''|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'/g;
const STYLES = /\/\*[^]*?\*\/|"[^"\n]*"|'[^'\n]*'/g;
const MARKUP = /<!--[^]*?-->|<(script|style|pre|code)\b[^]*?<\/\1>|<[^>]*>/g;

/** A regular expression, and the end of the code before one: a value before a slash is divided. */
const REGULAR_EXPRESSION = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const BEFORE_REGULAR_EXPRESSION = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|yield|await))\s*$/;
const TEMPLATE_TEXT = /[^`\\$]*(?:(?:\\[^]|\$(?!\{))[^`\\$]*)*/y;

/** Yields `[kind, start, end]` for each literal and comment of a language without templates. */
function* scan(text, expression) {
  for (const { 0: token, index } of text.matchAll(expression)) {
    const isComment = /^(?:\/[/*]|#|<!--)/.test(token);
    yield [isComment ? 'comment' : 'string', index, index + token.length];
  }
}

/** As `scan`, for JavaScript and TypeScript: templates nest, and a slash may divide. */
function* scanScript(text) {
  const braces = []; // The depth of braces in each template that is open.
  const expression = new RegExp(SCRIPT);
  let comments = [0, 0]; // The last comments without code between them.
  const isBlank = (start, end) => text.slice(start, end).trim() === '';
  const readTemplate = (start) => {
    TEMPLATE_TEXT.lastIndex = start;
    TEMPLATE_TEXT.exec(text);
    const end = TEMPLATE_TEXT.lastIndex;
    if (text[end] === '$') braces.push(0);
    expression.lastIndex = end + (text[end] === '$' ? 2 : 1);
    return ['string', start, end];
  };
  for (let match; (match = expression.exec(text)); ) {
    const [token] = match;
    const start = match.index;
    if (token === '`') yield readTemplate(start + 1);
    else if (token === '{') {
      if (braces.length > 0) braces[braces.length - 1] += 1;
    } else if (token === '}') {
      if (braces.at(-1) === 0) {
        braces.pop();
        yield readTemplate(start + 1);
      } else if (braces.length > 0) braces[braces.length - 1] -= 1;
    } else if (token === '/') {
      REGULAR_EXPRESSION.lastIndex = start;
      const end = isBlank(comments[1], start) ? comments[0] : start;
      if (!BEFORE_REGULAR_EXPRESSION.test(text.slice(Math.max(0, end - 40), end))) continue;
      if (!REGULAR_EXPRESSION.test(text)) continue;
      expression.lastIndex = REGULAR_EXPRESSION.lastIndex;
      yield ['pattern', start, expression.lastIndex];
    } else if (token.startsWith('/')) {
      comments = [isBlank(comments[1], start) ? comments[0] : start, expression.lastIndex];
      yield ['comment', start, expression.lastIndex];
    } else {
      yield ['string', start, expression.lastIndex];
    }
  }
}

/** As `scan`, for HTML: the text between tags is prose, as are attributes that contain a phrase. */
function* scanMarkup(text) {
  let end = 0;
  for (const { 0: tag, index } of text.matchAll(MARKUP)) {
    if (index > end) yield ['text', end, index];
    end = index + tag.length;
    if (tag.startsWith('<!--')) yield ['comment', index, end];
    else if (/^<(?:script|style|pre|code)\b/.test(tag)) continue;
    else for (const value of tag.matchAll(/"[^"]*"/g)) yield ['string', index + value.index, index + value.index + value[0].length];
  }
  if (text.length > end) yield ['text', end, text.length];
}

const LANGUAGES = {
  rs: (text) => scan(text, RUST),
  ts: scanScript,
  mjs: scanScript,
  js: scanScript,
  wgsl: (text) => scan(text, C),
  cu: (text) => scan(text, C),
  cuh: (text) => scan(text, C),
  h: (text) => scan(text, C),
  css: (text) => scan(text, STYLES),
  html: scanMarkup,
  md: (text) => [['text', 0, text.length]],
  py: (text) => scan(text, PYTHON),
  sh: (text) => scan(text, HASH),
  toml: (text) => scan(text, HASH),
  yml: (text) => scan(text, HASH),
};

/** The language of a path, or undefined; a script of the shell may have no extension. */
export function languageOf(path) {
  const extension = /\.([a-z]+)$/.exec(path)?.[1];
  if (extension !== undefined && Object.hasOwn(LANGUAGES, extension)) return extension;
  return /^(?:pkg-scripts|\.ci)\/(?:.*\/)?[^./]+$/.test(path) ? 'sh' : undefined;
}

const FENCE = /^[ \t]*(```+|~~~+)[^\0]*?^[ \t]*\1/gm;
const INLINE_CODE = /`[^`\n\0]*(?:\n[ \t]*[^`\n\0]+)?`/g;
const ADDRESS = /https?:\/\/[^\s)>]+|(?<=\])\([^)\s]*\)/g;

/** The text of a comment: markers become spaces, so that a sentence continues over lines. */
const removeMarkers = (comment) =>
  comment
    .replace(/^(?:\/\/[/!]?|\/\*\*?|#+|<!--)/, (marker) => fill(marker, ' '))
    .replace(/(?:\*\/|-->)$/, (marker) => fill(marker, ' '))
    .replace(/^[ \t]*\*(?=[ \t]|$)/gm, (marker) => fill(marker, ' '));

/** The text of a string literal: quotes become gaps, and a backslash at a line's end a space. */
const removeQuotes = (literal) =>
  literal.replace(/^[bcr]*#*["']+|["']+#*$/g, (mark) => fill(mark, GAP)).replace(/\\(?=\n)/g, ' ');

const removeExamples = (prose) =>
  prose
    .replace(FENCE, (code) => fill(code, GAP))
    .replace(INLINE_CODE, (code) => fill(code, NAME))
    .replace(ADDRESS, (code) => fill(code, NAME));

/**
 * Separates the text of a file. `comments` are the offsets `[start, end]` of comments; a Markdown
 * file is one comment.
 */
export function separate(path, text) {
  const language = languageOf(path);
  const prose = [];
  const code = [];
  const comments = [];
  let end = 0;
  const skip = (from, to) => {
    const gap = text.slice(from, to);
    prose.push(/^\s*$/.test(gap) ? gap : fill(gap, GAP));
    code.push(language === 'html' ? fill(gap, ' ') : gap);
  };
  for (const [kind, from, to] of LANGUAGES[language](text)) {
    skip(end, from);
    const token = text.slice(from, to);
    if (kind === 'comment') prose.push(removeMarkers(token));
    else if (kind === 'text') prose.push(token);
    else if (kind === 'string' && PHRASE.test(token)) prose.push(removeQuotes(token));
    else prose.push(fill(token, GAP));
    code.push(fill(token, ' '));
    if (kind === 'comment' || language === 'md') comments.push([from, to]);
    end = to;
  }
  skip(end, text.length);
  return { path, language, text, prose: removeExamples(prose.join('')), code: code.join(''), comments };
}
