/**
 * Checks a golden file through the package's public API. Runs in the page.
 *
 * The same checks as the native runner's (crates/conformance/src/golden): value, gradient, double
 * gradient, in-place form, error.
 */
import { brackets, find, prepare } from './call.mjs';
import { leaves, Loader, readFile, Refused, Skipped } from './file.mjs';
import { checkFactors } from './factors.mjs';
import { Called, construct } from './module.mjs';
import { differs, tolerance } from './tolerance.mjs';

const NAMES = { F32: 'float32', F64: 'float64', I64: 'int64', I32: 'int32', U8: 'uint8', BOOL: 'bool' };
const CATEGORY = { bool: 0, uint8: 1, int32: 1, int64: 1, float16: 2, bfloat16: 2, float32: 2, float64: 2 };
/** Ops whose in-place form keeps the dtype of a tensor that the plain form promotes. */
const KEEP_THEIR_TYPE = ['cumsum', 'cumprod'];
/** Ops whose in-place form makes the tensor another view, of any shape. */
const VIEWS = ['as_strided', 'squeeze', 't', 'transpose', 'unsqueeze'];

class Missing extends Error {}

/**
 * Runs the checks of a file, each `{ sample, aspect, outcome, reason }`. `part` selects samples
 * and errors: `{ first, every }` one in `every`, `{ rotation }` one of each by its number;
 * `isShort` leaves out second derivatives and in-place forms.
 */
export async function checkFile({ base, name, table, strict, single, part: { first, every, rotation, isShort } }) {
  const file = await readFile(base, name);
  const checks = [];
  const add = async (sample, aspect, check) => {
    try {
      await check();
      checks.push({ sample, aspect, outcome: 'passed' });
    } catch (error) {
      // The device should report that it does not support a type.
      const lacking = single && error?.kind === 'dtype' && JSON.stringify(file.document.samples[sample]).includes('float64');
      if (aspect !== 'error' && lacking) {
        checks.push({ sample, aspect, outcome: 'passed' });
        return;
      }
      const outcome = error instanceof Skipped ? 'skipped' : 'failed';
      checks.push({ sample, aspect, outcome, reason: error?.message ?? String(error) });
    }
  };
  const run = new Runner(window.lanthorn, file, { table, strict, single });
  const isChosen = (_, index, { length }) => (rotation === undefined ? index % every === first : index === rotation % length);
  for (const sample of file.document.samples.filter(isChosen)) {
    const compared = (check) => async () => {
      if (sample.unstable) throw new Skipped('PyTorch disagrees with itself here');
      await check();
    };
    await add(sample.id, 'value', compared(() => run.value(sample)));
    if (sample.gin || sample.gparam) await add(sample.id, 'gradient', compared(() => run.gradient(sample)));
    if (sample.state_after) await add(sample.id, 'state', compared(() => run.state(sample)));
    if (sample.gradgrad && !isShort) await add(sample.id, 'double_gradient', compared(() => run.doubleGradient(sample)));
    if (file.document.inplace && sample.args[0]?.$ === 'tensor' && !isShort) await add(sample.id, 'in_place', compared(() => run.inPlace(sample)));
  }
  for (const [number, call] of [...file.document.errors.entries()].filter(isChosen)) {
    await add(number, 'error', () => run.throws(call));
  }
  return checks;
}

class Runner {
  /** `single`: the device has no float64. */
  constructor(lanthorn, file, { table, strict, single }) {
    Object.assign(this, { lanthorn, file, table, strict, single });
  }

  loader(sample) {
    return new Loader(this.lanthorn, this.file, sample.dtype === 'float32' ? 'float32' : undefined);
  }

  async run(call, loader) {
    const { op, module } = this.file.document;
    if (module) return new Called(this.lanthorn, module, call, loader).results();
    if (op === '__getitem__') return [await brackets(this.lanthorn, call.args, loader)];
    const { name, given, rest, aliases } = prepare(this.lanthorn, this.file.document, call, loader);
    const found = find(this.lanthorn, name, aliases, given);
    if (!found) throw new Missing(`there is no op ${op}`);
    const results = [await found.call(rest)].flat();
    // PyTorch's test checks the outputs that have a gradient.
    return this.file.name === 'linalg.lstsq__grad_oriented' ? results.slice(0, 2) : results;
  }

  tensors(results) {
    return results.filter((result) => result instanceof this.lanthorn.Tensor);
  }

  /** The tolerance of one tensor. */
  allowed(sample, part, index, dtype) {
    return tolerance(this.table, this.file.document, sample, part, index, dtype, this.strict);
  }

