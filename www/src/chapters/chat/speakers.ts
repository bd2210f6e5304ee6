/**
 * Models with the data that they need to answer: the ids of a conversation, a tokenizer, and stop
 * tokens.
 */
import { type CausalLM, type GenerateOptions, KVCache } from 'lanthorn/models';
import type { Tokenizer } from 'lanthorn/tokenizer';
import { ByteTokenizer } from './bytes';
import { formatQuestion, STOP } from './dialogue';
import type { Turn } from './protocol';

/** A prompt, and the options of `generate` that depend on the model. */
export interface Prompt {
  ids: readonly number[];
  options: GenerateOptions;
  /**
   * The tokens that the model was trained to see at once: a longer text continues from its last
   * part.
   */
  context?: number;
}

export interface Answering {
  readonly model: CausalLM;
  prompt(turns: readonly Turn[]): Prompt;
  dispose(): void;
}

/** A model that reads bytes, trained in this page. */
export class ByteSpeaker implements Answering {
  private readonly cache: KVCache;

  constructor(
    readonly model: CausalLM,
    private readonly isDialogue: boolean,
  ) {
    this.cache = new KVCache(model.config, { dtype: 'float32' });
  }

  prompt(turns: readonly Turn[]): Prompt {
    const last = turns.at(-1)?.content ?? '';
    const text = this.isDialogue ? formatQuestion(last) : last;
    const tokenizer = new ByteTokenizer();
    const context = this.model.config.maxPositions;
    const ids = Array.from(tokenizer.encode(text).ids).slice(-(context >> 1));
    const stops = this.isDialogue ? { stopStrings: [STOP] } : {};
    return { ids, options: { tokenizer, cache: this.cache, ...stops }, context };
  }

  dispose(): void {
    this.cache.dispose();
  }
}

/** A model of the visitor, with its tokenizer if it has one. */
export class OpenedSpeaker implements Answering {
  constructor(
    readonly model: CausalLM,
    private readonly tokenizer: Tokenizer | undefined,
    /** The template, if it is in a separate file. */
    private readonly template: string | undefined,
    /** An id that begins every text, of a tokenizer that adds none itself. */
    private readonly first: number | undefined,
  ) {}

  get hasTemplate(): boolean {
    return this.tokenizer !== undefined && (this.template ?? this.tokenizer.chatTemplate()) !== undefined;
  }

  prompt(turns: readonly Turn[]): Prompt {
    const last = turns.at(-1)?.content ?? '';
    const { tokenizer } = this;
    if (!tokenizer) {
      return { ids: idsIn(last), options: {} };
    }
    const ends = ['eos_token', 'eot_token'].map((role) => tokenizer.idOfRole(role)).filter((id) => id !== undefined);
    const options = { tokenizer, eosTokenId: [...this.model.config.eosTokenIds, ...ends] };
    if (!this.hasTemplate) {
      const begin = this.first === undefined ? [] : [this.first];
      return { ids: [...begin, ...tokenizer.encode(last).ids], options };
    }
    const template = this.template === undefined ? {} : { template: this.template };
    const text = tokenizer.applyChatTemplate(turns.map((turn) => ({ ...turn })), { addGenerationPrompt: true, ...template });
    return { ids: Array.from(tokenizer.encode(text, { addSpecialTokens: false }).ids), options };
  }

  dispose(): void {
    this.tokenizer?.dispose();
    this.model.dispose();
  }
}

/** The ids of a message for a model without a tokenizer. */
function idsIn(text: string): number[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  const odd = parts.find((part) => !/^\d+$/.test(part));
  if (parts.length === 0 || odd !== undefined) {
    throw new Error(`this model has no tokenizer: write ids of tokens, such as 5, 17, 42${odd === undefined ? '' : `; ${odd} is none`}`);
  }
  return parts.map(Number);
}
