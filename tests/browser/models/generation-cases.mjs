/** `generate`: the cost of a token, choices, ends and streams. */
import { close, equal, ok } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';
import { expectedOf, letters, load, textOf } from './lib.mjs';

/** The counters that a token must not change. */
const FIXED = ['planMisses', 'planResizes', 'buffersCreated', 'apiBuffers', 'bindGroups', 'pipelines', 'programs', 'kernels', 'tensors'];

const SAMPLING = { doSample: true, topK: 20, topP: 0.9, minP: 0.01, temperature: 0.8, seed: 7 };
const PENALTIES = { repetitionPenalty: 1.3, frequencyPenalty: 0.2, presencePenalty: 0.1 };

/** The changes of the counters while tokens are generated, after the first ones. */
async function tokenCost({ lanthorn: { stats }, models: { generate } }, model, options) {
  let before;
  let count = 0;
  const changes = {};
  for await (const _ of generate(model, [5, 17, 42], { maxNewTokens: 40, eosTokenId: null, ...options })) {
    count += 1;
    if (count === 8) before = stats();
    if (count === 40) {
      const after = stats();
      for (const name of FIXED) if (after[name] !== before[name]) changes[name] = after[name] - before[name];
      ok(after.submissions > before.submissions, 'it counts');
    }
  }
  return changes;
}

/** Draws tokens with these logits, whatever the model says. */
function draw({ lanthorn: { tensor }, models: { generate } }, model, logits, options) {
  const given = tensor(Float32Array.from(logits), { shape: [1, logits.length] });
  const logitsProcessor = (_, own) => own.mul(0).add(given);
  return generate(model, [1], { maxNewTokens: 100, eosTokenId: null, doSample: true, topK: 0, seed: 5, ...options, logitsProcessor }).all();
}

/** The greedy token with penalties, computed from logits. */
function penalizedArgmax(logits, prompt, tokens, { repetitionPenalty, frequencyPenalty, presencePenalty }) {
  const changed = logits.map((logit, id) => {
    const count = tokens.filter((token) => token === id).length;
    const seen = count > 0 || prompt.includes(id);
    const repeated = !seen ? logit : logit < 0 ? logit * repetitionPenalty : logit / repetitionPenalty;
    return repeated - count * frequencyPenalty - (count > 0 ? presencePenalty : 0);
  });
  return changed.indexOf(Math.max(...changed));
}

