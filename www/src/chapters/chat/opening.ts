/** Opens a model of the visitor: files, a folder, or an address. */
import type { LoadProgress } from 'lanthorn/io';
import { fromPretrained } from 'lanthorn/models';
import { Tokenizer, type TokenizerOptions } from 'lanthorn/tokenizer';
import { request } from '../../parts/request';
import { messageOf } from '../../parts/training/worker';
import type { Description } from './protocol';
import { weightBytes } from './quantization';
import { OpenedSpeaker } from './speakers';

type Config = Record<string, unknown>;

/** The files of a model: those that were given, or those at an address. */
class ModelFiles {
  constructor(private readonly source: readonly File[] | string) {}

  /** The GGUF file, if the model is one. */
  get gguf(): File | string | undefined {
    const isGguf = (name: string) => /\.gguf$/i.test(name.replace(/[?#].*$/, ''));
    if (typeof this.source === 'string') {
      return isGguf(this.source) ? this.source : undefined;
    }
    return this.source.find(({ name }) => isGguf(name));
  }

  get name(): string {
    const { source } = this;
    const path = typeof source === 'string' ? source.replace(/[?#].*$/, '').replace(/\/+$/, '') : (source[0]?.webkitRelativePath.split('/')[0] || '');
    const gguf = this.gguf;
    return (gguf instanceof File ? gguf.name : path.split('/').at(-1)) || 'the model';
  }

  /** A file, which may not be there. */
  async find(name: string): Promise<Blob | undefined> {
    if (typeof this.source !== 'string') {
      return this.source.find((file) => file.name === name);
    }
    const response = await fetch(new URL(name, this.folder));
    return response.ok ? response.blob() : undefined;
  }

  private get folder(): string {
    return String(this.source).replace(/\/*$/, '/');
  }

  /** Rejects with an `Unreachable` if nothing comes from the address. */
  async reach(signal: AbortSignal): Promise<void> {
    if (typeof this.source === 'string') {
      const response = await request(this.gguf === undefined ? new URL('config.json', this.folder) : this.source, 'the model', { signal });
      await response.body?.cancel();
    }
  }

  async text(name: string): Promise<string | undefined> {
    return (await this.find(name))?.text();
  }

  async json(name: string): Promise<Config | undefined> {
    const text = await this.text(name);
    try {
      return text === undefined ? undefined : (JSON.parse(text) as Config);
    } catch (error) {
      throw new Error(`${name} is no JSON: ${messageOf(error)}`);
    }
  }
}

/**
 * The tokenizer of a model, with its template and the id that begins a text, where files of their
 * own have them.
 */
interface Found {
  tokenizer: Tokenizer;
  template?: string | undefined;
  first?: number | undefined;
}

async function tokenizerOf(files: ModelFiles, signal: AbortSignal): Promise<Found> {
  const { gguf } = files;
  if (gguf !== undefined) {
    return { tokenizer: await Tokenizer.fromFile(gguf, { signal }) };
  }
  const [json, pieces, config, template] = await Promise.all([
    files.find('tokenizer.json'), files.find('tokenizer.model'), files.json('tokenizer_config.json'), files.text('chat_template.jinja'),
  ]);
  const file = json ?? pieces;
  if (!file) {
    throw new Error('there is no tokenizer.json and no tokenizer.model');
  }
  const options: TokenizerOptions = { signal, ...(config && { config }) };
  const tokenizer = await Tokenizer.fromFile(file, options);
  // SentencePiece adds no token before a text; the models that use it have seen one.
  const addsFirst = !json && config?.['add_bos_token'] !== false;
  return { tokenizer, template, first: addsFirst ? (tokenizer.idOfRole('bos_token') ?? tokenizer.tokenToId('<s>')) : undefined };
}

/** Opens a model with its tokenizer. Without one, the model takes ids. */
export async function openModel(
  source: readonly File[] | string, signal: AbortSignal, onProgress: (progress: LoadProgress) => void,
): Promise<{ speaker: OpenedSpeaker; description: Description }> {
  const files = new ModelFiles(source);
  const model = await fromPretrained(files.gguf ?? (source as File[] | string), { signal, onProgress }).catch(async (error: unknown) => {
    // An address without an answer is another fault than a file that is no model.
    await files.reach(signal);
    throw error;
  });
  let found: Found | undefined;
  let why: string | undefined;
  try {
    found = await tokenizerOf(files, signal);
    if (found.tokenizer.vocabSize > model.config.vocabSize) {
      why = `its tokenizer has ${found.tokenizer.vocabSize} tokens, and the model ${model.config.vocabSize}`;
      found.tokenizer.dispose();
      found = undefined;
    }
  } catch (error) {
    why = messageOf(error);
  }
  if (signal.aborted) {
    found?.tokenizer.dispose();
    model.dispose();
    signal.throwIfAborted();
  }
  const speaker = new OpenedSpeaker(model, found?.tokenizer, found?.template, found?.first);
  return {
    speaker,
    description: {
      name: files.name,
      family: model.config.family.name,
      layers: model.config.layers.length,
      width: model.config.hiddenSize,
      bytes: weightBytes(model),
      context: model.config.maxPositions,
      withoutTokenizer: why,
      hasTemplate: speaker.hasTemplate,
    },
  };
}
