// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Distances of texts, on the host. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { characters, numberTensor, words } from '../../../metrics/host.js';

/**
 * The least number of insertions, deletions and substitutions that make one list the other.
 * Source: V. I. Levenshtein, 1966, by the table of R. A. Wagner and M. J. Fischer, 1974.
 */
export function edits(from: readonly string[], to: readonly string[], substitutionCost: number): number {
  const row = Array.from({ length: to.length + 1 }, () => 0);
  for (let j = 0; j < to.length; j++) {
    row[j + 1]! = j + 1;
  }
  for (let i = 0; i < from.length; i++) {
    let diagonal = row[0]!;
    row[0]! = i + 1;
    for (let j = 0; j < to.length; j++) {
      const above = row[j + 1]!;
      const cost = from[i]! === to[j]! ? 0 : substitutionCost;
      row[j + 1]! = Math.min(Math.min(diagonal + cost, above + 1), row[j]! + 1);
      diagonal = above;
    }
  }
  return row[to.length]!;
}

/** @throws `argument` if there are more texts of one kind. */
export function checkTexts(op: string, preds: number, target: number): void {
  if (preds !== target) {
    throw failure('argument', op, `preds has ${preds} texts and target ${target}`);
  }
}

/** The numbers of edits and of the targets' words. */
export function wordErrors(op: string, preds: readonly string[], target: readonly string[]): readonly Tensor[] {
  return scope(() => {
    checkTexts(op, preds.length, target.length);
    let errors = 0;
    let total = 0;
    for (let i = 0; i < preds.length; i++) {
      const expected = words(target[i]!);
      errors += edits(words(preds[i]!), expected, 1);
      total += expected.length;
    }
    return [numberTensor(errors), numberTensor(total)];
  });
}

/** The numbers of edits and of the targets' characters. */
export function characterErrors(op: string, preds: readonly string[], target: readonly string[]): readonly Tensor[] {
  return scope(() => {
    checkTexts(op, preds.length, target.length);
    let errors = 0;
    let total = 0;
    for (let i = 0; i < preds.length; i++) {
      const expected = characters(target[i]!);
      errors += edits(characters(preds[i]!), expected, 1);
      total += expected.length;
    }
    return [numberTensor(errors), numberTensor(total)];
  });
}

/** The number of edits of each pair of texts. */
export function textEdits(op: string, preds: readonly string[], target: readonly string[], substitutionCost: number): readonly Tensor[] {
  return scope(() => {
    checkTexts(op, preds.length, target.length);
    const distances: Tensor[] = [];
    for (let i = 0; i < preds.length; i++) {
      const distance = edits(characters(preds[i]!), characters(target[i]!), substitutionCost);
      distances.push(numberTensor(distance));
    }
    return [torch.stack(distances)];
  });
}
