// Continues texts with a language model, or answers messages:
//
//   node generate.mjs MODEL --prompt 'Once upon a time' --temperature 0.8
//
// MODEL is a folder of Hugging Face (config.json, safetensors and a tokenizer) or a GGUF file, as a path
// or an address. Several prompts make a batch. A model without a tokenizer takes --ids 1,2,3.
import { parseArgs } from 'node:util';
import { init } from 'lanthorn';
import { fromPretrained, generate } from 'lanthorn/models';
import { Tokenizer } from 'lanthorn/tokenizer';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    prompt: { type: 'string', multiple: true, default: [] },
    ids: { type: 'string', multiple: true, default: [] },
    chat: { type: 'boolean', default: false },
    stop: { type: 'string', multiple: true },
    'max-new-tokens': { type: 'string', default: '128' },
    temperature: { type: 'string' },
    'top-k': { type: 'string' },
    'top-p': { type: 'string' },
    seed: { type: 'string' },
    'prompt-lookup-num-tokens': { type: 'string' },
    'assistant-model': { type: 'string' },
    device: { type: 'string', default: 'cpu' },
  },
});
const [source] = positionals;
if (positionals.length !== 1 || values.prompt.length + values.ids.length === 0) {
  console.error("usage: node generate.mjs MODEL --prompt TEXT [--chat] [--temperature X] [--max-new-tokens N] [--device cpu|webgpu]");
  process.exit(2);
}

/** The tokenizer in a GGUF file, or in a folder. */
async function tokenizerOf(model) {
  if (/\.gguf$/i.test(model)) return Tokenizer.fromFile(model);
  const folder = model.replace(/\/*$/, '/');
  const config = await Tokenizer.fromFile(`${folder}tokenizer.json`, { config: `${folder}tokenizer_config.json` }).catch(() => undefined);
  return config ?? Tokenizer.fromFile(`${folder}tokenizer.json`);
}

/** A prompt as the model was trained to see it: a message of a user, or a plain text. */
function promptOf(text, tokenizer) {
  if (!values.chat) return text;
  const written = tokenizer.applyChatTemplate([{ role: 'user', content: text }], { addGenerationPrompt: true });
  return Array.from(tokenizer.encode(written, { addSpecialTokens: false }).ids);
}

try {
  await init({ device: values.device });
  const isTerminal = process.stderr.isTTY;
  const onProgress = ({ loaded, total }) => {
    if (isTerminal && total) process.stderr.write(`\rloading: ${Math.round((100 * loaded) / total)} % `);
  };
  const model = await fromPretrained(source, { onProgress });
  const assistant = values['assistant-model'] && (await fromPretrained(values['assistant-model'], { onProgress }));
  if (isTerminal) process.stderr.write('\r\x1b[K');
  const tokenizer = values.ids.length > 0 ? undefined : await tokenizerOf(source);
  const ids = values.ids.map((list) => list.split(',').map(Number));
  const prompts = tokenizer ? values.prompt.map((text) => promptOf(text, tokenizer)) : ids;

  // Without one of these, every token is the most likely one.
  const sampling = { temperature: 'temperature', topK: 'top-k', topP: 'top-p', seed: 'seed' };
  const given = Object.entries(sampling).filter(([, name]) => values[name] !== undefined).map(([key, name]) => [key, Number(values[name])]);
  const options = {
    ...Object.fromEntries(given),
    doSample: given.length > 0,
    maxNewTokens: Number(values['max-new-tokens']),
    ...(tokenizer && { tokenizer }),
    ...(values.stop && { stopStrings: values.stop }),
    ...(values['prompt-lookup-num-tokens'] && { promptLookupNumTokens: Number(values['prompt-lookup-num-tokens']) }),
    ...(assistant && { assistantModel: assistant }),
  };

  const begin = performance.now();
  let first;
  let tokens = 0;
  const texts = prompts.map(() => '');
  for await (const { row, token, text } of generate(model, prompts, options)) {
    first ??= performance.now();
    tokens += 1;
    const shown = tokenizer ? text : `${token} `;
    texts[row] += shown;
    // One answer is shown as it comes; several are shown at the end, in their order.
    if (prompts.length === 1) process.stdout.write(shown);
  }
  if (prompts.length === 1) console.log();
  else texts.forEach((text, row) => console.log(`== ${row + 1} ==\n${text}`));
  const end = performance.now();
  const rate = (count, milliseconds) => (count > 0 && milliseconds > 0 ? ((1000 * count) / milliseconds).toFixed(1) : '–');
  const read = prompts.reduce((sum, prompt) => sum + (typeof prompt === 'string' ? tokenizer.encode(prompt).ids : prompt).length, 0);
  console.error(`${tokens} tokens, ${rate(tokens - prompts.length, end - first)} tokens a second (prompt: ${rate(read, first - begin)})`);
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
