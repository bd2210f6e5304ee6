// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of texts. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import { State } from '../../../metrics/host.js';
import { addEntry, mergedState } from '../metric.js';
import { reduceRows, type Reduction } from '../regression/errors.js';
import { bleuCounts, bleuOf } from '../text/bleu.js';
import { characterErrors, textEdits, wordErrors } from '../text/distance.js';

/**
 * The number of edits of words that make predictions the targets, divided by the number of words
 * of the targets, as `torchmetrics.text.WordErrorRate`. Values are on the default device.
 *
 * @example
 * const preds = ['the cat'];
 * const target = ['the dog'];
 * const metric = new WordErrorRate();
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class WordErrorRate {
  /** @internal */
  readonly state!: State;

  constructor();
  constructor(...args: unknown[]) {
    Object.assign(this, WordErrorRate.of());
  }

  /** @internal */
  static of(): WordErrorRate {
    return make(WordErrorRate, { state: State.of() });
  }

  /**
   * Adds texts.
   *
   * @throws `argument` if there are more texts of one kind.
   */
  update(preds: readonly string[], target: readonly string[]): void;
  update(...args: unknown[]): void {
    const [preds, target] = bind('WordErrorRate.update preds:list target:list', args) as [readonly string[], readonly string[]];
    const batch = wordErrors('WordErrorRate', preds, target);
    addEntry(this.state, 'sum', batch);
  }

  /**
   * The value of all texts.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => {
      const state = mergedState('WordErrorRate', this.state);
      return state[0]!.div(state[1]!);
    });
  }

  /** Forgets all texts. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * The number of edits of characters that make predictions the targets, divided by the number of
 * characters of the targets, as `torchmetrics.text.CharErrorRate`. Values are on the default
 * device.
 *
 * @example
 * const preds = ['the cat'];
 * const target = ['the dog'];
 * const metric = new CharErrorRate();
 * metric.update(preds, target);
 * await metric.compute().item(); // 3 / 7
 */
export class CharErrorRate {
  /** @internal */
  readonly state!: State;

  constructor();
  constructor(...args: unknown[]) {
    Object.assign(this, CharErrorRate.of());
  }

  /** @internal */
  static of(): CharErrorRate {
    return make(CharErrorRate, { state: State.of() });
  }

  /**
   * Adds texts.
   *
   * @throws `argument` if there are more texts of one kind.
   */
  update(preds: readonly string[], target: readonly string[]): void;
  update(...args: unknown[]): void {
    const [preds, target] = bind('CharErrorRate.update preds:list target:list', args) as [readonly string[], readonly string[]];
    const batch = characterErrors('CharErrorRate', preds, target);
    addEntry(this.state, 'sum', batch);
  }

  /**
   * The value of all texts.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => {
      const state = mergedState('CharErrorRate', this.state);
      return state[0]!.div(state[1]!);
    });
  }

  /** Forgets all texts. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * The number of edits of characters between predictions and targets, as
 * `torchmetrics.text.EditDistance`. Values are on the default device.
 *
 * @example
 * const preds = ['the cat'];
 * const target = ['the dog'];
 * const metric = new EditDistance(1, 'mean');
 * metric.update(preds, target);
 * await metric.compute().item(); // 3
 */
export class EditDistance {
  /** @internal */
  readonly substitutionCost!: number;
  /** @internal */
  readonly reduction!: Reduction;
  /** @internal */
  readonly state!: State;

  constructor(substitutionCost?: number, reduction?: Reduction);
  constructor(options?: { substitutionCost?: number; reduction?: Reduction });
  constructor(...args: unknown[]) {
    const [substitutionCost = 1, reduction = 'mean'] = bind('EditDistance substitutionCost:int? reduction:=mean|sum|none?', args) as [number | undefined, Reduction | undefined];
    Object.assign(this, EditDistance.of(substitutionCost, reduction));
  }

  /** @internal */
  static of(substitutionCost: number, reduction: Reduction): EditDistance {
    return make(EditDistance, { substitutionCost, reduction, state: State.of() });
  }

  /**
   * Adds texts.
   *
   * @throws `argument` if there are more texts of one kind.
   */
  update(preds: readonly string[], target: readonly string[]): void;
  update(...args: unknown[]): void {
    const [preds, target] = bind('EditDistance.update preds:list target:list', args) as [readonly string[], readonly string[]];
    const batch = textEdits('EditDistance', preds, target, this.substitutionCost);
    addEntry(this.state, 'cat', batch);
  }

  /**
   * The value of all texts.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => {
      const state = mergedState('EditDistance', this.state);
      return reduceRows(state[0]!, this.reduction);
    });
  }

  /** Forgets all texts. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * The BLEU score of translations, each with several targets, as `torchmetrics.text.BLEUScore`.
 * Values are on the default device.
 *
 * @example
 * const preds = ['the cat is on the mat'];
 * const target = [['the cat is on the mat']];
 * const metric = new BLEUScore(4, false);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class BLEUScore {
  /** @internal */
  readonly nGram!: number;
  /** @internal */
  readonly smooth!: boolean;
  /** @internal */
  readonly state!: State;

  constructor(nGram?: number, smooth?: boolean);
  constructor(options?: { nGram?: number; smooth?: boolean });
  constructor(...args: unknown[]) {
    const [nGram = 4, smooth = false] = bind('BLEUScore nGram:int? smooth:bool?', args) as [number | undefined, boolean | undefined];
    Object.assign(this, BLEUScore.of(nGram, smooth));
  }

  /** @internal */
  static of(nGram: number, smooth: boolean): BLEUScore {
    return make(BLEUScore, { nGram, smooth, state: State.of() });
  }

  /**
   * Adds texts.
   *
   * @throws `argument` if there are more texts of one kind.
   */
  update(preds: readonly string[], target: readonly (readonly string[])[]): void;
  update(...args: unknown[]): void {
    const [preds, target] = bind('BLEUScore.update preds:list target:list', args) as [readonly string[], readonly (readonly string[])[]];
    const batch = bleuCounts('BLEUScore', preds, target, this.nGram);
    addEntry(this.state, 'sum', batch);
  }

  /**
   * The value of all texts.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => {
      const state = mergedState('BLEUScore', this.state);
      return bleuOf(state, this.smooth);
    });
  }

  /** Forgets all texts. */
  reset(): void {
    this.state.clear();
  }
}
