// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Scores of texts. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import { reduceRows, type Reduction } from '../regression/errors.js';
import { bleuCounts, bleuOf } from '../text/bleu.js';
import { characterErrors, textEdits, wordErrors } from '../text/distance.js';

/**
 * The number of edits of words that make predictions the targets, divided by the number of words
 * of the targets, as `torchmetrics.functional.word_error_rate`. The result is on the default
 * device.
 *
 * @throws `argument` if there are more texts of one kind.
 *
 * @example
 * const preds = ['the cat'];
 * const target = ['the dog'];
 * const value = functional.wordErrorRate(preds, target);
 * await value.item(); // 0.5
 */
export function wordErrorRate(preds: readonly string[], target: readonly string[]): Tensor;
export function wordErrorRate(...args: unknown[]): Tensor {
  const [preds, target] = bind('wordErrorRate preds:list target:list', args) as [readonly string[], readonly string[]];
  return scope(() => {
    const state = wordErrors('word_error_rate', preds, target);
    return state[0]!.div(state[1]!);
  });
}

/**
 * The number of edits of characters that make predictions the targets, divided by the number of
 * characters of the targets, as `torchmetrics.functional.char_error_rate`. The result is on the
 * default device.
 *
 * @throws `argument` if there are more texts of one kind.
 *
 * @example
 * const preds = ['the cat'];
 * const target = ['the dog'];
 * const value = functional.charErrorRate(preds, target);
 * await value.item(); // 3 / 7
 */
export function charErrorRate(preds: readonly string[], target: readonly string[]): Tensor;
export function charErrorRate(...args: unknown[]): Tensor {
  const [preds, target] = bind('charErrorRate preds:list target:list', args) as [readonly string[], readonly string[]];
  return scope(() => {
    const state = characterErrors('char_error_rate', preds, target);
    return state[0]!.div(state[1]!);
  });
}

/**
 * The number of edits of characters between predictions and targets, as
 * `torchmetrics.functional.edit_distance`. The result is on the default device.
 *
 * @throws `argument` if there are more texts of one kind.
 *
 * @example
 * const preds = ['the cat'];
 * const target = ['the dog'];
 * const value = functional.editDistance(preds, target, 1, 'mean');
 * await value.item(); // 3
 */
export function editDistance(preds: readonly string[], target: readonly string[], substitutionCost?: number, reduction?: Reduction): Tensor;
export function editDistance(preds: readonly string[], target: readonly string[], options?: { substitutionCost?: number; reduction?: Reduction }): Tensor;
export function editDistance(...args: unknown[]): Tensor {
  const [preds, target, substitutionCost = 1, reduction = 'mean'] = bind('editDistance preds:list target:list substitutionCost:int? reduction:=mean|sum|none?', args) as [readonly string[], readonly string[], number | undefined, Reduction | undefined];
  return scope(() => {
    const state = textEdits('edit_distance', preds, target, substitutionCost);
    return reduceRows(state[0]!, reduction);
  });
}

/**
 * The BLEU score of translations, each with several targets, as
 * `torchmetrics.functional.bleu_score`. The result is on the default device.
 *
 * @throws `argument` if there are more texts of one kind.
 *
 * @example
 * const preds = ['the cat is on the mat'];
 * const target = [['the cat is on the mat']];
 * const value = functional.bleuScore(preds, target, 4, false);
 * await value.item(); // 1
 */
export function bleuScore(preds: readonly string[], target: readonly (readonly string[])[], nGram?: number, smooth?: boolean): Tensor;
export function bleuScore(preds: readonly string[], target: readonly (readonly string[])[], options?: { nGram?: number; smooth?: boolean }): Tensor;
export function bleuScore(...args: unknown[]): Tensor {
  const [preds, target, nGram = 4, smooth = false] = bind('bleuScore preds:list target:list nGram:int? smooth:bool?', args) as [readonly string[], readonly (readonly string[])[], number | undefined, boolean | undefined];
  return scope(() => {
    const state = bleuCounts('bleu_score', preds, target, nGram);
    return bleuOf(state, smooth);
  });
}
