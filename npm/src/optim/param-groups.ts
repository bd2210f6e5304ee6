/** Groups of parameters: as they are given, and as an optimizer shows them. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

/** Parameters with specific options. */
export type ParamGroup<Options> = Options & { params: Iterable<Tensor> };

/** The parameters of an optimizer, or groups of them. */
export type Params<Options> = Iterable<Tensor> | Iterable<ParamGroup<Options>>;

/** The value of an option. */
export type OptionValue = number | boolean | string | null | undefined | readonly OptionValue[];

/** The options of an optimizer of any class. */
export interface AnyOptions {
  lr?: number;
  [option: string]: OptionValue;
}

/** An interface as a plain type, which is one of named values too. */
export type Plain<T> = { [Name in keyof T]: T[Name] };

/** A group as an optimizer of any class shows it. */
export interface AnyGroup {
  /** The parameters. A new list can be assigned; the list itself cannot be changed. */
  params: readonly Tensor[];
  lr: number;
  /** The rate that a schedule starts from, once there is one. */
  initialLr?: number;
  [option: string]: OptionValue | readonly Tensor[];
}

/** A group as an optimizer shows it: the options, and `params`. */
export type GroupView<Options> = string extends keyof Options
  ? AnyGroup
  : { -readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> } & { params: readonly Tensor[]; initialLr?: number };

/** A group as it was given. */
export interface GivenGroup {
  params: readonly Tensor[];
  options: Record<string, unknown>;
}

/** The numbers that schedules keep with a group. */
export const KEPT: readonly string[] = ['initialLr', 'maxLr', 'minLr', 'maxMomentum', 'baseMomentum'];

/** The options that schedules change. */
export const SCHEDULED: readonly string[] = ['lr', 'momentum', 'betas'];

/** An option's name in PyTorch. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An option's name in JavaScript. */
export const camel = (name: string): string => name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The handles of parameters. */
export function parameterHandles(op: string, parameters: readonly Tensor[]): Uint32Array {
  return Uint32Array.from(parameters, (parameter) => handleOf(op, 'parameters', parameter));
}

/** A list of parameters. Whether each is a tensor is known when its handle is taken. */
export function parameterList(op: string, parameters: unknown): readonly Tensor[] {
  if (parameters instanceof Tensor) throw new LanthornError('argument', op, 'the parameters are an array, not a tensor: give [x]');
  if (typeof (parameters as Iterable<Tensor> | undefined)?.[Symbol.iterator] !== 'function') {
    throw new LanthornError('argument', op, 'takes a list of parameters, as model.parameters() returns');
  }
  return Object.freeze([...(parameters as Iterable<Tensor>)]);
}

const isGroup = (value: unknown): value is ParamGroup<object> => typeof value === 'object' && value !== null && !(value instanceof Tensor) && 'params' in value;

/** A group, as an optimizer stores it. */
export function givenGroup(op: string, group: unknown): GivenGroup {
  if (!isGroup(group)) throw new LanthornError('argument', op, `a group of parameters is an object with params, not ${describe(group)}`);
  const { params, ...options } = group;
  return { params: parameterList(op, params), options };
}

/** Parameters, or groups of them, as groups. */
export function givenGroups(op: string, params: unknown): GivenGroup[] {
  const all = parameterList(op, params) as readonly unknown[];
  return all.some(isGroup) ? all.map((group) => givenGroup(op, group)) : [{ params: all as readonly Tensor[], options: {} }];
}
