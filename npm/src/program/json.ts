/** Descriptions of programs, for viewers. */

/** An argument of a node, or a result of a graph. */
export type GraphOperand =
  | { value: string } | { constant: unknown } | { list: readonly GraphOperand[] } | { block: GraphJson };

/** A module that a node was called in. */
export interface GraphModule {
  /** Its path in the model, which is empty for the model itself. */
  path: string;
  /** The qualified name of its class. */
  class: string;
}

/**
 * The description of a value: the type and sizes of a tensor, or a number. A size or a number that
 * depends on symbols is a formula as text; `example` then has the sizes with which the program was
 * exported, and null for one that depends on data.
 */
export type GraphValue =
  | { type: 'tensor'; dtype: string; sizes: readonly (number | string)[]; requiresGrad: boolean; example?: readonly (number | null)[] }
  | { type: 'int' | 'float' | 'bool'; value: number | boolean | string };

/**
 * A symbol of sizes: the values that it may have, null where there is no bound, and the value in
 * the examples.
 */
export interface GraphSymbol {
  min: number | null;
  max: number | null;
  example: number | null;
}

/** A call of an operator. */
export interface GraphNode {
  /** The operator: `aten.linear.default`. */
  op: string;
  /** The arguments. One that is given by name has a `name`. */
  inputs: readonly (GraphOperand & { name?: string })[];
  /** The names of the results; null for one that nothing uses. */
  outputs: readonly (string | null)[];
  /** The modules that it was called in, the outermost first, if the file has them. */
  modules?: readonly GraphModule[];
}

/** A graph, for viewers. */
export interface GraphJson {
  /** The names of the values that a call passes. */
  inputs: readonly string[];
  /** The calls, in order. */
  nodes: readonly GraphNode[];
  /** The results. */
  outputs: readonly GraphOperand[];
  /** The descriptions of the values, by their names. */
  values: Readonly<Record<string, GraphValue>>;
}

/** The description of a program, for viewers: its graph, or its methods with their parameters. */
export interface ProgramJson {
  /** The file's format. */
  format: 'pt2' | 'torchscript' | 'onnx';
  /** The names of the leaves of the arguments. */
  inputs: string[];
  /** The names of the leaves of the results, of an exported program. */
  outputs?: string[];
  /** The names of parameters, buffers and constants, by the graph's names for them. */
  state?: Record<string, string>;
  /** The arguments of an exported program that must have one value, by the graph's names for them. */
  constants?: Record<string, unknown>;
  /** The symbols of sizes of an exported program. */
  symbols?: Record<string, GraphSymbol>;
  /** The graph of an exported program. */
  graph?: GraphJson;
  /** The names of the parameters of each method of a script module. */
  methods?: Record<string, string[]>;
}
