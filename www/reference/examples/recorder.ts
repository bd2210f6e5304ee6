/**
 * A stand-in for the package, whose functions and methods return a description of the call and
 * compute nothing. The tests' own translation of a sample into a call runs on it.
 */
import type { Declaration } from '../declarations';
import type { Recorded, RecordedObject, Tensors } from './golden';
import { Code, camel } from './source';

/** A call: of a method, whose tensor is the first of `given`, or of a function. */
export interface Call {
  path: string;
  isMethod: boolean;
  isProperty: boolean;
  given: readonly unknown[];
}

/** A tensor of a sample. */
export class Operand {
  constructor(readonly ref: string) {}
}

export interface Recorder {
  lanthorn: object;
  /** Operands with the methods of a tensor. */
  Tensor: new (ref: string) => Operand;
}

type Methods = Record<string, unknown>;

/** The names come from the package's declarations. */
export function recorderOf(declarations: ReadonlyMap<string, Declaration>): Recorder {
  class Tensor extends Operand {}
  const lanthorn: Methods = { Tensor };
  for (const { entry, name, kind, signatures } of declarations.values()) {
    const path = name.split('.');
    const member = path.pop()!;
    if (entry === 'lanthorn' && kind === 'Member') {
      define(Tensor.prototype, member, !signatures.some((signature) => signature.includes('(')));
    } else if (entry === 'lanthorn' && kind === 'Function') {
      const namespace = path.reduce<Methods>((at, part) => (at[part] ??= {}) as Methods, lanthorn);
      namespace[member] = (...given: unknown[]): Call => ({ path: name, isMethod: false, isProperty: false, given });
    }
  }
  return { lanthorn, Tensor };
}

function define(prototype: object, name: string, isProperty: boolean): void {
  const call = (self: unknown, given: readonly unknown[]): Call => ({ path: name, isMethod: true, isProperty, given: [self, ...given] });
  if (name === 'constructor') {
    return;
  }
  if (isProperty) {
    Object.defineProperty(prototype, name, { get(this: unknown) { return call(this, []); }, set() {}, configurable: true });
  } else {
    Object.defineProperty(prototype, name, { value(this: unknown, ...given: unknown[]) { return call(this, given); }, configurable: true, writable: true });
  }
}

const FLOATS: Readonly<Record<string, string>> = { nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' };

/** Makes the values of a sample: tensors are operands, the rest is written as it is. */
export class SampleLoader {
  readonly operands: Operand[] = [];

  constructor(private readonly recorder: Recorder, readonly file: { name: string; tensors: Tensors }) {}

  get lanthorn(): object {
    return this.recorder.lanthorn;
  }

  value(json: Recorded): unknown {
    if (Array.isArray(json)) {
      return json.map((item) => this.value(item));
    }
    if (json === null || typeof json !== 'object') {
      return json;
    }
    const { $: type, v, ref = '' } = json as RecordedObject;
    switch (type) {
      case 'float': return typeof v === 'number' ? v : new Code(FLOATS[String(v)] ?? 'NaN');
      case 'int': return Number(v);
      case 'tuple': return (v as Recorded[]).map((item) => this.value(item));
      case 'dtype': return v === 'int64' ? 'int32' : v;
      case 'fn': return v;
      case 'device': return undefined;
      case 'module': return this.moduleOf(json as RecordedObject);
      case 'tensor': {
        const operand = new this.recorder.Tensor(ref);
        this.operands.push(operand);
        return operand;
      }
      default: throw new Error(`no value of JavaScript is like ${JSON.stringify(json)}`);
    }
  }

  private moduleOf({ cls = '', config }: RecordedObject): Code {
    const options = Object.entries(config?.v ?? {}).filter(([name, value]) => value !== null && !['device', 'dtype'].includes(name));
    const text = options.map(([name, value]) => `${camel(name)}: ${JSON.stringify(this.value(value)).replaceAll('"', "'")}`).join(', ');
    return new Code(`new nn.${cls}({ ${text} })`);
  }
}
