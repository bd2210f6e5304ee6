/**
 * Small models that keep a state, in Node on one thread: planned and interpreted, alternately in
 * one run, and beside ONNX Runtime Web if a folder has it. Each call reads its results. Prints the
 * medians of milliseconds, and the calls into the core.
 *
 *   node tests/bench/programs/run.mjs [FOLDER/node_modules/onnxruntime-web] [CALLS]
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PACKAGE } from '../../browser/lib/package-page.mjs';
import { models } from './models.mjs';

const [runtime = '', calls = '300'] = process.argv.slice(2).filter((argument) => argument !== '--count');
const isCounting = process.argv.includes('--count');
/** The calls of exports of the core. */
let entries = 0;
/** The number of calls before the first one that counts. */
const WARM = 10;

/** Wraps the exports of the core so that its calls are counted. */
function countEntries() {
  const { instantiate } = WebAssembly;
  const wrap = (instance) => {
    if (!('compiledReplay' in instance.exports)) return instance;
    const known = new Map();
    const exports = new Proxy({}, {
      get(_, name) {
        const value = instance.exports[name];
        if (typeof value !== 'function' || String(name).startsWith('__')) return value;
        if (!known.has(name)) known.set(name, (...values) => { entries += 1; return value(...values); });
        return known.get(name);
      },
    });
    return { exports };
  };
  WebAssembly.instantiate = async (source, imports) => {
    const result = await instantiate(source, imports);
    return result instanceof WebAssembly.Instance ? wrap(result) : { ...result, instance: wrap(result.instance) };
  };
}

/** A stream through lanthorn: a function that runs a chunk and returns the results' numbers. */
async function open({ lanthorn, program }, { file, inputs, carried }, planned) {
  const net = await program.load(file);
  net.planned = planned;
  const tensorOf = ({ shape, data }) => lanthorn.tensor(data, { shape });
  const given = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, tensorOf(input)]));
  const step = async () => {
    const results = await net.run(given);
    const counted = entries;
    const numbers = [];
    for (const [name, result] of Object.entries(results)) {
      const state = carried[name];
      if (state === undefined) {
        numbers.push(...(await result.data()));
        result.dispose();
      } else {
        given[state].dispose();
        given[state] = result;
      }
    }
    return { numbers, counted };
  };
  return { step };
}

/** The same stream through ONNX Runtime Web. */
async function openRuntime(ort, { file, inputs, carried }) {
  const session = await ort.InferenceSession.create(file, { executionProviders: ['wasm'], graphOptimizationLevel: 'all' });
  const tensorOf = ({ shape, data }) => new ort.Tensor(data instanceof BigInt64Array ? 'int64' : 'float32', data, shape);
  const given = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, tensorOf(input)]));
  const step = async () => {
    const results = await session.run(given);
    const numbers = [];
    for (const [name, result] of Object.entries(results)) {
      if (carried[name] === undefined) numbers.push(...result.data);
      else given[carried[name]] = result;
    }
    return { numbers };
  };
  return { step };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function measure(stream, times) {
  const start = performance.now();
  const { numbers } = await stream.step();
  times.push(performance.now() - start);
  return numbers;
}

/** The calls into the core of a call with these plans, without the reads of its results. */
async function countCalls(given, model, planned) {
  const stream = await open(given, model, planned);
  for (let call = 0; call < WARM; call += 1) await stream.step();
  const before = entries;
  return (await stream.step()).counted - before;
}

async function main() {
  if (isCounting) countEntries();
  const [lanthorn, program] = await Promise.all(['index', 'program/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
  await lanthorn.init({ device: 'cpu', threads: 1 });
  const given = { lanthorn, program };
  if (isCounting) {
    const counts = {};
    for (const [name, model] of Object.entries(models)) counts[name] = [await countCalls(given, model, true), await countCalls(given, model, false)];
    console.log(JSON.stringify(counts));
    return;
  }
  const counts = JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--count'], { encoding: 'utf8' }));
  const ort = runtime === '' ? undefined : await import(`${pathToFileURL(runtime)}/dist/ort.wasm.min.mjs`);
  if (ort) ort.env.wasm.numThreads = 1;
  console.log('| model | planned | interpreted | ratio | ONNX Runtime Web | ratio | entries planned | interpreted |\n|---|---|---|---|---|---|---|---|');
  for (const [name, model] of Object.entries(models)) {
    const streams = [await open(given, model, true), await open(given, model, false)];
    if (ort) streams.push(await openRuntime(ort, model));
    const times = streams.map(() => []);
    for (let call = 0; call < Number(calls) + WARM; call += 1) {
      const results = [];
      for (const [index, stream] of streams.entries()) results.push(await measure(stream, times[index]));
      const [found, wanted, other = wanted] = results;
      if (found.some((value, index) => value !== wanted[index])) throw new Error(`${name}: planned and interpreted differ in call ${call}`);
      if (other.some((value, index) => Math.abs(value - wanted[index]) > 1e-4)) throw new Error(`${name}: ${other[0]} and ${wanted[0]} in call ${call}`);
    }
    const [planned, interpreted, theirs] = times.map((all) => median(all.slice(WARM)));
    const ratio = (a, b) => (a / b).toFixed(2);
    const peer = theirs === undefined ? ['', ''] : [theirs.toFixed(3), ratio(planned, theirs)];
    const row = [name, planned.toFixed(3), interpreted.toFixed(3), ratio(planned, interpreted), ...peer, ...counts[name]];
    console.log(`| ${row.join(' | ')} |`);
  }
}

await main();
