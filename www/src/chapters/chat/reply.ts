/** A reply, token by token. */
import { memory } from 'lanthorn';
import { generate, type GeneratedToken } from 'lanthorn/models';
import type { Reply, Sampling } from './protocol';
import { weightBytes } from './quantization';
import type { Answering, Prompt } from './speakers';

/** The tokens of a reply. A text that exceeds the model's context continues from its last part. */
async function* tokensOf(model: Answering['model'], prompt: Prompt, sampling: Sampling, signal: AbortSignal): AsyncGenerator<GeneratedToken> {
  const { temperature, topK, topP, seed } = sampling;
  const random = temperature > 0 ? { doSample: true, temperature, topK, topP } : {};
  let { ids } = prompt;
  let left = sampling.maxTokens;
  for (let part = 0; ; part += 1) {
    const room = prompt.context === undefined ? left : Math.min(left, prompt.context - ids.length);
    prompt.options.cache?.reset();
    const made: number[] = [];
    let isCut = false;
    for await (const token of generate(model, [...ids], { ...prompt.options, ...random, maxNewTokens: room, seed: seed + part, signal })) {
      made.push(token.token);
      isCut = token.finishReason === 'length' && room < left;
      yield isCut ? { ...token, finishReason: null } : token;
    }
    if (!isCut) {
      return;
    }
    left -= room;
    ids = [...ids, ...made].slice(-(prompt.context! >> 1));
  }
}

/** A reply while it is written. */
export class Writing {
  private readonly abort = new AbortController();
  private readonly source: AsyncGenerator<GeneratedToken>;
  private readonly hasText: boolean;
  private readonly promptTokens: number;
  private readonly begin = performance.now();
  private first = 0;
  private last = 0;
  private count = 0;
  private reason: Reply['reason'] = 'stopped';

  constructor(
    private readonly speaker: Answering,
    prompt: Prompt,
    sampling: Sampling,
  ) {
    this.source = tokensOf(speaker.model, prompt, sampling, this.abort.signal);
    this.hasText = prompt.options.tokenizer !== undefined;
    this.promptTokens = prompt.ids.length;
  }

  /** Ends it at the next token. */
  stop(): void {
    this.abort.abort();
  }

  /** The text of the next token, which may be empty, or undefined at the end. */
  async next(): Promise<string | undefined> {
    if (this.abort.signal.aborted) {
      await this.source.return(undefined);
      return undefined;
    }
    let result: IteratorResult<GeneratedToken>;
    try {
      result = await this.source.next();
    } catch (error) {
      if (this.abort.signal.aborted && error === this.abort.signal.reason) {
        return undefined;
      }
      throw error;
    }
    if (result.done) {
      return undefined;
    }
    const { token, text, finishReason } = result.value;
    this.last = performance.now();
    this.first ||= this.last;
    this.count += 1;
    this.reason = finishReason ?? this.reason;
    return this.hasText ? text : `${this.count === 1 ? '' : ' '}${token}`;
  }

  /** The number of tokens so far. */
  get tokens(): number {
    return this.count;
  }

  /** Tokens a second so far; the first one belongs to the prompt. */
  get tokensPerSecond(): number | undefined {
    return this.count > 1 && this.last > this.first ? (1000 * (this.count - 1)) / (this.last - this.first) : undefined;
  }

  /** The numbers of the whole. */
  get reply(): Reply {
    const { reason, count, promptTokens, begin, first } = this;
    return {
      reason,
      tokens: count,
      promptTokens,
      tokensPerSecond: this.tokensPerSecond,
      promptTokensPerSecond: first > begin ? (1000 * promptTokens) / (first - begin) : undefined,
      weightBytes: weightBytes(this.speaker.model),
      deviceBytes: memory().bytes,
    };
  }
}
