// lanthorn beside llama.cpp on the same GGUF files; README.md says how it is run.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../../browser/lib/browser.mjs';
import { servePackage } from '../../browser/lib/package-page.mjs';
import { ISOLATED, serveFolder } from '../../browser/lib/static-server.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    engines: { type: 'string', default: 'llama,cpu' },
    formats: { type: 'string', default: 'f32,q8_0,q4_0' },
    prompt: { type: 'string', default: '128' },
    tokens: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
  },
});
const [models] = positionals;
const wllama = fileURLToPath(new URL('node_modules/@wllama/wllama', import.meta.url));
const tokens = Number(values.tokens);
const prompt = Number(values.prompt);

function median(all) {
  const sorted = [...all].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** In the page: llama.cpp reads a prompt of `prompt` tokens and writes `tokens`. */
async function withLlama({ file, prompt, tokens }) {
  const { Wllama } = await import('/wllama/esm/index.js');
  const llama = new Wllama({ default: '/wllama/esm/wasm/wllama.wasm' }, { suppressNativeLog: true });
  const started = performance.now();
  const blob = await (await fetch(file)).blob();
  await llama.loadModel([blob], { n_threads: 1, n_gpu_layers: 0, n_ctx: Math.max(512, prompt + tokens), n_batch: 128, warmup: false, ctx_shift: false, n_parallel: 1 });
  const load = (performance.now() - started) / 1000;
  // The first token marks the beginning; in make_gguf.py each of these characters is a token.
  const words = String.fromCodePoint(...Array.from({ length: prompt - 1 }, (_, index) => 0x4e00 + 300 + index * 7));
  const run = async () => {
    const { timings, usage } = await llama.createCompletion({ prompt: words, max_tokens: tokens, temperature: 0, ignore_eos: true, cache_prompt: false, timings_per_token: true });
    return { prompt: timings.prompt_ms / timings.prompt_n, token: timings.predicted_per_token_ms, read: timings.prompt_n, made: usage.completion_tokens };
  };
  await run();
  const result = await run();
  await llama.exit();
  return { ...result, load };
}

/** In the page: the same by lanthorn. */
async function withLanthorn({ file, prompt, tokens, device }) {
  const { init, stats } = await import('/npm/js/index.js');
  const { fromPretrained, generate } = await import('/npm/js/models/index.js');
  await init({ device, threads: 1 });
  const started = performance.now();
  const model = await fromPretrained(file);
  const load = (performance.now() - started) / 1000;
  const ids = [1, ...Array.from({ length: prompt - 1 }, (_, index) => 300 + index * 7)];
  const run = async (count) => {
    const start = performance.now();
    const before = stats();
    const { tokens: [row] } = await generate(model, [ids], { maxNewTokens: count, eosTokenId: [] }).all();
    const ms = performance.now() - start;
    const after = stats();
    return { ms, made: row.length, counts: Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]])) };
  };
  await run(tokens);
  await run(1);
  const [one, all] = [await run(1), await run(tokens)];
  // Of the tokens after the first one, whose work is the prompt's.
  const each = (of) => (of(all) - of(one)) / (tokens - 1);
  const counts = Object.fromEntries(['launches', 'dispatches', 'submits'].map((name) => [name, each((run) => run.counts[name])]));
  const created = each(({ counts: { planMisses, pipelines, apiBuffers, bindGroups } }) => planMisses + pipelines + apiBuffers + bindGroups);
  return { prompt: one.ms / prompt, token: each((run) => run.ms), load, read: prompt, made: all.made, weights: model.weightBytes(), ...counts, created };
}

const site = await servePackage(ISOLATED);
const files = await serveFolder(models, { wllama }, { ...ISOLATED, 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' });
const found = {};
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const format of values.formats.split(',')) {
    for (const engine of values.engines.split(',')) {
      const browser = await launchBrowser({ webgpu: engine === 'webgpu' });
      const page = await browser.newPage();
      await page.goto(`${engine === 'llama' ? files.origin : site.origin}/`).catch(() => {});
      const given = { file: `${files.origin}/llama-${format}.gguf`, prompt, tokens, device: engine };
      const result = await page.evaluate(engine === 'llama' ? withLlama : withLanthorn, given);
      await browser.close();
      (found[`${format} ${engine}`] ??= []).push(result);
      console.error(format, engine, JSON.stringify(result));
    }
  }
}
console.log('| format | engine | ms a token of the prompt | ms a token | load, s | weights, MB | dispatches, submissions a token |\n|---|---|---|---|---|---|---|');
for (const [name, all] of Object.entries(found)) {
  const of = (key, digits = 2) => (all[0][key] === undefined ? '' : median(all.map((one) => one[key])).toFixed(digits));
  const weights = all[0].weights ? (all[0].weights / 1e6).toFixed(1) : '';
  console.log(`| ${name.replace(' ', ' | ')} | ${of('prompt')} | ${of('token')} | ${of('load')} | ${weights} | ${of('dispatches', 1)} ${of('submits', 1)} |`);
}
await Promise.all([site.close(), files.close()]);
