/** The types of a registered operation's call, read from the text of its schema by the compiler. */
import type { Tensor } from '../tensor/tensor.js';
import type { DType, Scalar } from '../core/types.js';

type Trim<S extends string> = S extends ` ${infer R}` ? Trim<R> : S extends `\n${infer R}` ? Trim<R> : S extends `${infer R} ` ? Trim<R> : S extends `${infer R}\n` ? Trim<R> : S;

/**
 * The parts between commas. Lists as defaults have none in schemas of one's own, so brackets are
 * not looked at.
 */
type Split<S extends string> = Trim<S> extends '' ? [] : S extends `${infer A},${infer B}` ? [Trim<A>, ...Split<B>] : [Trim<S>];

/** The union of the strings between bars: `'a' | 'b'` for `a|b`. */
type Choice<S extends string> = S extends `${infer A}|${infer B}` ? A | Choice<B> : S;

/** The TypeScript type for one of ATen's types. */
type TypeOf<T extends string> =
  T extends `${infer U}?` ? TypeOf<U> | null
  : T extends 'Tensor' ? Tensor
  : T extends 'Tensor|Scalar' ? Tensor | Scalar
  : T extends 'Tensor[]' ? readonly Tensor[]
  : T extends 'Scalar' ? Scalar
  : T extends 'int' | 'float' ? number
  : T extends 'bool' ? boolean
  : T extends 'str' ? string
  : T extends `str{${infer C}}` ? Choice<C>
  : T extends 'ScalarType' ? DType
  : T extends `int[${string}]` | `float[${string}]` ? readonly number[]
  : any;

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? (A extends '' ? `_${Camel<B>}` : `${A}${Capitalize<Camel<B>>}`) : S;

/** A parameter: its name, its type, and whether it is optional. */
type Parameter<P extends string> =
  P extends `${infer T} ${infer N}=${string}` ? [Camel<Trim<N>>, TypeOf<T>, true]
  : P extends `${infer T} ${infer N}` ? [Camel<Trim<N>>, TypeOf<T>, T extends `${string}?` ? true : false]
  : never;

type Keywords<Ps extends readonly string[]> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? (P extends '*' ? {} : Parameter<P> extends [infer N extends string, infer T, infer O] ? (O extends true ? { [K in N]?: T } : {}) : {}) & Keywords<R>
  : {};

type Positional<Ps extends readonly string[]> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? P extends '*' ? []
  : Parameter<P> extends [string, infer T, infer O] ? (O extends true ? [value?: T, ...rest: Partial<Positional<R>>] : [value: T, ...rest: Positional<R>]) : []
  : [];

type Required<Ps extends readonly string[]> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? P extends '*' ? []
  : Parameter<P> extends [string, infer T, infer O] ? (O extends true ? [] : [value: T, ...rest: Required<R>]) : []
  : [];

type List<S extends string> = S extends `${string}(${infer L})${string}->${string}` ? Split<L> : string[];

type Result<S extends string> = S extends `${string}->${infer R}`
  ? Trim<R> extends `(${string}` ? Tensor[] & { [name: string]: Tensor } : Trim<R> extends 'Tensor[]' ? Tensor[] : Tensor
  : Tensor;

/** The arguments of a call in their order, optional ones by name at the end. */
export type ArgumentsOf<S extends string> = string extends S ? any[] : Positional<List<S>> | [...Required<List<S>>, Keywords<List<S>>];

/** The result type of a call with this schema. */
export type ResultOf<S extends string> = string extends S ? any : Result<S>;

type ExpressionPositional<Ps extends readonly string[], First extends boolean = true> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? P extends `${string}=${string}` ? [value?: Scalar, ...rest: Partial<ExpressionPositional<R, false>>]
  : [value: First extends true ? Tensor : Tensor | Scalar, ...rest: ExpressionPositional<R, false>]
  : [];

type ExpressionRequired<Ps extends readonly string[], First extends boolean = true> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? P extends `${string}=${string}` ? [] : [value: First extends true ? Tensor : Tensor | Scalar, ...rest: ExpressionRequired<R, false>]
  : [];

type ExpressionKeywords<Ps extends readonly string[]> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? (P extends `${infer N}=${string}` ? { [K in Camel<Trim<N>>]?: Scalar } : {}) & ExpressionKeywords<R>
  : {};

type ExpressionList<F extends string> = F extends `${infer L}->${string}` ? Split<L> : string[];

/** The arguments of a pointwise operation with this expression. */
export type ExpressionArguments<F extends string> = string extends F
  ? any[]
  : ExpressionPositional<ExpressionList<F>> | [...ExpressionRequired<ExpressionList<F>>, ExpressionKeywords<ExpressionList<F>>];
