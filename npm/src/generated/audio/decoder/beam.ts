// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * The most probable texts, by a beam search over prefixes.
 *
 * Source: Graves and Jaitly, "Towards End-to-End Speech Recognition with Recurrent Neural
 * Networks", 2014, and Hannun et al., "First-Pass Large Vocabulary Continuous Speech Recognition
 * using Bi-Directional Recurrent DNNs", 2014.
 */
import { bind, failure, make } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { frameCounts } from '../decoder/greedy.js';
import { floatsOf } from '../../../audio/host.js';

const NONE = -Infinity;

/** A text that was found. */
export class CTCHypothesis {
  /** The indices of the tokens. */
  readonly tokens!: readonly number[];
  /**
   * The logarithm of the probability: of the best path, or with `logAdd` of all paths that were
   * followed.
   */
  readonly score!: number;
  /** The frame at which each token begins, on the best path. */
  readonly timesteps!: readonly number[];
}

/** The logarithm of a sum, or the larger one of two logarithms. */
function merge(a: number, b: number, isSum: boolean): number {
  const larger = Math.max(a, b);
  if (!isSum || larger === NONE) return larger;
  return larger + Math.log1p(Math.exp(Math.min(a, b) - larger));
}

/**
 * The indices of the largest scores, up to `count`, that are within `threshold` of the largest.
 */
function bestOf(scores: readonly number[], count: number, threshold: number): readonly number[] {
  const order: number[] = [];
  const isTaken = Array.from({ length: scores.length }, () => false);
  let limit = NONE;
  for (let step = 0; step < Math.min(count, scores.length); step++) {
    let best = scores.length;
    for (let index = 0; index < scores.length; index++) {
      if (!isTaken[index]! && (best === scores.length || scores[index]! > scores[best]!)) {
        best = index;
      }
    }
    if (best === scores.length || scores[best]! === NONE || scores[best]! < limit) return order;
    if (order.length === 0) limit = scores[best]! - threshold;
    isTaken[best]! = true;
    order.push(best);
  }
  return order;
}

/** The search for the texts of emissions. See `ctcDecoder`. */
export class CTCDecoder {
  /** @internal */
  readonly tokens!: readonly string[];
  /** @internal */
  readonly nbest!: number;
  /** @internal */
  readonly beamSize!: number;
  /** @internal */
  readonly beamSizeToken!: number;
  /** @internal */
  readonly beamThreshold!: number;
  /** @internal */
  readonly silScore!: number;
  /** @internal */
  readonly logAdd!: boolean;
  /** @internal */
  readonly blank!: number;
  /** @internal */
  readonly silence!: number;

  /**
   * The texts of emissions `(batch, frames, tokens)`, logarithms of probabilities: up to `nbest`
   * for each, the best one first. `lengths: (batch)` has the number of frames of each.
   *
   * @throws `shape` for other dimensions, or lengths that exceed the frames.
   */
  decode(emissions: TensorLike, lengths?: TensorLike | null): Promise<readonly (readonly CTCHypothesis[])[]>;
  decode(emissions: TensorLike, options?: { lengths?: TensorLike | null }): Promise<readonly (readonly CTCHypothesis[])[]>;
  async decode(...args: unknown[]): Promise<readonly (readonly CTCHypothesis[])[]> {
    const [emissions, lengths] = bind('CTCDecoder.decode emissions:tensor lengths:tensor?', args) as [Tensor, Tensor | undefined];
    const op = 'CTCDecoder.decode';
    const counts = await frameCounts(op, emissions, lengths);
    const shape = emissions.shape;
    if (shape[2]! !== this.tokens.length) {
      const message = `emissions has shape [${shape.join(', ')}], and there are ${this.tokens.length} tokens`;
      throw failure('shape', op, message);
    }
    const scores = await floatsOf(emissions);
    const all: (readonly CTCHypothesis[])[] = [];
    for (let row = 0; row < counts.length; row++) {
      const start = row * shape[1]! * shape[2]!;
      const own = scores.slice(start, start + counts[row]! * shape[2]!);
      all.push(this.search(own, counts[row]!));
    }
    return all;
  }

  /** The strings of tokens. */
  idxsToTokens(idxs: number | readonly number[]): readonly string[];
  idxsToTokens(...args: unknown[]): readonly string[] {
    const [idxs] = bind('CTCDecoder.idxsToTokens idxs:ints', args) as [readonly number[]];
    return idxs.map((index) => this.tokens[index]!);
  }

