/**
 * Modules of the core's table as classes: the base of the classes generated from the module table.
 */
import { encode, gather, isArray, split } from '../tensor/arguments.js';
import { decode } from '../tensor/call.js';
import { checkFlag, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { adopt, buffer, create, isParameter, Module, type ComputedTensor } from './module.js';
import { observer } from '../tensor/observe.js';
import { noteReplaced } from '../core/recording.js';
import { enter } from '../core/runtime.js';
import { scope } from '../tensor/scope.js';
import { specOf, type Spec } from '../tensor/spec.js';
import { locate, registerEntries } from '../core/stack.js';
import { handleOf, Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';
import { upload } from '../tensor/upload.js';

/** A class's row of the core's table. */
interface Row {
  /** Its number in the table. */
  number: number;
  /** The constructor. */
  spec: Spec;
  /** The default values of the constructor's arguments. */
  defaults: readonly unknown[];
  /** The lengths of the lists that a single number stands for, and 0 for other arguments. */
  lengths: readonly number[];
  /** The arguments of `forward`. */
  forward: Spec;
  /** The arguments of a call of the core: the constructor's, the tensors, the mode, the inputs. */
  call: Spec;
  /** The names of several results. */
  returns: readonly string[];
  /** The operation, if `forward` is one call. */
  operation: Operation | undefined;
}

/** A call of an operation, as `op_call` of the bindings prints it. */
interface Operation {
  number: number;
  /** The values that properties have where the call is this one. */
  conditions: readonly (readonly [property: string, value: unknown])[];
  /** The sources of the arguments: inputs by index, properties, true for the mode, or values. */
  sources: readonly (number | string | true | readonly [value: unknown])[];
  spec: Spec;
}

/**
 * @internal The property that the first call of a lazy module sets, and the number of dimensions
 * after its own; -1 for dimension 1.
 */
export type Inferred = readonly [property: string, trailing: number];

/** @internal The state of a module of the table beside its properties. */
export interface State {
  /** Whether a lazy module has no parameters yet. */
  isPending: boolean;
  /** The constructor's arguments that were given and can be printed. */
  given: Record<string, unknown>;
  /** The properties of the constructor's arguments, null for those that a call does not pass on. */
  options: (string | null)[];
  /** The type that the constructor gave the parameters, if any. */
  dtype?: DType | undefined;
  /**
   * The core's names of tensors and modules by their properties: `running_mean` by `runningMean`.
   */
  names: Map<string, string>;
  /** The properties of the tensors in the core's order; two for a tensor of a child. */
  order: string[][];
  /** The tensors by their properties. */
  tensors: Record<string, Tensor | undefined>;
  /** The properties that are parameters. */
  parameters: Set<string>;
}

/** @internal The key of the state; a property, because a clone has a copy of it. */
export const state: unique symbol = Symbol('state');

const rows = new Map<string, Row>();

/** The call of an operation from its text. */
function parseOperation(text: string): Operation {
  const [number, ...tokens] = text.split(' ');
  const [conditions, sources]: [[string, unknown][], Operation['sources'][number][]] = [[], []];
  for (const token of tokens) {
    const rest = token.slice(1);
    if (token[0] === '?') {
      const [property = '', value = ''] = rest.split('=');
      conditions.push([property, JSON.parse(value)]);
    } else if (token[0] === '.') sources.push(rest);
    else if (token[0] === '=') sources.push([JSON.parse(rest)]);
    else sources.push(token === '!' ? true : token === '-' ? [undefined] : Number(token));
  }
  const params = sources.map((source) => (typeof source === 'string' ? source : 'input'));
  return { number: Number(number), conditions, sources, spec: { name: 'forward', params, positional: params.length, spread: -1 } };
}

/**
 * `number;constructor;forward;returns;operation`, where an argument is `name`, `name:length` or
 * `name=default`.
 */
function parse(text: string): Row {
  const [number, made = '', taken = '', returns = '', operation] = text.split(';');
  const values = Array.from(made.matchAll(/[ |][*^]*\w+(?::(\d+))?(?:=([^ |]+))?/g));
  const spec = specOf(made.replace(/(?::\d+)?(?:=[^ |]+)?(?=[ |]|$)/g, ''));
  // A caller of a module knows its name.
  const forward = specOf(`${spec.name}${taken && ' '}${taken}`);
  const params = [...spec.params, 'tensors', 'training', ...forward.params];
  const takesArray = params.map((_, i) => forward.takesArray?.[i - spec.params.length - 2] ?? false);
  return {
    number: Number(number),
    spec,
    defaults: values.map(([, , value]) => (value === undefined ? undefined : JSON.parse(value))),
    lengths: values.map(([, length]) => Number(length ?? 0)),
    forward,
    call: { ...forward, params, takesArray },
    returns: returns === '' ? [] : returns.split(','),
    operation: operation === undefined ? undefined : parseOperation(operation),
  };
}

/** The row of a module's class. */
function rowOf(module: BuiltinModule): Row {
  const { layer } = module.constructor as typeof BuiltinModule;
  let row = rows.get(layer);
  if (row === undefined) rows.set(layer, (row = parse(layer)));
  return row;
}

/** A name of the core as a property: `running_mean` is `runningMean`. */
const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const isShown = (value: unknown): boolean => ['number', 'string', 'boolean'].includes(typeof value) || (Array.isArray(value) && value.every(isShown));
const text = (value: unknown): string => (Array.isArray(value) ? `[${value.map(text).join(', ')}]` : String(value));

/** An argument of the constructor as a property. */
function asProperty(value: unknown, isTensor: boolean, length: number): unknown {
  if (isTensor && isArray(value)) return adoptBuffer(Tensor.fromCore(upload(value)));
  if (value instanceof Tensor) return buffer(value);
  // A single number that is spread is a list of one.
  const single = Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
  if (typeof single === 'number' && length > 0) return new Array<number>(length).fill(single);
  // The property is the module's own.
  return Array.isArray(value) ? [...(value as unknown[])] : ArrayBuffer.isView(value) ? Array.from(value as never) : value;
}

function adoptBuffer(tensor: Tensor): Tensor {
  adopt(tensor, false);
  return tensor;
}

/** The arguments of a constructor without those that its base class carries out. */
function takeOwnOptions(spec: Spec, args: readonly unknown[], overwrites: boolean): { rest: readonly unknown[]; inplace?: unknown; dtype?: DType } {
  const [count, options] = split(args);
  if (options === undefined && !(overwrites && count === spec.positional + 1)) return { rest: args };
  const { inplace, dtype, ...others } = options ?? {};
  const rest = args.slice(0, count);
  if (dtype !== undefined && dtype !== null && typeof dtype !== 'string') throw wrongArgument(spec.name, 'dtype', 'a dtype', describe(dtype));
  const kept = { ...(overwrites || inplace === undefined ? {} : { inplace }), ...others };
  const flag = overwrites && count === spec.positional + 1 ? rest.pop() : inplace;
  return { rest: options === undefined ? rest : [...rest, kept], inplace: flag, ...(dtype ? { dtype: dtype as DType } : {}) };
}

/** Begins the state of a module, and sets the properties that have the constructor's arguments. */
function configure(module: BuiltinModule, values: readonly unknown[], hasOptions: boolean): void {
  const { spec, defaults, lengths } = rowOf(module);
  const given: Record<string, unknown> = {};
  const options = spec.params.map((name, i) => {
    const value = values[i];
    if (isShown(value)) given[name] = value;
    if (!hasOptions || name.startsWith('_')) return null;
    const property = asProperty(value === undefined ? defaults[i] : value, spec.takesArray?.[i] === true, lengths[i]!);
    (module as unknown as Record<string, unknown>)[name] = property;
    return name;
  });
  module[state] = { isPending: false, given, options, names: new Map(), order: [], tensors: {}, parameters: new Set() };
}

const accessors = new Map<string, PropertyDescriptor>();

/** The property of a tensor. Its functions refer to `this`, because a clone has them too. */
function accessor(property: string): PropertyDescriptor {
  let found = accessors.get(property);
  if (found === undefined) {
    found = {
      get(this: BuiltinModule) { return this[state].tensors[property]; },
      set(this: BuiltinModule, value: unknown) { assign(this, property, value); },
      enumerable: true,
      configurable: true,
    };
    accessors.set(property, found);
  }
  return found;
}

/** Replaces a parameter by another, or a buffer by a tensor. */
function assign(module: BuiltinModule, property: string, value: unknown): void {
  const { tensors, parameters } = module[state];
  if (value !== undefined && value !== null) {
    const name = `${module.constructor.name}.${property}`;
    handleOf(name, 'value', value);
    const wanted = parameters.has(property);
    if (wanted && !isParameter(value as Tensor)) throw new LanthornError('argument', name, 'takes a parameter: give nn.parameter(x)');
    adopt(value as Tensor, wanted);
  }
  tensors[property] = (value ?? undefined) as Tensor | undefined;
  noteReplaced();
}

/** Sets a module's tensor by the core's name. */
function attach(module: BuiltinModule, name: string, tensor: Tensor | undefined, isParameter: boolean): void {
  const own = module[state];
  const property = camel(name);
  own.names.set(property, name);
  own.order.push([property]);
  own.tensors[property] = tensor;
  if (isParameter) own.parameters.add(property);
  if (tensor) adopt(tensor, isParameter);
  // The tensor has this name, and not the argument that says whether there is one.
  own.options = own.options.map((option) => (option === property ? null : option));
  // Deleted first, because the order of properties is the order of parameters.
  delete (module as unknown as Record<string, unknown>)[property];
  Object.defineProperty(module, property, accessor(property));
}

/**
 * The result of the operation that `forward` calls, or of its form in place; nothing where there is
 * none, or it fails.
 */
function operate(module: BuiltinModule, inputs: readonly unknown[], overwrites = false): Tensor | undefined {
  const { operation } = rowOf(module);
  if (operation === undefined || !(inputs[0] instanceof Tensor)) return undefined;
  const { number, conditions, sources, spec } = operation;
  const properties = module as unknown as Record<string, unknown>;
  for (const [property, value] of conditions) if (properties[property] !== value) return undefined;
  const values = sources.map((source) => {
    if (typeof source === 'number') return inputs[source];
    if (typeof source === 'string') return properties[source];
    return source === true ? module.training : source[0];
  });
  try {
    const [words, strings] = encode(spec, values);
    let result = inputs[0];
    if (overwrites) enter((wasm) => wasm.opCallInPlace(number, words, strings));
    else result = Tensor.fromCore(enter((wasm) => wasm.opCall(number, words, strings)));
    observer?.(module.constructor.name, values, result);
    return result;
  } catch {
    // The module checks its arguments, and its error has their names.
    return undefined;
  }
}

/** Calls the core with the module's properties. */
function run(module: BuiltinModule, inputs: readonly unknown[]): unknown {
  const operated = operate(module, inputs);
  if (operated !== undefined) return operated;
  const { number, call, returns } = rowOf(module);
  const { options, order } = module[state];
  const properties = module as unknown as Record<string, unknown>;
  const values = options.map((name) => (name === null ? undefined : properties[name]));
  const tensors = order.map(([own, of]) => (of === undefined ? properties[own!] : (properties[own!] as Record<string, unknown>)[of]) ?? null);
  values.push(tensors, module.training, ...inputs);
  const [words, strings] = encode(call, values);
  const row = enter((wasm) => wasm.moduleCall(number, words, strings)) as Float64Array;
  const single = returns.length === 0 && row.length === 1;
  const result = decode(Tensor, single ? 'tensor' : returns, row);
  observer?.(module.constructor.name, [...inputs, ...tensors], result);
  return result;
}

/**
 * @internal A module of a class with these arguments and parameters; its constructor does not run.
 */
export function assemble<M extends BuiltinModule>(
  type: new (...args: never[]) => M, values: readonly unknown[], parameters: Readonly<Record<string, Tensor | undefined>>,
): M {
  const module = create(type);
  configure(module, values, true);
  for (const [name, tensor] of Object.entries(parameters)) attach(module, name, tensor, true);
  return module;
}

/**
 * A module of the core's table. The arguments of its constructor are properties, which every call
 * reads; its parameters, buffers and child modules are properties too.
 */
export abstract class BuiltinModule extends Module {
  /** @internal The class's row of the core's table, as text. */
  static readonly layer: string = '';

  /** @internal Whether the module has the argument `inplace`. */
  static readonly overwrites: boolean = false;

  /** @internal The property that the first call of a lazy module determines. */
  static readonly inferred: Inferred | undefined;

  /** @internal */
  declare [state]: State;

  static {
    registerEntries([this]);
  }

  /** @internal */
  constructor(args: readonly unknown[], hasOptions = true) {
    super();
    try {
      const { inferred, overwrites } = new.target as unknown as typeof BuiltinModule;
      const { spec } = rowOf(this);
      const { rest, inplace, dtype } = takeOwnOptions(spec, args, overwrites);
      const values = gather(spec, rest);
      configure(this, values, hasOptions);
      if (overwrites) (this as unknown as { inplace: boolean }).inplace = checkFlag(spec.name, 'inplace', inplace);
      this[state].dtype = dtype;
      if (inferred) {
        this[state].isPending = true;
        (this as unknown as Record<string, unknown>)[inferred[0]] = 0;
      } else this.build(values);
      if (dtype && !inferred) this.to(dtype);
    } catch (error) {
      if (error instanceof LanthornError) locate(error, new.target);
      throw error;
    }
  }

  /**
   * @internal Makes the parameters, buffers and child modules, from the arguments of the
   * constructor.
   */
  protected build(values: readonly unknown[]): void {
    const { number, spec } = rowOf(this);
    const [words, strings] = encode(spec, values);
    const made = enter((wasm) => wasm.moduleTensors(number, words, strings)) as (string | number | boolean)[];
    const children = new Map<string, Record<string, Tensor | undefined>>();
    for (let i = 0; i < made.length; i += 3) {
      const [name, handle, isParameter] = made.slice(i, i + 3) as [string, number, boolean];
      const tensor = handle < 0 ? undefined : Tensor.fromCore(handle);
      const [child, own] = name.split('.') as [string, string | undefined];
      if (own === undefined) {
        attach(this, name, tensor, isParameter);
        continue;
      }
      this[state].order.push([camel(child), camel(own)]);
      const tensors = children.get(child) ?? {};
      children.set(child, tensors);
      tensors[own] = tensor;
    }
    for (const [name, tensors] of children) this.addChild(name, this.createChild(tensors));
  }

  /** @internal The child module that has these parameters. */
  protected createChild(_: Readonly<Record<string, Tensor | undefined>>): Module {
    throw new LanthornError('argument', this.constructor.name, 'has no child modules');
  }

  /** @internal Adds a child module under the core's name. */
  protected addChild(name: string, module: Module): void {
    const property = camel(name);
    this[state].names.set(property, name);
    Object.defineProperty(this, property, { value: module, writable: true, enumerable: true, configurable: true });
  }

  /**
   * @internal Makes the parameters of a lazy module, which is one of the usual class from then on.
   */
  protected materialize(input: unknown): void {
    const Class = this.constructor as unknown as typeof BuiltinModule;
    const [property, trailing] = Class.inferred!;
    handleOf(this.constructor.name, 'input', input);
    const { shape } = input as Tensor;
    const size = shape[trailing < 0 ? 1 : shape.length - 1 - trailing];
    if (size === undefined) throw new LanthornError('shape', this.constructor.name, `cannot take ${property} from an input of shape [${shape.join(', ')}]`);
    const properties = this as unknown as Record<string, unknown>;
    properties[property] = size;
    const { given, options } = this[state];
    this.build(rowOf(this).spec.params.map((name, i) => (options[i] === null ? given[name] : properties[name])));
    this[state].isPending = false;
    if (this[state].dtype) this.to(this[state].dtype);
    // A class that extends a lazy one keeps its class.
    if (Object.hasOwn(Class, 'inferred')) Object.setPrototypeOf(this, Object.getPrototypeOf(Class.prototype));
  }

  /** @internal */
  override checkParameters(): void {
    if (this[state].isPending) throw new LanthornError('argument', this.constructor.name, 'has no parameters before its first call: call the model once');
  }

  /** @internal */
  protected override stateName(property: string): string {
    return this[state].names.get(property) ?? property;
  }

  /** @internal */
  protected override propertyOf(name: string): string {
    const property = camel(name);
    return this[state].names.get(property) === name ? property : name;
  }

  /** @internal Has a parameter computed before every call, as a quantized weight is. */
  override computeTensor(name: string, computed: ComputedTensor): void {
    const { tensors } = this[state];
    const property = this.propertyOf(name);
    if (property in tensors) tensors[property] = undefined;
    super.computeTensor(name, computed);
  }

  /** @internal */
  override restoreTensor(name: string, tensor: Tensor): void {
    super.restoreTensor(name, tensor);
    const property = this.propertyOf(name);
    if (!(property in this[state].tensors)) return;
    Object.defineProperty(this, property, accessor(property));
    assign(this, property, tensor);
  }

  override extraRepr(): string {
    const { given, options } = this[state];
    const { spec, defaults, lengths } = rowOf(this);
    const parts = spec.params.flatMap((name, i) => {
      const value = options[i] === null ? given[name] : (this as unknown as Record<string, unknown>)[name];
      if (!isShown(value)) return [];
      // As it was given, while it is that.
      const said = name in given ? given[name] : defaults[i];
      const isSaid = options[i] === null || text(asProperty(said, false, lengths[i]!)) === text(value);
      return isSaid && !(name in given) ? [] : [`${name}=${text(isSaid ? said : value)}`];
    });
    if ((this as { inplace?: unknown }).inplace === true) parts.push('inplace=true');
    return [...parts, ...Array.from(this.computed, ([name, { label }]) => `${name}=${label}`)].join(', ');
  }

  // biome-ignore lint/suspicious/noExplicitAny: printed classes declare it.
  forward(...args: any[]): any {
    const inputs = gather(rowOf(this).forward, args);
    if ((this as { inplace?: unknown }).inplace !== true) return this.compute(inputs);
    const overwritten = operate(this, inputs, true);
    if (overwritten !== undefined) return overwritten;
    const result = this.compute(inputs);
    if (result === inputs[0]) return result;
    handleOf(this.constructor.name, 'input', inputs[0]);
    return (inputs[0] as Tensor).copy_(result as Tensor);
  }

  /** @internal */
  protected override writeTensor(property: string, tensor: Tensor): void {
    if (this[state].names.has(property)) this[state].tensors[property] = tensor;
    else super.writeTensor(property, tensor);
  }

  /** @internal The result for the arguments of `forward`, in order. */
  protected compute(inputs: readonly unknown[]): unknown {
    if (this[state].isPending) {
      this.materialize(inputs[0]);
      return this.compute(inputs);
    }
    const { order } = this[state];
    const child = (path: readonly string[]): unknown => (path.length > 1 ? (this as unknown as Record<string, unknown>)[path[0]!] : this);
    const isComputed = (owner: unknown): boolean => owner instanceof Module && owner.computed.size > 0;
    if (!isComputed(this) && !order.some((path) => path.length > 1 && isComputed(child(path)))) return run(this, inputs);
    // Computed tensors end with the call.
    return scope(() => {
      let taken = inputs;
      for (const computed of this.computed.values()) {
        if (computed.forward) return computed.forward(taken[0] as Tensor);
        if (computed.input) taken = [computed.input(taken[0] as Tensor), ...taken.slice(1)];
      }
      return run(this, taken);
    });
  }
}

/** A module of the core that maps one tensor to one tensor. */
export abstract class UnaryModule extends BuiltinModule {}
export interface UnaryModule {
  forward(input: Tensor): Tensor;
}
