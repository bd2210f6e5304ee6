/**
 * The search for the operation that makes the first NaN, as `torch.autograd.detect_anomaly`.
 *
 * Kernels run later than their calls, and a GPU is not read without waiting. So every result and
 * every gradient is asked for while the function runs, and the answers are looked at, in order,
 * after it.
 */
import { noGrad } from './mode.js';
import { checkFunction } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { observe } from '../tensor/observe.js';
import { scope } from '../tensor/scope.js';
import { callSite, locateAt } from '../core/stack.js';
import { Tensor, type HookHandle } from '../tensor/tensor.js';

/** A call of an operation. */
interface Call {
  op: string;
  inputs: Tensor[];
  outputs: Tensor[];
  site: Error;
}

/** A question: whether the result of a call, or the gradient of a tensor, has a NaN. */
type Question = { hasNaN: Promise<number>; shape: readonly number[] } & ({ call: Call } | { gradientOf: Tensor });

const tensorsIn = (values: readonly unknown[]): Tensor[] =>
  values.flat().filter((value): value is Tensor => value instanceof Tensor && !value.isDisposed);

/**
 * Runs a training step, which may be async, and resolves to its result; if a result or a gradient
 * in it has a NaN, rejects with an error that names the operation that made the first one, with the
 * stack of its call. The error of work that fails on the device, such as an index out of range, has
 * the stack of the call that recorded it, and not the stack of the read that reported it. It reads
 * every result, and so is slow.
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
      // Of all types, because a failure is looked for too: only a NaN differs from itself.
      const flags = scope(() => noGrad(() => tensor.ne(tensor).any()));
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
  const note = (op: string, inputs: readonly unknown[], result: unknown): void => {
    const call: Call = { op, inputs: tensorsIn(inputs), outputs: tensorsIn([result]), site: callSite(note) };
    calls.push(call);
    for (const output of call.outputs) questions.push({ ...ask(output), call });
    for (const tensor of [...call.inputs, ...call.outputs]) listen(tensor);
  };
  const before = observe(note);
  const outcome = await (async () => fn())().then(
    (value) => ({ value: value as Awaited<T> }),
    (error: unknown) => ({ error }),
  );
  observe(before);
  for (const hook of hooks) hook.remove();
  // The function may have awaited a read, which reports a failure of an earlier call.
  if ('error' in outcome) throw await withStack(outcome.error, questions);
  const clean = new Set<Tensor>();
  for (const question of questions) {
    const hasNaN = await question.hasNaN.catch((error: unknown) => { throw atCall(error, question); });
    if (hasNaN !== 0) throw explain(question, calls, clean);
    if ('gradientOf' in question) clean.add(question.gradientOf);
  }
  return outcome.value;
}

/** The error of work that failed, with the stack of the call whose result was asked for. */
function atCall(error: unknown, question: Question): unknown {
  if ('call' in question && error instanceof LanthornError) locateAt(error, question.call.site);
  return error;
}

/** The error that the function threw; if a call's work failed, with the stack of that call. */
async function withStack(thrown: unknown, questions: readonly Question[]): Promise<unknown> {
  for (const question of questions) {
    const failure: unknown = await question.hasNaN.then(() => undefined, (error: unknown) => error);
    if (failure === undefined) continue;
    const isSame = thrown instanceof LanthornError && failure instanceof LanthornError && thrown.kind === failure.kind;
    return isSame ? atCall(thrown, question) : thrown;
  }
  return thrown;
}

/** The error of the first NaN; `clean` are the tensors whose gradients were computed before, without one. */
function explain(question: Question, calls: readonly Call[], clean: ReadonlySet<Tensor>): LanthornError {
  const shape = `[${question.shape.join(', ')}]`;
  const describeNaN = (message: string, { op, site }: Call): LanthornError => {
    const error = new LanthornError('autograd', op, message);
    locateAt(error, site);
    return error;
  };
  if ('call' in question) return describeNaN(`the result of shape ${shape} has a NaN, and nothing before it`, question.call);
  const users = calls.filter(({ inputs }) => inputs.includes(question.gradientOf));
  const culprits = users.filter(({ outputs }) => outputs.some((output) => clean.has(output)));
  const [first, ...others] = culprits.length > 0 ? culprits : users;
  if (!first) {
    return new LanthornError('autograd', 'backward', `the gradient of shape ${shape} that it began with has a NaN`);
  }
  const names = others.map(({ op }) => op).join(', ');
  const also = others.length > 0 ? ` (or that of ${names}, which have the same input)` : '';
  const where = `the gradient of its input of shape ${shape} has one, and nothing before it`;
  return describeNaN(`its derivative gives a NaN${also}: ${where}`, first);
}
