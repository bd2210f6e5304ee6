/**
 * Checks of operations of one's own, for tests: `opcheck` as `torch.library.opcheck`, `gradcheck`
 * as `torch.autograd.gradcheck`.
 */
import { gather } from '../tensor/arguments.js';
import { checkFlag, checkFunction, checkOptions } from '../core/check.js';
import { differences, type Tolerance } from './finite-differences.js';
import type { CustomOp, FakeTensor } from '../library/library.js';
import { parseSchema, specOf, withDefaults } from '../library/schema.js';
import { scope } from '../tensor/scope.js';
import { Tensor } from '../tensor/tensor.js';

/** The arguments of one call. */
export type Sample = readonly unknown[];

/** Options of {@link opcheck} and {@link gradcheck}. */
export interface CheckOptions {
  /**
   * How far a derivative may be from finite differences. By default 1e-6 of float64, and of float32
   * as the differences allow.
   */
  tolerance?: Tolerance;
  /** Whether second derivatives are checked; `false` for once-differentiable operations. */
  secondOrder?: boolean;
  /** Whether a failure is thrown; with `false` it is only reported. */
  raiseException?: boolean;
}

/** The result of a check. */
export interface Report {
  /** The number of checks made. */
  checks: number;
  /** A line for each check that failed. */
  failures: string[];
}

/** Thrown by {@link opcheck} and {@link gradcheck}. */
export class CheckError extends Error {
  /** A line for each check that failed. */
  readonly failures: readonly string[];

  constructor(op: string, failures: readonly string[]) {
    super(`${op}: ${failures.join('\n  ')}`);
    this.name = 'CheckError';
    this.failures = failures;
  }
}

const OPTIONS = ['tolerance', 'secondOrder', 'raiseException'];

/** The tensors in arguments, including those in lists. */
const tensorsOf = (value: unknown): Tensor[] => (value instanceof Tensor ? [value] : Array.isArray(value) ? value.flatMap(tensorsOf) : []);

const show = ({ shape, dtype }: FakeTensor): string => `${dtype}[${Array.from(shape).join(', ')}]`;

/** The elements as plain numbers, at the time of the call. */
const elements = async (tensor: Tensor): Promise<number[]> => Array.from(await tensor.data(), Number);

const same = (one: readonly number[], other: readonly number[]): boolean => one.length === other.length && one.every((value, index) => Object.is(value, other[index]) || value === other[index]);

/** The largest difference of two results, relative to the larger ones. */
function distance(one: readonly number[], other: readonly number[]): number {
  const apart = one.map((value, index) => (Object.is(value, other[index]) || value === other[index] ? 0 : Math.abs(value - other[index]!) / Math.max(1, Math.abs(other[index]!))));
  return apart.reduce((largest, value) => (value > largest || Number.isNaN(value) ? value : largest), 0);
}

/** The allowed difference of kernel and fallback. */
const CLOSE = { float64: 1e-10, float32: 1e-4, float16: 4e-3, bfloat16: 3e-2 } as const;

class Checks {
  readonly report: Report = { checks: 0, failures: [] };

  constructor(readonly sample: number) {}

  expect(what: string, holds: boolean, message: () => string): void {
    this.report.checks += 1;
    if (!holds) this.report.failures.push(`sample ${this.sample}, ${what}: ${message()}`);
  }

  /** Runs a check; an exception is its failure. */
  async attempt(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.expect(what, false, () => (error instanceof Error ? error.message : String(error)));
    }
  }
}

/** The arguments of a call of a registered operation, as its functions get them. */
function asDeclared({ schema }: Partial<CustomOp>, args: Sample): unknown[] {
  const parsed = parseSchema(schema!);
  return withDefaults(parsed, gather(specOf(parsed), args));
}

/**
 * Checks that results have the types and shapes of the schema and the fake function, and that
 * arguments are unchanged.
 */
