/** Examples of operations: the smallest of PyTorch's samples, as the call of a method or a function. */
import type { Declaration } from '../declarations';
import type { Entry } from '../entries';
import { elementsOf, type Golden, type GoldenFile, isTensor, leavesOf, type OperationDocument, type Recorded, type Sample, type StoredTensor } from './golden';
import { type Call, type Operand, type Recorder, recorderOf, SampleLoader } from './recorder';
import { accepts, isPreset, type Schema, schemaOf } from './schema';
import { camel, Code, isRandom, isWritten, optionsSource, type Style, tensorSource, valueSource } from './source';

/** A call that was recorded, as the entry's own. */
export interface RecordedCall {
  file: GoldenFile<OperationDocument>;
  sample: Sample;
  call: Call;
  schema: Schema;
  /** Whether the entry is one overload of several, which a value may tell apart even if it is a default. */
  isOverload: boolean;
}

/** Names of the table that are others in PyTorch's tests. */
const RENAMED: Readonly<Record<string, string>> = { im2col: 'nn_functional_unfold', col2im: 'nn_functional_fold', log_sigmoid: 'nn_functional_logsigmoid' };
/** Files whose calls are of operators, are not those of the operation, or depend on PyTorch's random numbers. */
const UNFIT = /^__|singular|grad_oriented|multi_head_attention/;
/** Elements that are taken of the vector of a function of one tensor. */
const FEW = 6;
/** A result of more elements is shown by its shape. */
const MOST_SHOWN = 64;
/** Elements that an example should have at least, to show anything. */
const TELLING = 4;
/** Words that a variable cannot be called by, or that would hide what the example calls. */
const TAKEN = ['default', 'in', 'with', 'new', 'class', 'function', 'var', 'tensor', 'from', 'rand', 'randn', 'randint', 'console', 'linalg', 'fft', 'special', 'nn'];

export class OperationExamples {
  private readonly recorder: Recorder;
  private readonly files = new Map<string, GoldenFile<OperationDocument>[]>();

  constructor(private readonly golden: Golden, private readonly declarations: ReadonlyMap<string, Declaration>) {
    this.recorder = recorderOf(declarations);
    for (const file of golden.files<OperationDocument>('ops')) {
      const names = new Set([file.document.op, ...file.document.aliases].map(tableName));
      names.forEach((name) => this.files.set(name, [...(this.files.get(name) ?? []), file]));
    }
  }

  /** The best sample for an entry; nothing if PyTorch recorded none. */
  choose({ name, signature }: Entry): RecordedCall | undefined {
    const schema = schemaOf(signature);
    const [base = ''] = name.split('.');
    const files = this.files.get(RENAMED[base] ?? base) ?? [];
    const calls = files.filter(({ name: file }) => !UNFIT.test(file)).flatMap((file) =>
      file.document.samples.flatMap((sample) => this.callOf(file, sample, schema, name.includes('.')) ?? []));
    return calls.map((call) => ({ call, cost: costOf(call) })).sort((a, b) => a.cost - b.cost).find(({ cost }) => Number.isFinite(cost))?.call;
  }

  private callOf(file: GoldenFile<OperationDocument>, sample: Sample, schema: Schema, isOverload: boolean): RecordedCall | undefined {
    if (sample.unstable || hasOddLayout(sample)) {
      return undefined;
    }
    try {
      const loader = new SampleLoader(this.recorder, { name: file.name, tensors: file.tensors() });
      const { name, given, rest, aliases } = this.golden.calls.prepare(this.recorder.lanthorn, file.document, sample, loader);
      const call = this.golden.calls.find(this.recorder.lanthorn, name, aliases, given)?.call(rest) as Call | undefined;
      const options = (rest[0] ?? {}) as Record<string, unknown>;
      const fits = call && accepts(schema, given, options, { isTensor: (value) => this.isOperand(value), camel });
      return fits ? { file, sample, call, schema, isOverload } : undefined;
    } catch {
      // What JavaScript cannot express is no example.
      return undefined;
    }
  }

  /** The program of a call. */
  source({ file, sample, call, schema, isOverload }: RecordedCall, style: Style): string {
    const names = new Map<unknown, string>();
    const lines: string[] = [];
    const write = (value: unknown, name: string): unknown => {
      if (this.isOperand(value)) {
        const known = names.get(value.ref);
        const made = known ?? free(name, [...names.values()]);
        if (!known) {
          names.set(value.ref, made);
          lines.push(`const ${made} = ${tensorSource(file.tensors()[value.ref]!, style, isUnary({ file, call }) ? FEW : Infinity)};`);
        }
        return new Code(made);
      }
      return Array.isArray(value) ? value.map((item, index) => write(item, 'abcdefgh'[index] ?? `x${index}`)) : value;
    };
    const given = call.given.map((value, index) => {
      if (!isOptions(value, this.recorder)) {
        return write(value, variableOf(schema.parameters[index]?.name ?? 'x'));
      }
      const said = Object.entries(value).filter(([option, item]) => isOverload || !schema.parameters.some((each) => camel(each.name) === option && isPreset(each, item)));
      return said.length > 0 ? new Code(optionsSource(Object.fromEntries(said.map(([option, item]) => [option, write(item, variableOf(option))])))) : undefined;
    }).filter((value) => value !== undefined);
    const expression = `${this.isPromised(call) ? 'await ' : ''}${callSource(call, given)}`;
    const isLarge = !style.isExact && !isUnary({ file, call }) && leavesOf(sample.out).reduce((sum: number, leaf) => sum + sizeOf(leaf), 0) > MOST_SHOWN;
    lines.push('', ...printed(expression, isLarge, schema.results.length > 1 || Array.isArray(sample.out)));
    return `${lines.some(isRandom) ? 'manualSeed(0);\n' : ''}${lines.join('\n').trim()}\n`;
  }

