/** The program of a recorded call: its tensors as variables, the call, and the result. */
import { elementsOf, type GoldenFile, isTensor, leavesOf, type OperationDocument, type Recorded, type Sample } from './golden';
import { type Call, Operand } from './recorder';
import { isPreset, type Schema } from './schema';
import { camel, Code, isRandom, optionsSource, type Style, tensorSource, valueSource } from './source';

/** A call that was recorded, as the entry's own. */
export interface RecordedCall {
  file: GoldenFile<OperationDocument>;
  sample: Sample;
  call: Call;
  schema: Schema;
  /**
   * Whether the entry is one overload of several. Default values are then written, because they can
   * select the overload.
   */
  isOverload: boolean;
  isPromised: boolean;
}

/** Elements that are taken of the vector of a function of one tensor. */
export const FEW = 6;
/** A result of more elements is shown by its shape. */
const MAX_SHOWN = 64;
/** Digits of numbers outside of tensors. */
const DIGITS = 3;
/** Names that a variable cannot have: reserved words, and names that the example calls. */
const TAKEN = [
  'default', 'in', 'with', 'new', 'class', 'function', 'var', 'from',
  'tensor', 'rand', 'randn', 'randint', 'console', 'linalg', 'fft', 'special', 'nn',
];

export function programOf(recorded: RecordedCall, style: Style): string {
  const { call, schema, sample } = recorded;
  const variables = new Variables(recorded, style);
  const given = call.given.flatMap((value, index) => {
    const name = schema.parameters[index]?.name ?? 'x';
    return isOptions(value) ? optionsOf(value, recorded, variables) : [variables.write(value, name)];
  });
  const expression = `${recorded.isPromised ? 'await ' : ''}${callSource(call, given)}`;
  const isLarge = !style.isExact && !isElementwise(recorded) && sizeOf(sample.out) > MAX_SHOWN;
  const lines = [...variables.lines, '', ...printResult(expression, isLarge, !isTensor(sample.out))];
  return `${lines.some(isRandom) ? 'manualSeed(0);\n' : ''}${lines.join('\n').trim()}\n`;
}

/** The variables of a program, in the order in which they are named. */
class Variables {
  readonly lines: string[] = [];
  private readonly names = new Map<string, string>();

  constructor(private readonly recorded: RecordedCall, private readonly style: Style) {}

  /** The argument for a value; `name` is the parameter's. */
  write(value: unknown, name: string): unknown {
    if (value instanceof Operand) {
      return new Code(this.names.get(value.ref) ?? this.declare(value.ref, name));
    }
    if (typeof value === 'number' && !this.style.isExact && !Number.isInteger(value)) {
      return Number(value.toPrecision(DIGITS));
    }
    return Array.isArray(value) ? value.map((item, index) => this.write(item, 'abcdefgh'[index] ?? `x${index}`)) : value;
  }

  private declare(ref: string, parameter: string): string {
    const name = free(variableOf(parameter), [...this.names.values()]);
    this.names.set(ref, name);
    const count = isElementwise(this.recorded) ? FEW : Infinity;
    this.lines.push(`const ${name} = ${tensorSource(this.recorded.file.tensors()[ref]!, this.style, count)};`);
    return name;
  }
}

/** The options without default values; empty if none is left. */
function optionsOf(options: Record<string, unknown>, { schema, isOverload }: RecordedCall, variables: Variables): Code[] {
  const isSaid = ([name, value]: [string, unknown]) =>
    isOverload || !schema.parameters.some((parameter) => camel(parameter.name) === name && isPreset(parameter, value));
  const said = Object.entries(options).filter(isSaid).map(([name, value]) => [name, variables.write(value, name)]);
  return said.length > 0 ? [new Code(optionsSource(Object.fromEntries(said)))] : [];
}

function printResult(expression: string, isLarge: boolean, isList: boolean): string[] {
  if (!isLarge) {
    return [`console.log(${expression});`];
  }
  return isList
    ? [`const results = ${expression};`, 'console.log(results.map(({ shape }) => shape));']
    : [`const result = ${expression};`, 'console.log(result.shape);'];
}

function callSource({ path, isMethod, isProperty }: Call, given: readonly unknown[]): string {
  const [first, ...rest] = given;
  const values = (isMethod ? rest : given).map(valueSource).join(', ');
  return isMethod ? `${valueSource(first)}.${path}${isProperty ? '' : `(${values})`}` : `${path}(${values})`;
}

function variableOf(parameter: string): string {
  const name = camel(parameter.replace(/_$/, ''));
  return name === 'self' || name === 'input' ? 'x' : name;
}

function free(name: string, taken: readonly string[]): string {
  const base = TAKEN.includes(name) ? 'x' : name;
  return taken.includes(base) ? [...'yzuvw'].find((letter) => !taken.includes(letter)) ?? `${base}2` : base;
}

function isOptions(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Operand) && !(value instanceof Code);
}

/**
 * Whether the call computes one number from another, so that a part of a tensor is an example too.
 */
export function isElementwise({ file: { document }, call, sample }: RecordedCall): boolean {
  const [input] = sample.args;
  const isActivation = /^nn\.functional\./.test(document.op) && input !== undefined && isTensor(input) && isTensor(sample.out)
    && input.shape.length === 1 && String(input.shape) === String(sample.out.shape);
  return call.given.length === 1 && (document.category === 'unary' || isActivation);
}

/** The number of elements in a value. */
export function sizeOf(value: Recorded): number {
  return leavesOf(value).reduce((sum: number, leaf) => sum + (isTensor(leaf) ? elementsOf(leaf.shape) : 1), 0);
}