async function checkCall(op: (...args: never[]) => unknown, args: Sample, checks: Checks): Promise<void> {
  const { schema, declaration } = op as Partial<CustomOp>;
  const before = await Promise.all(tensorsOf(args).map(elements));
  const first = tensorsOf(op(...(args as never[])));
  checks.expect('schema', first.length > 0, () => 'the call gives no tensor');
  if (schema !== undefined) {
    const { returns } = parseSchema(schema);
    const isList = returns.length === 1 && returns[0]!.type === 'Tensor[]';
    checks.expect('schema', isList || first.length === returns.length, () => `the call gives ${first.length} results, the schema has ${returns.length}`);
  }
  const values = await Promise.all(first.map(elements));
  const after = await Promise.all(tensorsOf(args).map(elements));
  const changed = before.findIndex((data, index) => !same(data, after[index]!));
  checks.expect('mutation', changed < 0, () => `the call changes tensor ${changed} of its arguments, which the schema does not say`);
  const again = tensorsOf(op(...(args as never[])));
  const repeated = await Promise.all(again.map(elements));
  checks.expect('determinism', values.every((data, index) => same(data, repeated[index] ?? [])), () => 'a second call gives something else');
  for (const [index, result] of again.entries()) {
    if (result.requiresGrad) continue;
    result.zero_();
    const untouched = await Promise.all(tensorsOf(args).map(elements));
    checks.expect('aliasing', untouched.every((data, at) => same(data, before[at]!)), () => `result ${index} shares memory with an argument`);
  }
  if (declaration?.fake) {
    const given: unknown = declaration.fake(...(asDeclared(op as Partial<CustomOp>, args) as never[]));
    const fakes = (Array.isArray(given) ? given : [given]) as FakeTensor[];
    const [said, real] = [fakes.map(show).join(', '), first.map(show).join(', ')];
    checks.expect('fake', said === real, () => `the fake function says ${said}; the call gives ${real}`);
  }
  if (declaration?.fallback && (declaration.cpu || declaration.wgsl)) {
    const fallback = tensorsOf(declaration.fallback(...(asDeclared(op as Partial<CustomOp>, args) as never[])));
    checks.expect('fallback', fallback.map(show).join(', ') === first.map(show).join(', '), () =>
      `the fallback gives ${fallback.map(show).join(', ')}, the call ${first.map(show).join(', ')}`);
    for (const [index, result] of fallback.entries()) {
      const apart = distance(values[index] ?? [], await elements(result));
      const allowed = CLOSE[result.dtype as keyof typeof CLOSE] ?? 0;
      checks.expect('fallback', apart <= allowed, () => `result ${index} is ${apart} from the fallback's, more than ${allowed}`);
    }
  }
}

const isFloat = (tensor: Tensor): boolean => tensor.dtype === 'float32' || tensor.dtype === 'float64';

/** Derivatives against finite differences: the first, then the second. */
async function checkGradients(op: (...args: never[]) => unknown, args: Sample, checks: Checks, options: CheckOptions): Promise<void> {
  const inputs = tensorsOf(args).filter((tensor) => isFloat(tensor) && tensor.requiresGrad);
  if (inputs.length === 0) return;
  const orders = options.secondOrder === false ? [1] : [1, 2];
  for (const order of orders) {
    for (const failure of await differences(op, args, inputs, order, options.tolerance)) {
      checks.expect(order === 1 ? 'gradient' : 'gradient of the gradient', failure === undefined, () => failure!);
    }
  }
}

async function run(name: string, samples: readonly Sample[], options: CheckOptions, check: (args: Sample, checks: Checks) => Promise<void>): Promise<Report> {
  const report: Report = { checks: 0, failures: [] };
  for (const [index, args] of samples.entries()) {
    const checks = new Checks(index);
    await scope(() => check(args, checks));
    report.checks += checks.report.checks;
    report.failures.push(...checks.report.failures);
  }
  if (report.checks === 0) report.failures.push('there was nothing to check: give samples whose tensors require gradients');
  if (report.failures.length > 0 && (options.raiseException ?? true)) throw new CheckError(name, report.failures);
  return report;
}

function prepare(caller: string, op: unknown, options: CheckOptions): { name: string; given: CheckOptions } {
  checkFunction(caller, op);
  const given = checkOptions<CheckOptions>(caller, options, OPTIONS);
  if (given.secondOrder !== undefined) checkFlag(caller, 'secondOrder', given.secondOrder);
  if (given.raiseException !== undefined) checkFlag(caller, 'raiseException', given.raiseException);
  return { name: (op as { name?: string }).name || caller, given };
}

/**
 * Holds an operation to its declaration, as `torch.library.opcheck`: results as the schema and the
 * fake function say, arguments that the call does not change and results do not share, kernels and
 * fallback that agree, and derivatives of both orders against finite differences.
 *
 * `op` is a registered operation or any function of tensors. Samples are lists of arguments;
 * derivatives are checked of float32 and float64 tensors that require gradients, best where the
 * formula is smooth. Rejects with a {@link CheckError}.
 *
 * @example
 * import { opcheck } from 'lanthorn/testing';
 * await opcheck(squareplus, [[randn(2, 3).requiresGrad_()]]);
 */
export async function opcheck(op: (...args: never[]) => unknown, samples: readonly Sample[], options: CheckOptions = {}): Promise<Report> {
  const { name, given } = prepare('opcheck', op, options);
  const declared = (op as Partial<CustomOp>).declaration?.onceDifferentiable === true ? { ...given, secondOrder: false } : given;
  return run(name, samples, given, async (args, checks) => {
    await checks.attempt('call', () => checkCall(op, args, checks));
    await checks.attempt('gradient', () => checkGradients(op, args, checks, declared));
  });
}

/**
 * Holds the derivatives of a function of tensors to finite differences, as
 * `torch.autograd.gradcheck` and `gradgradcheck`; see {@link opcheck}.
 */
export async function gradcheck(fn: (...args: never[]) => unknown, samples: readonly Sample[], options: CheckOptions = {}): Promise<Report> {
  const { name, given } = prepare('gradcheck', fn, options);
  return run(name, samples, given, (args, checks) => checks.attempt('gradient', () => checkGradients(fn, args, checks, given)));
}
