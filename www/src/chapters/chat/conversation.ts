/** The page's part of the chat: the transcript, the choice of the model, sampling, the numbers. */
import type { Connection } from '../../parts/connection';
import { byId, make } from '../../parts/dom';
import type { Metrics } from '../../parts/training/automation';
import { numberField, numberIn } from './inputs';
import type { FromChat, Reply, Sampling, Speaker, ToChat, Turn } from './protocol';
import { inBytes, rateInWords } from './words';

const NUMBERS = {
  'tokens-a-second': 'Tokens a second',
  'prompt-speed': 'Prompt, tokens a second',
  'reply-tokens': 'Tokens of the reply',
  'weights-size': 'Weights',
  'device-memory': 'Memory in use',
};

/** The names of the models, and the text below the message. */
const LEARNED: Readonly<Record<Exclude<Speaker, 'opened'>, string>> = {
  learned: 'The model trained here, float32',
  q8_0: 'The model trained here, 8 bit',
  q4_0: 'The model trained here, 4 bit',
};

const REASONS: Readonly<Record<Reply['reason'], string>> = {
  eos: '', stop: '', length: 'the most tokens', stopped: 'stopped',
};

export class Conversation {
  private readonly transcript = byId('transcript', HTMLOListElement);
  private readonly speaker = byId('speaker', HTMLSelectElement);
  private readonly message = byId('message', HTMLTextAreaElement);
  private turns: Turn[] = [];
  private written: HTMLElement | undefined;
  private words: Partial<Record<Speaker, string>> = {};
  private replies = 0;

