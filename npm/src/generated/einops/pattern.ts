// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The sides of patterns: lists of groups of named dimensions. */
import type { LanthornError } from '../../core/errors.js';
import { failure, make } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import { isName, numberOfWord, splitText, wordsOf } from '../../einops/host.js';

/** The word for any dimensions, as a name. */
export const ELLIPSIS = '...';

/** A side of a pattern: each group is one dimension of the tensor. */
export class Side {
  /** @internal */
  readonly groups!: readonly (readonly string[])[];
  /** @internal */
  readonly names!: readonly string[];
  /** @internal */
  readonly isEllipsisGrouped!: boolean;
}

/** An error with its pattern. */
export function patternError(op: string, pattern: string, message: string): LanthornError {
  return failure('argument', op, `pattern '${pattern}': ${message}`);
}

/**
 * The two sides of a pattern with an arrow.
 *
 * @throws `argument` for a pattern that is not well-formed.
 */
export function readPattern(op: string, pattern: string): [Side, Side] {
  return scope(() => {
    const sides = splitText(pattern, '->');
    if (sides.length !== 2) throw patternError(op, pattern, 'needs one \'->\' between its sides');
    const [left, right] = [readSide(op, pattern, sides[0]!), readSide(op, pattern, sides[1]!)];
    if (left.isEllipsisGrouped) {
      throw patternError(op, pattern, '\'...\' cannot be in parentheses on the left side');
    }
    if (right.names.includes(ELLIPSIS) && !left.names.includes(ELLIPSIS)) {
      throw patternError(op, pattern, 'has \'...\' on the right side only');
    }
    return [left, right];
  });
}

/**
 * A side of a pattern. A number above 1 is a dimension without a name, whose name here begins with
 * `#` and ends with the size.
 *
 * @throws `argument` for parentheses that do not match, a repeated name, or a word that is no name.
 */
export function readSide(op: string, pattern: string, text: string): Side {
  const groups: (readonly string[])[] = [];
  const names: string[] = [];
  let group: string[] = [];
  let isOpen = false;
  let isEllipsisGrouped = false;
  for (const word of wordsOf(text)) {
    if (word === '(') {
      if (isOpen) throw patternError(op, pattern, 'has parentheses in parentheses');
      isOpen = true;
      group = [];
      continue;
    }
    if (word === ')') {
      if (!isOpen) throw patternError(op, pattern, 'has a \')\' without a \'(\'');
      isOpen = false;
      groups.push(group);
      continue;
    }
    const name = readName(op, pattern, word, names.length);
    const isUnit = name === '';
    if (!isUnit && names.includes(name)) {
      throw patternError(op, pattern, `has '${word}' twice on one side`);
    }
    if (name === ELLIPSIS && isOpen) isEllipsisGrouped = true;
    if (!isUnit) names.push(name);
    const members = isUnit ? [] : [name];
    if (isOpen) group.push(...members);
    else {
      groups.push(members);
    }
  }
  if (isOpen) throw patternError(op, pattern, 'has a \'(\' without a \')\'');
  return make(Side, { groups, names, isEllipsisGrouped });
}

/** The name of a word; none for 1. */
function readName(op: string, pattern: string, word: string, index: number): string {
  if (word === ELLIPSIS || isName(word)) return word;
  const size = numberOfWord(word);
  if (size === undefined) {
    throw patternError(op, pattern, `has '${word}', which is no name of a dimension`);
  }
  if (size === 0) throw patternError(op, pattern, 'has a dimension of size 0');
  if (size === 1) return '';
  return `#${index} ${size}`;
}

/** The size of a dimension without a name. */
export function anonymousSize(name: string): number | undefined {
  if (!name.startsWith('#')) return undefined;
  return numberOfWord(splitText(name, ' ')[1]!);
}

/** The side with names in place of `...`, for a number of dimensions. */
export function expandEllipsis(side: Side, count: number): Side {
  const groups: (readonly string[])[] = [];
  const names: string[] = [];
  for (const group of side.groups) {
    const members: string[] = [];
    for (const name of group) {
      if (name !== ELLIPSIS) {
        members.push(name);
        names.push(name);
        continue;
      }
      for (let i = 0; i < count; i++) {
        const part = `...${i}`;
        names.push(part);
        if (side.isEllipsisGrouped) members.push(part);
        else {
          groups.push([part]);
        }
      }
    }
    const isReplaced = !side.isEllipsisGrouped && group.includes(ELLIPSIS);
    if (!isReplaced) groups.push(members);
  }
  return make(Side, { groups, names, isEllipsisGrouped: false });
}
