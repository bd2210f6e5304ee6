/** Programs as graphs, language models and tokenizers. */
const traced = `const program = await trace((x) => x.relu().sum(), [tensor([1, -2])]);
`;

const exported = `manualSeed(0);
const net = new nn.Sequential(new nn.Linear(4, 2), new nn.ReLU()).eval();
`;

const json = `{
  model_type: 'llama', vocab_size: 32, hidden_size: 32, intermediate_size: 64, num_hidden_layers: 2,
  num_attention_heads: 4, num_key_value_heads: 2, max_position_embeddings: 64, rms_norm_eps: 1e-6,
  rope_theta: 10000, hidden_act: 'silu', tie_word_embeddings: false,
}`;

const config = `const config = readConfig(${json});
`;

const model = `// The weights are random, and so are the tokens.
manualSeed(0);
${config}const model = new CausalLM(config);
`;

const tokenizer = `// The file of a tokenizer of four words.
const file = {
  version: '1.0', added_tokens: [], normalizer: null, pre_tokenizer: { type: 'Whitespace' }, post_processor: null, decoder: null,
  model: { type: 'WordLevel', vocab: { '?': 0, once: 1, upon: 2, a: 3, time: 4 }, unk_token: '?' },
};
const tokenizer = await Tokenizer.fromFile(new Blob([JSON.stringify(file)]));
`;

const onnx = `${traced}const bytes = await exportOnnx(program);
const model = await load(bytes);
`;

