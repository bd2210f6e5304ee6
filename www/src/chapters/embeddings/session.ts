/** Word embeddings in training: pairs of words, steps, and the positions of the words. */
import { linalg, manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { readValues } from '../../parts/training/worker';
import { pca } from '../features/projections';
import { Pairs } from './pairs';
import { kindOf, madeText } from './text';
import { createSkipGram } from './train';
import { type Vocabulary, vocabularyOf } from './vocabulary';

export interface WordsLesson extends Lesson {
  /** An empty text is the made one. */
  settings: { rate: number; batch: number; dimension: number; window: number; least: number; text: string };
  measurement: WordMap;
  question: Question;
  answer: Neighbours;
}

/** The nearest words to `plus` minus `minus`; one word alone is `plus`. */
export interface Question {
  plus: readonly string[];
  minus: readonly string[];
}

export interface Neighbours {
  question: Question;
  /** Words that are not in the text. */
  unknown: readonly string[];
  nearest: readonly { word: string; cosine: number }[];
}

/** The most frequent words and their positions, `[words, 2]`. */
export interface WordMap {
  words: readonly string[];
  counts: readonly number[];
  positions: Float32Array;
  vocabulary: number;
  /**
   * For the made text: the share of the words with a kind whose nearest such word has the same
   * kind.
   */
  alike: number | undefined;
}

const SENTENCES = 3000;
const NEGATIVES = 5;
const MAX_SHOWN = 160;
const NEAREST = 10;

export class WordsSession implements Session<WordsLesson> {
  readonly parts: Parts;
  private readonly vocabulary: Vocabulary;
  private readonly pairs: Pairs;
  private readonly network: ReturnType<typeof createSkipGram>;
  private readonly numbers: ReadonlyMap<string, number>;
  private targets: Tensor;
  private current: WordsLesson['settings'];

  constructor(seed: number, settings: WordsLesson['settings']) {
    this.current = settings;
    const { text, least, window, dimension, rate } = settings;
    this.vocabulary = vocabularyOf(text || madeText(SENTENCES), least);
    manualSeed(seed);
    this.network = createSkipGram(this.vocabulary.words.length, dimension, rate);
    this.pairs = new Pairs(this.vocabulary, { window, negatives: NEGATIVES, seed });
    this.numbers = new Map(this.vocabulary.words.map((word, index) => [word, index]));
    const { model, optimizer } = this.network;
    this.parts = { model, optimizer, pairs: this.pairs };
    this.targets = targetsOf(settings.batch);
  }

  get settings(): WordsLesson['settings'] {
    return this.current;
  }

  set settings(settings: WordsLesson['settings']) {
    if (settings.batch !== this.current.batch) {
      this.targets.dispose();
      this.targets = targetsOf(settings.batch);
    }
    this.current = settings;
  }

  get epoch(): number {
    return this.pairs.passes(this.settings.batch);
  }

  trainStep(): Tensor {
    const { batch, rate } = this.settings;
    this.network.optimizer.lr = rate;
    const { centers, contexts } = this.pairs.next(batch);
    return this.network.trainStep(
      tensor(centers, { dtype: 'int32' }),
      tensor(contexts, { shape: [batch, 1 + NEGATIVES], dtype: 'int32' }),
      this.targets,
    );
  }

  async measure(): Promise<WordMap> {
    const { words, counts } = this.vocabulary;
    const shown = Math.min(MAX_SHOWN, words.length);
    const [positions, rows] = scope(() =>
      noGrad(() => {
        const unit = this.unitRows().slice(0, 0, shown);
        return [pca(unit), unit];
      }));
    const [at, all] = await Promise.all([readValues(positions!), readValues(rows!)]);
    const alike = this.settings.text === '' ? alikeShare(words.slice(0, shown), all) : undefined;
    return { words: words.slice(0, shown), counts: counts.slice(0, shown), positions: at, vocabulary: words.length, alike };
  }

  async answer(question: Question): Promise<Neighbours> {
    const asked = [...question.plus, ...question.minus];
    const unknown = asked.filter((word) => !this.numbers.has(word));
    if (unknown.length > 0 || asked.length === 0) {
      return { question, unknown, nearest: [] };
    }
    const indices = (list: readonly string[]) => tensor(Int32Array.from(list, (word) => this.numbers.get(word)!), { dtype: 'int32' });
    const cosines = scope(() =>
      noGrad(() => {
        const unit = this.unitRows();
        const sum = (list: readonly string[]) => unit.indexSelect(0, indices(list)).sum(0);
        const wanted = question.minus.length > 0 ? sum(question.plus).sub(sum(question.minus)) : sum(question.plus);
        return unit.matmul(wanted.div(linalg.norm(wanted)));
      }));
    const values = await readValues(cosines);
    const others = this.vocabulary.words.map((word, index) => ({ word, cosine: values[index]! })).filter(({ word }) => !asked.includes(word));
    return { question, unknown, nearest: others.sort((a, b) => b.cosine - a.cosine).slice(0, NEAREST) };
  }

  dispose(): void {
    this.targets.dispose();
    this.network.optimizer.dispose();
    this.network.model.dispose();
  }

  /** The embeddings, each of length 1. */
  private unitRows(): Tensor {
    const { weight } = this.network.model.words;
    return weight.div(weight.square().sum(1, true).sqrt().add(1e-8));
  }
}

/** `[batch, 1 + negatives]`: the first word of each row is the positive sample. */
function targetsOf(batch: number): Tensor {
  const rows = Float32Array.from({ length: batch * (1 + NEGATIVES) }, (_, index) => (index % (1 + NEGATIVES) === 0 ? 1 : 0));
  return tensor(rows, { shape: [batch, 1 + NEGATIVES] });
}

/**
 * The share of words with a kind whose nearest other word with a kind is of the same one; `rows`
 * have length 1.
 */
function alikeShare(words: readonly string[], rows: Float32Array): number {
  const width = rows.length / words.length;
  const kinds = words.map(kindOf);
  const own = words.flatMap((_, index) => (kinds[index] ? [index] : []));
  const cosine = (a: number, b: number) => {
    let sum = 0;
    for (let at = 0; at < width; at += 1) {
      sum += rows[a * width + at]! * rows[b * width + at]!;
    }
    return sum;
  };
  const nearest = (word: number) => own.filter((other) => other !== word).reduce((best, other) => (cosine(word, other) > cosine(word, best) ? other : best), own[0] === word ? own[1]! : own[0]!);
  return own.filter((word) => kinds[nearest(word)] === kinds[word]).length / own.length;
}
