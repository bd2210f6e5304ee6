/** The graphs that are drawn. */
import type { GraphJson } from 'lanthorn/program';

/** A size: a number, or a symbol with the number that the file suggests for it and its range. */
export interface Size {
  size: number;
  symbol?: string;
  least?: number;
  most?: number;
}

/** The type of a tensor. */
export interface TensorType {
  shape: readonly Size[];
  dtype: string;
}

/** A module that a node was called in: its path and its class. */
export interface ModuleInfo {
  path: string;
  kind: string;
}

/** A graph with the types of its values, and the modules that its nodes were called in. */
export interface GraphInfo extends Omit<GraphJson, 'values'> {
  /** Parameters, buffers and constants by the graph's names for them. */
  state: ReadonlyMap<string, string>;
  types: ReadonlyMap<string, TensorType>;
  /** The modules of a node by its results, the outermost first. */
  modules: ReadonlyMap<string, readonly ModuleInfo[]>;
  /** The text of each node, if there is more to show than its arguments. */
  texts?: readonly string[];
}
