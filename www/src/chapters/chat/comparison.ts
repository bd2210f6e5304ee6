/** A model in float32, and its copies with weights of 8 and 4 bits: size, speed and loss. */
import { CausalLM } from 'lanthorn/models';
import type { Learner } from './learner';
import type { Compared } from './protocol';
import { type Format, quantize, weightBytes } from './quantization';
import { Writing } from './reply';
import { ByteSpeaker } from './speakers';

/**
 * The tokens of the trials: the first one prepares the device, and the fastest of the others is
 * reported.
 */
const TRIALS = [2, 16, 16, 16];
const GREEDY = { temperature: 0, topK: 0, topP: 1, seed: 0 };

/** A copy of a model, with its weights in a format. */
async function copyOf(model: CausalLM, format: Format): Promise<CausalLM> {
  const state = model.stateDict();
  const copies = Object.fromEntries(Object.entries(state).map(([name, tensor]) => [name, tensor.clone()]));
  const copy = new CausalLM(model.config, (name) => copies[name]!).eval();
  // The model holds the same memory.
  for (const tensor of [...Object.values(state), ...Object.values(copies)]) {
    tensor.dispose();
  }
  try {
    await quantize(copy, format);
  } catch (error) {
    copy.dispose();
    throw error;
  }
  return copy;
}

/** The most tokens a second of a reply. */
async function speedOf(speaker: ByteSpeaker): Promise<number> {
  const speeds: number[] = [];
  for (const maxTokens of TRIALS) {
    const prompt = speaker.prompt([{ role: 'user', content: 'The' }]);
    // Without a text that ends it, every trial has the same number of tokens.
    const { cache } = prompt.options;
    const writing = new Writing(speaker, { ...prompt, options: cache ? { cache } : {} }, { ...GREEDY, maxTokens });
    while ((await writing.next()) !== undefined) {
      // The text is not needed.
    }
    speeds.push(writing.tokensPerSecond ?? 0);
  }
  return Math.max(...speeds.slice(1));
}

/** The copy of a learner's model in a format, and its row of the table. */
export async function compare(learner: Learner, format: Format): Promise<{ speaker: ByteSpeaker; row: Compared }> {
  const model = await copyOf(learner.model, format);
  const speaker = new ByteSpeaker(model, learner.isDialogue);
  try {
    const loss = await learner.measure(model);
    const tokensPerSecond = await speedOf(speaker);
    return { speaker, row: { speaker: format ?? 'learned', bytes: weightBytes(model), tokensPerSecond, loss } };
  } catch (error) {
    release(speaker);
    throw error;
  }
}

/** Disposes of a copy and of its cache. */
export function release(speaker: ByteSpeaker): void {
  speaker.dispose();
  speaker.model.dispose();
}