  constructor(private readonly connection: () => Connection<ToChat, FromChat>) {
    byId('sampling', HTMLElement).replaceChildren(
      numberField({ name: 'temperature', label: 'Temperature', value: 0.7, min: 0, max: 100, step: 'any', title: '0: always the most likely token' }),
      numberField({ name: 'top-k', label: 'Top k', value: 40, min: 0, title: 'The number of most likely tokens to choose from; 0 for all' }),
      numberField({ name: 'top-p', label: 'Top p', value: 0.95, min: 0.001, max: 1, step: 'any', title: 'Only the most likely tokens that add up to this probability' }),
      numberField({ name: 'max-tokens', label: 'Most tokens', value: 200, min: 1, max: 100_000 }),
      numberField({ name: 'seed', label: 'Seed', value: 1, min: 0 }),
    );
    byId('numbers', HTMLElement).replaceChildren(...Object.entries(NUMBERS).map(([id, label]) =>
      make('div', {}, [make('dt', { textContent: label }), make('dd', { id, textContent: '–' })])));
    this.speaker.addEventListener('change', () => {
      this.clear();
      this.describe();
    });
    byId('clear', HTMLButtonElement).addEventListener('click', () => this.clear());
    // As in other chats: a line break needs the shift key.
    this.message.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        byId('ask', HTMLFormElement).requestSubmit();
      }
    });
    this.describe();
  }

  get isWriting(): boolean {
    return this.written !== undefined;
  }

  get hasSpeaker(): boolean {
    return this.speaker.options.length > 0;
  }

  /** Sends the message to the chosen model. Returns false if something is missing, and shows it. */
  ask(): boolean {
    const content = this.message.value;
    const sampling = this.sampling();
    if (!sampling || this.isWriting || !this.hasSpeaker || content === '') {
      return false;
    }
    this.turns.push({ role: 'user', content });
    this.add('user', content);
    this.written = this.add('assistant', '');
    this.message.value = '';
    this.connection().post({ type: 'ask', speaker: this.speaker.value as Speaker, turns: this.turns, sampling });
    return true;
  }

  /** Shows more of the reply. */
  write({ text, tokens, tokensPerSecond }: Extract<FromChat, { type: 'text' }>): Metrics {
    const atEnd = this.transcript.scrollHeight - this.transcript.scrollTop - this.transcript.clientHeight < 40;
    this.written?.append(text);
    if (atEnd) {
      this.transcript.scrollTop = this.transcript.scrollHeight;
    }
    this.show('tokens-a-second', rateInWords(tokensPerSecond));
    this.show('reply-tokens', String(tokens));
    return { tokens };
  }

  onReply(reply: Reply): Metrics {
    const content = this.written?.textContent ?? '';
    this.turns.push({ role: 'assistant', content });
    this.end(content === '' ? 'nothing' : REASONS[reply.reason]);
    this.replies += 1;
    this.show('tokens-a-second', rateInWords(reply.tokensPerSecond));
    this.show('prompt-speed', rateInWords(reply.promptTokensPerSecond));
    this.show('reply-tokens', String(reply.tokens));
    this.show('weights-size', inBytes(reply.weightBytes));
    this.show('device-memory', inBytes(reply.deviceBytes));
    return { replies: this.replies, tokens: reply.tokens, reason: reply.reason, tokensPerSecond: reply.tokensPerSecond };
  }

  /** The reply failed: the message can be sent again. */
  onFailure(): void {
    const asked = this.turns.at(-1);
    if (this.isWriting && asked?.role === 'user') {
      this.turns.pop();
      this.message.value ||= asked.content;
      this.written?.parentElement?.remove();
      this.transcript.lastElementChild?.remove();
    }
    this.written = undefined;
  }

  /**
   * Adds a model to the list; `words` describe how it treats a message. The newest model is chosen.
   */
  offer(speaker: Speaker, words: string, name = ''): void {
    this.words[speaker] = words;
    const label = speaker === 'opened' ? name : LEARNED[speaker];
    const known = [...this.speaker.options].find(({ value }) => value === speaker);
    if (known) {
      known.textContent = label;
    } else {
      this.speaker.add(new Option(label, speaker));
    }
    if (speaker === 'opened' || speaker === 'learned') {
      this.speaker.value = speaker;
      this.clear();
    }
    this.describe();
  }

  /** Removes models from the list; all of them without names. */
  withdraw(...speakers: Speaker[]): void {
    for (const option of [...this.speaker.options]) {
      if (speakers.length === 0 || speakers.includes(option.value as Speaker)) {
        option.remove();
      }
    }
    this.onFailure();
    this.describe();
  }

  enable(isReady: boolean): void {
    byId('send', HTMLButtonElement).disabled = !isReady || this.isWriting || !this.hasSpeaker;
    byId('stop', HTMLButtonElement).disabled = !this.isWriting;
    byId('clear', HTMLButtonElement).disabled = this.isWriting;
    this.speaker.disabled = !this.hasSpeaker || this.isWriting;
  }

  private sampling(): Sampling | undefined {
    const [temperature, topK, topP, maxTokens, seed] = ['temperature', 'top-k', 'top-p', 'max-tokens', 'seed'].map(numberIn);
    if (temperature === undefined || topK === undefined || topP === undefined || maxTokens === undefined || seed === undefined) {
      return undefined;
    }
    return { temperature, topK, topP, maxTokens, seed };
  }

  private clear(): void {
    if (!this.isWriting) {
      this.turns = [];
      this.transcript.replaceChildren();
    }
  }

  private end(reason: string): void {
    if (reason) {
      this.written?.parentElement?.append(make('span', { className: 'soft reason', textContent: ` (${reason})` }));
    }
    this.written = undefined;
  }

  private add(role: Turn['role'], text: string): HTMLElement {
    const content = make('span', { className: 'content', textContent: text });
    const who = make('span', { className: 'visually-hidden', textContent: role === 'user' ? 'You: ' : 'Model: ' });
    this.transcript.append(make('li', { className: role }, [who, content]));
    this.transcript.scrollTop = this.transcript.scrollHeight;
    return content;
  }

  private describe(): void {
    const words = this.words[this.speaker.value as Speaker] ?? '';
    byId('speaker-words', HTMLElement).textContent = words;
    this.message.placeholder = this.hasSpeaker ? 'Write a message.' : 'Train or open a model first.';
  }

  private show(id: keyof typeof NUMBERS, words: string): void {
    byId(id, HTMLElement).textContent = words;
  }
}
