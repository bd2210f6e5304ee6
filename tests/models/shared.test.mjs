/**
 * `lanthorn/models` in JavaScript reads configurations, cuts texts and drafts tokens as Rust does:
 * the cases of `shared.json`, whose answers `crates/models/src/shared_tests.rs` writes. Needs the
 * package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { PACKAGE } from '../browser/lib/package-page.mjs';

const { base, ...parts } = JSON.parse(await readFile(new URL('shared.json', import.meta.url), 'utf8'));
const [{ CandidateGenerator, PromptLookup }, { readConfig }, { table }, { ggufConfig }, { StopStrings }, { isFactor, nameTensor }, { chunkOf, paddingOf }] =
  await Promise.all(['models/candidates', 'models/config', 'models/host', 'models/gguf', 'models/stopping', 'generated/models/decoder/gguf', 'generated/models/decoder/generation']
    .map((name) => import(`${PACKAGE}/js/${name}.js`)));

function describeConfig(config) {
  const { family, vocabSize, hiddenSize, intermediateSize, heads, kvHeads, headDim, maxPositions, biases, ropes, layers } = config;
  return {
    family: family.name,
    sizes: [vocabSize, hiddenSize, intermediateSize, heads, kvHeads, headDim, maxPositions],
    activation: config.activation,
    biases: [biases.qkv, biases.output, biases.mlp],
    numbers: [config.eps, config.scale, config.embeddingScale],
    soft_caps: [config.attentionSoftCap, config.finalSoftCap],
    ropes: ropes.map(({ inverseFrequencies, longInverseFrequencies, originalLength, attentionFactor }) =>
      ({ short: inverseFrequencies, long: longInverseFrequencies, original_length: originalLength, attention_factor: attentionFactor })),
    layers: layers.map(({ window, rope }) => [window, rope]),
    tie_word_embeddings: config.tieWordEmbeddings,
    eos_token_ids: config.eosTokenIds,
    dtype: config.dtype,
  };
}

/** The value, or the error. */
async function answer(run) {
  try {
    return await run();
  } catch (error) {
    if (error.kind === undefined) throw error;
    return { error: error.message };
  }
}

/** Factors of frequencies are given by their numbers, other tensors by their shapes. */
const tensorOf = (name, given) =>
  (name.startsWith('rope_') ? { shape: [given.length], data: async () => Float32Array.from(given) } : { shape: given });

function readGguf({ architecture, metadata, tensors }) {
  const own = Object.entries(base.metadata).map(([key, value]) => [`${architecture}.${key}`, value]);
  const all = { ...Object.fromEntries(own), 'general.architecture': architecture, ...metadata };
  const present = Object.entries(all).filter(([, value]) => value !== null);
  const given = Object.entries({ ...base.tensors, ...tensors }).map(([name, value]) => [name, tensorOf(name, value)]);
  return answer(async () => describeConfig(await ggufConfig(Object.fromEntries(present), Object.fromEntries(given), true)));
}

function cutText({ stops, texts, rest }) {
  const row = new StopStrings(stops);
  const pieces = texts.map((text) => row.push(text));
  if (!pieces.at(-1).isStopped) pieces.push(row.finish(rest));
  return pieces.map(({ text, isStopped }) => [text, isStopped]);
}

/** The number of calls without candidates after each call of which some were accepted. */
async function pause({ count, accepted }) {
  const generator = new CandidateGenerator({ count, candidates: async () => [1], dispose() {} });
  const counts = [];
  for (const some of accepted) {
    generator.accepted(some);
    let paused = 0;
    while ((await generator.candidates([])).length === 0) paused += 1;
    counts.push(paused);
  }
  return counts;
}

function cutPrompt({ chunk, left, room }) {
  const sizes = [];
  while (left > 0) {
    const size = chunkOf(chunk, left, room);
    sizes.push(size);
    [left, room] = [left - size, room - size];
  }
  return sizes;
}

const RUN = {
  config: (given) => answer(() => describeConfig(readConfig({ ...base.config, ...given }))),
  gguf: readGguf,
  names: ({ family, name }) => answer(() => (isFactor(name) ? null : nameTensor(name, table().families.find((row) => row.name === family)).long)),
  stop_strings: cutText,
  lookup: ({ ids, count, size }) => new PromptLookup(count, size).candidates(ids),
  pauses: pause,
  chunks: cutPrompt,
  padding: ({ chunk }) => paddingOf(chunk),
};

/** Numbers are equal except for their last digits. */
function same(found, expected) {
  if (typeof expected === 'number' && typeof found === 'number') return Math.abs(found - expected) <= 1e-12 * Math.abs(expected);
  if (typeof expected !== 'object' || expected === null) return found === expected;
  if (typeof found !== 'object' || found === null) return false;
  const keys = Object.keys(expected);
  return keys.length === Object.keys(found).length && keys.every((key) => same(found[key], expected[key]));
}

for (const [part, cases] of Object.entries(parts)) {
  test(`${part}: JavaScript and Rust give the same answers`, async () => {
    assert.ok(cases.length > 0);
    for (const { given, answer: expected } of cases) {
      const found = await RUN[part](given);
      assert.ok(same(found, expected), `${JSON.stringify(given)}\nfound    ${JSON.stringify(found)}\nexpected ${JSON.stringify(expected)}`);
    }
  });
}