export const PROGRAMS: Readonly<Record<string, string>> = {
  'models.attend': `import { attend } from 'lanthorn/models';

manualSeed(0);
const [query, key, value] = [randn(1, 4, 3, 8), randn(1, 2, 3, 8), randn(1, 2, 3, 8)];

console.log(attend(query, key, value, { scale: 8 ** -0.5 }).shape);
`,
  'models.CausalLM': `import { CausalLM, readConfig } from 'lanthorn/models';

${model}
const logits = model.call(tensor([[1, 5, 8]], { dtype: 'int32' }));
console.log(logits.shape, model.weightBytes());
console.log(Object.keys(model.stateDict()).slice(0, 4));
`,
  'models.fromPretrained': `import { fromPretrained, CausalLM, readConfig } from 'lanthorn/models';
import { save } from 'lanthorn/io';

// Files by name; an address of a folder is read in the same way.
const json = ${json};
const weights = await save(new CausalLM(readConfig(json)).stateDict());
const model = await fromPretrained({ 'config.json': new Blob([JSON.stringify(json)]), 'model.safetensors': weights });

console.log(model.config.family.name, model.call(tensor([[1, 5, 8]], { dtype: 'int32' })).shape);
`,
  'models.generate': `import { CausalLM, generate, readConfig } from 'lanthorn/models';

${model}
for await (const { token } of generate(model, [1, 5, 8], { maxNewTokens: 5 })) console.log(token);
`,
  'models.Generation': `import { CausalLM, generate, readConfig } from 'lanthorn/models';

${model}
const { tokens, finishReasons } = await generate(model, [[1, 5, 8], [2, 3]], { maxNewTokens: 5 }).all();
console.log(tokens, finishReasons);
`,
  'models.KVCache': `import { CausalLM, KVCache, readConfig } from 'lanthorn/models';

${model}
const cache = new KVCache(config, { capacity: 16 });
model.call(tensor([[1, 5, 8]], { dtype: 'int32' }), { cache });
const logits = model.call(tensor([[3]], { dtype: 'int32' }), { cache });
console.log(cache.lengths, logits.shape);
cache.crop(3);
console.log(cache.lengths);
cache.dispose();
`,
  'models.readConfig': `import { readConfig } from 'lanthorn/models';

${config}
console.log(config.family.name, config.headDim, config.kvHeads, config.biases);
`,
  'program.Dim': `import { Dim, exportProgram } from 'lanthorn/program';

${exported}const program = await exportProgram(net, [randn(3, 4)], { dynamicShapes: [{ 0: Dim('batch', { max: 64 }) }] });

console.log(program.call(ones([5, 4])).shape);
`,
  'program.ExportedProgram': `import { exportProgram, load } from 'lanthorn/program';

${exported}const program = await exportProgram(net, [randn(3, 4)]);
const bytes = await program.save();

console.log(bytes.length, 'bytes');
console.log((await load(bytes)).call(ones([3, 4])).sub(net.call(ones([3, 4]))).abs().max());
`,
  'program.exportOnnx': `import { exportOnnx, exportProgram } from 'lanthorn/program';

${exported}const program = await exportProgram(net, [randn(3, 4)], { dynamicShapes: [{ 0: 'batch' }] });
const bytes = await exportOnnx(program);

console.log(bytes.length, 'bytes');
`,
  'program.exportProgram': `import { exportProgram } from 'lanthorn/program';

${exported}const program = await exportProgram(net, [randn(3, 4)], { dynamicShapes: [{ 0: 'batch' }] });

console.log(String(program));
console.log(program.call(ones([2, 4])));
`,
  'program.GraphProgram': `import { trace } from 'lanthorn/program';

${traced}
console.log(program.inputs, program.outputs);
console.log(String(program));
`,
  'program.initOnnx': `import { initOnnx } from 'lanthorn/program';

// Without it the module is loaded at the first use.
await initOnnx();
console.log('loaded');
`,
  'program.initOnnxWriter': `import { exportOnnx, initOnnxWriter, trace } from 'lanthorn/program';

// Without it the module is loaded at the first use.
await initOnnxWriter();
${traced}console.log((await exportOnnx(program)).length > 0);
`,
  'program.initProgram': `import { initProgram } from 'lanthorn/program';

// Without it the module is loaded at the first use.
await initProgram();
console.log('loaded');
`,
  'program.jit.script': `import { jit } from 'lanthorn/program';

// A line in Python is indented.
const { clamp } = await jit.script([
  'def clamp(x, limit: float):',
  '    return torch.where(x > limit, limit, x)',
].join('\\n'));

console.log(clamp(tensor([0.2, 0.9]), 0.5));
`,
  'program.load': `import { exportProgram, load } from 'lanthorn/program';

${exported}const file = await (await exportProgram(net, [randn(3, 4)])).save();
const program = await load(file);

console.log(program.inputs);
console.log(program.call(ones([3, 4])));
`,
  'program.OnnxModel': `import { exportOnnx, load, OnnxModel, trace } from 'lanthorn/program';

${onnx}
console.log(model instanceof OnnxModel, model.inputs);
console.log(await model.run({ [model.inputs[0]]: tensor([3, -4]) }));
`,
  'program.Program': `import { load, Program, trace } from 'lanthorn/program';

${traced}const loaded = await load(await program.save());

console.log(loaded instanceof Program, loaded.inputs);
console.log(loaded.call(tensor([3, 4])));
`,
  'program.trace': `import { trace } from 'lanthorn/program';

${traced}
console.log(String(program));
console.log(program.call(tensor([3, 4])));
`,
  'program.withSignal': `import { trace, withSignal } from 'lanthorn/program';

${traced}const controller = new AbortController();
console.log(await withSignal(controller.signal, () => program.call(tensor([3, 4]))));

controller.abort(new Error('no longer wanted'));
await withSignal(controller.signal, () => program.call(tensor([3, 4]))).catch((error) => console.log(error.message));
`,
  'tokenizer.DecodeStream': `import { Tokenizer } from 'lanthorn/tokenizer';

${tokenizer}
const stream = tokenizer.decodeStream();
const parts = [1, 2, 3, 4].map((id) => stream.push(id));
console.log([...parts, stream.finish()]);
`,
  'tokenizer.initTokenizer': `import { initTokenizer } from 'lanthorn/tokenizer';

// Without it the module is loaded at the first use.
await initTokenizer();
console.log('loaded');
`,
  'tokenizer.Tokenizer': `import { Tokenizer } from 'lanthorn/tokenizer';

${tokenizer}
const { ids } = tokenizer.encode('once upon a day');
console.log(ids, tokenizer.vocabSize);
console.log(tokenizer.decode(ids));
`,
};
