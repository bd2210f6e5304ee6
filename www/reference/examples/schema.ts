/** A signature in PyTorch's notation: its parameters and the names of its results. */

export interface Parameter {
  name: string;
  type: string;
  isKeyword: boolean;
  /** The default as written in the signature; `undefined` if the parameter is required. */
  preset: string | undefined;
}

export interface Schema {
  parameters: readonly Parameter[];
  results: readonly string[];
}

/** `max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`. */
export function schemaOf(signature: string): Schema {
  const [line = ''] = signature.split('\n');
  const [, inside = '', result = ''] = /^[^(]*\((.*?)\)(?: -> (.*))?$/.exec(line) ?? [];
  const parameters: Parameter[] = [];
  let isKeyword = false;
  for (const part of splitAtCommas(inside)) {
    if (part === '*') {
      isKeyword = true;
      continue;
    }
    const [declared = '', preset] = part.split('=');
    const at = declared.lastIndexOf(' ');
    parameters.push({ type: declared.slice(0, at), name: declared.slice(at + 1), isKeyword, preset });
  }
  const results = /^\((.*)\)$/.exec(result)?.[1]?.split(', ').map((each) => each.split(' ').at(-1)!) ?? [];
  return { parameters, results };
}

/**
 * A call without this flag selects the overload without indices, although the table has a default
 * for it.
 */
const SELECTOR = 'return_indices';

/** Splits at commas outside of brackets and quotes. */
function splitAtCommas(text: string): string[] {
  return text.match(/(?:\[[^\]]*\]|"[^"]*"|'[^']*'|[^,])+/g)?.map((part) => part.trim()) ?? [];
}

/** Whether a value is the parameter's default. */
export function isPreset({ preset }: Parameter, value: unknown): boolean {
  if (preset === undefined || typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return false;
  }
  const number = Number(preset.replace(/\.$/, ''));
  const items = Array.isArray(value) && value.length > 0 ? value : [value];
  return items.every((item) => (typeof item === 'number' ? item === number : PYTHON[String(item)] === preset || `"${String(item)}"` === preset));
}

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Functions that relate a call's values to the parameters. */
export interface Kinds {
  isTensor: (value: unknown) => boolean;
  camel: (name: string) => string;
}

/** Whether this signature accepts a call with these positional values and options. */
export function accepts(
  { parameters }: Schema, positional: readonly unknown[], options: Readonly<Record<string, unknown>>, { isTensor, camel }: Kinds,
): boolean {
  const named = new Map(parameters.map((parameter) => [camel(parameter.name), parameter]));
  const first = parameters.slice(0, positional.length);
  const fits = (value: unknown, type: string) => acceptsType(value, type, isTensor);
  return positional.length <= parameters.length
    && first.every(({ isKeyword, type }, index) => !isKeyword && fits(positional[index], type))
    && Object.entries(options).every(([name, value]) => named.has(name) && !first.includes(named.get(name)!) && fits(value, named.get(name)!.type))
    && parameters.slice(positional.length).every(({ name, preset }) => (preset !== undefined && name !== SELECTOR) || camel(name) in options);
}

function acceptsType(value: unknown, type: string, isTensor: (value: unknown) => boolean): boolean {
  const choices = /str\{([^}]*)\}/.exec(type)?.[1]?.split('|');
  const types = type.replace(/\{[^}]*\}/, '').replace(/\?$/, '').split('|');
  if (value === null || value === undefined) {
    return type.endsWith('?') || /\?\[\]$/.test(type);
  }
  if (isTensor(value)) {
    return types.includes('Tensor');
  }
  if (Array.isArray(value)) {
    const isList = types.some((each) => each.includes('['));
    return isList && (value.length === 0 || value.every(isTensor) === type.startsWith('Tensor'));
  }
  switch (typeof value) {
    case 'boolean': return types.some((each) => ['bool', 'Scalar', 'bool[]'].includes(each));
    case 'number': return types.some((each) => /^(?:int|float|Scalar)(?:\?)?(?:\[\d*\])?$/.test(each) && !(each === 'int' && !Number.isInteger(value)));
    case 'string': return types.some((each) => ['str', 'ScalarType'].includes(each)) && (choices?.includes(value) ?? true);
    default: return true;
  }
}