  /** Compares a tensor with one of the file. */
  async compare(got, name, allowed, what) {
    const want = this.file.tensors[name];
    if (String(got.shape) !== String(want.shape)) throw new Error(`${what}shape [${got.shape}], expected [${want.shape}]`);
    if (want.dtype === 'I64' && want.values.some((value) => Math.abs(Number(value)) > 2 ** 31)) {
      throw new Skipped('an int64 result does not fit into int32');
    }
    const why = differs(await got.data(), want.values, allowed);
    if (why) throw new Error(what + why);
  }

  async value(sample) {
    const results = await this.run(sample, this.loader(sample));
    const wanted = leaves(sample.out);
    if (results.length !== wanted.length) throw new Error(`${results.length} results, expected ${wanted.length}`);
    if (sample.compare === 'gauge') {
      const got = await Promise.all(results.map(async (tensor) => ({ shape: tensor.shape, values: await tensor.data() })));
      checkFactors(this.file.document.op, sample, this.file.tensors[sample.args[0].ref], got, wanted.map(({ ref }) => this.file.tensors[ref]));
      return;
    }
    let number = 0;
    for (const [index, want] of wanted.entries()) {
      const got = results[index];
      const what = wanted.length > 1 ? `result ${index}: ` : '';
      if (want?.$ !== 'tensor') {
        if (got !== (want?.$ === 'float' ? want.v : want)) throw new Error(`${what}${got}, expected ${JSON.stringify(want)}`);
        continue;
      }
      const { dtype } = got;
      // int64 is int32 here, and float64 is float32 on a device without it.
      const wide = (want.dtype === 'int64' && dtype === 'int32') || (want.dtype === 'float64' && dtype === 'float32' && this.single);
      if (dtype !== want.dtype && !wide) throw new Error(`${what}${dtype}, expected ${want.dtype}`);
      const compared = this.compare(got, want.ref, this.allowed(sample, 'value', number, dtype), what);
      // With equal elements an index may point to another of them.
      await (sample.ties && CATEGORY[dtype] < 2 ? compared.catch((error) => { if (error.message.includes('shape')) throw error; }) : compared);
      number += 1;
    }
  }

  /** The gradients of inputs; null where there is no path. */
  gradients(pairs, inputs, createGraph = false) {
    const open = pairs.filter(([tensor]) => tensor.requiresGrad);
    if (open.length === 0) return inputs.map(() => null);
    const [outputs, gradOutputs] = [open.map(([tensor]) => tensor), open.map(([, start]) => start)];
    return this.lanthorn.grad(outputs, inputs, { gradOutputs, createGraph });
  }

  /** Each output with its gradient in the file. */
  starts(outputs, names, loader, requiresGrad = false) {
    return outputs.flatMap((output, index) => {
      const name = names[index];
      return name === null || name === undefined ? [] : [[output, loader.tensor(name, { requiresGrad, dtype: output.dtype })]];
    });
  }

  leaves(loader, count) {
    const standIn = () => this.lanthorn.tensor(0, { requiresGrad: true });
    return Array.from({ length: count }, (_, index) => loader.inputs[index] ?? standIn());
  }

  async compareGradients(sample, got, want, part) {
    for (const [index, name] of want.entries()) {
      const [tensor, allowed] = [got[index], this.allowed(sample, part, index, got[index]?.dtype ?? 'float32')];
      const what = `of input ${index}: `;
      if (tensor && name) {
        await this.compare(tensor, name, allowed, what).catch(async (error) => {
          // Between equal elements a gradient may go to another of them; the sum is the same.
          const sum = (values) => [Array.from(values, Number).reduce((total, value) => total + value, 0)];
          const slack = { ...allowed, atol: allowed.atol * tensor.numel };
          if (!sample.ties || differs(sum(await tensor.data()), sum(this.file.tensors[name].values), slack)) throw error;
        });
      } else if (tensor || name) {
        const values = tensor ? await tensor.data() : this.file.tensors[name].values;
        const [one, other] = tensor ? [values, values.map(() => 0)] : [values.map(() => 0), values];
        const why = differs(one, other, allowed);
        if (why) throw new Error(what + why);
      }
    }
  }

