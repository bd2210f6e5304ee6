/** The list of all operations at run time. */
import type { AutocastPolicy } from './custom-op.js';
import { numbersIn } from './registrations.js';
import { enter } from '../core/runtime.js';
import { camel, parseSchema, type Parameter } from './schema.js';

/** One operation. */
export interface OperationInfo {
  /** Its name, with namespace and overload if it has them: `max.dim`, `mylib::swiglu`. */
  name: string;
  /** Its schema in ATen's syntax. */
  schema: string;
  /**
   * A single expression, kernels with a derivative, or written in other operations; `custom` for
   * one that is registered and not one expression.
   */
  kind: 'pointwise' | 'leaf' | 'composite' | 'custom';
  /** Whether it was registered. */
  isCustom: boolean;
  parameters: readonly Parameter[];
  /** The types of the results, in ATen's words. */
  returns: readonly string[];
  /**
   * Its names in JavaScript: of the function or method, the in-place form, and other names.
   * `linalg.qr` is a function of `linalg`.
   */
  jsNames: readonly string[];
  /** Autocast's conversion of its tensors. */
  autocast: AutocastPolicy;
}

/** The namespaces of functions, and the prefixes of their operations. */
const NAMESPACES = { fft: 'fft_', linalg: 'linalg_', special: 'special_', 'signal.windows': 'signal_windows_' };

/** The name in JavaScript of an operation of the package. */
function jsName(name: string): string {
  const found = Object.entries(NAMESPACES).find(([, prefix]) => name.startsWith(prefix));
  return found ? `${found[0]}.${camel(name.slice(found[1].length))}` : camel(name);
}

function describe([schema, kind, autocast, inPlace, aliases]: readonly [string, OperationInfo['kind'], AutocastPolicy, boolean, string]): OperationInfo {
  const { name, parameters, returns } = parseSchema(schema);
  const isCustom = name.includes('::');
  const base = name.split('.')[0]!;
  const names = [base, ...(inPlace && !isCustom ? [`${base}_`] : []), ...aliases.split(' ').filter((alias) => alias !== '')];
  const jsNames = isCustom ? [`library.op('${name}')`] : [...new Set(names.map((known) => jsName(known.split('.')[0]!)))];
  return {
    name, schema, kind: isCustom && kind !== 'pointwise' ? 'custom' : kind, isCustom, parameters,
    returns: returns.map(({ type }) => type), jsNames, autocast,
  };
}

/**
 * All operations: the package's, then the registered ones, in their order.
 *
 * @example
 * ops().filter((op) => op.autocast === 'lower').map((op) => op.name);
 */
export function ops(): OperationInfo[] {
  const rows = enter((wasm) => {
    numbersIn(wasm);
    return wasm.opsList();
  }) as Parameters<typeof describe>[0][];
  return rows.map(describe);
}
