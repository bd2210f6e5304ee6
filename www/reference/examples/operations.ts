/**
 * Examples of operations: the smallest of PyTorch's samples, as the call of a method or a function.
 */
import type { Declaration } from '../declarations';
import type { Entry } from '../entries';
import { costOf } from './cost';
import { type Golden, type GoldenFile, isTensor, leavesOf, type OperationDocument, type Sample } from './golden';
import { programOf, type RecordedCall, sizeOf } from './program';
import { type Call, Operand, type Recorder, recorderOf, SampleLoader } from './recorder';
import { accepts, type Schema, schemaOf } from './schema';
import { camel, type Style } from './source';

/** Names of the table with their names in PyTorch's tests. */
const RENAMED: Readonly<Record<string, string>> = {
  im2col: 'nn_functional_unfold', col2im: 'nn_functional_fold', log_sigmoid: 'nn_functional_logsigmoid',
};
/**
 * Files that are not used: they call operators or other operations, or depend on PyTorch's random
 * numbers.
 */
const UNFIT = /^__|singular|grad_oriented|multi_head_attention/;

export class OperationExamples {
  private readonly recorder: Recorder;
  private readonly files = new Map<string, GoldenFile<OperationDocument>[]>();

  constructor(private readonly golden: Golden, private readonly declarations: ReadonlyMap<string, Declaration>) {
    this.recorder = recorderOf(declarations);
    for (const file of golden.files<OperationDocument>('ops').filter(({ name }) => !UNFIT.test(name))) {
      const names = new Set([file.document.op, ...file.document.aliases].map(tableName));
      names.forEach((name) => this.files.set(name, [...(this.files.get(name) ?? []), file]));
    }
  }

  /** The best sample for an entry; `undefined` if PyTorch recorded none. */
  choose({ name, signature }: Entry): RecordedCall | undefined {
    const [base = ''] = name.split('.');
    const files = this.files.get(RENAMED[base] ?? base) ?? [];
    const entry = { schema: schemaOf(signature), isOverload: name.includes('.') };
    const calls = files.flatMap((file) => file.document.samples.flatMap((sample) => this.callOf(file, sample, entry) ?? []));
    const costs = calls.map((call) => ({ call, cost: costOf(call) })).filter(({ cost }) => Number.isFinite(cost));
    return costs.sort((a, b) => a.cost - b.cost)[0]?.call;
  }

  source(recorded: RecordedCall, style: Style): string {
    return programOf(recorded, style);
  }

  /**
   * A sample as a call of the entry; `undefined` if it calls another overload or cannot be
   * expressed.
   */
  private callOf(file: GoldenFile<OperationDocument>, sample: Sample, entry: { schema: Schema; isOverload: boolean }): RecordedCall | undefined {
    if (sample.unstable || isOdd(sample)) {
      return undefined;
    }
    try {
      const loader = new SampleLoader(this.recorder, { name: file.name, tensors: file.tensors() });
      const { name, given, rest, aliases } = this.golden.calls.prepare(this.recorder.lanthorn, file.document, sample, loader);
      const call = this.golden.calls.find(this.recorder.lanthorn, name, aliases, given)?.call(rest) as Call | undefined;
      const options = (rest[0] ?? {}) as Record<string, unknown>;
      const fits = call && accepts(entry.schema, given, options, { isTensor: (value) => value instanceof Operand, camel });
      return fits ? { file, sample, call, ...entry, isPromised: this.isPromised(call) } : undefined;
    } catch {
      // Samples that JavaScript cannot express are skipped.
      return undefined;
    }
  }

  /** Whether an overload returns a promise. Awaiting the results of other overloads is harmless. */
  private isPromised({ path, isMethod }: Call): boolean {
    const declared = this.declarations.get(`lanthorn:${isMethod ? 'Tensor.' : ''}${path}`);
    return declared?.signatures.some((signature) => /\): Promise</.test(signature)) ?? false;
  }
}

/** The name of PyTorch's tests in the table: `linalg.svd` is `linalg_svd`. */
function tableName(name: string): string {
  const base = name.replace(/^(?:torch|Tensor)\./, '');
  const isRenamed = Object.values(RENAMED).includes(base.replaceAll('.', '_'));
  return (isRenamed ? base : base.replace(/^nn\.functional\./, '')).replaceAll('.', '_');
}

/** Layouts and empty tensors teach nothing about an operation. */
function isOdd({ args, kwargs, out }: Sample): boolean {
  const inputs = leavesOf([...args, ...Object.values(kwargs)]);
  return inputs.some((leaf) => isTensor(leaf) && leaf.strides !== undefined) || [...inputs, ...leavesOf(out)].some((leaf) => sizeOf(leaf) === 0);
}