  /** @internal */
  search(scores: readonly number[], frames: number): readonly CTCHypothesis[] {
    const width = this.tokens.length;
    const parents = [0];
    const lasts = [this.blank];
    const children = [0];
    const siblings = [0];
    const stamps = [0];
    const slots = [0];
    let nodes: readonly number[] = [0];
    let blanks: readonly number[] = [0];
    let others: readonly number[] = [NONE];
    let times: readonly (readonly number[])[] = [[]];
    for (let frame = 0; frame < frames; frame++) {
      const row = scores.slice(frame * width, (frame + 1) * width);
      const chosen = bestOf(row, this.beamSizeToken, Infinity);
      const nextNodes: number[] = [];
      const nextBlanks: number[] = [];
      const nextOthers: number[] = [];
      const nextTimes: (readonly number[])[] = [];
      for (let index = 0; index < nodes.length; index++) {
        let node = nodes[index]!;
        const last = lasts[node]!;
        const total = merge(blanks[index]!, others[index]!, this.logAdd);
        stamps[node]! = frame + 1;
        slots[node]! = index;
        nextNodes.push(node);
        nextBlanks.push(total + row[this.blank]!);
        nextOthers.push(last === this.blank ? NONE : others[index]! + row[last]!);
        nextTimes.push(times[index]!);
      }
      for (let index = 0; index < nodes.length; index++) {
        let node = nodes[index]!;
        const total = merge(blanks[index]!, others[index]!, this.logAdd);
        for (const token of chosen) {
          const token2 = token;
          const paths = token2 === lasts[node]! ? blanks[index]! : total;
          if (token2 === this.blank || paths === NONE) continue;
          const bonus = token2 === this.silence ? this.silScore : 0;
          const score = paths + row[token2]! + bonus;
          let child = children[node]!;
          while (child !== 0 && lasts[child]! !== token2) {
            child = siblings[child]!;
          }
          if (child === 0) {
            child = parents.length;
            parents.push(node);
            lasts.push(token2);
            children.push(0);
            siblings.push(children[node]!);
            children[node]! = child;
            stamps.push(0);
            slots.push(0);
          }
          const begun = [...times[index]!];
          begun.push(frame);
          if (stamps[child]! === frame + 1) {
            const slot = slots[child]!;
            if (score > merge(nextBlanks[slot]!, nextOthers[slot]!, false)) {
              nextTimes[slot]! = begun;
            }
            nextOthers[slot]! = merge(nextOthers[slot]!, score, this.logAdd);
          } else {
            stamps[child]! = frame + 1;
            slots[child]! = nextNodes.length;
            nextNodes.push(child);
            nextBlanks.push(NONE);
            nextOthers.push(score);
            nextTimes.push(begun);
          }
        }
      }
      const totals: number[] = [];
      for (let index = 0; index < nextNodes.length; index++) {
        totals.push(merge(nextBlanks[index]!, nextOthers[index]!, this.logAdd));
      }
      const order = bestOf(totals, this.beamSize, this.beamThreshold);
      nodes = order.map((index) => nextNodes[index]!);
      blanks = order.map((index) => nextBlanks[index]!);
      others = order.map((index) => nextOthers[index]!);
      times = order.map((index) => nextTimes[index]!);
    }
    const found: CTCHypothesis[] = [];
    for (let index = 0; index < Math.min(nodes.length, this.nbest); index++) {
      const tokens: number[] = [];
      let node = nodes[index]!;
      while (node !== 0) {
        tokens.splice(0, 0, lasts[node]!);
        node = parents[node]!;
      }
      const score = merge(blanks[index]!, others[index]!, this.logAdd);
      found.push(make(CTCHypothesis, { tokens, score, timesteps: times[index]! }));
    }
    return found;
  }
}

/** The position of a token, or the number of tokens. */
function position(tokens: readonly string[], wanted: string): number {
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index]! === wanted) return index;
  }
  return tokens.length;
}

/**
 * A decoder without a lexicon, for emissions whose last dimension has these `tokens`.
 *
 * It follows the `beamSize` best prefixes, those within `beamThreshold` of the best one, and of
 * each frame the `beamSizeToken` most probable tokens, all by default. Probabilities of the
 * paths of a prefix are added with `logAdd`, else the best path counts. `silScore` is added for
 * each `silToken`, which need not be there. Results have no silence at their ends that no frame
 * has.
 *
 * @throws `argument` if the blank is not among the tokens, or a size is 0.
 *
 * @example
 * const search = decoder.ctcDecoder(['-', 'a', 'b'], 1, 50, undefined, 50, 0, false, '-', '|');
 * const emissions = eye(3).logSoftmax(-1).unsqueeze(0);
 * const found = await search.decode(emissions);
 * search.idxsToTokens(found[0]![0]!.tokens).length; // 2
 */
export function ctcDecoder(tokens: readonly string[], nbest?: number, beamSize?: number, beamSizeToken?: number | null, beamThreshold?: number, silScore?: number, logAdd?: boolean, blankToken?: string, silToken?: string): CTCDecoder;
export function ctcDecoder(tokens: readonly string[], options?: { nbest?: number; beamSize?: number; beamSizeToken?: number | null; beamThreshold?: number; silScore?: number; logAdd?: boolean; blankToken?: string; silToken?: string }): CTCDecoder;
export function ctcDecoder(...args: unknown[]): CTCDecoder {
  const [tokens, nbest = 1, beamSize = 50, beamSizeToken, beamThreshold = 50, silScore = 0, logAdd = false, blankToken = '-', silToken = '|'] = bind('ctcDecoder tokens:list nbest:int? beamSize:int? beamSizeToken:int? beamThreshold:number? silScore:number? logAdd:bool? blankToken:string? silToken:string?', args) as [readonly string[], number | undefined, number | undefined, number | undefined, number | undefined, number | undefined, boolean | undefined, string | undefined, string | undefined];
  const names = tokens.map((token) => token);
  const blank = position(names, blankToken);
  if (blank === names.length) {
    throw failure('argument', 'ctc_decoder', `tokens must have the blank_token, ${blankToken}`);
  }
  const perFrame = beamSizeToken ?? names.length;
  if (nbest === 0 || beamSize === 0 || perFrame === 0) {
    throw failure(
      'argument',
      'ctc_decoder',
      'nbest, beam_size and beam_size_token must be positive',
    );
  }
  const silence = position(names, silToken);
  return make(
    CTCDecoder,
    {
      tokens: names,
      nbest,
      beamSize,
      beamSizeToken: perFrame,
      beamThreshold,
      silScore,
      logAdd,
      blank,
      silence,
    },
  );
}