  async gradient(sample) {
    const loader = this.loader(sample);
    if (this.file.document.module) {
      const called = new Called(this.lanthorn, this.file.document.module, sample, loader);
      const starts = this.starts(this.tensors(called.results()), sample.gout, loader);
      const inputs = [...this.leaves(loader, sample.gin?.length ?? 0), ...called.parameters(Object.keys(sample.gparam ?? {}))];
      await this.compareGradients(sample, this.gradients(starts, inputs), [...(sample.gin ?? []), ...Object.values(sample.gparam ?? {})], 'gradient');
      return;
    }
    const outputs = this.tensors(await this.run(sample, loader));
    const got = this.gradients(this.starts(outputs, sample.gout, loader), this.leaves(loader, sample.gin.length));
    await this.compareGradients(sample, got, sample.gin, 'gradient');
  }

  /** The buffers that a module's call changed. */
  async state(sample) {
    const called = new Called(this.lanthorn, this.file.document.module, sample, this.loader(sample));
    called.results();
    const buffers = Object.fromEntries(called.module.namedBuffers());
    for (const [name, want] of Object.entries(sample.state_after)) {
      if (!buffers[name]) throw new Missing(`there is no buffer ${name}`);
      await this.compare(buffers[name], want, this.allowed(sample, 'value', 0, 'float32'), `${name}: `);
    }
  }

  async doubleGradient(sample) {
    const { gout, v_of: indices, v, gin, ggout } = sample.gradgrad;
    const loader = this.loader(sample);
    const outputs = this.tensors(await this.run(sample, loader)).filter((_, index) => sample.gout[index]);
    const inputs = this.leaves(loader, gin.length);
    const pairs = this.starts(outputs, gout, loader, true);
    const first = this.gradients(pairs, inputs, true);
    const directions = indices.flatMap((index, k) => (first[index] && v[k] ? [[first[index], loader.tensor(v[k], { dtype: first[index].dtype })]] : []));
    const got = this.gradients(directions, [...inputs, ...pairs.map(([, start]) => start)]);
    await this.compareGradients(sample, got, [...gin, ...ggout], 'double');
  }

  async inPlace(sample) {
    const { op } = this.file.document;
    const loader = this.loader(sample);
    const { name, given, rest, aliases } = prepare(this.lanthorn, this.file.document, sample, loader);
    const input = given[0];
    const target = input.clone();
    given[0] = target;
    const found = find(this.lanthorn, `${name}_`, aliases.map((alias) => `${alias}_`), given);
    if (!found) throw new Missing(find(this.lanthorn, name, aliases, given) ? `${op} has no in-place form` : `there is no op ${op}`);
    const want = this.file.tensors[sample.out.ref];
    const widens = CATEGORY[NAMES[want.dtype]] > CATEGORY[target.dtype];
    if (widens && KEEP_THEIR_TYPE.includes(op)) {
      throw new Skipped('the in-place form keeps the type of its tensor, and the file gives the wider one');
    }
    const fits = VIEWS.includes(op) || String(want.shape) === String(input.shape);
    if (!fits || widens || (op === 'float_power' && target.dtype !== 'float64' && !this.single)) {
      await this.refused(async () => {
        await found.call(rest);
        await target.data();
      }, 'the result does not fit into the tensor, and it must throw');
      return;
    }
    await found.call(rest);
    const gradients = sample.gin && this.gradients(this.starts([target], sample.gout, loader), this.leaves(loader, sample.gin.length));
    await this.compare(target, sample.out.ref, this.allowed(sample, 'value', 0, NAMES[want.dtype]), '');
    if (gradients) await this.compareGradients(sample, gradients, sample.gin, 'gradient');
  }

  async throws(call) {
    const loader = this.loader(call);
    await this.refused(async () => {
      if (call.error_on === 'construction') construct(this.lanthorn, this.file.document.module, call, loader);
      const results = call.error_on === 'construction' ? [] : await this.run(call, loader);
      await Promise.all(this.tensors(results).map((tensor) => tensor.data()));
    }, `must throw; PyTorch says ${JSON.stringify(call.torch_says ?? call.error_regex)}`);
  }

  /**
   * Checks that `action` throws an error of the package, or cannot be expressed, and that the
   * device computes afterwards.
   */
  async refused(action, otherwise) {
    let thrown;
    try {
      await action();
    } catch (error) {
      thrown = error;
    }
    if (!thrown) throw new Error(otherwise);
    if (!(thrown instanceof Refused) && thrown.name !== 'LanthornError') throw thrown;
    const after = await this.lanthorn.tensor([1, 2, 3]).mul(2).tolist();
    if (String(after) !== '2,4,6') throw new Error(`after the error a small computation gives ${after}`);
  }
}
