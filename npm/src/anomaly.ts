/**
 * The search for the operation that makes the first NaN, as `torch.autograd.detect_anomaly`.
 *
 * Kernels run later than their calls, and a GPU is not read without waiting. So every result and every
 * gradient is asked for while the function runs, and the answers are looked at, in order, after it.
 */
import { noGrad } from './autograd.js';
import { checkFunction } from './check.js';
import { LanthornError } from './errors.js';
import { observe } from './observe.js';
import { scope } from './scope.js';
import { callSite, locateAt } from './stack.js';
import { Tensor, type HookHandle } from './tensor.js';

/** A call of an operation. */
interface Call {
  op: string;
  inputs: Tensor[];
  outputs: Tensor[];
  site: Error;
}

/** What was asked: whether the result of a call, or the gradient of a tensor, has a NaN. */
type Question = { hasNaN: Promise<number>; shape: readonly number[] } & ({ call: Call } | { gradientOf: Tensor });

const floating = (values: readonly unknown[]): Tensor[] =>
  values.flat().filter((value): value is Tensor =>
    value instanceof Tensor && !value.isDisposed && value.dtype.includes('float'));

/**
 * Runs a training step, which may be async, and resolves to its result; if a result or a gradient in it
 * has a NaN, rejects with an error that names the operation that made the first one, with the stack of
 * its call. It reads every result, and so is slow.
 *
 * @example
 * await autograd.detectAnomaly(() => {
 *   const loss = criterion.call(net.call(x), y);
 *   loss.backward();
 *   return loss;
 * }); // log: the result has a NaN
 */
export async function detectAnomaly<T>(fn: () => T): Promise<Awaited<T>> {
  checkFunction('detectAnomaly', fn);
  const calls: Call[] = [];
  const questions: Question[] = [];
  const hooks: HookHandle[] = [];
  const hooked = new Set<Tensor>();
  const ask = (tensor: Tensor): { hasNaN: Promise<number>; shape: readonly number[] } => {
    const before = observe(undefined);
    try {
      const flags = scope(() => noGrad(() => tensor.isnan().any()));
      const hasNaN = flags.item();
      // Its failure is looked at below, unless something before it is found.
      hasNaN.catch(() => {});
      flags.dispose();
      return { hasNaN, shape: tensor.shape };
    } finally {
      observe(before);
    }
  };
  const listen = (tensor: Tensor): void => {
    if (hooked.has(tensor) || !tensor.requiresGrad) return;
    hooked.add(tensor);
    hooks.push(tensor.registerHook((grad) => { questions.push({ ...ask(grad), gradientOf: tensor }); }));
  };
  const before = observe((op, inputs, result) => {
    const call: Call = { op, inputs: floating(inputs), outputs: floating([result]), site: callSite(detectAnomaly) };
    calls.push(call);
    for (const output of call.outputs) questions.push({ ...ask(output), call });
    for (const tensor of [...call.inputs, ...call.outputs]) listen(tensor);
  });
  let result: Awaited<T>;
  try {
    result = await fn();
  } finally {
    observe(before);
    for (const hook of hooks) hook.remove();
  }
  const clean = new Set<Tensor>();
  for (const question of questions) {
    const isFound = (await question.hasNaN) !== 0;
    if (isFound) throw explain(question, calls, clean);
    if ('gradientOf' in question) clean.add(question.gradientOf);
  }
  return result;
}

/** The error of the first NaN; `clean` are the tensors whose gradients were computed before, without one. */
function explain(question: Question, calls: readonly Call[], clean: ReadonlySet<Tensor>): LanthornError {
  const shape = `[${question.shape.join(', ')}]`;
  const told = (message: string, { op, site }: Call): LanthornError => {
    const error = new LanthornError('autograd', op, message);
    locateAt(error, site);
    return error;
  };
  if ('call' in question) return told(`the result of shape ${shape} has a NaN, and nothing before it`, question.call);
  const users = calls.filter(({ inputs }) => inputs.includes(question.gradientOf));
  const culprits = users.filter(({ outputs }) => outputs.some((output) => clean.has(output)));
  const [first, ...others] = culprits.length > 0 ? culprits : users;
  if (!first) {
    return new LanthornError('autograd', 'backward', `the gradient of shape ${shape} that it began with has a NaN`);
  }
  const names = others.map(({ op }) => op).join(', ');
  const also = others.length > 0 ? ` (or that of ${names}, which have the same input)` : '';
  const where = `the gradient of its input of shape ${shape} has one, and nothing before it`;
  return told(`its derivative gives a NaN${also}: ${where}`, first);
}
