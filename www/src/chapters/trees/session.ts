/** A recursive network in training: trees, steps, and its answer for each phrase. */
import { manualSeed, noGrad, scope, type Tensor } from 'lanthorn';
import { uniform } from '../../parts/random';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { readValues } from '../../parts/training/worker';
import { createTreeNet } from './train';
import { depthOf, labelOf, parse, phrasesOf, randomTree, type Tree, valueOf, WORDS } from './trees';

export interface TreesLesson extends Lesson {
  settings: { rate: number; batch: number; width: number; depth: number };
  measurement: { accuracy: number; deeper: number; trees: number };
  question: string;
  answer: Reading;
}

/** The probability of good for each phrase, in the order of the recursion; or why there is none. */
export type Reading = { sentence: string; tree: Tree; good: number[] } | { sentence: string; problem: string };

const TESTED = 40;
/** The seeds of the trees that are measured. */
const TEST_SEED = 104_729;

export class TreesSession implements Session<TreesLesson> {
  readonly parts: Parts;
  private readonly network: ReturnType<typeof createTreeNet>;
  private readonly tests: { same: Tree[]; deeper: Tree[] };
  private taken = 0;

  constructor(
    private readonly seed: number,
    public settings: TreesLesson['settings'],
  ) {
    manualSeed(seed);
    this.network = createTreeNet(WORDS.length, settings.width, settings.rate);
    const { depth } = settings;
    this.tests = { same: testTrees(depth, () => true), deeper: testTrees(depth + 3, (tree) => depthOf(tree) > depth) };
    const { model, optimizer } = this.network;
    const position = { stateDict: () => ({ taken: this.taken }), loadStateDict: (state: { taken: number }) => void (this.taken = state.taken) };
    this.parts = { model, optimizer, position };
  }

  get epoch(): number {
    return this.taken;
  }

  trainStep(): Tensor {
    const { batch, depth, rate } = this.settings;
    // A generator for each step, so that a checkpoint needs its number alone.
    const random = uniform(this.seed * 1_000_003 + this.taken);
    this.taken += 1;
    this.network.optimizer.lr = rate;
    const trees = Array.from({ length: batch }, () => randomTree(depth, random));
    return this.network.trainStep(trees, trees.flatMap(phrasesOf).map(labelOf));
  }

  async measure(): Promise<TreesLesson['measurement']> {
    const { same, deeper } = this.tests;
    const good = await this.goodOf([...same, ...deeper]);
    const roots = rootsOf([...same, ...deeper]);
    const share = (trees: readonly Tree[], from: number) => trees.filter((tree, index) => good[roots[from + index]!]! > 0.5 === valueOf(tree)! > 0).length / trees.length;
    return { accuracy: share(same, 0), deeper: share(deeper, same.length), trees: same.length };
  }

  async answer(sentence: string): Promise<Reading> {
    let tree: Tree;
    try {
      tree = parse(sentence);
    } catch (error) {
      return { sentence, problem: (error as Error).message };
    }
    return { sentence, tree, good: [...(await this.goodOf([tree]))] };
  }

  dispose(): void {
    this.network.optimizer.dispose();
    this.network.model.dispose();
  }

  /** The probability of good of every phrase of the trees. */
  private async goodOf(trees: Tree[]): Promise<Float32Array> {
    const good = scope(() => noGrad(() => this.network.model.call(trees).softmax(1).select(1, 1).clone()));
    return readValues(good);
  }
}

/** The indices of the whole trees among their phrases. */
function rootsOf(trees: readonly Tree[]): number[] {
  let count = 0;
  return trees.map((tree) => (count += phrasesOf(tree).length) - 1);
}

/** Trees that say something and that `wanted` takes: the same every time. */
function testTrees(depth: number, wanted: (tree: Tree) => boolean): Tree[] {
  const random = uniform(TEST_SEED + depth);
  const trees: Tree[] = [];
  while (trees.length < TESTED) {
    const tree = randomTree(depth, random);
    if (tree.word === undefined && labelOf(tree) >= 0 && wanted(tree)) {
      trees.push(tree);
    }
  }
  return trees;
}