  private isOperand(value: unknown): value is Operand {
    return value instanceof this.recorder.Operand;
  }

  /** Whether an overload gives a promise: another one is awaited without harm. */
  private isPromised({ path, isMethod }: Call): boolean {
    const declared = this.declarations.get(`lanthorn:${isMethod ? 'Tensor.' : ''}${path}`);
    return declared?.signatures.some((signature) => /\): Promise</.test(signature)) ?? false;
  }
}

/** Whether the call computes one number from another, so that some of a tensor are an example too. */
function isUnary({ file, call }: Pick<RecordedCall, 'file' | 'call'>): boolean {
  return file.document.category === 'unary' && call.given.length === 1;
}

function printed(expression: string, isLarge: boolean, isList: boolean): string[] {
  if (!isLarge) {
    return [`console.log(${expression});`];
  }
  return isList ? [`const results = ${expression};`, 'console.log(results.map(({ shape }) => shape));'] : [`const result = ${expression};`, 'console.log(result.shape);'];
}

function callSource({ path, isMethod, isProperty }: Call, given: readonly unknown[]): string {
  const [first, ...rest] = given;
  const values = (isMethod ? rest : given).map(valueSource).join(', ');
  return isMethod ? `${valueSource(first)}.${path}${isProperty ? '' : `(${values})`}` : `${path}(${values})`;
}

/** The name of PyTorch's tests in the table: `linalg.svd` is `linalg_svd`. */
function tableName(name: string): string {
  const base = name.replace(/^(?:torch|Tensor)\./, '');
  const isRenamed = Object.values(RENAMED).includes(base.replaceAll('.', '_'));
  return (isRenamed ? base : base.replace(/^nn\.functional\./, '')).replaceAll('.', '_');
}

function variableOf(parameter: string): string {
  const name = camel(parameter.replace(/_$/, ''));
  return name === 'self' || name === 'input' ? 'x' : name;
}

function free(name: string, taken: readonly string[]): string {
  const base = TAKEN.includes(name) ? 'x' : name;
  return taken.includes(base) ? [...'yzuvw'].find((letter) => !taken.includes(letter)) ?? `${base}2` : base;
}

function isOptions(value: unknown, { Operand }: Recorder): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Operand) && !(value instanceof Code);
}

/** Layouts and empty tensors teach nothing about an operation. */
function hasOddLayout({ args, kwargs, out }: Sample): boolean {
  const inputs = leavesOf([...args, ...Object.values(kwargs)] as Recorded[]);
  return inputs.some((leaf) => isTensor(leaf) && leaf.strides !== undefined) || [...inputs, ...leavesOf(out)].some((leaf) => sizeOf(leaf) === 0);
}

function sizeOf(leaf: Recorded): number {
  return isTensor(leaf) ? elementsOf(leaf.shape) : 1;
}

/** Small inputs of float32 that are more than one number, plain values and few options are best. */
function costOf({ file, sample, call }: RecordedCall): number {
  const inputs = leavesOf([...sample.args, ...Object.values(sample.kwargs)] as Recorded[]).filter(isTensor);
  const stored = inputs.map(({ ref }) => file.tensors()[ref]);
  const all = [...stored, ...leavesOf(sample.out).filter(isTensor).map(({ ref }) => file.tensors()[ref])];
  if (all.some((tensor) => !tensor || !Array.from(tensor.values, Number).every(Number.isFinite))) {
    return Infinity;
  }
  const most = isUnary({ file, call }) ? FEW : Infinity;
  const size = inputs.reduce((sum, { shape }) => sum + Math.min(most, elementsOf(shape)), 0);
  const extras = Math.max(0, call.given.length - inputs.length) + 2 * Object.keys(sample.kwargs).length;
  const results = leavesOf(sample.out).reduce((sum: number, leaf) => sum + sizeOf(leaf), 0);
  return size + 0.1 * results + 2 * extras + (size > 0 && size < TELLING ? 40 : 0) + stored.reduce((sum, tensor) => sum + strangeness(tensor!, most), 0);
}

/** What makes a tensor hard to read: no dimension or many, other types, values without variety or of great size. */
function strangeness({ dtype, shape, values }: StoredTensor, most: number): number {
  const numbers = Array.from(values, Number).slice(0, most);
  const isSame = numbers.length > 2 && numbers.every((value) => value === numbers[0]);
  const isExtreme = numbers.some((value) => Math.abs(value) > 100 || (value !== 0 && Math.abs(value) < 1e-4));
  const dimensions = shape.length === 0 ? 2 : most < Infinity ? 0 : Math.max(0, shape.length - 2);
  return 6 * dimensions + (dtype === 'F64' ? 30 : 0) + (isSame ? 60 : 0) + (isExtreme ? 30 : 0) + (most < Infinity || isWritten(shape) ? 0 : 15);
}