export const generation = {
  ...Object.fromEntries(['llama3', 'gemma3', 'gpt2'].map((name) => [`a token of ${name} makes no plan, kernel, pipeline or buffer`, async (given) => {
    await settled(given.lanthorn.stats);
    const model = await load(given, name);
    for (const options of [{}, SAMPLING, { ...SAMPLING, ...PENALTIES, topK: 0 }]) {
      equal(Object.entries(await tokenCost(given, model, options)), [], JSON.stringify(options));
    }
    model.dispose();
  }])),

  'candidates change no token, and are taken in one call': async (given) => {
    const { lanthorn: { stats }, models: { generate } } = given;
    const [model, other] = [await load(given, 'llama3'), await load(given, 'llama2')];
    const { prompts: [prompt], tokens: [expected] } = await expectedOf(given, 'llama3');
    const launches = async (options) => {
      const before = stats().launches;
      const { tokens: [tokens] } = await generate(model, prompt, { maxNewTokens: 40, eosTokenId: null, ...options }).all();
      return { tokens, launches: stats().launches - before };
    };
    const ways = [{ promptLookupNumTokens: 4 }, { promptLookupNumTokens: 3, maxMatchingNgramSize: 1 }, { assistantModel: model }, { assistantModel: other, numAssistantTokens: 3 }];
    const logitsProcessor = (_, logits) => logits.mul(1.5);
    const choices = [{}, { ...SAMPLING, temperature: 2 }, PENALTIES, { ...SAMPLING, ...PENALTIES, topK: 0, logitsProcessor }];
    // The last choice has a part of all.
    for (const options of choices.slice(given.device === 'webgpu' ? 3 : 0)) {
      const { tokens } = await launches(options);
      if (Object.keys(options).length === 0) equal(tokens, expected.slice(0, 40));
      for (const way of ways) equal((await launches({ ...options, ...way })).tokens, tokens, `${Object.keys(options)} with ${Object.keys(way)}`);
    }
    // A text with a period: a call of the model for five tokens.
    const forced = given.lanthorn.eye(6, 96);
    const forcing = ([ids], logits) => logits.mul(0).add(forced.narrow(0, ids.length % 6, 1));
    const [slow, fast] = [await launches({ logitsProcessor: forcing }), await launches({ logitsProcessor: forcing, promptLookupNumTokens: 4 })];
    forced.dispose();
    equal(fast.tokens, slow.tokens);
    ok(fast.launches < 0.7 * slow.launches, `${fast.launches} launches, and ${slow.launches} without candidates`);
    model.dispose();
    other.dispose();
  },

  'candidates make no plan, kernel, pipeline or buffer either, and a cache has what was read': async (given) => {
    const { lanthorn: { stats }, models: { generate, KVCache } } = given;
    await settled(stats);
    const model = await load(given, 'qwen3');
    const { prompts: [prompt], tokens: [expected] } = await expectedOf(given, 'qwen3');
    for (const way of [{ promptLookupNumTokens: 4 }, { assistantModel: model, numAssistantTokens: 3 }]) {
      const options = { maxNewTokens: 45, eosTokenId: null, ...way };
      for (const kind of [options, { ...options, ...SAMPLING, ...PENALTIES }]) {
        await generate(model, [5, 17, 42], kind).all();
        // The first call with candidates may be late, and a new cache is bound in it.
        const { bindGroups, ...changes } = await tokenCost(given, model, kind);
        equal(Object.entries(changes), [], JSON.stringify(Object.keys(kind)));
      }
      const cache = new KVCache(model.config, { capacity: 80 });
      for (const count of [1, 4, 7]) {
        cache.reset();
        let read = 0;
        for await (const _ of generate(model, prompt, { ...options, cache })) if ((read += 1) === count) break;
        equal(cache.lengths, [prompt.length + count - 1]);
        equal(await cache.tensors.position.tolist(), [prompt.length + count - 1]);
      }
      const { tokens: [rest] } = await generate(model, [expected[6]], { cache, maxNewTokens: 20, eosTokenId: null }).all();
      equal(rest, expected.slice(7, 27));
      cache.dispose();
    }
    model.dispose();
  },

  'a prompt of another length makes no plan': async (given) => {
    const { lanthorn: { stats }, models: { generate, KVCache } } = given;
    const model = await load(given, 'llama3');
    const cache = new KVCache(model.config, { capacity: 64 });
    const run = async (length) => {
      cache.reset();
      await generate(model, Array.from({ length }, (_, index) => index + 1), { cache, prefillChunk: 8, maxNewTokens: 4, eosTokenId: null }).all();
    };
    for (const length of [20, 3, 20, 3]) await run(length);
    const before = stats();
    for (const length of [19, 5, 8, 30, 1]) await run(length);
    const after = stats();
    for (const name of ['planMisses', 'planResizes', 'pipelines', 'programs']) equal(after[name], before[name], name);
    cache.dispose();
    model.dispose();
  },

  'padding makes no text longer than it is': async (given) => {
    const { models: { generate, KVCache } } = given;
    // Longer texts than 6 have other frequencies.
    const model = await load(given, 'phi3');
    const logitsOf = async (capacity) => {
      const seen = [];
      const logitsProcessor = (_, logits) => {
        seen.push(logits.detach().clone());
        return logits;
      };
      const cache = capacity && new KVCache(model.config, { capacity });
      await generate(model, [5, 17, 42], { maxNewTokens: 4, eosTokenId: null, logitsProcessor, ...(cache && { cache }) }).all();
      const last = await seen.at(-1).squeeze(0).tolist();
      for (const kept of seen) kept.dispose();
      cache?.dispose();
      return last;
    };
    const [own, short, long] = [await logitsOf(), await logitsOf(6), await logitsOf(7)];
    close(own, short, { absolute: 1e-5, relative: 0 });
    ok(Math.max(...own.map((logit, id) => Math.abs(logit - long[id]))) > 1e-3, 'other frequencies');
    model.dispose();
  },

  'likely tokens alone are the greedy ones': async (given) => {
    const { models: { generate } } = given;
    const model = await load(given, 'qwen3');
    const { prompts, tokens } = await expectedOf(given, 'qwen3');
    const greedy = tokens.map((row) => row.slice(0, 10));
    for (const options of [{ topK: 1 }, { topP: 1e-6 }, { topP: 1e-6, topK: 0 }, { minP: 1 }, { temperature: 1e-4 }]) {
      const { tokens: found } = await generate(model, prompts, { maxNewTokens: 10, eosTokenId: null, doSample: true, seed: 1, ...options }).all();
      equal(found, greedy, JSON.stringify(options));
    }
    model.dispose();
  },

  'tokens are drawn with their probabilities': async (given) => {
    const model = await load(given, 'llama2');
    const logits = Array.from({ length: 96 }, (_, id) => (id < 4 ? Math.log([0.5, 0.25, 0.15, 0.1][id]) : -60));
    const shares = async (options) => {
      const counts = new Array(96).fill(0);
      const { tokens: [row] } = await draw(given, model, logits, options);
      for (const token of row) counts[token] += 1 / row.length;
      return counts.slice(0, 4).concat(counts.slice(4).reduce((sum, share) => sum + share, 0));
    };
    // Four times the standard deviation of 100 draws.
    close(await shares({}), [0.5, 0.25, 0.15, 0.1, 0], { absolute: 0.2, relative: 0 });
    close(await shares({ topK: 2 }), [2 / 3, 1 / 3, 0, 0, 0], { absolute: 0.19, relative: 0 });
    const byTopP = await shares({ topP: 0.8 });
    equal(byTopP.slice(3), [0, 0]);
    ok(byTopP[2] > 0, 'the token that passes the sum is kept');
    equal((await shares({ minP: 0.4 })).slice(2), [0, 0, 0]);
    // Twice the temperature: square roots.
    close(await shares({ temperature: 2 }), [0.379, 0.268, 0.208, 0.17, 0].map((share) => share * 0.976), { absolute: 0.2, relative: 0 });
    model.dispose();
  },

  'a seed gives the same tokens again, and another one others': async (given) => {
    const { models: { generate } } = given;
    const model = await load(given, 'llama3');
    const run = async (seed) => (await generate(model, [[5, 17], [9, 8, 7]], { ...SAMPLING, seed, temperature: 2, topP: 1, maxNewTokens: 20, eosTokenId: null }).all()).tokens;
    const [first, again, other] = [await run(11), await run(11), await run(12)];
    equal(again, first);
    ok(JSON.stringify(other) !== JSON.stringify(first), 'another seed');
    model.dispose();
  },

  'penalties are those of their definitions': async (given) => {
    const { models: { generate } } = given;
    const model = await load(given, 'llama3');
    const prompt = [5, 17, 42];
    const seen = [];
    const logitsProcessor = (_, logits) => {
      seen.push(logits.detach().clone());
      return logits;
    };
    for (const options of [{ repetitionPenalty: 1.5 }, { frequencyPenalty: 0.7 }, { presencePenalty: 1.1 }, PENALTIES]) {
      const all = { repetitionPenalty: 1, frequencyPenalty: 0, presencePenalty: 0, ...options };
      const { tokens: [tokens] } = await generate(model, prompt, { ...all, maxNewTokens: 25, eosTokenId: null, logitsProcessor }).all();
      for (const [step, token] of tokens.entries()) {
        const logits = await seen[step].squeeze(0).tolist();
        equal(token, penalizedArgmax(logits, prompt, tokens.slice(0, step), all), `${JSON.stringify(options)}, step ${step}`);
      }
      for (const kept of seen.splice(0)) kept.dispose();
    }
    model.dispose();
  },

  'functions of the program change logits, and see the ids so far': async (given) => {
    const { lanthorn: { tensor }, models: { generate } } = given;
    const model = await load(given, 'llama3');
    const forbidden = tensor(Float32Array.from({ length: 96 }, (_, id) => (id % 2 === 0 ? 0 : -1e9)), { shape: [1, 96] });
    const seen = [];
    const logitsProcessor = [(ids, logits) => { seen.push(ids.map((row) => row.length)); return logits; }, (_, logits) => logits.add(forbidden)];
    const { tokens } = await generate(model, [[5, 17], [9, 8, 7]], { maxNewTokens: 6, eosTokenId: null, logitsProcessor }).all();
    ok(tokens.flat().every((token) => token % 2 === 0), String(tokens));
    equal(seen, [[2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 8]]);
    model.dispose();
  },

  'rows end by a token or by their number, and the others go on': async (given) => {
    const { models: { generate } } = given;
    const model = await load(given, 'mistral');
    const { prompts, tokens } = await expectedOf(given, 'mistral');
    const end = tokens[0][4];
    const expected = tokens.map((row) => (row.includes(end) ? row.slice(0, row.indexOf(end) + 1) : row)).map((row) => row.slice(0, 20));
    const made = await generate(model, prompts, { maxNewTokens: 20, eosTokenId: [end] }).all();
    equal(made.tokens, expected);
    equal(made.finishReasons, expected.map((row) => (row.at(-1) === end ? 'eos' : 'length')));
    model.dispose();
  },

  'text comes as tokens do, up to a stop string': async (given) => {
    const { models: { generate } } = given;
    const model = await load(given, 'llama3');
    const { prompts, tokens } = await expectedOf(given, 'llama3');
    const whole = textOf(tokens[0]);
    const prompt = textOf(prompts[0]);
    const options = { tokenizer: letters, maxNewTokens: 30, eosTokenId: null };
    let text = '';
    let pieces = 0;
    for await (const token of generate(model, prompt, options)) {
      equal(token.token, tokens[0][pieces]);
      text += token.text;
      pieces += 1;
    }
    equal([text, pieces], [whole.slice(0, 30), 30]);
    // Two tokens, of which the first is held back until the second is there; and one that begins
    // but does not end.
    const stop = whole.slice(9, 11);
    const stopped = await generate(model, prompt, { ...options, stopStrings: [`${whole[3]}never`, stop] }).all();
    equal(stopped.texts, [whole.slice(0, whole.indexOf(stop))]);
    equal(stopped.finishReasons, ['stop']);
    // A beginning of a stop string at the end of the text is text.
    const held = await generate(model, prompt, { ...options, maxNewTokens: 4, stopStrings: `${whole[3]}never` }).all();
    equal([held.texts[0], held.finishReasons[0]], [whole.slice(0, 4), 'length']);
    model.dispose();
  },

  'an id without a token has no text, and the end of a text may be a stop string': async (given) => {
    const { lanthorn: { LanthornError }, models: { generate } } = given;
    const model = await load(given, 'llama3');
    const { prompts: [prompt], tokens: [tokens] } = await expectedOf(given, 'llama3');
    const push = (id) => {
      if (id === tokens[2]) throw new LanthornError('index', 'decode', `no token has the id ${id}`);
      if (id === tokens[4]) throw new TypeError('no text');
      return textOf([id]);
    };
    const options = { tokenizer: { ...letters, decodeStream: () => ({ push, finish: () => 'END.' }) }, eosTokenId: null };
    const made = await generate(model, prompt, { ...options, maxNewTokens: 4, stopStrings: 'END' }).all();
    equal([made.tokens[0], made.texts, made.finishReasons], [tokens.slice(0, 4), [textOf([tokens[0], tokens[1], tokens[3]])], ['stop']]);
    const error = await generate(model, prompt, { ...options, maxNewTokens: 5 }).all().catch((caught) => caught);
    ok(error instanceof TypeError, 'another error is thrown');
    model.dispose();
  },

  'an abort or a left loop ends it, frees its memory, and leaves the model as it was': async (given) => {
    const { lanthorn: { stats }, models: { generate } } = given;
    const model = await load(given, 'qwen2');
    const { prompts, tokens } = await expectedOf(given, 'qwen2');
    const options = { maxNewTokens: 20, eosTokenId: null };
    await generate(model, prompts, options).all();
    const before = await settled(stats);
    const controller = new AbortController();
    let error;
    try {
      for await (const { row } of generate(model, prompts, { ...options, ...SAMPLING, ...PENALTIES, signal: controller.signal })) if (row === 1) controller.abort();
    } catch (caught) {
      error = caught;
    }
    equal(error?.name, 'AbortError');
    for await (const _ of generate(model, prompts, options)) break;
    // An unread generation uses no memory.
    generate(model, prompts, options);
    await generate(model, prompts, options)[Symbol.asyncIterator]().return();
    equal(stats().tensors, before, 'tensors');
    const aborted = generate(model, prompts, { ...options, signal: AbortSignal.abort() }).all();
    equal(await aborted.catch(({ name }) => name), 'AbortError');
    const failing = generate(model, prompts, { ...options, logitsProcessor: () => { throw new RangeError('mine'); } }).all();
    equal(await failing.catch(({ message }) => message), 'mine');
    equal(stats().tensors, before, 'tensors after errors');
    const { tokens: again } = await generate(model, prompts, options).all();
    equal(again, tokens.map((row) => row.slice(0, 20)));
    model.dispose();
  },
};
