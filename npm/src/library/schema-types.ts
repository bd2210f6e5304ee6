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

/** The TypeScript type for one of ATen's types, where `X` stands for a tensor. */
type TypeOf<T extends string, X = Tensor> =
  T extends `${infer U}?` ? TypeOf<U, X> | null
  : T extends 'Tensor' ? X
  : T extends 'Tensor|Scalar' ? X | Scalar
  : T extends 'Tensor[]' ? readonly X[]
  : T extends 'Scalar' ? Scalar
  : T extends 'int' | 'float' ? number
  : T extends 'bool' ? boolean
  : T extends 'str' ? string
  : T extends `str{${infer C}}` ? Choice<C>
  : T extends 'ScalarType' ? DType
  : T extends `int[${string}]` | `float[${string}]` ? readonly number[]
  : unknown;

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? (A extends '' ? `_${Camel<B>}` : `${A}${Capitalize<Camel<B>>}`) : S;

/** A parameter: its name, its type, and whether it is optional. */
type Parameter<P extends string, X = Tensor> =
  P extends `${infer T} ${infer N}=${string}` ? [Camel<Trim<N>>, TypeOf<T, X>, true]
  : P extends `${infer T} ${infer N}` ? [Camel<Trim<N>>, TypeOf<T, X>, T extends `${string}?` ? true : false]
  : never;

/** The types of all parameters, in their order. */
type Types<Ps extends readonly string[], X> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? P extends '*' ? Types<R, X> : Parameter<P, X> extends [string, infer T, unknown] ? [T, ...Types<R, X>] : Types<R, X>
  : [];

/** A parameter's name in the schema. */
type NameOf<P extends string> = P extends `${string} ${infer N}=${string}` ? Trim<N> : P extends `${string} ${infer N}` ? Trim<N> : never;

/** The parameters by the names that they have in the schema. */
type Named<Ps extends readonly string[], X> = Ps extends readonly [infer P extends string, ...infer R extends string[]]
  ? (Parameter<P, X> extends [string, infer T, unknown] ? { [K in NameOf<P>]: T } : {}) & Named<R, X>
  : {};

/** The results of a kernel by their names; one without a name is `out`, several are `out0`, `out1`. */
type Results<S extends string, X> =
  S extends `${string}->${infer R}`
  ? Trim<R> extends `(${infer L})` ? (L extends `${string} ${string}` ? Named<Split<L>, X> : { [name: `out${number}`]: X })
  : Trim<R> extends `Tensor ${infer N}` ? { [K in Trim<N>]: X }
  : { out: X }
  : { [name: string]: X };

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
export type ArgumentsOf<S extends string> = string extends S ? unknown[] : Positional<List<S>> | [...Required<List<S>>, Keywords<List<S>>];

/** All arguments in the schema's order, where `X` stands for a tensor. */
export type AllArguments<S extends string, X = Tensor> = string extends S ? never[] : Types<List<S>, X>;

/** The arguments and results of a kernel, by their names in the schema. */
export type KernelCall<S extends string, X> = string extends S ? never : Named<List<S>, X> & Results<S, X>;

/** The result type of a call with this schema. */
export type ResultOf<S extends string> = string extends S ? unknown : Result<S>;

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
  ? unknown[]
  : ExpressionPositional<ExpressionList<F>> | [...ExpressionRequired<ExpressionList<F>>, ExpressionKeywords<ExpressionList<F>>];
