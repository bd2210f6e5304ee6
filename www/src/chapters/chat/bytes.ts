/** The tokenizer of a model that reads bytes: an id is a byte of UTF-8. */
import type { GenerateOptions } from 'lanthorn/models';

type TextTokenizer = NonNullable<GenerateOptions['tokenizer']>;

export class ByteTokenizer implements TextTokenizer {
  readonly vocabSize = 256;

  encode(text: string): { ids: Uint8Array } {
    return { ids: new TextEncoder().encode(text) };
  }

  /** An incomplete character waits for its other bytes. Invalid bytes become U+FFFD. */
  decodeStream(): { push(id: number): string; finish(): string } {
    const decoder = new TextDecoder();
    return {
      push: (id) => decoder.decode(Uint8Array.of(id), { stream: true }),
      finish: () => decoder.decode(),
    };
  }
}
